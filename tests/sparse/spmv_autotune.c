/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kernels for products, selected by MANIPLE_SPMV and by measurement, against plain loops, with numbers that are exact
 * in all types; the dot product that a product also computes; and the report of the choice.
 */
#include <maniple.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "context/context.h"
#include "sparse/matrix/sparse.h"
#include "sparse/step/step.h"

enum { LONG_ROW = 100000, MOST_LENGTH = LONG_ROW + 2 };

static const mnp_dtype dtypes[] = {MNP_FLOAT64, MNP_COMPLEX64, MNP_FLOAT32, MNP_COMPLEX128};
enum { DTYPES = sizeof dtypes / sizeof *dtypes };

/* ---- matrices that all ranks know ---- */

/* Give the columns of row i, rising; their number. */
typedef int64_t (*pattern)(int64_t i, int64_t ncolumns, int64_t *columns);

/* Seven diagonals, from some rows. */
static int64_t band(int64_t i, int64_t ncolumns, int64_t *columns)
{
    static const int64_t diagonals[] = {-90, -9, -1, 0, 1, 9, 90};
    int64_t count = 0;
    for (int d = 0; d < 7; d++)
        if (i + diagonals[d] >= 0 && i + diagonals[d] < ncolumns && (i % 9 != 8 || diagonals[d] != 1))
            columns[count++] = i + diagonals[d];
    return count;
}

/* Every so many columns, up to `length` of them. */
static int64_t spread(int64_t i, int64_t ncolumns, int64_t length, int64_t *columns)
{
    const int64_t step = length > 0 && ncolumns / length > 1 ? ncolumns / length : 1;
    int64_t count = 0;
    for (int64_t j = i * 7 % step; j < ncolumns && count < length; j += step)
        columns[count++] = j;
    return count;
}

/* Rows of 0 to 9 entries, some of them empty, and once many of these on end. */
static int64_t ragged(int64_t i, int64_t ncolumns, int64_t *columns)
{
    return spread(i, ncolumns, i > 300 && i < 700 ? 0 : i * 5 % 10, columns);
}

/* Rows that a thread, a warp and a block add up; 64, 512 and 2560 are where that changes. */
static int64_t mixed(int64_t i, int64_t ncolumns, int64_t *columns)
{
    static const int64_t lengths[] = {3, 64, 65, 0, 511, 512, 513, 2, 2559, 2560, 2561, 1, 4000};
    return spread(i, ncolumns, lengths[i % 13], columns);
}

static int64_t one_long(int64_t i, int64_t ncolumns, int64_t *columns)
{
    return i == 77 ? spread(i, ncolumns, LONG_ROW, columns) : spread(i, ncolumns, 2, columns);
}

static int64_t full(int64_t i, int64_t ncolumns, int64_t *columns)
{
    return spread(i, ncolumns, ncolumns, columns);
}

static const struct {
    const char *name;
    pattern columns;
    int64_t nrows, ncolumns;
} matrices[] = {{"a band", band, 2000, 2000},     {"ragged rows", ragged, 3000, 3000},
                {"long rows", mixed, 130, 5000},  {"one long row", one_long, 300, LONG_ROW + 50},
                {"a tall matrix", full, 3000, 3}, {"a wide matrix", full, 3, 3000},
                {"two rows", full, 2, 2},         {"one row", full, 1, 1},
                {"no rows", full, 0, 5},          {"no columns", ragged, 5, 0}};
enum { MATRICES = sizeof matrices / sizeof *matrices, SQUARE = 2 /* the first of them, and two later ones */ };

static void entry(mnp_dtype dtype, int64_t i, int64_t j, double value[2])
{
    value[0] = (double)((i * 3 + j * 5) % 3 + 1);
    value[1] = mnp_dtype_kind(dtype) == 'c' ? (double)((i + j * 2) % 3 - 1) : 0;
}

