/*
 * Journeys of entries and rows.  Memory is bound by what a rank sends and what it gets.
 */
#include "sparse/travel.h"

#include <stdlib.h>
#include <string.h>

#include "sparse/sparse.h"

/* ---- memory of the CPU ---- */

typedef mnp_status (*journey)(mnp__shuffle *shuffle, size_t size, const void *from, void *to);

/* `count` elements are sent, `got` come. */
static mnp_status travel(mnp_ctx *ctx, mnp__shuffle *shuffle, journey go, int64_t count, int64_t got, size_t size,
                         const void *from, void *to)
{
    mnp__device *device = ctx->device;
    void *sent = NULL, *received = NULL;
    mnp_status st = device->ops->alloc(device, (size_t)count * size, &sent);
    if (st == MNP_OK)
        st = device->ops->alloc(device, (size_t)got * size, &received);
    if (st == MNP_OK)
        st = device->ops->copy(device, sent, from, (size_t)count * size, ctx->compute);
    MNP_TRY_OR(MNP_AGREE(ctx, st), st, done);
    MNP_TRY_OR(go(shuffle, size, sent, received), st, done);
    st = device->ops->copy(device, to, received, (size_t)got * size, ctx->compute);
    if (st == MNP_OK)
        st = mnp__ctx_wait(ctx, ctx->compute);
    st = MNP_AGREE(ctx, st);
done:
    device->ops->free(device, sent);
    device->ops->free(device, received);
    return st;
}

mnp_status mnp__travel_send(mnp_ctx *ctx, mnp__shuffle *shuffle, int64_t count, size_t size, const void *from, void *to)
{
    return travel(ctx, shuffle, mnp__shuffle_send, count, mnp__shuffle_received(shuffle), size, from, to);
}

mnp_status mnp__travel_back(mnp_ctx *ctx, mnp__shuffle *shuffle, int64_t count, size_t size, const void *from, void *to)
{
    return travel(ctx, shuffle, mnp__shuffle_back, mnp__shuffle_received(shuffle), count, size, from, to);
}

/* ---- rows ---- */

/* The lengths of the rows that come, as offsets. */
static mnp_status send_lengths(mnp_ctx *ctx, mnp__shuffle *shuffle, const mnp__csr *csr, mnp__csr *arrived)
{
    int64_t *lengths = NULL;
    mnp_status st = mnp__malloc((size_t)csr->rows * sizeof *lengths, &lengths);
    if (st == MNP_OK)
        st = mnp__csr_new(csr->dtype, mnp__shuffle_received(shuffle), csr->columns, 0, arrived);
    MNP_TRY_OR(MNP_AGREE(ctx, st), st, done);
    for (int64_t i = 0; i < csr->rows; i++)
        lengths[i] = csr->offsets[i + 1] - csr->offsets[i];
    MNP_TRY_OR(mnp__travel_send(ctx, shuffle, csr->rows, sizeof *lengths, lengths, arrived->offsets + 1), st, done);
    for (int64_t i = 0; i < arrived->rows; i++)
        arrived->offsets[i + 1] += arrived->offsets[i];
done:
    free(lengths);
    return st;
}

/* Room for the entries of rows whose offsets are known. */
static mnp_status make_room(mnp__csr *csr)
{
    const size_t count = (size_t)mnp__csr_count(csr);
    free(csr->indices);
    free(csr->values);
    csr->indices = NULL;
    csr->values = NULL;
    MNP_TRY(mnp__malloc(count * sizeof *csr->indices, &csr->indices));
    return mnp__malloc(count * mnp_dtype_size(csr->dtype), &csr->values);
}

mnp_status mnp__travel_rows(mnp_ctx *ctx, const mnp__csr *csr, const int64_t *counts, mnp__csr *arrived)
{
    const int64_t entries = mnp__csr_count(csr);
    mnp__shuffle *by_rows = NULL, *by_entries = NULL;
    mnp__csr got = {.rows = 0};
    int64_t *entry_counts = NULL, row = 0;
    mnp_status st = MNP_AGREE(ctx, mnp__calloc((size_t)ctx->comm.size, sizeof *entry_counts, &entry_counts));
    MNP_TRY_OR(st, st, done);
    for (int r = 0; r < ctx->comm.size; r++) {
        entry_counts[r] = csr->offsets[row + counts[r]] - csr->offsets[row];
        row += counts[r];
    }
    MNP_TRY_OR(mnp__shuffle_new(ctx, counts, &by_rows), st, done);
    MNP_TRY_OR(send_lengths(ctx, by_rows, csr, &got), st, done);
    MNP_TRY_OR(mnp__shuffle_new(ctx, entry_counts, &by_entries), st, done);
    MNP_TRY_OR(MNP_AGREE(ctx, make_room(&got)), st, done);
    MNP_TRY_OR(mnp__travel_send(ctx, by_entries, entries, sizeof *csr->indices, csr->indices, got.indices), st, done);
    MNP_TRY_OR(mnp__travel_send(ctx, by_entries, entries, mnp_dtype_size(csr->dtype), csr->values, got.values), st,
               done);
    *arrived = got;
done:
    if (st != MNP_OK)
        mnp__csr_free(&got);
    mnp__shuffle_free(by_entries);
    mnp__shuffle_free(by_rows);
    free(entry_counts);
    return st;
}

