/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * jacobi and block-jacobi: the inverse of the diagonal, or of dense blocks along it, as a sparse matrix in DIA or BSR.
 * An application is a product that needs no other rank.
 *
 * The diagonal is inverted on the device, blocks on the CPU by elimination with row exchanges.  Blocks begin at a
 * rank's first row; its last may be smaller.  A diagonal entry that is 0 or missing counts as 1, and a singular block
 * is replaced by its diagonal; describe tells how many.  NaN stays NaN.
 */
#include <complex.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sparse/precond/own_block.h"
#include "sparse/precond/precond.h"
#include "sparse/rows/diagonal.h"
#include "sparse/rows/matrix_from_rows.h"
#include "sparse/step/elements.h"

typedef double _Complex number;

typedef struct jacobi {
    mnp_sparse *inverse;
    int block;
    int64_t replaced;
} jacobi;

/* ---- a diagonal ---- */

/* An own part in DIA with room for the diagonal alone. */
static mnp_status new_diagonal(const mnp_sparse *matrix, mnp__part *own)
{
    mnp_ctx *ctx = matrix->ctx;
    *own = (mnp__part){.format = MNP_DIA,
                       .rows = matrix->rows,
                       .columns = matrix->columns,
                       .lines = 1,
                       .count = matrix->rows,
                       .offset_size = 4};
    MNP_TRY(mnp__elements_new(ctx, 1, sizeof *own->indices, &own->indices));
    MNP_TRY(ctx->device->ops->fill(ctx->device, own->indices, 0, sizeof *own->indices, ctx->compute));
    return mnp__elements_new(ctx, own->count, mnp_dtype_size(matrix->dtype), &own->values);
}

/* Collective, and agreed upon. */
static mnp_status divide_by_diagonal(const mnp_sparse *matrix, jacobi *d)
{
    const mnp__sparse_shape shape = mnp__sparse_shape_of(matrix);
    mnp__parts parts = {.nnz = matrix->rows};
    mnp_status st = MNP_AGREE(matrix->ctx, new_diagonal(matrix, &parts.own));
    if (st == MNP_OK)
        st = mnp__find_diagonal(matrix, 0, matrix->row_lo, matrix->rows, parts.own.values, &d->replaced);
    if (st == MNP_OK)
        st = mnp__sparse_from_parts(&shape, &parts, &d->inverse);
    mnp__parts_free(matrix->ctx, &parts);
    return st;
}

/* ---- blocks ---- */

/*
 * Invert a dense matrix of that size in place, row by row; false if it is singular.  room: scratch of the same size.
 */
static bool invert(number *a, number *room, int size)
{
    memset(room, 0, (size_t)(size * size) * sizeof *room);
    for (int i = 0; i < size; i++)
        room[i * size + i] = 1;
    for (int k = 0; k < size; k++) {
        int best = k;
        for (int i = k + 1; i < size; i++)
            best = cabs(a[i * size + k]) > cabs(a[best * size + k]) ? i : best;
        const number pivot = a[best * size + k];
        if (pivot == 0)
            return false;
        for (int j = 0; j < size; j++) {
            const number upper = a[best * size + j], right = room[best * size + j];
            a[best * size + j] = a[k * size + j];
            room[best * size + j] = room[k * size + j];
            a[k * size + j] = upper / pivot;
            room[k * size + j] = right / pivot;
        }
        for (int i = 0; i < size; i++) {
            const number factor = a[i * size + k];
            for (int j = 0; i != k && j < size; j++) {
                a[i * size + j] -= factor * a[k * size + j];
                room[i * size + j] -= factor * room[k * size + j];
            }
        }
    }
    memcpy(a, room, (size_t)(size * size) * sizeof *a);
    return true;
}

/* The dense block of rows first .. first + size. */
static void gather(const mnp__pattern *pattern, mnp_dtype dtype, const void *values, int64_t first, int size, number *a)
{
    memset(a, 0, (size_t)(size * size) * sizeof *a);
    for (int i = 0; i < size; i++)
        for (int64_t e = pattern->offsets[first + i]; e < pattern->offsets[first + i + 1]; e++)
            if (pattern->columns[e] >= first && pattern->columns[e] < first + size)
                a[i * size + pattern->columns[e] - first] = mnp__load_value(dtype, values, e);
}

/* Replace a block by the inverse of its diagonal; returns how many entries were 0. */
static int invert_diagonal(number *a, int size)
{
    int zeros = 0;
    for (int i = 0; i < size; i++) {
        const number entry = a[i * size + i];
        memset(a + i * size, 0, (size_t)size * sizeof *a);
        a[i * size + i] = entry != 0 ? 1 / entry : 1;
        zeros += entry == 0;
    }
    return zeros;
}

