/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * maniple eval: read arrays, evaluate statements on them, write the results, and report what was done.  A result
 * without dimensions, such as a sum, is printed as well, and need not be written.
 *
 * Mistakes that are cheap to find are found first: in the command line, then the files of the outputs, then the
 * statements, with the dtypes of the operands; only then are arrays read.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <getopt.h>

#include <maniple.h>

#include "eval/eval.h"
#include "common/command.h"
#include "common/files.h"
#include "common/operand.h"
#include "common/options.h"
#include "common/paths.h"
#include "common/rehearsal.h"
#include "common/statements.h"
#include "common/words.h"
#include "picture/array.h"
#include "report/progress.h"
#include "report/report.h"

static const option_row options_table[] = {
    {'f', "file", "FILE", "take the statements from FILE; '-' is standard input"},
    {'o' | OPTION_REPEATS, "output", "OUTPUT",
     "[NAME=]FILE:/DATASET: write the variable NAME, or without NAME the\n"
     "value of the last statement; replaces a dataset of that name, but\n"
     "never an operand, and keeps everything else in the file; or write\n"
     "[NAME=]FILE.npy, FILE.tif, FILE.fits, or FILE.fits:HDU; may be\n"
     "repeated"},
    PLAN_ROWS,
    PICTURE_OPTIONS("the value of the last statement; NAME=FILE: the variable NAME"),
    PICTURE_MAP_OPTION,
    APPEND_ROW,
    PROGRESS_ROW,
    {'j', "json", NULL, "print JSON, with the values of results that have no dimensions"},
    {'q', "quiet", NULL, "print nothing but a value that is not written"},
    HELP_ROW,
    {0},
};

void eval_help(void)
{
    puts("Usage: maniple eval STATEMENTS [NAME=OPERAND...] [-o [NAME=]FILE:/DATASET] [OPTION...]\n"
         "       maniple eval STATEMENTS [NAME=OPERAND...] --plan [OPTION...]\n"
         "       maniple eval -f FILE [NAME=OPERAND...] [-o [NAME=]FILE:/DATASET] [OPTION...]\n"
         "       mpirun -n RANKS maniple eval STATEMENTS [NAME=OPERAND...] [-o [NAME=]FILE:/DATASET]\n"
         "\n"
         "Evaluate STATEMENTS, such as 'z = sqrt(x**2 + y**2)', 'median(x[1:] - x[:-1])' or\n"
         "'u[1:-1] += (u[:-2] + u[2:]) / 4', in NumPy's syntax.\n"
         "A value without dimensions need not be written: without -o it is printed.\n"
         "\n"
         "OPERAND is a dataset of an HDF5 file, written FILE:/DATASET, FILE.npy, FILE.png, FILE.tif or\n"
         "FILE.fits, or a part of them, such as 'FILE:/DATASET[1:, ::-2, 0]'; or a number such as 2, 2.5,\n"
         "2j or True; or generated:\n"
         "  dirac:4096x4096/512  ones where every index is divisible by 512, zeros elsewhere\n"
         "  hanning:31x31        the outer product of Hann windows, as numpy.hanning, of unit sum\n"
         "  gauss:31x31@5        a Gaussian of standard deviation 5 elements (5x3: one a dimension),\n"
         "                       of unit sum\n"
         "Operands are broadcast.  --picture draws a vector as a line, and other arrays as an image.\n"
         "The manual page "
         "maniple-eval(1) describes the syntax.\n"
         "\n"
         "Options:");
    options_print(options_table);
    puts("\n"
         "Examples:\n"
         "  mpirun -n 4 maniple eval 'r = hypot(x, y); r / (r + s)' x=in.h5:/x y=in.h5:/y s=0.5 -o out.h5:/z\n"
         "  maniple eval -q 'mean((x - y)**2)' x=in.h5:/x y='in.h5:/runs[-1]'");
}

static const words_row words_table[] = {
    {"an input", "an operand"},
    {"input", "operand"},
    {"mnp_", ""},
    {NULL, NULL},
};

/* ---- the command line ---- */

/*
 * Split NAME= from a text; the name is "" if there is none, or if what precedes '=' is not a name but part of a path.
 */
