/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * maniple bench: the list of benchmarks, and the command line.
 */
#include "bench/command_line.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/command.h"
#include "common/options.h"
#include "report/progress.h"

/* In the order of a run of all. */
static const benchmark *const benchmarks[BENCH_NUM_BENCHMARKS] = {
    &ceilings_benchmark, &comm_benchmark,   &elementwise_benchmark, &views_benchmark,  &reduce_benchmark,
    &scan_benchmark,     &sort_benchmark,   &histogram_benchmark,   &random_benchmark, &redistribute_benchmark,
    &halo_benchmark,     &conv_benchmark,   &fft_benchmark,         &signal_benchmark, &ndimage_benchmark,
    &matmul_benchmark,   &linalg_benchmark, &sparse_benchmark,      &solve_benchmark,  &eigen_benchmark,
};

/* ---- options ---- */

enum {
    KEY_ELEMENTS = UCHAR_MAX + 1,
    KEY_PEERS,
    KEY_PLOT,
    KEY_COMPARE,
    KEY_TOLERANCE,
    KEY_MIN,
    KEY_MAX,
    KEY_STEP,
    KEY_IMAGE,
    KEY_KERNEL,
    KEY_DIMS,
    KEY_OUTER,
    KEY_METHOD,
    KEY_BOUNDARY,
    KEY_RESTORE,
    KEY_DTYPE,
    KEY_MATRIX,
    KEY_FORMAT,
    KEY_MATRIX_FREE,
    KEY_WEAK,
    KEY_ITERATIONS,
    KEY_RESTART,
    KEY_COUNT,
    KEY_TOL,
    KEY_MAXITER,
    KEY_PRECOND,
};

static const option_row options_table[] = {
    {'c', "case", "A,B,...", "only these cases; 'maniple bench' alone lists all"},
    {KEY_ELEMENTS, "elements", "N", "arrays have N elements, of all ranks together\n(default: what the case has)"},
    {'r', "repeats", "N", "times are the median of N repeats\n(default: 50; some benchmarks have less)"},
    {'o', "output", "FILE", "append every time to FILE, as a line of JSON"},
    {KEY_PEERS, "peers", NULL,
     "run other libraries on the same cases afterwards, by\nPython, and print all beside each other"},
    {KEY_PLOT, "plot", "DIR", "draw pictures in DIR, by Python with matplotlib"},
    {KEY_COMPARE, "compare", NULL, "compare two FILEs; status 3 if Maniple became slower"},
    {KEY_TOLERANCE, "tolerance", "SHARE",
     "by which cases may differ in a comparison, beyond the\nspread of repeats (default: 0.05)"},
    {KEY_MIN, "min", "SIZE", "comm: the smallest size, in bytes a rank (default: 8)"},
    {KEY_MAX, "max", "SIZE", "comm: the largest size, such as 64M or 1G\n(default: 4M; on GPUs 256M)"},
    {KEY_STEP, "step", "N", "comm: every size is N times the one before (default: 4)"},
    {'j', "json", NULL, "comm: print JSON"},
    PICTURE_OPTIONS("comm's bus bandwidth over the size"),
    {KEY_IMAGE, "image", "N", "conv: elements of the image each way (default: 4096)"},
    {KEY_KERNEL, "kernel", "N", "conv: of the kernel (default: 31)"},
    {KEY_DIMS, "dims", "D", "conv: their dimensions (default: 2)"},
    {KEY_OUTER, "outer", NULL, "conv: the kernel is an outer product"},
    {KEY_METHOD, "method", "M", "conv: as of 'maniple conv' (default: auto)"},
    {KEY_BOUNDARY, "boundary", "B", "conv: likewise (default: fill)"},
    {KEY_RESTORE, "restore", "N", "conv: time N iterations of Richardson-Lucy instead"},
    {KEY_DTYPE, "dtype", "D", "conv (default: float32), sparse (default: float64)"},
    {KEY_MATRIX, "matrix", "MATRIX",
     "sparse, solve, eigen: a generator, as of 'maniple solve';\nsparse: also several, random:N@DENSITY and "
     "powerlaw:N"},
    {KEY_FORMAT, "format", "F", "solve: csr, csc, coo, dia, bsr or sell (default: csr)"},
    {KEY_MATRIX_FREE, "matrix-free", NULL, "solve: products without the matrix, of poisson"},
    {KEY_WEAK, "weak", NULL, "solve: the matrix's first extent is that of a rank"},
    {KEY_ITERATIONS, "iterations", "N", "solve: of every solve (default: 50)"},
    {KEY_RESTART, "restart", "N", "solve: of gmres"},
    {KEY_COUNT, "count", "K", "eigen: eigenvalues (default: 6)"},
    {KEY_TOL, "tol", "T", "eigen: tolerance (default: the method's own)"},
    {KEY_MAXITER, "maxiter", "N", "eigen: the most iterations"},
    {KEY_PRECOND, "precond", "P", "eigen: preconditioner of lobpcg (default: none)"},
    PROGRESS_ROW,
    {'h', "help", NULL, "show this"},
    {0},
};

