/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which kernel a run of a scan takes.
 *
 * The dimensions beside the axis are simplified: those of extent 1 are dropped, the others ordered by the strides of
 * the input and joined where they can be.  Threads lie along the axis, or across lines where these are closer in
 * memory.
 */
#include <stdlib.h>
#include <string.h>

#include "layout/layout.h"
#include "ops/reduction/reduction_plan.h"
#include "ops/scan/scan_plan.h"

enum {
    VECTOR_BYTES = 16,
    FLIGHT_BYTES = 64,    /* of the input that a thread should have under way */
    TILE_BYTES = 128,     /* the same where blocks wait for one another: longer tiles are fewer */
    USUAL_BYTES = 16,     /* of an acc: threads that keep more take fewer elements at once */
    SMALL = 1 << 14,      /* elements: blocks of fewer share one general kernel */
    MANY_LINES = 528,     /* enough for a block each */
    SHORT_LINE = 2048,    /* elements that are not worth a block */
    MANY_COLUMNS = 65536, /* threads across lines that keep a GPU busy */
    SHORT_PART = 64,      /* elements of a column that are not worth a thread */
    HOST_SHORT_ROW = 32,  /* elements that are not worth going along */
    HOST_NARROW = 8,      /* lines that are not worth going across */
    HOST_PARTS = 64,      /* of all lines together */
    HOST_PART = 1 << 15,  /* elements */
    HOST_COLUMNS = 256    /* lines that count as one there */
};

enum { IN, OUT, PLACE, STRIDES };

typedef struct dim {
    int64_t extent, stride[STRIDES];
} dim;

typedef struct nest {
    const mnp__reduction_spec *spec;
    const mnp_array *x, *out;
    int64_t lines, length, along[2];
    dim dims[MNP_MAX_DIMS];
    int ndim;
} nest;

/* ---- the dimensions ---- */

static void gather(nest *n, int axis)
{
    int64_t place = 1;
    n->lines = 1;
    n->ndim = 0;
    n->length = n->x->local_shape[axis];
    n->along[IN] = n->x->local_strides[axis];
    n->along[OUT] = n->out->local_strides[axis];
    for (int d = 0; d < n->x->layout->ndim; d++) {
        int64_t extent = n->x->local_shape[d];
        n->lines *= d == axis ? 1 : extent;
        if (d != axis && extent != 1)
            n->dims[n->ndim++] = (dim){extent, {n->x->local_strides[d], n->out->local_strides[d], 0}};
    }
    for (int d = n->ndim - 1; d >= 0; d--) {
        n->dims[d].stride[PLACE] = place;
        place *= n->dims[d].extent;
    }
}

static bool goes_outside(const dim *a, const dim *b)
{
    for (int k = IN; k <= OUT; k++) {
        int64_t x = llabs(a->stride[k]), y = llabs(b->stride[k]);
        if (x != y && x != 0 && y != 0)
            return x > y;
    }
    return false;
}

static void order(nest *n)
{
    for (int d = 1; d < n->ndim; d++) {
        for (int e = d; e > 0 && goes_outside(&n->dims[e], &n->dims[e - 1]); e--) {
            dim other = n->dims[e];
            n->dims[e] = n->dims[e - 1];
            n->dims[e - 1] = other;
        }
    }
}

static void join(nest *n)
{
    for (int d = n->ndim - 2; d >= 0; d--) {
        const dim *outer = &n->dims[d], *inner = outer + 1;
        bool joins = true;
        for (int k = 0; k < STRIDES; k++)
            joins = joins && outer->stride[k] == inner->stride[k] * inner->extent;
        if (!joins)
            continue;
        n->dims[d + 1].extent *= outer->extent;
        memmove(&n->dims[d], &n->dims[d + 1], (size_t)(n->ndim - d - 1) * sizeof *n->dims);
        n->ndim--;
    }
}

/* At least so many dimensions, by new ones of extent 1 outside. */
static void pad(nest *n, int least)
{
    int more = least - n->ndim;
    if (more <= 0)
        return;
    memmove(n->dims + more, n->dims, (size_t)n->ndim * sizeof *n->dims);
    memset(n->dims, 0, (size_t)more * sizeof *n->dims);
    for (int d = 0; d < more; d++)
        n->dims[d].extent = 1;
    n->ndim = least;
}

/* ---- both devices ---- */

