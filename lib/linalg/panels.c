/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Factorisations and triangular systems of one matrix that all ranks hold together.
 *
 * Its columns lie in blocks of `width` that are dealt out over the ranks in turn, each rank's one behind the other in
 * column-major order.  So a block is a panel that its owner can factor alone, also with interchanges of rows, and every
 * rank always has an equal share of the columns that are left.  The algorithms are the right-looking ones of LAPACK and
 * ScaLAPACK (Choi, Dongarra, Ostrouchov, Petitet, Walker, Whaley: The design and implementation of the ScaLAPACK LU, QR
 * and Cholesky factorization routines, 1996), on a grid of one row of ranks: for every panel the owner factors it, all
 * ranks get it by one broadcast, and each updates its own columns behind it by the device's BLAS.
 *
 * A triangular system is solved with one broadcast for each panel too, by every rank for its own right-hand sides.
 *
 * Cost for n x n over p ranks: the operations of LAPACK divided by p, but for the panels, which are n^2 width / 2 for
 * Cholesky and n^2 width for LU; each rank receives n^2 / 2 elements in n / width broadcasts.  The memory of one panel
 * beside the matrix.  If work fails on one rank alone, it goes on taking part, and the ranks agree at the end.
 */
#include "linalg/panels.h"

#include <stdlib.h>

#include <maniple/comm.h>
#include <maniple/create.h>

#include "array/boxes.h"
#include "device/blas.h"
#include "layout/layout.h"

/* ---- a pass over the panels ---- */

typedef struct pass {
    const mnp__place *place;
    mnp_ctx *ctx;
    mnp__device *device;
    mnp_dtype dtype;
    size_t size; /* bytes of an element */
    const mnp__dense *a;
    int64_t count; /* of panels */
    mnp__kernel *copy;
    mnp_array *buffer; /* on every rank: a panel, and so many elements behind it that its pivots have room */
    mnp_status own;    /* of this rank's work */
} pass;

/* A panel: its columns [first, first + columns); its rows [top, top + rows), which are in the buffer. */
typedef struct panel {
    int64_t number, first, columns, top, rows;
    int owner;
} panel;

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static mnp_status begin(const mnp__place *place, const mnp__dense *a, int64_t columns, pass *p)
{
    mnp_layout *layout;
    const mnp_dtype dtype = a->array->dtype, moving = mnp__moving_dtype(dtype);
    *p = (pass){.place = place,
                .ctx = place->ctx,
                .device = place->ctx->device,
                .dtype = dtype,
                .size = mnp_dtype_size(dtype),
                .a = a,
                .count = (columns + a->width - 1) / a->width};
    MNP_TRY(MNP_AGREE(p->ctx, p->device->ops->blas->need(p->device, place->function)));
    MNP_TRY(mnp__copy_kernel(p->ctx, moving, moving, &p->copy));
    MNP_TRY(mnp_layout_replicated(p->ctx->comm.size, 1, (const int64_t[]){(a->m + 1) * a->width}, &layout));
    const mnp_status st = mnp_array_new(p->ctx, dtype, layout, &p->buffer);
    mnp_layout_free(layout);
    return st;
}

static mnp_status end(pass *p, mnp_status st)
{
    mnp_array_free(p->buffer);
    return st == MNP_OK ? MNP_AGREE(p->ctx, p->own) : st;
}

/* Panel number k, of which the rows from `top` on are wanted, or, if `above`, those down to its diagonal block. */
static panel panel_at(const pass *p, int64_t k, bool above)
{
    const int64_t width = p->a->width, first = k * width, columns = smaller(width, p->a->n - first);
    return (panel){.number = k,
                   .first = first,
                   .columns = columns,
                   .top = above ? 0 : first,
                   .rows = above ? first + columns : p->a->m - first,
                   .owner = (int)(k % p->ctx->comm.size)};
}

static bool is_mine(const pass *p, const panel *at)
{
    return at->owner == p->ctx->comm.rank;
}

/* How many of this rank's columns are in panels before number k. */
static int64_t columns_before(const pass *p, const mnp__dense *a, int64_t k)
{
    const int64_t rank = p->ctx->comm.rank, size = p->ctx->comm.size,
                  panels = k <= rank ? 0 : (k - rank + size - 1) / size;
    return smaller(panels * a->width, a->columns);
}

static char *element(const pass *p, const mnp__dense *a, int64_t row, int64_t column)
{
    return (char *)a->of.data + (size_t)(column * a->of.ld + row) * p->size;
}

static char *in_buffer(const pass *p, const panel *at, int64_t row)
{
    return (char *)p->buffer->data + (size_t)(row - at->top) * p->size;
}

