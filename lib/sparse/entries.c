/*
 * Entries one by one: selected, converted, scaled, and between matrices and dense arrays.  On memory of the CPU, but
 * for diagonals, which are found where they lie.
 */
#include <stdlib.h>
#include <string.h>

#include "layout/layout.h"
#include "ops/indexed.h"
#include "ops/place.h"
#include "ops/results.h"
#include "sparse/fetch_rows.h"
#include "sparse/sparse.h"

/* ---- selected ---- */

/* The diagonals that an entry has to be on: column - row, of the whole matrix. */
struct selection {
    int64_t row_lo, low, high;
};

static bool is_selected(const void *argument, int64_t row, int64_t column, const void *value)
{
    const struct selection *selection = argument;
    const int64_t diagonal = column - selection->row_lo - row;
    (void)value;
    return diagonal >= selection->low && diagonal <= selection->high;
}

/* A new matrix of what is selected; NULL: of what is not 0. */
static mnp_status select_entries(const mnp_sparse *matrix, const struct selection *selection, mnp_sparse **out_p)
{
    mnp__csr csr, kept = {.rows = 0};
    MNP_TRY(mnp__sparse_fetch(matrix, &csr));
    mnp_status st = selection ? mnp__csr_filter(&csr, is_selected, selection, &kept)
                              : mnp__csr_without_zeros(&csr, &kept);
    st = MNP_AGREE(matrix->ctx, st);
    if (st == MNP_OK)
        st = mnp__sparse_from_csr(matrix->ctx, matrix->shape[0], matrix->shape[1], matrix->row_layout,
                                  matrix->column_layout, &kept, out_p);
    mnp__csr_free(&csr);
    mnp__csr_free(&kept);
    return st;
}

mnp_status mnp_sparse_tril(const mnp_sparse *matrix, int64_t k, mnp_sparse **out_p)
{
    MNP_TRY(mnp__sparse_check("mnp_sparse_tril", matrix));
    return select_entries(matrix, &(struct selection){.row_lo = matrix->row_lo, .low = INT64_MIN, .high = k}, out_p);
}

mnp_status mnp_sparse_triu(const mnp_sparse *matrix, int64_t k, mnp_sparse **out_p)
{
    MNP_TRY(mnp__sparse_check("mnp_sparse_triu", matrix));
    return select_entries(matrix, &(struct selection){.row_lo = matrix->row_lo, .low = k, .high = INT64_MAX}, out_p);
}

mnp_status mnp_sparse_eliminate_zeros(const mnp_sparse *matrix, mnp_sparse **out_p)
{
    MNP_TRY(mnp__sparse_check("mnp_sparse_eliminate_zeros", matrix));
    return select_entries(matrix, NULL, out_p);
}

/* ---- converted ---- */

mnp_status mnp_sparse_astype(const mnp_sparse *matrix, mnp_dtype dtype, mnp_sparse **cast_p)
{
    mnp__csr csr, cast = {.rows = 0};
    MNP_TRY(mnp__sparse_check("mnp_sparse_astype", matrix));
    MNP_TRY(mnp__sparse_check_dtype("mnp_sparse_astype", dtype));
    MNP_TRY(mnp__sparse_fetch(matrix, &csr));
    mnp_status st = MNP_AGREE(matrix->ctx, mnp__csr_astype(&csr, dtype, &cast));
    mnp__csr_free(&csr);
    if (st == MNP_OK)
        st = mnp__sparse_like(matrix, &cast, cast_p);
    mnp__csr_free(&cast);
    return st;
}

mnp_status mnp_sparse_conj(const mnp_sparse *matrix, mnp_sparse **conjugate_p)
{
    mnp__csr csr;
    double value[2];
    MNP_TRY(mnp__sparse_check("mnp_sparse_conj", matrix));
    MNP_TRY(mnp__sparse_fetch(matrix, &csr));
    for (int64_t k = 0; k < mnp__csr_count(&csr); k++) {
        mnp__value_get(csr.dtype, csr.values, k, value);
        value[1] = -value[1];
        mnp__value_set(csr.dtype, csr.values, k, value);
    }
    return mnp__sparse_like(matrix, &csr, conjugate_p);
}

/* ---- scaled ---- */

/* A vector in memory of the CPU: elements of a rank's own, and those of its ghosts. */
struct factors {
    void *own, *ghosts;
};

static void free_factors(struct factors *factors)
{
    free(factors->own);
    free(factors->ghosts);
}

static mnp_status fetch(mnp_ctx *ctx, const void *device_memory, int64_t count, mnp_dtype dtype, void **memory_p)
{
    const size_t bytes = (size_t)count * mnp_dtype_size(dtype);
    MNP_TRY(mnp__malloc(bytes, memory_p));
    MNP_TRY(ctx->device->ops->copy(ctx->device, *memory_p, device_memory, bytes, ctx->compute));
    return mnp__ctx_wait(ctx, ctx->compute);
}

