/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * maniple random: fill a dataset with random numbers, and report what was done.
 *
 * Mistakes that are cheap to find are found first: in the command line, then the file of the output, then the
 * parameters, by drawing an empty array.
 */
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <getopt.h>

#include <maniple.h>

#include "common/command.h"
#include "common/operand.h"
#include "common/options.h"
#include "common/result.h"
#include "report/progress.h"
#include "report/report.h"
#include "common/words.h"

static const option_row options_table[] = {
    {'o', "output", "OUTPUT",
     "write to FILE:/DATASET; replaces a dataset of that name, and keeps\n"
     "everything else in the file; or write FILE.npy, FILE.tif, FILE.fits,\n"
     "or an extension of a FITS file, FILE.fits:NAME"},
    {'s', "seed", "SEED", "an integer from 0 to 2^64 - 1; the same seed gives the same numbers"},
    {'d', "dtype", "DTYPE", "dtype of the result, such as float32 (default: float64 or int64)"},
    APPEND_ROW,
    PROGRESS_ROW,
    JSON_ROW,
    QUIET_ROW,
    HELP_ROW,
    {0},
};

void random_help(void)
{
    puts("Usage: maniple random DISTRIBUTION SHAPE [NAME=VALUE...] -o OUTPUT -s SEED [OPTION...]\n"
         "       mpirun -n RANKS maniple random DISTRIBUTION SHAPE [NAME=VALUE...] -o OUTPUT -s SEED\n"
         "\n"
         "Fill a dataset of SHAPE, such as 1000x200, with random numbers.  They are a function of SEED\n"
         "and the index alone: the same on any number of ranks.\n"
         "\n"
         "DISTRIBUTION and its parameters, with their defaults:\n"
         "  uniform low=0 high=1           from low up to high\n"
         "  integers low=0 high=HIGH       from low to high - 1\n"
         "  bits                           all values of an integer type (default: uint64)\n"
         "  normal mean=0 std=1            mean and standard deviation; also of complex types\n"
         "  lognormal mean=0 sigma=1       exp of normal numbers\n"
         "  exponential scale=1            of mean `scale`\n"
         "  gamma shape=K scale=1\n"
         "  beta a=A b=B\n"
         "  poisson mean=1                 counts\n"
         "  binomial n=N p=P               successes of n trials of probability p\n"
         "  permutation                    0 to SHAPE - 1 in random order\n"
         "\n"
         "Options:");
    options_print(options_table);
    puts("\n"
         "Example:\n"
         "  mpirun -n 4 maniple random normal 4096x4096 std=0.1 -o noise.h5:/x -s 1 -d float32");
}

/* ---- distributions ---- */

enum { MAX_PARAMETERS = 2 };

static const words_row words_table[] = {
    {"the dtype", "--dtype"},
    {"an array of this shape", "an array of SHAPE"},
    {NULL, NULL},
};

typedef struct parameter {
    const char *name;
    bool is_integer, is_needed;
    double real; /* its default */
} parameter;

typedef struct job job;

typedef struct distribution {
    const char *name;
    parameter parameters[MAX_PARAMETERS];
    mnp_status (*draw)(const job *j, mnp_rng *rng, const int64_t *shape, mnp_array **x_p);
} distribution;

struct job {
    mnp_ctx *ctx;
    const distribution *distribution;
    double real[MAX_PARAMETERS];     /* values of the parameters */
    int64_t integer[MAX_PARAMETERS]; /* values of parameters that are integers */
    bool given[MAX_PARAMETERS];
    int ndim;
    int64_t shape[MNP_MAX_DIMS];
    mnp_dtype dtype;
    uint64_t seed;
    const char *seed_text;
    result_request result;
    mnp_array *numbers;
};

/* A function that calls mnp_random_NAME with the arguments before the dtype. */
#define DRAW(name, ...)                                                                                                \
    static mnp_status draw_##name(const job *j, mnp_rng *rng, const int64_t *shape, mnp_array **x_p)                   \
    {                                                                                                                  \
        return mnp_random_##name(__VA_ARGS__, j->dtype, j->ndim, shape, x_p);                                          \
    }
