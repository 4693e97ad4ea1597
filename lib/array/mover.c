/*
 * Planning and running the mover.
 *
 * Every dimension of a wanted box is cut into segments that come from one part each (layout/segments.c); their products
 * are pieces that come from one rank each.  The receiver and the sender of a message list the same pieces in the same
 * order, so that messages need no headers.  Planning costs time in proportion to the ranks, and memory to this rank's
 * pieces.
 */
#include "array/mover.h"

#include <stdlib.h>
#include <string.h>

#include "array/array.h"
#include "array/boxes.h"

struct mnp__mover {
    mnp_ctx *ctx;
    mnp_layout *layout;
    int64_t strides[MNP_MAX_DIMS]; /* of this rank's block */
    size_t element;
    mnp__kernel *kernel;
    mnp__boxes local, pack, unpack, fill; /* block to dst; block to send; recv to dst; value to dst */
    void *send, *recv;                    /* device memory: messages one after the other */
    mnp__exchange *exchange;
    int nrecvs;
};

/* A piece of a wanted box: from one rank (or MNP__FILL), strided in both memories. */
struct piece {
    int source;
    int64_t extent[MNP_MAX_DIMS], size;
    int64_t src, src_strides[MNP_MAX_DIMS]; /* in this rank's block, if it is the source; may be negative or 0 */
    int64_t dst, dst_strides[MNP_MAX_DIMS];
};

typedef mnp_status (*visitor)(void *argument, const struct piece *piece);

struct segments {
    mnp__segment *of[MNP_MAX_DIMS];
    int count[MNP_MAX_DIMS];
};

static void free_segments(struct segments *segments)
{
    for (int d = 0; d < MNP_MAX_DIMS; d++)
        free(segments->of[d]);
}

/* The piece that takes segment choice[d] of each dimension d. */
static void make_piece(const mnp__mover *mover, const mnp__want *want, int receiver, const struct segments *segments,
                       const int *choice, struct piece *piece)
{
    const mnp_layout *layout = mover->layout;
    int parts[MNP_MAX_DIMS];
    bool fill = false;
    piece->size = 1;
    piece->src = 0;
    piece->dst = want->offset;
    for (int d = layout->ndim - 1; d >= 0; d--) {
        const mnp__segment *segment = &segments->of[d][choice[d]];
        piece->extent[d] = segment->count;
        piece->size *= segment->count;
        piece->dst += (segment->lo - want->lo[d]) * want->strides[d];
        piece->dst_strides[d] = want->strides[d];
        parts[d] = segment->part;
        if (segment->part == MNP__FILL) {
            fill = true;
            continue;
        }
        piece->src += segment->first * mover->strides[d];
        piece->src_strides[d] = segment->step * mover->strides[d];
    }
    piece->source = fill ? MNP__FILL : mnp__layout_source(layout, parts, receiver);
    if (fill)
        memset(piece->src_strides, 0, sizeof piece->src_strides);
}

static mnp_status visit_want(const mnp__mover *mover, const mnp_boundary *boundaries, const mnp__want *want,
                             int receiver, visitor visit, void *argument)
{
    const mnp_layout *layout = mover->layout;
    struct segments segments = {{NULL}, {0}};
    int choice[MNP_MAX_DIMS] = {0};
    mnp_status st = MNP_OK;
    bool empty = false;
    for (int d = 0; d < layout->ndim; d++) {
        MNP_TRY_OR(mnp__layout_segments(layout, d, boundaries[d], want->lo[d], want->lo[d] + want->extent[d],
                                        &segments.of[d], &segments.count[d]), st, done);
        empty = empty || segments.count[d] == 0;
    }
    while (!empty) {
        struct piece piece;
        int d = layout->ndim - 1;
        make_piece(mover, want, receiver, &segments, choice, &piece);
        MNP_TRY_OR(visit(argument, &piece), st, done);
        for (; d >= 0 && ++choice[d] == segments.count[d]; d--)
            choice[d] = 0;
        empty = d < 0;
    }
done:
    free_segments(&segments);
    return st;
}

/* What planning needs besides the mover itself. */
struct planner {
    mnp__mover *mover;
    const mnp_boundary *boundaries;
    mnp__wants wants;
    const void *argument;
    int receiver;
    int64_t *incoming; /* elements from each rank; then where the next piece of its message goes */
    int64_t outgoing;  /* elements of all messages so far */
};

static mnp_status visit_receiver(struct planner *planner, int receiver, visitor visit)
{
    mnp__want wants[MNP__MAX_WANTS];
    int count = planner->wants(planner->argument, receiver, wants);
    planner->receiver = receiver;
    for (int i = 0; i < count; i++)
        MNP_TRY(visit_want(planner->mover, planner->boundaries, &wants[i], receiver, visit, planner));
    return MNP_OK;
}

static mnp_status count_incoming(void *argument, const struct piece *piece)
{
    struct planner *planner = argument;
    if (piece->source != MNP__FILL && piece->source != planner->receiver)
        planner->incoming[piece->source] += piece->size;
    return MNP_OK;
}

