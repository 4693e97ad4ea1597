/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The reduction of one matrix, which all ranks hold together, to bidiagonal form.
 *
 * LAPACK's and ScaLAPACK's algorithm (see panels_hetrd.c) on a grid of one row of ranks.  The reflectors from the left,
 * I - tau u u^H, and from the right, I - tau v v^H, of a panel give A - U Y^H - X V^H of the matrix A behind it; y is
 * found from A^H u and x from A v for each column, and A is changed only once the panel is done.
 *
 * All ranks get the columns of a panel, and its rows as the columns of A^H, before it is begun, and find its reflectors
 * alike.  So there are two sums over the ranks for each column: those of A^H u and of A v.
 *
 * Cost for n x n over p ranks: 8/3 n^3 / p operations, half of which are products with vectors, and 4 n^2 width for the
 * vectors of panels on every rank; each rank receives n^2 elements, and 2 n sums of n / 2 elements on average.  The
 * memory of six panels, and of the reflectors from the right.
 */
#include "linalg/panels/panels_gebrd.h"

#include "linalg/panels/condense.h"

/* What belongs to the panel, in the work memory: matrices with a row for each of its rows, or of the columns behind. */
typedef struct reduction {
    mnp__condense with;
    int64_t rows, columns;     /* of A from the panel's first row and column on */
    char *u, *x, *v, *y, *row; /* rows x width, and columns x width; row: of A^H */
    char *sum, *t;             /* A^H u or A v; coefficients */
} reduction;

static void divide_work(reduction *r, int64_t rows, int64_t columns, int64_t width)
{
    const mnp__condense *c = &r->with;
    r->rows = rows;
    r->columns = columns;
    r->u = c->work->data;
    r->x = mnp__at(c, r->u, rows, 0, width);
    r->v = mnp__at(c, r->x, rows, 0, width);
    r->y = mnp__at(c, r->v, columns, 0, width);
    r->row = mnp__at(c, r->y, columns, 0, width);
    r->sum = mnp__at(c, r->row, columns, 0, width);
    r->t = mnp__at(c, r->sum, rows, 0, 1);
}

/* The panel's rows of A, as columns of A^H, of which every rank has some elements.  Collective. */
static mnp_status gather_rows(reduction *r, const mnp__panel *at)
{
    mnp__condense *c = &r->with;
    mnp__pass *p = &c->pass;
    const int64_t width = at->columns;
    mnp__run own;
    MNP__WORK(p, p->device->ops->fill(p->device, r->row, 0, (size_t)(r->columns * width) * p->size, p->ctx->compute));
    for (int64_t from = at->first; mnp__next_run(p, from, &own); from = own.end)
        MNP__WORK(p,
                  mnp__pass_multiply(p, mnp__mnk(own.end - own.first, width, width), 1,
                                     mnp__adjoint(mnp__pass_element(p, p->a, at->first, own.own), p->a->of.ld),
                                     mnp__plain(c->identity->data, p->a->width), 1,
                                     mnp__into(mnp__at(c, r->row, r->columns, own.first - at->first, 0), r->columns)));
    return mnp__condense_sum(c, r->row, r->columns * width);
}

/* The reflector of column i: what U, Y, X and V have changed of it comes first. */
static mnp_status reflect_column(const reduction *r, int64_t i, char *factor)
{
    const mnp__condense *c = &r->with;
    const int64_t m = r->rows, n = r->columns, left = m - i;
    char *column = mnp__at(c, c->pass.buffer->data, m, i, i);
    MNP_TRY(mnp__pass_subtract(&c->pass, mnp__mnk(left, 1, i), mnp__plain(mnp__at(c, r->u, m, i, 0), m),
                               mnp__adjoint(mnp__at(c, r->y, n, i, 0), n), mnp__into(column, m)));
    MNP_TRY(mnp__pass_subtract(&c->pass, mnp__mnk(left, 1, i), mnp__plain(mnp__at(c, r->x, m, i, 0), m),
                               mnp__adjoint(mnp__at(c, r->v, n, i, 0), n), mnp__into(column, m)));
    return mnp__condense_reflect(c, left, column, factor, mnp__at(c, r->u, m, i, i));
}

