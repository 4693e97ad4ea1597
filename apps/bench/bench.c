/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * maniple bench: where it runs, the ceilings, the benchmarks that are named, then peers and pictures, which are
 * scripts.
 */
#include "bench/benchmark.h"
#include "bench/command_line.h"
#include "bench/measure.h"
#include "common/command.h"
#include "report/report.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the run ---- */

/* The names of a benchmark's cases that are to run; how many. */
static int choose_names(const bench_request *r, const benchmark *b, const char *names[BENCH_MOST_CASES])
{
    int count = 0;
    for (int i = 0; i < r->num_cases; i++)
        if (bench_has_case(b, r->case_names[i]))
            names[count++] = r->case_names[i];
    for (int i = 0; i < b->count && !r->options.chooses; i++)
        if (i == 0 || strcmp(bench_case_name(b, i), bench_case_name(b, i - 1)) != 0)
            names[count++] = bench_case_name(b, i);
    return count;
}

/* Whether all that is asked for can run. */
static mnp_status check(const bench_request *r, int ranks)
{
    mnp_status st = MNP_OK;
    for (int i = 0; i < r->count && st == MNP_OK; i++) {
        const benchmark *b = r->chosen[i];
        const char *names[BENCH_MOST_CASES];
        const int count = choose_names(r, b, names);
        if (b->check && count > 0)
            st = b->check(ranks, count, names, &r->options);
    }
    return st;
}

static int run_benchmark(mnp_ctx *ctx, const bench_request *r, const benchmark *b)
{
    const char *names[BENCH_MOST_CASES];
    const int count = choose_names(r, b, names);
    bench_options o = r->options;
    o.repeats = o.repeats > 0 ? o.repeats : b->repeats;
    if (count == 0)
        return EXIT_SUCCESS;
    if (mnp_ctx_rank(ctx) == 0 && !o.json)
        printf("\n%s, median of %d\n", b->name, o.repeats);
    if (b->run)
        return b->run(ctx, count, names, &o);
    for (int k = 0; k < count; k++)
        for (int i = 0; i < b->count; i++)
            if (strcmp(bench_case_name(b, i), names[k]) == 0)
                b->time_case(ctx, (const char *)b->cases + (size_t)i * b->size, &o);
    return EXIT_SUCCESS;
}

/* comm has no floors, which would follow from the ceilings. */
static bool is_comm_alone(const bench_request *r)
{
    return r->count == 1 && r->chosen[0] == &comm_benchmark;
}

static void begin_report(mnp_ctx *ctx)
{
    mnp_rank_info *ranks = NULL;
    OR_EXIT(rank_infos(ctx, &ranks, NULL));
    if (mnp_ctx_rank(ctx) == 0) {
        printf("ran on    ");
        print_where(ctx, ranks);
    }
    free(ranks);
}

static int run_all(mnp_ctx *ctx, bench_request *r)
{
    int status = EXIT_SUCCESS;
    setvbuf(stdout, NULL, _IOLBF, 0); /* a run that is ended by a limit of time leaves the cases that it has done */
    if (!r->options.json)
        begin_report(ctx);
    if (!is_comm_alone(r)) {
        r->options.copy_rate = ceilings_measure(ctx);
        record_copy_rate(r->options.copy_rate);
    }
    for (int i = 0; i < r->count; i++) {
        if (r->is_all && r->chosen[i] == &comm_benchmark && mnp_ctx_size(ctx) == 1)
            continue;
        const int one = run_benchmark(ctx, r, r->chosen[i]);
        status = one > status ? one : status;
    }
    return status;
}

/* ---- what comes after it, on rank 0 and without MPI ---- */