DRAW(uniform, rng, j->real[0], j->real[1])
DRAW(integers, rng, j->integer[0], j->integer[1], false)
DRAW(bits, rng)
DRAW(normal, rng, j->real[0], j->real[1])
DRAW(lognormal, rng, j->real[0], j->real[1])
DRAW(exponential, rng, j->real[0])
DRAW(gamma, rng, j->real[0], j->real[1])
DRAW(beta, rng, j->real[0], j->real[1])
DRAW(poisson, rng, j->real[0])
DRAW(binomial, rng, j->integer[0], j->real[1])

static mnp_status draw_permutation(const job *j, mnp_rng *rng, const int64_t *shape, mnp_array **x_p)
{
    if (j->dtype != MNP_DTYPE_AUTO && j->dtype != MNP_INT64)
        return mnp_fail(MNP_ERR_ARG, "a permutation is of int64, not of %s", mnp_dtype_name(j->dtype));
    if (j->ndim != 1)
        return mnp_fail(MNP_ERR_ARG, "a permutation has one dimension, not %d", j->ndim);
    return mnp_random_permutation(rng, mnp_scalar_int(j->ctx, shape[0]), 0, x_p);
}

static const distribution distributions[] = {
    {"uniform", {{.name = "low"}, {.name = "high", .real = 1}}, draw_uniform},
    {"integers",
     {{.name = "low", .is_integer = true}, {.name = "high", .is_integer = true, .is_needed = true}},
     draw_integers},
    {"bits", {{0}}, draw_bits},
    {"normal", {{.name = "mean"}, {.name = "std", .real = 1}}, draw_normal},
    {"lognormal", {{.name = "mean"}, {.name = "sigma", .real = 1}}, draw_lognormal},
    {"exponential", {{.name = "scale", .real = 1}}, draw_exponential},
    {"gamma", {{.name = "shape", .is_needed = true}, {.name = "scale", .real = 1}}, draw_gamma},
    {"beta", {{.name = "a", .is_needed = true}, {.name = "b", .is_needed = true}}, draw_beta},
    {"poisson", {{.name = "mean", .real = 1}}, draw_poisson},
    {"binomial",
     {{.name = "n", .is_integer = true, .is_needed = true}, {.name = "p", .is_needed = true}},
     draw_binomial},
    {"permutation", {{0}}, draw_permutation},
};

enum { NUM_DISTRIBUTIONS = sizeof distributions / sizeof *distributions };

/* ---- the command line ---- */

static mnp_status find_distribution(const char *word, job *j)
{
    const char *names[NUM_DISTRIBUTIONS + 1] = {NULL};
    for (int i = 0; i < NUM_DISTRIBUTIONS; i++) {
        names[i] = distributions[i].name;
        if (strcmp(word, names[i]) == 0)
            j->distribution = &distributions[i];
    }
    if (j->distribution)
        return MNP_OK;
    const char *nearest = nearest_word(word, names);
    return mnp_fail(MNP_ERR_ARG, "there is no distribution '%s'; %s%s%s", word,
                    nearest ? "did you mean '" : "--help lists them", nearest ? nearest : "", nearest ? "'?" : "");
}

static mnp_status parse_shape(const char *text, job *j)
{
    const char *at = text;
    int64_t size = 1;
    do {
        char *end;
        errno = 0;
        int64_t extent = strtoll(at, &end, 10);
        if (!isdigit((unsigned char)*at) || (*end && *end != 'x'))
            return mnp_fail(MNP_ERR_ARG, "SHAPE '%s' is not a shape such as 1000x200", text);
        if (errno || (size > 0 && extent > MOST_ELEMENTS / size))
            return mnp_fail(MNP_ERR_ARG, "SHAPE '%s' has more elements than a machine can hold", text);
        if (j->ndim == MNP_MAX_DIMS)
            return mnp_fail(MNP_ERR_ARG, "SHAPE '%s' has more than %d dimensions", text, MNP_MAX_DIMS);
        j->shape[j->ndim++] = extent;
        size *= extent;
        at = *end ? end + 1 : NULL;
    } while (at);
    return MNP_OK;
}