static mnp_status split_name(const char *word, named *result)
{
    size_t length = 0;
    while (isalnum((unsigned char)word[length]) || word[length] == '_')
        length++;
    bool has_name = length > 0 && word[length] == '=' && !isdigit((unsigned char)*word);
    if (has_name && length >= MAX_NAME)
        return mnp_fail(MNP_ERR_ARG, "the name in '%s' is longer than %d letters", word, MAX_NAME - 1);
    snprintf(result->name, sizeof result->name, "%.*s", has_name ? (int)length : 0, word);
    result->text = has_name ? word + length + 1 : word;
    return MNP_OK;
}

/* Parse a real number, alone or followed by 'j' or by an imaginary number with its sign: 2.5, 2j, 1-2j. */
static bool parse_real_or_complex(const char *text, named *result)
{
    char *end;
    double first = strtod(text, &end);
    if (end == text || isspace((unsigned char)*text))
        return false;
    result->kind = *end ? 'c' : 'f';
    result->real = first;
    if (!*end)
        return true;
    if (strcmp(end, "j") == 0) {
        result->real = 0;
        result->imag = first;
        return true;
    }
    const char *rest = end;
    if (*rest != '+' && *rest != '-')
        return false;
    result->imag = strtod(rest, &end);
    return end != rest && strcmp(end, "j") == 0;
}

/* Whether a text is a number in the syntax of the statements; `result` then receives its value. */
static bool parse_number(const char *text, named *result)
{
    const char *digits = text + (*text == '-' || *text == '+');
    int base = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X') ? 16 : 10;
    char *end;
    if (strcmp(text, "True") == 0 || strcmp(text, "False") == 0) {
        result->kind = 'b';
        result->integer = *text == 'T';
        return true;
    }
    errno = 0;
    result->integer = strtoll(text, &end, base);
    if (end != text && !*end && !isspace((unsigned char)*text)) {
        result->kind = 'i';
        return errno != ERANGE; /* an integer that is too large does not silently become a float */
    }
    return base == 10 && parse_real_or_complex(text, result);
}

static mnp_status parse_input(const char *word, job *j)
{
    named *input = &j->inputs[j->ninputs];
    mnp_status status = split_name(word, input);
    if (status != MNP_OK)
        return status;
    if (!*input->name)
        return mnp_fail(MNP_ERR_ARG, "operand '%s' has no name: write NAME=FILE:/DATASET or NAME=NUMBER", word);
    for (int i = 0; i < j->ninputs; i++) {
        if (strcmp(j->inputs[i].name, input->name) == 0)
            return mnp_fail(MNP_ERR_ARG, "operand %s is given twice, as '%s' and as '%s'", input->name,
                            j->inputs[i].text, input->text);
    }
    snprintf(input->role, sizeof input->role, "operand %s", input->name);
    input->is_number = parse_number(input->text, input);
    if (!input->is_number)
        status = operand_parse(input->role, input->text, MNP_FLOAT32, &input->operand);
    if (status == MNP_ERR_ARG && !strpbrk(input->text, ":["))
        status = mnp_fail(MNP_ERR_ARG,
                          "%s is '%s', neither a number (integers have 64 bits) nor FILE:/DATASET, FILE.npy, "
                          "FILE.png, FILE.tif or FILE.fits, nor a generator such as hanning:31x31",
                          input->role, input->text);
    j->ninputs += status == MNP_OK;
    return status;
}

static mnp_status parse_output(const char *word, job *j)
{
    if (j->noutputs == MAX_OPERANDS)
        return mnp_fail(MNP_ERR_ARG, "there are more than %d outputs", MAX_OPERANDS);
    named *output = &j->outputs[j->noutputs];
    mnp_status status = split_name(word, output);
    if (status != MNP_OK)
        return status;
    for (int i = 0; i < j->noutputs; i++) {
        if (strcmp(j->outputs[i].name, output->name) == 0)
            return mnp_fail(MNP_ERR_ARG, "%s is written to two datasets, '%s' and '%s'",
                            *output->name ? output->name : "the last value", j->outputs[i].text, output->text);
    }
    snprintf(output->role, sizeof output->role, "OUTPUT%s%s", *output->name ? " " : "", output->name);
    status = operand_parse_output(output->role, output->text, &output->operand);
    j->noutputs += status == MNP_OK;
    return status;
}

/* Take [NAME=]FILE. */
static mnp_status parse_picture(const char *word, job *j)
{
    named split;
    mnp_status status = split_name(word, &split);
    memcpy(j->pictured, split.name, sizeof j->pictured);
    return status == MNP_OK ? picture_option(KEY_PICTURE, split.text, &j->result.picture) : status;
}

