/*
 * A B of two sparse matrices, by parts that lie on the device (spgemm.h).
 *
 * Where neither matrix has ghosts, their own parts are multiplied as they are.  Else every rank numbers anew what it needs:
 * A's own columns and then its ghosts, which are fetched as rows of B, are the rows of a B whose columns are split into own
 * ones and ghosts, as C's will be; A's rows by each of the two parts give C's parts.  That is done on the CPU, by time and
 * memory of the entries of A and B; C, which has far more as a rule, is made on the device and stays there.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "layout/layout.h"
#include "sparse/sparse.h"
#include "sparse/spgemm.h"
#include "sparse/travel.h"

/* ---- rows of others ---- */

/* This rank's rows that are wanted, one after the other as they are asked for. */
static mnp_status copy_rows(const mnp__csr *from, int64_t first, int64_t count, const int64_t *wanted, mnp__csr *rows)
{
    const size_t size = mnp_dtype_size(from->dtype);
    int64_t entries = 0, at = 0;
    for (int64_t w = 0; w < count; w++)
        entries += from->offsets[wanted[w] - first + 1] - from->offsets[wanted[w] - first];
    MNP_TRY(mnp__csr_new(from->dtype, count, from->columns, entries, rows));
    for (int64_t w = 0; w < count; w++) {
        const int64_t i = wanted[w] - first, begin = from->offsets[i], length = from->offsets[i + 1] - begin;
        memcpy(rows->indices + at, from->indices + begin, (size_t)length * sizeof *rows->indices);
        memcpy((char *)rows->values + (size_t)at * size, (const char *)from->values + (size_t)begin * size,
               (size_t)length * size);
        rows->offsets[w + 1] = at += length;
    }
    return MNP_OK;
}

/* How many of the columns each rank owns. */
static void count_owned(const mnp_layout *layout, int64_t count, const int64_t *columns, int64_t *counts)
{
    for (int64_t i = 0; i < count; i++)
        counts[mnp__sparse_owner(layout, columns[i])]++;
}

/* The rows of b, which are cut as a's columns, that a's ghost columns name, in their order.  Collective, and agreed upon. */
static mnp_status fetch_ghost_rows(const mnp_sparse *a, const mnp_sparse *b, const mnp__csr *rows, mnp__csr *ghost_rows)
{
    mnp_ctx *ctx = a->ctx;
    const int64_t count = mnp__ghosts_count(a->ghosts), *columns = mnp__ghosts_columns(a->ghosts);
    int64_t *counts = NULL, *wanted = NULL;
    mnp__shuffle *shuffle = NULL;
    mnp__csr copied = {.rows = 0};
    mnp_status st;
    MNP_TRY_OR(MNP_AGREE(ctx, mnp__calloc((size_t)ctx->comm.size, sizeof *counts, &counts)), st, done);
    count_owned(a->column_layout, count, columns, counts);
    MNP_TRY_OR(mnp__shuffle_new(ctx, counts, &shuffle), st, done);
    const int64_t received = mnp__shuffle_received(shuffle);
    MNP_TRY_OR(MNP_AGREE(ctx, mnp__malloc((size_t)received * sizeof *wanted, &wanted)), st, done);
    MNP_TRY_OR(mnp__travel_send(ctx, shuffle, count, sizeof *wanted, columns, wanted), st, done);
    MNP_TRY_OR(MNP_AGREE(ctx, copy_rows(rows, b->row_lo, received, wanted, &copied)), st, done);
    st = mnp__travel_rows(ctx, &copied, mnp__shuffle_received_from(shuffle), ghost_rows);
done:
    mnp__csr_free(&copied);
    mnp__shuffle_free(shuffle);
    free(counts);
    free(wanted);
    return st;
}

/* ---- local numbers ---- */

/* A in device memory, its columns numbered as the rows of B are, whose two parts are cut by columns. */
struct factors {
    mnp__part a, own, ghost;
    int64_t count, *columns; /* the ghost columns of B */
};

static void free_factors(mnp_ctx *ctx, struct factors *factors)
{
    mnp__part_release(ctx, &factors->a);
    mnp__part_release(ctx, &factors->own);
    mnp__part_release(ctx, &factors->ghost);
    free(factors->columns);
}

static mnp_status upload(mnp_ctx *ctx, mnp_dtype dtype, const mnp__part *part, mnp__part *device_part)
{
    return mnp__part_upload(ctx, dtype, part->count > INT32_MAX ? 8 : 4, part, device_part);
}

