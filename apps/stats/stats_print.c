/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Printing statistics as text and as JSON.
 *
 * Text has eight digits, and only the first and last rows of a long table.  JSON has all rows, and as many digits as
 * are needed to read back the same numbers; NaN is null and infinities are strings, as JSON has no numbers for them.
 */
#include "stats/stats.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/report.h"

enum { NUMBER = 32, FIRST_ROWS = 12, LAST_ROWS = 6, BAR = 40, TERMINAL_DIGITS = 8 };

/* ---- numbers ---- */

static const char *real_text(double value, char text[NUMBER])
{
    snprintf(text, NUMBER, "%.*g", TERMINAL_DIGITS, unsigned_nan(value));
    return text;
}

/* The shortest text that gives the same number when read. */
static const char *exact_text(double value, char text[NUMBER])
{
    if (isnan(value))
        return strcpy(text, "null");
    if (isinf(value))
        return strcpy(text, value > 0 ? "\"Infinity\"" : "\"-Infinity\"");
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, NUMBER, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    return text;
}

static const char *(*const texts[])(double, char[NUMBER]) = {real_text, exact_text};

/* The least or greatest element of a row; integers are printed exactly in both forms. */
static const char *extreme_text(const statistics *s, int64_t row, int greatest, bool json, char text[NUMBER])
{
    const moments *m = &s->rows[row];
    char kind = mnp_dtype_kind(s->input->dtype);
    if (moments_count(m) == 0 || kind == 'c')
        return texts[json](NAN, text);
    cell value = moments_extreme(s->input->dtype, m, greatest);
    if (kind == 'f')
        return texts[json](value.real, text);
    if (kind == 'i')
        snprintf(text, NUMBER, "%" PRId64, value.integer);
    else
        snprintf(text, NUMBER, "%" PRIu64, value.natural);
    return text;
}

static bool has_order(const statistics *s)
{
    return mnp_dtype_kind(s->input->dtype) != 'c';
}

/* ---- on the terminal ---- */

static void print_percentiles(const statistics *s)
{
    char text[NUMBER], name[NUMBER];
    for (int k = 0; k < s->npercents; k++) {
        snprintf(name, sizeof name, "%g%%", s->percents[k]);
        printf("%-9s %s\n", name, real_text(s->values[(int64_t)k * s->nrows], text));
    }
}

static void print_all(const statistics *s)
{
    const moments *m = s->rows;
    char text[NUMBER];
    int64_t nans = m->cells[COLUMN_NANS].integer, above = m->cells[COLUMN_ABOVE].integer;
    int64_t below = m->cells[COLUMN_BELOW].integer;
    printf("count     %" PRId64 "\n", moments_count(m) + nans);
    if (strchr("fc", mnp_dtype_kind(s->input->dtype))) {
        printf("NaN       %" PRId64 "\n", nans);
        printf("infinite  %" PRId64, above + below);
        if (has_order(s) && above + below > 0)
            printf(" (%" PRId64 " positive, %" PRId64 " negative)", above, below);
        putchar('\n');
    }
    printf("mean      %s", real_text(moments_mean(m, 0), text));
    if (!has_order(s))
        printf(" %c %sj", moments_mean(m, 1) < 0 ? '-' : '+', real_text(fabs(moments_mean(m, 1)), text));
    printf("\nstd       %s\n", real_text(moments_std(m), text));
    if (has_order(s)) {
        printf("min       %s\n", extreme_text(s, 0, 0, false, text));
        print_percentiles(s);
        printf("max       %s\n", extreme_text(s, 0, 1, false, text));
    }
}

static double edge(const statistics *s, int i)
{
    return i == s->bins ? s->high : s->low + i * ((s->high - s->low) / s->bins); /* as numpy.linspace() */
}

