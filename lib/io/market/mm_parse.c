/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parser of Matrix Market text: the head, and lines of the body, in one pass, a word at a time.
 */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/dtype.h"
#include "base/memory.h"
#include "base/value.h"
#include "base/status.h"
#include "io/market/matrix_market.h"

/* What is left of a line: from the parser's position to the end, without the newline. */
struct line {
    const char *at, *end;
};

static void describe_problem(mnp__mm_problem *problem, int64_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void describe_problem(mnp__mm_problem *problem, int64_t line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(problem->text, sizeof problem->text, format, arguments);
    va_end(arguments);
    problem->line = line;
}

/* ---- words ---- */

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

static void skip_spaces(struct line *line)
{
    while (line->at < line->end && is_space(*line->at))
        line->at++;
}

/* Whether nothing is left of the line but spaces or a comment. */
static bool is_blank(struct line *line)
{
    skip_spaces(line);
    return line->at == line->end || *line->at == '%';
}

static struct line next_word(struct line *line)
{
    skip_spaces(line);
    struct line word = {line->at, line->at};
    while (word.end < line->end && !is_space(*word.end))
        word.end++;
    line->at = word.end;
    return word;
}

/* The beginning of a word for a message, with '?' for characters that cannot be printed. */
enum { SHOWN = 32 };
static const char *show(struct line word, char text[SHOWN])
{
    size_t length = (size_t)(word.end - word.at), shown = length < SHOWN - 4 ? length : SHOWN - 4;
    for (size_t i = 0; i < shown; i++)
        text[i] = isprint((unsigned char)word.at[i]) ? word.at[i] : '?';
    strcpy(text + shown, shown < length ? "..." : "");
    return text;
}

static bool is_word(struct line word, const char *name)
{
    size_t length = strlen(name);
    return (size_t)(word.end - word.at) == length && strncasecmp(word.at, name, length) == 0;
}

/* ---- the head ---- */

struct choice {
    const char *name;
    int value;
};
static const struct choice formats[] = {{"coordinate", MNP_MM_COORDINATE}, {"array", MNP_MM_ARRAY}, {NULL, 0}};
static const struct choice fields[] = {{"real", MNP_MM_REAL},
                                       {"double", MNP_MM_REAL},
                                       {"integer", MNP_MM_INTEGER},
                                       {"unsigned-integer", MNP_MM_INTEGER},
                                       {"complex", MNP_MM_COMPLEX},
                                       {"pattern", MNP_MM_PATTERN},
                                       {NULL, 0}};
static const struct choice symmetries[] = {{"general", MNP_MM_GENERAL},
                                           {"symmetric", MNP_MM_SYMMETRIC},
                                           {"skew-symmetric", MNP_MM_SKEW_SYMMETRIC},
                                           {"hermitian", MNP_MM_HERMITIAN},
                                           {NULL, 0}};

/* The choice that the next word names. */
static bool choose(struct line *line, const struct choice *choices, const char *what, int *value_p,
                   mnp__mm_problem *problem)
{
    char text[SHOWN];
    struct line word = next_word(line);
    for (; choices->name; choices++) {
        if (is_word(word, choices->name)) {
            *value_p = choices->value;
            return true;
        }
    }
    describe_problem(problem, 1, "'%s' is not a %s of a Matrix Market file", show(word, text), what);
    return false;
}

/* Check that the words of the banner do not contradict each other. */
static bool check_banner(const mnp_mm_info *info, mnp__mm_problem *problem)
{
    const char *wrong = NULL;
    if (info->field == MNP_MM_PATTERN && info->format == MNP_MM_ARRAY)
        wrong = "an array has values, and cannot be a pattern";
    else if (info->field == MNP_MM_PATTERN && info->symmetry == MNP_MM_SKEW_SYMMETRIC)
        wrong = "a pattern has no signs, and cannot be skew-symmetric";
    else if (info->field != MNP_MM_COMPLEX && info->symmetry == MNP_MM_HERMITIAN)
        wrong = "a Hermitian matrix must be complex";
    if (wrong)
        describe_problem(problem, 1, "%s", wrong);
    return !wrong;
}

static bool parse_banner(struct line line, mnp_mm_info *info, mnp__mm_problem *problem)
{
    char text[SHOWN];
    int format, field, symmetry;
    if (line.end - line.at >= 2 && line.at[0] == '\x1f' && line.at[1] == '\x8b') {
        describe_problem(problem, 1, "the file is compressed; gunzip it first");
        return false;
    }
    if (!is_word(next_word(&line), "%%MatrixMarket")) {
        describe_problem(problem, 1, "a Matrix Market file begins with the word %%%%MatrixMarket");
        return false;
    }
    struct line object = next_word(&line);
    if (!is_word(object, "matrix")) {
        describe_problem(problem, 1, "'%s' is not supported; only 'matrix' is", show(object, text));
        return false;
    }
    if (!choose(&line, formats, "format", &format, problem) || !choose(&line, fields, "field", &field, problem) ||
        !choose(&line, symmetries, "symmetry", &symmetry, problem))
        return false;
    info->format = (mnp_mm_format)format;
    info->field = (mnp_mm_field)field;
    info->symmetry = (mnp_mm_symmetry)symmetry;
    if (!is_blank(&line)) {
        describe_problem(problem, 1, "unexpected '%s' after the symmetry", show(next_word(&line), text));
        return false;
    }
    return check_banner(info, problem);
}

/* Compute how many values an array file has; false if the number exceeds 64 bits. */
static bool count_values(mnp_mm_info *info)
{
    int64_t n = info->nrows, size;
    if (__builtin_mul_overflow(n, info->ncolumns, &size))
        return false;
    info->nlines = info->symmetry == MNP_MM_GENERAL ? size : (size - n) / 2;
    if (info->symmetry == MNP_MM_SYMMETRIC || info->symmetry == MNP_MM_HERMITIAN)
        info->nlines += n;
    return true;
}

static bool parse_sizes(struct line line, int64_t number, mnp_mm_info *info, mnp__mm_problem *problem)
{
    static const char *const names[] = {"number of rows", "number of columns", "number of entries"};
    int64_t *const sizes[] = {&info->nrows, &info->ncolumns, &info->nlines};
    char text[SHOWN];
    for (int i = 0; i < (info->format == MNP_MM_COORDINATE ? 3 : 2); i++) {
        struct line word = next_word(&line);
        const char *stop = mnp__mm_scan_integer(word.at, word.end, sizes[i]);
        if (word.at == word.end)
            describe_problem(problem, number, "the %s is missing", names[i]);
        else if (!stop || stop != word.end)
            describe_problem(problem, number, "'%s' is not a %s, or is too large", show(word, text), names[i]);
        else if (*sizes[i] < 0)
            describe_problem(problem, number, "the %s is %" PRId64 ", negative", names[i], *sizes[i]);
        else
            continue;
        return false;
    }
    if (!is_blank(&line))
        describe_problem(problem, number, "unexpected '%s' after the sizes", show(next_word(&line), text));
    else if (info->symmetry != MNP_MM_GENERAL && info->nrows != info->ncolumns)
        describe_problem(problem, number,
                         "%" PRId64 " rows and %" PRId64 " columns are not square, as a symmetric matrix must be",
                         info->nrows, info->ncolumns);
    else if (info->format == MNP_MM_ARRAY && !count_values(info))
        describe_problem(problem, number, "%" PRId64 " times %" PRId64 " values are more than can be counted",
                         info->nrows, info->ncolumns);
    else
        return true;
    return false;
}

mnp__mm_progress mnp__mm_parse_head(const char *text, size_t length, bool whole, mnp__mm_head *head,
                                    mnp__mm_problem *problem)
{
    *head = (mnp__mm_head){.lines = 0};
    *problem = (mnp__mm_problem){.line = 0};
    for (const char *at = text, *end = text + length; at < end;) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        if (!stop && !whole)
            return MNP__MM_NEEDS_MORE;
        struct line line = {at, stop ? stop : end};
        at = stop ? stop + 1 : end;
        head->lines++;
        head->length = (size_t)(at - text);
        if (head->lines == 1) {
            if (!parse_banner(line, &head->info, problem))
                return MNP__MM_WRONG;
        } else if (!is_blank(&line)) {
            return parse_sizes(line, head->lines, &head->info, problem) ? MNP__MM_DONE : MNP__MM_WRONG;
        }
    }
    if (!whole)
        return MNP__MM_NEEDS_MORE;
    describe_problem(problem, head->lines > 0 ? head->lines : 1,
                     length > 0 ? "the file ends before the sizes" : "the file is empty");
    return MNP__MM_WRONG;
}