/* Find the parameter that a word NAME=VALUE sets. */
static mnp_status find_parameter(const job *j, const char *word, int *number_p)
{
    const parameter *parameters = j->distribution->parameters;
    const size_t length = strcspn(word, "=");
    for (int i = 0; i < MAX_PARAMETERS && parameters[i].name; i++) {
        if (strlen(parameters[i].name) == length && strncmp(word, parameters[i].name, length) == 0 && word[length]) {
            *number_p = i;
            return MNP_OK;
        }
    }
    return mnp_fail(MNP_ERR_ARG, "'%s' sets no parameter of %s, which has %s%s%s", word, j->distribution->name,
                    parameters[0].name ? parameters[0].name : "none",
                    parameters[0].name && parameters[1].name ? " and " : "",
                    parameters[0].name && parameters[1].name ? parameters[1].name : "");
}

static mnp_status parse_parameter(const char *word, job *j)
{
    int i = 0;
    char *end;
    mnp_status status = find_parameter(j, word, &i);
    if (status != MNP_OK)
        return status;
    const parameter *which = &j->distribution->parameters[i];
    const char *value = strchr(word, '=') + 1;
    if (j->given[i])
        return mnp_fail(MNP_ERR_ARG, "parameter %s is given twice", which->name);
    j->given[i] = true;
    errno = 0;
    if (which->is_integer)
        j->integer[i] = strtoll(value, &end, 10);
    else
        j->real[i] = strtod(value, &end);
    if (end == value || *end || (which->is_integer && errno))
        return mnp_fail(MNP_ERR_ARG, "parameter %s is '%s', which is not %s", which->name, value,
                        which->is_integer ? "an integer" : "a number");
    return MNP_OK;
}

static mnp_status parse_seed(job *j)
{
    char *end;
    if (!j->seed_text)
        return mnp_fail(MNP_ERR_ARG, "random needs a seed: -s SEED");
    errno = 0;
    j->seed = strtoull(j->seed_text, &end, 10);
    if (!isdigit((unsigned char)*j->seed_text) || *end || errno)
        return mnp_fail(MNP_ERR_ARG, "the seed is '%s', which is not an integer from 0 to 2^64 - 1", j->seed_text);
    return MNP_OK;
}

static mnp_status parse_operands(int count, char **words, job *j)
{
    mnp_status status;
    if (count < 2)
        return mnp_fail(MNP_ERR_ARG, "random needs DISTRIBUTION and SHAPE, as in: maniple random normal 100x100 -s 1 "
                                     "-o FILE:/DATASET");
    if (!j->result.output.text)
        return mnp_fail(MNP_ERR_ARG, "random needs a place for the numbers: -o FILE:/DATASET or FILE.npy");
    if ((status = find_distribution(words[0], j)) != MNP_OK || (status = parse_shape(words[1], j)) != MNP_OK ||
        (status = parse_seed(j)) != MNP_OK)
        return status;
    const parameter *parameters = j->distribution->parameters;
    for (int i = 0; i < MAX_PARAMETERS; i++)
        j->real[i] = parameters[i].real;
    for (int i = 2; i < count; i++) {
        if ((status = parse_parameter(words[i], j)) != MNP_OK)
            return status;
    }
    for (int i = 0; i < MAX_PARAMETERS; i++) {
        if (parameters[i].is_needed && !j->given[i])
            return mnp_fail(MNP_ERR_ARG, "%s needs its parameter %s: %s=VALUE", j->distribution->name,
                            parameters[i].name, parameters[i].name);
    }
    return MNP_OK;
}

