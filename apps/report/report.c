/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reports of the subcommands.  Only rank_infos(), run_facts_find(), report_print() and stopwatches
 * communicate.
 */
#include "report/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/command.h"

void print_shape(int ndim, const int64_t *shape)
{
    if (ndim == 0)
        printf("()");
    for (int d = 0; d < ndim; d++)
        printf("%s%" PRId64, d > 0 ? "x" : "", shape[d]);
}

static void print_blocks(const mnp_layout *layout)
{
    int ndim = mnp_layout_ndim(layout);
    int64_t parts[MNP_MAX_DIMS], largest[MNP_MAX_DIMS], count = 1;
    for (int d = 0; d < ndim; d++) {
        const int64_t *cuts = mnp_layout_cuts(layout, d);
        parts[d] = mnp_layout_parts(layout, d);
        count *= parts[d];
        largest[d] = 0;
        for (int64_t i = 0; i < parts[d]; i++)
            if (cuts[i + 1] - cuts[i] > largest[d])
                largest[d] = cuts[i + 1] - cuts[i];
    }
    if (count == 1) {
        printf("one block");
        return;
    }
    print_shape(ndim, parts);
    printf(" blocks of at most ");
    print_shape(ndim, largest);
}

void print_array(const mnp_array *array)
{
    print_shape(mnp_array_ndim(array), mnp_array_shape(array));
    printf(" %s, ", mnp_dtype_name(mnp_array_dtype(array)));
    print_blocks(mnp_array_layout(array));
    putchar('\n');
}

void json_array(json_writer *j, const mnp_array *array)
{
    const mnp_layout *layout = mnp_array_layout(array);
    json_integers(j, "shape", mnp_array_ndim(array), mnp_array_shape(array));
    json_text(j, "dtype", mnp_dtype_name(mnp_array_dtype(array)));
    json_row(j, "parts", '[');
    for (int d = 0; d < mnp_layout_ndim(layout); d++)
        json_integer(j, NULL, mnp_layout_parts(layout, d));
    json_close(j);
}

void json_operand(json_writer *j, const char *name, const char *text, const mnp_array *array)
{
    json_row(j, name, '{');
    json_text(j, "operand", text);
    json_array(j, array);
    json_close(j);
}

double unsigned_nan(double value)
{
    return isnan(value) ? NAN : value;
}

const char *plural(int64_t count)
{
    return count == 1 ? "" : "s";
}

const char *bytes_text(int64_t bytes, char text[BYTES_TEXT])
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB"};
    if (bytes < 1024) {
        snprintf(text, BYTES_TEXT, "%d byte%s", (int)bytes, bytes == 1 ? "" : "s");
        return text;
    }
    double value = (double)bytes / 1024;
    size_t unit = 0;
    for (; value >= 1024 && unit + 1 < sizeof units / sizeof *units; unit++)
        value /= 1024;
    snprintf(text, BYTES_TEXT, "%.1f %s", value, units[unit]);
    return text;
}

double shape_bytes(mnp_dtype dtype, int ndim, const int64_t *shape)
{
    double bytes = (double)mnp_dtype_size(dtype);
    for (int d = 0; d < ndim; d++)
        bytes *= (double)shape[d];
    return bytes;
}

double array_bytes(const mnp_array *array)
{
    return shape_bytes(mnp_array_dtype(array), mnp_array_ndim(array), mnp_array_shape(array));
}

stopwatch stopwatch_start(mnp_ctx *ctx)
{
    OR_EXIT(mnp_agree(ctx, MNP_OK));
    return (stopwatch){.ctx = ctx, .last = MPI_Wtime(), .compiled = mnp_ctx_compile_seconds(ctx)};
}

void stopwatch_lap(stopwatch *watch, int stage)
{
    OR_EXIT(mnp_agree(watch->ctx, mnp_ctx_synchronize(watch->ctx)));
    const double now = MPI_Wtime(), compiled = mnp_ctx_compile_seconds(watch->ctx), passed = now - watch->last;
    double compiling = compiled - watch->compiled; /* on the slowest rank, for which the others have waited */
    all_reduce(watch->ctx, &compiling, 1, MPI_DOUBLE, MPI_MAX);
    compiling = compiling < passed ? compiling : passed;
    watch->seconds[STAGE_COMPILE] += compiling;
    watch->seconds[stage] += passed - compiling;
    watch->last = now;
    watch->compiled = compiled;
}

void print_times(int count, const char *const *names, const double *seconds)
{
    printf("time     ");
    for (int i = 0; i < count; i++)
        printf("%s %s %.4f s", i > 0 ? "," : "", names[i], seconds[i]);
    putchar('\n');
}

/* The same as a member, "seconds". */
static void write_times(json_writer *j, int count, const char *const *names, const double *seconds)
{
    json_row(j, "seconds", '{');
    for (int i = 0; i < count; i++)
        json_measured(j, names[i], seconds[i]);
    json_close(j);
}