static mnp_status add_own(void *argument, const struct piece *piece)
{
    struct planner *planner = argument;
    mnp__mover *mover = planner->mover;
    int ndim = mover->layout->ndim;
    int64_t packed[MNP_MAX_DIMS];
    if (piece->source == MNP__FILL)
        return mnp__boxes_add(&mover->fill, ndim, piece->extent, 0, piece->src_strides, piece->dst, piece->dst_strides);
    if (piece->source == planner->receiver)
        return mnp__boxes_add(&mover->local, ndim, piece->extent, piece->src, piece->src_strides, piece->dst,
                              piece->dst_strides);
    mnp__dense_strides(ndim, piece->extent, packed);
    int64_t from = planner->incoming[piece->source];
    planner->incoming[piece->source] += piece->size;
    return mnp__boxes_add(&mover->unpack, ndim, piece->extent, from, packed, piece->dst, piece->dst_strides);
}

static mnp_status add_outgoing(void *argument, const struct piece *piece)
{
    struct planner *planner = argument;
    mnp__mover *mover = planner->mover;
    int64_t packed[MNP_MAX_DIMS];
    if (piece->source != mover->ctx->comm.rank)
        return MNP_OK;
    mnp__dense_strides(mover->layout->ndim, piece->extent, packed);
    int64_t to = planner->outgoing;
    planner->outgoing += piece->size;
    return mnp__boxes_add(&mover->pack, mover->layout->ndim, piece->extent, piece->src, piece->src_strides, to, packed);
}

/* Turn per-rank counts into offsets; messages lie in the order of the ranks.  Gives their number. */
static int place_messages(int nranks, int64_t *counts, size_t element, mnp__message *messages, int64_t *total_p)
{
    int nmessages = 0;
    int64_t total = 0;
    for (int rank = 0; rank < nranks; rank++) {
        int64_t count = counts[rank];
        counts[rank] = total;
        if (count > 0)
            messages[nmessages++] = (mnp__message){.peer = rank, .bytes = (size_t)count * element};
        total += count;
    }
    *total_p = total;
    return nmessages;
}

/* Give the messages their places in one buffer. */
static mnp_status allocate_messages(mnp__mover *mover, int64_t elements, int count, mnp__message *messages, void **buffer_p)
{
    mnp_ctx *ctx = mover->ctx;
    MNP_TRY(ctx->device->ops->alloc(ctx->device, (size_t)elements * mover->element, buffer_p));
    char *at = *buffer_p;
    for (int i = 0; i < count; i++) {
        messages[i].data = at;
        at += messages[i].bytes;
    }
    return MNP_OK;
}

static mnp_status plan_receives(struct planner *planner, mnp__message *recvs)
{
    mnp__mover *mover = planner->mover;
    int64_t total;
    MNP_TRY(visit_receiver(planner, mover->ctx->comm.rank, count_incoming));
    mover->nrecvs = place_messages(mover->ctx->comm.size, planner->incoming, mover->element, recvs, &total);
    MNP_TRY(visit_receiver(planner, mover->ctx->comm.rank, add_own));
    return allocate_messages(mover, total, mover->nrecvs, recvs, &mover->recv);
}

static mnp_status plan_sends(struct planner *planner, mnp__message *sends, int *nsends_p)
{
    mnp__mover *mover = planner->mover;
    int nsends = 0;
    for (int rank = 0; rank < mover->ctx->comm.size; rank++) {
        int64_t before = planner->outgoing;
        if (rank == mover->ctx->comm.rank)
            continue;
        MNP_TRY(visit_receiver(planner, rank, add_outgoing));
        if (planner->outgoing > before)
            sends[nsends++] =
                (mnp__message){.peer = rank, .bytes = (size_t)(planner->outgoing - before) * mover->element};
    }
    *nsends_p = nsends;
    return allocate_messages(mover, planner->outgoing, nsends, sends, &mover->send);
}

static mnp_status plan(mnp__mover *mover, const mnp_boundary *boundaries, mnp__wants wants, const void *argument)
{
    mnp_ctx *ctx = mover->ctx;
    size_t nranks = (size_t)ctx->comm.size;
    struct planner planner = {.mover = mover, .boundaries = boundaries, .wants = wants, .argument = argument};
    mnp__message *sends = NULL, *recvs = NULL;
    int nsends = 0;
    mnp_status st;
    MNP_TRY_OR(mnp__calloc(nranks, sizeof *sends, &sends), st, done);
    MNP_TRY_OR(mnp__calloc(nranks, sizeof *recvs, &recvs), st, done);
    MNP_TRY_OR(mnp__calloc(nranks, sizeof *planner.incoming, &planner.incoming), st, done);
    MNP_TRY_OR(plan_receives(&planner, recvs), st, done);
    MNP_TRY_OR(plan_sends(&planner, sends, &nsends), st, done);
    MNP_TRY_OR(mnp__boxes_commit(ctx, &mover->local), st, done);
    MNP_TRY_OR(mnp__boxes_commit(ctx, &mover->pack), st, done);
    MNP_TRY_OR(mnp__boxes_commit(ctx, &mover->unpack), st, done);
    MNP_TRY_OR(mnp__boxes_commit(ctx, &mover->fill), st, done);
    st = mnp__exchange_new(&ctx->comm, nsends, sends, mover->nrecvs, recvs, &mover->exchange);
done:
    free(sends);
    free(recvs);
    free(planner.incoming);
    return st;
}

