/*
 * A B of two sparse matrices, by rows (F. Gustavson, "Two fast algorithms for sparse matrices", ACM Transactions on
 * Mathematical Software 4, 1978): row i of the result is the sum of the rows of B that the entries of A's row i name, each
 * times its entry.  Sums are kept in a hash table, whose columns are sorted at the end of the row.
 *
 * Rows of B that are with other ranks are those of A's ghost columns; they are fetched first.  Memory: those, and the result.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "layout/layout.h"
#include "sparse/sparse.h"
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

/* ---- sorting ---- */

/* Sort columns: runs of a few by insertion, which are then merged; `scratch` is as long. */
static void sort_columns(int64_t *columns, int64_t count, int64_t *scratch)
{
    enum { RUN = 16 };
    for (int64_t begin = 0; begin < count; begin += RUN) {
        const int64_t end = begin + RUN < count ? begin + RUN : count;
        for (int64_t i = begin + 1; i < end; i++) {
            const int64_t moved = columns[i];
            int64_t at = i;
            for (; at > begin && columns[at - 1] > moved; at--)
                columns[at] = columns[at - 1];
            columns[at] = moved;
        }
    }
    for (int64_t run = RUN; run < count; run *= 2) {
        for (int64_t begin = 0; begin + run < count; begin += 2 * run) {
            const int64_t middle = begin + run, end = middle + run < count ? middle + run : count;
            int64_t left = 0, right = middle, at = begin;
            memcpy(scratch, columns + begin, (size_t)run * sizeof *scratch);
            while (left < run)
                columns[at++] = right < end && columns[right] < scratch[left] ? columns[right++] : scratch[left++];
        }
    }
}

/* ---- one row ---- */

/* The sums of a row, by column.  A slot is used where its column is not -1. */
struct sums {
    int64_t *slots, capacity, room; /* a power of two for this row, within the room that there is */
    void *values;
    int64_t *columns, *used, *scratch, count; /* columns and slots that are in use; half as much room */
};

static void free_sums(struct sums *sums)
{
    free(sums->slots);
    free(sums->values);
    free(sums->columns);
    free(sums->used);
    free(sums->scratch);
}

/* Be ready for a row of at most `most` columns. */
static mnp_status open_sums(struct sums *sums, int64_t most, size_t size)
{
    int64_t capacity = 64;
    while (capacity < 2 * most)
        capacity *= 2;
    sums->capacity = capacity;
    sums->count = 0;
    if (capacity <= sums->room)
        return MNP_OK;
    free_sums(sums);
    *sums = (struct sums){.capacity = capacity};
    MNP_TRY(mnp__malloc((size_t)capacity * sizeof *sums->slots, &sums->slots));
    MNP_TRY(mnp__malloc((size_t)capacity * size, &sums->values));
    MNP_TRY(mnp__malloc((size_t)capacity / 2 * sizeof *sums->columns, &sums->columns));
    MNP_TRY(mnp__malloc((size_t)capacity / 2 * sizeof *sums->used, &sums->used));
    MNP_TRY(mnp__malloc((size_t)capacity / 2 * sizeof *sums->scratch, &sums->scratch));
    memset(sums->slots, 0xff, (size_t)capacity * sizeof *sums->slots);
    sums->room = capacity;
    return MNP_OK;
}

static inline int64_t find_slot(const struct sums *sums, int64_t column)
{
    const uint64_t hash = (uint64_t)column * UINT64_C(0x9e3779b97f4a7c15);
    int64_t slot = (int64_t)(hash >> 20) & (sums->capacity - 1);
    while (sums->slots[slot] >= 0 && sums->slots[slot] != column)
        slot = (slot + 1) & (sums->capacity - 1);
    return slot;
}

/* Add a row, times a factor, of values of one type. */
#define DEFINE_ADD_ROW(name, type)                                                                                     \
    static void name(struct sums *sums, const mnp__csr *rows, int64_t row, const void *factors, int64_t from)         \
    {                                                                                                                  \
        const type factor = ((const type *)factors)[from], *values = rows->values;                                    \
        type *totals = sums->values;                                                                                   \
        for (int64_t k = rows->offsets[row]; k < rows->offsets[row + 1]; k++) {                                       \
            const int64_t slot = find_slot(sums, rows->indices[k]);                                                    \
            if (sums->slots[slot] >= 0) {                                                                              \
                totals[slot] += factor * values[k];                                                                    \
                continue;                                                                                              \
            }                                                                                                          \
            sums->used[sums->count] = slot;                                                                            \
            sums->slots[slot] = sums->columns[sums->count++] = rows->indices[k];                                      \
            totals[slot] = factor * values[k];                                                                         \
        }                                                                                                              \
    }
DEFINE_ADD_ROW(add_float, float)
DEFINE_ADD_ROW(add_double, double)
DEFINE_ADD_ROW(add_complex_float, float _Complex)
DEFINE_ADD_ROW(add_complex_double, double _Complex)

typedef void (*add_row)(struct sums *sums, const mnp__csr *rows, int64_t row, const void *factors, int64_t from);

static add_row add_row_of(mnp_dtype dtype)
{
    return dtype == MNP_FLOAT32   ? add_float
           : dtype == MNP_FLOAT64 ? add_double
           : dtype == MNP_COMPLEX64 ? add_complex_float
                                    : add_complex_double;
}

/* ---- all rows ---- */

/* The product that is being made, with room that grows. */
struct product {
    mnp__csr csr;
    int64_t count, room;
};