static void print_histogram(const statistics *s)
{
    int64_t most = 1;
    char from[NUMBER], to[NUMBER], bar[BAR + 1];
    memset(bar, '#', BAR);
    bar[BAR] = '\0';
    for (int b = 0; b < s->bins; b++)
        most = s->counts[b] > most ? s->counts[b] : most;
    puts("histogram");
    for (int b = 0; b < s->bins; b++) {
        int length = (int)lround((double)s->counts[b] / (double)most * BAR);
        snprintf(from, sizeof from, s->whole ? "%.0f" : "%.5g", edge(s, b));
        snprintf(to, sizeof to, s->whole ? "%.0f" : "%.5g", edge(s, b + 1) - (s->whole ? 1 : 0));
        printf("%12s .. %-12s %12" PRId64 "%s%.*s\n", from, to, s->counts[b], length > 0 ? "  " : "", length, bar);
    }
}

/* Print the index of a row, with ':' for the axis: "3,:,5". */
static void print_index(const statistics *s, int64_t row)
{
    int64_t index[MNP_MAX_DIMS];
    char text[MNP_MAX_DIMS * 21 + 1] = "";
    for (int d = s->input->ndim - 1; d >= 0; d--) {
        if (d == s->axis)
            continue;
        index[d] = row % s->input->shape[d];
        row /= s->input->shape[d];
    }
    for (int d = 0; d < s->input->ndim; d++) {
        size_t length = strlen(text);
        if (d == s->axis)
            snprintf(text + length, sizeof text - length, "%s:", d > 0 ? "," : "");
        else
            snprintf(text + length, sizeof text - length, "%s%" PRId64, d > 0 ? "," : "", index[d]);
    }
    printf("%-14s", text);
}

static void print_row(const statistics *s, int64_t row)
{
    const moments *m = &s->rows[row];
    char text[NUMBER];
    print_index(s, row);
    printf(" %8" PRId64, m->cells[COLUMN_NANS].integer);
    printf(" %14s", real_text(moments_mean(m, 0), text));
    if (!has_order(s))
        printf(" %14s", real_text(moments_mean(m, 1), text));
    printf(" %14s", real_text(moments_std(m), text));
    if (has_order(s)) {
        printf(" %14s", extreme_text(s, row, 0, false, text));
        for (int k = 0; k < s->npercents; k++)
            printf(" %14s", real_text(s->values[(int64_t)k * s->nrows + row], text));
        printf(" %14s", extreme_text(s, row, 1, false, text));
    }
    putchar('\n');
}

static void print_table(const statistics *s)
{
    printf("%-14s %8s %14s", "index", "NaN", "mean");
    if (!has_order(s))
        printf(" %14s", "imaginary");
    printf(" %14s", "std");
    if (has_order(s)) {
        printf(" %14s", "min");
        for (int k = 0; k < s->npercents; k++) {
            char name[NUMBER];
            snprintf(name, sizeof name, "%g%%", s->percents[k]);
            printf(" %14s", name);
        }
        printf(" %14s", "max");
    }
    putchar('\n');
    for (int64_t row = 0; row < s->nrows; row++) {
        if (row == FIRST_ROWS && s->nrows > FIRST_ROWS + LAST_ROWS + 1) {
            row = s->nrows - LAST_ROWS;
            printf("... %" PRId64 " more rows, see --json ...\n", s->nrows - FIRST_ROWS - LAST_ROWS);
        }
        print_row(s, row);
    }
}

void stats_print(const statistics *s)
{
    if (s->axis >= 0)
        print_table(s);
    else
        print_all(s);
    if (s->bins > 0)
        print_histogram(s);
}

/* ---- JSON ---- */

/* Print a number; with an axis, a list of the numbers of all rows. */
static void json_column(const statistics *s, const char *name, void (*print)(const statistics *, int64_t))
{
    printf(",\n  \"%s\": %s", name, s->axis >= 0 ? "[" : "");
    for (int64_t row = 0; row < s->nrows; row++) {
        printf("%s", row > 0 ? ", " : "");
        print(s, row);
    }
    printf("%s", s->axis >= 0 ? "]" : "");
}

