/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plans: what they were made for, running them, and describing them.
 */
#include "array/move/plan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "array/move/mover.h"
#include "array/output.h"
#include "base/hash.h"
#include "base/integer.h"
#include "base/text.h"
#include "layout/layout.h"

/*
 * How the blocks of an array lie in memory: densely, with the dimensions in an order that is the same on all ranks, the
 * slowest first; or, where it is not known to be so, with strides that only this rank knows.
 */
struct storage {
    bool known;
    int order[MNP_MAX_DIMS];
    int64_t strides[MNP_MAX_DIMS]; /* of this rank's block, in elements */
};

struct mnp_plan {
    unsigned tag; /* MNP__TAG_plan: see base/call.h */
    mnp_ctx *ctx;
    mnp_dtype dtype; /* of the arrays that it was made for */
    mnp_layout *from, *to;
    struct storage source, target;
    bool direct; /* the target lies at the same place of the heap on all ranks */
    bool wide;   /* the target's margins are filled too, which have these widths */
    int64_t before[MNP_MAX_DIMS], after[MNP_MAX_DIMS];
    mnp__mover *mover;
    int64_t own, node, far; /* bytes of all ranks; see mnp_plan_info */
};

/* ---- storage ---- */

static bool is_known(const mnp_array *array)
{
    return array->dense & (MNP__DENSE_C | MNP__DENSE_F | MNP__DENSE_ORDER);
}

/* The storage of an array whose blocks have margins around them, as mnp_array_new_margins() makes it. */
static struct storage storage_with_margins(const mnp_array *array)
{
    struct storage storage = {.known = true};
    memcpy(storage.order, array->layout->order, sizeof storage.order);
    return storage;
}

static struct storage storage_of(const mnp_array *array)
{
    const int ndim = array->layout->ndim;
    struct storage storage = {.known = is_known(array)};
    memcpy(storage.strides, array->local_strides, (size_t)ndim * sizeof *storage.strides);
    for (int d = 0; d < ndim; d++)
        storage.order[d] = array->dense & MNP__DENSE_C   ? d
                           : array->dense & MNP__DENSE_F ? ndim - 1 - d
                                                         : array->layout->order[d];
    return storage;
}

/* Whether they are alike as far as all ranks know; and on this rank. */
static bool same_storage(const struct storage *a, const struct storage *b, int ndim)
{
    return a->known == b->known && (!a->known || memcmp(a->order, b->order, (size_t)ndim * sizeof *a->order) == 0);
}

static bool same_here(const struct storage *a, const struct storage *b, int ndim)
{
    return a->known || memcmp(a->strides, b->strides, (size_t)ndim * sizeof *a->strides) == 0;
}

/* Strides of a dense block of that extent in that order. */
static void strides_in_order(int ndim, const int64_t *extent, const int *order, int64_t *strides)
{
    int64_t stride = 1;
    for (int i = ndim - 1; i >= 0; i--) {
        strides[order[i]] = stride;
        stride *= extent[order[i]];
    }
}

/* ---- destinations ---- */

bool mnp__target_is_direct(const mnp_array *to)
{
    return is_known(to) && (to->dense & MNP__DENSE_WHOLE) && to->buffer->shared;
}

void *mnp__target_memory(const mnp_array *to)
{
    /* where this rank's block is empty it has no first element, but peers still count from the buffer's beginning */
    return mnp__target_is_direct(to) ? to->buffer->data : to->data;
}

void mnp__target_strides(const mnp_array *to, const int64_t *extent, int64_t *strides)
{
    const struct storage storage = storage_of(to);
    if (storage.known)
        strides_in_order(to->layout->ndim, extent, storage.order, strides);
    else
        memcpy(strides, storage.strides, (size_t)to->layout->ndim * sizeof *strides);
}

/* ---- making ---- */

