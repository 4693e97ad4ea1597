/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the subcommands tell: sizes, shapes, layouts, and where the ranks run.
 */
#ifndef APPS_COMMON_REPORT_H
#define APPS_COMMON_REPORT_H

#include <stdint.h>

#include <maniple.h>

void print_shape(int ndim, const int64_t *shape);

/* Shape, dtype and blocks of an array, in the rest of a line. */
void print_array(const mnp_array *array);

/* A string of JSON, in quotes. */
void print_json_string(const char *text);

/* "3.4 MiB", in `text`, which is returned. */
enum { BYTES_TEXT = 24 };
const char *bytes_text(int64_t bytes, char text[BYTES_TEXT]);

/* How long the stages of a command take on this rank.  A stage is a number; there are at most MAX_STAGES. */
enum { MAX_STAGES = 8 };
typedef struct stopwatch {
    mnp_ctx *ctx;
    double last;
    double seconds[MAX_STAGES];
} stopwatch;

/* Start when all ranks are there.  Collective. */
stopwatch stopwatch_start(mnp_ctx *ctx);

/* What was done since the last lap, and has come to its end on this rank's device, counts as `stage`.  Collective. */
void stopwatch_lap(stopwatch *watch, int stage);

/* The slowest rank's times, on rank 0.  Collective. */
void stopwatch_slowest(const stopwatch *watch, double slowest[MAX_STAGES]);

/* "time      read 0.1000 s, write 0.2000 s": a line. */
void print_times(int count, const char *const *names, const double *seconds);

/* The ranks' descriptions, allocated, on every rank.  Collective. */
mnp_status rank_infos(mnp_ctx *ctx, mnp_rank_info **ranks_p, mnp_link_info **links_p);

/* "4 ranks on 1 host (node7), 4 x NVIDIA H200, transport nccl", in the rest of a line. */
void print_where(mnp_ctx *ctx, const mnp_rank_info *ranks);

#endif
