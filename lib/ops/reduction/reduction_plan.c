/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which kernel a run of a reduction takes.
 *
 * The kept and the reduced dimensions are simplified separately: those of extent 1 are dropped, the others ordered by
 * the strides of the first input and joined where they can be.  Vectors then lie along the reduced dimension that is
 * innermost in memory, or along the kept one: see kernels/reduction/reduce.cu.  Where there are few results, their elements are
 * dealt out in parts, as many as depend on the extents alone.
 */
#include <stdlib.h>
#include <string.h>

#include "layout/layout.h"
#include "ops/reduction/reduction_plan.h"

enum {
    VECTOR_BYTES = 16,
    FLIGHT_BYTES = 64,    /* of all operands that a thread should have under way */
    COLUMN_BYTES = 128,   /* of what a thread knows of its columns */
    SHARED_BYTES = 384,   /* of the same that half the threads of a block have shared memory for */
    USUAL_BYTES = 32,     /* of an acc: users' types have room for more than they mostly are */
    ENOUGH_BLOCKS = 1056, /* 8 of 256 threads for each of 132 multiprocessors */
    SMALL = 1 << 14,      /* elements: blocks of fewer share one general kernel */
    SHORT_ROW = 64,       /* elements that are not worth a host's sets of their own */
    NARROW = 4,           /* columns that are not worth a host's row of sets */
    HOST_PART = 1 << 16,  /* elements */
    HOST_PARTS = 64,      /* of all results together */
    HOST_LINE = 1024      /* columns that count as a result there */
};

typedef struct dim {
    int64_t extent, stride[MNP__REDUCTION_STRIDES]; /* of inputs, of the indices, of results, of places */
} dim;

typedef struct nest {
    const mnp__reduction_work *work;
    const mnp__reduction_spec *spec;
    int counter, place, count; /* numbers of the strides of the indices and of places, and how many strides there are */
    dim dims[2][MNP_MAX_DIMS];
    int ndim[2];
    uint64_t base[MNP__REDUCTION_STRIDES], base_more[MNP__REDUCTION_STRIDES]; /* the latter of scalars */
    int64_t outputs, elements;                                                /* results, and elements of one of them */
} nest;

enum { KEPT, REDUCED };

/* ---- the dimensions ---- */

static int64_t input_stride(const mnp__reduction_work *work, int i, int d)
{
    const mnp_array *input = work->inputs[i];
    int own = d - (work->layout->ndim - input->layout->ndim);
    bool broadcast = mnp__array_is_scalar(input) || own < 0 || input->layout->shape[own] != work->layout->shape[d];
    return broadcast ? 0 : input->local_strides[own];
}

static void gather_bases(nest *n)
{
    const mnp__reduction_work *work = n->work;
    for (int i = 0; i < n->spec->ninputs; i++) {
        const mnp_array *input = work->inputs[i];
        n->base[i] = mnp__array_is_scalar(input) ? input->value[0] : (uint64_t)(uintptr_t)input->data;
        n->base_more[i] = mnp__array_is_scalar(input) ? input->value[1] : 0;
    }
    for (int o = 0; o < n->spec->noutputs; o++)
        n->base[n->counter + 1 + o] = (uint64_t)(uintptr_t)work->outputs[o]->data;
}

