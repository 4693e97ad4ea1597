/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The command line of maniple bench: which benchmarks and cases are to run, and with which options.
 */
#ifndef APPS_BENCH_COMMAND_LINE_H
#define APPS_BENCH_COMMAND_LINE_H

#include <stdbool.h>

#include "bench/benchmark.h"

enum { BENCH_NUM_BENCHMARKS = 20, BENCH_MOST_CASES = 64, BENCH_MOST_OPTIONS = 40 };

typedef struct bench_request {
    bench_options options;
    const benchmark *chosen[BENCH_NUM_BENCHMARKS];
    int count;
    bool is_all;
    const char *case_names[BENCH_MOST_CASES];
    int num_cases;
    char *cases; /* as they were typed; NULL: all */
    const char *output, *plot;
    bool peers, compares;
    double tolerance; /* 0: not given */
    struct {
        const char *name, *text; /* of the option, without dashes, and its argument or NULL */
        int key;
    } given[BENCH_MOST_OPTIONS];
    int num_given;
} bench_request;

/*
 * Read the command line.  MNP_ERR_ARG with a sentence after a mistake.  `r` has its defaults; without benchmarks the
 * list of them is asked for, or a comparison of the two operands from getopt's `optind` on.  Not collective.
 */
mnp_status bench_parse(int argc, char **argv, bench_request *r);

/* Print all benchmarks with their cases. */
void bench_list_cases(void);

/* The name of a case by its number, and whether a benchmark has a case of that name. */
const char *bench_case_name(const benchmark *b, int i);
bool bench_has_case(const benchmark *b, const char *name);

#endif
