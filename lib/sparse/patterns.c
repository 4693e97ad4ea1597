/*
 * Matrices that every rank knows without asking: it makes its own rows.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "layout/layout.h"
#include "ops/indexed.h"
#include "sparse/sparse.h"

/* This rank's range of an even layout of n rows, which is the caller's to free. */
static mnp_status even_rows(mnp_ctx *ctx, int64_t n, mnp_layout **layout_p, int64_t *lo_p, int64_t *count_p)
{
    MNP_TRY(mnp__layout_line(ctx->comm.size, 1, &n, NULL, layout_p));
    const int64_t *cuts = mnp_layout_cuts(*layout_p, 0);
    *lo_p = cuts[ctx->comm.rank];
    *count_p = cuts[ctx->comm.rank + 1] - cuts[ctx->comm.rank];
    return MNP_OK;
}

/* ---- the identity ---- */

static mnp_status make_eye(mnp_dtype dtype, int64_t lo, int64_t count, int64_t ncolumns, int64_t k, mnp__csr *csr)
{
    static const double one[2] = {1, 0};
    int64_t entries = 0;
    MNP_TRY(mnp__csr_new(dtype, count, ncolumns, count, csr));
    for (int64_t i = 0; i < count; i++) {
        if (k >= -(lo + i) && k < ncolumns - (lo + i)) {
            csr->indices[entries] = lo + i + k;
            mnp__value_set(dtype, csr->values, entries++, one);
        }
        csr->offsets[i + 1] = entries;
    }
    return MNP_OK;
}

mnp_status mnp_sparse_eye(mnp_ctx *ctx, mnp_dtype dtype, int64_t nrows, int64_t ncolumns, int64_t k,
                          mnp_sparse **matrix_p)
{
    static const char function[] = "mnp_sparse_eye";
    mnp_layout *layout;
    mnp__csr csr = {.rows = 0};
    int64_t lo, count;
    MNP_TRY(mnp__sparse_check_dtype(function, dtype));
    if (nrows < 0 || ncolumns < 0)
        return MNP_FAIL(MNP_ERR_ARG, "%s: a matrix of %" PRId64 " rows and %" PRId64 " columns", function, nrows,
                        ncolumns);
    MNP_TRY(even_rows(ctx, nrows, &layout, &lo, &count));
    mnp_status st = MNP_AGREE(ctx, make_eye(dtype, lo, count, ncolumns, k, &csr));
    if (st == MNP_OK)
        st = mnp__sparse_from_csr(ctx, nrows, ncolumns, layout, NULL, &csr, matrix_p);
    mnp__csr_free(&csr);
    mnp_layout_free(layout);
    return st;
}

/* ---- stencils ---- */

struct stencil {
    mnp_dtype dtype;
    int ndim, npoints;
    const int64_t *shape, *offsets;
    const void *coefficients;
    int64_t *jumps; /* from a point's number to that of its neighbour */
};

/* How far neighbour p is along dimension d: at most beyond the whole grid, so that nothing overflows. */
static int64_t offset_of(const struct stencil *stencil, int p, int d)
{
    const int64_t offset = stencil->offsets[p * stencil->ndim + d], n = stencil->shape[d];
    return offset < -n ? -n : offset > n ? n : offset;
}

/* The order in which neighbours' numbers rise, by insertion. */
static void sort_points(const struct stencil *stencil, int *order)
{
    for (int p = 0; p < stencil->npoints; p++) {
        int at = p;
        for (; at > 0 && stencil->jumps[order[at - 1]] > stencil->jumps[p]; at--)
            order[at] = order[at - 1];
        order[at] = p;
    }
}

/* Whether point p of the stencil at `index` lies in the grid. */
static bool is_inside(const struct stencil *stencil, const int64_t *index, int p)
{
    for (int d = 0; d < stencil->ndim; d++) {
        const int64_t at = index[d] + offset_of(stencil, p, d);
        if (at < 0 || at >= stencil->shape[d])
            return false;
    }
    return true;
}

/*
 * Rows lo .. lo + count - 1.  Neighbours' numbers rise in `order`: those of two that
 * are both in the grid are different.
 */
