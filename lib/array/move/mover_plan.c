/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Planning a mover: from pieces to lists of boxes.
 *
 * First each rank counts what it gets from whom.  Then the ranks settle whether anything goes through the heap and how
 * large a staging buffer has to be, and peers exchange where in it their pieces go.  Then the lists are made.
 * Planning costs time in proportion to the ranks, and memory in proportion to this rank's pieces.
 */
#include "array/move/mover_plan.h"

#include <stdlib.h>
#include <string.h>

#include "array/array.h"
#include "comm/peers.h"

/* What planning needs besides the mover itself. */
struct planner {
    mnp__mover *mover;
    mnp__move_spec spec;
    mnp_dtype moving; /* as the kernels take elements */
    const mnp__peers *peers;
    int64_t *incoming;    /* elements from each rank; then where in recv or staging its next piece lies */
    int64_t *places;      /* where in each peer's staging the next piece of this rank goes, by the peers' ranks */
    int64_t *first_units; /* in `store`, of each target */
    int64_t outgoing;     /* elements of all messages so far */
    mnp__message *sends, *recvs;
};

/* The number of a rank that is reached through the heap, or -1. */
static int peer_of(const struct planner *planner, int rank)
{
    return planner->mover->facts.path == MNP__BY_MESSAGES ? -1 : mnp__peers_find(planner->peers, rank);
}

enum { LISTS = 6 };

static void list_boxes(mnp__mover *mover, mnp__boxes **lists)
{
    mnp__boxes *all[LISTS] = {&mover->fill, &mover->local, &mover->pack, &mover->unpack, &mover->store, &mover->fetch};
    memcpy(lists, all, sizeof all);
}

/* ---- what comes ---- */

static mnp_status count_piece(void *argument, const mnp__piece *piece)
{
    struct planner *planner = argument;
    if (piece->source != MNP__FILL && piece->source != piece->receiver)
        planner->incoming[piece->source] += piece->size;
    return MNP_OK;
}

/* What a rank finds out alone. */
static mnp_status count(struct planner *planner, mnp_ctx *ctx, mnp__kernel *kernel)
{
    const mnp__comm *comm = &ctx->comm;
    size_t nranks = (size_t)comm->size, npeers = (size_t)planner->peers->count;
    mnp__boxes *lists[LISTS];
    MNP_TRY(mnp__calloc(1, sizeof *planner->mover, &planner->mover));
    planner->mover->ctx = ctx;
    planner->mover->element = mnp_dtype_size(planner->spec.dtype);
    planner->mover->kernel = kernel;
    list_boxes(planner->mover, lists);
    for (int i = 0; i < LISTS; i++)
        lists[i]->size = planner->mover->element;
    MNP_TRY(mnp__calloc(nranks, sizeof *planner->incoming, &planner->incoming));
    MNP_TRY(mnp__calloc(nranks, sizeof *planner->places, &planner->places));
    MNP_TRY(mnp__calloc(nranks, sizeof *planner->sends, &planner->sends));
    MNP_TRY(mnp__calloc(nranks, sizeof *planner->recvs, &planner->recvs));
    MNP_TRY(mnp__calloc(npeers, sizeof *planner->first_units, &planner->first_units));
    MNP_TRY(mnp__calloc(npeers, sizeof *planner->mover->targets, &planner->mover->targets));
    MNP_TRY(mnp__calloc(npeers, sizeof *planner->mover->writers, &planner->mover->writers));
    return mnp__pieces_wanted(&planner->spec, comm->rank, count_piece, planner);
}

/* ---- through the heap ---- */

/* How much this rank gets from its peers, in bytes. */
static int64_t bytes_from_peers(const struct planner *planner)
{
    int64_t elements = 0;
    for (int i = 0; i < planner->peers->count; i++)
        elements += planner->incoming[planner->peers->ranks[i]];
    return elements * (int64_t)planner->mover->element;
}

/*
 * How peers get theirs.  Staging is as large on all ranks as on the one that gets most: where that is out of
 * proportion, as when one rank gathers everything, messages are better.
 */