/* Local extents: kept ones are those of the results' block, which a rank may own without owning elements. */
static void gather(const mnp__reduction_work *work, nest *n)
{
    const mnp_layout *layout = work->layout;
    int rank = work->reduction->ctx->comm.rank, kept = 0;
    int64_t lo[MNP_MAX_DIMS], extent[MNP_MAX_DIMS], at[MNP_MAX_DIMS], results[MNP_MAX_DIMS], flat = 1;
    memset(n, 0, sizeof *n);
    n->work = work;
    n->spec = &work->reduction->spec;
    n->counter = n->spec->ninputs;
    n->place = n->counter + 1 + n->spec->noutputs;
    n->count = n->place + 1;
    bool any = mnp__layout_box(layout, rank, lo, extent);
    n->outputs = mnp__layout_box(work->result, rank, at, results) ? 1 : 0;
    n->elements = any ? 1 : 0;
    gather_bases(n);
    for (int d = layout->ndim - 1; d >= 0; d--) { /* the indices count in C order */
        if (!(work->axes >> d & 1))
            continue;
        n->base[n->counter] += any ? (uint64_t)(lo[d] * flat) : 0;
        at[d] = flat;
        flat *= layout->shape[d];
    }
    for (int d = 0; d < layout->ndim; d++) {
        bool reduced = work->axes >> d & 1;
        int result = work->keepdims ? d : kept;
        dim *next = &n->dims[reduced][n->ndim[reduced]];
        *next = (dim){.extent = reduced ? (any ? extent[d] : 0) : n->outputs ? results[result] : 0};
        *(reduced ? &n->elements : &n->outputs) *= next->extent;
        kept += !reduced;
        if (next->extent == 1)
            continue;
        for (int i = 0; i < n->spec->ninputs; i++)
            next->stride[i] = input_stride(work, i, d);
        next->stride[n->counter] = reduced ? at[d] : 0;
        for (int o = 0; o < n->spec->noutputs && !reduced; o++)
            next->stride[n->counter + 1 + o] = work->outputs[o]->local_strides[result];
        n->ndim[reduced]++;
    }
    int64_t place = 1;
    for (int d = n->ndim[KEPT] - 1; d >= 0; d--) { /* in C order too */
        n->dims[KEPT][d].stride[n->place] = place;
        place *= n->dims[KEPT][d].extent;
    }
}

/* Reduced dimensions in which the first input goes backwards are turned round, where it does not matter. */
static void turn(nest *n)
{
    for (int d = 0; d < n->ndim[REDUCED] && !n->spec->indices; d++) {
        dim *at = &n->dims[REDUCED][d];
        if (at->stride[0] >= 0 || at->extent == 0)
            continue;
        for (int i = 0; i < n->spec->ninputs; i++) {
            const mnp_array *input = n->work->inputs[i];
            n->base[i] += (uint64_t)((at->extent - 1) * at->stride[i] * (int64_t)mnp_dtype_size(input->dtype));
            at->stride[i] = -at->stride[i];
        }
    }
}

static bool goes_outside(const nest *n, const dim *a, const dim *b)
{
    for (int i = 0; i < n->spec->ninputs; i++) {
        int64_t x = llabs(a->stride[i]), y = llabs(b->stride[i]);
        if (x != y && x != 0 && y != 0)
            return x > y;
    }
    return false;
}

static void order(const nest *n, dim *dims, int ndim)
{
    for (int d = 1; d < ndim; d++) {
        for (int e = d; e > 0 && goes_outside(n, &dims[e], &dims[e - 1]); e--) {
            dim other = dims[e];
            dims[e] = dims[e - 1];
            dims[e - 1] = other;
        }
    }
}

static bool joins(const nest *n, const dim *outer, const dim *inner)
{
    for (int k = 0; k < n->count; k++) {
        if ((k != n->counter || n->spec->indices) && outer->stride[k] != inner->stride[k] * inner->extent)
            return false;
    }
    return true;
}

static void join(const nest *n, dim *dims, int *ndim)
{
    for (int d = *ndim - 2; d >= 0; d--) {
        if (!joins(n, &dims[d], &dims[d + 1]))
            continue;
        dims[d + 1].extent *= dims[d].extent;
        memmove(&dims[d], &dims[d + 1], (size_t)(*ndim - d - 1) * sizeof *dims);
        --*ndim;
    }
}

/* At least so many dimensions, by new ones of extent 1 outside. */
static void pad(dim *dims, int *ndim, int least)
{
    int more = least - *ndim;
    if (more <= 0)
        return;
    memmove(dims + more, dims, (size_t)*ndim * sizeof *dims);
    memset(dims, 0, (size_t)more * sizeof *dims);
    for (int d = 0; d < more; d++)
        dims[d].extent = 1;
    *ndim = least;
}