/* The reflector of row i, behind the diagonal. */
static mnp_status reflect_row(const reduction *r, int64_t i, char *factor)
{
    const mnp__condense *c = &r->with;
    const int64_t m = r->rows, n = r->columns, left = n - i - 1;
    char *row = mnp__at(c, r->row, n, i + 1, i);
    MNP_TRY(mnp__pass_subtract(&c->pass, mnp__mnk(left, 1, i + 1), mnp__plain(mnp__at(c, r->y, n, i + 1, 0), n),
                               mnp__adjoint(mnp__at(c, r->u, m, i, 0), m), mnp__into(row, n)));
    MNP_TRY(mnp__pass_subtract(&c->pass, mnp__mnk(left, 1, i), mnp__plain(mnp__at(c, r->v, n, i + 1, 0), n),
                               mnp__adjoint(mnp__at(c, r->x, m, i, 0), m), mnp__into(row, n)));
    return mnp__condense_reflect(c, left, row, factor, mnp__at(c, r->v, n, i + 1, i));
}

/* What this rank's columns give of A^H u, or of A v: of A from row `top` and column `left` on. */
static mnp_status multiply_own(const reduction *r, bool adjoint, int64_t top, int64_t left, const char *vector)
{
    const mnp__pass *p = &r->with.pass;
    const int64_t m = p->a->m - top, n = p->a->n - left, ld = p->a->of.ld;
    mnp__run own;
    MNP_TRY(p->device->ops->fill(p->device, r->sum, 0, (size_t)(adjoint ? n : m) * p->size, p->ctx->compute));
    for (int64_t from = left; mnp__next_run(p, from, &own); from = own.end) {
        const char *block = mnp__pass_element(p, p->a, top, own.own);
        const int64_t columns = own.end - own.first;
        const size_t here = (size_t)(own.first - left) * p->size;
        MNP_TRY(adjoint ? mnp__pass_multiply(p, mnp__mnk(columns, 1, m), 1, mnp__adjoint(block, ld),
                                             mnp__plain(vector, m), 1, mnp__into(r->sum + here, n))
                        : mnp__pass_multiply(p, mnp__mnk(m, 1, columns), 1, mnp__plain(block, ld),
                                             mnp__plain(vector + here, n), 1, mnp__into(r->sum, m)));
    }
    return MNP_OK;
}

/* y = tau (A^H u - Y U^H u - V X^H u), of column i. */
static mnp_status make_y(const reduction *r, int64_t i, const char *tau)
{
    const mnp__condense *c = &r->with;
    const int64_t m = r->rows, n = r->columns, left = n - i - 1;
    const char *u = mnp__at(c, r->u, m, i, i);
    MNP_TRY(mnp__condense_deflate(c, mnp__mnk(left, m - i, i), mnp__plain(mnp__at(c, r->y, n, i + 1, 0), n),
                                  mnp__adjoint(mnp__at(c, r->u, m, i, 0), m), u, r->t, r->sum));
    MNP_TRY(mnp__condense_deflate(c, mnp__mnk(left, m - i, i), mnp__plain(mnp__at(c, r->v, n, i + 1, 0), n),
                                  mnp__adjoint(mnp__at(c, r->x, m, i, 0), m), u, r->t, r->sum));
    return mnp__condense_scale(c, left, tau, r->sum, mnp__at(c, r->y, n, i + 1, i));
}

/* x = tau (A v - U Y^H v - X V^H v), of row i. */
static mnp_status make_x(const reduction *r, int64_t i, const char *tau)
{
    const mnp__condense *c = &r->with;
    const int64_t m = r->rows, n = r->columns, below = m - i - 1, left = n - i - 1;
    const char *v = mnp__at(c, r->v, n, i + 1, i);
    MNP_TRY(mnp__condense_deflate(c, mnp__mnk(below, left, i + 1), mnp__plain(mnp__at(c, r->u, m, i + 1, 0), m),
                                  mnp__adjoint(mnp__at(c, r->y, n, i + 1, 0), n), v, r->t, r->sum));
    MNP_TRY(mnp__condense_deflate(c, mnp__mnk(below, left, i), mnp__plain(mnp__at(c, r->x, m, i + 1, 0), m),
                                  mnp__adjoint(mnp__at(c, r->v, n, i + 1, 0), n), v, r->t, r->sum));
    return mnp__condense_scale(c, below, tau, r->sum, mnp__at(c, r->x, m, i + 1, i));
}

