/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * maniple linalg: read one or two matrices, solve, decompose or multiply, write the results, draw the spectrum, and
 * report residuals and how long it took.  The functions are in linalg_functions.c.
 */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <getopt.h>

#include <maniple.h>

#include "common/command.h"
#include "common/files.h"
#include "common/operand.h"
#include "common/options.h"
#include "common/paths.h"
#include "common/result.h"
#include "common/words.h"
#include "linalg/linalg_functions.h"
#include "linalg/linalg_plan.h"
#include "picture/plot.h"
#include "report/progress.h"
#include "report/report.h"

enum { KEY_VECTORS = 1200, KEY_LEFT, KEY_RIGHT, KEY_ORD, KEY_ASSUME, KEY_RCOND, KEY_LARGEST, KEY_ITERATIONS, KEY_SEED };

static const option_row options_table[] = {
    OUTPUT_ROW("an input"),
    {KEY_VECTORS, "vectors", "OUTPUT", "write eigenvectors, or left singular vectors, as columns"},
    {KEY_LEFT, "left", "OUTPUT", "write the left factor: Q of qr, P L of lu, U of polar, Z of schur"},
    {KEY_RIGHT, "right", "OUTPUT", "svd: write the conjugated right singular vectors, as rows"},
    {KEY_ASSUME, "assume", "KIND", "solve: A is general, positive (definite), upper or lower\n(default: general)"},
    {KEY_RCOND, "rcond", "BOUND",
     "lstsq, pinv, rank: singular values up to BOUND times the largest\nare 0 (default: the larger extent times eps)"},
    {KEY_ORD, "ord", "ORDER", "norm, cond: fro, nuc, 1, -1, 2, -2, inf or -inf\n(default: fro, and 2 of cond)"},
    {KEY_LARGEST, "largest", "K", "svd: the K largest values alone, by products with random vectors"},
    {KEY_ITERATIONS, "iterations", "N", "--largest: that many products more for better values (default: 2)"},
    {KEY_SEED, "seed", "SEED", "--largest: an integer from 0 on, of the random vectors (default: 0)"},
    PLAN_ROWS,
    PICTURE_OPTIONS("the singular values or eigenvalues"),
    PROGRESS_ROW,
    JSON_ROW,
    QUIET_ROW,
    HELP_ROW,
    {0},
};

/* ---- help ---- */

void linalg_help(void)
{
    puts("Usage: maniple linalg FUNCTION A [B] [-o OUTPUT] [OPTION...]\n"
         "       mpirun -n RANKS maniple linalg FUNCTION A [B] [-o OUTPUT] [OPTION...]\n"
         "\n"
         "Solve systems with dense matrices, decompose or multiply them, as numpy.linalg does.\n"
         "\n"
         "A and B are datasets of HDF5 files, written FILE:/DATASET, or FILE.npy, or parts of them, such as\n"
         "'FILE:/DATASET[:, 0]'.\n"
         "\n"
         "Functions:");
    for (int f = 0; f < linalg_count; f++)
        printf("  %-10s%-5s%s\n", linalg_functions[f].name, linalg_functions[f].inputs == 2 ? "A B" : "A",
               linalg_functions[f].summary);
    puts("\nOptions:");
    options_print(options_table);
    puts("\n"
         "Example:\n"
         "  mpirun -n 4 maniple linalg solve model.h5:/a model.h5:/b -o model.h5:/x");
}

static const words_row words_table[] = {{"the input", "A"}, {NULL, NULL}};

/* ---- the command line ---- */