static dim *innermost(nest *n, int which)
{
    return &n->dims[which][n->ndim[which] - 1];
}

/* ---- which way vectors lie ---- */

static bool on_gpu(const nest *n)
{
    return n->work->reduction->ctx->device->block_memory > 0;
}

static bool choose_columns(nest *n)
{
    const dim *row = innermost(n, REDUCED), *column = innermost(n, KEPT);
    if (n->outputs <= 1 || n->elements <= 1)
        return n->outputs > 1;
    bool rows_are_inner = goes_outside(n, column, row);
    if (on_gpu(n))
        return !rows_are_inner;
    return rows_are_inner ? row->extent < SHORT_ROW && column->extent >= NARROW
                          : column->extent >= NARROW || row->extent < SHORT_ROW;
}

static void find_reach(nest *n, const dim *along, mnp__reduction_signature *signature)
{
    for (int i = 0; i < n->spec->ninputs; i++)
        signature->reach[i] = mnp__array_is_scalar(n->work->inputs[i]) ? MNP_REACH_SCALAR
                              : along->stride[i] == 1                  ? MNP_REACH_UNIT
                              : along->stride[i] == 0                  ? MNP_REACH_BROADCAST
                                                                       : MNP_REACH_STRIDED;
}

/* ---- GPUs ---- */

static int64_t blocks_of(int64_t count, int64_t each)
{
    return (count + each - 1) / each;
}

static int64_t clamp(int64_t value, int64_t least, int64_t most)
{
    return value > most ? (most < least ? least : most) : value < least ? least : value;
}

/* The exponent of the smallest power of two that is not below `count`, at most `most`. */
static int exponent(int64_t count, int most)
{
    int e = 0;
    while (e < most && INT64_C(1) << e < count)
        e++;
    return e;
}

/* Whether every vector of an input is aligned. */
static bool is_aligned(const nest *n, int i, const dim *along, int vector)
{
    size_t size = mnp_dtype_size(n->work->inputs[i]->dtype);
    if (n->base[i] % ((size_t)vector * size))
        return false;
    for (int which = KEPT; which <= REDUCED; which++) {
        for (int d = 0; d < n->ndim[which]; d++) {
            const dim *other = &n->dims[which][d];
            if (other != along && other->stride[i] % vector)
                return false;
        }
    }
    return true;
}

static int choose_vector(const nest *n, const dim *along, const mnp__reduction_signature *signature)
{
    int vector = VECTOR_BYTES;
    bool any = false;
    for (int i = 0; i < n->spec->ninputs; i++) {
        if (signature->reach[i] != MNP_REACH_UNIT)
            continue;
        any = true;
        while (vector > 1 && ((size_t)vector * mnp_dtype_size(n->work->inputs[i]->dtype) > VECTOR_BYTES ||
                              !is_aligned(n, i, along, vector)))
            vector /= 2;
    }
    size_t known = n->spec->accumulator < USUAL_BYTES ? n->spec->accumulator : USUAL_BYTES;
    while (vector > 1 && signature->columns &&
           ((size_t)vector * known > COLUMN_BYTES || (size_t)vector * n->spec->accumulator > SHARED_BYTES))
        vector /= 2;
    return any ? vector : 1;
}

static int choose_unroll(const nest *n, const mnp__reduction_signature *signature)
{
    size_t bytes = 0;
    int unroll = 1;
    for (int i = 0; i < n->spec->ninputs; i++) {
        if (signature->reach[i] != MNP_REACH_SCALAR && signature->reach[i] != MNP_REACH_BROADCAST)
            bytes += signature->vector * mnp_dtype_size(n->work->inputs[i]->dtype);
    }
    while (unroll < 4 && 2 * (size_t)unroll * bytes <= FLIGHT_BYTES)
        unroll *= 2;
    return unroll;
}

