/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * maniple bench comm: the loop over cases and sizes, and the table, JSON, picture and records of the results.
 */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <maniple.h>

#include "bench/benchmark.h"
#include "bench/measure.h"
#include "bench/moving/comm.h"
#include "common/command.h"
#include "common/words.h"
#include "picture/plot.h"
#include "report/json.h"
#include "report/progress.h"
#include "report/report.h"

/* ---- results ---- */

typedef struct results {
    const bench_options *o;
    bool chosen[COMM_NUM_CASES]; /* by name */
    const comm_bench *b;
    const mnp_rank_info *ranks;
    measurement *rows;
    int count, room;
    bool has_link; /* there is a link between the ranks' memories */
    double link;   /* its bandwidth in bytes a second; 0: not known */
    picture_made made;
} results;

static const char *seconds_text(double seconds, char text[16])
{
    if (seconds <= 0)
        return "-";
    snprintf(text, 16,
             seconds < 1e-3 ? "%.2f us"
             : seconds < 1  ? "%.2f ms"
                            : "%.3f s",
             seconds < 1e-3 ? seconds * 1e6
             : seconds < 1  ? seconds * 1e3
                            : seconds);
    return text;
}

static const char *size_text(int64_t bytes, char text[16])
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB"};
    double value = (double)bytes;
    int unit = 0;
    for (; value >= 1024 && unit < 3; unit++)
        value /= 1024;
    snprintf(text, 16, "%.4g %s", value, units[unit]);
    return text;
}

static void print_number(const char *format, double value)
{
    char text[32];
    snprintf(text, sizeof text, format, value);
    printf("%9s", value > 0 ? text : "-");
}

/* The name of the peer; MPI is never given memory of GPUs. */
static const char *peer_text(const comm_bench *b)
{
    return b->on_host || strcmp(b->peer, "MPI") != 0 ? b->peer : "MPI, staged through the host";
}

static void print_row(const results *r, const measurement *m)
{
    const double bus = comm_bus_bandwidth(m, m->seconds, r->b->ranks);
    const bool has_size = m->which->has_size;
    char size[16], ours[16], theirs[16];
    printf("%-16s %11s %10s", m->which->name, has_size ? size_text(m->bytes, size) : "-",
           seconds_text(m->seconds, ours));
    print_number("%.3g", has_size ? comm_bandwidth(m, m->seconds) / 1e9 : 0);
    print_number("%.3g", has_size ? bus / 1e9 : 0);
    print_number("%.0f %%", has_size && r->link > 0 ? 100 * bus / r->link : 0);
    printf("  %10s", seconds_text(m->peer_seconds, theirs));
    putchar(' ');
    print_number("%.2f", m->peer_seconds / m->seconds);
    putchar('\n');
}

static void print_table(const results *r)
{
    const char *peer = r->b->peer ? r->b->peer : "peer";
    char ratio[16];
    printf("times     the median of %d repeats, of the slowest rank\n", r->o->repeats);
    printf("compile   %.4f s, before a case is timed\n", mnp_ctx_compile_seconds(r->b->ctx));
    if (r->link > 0)
        printf("link      %.3g GB/s a rank, the best all-to-all of this run\n", r->link / 1e9);
    printf("peer      %s\n", r->b->peer ? peer_text(r->b) : "none: one rank");
    snprintf(ratio, sizeof ratio, "%s/ours", peer);
    printf("\n%-16s %11s %10s%9s%9s%9s  %10s%10s\n", "case", "size a rank", "time", "GB/s", "bus GB/s", "of link", peer,
           ratio);
    for (int i = 0; i < r->count; i++) {
        if (i > 0 && r->rows[i].which != r->rows[i - 1].which)
            putchar('\n');
        print_row(r, &r->rows[i]);
    }
    if (*r->made.size)
        printf("\npicture   %s: %s\n", r->o->picture.path, r->made.size);
}

