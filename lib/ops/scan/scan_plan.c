/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Planning a run of a scan: from the operands' strides to the kernel that suits them and to its parameter.
 *
 * The dimensions other than the axis are simplified: those of extent 1 are dropped, the others are ordered by the
 * strides of the input and joined where they can be.  Adjacent threads take adjacent elements along the axis, or
 * adjacent lines where these are closer in memory.
 */
#include <stdlib.h>
#include <string.h>

#include "base/integer.h"
#include "base/nest.h"
#include "device/launch.h"
#include "layout/layout.h"
#include "ops/reduction/reduction_plan.h"
#include "ops/scan/scan_plan.h"

enum {
    VECTOR_BYTES = 16,
    FLIGHT_BYTES = 64,    /* of the input that a thread should have in flight */
    TILE_BYTES = 128,     /* the same where blocks wait for one another: larger tiles mean fewer waits */
    USUAL_BYTES = 16,     /* of an accumulator; threads with larger ones take fewer elements at once */
    SMALL = 1 << 14,      /* blocks of fewer elements share one general kernel */
    MANY_LINES = 528,     /* so many lines get a block each */
    SHORT_LINE = 2048,    /* lines of fewer elements do not get a block of threads */
    MANY_COLUMNS = 65536, /* so many threads across lines keep a GPU busy */
    NARROW_BYTES = 128,   /* of so many alternating lines an element each */
    LEAST_SHORT = 4,      /* least lines of a block that has several in shared memory */
    SHORT_STRIP = 4,      /* elements that a thread should have of such a line */
    SHORT_PART = 64,      /* least elements of a part of a column */
    HOST_SHORT_ROW = 32,  /* on the host shorter rows are scanned across lines */
    HOST_NARROW = 8,      /* on the host fewer lines are scanned one after the other */
    HOST_PARTS = 64,      /* most parts of all lines together */
    HOST_PART = 1 << 15,  /* least elements of a part on the host */
    HOST_COLUMNS = 256    /* lines that count as one on the host */
};

enum { IN, OUT, PLACE, OPERANDS }; /* PLACE: the numbers of lines */

/* A run while it is being planned. */
typedef struct walk {
    const mnp__reduction_spec *spec;
    const mnp_array *x, *out;
    int64_t lines, length;
    mnp__nest axis, beside; /* the dimension that is scanned, and the others */
    int64_t along[OPERANDS][MNP_MAX_DIMS], stride[OPERANDS][MNP_MAX_DIMS];
} walk;

/* ---- the dimensions ---- */

static void add_dim(const walk *w, int d, mnp__nest *nest)
{
    nest->extent[nest->ndim] = w->x->local_shape[d];
    nest->stride[IN][nest->ndim] = w->x->local_strides[d];
    nest->stride[OUT][nest->ndim] = w->out->local_strides[d];
    nest->stride[PLACE][nest->ndim++] = 0;
}

static void gather(walk *w, int axis)
{
    int64_t place = 1;
    w->axis = (mnp__nest){.count = OPERANDS, .stride = w->along};
    w->beside = (mnp__nest){.count = OPERANDS, .stride = w->stride};
    w->lines = 1;
    w->length = w->x->local_shape[axis];
    add_dim(w, axis, &w->axis);
    for (int d = 0; d < w->x->layout->ndim; d++) {
        if (d == axis)
            continue;
        w->lines *= w->x->local_shape[d];
        add_dim(w, d, &w->beside);
    }
    mnp__nest_drop(&w->beside);
    for (int d = w->beside.ndim - 1; d >= 0; d--) {
        w->stride[PLACE][d] = place;
        place *= w->beside.extent[d];
    }
}

/* ---- both devices ---- */

/* Choose the parts of a line so that all `lines` have about `wanted`, each of at least `shortest` elements. */
static int64_t choose_parts(const walk *w, int64_t lines, int64_t wanted, int64_t shortest)
{
    int64_t most = MNP__REDUCTION_SCRATCH / (int64_t)w->spec->accumulator / w->lines;
    int64_t parts = mnp__clamp(wanted / lines, 1, w->length / shortest);
    return mnp__clamp(parts, 1, most);
}

/* The innermost dimension other than the axis; there is one once the nest is padded. */
static int innermost(const walk *w)
{
    return w->beside.ndim - 1;
}

static void find_units(const walk *w, bool columns, mnp__scan_signature *signature)
{
    const int d = innermost(w);
    signature->unit_in = (columns ? w->stride[IN][d] : w->along[IN][0]) == 1;
    signature->unit_out = (columns ? w->stride[OUT][d] : w->along[OUT][0]) == 1;
}

/* ---- GPUs ---- */

