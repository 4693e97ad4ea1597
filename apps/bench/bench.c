/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * maniple bench: the command line, the loop over cases and sizes, and the table, JSON and picture of the results.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <getopt.h>

#include <maniple.h>

#include "bench/bench.h"
#include "common/command.h"
#include "report/json.h"
#include "common/options.h"
#include "picture/plot.h"
#include "report/progress.h"
#include "report/report.h"
#include "common/words.h"

enum { MAX_CASES = 16, OPTION_MIN = UCHAR_MAX + 1, OPTION_MAX, OPTION_STEP };

static const option_row options_table[] = {
    {'c', "cases", "A,B,...", "measure only these cases (default: all)"},
    {OPTION_MIN, "min", "SIZE", "the smallest size, in bytes a rank (default: 8)"},
    {OPTION_MAX, "max", "SIZE", "the largest size, such as 64M or 1G (default: 4M; on GPUs 256M)"},
    {OPTION_STEP, "step", "N", "every size is N times the one before (default: 4)"},
    {'r', "repeats", "N", "print the median of N repeats (default: 15)"},
    {'j', "json", NULL, "print JSON"},
    PICTURE_OPTIONS("the bus bandwidth over the size"),
    PROGRESS_ROW,
    {'h', "help", NULL, "show this"},
    {0},
};

void bench_help(void)
{
    puts("Usage: mpirun -n RANKS maniple bench comm [OPTION...]\n"
         "\n"
         "Measure operations that move data between the ranks, for sizes from --min to --max.  Results are\n"
         "checked first; a wrong one is an error.  Each case is timed alternately with its peer, the same\n"
         "operation of the library beneath, on the same memory: MPI on CPUs, NCCL between GPUs.\n"
         "\n"
         "The cases:");
    for (int i = 0; bench_case_at(i); i++)
        printf("  %-18s%s\n", bench_case_at(i)->name, bench_case_at(i)->help);
    puts("\n"
         "Options:");
    options_print(options_table);
    puts("\n"
         "Example:\n"
         "  mpirun -n 4 maniple bench comm --cases all-reduce,all-to-all --max 1G --picture bandwidth.png");
}

/* ---- the command line ---- */

typedef struct job {
    bool chosen[MAX_CASES];
    bool chooses, has_max, json;
    int64_t min, max, step, repeats;
    picture_request picture;
} job;

static mnp_status parse_number(const char *option, const char *text, int64_t least, int64_t most, int64_t *number_p)
{
    static const char letters[] = "KMG"; /* powers of 1024 */
    char *end;
    errno = 0;
    int64_t number = strtoll(text, &end, 10);
    const char *letter = *end ? strchr(letters, toupper((unsigned char)*end)) : NULL;
    const int shift = letter ? 10 * (int)(letter - letters + 1) : 0;
    if (!isdigit((unsigned char)*text) || errno || *(letter ? end + 1 : end) || number < least ||
        number > most >> shift)
        return mnp_fail(MNP_ERR_ARG,
                        "%s is '%s'; it must be a number from %" PRId64 " to %" PRId64 ", which may end in K, M or G",
                        option, text, least, most);
    *number_p = number << shift;
    return MNP_OK;
}

static mnp_status choose_case(job *j, char *name)
{
    const char *names[MAX_CASES + 1] = {NULL};
    for (int i = 0; bench_case_at(i); i++) {
        names[i] = bench_case_at(i)->name;
        if (strcmp(name, names[i]) == 0) {
            j->chosen[i] = j->chooses = true;
            return MNP_OK;
        }
    }
    const char *nearest = nearest_word(name, names);
    if (nearest)
        return mnp_fail(MNP_ERR_ARG, "there is no case '%s'; did you mean '%s'?", name, nearest);
    return mnp_fail(MNP_ERR_ARG, "there is no case '%s'; --help lists the cases", name);
}

static mnp_status choose_cases(job *j, char *list)
{
    mnp_status status = MNP_OK;
    while (list && status == MNP_OK) {
        char *comma = strchr(list, ',');
        if (comma)
            *comma++ = '\0';
        status = choose_case(j, list);
        list = comma;
    }
    return status;
}

static mnp_status take(job *j, int key)
{
    const int64_t most = (int64_t)1 << 30;
    switch (key) {
    case 'c':
        return choose_cases(j, optarg);
    case OPTION_MIN:
        return parse_number("--min", optarg, 1, most, &j->min);
    case OPTION_MAX:
        j->has_max = true;
        return parse_number("--max", optarg, 1, most, &j->max);
    case OPTION_STEP:
        return parse_number("--step", optarg, 2, most, &j->step);
    case 'r':
        return parse_number("--repeats", optarg, 1, 100000, &j->repeats);
    case 'j':
        j->json = true;
        return MNP_OK;
    case KEY_PICTURE:
    case KEY_PICTURE_SIZE:
        return picture_option(key, optarg, &j->picture);
    default:
        return MNP_ERR_ARG; /* options_next() has recorded why */
    }
}

