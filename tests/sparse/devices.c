/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Products of all formats and types, on the GPU where there is one, with numbers that are exact in all types.
 */
#include <maniple.h>

#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "sparse/matrix/csr.h"

enum { ROWS = 331, COLUMNS = 277, MOST_WIDTH = 5 };

static const mnp_dtype dtypes[] = {MNP_FLOAT32, MNP_FLOAT64, MNP_COMPLEX64, MNP_COMPLEX128};

/* The matrix, as every rank knows it: a band, a full row, rows that are empty, and what is scattered. */
static bool is_stored(int64_t i, int64_t j)
{
    if (i % 9 == 4)
        return false;
    return i == 100 || (j - i >= -2 && j - i <= 2) || (i * 17 + j * 29) % 37 == 0;
}

static void entry(mnp_dtype dtype, int64_t i, int64_t j, double value[2])
{
    value[0] = is_stored(i, j) ? (double)((i * 3 + j * 5) % 7 + 1) : 0;
    value[1] = is_stored(i, j) && mnp_dtype_kind(dtype) == 'c' ? (double)((i + j * 2) % 5 - 2) : 0;
}

static void element(mnp_dtype dtype, int64_t i, int64_t c, double value[2])
{
    value[0] = (double)((i * 7 + c) % 5 - 2);
    value[1] = mnp_dtype_kind(dtype) == 'c' ? (double)((i + c * 3) % 3 - 1) : 0;
}

static mnp_sparse *make_matrix(mnp_ctx *ctx, mnp_dtype dtype)
{
    int64_t *rows = malloc(ROWS * COLUMNS * sizeof *rows), *columns = malloc(ROWS * COLUMNS * sizeof *columns),
            count = 0;
    void *values = malloc(ROWS * COLUMNS * sizeof(double[2]));
    mnp_sparse *matrix = NULL;
    for (int64_t i = 0; i < ROWS; i++) {
        for (int64_t j = COLUMNS - 1; j >= 0; j--) {
            double value[2];
            if (!is_stored(i, j) || (i + j) % mnp_ctx_size(ctx) != mnp_ctx_rank(ctx))
                continue;
            entry(dtype, i, j, value);
            mnp__value_set(dtype, values, count, value);
            rows[count] = i;
            columns[count++] = j;
        }
    }
    MNP_OR_EXIT(mnp_sparse_from_triplets(ctx, dtype, ROWS, COLUMNS, NULL, NULL, count, rows, columns, values, &matrix));
    free(rows);
    free(columns);
    free(values);
    return matrix;
}

/* Vectors of n elements; width 0: one, of one dimension. */
static mnp_array *make_vectors(mnp_ctx *ctx, mnp_dtype dtype, int64_t n, int64_t width)
{
    const int64_t columns = width > 0 ? width : 1, shape[] = {n, columns};
    void *values = malloc((size_t)(n * columns) * sizeof(double[2]));
    mnp_array *x = NULL;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t c = 0; c < columns; c++) {
            double value[2];
            element(dtype, i, c, value);
            mnp__value_set(dtype, values, i * columns + c, value);
        }
    }
    MNP_OR_EXIT(mnp_array_from_host(ctx, dtype, width > 0 ? 2 : 1, shape, values, &x));
    free(values);
    return x;
}

/* Whether element (i, c) of y is right, where `how` is 0 for A x, 1 for A.T x, 2 for A.conj().T x. */
static bool is_right(mnp_dtype dtype, mnp_dtype x_dtype, int how, int64_t i, int64_t c, const double got[2])
{
    double sum[2] = {0, 0};
    for (int64_t k = 0; k < (how == 0 ? COLUMNS : ROWS); k++) {
        double a[2], x[2];
        entry(dtype, how == 0 ? i : k, how == 0 ? k : i, a);
        element(x_dtype, k, c, x);
        a[1] = how == 2 ? -a[1] : a[1];
        sum[0] += a[0] * x[0] - a[1] * x[1];
        sum[1] += a[0] * x[1] + a[1] * x[0];
    }
    return sum[0] == got[0] && sum[1] == got[1];
}