/* The benchmarks that take an option; options that are not here belong to all. */
static const struct owner {
    int key;
    const char *benchmarks;
} owners[] = {
    {KEY_ELEMENTS,
     "elementwise views reduce scan sort histogram random redistribute halo fft signal ndimage matmul linalg"},
    {KEY_MIN, "comm"},
    {KEY_MAX, "comm"},
    {KEY_STEP, "comm"},
    {'j', "comm"},
    {KEY_PICTURE, "comm"},
    {KEY_PICTURE_SIZE, "comm"},
    {KEY_IMAGE, "conv"},
    {KEY_KERNEL, "conv"},
    {KEY_DIMS, "conv"},
    {KEY_OUTER, "conv"},
    {KEY_METHOD, "conv"},
    {KEY_BOUNDARY, "conv"},
    {KEY_RESTORE, "conv"},
    {KEY_DTYPE, "conv sparse"},
    {KEY_MATRIX, "sparse solve eigen"},
    {KEY_FORMAT, "solve"},
    {KEY_MATRIX_FREE, "solve"},
    {KEY_WEAK, "solve"},
    {KEY_ITERATIONS, "solve"},
    {KEY_RESTART, "solve"},
    {KEY_COUNT, "eigen"},
    {KEY_TOL, "eigen"},
    {KEY_MAXITER, "eigen"},
    {KEY_PRECOND, "eigen"},
};

static const option_row *option_of(int key)
{
    const option_row *row = options_table;
    while (row->key != key)
        row++;
    return row;
}

void bench_help(void)
{
    puts("Usage: maniple bench BENCHMARK... [OPTION...]\n"
         "       maniple bench all [OPTION...]\n"
         "       maniple bench --compare BEFORE AFTER\n"
         "       maniple bench\n"
         "\n"
         "Measure how fast Maniple is on this machine, on as many ranks as mpirun starts: first the rates of\n"
         "a copy and of the links, then the benchmarks that are named. Results are checked; a wrong one is\n"
         "an error. Sizes are those of docs/performance.md, which suit a GPU: on CPUs give --elements.\n"
         "\n"
         "The benchmarks:");
    for (int i = 0; i < BENCH_NUM_BENCHMARKS; i++)
        printf("  %-14s%s\n", benchmarks[i]->name, benchmarks[i]->help);
    puts("\n"
         "Options:");
    options_print(options_table);
    puts("\n"
         "Examples:\n"
         "  maniple bench scan --elements 16777216 --peers\n"
         "  mpirun -n 4 maniple bench comm --case all-reduce,all-to-all --max 1G --picture bandwidth.png\n"
         "  maniple bench all -o after.jsonl && maniple bench --compare before.jsonl after.jsonl");
}

/* ---- cases ---- */

/* The name of a case, at the beginning of its struct. */
const char *bench_case_name(const benchmark *b, int i)
{
    return *(const char *const *)(const void *)((const char *)b->cases + (size_t)i * b->size);
}

bool bench_has_case(const benchmark *b, const char *name)
{
    for (int i = 0; i < b->count; i++)
        if (strcmp(bench_case_name(b, i), name) == 0)
            return true;
    return b->has_case && b->has_case(name);
}

