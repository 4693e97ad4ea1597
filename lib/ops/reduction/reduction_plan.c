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
#include "ops/reduction/reduction_plan.h"

enum {
    VECTOR_BYTES = MNP__REDUCTION_VECTOR,
    LONG_BYTES = 4096,  /* longer rows are reduced from where they are, even if their vectors are not aligned */
    SHORT_BYTES = 512,  /* rows of at most so many bytes are reduced by tiles, even if their vectors are aligned */
    FEW_ROWS = 16,      /* of columns, from which results of small elements and slow ones come by layers */
    WORD_BYTES = 4,     /* smaller elements are slow to read one by one */
    FLIGHT_BYTES = 64,  /* of all operands that a thread should have in flight */
    COLUMN_BYTES = 128, /* of a thread's accumulators for its columns */
    SHARED_BYTES = 384, /* of the same, for which half the threads of a block have shared memory */
    SECTOR_BYTES = 32,  /* that a GPU reads at once */
    MOST_UNROLL = 8,    /* rows of columns that a thread reads at once */
    LARGE = 16,         /* bytes of an accumulator that takes long to join: a thread then has four times as many rows */
    FEW_ACCESSES = 512, /* of rows of columns: by fewer, most threads of a block would have nothing to do */
    USUAL_BYTES = 32,   /* of an accumulator; for users' types more is reserved than most need */
    ENOUGH_BLOCKS = 1056, /* 8 of 256 threads for each of 132 multiprocessors */
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

enum { KEPT, REDUCED };

/* A run while it is being planned. */
typedef struct walk {
    const mnp__reduction_work *work;
    const mnp__reduction_spec *spec;
    int counter, place; /* operands after the inputs: the flat index; and last, the numbers of results */
    mnp__nest nests[2]; /* the kept and the reduced dimensions */
    int64_t stride[2][MNP__REDUCTION_STRIDES][MNP_MAX_DIMS];
    uint64_t base[MNP__REDUCTION_STRIDES], base_more[MNP__REDUCTION_STRIDES]; /* the latter of scalars */
    int64_t times;             /* by which each element counts, where a reduced dimension is a broadcast one */
    int64_t outputs, elements; /* results, and elements of one of them */
} walk;

/* ---- the dimensions ---- */

static int64_t input_stride(const mnp__reduction_work *work, int i, int d)
{
    const mnp_array *input = work->inputs[i];
    int own = d - (work->layout->ndim - input->layout->ndim);
    bool broadcast = mnp__array_is_scalar(input) || own < 0 || input->layout->shape[own] != work->layout->shape[d];
    return broadcast ? 0 : input->local_strides[own];
}

static void gather_bases(walk *w)
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
static void move_bases(walk *w, int d, int result)
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
static void add_dim(walk *w, int which, int64_t extent, int d, int result, int64_t index)
{
    mnp__nest *nest = &w->nests[which];
    if (extent == 1)
        return;
    for (int i = 0; i < w->spec->ninputs; i++)
        nest->stride[i][nest->ndim] = input_stride(w->work, i, d);
    nest->stride[w->counter][nest->ndim] = index;
    for (int o = 0; o < w->spec->noutputs; o++)
        nest->stride[w->counter + 1 + o][nest->ndim] = which == KEPT ? w->work->outputs[o]->local_strides[result] : 0;
    nest->stride[w->place][nest->ndim] = 0;
    nest->extent[nest->ndim++] = extent;
}

/*
 * Whether a reduced dimension, of which this rank has `local` indices, repeats the same elements, which then count so
 * often.  Strides are known of this rank's block alone, so this is only for results that no other rank has a part of.
 */
static bool repeats(const walk *w, int d, int64_t local)
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
static void gather(const mnp__reduction_work *work, walk *w)
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
    for (int which = KEPT; which <= REDUCED; which++)
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
        int which = work->axes >> d & 1 ? REDUCED : KEPT, result = work->keepdims ? d : kept;
        int64_t local = which == REDUCED ? (any ? extent[d] : 0) : owns ? results[result] : 0;
        if (d == work->cut) {
            move_bases(w, d, result);
            local = work->to - work->from;
        }
        if (which == REDUCED && repeats(w, d, local)) {
            w->times *= local;
            local = 1;
        }
        *(which == REDUCED ? &w->elements : &w->outputs) *= local;
        if (which == KEPT || work->keepdims)
            dim_of[result] = which == KEPT && local != 1 ? w->nests[KEPT].ndim : -1;
        add_dim(w, which, local, d, result, at[d]);
        kept += which == KEPT;
    }
    int64_t place = 1;
    for (int i = work->result->ndim - 1; i >= 0; i--) { /* as results are stored, so that neighbours can be joined */
        const int d = dim_of[work->result->order[i]];
        if (d < 0)
            continue;
        w->stride[KEPT][w->place][d] = place;
        place *= w->nests[KEPT].extent[d];
    }
}