static int64_t blocks_of(int64_t count, int64_t each)
{
    return (count + each - 1) / each;
}

static int64_t clamp(int64_t value, int64_t low, int64_t high)
{
    return value > high ? (high < low ? low : high) : value < low ? low : value;
}

/* The smallest power of two, up to 2 to the `most`, that is as much as `count`, as its exponent. */
static int exponent(int64_t count, int most)
{
    int e = 0;
    while (e < most && INT64_C(1) << e < count)
        e++;
    return e;
}

/* Parts of a line, of at least `shortest` elements, so that there are `wanted` of all `lines`. */
static int64_t choose_parts(const nest *n, int64_t lines, int64_t wanted, int64_t shortest)
{
    int64_t most = MNP__REDUCTION_SCRATCH / (int64_t)n->spec->accumulator / n->lines;
    int64_t parts = clamp(wanted / lines, 1, n->length / shortest);
    return clamp(parts, 1, most);
}

static dim *innermost(nest *n)
{
    return &n->dims[n->ndim - 1];
}

static void find_units(nest *n, bool columns, mnp__scan_signature *signature)
{
    const dim *inner = innermost(n);
    signature->unit_in = (columns ? inner->stride[IN] : n->along[IN]) == 1;
    signature->unit_out = (columns ? inner->stride[OUT] : n->along[OUT]) == 1;
}

/* ---- GPUs ---- */

/* Neighbours that are one access of both operands: all begin where that is possible. */
static int choose_vector(nest *n, bool columns, const mnp__scan_signature *signature)
{
    int64_t in = (int64_t)mnp_dtype_size(n->x->dtype), out = (int64_t)mnp_dtype_size(n->out->dtype);
    int64_t vector = VECTOR_BYTES / (in > out ? in : out);
    if (!signature->unit_in || !signature->unit_out)
        return 1;
    for (; vector > 1; vector /= 2) {
        bool fits = (uintptr_t)n->x->data % (uintptr_t)(vector * in) == 0 &&
                    (uintptr_t)n->out->data % (uintptr_t)(vector * out) == 0 &&
                    (!columns ||
                     (innermost(n)->extent % vector == 0 && n->along[IN] % vector == 0 && n->along[OUT] % vector == 0));
        for (int d = 0; d < n->ndim - columns; d++)
            fits = fits && n->dims[d].stride[IN] % vector == 0 && n->dims[d].stride[OUT] % vector == 0;
        if (fits)
            break;
    }
    return (int)vector;
}

static unsigned char choose_unroll(const nest *n, const mnp__scan_signature *signature, int64_t flight)
{
    int64_t bytes = signature->vector * (int64_t)mnp_dtype_size(n->x->dtype);
    int64_t unroll = clamp(flight / bytes, 2, 8);
    while (unroll > 2 && (int64_t)n->spec->accumulator * unroll > 8 * USUAL_BYTES)
        unroll /= 2;
    return (unsigned char)unroll;
}

static void plan_cuda(nest *n, bool columns, bool general, mnp__scan_plan *plan)
{
    mnp__scan_signature *signature = &plan->signature;
    signature->vector = (unsigned char)choose_vector(n, columns, signature);
    signature->unroll = choose_unroll(n, signature, FLIGHT_BYTES);
    int64_t row = (int64_t)signature->vector * 32, tile = row * signature->unroll * (MNP__SCAN_THREADS / 32), blocks;
    int team = exponent(blocks_of(n->length, signature->vector), 5);
    if (columns) {
        int64_t threads = n->lines / signature->vector;
        plan->parts = choose_parts(n, threads, MANY_COLUMNS, SHORT_PART);
        blocks = blocks_of(threads * plan->parts, MNP__SCAN_THREADS);
        plan->totals.grid[0] = (unsigned)blocks_of(threads * (plan->parts - 1), MNP__SCAN_THREADS);
        plan->totals.grid[1] = plan->totals.grid[2] = 1;
        plan->totals.block[0] = MNP__SCAN_THREADS;
        plan->totals.block[1] = plan->totals.block[2] = 1;
    } else if (n->length <= SHORT_LINE || general) {
        blocks = blocks_of(n->lines, MNP__SCAN_THREADS >> team);
    } else if (n->lines >= MANY_LINES || n->length <= tile) {
        signature->way = MNP_SCAN_BLOCKS;
        blocks = n->lines;
    } else {
        signature->way = MNP_SCAN_TILES;
        signature->unroll = choose_unroll(n, signature, TILE_BYTES);
        tile = row * signature->unroll * (MNP__SCAN_THREADS / 32);
        plan->slots[MNP__SCAN_PARTS] = (uint64_t)blocks_of(n->length, tile);
        blocks = n->lines * blocks_of(n->length, tile);
        plan->state = 16 + (size_t)blocks * n->spec->accumulator / 8 * 16;
    }
    plan->slots[MNP__SCAN_TEAM] = (uint64_t)team;
    plan->launch = (mnp__launch){.grid = {(unsigned)blocks, 1, 1}, .block = {MNP__SCAN_THREADS, 1, 1}};
}

