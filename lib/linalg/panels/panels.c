/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cholesky's and the LU factorisation of one matrix that all ranks hold together, and triangular systems.
 *
 * Its columns are dealt out over the ranks as panel_pass.h tells.  A block of them is a panel that its owner can factor
 * alone, also with interchanges of rows, and every rank always has an equal share of the columns that are left.  The
 * algorithms are the right-looking ones of LAPACK and ScaLAPACK (Choi, Dongarra, Ostrouchov, Petitet, Walker, Whaley:
 * The design and implementation of the ScaLAPACK LU, QR and Cholesky factorization routines, 1996), on a grid of one
 * row of ranks: for every panel the owner factors it, all ranks get it by one broadcast, and each updates its own
 * columns behind it by the device's BLAS.
 *
 * A triangular system is solved with one broadcast for each panel too, by every rank for its own right-hand sides.
 *
 * Cost for n x n over p ranks: the operations of LAPACK divided by p, but for the panels, which are n^2 width / 2 for
 * Cholesky and n^2 width for LU; each rank receives n^2 / 2 elements in n / width broadcasts.  The memory of one panel
 * beside the matrix.
 */
#include "linalg/panels/panels.h"

#include <stdlib.h>

#include <maniple/create.h>

#include "base/integer.h"
#include "linalg/dense/lost_nan.h"
#include "linalg/panels/panel_pass.h"

/* The pivots of a panel, which travel with it. */
static int32_t *pivots_in_buffer(const mnp__pass *p, const mnp__panel *at)
{
    return (int32_t *)(void *)mnp__panel_tail(p, at);
}

/*
 * How a triangular block is meant: A, which is the upper one or has a diagonal of ones, and op(A), on which side of X.
 */
typedef struct triangle {
    bool upper, unit, right;
    char op;
} triangle;

/*
 * Solve op(A) X = B, or X op(A) = B, for the m x n matrix X by the diagonal block of a panel in the buffer; X replaces
 * B.
 */
static mnp_status solve_block(const mnp__pass *p, const mnp__panel *at, triangle kind, int64_t m, int64_t n,
                              mnp__target b)
{
    const mnp__trsm solve = {.dtype = p->dtype,
                             .right = kind.right,
                             .upper = kind.upper,
                             .unit = kind.unit,
                             .op = (mnp__blas_op)kind.op,
                             .m = m,
                             .n = n,
                             .batch = 1,
                             .a = mnp__panel_buffer(p, at, at->first),
                             .b = b.at,
                             .lda = at->rows,
                             .ldb = b.ld,
                             .alpha = {1, 0}};
    return m == 0 || n == 0 ? MNP_OK : p->device->ops->blas->trsm(p->device, &solve, p->ctx->compute);
}

/* ---- reports ---- */

/*
 * Every panel's owner has LAPACK's report of it, 0 or a number from 1 on.  Put the first column of this rank's that
 * something is reported of to `info`.
 */
static mnp_status put_report(mnp__pass *p, const mnp_array *reports, mnp_array *info)
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
static mnp_status reports_new(const mnp__pass *p, mnp_array **reports_p)
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
static mnp_status factor_positive(const mnp__pass *p, const mnp__panel *at, int32_t *report)
{
    const mnp__lapack_job job = {
        .dtype = p->dtype, .batch = 1, .n = at->columns, .a = {p->buffer->data, at->rows, 0}, .info = report};
    const int64_t below = at->first + at->columns;
    MNP_TRY(mnp__panel_copy(p, at, false));
    MNP_TRY(p->device->ops->lapack->potrf(p->device, &job, p->ctx->compute));
    MNP_TRY(solve_block(p, at, (triangle){.right = true, .op = 'C'}, p->a->n - below, at->columns,
                        mnp__into(mnp__panel_buffer(p, at, below), at->rows)));
    return mnp__panel_copy(p, at, true);
}

/* A22 -= L21 L21^H, of this rank's columns, and of those what is on and below the diagonal blocks. */
static mnp_status update_positive(const mnp__pass *p, const mnp__panel *at)
{
    for (int64_t k = at->number + 1; k < p->count; k++) {
        const mnp__panel other = mnp__panel_at(p, k, 0);
        if (!mnp__panel_is_mine(p, &other))
            continue;
        MNP_TRY(mnp__pass_subtract(
            p, mnp__mnk(other.rows, other.columns, at->columns),
            mnp__plain(mnp__panel_buffer(p, at, other.first), at->rows),
            mnp__adjoint(mnp__panel_buffer(p, at, other.first), at->rows),
            mnp__into(mnp__pass_element(p, p->a, other.first, mnp__columns_before(p, p->a, other.first)),
                      p->a->of.ld)));
    }
    return MNP_OK;
}