/*
 * Reverse dimensions along which the first input has a negative stride, but not reduced ones if indices are needed.
 * Returns the place of the first result.
 */
static int64_t turn(walk *w)
{
    int64_t first[MNP__REDUCTION_STRIDES] = {0};
    if (w->elements == 0 || w->outputs == 0)
        return 0;
    mnp__nest_turn(&w->nests[KEPT], 0, first);
    if (!w->spec->indices)
        mnp__nest_turn(&w->nests[REDUCED], 0, first);
    for (int i = 0; i < w->spec->ninputs; i++)
        w->base[i] += (uint64_t)(first[i] * (int64_t)mnp_dtype_size(w->work->inputs[i]->dtype));
    for (int o = 0; o < w->spec->noutputs; o++)
        w->base[w->counter + 1 + o] +=
            (uint64_t)(first[w->counter + 1 + o] * (int64_t)mnp_dtype_size(w->work->outputs[o]->dtype));
    return first[w->place];
}

/* The innermost dimension of a nest. */
static int innermost(const walk *w, int which)
{
    return w->nests[which].ndim - 1;
}

static int64_t innermost_extent(const walk *w, int which)
{
    return w->nests[which].extent[innermost(w, which)];
}

/* ---- which way vectors lie ---- */

static bool on_gpu(const walk *w)
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

static bool choose_columns(walk *w)
{
    const int64_t short_row = short_row_of(w->spec);
    int64_t row = innermost_extent(w, REDUCED), column = innermost_extent(w, KEPT);
    if (w->outputs <= 1 || w->elements <= 1)
        return w->outputs > 1;
    bool rows_are_inner = mnp__nest_is_outside(&w->nests[KEPT], innermost(w, KEPT), &w->nests[REDUCED],
                                               innermost(w, REDUCED), 0, w->spec->ninputs);
    if (on_gpu(w))
        return !rows_are_inner;
    return rows_are_inner ? row < short_row && column >= NARROW : column >= NARROW || row < short_row;
}

/*
 * On the host, let columns of short rows lie along a kept dimension that is not the innermost one, if that is narrow:
 * what a line of columns costs is then shared by more of them, which are still near each other.
 */
static void widen_columns(walk *w)
{
    mnp__nest *kept = &w->nests[KEPT];
    int d = innermost(w, KEPT);
    if (innermost_extent(w, REDUCED) >= short_row_of(w->spec))
        return;
    while (d >= 0 && kept->extent[d] < WIDE)
        d--;
    if (d >= 0)
        mnp__nest_move(kept, d, innermost(w, KEPT));
}

/* Set how every operand is accessed; vectors lie along the innermost dimension of nest `along`. */
static void find_reach(const walk *w, int along, mnp__reduction_signature *signature)
{
    for (int i = 0; i < w->spec->ninputs; i++) {
        int64_t stride = w->stride[along][i][innermost(w, along)];
        signature->reach[i] = mnp__array_is_scalar(w->work->inputs[i]) ? MNP_REACH_SCALAR
                              : stride == 1                            ? MNP_REACH_UNIT
                              : stride == 0                            ? MNP_REACH_BROADCAST
                                                                       : MNP_REACH_STRIDED;
    }
}

/* ---- GPUs ---- */

