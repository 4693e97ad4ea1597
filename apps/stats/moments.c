/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Moments: one user-defined reduction, whose accumulators hold counts, extremes, a mean, and the sum of squared
 * differences from it.  Two accumulators are joined as in T. F. Chan, G. H. Golub and R. J. LeVeque, "Algorithms for
 * computing the sample variance", 1983, both on the device and here.
 */
#include "stats/moments.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TEXT = 2048 };

/*
 * The point between two means, exactly the first where they are equal.  Their difference may overflow where the point
 * does not.  This is for the kernels; toward() below is for joining pieces.
 */
#define TOWARD                                                                                                         \
    "MNP_INLINE double toward(double a, double b, double share)\n"                                                     \
    "{\n"                                                                                                              \
    "    const double apart = b - a;\n"                                                                                \
    "    return apart - apart == 0 ? a + apart * share : a * (1 - share) + b * share;\n"                               \
    "}\n"

/* `V` is the type of the extremes, one of the types in a cell. */
static const char real_sets[] = TOWARD
    "typedef %s V;\n"
    "struct moments { int64_t finite, nans, above, below; double mean, squares; V least, greatest; };\n"
    "MNP_INLINE moments one(V x)\n"
    "{\n"
    "    const double y = (double)x;\n"
    "    if (y != y) return moments{0, 1, 0, 0, 0, 0, 0, 0};\n"
    "    if (y - y != 0) return moments{0, 0, y > 0, y < 0, 0, 0, 0, 0};\n"
    "    return moments{1, 0, 0, 0, y, 0, x, x};\n"
    "}\n"
    "MNP_INLINE moments join(const moments &a, const moments &b)\n"
    "{\n"
    "    const int64_t n = a.finite + b.finite;\n"
    "    const double share = n ? (double)b.finite / (double)n : 0, apart = b.mean - a.mean;\n"
    "    return moments{n, a.nans + b.nans, a.above + b.above, a.below + b.below, toward(a.mean, b.mean, share),\n"
    "                   a.squares + b.squares + apart * (apart * (share * (double)a.finite)),\n"
    "                   !a.finite || (b.finite && b.least < a.least) ? b.least : a.least,\n"
    "                   !a.finite || (b.finite && b.greatest > a.greatest) ? b.greatest : a.greatest};\n"
    "}\n";

static const char complex_sets[] = TOWARD
    "struct moments { int64_t finite, nans, above; double mean, imag, squares; };\n"
    "template <typename R> MNP_INLINE moments one(complex<R> z)\n"
    "{\n"
    "    const double x = z.re, y = z.im;\n"
    "    if (x != x || y != y) return moments{0, 1, 0, 0, 0, 0};\n"
    "    if (x - x != 0 || y - y != 0) return moments{0, 0, 1, 0, 0, 0};\n"
    "    return moments{1, 0, 0, x, y, 0};\n"
    "}\n"
    "MNP_INLINE moments join(const moments &a, const moments &b)\n"
    "{\n"
    "    const int64_t n = a.finite + b.finite;\n"
    "    const double share = n ? (double)b.finite / (double)n : 0, x = b.mean - a.mean, y = b.imag - a.imag;\n"
    "    const double weight = share * (double)a.finite;\n"
    "    return moments{n, a.nans + b.nans, a.above + b.above, toward(a.mean, b.mean, share),\n"
    "                   toward(a.imag, b.imag, share), a.squares + b.squares + x * (x * weight) + y * (y * weight)};\n"
    "}\n";

/* The columns that a kernel computes, in the order of its outputs, ended by NUM_COLUMNS. */
static const int real_columns[] = {COLUMN_FINITE,  COLUMN_NANS,  COLUMN_ABOVE,    COLUMN_BELOW, COLUMN_MEAN,
                                   COLUMN_SQUARES, COLUMN_LEAST, COLUMN_GREATEST, NUM_COLUMNS};