/* A value that is not positive is missing. */
static void json_figure(json_writer *j, const char *name, double value)
{
    json_measured(j, name, value > 0 ? value : NAN);
}

static void json_measurement(json_writer *j, const results *r, const measurement *m)
{
    const bool has_size = m->which->has_size;
    const double bus = has_size ? comm_bus_bandwidth(m, m->seconds, r->b->ranks) : 0;
    json_row(j, NULL, '{');
    json_text(j, "case", m->which->name);
    json_integer(j, "bytes", m->bytes);
    json_figure(j, "seconds", m->seconds);
    json_figure(j, "bandwidth", has_size ? comm_bandwidth(m, m->seconds) : 0);
    json_figure(j, "bus_bandwidth", bus);
    json_figure(j, "share_of_link", r->link > 0 ? bus / r->link : 0);
    json_figure(j, "peer_seconds", m->peer_seconds);
    json_close(j);
}

static void print_json(const results *r)
{
    json_writer j = json_start(stdout);
    json_open(&j, NULL, '{');
    json_integer(&j, "ranks", r->b->ranks);
    json_text(&j, "device", r->ranks[0].device);
    json_text(&j, "transport", mnp_ctx_transport(r->b->ctx));
    json_integer(&j, "repeats", r->o->repeats);
    json_measured(&j, "compile_seconds", mnp_ctx_compile_seconds(r->b->ctx));
    json_row(&j, "link", '{');
    json_figure(&j, "bytes_per_second", r->link);
    json_text(&j, "how", "the best all-to-all of this run");
    json_close(&j);
    json_text(&j, "peer", r->b->peer ? peer_text(r->b) : NULL);
    json_open(&j, "measurements", '[');
    for (int i = 0; i < r->count; i++)
        json_measurement(&j, r, &r->rows[i]);
    json_close(&j);
    json_close(&j);
}

/* Check, before anything is measured, that there will be something to draw and that the file can be written. */
static mnp_status check(int ranks, int count, const char *const *names, const bench_options *o)
{
    bool any = false;
    if (!o->picture.path)
        return MNP_OK;
    for (int i = 0; i < count; i++)
        any = any || comm_case_named(names[i])->has_size;
    mnp_status st = picture_check_place(&o->picture);
    if (st == MNP_OK && (!any || ranks == 1))
        return mnp_fail(MNP_ERR_ARG, "--picture would have nothing to draw: %s",
                        any ? "one rank alone has no bus bandwidth" : "none of these cases has a size");
    return st;
}

/* The first words of the picture: where this ran. */
static mnp_status draw_curves(results *r, int count, const plot_curve *curves)
{
    char subtitle[256];
    snprintf(subtitle, sizeof subtitle, "%d ranks, %s, transport %s; median of %d repeats", r->b->ranks,
             r->ranks[0].device, mnp_ctx_transport(r->b->ctx), r->o->repeats);
    const plot_curves plot = {
        .words = {"Bus bandwidth of communication", subtitle, "size per rank", "bus bandwidth (GB/s)"},
        .x_scale = AXIS_BYTES,
        .y_scale = AXIS_LOG,
        .count = count,
        .curves = curves,
        .rule = {r->link > 0 ? "the link, all-to-all:" : NULL, r->link / 1e9},
    };
    return plot_write_curves(&r->o->picture, &plot, &r->made);
}

static mnp_status draw(results *r)
{
    plot_curve curves[COMM_NUM_CASES] = {{0}};
    double *points = malloc(2 * (size_t)(r->count > 0 ? r->count : 1) * sizeof *points), *next = points;
    int ncurves = 0;
    if (!points)
        return mnp_fail(MNP_ERR_MEMORY, "no memory on the host");
    for (int i = 0; i < r->count; i++) {
        const measurement *m = &r->rows[i];
        const double bus = comm_bus_bandwidth(m, m->seconds, r->b->ranks);
        if (!m->which->has_size || bus <= 0)
            continue;
        if (ncurves == 0 || strcmp(curves[ncurves - 1].name, m->which->name) != 0)
            curves[ncurves++] = (plot_curve){.name = m->which->name, .points = next};
        *next++ = (double)m->bytes;
        *next++ = bus / 1e9;
        curves[ncurves - 1].count++;
    }
    mnp_status status = draw_curves(r, ncurves, curves);
    free(points);
    return status;
}

