/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Planning a run of a reduction: from the operands' strides to the kernel that suits them and to its parameter.
 *
 * The kept and the reduced dimensions are simplified separately: those of extent 1 are dropped, the others are ordered
 * by the strides of the first input and joined where they can be.  Vectors then lie along the innermost reduced or the
 * innermost kept dimension; see kernels/reduction/reduce.cu.  Where there are few results, the elements of each are
 * divided into parts, so that many threads have work.  The number of parts depends on the extents alone.
 */
#include <stdlib.h>
#include <string.h>

#include "base/integer.h"
#include "base/nest.h"
#include "device/launch.h"
#include "layout/layout.h"
#include "ops/reduction/reduction_walk.h"

enum {
    SMALL = 1 << 14,      /* blocks of fewer elements share general kernels */
    HOST_SMALL = 1 << 12, /* the same on the host, where they take twice to four times as long */
    WIDE = 8, /* of fewer columns the general kernel of the host would gain nothing, and others gain by more of them */
    SHORT_ROW = 48,       /* rows of fewer elements do not get several sets on the host */
    SHORT_SEARCH = 64,    /* the same where the place of an extreme is searched */
    SHORT_COMPLEX = 24,   /* and where that is a complex number */
    SHORT_SUM = 24,       /* and where numbers of 8 bytes are added */
    SHORT_FLOAT_SUM = 16, /* and where those of 4 bytes are */
    NARROW = 4,           /* fewer columns do not get a row of sets on the host */
    HOST_PART = 1 << 16,  /* least elements of a part on the host */
    HOST_PARTS = 64,      /* most parts of all results together */
    HOST_LINE = 1024      /* columns that count as one result on the host */
};

/* ---- the dimensions ---- */

static int64_t input_stride(const mnp__reduction_work *work, int i, int d)
{
    const mnp_array *input = work->inputs[i];
    int own = d - (work->layout->ndim - input->layout->ndim);
    bool broadcast = mnp__array_is_scalar(input) || own < 0 || input->layout->shape[own] != work->layout->shape[d];
    return broadcast ? 0 : input->local_strides[own];
}

static void gather_bases(mnp__reduction_walk *w)
{
    const mnp__reduction_work *work = w->work;
    for (int i = 0; i < w->spec->ninputs; i++) {
        const mnp_array *input = work->inputs[i];
        w->base[i] = mnp__array_is_scalar(input) ? mnp__scalar_value(input)[0] : (uint64_t)(uintptr_t)input->data;
        w->base_more[i] = mnp__array_is_scalar(input) ? mnp__scalar_value(input)[1] : 0;
    }
    for (int o = 0; o < w->spec->noutputs; o++)
        w->base[w->counter + 1 + o] = (uint64_t)(uintptr_t)work->outputs[o]->data;
}

/* Begin with the first result that is wanted along a kept dimension; `result` is its place among those of results. */
static void move_bases(mnp__reduction_walk *w, int d, int result)
{
    const mnp__reduction_work *work = w->work;
    for (int i = 0; i < w->spec->ninputs; i++)
        w->base[i] +=
            (uint64_t)(work->from * input_stride(work, i, d) * (int64_t)mnp_dtype_size(work->inputs[i]->dtype));
    for (int o = 0; o < w->spec->noutputs; o++)
        w->base[w->counter + 1 + o] += (uint64_t)(work->from * work->outputs[o]->local_strides[result] *
                                                  (int64_t)mnp_dtype_size(work->outputs[o]->dtype));
}

/* Add a dimension inside the present ones, unless its extent is 1. */
static void add_dim(mnp__reduction_walk *w, int which, int64_t extent, int d, int result, int64_t index)
{
    mnp__nest *nest = &w->nests[which];
    if (extent == 1)
        return;
    for (int i = 0; i < w->spec->ninputs; i++)
        nest->stride[i][nest->ndim] = input_stride(w->work, i, d);
    nest->stride[w->counter][nest->ndim] = index;
    for (int o = 0; o < w->spec->noutputs; o++)
        nest->stride[w->counter + 1 + o][nest->ndim] =
            which == MNP__KEPT ? w->work->outputs[o]->local_strides[result] : 0;
    nest->stride[w->place][nest->ndim] = 0;
    nest->extent[nest->ndim++] = extent;
}