/* Find the output that is drawn, or add one that is drawn alone. */
static void add_pictured(job *j)
{
    j->pictured_output = 0;
    while (j->pictured_output < j->noutputs && strcmp(j->outputs[j->pictured_output].name, j->pictured) != 0)
        j->pictured_output++;
    if (j->pictured_output == j->noutputs)
        memcpy(j->outputs[j->noutputs++].name, j->pictured, sizeof j->pictured);
}

/* Whether the value of the last statement is printed, as nothing else is done with it. */
static bool prints_value(const job *j)
{
    return !j->outputs[0].text && !j->result.picture.path;
}

static mnp_status parse_operands(int count, char **words, job *j)
{
    int first = j->file ? 0 : 1; /* after the statements */
    if (count < first)
        return mnp_fail(MNP_ERR_ARG, "eval needs STATEMENTS, as in: maniple eval 'x + 1' x=FILE:/DATASET -o "
                                     "FILE:/DATASET");
    if (count - first > MAX_OPERANDS)
        return mnp_fail(MNP_ERR_ARG, "there are %d operands; %d are possible", count - first, MAX_OPERANDS);
    if (j->result.picture.path)
        add_pictured(j);
    if (j->noutputs == 0)
        j->noutputs = 1; /* the value of the last statement, which is printed */
    j->statements = j->file ? NULL : words[0];
    mnp_status status = MNP_OK;
    for (int i = first; i < count && status == MNP_OK; i++)
        status = parse_input(words[i], j);
    return status;
}

static mnp_status parse(int argc, char **argv, job *j)
{
    mnp_status status = MNP_OK;
    for (int key; status == MNP_OK && (key = options_next(argc, argv, options_table)) != OPTIONS_END;) {
        if (key == 'o')
            status = parse_output(optarg, j);
        else if (key == 'f')
            j->file = optarg;
        else if (key == KEY_PICTURE)
            status = parse_picture(optarg, j);
        else if (plan_is_option(key))
            status = plan_option(key, &j->plan);
        else
            status = result_option(key, &j->result);
    }
    if (status == MNP_OK)
        status = result_check_options(&j->result);
    if (status == MNP_OK)
        status = plan_check_options(&j->plan);
    return status == MNP_OK ? parse_operands(argc - optind, argv + optind, j) : status;
}

static mnp_status job_new(job *j)
{
    *j = (job){.inputs = calloc(MAX_OPERANDS, sizeof(named)),
               .outputs = calloc(MAX_OUTPUTS, sizeof(named)),
               .result.picture = PICTURE_REQUEST_DEFAULTS};
    return j->inputs && j->outputs ? MNP_OK : mnp_fail(MNP_ERR_MEMORY, "out of memory");
}

static void job_free(job *j)
{
    for (int i = 0; i < j->ninputs; i++)
        operand_free(&j->inputs[i].operand);
    for (int i = 0; i < j->noutputs; i++)
        operand_free(&j->outputs[i].operand);
    free(j->inputs);
    free(j->outputs);
    free(j->text);
}

/* ---- checks before the work ---- */

static run_file file_of_named(const named *n, bool writes)
{
    return (run_file){.role = n->role,
                      .text = n->text,
                      .path = n->text ? n->operand.file : NULL,
                      .dataset = n->operand.dataset,
                      .writes = writes};
}

/* Check that no output is an operand or another output.  On rank 0. */
static mnp_status check_overwriting(const job *j)
{
    int count = 0;
    run_file *files = calloc((size_t)(j->ninputs + j->noutputs) + 2, sizeof *files);
    if (!files)
        return mnp_fail(MNP_ERR_MEMORY, "no memory for the names of %d operands", j->ninputs + j->noutputs);
    for (int i = 0; i < j->ninputs; i++) {
        if (!j->inputs[i].is_number)
            files[count++] = file_of_named(&j->inputs[i], false);
    }
    for (int i = 0; i < j->noutputs; i++)
        files[count++] = file_of_named(&j->outputs[i], true);
    if (j->file && strcmp(j->file, "-") != 0)
        files[count++] = (run_file){.role = "--file", .text = j->file, .path = j->file};
    files[count++] = file_of_option("--picture", j->result.picture.path);
    mnp_status status = files_check(count, files);
    free(files);
    return status;
}

static mnp_status check_places(mnp_ctx *ctx, const job *j)
{
    mnp_status status = mnp_agree(ctx, mnp_ctx_rank(ctx) == 0 ? check_overwriting(j) : MNP_OK);
    for (int i = 0; status == MNP_OK && i < j->noutputs && j->outputs[i].text; i++)
        status = operand_check_output(ctx, &j->outputs[i].operand);
    return status == MNP_OK ? mnp_agree(ctx, mnp_ctx_rank(ctx) == 0 ? picture_check_place(&j->result.picture) : MNP_OK)
                            : status;
}