/* All benchmarks with their cases, which semicolons separate, as names may have commas; at most 100 columns wide. */
void bench_list_cases(void)
{
    enum { WIDTH = 100, INDENT = 14 };
    for (int i = 0; i < BENCH_NUM_BENCHMARKS; i++) {
        const benchmark *b = benchmarks[i];
        int column = printf("%-*s%s", INDENT, b->name, b->count > 0 ? bench_case_name(b, 0) : "before all others");
        for (int k = 1; k < b->count; k++) {
            const char *name = bench_case_name(b, k);
            if (strcmp(name, bench_case_name(b, k - 1)) == 0)
                continue;
            const bool fits = column + 2 + (int)strlen(name) < WIDTH;
            const int printed = fits ? printf("; %s", name) : printf(";\n%*s%s", INDENT, "", name) - 2;
            column = fits ? column + printed : printed;
        }
        putchar('\n');
    }
    puts("\nRun them by name, as in 'maniple bench fft scan', or all by 'maniple bench all'; --help says more.");
}

/* ---- the command line ---- */

const char *const bench_format_names[] = {"csr", "csc", "coo", "dia", "bsr", "sell", NULL};

static mnp_status take_size(const char *option, int64_t least, int64_t *number_p)
{
    static const char letters[] = "KMG"; /* powers of 1024 */
    const int64_t most = (int64_t)1 << 30;
    char *end;
    errno = 0;
    int64_t number = strtoll(optarg, &end, 10);
    const char *letter = *end ? strchr(letters, toupper((unsigned char)*end)) : NULL;
    const int shift = letter ? 10 * (int)(letter - letters + 1) : 0;
    if (!isdigit((unsigned char)*optarg) || errno || *(letter ? end + 1 : end) || number < least ||
        number > most >> shift)
        return mnp_fail(MNP_ERR_ARG,
                        "%s is '%s'; it must be a number from %" PRId64 " to %" PRId64 ", which may end in K, M or G",
                        option, optarg, least, most);
    *number_p = number << shift;
    return MNP_OK;
}

static mnp_status take_choice(const char *option, const char *const *names, int *index_p)
{
    return options_choose(option, optarg, names, index_p);
}

#define NAME(constant, name, help) name,
static mnp_status take_conv(bench_options *o, int key)
{
    static const char *const methods[] = {MNP_CONV_METHODS(NAME) NULL};
    static const char *const boundaries[] = {"fill", "wrap", "symm", "mirror", "nearest", NULL};
    enum { LARGEST = 1 << 30, MOST_DIMS = 4 };
    int index = 0;
    mnp_status st;
    switch (key) {
    case KEY_IMAGE:
        return options_count("image", optarg, 1, LARGEST, &o->image);
    case KEY_KERNEL:
        return options_count("kernel", optarg, 1, LARGEST, &o->kernel);
    case KEY_DIMS:
        return options_int("dims", optarg, 1, MOST_DIMS, &o->dims);
    case KEY_OUTER:
        o->outer = true;
        return MNP_OK;
    case KEY_RESTORE:
        return options_int("restore", optarg, 1, INT_MAX, &o->restore);
    case KEY_METHOD:
        st = take_choice("method", methods, &index);
        o->method = (mnp_conv_method)index;
        return st;
    case KEY_BOUNDARY:
        st = take_choice("boundary", boundaries, &index);
        o->boundary = (mnp_boundary)index;
        return st;
    default:
        return options_dtype("dtype", optarg, &o->dtype);
    }
}

static mnp_status take_matrices(bench_options *o, int key)
{
    static const char *const preconds[] = {MNP_PRECONDS(NAME) NULL};
    enum { MOST_EIGENVALUES = 256 };
    int index = 0;
    mnp_status st;
    switch (key) {
    case KEY_MATRIX:
        o->matrix = optarg;
        return MNP_OK;
    case KEY_FORMAT:
        st = take_choice("format", bench_format_names, &index);
        o->format = (mnp_sparse_format)index;
        return st;
    case KEY_MATRIX_FREE:
        o->matrix_free = true;
        return MNP_OK;
    case KEY_WEAK:
        o->weak = true;
        return MNP_OK;
    case KEY_ITERATIONS:
        return options_int("iterations", optarg, 1, INT_MAX, &o->iterations);
    case KEY_RESTART:
        return options_int("restart", optarg, 1, INT_MAX, &o->restart);
    case KEY_COUNT:
        return options_int("count", optarg, 1, MOST_EIGENVALUES, &o->count);
    case KEY_MAXITER:
        return options_int("maxiter", optarg, 1, INT_MAX, &o->maxiter);
    case KEY_TOL:
        return options_number("tol", optarg, 0, INFINITY, &o->tol);
    default:
        st = take_choice("precond", preconds, &index);
        o->precond = (mnp_precond_kind)index;
        return st;
    }
}
#undef NAME