static const int complex_columns[] = {COLUMN_FINITE, COLUMN_NANS,    COLUMN_ABOVE, COLUMN_MEAN,
                                      COLUMN_IMAG,   COLUMN_SQUARES, NUM_COLUMNS};

static bool is_complex(mnp_dtype dtype)
{
    return mnp_dtype_kind(dtype) == 'c';
}

static mnp_status complex_kernel(mnp_ctx *ctx, mnp_reduction **kernel_p)
{
    return mnp_reduction_new(ctx, "T z",
                             "int64 finite, int64 nans, int64 above, float64 mean, float64 imag, "
                             "float64 squares",
                             "one(z)", "join(a, b)",
                             "finite = a.finite; nans = a.nans; above = a.above; mean = a.mean; imag = a.imag; "
                             "squares = a.squares",
                             "moments{0, 0, 0, 0, 0, 0}",
                             &(mnp_reduction_options){.name = "moments", .type = "moments", .preamble = complex_sets},
                             kernel_p);
}

mnp_status moments_kernel(mnp_ctx *ctx, mnp_dtype dtype, mnp_reduction **kernel_p)
{
    char sets[MAX_TEXT], outputs[256];
    char kind = mnp_dtype_kind(dtype);
    if (kind == 'c')
        return complex_kernel(ctx, kernel_p);
    const char *type = kind == 'f' ? "float64" : kind == 'i' ? "int64" : "uint64";
    snprintf(sets, sizeof sets, real_sets, kind == 'f' ? "double" : kind == 'i' ? "int64_t" : "uint64_t");
    snprintf(outputs, sizeof outputs,
             "int64 finite, int64 nans, int64 above, int64 below, float64 mean, "
             "float64 squares, %s least, %s greatest",
             type, type);
    return mnp_reduction_new(ctx, "T x", outputs, "one((V)x)", "join(a, b)",
                             "finite = a.finite; nans = a.nans; above = a.above; below = a.below; mean = a.mean; "
                             "squares = a.squares; least = a.least; greatest = a.greatest",
                             "moments{0, 0, 0, 0, 0, 0, 0, 0}",
                             &(mnp_reduction_options){.name = "moments", .type = "moments", .preamble = sets},
                             kernel_p);
}

/* Copy one column into the rows, through a buffer of `count` cells; both are used on the ranks that receive it. */
static mnp_status fetch_column(const mnp_array *column, int root, int64_t count, int number, cell *buffer,
                               moments *rows)
{
    mnp_ctx *ctx = mnp_array_ctx(column);
    mnp_status status = mnp_array_to_host(column, root, buffer);
    if (status != MNP_OK || (root != MNP_ALL_RANKS && mnp_ctx_rank(ctx) != root))
        return status;
    for (int64_t i = 0; i < count; i++)
        rows[i].cells[number] = buffer[i];
    return MNP_OK;
}

mnp_status moments_measure(mnp_reduction *kernel, const mnp_array *array, int axis, int64_t count, moments *rows)
{
    mnp_ctx *ctx = mnp_array_ctx(array);
    const int *columns = is_complex(mnp_array_dtype(array)) ? complex_columns : real_columns;
    int root = axis < 0 ? MNP_ALL_RANKS : 0, n = 0;
    mnp_array *results[NUM_COLUMNS] = {NULL}, **outputs[NUM_COLUMNS];
    for (; columns[n] != NUM_COLUMNS; n++)
        outputs[n] = &results[n];
    cell *buffer = malloc((size_t)(count ? count : 1) * sizeof *buffer);
    mnp_status status = mnp_agree(ctx, buffer ? MNP_OK : mnp_fail(MNP_ERR_MEMORY, "no memory on the host"));
    if (status == MNP_OK)
        status = mnp_reduction_call(kernel, MNP_INPUTS(array), axis < 0 ? MNP_ALL_AXES : MNP_AXIS(axis), n, outputs);
    for (int k = 0; k < n && status == MNP_OK; k++)
        status = fetch_column(results[k], root, count, columns[k], buffer, rows);
    for (int k = 0; k < n; k++)
        mnp_array_free(results[k]);
    free(buffer);
    return status;
}