static void element(mnp_dtype dtype, int64_t i, double value[2])
{
    value[0] = (double)(i * 7 % 5 - 2);
    value[1] = mnp_dtype_kind(dtype) == 'c' ? (double)(i % 3 - 1) : 0;
}

static mnp_sparse *make_matrix(mnp_ctx *ctx, mnp_dtype dtype, int m)
{
    const int64_t nrows = matrices[m].nrows, ncolumns = matrices[m].ncolumns;
    int64_t *listed = malloc(MOST_LENGTH * sizeof *listed), *rows = NULL, *columns = NULL, count = 0;
    char *values = NULL;
    mnp_sparse *matrix = NULL;
    for (int64_t i = mnp_ctx_rank(ctx); i < nrows; i += mnp_ctx_size(ctx)) {
        const int64_t length = matrices[m].columns(i, ncolumns, listed);
        rows = realloc(rows, (size_t)(count + length + 1) * sizeof *rows);
        columns = realloc(columns, (size_t)(count + length + 1) * sizeof *columns);
        values = realloc(values, (size_t)(count + length + 1) * sizeof(double[2]));
        for (int64_t k = 0; k < length; k++, count++) {
            double value[2];
            entry(dtype, i, listed[k], value);
            mnp__value_set(dtype, values, count, value);
            rows[count] = i;
            columns[count] = listed[k];
        }
    }
    MNP_OR_EXIT(
        mnp_sparse_from_triplets(ctx, dtype, nrows, ncolumns, NULL, NULL, count, rows, columns, values, &matrix));
    free(listed);
    free(rows);
    free(columns);
    free(values);
    return matrix;
}

static mnp_array *make_vector(const mnp_sparse *matrix, mnp_dtype dtype)
{
    const int64_t n = mnp_sparse_shape(matrix)[1];
    void *values = malloc((size_t)(n + 1) * sizeof(double[2]));
    mnp_array *x = NULL, *there = NULL;
    for (int64_t i = 0; i < n; i++) {
        double value[2];
        element(dtype, i, value);
        mnp__value_set(dtype, values, i, value);
    }
    MNP_OR_EXIT(mnp_array_from_host(mnp_sparse_ctx(matrix), dtype, 1, &n, values, &x));
    MNP_OR_EXIT(mnp_redistribute(x, mnp_sparse_column_layout(matrix), &there));
    mnp_array_free(x);
    free(values);
    return there;
}

static void fetch(const mnp_array *y, double (*values)[2])
{
    mnp_array *wide = NULL;
    MNP_OR_EXIT(mnp_astype(y, MNP_COMPLEX128, &wide));
    MNP_OR_EXIT(mnp_array_to_host(wide, MNP_ALL_RANKS, values));
    mnp_array_free(wide);
}

/* y[i], by a plain loop. */
static void multiply(mnp_dtype dtype, int m, int64_t i, int64_t *listed, double sum[2])
{
    const int64_t length = matrices[m].columns(i, matrices[m].ncolumns, listed);
    sum[0] = sum[1] = 0;
    for (int64_t k = 0; k < length; k++) {
        double a[2], x[2];
        entry(dtype, i, listed[k], a);
        element(dtype, listed[k], x);
        sum[0] += a[0] * x[0] - a[1] * x[1];
        sum[1] += a[0] * x[1] + a[1] * x[0];
    }
}

/* How many elements of y are wrong; *dot: the sum of conj(x[i]) y[i]. */
static int64_t count_wrong(mnp_dtype dtype, int m, double (*y)[2], double dot[2])
{
    int64_t *listed = malloc(MOST_LENGTH * sizeof *listed), wrong = 0;
    dot[0] = dot[1] = 0;
    for (int64_t i = 0; i < matrices[m].nrows; i++) {
        double right[2], x[2];
        multiply(dtype, m, i, listed, right);
        element(dtype, i, x);
        wrong += y[i][0] != right[0] || y[i][1] != right[1];
        dot[0] += x[0] * right[0] + x[1] * right[1];
        dot[1] += x[0] * right[1] - x[1] * right[0];
    }
    free(listed);
    return wrong;
}

