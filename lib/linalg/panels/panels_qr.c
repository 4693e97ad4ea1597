/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * QR factorisations of one matrix that all ranks hold together, by Householder's reflectors.
 *
 * The right-looking algorithm of LAPACK and ScaLAPACK (see panels.c) on a grid of one row of ranks: a panel's owner
 * factors it, one broadcast brings its reflectors and their factors to all ranks, and each applies them to its own
 * columns behind the panel, as products of matrices (Schreiber and Van Loan: A storage-efficient WY representation for
 * products of Householder transformations, 1989), which is what LAPACK's ormqr does.  Q, or Q times any matrix, is made
 * by one more pass over the panels, from the last to the first.
 *
 * Cost for n x n over p ranks: 4/3 n^3 / p operations and n^2 width for the panels, as much again for Q; each rank
 * receives n^2 / 2 elements in n / width broadcasts for each of them.
 */
#include "linalg/panels/panels_qr.h"

#include "base/integer.h"
#include "linalg/panels/panel_pass.h"

/* The panel is factored in the buffer, and its factors are put behind it. */
static mnp_status factor_panel(const mnp__pass *p, const mnp__panel *at)
{
    const mnp__lapack_job job = {.dtype = p->dtype,
                                 .batch = 1,
                                 .m = at->rows,
                                 .n = at->columns,
                                 .a = {p->buffer->data, at->rows, 0},
                                 .values = mnp__panel_tail(p, at)};
    MNP_TRY(mnp__panel_copy(p, at, false));
    MNP_TRY(p->device->ops->lapack->geqrf(p->device, &job, p->ctx->compute));
    return mnp__panel_copy(p, at, true);
}

/* op(Q) times some rows of this rank's columns of B from `column` on, with the `count` reflectors of a panel. */
static mnp_status apply_panel(const mnp__pass *p, const mnp__panel *at, int64_t count, void *factors, bool adjoint,
                              const mnp__dense *b, int64_t column)
{
    const mnp__lapack_job job = {.dtype = p->dtype,
                                 .batch = 1,
                                 .m = at->rows,
                                 .n = b->columns - column,
                                 .k = count,
                                 .a = {p->buffer->data, at->rows, 0},
                                 .b = {mnp__pass_element(p, b, at->top, column), b->of.ld, 0},
                                 .values = factors,
                                 .op = adjoint ? 'C' : 'N'};
    if (count <= 0 || job.n == 0)
        return MNP_OK;
    return p->device->ops->lapack->ormqr(p->device, &job, p->ctx->compute);
}

/* Every rank keeps the factors of a panel, and applies its reflectors to its own columns behind it. */
static mnp_status update(const mnp__pass *p, const mnp__panel *at, mnp_array *factors)
{
    const int64_t count = mnp__min(at->rows, at->columns);
    char *kept = (char *)factors->data + (size_t)at->first * p->size;
    MNP_TRY(p->device->ops->copy(p->device, kept, mnp__panel_tail(p, at), (size_t)count * p->size, p->ctx->compute));
    return apply_panel(p, at, count, kept, true, p->a, mnp__columns_before(p, p->a, at->first + at->columns));
}

mnp_status mnp__panels_geqrf(const mnp__place *place, const mnp__dense *a, mnp_array *factors)
{
    mnp__pass p;
    mnp_status st;
    MNP_TRY_OR(mnp__pass_begin(place, a, mnp__min(a->m, a->n), &p), st, done);
    for (int64_t k = 0; k < p.count; k++) {
        const mnp__panel at = mnp__panel_at(&p, k, 0);
        if (mnp__panel_is_mine(&p, &at))
            MNP__WORK(&p, factor_panel(&p, &at));
        MNP_TRY_OR(mnp__panel_broadcast(&p, &at, (at.rows + 1) * at.columns), st, done);
        MNP__WORK(&p, update(&p, &at, factors));
    }
done:
    return mnp__pass_end(&p, st);
}

mnp_status mnp__panels_ormqr(const mnp__place *place, const mnp__dense *a, int64_t below, const mnp_array *factors,
                             bool adjoint, bool unit, const mnp__dense *b)
{
    mnp__pass p;
    mnp_status st;
    const int64_t reflectors = factors->local_size;
    MNP_TRY_OR(mnp__pass_begin(place, a, reflectors, &p), st, done);
    for (int64_t i = 0; i < p.count; i++) {
        const mnp__panel at = mnp__panel_at(&p, adjoint ? i : p.count - 1 - i, below);
        const int64_t count = mnp__min(mnp__min(at.rows, at.columns), reflectors - at.first);
        if (mnp__panel_is_mine(&p, &at))
            MNP__WORK(&p, mnp__panel_copy(&p, &at, false));
        MNP_TRY_OR(mnp__panel_broadcast(&p, &at, at.rows * at.columns), st, done);
        MNP__WORK(&p, apply_panel(&p, &at, count, (char *)factors->data + (size_t)at.first * p.size, adjoint, b,
                                  unit ? mnp__columns_before(&p, b, at.first) : 0));
    }
done:
    return mnp__pass_end(&p, st);
}