/* The pivots of a panel, which travel with it. */
static int32_t *pivots_in_buffer(const pass *p, const panel *at)
{
    return (int32_t *)(void *)((char *)p->buffer->data + (size_t)(at->rows * at->columns) * p->size);
}

/* Work of this rank, which is left out if some has failed. */
#define WORK(p, call)                                                                                                  \
    do {                                                                                                               \
        if ((p)->own == MNP_OK)                                                                                        \
            (p)->own = (call);                                                                                         \
    } while (0)

/* Copy a panel of this rank to the buffer, or back. */
static mnp_status copy_panel(const pass *p, const panel *at, bool back)
{
    char *matrix = element(p, p->a, at->top, columns_before(p, p->a, at->number)), *buffer = p->buffer->data;
    const int64_t extent[2] = {at->columns, at->rows}, ours[2] = {p->a->of.ld, 1}, packed[2] = {at->rows, 1};
    const mnp__one_box box = mnp__one_box_of(2, extent, back ? packed : ours, back ? ours : packed);
    if (at->rows == 0)
        return MNP_OK;
    return mnp__one_box_copy(p->ctx, p->copy, &box, p->size, back ? buffer : matrix, back ? matrix : buffer,
                             p->ctx->compute);
}

/* Send so many elements of the buffer from a panel's owner to all. */
static mnp_status broadcast(const pass *p, const panel *at, int64_t elements)
{
    return mnp_comm_broadcast(mnp_comm_world(p->ctx), p->buffer->data, elements, p->dtype, at->owner);
}

/* C (m x n) -= op_a(A) op_b(B), with k terms. */
static mnp_status subtract(const pass *p, int64_t m, int64_t n, int64_t k, const void *a, int64_t lda, char op_a,
                           const void *b, int64_t ldb, char op_b, void *c, int64_t ldc)
{
    const mnp__gemm gemm = {.dtype = p->dtype,
                            .op_a = (mnp__blas_op)op_a,
                            .op_b = (mnp__blas_op)op_b,
                            .m = m,
                            .n = n,
                            .k = k,
                            .batch = 1,
                            .a = a,
                            .b = b,
                            .c = c,
                            .lda = lda,
                            .ldb = ldb,
                            .ldc = ldc,
                            .alpha = {-1, 0},
                            .beta = {1, 0}};
    return m == 0 || n == 0 || k == 0 ? MNP_OK : p->device->ops->blas->gemm(p->device, &gemm, p->ctx->compute);
}

/* Solve op(A) X = B, or with `right` X op(A) = B, by the diagonal block of a panel in the buffer; X replaces B. */
static mnp_status solve_block(const pass *p, const panel *at, bool upper, bool unit, char op, bool right, int64_t m,
                              int64_t n, void *b, int64_t ldb)
{
    const mnp__trsm solve = {.dtype = p->dtype,
                             .right = right,
                             .upper = upper,
                             .unit = unit,
                             .op = (mnp__blas_op)op,
                             .m = m,
                             .n = n,
                             .batch = 1,
                             .a = in_buffer(p, at, at->first),
                             .b = b,
                             .lda = at->rows,
                             .ldb = ldb,
                             .alpha = {1, 0}};
    return m == 0 || n == 0 ? MNP_OK : p->device->ops->blas->trsm(p->device, &solve, p->ctx->compute);
}

/* ---- reports ---- */

/*
 * Every panel's owner has LAPACK's report of it, 0 or a number from 1 on.  Put the first column of this rank's that
 * something is reported of to `info`.
 */
static mnp_status put_report(pass *p, const mnp_array *reports, mnp_array *info)
{
    int32_t *panels = NULL, found = 0;
    MNP_TRY(mnp__malloc((size_t)(p->count + 1) * sizeof *panels, &panels));
    mnp_status st = p->count > 0 ? mnp_array_get_local(reports, panels) : MNP_OK;
    for (int64_t k = 0; st == MNP_OK && k < p->count && found == 0; k++) {
        if (panels[k] > 0)
            found = (int32_t)(k * p->a->width) + panels[k];
    }
    free(panels);
    return st == MNP_OK ? mnp_array_set_local(info, &found) : st;
}

/* Numbers for the reports of all panels, 0, on every rank. */
static mnp_status reports_new(const pass *p, mnp_array **reports_p)
{
    mnp_layout *layout;
    MNP_TRY(mnp_layout_replicated(p->ctx->comm.size, 1, &p->count, &layout));
    mnp_status st = mnp_array_new(p->ctx, MNP_INT32, layout, reports_p);
    mnp_layout_free(layout);
    MNP_TRY(st);
    if (p->count > 0)
        st =
            p->device->ops->fill(p->device, (*reports_p)->data, 0, (size_t)p->count * sizeof(int32_t), p->ctx->compute);
    return MNP_AGREE(p->ctx, st);
}