static void make_rows(const struct stencil *stencil, const int *order, int64_t lo, mnp__csr *csr)
{
    const size_t size = mnp_dtype_size(stencil->dtype);
    int64_t index[MNP_MAX_DIMS], entries = 0, rest = lo;
    for (int d = stencil->ndim - 1; d >= 0; d--) {
        index[d] = stencil->shape[d] > 0 ? rest % stencil->shape[d] : 0;
        rest = stencil->shape[d] > 0 ? rest / stencil->shape[d] : 0;
    }
    for (int64_t i = 0; i < csr->rows; i++) {
        for (int k = 0; k < stencil->npoints; k++) {
            const int p = order[k];
            if (!is_inside(stencil, index, p))
                continue;
            csr->indices[entries] = lo + i + stencil->jumps[p];
            mnp__value_copy(size, csr->values, entries++, stencil->coefficients, p);
        }
        csr->offsets[i + 1] = entries;
        for (int d = stencil->ndim - 1; d >= 0 && ++index[d] == stencil->shape[d]; d--)
            index[d] = 0;
    }
}

static mnp_status make_stencil(struct stencil *stencil, int64_t lo, int64_t count, int64_t n, mnp__csr *csr)
{
    int *order = NULL;
    mnp_status st;
    if (count > INT64_MAX / (stencil->npoints + 1))
        return MNP_FAIL(MNP_ERR_MEMORY, "no memory for %" PRId64 " rows of a stencil", count);
    MNP_TRY_OR(mnp__calloc((size_t)stencil->npoints, sizeof *stencil->jumps, &stencil->jumps), st, done);
    MNP_TRY_OR(mnp__calloc((size_t)stencil->npoints, sizeof *order, &order), st, done);
    MNP_TRY_OR(mnp__csr_new(stencil->dtype, count, n, count * stencil->npoints, csr), st, done);
    for (int p = 0; p < stencil->npoints; p++)
        for (int d = 0; d < stencil->ndim; d++)
            stencil->jumps[p] = stencil->jumps[p] * stencil->shape[d] + offset_of(stencil, p, d);
    sort_points(stencil, order);
    make_rows(stencil, order, lo, csr);
done:
    free(stencil->jumps);
    free(order);
    return st;
}

static mnp_status check_stencil(const char *function, const struct stencil *stencil)
{
    MNP_TRY(mnp__sparse_check_dtype(function, stencil->dtype));
    if (stencil->ndim < 1 || stencil->ndim > MNP_MAX_DIMS)
        return MNP_FAIL(MNP_ERR_ARG, "%s: ndim is %d, outside 1..%d", function, stencil->ndim, MNP_MAX_DIMS);
    MNP_TRY(mnp__layout_check_shape(stencil->ndim, stencil->shape));
    if (stencil->npoints < 0 || (stencil->npoints > 0 && (!stencil->offsets || !stencil->coefficients)))
        return MNP_FAIL(MNP_ERR_ARG, "%s: npoints is %d%s", function, stencil->npoints,
                        stencil->npoints < 0 ? "" : ", and offsets or coefficients are NULL");
    const size_t bytes = (size_t)stencil->ndim * sizeof *stencil->offsets;
    for (int p = 0; p < stencil->npoints; p++) {
        const int64_t *offsets = stencil->offsets + p * stencil->ndim;
        for (int q = 0; q < p; q++)
            if (memcmp(offsets, stencil->offsets + q * stencil->ndim, bytes) == 0)
                return MNP_FAIL(MNP_ERR_ARG, "%s: points %d and %d are the same", function, q, p);
    }
    return MNP_OK;
}

mnp_status mnp_csr_from_stencil(mnp_ctx *ctx, mnp_dtype dtype, int ndim, const int64_t *shape, int npoints,
                                const int64_t *offsets, const void *coefficients, mnp_sparse **matrix_p)
{
    struct stencil stencil = {.dtype = dtype, .ndim = ndim, .npoints = npoints, .shape = shape, .offsets = offsets,
                              .coefficients = coefficients};
    mnp_layout *layout;
    mnp__csr csr = {.rows = 0};
    int64_t lo, count, n = 1;
    MNP_TRY(check_stencil("mnp_csr_from_stencil", &stencil));
    for (int d = 0; d < ndim; d++)
        n *= shape[d];
    MNP_TRY(even_rows(ctx, n, &layout, &lo, &count));
    mnp_status st = MNP_AGREE(ctx, make_stencil(&stencil, lo, count, n, &csr));
    if (st == MNP_OK)
        st = mnp__sparse_from_csr(ctx, n, n, layout, NULL, &csr, matrix_p);
    mnp__csr_free(&csr);
    mnp_layout_free(layout);
    return st;
}