/*
 * Whether a reduced dimension, of which this rank has `local` indices, repeats the same elements, which then count so
 * often.  Strides are known of this rank's block alone, so this is only for results that no other rank has a part of.
 */
static bool repeats(const mnp__reduction_walk *w, int d, int64_t local)
{
    if (!w->spec->repeats || local <= 1 || mnp__is_shared(w->work->layout, w->work->axes))
        return false;
    for (int i = 0; i < w->spec->ninputs; i++) {
        if (input_stride(w->work, i, d) != 0)
            return false;
    }
    return true;
}

/* Gather the dimensions of this rank: kept extents are those of its block of results, even if it has no elements. */
static void gather(const mnp__reduction_work *work, mnp__reduction_walk *w)
{
    const mnp_layout *layout = work->layout;
    int rank = work->rank, kept = 0, dim_of[MNP_MAX_DIMS] = {0}; /* of a result's dimension: that of the nest, or -1 */
    int64_t lo[MNP_MAX_DIMS], extent[MNP_MAX_DIMS], at[MNP_MAX_DIMS], results[MNP_MAX_DIMS], flat = 1;
    memset(w->base, 0, sizeof w->base);
    memset(w->base_more, 0, sizeof w->base_more);
    w->work = work;
    w->spec = &work->reduction->spec;
    w->counter = w->spec->ninputs;
    w->place = w->counter + 1 + w->spec->noutputs;
    for (int which = MNP__KEPT; which <= MNP__REDUCED; which++)
        w->nests[which] = (mnp__nest){.count = w->place + 1, .stride = w->stride[which]};
    bool any = mnp__layout_box(layout, rank, lo, extent);
    bool owns = mnp__layout_box(work->result, rank, at, results);
    w->outputs = owns;
    w->elements = any;
    w->times = 1;
    gather_bases(w);
    for (int d = layout->ndim - 1; d >= 0; d--) { /* the indices count in C order */
        at[d] = 0;
        if (!(work->axes >> d & 1) || !w->spec->indices)
            continue;
        w->base[w->counter] += any ? (uint64_t)(lo[d] * flat) : 0;
        at[d] = flat;
        flat *= layout->shape[d];
    }
    for (int d = 0; d < layout->ndim; d++) {
        int which = work->axes >> d & 1 ? MNP__REDUCED : MNP__KEPT, result = work->keepdims ? d : kept;
        int64_t local = which == MNP__REDUCED ? (any ? extent[d] : 0) : owns ? results[result] : 0;
        if (d == work->cut) {
            move_bases(w, d, result);
            local = work->to - work->from;
        }
        if (work->repeated >> d & 1)
            local = mnp__min(local, 1);
        if (which == MNP__REDUCED && repeats(w, d, local)) {
            w->times *= local;
            local = 1;
        }
        *(which == MNP__REDUCED ? &w->elements : &w->outputs) *= local;
        if (which == MNP__KEPT || work->keepdims)
            dim_of[result] = which == MNP__KEPT && local != 1 ? w->nests[MNP__KEPT].ndim : -1;
        add_dim(w, which, local, d, result, at[d]);
        kept += which == MNP__KEPT;
    }
    int64_t place = 1;
    for (int i = work->result->ndim - 1; i >= 0; i--) { /* as results are stored, so that neighbours can be joined */
        const int d = dim_of[work->result->order[i]];
        if (d < 0)
            continue;
        w->stride[MNP__KEPT][w->place][d] = place;
        place *= w->nests[MNP__KEPT].extent[d];
    }
}

/*
 * Reverse dimensions along which the first input has a negative stride, but not reduced ones if indices are needed,
 * unless there is one and `may_fall`.  Returns the place of the first result.
 */