/* Whether every vector of an input is aligned. */
static bool is_aligned(const walk *w, int i, int along, int vector)
{
    size_t size = mnp_dtype_size(w->work->inputs[i]->dtype);
    if (w->base[i] % ((size_t)vector * size))
        return false;
    for (int which = KEPT; which <= REDUCED; which++) {
        for (int d = 0; d < w->nests[which].ndim; d++) {
            bool inner = which == along && d == innermost(w, which);
            if (!inner && w->stride[which][i][d] % vector)
                return false;
        }
    }
    return true;
}

/* Bytes of the accumulators of so many columns, as far as they limit how many a thread has. */
static bool columns_fit(const walk *w, size_t columns)
{
    const size_t known = w->spec->accumulator < USUAL_BYTES ? w->spec->accumulator : USUAL_BYTES;
    return columns * known <= COLUMN_BYTES && columns * w->spec->accumulator <= SHARED_BYTES;
}

static int choose_vector(const walk *w, int along, const mnp__reduction_signature *signature)
{
    int vector = VECTOR_BYTES;
    bool any = false;
    for (int i = 0; i < w->spec->ninputs; i++) {
        if (signature->reach[i] != MNP_REACH_UNIT)
            continue;
        any = true;
        while (vector > 1 && ((size_t)vector * mnp_dtype_size(w->work->inputs[i]->dtype) > VECTOR_BYTES ||
                              vector > innermost_extent(w, along) || !is_aligned(w, i, along, vector)))
            vector /= 2;
    }
    while (vector > 1 && signature->columns && !columns_fit(w, (size_t)vector))
        vector /= 2;
    return any ? vector : 1;
}

/*
 * Rows that do not begin where vectors are aligned: if one input alone goes along them by stride 1, its vectors are
 * aligned by themselves, and may begin before a row.
 */
static void choose_skew(const walk *w, mnp__reduction_signature *signature)
{
    int unit = -1;
    for (int i = 0; i < w->spec->ninputs; i++) {
        /* what lies beyond a row is read of all inputs, and of strided ones it may be far outside of their memory */
        if (signature->reach[i] == MNP_REACH_STRIDED || (signature->reach[i] == MNP_REACH_UNIT && unit >= 0))
            return;
        unit = signature->reach[i] == MNP_REACH_UNIT ? i : unit;
    }
    const int64_t size = unit < 0 ? VECTOR_BYTES : (int64_t)mnp_dtype_size(w->work->inputs[unit]->dtype);
    const int64_t full = VECTOR_BYTES / size;
    if (signature->columns || w->spec->looks || signature->vector >= full || innermost_extent(w, REDUCED) < 2 * full ||
        w->base[unit] % (uint64_t)size != 0)
        return;
    signature->vector = (unsigned char)full;
    signature->reach[unit] = MNP_REACH_SKEWED;
}

/* How many accesses a thread should have in flight: 1, 2, 4, 8 or, of columns, 16. */
static int choose_flight(const walk *w, const mnp__reduction_signature *signature)
{
    size_t bytes = 0;
    int flight = 1;
    for (int i = 0; i < w->spec->ninputs; i++) {
        if (signature->reach[i] != MNP_REACH_SCALAR && signature->reach[i] != MNP_REACH_BROADCAST)
            bytes += signature->vector * mnp_dtype_size(w->work->inputs[i]->dtype);
    }
    while (flight < (signature->columns ? 16 : 8) && 2 * (size_t)flight * bytes <= FLIGHT_BYTES)
        flight *= 2;
    return flight;
}

/* The number of parts for which the scratch memory has room, and which are much smaller than their elements. */
static int64_t most_parts(const walk *w)
{
    const int64_t accumulator = (int64_t)w->spec->accumulator,
                  bytes = w->elements * (int64_t)mnp_dtype_size(w->spec->operands[0].memory);
    return mnp__clamp(MNP__REDUCTION_SCRATCH / accumulator / w->outputs, 1, mnp__max(bytes / (4 * accumulator), 1));
}

