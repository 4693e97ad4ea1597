/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Matrices of a pattern that every rank knows: the identity, and stencils on a grid.  Each rank makes its own rows on
 * the device, from nothing but their numbers and the stencil's points.
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "kernels/sparse/assembly/stencil_rows_params.h"
#include "layout/layout.h"
#include "sparse/rows/matrix_from_rows.h"
#include "sparse/rows/rows_tasks.h"
#include "sparse/step/elements.h"

/* ---- stencils ---- */

_Static_assert((int)MNP_STENCIL_DIMS == (int)MNP_MAX_DIMS, "the kernel has room for all dimensions");

struct stencil {
    mnp_dtype dtype;
    int ndim, npoints;
    const int64_t *shape, *offsets;
    const mnp_boundary *boundaries; /* NULL: no elements outside */
    const void *coefficients;
};

/* The points in the order in which neighbours' numbers rise, as the kernel reads them. */
struct points {
    int64_t *steps;
    void *coefficients;
};

/* How far neighbour p is along dimension d, so shortened that nothing overflows. */
static int64_t offset_of(const struct stencil *stencil, int p, int d)
{
    return mnp__boundary_shorten(mnp__boundary_of(stencil->boundaries, d), stencil->shape[d],
                                 stencil->offsets[p * stencil->ndim + d]);
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
 * Sorted by insertion.  Neighbours' numbers rise then in every row, as far as they are in the grid without the help of
 * boundaries; the kernel sorts the others.
 */
static mnp_status sort_points(const struct stencil *stencil, struct points *points)
{
    const size_t count = (size_t)stencil->npoints, ndim = (size_t)stencil->ndim, size = mnp_dtype_size(stencil->dtype);
    int *order = NULL;
    mnp_status st;
    MNP_TRY_OR(mnp__malloc(count * sizeof *order, &order), st, done);
    MNP_TRY_OR(mnp__malloc(count * ndim * sizeof *points->steps, &points->steps), st, done);
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
        mnp__value_copy(size, points->coefficients, k, stencil->coefficients, order[k]);
    }
done:
    free(order);
    return st;
}

static void free_points(struct points *points)
{
    free(points->steps);
    free(points->coefficients);
}

/* Rows lo .. lo + rows->rows - 1, of points in device memory.  Waits. */
static mnp_status make_rows(mnp_ctx *ctx, const struct stencil *stencil, mnp__kernel *kernel, mnp__row_runner sums,
                            const struct points *points, int64_t lo, mnp__rows *rows)
{
    mnp_stencil_params params = {.ndim = stencil->ndim,
                                 .lo = lo,
                                 .rows = rows->rows,
                                 .npoints = stencil->npoints,
                                 .steps = (long long *)points->steps,
                                 .coefficients = points->coefficients};
    for (int d = 0; d < stencil->ndim; d++) {
        params.shape[d] = stencil->shape[d];
        params.boundary[d] = (int)mnp__boundary_of(stencil->boundaries, d);
    }
    MNP_TRY(mnp__elements_new(ctx, rows->rows + 1, sizeof *rows->offsets, &rows->offsets));
    params.lengths = (long long *)rows->offsets;
    MNP_TRY(mnp__ctx_launch(ctx, kernel, rows->rows, &params, sizeof params));
    MNP_TRY(mnp__rows_sum_up(sums, rows->rows, rows->offsets, &rows->count));
    MNP_TRY(mnp__elements_new(ctx, rows->count, sizeof *rows->columns, &rows->columns));
    MNP_TRY(mnp__elements_new(ctx, rows->count, mnp_dtype_size(stencil->dtype), &rows->values));
    params.fills = 1;
    params.columns = (long long *)rows->columns;
    params.values = rows->values;
    MNP_TRY(mnp__ctx_launch(ctx, kernel, rows->rows, &params, sizeof params));
    return mnp__ctx_wait(ctx, ctx->compute);
}

/* The same of points on the CPU.  What was made stays in *rows, also after a failure. */
static mnp_status upload_points(mnp_ctx *ctx, const struct stencil *stencil, mnp__kernel *kernel, mnp__row_runner sums,
                                const struct points *points, int64_t lo, mnp__rows *rows)
{
    const int64_t count = stencil->npoints, ndim = stencil->ndim;
    const size_t size = mnp_dtype_size(stencil->dtype);
    struct points sent = {NULL, NULL};
    mnp_status st;
    MNP_TRY_OR(mnp__elements_upload(ctx, count * ndim, sizeof *sent.steps, points->steps, &sent.steps), st, done);
    MNP_TRY_OR(mnp__elements_upload(ctx, count, size, points->coefficients, &sent.coefficients), st, done);
    st = make_rows(ctx, stencil, kernel, sums, &sent, lo, rows);
done:
    mnp__elements_free(ctx, sent.steps);
    mnp__elements_free(ctx, sent.coefficients);
    return st;
}