/* A -= U Y^H + X V^H, of this rank's columns behind the panel. */
static mnp_status update(const reduction *r, const mnp__panel *at)
{
    const mnp__condense *c = &r->with;
    const mnp__pass *p = &c->pass;
    const int64_t width = at->columns, m = r->rows - width, ld = p->a->of.ld;
    mnp__run own;
    for (int64_t from = at->first + width; mnp__next_run(p, from, &own); from = own.end) {
        const int64_t columns = own.end - own.first, place = own.first - at->first;
        char *block = mnp__pass_element(p, p->a, at->first + width, own.own);
        MNP_TRY(
            mnp__pass_subtract(p, mnp__mnk(m, columns, width), mnp__plain(mnp__at(c, r->u, r->rows, width, 0), r->rows),
                               mnp__adjoint(mnp__at(c, r->y, r->columns, place, 0), r->columns), mnp__into(block, ld)));
        MNP_TRY(
            mnp__pass_subtract(p, mnp__mnk(m, columns, width), mnp__plain(mnp__at(c, r->x, r->rows, width, 0), r->rows),
                               mnp__adjoint(mnp__at(c, r->v, r->columns, place, 0), r->columns), mnp__into(block, ld)));
    }
    return MNP_OK;
}

/* Keep the panel's part of B, with so many elements beside the diagonal, and at its owner the reflectors. */
static mnp_status keep(const reduction *r, const mnp__panel *at, int64_t others, const mnp__dense *right)
{
    const mnp__condense *c = &r->with;
    const mnp__pass *p = &c->pass;
    MNP_TRY(mnp__condense_keep(c, 0, at->first, at->columns, p->buffer->data, r->rows));
    MNP_TRY(mnp__condense_keep(c, 1, at->first, others, r->row + p->size, r->columns));
    if (!mnp__panel_is_mine(p, at))
        return MNP_OK;
    const int64_t extent[2] = {at->columns, r->columns}, ours[2] = {right->of.ld, 1}, packed[2] = {r->columns, 1};
    const mnp__one_box box = mnp__one_box_of(2, extent, packed, ours);
    MNP_TRY(mnp__one_box_copy(p->ctx, p->copy, &box, p->size, r->row,
                              mnp__pass_element(p, right, at->first, mnp__columns_before(p, right, at->first)),
                              p->ctx->compute));
    return mnp__panel_copy(p, at, true);
}

/* One panel, which is in the buffer: its reflectors, X and Y, and what follows. */
static mnp_status reduce_panel(reduction *r, const mnp__panel *at, mnp_array *factors, const mnp__dense *right,
                               mnp_array *right_factors)
{
    mnp__condense *c = &r->with;
    mnp__pass *p = &c->pass;
    divide_work(r, at->rows, p->a->n - at->first, at->columns);
    MNP_TRY(gather_rows(r, at));
    for (int64_t i = 0; i < at->columns; i++) {
        const int64_t g = at->first + i;
        char *tau = (char *)factors->data + (size_t)g * p->size,
             *right_tau = (char *)right_factors->data + (size_t)g * p->size;
        MNP__WORK(p, reflect_column(r, i, tau));
        if (i + 1 == r->columns)
            break;
        MNP__WORK(p, multiply_own(r, true, g, g + 1, mnp__at(c, r->u, r->rows, i, i)));
        MNP_TRY(mnp__condense_sum(c, r->sum, r->columns - i - 1));
        MNP__WORK(p, make_y(r, i, tau));
        MNP__WORK(p, reflect_row(r, i, right_tau));
        MNP__WORK(p, multiply_own(r, false, g + 1, g + 1, mnp__at(c, r->v, r->columns, i + 1, i)));
        MNP_TRY(mnp__condense_sum(c, r->sum, r->rows - i - 1));
        MNP__WORK(p, make_x(r, i, right_tau));
    }
    MNP__WORK(p, keep(r, at, r->columns == at->columns ? at->columns - 1 : at->columns, right));
    MNP__WORK(p, update(r, at));
    return MNP_OK;
}

mnp_status mnp__panels_gebrd(const mnp__place *place, const mnp__dense *a, mnp_array *factors, const mnp__dense *right,
                             mnp_array *right_factors, double *diagonal, double *other)
{
    reduction r;
    mnp__pass *p = &r.with.pass;
    mnp_status st;
    MNP_TRY_OR(mnp__condense_begin(place, a, (2 * a->m + 3 * a->n + 1) * a->width + a->m + 1, &r.with), st, done);
    for (int64_t k = 0; k < p->count; k++) {
        const mnp__panel at = mnp__panel_at(p, k, 0);
        if (mnp__panel_is_mine(p, &at))
            MNP__WORK(p, mnp__panel_copy(p, &at, false));
        MNP_TRY_OR(mnp__panel_broadcast(p, &at, at.rows * at.columns), st, done);
        MNP_TRY_OR(reduce_panel(&r, &at, factors, right, right_factors), st, done);
    }
    MNP__WORK(p, mnp__condense_fetch(&r.with, diagonal, other));
done:
    return mnp__condense_end(&r.with, st);
}