/* ---- products ---- */

/* Twice, as the first product may be the one at which a kernel is chosen. */
static void check_product(mnp_ctx *ctx, const char *way, mnp_dtype dtype, int m)
{
    mnp_sparse *matrix = make_matrix(ctx, dtype, m);
    mnp_array *x = make_vector(matrix, dtype), *y = NULL;
    double(*values)[2] = malloc((size_t)(matrices[m].nrows + 1) * sizeof *values), dot[2];
    int64_t wrong = 0;
    for (int i = 0; i < 2; i++) {
        MNP_OR_EXIT(mnp_sparse_matmul(matrix, x, &y));
        fetch(y, values);
        wrong += count_wrong(dtype, m, values, dot);
    }
    ok(wrong == 0, "%s by %s, %s: %" PRId64 " are wrong", matrices[m].name, way, mnp_dtype_name(dtype), wrong);
    mnp_free_all(x, y);
    mnp_sparse_free(matrix);
    free(values);
}

/* ---- dots ---- */

/* The product and its dot over all ranks, of a method that is over or not; false: there is no such kernel. */
static bool multiply_with_dot(const mnp_sparse *matrix, const mnp_array *x, bool over, mnp_array *y, double dot[2])
{
    mnp_ctx *ctx = mnp_sparse_ctx(matrix);
    const struct mnp_step_control control = {.done = over ? MNP_DONE_CONVERGED : MNP_GOING};
    mnp__steps *steps = NULL;
    bool done = false;
    MNP_OR_EXIT(mnp__steps_new(ctx, x->dtype, &(mnp__scalars){.reals = NULL}, 0, 0, 0, &steps));
    MNP_OR_EXIT(mnp__steps_begin(steps, &control));
    const mnp__steps_buffers places = mnp__steps_buffers_of(steps);
    for (int i = 0; i < 2; i++) { /* the second time the sum begins anew */
        MNP_OR_EXIT(mnp__sparse_apply_dot(matrix, x->dtype, x->data, y->data, &places, &done));
        MNP_OR_EXIT(mnp__sum_over_ranks(ctx, x->dtype, places.state + sizeof(struct mnp_step_control), 1));
    }
    MNP_OR_EXIT(mnp__steps_sum(steps, 0, dot));
    mnp__steps_free(steps);
    return done;
}

static void check_dot(mnp_ctx *ctx, const char *way, mnp_dtype dtype, mnp_sparse_format format, int m)
{
    mnp_sparse *made = make_matrix(ctx, dtype, m), *matrix = NULL;
    const double seven[2] = {7, 0};
    double number[2], got[2], none[2], right[2];
    double(*values)[2] = malloc((size_t)(matrices[m].nrows + 1) * sizeof *values);
    MNP_OR_EXIT(mnp_sparse_convert(made, format, 0, &matrix));
    mnp_array *x = make_vector(matrix, dtype), *y = NULL;
    mnp__value_set(dtype, number, 0, seven);
    MNP_OR_EXIT(mnp_full_like(x, dtype, number, &y));
    const bool done = multiply_with_dot(matrix, x, false, y, got);
    fetch(y, values);
    const int64_t wrong = count_wrong(dtype, m, values, right);
    const bool is_right = got[0] == right[0] && (mnp_dtype_kind(dtype) != 'c' || got[1] == right[1]);
    ok(done && wrong == 0 && is_right, "%s by %s, format %d, %s, and a dot: %" PRId64 " are wrong, %g for %g",
       matrices[m].name, way, (int)format, mnp_dtype_name(dtype), wrong, got[0], right[0]);
    MNP_OR_EXIT(mnp_full_like(x, dtype, number, &y));
    bool untouched = multiply_with_dot(matrix, x, true, y, none) && none[0] == 0;
    fetch(y, values);
    for (int64_t i = 0; i < matrices[m].nrows; i++)
        untouched = untouched && values[i][0] == seven[0];
    ok(untouched, "%s by %s, format %d: nothing is done once the method is over", matrices[m].name, way, (int)format);
    mnp_free_all(x, y);
    mnp_sparse_free(made);
    mnp_sparse_free(matrix);
    free(values);
}

