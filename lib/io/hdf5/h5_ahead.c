/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading datasets ahead: where the elements lie that will be read.
 *
 * A contiguous dataset is an array in C order.  Of a chunked one rank 0 finds the first and the last chunk that is
 * wanted, and what lies between them is read ahead, as files are mostly written in the order of their chunks: to ask
 * HDF5 1.10 for one chunk takes a walk over all of them.  If it is far more than these chunks take, the chunks are in
 * another order, and nothing is read ahead.
 */
#include "base/integer.h"
#include "base/status.h"
#include "io/hdf5/h5.h"
#include "io/plain_file.h"
#include "io/transfer.h"

/* What rank 0 finds out and tells all ranks. */
struct storage {
    mnp__plain_array where; /* a contiguous dataset */
    bool contiguous;
    int64_t begin, bytes; /* a chunked one: the bytes of `rows` rows from `first` on; no bytes: it is not known */
    int64_t first, rows;
};

/* Where the chunk with the element at `index` lies, of which the file may have none. */
static bool find_chunk(hid_t dataset, const mnp__h5_source *source, const int64_t *index, int64_t *begin_p,
                       int64_t *end_p)
{
#if H5_VERSION_GE(1, 10, 5)
    hsize_t corner[MNP_MAX_DIMS], bytes = 0;
    haddr_t place = HADDR_UNDEF;
    unsigned mask;
    for (int d = 0; d < source->info.ndim; d++)
        corner[d] = (hsize_t)(index[d] / source->chunk[d] * source->chunk[d]);
    if (H5Dget_chunk_info_by_coord(dataset, corner, &mask, &place, &bytes) < 0 || place == HADDR_UNDEF)
        return false;
    *begin_p = (int64_t)place;
    *end_p = (int64_t)(place + bytes);
    return true;
#else
    (void)dataset, (void)source, (void)index, (void)begin_p, (void)end_p;
    return false;
#endif
}

/* The bytes of the chunks that the box touches. */
static void find_chunks(hid_t dataset, const mnp__h5_source *source, const mnp__file_box *box, struct storage *found)
{
    int64_t last[MNP_MAX_DIMS], begin, end, ignored;
    for (int d = 0; d < box->ndim; d++)
        last[d] = box->start[d] + (box->count[d] - 1) * box->step[d];
    if (!find_chunk(dataset, source, box->start, &begin, &ignored) ||
        !find_chunk(dataset, source, last, &ignored, &end))
        return;
    found->first = box->start[0] / source->chunk[0] * source->chunk[0];
    found->rows = mnp__min(last[0] / source->chunk[0] * source->chunk[0] + source->chunk[0], source->info.shape[0]) -
                  found->first;
    const double share = (double)H5Dget_storage_size(dataset) / (double)source->info.shape[0] * (double)found->rows;
    if (end > begin && (double)(end - begin) < 2 * share)
        found->begin = begin, found->bytes = end - begin;
}

/* Find where the box lies; what cannot be found is not read ahead.  Rank 0. */
static void find_storage(const mnp__h5_place *place, const mnp__h5_source *source, const mnp__file_box *box,
                         struct storage *found)
{
    hid_t file = mnp__h5_open_file(place->file, H5F_ACC_RDONLY, H5P_DEFAULT), dataset = H5I_INVALID_HID;
    if (file < 0)
        return;
    dataset = H5Dopen2(file, place->dataset, H5P_DEFAULT);
    const haddr_t offset = dataset >= 0 && !source->chunked ? H5Dget_offset(dataset) : HADDR_UNDEF;
    if (offset != HADDR_UNDEF) {
        hid_t type = H5Dget_type(dataset);
        found->contiguous = true;
        found->where =
            (mnp__plain_array){.offset = (int64_t)offset, .item = H5Tget_size(type), .ndim = source->info.ndim};
        for (int d = 0; d < source->info.ndim; d++)
            found->where.shape[d] = source->info.shape[d];
        H5Tclose(type);
    } else if (dataset >= 0 && source->chunked) {
        find_chunks(dataset, source, box, found);
    }
    if (dataset >= 0)
        H5Dclose(dataset);
    mnp__h5_close_file(file);
}

static void add_box(void *file, const mnp__file_box *box, mnp__read_ahead *ahead)
{
    const struct storage *found = file;
    if (found->contiguous) {
        mnp__plain_array_ahead(&found->where, box, ahead);
    } else if (found->bytes > 0) {
        mnp__file_box rows = {.ndim = 1, .start = {box->start[0] - found->first}, .step = {1}};
        rows.count[0] = mnp__min((box->count[0] - 1) * box->step[0] + 1, found->rows - rows.start[0]);
        mnp__read_ahead_add_share(ahead, found->begin, found->bytes, found->rows, &rows);
    }
}

mnp_status mnp__h5_read_ahead(mnp_ctx *ctx, const mnp__h5_place *place, const mnp__h5_source *source,
                              const mnp__selection *selection, const mnp_layout *layout)
{
    static const mnp__transfer_ops ops = {.ahead = add_box};
    const int64_t zero[MNP_MAX_DIMS] = {0};
    int64_t lo[MNP_MAX_DIMS], extent[MNP_MAX_DIMS];
    struct storage found = {.contiguous = false};
    mnp__file_box all;
    mnp__selection_box(selection, zero, selection->shape, &all);
    if (ctx->comm.rank == 0 && mnp__file_box_size(&all) > 0 && all.ndim > 0)
        find_storage(place, source, &all, &found);
    MNP_TRY(mnp__broadcast(&ctx->comm, &found, sizeof found, 0));
    mnp_layout_box(layout, ctx->comm.rank, lo, extent);
    mnp__transfer_ahead(ctx,
                        &(mnp__transfer){.selection = selection,
                                         .stored = mnp_dtype_size(source->info.dtype),
                                         .unit = source->chunked ? source->chunk : NULL,
                                         .ops = &ops,
                                         .file = &found},
                        lo, extent, place->file);
    return MNP_OK;
}
