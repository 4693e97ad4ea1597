/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Printing statistics as text and as JSON.
 *
 * Text has eight digits, and only the first and last rows of a long table.  JSON has all rows, and as many digits as
 * are needed to read back the same numbers.
 */
#include "stats/stats.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/json.h"
#include "report/report.h"

enum { NUMBER = 32, FIRST_ROWS = 12, LAST_ROWS = 6, BAR = 40, TERMINAL_DIGITS = 8 };

/* ---- numbers ---- */

static const char *real_text(double value, char text[NUMBER])
{
    snprintf(text, NUMBER, "%.*g", TERMINAL_DIGITS, unsigned_nan(value));
    return text;
}

/* The least or greatest element of a row; integers are printed exactly. */
static const char *extreme_text(const statistics *s, int64_t row, int greatest, char text[NUMBER])
{
    const moments *m = &s->rows[row];
    const char kind = mnp_dtype_kind(s->input->dtype);
    if (moments_count(m) == 0 || kind == 'c')
        return real_text(NAN, text);
    const cell value = moments_extreme(s->input->dtype, m, greatest);
    if (kind == 'f')
        return real_text(value.real, text);
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
        printf("min       %s\n", extreme_text(s, 0, 0, text));
        print_percentiles(s);
        printf("max       %s\n", extreme_text(s, 0, 1, text));
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
        printf(" %14s", extreme_text(s, row, 0, text));
        for (int k = 0; k < s->npercents; k++)
            printf(" %14s", real_text(s->values[(int64_t)k * s->nrows + row], text));
        printf(" %14s", extreme_text(s, row, 1, text));
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

/* A number; with an axis, a list of the numbers of all rows. */
static void json_column(json_writer *j, const statistics *s, const char *name,
                        void (*value)(json_writer *, const char *, const statistics *, int64_t))
{
    if (s->axis < 0) {
        value(j, name, s, 0);
        return;
    }
    json_row(j, name, '[');
    for (int64_t row = 0; row < s->nrows; row++)
        value(j, NULL, s, row);
    json_close(j);
}

static void json_count(json_writer *j, const char *name, const statistics *s, int64_t row)
{
    json_integer(j, name, moments_count(&s->rows[row]) + s->rows[row].cells[COLUMN_NANS].integer);
}

static void json_nans(json_writer *j, const char *name, const statistics *s, int64_t row)
{
    json_integer(j, name, s->rows[row].cells[COLUMN_NANS].integer);
}

static void json_infinities(json_writer *j, const char *name, const statistics *s, int64_t row)
{
    json_integer(j, name, s->rows[row].cells[COLUMN_ABOVE].integer + s->rows[row].cells[COLUMN_BELOW].integer);
}

static void json_mean(json_writer *j, const char *name, const statistics *s, int64_t row)
{
    json_number(j, name, moments_mean(&s->rows[row], 0));
}

static void json_imaginary(json_writer *j, const char *name, const statistics *s, int64_t row)
{
    json_number(j, name, moments_mean(&s->rows[row], 1));
}

static void json_std(json_writer *j, const char *name, const statistics *s, int64_t row)
{
    json_number(j, name, moments_std(&s->rows[row]));
}

/* Integers are exact; floats have all their digits. */
static void json_extreme(json_writer *j, const char *name, const statistics *s, int64_t row, int greatest)
{
    const moments *m = &s->rows[row];
    const char kind = mnp_dtype_kind(s->input->dtype);
    const bool any = moments_count(m) > 0;
    const cell value = any ? moments_extreme(s->input->dtype, m, greatest) : (cell){.real = NAN};
    if (!any || kind == 'f')
        json_number(j, name, any ? value.real : NAN);
    else if (kind == 'i')
        json_integer(j, name, value.integer);
    else
        json_natural(j, name, value.natural);
}

static void json_min(json_writer *j, const char *name, const statistics *s, int64_t row)
{
    json_extreme(j, name, s, row, 0);
}

static void json_max(json_writer *j, const char *name, const statistics *s, int64_t row)
{
    json_extreme(j, name, s, row, 1);
}

static void json_percentiles(json_writer *j, const statistics *s)
{
    json_open(j, "percentiles", '{');
    for (int k = 0; k < s->npercents; k++) {
        const double *values = s->values + (int64_t)k * s->nrows;
        char name[NUMBER];
        shortest_number(s->percents[k], name);
        if (s->axis < 0) {
            json_number(j, name, *values);
            continue;
        }
        json_row(j, name, '[');
        for (int64_t row = 0; row < s->nrows; row++)
            json_number(j, NULL, values[row]);
        json_close(j);
    }
    json_close(j);
}

static void json_histogram(json_writer *j, const statistics *s)
{
    json_open(j, "histogram", '{');
    json_row(j, "edges", '[');
    for (int b = 0; b <= s->bins; b++)
        json_number(j, NULL, edge(s, b));
    json_close(j);
    json_integers(j, "counts", s->bins, s->counts);
    json_close(j);
}

static void json_shape(json_writer *j, const char *name, const operand *input, int left_out)
{
    json_row(j, name, '[');
    for (int d = 0; d < input->ndim; d++)
        if (d != left_out)
            json_integer(j, NULL, input->shape[d]);
    json_close(j);
}

void stats_print_json(const statistics *s, json_writer *j)
{
    json_text(j, "file", s->input->file);
    if (s->input->dataset)
        json_text(j, "dataset", s->input->dataset);
    if (s->input->subscripts)
        json_text(j, "subscripts", s->input->subscripts);
    json_text(j, "dtype", mnp_dtype_name(s->input->dtype));
    json_shape(j, "shape", s->input, -1);
    if (s->axis >= 0) {
        json_integer(j, "axis", s->axis);
        json_shape(j, "shape_of_results", s->input, s->axis);
    }
    json_column(j, s, "count", json_count);
    json_column(j, s, "nan", json_nans);
    json_column(j, s, "infinite", json_infinities);
    json_column(j, s, "mean", json_mean);
    if (!has_order(s))
        json_column(j, s, "mean_imaginary", json_imaginary);
    json_column(j, s, "std", json_std);
    if (has_order(s)) {
        json_column(j, s, "min", json_min);
        json_column(j, s, "max", json_max);
        json_percentiles(j, s);
    }
    if (s->bins > 0)
        json_histogram(j, s);
}