static void json_number(double value)
{
    char text[NUMBER];
    fputs(exact_text(value, text), stdout);
}

static void json_count(const statistics *s, int64_t row)
{
    printf("%" PRId64, moments_count(&s->rows[row]) + s->rows[row].cells[COLUMN_NANS].integer);
}

static void json_nans(const statistics *s, int64_t row)
{
    printf("%" PRId64, s->rows[row].cells[COLUMN_NANS].integer);
}

static void json_infinities(const statistics *s, int64_t row)
{
    printf("%" PRId64, s->rows[row].cells[COLUMN_ABOVE].integer + s->rows[row].cells[COLUMN_BELOW].integer);
}

static void json_mean(const statistics *s, int64_t row)
{
    json_number(moments_mean(&s->rows[row], 0));
}

static void json_imaginary(const statistics *s, int64_t row)
{
    json_number(moments_mean(&s->rows[row], 1));
}

static void json_std(const statistics *s, int64_t row)
{
    json_number(moments_std(&s->rows[row]));
}

static void json_min(const statistics *s, int64_t row)
{
    char text[NUMBER];
    fputs(extreme_text(s, row, 0, true, text), stdout);
}

static void json_max(const statistics *s, int64_t row)
{
    char text[NUMBER];
    fputs(extreme_text(s, row, 1, true, text), stdout);
}

static void json_percentiles(const statistics *s)
{
    char text[NUMBER];
    printf(",\n  \"percentiles\": {");
    for (int k = 0; k < s->npercents; k++) {
        printf("%s\"%s\": %s", k > 0 ? ", " : "", exact_text(s->percents[k], text), s->axis >= 0 ? "[" : "");
        for (int64_t row = 0; row < s->nrows; row++) {
            printf("%s", row > 0 ? ", " : "");
            json_number(s->values[(int64_t)k * s->nrows + row]);
        }
        printf("%s", s->axis >= 0 ? "]" : "");
    }
    printf("}");
}

static void json_histogram(const statistics *s)
{
    printf(",\n  \"histogram\": {\"edges\": [");
    for (int b = 0; b <= s->bins; b++) {
        printf("%s", b > 0 ? ", " : "");
        json_number(edge(s, b));
    }
    printf("], \"counts\": [");
    for (int b = 0; b < s->bins; b++)
        printf("%s%" PRId64, b > 0 ? ", " : "", s->counts[b]);
    printf("]}");
}

static void json_shape(const char *name, const operand *input, int left_out)
{
    printf(",\n  \"%s\": [", name);
    for (int d = 0, first = 1; d < input->ndim; d++) {
        if (d == left_out)
            continue;
        printf("%s%" PRId64, first ? "" : ", ", input->shape[d]);
        first = 0;
    }
    printf("]");
}

/* A member of the object, if there is one. */
static void json_text(const char *name, const char *text)
{
    if (!text)
        return;
    printf(",\n  \"%s\": ", name);
    print_json_string(text);
}

void stats_print_json(const statistics *s)
{
    printf("{\n  \"file\": ");
    print_json_string(s->input->file);
    json_text("dataset", s->input->dataset);
    json_text("subscripts", s->input->subscripts);
    printf(",\n  \"dtype\": \"%s\"", mnp_dtype_name(s->input->dtype));
    json_shape("shape", s->input, -1);
    if (s->axis >= 0) {
        printf(",\n  \"axis\": %d", s->axis);
        json_shape("shape_of_results", s->input, s->axis);
    }
    json_column(s, "count", json_count);
    json_column(s, "nan", json_nans);
    json_column(s, "infinite", json_infinities);
    json_column(s, "mean", json_mean);
    if (!has_order(s))
        json_column(s, "mean_imaginary", json_imaginary);
    json_column(s, "std", json_std);
    if (has_order(s)) {
        json_column(s, "min", json_min);
        json_column(s, "max", json_max);
        json_percentiles(s);
    }
    if (s->bins > 0)
        json_histogram(s);
    printf("\n}\n");
}