/* Options that the scripts of peers have too. */
static bool is_for_peers(const char *name)
{
    static const char *const names[] = {"elements", "repeats", "image", "kernel",     "dims",  "outer",
                                        "restore",  "matrix",  "dtype", "iterations", "count", "tol"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

/* Append words to arguments, which have room for them, in a text that has room too. */
static void add_argument(const char **arguments, int *count, char **text, const char *format, const char *a,
                         const char *b)
{
    arguments[(*count)++] = *text;
    *text += sprintf(*text, format, a, b) + 1;
}

/* The script has every option of a benchmark that has a word or number, and BENCHMARK=CASE for cases that are named. */
static int run_peers(const bench_request *r, bool on_host)
{
    const char *arguments[BENCH_NUM_BENCHMARKS * (BENCH_MOST_CASES + 1) + BENCH_MOST_OPTIONS + 2] = {NULL};
    size_t room = 0;
    int n = 0;
    for (int i = 0; i < r->num_given; i++)
        room += 64 + (r->given[i].text ? strlen(r->given[i].text) : 0);
    for (int i = 0; i < r->num_cases; i++)
        room += (size_t)r->count * (64 + strlen(r->case_names[i]));
    char *texts = malloc(room + 64 * BENCH_NUM_BENCHMARKS), *text = texts;
    if (!texts) {
        fprintf(stderr, "maniple: no memory for the arguments of the peers\n");
        return EXIT_FAILED;
    }
    if (on_host)
        arguments[n++] = "--host";
    for (int i = 0; i < r->num_given; i++) {
        if (is_for_peers(r->given[i].name))
            add_argument(arguments, &n, &text, r->given[i].text ? "--%s=%s" : "--%s", r->given[i].name,
                         r->given[i].text);
    }
    arguments[n++] = "--";
    for (int i = 0; i < r->count; i++) {
        if (!r->cases)
            arguments[n++] = r->chosen[i]->name;
        for (int k = 0; k < r->num_cases; k++)
            if (bench_has_case(r->chosen[i], r->case_names[k]))
                add_argument(arguments, &n, &text, "%s=%s", r->chosen[i]->name, r->case_names[k]);
    }
    const int status = bench_run_script("peers/run.py", arguments);
    free(texts);
    return status;
}

static int run_scripts(const bench_request *r, const char *file, bool on_host)
{
    int status = r->peers ? run_peers(r, on_host) : EXIT_SUCCESS;
    const char *arguments[] = {file, r->plot ? "--pictures" : NULL, r->plot, NULL};
    const int drawn = bench_run_script("plot", arguments);
    return drawn > status ? drawn : status;
}

/*
 * The file of lines, which is in the environment, so that scripts find it as well: that of --output, or where scripts
 * need one a temporary file, which is removed at the end.  MNP_ERR_IO.
 */
static mnp_status open_lines(const bench_request *r, char *temporary, size_t size)
{
    const char *path = r->output;
    temporary[0] = '\0';
    if (r->peers || r->plot)
        MNP_TRY(bench_find_scripts());
    if (!path && (r->peers || r->plot)) {
        const char *folder = getenv("TMPDIR");
        snprintf(temporary, size, "%s/maniple-bench-XXXXXX", folder && *folder ? folder : "/tmp");
        const int descriptor = mkstemp(temporary);
        if (descriptor < 0)
            return mnp_fail(MNP_ERR_IO, "a temporary file in %s: %s", folder && *folder ? folder : "/tmp",
                            strerror(errno));
        mnp_temporary_guard(temporary);
        close(descriptor);
        path = temporary;
    }
    unsetenv("BENCH_JSON"); /* --output alone says where lines go */
    if (!path)
        return MNP_OK;
    if (r->plot && access(r->plot, W_OK | X_OK) != 0)
        return mnp_fail(MNP_ERR_IO, "--plot: the folder %s: %s", r->plot, strerror(errno));
    FILE *file = fopen(path, "a+");
    const int first = file ? getc(file) : EOF; /* reading begins at the beginning */
    if (!file || ferror(file) || fclose(file) != 0)
        return mnp_fail(MNP_ERR_IO, "%s: %s", path, strerror(errno));
    if (first != EOF && first != '{')
        return mnp_fail(MNP_ERR_ARG, "--output: %s is there already and holds no lines of JSON", path);
    setenv("BENCH_JSON", path, 1);
    return MNP_OK;
}

static int measure_benchmarks(bench_request *r)
{
    char temporary[PATH_MAX];
    mnp_ctx *ctx = command_begin(NULL);
    r->options.chooses = r->cases != NULL;
    const bool root = mnp_ctx_rank(ctx) == 0, on_host = is_on_host(ctx);
    OR_EXIT(mnp_agree(ctx, root ? check(r, mnp_ctx_size(ctx)) : MNP_OK));
    OR_EXIT(mnp_agree(ctx, root ? open_lines(r, temporary, sizeof temporary) : MNP_OK));
    int status = run_all(ctx, r);
    mnp_finalize(ctx);
    if (root && (r->peers || r->plot)) {
        fflush(stdout);
        putchar('\n');
        const int after = run_scripts(r, getenv("BENCH_JSON"), on_host);
        status = after > status ? after : status;
        if (*temporary) {
            unlink(temporary);
            mnp_temporary_release(temporary);
        }
    }
    return close_output(status);
}

int bench_main(int argc, char **argv)
{
    bench_request r = {.options = {.min = 8,
                                   .step = 4,
                                   .picture = PICTURE_REQUEST_DEFAULTS,
                                   .image = 4096,
                                   .kernel = 31,
                                   .dims = 2,
                                   .format = MNP_CSR,
                                   .iterations = 50,
                                   .count = 6,
                                   .precond = MNP_PRECOND_NONE}};
    if (bench_parse(argc, argv, &r) != MNP_OK)
        misused_exit();
    if (r.count > 0)
        return measure_benchmarks(&r);
    int status = EXIT_SUCCESS;
    if (first_process() && r.compares)
        status = bench_compare(argv[optind], argv[optind + 1], r.tolerance > 0 ? r.tolerance : 0.05);
    else if (first_process())
        bench_list_cases();
    return close_output(status);
}
