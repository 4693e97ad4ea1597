/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The transfer of values between a dataset and the ranks' blocks, slab by slab (io/slabs.h).
 *
 * In every round each rank makes exactly one call of H5Dread() or H5Dwrite(), with an empty selection if it has no slab
 * left or has failed, and then the ranks agree: a failure ends the transfer on all of them, without a hang.
 *
 * On the host device HDF5 reads and writes the block's own memory.  On a GPU two pinned buffers alternate, so that one
 * slab is read from or written to the file while another is copied to or from the device.
 *
 * HDF5 is given the type that the file has, because its transfers can be collective only if they convert nothing;
 * numbers are converted here, in place.
 *
 * Transfers are collective for HDF5: a rank's selection is one request to MPI-IO, even if it crosses many chunks.
 * Below that every rank does its own I/O, without collective buffering.  So a rank whose disk fails leaves no other
 * rank waiting in a collective call of MPI, and it is faster: with Open MPI 4.1 on one node, blocks of 4096 x 8192
 * float32 in a contiguous dataset were read twice as quickly as with collective buffering, and rows of 128 bytes cut
 * into four 20 times as quickly.
 */

#include "base/status.h"
#include "io/hdf5/h5.h"
#include "io/slabs.h"

struct engine {
    const mnp__h5_transfer *what;
    mnp_ctx *ctx;
    size_t item; /* bytes of an element in memory */
    mnp__slabs slabs;
    int64_t rounds; /* the largest number of slabs on any rank */
    hid_t properties;
    bool staged;
    void *buffer[2];
    mnp__device_event *ready[2]; /* recorded when the copy from or to that buffer is done */
};

static void engine_close(struct engine *engine)
{
    mnp_ctx *ctx = engine->ctx;
    if (engine->staged)
        mnp__ctx_wait(ctx,
                      ctx->transfer); /* copies may be under way after a failure, which has been reported already */
    for (int i = 0; i < 2; i++) {
        if (engine->ready[i])
            ctx->device->ops->event_free(ctx->device, engine->ready[i]);
        if (engine->buffer[i])
            ctx->device->ops->free_pinned(ctx->device, engine->buffer[i]);
    }
    if (engine->properties >= 0)
        H5Pclose(engine->properties);
}

static mnp_status open_staging(struct engine *engine)
{
    mnp__device *device = engine->ctx->device;
    size_t size = (size_t)mnp__slabs_largest(&engine->slabs) * engine->item;
    for (int i = 0; i < 2 && i < engine->slabs.count; i++) {
        MNP_TRY(device->ops->alloc_pinned(device, size, &engine->buffer[i]));
        MNP_TRY(device->ops->event_new(device, &engine->ready[i]));
    }
    return mnp__ctx_order(engine->ctx, engine->ctx->compute, engine->ctx->transfer);
}

static mnp_status open_properties(struct engine *engine)
{
    bool collective = engine->what->collective;
    engine->properties = H5Pcreate(H5P_DATASET_XFER);
    if (engine->properties >= 0 &&
        H5Pset_dxpl_mpio(engine->properties, collective ? H5FD_MPIO_COLLECTIVE : H5FD_MPIO_INDEPENDENT) >= 0 &&
        (!collective || H5Pset_dxpl_mpio_collective_opt(engine->properties, H5FD_MPIO_INDIVIDUAL_IO) >= 0))
        return MNP_OK;
    return MNP_FAIL(MNP_ERR_IO, "HDF5 cannot transfer through MPI-IO: %s", mnp__h5_reason());
}

/* Prepare an engine; `idle` for a rank that takes part without slabs of its own.  Collective. */
static mnp_status engine_open(const mnp__h5_transfer *what, bool idle, struct engine *engine)
{
    const mnp_array *array = what->array;
    mnp_ctx *ctx = array->ctx;
    int64_t lo[MNP_MAX_DIMS] = {0}; /* in the dataset */
    *engine = (struct engine){.what = what, .ctx = ctx, .item = mnp_dtype_size(array->dtype)};
    for (int d = 0; d < mnp_array_ndim(array); d++)
        lo[d] = array->local_lo[d] + (what->origin ? what->origin[d] : 0);
    mnp__slabs_plan(mnp_array_ndim(array), lo, array->local_shape, (int64_t)engine->item, what->chunk, &engine->slabs);
    if (idle)
        engine->slabs.count = 0;
    engine->staged = !ctx->device->cpu_memory;
    mnp_status st = open_properties(engine);
    if (st == MNP_OK)
        st = engine->staged ? open_staging(engine) : mnp__ctx_wait(ctx, ctx->compute);
    MNP_TRY(MNP_AGREE(ctx, st));
    engine->rounds = engine->slabs.count;
    return mnp__all_reduce(&ctx->comm, &engine->rounds, 1, MPI_INT64_T, MPI_MAX);
}

/* Open the dataspaces of a slab in memory and in the file; with `none` their selections are empty. */
static mnp_status open_spaces(const struct engine *engine, const mnp__slab *slab, bool none, hid_t *memory_p,
                              hid_t *file_p)
{
    hsize_t lo[MNP_MAX_DIMS], extent[MNP_MAX_DIMS];
    int ndim = engine->slabs.ndim;
    for (int d = 0; d < ndim; d++) {
        lo[d] = (hsize_t)slab->lo[d];
        extent[d] = none ? 1 : (hsize_t)slab->extent[d];
    }
    *memory_p = ndim > 0 ? H5Screate_simple(ndim, extent, NULL) : H5Screate(H5S_SCALAR);
    *file_p = H5Dget_space(engine->what->dataset);
    if (*memory_p >= 0 && *file_p >= 0 &&
        (none ? H5Sselect_none(*memory_p) >= 0 && H5Sselect_none(*file_p) >= 0
              : ndim == 0 || H5Sselect_hyperslab(*file_p, H5S_SELECT_SET, lo, NULL, extent, NULL) >= 0))
        return MNP_OK;
    return MNP_FAIL(MNP_ERR_IO, "cannot select a part of %s: %s", engine->what->place->text, mnp__h5_reason());
}

