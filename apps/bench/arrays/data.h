/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What arrays of benchmarks hold: numbers in 0 .. 1, a function of the index that repeats itself, so that any element
 * of a result can be checked.
 */
#ifndef APPS_BENCH_ARRAYS_DATA_H
#define APPS_BENCH_ARRAYS_DATA_H

#include <maniple.h>

enum { PERIOD = 1 << 22 };

/* The number at index i of sequence `which`, 0 or 1. */
double uniform(int64_t i, unsigned which);

/*
 * Fill an array of one or two dimensions, of float32 or float64, from a sequence; the parts of complex128 are from both
 * sequences.  Ends the program if there is no memory.  Collective.
 */
void fill_uniform(mnp_array *array, unsigned which);

#endif