static mnp_status parse_option(int key, linalg_job *j)
{
    static const char *const kinds[] = {"general", "positive", "upper", "lower", NULL}, *const orders[] = {
                                                                                            "fro", "nuc",  "1",
                                                                                            "-1",  "2",    "-2",
                                                                                            "inf", "-inf", NULL};
    int index = 0;
    mnp_status status;
    switch (key) {
    case KEY_VECTORS:
        return operand_parse_output("--vectors", optarg, &j->outputs[1]);
    case KEY_LEFT:
        j->left = true;
        return operand_parse_output("--left", optarg, &j->outputs[1]);
    case KEY_RIGHT:
        return operand_parse_output("--right", optarg, &j->outputs[2]);
    case KEY_ASSUME:
        return options_choose("assume", optarg, kinds, &j->assume);
    case KEY_ORD:
        status = options_choose("ord", optarg, orders, &index);
        j->ord = status == MNP_OK ? orders[index] : NULL;
        return status;
    case KEY_LARGEST:
        return options_count("largest", optarg, 1, INT64_MAX, &j->largest.count);
    case KEY_ITERATIONS:
        return options_count("iterations", optarg, 0, INT32_MAX, &j->largest.iterations);
    case KEY_SEED:
        return options_count("seed", optarg, 0, INT64_MAX, &j->largest.seed);
    case KEY_RCOND:
        return options_number("rcond", optarg, 0, INFINITY, &j->rcond);
    default:
        return plan_is_option(key) ? plan_option(key, &j->plan) : result_option(key, &j->request);
    }
}

static mnp_status find_function(const char *name, linalg_job *j)
{
    const char *names[MOST_FUNCTIONS + 1] = {NULL};
    for (int f = 0; f < linalg_count; f++)
        names[f] = linalg_functions[f].name;
    for (int f = 0; f < linalg_count; f++)
        if (strcmp(name, names[f]) == 0)
            j->function = &linalg_functions[f];
    if (j->function)
        return MNP_OK;
    const char *nearest = nearest_word(name, names);
    return nearest ? mnp_fail(MNP_ERR_ARG, "there is no function '%s'; did you mean '%s'?", name, nearest)
                   : mnp_fail(MNP_ERR_ARG, "there is no function '%s'; --help lists them", name);
}

static mnp_status check_line(const linalg_job *j)
{
    const struct {
        unsigned option;
        bool given;
        const char *problem;
    } rules[] = {{VECTORS, j->outputs[1].text && !j->left, "has no vectors: leave out --vectors"},
                 {LEFT, j->left, "has no left factor: leave out --left"},
                 {RIGHT, j->outputs[2].text, "has no right vectors: leave out --right"},
                 {SPECTRUM, j->request.picture.path, "has no spectrum to draw: leave out --picture"},
                 {ORD, j->ord, "has no order: leave out --ord"},
                 {ASSUME, j->assume, "assumes nothing: leave out --assume"},
                 {RCOND, j->rcond >= 0, "has no bound: leave out --rcond"},
                 {LARGEST, j->largest.count > 0, "has no largest values: leave out --largest"}};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].given && !(j->function->takes & rules[i].option))
            return mnp_fail(MNP_ERR_ARG, "%s %s", j->function->name, rules[i].problem);
    if (j->largest.count == 0 && (j->largest.iterations >= 0 || j->largest.seed >= 0))
        return mnp_fail(MNP_ERR_ARG, "%s is of --largest, which is not given",
                        j->largest.iterations >= 0 ? "--iterations" : "--seed");
    const mnp_status status = plan_check_options(&j->plan);
    return status == MNP_OK ? result_check_options(&j->request) : status;
}

static mnp_status parse(int argc, char **argv, linalg_job *j)
{
    mnp_status status = MNP_OK;
    for (int key; status == MNP_OK && (key = options_next(argc, argv, options_table)) != OPTIONS_END;)
        status = parse_option(key, j);
    if (status == MNP_OK && optind == argc)
        return mnp_fail(MNP_ERR_ARG, "linalg needs a FUNCTION, as in: maniple linalg solve A B -o OUTPUT");
    if (status == MNP_OK)
        status = find_function(argv[optind], j);
    if (status == MNP_OK && argc - optind - 1 != j->function->inputs)
        return mnp_fail(MNP_ERR_ARG, "%s needs %s, and gets %d operand%s", j->function->name,
                        j->function->inputs == 2 ? "A and B" : "A", argc - optind - 1, plural(argc - optind - 1));
    for (int i = 0; status == MNP_OK && i < j->function->inputs; i++)
        status = operand_parse_file(i == 0 ? "A" : "B", argv[optind + 1 + i], &j->inputs[i]);
    return status == MNP_OK ? check_line(j) : status;
}

/* ---- a check before the work ---- */