static mnp_status choose_path(struct planner *planner)
{
    mnp__mover *mover = planner->mover;
    const mnp__comm *comm = &mover->ctx->comm;
    const int64_t slack = 64 * 1024;
    int64_t all = bytes_from_peers(planner), largest = all;
    MNP_TRY(mnp__all_reduce(comm, &all, 1, MPI_INT64_T, MPI_SUM));
    if (all == 0)
        return MNP_OK;
    if (planner->spec.direct) {
        mover->facts.path = MNP__BY_STORES;
        return MNP_OK;
    }
    MNP_TRY(mnp__all_reduce(comm, &largest, 1, MPI_INT64_T, MPI_MAX));
    if (largest / 2 > all / comm->size + slack)
        return MNP_OK;
    mover->facts.path = MNP__BY_STAGING;
    mover->staging_bytes = (size_t)largest;
    return MNP_OK;
}

/* Give the peers' pieces their places in this rank's staging, and learn those of its own in theirs. */
static mnp_status place_staged(struct planner *planner)
{
    int64_t total = 0;
    for (int i = 0; i < planner->peers->count; i++) {
        int64_t *place = &planner->incoming[planner->peers->ranks[i]], elements = *place;
        *place = total;
        total += elements;
    }
    return mnp__all_to_all(&planner->mover->ctx->comm, planner->incoming, planner->places, sizeof *planner->places);
}

/* What ranks settle together. */
static mnp_status settle(struct planner *planner)
{
    mnp__mover *mover = planner->mover;
    mnp__heap *heap = mover->ctx->comm.heap;
    if (!mnp__heap_shared(heap) || mover->ctx->comm.library_only)
        return MNP_OK;
    MNP_TRY(choose_path(planner));
    if (mover->facts.path == MNP__BY_MESSAGES)
        return MNP_OK;
    MNP_TRY(mnp__heap_compare(mover->ctx->comm.heap));
    for (int i = 0; i < planner->peers->count; i++) {
        if (planner->incoming[planner->peers->ranks[i]] > 0)
            mover->writers[mover->nwriters++] = i;
    }
    if (mover->facts.path == MNP__BY_STAGING) {
        MNP_TRY(place_staged(planner));
        MNP_TRY(mnp__heap_alloc(heap, mover->staging_bytes, &mover->staging));
    }
    return mnp__p2p_boxes_is_possible(mover->ctx) ? MNP_OK : mnp__signals_new(heap, MNP__SIGNALS, &mover->signals);
}

/* ---- lists ---- */

static mnp_status add_wanted(void *argument, const mnp__piece *piece)
{
    struct planner *planner = argument;
    mnp__mover *mover = planner->mover;
    int64_t packed[MNP_MAX_DIMS];
    if (piece->source == MNP__FILL || piece->source == piece->receiver)
        return mnp__boxes_add(piece->source == MNP__FILL ? &mover->fill : &mover->local, piece->ndim, piece->extent,
                              piece->src, piece->src_strides, piece->dst, piece->dst_strides);
    bool from_peer = peer_of(planner, piece->source) >= 0;
    if (from_peer && !mover->staging)
        return MNP_OK; /* the peer stores it */
    mnp__dense_strides(piece->ndim, piece->extent, packed);
    int64_t from = planner->incoming[piece->source];
    planner->incoming[piece->source] += piece->size;
    return mnp__boxes_add(from_peer ? &mover->fetch : &mover->unpack, piece->ndim, piece->extent, from, packed,
                          piece->dst, piece->dst_strides);
}

/* A piece that goes into a peer's heap. */
static mnp_status add_store(struct planner *planner, int peer, const mnp__piece *piece)
{
    mnp__mover *mover = planner->mover;
    int64_t packed[MNP_MAX_DIMS];
    int64_t to = mnp__heap_distance(mover->ctx->comm.heap, peer) / (int64_t)mover->element;
    if (mover->ntargets == 0 || mover->targets[mover->ntargets - 1] != peer) {
        planner->first_units[mover->ntargets] = mnp__boxes_cut(&mover->store);
        mover->targets[mover->ntargets++] = peer;
    }
    if (!mover->staging)
        return mnp__boxes_add(&mover->store, piece->ndim, piece->extent, piece->src, piece->src_strides,
                              to + piece->dst, piece->dst_strides);
    mnp__dense_strides(piece->ndim, piece->extent, packed);
    to += planner->places[piece->receiver];
    planner->places[piece->receiver] += piece->size;
    return mnp__boxes_add(&mover->store, piece->ndim, piece->extent, piece->src, piece->src_strides, to, packed);
}