static mnp_status parse(int argc, char **argv, job *j)
{
    mnp_status status = MNP_OK;
    for (int key; status == MNP_OK && (key = options_next(argc, argv, options_table)) != OPTIONS_END;)
        status = take(j, key);
    if (status != MNP_OK)
        return status;
    if (optind == argc || strcmp(argv[optind], "comm") != 0)
        return mnp_fail(MNP_ERR_ARG, "bench measures 'comm', as in: mpirun -n 4 maniple bench comm");
    if (optind + 1 < argc)
        return mnp_fail(MNP_ERR_ARG, "bench comm takes no operands, and is given '%s'", argv[optind + 1]);
    if (j->has_max && j->min > j->max)
        return mnp_fail(MNP_ERR_ARG, "--min is %" PRId64 " bytes, more than --max, %" PRId64, j->min, j->max);
    return picture_check_options(&j->picture);
}

/* ---- results ---- */

typedef struct results {
    const job *j;
    const bench *b;
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
static const char *peer_text(const bench *b)
{
    return b->on_host || strcmp(b->peer, "MPI") != 0 ? b->peer : "MPI, staged through the host";
}

static void print_row(const results *r, const measurement *m)
{
    const double bus = bench_bus_bandwidth(m, m->seconds, r->b->ranks);
    const bool has_size = m->which->has_size;
    char size[16], ours[16], theirs[16];
    printf("%-16s %11s %10s", m->which->name, has_size ? size_text(m->bytes, size) : "-",
           seconds_text(m->seconds, ours));
    print_number("%.3g", has_size ? bench_bandwidth(m, m->seconds) / 1e9 : 0);
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
    printf("ran on    ");
    print_where(r->b->ctx, r->ranks);
    printf("times     the median of %" PRId64 " repeats, of the slowest rank\n", r->j->repeats);
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
        printf("\npicture   %s: %s\n", r->j->picture.path, r->made.size);
}

/* A value that is not positive is missing. */
static void json_figure(json_writer *j, const char *name, double value)
{
    json_measured(j, name, value > 0 ? value : NAN);
}

static void json_measurement(json_writer *j, const results *r, const measurement *m)
{
    const bool has_size = m->which->has_size;
    const double bus = has_size ? bench_bus_bandwidth(m, m->seconds, r->b->ranks) : 0;
    json_row(j, NULL, '{');
    json_text(j, "case", m->which->name);
    json_integer(j, "bytes", m->bytes);
    json_figure(j, "seconds", m->seconds);
    json_figure(j, "bandwidth", has_size ? bench_bandwidth(m, m->seconds) : 0);
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
    json_integer(&j, "repeats", r->j->repeats);
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
static mnp_status check_picture(const job *j, int ranks)
{
    bool any = false;
    for (int i = 0; bench_case_at(i); i++)
        any = any || (bench_case_at(i)->has_size && (!j->chooses || j->chosen[i]));
    mnp_status st = picture_check_place(&j->picture);
    if (st == MNP_OK && (!any || ranks == 1))
        return mnp_fail(MNP_ERR_ARG, "--picture would have nothing to draw: %s",
                        any ? "one rank alone has no bus bandwidth" : "none of these cases has a size");
    return st;
}

/* The first words of the picture: where this ran. */
static mnp_status draw_curves(results *r, int count, const plot_curve *curves)
{
    char subtitle[256];
    snprintf(subtitle, sizeof subtitle, "%d ranks, %s, transport %s; median of %" PRId64 " repeats", r->b->ranks,
             r->ranks[0].device, mnp_ctx_transport(r->b->ctx), r->j->repeats);
    const plot_curves plot = {
        .words = {"Bus bandwidth of communication", subtitle, "size per rank", "bus bandwidth (GB/s)"},
        .x_scale = AXIS_BYTES,
        .y_scale = AXIS_LOG,
        .count = count,
        .curves = curves,
        .rule = {r->link > 0 ? "the link, all-to-all:" : NULL, r->link / 1e9},
    };
    return plot_write_curves(&r->j->picture, &plot, &r->made);
}

static mnp_status draw(results *r)
{
    plot_curve curves[MAX_CASES] = {{0}};
    double *points = malloc(2 * (size_t)(r->count > 0 ? r->count : 1) * sizeof *points), *next = points;
    int ncurves = 0;
    if (!points)
        return mnp_fail(MNP_ERR_MEMORY, "no memory on the host");
    for (int i = 0; i < r->count; i++) {
        const measurement *m = &r->rows[i];
        const double bus = bench_bus_bandwidth(m, m->seconds, r->b->ranks);
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

/* The largest size that fits the memory of every rank a few times. */
static int64_t largest_size(const results *r)
{
    int64_t most = r->j->has_max ? r->j->max : (int64_t)(r->b->on_host ? 4 : 256) << 20;
    for (int i = 0; i < r->b->ranks; i++) {
        int sharers = r->ranks[i].ranks_on_device;
        for (int other = 0; r->b->on_host && other < r->b->ranks; other++)
            sharers += other != i && r->ranks[other].node == r->ranks[i].node;
        const int64_t fits = r->ranks[i].memory_free / 12 / sharers;
        most = fits < most ? fits : most;
    }
    return most < r->j->min ? r->j->min : most;
}

/* Measure a case; false, after a message, if this context cannot do it. */
static bool measure(results *r, const bench_case *which, int64_t bytes, measurement *m)
{
    mnp_status st = bench_measure(r->b, which, bytes, m);
    if (st == MNP_ERR_UNSUPPORTED) {
        progress_clear();
        if (r->b->rank == 0)
            fprintf(stderr, "maniple bench: %s is left out: %s\n", which->name, words_message());
        return false;
    }
    OR_EXIT(st);
    if (r->has_link && strcmp(which->name, "all-to-all") == 0) {
        double bus = bench_bus_bandwidth(m, m->seconds, r->b->ranks);
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
static bool is_possible(const bench *b, const bench_case *which)
{
    return !(which->needs_others && b->ranks == 1) && !(which->needs_graphs && b->on_host);
}

static int64_t most_of(const bench_case *which, int64_t largest)
{
    return which->most_bytes > 0 && which->most_bytes < largest ? which->most_bytes : largest;
}

static bool is_wanted(const results *r, int number)
{
    return r->j->chooses ? r->j->chosen[number] : is_possible(r->b, bench_case_at(number));
}

static int64_t count_measurements(const results *r, int64_t largest)
{
    int64_t count = 0;
    for (int i = 0; bench_case_at(i); i++) {
        const bench_case *which = bench_case_at(i);
        for (int64_t bytes = r->j->min; is_wanted(r, i) && bytes <= most_of(which, largest); bytes *= r->j->step) {
            count++;
            if (!which->has_size)
                break;
        }
    }
    return count;
}

static void measure_all(results *r)
{
    const int64_t largest = largest_size(r);
    const double all = (double)count_measurements(r, largest);
    int64_t done = 0;
    progress_stage(0, NULL, "measuring");
    for (int i = 0; bench_case_at(i); i++) {
        const bench_case *which = bench_case_at(i);
        for (int64_t bytes = r->j->min; is_wanted(r, i) && bytes <= most_of(which, largest); bytes *= r->j->step) {
            OR_EXIT(make_room(r));
            measurement *m = &r->rows[r->count];
            if (!measure(r, which, bytes, m))
                break;
            progress_at((double)++done / all);
            /* small sizes may give the same measurement, as every rank has at least one element for every other */
            const bool again = r->count > 0 && m[-1].which == which && m[-1].bytes == m->bytes;
            r->count += !again;
            if (!which->has_size)
                break;
        }
    }
    for (int i = 0; r->has_link && r->link == 0 && bench_case_at(i); i++) {
        measurement unshown;
        if (strcmp(bench_case_at(i)->name, "all-to-all") == 0)
            (void)measure(r, bench_case_at(i), largest, &unshown);
    }
}

int bench_main(int argc, char **argv)
{
    job j = {.min = 8, .step = 4, .repeats = 15, .picture = PICTURE_REQUEST_DEFAULTS};
    bench b = {0};
    mnp_rank_info *ranks = NULL;
    if (parse(argc, argv, &j) != MNP_OK)
        misused_exit();

    b.ctx = command_begin(NULL);
    b.repeats = (int)j.repeats;
    OR_EXIT(bench_open(&b));
    OR_EXIT(mnp_agree(b.ctx, j.picture.path && b.rank == 0 ? check_picture(&j, b.ranks) : MNP_OK));
    OR_EXIT(rank_infos(b.ctx, &ranks, NULL));
    results r = {.j = &j, .b = &b, .ranks = ranks};
    r.has_link = b.ranks > 1 && (!b.on_host || ranks[b.ranks - 1].node > 0);
    progress_begin(b.ctx, "bench", false);
    measure_all(&r);
    progress_end();
    const int drawn = command_say(b.ctx, "", mnp_agree(b.ctx, j.picture.path && b.rank == 0 ? draw(&r) : MNP_OK));
    if (b.rank == 0) {
        if (j.json)
            print_json(&r);
        else
            print_table(&r);
    }
    const int status = close_output(drawn);
    free(r.rows);
    free(ranks);
    bench_close(&b);
    mnp_finalize(b.ctx);
    return status;
}