/* That no file or dataset is written twice, or read and written. */
static mnp_status check_files(const linalg_job *j)
{
    const run_file files[] = {file_of_operand(&j->inputs[0]),     file_of_operand(&j->inputs[1]),
                              file_of_output(&j->request.output), file_of_output(&j->outputs[1]),
                              file_of_output(&j->outputs[2]),     file_of_option("--picture", j->request.picture.path)};
    return files_check((int)(sizeof files / sizeof *files), files);
}

/* That there is one spectrum to draw, or one matrix of whose spectrum a part is found, once the shapes are known. */
static mnp_status check_spectrum(const linalg_job *j)
{
    if (j->largest.count > 0 && j->inputs[0].ndim > 2)
        return mnp_fail(MNP_ERR_ARG, "--largest is of one matrix, but A '%s' has %d dimensions", j->inputs[0].text,
                        j->inputs[0].ndim);
    if (j->request.picture.path && j->inputs[0].ndim > 2)
        return mnp_fail(MNP_ERR_ARG, "--picture draws the spectrum of one matrix, but A '%s' has %d dimensions",
                        j->inputs[0].text, j->inputs[0].ndim);
    return MNP_OK;
}

/* ---- the work ---- */

typedef enum stage { READ = FIRST_STAGE, COMPUTE, WRITE, PICTURE, NUM_STAGES } stage;
static const char *const stage_names[] = {"compile", "read", "compute", "write", "picture"};

static int descending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* Draw the values, the largest first.  Rank 0 draws. */
static mnp_status draw(linalg_job *j)
{
    const mnp_array *values = j->spectrum ? j->spectrum : j->results[0];
    const int64_t count = mnp_layout_size(mnp_array_layout(values));
    const bool root = mnp_ctx_rank(j->ctx) == 0;
    double *read = root ? malloc((size_t)(count + 1) * sizeof *read) : NULL,
           *points = root ? malloc((size_t)(2 * count + 1) * sizeof *points) : NULL;
    mnp_status status = mnp_agree(
        j->ctx, root && (!read || !points) ? mnp_fail(MNP_ERR_MEMORY, "there is no memory for a picture") : MNP_OK);
    if (status == MNP_OK)
        status = mnp_array_to_host_as(values, 0, MNP_FLOAT64, read);
    if (status == MNP_OK && root) {
        const bool singular = !(j->function->takes & VECTORS) || j->function->takes & RIGHT;
        bool positive = true;
        qsort(read, (size_t)count, sizeof *read, descending);
        for (int64_t i = 0; i < count; i++) {
            points[2 * i] = (double)(i + 1);
            points[2 * i + 1] = read[i];
            positive = positive && points[2 * i + 1] > 0;
        }
        const char *what = singular ? "singular value" : j->spectrum ? "modulus of the eigenvalue" : "eigenvalue";
        const plot_curve curve = {.name = what, .count = (int)count, .points = points};
        const plot_curves plot = {.words = {without_folders(j->inputs[0].text), NULL, "number", what},
                                  .x_scale = AXIS_WHOLE,
                                  .y_scale = positive ? AXIS_LOG : AXIS_LINEAR,
                                  .count = 1,
                                  .curves = &curve};
        status = plot_write_curves(&j->request.picture, &plot, &j->made);
    }
    free(points);
    free(read);
    return mnp_agree(j->ctx, status);
}

static mnp_status write_results(const linalg_job *j)
{
    mnp_status status = j->request.output.text ? operand_write(&j->request.output, j->results[0]) : MNP_OK;
    for (int i = 1; i < RESULTS && status == MNP_OK; i++)
        if (j->outputs[i].text)
            status = operand_write(&j->outputs[i], j->results[i]);
    return status;
}

static const char *output_text(const linalg_job *j, int i)
{
    return i == 0 ? j->request.output.text : j->outputs[i].text;
}

