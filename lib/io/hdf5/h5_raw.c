/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finding and allocating the space of values, and writing values to it.
 *
 * HDF5 allocates the space of a chunk when the chunk is written, so it is made to write one, whose values the overlay
 * drops.
 */
#include "io/hdf5/h5_raw.h"

#include <stdlib.h>
#include <string.h>

#include "array/boxes.h"
#include "base/integer.h"
#include "base/status.h"

/* ---- finding ---- */

static mnp_status check_storage(hid_t properties, const char *what, mnp__h5_raw *raw)
{
    const H5D_layout_t layout = H5Pget_layout(properties);
    if (H5Pget_nfilters(properties) > 0)
        return MNP_FAIL(MNP_ERR_UNSUPPORTED, "%s is compressed, and cannot be changed in place", what);
    if (H5Pget_external_count(properties) > 0 || (layout != H5D_CHUNKED && layout != H5D_CONTIGUOUS))
        return MNP_FAIL(MNP_ERR_UNSUPPORTED, "%s is stored in a way that cannot be changed in place", what);
    raw->chunked = layout == H5D_CHUNKED;
    return MNP_OK;
}

static mnp_status add_fill(mnp__h5_fills *fills, int64_t offset, int64_t bytes)
{
    static const unsigned char zeros[sizeof fills->value];
    if (memcmp(fills->value, zeros, sizeof zeros) == 0)
        return MNP_OK; /* as new space is */
    if (fills->count == fills->capacity) {
        const int64_t capacity = fills->capacity > 0 ? 2 * fills->capacity : 16;
        struct mnp__h5_fill *list = realloc(fills->list, (size_t)capacity * sizeof *list);
        if (!list)
            return MNP_FAIL(MNP_ERR_MEMORY, "no memory for %lld places", (long long)capacity);
        fills->list = list;
        fills->capacity = capacity;
    }
    fills->list[fills->count++] = (struct mnp__h5_fill){offset, bytes};
    return MNP_OK;
}

/* Whether the dataset has elements in a chunk that are not in the box. */
static bool sticks_out(const mnp__h5_raw *raw, const hsize_t *corner, const int64_t *start, const int64_t *extent)
{
    for (int d = 0; d < raw->ndim; d++) {
        const int64_t begin = (int64_t)corner[d], end = begin + raw->chunk[d];
        const int64_t last = mnp__min(end, raw->shape[d]);
        if (begin < start[d] || last > start[d] + extent[d])
            return true;
    }
    return false;
}

/* The place of a chunk, which is allocated if there is none.  `anything` has as many bytes as a chunk. */
static mnp_status place_chunk(const mnp__h5_session *session, hid_t dataset, const char *what, const hsize_t *corner,
                              size_t bytes, const void *anything, int64_t *place_p)
{
#if H5_VERSION_GE(1, 10, 3)
    mnp__h5_overlay_drop_values(session->overlay);
    const herr_t written = H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, corner, bytes, anything);
    *place_p = mnp__h5_overlay_keep_values(session->overlay);
    if (written < 0 || *place_p < 0)
        return MNP_FAIL(MNP_ERR_IO, "no space can be allocated for %s: %s", what, mnp__h5_reason());
#else
    (void)session, (void)dataset, (void)what, (void)corner, (void)bytes, (void)anything, (void)place_p;
#endif
    return MNP_OK;
}

static mnp_status find_chunks(const mnp__h5_session *session, hid_t dataset, const char *what, const int64_t *start,
                              const int64_t *extent, mnp__h5_raw *raw, mnp__h5_fills *fills)
{
    int64_t bytes = (int64_t)raw->item;
    void *anything;
    raw->count = 1;
    for (int d = 0; d < raw->ndim; d++) {
        bytes *= raw->chunk[d];
        raw->first[d] = start[d] / raw->chunk[d];
        raw->grid[d] = extent[d] > 0 ? (start[d] + extent[d] - 1) / raw->chunk[d] - raw->first[d] + 1 : 0;
        raw->count *= raw->grid[d];
    }
    if (raw->count == 0)
        return MNP_OK;
    MNP_TRY(mnp__malloc((size_t)raw->count * sizeof *raw->places, &raw->places));
    MNP_TRY(mnp__calloc(1, (size_t)bytes, &anything));
    mnp_status st = MNP_OK;
    for (int64_t i = 0; st == MNP_OK && i < raw->count; i++) {
        hsize_t corner[MNP_MAX_DIMS];
        int64_t rest = i;
        for (int d = raw->ndim - 1; d >= 0; d--) {
            corner[d] = (hsize_t)((raw->first[d] + rest % raw->grid[d]) * raw->chunk[d]);
            rest /= raw->grid[d];
        }
        st = place_chunk(session, dataset, what, corner, (size_t)bytes, anything, &raw->places[i]);
        if (st == MNP_OK && raw->places[i] >= session->old_end && sticks_out(raw, corner, start, extent))
            st = add_fill(fills, raw->places[i], bytes);
    }
    free(anything);
    return st;
}

