/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A B of two sparse matrices, from parts that lie on the device (spgemm.h).
 *
 * Where neither matrix has ghosts, the own parts are multiplied as they are.  Otherwise every rank renumbers what it
 * needs: A's own columns, followed by its ghosts, number the rows of a local B, whose own rows are here and whose
 * ghost rows are fetched.  The columns of that B are cut into own ones and ghosts, as those of C will be; multiplying
 * A by each piece gives C's parts.  That takes a few passes over A and B (rows/fetch_rows.h), while C usually has far
 * more entries.
 */
#include <inttypes.h>

#include "sparse/product/spgemm.h"
#include "sparse/rows/fetch_rows.h"
#include "sparse/rows/turn_part.h"

/* ---- with ghosts ---- */

/* A with local column numbers, and the rows of B that these number, cut by columns. */
struct factors {
    mnp__part a;
    mnp__parts b; /* the ghost columns are those of the product */
};

/* Collective, and agreed upon. */
static mnp_status make_factors(const mnp__row_source *a, const mnp__row_source *b, struct factors *factors)
{
    mnp_ctx *ctx = a->matrix->ctx;
    mnp__rows rows = {.rows = 0};
    MNP_TRY(MNP_AGREE(ctx, mnp__rows_number(a, &factors->a)));
    MNP_TRY(mnp__rows_fetch(a, &factors->a, b, &rows));
    const mnp_status st = mnp__rows_split(ctx, b->matrix->dtype, b->matrix->column_layout, &rows, &factors->b);
    mnp__rows_release(ctx, &rows);
    return st;
}

/* The same from matrices.  Collective, and agreed upon. */
static mnp_status open_factors(const mnp_sparse *a, const mnp_sparse *b, struct factors *factors)
{
    mnp__row_source left = {.matrix = NULL}, right = {.matrix = NULL};
    mnp_status st = mnp__row_source_open(a, &left);
    if (st == MNP_OK && a != b)
        st = mnp__row_source_open(b, &right);
    if (st == MNP_OK)
        st = make_factors(&left, a != b ? &right : &left, factors);
    mnp__row_source_close(&left);
    mnp__row_source_close(&right);
    return st;
}

/* The product of all rows by each part of B. */
static mnp_status multiply_parts(const mnp__sparse_shape *shape, const mnp_sparse *a, const mnp_sparse *b,
                                 mnp_sparse **c_p)
{
    mnp_ctx *ctx = a->ctx;
    struct factors factors = {.a = {.rows = 0}};
    mnp__parts c = {.nghosts = 0};
    mnp_status st;
    MNP_TRY_OR(open_factors(a, b, &factors), st, done);
    MNP_TRY_OR(mnp__spgemm(ctx, a->dtype, &factors.a, &factors.b.own, &c.own), st, done);
    if (factors.b.has_ghosts)
        MNP_TRY_OR(mnp__spgemm(ctx, a->dtype, &factors.a, &factors.b.ghost, &c.ghost), st, done);
    c.has_ghosts = factors.b.has_ghosts;
    c.nghosts = factors.b.nghosts;
    c.ghost_columns = factors.b.ghost_columns;
    c.nnz = c.own.count + c.ghost.count;
    factors.b.ghost_columns = NULL;
    MNP_TRY_OR(mnp__rows_list_ghosts(ctx, a->dtype, &c), st, done);
    st = mnp__sparse_from_parts(shape, &c, c_p);
done:
    mnp__parts_free(ctx, &c);
    mnp__part_release(ctx, &factors.a);
    mnp__parts_free(ctx, &factors.b);
    return st;
}

/* ---- without ghosts ---- */

/* The own part in CSR: in place, or converted to *made.  Collective, and agreed upon. */
static mnp_status bring_part(const mnp_sparse *matrix, const mnp__part **part_p, mnp__part *made)
{
    mnp_ctx *ctx = matrix->ctx;
    *part_p = matrix->format == MNP_CSR ? &matrix->own : made;
    if (matrix->format == MNP_CSR)
        return MNP_OK;
    if (mnp__part_is_listed(matrix->format))
        return mnp__part_relist(ctx, matrix->dtype, &matrix->own, MNP_CSR, made);
    return MNP_AGREE(ctx, mnp__part_as_csr(ctx, matrix->dtype, &matrix->own, made));
}

/* The product of own parts alone. */
static mnp_status multiply_own(const mnp__sparse_shape *shape, const mnp_sparse *a, const mnp_sparse *b,
                               mnp_sparse **c_p)
{
    mnp_ctx *ctx = a->ctx;
    const mnp__part *left = NULL, *right = NULL;
    mnp__part left_made = {.rows = 0}, right_made = {.rows = 0};
    mnp__parts c = {.nghosts = 0};
    mnp_status st;
    MNP_TRY_OR(bring_part(a, &left, &left_made), st, done);
    MNP_TRY_OR(bring_part(b, &right, &right_made), st, done);
    MNP_TRY_OR(mnp__spgemm(ctx, a->dtype, left, right, &c.own), st, done);
    c.nnz = c.own.count;
    st = mnp__sparse_from_parts(shape, &c, c_p);
done:
    mnp__part_release(ctx, &left_made);
    mnp__part_release(ctx, &right_made);
    mnp__parts_free(ctx, &c);
    return st;
}

/* ---- either ---- */

mnp_status mnp_sparse_matmul_sparse(const mnp_sparse *a, const mnp_sparse *b, mnp_sparse **c_p)
{
    MNP_ENTER(a, b, c_p);
    static const char function[] = "mnp_sparse_matmul_sparse";
    mnp_sparse *left_made = NULL, *right_made = NULL;
    const mnp_sparse *left, *right;
    mnp_status st;
    if (a->ctx != b->ctx || a->shape[1] != b->shape[0])
        return MNP_FAIL(
            MNP_ERR_ARG, "%s: matrices of the shapes (%" PRId64 ", %" PRId64 ") and (%" PRId64 ", %" PRId64 ")%s",
            function, a->shape[0], a->shape[1], b->shape[0], b->shape[1], a->ctx != b->ctx ? " of two contexts" : "");
    const mnp_dtype dtype = mnp_dtype_promote(a->dtype, b->dtype);
    MNP_TRY(mnp__sparse_bring(a, dtype, NULL, NULL, &left, &left_made));
    MNP_TRY_OR(mnp__sparse_bring(b, dtype, a->column_layout, NULL, &right, &right_made), st, done);
    const mnp__sparse_shape shape = {.ctx = a->ctx,
                                     .dtype = dtype,
                                     .rows = a->shape[0],
                                     .columns = b->shape[1],
                                     .row_layout = left->row_layout,
                                     .column_layout = right->column_layout};
    st = left->has_ghosts || right->has_ghosts ? multiply_parts(&shape, left, right, c_p)
                                               : multiply_own(&shape, left, right, c_p);
done:
    mnp_sparse_free(left_made);
    mnp_sparse_free(right_made);
    return st;
}
