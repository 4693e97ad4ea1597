/*
 * jacobi and block-jacobi: the inverse of the diagonal, or of dense blocks along it, as a sparse matrix of diagonals or of
 * blocks, so that an application is a product that needs no other rank.
 *
 * Blocks begin at a rank's first row; its last may be smaller.  They are inverted by elimination with row exchanges.  A
 * diagonal entry that is 0 or missing counts as 1, and a singular block as its diagonal; describe tells how many.
 */
#include <complex.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sparse/own_block.h"
#include "sparse/precond.h"

typedef double _Complex number;

typedef struct diagonal {
    mnp_sparse *inverse;
    int block;
    int64_t replaced;
} diagonal;

/* The inverse of a dense matrix of that size, in place, row by row; false if it is singular.  room: of the same size. */
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
        if (!(cabs(pivot) > 0))
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
static void gather(const mnp__own_block *own, int64_t first, int size, number *a)
{
    memset(a, 0, (size_t)(size * size) * sizeof *a);
    for (int i = 0; i < size; i++)
        for (int64_t e = own->offsets[first + i]; e < own->offsets[first + i + 1]; e++)
            if (own->columns[e] >= first && own->columns[e] < first + size)
                a[i * size + own->columns[e] - first] = own->values[e];
}

/* The inverse of what a diagonal of the block has; how many entries were 0. */
static int invert_diagonal(number *a, int size)
{
    int zeros = 0;
    for (int i = 0; i < size; i++) {
        const number entry = a[i * size + i];
        memset(a + i * size, 0, (size_t)size * sizeof *a);
        a[i * size + i] = cabs(entry) > 0 ? 1 / entry : 1;
        zeros += !(cabs(entry) > 0);
    }
    return zeros;
}

/* The rows of the inverse, of blocks of that side.  a, room: that squared. */
static int64_t invert_blocks(const mnp__own_block *own, int block, int64_t first_column, number *a, number *room,
                             mnp__csr *rows)
{
    int64_t replaced = 0, at = 0;
    for (int64_t first = 0; first < own->rows; first += block) {
        const int size = own->rows - first < block ? (int)(own->rows - first) : block;
        gather(own, first, size, a);
        if (size == 1 || !invert(a, room, size)) {
            gather(own, first, size, a);
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

static mnp_status make_rows(const mnp_sparse *matrix, int block, mnp__csr *rows, int64_t *replaced_p)
{
    mnp__own_block own;
    const size_t square = (size_t)(block * block);
    number *room = NULL;
    MNP_TRY(mnp__own_block_of(matrix, &own));
    mnp_status st = mnp__csr_new(matrix->dtype, own.rows, matrix->shape[1], own.rows * block, rows);
    if (st == MNP_OK)
        st = mnp__malloc(2 * square * sizeof *room, &room);
    if (st == MNP_OK)
        *replaced_p = invert_blocks(&own, block, matrix->column_lo, room, room + square, rows);
    free(room);
    mnp__own_block_free(&own);
    return st;
}

/* ---- the kind ---- */

static mnp_status diagonal_apply(void *data, const mnp_array *x, mnp_array *y)
{
    const mnp_sparse *inverse = ((const diagonal *)data)->inverse;
    return mnp__sparse_apply(inverse, false, inverse->dtype, 1, x->data, y->data);
}

static void diagonal_describe(const void *data, FILE *file)
{
    const diagonal *d = data;
    if (d->block == 1)
        fprintf(file, "a division by the diagonal");
    else
        fprintf(file, "inverse dense blocks of %d rows, %" PRId64 " entries", d->block, d->inverse->nnz);
    if (d->replaced > 0)
        fprintf(file, "; %" PRId64 " that %s were replaced", d->replaced, d->block == 1 ? "are 0" : "are singular");
}

static void diagonal_free(mnp_ctx *ctx, void *data)
{
    diagonal *d = data;
    (void)ctx;
    if (d)
        mnp_sparse_free(d->inverse);
    free(d);
}

mnp_status mnp__precond_diagonal(const mnp_sparse *matrix, mnp_precond_kind kind, const mnp_precond_options *options,
                                 const mnp__precond_ops **ops_p, void **data_p)
{
    static const mnp__precond_ops ops = {.apply = diagonal_apply, .describe = diagonal_describe, .free = diagonal_free};
    mnp_ctx *ctx = matrix->ctx;
    const int block = kind == MNP_PRECOND_JACOBI ? 1 : options->block;
    mnp__csr rows = {.rows = 0};
    int64_t replaced = 0;
    diagonal *d = NULL;
    mnp_status st = mnp__calloc(1, sizeof *d, &d);
    if (st == MNP_OK)
        st = make_rows(matrix, block, &rows, &replaced);
    st = MNP_AGREE(ctx, st);
    if (st == MNP_OK)
        st = mnp__all_reduce(&ctx->comm, &replaced, 1, MPI_INT64_T, MPI_SUM);
    if (st == MNP_OK) {
        d->block = block;
        d->replaced = replaced;
        st = mnp__sparse_from_csr_as(ctx, matrix->shape[0], matrix->shape[1], matrix->row_layout, matrix->column_layout,
                                     &rows, block == 1 ? MNP_DIA : MNP_BSR, block, &d->inverse);
    }
    mnp__csr_free(&rows);
    if (st == MNP_OK) {
        *ops_p = &ops;
        *data_p = d;
    } else {
        diagonal_free(ctx, d);
    }
    return st;
}