static int64_t turn(mnp__reduction_walk *w, bool may_fall)
{
    int64_t first[MNP__REDUCTION_STRIDES] = {0};
    if (w->elements == 0 || w->outputs == 0)
        return 0;
    mnp__nest_turn(&w->nests[MNP__KEPT], 0, first);
    if (!w->spec->indices || (may_fall && w->nests[MNP__REDUCED].ndim == 1))
        mnp__nest_turn(&w->nests[MNP__REDUCED], 0, first);
    w->base[w->counter] += (uint64_t)first[w->counter];
    for (int i = 0; i < w->spec->ninputs; i++)
        w->base[i] += (uint64_t)(first[i] * (int64_t)mnp_dtype_size(w->work->inputs[i]->dtype));
    for (int o = 0; o < w->spec->noutputs; o++)
        w->base[w->counter + 1 + o] +=
            (uint64_t)(first[w->counter + 1 + o] * (int64_t)mnp_dtype_size(w->work->outputs[o]->dtype));
    return first[w->place];
}

/* ---- which way vectors lie ---- */

static bool on_gpu(const mnp__reduction_walk *w)
{
    return w->work->reduction->ctx->device->block_memory > 0;
}

/* Rows of fewer elements are gone through side by side; those of bools stop where they are decided, so none are. */
static int short_row_of(const mnp__reduction_spec *spec)
{
    const char kind = mnp_dtype_kind(spec->operands[0].type);
    if (spec->adds && spec->ninputs == 1 && kind != 'c' && mnp_dtype_size(spec->operands[0].memory) >= 4)
        return mnp_dtype_size(spec->operands[0].type) == 4 ? SHORT_FLOAT_SUM : SHORT_SUM;
    if (!spec->searches)
        return SHORT_ROW;
    return kind == 'b' ? 0 : kind == 'c' ? SHORT_COMPLEX : SHORT_SEARCH;
}

static bool choose_columns(mnp__reduction_walk *w)
{
    const int64_t short_row = short_row_of(w->spec);
    int64_t row = mnp__walk_extent(w, MNP__REDUCED), column = mnp__walk_extent(w, MNP__KEPT);
    if (w->outputs <= 1 || w->elements <= 1)
        return w->outputs > 1;
    bool rows_are_inner =
        mnp__nest_is_outside(&w->nests[MNP__KEPT], mnp__walk_innermost(w, MNP__KEPT), &w->nests[MNP__REDUCED],
                             mnp__walk_innermost(w, MNP__REDUCED), 0, w->spec->ninputs);
    if (on_gpu(w))
        return !rows_are_inner;
    return rows_are_inner ? row < short_row && column >= NARROW : column >= NARROW || row < short_row;
}

/*
 * On the host, let columns of short rows lie along a kept dimension that is not the innermost one, if that is narrow:
 * what a line of columns costs is then shared by more of them, which are still near each other.
 */
static void widen_columns(mnp__reduction_walk *w)
{
    mnp__nest *kept = &w->nests[MNP__KEPT];
    int d = mnp__walk_innermost(w, MNP__KEPT);
    if (mnp__walk_extent(w, MNP__REDUCED) >= short_row_of(w->spec))
        return;
    while (d >= 0 && kept->extent[d] < WIDE)
        d--;
    if (d >= 0)
        mnp__nest_move(kept, d, mnp__walk_innermost(w, MNP__KEPT));
}

/* Set how every operand is accessed; vectors lie along the innermost dimension of nest `along`. */
static void find_reach(const mnp__reduction_walk *w, int along, mnp__reduction_signature *signature)
{
    for (int i = 0; i < w->spec->ninputs; i++) {
        int64_t stride = w->stride[along][i][mnp__walk_innermost(w, along)];
        signature->reach[i] = mnp__array_is_scalar(w->work->inputs[i]) ? MNP_REACH_SCALAR
                              : stride == 1                            ? MNP_REACH_UNIT
                              : stride == 0                            ? MNP_REACH_BROADCAST
                                                                       : MNP_REACH_STRIDED;
    }
}

