/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What benchmarks share: how they measure a time, between two events of the device, of the slowest rank, after a
 * warm-up; and how they record it (record.h).
 */
#ifndef APPS_BENCH_MEASURE_H
#define APPS_BENCH_MEASURE_H

#include <stdlib.h>

#include <maniple.h>

#include "bench/record.h"
#include "common/command.h"

enum { WARM_UP = 3 };

/* The number that a text makes of two arrays, x and y.  Collective. */
double evaluate(mnp_ctx *ctx, const char *text, const mnp_array *x, const mnp_array *y);

/* For qsort(). */
int compare_seconds(const void *a, const void *b);

/* Room for the times of that many repeats, on all ranks; ends the program if there is none.  Collective. */
double *seconds_new(mnp_ctx *ctx, int repeats);

/* Seconds of every repeat of run(argument), of the slowest rank, in rising order.  Collective. */
void measure(mnp_ctx *ctx, mnp_status (*run)(void *argument), void *argument, int repeats, double *seconds);

/*
 * The same where a repeat is as many calls in a row as take 10 milliseconds, at most 500, so that what a launch waits
 * for does not count: seconds of one call.  Collective.
 */
void measure_together(mnp_ctx *ctx, mnp_status (*run)(void *argument), void *argument, int repeats, double *seconds);

/*
 * Record a time if lines are wanted: of this library, unless the record names another one.  Ranks and the device are
 * those of the context, and the floor follows from the bytes, unless it is given, where record_copy_rate() has said how
 * many bytes a second a copy moves.  Collective.
 */
void record(mnp_ctx *ctx, struct record r);
void record_copy_rate(double rate);

/* A record of times in rising order, of a case that works on so many elements of a type. */
struct record record_of(const char *benchmark, const char *name, int64_t elements, const char *dtype,
                        const double *seconds, int repeats, double bytes);

/* Whether the word, of that length, is one of the names, which end with NULL; which one. */
bool find_name(const char *const *names, const char *word, size_t length, int *index_p);

/* Whether the device is the host. */
bool is_on_host(const mnp_ctx *ctx);

#endif