/*
 * This rank's call of HDF5 in one round: for its slab number `index`, or with an empty selection if that is negative.
 */
static mnp_status call_hdf5(const struct engine *engine, int64_t index, void *buffer, bool writing)
{
    const mnp__h5_transfer *what = engine->what;
    hid_t memory = H5I_INVALID_HID, file = H5I_INVALID_HID;
    mnp__slab slab = {.size = 0};
    char nothing = 0;
    if (index >= 0)
        mnp__slabs_get(&engine->slabs, index, &slab);
    else
        buffer = &nothing;
    mnp_status st = open_spaces(engine, &slab, index < 0, &memory, &file);
    if (st == MNP_OK) {
        herr_t done = writing ? H5Dwrite(what->dataset, what->type->stored, memory, file, engine->properties, buffer)
                              : H5Dread(what->dataset, what->type->stored, memory, file, engine->properties, buffer);
        if (done < 0)
            st = MNP_FAIL(MNP_ERR_IO, "cannot %s %s: %s", writing ? "write" : "read", what->place->text,
                          writing && mnp__atomic_file_is_full(what->written) ? "the file system is full"
                                                                             : mnp__h5_reason());
    }
    if (memory >= 0)
        H5Sclose(memory);
    if (file >= 0)
        H5Sclose(file);
    return st;
}

static char *slab_memory(const struct engine *engine, const mnp__slab *slab)
{
    return (char *)engine->what->array->data + slab->offset * (int64_t)engine->item;
}

/* Enqueue the copy of a slab between its buffer and the device; the event in ready[] tells when it is done. */
static mnp_status copy_slab(struct engine *engine, int64_t index, bool to_device)
{
    mnp__device *device = engine->ctx->device;
    mnp__stream *stream = engine->ctx->transfer;
    mnp__slab slab;
    mnp__slabs_get(&engine->slabs, index, &slab);
    void *memory = slab_memory(engine, &slab), *buffer = engine->buffer[index % 2];
    size_t size = (size_t)slab.size * engine->item;
    MNP_TRY(device->ops->copy(device, to_device ? memory : buffer, to_device ? buffer : memory, size, stream));
    return device->ops->event_record(device, engine->ready[index % 2], stream);
}

static mnp_status read_slab(struct engine *engine, int64_t index)
{
    mnp_status st = MNP_OK;
    mnp__slab slab;
    void *buffer = NULL;
    bool mine = index < engine->slabs.count;
    if (mine) {
        mnp__slabs_get(&engine->slabs, index, &slab);
        buffer = engine->staged ? engine->buffer[index % 2] : slab_memory(engine, &slab);
        if (engine->staged && index >= 2)
            st = mnp__comm_wait_event(&engine->ctx->comm, engine->ready[index % 2]);
    }
    mnp_status called = call_hdf5(engine, mine && st == MNP_OK ? index : -1, buffer, false);
    MNP_TRY(st);
    MNP_TRY(called);
    if (!mine)
        return MNP_OK;
    MNP_TRY(mnp__h5_type_convert(engine->what->type, slab.size, buffer));
    return engine->staged ? copy_slab(engine, index, true) : MNP_OK;
}

static mnp_status write_slab(struct engine *engine, int64_t index)
{
    mnp_status st = MNP_OK;
    mnp__slab slab;
    void *buffer = NULL;
    bool mine = index < engine->slabs.count;
    if (mine && engine->staged) {
        buffer = engine->buffer[index % 2];
        if (index == 0)
            st = copy_slab(engine, 0, false);
        if (st == MNP_OK && index + 1 < engine->slabs.count)
            st = copy_slab(engine, index + 1, false);
        if (st == MNP_OK)
            st = mnp__comm_wait_event(&engine->ctx->comm, engine->ready[index % 2]);
    } else if (mine) {
        mnp__slabs_get(&engine->slabs, index, &slab);
        buffer = slab_memory(engine, &slab);
    }
    mnp_status called = call_hdf5(engine, mine && st == MNP_OK ? index : -1, buffer, true);
    return st != MNP_OK ? st : called;
}

mnp_status mnp__h5_transfer_read(const mnp__h5_transfer *transfer)
{
    struct engine engine;
    mnp_ctx *ctx = transfer->array->ctx;
    mnp_status st = engine_open(transfer, transfer->array->local_size == 0, &engine);
    for (int64_t index = 0; st == MNP_OK && index < engine.rounds; index++)
        st = MNP_AGREE(ctx, read_slab(&engine, index));
    if (st == MNP_OK)
        st = MNP_AGREE(ctx, engine.staged ? mnp__ctx_wait(ctx, ctx->transfer) : MNP_OK);
    engine_close(&engine);
    return st;
}

mnp_status mnp__h5_transfer_write(const mnp__h5_transfer *transfer)
{
    struct engine engine;
    mnp_ctx *ctx = transfer->array->ctx;
    const mnp_array *array = transfer->array;
    bool idle = array->local_size == 0 || mnp_layout_owner(array->layout, array->local_lo) != ctx->comm.rank;
    mnp_status st = engine_open(transfer, idle, &engine);
    for (int64_t index = 0; st == MNP_OK && index < engine.rounds; index++)
        st = MNP_AGREE(ctx, write_slab(&engine, index));
    engine_close(&engine);
    return st;
}