/* ---- the work ---- */

/* Record a time of ours, or of another library. */
static void record_measurement(const comm_bench *b, const char *subject, const char *name, const char *library,
                               const measurement *m, double seconds, double best)
{
    char size[16] = "";
    struct record line = {.benchmark = subject, .name = name, .library = library, .seconds = seconds, .best = best};
    if (seconds <= 0)
        return;
    if (m->which->has_size) {
        snprintf(line.input, sizeof line.input, "%s", size_text(m->bytes, size));
        line.size = (double)m->bytes;
    }
    record(b->ctx, line);
}

/* The largest size up to `most`, 0: the usual one, that fits the memory of every rank a few times. */
static int64_t largest_size(const comm_bench *b, const mnp_rank_info *ranks, int64_t most)
{
    most = most > 0 ? most : (int64_t)(b->on_host ? 4 : 256) << 20;
    for (int i = 0; i < b->ranks; i++) {
        int sharers = ranks[i].ranks_on_device;
        for (int other = 0; b->on_host && other < b->ranks; other++)
            sharers += other != i && ranks[other].node == ranks[i].node;
        const int64_t fits = ranks[i].memory_free / 12 / sharers;
        most = fits < most ? fits : most;
    }
    return most;
}

/* Whether there is a link between the memories of the ranks. */
static bool has_link(const comm_bench *b, const mnp_rank_info *ranks)
{
    return b->ranks > 1 && (!b->on_host || ranks[b->ranks - 1].node > 0);
}

mnp_status comm_link_rate(mnp_ctx *ctx, double *rate_p)
{
    enum { REPEATS = 5 };
    comm_bench b = {.ctx = ctx, .repeats = REPEATS};
    measurement m = {.seconds = 0};
    mnp_rank_info *ranks = NULL;
    *rate_p = 0;
    mnp_status st = rank_infos(ctx, &ranks, NULL);
    if (st == MNP_OK)
        st = comm_open(&b);
    if (st == MNP_OK && has_link(&b, ranks)) {
        st = comm_measure(&b, comm_case_named("all-to-all"), largest_size(&b, ranks, 0), &m);
        if (st == MNP_OK) {
            *rate_p = comm_bus_bandwidth(&m, m.seconds, b.ranks);
            record_measurement(&b, "ceilings", "link", NULL, &m, m.seconds, m.best);
        }
    }
    comm_close(&b);
    free(ranks);
    return st;
}

/* Measure a case; false, after a message, if this context cannot do it. */
static bool measure_case(results *r, const comm_case *which, int64_t bytes, measurement *m)
{
    mnp_status st = comm_measure(r->b, which, bytes, m);
    if (st == MNP_ERR_UNSUPPORTED) {
        progress_clear();
        if (r->b->rank == 0)
            fprintf(stderr, "maniple bench: %s is left out: %s\n", which->name, words_message());
        return false;
    }
    OR_EXIT(st);
    if (r->has_link && strcmp(which->name, "all-to-all") == 0) {
        double bus = comm_bus_bandwidth(m, m->seconds, r->b->ranks);
        r->link = bus > r->link ? bus : r->link;
    }
    return true;
}

static mnp_status make_room(results *r)
{
    if (r->count < r->room)
        return MNP_OK;
    const int room = 2 * r->room + 64;
    measurement *rows = realloc(r->rows, (size_t)room * sizeof *rows);
    if (!rows)
        return mnp_fail(MNP_ERR_MEMORY, "no memory on the host");
    r->rows = rows;
    r->room = room;
    return MNP_OK;
}