/* ---- the host ---- */

static void plan_host(nest *n, bool columns, int threads, mnp__scan_plan *plan)
{
    enum { WORTH_A_WORKER = 16384, MOST_WORKERS = 4096 };
    int64_t across = innermost(n)->extent;
    int64_t lines = columns ? n->lines / across * blocks_of(across, HOST_COLUMNS) : n->lines;
    plan->signature.vector = plan->signature.unroll = 1;
    if (threads > 1 && lines < HOST_PARTS)
        plan->parts = choose_parts(n, lines, HOST_PARTS, HOST_PART);
    int64_t workers = clamp(n->lines * n->length / WORTH_A_WORKER + 1, 1, MOST_WORKERS);
    plan->launch = plan->totals = (mnp__launch){.grid = {(unsigned)workers, 1, 1}, .block = {1, 1, 1}};
}

/* ---- all together ---- */

static bool choose_columns(nest *n, bool on_gpu)
{
    const dim axis = {n->length, {n->along[IN], n->along[OUT], 0}}, *inner = innermost(n);
    if (n->ndim == 0 || n->lines == 1 || n->length == 1)
        return n->lines > 1;
    bool rows_are_inner = goes_outside(inner, &axis);
    if (on_gpu)
        return !rows_are_inner;
    return rows_are_inner ? n->length < HOST_SHORT_ROW && inner->extent >= HOST_NARROW : inner->extent >= HOST_NARROW;
}

static void fill_slots(const nest *n, mnp__scan_plan *plan)
{
    uint64_t *slot = plan->slots;
    slot[MNP__SCAN_LINES] = (uint64_t)n->lines;
    slot[MNP__SCAN_LENGTH] = (uint64_t)n->length;
    if (plan->state == 0)
        slot[MNP__SCAN_PARTS] = (uint64_t)plan->parts;
    slot += MNP__SCAN_EXTENTS;
    for (int d = 0; d < n->ndim; d++)
        *slot++ = (uint64_t)n->dims[d].extent;
    for (int d = 0; d < n->ndim; d++)
        *slot++ = (uint64_t)n->dims[d].stride[PLACE];
    for (int k = IN; k <= OUT; k++) {
        *slot++ = (uint64_t)(uintptr_t)(k == IN ? n->x->data : n->out->data);
        *slot++ = (uint64_t)n->along[k];
        for (int d = 0; d < n->ndim; d++)
            *slot++ = (uint64_t)n->dims[d].stride[k];
    }
    plan->nslots = (int)(slot - plan->slots);
}

void mnp__scan_plan_make(const mnp__reduction_spec *spec, const mnp_array *x, const mnp_array *out, int axis,
                         int threads, bool general, mnp__scan_plan *plan)
{
    nest n = {.spec = spec, .x = x, .out = out};
    *plan = (mnp__scan_plan){.parts = 1};
    gather(&n, axis);
    order(&n);
    join(&n);
    bool columns = !general && choose_columns(&n, threads == 0);
    pad(&n, general ? MNP_MAX_DIMS : 1);
    plan->lines = n.lines;
    plan->small = n.lines * n.length < SMALL;
    plan->signature =
        (mnp__scan_signature){.way = columns ? MNP_SCAN_COLUMNS : MNP_SCAN_ROWS, .kept = (unsigned char)n.ndim};
    if (n.lines == 0 || n.length == 0)
        return;
    if (!general)
        find_units(&n, columns, &plan->signature);
    if (threads == 0)
        plan_cuda(&n, columns, general, plan);
    else
        plan_host(&n, columns, threads, plan);
    fill_slots(&n, plan);
}