static void check_product(const mnp_sparse *matrix, mnp_dtype x_dtype, int64_t width, int how, const char *what)
{
    mnp_ctx *ctx = mnp_sparse_ctx(matrix);
    const int64_t n = how == 0 ? ROWS : COLUMNS, columns = width > 0 ? width : 1;
    mnp_array *x = make_vectors(ctx, x_dtype, how == 0 ? COLUMNS : ROWS, width), *y = NULL, *wide = NULL;
    double(*got)[2] = malloc((size_t)(n * columns) * sizeof *got);
    int64_t wrong = 0;
    if (how == 0)
        MNP_OR_EXIT(mnp_sparse_matmul(matrix, x, &y));
    else
        MNP_OR_EXIT(mnp_sparse_matmul_transposed(matrix, how == 2, x, &y));
    MNP_OR_EXIT(mnp_astype(y, MNP_COMPLEX128, &wide));
    MNP_OR_EXIT(mnp_array_to_host(wide, MNP_ALL_RANKS, got));
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < columns; c++)
            wrong += !is_right(mnp_sparse_dtype(matrix), x_dtype, how, i, c, got[i * columns + c]);
    ok(wrong == 0, "%s: %s by %s, width %lld: %lld are wrong", what, mnp_dtype_name(mnp_sparse_dtype(matrix)),
       mnp_dtype_name(x_dtype), (long long)width, (long long)wrong);
    mnp_free_all(x, y, wide);
    free(got);
}

/* A.T A, whose entries are sums of products: times a vector it is A.T (A x). */
static void check_matmul(const mnp_sparse *matrix)
{
    mnp_sparse *transposed = NULL, *product = NULL;
    mnp_array *x = make_vectors(mnp_sparse_ctx(matrix), MNP_FLOAT64, COLUMNS, 0), *y = NULL, *z = NULL, *direct = NULL;
    double got[COLUMNS], want[COLUMNS];
    MNP_OR_EXIT(mnp_sparse_transpose(matrix, &transposed));
    MNP_OR_EXIT(mnp_sparse_matmul_sparse(transposed, matrix, &product));
    MNP_OR_EXIT(mnp_sparse_matmul(matrix, x, &y));
    MNP_OR_EXIT(mnp_sparse_matmul(transposed, y, &z));
    MNP_OR_EXIT(mnp_sparse_matmul(product, x, &direct));
    MNP_OR_EXIT(mnp_array_to_host(z, MNP_ALL_RANKS, want));
    MNP_OR_EXIT(mnp_array_to_host(direct, MNP_ALL_RANKS, got));
    ok(memcmp(got, want, sizeof got) == 0, "(A.T A) x is A.T (A x)");
    mnp_sparse_free(transposed);
    mnp_sparse_free(product);
    mnp_free_all(x, y, z, direct);
}

int main(void)
{
    static const char *const names[] = {"CSR", "CSC", "COO", "DIA", "BSR", "SELL"};
    mnp_ctx *ctx = NULL;
    MPI_Init(NULL, NULL);
    MNP_OR_EXIT(mnp_init(MPI_COMM_WORLD, NULL, &ctx));
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
        mnp_sparse *matrix = make_matrix(ctx, dtypes[d]);
        for (int format = MNP_CSR; format <= MNP_SELL; format++) {
            mnp_sparse *converted = NULL;
            MNP_OR_EXIT(mnp_sparse_convert(matrix, (mnp_sparse_format)format, format == MNP_BSR ? 3 : 0, &converted));
            for (int64_t width = 0; width <= MOST_WIDTH; width += MOST_WIDTH)
                check_product(converted, dtypes[(d + (size_t)format) % 4], width, 0, names[format]);
            mnp_sparse_free(converted);
        }
        check_product(matrix, dtypes[d], 0, 1, "A.T");
        check_product(matrix, dtypes[d], 2, 2, "A.conj().T");
        if (dtypes[d] == MNP_FLOAT64)
            check_matmul(matrix);
        mnp_sparse_free(matrix);
    }
    const int status = done_testing();
    mnp_finalize(ctx);
    MPI_Finalize();
    return status;
}