/* ---- the body ---- */

static mnp_status grow(void *pointer_p, int64_t capacity, size_t item)
{
    void **pointer = pointer_p;
    MNP_TRY(mnp__memory_check((uint64_t)capacity * item / 3, false)); /* capacities grow by half */
    void *larger = realloc(*pointer, (size_t)capacity * item);
    if (!larger)
        return MNP_FAIL(MNP_ERR_MEMORY, "no memory on the host for %" PRId64 " entries of a Matrix Market file",
                        capacity);
    *pointer = larger;
    return MNP_OK;
}

/* Room for two more entries. */
static mnp_status reserve(mnp__mm_body *body)
{
    if (body->count + 2 <= body->capacity)
        return MNP_OK;
    int64_t capacity = body->capacity + body->capacity / 2 + 1024;
    if (body->info->format == MNP_MM_COORDINATE) {
        MNP_TRY(grow(&body->rows, capacity, sizeof *body->rows));
        MNP_TRY(grow(&body->columns, capacity, sizeof *body->columns));
    }
    MNP_TRY(grow(&body->values, capacity, mnp_dtype_size(body->dtype)));
    body->capacity = capacity;
    return MNP_OK;
}

/* One value of any dtype. */
union value {
    float single[2];
    double wide[2];
};

/* Turn a value into the value of its mirror image on the other side of the diagonal. */
static void mirror(mnp_mm_symmetry symmetry, mnp_dtype dtype, union value *value)
{
    const bool single = mnp__dtype_is_single(dtype);
    for (int i = 0; i < 2; i++) { /* a real number does not use the second part */
        if (symmetry != MNP_MM_SKEW_SYMMETRIC && (symmetry != MNP_MM_HERMITIAN || i == 0))
            continue;
        if (single)
            value->single[i] = -value->single[i];
        else
            value->wide[i] = -value->wide[i];
    }
}