static mnp_status add_sent(void *argument, const mnp__piece *piece)
{
    struct planner *planner = argument;
    mnp__mover *mover = planner->mover;
    int64_t packed[MNP_MAX_DIMS], bytes = piece->size * (int64_t)mover->element;
    const int peer = peer_of(planner, piece->receiver);
    if (mnp__peers_find(planner->peers, piece->receiver) >= 0)
        mover->facts.peer_bytes += bytes;
    else
        mover->facts.other_bytes += bytes;
    if (peer >= 0)
        return add_store(planner, peer, piece);
    if (mover->nsends == 0 || planner->sends[mover->nsends - 1].peer != piece->receiver)
        planner->sends[mover->nsends++] = (mnp__message){.peer = piece->receiver};
    planner->sends[mover->nsends - 1].bytes += (size_t)bytes;
    int64_t to = planner->outgoing;
    planner->outgoing += piece->size;
    mnp__dense_strides(piece->ndim, piece->extent, packed);
    return mnp__boxes_add(&mover->pack, piece->ndim, piece->extent, piece->src, piece->src_strides, to, packed);
}

/* ---- messages ---- */

/* The messages that come, one after the other in the order of the ranks; gives their elements. */
static int64_t place_messages(struct planner *planner)
{
    mnp__mover *mover = planner->mover;
    int64_t total = 0;
    for (int rank = 0; rank < mover->ctx->comm.size; rank++) {
        int64_t elements = planner->incoming[rank];
        if (peer_of(planner, rank) >= 0)
            continue;
        planner->incoming[rank] = total;
        total += elements;
        if (elements > 0)
            planner->recvs[mover->nrecvs++] = (mnp__message){.peer = rank, .bytes = (size_t)elements * mover->element};
    }
    return total;
}

/* Give the messages their places in one buffer. */
static mnp_status allocate_messages(mnp__mover *mover, int64_t elements, int number, mnp__message *messages,
                                    void **buffer_p)
{
    mnp__device *device = mover->ctx->device;
    size_t bytes = (size_t)elements * mover->element;
    MNP_TRY(device->ops->alloc(device, bytes, buffer_p));
    mover->facts.buffers += (int64_t)bytes;
    char *at = *buffer_p;
    for (int i = 0; i < number; i++) {
        messages[i].data = at;
        at += messages[i].bytes;
    }
    return MNP_OK;
}

/* ---- all of it ---- */

static void note_facts(mnp__mover *mover)
{
    const mnp__boxes *lists[] = {&mover->local, &mover->pack, &mover->unpack, &mover->store, &mover->fetch};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        mover->facts.launches += lists[i]->count > 0;
        mover->facts.memory += lists[i]->count * (int64_t)sizeof *lists[i]->host;
    }
    if (mover->p2p) /* one for both, also where it only waits for those who write here */
        mover->facts.launches += (mover->local.count + mover->store.count + mover->nwriters > 0) -
                                 (mover->local.count > 0) - (mover->store.count > 0);
    mover->facts.receivers = mover->ntargets + mover->nsends;
    mover->facts.own_bytes = mover->local.total * (int64_t)mover->element;
    mover->facts.buffers += (int64_t)mover->staging_bytes;
    mover->facts.memory += mover->facts.buffers;
}