mnp_status rank_infos(mnp_ctx *ctx, mnp_rank_info **ranks_p, mnp_link_info **links_p)
{
    size_t size = (size_t)mnp_ctx_size(ctx);
    mnp_rank_info *ranks = malloc(size * sizeof *ranks);
    mnp_link_info *links = links_p ? malloc(size * size * sizeof *links) : NULL;
    bool complete = ranks && (links || !links_p);
    mnp_status status = mnp_agree(ctx, complete ? MNP_OK : mnp_fail(MNP_ERR_MEMORY, "no memory on the host"));
    if (status == MNP_OK)
        status = mnp_ctx_info(ctx, ranks, links);
    if (status != MNP_OK) {
        free(ranks);
        free(links);
        return status;
    }
    *ranks_p = ranks;
    if (links_p)
        *links_p = links;
    return MNP_OK;
}

static bool same_device(const mnp_rank_info *a, const mnp_rank_info *b)
{
    return a->node == b->node && a->device_index == b->device_index;
}

static bool same_model(const mnp_rank_info *a, const mnp_rank_info *b)
{
    return strcmp(a->device, b->device) == 0;
}

static bool same_host(const mnp_rank_info *a, const mnp_rank_info *b)
{
    return a->node == b->node;
}

/* Whether `rank` is the first of the ranks that are the same according to that function. */
static bool is_first(const mnp_rank_info *ranks, int rank, bool (*same)(const mnp_rank_info *, const mnp_rank_info *))
{
    for (int r = 0; r < rank; r++)
        if (same(&ranks[r], &ranks[rank]))
            return false;
    return true;
}

/* The number of devices of the same model as that rank's. */
static int count_devices(const mnp_rank_info *ranks, int size, int rank)
{
    int count = 0;
    for (int r = 0; r < size; r++)
        count += same_model(&ranks[r], &ranks[rank]) && is_first(ranks, r, same_device);
    return count;
}

void print_where(mnp_ctx *ctx, const mnp_rank_info *ranks)
{
    enum { NAMED_HOSTS = 4 };
    int size = mnp_ctx_size(ctx), hosts = 0;
    for (int r = 0; r < size; r++)
        hosts += is_first(ranks, r, same_host);
    printf("%d rank%s on %d host%s (", size, size > 1 ? "s" : "", hosts, hosts > 1 ? "s" : "");
    int named = 0;
    for (int r = 0; r < size; r++)
        if (is_first(ranks, r, same_host) && named++ < NAMED_HOSTS)
            printf("%s%s", named > 1 ? ", " : "", ranks[r].host);
    printf("%s)", hosts > NAMED_HOSTS ? ", ..." : "");

    bool shared = false;
    for (int r = 0; r < size; r++) {
        shared = shared || ranks[r].ranks_on_device > 1;
        if (is_first(ranks, r, same_model))
            printf(", %d x %s", count_devices(ranks, size, r), ranks[r].device);
    }
    if (ranks[0].device_index < 0)
        printf(", %d thread%s a rank", ranks[0].multiprocessors, ranks[0].multiprocessors > 1 ? "s" : "");
    printf("%s, transport %s\n", shared ? ", shared by ranks" : "", mnp_ctx_transport(ctx));
}

void json_where(json_writer *j, mnp_ctx *ctx, const mnp_rank_info *ranks)
{
    const int size = mnp_ctx_size(ctx);
    json_open(j, "ran_on", '{');
    json_integer(j, "ranks", size);
    json_row(j, "hosts", '[');
    for (int r = 0; r < size; r++)
        if (is_first(ranks, r, same_host))
            json_text(j, NULL, ranks[r].host);
    json_close(j);
    json_open(j, "devices", '[');
    for (int r = 0; r < size; r++) {
        if (!is_first(ranks, r, same_model))
            continue;
        json_row(j, NULL, '{');
        json_text(j, "device", ranks[r].device);
        json_integer(j, "count", count_devices(ranks, size, r));
        json_close(j);
    }
    json_close(j);
    if (ranks[0].device_index < 0)
        json_integer(j, "threads_per_rank", ranks[0].multiprocessors);
    json_text(j, "transport", mnp_ctx_transport(ctx));
    json_close(j);
}

mnp_status run_facts_find(const stopwatch *watch, run_facts *facts)
{
    *facts = (run_facts){.ctx = watch->ctx};
    memcpy(facts->seconds, watch->seconds, sizeof facts->seconds);
    reduce_to_first(watch->ctx, facts->seconds, MAX_STAGES, MPI_DOUBLE, MPI_MAX);
    return rank_infos(watch->ctx, &facts->ranks, NULL);
}

void run_facts_free(run_facts *facts)
{
    free(facts->ranks);
}

void report_print(const stopwatch *watch, bool as_json, const void *run, report_text *text, report_json *json)
{
    run_facts facts;
    OR_EXIT(run_facts_find(watch, &facts));
    if (mnp_ctx_rank(watch->ctx) == 0 && as_json) {
        json_writer out = json_start(stdout);
        json_open(&out, NULL, '{');
        json(run, &facts, &out);
        json_close(&out);
    } else if (mnp_ctx_rank(watch->ctx) == 0) {
        printf("ran on    ");
        print_where(facts.ctx, facts.ranks);
        text(run, &facts);
    }
    run_facts_free(&facts);
}

void json_facts(json_writer *j, const run_facts *facts, int count, const char *const *names)
{
    json_where(j, facts->ctx, facts->ranks);
    write_times(j, count, names, facts->seconds);
}