/* Choose how many adjacent elements are one access in both operands; all accesses must be aligned. */
static int choose_vector(walk *w, bool columns, const mnp__scan_signature *signature)
{
    int64_t in = (int64_t)mnp_dtype_size(w->x->dtype), out = (int64_t)mnp_dtype_size(w->out->dtype);
    int64_t vector = VECTOR_BYTES / mnp__max(in, out);
    if (!signature->unit_in || !signature->unit_out)
        return 1;
    for (; vector > 1; vector /= 2) {
        bool fits = (uintptr_t)w->x->data % (uintptr_t)(vector * in) == 0 &&
                    (uintptr_t)w->out->data % (uintptr_t)(vector * out) == 0 &&
                    (!columns || (w->beside.extent[innermost(w)] % vector == 0 && w->along[IN][0] % vector == 0 &&
                                  w->along[OUT][0] % vector == 0));
        for (int d = 0; d < w->beside.ndim - columns; d++)
            fits = fits && w->stride[IN][d] % vector == 0 && w->stride[OUT][d] % vector == 0;
        if (fits)
            break;
    }
    return (int)vector;
}

static unsigned char choose_unroll(const walk *w, const mnp__scan_signature *signature, int64_t flight)
{
    int64_t bytes = signature->vector * (int64_t)mnp_dtype_size(w->x->dtype);
    int64_t unroll = mnp__clamp(flight / bytes, 2, 8);
    while (unroll > 2 && (int64_t)w->spec->accumulator * unroll > 8 * USUAL_BYTES)
        unroll /= 2;
    return (unsigned char)unroll;
}

/* Whether an operand's elements follow one another in memory, those of `inner` lines in turn. */
static bool is_dense(const walk *w, int k, int64_t inner)
{
    const int d = innermost(w);
    const bool groups = inner > 1;
    return w->along[k][0] == inner && (!groups || w->stride[k][d] == 1) &&
           (w->beside.ndim == groups || w->stride[k][d - groups] == w->length * inner);
}

/*
 * Plan short lines that follow one another in memory, or alternate, if vectors are not aligned or lines alternate by
 * few elements: the threads of a line, as the power of two, and the lines of a block.  False: they do not suit.
 */
static bool plan_short(const walk *w, bool columns, const mnp__scan_signature *signature, int *team,
                       mnp__scan_plan *plan)
{
    const int64_t in = (int64_t)mnp_dtype_size(w->x->dtype), out = (int64_t)mnp_dtype_size(w->out->dtype);
    const int64_t size = mnp__max(in, out), inner = columns ? w->beside.extent[innermost(w)] : 1;
    const int64_t groups = MNP__SCAN_SHORT_BYTES / size / w->length / inner, fit = groups * inner;
    if (w->spec->steady || w->beside.ndim > 1 + columns || !is_dense(w, IN, inner) || !is_dense(w, OUT, inner) ||
        w->length < 2 || fit < LEAST_SHORT || (uintptr_t)w->x->data % (uintptr_t)in != 0 ||
        (uintptr_t)w->out->data % (uintptr_t)out != 0)
        return false;
    if (columns ? inner * size > NARROW_BYTES : signature->vector * size >= VECTOR_BYTES)
        return false;
    *team = 0;
    while (*team < 5 && fit << (*team + 1) <= MNP__SCAN_THREADS && w->length >> *team > SHORT_STRIP)
        ++*team;
    if (*team < 5 && fit << *team < MNP__SCAN_THREADS * 3 / 4 && w->length >> *team > SHORT_STRIP)
        ++*team;
    const int64_t at_once = mnp__divide_up(MNP__SCAN_THREADS >> *team, inner) * inner;
    plan->each = fit > at_once ? fit / at_once * at_once : fit;
    return true;
}

static void plan_cuda(walk *w, bool columns, bool general, mnp__scan_plan *plan)
{
    mnp__scan_signature *signature = &plan->signature;
    signature->vector = (unsigned char)choose_vector(w, columns, signature);
    signature->unroll = choose_unroll(w, signature, FLIGHT_BYTES);
    int64_t row = (int64_t)signature->vector * 32, tile = row * signature->unroll * (MNP__SCAN_THREADS / 32), blocks;
    int team = mnp__exponent_above(mnp__divide_up(w->length, signature->vector), 5);
    if (!general && plan_short(w, columns, signature, &team, plan)) {
        signature->way = MNP_SCAN_SHORT;
        signature->vector = signature->unroll = 1;
        blocks = mnp__divide_up(w->lines, plan->each);
    } else if (columns) {
        int64_t threads = w->lines / signature->vector;
        plan->parts = choose_parts(w, threads, MANY_COLUMNS, SHORT_PART);
        blocks = mnp__divide_up(threads * plan->parts, MNP__SCAN_THREADS);
        plan->totals.grid[0] = (unsigned)mnp__divide_up(threads * (plan->parts - 1), MNP__SCAN_THREADS);
        plan->totals.grid[1] = plan->totals.grid[2] = 1;
        plan->totals.block[0] = MNP__SCAN_THREADS;
        plan->totals.block[1] = plan->totals.block[2] = 1;
    } else if (w->length <= SHORT_LINE || general) {
        blocks = mnp__divide_up(w->lines, MNP__SCAN_THREADS >> team);
    } else if (w->lines >= MANY_LINES || w->length <= tile) {
        signature->way = MNP_SCAN_BLOCKS;
        blocks = w->lines;
    } else {
        signature->way = MNP_SCAN_TILES;
        signature->unroll = choose_unroll(w, signature, TILE_BYTES);
        tile = row * signature->unroll * (MNP__SCAN_THREADS / 32);
        plan->slots[MNP__SCAN_PARTS] = (uint64_t)mnp__divide_up(w->length, tile);
        blocks = w->lines * mnp__divide_up(w->length, tile);
        plan->state = 16 + (size_t)blocks * w->spec->accumulator / 8 * 16;
    }
    plan->slots[MNP__SCAN_TEAM] = (uint64_t)team;
    plan->launch = (mnp__launch){.grid = {(unsigned)blocks, 1, 1}, .block = {MNP__SCAN_THREADS, 1, 1}};
}