static void set_strides(mnp__mover *mover, const int64_t *strides)
{
    int64_t lo[MNP_MAX_DIMS], extent[MNP_MAX_DIMS];
    if (strides) {
        memcpy(mover->strides, strides, (size_t)mover->layout->ndim * sizeof *strides);
    } else {
        mnp_layout_box(mover->layout, mover->ctx->comm.rank, lo, extent);
        mnp__dense_strides(mover->layout->ndim, extent, mover->strides);
    }
}

mnp_status mnp__mover_new(mnp_ctx *ctx, mnp_dtype dtype, const mnp_layout *layout, const int64_t *strides,
                          const mnp_boundary *boundaries, mnp__wants wants, const void *argument, mnp__mover **mover_p)
{
    mnp__mover *mover = NULL;
    mnp__kernel *kernel;
    mnp_dtype moving = mnp__moving_dtype(dtype);
    MNP_TRY(mnp__copy_kernel(ctx, moving, moving, &kernel));
    mnp_status st = mnp__calloc(1, sizeof *mover, &mover);
    if (st == MNP_OK) {
        mover->ctx = ctx;
        mover->layout = mnp_layout_retain(layout);
        set_strides(mover, strides);
        mover->element = mnp_dtype_size(dtype);
        mover->kernel = kernel;
        st = plan(mover, boundaries, wants, argument);
    }
    st = MNP_AGREE(ctx, st);
    if (st == MNP_OK)
        *mover_p = mover;
    else
        mnp__mover_free(mover);
    return st;
}

bool mnp__mover_receives(const mnp__mover *mover)
{
    return mover->nrecvs > 0;
}

mnp_status mnp__mover_fill(mnp__mover *mover, void *dst, const void *value)
{
    mnp_ctx *ctx = mover->ctx;
    return mnp__boxes_fill(ctx, mover->kernel, &mover->fill, value, mover->element, dst, ctx->compute);
}

mnp_status mnp__mover_begin(mnp__mover *mover, const void *src, void *dst)
{
    mnp_ctx *ctx = mover->ctx;
    MNP_TRY(mnp__ctx_order(ctx, ctx->compute, ctx->transfer));
    MNP_TRY(mnp__boxes_run(ctx, mover->kernel, &mover->pack, src, mover->send, ctx->transfer));
    MNP_TRY(mnp__exchange_begin(mover->exchange, ctx->transfer));
    return mnp__boxes_run(ctx, mover->kernel, &mover->local, src, dst, ctx->compute); /* beside what travels */
}

bool mnp__mover_needs_help(const mnp__mover *mover)
{
    return mnp__exchange_needs_help(mover->exchange);
}

mnp_status mnp__mover_help(mnp__mover *mover)
{
    return mnp__exchange_help(mover->exchange);
}

mnp_status mnp__mover_finish(mnp__mover *mover, void *dst)
{
    mnp_ctx *ctx = mover->ctx;
    MNP_TRY(mnp__exchange_finish(mover->exchange, ctx->transfer));
    MNP_TRY(mnp__boxes_run(ctx, mover->kernel, &mover->unpack, mover->recv, dst, ctx->transfer));
    return mnp__ctx_order(ctx, ctx->transfer, ctx->compute);
}

mnp_status mnp__mover_move(mnp__mover *mover, const void *src, void *dst)
{
    mnp_ctx *ctx = mover->ctx;
    mnp_status st = mnp__mover_begin(mover, src, dst);
    if (st == MNP_OK)
        st = mnp__mover_finish(mover, dst);
    if (st == MNP_OK)
        st = mnp__ctx_wait(ctx, ctx->compute);
    return MNP_AGREE(ctx, st);
}

void mnp__mover_free(mnp__mover *mover)
{
    if (!mover)
        return;
    mnp_ctx *ctx = mover->ctx;
    bool through = mnp__exchange_free(mover->exchange);
    mnp__boxes_free(ctx, &mover->local);
    mnp__boxes_free(ctx, &mover->pack);
    mnp__boxes_free(ctx, &mover->unpack);
    mnp__boxes_free(ctx, &mover->fill);
    if (through) {
        ctx->device->ops->free(ctx->device, mover->send);
        ctx->device->ops->free(ctx->device, mover->recv);
    }
    mnp_layout_free(mover->layout);
    free(mover);
}