/* ---- the host ---- */

static mnp__launch host_launch(int64_t work)
{
    enum { WORTH_A_WORKER = 16384 };
    int64_t workers = work / WORTH_A_WORKER + 1;
    return (mnp__launch){.grid = {workers < 4096 ? (unsigned)workers : 4096, 1, 1}, .block = {1, 1, 1}};
}

static void plan_host(mnp__reduction_walk *w, mnp__reduction_plan *plan)
{
    plan->signature.vector = plan->signature.along = plan->signature.unroll = 1;
    int64_t elements = w->outputs * w->elements;
    int64_t lines = w->outputs;
    if (plan->signature.columns && w->outputs)
        lines =
            w->outputs / mnp__walk_extent(w, MNP__KEPT) * 4 * mnp__divide_up(mnp__walk_extent(w, MNP__KEPT), HOST_LINE);
    if (w->work->cut < 0 && lines > 0 && lines < HOST_PARTS) {
        plan->parts = mnp__clamp(HOST_PARTS / lines, 1, mnp__clamp(elements / HOST_PART / lines, 1, w->elements));
        plan->parts = mnp__clamp(plan->parts, 1, mnp__walk_most_parts(w));
    }
    plan->launch = host_launch(elements);
}

mnp__launch mnp__reduction_join_launch(const mnp_ctx *ctx, mnp__reduction_plan *plan, int64_t parts)
{
    enum { FEW_OUTPUTS = 1 << 14, MANY_PARTS = 64, FEW_PARTS = 8 };
    int team = parts > MANY_PARTS ? 8 : parts > FEW_PARTS && plan->outputs < FEW_OUTPUTS ? 5 : 0;
    if (ctx->device->block_memory == 0)
        return host_launch(plan->outputs * parts);
    plan->slots[MNP__SLOT_TEAM] = (uint64_t)team;
    return mnp__reduction_cuda_launch(mnp__divide_up(plan->outputs, MNP__REDUCTION_THREADS >> team));
}

/* ---- all together ---- */

static void fill_slots(mnp__reduction_walk *w, int64_t team, int64_t deep, mnp__reduction_plan *plan)
{
    const mnp_layout *layout = w->work->layout;
    int64_t rows = w->elements, width = mnp__walk_extent(w, MNP__REDUCED), count = 1;
    for (int d = 0; d < layout->ndim; d++)
        count *= w->work->axes >> d & 1 ? layout->shape[d] : 1;
    if (!plan->signature.columns)
        rows = width ? rows / width : 0;
    uint64_t *slot = plan->slots;
    memset(slot, 0, MNP__SLOT_EXTENTS * sizeof *slot);
    slot[MNP__SLOT_TASK] = MNP_REDUCE_ELEMENTS;
    slot[1] = (uint64_t)w->outputs;
    slot[2] = (uint64_t)rows;
    slot[MNP__SLOT_PARTS] = (uint64_t)plan->parts;
    slot[MNP__SLOT_TEAM] = (uint64_t)team;
    slot[MNP__SLOT_DEEP] = (uint64_t)deep;
    slot[MNP__SLOT_EACH] = (uint64_t)plan->each;
    slot[MNP__SLOT_TILES] = (uint64_t)plan->tiles;
    slot[MNP__SLOT_CHUNKS] = (uint64_t)plan->chunks;
    slot[MNP__SLOT_COUNT] = (uint64_t)(count / w->times);
    slot[MNP__SLOT_TIMES] = (uint64_t)w->times;
    const double share = 1 / (double)(count / w->times);
    memcpy(&slot[MNP__SLOT_SHARE], &share, sizeof share);
    slot += MNP__SLOT_EXTENTS;
    for (int which = MNP__KEPT; which <= MNP__REDUCED; which++) {
        for (int d = 0; d < w->nests[which].ndim; d++)
            *slot++ = (uint64_t)w->nests[which].extent[d];
    }
    for (int d = 0; d < w->nests[MNP__KEPT].ndim; d++)
        *slot++ = (uint64_t)w->stride[MNP__KEPT][w->place][d];
    for (int k = 0; k < w->place; k++) {
        *slot++ = w->base[k];
        for (int which = MNP__KEPT; which <= (k <= w->counter ? MNP__REDUCED : MNP__KEPT); which++) {
            for (int d = 0; d < w->nests[which].ndim; d++)
                *slot++ = which == MNP__KEPT && d == 0 && w->base_more[k] ? w->base_more[k]
                                                                          : (uint64_t)w->stride[which][k][d];
        }
    }
    plan->nslots = (int)(slot - plan->slots);
}