/* ---- entries ---- */

/* Entries in the order of the ranks that they go to. */
struct packed {
    int64_t *counts; /* for each rank */
    int64_t *rows, *columns;
    char *values;
};

static void free_packed(struct packed *packed)
{
    free(packed->counts);
    free(packed->rows);
    free(packed->columns);
    free(packed->values);
}

static mnp_status new_packed(int64_t ranks, int64_t count, size_t size, struct packed *packed)
{
    MNP_TRY(mnp__calloc((size_t)ranks, sizeof *packed->counts, &packed->counts));
    MNP_TRY(mnp__malloc((size_t)count * sizeof *packed->rows, &packed->rows));
    MNP_TRY(mnp__malloc((size_t)count * sizeof *packed->columns, &packed->columns));
    return mnp__malloc((size_t)count * size, &packed->values);
}

static mnp_status pack(mnp_ctx *ctx, const mnp_layout *layout, size_t size, int64_t count, const int64_t *rows,
                       const int64_t *columns, const void *values, struct packed *packed)
{
    const int64_t *cuts = mnp_layout_cuts(layout, 0);
    const int ranks = ctx->comm.size;
    int64_t *next;
    int *owners;
    int owner = 0;
    MNP_TRY(new_packed(ranks, count, size, packed));
    MNP_TRY(mnp__malloc((size_t)count * sizeof *owners, &owners));
    mnp_status st = mnp__calloc((size_t)ranks, sizeof *next, &next);
    if (st != MNP_OK) {
        free(owners);
        return st;
    }
    for (int64_t k = 0; k < count; k++) {
        if (rows[k] < cuts[owner] || rows[k] >= cuts[owner + 1]) /* neighbours in the list often have one owner */
            owner = mnp__sparse_owner(layout, rows[k]);
        owners[k] = owner;
        packed->counts[owner]++;
    }
    for (int r = 1; r < ranks; r++)
        next[r] = next[r - 1] + packed->counts[r - 1];
    for (int64_t k = 0; k < count; k++) {
        const int64_t at = next[owners[k]]++;
        packed->rows[at] = rows[k];
        packed->columns[at] = columns[k];
        memcpy(packed->values + (size_t)at * size, (const char *)values + (size_t)k * size, size);
    }
    free(owners);
    free(next);
    return MNP_OK;
}

/* The packed entries travel; what comes has the same shape. */
static mnp_status send_packed(mnp_ctx *ctx, size_t size, int64_t count, const struct packed *packed,
                              struct packed *arrived, int64_t *received_p)
{
    mnp__shuffle *shuffle;
    mnp_status st;
    MNP_TRY(mnp__shuffle_new(ctx, packed->counts, &shuffle));
    *received_p = mnp__shuffle_received(shuffle);
    MNP_TRY_OR(MNP_AGREE(ctx, new_packed(0, *received_p, size, arrived)), st, done);
    MNP_TRY_OR(mnp__travel_send(ctx, shuffle, count, sizeof *packed->rows, packed->rows, arrived->rows), st, done);
    MNP_TRY_OR(mnp__travel_send(ctx, shuffle, count, sizeof *packed->columns, packed->columns, arrived->columns), st,
               done);
    st = mnp__travel_send(ctx, shuffle, count, size, packed->values, arrived->values);
done:
    mnp__shuffle_free(shuffle);
    return st;
}

mnp_status mnp__travel_entries(mnp_ctx *ctx, const mnp_layout *layout, mnp_dtype dtype, int64_t ncolumns, int64_t count,
                               const int64_t *rows, const int64_t *columns, const void *values, mnp__csr *csr)
{
    const size_t size = mnp_dtype_size(dtype);
    const int64_t *cuts = mnp_layout_cuts(layout, 0), first = cuts[ctx->comm.rank], end = cuts[ctx->comm.rank + 1];
    struct packed packed = {.counts = NULL}, arrived = {.counts = NULL};
    int64_t received = 0;
    mnp__csr made = {.rows = 0};
    mnp_status st;
    MNP_TRY_OR(MNP_AGREE(ctx, pack(ctx, layout, size, count, rows, columns, values, &packed)), st, done);
    MNP_TRY_OR(send_packed(ctx, size, count, &packed, &arrived, &received), st, done);
    free_packed(&packed);
    packed = (struct packed){.counts = NULL};
    st = MNP_AGREE(ctx, mnp__csr_from_entries(dtype, end - first, first, ncolumns, received, arrived.rows,
                                              arrived.columns, arrived.values, &made));
    if (st == MNP_OK)
        *csr = made;
    else
        mnp__csr_free(&made);
done:
    free_packed(&packed);
    free_packed(&arrived);
    return st;
}