/* Whether a case that was not named is measured. */
static bool is_possible(const comm_bench *b, const comm_case *which)
{
    return !(which->needs_others && b->ranks == 1) && !(which->needs_graphs && b->on_host);
}

static int64_t most_of(const comm_case *which, int64_t largest)
{
    return which->most_bytes > 0 && which->most_bytes < largest ? which->most_bytes : largest;
}

static bool is_wanted(const results *r, int number)
{
    return r->o->chooses ? r->chosen[number] : is_possible(r->b, comm_case_at(number));
}

static int64_t count_measurements(const results *r, int64_t largest)
{
    int64_t count = 0;
    for (int i = 0; comm_case_at(i); i++) {
        const comm_case *which = comm_case_at(i);
        for (int64_t bytes = r->o->min; is_wanted(r, i) && bytes <= most_of(which, largest); bytes *= r->o->step) {
            count++;
            if (!which->has_size)
                break;
        }
    }
    return count;
}

static void measure_all(results *r)
{
    const int64_t fitting = largest_size(r->b, r->ranks, r->o->max), least = r->o->min;
    const int64_t largest = fitting < least ? least : fitting;
    const double all = (double)count_measurements(r, largest);
    int64_t done = 0;
    progress_stage(0, NULL, "measuring");
    for (int i = 0; comm_case_at(i); i++) {
        const comm_case *which = comm_case_at(i);
        for (int64_t bytes = r->o->min; is_wanted(r, i) && bytes <= most_of(which, largest); bytes *= r->o->step) {
            OR_EXIT(make_room(r));
            measurement *m = &r->rows[r->count];
            if (!measure_case(r, which, bytes, m))
                break;
            progress_at((double)++done / all);
            /* small sizes may give the same measurement, as every rank has at least one element for every other */
            const bool again = r->count > 0 && m[-1].which == which && m[-1].bytes == m->bytes;
            r->count += !again;
            if (!which->has_size)
                break;
        }
    }
    for (int i = 0; r->has_link && r->link == 0 && comm_case_at(i); i++) {
        measurement unshown;
        if (strcmp(comm_case_at(i)->name, "all-to-all") == 0)
            (void)measure_case(r, comm_case_at(i), largest, &unshown);
    }
}

/* ---- the benchmark ---- */

static void record_all(const results *r)
{
    for (int i = 0; i < r->count; i++) {
        const measurement *m = &r->rows[i];
        record_measurement(r->b, "comm", m->which->name, NULL, m, m->seconds, m->best);
        record_measurement(r->b, "comm", m->which->name, r->b->peer ? peer_text(r->b) : NULL, m, m->peer_seconds,
                           m->peer_best);
    }
}

static int run(mnp_ctx *ctx, int count, const char *const *names, const bench_options *o)
{
    comm_bench b = {.ctx = ctx, .repeats = o->repeats};
    mnp_rank_info *ranks = NULL;
    OR_EXIT(comm_open(&b));
    OR_EXIT(rank_infos(ctx, &ranks, NULL));
    results r = {.o = o, .b = &b, .ranks = ranks, .has_link = has_link(&b, ranks)};
    for (int i = 0; i < count; i++)
        r.chosen[comm_case_named(names[i]) - comm_cases] = true;
    progress_begin(ctx, "bench", false);
    measure_all(&r);
    progress_end();
    record_all(&r);
    const int drawn = command_say(ctx, "", mnp_agree(ctx, o->picture.path && b.rank == 0 ? draw(&r) : MNP_OK));
    if (b.rank == 0) {
        if (o->json)
            print_json(&r);
        else
            print_table(&r);
    }
    free(r.rows);
    free(ranks);
    comm_close(&b);
    return drawn;
}

const benchmark comm_benchmark = {.name = "comm",
                                  .help = "operations that move data between the ranks, for sizes",
                                  .repeats = 15,
                                  BENCH_CASES(comm_cases),
                                  .check = check,
                                  .run = run};