/* How many reduced dimensions have several indices, of which one rank may have one alone; at least 1. */
static int reduced_dims(const mnp__reduction_work *work)
{
    int count = 0;
    for (int d = 0; d < work->layout->ndim; d++)
        count += work->axes >> d & 1 && work->layout->shape[d] > 1;
    return count > 0 ? count : 1;
}

/*
 * Whether vectors lie along columns.  A GPU has one general kernel, for rows; on the host, where an index costs as much
 * as several elements, there is one for columns too.
 */
static bool are_columns(mnp__reduction_walk *w, bool general)
{
    if (!on_gpu(w) && w->work->cut < 0)
        widen_columns(w);
    if (general && (on_gpu(w) || mnp__walk_extent(w, MNP__KEPT) < WIDE))
        return false;
    return w->work->cut >= 0 || choose_columns(w);
}

void mnp__reduction_plan_make(const mnp__reduction_work *work, bool general, mnp__reduction_plan *plan)
{
    mnp__reduction_signature *signature = &plan->signature;
    int64_t team = 0, deep = 0;
    mnp__reduction_walk w;
    memset(signature, 0, sizeof *signature);
    gather(work, &w);
    plan->place = turn(&w, on_gpu(&w) && !general);
    for (int which = MNP__KEPT; which <= MNP__REDUCED; which++) {
        mnp__nest_order(&w.nests[which], 0, w.spec->ninputs);
        if (work->cut < 0)
            mnp__nest_join(&w.nests[which]);
        mnp__nest_pad(&w.nests[which], which == MNP__REDUCED && work->cut >= 0 ? reduced_dims(work) : 1, 0);
    }
    signature->columns = are_columns(&w, general);
    if (general) {
        mnp__nest_pad(&w.nests[MNP__KEPT], MNP_MAX_DIMS, 0);
        /* a search along columns is along one dimension */
        mnp__nest_pad(&w.nests[MNP__REDUCED], signature->columns && w.spec->searches ? 1 : MNP_MAX_DIMS, 0);
    }
    signature->falls = w.nests[MNP__REDUCED].ndim == 1 && w.stride[MNP__REDUCED][w.counter][0] < 0;
    signature->kept = (unsigned char)w.nests[MNP__KEPT].ndim;
    signature->reduced = (unsigned char)w.nests[MNP__REDUCED].ndim;
    const int along = signature->columns ? MNP__KEPT : MNP__REDUCED;
    find_reach(&w, along, signature);
    for (int i = 0; i < w.spec->ninputs && general; i++) {
        if (signature->reach[i] != MNP_REACH_SCALAR)
            signature->reach[i] = MNP_REACH_STRIDED;
    }
    plan->general = general;
    plan->outputs = w.outputs;
    plan->parts = 1;
    plan->each = plan->tiles = plan->chunks = 1;
    plan->small = w.outputs * w.elements < (on_gpu(&w) ? SMALL : HOST_SMALL);
    if (on_gpu(&w))
        mnp__reduction_plan_cuda(&w, along, plan, &team, &deep);
    else
        plan_host(&w, plan);
    fill_slots(&w, team, deep, plan);
}