static mnp_status reserve(struct product *product, int64_t more)
{
    const int64_t needed = product->count + more;
    if (needed <= product->room)
        return MNP_OK;
    const int64_t room = needed + needed / 2;
    void *indices = realloc(product->csr.indices, (size_t)room * sizeof *product->csr.indices);
    if (indices)
        product->csr.indices = indices;
    void *values = realloc(product->csr.values, (size_t)room * mnp_dtype_size(product->csr.dtype));
    if (values)
        product->csr.values = values;
    if (!indices || !values)
        return MNP_FAIL(MNP_ERR_MEMORY, "no memory for %" PRId64 " entries of a product", room);
    product->room = room;
    return MNP_OK;
}

/* Write the sums of a row, and leave the table empty. */
static mnp_status close_row(struct sums *sums, int64_t row, struct product *product)
{
    const size_t size = mnp_dtype_size(product->csr.dtype);
    MNP_TRY(reserve(product, sums->count));
    sort_columns(sums->columns, sums->count, sums->scratch);
    for (int64_t i = 0; i < sums->count; i++) {
        const int64_t slot = find_slot(sums, sums->columns[i]);
        product->csr.indices[product->count] = sums->columns[i];
        mnp__value_copy(size, product->csr.values, product->count++, sums->values, slot);
    }
    for (int64_t i = 0; i < sums->count; i++)
        sums->slots[sums->used[i]] = -1;
    product->csr.offsets[row + 1] = product->count;
    return MNP_OK;
}

/* A's rows as two parts with numbers of rows of B, which this rank has or has fetched. */
struct factors {
    mnp__part own, ghost;
    mnp__csr own_rows, ghost_rows;
};

static void free_factors(struct factors *factors)
{
    mnp__part_free(&factors->own);
    mnp__part_free(&factors->ghost);
    mnp__csr_free(&factors->own_rows);
    mnp__csr_free(&factors->ghost_rows);
}

/* At most so many columns are in a row that is the sum of those that entries begin..end of a part name. */
static int64_t count_terms(const mnp__part *part, int64_t begin, int64_t end, const mnp__csr *rows)
{
    int64_t count = 0;
    for (int64_t k = begin; k < end; k++)
        count += rows->offsets[part->indices[k] + 1] - rows->offsets[part->indices[k]];
    return count;
}

static mnp_status multiply_rows(const struct factors *factors, struct sums *sums, struct product *product)
{
    const mnp__part *own = &factors->own, *ghost = &factors->ghost;
    const int64_t *own_offsets = own->offsets, *ghost_offsets = ghost->offsets;
    const add_row add = add_row_of(product->csr.dtype);
    const int64_t columns = product->csr.columns;
    int64_t line = 0, k = 0;
    for (int64_t i = 0; i < own->rows; i++) {
        const bool has_ghosts = line < ghost->lines && ghost->rows_of[line] == i;
        const int64_t end = has_ghosts ? ghost_offsets[++line] : k;
        const int64_t terms = count_terms(own, own_offsets[i], own_offsets[i + 1], &factors->own_rows) +
                              count_terms(ghost, k, end, &factors->ghost_rows);
        MNP_TRY(open_sums(sums, terms < columns ? terms : columns, mnp_dtype_size(product->csr.dtype)));
        for (int64_t j = own_offsets[i]; j < own_offsets[i + 1]; j++)
            add(sums, &factors->own_rows, own->indices[j], own->values, j);
        for (; k < end; k++)
            add(sums, &factors->ghost_rows, ghost->indices[k], ghost->values, k);
        MNP_TRY(close_row(sums, i, product));
    }
    return MNP_OK;
}

static mnp_status fetch_parts(const mnp_sparse *a, struct factors *factors)
{
    mnp__part stored;
    MNP_TRY(mnp__part_download(a->ctx, a->dtype, &a->ghost, &factors->ghost));
    MNP_TRY(mnp__part_download(a->ctx, a->dtype, &a->own, &stored));
    const mnp_status st = mnp__part_to_csr(&stored, a->dtype, &factors->own);
    mnp__part_free(&stored);
    return st;
}

/* The product of matrices of one dtype, where b's rows are cut as a's columns. */
static mnp_status multiply(const mnp_sparse *a, const mnp_sparse *b, mnp_sparse **c_p)
{
    struct factors factors = {.own = {.rows = 0}};
    struct sums sums = {.room = 0};
    struct product product = {.count = 0};
    mnp_status st;
    MNP_TRY_OR(mnp__sparse_fetch(b, &factors.own_rows), st, done);
    MNP_TRY_OR(fetch_ghost_rows(a, b, &factors.own_rows, &factors.ghost_rows), st, done);
    st = fetch_parts(a, &factors);
    if (st == MNP_OK)
        st = mnp__csr_new(a->dtype, a->rows, b->shape[1], 0, &product.csr);
    if (st == MNP_OK)
        st = multiply_rows(&factors, &sums, &product);
    MNP_TRY_OR(MNP_AGREE(a->ctx, st), st, done);
    st = mnp__sparse_from_csr(a->ctx, a->shape[0], b->shape[1], a->row_layout, b->column_layout, &product.csr, c_p);
done:
    free_factors(&factors);
    free_sums(&sums);
    mnp__csr_free(&product.csr);
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
    st = multiply(left, right, c_p);
done:
    mnp_sparse_free(left_made);
    mnp_sparse_free(right_made);
    return st;
}