/* A part in CSR with room for so many entries. */
static mnp_status new_part(int64_t rows, int64_t columns, int64_t count, size_t size, mnp__part *part)
{
    *part = (mnp__part){.format = MNP_CSR, .rows = rows, .columns = columns, .lines = rows, .count = count,
                        .offset_size = sizeof(int64_t)};
    MNP_TRY(mnp__calloc((size_t)rows + 1, sizeof(int64_t), &part->offsets));
    MNP_TRY(mnp__malloc((size_t)count * sizeof *part->indices, &part->indices));
    return mnp__malloc((size_t)count * size, &part->values);
}

static void append(mnp__part *to, int64_t *at, const mnp__part *from, int64_t begin, int64_t end, int32_t shift, size_t size)
{
    for (int64_t k = begin; k < end; k++)
        to->indices[*at + k - begin] = from->indices[k] + shift;
    memcpy((char *)to->values + (size_t)*at * size, (const char *)from->values + (size_t)begin * size,
           (size_t)(end - begin) * size);
    *at += end - begin;
}

/* The rows of both parts, ghosts numbered on from own columns. */
static mnp_status join_columns(const mnp__part *own, const mnp__part *ghost, mnp_dtype dtype, mnp__part *joined)
{
    const size_t size = mnp_dtype_size(dtype);
    const int64_t *own_offsets = own->offsets, *ghost_offsets = ghost->offsets;
    int64_t line = 0, at = 0;
    if (own->columns + ghost->columns > INT32_MAX)
        return MNP_FAIL(MNP_ERR_UNSUPPORTED, "a rank's rows touch %" PRId64 " columns, of others %" PRId64
                        " of them; more than %d are too many in a product of matrices",
                        own->columns + ghost->columns, ghost->columns, INT32_MAX);
    MNP_TRY(new_part(own->rows, own->columns + ghost->columns, own->count + ghost->count, size, joined));
    int64_t *offsets = joined->offsets;
    for (int64_t i = 0; i < own->rows; i++) {
        append(joined, &at, own, own_offsets[i], own_offsets[i + 1], 0, size);
        if (line < ghost->lines && ghost->rows_of[line] == i) {
            append(joined, &at, ghost, ghost_offsets[line], ghost_offsets[line + 1], (int32_t)own->columns, size);
            line++;
        }
        offsets[i + 1] = at;
    }
    return MNP_OK;
}

/* A's rows on the CPU. */
static mnp_status number_a(const mnp_sparse *a, mnp__part *joined)
{
    mnp__part stored = {.rows = 0}, own = {.rows = 0}, ghost = {.rows = 0};
    mnp_status st;
    MNP_TRY_OR(mnp__part_download(a->ctx, a->dtype, &a->own, &stored), st, done);
    MNP_TRY_OR(mnp__part_to_csr(&stored, a->dtype, &own), st, done);
    MNP_TRY_OR(mnp__part_download(a->ctx, a->dtype, &a->ghost, &ghost), st, done);
    st = join_columns(&own, &ghost, a->dtype, joined);
done:
    mnp__part_free(&stored);
    mnp__part_free(&own);
    mnp__part_free(&ghost);
    return st;
}

/*
 * The rows of B by A's numbers: own ones, of which those that no entry of A names are left empty, as their columns need not
 * be C's; and then those that were fetched.
 */
static mnp_status stack(const mnp__part *a, const mnp__csr *own_rows, const mnp__csr *ghost_rows, mnp__csr *stacked)
{
    const size_t size = mnp_dtype_size(own_rows->dtype);
    bool *named;
    int64_t at = 0;
    MNP_TRY(mnp__calloc((size_t)a->columns, sizeof *named, &named));
    mnp_status st = mnp__csr_new(own_rows->dtype, a->columns, own_rows->columns,
                                 mnp__csr_count(own_rows) + mnp__csr_count(ghost_rows), stacked);
    for (int64_t k = 0; k < a->count; k++)
        named[a->indices[k]] = true;
    for (int64_t i = 0; i < a->columns && st == MNP_OK; i++) {
        const mnp__csr *from = i < own_rows->rows ? own_rows : ghost_rows;
        const int64_t row = i < own_rows->rows ? i : i - own_rows->rows, begin = from->offsets[row];
        const size_t count = named[i] ? (size_t)(from->offsets[row + 1] - begin) : 0;
        memcpy(stacked->indices + at, from->indices + begin, count * sizeof *stacked->indices);
        memcpy((char *)stacked->values + (size_t)at * size, (const char *)from->values + (size_t)begin * size, count * size);
        stacked->offsets[i + 1] = at += (int64_t)count;
    }
    free(named);
    return st;
}