/* The place of a dataset that is not chunked; its space is allocated by writing one element, which is dropped. */
static mnp_status find_contiguous(const mnp__h5_session *session, hid_t dataset, const char *what, mnp__h5_raw *raw,
                                  mnp__h5_fills *fills)
{
    int64_t size = 1;
    for (int d = 0; d < raw->ndim; d++)
        size *= raw->shape[d];
    haddr_t place = H5Dget_offset(dataset);
    if (size == 0)
        return MNP_OK;
    if (place == HADDR_UNDEF) {
        const hsize_t zero[MNP_MAX_DIMS] = {0}, one[MNP_MAX_DIMS] = {1, 1, 1, 1, 1, 1, 1, 1};
        const unsigned char value[16] = {0};
        hid_t space = H5Dget_space(dataset), memory = H5Screate(H5S_SCALAR), type = H5Dget_type(dataset);
        mnp__h5_overlay_drop_values(session->overlay);
        if (space >= 0 && memory >= 0 && type >= 0 &&
            (raw->ndim == 0 || H5Sselect_hyperslab(space, H5S_SELECT_SET, zero, NULL, one, NULL) >= 0) &&
            H5Dwrite(dataset, type, memory, space, H5P_DEFAULT, value) >= 0)
            place = H5Dget_offset(dataset);
        mnp__h5_overlay_keep_values(session->overlay);
        H5Sclose(space);
        H5Sclose(memory);
        H5Tclose(type);
        if (place == HADDR_UNDEF || (int64_t)place < session->old_end)
            return MNP_FAIL(MNP_ERR_IO, "no space can be allocated for %s: %s", what, mnp__h5_reason());
        MNP_TRY(add_fill(fills, (int64_t)place, size * (int64_t)raw->item));
    }
    raw->offset = (int64_t)place;
    return MNP_OK;
}

mnp_status mnp__h5_raw_find(const mnp__h5_session *session, hid_t dataset, const char *what, const int64_t *start,
                            const int64_t *extent, mnp__h5_raw *raw, mnp__h5_fills *fills)
{
    hsize_t shape[H5S_MAX_RANK] = {0}, chunk[H5S_MAX_RANK] = {0};
    hid_t space = H5Dget_space(dataset), type = H5Dget_type(dataset), properties = H5Dget_create_plist(dataset);
    mnp_status st = MNP_OK;
    *raw = (mnp__h5_raw){.ndim = 0};
    *fills = (mnp__h5_fills){.count = 0};
    if (space < 0 || type < 0 || properties < 0) {
        st = MNP_FAIL(MNP_ERR_IO, "cannot read how %s is stored: %s", what, mnp__h5_reason());
        goto close;
    }
    MNP_TRY_OR(check_storage(properties, what, raw), st, close);
    raw->item = H5Tget_size(type);
    raw->ndim = H5Sget_simple_extent_dims(space, shape, NULL);
    if (raw->chunked)
        H5Pget_chunk(properties, H5S_MAX_RANK, chunk);
    for (int d = 0; d < raw->ndim; d++) {
        raw->shape[d] = (int64_t)shape[d];
        raw->chunk[d] = raw->chunked ? (int64_t)chunk[d] : 1;
    }
    if (raw->item <= sizeof fills->value)
        H5Pget_fill_value(properties, type, fills->value);
    st = raw->chunked ? find_chunks(session, dataset, what, start, extent, raw, fills)
                      : find_contiguous(session, dataset, what, raw, fills);
close:
    if (space >= 0)
        H5Sclose(space);
    if (type >= 0)
        H5Tclose(type);
    if (properties >= 0)
        H5Pclose(properties);
    return st;
}

mnp_status mnp__h5_raw_fill(const mnp__h5_session *session, const mnp__h5_raw *raw, const mnp__h5_fills *fills)
{
    enum { PART = 1 << 20 };
    char *values;
    if (fills->count == 0)
        return MNP_OK;
    MNP_TRY(mnp__malloc(PART, &values));
    const size_t whole = PART / raw->item * raw->item;
    for (size_t at = 0; at < whole; at += raw->item)
        memcpy(values + at, fills->value, raw->item);
    mnp_status st = MNP_OK;
    for (int64_t i = 0; i < fills->count; i++) {
        const struct mnp__h5_fill *fill = &fills->list[i];
        for (int64_t done = 0; st == MNP_OK && done < fill->bytes; done += (int64_t)whole) {
            const int64_t left = fill->bytes - done;
            st = mnp__plain_file_write(&session->opened, fill->offset + done,
                                       left < (int64_t)whole ? (size_t)left : whole, values);
        }
    }
    free(values);
    return st;
}

mnp_status mnp__h5_raw_share(mnp_ctx *ctx, mnp__h5_raw *raw)
{
    int64_t *places = ctx->comm.rank == 0 ? raw->places : NULL;
    MNP_TRY(mnp__broadcast(&ctx->comm, raw, sizeof *raw, 0));
    raw->places = places;
    const size_t bytes = (size_t)raw->count * sizeof *places;
    mnp_status st = MNP_OK;
    if (ctx->comm.rank != 0 && raw->count > 0)
        st = mnp__malloc(bytes, &raw->places);
    MNP_TRY(MNP_AGREE(ctx, st));
    return raw->count > 0 ? mnp__broadcast(&ctx->comm, raw->places, bytes, 0) : MNP_OK;
}

