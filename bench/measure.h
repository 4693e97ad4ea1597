/*
 * How all benchmarks take their time: between two events of the device, of the slowest rank, after a warm-up.
 */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <maniple.h>

#include <stdlib.h>

enum { WARM_UP = 3 };

static inline int compare_seconds(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Seconds of every repeat of run(argument), of the slowest rank, in rising order.  Collective. */
static inline void measure(mnp_ctx *ctx, mnp_status (*run)(void *argument), void *argument, int repeats, double *seconds)
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

#endif