/* Elements that the vectors of a row have at most: those of the row, and some before and after it. */
static int64_t touched(const walk *w, const mnp__reduction_signature *signature)
{
    int64_t extent = innermost_extent(w, REDUCED);
    for (int i = 0; i < w->spec->ninputs; i++) {
        if (signature->reach[i] == MNP_REACH_SKEWED)
            return extent + signature->vector - 1;
    }
    return extent;
}

/*
 * Whether tiles may suit: where vectors along rows or columns are not aligned, rows are short or have small elements
 * with gaps, or columns are narrow or few elements long.  One input, whose elements may be taken in any order.
 */
static bool are_tiles(const walk *w, int along, const mnp__reduction_plan *plan)
{
    const int64_t size = (int64_t)mnp_dtype_size(w->spec->operands[0].memory), full = VECTOR_BYTES / size;
    const int64_t width = innermost_extent(w, along);
    if (w->spec->ninputs > 1 || w->spec->steady || plan->general || w->outputs == 0 || w->elements <= 1 || full == 0 ||
        mnp__array_is_scalar(w->work->inputs[0]) || w->base[0] % (uint64_t)size != 0)
        return false;
    const bool small = size < WORD_BYTES;
    const bool strided = w->stride[along][0][innermost(w, along)] > 1;
    if (along == REDUCED && width * size > LONG_BYTES)
        return small && strided;
    const int64_t apart = w->stride[REDUCED][0][innermost(w, REDUCED)] * size; /* rows of columns */
    if (along == KEPT && ((width * size < SECTOR_BYTES && apart >= SECTOR_BYTES) ||
                          mnp__divide_up(width, full) * w->elements < FEW_ACCESSES))
        return true;
    if (along == KEPT && w->elements <= FEW_ROWS && (small || w->spec->searches || w->spec->accumulator > LARGE))
        return true;
    return !is_aligned(w, 0, along, (int)full) || width < full ||
           (along == REDUCED && width * size <= (small ? VECTOR_BYTES : SHORT_BYTES));
}

/* Whether pieces of so many vectors have at most a quarter more than the row of which they are. */
static bool fills(int64_t vectors, int64_t piece)
{
    return 4 * piece * mnp__divide_up(vectors, piece) <= 5 * vectors;
}

/*
 * The fewer threads share a row, the less is spent on each of them and on joining what they know; so a line of threads
 * is as wide as a sector of memory, unless there are too few rows for all threads; then it is wider, as long as its
 * pieces suit the row.  A row that such a line reads in one batch is short, and a thread then reads several at once,
 * but not where a batch is looked at before it is added.
 */
static int64_t plan_rows(walk *w, mnp__reduction_plan *plan, int64_t *team, int64_t *deep)
{
    mnp__reduction_signature *signature = &plan->signature;
    const int threads = MNP__REDUCTION_THREADS, most = mnp__exponent_above(threads, 31),
              flight = choose_flight(w, signature);
    const int64_t width = innermost_extent(w, REDUCED), rows = width ? w->elements / width : 0;
    const int64_t vectors = mnp__divide_up(touched(w, signature), signature->vector),
                  half = flight > 2 ? flight / 2 : 1;
    const int64_t sector = SECTOR_BYTES / (signature->vector * (int64_t)mnp_dtype_size(w->spec->operands[0].memory));
    const int sector_team = mnp__exponent_above(sector, 5);
    const bool is_short = vectors <= half << sector_team && !plan->general && !w->spec->looks;
    signature->along =
        (unsigned char)(is_short ? 1 << mnp__exponent_above(vectors, mnp__exponent_above(half, 3)) : flight);
    signature->unroll = (unsigned char)(is_short ? mnp__clamp(flight / signature->along, 2, 8) : 1);
    signature->outs = is_short && rows == 1;
    const int64_t lines = mnp__divide_up(vectors, signature->along);
    *team = mnp__exponent_above(lines, sector_team);
    if (signature->outs)
        return mnp__divide_up(w->outputs, (threads >> *team) * signature->unroll);
    while (*team < most && INT64_C(1) << *team < lines && fills(vectors, (int64_t)signature->along << (*team + 1)) &&
           mnp__divide_up(w->outputs, threads >> *team) < 4 * ENOUGH_BLOCKS)
        ++*team;
    const int64_t units = rows * mnp__divide_up(vectors, (int64_t)signature->along << *team);
    while (*team + *deep < most && (int64_t)signature->unroll << *deep < units &&
           mnp__divide_up(w->outputs, threads >> (*team + *deep)) < ENOUGH_BLOCKS)
        ++*deep;
    const int64_t blocks = mnp__divide_up(w->outputs, threads >> (*team + *deep));
    if (blocks > ENOUGH_BLOCKS / 2 || *team + *deep < most)
        return blocks;
    plan->parts = mnp__clamp(2 * ENOUGH_BLOCKS / w->outputs, 1, units / (2 * (int64_t)signature->unroll << *deep));
    plan->parts = mnp__clamp(plan->parts, 1, most_parts(w));
    return w->outputs * plan->parts;
}