/* What can fail on one rank alone. */
static mnp_status make_lists(struct planner *planner)
{
    mnp__mover *mover = planner->mover;
    mnp_ctx *ctx = mover->ctx;
    mnp__boxes *lists[LISTS];
    int64_t elements = place_messages(planner);
    list_boxes(mover, lists);
    MNP_TRY(mnp__pieces_wanted(&planner->spec, ctx->comm.rank, add_wanted, planner));
    MNP_TRY(mnp__pieces_sent(&planner->spec, ctx->comm.rank, add_sent, planner));
    for (int i = 0; i < LISTS; i++)
        MNP_TRY(mnp__boxes_commit(ctx, lists[i]));
    if (planner->spec.in_slabs)
        MNP_TRY(mnp__mover_plan_slabs(mover, &planner->spec));
    MNP_TRY(allocate_messages(mover, elements, mover->nrecvs, planner->recvs, &mover->recv));
    MNP_TRY(allocate_messages(mover, planner->outgoing, mover->nsends, planner->sends, &mover->send));
    mover->facts.messages = mover->nsends;
    return mnp__exchange_new(&ctx->comm, mover->nsends, planner->sends, mover->nrecvs, planner->recvs,
                             &mover->exchange);
}

/* On GPUs, where anything goes through the heap. */
static mnp_status make_p2p(struct planner *planner)
{
    mnp__mover *mover = planner->mover;
    const bool in_slabs = planner->spec.in_slabs;
    const mnp__p2p_boxes_spec spec = {.dtype = planner->moving,
                                      .store = in_slabs ? &mover->nothing : &mover->store,
                                      .local = in_slabs ? &mover->nothing : &mover->local,
                                      .ntargets = mover->ntargets,
                                      .targets = mover->targets,
                                      .first_units = in_slabs ? NULL : planner->first_units,
                                      .nwriters = mover->nwriters,
                                      .writers = mover->writers};
    if (mover->facts.path == MNP__BY_MESSAGES || !mnp__p2p_boxes_is_possible(mover->ctx))
        return MNP_OK;
    return mnp__p2p_boxes_new(mover->ctx, &spec, &mover->p2p);
}

mnp_status mnp__mover_new(mnp_ctx *ctx, const mnp__move_spec *spec, mnp__mover **mover_p)
{
    const mnp_dtype moving = mnp__moving_dtype(spec->dtype);
    struct planner planner = {.spec = *spec, .moving = moving, .peers = ctx->comm.peers};
    int64_t dense[MNP_MAX_DIMS], shape[MNP_MAX_DIMS];
    mnp__kernel *kernel;
    mnp_status st;
    MNP_TRY(mnp__copy_kernel(ctx, moving, moving, &kernel));
    if (!spec->strides) {
        mnp_layout_local_shape(spec->layout, ctx->comm.rank, shape);
        mnp__dense_strides(spec->layout->ndim, shape, dense);
        planner.spec.strides = dense;
    }
    MNP_TRY_OR(MNP_AGREE(ctx, count(&planner, ctx, kernel)), st, done);
    MNP_TRY_OR(settle(&planner), st, done);
    MNP_TRY_OR(MNP_AGREE(ctx, make_lists(&planner)), st, done);
    MNP_TRY_OR(make_p2p(&planner), st, done);
    note_facts(planner.mover);
    *mover_p = planner.mover;
done:
    free(planner.incoming);
    free(planner.places);
    free(planner.first_units);
    free(planner.sends);
    free(planner.recvs);
    if (st != MNP_OK)
        mnp__mover_free(planner.mover);
    return st;
}

void mnp__mover_free(mnp__mover *mover)
{
    if (!mover)
        return;
    mnp_ctx *ctx = mover->ctx;
    mnp__boxes *lists[LISTS];
    mnp__exchange_free(mover->exchange);
    list_boxes(mover, lists);
    for (int i = 0; i < LISTS; i++)
        mnp__boxes_free(ctx, lists[i]);
    mnp__mover_free_slabs(mover);
    ctx->device->ops->free(ctx->device, mover->send);
    ctx->device->ops->free(ctx->device, mover->recv);
    mnp__signals_free(mover->signals);
    mnp__p2p_boxes_free(mover->p2p);
    mnp__heap_free(ctx->comm.heap, mover->staging);
    free(mover->targets);
    free(mover->writers);
    free(mover);
}