static mnp_status take_comm(bench_options *o, int key)
{
    switch (key) {
    case KEY_MIN:
        return take_size("--min", 1, &o->min);
    case KEY_MAX:
        return take_size("--max", 1, &o->max);
    case KEY_STEP:
        return take_size("--step", 2, &o->step);
    default:
        o->json = true;
        return MNP_OK;
    }
}

static mnp_status take(bench_request *r, int key)
{
    enum { MOST_REPEATS = 100000 };
    switch (key) {
    case 'c':
        r->cases = optarg;
        return MNP_OK;
    case KEY_ELEMENTS:
        return options_count("elements", optarg, 1, OPTIONS_ANY_COUNT, &r->options.elements);
    case 'r':
        return options_int("repeats", optarg, 1, MOST_REPEATS, &r->options.repeats);
    case 'o':
        r->output = optarg;
        return MNP_OK;
    case KEY_PEERS:
        r->peers = true;
        return MNP_OK;
    case KEY_PLOT:
        r->plot = optarg;
        return MNP_OK;
    case KEY_COMPARE:
        r->compares = true;
        return MNP_OK;
    case KEY_TOLERANCE:
        return options_number("tolerance", optarg, 0, INFINITY, &r->tolerance);
    case KEY_MIN:
    case KEY_MAX:
    case KEY_STEP:
    case 'j':
        return take_comm(&r->options, key);
    case KEY_PICTURE:
    case KEY_PICTURE_SIZE:
        return picture_option(key, optarg, &r->options.picture);
    case OPTIONS_BAD:
        return MNP_ERR_ARG; /* options_next() has recorded why */
    default:
        return key >= KEY_MATRIX ? take_matrices(&r->options, key) : take_conv(&r->options, key);
    }
}

static bool is_chosen(const bench_request *r, const benchmark *b)
{
    for (int i = 0; i < r->count; i++)
        if (r->chosen[i] == b)
            return true;
    return false;
}

static mnp_status choose_benchmark(bench_request *r, const char *name)
{
    const char *names[BENCH_NUM_BENCHMARKS + 2] = {"all"};
    for (int i = 0; i < BENCH_NUM_BENCHMARKS; i++) {
        const benchmark *b = benchmarks[i];
        names[i + 1] = b->name;
        if (strcmp(name, b->name) != 0)
            continue;
        if (is_chosen(r, b))
            return mnp_fail(MNP_ERR_ARG, "benchmark %s is named twice", name);
        r->chosen[r->count++] = b;
        return MNP_OK;
    }
    const char *nearest = nearest_word(name, names);
    if (nearest)
        return mnp_fail(MNP_ERR_ARG, "there is no benchmark '%s'; did you mean '%s'?", name, nearest);
    return mnp_fail(MNP_ERR_ARG, "there is no benchmark '%s'; 'maniple bench' lists them", name);
}

static mnp_status choose_benchmarks(bench_request *r, int count, char **names)
{
    mnp_status st = MNP_OK;
    r->is_all = count == 1 && strcmp(names[0], "all") == 0;
    for (int i = 0; i < BENCH_NUM_BENCHMARKS && r->is_all; i++)
        r->chosen[r->count++] = benchmarks[i];
    for (int i = 0; i < count && !r->is_all && st == MNP_OK; i++)
        st = choose_benchmark(r, names[i]);
    return st;
}

/*
 * How long the longest name of a case is with which the text begins, up to a comma or its end; 0: it begins with none.
 */
static size_t length_of_case(const bench_request *r, const char *text)
{
    size_t most = 0;
    for (int i = 0; i < r->count; i++) {
        for (int k = 0; k < r->chosen[i]->count; k++) {
            const char *name = bench_case_name(r->chosen[i], k);
            const size_t length = strlen(name);
            if (length > most && strncmp(text, name, length) == 0 && (text[length] == ',' || !text[length]))
                most = length;
        }
    }
    return most;
}