mnp_status mnp__panels_potrf(const mnp__place *place, const mnp__dense *a, mnp_array *info)
{
    mnp__pass p;
    mnp_array *reports = NULL;
    mnp_status st;
    MNP_TRY_OR(mnp__pass_begin(place, a, a->n, &p), st, done);
    MNP_TRY_OR(reports_new(&p, &reports), st, done);
    for (int64_t k = 0; k < p.count; k++) {
        const mnp__panel at = mnp__panel_at(&p, k, 0);
        if (mnp__panel_is_mine(&p, &at))
            MNP__WORK(&p, factor_positive(&p, &at, (int32_t *)reports->data + k));
        if (k + 1 == p.count)
            break;
        MNP_TRY_OR(mnp__panel_broadcast(&p, &at, at.rows * at.columns), st, done);
        MNP__WORK(&p, update_positive(&p, &at));
    }
    MNP__WORK(&p, put_report(&p, reports, info));
done:
    mnp_array_free(reports);
    return mnp__pass_end(&p, st);
}

/* ---- LU ---- */

/* Interchange rows of some of this rank's columns, from row `top` on, by pivots that count from there. */
static mnp_status interchange(const mnp__pass *p, const mnp__dense *a, int64_t top, int64_t column, int64_t columns,
                              int64_t count, int32_t *pivots, bool back)
{
    const mnp__lapack_job job = {.dtype = p->dtype,
                                 .batch = 1,
                                 .m = a->m - top,
                                 .n = columns,
                                 .k = count,
                                 .a = {mnp__pass_element(p, a, top, column), a->of.ld, 0},
                                 .pivots = pivots,
                                 .op = back ? 'T' : 'N'};
    return columns == 0 || count == 0 ? MNP_OK : p->device->ops->lapack->laswp(p->device, &job, p->ctx->compute);
}

static mnp_status factor_general(const mnp__pass *p, mnp__kernel *nan_kernel, const mnp__panel *at, int32_t *report)
{
    const mnp__lapack_job job = {.dtype = p->dtype,
                                 .batch = 1,
                                 .m = at->rows,
                                 .n = at->columns,
                                 .a = {p->buffer->data, at->rows, 0},
                                 .pivots = pivots_in_buffer(p, at),
                                 .info = report};
    MNP_TRY(mnp__panel_copy(p, at, false));
    MNP_TRY(mnp__lost_nan_getrf(p->ctx, nan_kernel, &job));
    return mnp__panel_copy(p, at, true);
}

/*
 * Pivots that interchange nothing, from an owner that could not factor its panel: the other ranks go on, and would read
 * and write beyond their columns by pivots that are left from something else.
 */
static void put_no_interchanges(const mnp__pass *p, const mnp__panel *at)
{
    int32_t numbers[64];
    const int64_t count = mnp__min(at->rows, at->columns), most = (int64_t)(sizeof numbers / sizeof *numbers);
    for (int64_t first = 0; first < count; first += most) {
        const int64_t some = mnp__min(most, count - first);
        for (int64_t i = 0; i < some; i++)
            numbers[i] = (int32_t)(first + i + 1);
        (void)p->device->ops->copy(p->device, pivots_in_buffer(p, at) + first, numbers, (size_t)some * sizeof *numbers,
                                   p->ctx->compute);
    }
}

/* The rows of this rank's other columns are interchanged; then U12 = L11^-1 A12, A22 -= L21 U12. */
static mnp_status update_general(const mnp__pass *p, const mnp__panel *at)
{
    const mnp__dense *a = p->a;
    const int64_t before = mnp__columns_before(p, a, at->first),
                  behind = mnp__columns_before(p, a, at->first + at->columns), left = a->columns - behind,
                  pivots = mnp__min(at->rows, at->columns), below = at->first + pivots;
    MNP_TRY(interchange(p, a, at->first, 0, before, pivots, pivots_in_buffer(p, at), false));
    MNP_TRY(interchange(p, a, at->first, behind, left, pivots, pivots_in_buffer(p, at), false));
    MNP_TRY(solve_block(p, at, (triangle){.unit = true, .op = 'N'}, pivots, left,
                        mnp__into(mnp__pass_element(p, a, at->first, behind), a->of.ld)));
    return mnp__pass_subtract(p, mnp__mnk(a->m - below, left, pivots),
                              mnp__plain(mnp__panel_buffer(p, at, below), at->rows),
                              mnp__plain(mnp__pass_element(p, a, at->first, behind), a->of.ld),
                              mnp__into(mnp__pass_element(p, a, below, behind), a->of.ld));
}