static int64_t plan_columns(walk *w, mnp__reduction_plan *plan, int64_t *team)
{
    mnp__reduction_signature *signature = &plan->signature;
    const int threads = MNP__REDUCTION_THREADS, most = mnp__exponent_above(threads, 31),
              flight = choose_flight(w, signature);
    const int64_t width = innermost_extent(w, KEPT), vectors = mnp__divide_up(width, signature->vector);
    int64_t along = flight > 4 ? flight / 4 : 1;
    while (along > 1 && (w->spec->looks || vectors < 32 * along || !columns_fit(w, (size_t)along * signature->vector)))
        along /= 2;
    signature->along = (unsigned char)along;
    int64_t unroll = mnp__min(flight / along, MOST_UNROLL);
    while (unroll > 1 && unroll / 2 >= w->elements)
        unroll /= 2;
    signature->unroll = (unsigned char)unroll;
    const int64_t lines = mnp__divide_up(vectors, along), share = unroll * (w->spec->accumulator > LARGE ? 4 : 1);
    *team = mnp__exponent_above(lines, 5);
    while (*team < most && INT64_C(1) << *team < lines &&
           (unroll << (most - *team) > w->elements ||
            (share << (most - *team) > w->elements &&
             w->outputs / width * mnp__divide_up(lines, INT64_C(2) << *team) >= ENOUGH_BLOCKS)))
        ++*team;
    const int64_t down = threads >> *team, tiles = mnp__divide_up(width, (along * signature->vector) << *team);
    const int64_t blocks = w->outputs / width * tiles;
    if (blocks <= ENOUGH_BLOCKS / 2) {
        plan->parts = mnp__clamp(2 * ENOUGH_BLOCKS / blocks, 1, w->elements / (2 * down * signature->unroll));
        plan->parts = mnp__clamp(plan->parts, 1, most_parts(w));
    }
    return blocks * plan->parts;
}

static mnp__launch cuda_launch(int64_t blocks)
{
    return (mnp__launch){.grid = {(unsigned)blocks, 1, 1}, .block = {MNP__REDUCTION_THREADS, 1, 1}, .early = true};
}

static void plan_cuda(walk *w, mnp__reduction_plan *plan, int along, int64_t *team, int64_t *deep)
{
    mnp__reduction_signature *signature = &plan->signature;
    int64_t blocks = 0;
    if (are_tiles(w, along, plan))
        blocks = mnp__reduction_plan_tiles(w->spec, w->nests, most_parts(w), plan, team, deep);
    if (blocks > 0) {
        signature->columns = false;
        plan->launch = cuda_launch(blocks);
        return;
    }
    signature->vector = (unsigned char)choose_vector(w, along, signature);
    choose_skew(w, signature);
    for (int i = 0; i < w->spec->ninputs && signature->vector > 1; i++) {
        if (signature->reach[i] == MNP_REACH_UNIT)
            signature->reach[i] = MNP_REACH_VECTOR;
    }
    signature->along = signature->unroll = 1;
    if (w->outputs > 0)
        blocks = signature->columns ? plan_columns(w, plan, team) : plan_rows(w, plan, team, deep);
    plan->launch = cuda_launch(blocks);
}