/* Compare two extremes of floats, signed or unsigned integers. */
static bool is_less(char kind, cell a, cell b)
{
    return kind == 'f' ? a.real < b.real : kind == 'i' ? a.integer < b.integer : a.natural < b.natural;
}

static double toward(double a, double b, double share)
{
    const double apart = b - a;
    return isfinite(apart) ? a + apart * share : a * (1 - share) + b * share;
}

void moments_join(mnp_dtype dtype, const moments *more, moments *total)
{
    const cell *b = more->cells;
    cell *a = total->cells;
    char kind = mnp_dtype_kind(dtype);
    int64_t before = a[COLUMN_FINITE].integer, added = b[COLUMN_FINITE].integer;
    for (int k = COLUMN_FINITE; k <= COLUMN_BELOW; k++)
        a[k].integer += b[k].integer;
    if (added == 0)
        return;
    double share = (double)added / (double)(before + added), weight = share * (double)before;
    double x = b[COLUMN_MEAN].real - a[COLUMN_MEAN].real, y = b[COLUMN_IMAG].real - a[COLUMN_IMAG].real;
    a[COLUMN_MEAN].real = toward(a[COLUMN_MEAN].real, b[COLUMN_MEAN].real, share);
    a[COLUMN_IMAG].real = toward(a[COLUMN_IMAG].real, b[COLUMN_IMAG].real, share);
    a[COLUMN_SQUARES].real += b[COLUMN_SQUARES].real + x * (x * weight) + y * (y * weight);
    if (before == 0 || is_less(kind, b[COLUMN_LEAST], a[COLUMN_LEAST]))
        a[COLUMN_LEAST] = b[COLUMN_LEAST];
    if (before == 0 || is_less(kind, a[COLUMN_GREATEST], b[COLUMN_GREATEST]))
        a[COLUMN_GREATEST] = b[COLUMN_GREATEST];
}

static bool has_infinities(const moments *m)
{
    return m->cells[COLUMN_ABOVE].integer > 0 || m->cells[COLUMN_BELOW].integer > 0;
}

int64_t moments_count(const moments *m)
{
    return m->cells[COLUMN_FINITE].integer + m->cells[COLUMN_ABOVE].integer + m->cells[COLUMN_BELOW].integer;
}

double moments_mean(const moments *m, int part)
{
    bool above = m->cells[COLUMN_ABOVE].integer > 0, below = m->cells[COLUMN_BELOW].integer > 0;
    if (moments_count(m) == 0 || (above && below))
        return NAN;
    if (above || below)
        return above ? INFINITY : -INFINITY;
    return m->cells[part == 0 ? COLUMN_MEAN : COLUMN_IMAG].real;
}

double moments_std(const moments *m)
{
    int64_t count = moments_count(m);
    return count == 0 || has_infinities(m) ? NAN : sqrt(m->cells[COLUMN_SQUARES].real / (double)count);
}

cell moments_extreme(mnp_dtype dtype, const moments *m, int greatest)
{
    int64_t outside = m->cells[greatest ? COLUMN_ABOVE : COLUMN_BELOW].integer;
    double infinity = greatest ? INFINITY : -INFINITY;
    if (mnp_dtype_kind(dtype) != 'f')
        return m->cells[greatest ? COLUMN_GREATEST : COLUMN_LEAST];
    if (outside > 0 || moments_count(m) == 0)
        return (cell){.real = outside > 0 ? infinity : NAN};
    if (m->cells[COLUMN_FINITE].integer == 0) /* there are only infinities of the other sign */
        return (cell){.real = -infinity};
    return m->cells[greatest ? COLUMN_GREATEST : COLUMN_LEAST];
}
