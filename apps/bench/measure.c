/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Times of benchmarks, and their records.
 */
#include "bench/measure.h"

#include <stdio.h>
#include <string.h>

enum { MOST_CALLS = 500 };

double evaluate(mnp_ctx *ctx, const char *text, const mnp_array *x, const mnp_array *y)
{
    double value;
    mnp_array *result = NULL;
    OR_EXIT(mnp_eval(ctx, text, MNP_IN("x", x, "y", y), MNP_OUT("", &result)));
    OR_EXIT(mnp_item(result, &value));
    mnp_array_free(result);
    return value;
}

int compare_seconds(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double *seconds_new(mnp_ctx *ctx, int repeats)
{
    double *seconds = calloc((size_t)repeats, sizeof *seconds);
    OR_EXIT(mnp_agree(ctx, seconds ? MNP_OK : mnp_fail(MNP_ERR_MEMORY, "no memory for %d times", repeats)));
    return seconds;
}

void measure(mnp_ctx *ctx, mnp_status (*run)(void *argument), void *argument, int repeats, double *seconds)
{
    mnp_event *first, *second;
    OR_EXIT(mnp_event_new(ctx, &first));
    OR_EXIT(mnp_event_new(ctx, &second));
    for (int i = -WARM_UP; i < repeats; i++) {
        double own;
        OR_EXIT(mnp_ctx_synchronize(ctx));
        MPI_Barrier(mnp_ctx_comm(ctx));
        OR_EXIT(mnp_event_record(first));
        OR_EXIT(run(argument));
        OR_EXIT(mnp_event_record(second));
        OR_EXIT(mnp_event_seconds(first, second, &own));
        if (i >= 0)
            MPI_Allreduce(&own, &seconds[i], 1, MPI_DOUBLE, MPI_MAX, mnp_ctx_comm(ctx));
    }
    mnp_event_free(first);
    mnp_event_free(second);
    qsort(seconds, (size_t)repeats, sizeof *seconds, compare_seconds);
}

struct calls {
    mnp_status (*run)(void *argument);
    void *argument;
    int count;
};

static mnp_status run_calls(void *argument)
{
    const struct calls *calls = argument;
    mnp_status st = MNP_OK;
    for (int i = 0; i < calls->count && st == MNP_OK; i++)
        st = calls->run(calls->argument);
    return st;
}

void measure_together(mnp_ctx *ctx, mnp_status (*run)(void *argument), void *argument, int repeats, double *seconds)
{
    const double enough = 1e-2;
    struct calls calls = {run, argument, 1};
    measure(ctx, run, argument, 1, seconds);
    if (seconds[0] < enough)
        calls.count = seconds[0] * MOST_CALLS > enough ? (int)(enough / seconds[0]) : MOST_CALLS;
    measure(ctx, run_calls, &calls, repeats, seconds);
    for (int i = 0; i < repeats; i++)
        seconds[i] /= calls.count;
}

static double copy_rate; /* 0: not known */

void record_copy_rate(double rate)
{
    copy_rate = rate;
}

void record(mnp_ctx *ctx, struct record r)
{
    char version[32];
    mnp_rank_info *ranks = calloc((size_t)mnp_ctx_size(ctx), sizeof *ranks);
    OR_EXIT(mnp_agree(ctx, ranks ? MNP_OK : mnp_fail(MNP_ERR_MEMORY, "no memory for %d ranks", mnp_ctx_size(ctx))));
    OR_EXIT(mnp_ctx_info(ctx, ranks, NULL));
    snprintf(version, sizeof version, "%d.%d.%d", MNP_VERSION_MAJOR, MNP_VERSION_MINOR, MNP_VERSION_PATCH);
    if (!r.library) {
        r.library = "Maniple";
        r.version = version;
    }
    if (r.floor == 0 && copy_rate > 0)
        r.floor = r.bytes / copy_rate;
    r.device = ranks[0].device;
    r.transport = mnp_ctx_transport(ctx);
    r.ranks = mnp_ctx_size(ctx);
    if (mnp_ctx_rank(ctx) == 0)
        record_append(&r);
    free(ranks);
}

struct record record_of(const char *benchmark, const char *name, int64_t elements, const char *dtype,
                        const double *seconds, int repeats, double bytes)
{
    struct record r = {
        .benchmark = benchmark, .name = name, .seconds = seconds[repeats / 2], .best = seconds[0], .bytes = bytes};
    snprintf(r.input, sizeof r.input, "%lld %s", (long long)elements, dtype);
    return r;
}

bool find_name(const char *const *names, const char *word, size_t length, int *index_p)
{
    for (int i = 0; names[i]; i++) {
        if (strlen(names[i]) == length && strncmp(names[i], word, length) == 0) {
            *index_p = i;
            return true;
        }
    }
    return false;
}

bool is_on_host(const mnp_ctx *ctx)
{
    return strcmp(mnp_ctx_device_kind(ctx), "host") == 0;
}