/* Elements of a vector, brought to that layout; ghosts NULL: of no others.  Collective, and agreed upon. */
static mnp_status fetch_factors(const mnp_array *vector, const mnp_layout *layout, mnp_dtype dtype, mnp__ghosts *ghosts,
                                struct factors *factors)
{
    mnp_ctx *ctx = vector->ctx;
    const mnp_array *brought;
    mnp_array *temporary;
    const void *values = NULL;
    MNP_TRY(mnp__vectors_bring(vector, layout, dtype, &brought, &temporary));
    mnp_status st = fetch(ctx, brought->data, brought->local_size, dtype, &factors->own);
    if (ghosts) {
        st = MNP_AGREE(ctx, st);
        if (st == MNP_OK)
            st = mnp__ghosts_begin(ghosts, mnp_dtype_size(dtype), 1, brought->data);
        if (st == MNP_OK)
            st = mnp__ghosts_finish(ghosts, &values);
        if (st == MNP_OK)
            st = fetch(ctx, values, mnp__ghosts_count(ghosts), dtype, &factors->ghosts);
    }
    mnp_array_free(temporary);
    return MNP_AGREE(ctx, st);
}

/* values[at] *= factors[from] */
static void scale_value(mnp_dtype dtype, void *values, int64_t at, const void *factors, int64_t from)
{
    double a[2], b[2];
    mnp__value_get(dtype, values, at, a);
    mnp__value_get(dtype, factors, from, b);
    /* where it is 0, infinities make no NaN of it */
    const double imaginary = mnp_dtype_kind(dtype) == 'c' ? a[1] * b[1] : 0;
    const double product[] = {a[0] * b[0] - imaginary, a[0] * b[1] + a[1] * b[0]};
    mnp__value_set(dtype, values, at, product);
}

static void scale_rows(mnp__csr *csr, const struct factors *left)
{
    for (int64_t i = 0; i < csr->rows; i++)
        for (int64_t k = csr->offsets[i]; k < csr->offsets[i + 1]; k++)
            scale_value(csr->dtype, csr->values, k, left->own, i);
}