/* Offsets of all rows, for a part that lists those that have entries. */
static mnp_status spread_rows(mnp__part *part)
{
    const int64_t *listed = part->offsets;
    int64_t *offsets, line = 0;
    MNP_TRY(mnp__malloc((size_t)(part->rows + 1) * sizeof *offsets, &offsets));
    for (int64_t i = 0; i < part->rows; i++) {
        offsets[i] = listed[line];
        line += line < part->lines && part->rows_of[line] == i;
    }
    offsets[part->rows] = listed[line];
    free(part->offsets);
    free(part->rows_of);
    part->offsets = offsets;
    part->rows_of = NULL;
    part->lines = part->rows;
    return MNP_OK;
}

/* B's rows split into own and ghost columns, on the device. */
static mnp_status number_b(const mnp_sparse *b, const mnp__csr *stacked, struct factors *factors)
{
    mnp__part own = {.rows = 0}, ghost = {.rows = 0};
    mnp_status st;
    MNP_TRY_OR(mnp__part_split(stacked, b->column_lo, b->column_lo + b->columns, &own, &ghost, &factors->columns,
                               &factors->count), st, done);
    MNP_TRY_OR(spread_rows(&ghost), st, done);
    MNP_TRY_OR(upload(b->ctx, b->dtype, &own, &factors->own), st, done);
    st = upload(b->ctx, b->dtype, &ghost, &factors->ghost);
done:
    mnp__part_free(&own);
    mnp__part_free(&ghost);
    return st;
}

/* From B's own rows and those that were fetched, which are freed.  Not collective. */
static mnp_status number(const mnp_sparse *a, const mnp_sparse *b, mnp__csr *own_rows, mnp__csr *ghost_rows,
                         struct factors *factors)
{
    mnp__part joined = {.rows = 0};
    mnp__csr stacked = {.rows = 0};
    mnp_status st = number_a(a, &joined);
    if (st == MNP_OK)
        st = stack(&joined, own_rows, ghost_rows, &stacked);
    mnp__csr_free(own_rows);
    mnp__csr_free(ghost_rows);
    if (st == MNP_OK)
        st = upload(a->ctx, a->dtype, &joined, &factors->a);
    mnp__part_free(&joined);
    if (st == MNP_OK)
        st = number_b(b, &stacked, factors);
    mnp__csr_free(&stacked);
    return st;
}

/* Collective, and agreed upon. */
static mnp_status make_factors(const mnp_sparse *a, const mnp_sparse *b, struct factors *factors)
{
    mnp__csr own_rows = {.rows = 0}, ghost_rows = {.rows = 0};
    MNP_TRY(mnp__sparse_fetch(b, &own_rows));
    mnp_status st = fetch_ghost_rows(a, b, &own_rows, &ghost_rows);
    if (st == MNP_OK)
        st = MNP_AGREE(a->ctx, number(a, b, &own_rows, &ghost_rows, factors));
    mnp__csr_free(&own_rows);
    mnp__csr_free(&ghost_rows);
    return st;
}

/* ---- products ---- */

/* The ghost part of a product without any. */
static mnp_status empty_part(mnp_ctx *ctx, mnp_dtype dtype, int64_t rows, mnp__part *device_part)
{
    int64_t offset = 0;
    const mnp__part part = {.format = MNP_CSR, .rows = rows, .offsets = &offset};
    return upload(ctx, dtype, &part, device_part);
}

/* C's parts become a matrix, whatever comes. */
static mnp_status make_product(const mnp_sparse *a, const mnp_sparse *b, mnp__part *own, mnp__part *ghost, int64_t count,
                               const int64_t *columns, mnp_sparse **c_p)
{
    return mnp__sparse_from_parts(a->ctx, a->shape[0], b->shape[1], a->row_layout, b->column_layout, a->dtype, own, ghost,
                                  count, columns, c_p);
}