/* The rows of the inverse, in blocks of that side; a and room have that squared. */
static int64_t invert_blocks(const mnp__pattern *pattern, const void *values, int block, int64_t first_column,
                             number *a, number *room, mnp__csr *rows)
{
    int64_t replaced = 0, at = 0;
    for (int64_t first = 0; first < pattern->rows; first += block) {
        const int size = pattern->rows - first < block ? (int)(pattern->rows - first) : block;
        gather(pattern, rows->dtype, values, first, size, a);
        if (size == 1 || !invert(a, room, size)) {
            gather(pattern, rows->dtype, values, first, size, a);
            const int zeros = invert_diagonal(a, size);
            replaced += size > 1 ? 1 : zeros;
        }
        for (int i = 0; i < size; i++) {
            for (int j = 0; j < size; j++) {
                rows->indices[at] = first_column + first + j;
                mnp__store_value(rows->dtype, rows->values, at++, a[i * size + j]);
            }
            rows->offsets[first + i + 1] = at;
        }
    }
    return replaced;
}

static mnp_status make_rows(const mnp_sparse *matrix, jacobi *d, mnp__csr *rows)
{
    mnp__own_block own = {.ctx = NULL};
    const int block = d->block;
    const size_t square = (size_t)(block * block);
    number *room = NULL;
    void *values = NULL;
    mnp_status st;
    MNP_TRY_OR(mnp__own_block_open(matrix, &own), st, done);
    MNP_TRY_OR(mnp__own_block_values(&own, false, &values), st, done);
    MNP_TRY_OR(mnp__csr_new(matrix->dtype, matrix->rows, matrix->shape[1], matrix->rows * block, rows), st, done);
    MNP_TRY_OR(mnp__malloc(2 * square * sizeof *room, &room), st, done);
    d->replaced = invert_blocks(&own.pattern, values, block, matrix->column_lo, room, room + square, rows);
done:
    free(room);
    free(values);
    mnp__own_block_close(&own);
    return st;
}

/* Collective, and agreed upon. */
static mnp_status divide_by_blocks(const mnp_sparse *matrix, jacobi *d)
{
    mnp__csr rows = {.rows = 0};
    mnp_status st = MNP_AGREE(matrix->ctx, make_rows(matrix, d, &rows));
    const mnp__sparse_shape shape = mnp__sparse_shape_of(matrix);
    if (st == MNP_OK)
        st = mnp__sparse_from_csr(&shape, &rows, MNP_BSR, d->block, &d->inverse);
    mnp__csr_free(&rows);
    return st;
}

/* ---- the kind ---- */

static mnp_status jacobi_apply(void *data, bool adjoint, const mnp_array *x, mnp_array *y)
{
    const mnp_sparse *inverse = ((const jacobi *)data)->inverse;
    if (adjoint)
        MNP_TRY(mnp__sparse_transposed(inverse, &inverse));
    return mnp__sparse_apply(inverse, adjoint, x->dtype, 1, x->data, y->data);
}

static void jacobi_describe(const void *data, FILE *file)
{
    const jacobi *d = data;
    if (d->block == 1)
        fprintf(file, "a division by the diagonal");
    else
        fprintf(file, "inverse dense blocks of %d rows, %" PRId64 " %s", d->block, d->inverse->nnz,
                d->inverse->nnz == 1 ? "entry" : "entries");
    if (d->replaced > 0)
        fprintf(file, "; %" PRId64 " that %s %s %s replaced", d->replaced, d->replaced == 1 ? "is" : "are",
                d->block == 1 ? "0" : "singular", d->replaced == 1 ? "was" : "were");
}

static void jacobi_free(mnp_ctx *ctx, void *data)
{
    jacobi *d = data;
    (void)ctx;
    if (d)
        mnp_sparse_free(d->inverse);
    free(d);
}

mnp_status mnp__precond_jacobi(const mnp_sparse *matrix, mnp_precond_kind kind, const mnp_precond_options *options,
                               const mnp__precond_ops **ops_p, void **data_p)
{
    static const mnp__precond_ops ops = {
        .apply = jacobi_apply, .describe = jacobi_describe, .free = jacobi_free, .any_dtype = true};
    mnp_ctx *ctx = matrix->ctx;
    jacobi *d = NULL;
    mnp_status st = MNP_AGREE(ctx, mnp__calloc(1, sizeof *d, &d));
    if (st == MNP_OK) {
        d->block = kind == MNP_PRECOND_JACOBI ? 1 : options->block;
        st = d->block == 1 ? divide_by_diagonal(matrix, d) : divide_by_blocks(matrix, d);
    }
    if (st == MNP_OK)
        st = mnp__all_reduce(&ctx->comm, &d->replaced, 1, MPI_INT64_T, MPI_SUM);
    if (st == MNP_OK) {
        *ops_p = &ops;
        *data_p = d;
    } else {
        jacobi_free(ctx, d);
    }
    return st;
}
