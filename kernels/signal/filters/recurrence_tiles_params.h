/* SPDX-License-Identifier: BSD-3-Clause */
/* What recurrence_tiles.cu is given, shared by the library (C) and the kernel (C++). */
#ifndef MNP_KERNELS_SIGNAL_FILTERS_RECURRENCE_TILES_PARAMS_H
#define MNP_KERNELS_SIGNAL_FILTERS_RECURRENCE_TILES_PARAMS_H

#include "kernels/signal/filters/recurrence_params.h"

/* How lines go on beyond their ends. */
enum { MNP_EXTENSION_ODD, MNP_EXTENSION_EVEN, MNP_EXTENSION_CONSTANT };

/*
 * A line has `length` elements: `width` beyond its beginning, those that are in memory, and `width` beyond its end.
 * Element i is written if its place, first + step * i, is in [0, places) and a multiple of `every`.
 */
typedef struct mnp_recurrence_tiles_params {
    mnp_recurrence_over over;       /* out.base: NULL if only `last` is wanted */
    long long length, width, tiles; /* tiles: of a line, of at least length + 3 elements together */
    long long first, step, places, every;
    int extension, scaled; /* scaled: `start` has one state, which is multiplied by the first element of each line */
    int reach;             /* so many tiles before a tile matter; 0: all */
    int spreads;           /* a launch after one with `spoiled` */
    unsigned long long *spoiled; /* of each line, the first tile whose state was not finite; NULL: not wanted */
    const double *coefficients, *matrices; /* see recurrence_tiles.cu */
    const double *start;                   /* the states in which lines begin; NULL: zeros */
    double *last;                          /* receives the states in which lines end, or NULL */
    void *records;                         /* what tiles tell one another; NULL if every line is one tile */
    unsigned long long *counter;
    unsigned long long before; /* tiles that the counter has counted in earlier launches */
    unsigned long long launch; /* a number above those of earlier launches that used the records */
} mnp_recurrence_tiles_params;

#endif
