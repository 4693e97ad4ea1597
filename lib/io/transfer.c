/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The rounds of a transfer.
 *
 * Where ranks have to call together, as for HDF5, each rank makes exactly one call a round, with nothing to do if it
 * has no slab left or has failed, and then the ranks agree: a failure ends the transfer on all of them, without a hang.
 */
#include "io/transfer.h"

#include <stdlib.h>

#include "base/integer.h"
#include "base/status.h"
#include "io/agree_format.h"
#include "io/slabs.h"

struct engine {
    const mnp__transfer *what;
    mnp_ctx *ctx;
    size_t item; /* bytes of an element in memory */
    mnp__slabs slabs;
    int64_t phase[MNP_MAX_DIMS]; /* a slab's indices are the array's plus these: then chunks begin at multiples */
    int64_t rounds;              /* the largest number of slabs on any rank */
    bool staged;
    void *buffer[2];             /* pinned */
    mnp__device_event *ready[2]; /* recorded when the copy from or to that buffer is done */
    void *cover;                 /* what is read from the file, if it is more than a slab */
    size_t cover_bytes;
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
    free(engine->cover);
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

/* How many times the block's bytes are read, as elements between its own come with them. */
static int64_t excess(const mnp__transfer *what)
{
    const mnp_array *array = what->array;
    mnp__file_box box, cover;
    mnp__selection_box(what->selection, array->local_lo, array->local_shape, &box);
    mnp__selection_cover(what->selection, &box, what->unit, what->stored, &cover);
    const int64_t needed = mnp__file_box_size(&box);
    return needed > 0 ? mnp__divide_up(mnp__file_box_size(&cover), needed) : 1;
}

static void plan_slabs(struct engine *engine)
{
    const mnp__transfer *what = engine->what;
    const mnp__selection *selection = what->selection;
    int64_t lo[MNP_MAX_DIMS] = {0}, chunk[MNP_MAX_DIMS];
    for (int d = 0; d < selection->ndim; d++) {
        const mnp__view_dim *dim = &selection->dims[d];
        const bool all = dim->from != MNP__NEW_DIM && (dim->step == 1 || dim->step == -1);
        chunk[d] = what->whole_units && all ? what->unit[dim->from] : 1;
        engine->phase[d] = mnp__selection_phase(selection, d, chunk[d]);
        lo[d] = what->array->local_lo[d] + engine->phase[d];
    }
    mnp__slabs_plan(selection->ndim, lo, what->array->local_shape, (int64_t)engine->item * excess(what), chunk,
                    &engine->slabs);
}

/* Slab number `index`, in the array's own indices. */
static void get_slab(const struct engine *engine, int64_t index, mnp__slab *slab)
{
    mnp__slabs_get(&engine->slabs, index, slab);
    for (int d = 0; d < engine->slabs.ndim; d++)
        slab->lo[d] -= engine->phase[d];
}

/* Prepare an engine; `idle` for a rank that takes part without slabs of its own.  Collective. */
static mnp_status engine_open(const mnp__transfer *what, bool idle, struct engine *engine)
{
    const mnp_array *array = what->array;
    mnp_ctx *ctx = array->ctx;
    *engine = (struct engine){.what = what, .ctx = ctx, .item = mnp_dtype_size(array->dtype)};
    plan_slabs(engine);
    if (idle)
        engine->slabs.count = 0;
    engine->staged = !ctx->device->cpu_memory;
    MNP_TRY(MNP_AGREE(ctx, engine->staged ? open_staging(engine) : mnp__ctx_wait(ctx, ctx->compute)));
    engine->rounds = engine->slabs.count;
    if (!what->ops->together)
        return MNP_OK;
    return mnp__all_reduce(&ctx->comm, &engine->rounds, 1, MPI_INT64_T, MPI_MAX);
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
    get_slab(engine, index, &slab);
    void *memory = slab_memory(engine, &slab), *buffer = engine->buffer[index % 2];
    size_t size = (size_t)slab.size * engine->item;
    MNP_TRY(device->ops->copy(device, to_device ? memory : buffer, to_device ? buffer : memory, size, stream));
    return device->ops->event_record(device, engine->ready[index % 2], stream);
}

/* The memory that the elements of `cover` are read to; it grows as needed. */
static mnp_status make_room(struct engine *engine, const mnp__file_box *cover, void **room_p)
{
    const size_t bytes = (size_t)mnp__file_box_size(cover) * engine->what->stored;
    if (bytes > engine->cover_bytes) {
        free(engine->cover);
        engine->cover = NULL;
        engine->cover_bytes = 0;
        MNP_TRY(mnp__malloc(bytes, &engine->cover));
        engine->cover_bytes = bytes;
    }
    *room_p = engine->cover;
    return MNP_OK;
}

/* Take part in a round without reading anything. */
static mnp_status read_nothing(const struct engine *engine)
{
    return engine->what->ops->together ? engine->what->ops->read(engine->what->file, NULL, NULL) : MNP_OK;
}

/* Read a slab to `buffer`, as the elements are in the file.  Exactly one call of the file's function. */
static mnp_status fetch(struct engine *engine, const mnp__slab *slab, void *buffer)
{
    const mnp__transfer *what = engine->what;
    mnp__file_box box, cover;
    void *room = buffer;
    mnp__selection_box(what->selection, slab->lo, slab->extent, &box);
    mnp__selection_cover(what->selection, &box, what->unit, what->stored, &cover);
    if (mnp__selection_is_plain(what->selection, &box, &cover))
        return what->ops->read(what->file, &box, buffer);
    mnp_status st = make_room(engine, &cover, &room);
    if (st != MNP_OK) {
        read_nothing(engine);
        return st;
    }
    MNP_TRY(what->ops->read(what->file, &cover, room));
    mnp__selection_pick(what->selection, slab->lo, slab->extent, &cover, what->stored, room, buffer);
    return MNP_OK;
}

static mnp_status read_slab(struct engine *engine, int64_t index)
{
    mnp_status st = MNP_OK;
    mnp__slab slab;
    if (index >= engine->slabs.count)
        return read_nothing(engine);
    get_slab(engine, index, &slab);
    void *buffer = engine->staged ? engine->buffer[index % 2] : slab_memory(engine, &slab);
    if (engine->staged && index >= 2)
        st = mnp__comm_wait_event(&engine->ctx->comm, engine->ready[index % 2]);
    if (st != MNP_OK) {
        read_nothing(engine);
        return st;
    }
    MNP_TRY(fetch(engine, &slab, buffer));
    MNP_TRY(engine->what->ops->convert(engine->what->file, slab.size, buffer));
    return engine->staged ? copy_slab(engine, index, true) : MNP_OK;
}

static mnp_status write_slab(struct engine *engine, int64_t index)
{
    const mnp__transfer *what = engine->what;
    mnp_status st = MNP_OK;
    mnp__slab slab;
    mnp__file_box box;
    void *buffer = NULL;
    const bool mine = index < engine->slabs.count;
    if (mine) {
        get_slab(engine, index, &slab);
        mnp__selection_box(what->selection, slab.lo, slab.extent, &box);
        buffer = engine->staged ? engine->buffer[index % 2] : slab_memory(engine, &slab);
    }
    if (mine && engine->staged) {
        if (index == 0)
            st = copy_slab(engine, 0, false);
        if (st == MNP_OK && index + 1 < engine->slabs.count)
            st = copy_slab(engine, index + 1, false);
        if (st == MNP_OK)
            st = mnp__comm_wait_event(&engine->ctx->comm, engine->ready[index % 2]);
    }
    mnp_status called = MNP_OK;
    if (what->ops->together || (mine && st == MNP_OK))
        called = what->ops->write(what->file, mine && st == MNP_OK ? &box : NULL, buffer);
    return st != MNP_OK ? st : called;
}

/* All rounds; ranks that need not call together agree after the last.  Collective. */
static mnp_status run(struct engine *engine, mnp_status (*round)(struct engine *engine, int64_t index))
{
    mnp_status st = MNP_OK;
    const bool together = engine->what->ops->together;
    for (int64_t index = 0; st == MNP_OK && index < engine->rounds; index++) {
        st = round(engine, index);
        if (together)
            st = MNP_AGREE(engine->ctx, st);
        mnp__device_tell(engine->ctx->device, (double)(index + 1) / (double)engine->rounds);
    }
    if (together && st != MNP_OK)
        return st;
    if (st == MNP_OK && engine->staged)
        st = mnp__ctx_wait(engine->ctx, engine->ctx->transfer);
    return mnp__agree_format(engine->ctx, st);
}

mnp_status mnp__transfer_read(const mnp__transfer *transfer)
{
    struct engine engine;
    mnp_status st = engine_open(transfer, transfer->array->local_size == 0, &engine);
    if (st == MNP_OK)
        st = run(&engine, read_slab);
    engine_close(&engine);
    return st;
}

void mnp__transfer_ahead(mnp_ctx *ctx, const mnp__transfer *transfer, const int64_t *lo, const int64_t *extent,
                         const char *name)
{
    mnp__file_box box, cover;
    mnp__read_ahead ahead = {.count = 0};
    mnp__selection_box(transfer->selection, lo, extent, &box);
    mnp__selection_cover(transfer->selection, &box, transfer->unit, transfer->stored, &cover);
    if (mnp__file_box_size(&cover) > 0)
        transfer->ops->ahead(transfer->file, &cover, &ahead);
    mnp__read_ahead_start(ctx, name, &ahead);
}

mnp_status mnp__transfer_write(const mnp__transfer *transfer)
{
    struct engine engine;
    const mnp_array *array = transfer->array;
    bool idle = array->local_size == 0 || mnp_layout_owner(array->layout, array->local_lo) != array->ctx->comm.rank;
    mnp_status st = engine_open(transfer, idle, &engine);
    if (st == MNP_OK)
        st = run(&engine, write_slab);
    engine_close(&engine);
    return st;
}