/* Every rank wants its block of the new layout with what lies beside it, as far as the array reaches. */
static int wanted_wide_block(const void *argument, int rank, mnp__want *wants)
{
    const mnp_plan *plan = argument;
    const mnp_layout *layout = plan->to;
    mnp__want *want = &wants[0];
    int64_t lo[MNP_MAX_DIMS], extent[MNP_MAX_DIMS], memory[MNP_MAX_DIMS];
    if (!mnp__layout_box(layout, rank, lo, extent))
        return 0;
    for (int d = 0; d < layout->ndim; d++)
        memory[d] = plan->before[d] + extent[d] + plan->after[d];
    strides_in_order(layout->ndim, memory, plan->target.order, want->strides);
    for (int d = 0; d < layout->ndim; d++) {
        int64_t below = mnp__min(lo[d], plan->before[d]);
        int64_t left = layout->shape[d] - lo[d] - extent[d], above = mnp__min(left, plan->after[d]);
        want->lo[d] = lo[d] - below;
        want->extent[d] = below + extent[d] + above;
        want->offset += (plan->before[d] - below) * want->strides[d];
    }
    return 1;
}

/* Every rank wants its block of the new layout. */
static int wanted_block(const void *argument, int rank, mnp__want *wants)
{
    const mnp_plan *plan = argument;
    const mnp_layout *layout = plan->to;
    int64_t lo[MNP_MAX_DIMS], extent[MNP_MAX_DIMS];
    if (!mnp__layout_box(layout, rank, lo, extent))
        return 0;
    for (int d = 0; d < layout->ndim; d++) {
        mnp__part_runs runs = mnp__layout_runs(layout, d, mnp__layout_part(layout, d, rank));
        wants[0].lo[d] = runs.first;
        wants[0].extent[d] = runs.count;
        wants[0].length[d] = runs.length;
        wants[0].period[d] = runs.period;
    }
    if (plan->target.known)
        strides_in_order(layout->ndim, wants[0].extent, plan->target.order, wants[0].strides);
    else
        memcpy(wants[0].strides, plan->target.strides, sizeof wants[0].strides); /* this rank's, which writes there */
    return 1;
}

static bool is_direct(const mnp_array *to, bool wide)
{
    return wide ? to->buffer->shared : mnp__target_is_direct(to);
}

static mnp_status describe(const mnp_array *from, const mnp_array *to, bool wide, mnp_plan **plan_p)
{
    mnp_plan *plan;
    MNP_TRY(mnp__calloc(1, sizeof *plan, &plan));
    plan->tag = MNP__TAG_plan;
    plan->ctx = from->ctx;
    plan->dtype = from->dtype;
    plan->from = mnp_layout_retain(from->layout);
    plan->to = mnp_layout_retain(to->layout);
    plan->source = storage_of(from);
    plan->target = wide ? storage_with_margins(to) : storage_of(to);
    plan->direct = is_direct(to, wide);
    plan->wide = wide;
    memcpy(plan->before, to->before, sizeof plan->before);
    memcpy(plan->after, to->after, sizeof plan->after);
    *plan_p = plan;
    return MNP_OK;
}

mnp_status mnp__plan_new(const mnp_array *from, const mnp_array *to, bool wide, mnp_plan **plan_p)
{
    mnp_ctx *ctx = from->ctx;
    mnp_plan *plan = NULL;
    mnp_status st = MNP_AGREE(ctx, describe(from, to, wide, &plan));
    if (st == MNP_OK) {
        const mnp__move_spec spec = {.dtype = plan->dtype,
                                     .layout = plan->from,
                                     .strides = plan->source.strides,
                                     .wants = wide ? wanted_wide_block : wanted_block,
                                     .argument = plan,
                                     .direct = plan->direct};
        st = mnp__mover_new(ctx, &spec, &plan->mover);
    }
    if (st == MNP_OK)
        *plan_p = plan;
    else
        mnp__plan_release(plan);
    return st;
}

void mnp__plan_release(mnp_plan *plan)
{
    if (!plan)
        return;
    mnp__mover_free(plan->mover);
    mnp_layout_free(plan->from);
    mnp_layout_free(plan->to);
    mnp__object_free(plan);
}

/* ---- using ---- */

bool mnp__plan_is_known(const mnp_array *from, const mnp_array *to, bool wide)
{
    return is_known(from) && (wide || is_known(to));
}

static bool same_margins(const mnp_plan *plan, const mnp_array *to)
{
    const size_t size = (size_t)to->layout->ndim * sizeof *to->before;
    return memcmp(plan->before, to->before, size) == 0 && memcmp(plan->after, to->after, size) == 0;
}