/* The number of a ghost column. */
static int64_t find_ghost(const mnp__ghosts *ghosts, int64_t column)
{
    const int64_t *columns = mnp__ghosts_columns(ghosts);
    int64_t low = 0, high = mnp__ghosts_count(ghosts);
    while (high - low > 1) {
        const int64_t middle = (low + high) / 2;
        if (columns[middle] <= column)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void scale_columns(const mnp_sparse *matrix, mnp__csr *csr, const struct factors *right)
{
    for (int64_t k = 0; k < mnp__csr_count(csr); k++) {
        const int64_t own = csr->indices[k] - matrix->column_lo;
        if (own >= 0 && own < matrix->columns)
            scale_value(csr->dtype, csr->values, k, right->own, own);
        else
            scale_value(csr->dtype, csr->values, k, right->ghosts, find_ghost(matrix->ghosts, csr->indices[k]));
    }
}

static mnp_status check_factors(const char *which, const mnp_sparse *matrix, const mnp_array *factors, int64_t n)
{
    static const char function[] = "mnp_sparse_scale";
    if (!factors)
        return MNP_OK;
    MNP_TRY(mnp__array_check_blocks(function, factors));
    if (factors->ctx != matrix->ctx || factors->layout->ndim != 1 || factors->layout->shape[0] != n)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the %s factors should be %lld in one dimension, of the matrix's context",
                        function, which, (long long)n);
    return MNP_OK;
}

mnp_status mnp_sparse_scale(const mnp_sparse *matrix, const mnp_array *left, const mnp_array *right,
                            mnp_sparse **scaled_p)
{
    struct factors rows = {NULL, NULL}, columns = {NULL, NULL};
    mnp__csr csr = {.rows = 0}, scaled = {.rows = 0};
    mnp_status st;
    MNP_TRY(mnp__sparse_check("mnp_sparse_scale", matrix));
    mnp__ghosts *ghosts = matrix->has_ghosts ? matrix->ghosts : NULL;
    MNP_TRY(check_factors("left", matrix, left, matrix->shape[0]));
    MNP_TRY(check_factors("right", matrix, right, matrix->shape[1]));
    mnp_dtype dtype = left ? mnp_dtype_promote(matrix->dtype, left->dtype) : matrix->dtype;
    dtype = right ? mnp_dtype_promote(dtype, right->dtype) : dtype;
    if (left)
        MNP_TRY_OR(fetch_factors(left, matrix->row_layout, dtype, NULL, &rows), st, done);
    if (right)
        MNP_TRY_OR(fetch_factors(right, matrix->column_layout, dtype, ghosts, &columns), st, done);
    MNP_TRY_OR(mnp__sparse_fetch(matrix, &csr), st, done);
    MNP_TRY_OR(MNP_AGREE(matrix->ctx, mnp__csr_astype(&csr, dtype, &scaled)), st, done);
    if (left)
        scale_rows(&scaled, &rows);
    if (right)
        scale_columns(matrix, &scaled, &columns);
    st = mnp__sparse_like(matrix, &scaled, scaled_p);
done:
    free_factors(&rows);
    free_factors(&columns);
    mnp__csr_free(&csr);
    mnp__csr_free(&scaled);
    return st;
}

/* ---- dense ---- */

/* A new array with `block` as this rank's block, agreed upon, given to the user.  Layout and block are the caller's. */
static mnp_status deliver(const char *function, const mnp_sparse *matrix, mnp_layout *layout, const void *block,
                          mnp_array **array_p)
{
    mnp_array *made;
    MNP_TRY(mnp__result_check(function, NULL, matrix->ctx, matrix->dtype, layout->ndim, layout->shape, *array_p));
    MNP_TRY(mnp_array_new_order(matrix->ctx, matrix->dtype, layout, MNP_ORDER_C, &made));
    mnp_status st = MNP_AGREE(matrix->ctx, mnp_array_set_local(made, block));
    if (st == MNP_OK)
        st = mnp__result_give(&made, array_p);
    mnp_array_free(made);
    return st;
}

static mnp_status fill_rows(const mnp__csr *csr, char **block_p)
{
    const size_t size = mnp_dtype_size(csr->dtype);
    char *block;
    MNP_TRY(mnp__calloc((size_t)(csr->rows * csr->columns), size, &block));
    for (int64_t i = 0; i < csr->rows; i++)
        for (int64_t k = csr->offsets[i]; k < csr->offsets[i + 1]; k++)
            mnp__value_copy(size, block, i * csr->columns + csr->indices[k], csr->values, k);
    *block_p = block;
    return MNP_OK;
}

mnp_status mnp_sparse_to_dense(const mnp_sparse *matrix, mnp_array **dense_p)
{
    mnp_layout *layout = NULL;
    mnp__csr csr;
    char *block = NULL;
    MNP_TRY(mnp__sparse_check("mnp_sparse_to_dense", matrix));
    MNP_TRY(
        mnp__layout_line(matrix->ctx->comm.size, 2, matrix->shape, mnp_layout_cuts(matrix->row_layout, 0), &layout));
    mnp_status st = mnp__sparse_fetch(matrix, &csr);
    if (st == MNP_OK) {
        st = MNP_AGREE(matrix->ctx, fill_rows(&csr, &block));
        mnp__csr_free(&csr);
    }
    if (st == MNP_OK)
        st = deliver("mnp_sparse_to_dense", matrix, layout, block, dense_p);
    free(block);
    mnp_layout_free(layout);
    return st;
}

/* ---- the diagonal ---- */

/* A diagonal's elements are with the rows that they are in: element i is in row first + i. */
static mnp_status diagonal_layout(const mnp_sparse *matrix, int64_t first, int64_t length, mnp_layout **layout_p)
{
    const int64_t *cuts = mnp_layout_cuts(matrix->row_layout, 0);
    const int ranks = matrix->ctx->comm.size;
    int64_t *shifted;
    MNP_TRY(mnp__malloc(((size_t)ranks + 1) * sizeof *shifted, &shifted));
    for (int r = 0; r <= ranks; r++) {
        const int64_t cut = cuts[r] - first;
        shifted[r] = cut < 0 ? 0 : cut > length ? length : cut;
    }
    shifted[ranks] = length;
    const mnp_status st = mnp__layout_line(ranks, 1, &length, shifted, layout_p);
    free(shifted);
    return st;
}

mnp_status mnp_sparse_diagonal(const mnp_sparse *matrix, int64_t k, mnp_array **diagonal_p)
{
    static const char function[] = "mnp_sparse_diagonal";
    mnp_layout *layout = NULL;
    mnp_array *made = NULL;
    mnp_status st;
    MNP_TRY(mnp__sparse_check(function, matrix));
    if (k <= -matrix->shape[0] - 1 || k >= matrix->shape[1] + 1)
        k = k < 0 ? -matrix->shape[0] : matrix->shape[1]; /* all of no elements */
    const int64_t first = k < 0 ? -k : 0, below = matrix->shape[0] - first, right = matrix->shape[1] - (k > 0 ? k : 0);
    MNP_TRY(diagonal_layout(matrix, first, below < right ? below : right, &layout));
    const int64_t row = first + mnp_layout_cuts(layout, 0)[matrix->ctx->comm.rank];
    MNP_TRY_OR(mnp__result_check(function, NULL, matrix->ctx, matrix->dtype, 1, layout->shape, *diagonal_p), st, done);
    MNP_TRY_OR(mnp_array_new_order(matrix->ctx, matrix->dtype, layout, MNP_ORDER_C, &made), st, done);
    MNP_TRY_OR(mnp__find_diagonal(matrix, row - matrix->row_lo, row + k, made->local_size, made->data, NULL), st, done);
    st = mnp__result_give(&made, diagonal_p);
done:
    mnp_array_free(made);
    mnp_layout_free(layout);
    return st;
}