/* ---- the host ---- */

static mnp__launch host_launch(int64_t work)
{
    enum { WORTH_A_WORKER = 16384 };
    int64_t workers = work / WORTH_A_WORKER + 1;
    return (mnp__launch){.grid = {workers < 4096 ? (unsigned)workers : 4096, 1, 1}, .block = {1, 1, 1}};
}

static void plan_host(walk *w, mnp__reduction_plan *plan)
{
    plan->signature.vector = plan->signature.along = plan->signature.unroll = 1;
    int64_t elements = w->outputs * w->elements;
    int64_t lines = w->outputs;
    if (plan->signature.columns && w->outputs)
        lines = w->outputs / innermost_extent(w, KEPT) * 4 * mnp__divide_up(innermost_extent(w, KEPT), HOST_LINE);
    if (w->work->cut < 0 && lines > 0 && lines < HOST_PARTS) {
        plan->parts = mnp__clamp(HOST_PARTS / lines, 1, mnp__clamp(elements / HOST_PART / lines, 1, w->elements));
        plan->parts = mnp__clamp(plan->parts, 1, most_parts(w));
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
    return cuda_launch(mnp__divide_up(plan->outputs, MNP__REDUCTION_THREADS >> team));
}

/* ---- all together ---- */

static void fill_slots(walk *w, int64_t team, int64_t deep, mnp__reduction_plan *plan)
{
    const mnp_layout *layout = w->work->layout;
    int64_t rows = w->elements, width = innermost_extent(w, REDUCED), count = 1;
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
    slot += MNP__SLOT_EXTENTS;
    for (int which = KEPT; which <= REDUCED; which++) {
        for (int d = 0; d < w->nests[which].ndim; d++)
            *slot++ = (uint64_t)w->nests[which].extent[d];
    }
    for (int d = 0; d < w->nests[KEPT].ndim; d++)
        *slot++ = (uint64_t)w->stride[KEPT][w->place][d];
    for (int k = 0; k < w->place; k++) {
        *slot++ = w->base[k];
        for (int which = KEPT; which <= (k <= w->counter ? REDUCED : KEPT); which++) {
            for (int d = 0; d < w->nests[which].ndim; d++)
                *slot++ =
                    which == KEPT && d == 0 && w->base_more[k] ? w->base_more[k] : (uint64_t)w->stride[which][k][d];
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
static bool are_columns(walk *w, bool general)
{
    if (!on_gpu(w) && w->work->cut < 0)
        widen_columns(w);
    if (general && (on_gpu(w) || innermost_extent(w, KEPT) < WIDE))
        return false;
    return w->work->cut >= 0 || choose_columns(w);
}

void mnp__reduction_plan_make(const mnp__reduction_work *work, bool general, mnp__reduction_plan *plan)
{
    mnp__reduction_signature *signature = &plan->signature;
    int64_t team = 0, deep = 0;
    walk w;
    memset(signature, 0, sizeof *signature);
    gather(work, &w);
    plan->place = turn(&w);
    for (int which = KEPT; which <= REDUCED; which++) {
        mnp__nest_order(&w.nests[which], 0, w.spec->ninputs);
        if (work->cut < 0)
            mnp__nest_join(&w.nests[which]);
        mnp__nest_pad(&w.nests[which], which == REDUCED && work->cut >= 0 ? reduced_dims(work) : 1, 0);
    }
    signature->columns = are_columns(&w, general);
    if (general) {
        mnp__nest_pad(&w.nests[KEPT], MNP_MAX_DIMS, 0);
        /* a search along columns is along one dimension */
        mnp__nest_pad(&w.nests[REDUCED], signature->columns && w.spec->searches ? 1 : MNP_MAX_DIMS, 0);
    }
    signature->kept = (unsigned char)w.nests[KEPT].ndim;
    signature->reduced = (unsigned char)w.nests[REDUCED].ndim;
    const int along = signature->columns ? KEPT : REDUCED;
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
        plan_cuda(&w, plan, along, &team, &deep);
    else
        plan_host(&w, plan);
    fill_slots(&w, team, deep, plan);
}