bool mnp__plan_fits(const mnp_plan *plan, const mnp_array *from, const mnp_array *to, bool wide)
{
    const struct storage source = storage_of(from), target = wide ? storage_with_margins(to) : storage_of(to);
    return plan->wide == wide && (!wide || same_margins(plan, to)) &&
           mnp_dtype_size(plan->dtype) == mnp_dtype_size(from->dtype) && plan->direct == is_direct(to, wide) &&
           same_storage(&plan->source, &source, plan->from->ndim) &&
           same_storage(&plan->target, &target, plan->from->ndim) && mnp_layout_equal(plan->from, from->layout) &&
           mnp_layout_equal(plan->to, to->layout);
}

bool mnp__plan_fits_here(const mnp_plan *plan, const mnp_array *from, const mnp_array *to)
{
    const struct storage source = storage_of(from), target = storage_of(to);
    return same_here(&plan->source, &source, plan->from->ndim) &&
           (plan->wide || same_here(&plan->target, &target, plan->from->ndim));
}

mnp_status mnp__plan_move(mnp_plan *plan, const mnp_array *from, mnp_array *to)
{
    return mnp__mover_run(plan->mover, from->data, plan->wide ? to->buffer->data : mnp__target_memory(to));
}

int64_t mnp__plan_memory(const mnp_plan *plan)
{
    return mnp__mover_describe(plan->mover).memory;
}

/* ---- the public side ---- */

/* Sum what the ranks do. */
static mnp_status sum_up(mnp_plan *plan)
{
    const mnp__mover_facts facts = mnp__mover_describe(plan->mover);
    int64_t bytes[] = {facts.own_bytes, facts.peer_bytes, facts.other_bytes};
    MNP_TRY(mnp__all_reduce(&plan->ctx->comm, bytes, 3, MPI_INT64_T, MPI_SUM));
    plan->own = bytes[0];
    plan->node = bytes[1];
    plan->far = bytes[2];
    return MNP_OK;
}

mnp_status mnp_plan_new(const mnp_array *like, const mnp_layout *layout, mnp_plan **plan_p)
{
    MNP_ENTER(like, layout, plan_p);
    mnp_ctx *ctx = like->ctx;
    mnp_array *result = NULL; /* such as a run of the plan will have */
    mnp_plan *plan = NULL;
    MNP_TRY(mnp__redistribute_check("mnp_plan_new", like, layout));
    MNP_TRY(mnp__check_same(&ctx->comm, "mnp_plan_new", mnp__layout_hash(layout)));
    MNP_TRY(mnp_array_new(ctx, like->dtype, layout, &result));
    mnp_status st = mnp__plan_new(like, result, false, &plan);
    mnp_array_free(result);
    if (st == MNP_OK)
        st = sum_up(plan);
    if (st == MNP_OK) {
        mnp__ctx_made(ctx, plan);
        *plan_p = plan;
    } else {
        mnp__plan_release(plan);
    }
    return st;
}

/* What all ranks find alike. */
static mnp_status check_array(const mnp_plan *plan, const char *name, const mnp_array *array, bool is_source)
{
    const struct storage storage = storage_of(array);
    const mnp_layout *layout = is_source ? plan->from : plan->to;
    MNP_TRY(mnp__array_refuse_scalar("mnp_plan_run", array));
    if (array->ctx != plan->ctx)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_plan_run: %s belongs to another context", name);
    if (array->dtype != plan->dtype)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_plan_run: %s is %s, and the plan is for %s", name,
                        mnp_dtype_name(array->dtype), mnp_dtype_name(plan->dtype));
    if (!mnp_layout_equal(array->layout, layout))
        return MNP_FAIL(MNP_ERR_ARG, "mnp_plan_run: %s has another shape or layout than the plan was made for", name);
    if (!same_storage(is_source ? &plan->source : &plan->target, &storage, layout->ndim) ||
        (!is_source && mnp__target_is_direct(array) != plan->direct))
        return MNP_FAIL(MNP_ERR_ARG,
                        "mnp_plan_run: the elements of %s lie in another order in memory than the plan "
                        "was made for",
                        name);
    return MNP_OK;
}