/* Parts that the scratch memory has room for. */
static int64_t most_parts(const nest *n)
{
    return clamp(MNP__REDUCTION_SCRATCH / (int64_t)n->spec->accumulator / n->outputs, 1, INT32_MAX);
}

static int64_t plan_rows(nest *n, mnp__reduction_plan *plan, int64_t *team)
{
    const mnp__reduction_signature *signature = &plan->signature;
    const int threads = MNP__REDUCTION_THREADS, most = exponent(threads, 31);
    int64_t width = innermost(n, REDUCED)->extent, vectors = blocks_of(width, signature->vector);
    int64_t step = (int64_t)threads * signature->vector * signature->unroll;
    int least = exponent(vectors, 5), wanted = exponent(blocks_of(vectors, signature->unroll), most);
    *team = wanted > least ? wanted : least;
    if (n->elements / step > 1) /* rows, one after the other */
        *team = most;
    int64_t blocks = blocks_of(n->outputs, threads >> *team);
    if (blocks <= ENOUGH_BLOCKS / 2 && n->elements >= 4 * step) {
        *team = most;
        int64_t chunks = n->elements / (width ? width : 1) * blocks_of(width, step);
        plan->parts = clamp(2 * ENOUGH_BLOCKS / n->outputs, 1, chunks / 2);
        plan->parts = clamp(plan->parts, 1, most_parts(n));
        blocks = n->outputs * plan->parts;
    }
    return blocks;
}

static int64_t plan_columns(nest *n, mnp__reduction_plan *plan, int64_t *team)
{
    const mnp__reduction_signature *signature = &plan->signature;
    const int threads = MNP__REDUCTION_THREADS, most = exponent(threads, 31);
    int64_t width = innermost(n, KEPT)->extent, vectors = blocks_of(width, signature->vector);
    *team = exponent(vectors, 5);
    while (*team < most && INT64_C(1) << (most - *team) > n->elements && INT64_C(1) << *team < vectors)
        ++*team;
    int64_t down = threads >> *team, tiles = blocks_of(width, ((int64_t)signature->vector << *team));
    int64_t blocks = n->outputs / width * tiles;
    if (blocks <= ENOUGH_BLOCKS / 2) {
        plan->parts = clamp(2 * ENOUGH_BLOCKS / blocks, 1, n->elements / (2 * down * signature->unroll));
        plan->parts = clamp(plan->parts, 1, most_parts(n));
    }
    return blocks * plan->parts;
}

static void plan_cuda(nest *n, mnp__reduction_plan *plan, const dim *along, int64_t *team)
{
    mnp__reduction_signature *signature = &plan->signature;
    signature->vector = (unsigned char)choose_vector(n, along, signature);
    signature->unroll = (unsigned char)choose_unroll(n, signature);
    for (int i = 0; i < n->spec->ninputs && signature->vector > 1; i++) {
        if (signature->reach[i] == MNP_REACH_UNIT)
            signature->reach[i] = MNP_REACH_VECTOR;
    }
    int64_t blocks = n->outputs == 0 ? 0 : signature->columns ? plan_columns(n, plan, team) : plan_rows(n, plan, team);
    plan->launch = (mnp__launch){.grid = {(unsigned)blocks, 1, 1}, .block = {MNP__REDUCTION_THREADS, 1, 1}};
}

/* ---- the host ---- */

static mnp__launch host_launch(int64_t work)
{
    enum { WORTH_A_WORKER = 16384 };
    int64_t workers = work / WORTH_A_WORKER + 1;
    return (mnp__launch){.grid = {workers < 4096 ? (unsigned)workers : 4096, 1, 1}, .block = {1, 1, 1}};
}