/* ---- the work ---- */

static const mnp_array *make_number(mnp_ctx *ctx, const named *number)
{
    switch (number->kind) {
    case 'b':
        return mnp_scalar_bool(ctx, number->integer != 0);
    case 'i':
        return mnp_scalar_int(ctx, number->integer);
    case 'f':
        return mnp_scalar_float(ctx, number->real);
    default:
        return mnp_scalar_complex(ctx, number->real, number->imag);
    }
}

/* The operands and outputs as mnp_eval() takes them. */
static void list_arrays(mnp_ctx *ctx, job *j, mnp_input inputs[MAX_OPERANDS + 1], mnp_output outputs[MAX_OUTPUTS + 1])
{
    for (int i = 0; i < j->ninputs; i++) {
        const named *input = &j->inputs[i];
        inputs[i] = (mnp_input){input->name, input->is_number ? make_number(ctx, input) : input->array};
    }
    for (int i = 0; i < j->noutputs; i++)
        outputs[i] = (mnp_output){j->outputs[i].name, &j->outputs[i].array};
    inputs[j->ninputs] = (mnp_input){NULL, NULL};
    outputs[j->noutputs] = (mnp_output){NULL, NULL};
}

static mnp_status evaluate(mnp_ctx *ctx, job *j)
{
    mnp_input inputs[MAX_OPERANDS + 1];
    mnp_output outputs[MAX_OUTPUTS + 1];
    list_arrays(ctx, j, inputs, outputs);
    return mnp_eval(ctx, j->statements, inputs, outputs);
}

/* After operands that do not fit each other: tell which has which shape. */
static mnp_status name_shapes(const job *j, mnp_status status)
{
    char text[1024] = "";
    if (status == MNP_OK || !strstr(mnp_error_message(), "cannot broadcast"))
        return status;
    for (int i = 0; i < j->ninputs; i++) {
        const named *input = &j->inputs[i];
        for (int d = 0; !input->is_number && d < input->operand.ndim; d++) {
            const size_t length = strlen(text);
            snprintf(text + length, sizeof text - length, "%s%s%s%" PRId64, d == 0 && length > 0 ? ", " : "",
                     d == 0 ? input->name : "", d == 0 ? " is " : "x", input->operand.shape[d]);
        }
    }
    const char *message = words_message();
    int sentence = (int)strcspn(message, "\n"); /* the text with the place of the mistake follows */
    return mnp_fail(status, "%.*s; %s%s", sentence, message, text, message + sentence);
}

/* After a mistake in the statements of a file: name the file. */
static mnp_status name_place(const job *j, mnp_status status)
{
    return j->file ? statements_name(j->file, status) : status;
}

static void free_arrays(job *j)
{
    for (int i = 0; i < j->ninputs + j->noutputs; i++) {
        named *each = i < j->ninputs ? &j->inputs[i] : &j->outputs[i - j->ninputs];
        mnp_array_free(each->array);
        each->array = NULL;
    }
}

/*
 * Find mistakes in the statements without computing anything, from the dtypes and numbers of dimensions of the
 * operands: those of arrays of one element here.  A value that is printed and not written must be one number, unless
 * it is only planned.
 */
static void check_statements(mnp_ctx *ctx, job *j)
{
    static const int64_t one[MNP_MAX_DIMS] = {1, 1, 1, 1, 1, 1, 1, 1};
    mnp_input inputs[MAX_OPERANDS + 1];
    mnp_output outputs[MAX_OUTPUTS + 1];
    mnp_dtype dtypes[MAX_OUTPUTS];
    int ndims[MAX_OUTPUTS];
    for (int i = 0; i < j->ninputs; i++) {
        named *input = &j->inputs[i];
        if (input->is_number)
            continue;
        OR_EXIT(operand_look(ctx, &input->operand));
        OR_EXIT(mnp_empty(ctx, input->operand.dtype, input->operand.ndim, one, &input->array));
    }
    list_arrays(ctx, j, inputs, outputs);
    OR_EXIT(name_place(j, mnp_eval_types(ctx, j->statements, inputs, outputs, dtypes, ndims)));
    if (j->result.picture.path && ndims[j->pictured_output] == 0)
        command_exit(mnp_fail(MNP_ERR_ARG, "--picture: %s has no dimensions, and a number is not drawn",
                              *j->pictured ? j->pictured : "the value of the last statement"));
    if (j->plan.wanted)
        OR_EXIT(eval_plan(ctx, j, dtypes, ndims));
    else if (prints_value(j) && ndims[0] > 0)
        command_exit(mnp_fail(
            MNP_ERR_ARG,
            "the value of the last statement has %d dimension%s: give it a place, -o FILE:/DATASET or FILE.npy",
            ndims[0], ndims[0] == 1 ? "" : "s"));
    free_arrays(j);
}

