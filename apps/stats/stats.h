/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * maniple stats: what is asked for, what has been found, and the parts of the work.
 */
#ifndef APPS_STATS_STATS_H
#define APPS_STATS_STATS_H

#include <stdbool.h>
#include <stdint.h>

#include <maniple.h>

#include "common/operand.h"
#include "common/pieces.h"
#include "common/result.h"
#include "report/json.h"
#include "report/report.h"
#include "stats/moments.h"

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

enum { MAX_PERCENTS = 1000, MOST_CHANNELS = 4 /* colours of an image */ };

typedef struct job {
    mnp_ctx *ctx;
    operand input;
    result_request result; /* without an output */
    bool has_axis, has_percents, has_bins, has_range;
    int axis;
    double percents[MAX_PERCENTS];
    picture_made made;
    int channels;                           /* of an image in colour that is drawn; otherwise 0 */
    int64_t *channel_counts[MOST_CHANNELS]; /* the histogram of each */
    int64_t memory;                         /* 0: not given */
    statistics found;
    pieces plan;
    mnp_reduction *kernel;
} job;

typedef enum stage { READ = FIRST_STAGE, COMPUTE, NUM_STAGES } stage;

/* ---- stats_passes.c ---- */

/* Read the dataset piece by piece, as planned, and compute what is asked for.  Collective. */
void stats_compute(job *j, stopwatch *watch);

/* ---- stats_report.c ---- */

/* Draw the histogram, if a picture is asked for.  Returns the exit status.  Collective. */
int stats_draw(job *j);

/* Print the report.  Collective. */
void stats_report(const job *j, const stopwatch *watch);

/* ---- stats_print.c ---- */

void stats_print(const statistics *s);
void stats_print_json(const statistics *s, json_writer *j);

#endif