/* The matrix of that shape of a stencil whose points are sorted.  Collective, and agreed upon. */
static mnp_status make_matrix(const mnp__sparse_shape *shape, const struct stencil *stencil,
                              const struct points *points, mnp_sparse **matrix_p)
{
    const mnp__kernel_spec spec = {.file = "sparse/assembly/stencil_rows.cu", .function = "stencil_rows"};
    mnp_ctx *ctx = shape->ctx;
    const int64_t *cuts = mnp_layout_cuts(shape->row_layout, 0) + ctx->comm.rank;
    char room[MNP__KERNEL_ROOM];
    mnp__text defines = MNP__TEXT_IN(room);
    mnp__rows rows = {.rows = cuts[1] - cuts[0]};
    mnp__kernel *kernel;
    mnp__row_runner sums;
    mnp__text_add(&defines, "#define MNP_VALUE %s\n", mnp__jit_type(shape->dtype));
    MNP_TRY(mnp__ctx_kernel_of_text(ctx, &spec, &defines, NULL, &kernel));
    MNP_TRY(mnp__row_runner_open(ctx, shape->dtype, &sums));
    const mnp_status st = MNP_AGREE(ctx, upload_points(ctx, stencil, kernel, sums, points, cuts[0], &rows));
    if (st == MNP_OK)
        return mnp__sparse_from_rows(shape, &rows, matrix_p);
    mnp__rows_release(ctx, &rows);
    return st;
}

/* ---- the identity ---- */

/* A stencil of one point: row i has a 1 in column i + k where there is one. */
mnp_status mnp_sparse_eye(mnp_ctx *ctx, mnp_dtype dtype, int64_t nrows, int64_t ncolumns, int64_t k,
                          mnp_sparse **matrix_p)
{
    MNP_ENTER(ctx, matrix_p);
    static const char function[] = "mnp_sparse_eye";
    mnp__sparse_shape shape = {.ctx = ctx, .dtype = dtype, .rows = nrows, .columns = ncolumns};
    mnp_layout *row_layout, *column_layout;
    _Alignas(double) char one[2 * sizeof(double)];
    MNP_TRY(mnp__sparse_check_dtype(function, dtype));
    MNP_TRY(mnp__sparse_layouts(function, &shape, &row_layout, &column_layout));
    shape.row_layout = row_layout;
    shape.column_layout = column_layout;
    mnp__value_set(dtype, one, 0, (const double[]){1, 0});
    k = k < -nrows ? -nrows : k > ncolumns ? ncolumns : k;
    const struct stencil stencil = {.dtype = dtype, .ndim = 1, .npoints = 1, .shape = &ncolumns};
    const mnp_status st = make_matrix(&shape, &stencil, &(struct points){.steps = &k, .coefficients = one}, matrix_p);
    mnp_layout_free(row_layout);
    mnp_layout_free(column_layout);
    return st;
}

/* ---- stencils of a grid ---- */

static mnp_status check_stencil(const char *function, const struct stencil *stencil)
{
    MNP_TRY(mnp__sparse_check_dtype(function, stencil->dtype));
    if (stencil->ndim < 1 || stencil->ndim > MNP_MAX_DIMS)
        return MNP_FAIL(MNP_ERR_ARG, "%s: ndim is %d, outside 1..%d", function, stencil->ndim, MNP_MAX_DIMS);
    MNP_TRY(mnp__layout_check_shape(stencil->ndim, stencil->shape));
    MNP_TRY(mnp__boundaries_check(function, stencil->ndim, stencil->boundaries));
    if (stencil->npoints < 0)
        return MNP_FAIL(MNP_ERR_ARG, "%s: npoints is %d", function, stencil->npoints);
    const size_t bytes = (size_t)stencil->ndim * sizeof *stencil->offsets;
    for (int p = 0; p < stencil->npoints; p++) {
        const int64_t *offsets = stencil->offsets + p * stencil->ndim;
        for (int q = 0; q < p; q++)
            if (memcmp(offsets, stencil->offsets + q * stencil->ndim, bytes) == 0)
                return MNP_FAIL(MNP_ERR_ARG, "%s: points %d and %d are the same", function, q, p);
    }
    return MNP_OK;
}

mnp_status mnp_csr_from_stencil(mnp_ctx *ctx, mnp_dtype dtype, int ndim, const int64_t *shape,
                                const mnp_boundary *boundaries, int npoints, const int64_t *offsets,
                                const void *coefficients, mnp_sparse **matrix_p)
{
    MNP_ENTER(ctx, matrix_p);
    MNP_NEED_IF(ndim > 0, shape);
    MNP_NEED_IF(npoints > 0, offsets);
    MNP_NEED_IF(npoints > 0, coefficients);
    struct stencil stencil = {.dtype = dtype,
                              .ndim = ndim,
                              .npoints = npoints,
                              .shape = shape,
                              .offsets = offsets,
                              .boundaries = boundaries,
                              .coefficients = coefficients};
    struct points points = {NULL, NULL};
    mnp_layout *layout = NULL;
    int64_t n = 1;
    MNP_TRY(check_stencil("mnp_csr_from_stencil", &stencil));
    for (int d = 0; d < ndim; d++)
        n *= shape[d];
    mnp_status st = sort_points(&stencil, &points);
    if (st == MNP_OK)
        st = mnp__layout_line(ctx->comm.size, 1, &n, NULL, &layout);
    st = MNP_AGREE(ctx, st);
    const mnp__sparse_shape made = {
        .ctx = ctx, .dtype = dtype, .rows = n, .columns = n, .row_layout = layout, .column_layout = layout};
    if (st == MNP_OK)
        st = make_matrix(&made, &stencil, &points, matrix_p);
    free_points(&points);
    mnp_layout_free(layout);
    return st;
}
