/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The cases of sparse.c that make a matrix: of another one, of its entries, or on the spot.
 */
#ifndef APPS_BENCH_SPARSE_MADE_H
#define APPS_BENCH_SPARSE_MADE_H

#include "bench/sparse/sparse_work.h"

static inline mnp_status run_add(void *argument)
{
    work *w = argument;
    return mnp_sparse_add(NULL, w->a, NULL, w->a, make_anew(w));
}

static inline mnp_status run_tril(void *argument)
{
    work *w = argument;
    return mnp_sparse_tril(w->a, 0, make_anew(w));
}

static inline mnp_status run_transpose(void *argument)
{
    work *w = argument;
    return mnp_sparse_transpose(w->a, make_anew(w));
}

static inline mnp_status run_generate(void *argument)
{
    work *w = argument;
    return mnp_sparse_generate(w->ctx, w->matrix, w->dtype, make_anew(w));
}

static inline mnp_status run_assemble(void *argument)
{
    work *w = argument;
    const int64_t *shape = mnp_sparse_shape(w->a);
    return mnp_sparse_from_coo(w->rows, w->columns, w->values, shape[0], shape[1], make_anew(w));
}

/* A vector of this rank's elements, one rank's behind the other's. */
static inline mnp_array *array_of(const work *w, mnp_dtype dtype, int64_t count, const void *elements)
{
    const int ranks = mnp_ctx_size(w->ctx);
    int64_t *cuts = zeros(w->ctx, ranks + 1, sizeof *cuts);
    mnp_layout *layout;
    mnp_array *array = NULL;
    MPI_Allgather(&count, 1, MPI_INT64_T, cuts + 1, 1, MPI_INT64_T, mnp_ctx_comm(w->ctx));
    for (int r = 0; r < ranks; r++)
        cuts[r + 1] += cuts[r];
    const int axes[] = {0};
    const int64_t *const all_cuts[] = {cuts};
    OR_EXIT(mnp_layout_new(1, &ranks, 1, &cuts[ranks], axes, all_cuts, &layout));
    OR_EXIT(mnp_array_new(w->ctx, dtype, layout, &array));
    OR_EXIT(mnp_array_set_local(array, elements));
    mnp_layout_free(layout);
    free(cuts);
    return array;
}

static inline void swap_elements(void *elements, size_t size, int64_t i, int64_t j)
{
    char *a = (char *)elements + (size_t)i * size, *b = (char *)elements + (size_t)j * size;
    for (size_t k = 0; k < size; k++) {
        const char byte = a[k];
        a[k] = b[k];
        b[k] = byte;
    }
}

/* The entries of this rank's rows, in any order. */
static inline void prepare_assemble(const sparse_case *b, work *w)
{
    const int64_t count = mnp_sparse_local_nnz(w->a), lo = mnp_array_local_lo(w->x)[0];
    const int64_t nrows = mnp_array_local_size(w->x);
    const size_t size = mnp_dtype_size(w->dtype);
    int64_t *offsets = zeros(w->ctx, nrows + 1, sizeof *offsets), *rows = zeros(w->ctx, count, sizeof *rows);
    int64_t *columns = zeros(w->ctx, count, sizeof *columns);
    void *values = zeros(w->ctx, count, size);
    (void)b;
    OR_EXIT(mnp_agree(w->ctx, mnp_sparse_get_local(w->a, offsets, columns, values)));
    for (int64_t i = 0; i < nrows; i++)
        for (int64_t k = offsets[i]; k < offsets[i + 1]; k++)
            rows[k] = lo + i;
    for (int64_t k = count - 1; k > 0; k--) {
        const int64_t other = (int64_t)(uniform(k) * (double)(k + 1));
        swap_elements(rows, sizeof *rows, k, other);
        swap_elements(columns, sizeof *columns, k, other);
        swap_elements(values, size, k, other);
    }
    w->rows = array_of(w, MNP_INT64, count, rows);
    w->columns = array_of(w, MNP_INT64, count, columns);
    w->values = array_of(w, w->dtype, count, values);
    free(offsets);
    free(rows);
    free(columns);
    free(values);
}

static inline double made_bytes(const sparse_case *b, const work *w)
{
    const double result = matrix_bytes(MNP_CSR, w->product), entries = (double)mnp_sparse_nnz(w->product);
    if (b->run == run_generate)
        return result;
    if (b->run == run_assemble)
        return result + entries * (double)(2 * sizeof(int64_t) + mnp_dtype_size(w->dtype));
    return result + matrix_bytes(MNP_CSR, w->a);
}

/* |factor A x - what is made x| */
static inline double error_of_made(const work *w, const mnp_sparse *made, double factor)
{
    mnp_array *y = NULL;
    char text[64];
    OR_EXIT(mnp_sparse_matmul(made, w->x, &y));
    snprintf(text, sizeof text, "max(abs(x - %g * y)) / max(abs(y))", factor);
    const double error = evaluate(w->ctx, text, y, w->expected);
    mnp_array_free(y);
    return error;
}

static inline double check_same(const work *w)
{
    return error_of_made(w, w->product, 1);
}

static inline double check_add(const work *w)
{
    return error_of_made(w, w->product, 2);
}

/* With what is above the diagonal it is A again. */
static inline double check_tril(const work *w)
{
    mnp_sparse *rest, *sum;
    OR_EXIT(mnp_sparse_triu(w->a, 1, &rest));
    OR_EXIT(mnp_sparse_add(NULL, w->product, NULL, rest, &sum));
    const double error = error_of_made(w, sum, 1);
    mnp_sparse_free(rest);
    mnp_sparse_free(sum);
    return error;
}

/* Transposed again it is A. */
static inline double check_transpose(const work *w)
{
    mnp_sparse *again;
    OR_EXIT(mnp_sparse_transpose(w->product, &again));
    const double error = error_of_made(w, again, 1);
    mnp_sparse_free(again);
    return error;
}

#endif