static mnp_status fail_unknown_case(const bench_request *r, const char *name)
{
    const char *names[BENCH_NUM_BENCHMARKS * BENCH_MOST_CASES + 1] = {NULL};
    int count = 0;
    for (int i = 0; i < r->count; i++)
        for (int k = 0; k < r->chosen[i]->count; k++)
            names[count++] = bench_case_name(r->chosen[i], k);
    const char *nearest = nearest_word(name, names);
    if (nearest)
        return mnp_fail(MNP_ERR_ARG, "there is no case '%s'; did you mean '%s'?", name, nearest);
    return mnp_fail(MNP_ERR_ARG, "there is no case '%s'; 'maniple bench' lists the cases", name);
}

/* Divide --case into its names, some of which have commas themselves. */
static mnp_status choose_cases(bench_request *r)
{
    for (char *text = r->cases; text;) {
        const size_t known = length_of_case(r, text);
        char *end = text + (known > 0 ? known : strcspn(text, ","));
        char *next = *end ? end + 1 : NULL;
        *end = '\0';
        bool found = false;
        for (int i = 0; i < r->count; i++)
            found = found || bench_has_case(r->chosen[i], text);
        if (!found)
            return fail_unknown_case(r, text);
        for (int i = 0; i < r->num_cases; i++)
            if (strcmp(r->case_names[i], text) == 0)
                return mnp_fail(MNP_ERR_ARG, "case '%s' is named twice", text);
        if (r->num_cases == BENCH_MOST_CASES)
            return mnp_fail(MNP_ERR_ARG, "--case has more than %d names", BENCH_MOST_CASES);
        r->case_names[r->num_cases++] = text;
        text = next;
    }
    return MNP_OK;
}

/* Whether one of the names, which spaces separate, is chosen. */
static bool is_any_chosen(const bench_request *r, const char *names)
{
    while (*names) {
        const size_t length = strcspn(names, " ");
        for (int i = 0; i < r->count; i++)
            if (strlen(r->chosen[i]->name) == length && strncmp(r->chosen[i]->name, names, length) == 0)
                return true;
        names += length + (names[length] == ' ');
    }
    return false;
}

/* Refuse options that none of the chosen benchmarks has. */
static mnp_status check_owners(const bench_request *r)
{
    for (int i = 0; i < r->num_given; i++)
        for (size_t k = 0; k < sizeof owners / sizeof *owners; k++)
            if (owners[k].key == r->given[i].key && !is_any_chosen(r, owners[k].benchmarks))
                return mnp_fail(MNP_ERR_ARG, "--%s is an option of %s, and has no effect here", r->given[i].name,
                                owners[k].benchmarks);
    return MNP_OK;
}

static mnp_status check(const bench_request *r)
{
    const bench_options *o = &r->options;
    if (r->tolerance > 0)
        return mnp_fail(MNP_ERR_ARG, "--tolerance goes with --compare");
    if (r->count == 0 && r->num_given > 0)
        return mnp_fail(MNP_ERR_ARG, "options need a benchmark, such as fft, or all; 'maniple bench' lists them");
    mnp_status st = check_owners(r);
    if (st != MNP_OK)
        return st;
    if (o->json && (r->count > 1 || r->peers || r->plot))
        return mnp_fail(MNP_ERR_ARG,
                        "--json is for comm alone, without peers and plots; --output appends JSON to a file");
    if (o->max > 0 && o->min > o->max)
        return mnp_fail(MNP_ERR_ARG, "--min is %" PRId64 " bytes, more than --max, %" PRId64, o->min, o->max);
    return picture_check_options(&o->picture);
}

mnp_status bench_parse(int argc, char **argv, bench_request *r)
{
    mnp_status st = MNP_OK;
    for (int key; st == MNP_OK && (key = options_next(argc, argv, options_table)) != OPTIONS_END;) {
        st = take(r, key);
        if (st == MNP_OK) {
            r->given[r->num_given].key = key;
            r->given[r->num_given].name = option_of(key)->name;
            r->given[r->num_given++].text = optarg;
        }
    }
    if (st != MNP_OK)
        return st;
    if (r->compares) {
        const int others = r->num_given - 1 - (r->tolerance > 0);
        if (others > 0)
            return mnp_fail(MNP_ERR_ARG, "--compare measures nothing, and takes no option but --tolerance");
        return argc - optind == 2 ? MNP_OK : mnp_fail(MNP_ERR_ARG, "--compare takes two files, BEFORE and AFTER");
    }
    st = choose_benchmarks(r, argc - optind, argv + optind);
    if (st == MNP_OK)
        st = check(r);
    return st == MNP_OK ? choose_cases(r) : st;
}
