/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What benchmarks share: how they measure a time, between two events of the device, of the slowest rank, after a
 * warm-up; how they record it (record.h); and the options of a program of several cases.
 */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <maniple.h>

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record.h"

enum { WARM_UP = 3, MOST_CALLS = 500 };

static inline int compare_seconds(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Seconds of every repeat of run(argument), of the slowest rank, in rising order.  Collective. */
static inline void measure(mnp_ctx *ctx, mnp_status (*run)(void *argument), void *argument, int repeats,
                           double *seconds)
{
    mnp_event *first, *second;
    MNP_OR_EXIT(mnp_event_new(ctx, &first));
    MNP_OR_EXIT(mnp_event_new(ctx, &second));
    for (int i = -WARM_UP; i < repeats; i++) {
        double own;
        MNP_OR_EXIT(mnp_ctx_synchronize(ctx));
        MPI_Barrier(mnp_ctx_comm(ctx));
        MNP_OR_EXIT(mnp_event_record(first));
        MNP_OR_EXIT(run(argument));
        MNP_OR_EXIT(mnp_event_record(second));
        MNP_OR_EXIT(mnp_event_seconds(first, second, &own));
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

static inline mnp_status run_calls(void *argument)
{
    const struct calls *calls = argument;
    mnp_status st = MNP_OK;
    for (int i = 0; i < calls->count && st == MNP_OK; i++)
        st = calls->run(calls->argument);
    return st;
}

/*
 * The same where a repeat is as many calls in a row as take 10 milliseconds, at most 500, so that what a launch waits
 * for does not count: seconds of one call.  Collective.
 */
static inline void measure_together(mnp_ctx *ctx, mnp_status (*run)(void *argument), void *argument, int repeats,
                                    double *seconds)
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

/*
 * Record a time where BENCH_JSON is set: of this library, unless the record names another one.  Ranks and the device
 * are those of the context.  Collective.
 */
static inline void record(mnp_ctx *ctx, struct record r)
{
    char version[32];
    mnp_rank_info *ranks = calloc((size_t)mnp_ctx_size(ctx), sizeof *ranks);
    MNP_OR_EXIT(mnp_agree(ctx, ranks ? MNP_OK : mnp_fail(MNP_ERR_MEMORY, "no memory for %d ranks", mnp_ctx_size(ctx))));
    MNP_OR_EXIT(mnp_ctx_info(ctx, ranks, NULL));
    snprintf(version, sizeof version, "%d.%d.%d", MNP_VERSION_MAJOR, MNP_VERSION_MINOR, MNP_VERSION_PATCH);
    if (!r.library) {
        r.library = "Maniple";
        r.version = version;
    }
    r.device = ranks[0].device;
    r.transport = mnp_ctx_transport(ctx);
    r.ranks = mnp_ctx_size(ctx);
    if (mnp_ctx_rank(ctx) == 0)
        record_append(&r);
    free(ranks);
}

/* A record of times in rising order, of a case that works on so many elements of a type. */
static inline struct record record_of(const char *benchmark, const char *name, int64_t elements, const char *dtype,
                                      const double *seconds, int repeats, double bytes)
{
    struct record r = {
        .benchmark = benchmark, .name = name, .seconds = seconds[repeats / 2], .best = seconds[0], .bytes = bytes};
    snprintf(r.input, sizeof r.input, "%lld %s", (long long)elements, dtype);
    return r;
}

/* Whether the word, of that length, is one of the names, which end with NULL; which one. */
static inline bool find_name(const char *const *names, const char *word, size_t length, int *index_p)
{
    for (int i = 0; names[i]; i++) {
        if (strlen(names[i]) == length && strncmp(names[i], word, length) == 0) {
            *index_p = i;
            return true;
        }
    }
    return false;
}

/*
 * The main function of a program with an array of cases, structs that begin with their names: runs the one that --case
 * names, or all, with --elements (0: as many as the case has) and --repeats.
 */
#define RUN_CASES(argc, argv, cases, time_case)                                                                        \
    run_cases((argc), (argv), (cases), sizeof *(cases), sizeof(cases) / sizeof *(cases), (time_case))

static inline int run_cases(int argc, char **argv, const void *cases, size_t size, size_t count,
                            void (*time_case)(mnp_ctx *ctx, const void *one, int64_t elements, int repeats))
{
    static const struct option options[] = {
        {"case", 1, NULL, 'c'}, {"elements", 1, NULL, 'n'}, {"repeats", 1, NULL, 'r'}, {NULL, 0, NULL, 0}};
    const char *only = NULL;
    int64_t elements = 0;
    int repeats = 50, known = 0, wrong = 0;
    mnp_ctx *ctx;
    for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (c == 'c')
            only = optarg;
        else if (c == 'n')
            elements = atoll(optarg);
        else if (c == 'r')
            repeats = atoi(optarg);
        else
            wrong = 1;
    }
    const char *const *name = cases; /* of a case, at its beginning */
    const size_t next = size / sizeof *name;
    for (size_t k = 0; k < count; k++)
        known = known || !only || strcmp(only, name[k * next]) == 0;
    if (!known || wrong || optind != argc || elements < 0 || repeats < 1) {
        fprintf(stderr, "usage: %s [--case NAME] [--elements N] [--repeats N]\n", argv[0]);
        return 2;
    }
    MNP_OR_EXIT(mnp_init(MPI_COMM_WORLD, NULL, &ctx));
    setvbuf(stdout, NULL, _IOLBF, 0); /* a run that is ended by a limit of time leaves the cases that it has done */
    if (mnp_ctx_rank(ctx) == 0)
        printf("%d rank%s, device %s, median of %d\n", mnp_ctx_size(ctx), mnp_ctx_size(ctx) == 1 ? "" : "s",
               mnp_ctx_device_kind(ctx), repeats);
    for (size_t k = 0; k < count; k++) {
        if (!only || strcmp(only, name[k * next]) == 0)
            time_case(ctx, name + k * next, elements, repeats);
    }
    mnp_finalize(ctx);
    return 0;
}

#endif