/* With ghosts: the product of all rows by each part of B. */
static mnp_status multiply_parts(const mnp_sparse *a, const mnp_sparse *b, mnp_sparse **c_p)
{
    mnp_ctx *ctx = a->ctx;
    struct factors factors = {.count = 0};
    mnp__part own = {.rows = 0}, ghost = {.rows = 0};
    int64_t most;
    mnp_status st;
    MNP_TRY_OR(make_factors(a, b, &factors), st, done);
    most = factors.count;
    MNP_TRY_OR(mnp__all_reduce(&ctx->comm, &most, 1, MPI_INT64_T, MPI_MAX), st, done);
    MNP_TRY_OR(mnp__spgemm(ctx, a->dtype, &factors.a, &factors.own, &own), st, done);
    if (most > 0) {
        MNP_TRY_OR(mnp__spgemm(ctx, a->dtype, &factors.a, &factors.ghost, &ghost), st, done);
        st = mnp__part_list_rows(ctx, &ghost);
    } else {
        st = empty_part(ctx, a->dtype, a->rows, &ghost);
    }
    MNP_TRY_OR(MNP_AGREE(ctx, st), st, done);
    st = make_product(a, b, &own, &ghost, factors.count, factors.columns, c_p);
done:
    mnp__part_release(ctx, &own);
    mnp__part_release(ctx, &ghost);
    free_factors(ctx, &factors);
    return st;
}

/* An own part in CSR: as it lies, or *made. */
static mnp_status bring_part(const mnp_sparse *matrix, const mnp__part **part_p, mnp__part *made)
{
    mnp__part stored, csr;
    *part_p = &matrix->own;
    if (matrix->format == MNP_CSR)
        return MNP_OK;
    MNP_TRY(mnp__part_download(matrix->ctx, matrix->dtype, &matrix->own, &stored));
    mnp_status st = mnp__part_to_csr(&stored, matrix->dtype, &csr);
    mnp__part_free(&stored);
    MNP_TRY(st);
    st = upload(matrix->ctx, matrix->dtype, &csr, made);
    mnp__part_free(&csr);
    *part_p = made;
    return st;
}

/* Without ghosts on any rank: of own parts alone. */
static mnp_status multiply_own(const mnp_sparse *a, const mnp_sparse *b, mnp_sparse **c_p)
{
    static const int64_t no_columns[1];
    mnp_ctx *ctx = a->ctx;
    const mnp__part *left, *right;
    mnp__part left_made = {.rows = 0}, right_made = {.rows = 0}, own = {.rows = 0}, ghost = {.rows = 0};
    mnp_status st = bring_part(a, &left, &left_made);
    if (st == MNP_OK)
        st = bring_part(b, &right, &right_made);
    MNP_TRY_OR(MNP_AGREE(ctx, st), st, done);
    MNP_TRY_OR(mnp__spgemm(ctx, a->dtype, left, right, &own), st, done);
    MNP_TRY_OR(MNP_AGREE(ctx, empty_part(ctx, a->dtype, a->rows, &ghost)), st, done);
    st = make_product(a, b, &own, &ghost, 0, no_columns, c_p);
done:
    mnp__part_release(ctx, &left_made);
    mnp__part_release(ctx, &right_made);
    mnp__part_release(ctx, &own);
    mnp__part_release(ctx, &ghost);
    return st;
}

mnp_status mnp_sparse_matmul_sparse(const mnp_sparse *a, const mnp_sparse *b, mnp_sparse **c_p)
{
    static const char function[] = "mnp_sparse_matmul_sparse";
    mnp_sparse *left_made = NULL, *right_made = NULL;
    const mnp_sparse *left, *right;
    mnp_status st;
    MNP_TRY(mnp__sparse_check(function, a));
    MNP_TRY(mnp__sparse_check(function, b));
    if (a->ctx != b->ctx || a->shape[1] != b->shape[0])
        return MNP_FAIL(MNP_ERR_ARG, "%s: matrices of the shapes (%" PRId64 ", %" PRId64 ") and (%" PRId64 ", %" PRId64 ")%s",
                        function, a->shape[0], a->shape[1], b->shape[0], b->shape[1],
                        a->ctx != b->ctx ? " of two contexts" : "");
    const mnp_dtype dtype = mnp_dtype_promote(a->dtype, b->dtype);
    MNP_TRY(mnp__sparse_bring(a, dtype, NULL, NULL, &left, &left_made));
    MNP_TRY_OR(mnp__sparse_bring(b, dtype, a->column_layout, NULL, &right, &right_made), st, done);
    st = left->has_ghosts || right->has_ghosts ? multiply_parts(left, right, c_p) : multiply_own(left, right, c_p);
done:
    mnp_sparse_free(left_made);
    mnp_sparse_free(right_made);
    return st;
}