/* ---- Cholesky ---- */

/* The owner's part: L11 of the diagonal block, L21 = A21 L11^-H below it. */
static mnp_status factor_positive(const pass *p, const panel *at, int32_t *report)
{
    const mnp__lapack_job job = {
        .dtype = p->dtype, .batch = 1, .n = at->columns, .a = {p->buffer->data, at->rows, 0}, .info = report};
    const int64_t below = at->first + at->columns;
    MNP_TRY(copy_panel(p, at, false));
    MNP_TRY(p->device->ops->lapack->potrf(p->device, &job, p->ctx->compute));
    MNP_TRY(
        solve_block(p, at, false, false, 'C', true, p->a->n - below, at->columns, in_buffer(p, at, below), at->rows));
    return copy_panel(p, at, true);
}

/* A22 -= L21 L21^H, of this rank's columns, and of those what is on and below the diagonal blocks. */
static mnp_status update_positive(const pass *p, const panel *at)
{
    for (int64_t k = at->number + 1; k < p->count; k++) {
        const panel other = panel_at(p, k, false);
        if (!is_mine(p, &other))
            continue;
        MNP_TRY(subtract(p, other.rows, other.columns, at->columns, in_buffer(p, at, other.first), at->rows, 'N',
                         in_buffer(p, at, other.first), at->rows, 'C',
                         element(p, p->a, other.first, columns_before(p, p->a, k)), p->a->of.ld));
    }
    return MNP_OK;
}

mnp_status mnp__panels_potrf(const mnp__place *place, const mnp__dense *a, mnp_array *info)
{
    pass p;
    mnp_array *reports = NULL;
    mnp_status st;
    MNP_TRY_OR(begin(place, a, a->n, &p), st, done);
    MNP_TRY_OR(reports_new(&p, &reports), st, done);
    for (int64_t k = 0; k < p.count; k++) {
        const panel at = panel_at(&p, k, false);
        if (is_mine(&p, &at))
            WORK(&p, factor_positive(&p, &at, (int32_t *)reports->data + k));
        if (k + 1 == p.count)
            break;
        MNP_TRY_OR(broadcast(&p, &at, at.rows * at.columns), st, done);
        WORK(&p, update_positive(&p, &at));
    }
    WORK(&p, put_report(&p, reports, info));
done:
    mnp_array_free(reports);
    return end(&p, st);
}

/* ---- LU ---- */

/* Interchange rows of some of this rank's columns, from row `top` on, by pivots that count from there. */
static mnp_status interchange(const pass *p, const mnp__dense *a, int64_t top, int64_t column, int64_t columns,
                              int64_t count, int32_t *pivots, bool back)
{
    const mnp__lapack_job job = {.dtype = p->dtype,
                                 .batch = 1,
                                 .m = a->m - top,
                                 .n = columns,
                                 .k = count,
                                 .a = {element(p, a, top, column), a->of.ld, 0},
                                 .pivots = pivots,
                                 .op = back ? 'T' : 'N'};
    return columns == 0 || count == 0 ? MNP_OK : p->device->ops->lapack->laswp(p->device, &job, p->ctx->compute);
}

static mnp_status factor_general(const pass *p, const panel *at, int32_t *report)
{
    const mnp__lapack_job job = {.dtype = p->dtype,
                                 .batch = 1,
                                 .m = at->rows,
                                 .n = at->columns,
                                 .a = {p->buffer->data, at->rows, 0},
                                 .pivots = pivots_in_buffer(p, at),
                                 .info = report};
    MNP_TRY(copy_panel(p, at, false));
    MNP_TRY(p->device->ops->lapack->getrf(p->device, &job, p->ctx->compute));
    return copy_panel(p, at, true);
}

/* The rows of this rank's other columns are interchanged; then U12 = L11^-1 A12, A22 -= L21 U12. */
static mnp_status update_general(const pass *p, const panel *at)
{
    const mnp__dense *a = p->a;
    const int64_t before = columns_before(p, a, at->number), behind = columns_before(p, a, at->number + 1),
                  left = a->columns - behind, pivots = smaller(at->rows, at->columns), below = at->first + pivots;
    MNP_TRY(interchange(p, a, at->first, 0, before, pivots, pivots_in_buffer(p, at), false));
    MNP_TRY(interchange(p, a, at->first, behind, left, pivots, pivots_in_buffer(p, at), false));
    MNP_TRY(solve_block(p, at, false, true, 'N', false, pivots, left, element(p, a, at->first, behind), a->of.ld));
    return subtract(p, a->m - below, left, pivots, in_buffer(p, at, below), at->rows, 'N',
                    element(p, a, at->first, behind), a->of.ld, 'N', element(p, a, below, behind), a->of.ld);
}

