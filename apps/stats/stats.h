/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The results of maniple stats, and printing them.
 */
#ifndef APPS_STATS_STATS_H
#define APPS_STATS_STATS_H

#include <stdbool.h>
#include <stdint.h>

#include <maniple.h>

#include "stats/moments.h"
#include "report/json.h"
#include "common/operand.h"

/*
 * The results, on rank 0.  A row is for all elements, or for a line along the axis, in C order of the other dimensions.
 */
typedef struct statistics {
    const operand *input;
    int axis; /* negative: all */
    int64_t nrows;
    moments *rows;
    int npercents;
    const double *percents;
    double *values; /* percentile k of row r is values[k * nrows + r] */
    int bins;       /* 0: no histogram */
    double low, high;
    bool whole; /* the edges of bins are whole numbers: they were chosen for integers */
    int64_t *counts;
} statistics;

void stats_print(const statistics *s);
void stats_print_json(const statistics *s, json_writer *j);

#endif
