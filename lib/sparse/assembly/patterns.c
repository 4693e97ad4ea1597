/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Matrices that every rank knows without asking: it makes its own rows.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "device/launch.h"
#include "kernels/sparse/assembly/stencil_rows_params.h"
#include "layout/layout.h"
#include "sparse/rows/edit_rows.h"
#include "sparse/step/elements.h"

/* This rank's range of an even layout of n rows, which is the caller's to free.  Collective, and agreed upon. */
static mnp_status even_rows(mnp_ctx *ctx, int64_t n, mnp_layout **layout_p, int64_t *lo_p, int64_t *count_p)
{
    MNP_TRY(MNP_AGREE(ctx, mnp__layout_line(ctx->comm.size, 1, &n, NULL, layout_p)));
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

_Static_assert((int)MNP_STENCIL_DIMS == (int)MNP_MAX_DIMS, "the kernel has room for all dimensions");

struct stencil {
    mnp_dtype dtype;
    int ndim, npoints;
    const int64_t *shape, *offsets;
    const void *coefficients;
};

/* The points in the order in which neighbours' numbers rise, as the kernel reads them. */
struct points {
    int64_t *steps, *jumps;
    void *coefficients;
};

/* How far neighbour p is along dimension d: at most beyond the whole grid, so that nothing overflows. */
static int64_t offset_of(const struct stencil *stencil, int p, int d)
{
    const int64_t offset = stencil->offsets[p * stencil->ndim + d], n = stencil->shape[d];
    return offset < -n ? -n : offset > n ? n : offset;
}

/* From a point's number to that of its neighbour p. */
static int64_t jump_of(const struct stencil *stencil, int p)
{
    int64_t jump = 0;
    for (int d = 0; d < stencil->ndim; d++)
        jump = jump * stencil->shape[d] + offset_of(stencil, p, d);
    return jump;
}

/*
 * Sorted by insertion.  Neighbours' numbers rise then in every row: those of two that are both in the grid are
 * different.
 */
static mnp_status sort_points(const struct stencil *stencil, struct points *points)
{
    const size_t count = (size_t)stencil->npoints, ndim = (size_t)stencil->ndim, size = mnp_dtype_size(stencil->dtype);
    int *order = NULL;
    mnp_status st;
    MNP_TRY_OR(mnp__malloc(count * sizeof *order, &order), st, done);
    MNP_TRY_OR(mnp__malloc(count * ndim * sizeof *points->steps, &points->steps), st, done);
    MNP_TRY_OR(mnp__malloc(count * sizeof *points->jumps, &points->jumps), st, done);
    MNP_TRY_OR(mnp__malloc(count * size, &points->coefficients), st, done);
    for (int p = 0; p < stencil->npoints; p++) {
        int at = p;
        for (; at > 0 && jump_of(stencil, order[at - 1]) > jump_of(stencil, p); at--)
            order[at] = order[at - 1];
        order[at] = p;
    }
    for (int k = 0; k < stencil->npoints; k++) {
        for (int d = 0; d < stencil->ndim; d++)
            points->steps[k * stencil->ndim + d] = offset_of(stencil, order[k], d);
        points->jumps[k] = jump_of(stencil, order[k]);
        mnp__value_copy(size, points->coefficients, k, stencil->coefficients, order[k]);
    }
done:
    free(order);
    return st;
}

static void free_points(struct points *points)
{
    free(points->steps);
    free(points->jumps);
    free(points->coefficients);
}

/* Rows lo .. lo + rows->rows - 1, of points in device memory.  Waits. */
static mnp_status make_rows(mnp_ctx *ctx, const struct stencil *stencil, mnp__kernel *kernel, mnp__kernel *sums,
                            const struct points *points, int64_t lo, mnp__rows *rows)
{
    const mnp__launch launch = mnp__launch_of(rows->rows);
    mnp_stencil_params params = {.ndim = stencil->ndim,
                                 .lo = lo,
                                 .rows = rows->rows,
                                 .npoints = stencil->npoints,
                                 .steps = (long long *)points->steps,
                                 .jumps = (long long *)points->jumps,
                                 .coefficients = points->coefficients};
    for (int d = 0; d < stencil->ndim; d++)
        params.shape[d] = stencil->shape[d];
    MNP_TRY(mnp__elements_new(ctx, rows->rows + 1, sizeof *rows->offsets, &rows->offsets));
    params.lengths = (long long *)rows->offsets;
    if (rows->rows > 0)
        MNP_TRY(ctx->device->ops->launch(ctx->device, kernel, &launch, &params, sizeof params, ctx->compute));
    MNP_TRY(mnp__lengths_sum_up(ctx, sums, rows->rows, rows->offsets, &rows->count));
    MNP_TRY(mnp__elements_new(ctx, rows->count, sizeof *rows->columns, &rows->columns));
    MNP_TRY(mnp__elements_new(ctx, rows->count, mnp_dtype_size(stencil->dtype), &rows->values));
    params.fills = 1;
    params.columns = (long long *)rows->columns;
    params.values = rows->values;
    if (rows->rows > 0)
        MNP_TRY(ctx->device->ops->launch(ctx->device, kernel, &launch, &params, sizeof params, ctx->compute));
    return mnp__ctx_wait(ctx, ctx->compute);
}

/* The same of the points sorted and brought to the device; what was made stays in *rows, also after a failure. */
static mnp_status bring_points(mnp_ctx *ctx, const struct stencil *stencil, mnp__kernel *kernel, mnp__kernel *sums,
                               int64_t lo, mnp__rows *rows)
{
    const int64_t count = stencil->npoints, ndim = stencil->ndim;
    struct points points = {NULL, NULL, NULL}, brought = {NULL, NULL, NULL};
    mnp_status st;
    MNP_TRY_OR(sort_points(stencil, &points), st, done);
    MNP_TRY_OR(mnp__elements_upload(ctx, count * ndim, sizeof *points.steps, points.steps, &brought.steps), st, done);
    MNP_TRY_OR(mnp__elements_upload(ctx, count, sizeof *points.jumps, points.jumps, &brought.jumps), st, done);
    MNP_TRY_OR(
        mnp__elements_upload(ctx, count, mnp_dtype_size(stencil->dtype), points.coefficients, &brought.coefficients),
        st, done);
    st = make_rows(ctx, stencil, kernel, sums, &brought, lo, rows);
done:
    mnp__elements_free(ctx, brought.steps);
    mnp__elements_free(ctx, brought.jumps);
    mnp__elements_free(ctx, brought.coefficients);
    free_points(&points);
    return st;
}

/* Collective, and agreed upon. */
static mnp_status make_stencil(mnp_ctx *ctx, const struct stencil *stencil, int64_t lo, int64_t count, mnp__rows *rows)
{
    const mnp__kernel_spec spec = {.file = "sparse/assembly/stencil_rows.cu", .function = "stencil_rows"};
    char room[MNP__KERNEL_ROOM];
    mnp__text defines = MNP__TEXT_IN(room);
    mnp__kernel *kernel, *sums;
    mnp__text_add(&defines, "#define MNP_VALUE %s\n", mnp__jit_type(stencil->dtype));
    MNP_TRY(mnp__ctx_kernel_of_text(ctx, &spec, &defines, NULL, &kernel));
    MNP_TRY(mnp__lengths_load(ctx, stencil->dtype, &sums));
    *rows = (mnp__rows){.rows = count};
    const mnp_status st = MNP_AGREE(ctx, bring_points(ctx, stencil, kernel, sums, lo, rows));
    if (st != MNP_OK)
        mnp__rows_release(ctx, rows);
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
    struct stencil stencil = {.dtype = dtype,
                              .ndim = ndim,
                              .npoints = npoints,
                              .shape = shape,
                              .offsets = offsets,
                              .coefficients = coefficients};
    mnp_layout *layout;
    mnp__rows rows;
    int64_t lo, count, n = 1;
    MNP_TRY(check_stencil("mnp_csr_from_stencil", &stencil));
    for (int d = 0; d < ndim; d++)
        n *= shape[d];
    MNP_TRY(even_rows(ctx, n, &layout, &lo, &count));
    mnp_status st = make_stencil(ctx, &stencil, lo, count, &rows);
    if (st == MNP_OK)
        st = mnp__sparse_from_rows(ctx, dtype, n, n, layout, layout, &rows, matrix_p);
    mnp_layout_free(layout);
    return st;
}