/* Keep a panel's pivots; they count from its first row until the end. */
static mnp_status keep_pivots(const pass *p, const panel *at, mnp_array *pivots)
{
    const int64_t count = smaller(at->rows, at->columns);
    return p->device->ops->copy(p->device, (int32_t *)pivots->data + at->first, pivots_in_buffer(p, at),
                                (size_t)count * sizeof(int32_t), p->ctx->compute);
}

static mnp_status count_from_first_row(const pass *p, mnp_array *pivots)
{
    const int64_t count = pivots->local_size;
    int32_t *values;
    if (count == 0)
        return MNP_OK;
    MNP_TRY(mnp__malloc((size_t)count * sizeof *values, &values));
    mnp_status st = mnp_array_get_local(pivots, values);
    for (int64_t i = 0; i < count && st == MNP_OK; i++)
        values[i] += (int32_t)(i / p->a->width * p->a->width);
    if (st == MNP_OK)
        st = mnp_array_set_local(pivots, values);
    free(values);
    return st;
}

mnp_status mnp__panels_getrf(const mnp__place *place, const mnp__dense *a, mnp_array *pivots, mnp_array *info)
{
    pass p;
    mnp_array *reports = NULL;
    mnp_status st;
    MNP_TRY_OR(begin(place, a, smaller(a->m, a->n), &p), st, done);
    const int64_t room = ((int64_t)sizeof(int32_t) * a->width + (int64_t)p.size - 1) / (int64_t)p.size;
    MNP_TRY_OR(reports_new(&p, &reports), st, done);
    for (int64_t k = 0; k < p.count; k++) {
        const panel at = panel_at(&p, k, false);
        if (is_mine(&p, &at))
            WORK(&p, factor_general(&p, &at, (int32_t *)reports->data + k));
        MNP_TRY_OR(broadcast(&p, &at, at.rows * at.columns + room), st, done);
        WORK(&p, keep_pivots(&p, &at, pivots));
        WORK(&p, update_general(&p, &at));
    }
    WORK(&p, put_report(&p, reports, info));
    WORK(&p, count_from_first_row(&p, pivots));
done:
    mnp_array_free(reports);
    return end(&p, st);
}

mnp_status mnp__panels_interchange(const mnp__place *place, const mnp_array *pivots, bool back, const mnp__dense *b)
{
    const mnp_dtype dtype = b->array->dtype;
    const pass p = {.place = place,
                    .ctx = place->ctx,
                    .device = place->ctx->device,
                    .dtype = dtype,
                    .size = mnp_dtype_size(dtype),
                    .a = b};
    return interchange(&p, b, 0, 0, b->columns, pivots->local_size, pivots->data, back);
}

/* ---- triangular systems ---- */

/*
 * One panel of op(A) X = B.  N: the rows of X that belong to the panel are found, and their part of B's other rows is
 * subtracted.  T and C: what the other rows of X give is subtracted, and then the panel's rows are found.
 */
static mnp_status solve_panel(const pass *p, const panel *at, bool upper, bool unit, char op, const mnp__dense *b)
{
    const int64_t others = at->rows - at->columns, other = upper ? 0 : at->first + at->columns;
    char *rows = element(p, b, at->first, 0), *rest = element(p, b, other, 0);
    const char *panel_rest = in_buffer(p, at, other);
    if (b->columns == 0)
        return MNP_OK;
    if (op != 'N')
        MNP_TRY(subtract(p, at->columns, b->columns, others, panel_rest, at->rows, op, rest, b->of.ld, 'N', rows,
                         b->of.ld));
    MNP_TRY(solve_block(p, at, upper, unit, op, false, at->columns, b->columns, rows, b->of.ld));
    if (op != 'N')
        return MNP_OK;
    return subtract(p, others, b->columns, at->columns, panel_rest, at->rows, 'N', rows, b->of.ld, 'N', rest, b->of.ld);
}

mnp_status mnp__panels_trsm(const mnp__place *place, const mnp__dense *a, bool upper, bool unit, char op,
                            const mnp__dense *b)
{
    pass p;
    mnp_status st;
    const bool upwards = upper == (op == 'N'); /* the order of the panels */
    MNP_TRY_OR(begin(place, a, a->n, &p), st, done);
    for (int64_t i = 0; i < p.count; i++) {
        const panel at = panel_at(&p, upwards ? p.count - 1 - i : i, upper);
        if (is_mine(&p, &at))
            WORK(&p, copy_panel(&p, &at, false));
        MNP_TRY_OR(broadcast(&p, &at, at.rows * at.columns), st, done);
        WORK(&p, solve_panel(&p, &at, upper, unit, op, b));
    }
done:
    return end(&p, st);
}
