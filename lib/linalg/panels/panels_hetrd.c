/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The reduction of one Hermitian matrix, which all ranks hold together, to tridiagonal form.
 *
 * LAPACK's and ScaLAPACK's algorithm (Dongarra, Hammarling, Sorensen: Block reduction of matrices to condensed forms
 * for eigenvalue computations, 1989; Choi, Dongarra, Walker: The design of a parallel dense linear algebra software
 * library: reduction to Hessenberg, tridiagonal, and bidiagonal form, 1995) on a grid of one row of ranks.  The
 * reflectors I - tau v v^H of a panel give A - V W^H - W V^H of the matrix A behind it; w is found from A v for each
 * column, and A is changed only once the panel is done, by two products of matrices.
 *
 * All ranks get a panel before it is begun, and find its reflectors alike.  So there is one sum over the ranks for each
 * column, that of A v, to which every rank adds what the triangle in its own columns gives: each element is read once
 * for both of its places.  Half of the operations are these products with vectors, which the memory bounds.
 *
 * Cost for n x n over p ranks: 4/3 n^3 / p operations, and 2 n^2 width for the vectors of panels on every rank; each
 * rank receives n^2 / 2 elements, and n sums of n / 2 elements on average.  The memory of three panels.
 */
#include "linalg/panels/panels_hetrd.h"

#include "base/integer.h"
#include "linalg/panels/condense.h"

/* What belongs to the panel, in the work memory, with as many rows as the panel has. */
typedef struct reduction {
    mnp__condense with;
    char *v, *w;           /* V and W: a column for each column of the panel */
    char *y, *t, *scalars; /* A v; V^H v or W^H v; two numbers */
} reduction;

/* Divide the work memory for a panel of so many rows and columns. */
static void divide_work(reduction *r, int64_t rows, int64_t columns)
{
    const mnp__condense *c = &r->with;
    r->v = c->work->data;
    r->w = mnp__at(c, r->v, rows, 0, columns);
    r->y = mnp__at(c, r->w, rows, 0, columns);
    r->t = mnp__at(c, r->y, rows, 0, 1);
    r->scalars = mnp__at(c, r->t, columns, 0, 1);
}

/* x -= V W^H + W V^H of column `i` of the panel, from its diagonal on, with the i columns of V and W that there are. */
static mnp_status bring_up_to_date(const reduction *r, const mnp__panel *at, int64_t i)
{
    const mnp__condense *c = &r->with;
    const int64_t rows = at->rows, left = rows - i;
    char *x = mnp__at(c, c->pass.buffer->data, rows, i, i), *v = mnp__at(c, r->v, rows, i, 0),
         *w = mnp__at(c, r->w, rows, i, 0);
    MNP_TRY(mnp__pass_subtract(&c->pass, mnp__mnk(left, 1, i), mnp__plain(v, rows), mnp__adjoint(w, rows),
                               mnp__into(x, rows)));
    return mnp__pass_subtract(&c->pass, mnp__mnk(left, 1, i), mnp__plain(w, rows), mnp__adjoint(v, rows),
                              mnp__into(x, rows));
}

/* y = what this rank's columns give of A v, for the matrix from row and column `top` on. */
static mnp_status multiply_own(const reduction *r, int64_t top, const char *v)
{
    const mnp__pass *p = &r->with.pass;
    const int64_t n = p->a->n, ld = p->a->of.ld;
    MNP_TRY(p->device->ops->fill(p->device, r->y, 0, (size_t)(n - top) * p->size, p->ctx->compute));
    mnp__run at;
    for (int64_t from = top; mnp__next_run(p, from, &at); from = at.end) {
        const char *block = mnp__pass_element(p, p->a, at.first, at.own),
                   *below = mnp__pass_element(p, p->a, at.end, at.own);
        const int64_t columns = at.end - at.first;
        const size_t here = (size_t)(at.first - top) * p->size, behind = (size_t)(at.end - top) * p->size;
        MNP_TRY(mnp__pass_multiply(p, mnp__mnk(columns, 1, n - at.first), 1, mnp__adjoint(block, ld),
                                   mnp__plain(v + here, n - top), 1, mnp__into(r->y + here, n - top)));
        if (at.end < n)
            MNP_TRY(mnp__pass_multiply(p, mnp__mnk(n - at.end, 1, columns), 1, mnp__plain(below, ld),
                                       mnp__plain(v + here, n - top), 1, mnp__into(r->y + behind, n - top)));
    }
    return MNP_OK;
}