static mnp_status parse(int argc, char **argv, job *j)
{
    mnp_status status = MNP_OK;
    for (int key; status == MNP_OK && (key = options_next(argc, argv, options_table)) != OPTIONS_END;) {
        if (key == 's')
            j->seed_text = optarg;
        else if (key == 'd')
            status = mnp_dtype_parse(optarg, &j->dtype);
        else
            status = result_option(key, &j->result);
    }
    if (status == MNP_OK)
        status = result_check_options(&j->result);
    return status == MNP_OK ? parse_operands(argc - optind, argv + optind, j) : status;
}

/* ---- the work ---- */

typedef enum stage { DRAW_NUMBERS = FIRST_STAGE, WRITE, NUM_STAGES } stage;
static const char *const stage_names[] = {"compile", "draw", "write"};

/* Find mistakes in the parameters, and compile the kernel, by drawing an empty array. */
static void check_parameters(const job *j)
{
    static const int64_t nothing[MNP_MAX_DIMS] = {0};
    mnp_rng *rng = NULL;
    mnp_array *empty = NULL;
    OR_EXIT(mnp_rng_new(j->ctx, j->seed, &rng));
    OR_EXIT(j->distribution->draw(j, rng, nothing, &empty));
    mnp_array_free(empty);
    mnp_rng_free(rng);
}

static void print_text(const void *run, const run_facts *facts)
{
    const job *j = run;
    printf("result    %s: ", j->result.output.text);
    print_array(j->numbers);
    print_times(NUM_STAGES, stage_names, facts->seconds);
    printf("speed     %.3g million numbers/s, while drawing\n",
           (double)mnp_layout_size(mnp_array_layout(j->numbers)) / facts->seconds[DRAW_NUMBERS] / 1e6);
}

static void print_json(const void *run, const run_facts *facts, json_writer *out)
{
    const job *j = run;
    const parameter *parameters = j->distribution->parameters;
    json_text(out, "distribution", j->distribution->name);
    json_row(out, "parameters", '{');
    for (int i = 0; i < MAX_PARAMETERS && parameters[i].name; i++) {
        if (parameters[i].is_integer)
            json_integer(out, parameters[i].name, j->integer[i]);
        else
            json_number(out, parameters[i].name, j->real[i]);
    }
    json_close(out);
    json_natural(out, "seed", j->seed);
    json_text(out, "output", j->result.output.text);
    json_array(out, j->numbers);
    json_facts(out, facts, NUM_STAGES, stage_names);
}

static void run(job *j)
{
    mnp_rng *rng = NULL;
    stopwatch watch = stopwatch_start(j->ctx);
    progress_begin(j->ctx, "random", j->result.quiet);
    progress_stage(0, NULL, "compiling");
    check_parameters(j);
    stopwatch_lap(&watch, STAGE_COMPILE);
    OR_EXIT(mnp_rng_new(j->ctx, j->seed, &rng));
    progress_stage(shape_bytes(MNP_INT8, j->ndim, j->shape), " numbers", "drawing");
    OR_EXIT(j->distribution->draw(j, rng, j->shape, &j->numbers));
    stopwatch_lap(&watch, DRAW_NUMBERS);
    progress_stage(array_bytes(j->numbers), "B", "writing OUTPUT");
    OR_EXIT(operand_write(&j->result.output, j->numbers));
    stopwatch_lap(&watch, WRITE);
    progress_end();
    if (!j->result.quiet)
        report_print(&watch, j->result.json, j, print_text, print_json);
    mnp_array_free(j->numbers);
    mnp_rng_free(rng);
}

int random_main(int argc, char **argv)
{
    job j = {.dtype = MNP_DTYPE_AUTO, .result.picture = PICTURE_REQUEST_DEFAULTS};
    words_set(words_table);
    if (parse(argc, argv, &j) != MNP_OK)
        misused_exit();

    j.ctx = command_begin(NULL);
    OR_EXIT(result_check_places(j.ctx, &j.result, 0, NULL));
    run(&j);
    const int status = close_output(EXIT_SUCCESS);
    mnp_finalize(j.ctx);
    operand_free(&j.result.output);
    return status;
}