static void put(mnp__mm_body *body, int64_t row, int64_t column, const void *value)
{
    const size_t item = mnp_dtype_size(body->dtype);
    body->rows[body->count] = row;
    body->columns[body->count] = column;
    memcpy((char *)body->values + (size_t)body->count++ * item, value, item);
}

void mnp__mm_append(mnp__mm_body *body, int64_t row, int64_t column, const void *value)
{
    put(body, row, column, value);
    if (body->info->symmetry == MNP_MM_GENERAL || row == column)
        return;
    union value mirrored = {.wide = {0, 0}};
    memcpy(&mirrored, value, mnp_dtype_size(body->dtype));
    mirror(body->info->symmetry, body->dtype, &mirrored);
    put(body, column, row, &mirrored);
}

/* Read a row or column from 1 to `extent`, and store it counted from 0. */
static bool parse_index(mnp__mm_body *body, struct line *line, const char *what, int64_t extent, int64_t *index_p)
{
    char text[SHOWN];
    struct line word = next_word(line);
    const char *stop = mnp__mm_scan_integer(word.at, word.end, index_p);
    if (word.at == word.end)
        describe_problem(&body->problem, body->lines, "the %s is missing", what);
    else if (!stop || stop != word.end)
        describe_problem(&body->problem, body->lines, "'%s' is not a %s", show(word, text), what);
    else if (*index_p < 1 || *index_p > extent)
        describe_problem(&body->problem, body->lines, "%s %" PRId64 " is outside 1..%" PRId64, what, *index_p, extent);
    else
        --*index_p;
    return body->problem.line == 0;
}

