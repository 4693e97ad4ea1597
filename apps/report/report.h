/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reports of the subcommands: sizes, shapes, layouts, times, and where the ranks run.
 */
#ifndef APPS_REPORT_REPORT_H
#define APPS_REPORT_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include <maniple.h>

#include "report/json.h"

void print_shape(int ndim, const int64_t *shape);

/* Print the shape, dtype and blocks of an array in the rest of a line; or its shape, dtype and parts as members. */
void print_array(const mnp_array *array);
void json_array(json_writer *j, const mnp_array *array);

/* An object with what names an operand on the command line, and the same of its array. */
void json_operand(json_writer *j, const char *name, const char *text, const mnp_array *array);

/* A number for printf(), which would show the sign of NaN. */
double unsigned_nan(double value);

/* The end of a noun after that many: "" or "s". */
const char *plural(int64_t count);

/* Write "3.4 MiB" to `text`, which is returned. */
enum { BYTES_TEXT = 24 };
const char *bytes_text(int64_t bytes, char text[BYTES_TEXT]);

/* The bytes of an array, and of one of that dtype and shape. */
double array_bytes(const mnp_array *array);
double shape_bytes(mnp_dtype dtype, int ndim, const int64_t *shape);

/*
 * How long the stages of a command take on this rank.  A stage is a number; there are at most MAX_STAGES.  Stage 0 is
 * for kernels that are compiled and loaded: their time goes there, whichever stage needs them.
 */
enum { STAGE_COMPILE, FIRST_STAGE, MAX_STAGES = 8 };
typedef struct stopwatch {
    mnp_ctx *ctx;
    double last, compiled; /* the time, and mnp_ctx_compile_seconds(), at the last lap */
    double seconds[MAX_STAGES];
} stopwatch;

/* Wait for all ranks and start.  Collective. */
stopwatch stopwatch_start(mnp_ctx *ctx);

/* Wait for this rank's device, and add the time since the last lap to `stage`.  Collective. */
void stopwatch_lap(stopwatch *watch, int stage);

/* Print a line: "time      compile 0.0001 s, read 0.1000 s, write 0.2000 s". */
void print_times(int count, const char *const *names, const double *seconds);

/* Allocate and fill the descriptions of all ranks, on every rank.  Collective. */
mnp_status rank_infos(mnp_ctx *ctx, mnp_rank_info **ranks_p, mnp_link_info **links_p);

/* Print "4 ranks on 1 host (node7), 4 x NVIDIA H200, transport nccl" in the rest of a line. */
void print_where(mnp_ctx *ctx, const mnp_rank_info *ranks);

/* The same as a member, "ran_on". */
void json_where(json_writer *j, mnp_ctx *ctx, const mnp_rank_info *ranks);

/* Where a run took place, and the time of each stage on the slowest rank, which is known on rank 0. */
typedef struct run_facts {
    mnp_ctx *ctx;
    mnp_rank_info *ranks;
    double seconds[MAX_STAGES];
} run_facts;

/* Find these facts; release them with run_facts_free().  MNP_ERR_MEMORY.  Collective. */
mnp_status run_facts_find(const stopwatch *watch, run_facts *facts);
void run_facts_free(run_facts *facts);

/*
 * Print the report of a run on rank 0: as text, which begins with a line that says where it took place, or as a JSON
 * object, whose members `json` writes.  Both functions are given `run`.  Collective.
 */
typedef void report_text(const void *run, const run_facts *facts);
typedef void report_json(const void *run, const run_facts *facts, json_writer *out);
void report_print(const stopwatch *watch, bool as_json, const void *run, report_text *text, report_json *json);

/* The facts as members, "ran_on" and "seconds"; `names` are those of the stages. */
void json_facts(json_writer *j, const run_facts *facts, int count, const char *const *names);

#endif