/* Let the kernels of the statements be compiled side by side, while the operands are read. */
static void rehearse(mnp_ctx *ctx, job *j)
{
    mnp_input inputs[MAX_OPERANDS + 1];
    mnp_output outputs[MAX_OUTPUTS + 1];
    mnp_ctx *rehearsal = rehearsal_begin(ctx);
    bool complete = rehearsal;
    int most = 1;
    for (int i = 0; i < j->ninputs; i++)
        most = j->inputs[i].operand.ndim > most ? j->inputs[i].operand.ndim : most;
    for (int i = 0; i < j->ninputs && complete; i++) {
        named *input = &j->inputs[i];
        const operand *from = &input->operand;
        if (!input->is_number)
            input->array = rehearsal_array(rehearsal, most, from->dtype, from->ndim, from->shape);
        complete = input->is_number || input->array;
    }
    if (complete) {
        list_arrays(rehearsal, j, inputs, outputs);
        (void)mnp_eval(rehearsal, j->statements, inputs, outputs);
    }
    free_arrays(j);
    mnp_finalize(rehearsal);
}

/* Returns the exit status. */
static int run(mnp_ctx *ctx, job *j)
{
    const char *title = j->file ? without_folders(j->file) : j->statements;
    int status = EXIT_SUCCESS;
    double bytes = 0;
    stopwatch watch = stopwatch_start(ctx);
    progress_begin(ctx, "eval", j->result.quiet);
    check_statements(ctx, j);
    rehearse(ctx, j);
    for (int i = 0; i < j->ninputs; i++) {
        const operand *from = &j->inputs[i].operand;
        if (j->inputs[i].is_number)
            continue;
        progress_stage(shape_bytes(from->dtype, from->ndim, from->shape), "B", "reading %s", j->inputs[i].role);
        OR_EXIT(operand_load(ctx, from, &j->inputs[i].array));
        bytes += array_bytes(j->inputs[i].array);
    }
    stopwatch_lap(&watch, READ);
    progress_stage(bytes, "B", "evaluating");
    OR_EXIT(name_place(j, name_shapes(j, evaluate(ctx, j))));
    stopwatch_lap(&watch, EVALUATE);
    for (int i = 0; i < j->noutputs; i++) {
        progress_stage(array_bytes(j->outputs[i].array), "B", "writing %s", j->outputs[i].role);
        if (j->outputs[i].text)
            OR_EXIT(operand_write(&j->outputs[i].operand, j->outputs[i].array));
        OR_EXIT(eval_take_value(&j->outputs[i]));
    }
    stopwatch_lap(&watch, WRITE);
    progress_stage(0, NULL, "drawing");
    if (j->result.picture.path)
        status = command_say(
            ctx, "", array_write(&j->result.picture, title, j->outputs[j->pictured_output].array, -1, -1, j->drawn));
    stopwatch_lap(&watch, PICTURE);
    progress_end();
    if (!j->result.quiet)
        eval_report(j, &watch);
    if (prints_value(j) && !j->result.json && mnp_ctx_rank(ctx) == 0) {
        eval_print_value(&j->outputs[0]);
        putchar('\n');
    }
    free_arrays(j);
    return status;
}

int eval_main(int argc, char **argv)
{
    job j;
    words_set(words_table);
    if (job_new(&j) != MNP_OK || parse(argc, argv, &j) != MNP_OK)
        misused_exit();

    mnp_ctx *ctx = command_begin(NULL);
    OR_EXIT(check_places(ctx, &j));
    if (j.file) {
        OR_EXIT(statements_read(ctx, j.file, &j.text));
        j.statements = j.text;
    }
    if (j.plan.wanted)
        check_statements(ctx, &j);
    const int status = close_output(j.plan.wanted ? EXIT_SUCCESS : run(ctx, &j));
    mnp_finalize(ctx);
    job_free(&j);
    return status;
}