void mnp__h5_raw_free(mnp__h5_raw *raw)
{
    free(raw->places);
    raw->places = NULL;
}

/* ---- writing ---- */

struct target {
    const mnp__h5_raw *raw;
    const mnp__plain_file *file;
    char *piece; /* of a box that lies in one chunk, dense */
    size_t bytes;
};

static mnp_status make_room(struct target *target, size_t bytes)
{
    if (bytes <= target->bytes)
        return MNP_OK;
    free(target->piece);
    target->piece = NULL;
    target->bytes = 0;
    MNP_TRY(mnp__malloc(bytes, &target->piece));
    target->bytes = bytes;
    return MNP_OK;
}

/* Write the part of a box, whose values are in `buffer`, that lies in the chunk at `corner`. */
static mnp_status write_chunk(struct target *target, const mnp__file_box *box, const char *buffer, int64_t place,
                              const int64_t *corner)
{
    const mnp__h5_raw *raw = target->raw;
    mnp__plain_array chunk = {.offset = place, .item = raw->item, .ndim = raw->ndim};
    mnp__file_box part = {.ndim = raw->ndim};
    int64_t in_buffer[MNP_MAX_DIMS], dense[MNP_MAX_DIMS], offset = 0, step = 1, size = 1;
    for (int d = raw->ndim - 1; d >= 0; d--) {
        const int64_t begin = mnp__max(box->start[d], corner[d]);
        const int64_t box_end = box->start[d] + box->count[d], chunk_end = corner[d] + raw->chunk[d];
        chunk.shape[d] = raw->chunk[d];
        part.start[d] = begin - corner[d];
        part.step[d] = 1;
        part.count[d] = mnp__min(box_end, chunk_end) - begin;
        in_buffer[d] = step;
        dense[d] = size;
        offset += (begin - box->start[d]) * step;
        step *= box->count[d];
        size *= part.count[d];
    }
    if (size == step)
        return mnp__plain_array_write(target->file, &chunk, &part, buffer);
    MNP_TRY(make_room(target, (size_t)size * raw->item));
    mnp__one_box one = mnp__one_box_of(raw->ndim, part.count, in_buffer, dense);
    mnp__one_box_copy_on_cpu(&one, raw->item, buffer + offset * (int64_t)raw->item, target->piece);
    return mnp__plain_array_write(target->file, &chunk, &part, target->piece);
}

static mnp_status write_chunks(struct target *target, const mnp__file_box *box, const char *buffer)
{
    const mnp__h5_raw *raw = target->raw;
    int64_t first[MNP_MAX_DIMS], grid[MNP_MAX_DIMS], corner[MNP_MAX_DIMS], count = 1;
    for (int d = 0; d < raw->ndim; d++) { /* the chunks of this box, among those of the whole one */
        first[d] = box->start[d] / raw->chunk[d] - raw->first[d];
        grid[d] = (box->start[d] + box->count[d] - 1) / raw->chunk[d] - raw->first[d] - first[d] + 1;
        count *= grid[d];
    }
    for (int64_t i = 0; i < count; i++) {
        int64_t rest = i, number = 0, step = 1;
        for (int d = raw->ndim - 1; d >= 0; d--) {
            const int64_t at = first[d] + rest % grid[d];
            rest /= grid[d];
            number += at * step;
            step *= raw->grid[d];
            corner[d] = (raw->first[d] + at) * raw->chunk[d];
        }
        MNP_TRY(write_chunk(target, box, buffer, raw->places[number], corner));
    }
    return MNP_OK;
}

static mnp_status write_box(void *file, const mnp__file_box *box, const void *buffer)
{
    struct target *target = file;
    const mnp__h5_raw *raw = target->raw;
    if (raw->chunked)
        return write_chunks(target, box, buffer);
    mnp__plain_array whole = {.offset = raw->offset, .item = raw->item, .ndim = raw->ndim};
    memcpy(whole.shape, raw->shape, sizeof whole.shape);
    return mnp__plain_array_write(target->file, &whole, box, buffer);
}

mnp_status mnp__h5_raw_write(const mnp_array *array, const mnp__selection *selection, const mnp__h5_raw *raw,
                             const mnp__plain_file *file)
{
    static const mnp__transfer_ops ops = {.together = false, .write = write_box};
    struct target target = {.raw = raw, .file = file};
    mnp_status st = mnp__transfer_write(&(mnp__transfer){.array = array,
                                                         .selection = selection,
                                                         .stored = raw->item,
                                                         .unit = raw->chunked ? raw->chunk : NULL,
                                                         .whole_units = raw->chunked,
                                                         .ops = &ops,
                                                         .file = &target});
    free(target.piece);
    return st;
}