/* ---- the host ---- */

static void plan_host(walk *w, bool columns, int threads, mnp__scan_plan *plan)
{
    enum { WORTH_A_WORKER = 16384, MOST_WORKERS = 4096 };
    int64_t across = w->beside.extent[innermost(w)];
    int64_t lines = columns ? w->lines / across * mnp__divide_up(across, HOST_COLUMNS) : w->lines;
    plan->signature.vector = plan->signature.unroll = 1;
    if (threads > 1 && lines < HOST_PARTS)
        plan->parts = choose_parts(w, lines, HOST_PARTS, HOST_PART);
    int64_t workers = mnp__clamp(w->lines * w->length / WORTH_A_WORKER + 1, 1, MOST_WORKERS);
    plan->launch = plan->totals = (mnp__launch){.grid = {(unsigned)workers, 1, 1}, .block = {1, 1, 1}};
}

/* ---- all together ---- */

static bool choose_columns(const walk *w, bool on_gpu)
{
    if (w->beside.ndim == 0 || w->lines == 1 || w->length == 1)
        return w->lines > 1;
    bool rows_are_inner = mnp__nest_is_outside(&w->beside, innermost(w), &w->axis, 0, IN, PLACE);
    int64_t across = w->beside.extent[innermost(w)];
    if (on_gpu)
        return !rows_are_inner;
    return rows_are_inner ? w->length < HOST_SHORT_ROW && across >= HOST_NARROW : across >= HOST_NARROW;
}

static void fill_slots(const walk *w, mnp__scan_plan *plan)
{
    uint64_t *slot = plan->slots;
    slot[MNP__SCAN_LINES] = (uint64_t)w->lines;
    slot[MNP__SCAN_LENGTH] = (uint64_t)w->length;
    if (plan->state == 0)
        slot[MNP__SCAN_PARTS] = (uint64_t)(plan->each ? plan->each : plan->parts);
    slot += MNP__SCAN_EXTENTS;
    for (int d = 0; d < w->beside.ndim; d++)
        *slot++ = (uint64_t)w->beside.extent[d];
    for (int d = 0; d < w->beside.ndim; d++)
        *slot++ = (uint64_t)w->stride[PLACE][d];
    for (int k = IN; k <= OUT; k++) {
        *slot++ = (uint64_t)(uintptr_t)(k == IN ? w->x->data : w->out->data);
        *slot++ = (uint64_t)w->along[k][0];
        for (int d = 0; d < w->beside.ndim; d++)
            *slot++ = (uint64_t)w->stride[k][d];
    }
    plan->nslots = (int)(slot - plan->slots);
}

void mnp__scan_plan_make(const mnp__reduction_spec *spec, const mnp_array *x, const mnp_array *out, int axis,
                         int threads, bool general, mnp__scan_plan *plan)
{
    walk w;
    w.spec = spec;
    w.x = x;
    w.out = out;
    *plan = (mnp__scan_plan){.parts = 1};
    gather(&w, axis);
    mnp__nest_order(&w.beside, IN, PLACE);
    mnp__nest_join(&w.beside);
    bool columns = !general && choose_columns(&w, threads == 0);
    mnp__nest_pad(&w.beside, general ? MNP_MAX_DIMS : 1, 0);
    plan->lines = w.lines;
    plan->small = w.lines * w.length < SMALL;
    plan->signature =
        (mnp__scan_signature){.way = columns ? MNP_SCAN_COLUMNS : MNP_SCAN_ROWS, .kept = (unsigned char)w.beside.ndim};
    if (w.lines == 0 || w.length == 0)
        return;
    if (!general)
        find_units(&w, columns, &plan->signature);
    if (threads == 0)
        plan_cuda(&w, columns, general, plan);
    else
        plan_host(&w, columns, threads, plan);
    fill_slots(&w, plan);
}