/* Keep a panel's pivots; they count from its first row until the end. */
static mnp_status keep_pivots(const mnp__pass *p, const mnp__panel *at, mnp_array *pivots)
{
    const int64_t count = mnp__min(at->rows, at->columns);
    return p->device->ops->copy(p->device, (int32_t *)pivots->data + at->first, pivots_in_buffer(p, at),
                                (size_t)count * sizeof(int32_t), p->ctx->compute);
}

static mnp_status count_from_first_row(const mnp__pass *p, mnp_array *pivots)
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
    mnp__pass p;
    mnp__kernel *nan_kernel;
    mnp_array *reports = NULL;
    mnp_status st;
    MNP_TRY_OR(mnp__pass_begin(place, a, mnp__min(a->m, a->n), &p), st, done);
    MNP_TRY_OR(mnp__lost_nan_load(place->ctx, p.dtype, &nan_kernel), st, done);
    const int64_t room = ((int64_t)sizeof(int32_t) * a->width + (int64_t)p.size - 1) / (int64_t)p.size;
    MNP_TRY_OR(reports_new(&p, &reports), st, done);
    for (int64_t k = 0; k < p.count; k++) {
        const mnp__panel at = mnp__panel_at(&p, k, 0);
        if (mnp__panel_is_mine(&p, &at))
            MNP__WORK(&p, factor_general(&p, nan_kernel, &at, (int32_t *)reports->data + k));
        if (mnp__panel_is_mine(&p, &at) && p.own != MNP_OK)
            put_no_interchanges(&p, &at);
        MNP_TRY_OR(mnp__panel_broadcast(&p, &at, at.rows * at.columns + room), st, done);
        MNP__WORK(&p, keep_pivots(&p, &at, pivots));
        MNP__WORK(&p, update_general(&p, &at));
    }
    MNP__WORK(&p, put_report(&p, reports, info));
    MNP__WORK(&p, count_from_first_row(&p, pivots));
done:
    mnp_array_free(reports);
    return mnp__pass_end(&p, st);
}

mnp_status mnp__panels_interchange(const mnp__place *place, const mnp_array *pivots, bool back, const mnp__dense *b)
{
    const mnp_dtype dtype = b->array->dtype;
    const mnp__pass p = {.place = place,
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
static mnp_status solve_panel(const mnp__pass *p, const mnp__panel *at, bool upper, bool unit, char op,
                              const mnp__dense *b)
{
    const int64_t others = at->rows - at->columns, other = upper ? 0 : at->first + at->columns;
    char *rows = mnp__pass_element(p, b, at->first, 0), *rest = mnp__pass_element(p, b, other, 0);
    const char *panel_rest = mnp__panel_buffer(p, at, other);
    if (b->columns == 0)
        return MNP_OK;
    if (op != 'N')
        MNP_TRY(mnp__pass_subtract(p, mnp__mnk(at->columns, b->columns, others),
                                   (mnp__factor){panel_rest, at->rows, op}, mnp__plain(rest, b->of.ld),
                                   mnp__into(rows, b->of.ld)));
    MNP_TRY(solve_block(p, at, (triangle){.upper = upper, .unit = unit, .op = op}, at->columns, b->columns,
                        mnp__into(rows, b->of.ld)));
    if (op != 'N')
        return MNP_OK;
    return mnp__pass_subtract(p, mnp__mnk(others, b->columns, at->columns), mnp__plain(panel_rest, at->rows),
                              mnp__plain(rows, b->of.ld), mnp__into(rest, b->of.ld));
}

mnp_status mnp__panels_trsm(const mnp__place *place, const mnp__dense *a, bool upper, bool unit, char op,
                            const mnp__dense *b)
{
    mnp__pass p;
    mnp_status st;
    const bool upwards = upper == (op == 'N'); /* the order of the panels */
    MNP_TRY_OR(mnp__pass_begin(place, a, a->n, &p), st, done);
    for (int64_t i = 0; i < p.count; i++) {
        const int64_t k = upwards ? p.count - 1 - i : i;
        const mnp__panel at = upper ? mnp__panel_above(&p, k) : mnp__panel_at(&p, k, 0);
        if (mnp__panel_is_mine(&p, &at))
            MNP__WORK(&p, mnp__panel_copy(&p, &at, false));
        MNP_TRY_OR(mnp__panel_broadcast(&p, &at, at.rows * at.columns), st, done);
        MNP__WORK(&p, solve_panel(&p, &at, upper, unit, op, b));
    }
done:
    return mnp__pass_end(&p, st);
}