static void formats_have_dots(mnp_ctx *ctx)
{
    static const mnp_sparse_format with[] = {MNP_DIA, MNP_BSR, MNP_SELL}, without[] = {MNP_CSC, MNP_COO};
    for (int f = 0; f < 3; f++)
        check_dot(ctx, "measure", f == 1 ? MNP_COMPLEX64 : MNP_FLOAT64, with[f], 0);
    for (int f = 0; f < 2; f++) {
        mnp_sparse *made = make_matrix(ctx, MNP_FLOAT64, 0), *matrix = NULL;
        double dot[2] = {0, 0};
        MNP_OR_EXIT(mnp_sparse_convert(made, without[f], 0, &matrix));
        mnp_array *x = make_vector(matrix, MNP_FLOAT64), *y = NULL;
        MNP_OR_EXIT(mnp_full_like(x, MNP_FLOAT64, &dot, &y));
        ok(!multiply_with_dot(matrix, x, false, y, dot), "format %d has no dot", (int)without[f]);
        mnp_free_all(x, y);
        mnp_sparse_free(made);
        mnp_sparse_free(matrix);
    }
}

/* ---- what was chosen ---- */

/* What is said of a matrix; empty on all ranks but the first. */
static void describe(const mnp_sparse *matrix, char text[512])
{
    FILE *file = tmpfile();
    mnp_sparse_describe(matrix, file);
    rewind(file);
    text[fread(text, 1, 511, file)] = '\0';
    fclose(file);
}

static bool is_said(const mnp_sparse *matrix, const char *words)
{
    char text[512];
    describe(matrix, text);
    return mnp_ctx_rank(mnp_sparse_ctx(matrix)) == 0 ? strstr(text, words) != NULL : *text == '\0';
}

/* The algorithm that is asked for is taken where the matrix allows it. */
static void check_choice(mnp_ctx *ctx, const char *way, bool has_blocks, int m, const char *expected)
{
    mnp_sparse *matrix = make_matrix(ctx, MNP_FLOAT64, m);
    mnp_array *x = make_vector(matrix, MNP_FLOAT64), *y = NULL;
    char words[64];
    bool good = is_said(matrix, "product: not chosen yet\n");
    MNP_OR_EXIT(mnp_sparse_matmul(matrix, x, &y));
    snprintf(words, sizeof words, "product: %s\n", expected);
    good = good && is_said(matrix, words);
    ok(good, "%s by %s %s: %s", matrices[m].name, way, has_blocks ? "on a GPU" : "on the host", expected);
    mnp_free_all(x, y);
    mnp_sparse_free(matrix);
}

/* An infinite element of x reaches only the rows that have an entry in its column, in every format. */
static void check_infinity(mnp_ctx *ctx, const char *way)
{
    enum { N = 2000, AT = 1000 };
    mnp_sparse *matrix = make_matrix(ctx, MNP_FLOAT64, 0);
    double *values = calloc(N, sizeof *values);
    const int64_t shape[] = {N};
    mnp_array *x = NULL, *y = NULL;
    values[AT] = 1e308 * 10;
    MNP_OR_EXIT(mnp_array_from_host(ctx, MNP_FLOAT64, 1, shape, values, &x));
    MNP_OR_EXIT(mnp_sparse_matmul(matrix, x, &y));
    MNP_OR_EXIT(mnp_array_to_host(y, MNP_ALL_RANKS, values));
    int wrong = 0;
    for (int64_t i = 0; i < N; i++) {
        int64_t columns[7];
        const int64_t count = band(i, N, columns);
        bool touches = false;
        for (int64_t k = 0; k < count; k++)
            touches = touches || columns[k] == AT;
        wrong += touches ? values[i] != 1e308 * 10 : values[i] != 0;
    }
    ok(wrong == 0, "an infinite element by %s: %d are wrong", way, wrong);
    mnp_free_all(x, y);
    mnp_sparse_free(matrix);
    free(values);
}

