/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of maniple linalg: one table, from which help and checks of the command line come too. */
#ifndef LINALG_FUNCTIONS_H
#define LINALG_FUNCTIONS_H

#include <stdbool.h>

#include <maniple.h>

#include "common/operand.h"
#include "common/result.h"
#include "picture/plot.h"
#include "plan/plan.h"

typedef struct linalg_job linalg_job;

/* A function: how many inputs it has, and what it computes and writes. */
typedef struct function {
    const char *name, *summary;
    int inputs;
    unsigned takes; /* which options */
    mnp_status (*run)(linalg_job *j);
    mnp_status (*one)(const mnp_array *a, mnp_array **out_p); /* what run_one() calls */
} function;

enum { SPECTRUM = 1, VECTORS = 2, LEFT = 4, RIGHT = 8, ORD = 16, ASSUME = 32, RCOND = 64, LARGEST = 128 };

/* The largest singular values alone, by random vectors. */
enum { LARGEST_OVERSAMPLING = 10, LARGEST_ITERATIONS = 2 };
typedef struct linalg_largest {
    int64_t count;            /* 0: all of them */
    int64_t iterations, seed; /* -1: not given */
} linalg_largest;

static inline int64_t linalg_iterations(const linalg_largest *largest)
{
    return largest->iterations < 0 ? LARGEST_ITERATIONS : largest->iterations;
}

enum { MOST_MEASURES = 3, RESULTS = 3, MOST_FUNCTIONS = 32 };

struct linalg_job {
    mnp_ctx *ctx;
    const function *function;
    operand inputs[2], outputs[RESULTS]; /* the result itself is request.output: the first of `outputs` is not used */
    result_request request;
    plan_request plan;
    const char *ord;
    bool left; /* outputs[1] is that of --left, and not of --vectors */
    int assume;
    double rcond;
    linalg_largest largest;
    mnp_array *a, *b;
    mnp_array *results[RESULTS]; /* of -o, --vectors or --left, and --right */
    mnp_array *spectrum;         /* one of them, or of its own */
    struct {
        const char *name;
        double value;
    } measures[MOST_MEASURES]; /* what the report says of the results */
    int count;
    picture_made made;
};

/* The functions, which linalg_functions.c has. */
extern const function linalg_functions[];
extern const int linalg_count; /* at most MOST_FUNCTIONS */

#endif