static bool parse_number(mnp__mm_body *body, struct line *line, const char *what, double *value_p)
{
    char text[SHOWN];
    int64_t integer;
    struct line word = next_word(line);
    const char *stop = mnp__mm_scan_float(word.at, word.end, value_p);
    if (word.at == word.end)
        describe_problem(&body->problem, body->lines, "the %s is missing", what);
    else if (word.end - word.at >= MNP__MM_LONGEST_NUMBER)
        describe_problem(&body->problem, body->lines, "the %s '%s' has %td characters", what, show(word, text),
                         word.end - word.at);
    else if (!stop || stop != word.end)
        describe_problem(&body->problem, body->lines, "'%s' is not a number", show(word, text));
    else if (isinf(*value_p) && word.end[-1] < 'A') /* digits, and not a word */
        describe_problem(&body->problem, body->lines, "'%s' is beyond float64", show(word, text));
    else if (body->info->field == MNP_MM_INTEGER && mnp__mm_scan_integer(word.at, word.end, &integer) != word.end)
        describe_problem(&body->problem, body->lines, "'%s' is not an integer of 64 bits", show(word, text));
    return body->problem.line == 0;
}

static bool parse_value(mnp__mm_body *body, struct line *line, double value[2])
{
    value[0] = 1;
    value[1] = 0;
    if (body->info->field == MNP_MM_PATTERN)
        return true;
    if (body->info->field != MNP_MM_COMPLEX)
        return parse_number(body, line, "value", value);
    return parse_number(body, line, "real part", value) && parse_number(body, line, "imaginary part", value + 1);
}

/* Check a value on the diagonal against the symmetry. */
static bool check_diagonal(mnp__mm_body *body, const double value[2])
{
    if (body->info->symmetry == MNP_MM_SKEW_SYMMETRIC && (value[0] != 0 || value[1] != 0))
        describe_problem(&body->problem, body->lines, "the diagonal of a skew-symmetric matrix is zero");
    else if (body->info->symmetry == MNP_MM_HERMITIAN && value[1] != 0)
        describe_problem(&body->problem, body->lines, "the diagonal of a Hermitian matrix is real");
    return body->problem.line == 0;
}

static bool parse_entry(mnp__mm_body *body, struct line *line)
{
    const mnp_mm_info *info = body->info;
    int64_t row, column;
    double value[2];
    if (!parse_index(body, line, "row", info->nrows, &row) ||
        !parse_index(body, line, "column", info->ncolumns, &column) || !parse_value(body, line, value) ||
        (row == column && !check_diagonal(body, value)))
        return false;
    union value narrowed;
    mnp__value_set(body->dtype, &narrowed, 0, value);
    mnp__mm_append(body, row, column, &narrowed);
    return true;
}

static mnp_status parse_line(mnp__mm_body *body, struct line line)
{
    char text[SHOWN];
    double value[2];
    body->lines++;
    if (is_blank(&line))
        return MNP_OK;
    MNP_TRY(reserve(body));
    bool good = body->info->format == MNP_MM_COORDINATE ? parse_entry(body, &line) : parse_value(body, &line, value);
    if (good && !is_blank(&line))
        describe_problem(&body->problem, body->lines, "unexpected '%s' after the numbers",
                         show(next_word(&line), text));
    if (body->problem.line > 0)
        return MNP_ERR_FORMAT;
    if (body->info->format == MNP_MM_ARRAY)
        mnp__value_set(body->dtype, body->values, body->count++, value);
    body->read++;
    return MNP_OK;
}

mnp_status mnp__mm_parse_lines(mnp__mm_body *body, const char *text, size_t length)
{
    for (const char *at = text, *end = text + length; at < end;) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        MNP_TRY(parse_line(body, (struct line){at, stop ? stop : end}));
        at = stop ? stop + 1 : end;
    }
    return MNP_OK;
}

void mnp__mm_body_free(mnp__mm_body *body)
{
    free(body->rows);
    free(body->columns);
    free(body->values);
    body->rows = body->columns = NULL;
    body->values = NULL;
}