static void plan_host(nest *n, mnp__reduction_plan *plan)
{
    plan->signature.vector = plan->signature.unroll = 1;
    int64_t elements = n->outputs * n->elements;
    int64_t lines = n->outputs;
    if (plan->signature.columns && n->outputs)
        lines = n->outputs / innermost(n, KEPT)->extent * 4 * blocks_of(innermost(n, KEPT)->extent, HOST_LINE);
    if (lines > 0 && lines < HOST_PARTS) {
        plan->parts = clamp(HOST_PARTS / lines, 1, clamp(elements / HOST_PART / lines, 1, n->elements));
        plan->parts = clamp(plan->parts, 1, most_parts(n));
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
    return (mnp__launch){.grid = {(unsigned)blocks_of(plan->outputs, MNP__REDUCTION_THREADS >> team), 1, 1},
                         .block = {MNP__REDUCTION_THREADS, 1, 1}};
}

/* ---- all together ---- */

static void fill_slots(nest *n, int64_t team, mnp__reduction_plan *plan)
{
    const mnp_layout *layout = n->work->layout;
    int64_t rows = n->elements, width = innermost(n, REDUCED)->extent, count = 1;
    for (int d = 0; d < layout->ndim; d++)
        count *= n->work->axes >> d & 1 ? layout->shape[d] : 1;
    if (!plan->signature.columns)
        rows = width ? rows / width : 0;
    uint64_t *slot = plan->slots;
    memset(slot, 0, MNP__SLOT_EXTENTS * sizeof *slot);
    slot[MNP__SLOT_TASK] = MNP_REDUCE_ELEMENTS;
    slot[1] = (uint64_t)n->outputs;
    slot[2] = (uint64_t)rows;
    slot[MNP__SLOT_PARTS] = (uint64_t)plan->parts;
    slot[MNP__SLOT_TEAM] = (uint64_t)team;
    slot[MNP__SLOT_COUNT] = (uint64_t)count;
    slot += MNP__SLOT_EXTENTS;
    for (int which = KEPT; which <= REDUCED; which++) {
        for (int d = 0; d < n->ndim[which]; d++)
            *slot++ = (uint64_t)n->dims[which][d].extent;
    }
    for (int d = 0; d < n->ndim[KEPT]; d++)
        *slot++ = (uint64_t)n->dims[KEPT][d].stride[n->place];
    for (int k = 0; k < n->place; k++) {
        *slot++ = n->base[k];
        for (int which = KEPT; which <= (k <= n->counter ? REDUCED : KEPT); which++) {
            for (int d = 0; d < n->ndim[which]; d++)
                *slot++ = which == KEPT && d == 0 && n->base_more[k] ? n->base_more[k]
                                                                     : (uint64_t)n->dims[which][d].stride[k];
        }
    }
    plan->nslots = (int)(slot - plan->slots);
}

void mnp__reduction_plan_make(const mnp__reduction_work *work, bool general, mnp__reduction_plan *plan)
{
    mnp__reduction_signature *signature = &plan->signature;
    int64_t team = 0;
    nest n;
    memset(signature, 0, sizeof *signature);
    gather(work, &n);
    turn(&n);
    for (int which = KEPT; which <= REDUCED; which++) {
        order(&n, n.dims[which], n.ndim[which]);
        join(&n, n.dims[which], &n.ndim[which]);
        pad(n.dims[which], &n.ndim[which], general ? MNP_MAX_DIMS : 1);
    }
    signature->columns = !general && choose_columns(&n);
    signature->kept = (unsigned char)n.ndim[KEPT];
    signature->reduced = (unsigned char)n.ndim[REDUCED];
    const dim *along = innermost(&n, signature->columns ? KEPT : REDUCED);
    find_reach(&n, along, signature);
    for (int i = 0; i < n.spec->ninputs && general; i++) {
        if (signature->reach[i] != MNP_REACH_SCALAR)
            signature->reach[i] = MNP_REACH_STRIDED;
    }
    plan->outputs = n.outputs;
    plan->parts = 1;
    plan->small = n.outputs * n.elements < SMALL;
    if (on_gpu(&n))
        plan_cuda(&n, plan, along, &team);
    else
        plan_host(&n, plan);
    fill_slots(&n, team, plan);
}