/* Numbers that are rounded, on a grid that is large enough to be measured: all algorithms give the same bits. */
static void check_bits(mnp_ctx *ctx, const char *way, bool measured, double *first, int number)
{
    enum { SIDE = 128 };
    static const int64_t offsets[] = {0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1};
    static const double coefficients[] = {6.1, -1.3, -0.7, -1.1, -0.9, -1.2, -0.8};
    const int64_t shape[] = {SIDE, SIDE, SIDE}, n = (int64_t)SIDE * SIDE * SIDE;
    mnp_sparse *matrix = NULL;
    mnp_array *x = NULL, *y = NULL;
    double *values = malloc((size_t)n * sizeof *values);
    MNP_OR_EXIT(mnp_csr_from_stencil(ctx, MNP_FLOAT64, 3, shape, NULL, 7, offsets, coefficients, &matrix));
    for (int64_t i = 0; i < n; i++)
        values[i] = 1 / (double)(1 + i * 31 % 1237) - 0.01;
    MNP_OR_EXIT(mnp_array_from_host(ctx, MNP_FLOAT64, 1, &n, values, &x));
    MNP_OR_EXIT(mnp_sparse_matmul(matrix, x, &y));
    MNP_OR_EXIT(mnp_array_to_host(y, MNP_ALL_RANKS, values));
    if (number == 0)
        memcpy(first, values, (size_t)n * sizeof *values);
    ok(memcmp(first, values, (size_t)n * sizeof *values) == 0, "%s gives the same bits", way);
    if (measured) {
        char text[512];
        describe(matrix, text);
        if (mnp_ctx_rank(ctx) == 0)
            printf("# %s", text);
        ok(is_said(matrix, "stream ") && is_said(matrix, "rows ") && is_said(matrix, "chosen in"),
           "what was measured is told");
    }
    mnp_free_all(x, y);
    mnp_sparse_free(matrix);
    free(values);
}

static void check_way(const char *way, bool all_types, double *first, int number)
{
    mnp_ctx *ctx = NULL;
    char options[32];
    snprintf(options, sizeof options, "spmv=%s", way);
    MNP_OR_EXIT(mnp_init(MPI_COMM_WORLD, options, &ctx));
    const bool has_blocks = ctx->device->block_memory > 0;
    const bool converts = strcmp(way, "sell") == 0 || strcmp(way, "dia") == 0;
    const char *const usual = has_blocks ? "stream" : "as stored";
    for (int d = 0; d < (all_types ? DTYPES : 2); d++) {
        for (int m = 0; m < MATRICES; m++)
            check_product(ctx, way, dtypes[d], m);
        for (int m = 0; m < SQUARE; m++)
            check_dot(ctx, way, dtypes[d], MNP_CSR, m);
        check_dot(ctx, way, dtypes[d], MNP_CSR, 6); /* ranks without rows */
    }
    check_choice(ctx, way, has_blocks, 0, converts ? way : has_blocks && strcmp(way, "rows") == 0 ? way : usual);
    check_choice(ctx, way, has_blocks, 3, usual);
    check_infinity(ctx, way);
    if (all_types)
        formats_have_dots(ctx);
    if (has_blocks)
        check_bits(ctx, way, number == 0, first, number);
    mnp_finalize(ctx);
}

int main(void)
{
    static const char *const ways[] = {"measure", "stream", "rows", "sell", "dia"};
    MPI_Init(NULL, NULL);
    double *first = malloc((size_t)128 * 128 * 128 * sizeof *first);
    for (int w = 0; w < (int)(sizeof ways / sizeof *ways); w++)
        check_way(ways[w], w == 0, first, w);
    free(first);
    const int status = done_testing();
    MPI_Finalize();
    return status;
}