static void print_text(const void *run, const run_facts *facts)
{
    const linalg_job *j = run;
    const char *const titles[] = {"output", j->left ? "left" : "vectors", "right"};
    printf("function  %s\n", j->function->name);
    printf("A         %s: ", j->inputs[0].text);
    print_array(j->a);
    if (j->b) {
        printf("B         %s: ", j->inputs[1].text);
        print_array(j->b);
    }
    for (int i = 0; i < RESULTS; i++) {
        if (i > 0 && !output_text(j, i))
            continue;
        printf("%-10s%s: ", titles[i], output_text(j, i) ? output_text(j, i) : "(none)");
        print_array(j->results[i]);
    }
    for (int i = 0; i < j->count; i++)
        printf("%-10s%s = %.6g\n", i == 0 ? "measured" : "", j->measures[i].name, j->measures[i].value);
    if (*j->made.size)
        printf("picture   %s: %s\n", j->request.picture.path, j->made.size);
    print_times(j->request.picture.path ? NUM_STAGES : PICTURE, stage_names, facts->seconds);
}

static void print_json(const void *run, const run_facts *facts, json_writer *out)
{
    const linalg_job *j = run;
    json_text(out, "function", j->function->name);
    json_operand(out, "a", j->inputs[0].text, j->a);
    if (j->b)
        json_operand(out, "b", j->inputs[1].text, j->b);
    json_operand(out, "output", j->request.output.text, j->results[0]);
    json_open(out, "measured", '{');
    for (int i = 0; i < j->count; i++)
        json_number(out, j->measures[i].name, j->measures[i].value);
    json_close(out);
    if (*j->made.size)
        json_text(out, "picture", j->request.picture.path);
    json_facts(out, facts, j->request.picture.path ? NUM_STAGES : PICTURE, stage_names);
}

/* Returns the exit status. */
static int run(linalg_job *j)
{
    int status = EXIT_SUCCESS;
    stopwatch watch = stopwatch_start(j->ctx);
    progress_begin(j->ctx, "linalg", j->request.quiet);
    progress_stage(0, NULL, "reading");
    OR_EXIT(operand_load(j->ctx, &j->inputs[0], &j->a));
    if (j->function->inputs == 2)
        OR_EXIT(operand_load(j->ctx, &j->inputs[1], &j->b));
    stopwatch_lap(&watch, READ);
    progress_stage(0, NULL, "computing");
    OR_EXIT(j->function->run(j));
    stopwatch_lap(&watch, COMPUTE);
    progress_stage(0, NULL, "writing");
    OR_EXIT(write_results(j));
    stopwatch_lap(&watch, WRITE);
    if (j->request.picture.path) {
        OR_EXIT(result_check_picture(j->ctx, &j->request));
        progress_stage(0, NULL, "drawing");
        status = command_say(j->ctx, "", draw(j));
        stopwatch_lap(&watch, PICTURE);
    }
    progress_end();
    if (!j->request.quiet)
        report_print(&watch, j->request.json, j, print_text, print_json);
    mnp_free_all(j->a, j->b, j->spectrum, j->results[0], j->results[1], j->results[2]);
    return status;
}

int linalg_main(int argc, char **argv)
{
    linalg_job j = {.request.picture = PICTURE_REQUEST_DEFAULTS, .rcond = -1, .largest = {0, -1, -1}};
    words_set(words_table);
    if (parse(argc, argv, &j) != MNP_OK)
        misused_exit();
    j.ctx = command_begin(NULL);
    OR_EXIT(
        result_check_places(j.ctx, &j.request, j.function->inputs, (const operand *[]){&j.inputs[0], &j.inputs[1]}));
    OR_EXIT(mnp_agree(j.ctx, mnp_ctx_rank(j.ctx) == 0 ? check_files(&j) : MNP_OK));
    for (int i = 1; i < RESULTS; i++)
        if (j.outputs[i].text)
            OR_EXIT(operand_check_output(j.ctx, &j.outputs[i]));
    for (int i = 0; i < j.function->inputs; i++)
        OR_EXIT(operand_look(j.ctx, &j.inputs[i]));
    OR_EXIT(check_spectrum(&j));
    if (j.plan.wanted)
        OR_EXIT(linalg_plan(&j));
    const int status = close_output(j.plan.wanted ? EXIT_SUCCESS : run(&j));
    mnp_finalize(j.ctx);
    for (int i = 0; i < 2; i++)
        operand_free(&j.inputs[i]);
    for (int i = 0; i < RESULTS; i++)
        operand_free(&j.outputs[i]);
    operand_free(&j.request.output);
    return status;
}