/* w = tau (y - V W^H v - W V^H v), and then w -= tau / 2 (w^H v) v, for column i. */
static mnp_status make_w(const reduction *r, const mnp__panel *at, int64_t i, const char *tau)
{
    const mnp__condense *c = &r->with;
    const mnp__pass *p = &c->pass;
    const int64_t rows = at->rows, left = rows - i - 1;
    char *old_v = mnp__at(c, r->v, rows, i + 1, 0), *old_w = mnp__at(c, r->w, rows, i + 1, 0),
         *v = mnp__at(c, r->v, rows, i + 1, i), *w = mnp__at(c, r->w, rows, i + 1, i);
    char *product = r->scalars, *half = r->scalars + p->size;
    MNP_TRY(mnp__condense_deflate(c, mnp__mnk(left, left, i), mnp__plain(old_v, rows), mnp__adjoint(old_w, rows), v,
                                  r->t, r->y));
    MNP_TRY(mnp__condense_deflate(c, mnp__mnk(left, left, i), mnp__plain(old_w, rows), mnp__adjoint(old_v, rows), v,
                                  r->t, r->y));
    MNP_TRY(mnp__condense_scale(c, left, tau, r->y, w));
    MNP_TRY(mnp__pass_multiply(p, mnp__mnk(1, 1, left), 1, mnp__adjoint(w, rows), mnp__plain(v, rows), 0,
                               mnp__into(product, 1)));
    MNP_TRY(mnp__pass_multiply(p, mnp__mnk(1, 1, 1), -0.5, mnp__plain(tau, 1), mnp__plain(product, 1), 0,
                               mnp__into(half, 1)));
    return mnp__pass_multiply(p, mnp__mnk(left, 1, 1), 1, mnp__plain(v, rows), mnp__plain(half, 1), 1,
                              mnp__into(w, rows));
}

/* A -= V W^H + W V^H, of this rank's columns behind the panel, from their diagonal blocks on down. */
static mnp_status update(const reduction *r, const mnp__panel *at)
{
    const mnp__condense *c = &r->with;
    const mnp__pass *p = &c->pass;
    const int64_t rows = at->rows, n = p->a->n;
    mnp__run own;
    for (int64_t from = at->first + at->columns; mnp__next_run(p, from, &own); from = own.end) {
        char *v = mnp__at(c, r->v, rows, own.first - at->first, 0),
             *w = mnp__at(c, r->w, rows, own.first - at->first, 0),
             *block = mnp__pass_element(p, p->a, own.first, own.own);
        const int64_t m = n - own.first, columns = own.end - own.first;
        MNP_TRY(mnp__pass_subtract(p, mnp__mnk(m, columns, at->columns), mnp__plain(v, rows), mnp__adjoint(w, rows),
                                   mnp__into(block, p->a->of.ld)));
        MNP_TRY(mnp__pass_subtract(p, mnp__mnk(m, columns, at->columns), mnp__plain(w, rows), mnp__adjoint(v, rows),
                                   mnp__into(block, p->a->of.ld)));
    }
    return MNP_OK;
}

/* Keep the panel's part of T, and at its owner the reflectors. */
static mnp_status keep(const reduction *r, const mnp__panel *at, int64_t reflectors)
{
    const mnp__condense *c = &r->with;
    char *panel = c->pass.buffer->data;
    MNP_TRY(mnp__condense_keep(c, 0, at->first, at->columns, panel, at->rows));
    MNP_TRY(mnp__condense_keep(c, 1, at->first, reflectors, panel + c->pass.size, at->rows));
    return mnp__panel_is_mine(&c->pass, at) ? mnp__panel_copy(&c->pass, at, true) : MNP_OK;
}

/* One panel, which is in the buffer: its reflectors, W, and what follows. */
static mnp_status reduce_panel(reduction *r, const mnp__panel *at, mnp_array *factors)
{
    mnp__condense *c = &r->with;
    mnp__pass *p = &c->pass;
    const int64_t rows = at->rows, reflectors = mnp__min(at->columns, rows - 1);
    divide_work(r, rows, at->columns);
    for (int64_t i = 0; i < at->columns; i++) {
        char *factor = (char *)factors->data + (size_t)(at->first + i) * p->size;
        const int64_t below = rows - i - 1;
        MNP__WORK(p, bring_up_to_date(r, at, i));
        if (i >= reflectors)
            break;
        char *v = mnp__at(c, r->v, rows, i + 1, i);
        MNP__WORK(p, mnp__condense_reflect(c, below, mnp__at(c, p->buffer->data, rows, i + 1, i), factor, v));
        MNP__WORK(p, multiply_own(r, at->first + i + 1, v));
        MNP_TRY(mnp__condense_sum(c, r->y, below));
        MNP__WORK(p, make_w(r, at, i, factor));
    }
    MNP__WORK(p, keep(r, at, reflectors));
    MNP__WORK(p, update(r, at));
    return MNP_OK;
}

mnp_status mnp__panels_hetrd(const mnp__place *place, const mnp__dense *a, mnp_array *factors, double *diagonal,
                             double *other)
{
    reduction r;
    mnp__pass *p = &r.with.pass;
    mnp_status st;
    MNP_TRY_OR(mnp__condense_begin(place, a, (2 * a->n + 1) * a->width + a->n + 2, &r.with), st, done);
    for (int64_t k = 0; k < p->count; k++) {
        const mnp__panel at = mnp__panel_at(p, k, 0);
        if (mnp__panel_is_mine(p, &at))
            MNP__WORK(p, mnp__panel_copy(p, &at, false));
        MNP_TRY_OR(mnp__panel_broadcast(p, &at, at.rows * at.columns), st, done);
        MNP_TRY_OR(reduce_panel(&r, &at, factors), st, done);
    }
    MNP__WORK(p, mnp__condense_fetch(&r.with, diagonal, other));
done:
    return mnp__condense_end(&r.with, st);
}