/* Where only this rank knows how a view lies in memory, the ranks agree. */
static mnp_status check_view(const mnp_plan *plan, const mnp_array *x)
{
    const struct storage storage = storage_of(x);
    mnp_status st = MNP_OK;
    if (plan->source.known)
        return MNP_OK;
    if (!same_here(&plan->source, &storage, plan->from->ndim))
        st = MNP_FAIL(MNP_ERR_ARG, "mnp_plan_run: x is a view with other strides than the plan was made for");
    return MNP_AGREE(plan->ctx, st);
}

mnp_status mnp_plan_run(mnp_plan *plan, const mnp_array *x, mnp_array **y_p)
{
    MNP_ENTER(plan, x, y_p);
    mnp_array *y = *y_p;
    MNP_TRY(check_array(plan, "x", x, true));
    if (y) {
        MNP_TRY(check_array(plan, "y", y, false));
        if (y->buffer == x->buffer)
            return MNP_FAIL(MNP_ERR_ARG, "mnp_plan_run: x and y share memory");
    }
    MNP_TRY(check_view(plan, x));
    if (!y)
        MNP_TRY(mnp_array_new(plan->ctx, plan->dtype, plan->to, &y));
    return mnp__output_give(y, mnp__plan_move(plan, x, y), y_p);
}

static const char *message_method(const mnp_plan *plan)
{
    switch (plan->ctx->comm.transport) {
    case MNP_TRANSPORT_NCCL:
        return "NCCL";
    case MNP_TRANSPORT_STAGED:
        return "MPI, staged through the host";
    default:
        return "MPI";
    }
}

void mnp_plan_describe(const mnp_plan *plan, mnp_plan_info *info)
{
    MNP_NEED_OR(, plan);
    MNP_NEED_OR(, info);
    const mnp__mover_facts facts = mnp__mover_describe(plan->mover);
    const char *node = facts.path == MNP__BY_STORES    ? "stores into the neighbours' memory"
                       : facts.path == MNP__BY_STAGING ? "through the heap"
                                                       : message_method(plan);
    *info = (mnp_plan_info){.own_bytes = facts.own_bytes,
                            .node_bytes = facts.peer_bytes,
                            .far_bytes = facts.other_bytes,
                            .all_own_bytes = plan->own,
                            .all_node_bytes = plan->node,
                            .all_far_bytes = plan->far,
                            .node_method = plan->node > 0 ? node : "nothing",
                            .far_method = plan->far > 0 ? message_method(plan) : "nothing",
                            .memory = facts.memory,
                            .launches = facts.launches,
                            .messages = facts.messages};
}

static void print_bytes(FILE *file, const char *what, int64_t bytes, const char *method)
{
    fprintf(file, "%s %" PRId64 "%s%s\n", what, bytes, bytes > 0 ? ": " : "", bytes > 0 ? method : "");
}

void mnp_plan_print(const mnp_plan *plan, FILE *file)
{
    MNP_NEED_OR(, plan);
    MNP_NEED_OR(, file);
    mnp__text shape = MNP__TEXT_EMPTY;
    mnp_plan_info info;
    if (plan->ctx->comm.rank != 0)
        return;
    mnp_plan_describe(plan, &info);
    mnp__text_add_shape(&shape, plan->from->ndim, plan->from->shape);
    fprintf(file, "redistribution of %s %s over %d ranks\n", mnp_dtype_name(plan->dtype), mnp__text_string(&shape),
            plan->ctx->comm.size);
    fprintf(file, "  bytes copied within ranks:  %" PRId64 "\n", info.all_own_bytes);
    print_bytes(file, "  bytes within nodes:        ", info.all_node_bytes, info.node_method);
    print_bytes(file, "  bytes between nodes:       ", info.all_far_bytes, info.far_method);
    fprintf(file, "  rank 0: keeps %" PRId64 " bytes, launches %d kernels, sends %d messages\n", info.memory,
            info.launches, info.messages);
    mnp__text_free(&shape);
}

void mnp_plan_free(mnp_plan *plan)
{
    if (!plan)
        return;
    MNP_ENTER_NAME();
    MNP_NEED_OR(, plan);
    mnp__ctx_gone(plan->ctx, plan);
    mnp__ctx_drain(plan->ctx);
    mnp__plan_release(plan);
}
