/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Planning a run: from the operands' strides to the kernel that suits them and to its parameter.
 *
 * Dimensions of extent 1 are dropped, the others are ordered by the first output's strides, and two adjacent ones are
 * joined where every operand steps through both with one stride.  Most runs end up with one dimension.  On a GPU the
 * others go by rows with vectors, by tiles, or flat (kernels/elementwise/elementwise_cuda.h says what that is).  Kinds
 * of strides (1, 0, aligned, transposed) are compiled into the kernel; values of strides are in the parameter.  Indices
 * that the body uses are treated as operands whose value is computed from the position instead of loaded, so they
 * remain right when dimensions are reordered and joined.
 *
 * Every call passes here, so nothing is allocated, and dimensions that do not exist cost nothing.
 */
#include "ops/elementwise/loop_plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/integer.h"
#include "base/value.h"
#include "device/launch.h"
#include "kernels/elementwise/elementwise_params.h"
#include "layout/layout.h"

enum {
    MOST_LANES_IDLE = 8, /* at most one in so many threads may idle at the end of rows */
    STREAMED_ROW = 256   /* least elements of a row whose results are written past the caches */
};

typedef mnp__loop_walk walk;

/* ---- operands ---- */

/* Set a scalar as the kernel's parameter holds it for a variable of that type; the kernel rounds small floats. */
static void set_scalar(const mnp_array *scalar, mnp_dtype type, uint64_t value[2])
{
    const bool small = type == MNP_FLOAT16 || type == MNP_BFLOAT16;
    const mnp__value number = mnp__value_read(scalar->dtype, mnp__scalar_value(scalar));
    value[0] = value[1] = 0;
    mnp__value_write(&number, small ? MNP_FLOAT64 : type, value);
}

static void add_counters(walk *w, const mnp_array *output)
{
    const int64_t *shape = output->layout->shape;
    int64_t flat = 1;
    for (int c = 0; c <= w->nest.ndim; c++) {
        if (!(w->loop->counters >> c & 1))
            continue;
        int64_t first = 0, *strides = w->stride[w->nest.count];
        for (int d = w->nest.ndim - 1; d >= 0; d--) {
            strides[d] = c == 0 ? flat : d == c - 1;
            first += output->local_lo[d] * strides[d];
            flat *= c == 0 ? shape[d] : 1;
        }
        w->base[w->nest.count++] = (uint64_t)first;
    }
}

static void gather(const mnp__loop *loop, const mnp_array *const *operands, walk *w)
{
    const mnp__loop_spec *spec = &loop->spec;
    const mnp_array *output = operands[spec->ninputs];
    w->loop = loop;
    w->nest.stride = w->stride;
    w->first_output = spec->ninputs;
    w->nest.ndim = output->layout->ndim;
    w->total = output->local_size;
    w->nest.count = spec->ninputs + spec->noutputs;
    for (int k = 0; k < w->nest.count; k++) {
        const mnp_array *array = operands[k];
        if (mnp__array_is_scalar(array)) {
            uint64_t value[2];
            set_scalar(array, spec->operands[k].type, value);
            w->access[k] = MNP_ACCESS_SCALAR;
            w->base[k] = value[0];
            w->second[k] = value[1];
        } else if (spec->operands[k].raw) {
            w->access[k] = MNP_ACCESS_RAW;
            w->base[k] = (uint64_t)(uintptr_t)array->data;
            w->second[k] = (uint64_t)array->local_size;
        } else {
            w->access[k] = MNP_ACCESS_STRIDED;
            w->base[k] = (uint64_t)(uintptr_t)array->data;
        }
    }
    if (spec->indices) {
        memset(w->access + w->nest.count, MNP_ACCESS_STRIDED, MNP__LOOP_COUNTERS);
        add_counters(w, output);
    }
}

/* ---- dimensions ---- */

/* Whether all arrays have the same number of elements and lie in C order without gaps, as most do. */
static bool is_contiguous(const walk *w, const mnp_array *const *operands)
{
    for (int k = 0; k < w->first_output + w->loop->spec.noutputs; k++) {
        if (mnp__loop_moves(w, k) && (!(operands[k]->dense & MNP__DENSE_C) || operands[k]->local_size != w->total))
            return false;
    }
    return w->loop->counters == 0;
}

/* Set one dimension of all elements, as simplify() would, but faster. */
static void set_contiguous(walk *w)
{
    w->nest.ndim = 1;
    w->nest.extent[0] = w->total > 0 ? w->total : 1;
    for (int k = 0; k < w->nest.count; k++)
        w->stride[k][0] = 1;
}

/* Set an array's strides along the loop's dimensions: 0 where it lacks the dimension or is broadcast. */
static void set_strides(const mnp_array *array, int ndim, int64_t *strides)
{
    int missing = ndim - array->layout->ndim;
    for (int d = 0; d < ndim; d++)
        strides[d] = d < missing || array->local_shape[d - missing] == 1 ? 0 : array->local_strides[d - missing];
}

/* Reverse the dimensions along which the first output has a negative stride. */
static void turn(walk *w)
{
    const int64_t *lead = w->stride[w->first_output];
    bool backwards = false;
    for (int d = 0; d < w->nest.ndim; d++)
        backwards = backwards || lead[d] < 0;
    if (!backwards)
        return;
    int64_t first[MNP__LOOP_OPERANDS] = {0};
    mnp__nest_turn(&w->nest, w->first_output, first);
    for (int k = 0; k < w->nest.count; k++) {
        int64_t bytes = k < w->first_output + w->loop->spec.noutputs ? (int64_t)w->loop->sizes[k] : 1;
        w->base[k] += (uint64_t)(first[k] * bytes);
    }
}

/* Set the operands' strides, in as few dimensions as possible. */
static void simplify(walk *w, const mnp_array *const *operands)
{
    const mnp_array *output = operands[w->first_output];
    for (int d = 0; d < w->nest.ndim; d++) /* an empty block only needs the kernel's signature */
        w->nest.extent[d] = w->total > 0 ? output->local_shape[d] : 1;
    for (int k = 0; k < w->first_output + w->loop->spec.noutputs; k++) {
        if (mnp__loop_moves(w, k))
            set_strides(operands[k], w->nest.ndim, w->stride[k]);
        else
            memset(w->stride[k], 0, sizeof w->stride[k]);
    }
    mnp__nest_drop(&w->nest);
    mnp__nest_order(&w->nest, w->first_output, w->first_output + 1);
    turn(w);
    mnp__nest_join(&w->nest);
}

static void count_rows(walk *w)
{
    w->rows = 1;
    for (int d = 0; d < w->nest.ndim - 1; d++)
        w->rows *= w->nest.extent[d];
}

/* ---- kernels of a GPU ---- */

/* Whether the numbers of elements, or offsets of an operand, need more than 32 bits. */
static bool needs_wide(const walk *w)
{
    enum { MARGIN = 1 << 16 }; /* as the last block of threads goes beyond the end */
    for (int k = 0; k < w->nest.count; k++) {
        int64_t reach = 0;
        for (int d = 0; d < w->nest.ndim && mnp__loop_moves(w, k); d++)
            reach += (w->nest.extent[d] - 1) * llabs(w->stride[k][d]);
        if (reach > INT32_MAX - MARGIN)
            return true;
    }
    return w->total > INT32_MAX - MARGIN;
}

/* Choose the rows of a thread, enough to keep many bytes in flight. */
static int choose_unroll(const walk *w, const mnp__loop_signature *signature)
{
    if (w->nest.ndim == MNP_MAX_DIMS) /* the code is already long */
        return 1;
    const mnp__loop_tuning *tuning = &w->loop->tuning;
    size_t bytes = 0;
    for (int k = 0; k < w->first_output + w->loop->spec.noutputs; k++) {
        if (mnp__loop_is_array(w, k) && (signature->access[k] & MNP_ACCESS_MASK) != MNP_ACCESS_BROADCAST)
            bytes += w->loop->sizes[k] * signature->vector;
    }
    if (w->loop->heavy)
        return tuning->unroll_heavy;
    int unroll = 1;
    while (2 * unroll <= tuning->unroll && 2 * (size_t)unroll * bytes <= (size_t)tuning->flight_bytes)
        unroll *= 2;
    return unroll;
}

__extension__ typedef unsigned __int128 wide;

/* By which mnp_divide() of kernels/elementwise/elementwise_cuda.h divides; wide loops need more bits. */
static uint64_t extent_divisor(const mnp__loop_signature *signature, int64_t d)
{
    uint64_t power = 1, divisor = (uint64_t)d;
    while (power < divisor)
        power *= 2;
    return signature->wide ? (uint64_t)(((wide)(power - divisor) << 64) / divisor + 1) : mnp__divisor(d);
}

/*
 * Choose the number of threads along a row, as an exponent of two: at least a warp or the whole row, and more as long
 * as few are idle at its end.
 */
static int choose_lanes(int64_t vectors, int threads)
{
    int least = 0;
    while (least < 5 && INT64_C(1) << least < vectors)
        least++;
    for (int lanes = least + 1, best = least;; lanes++) {
        int64_t idle = mnp__divide_up(vectors, INT64_C(1) << lanes) * (INT64_C(1) << lanes) - vectors;
        if (1 << lanes > threads)
            return best;
        if (idle <= vectors / MOST_LANES_IDLE)
            best = lanes;
    }
}

/* The parameter begins with this; operands follow. */
typedef struct heading {
    int64_t head, lanes, stream;
    uint64_t divide[MNP_MAX_DIMS];
} heading;

static int64_t plan_rows(const walk *w, const mnp__loop_signature *signature, heading *h)
{
    int threads = w->loop->tuning.threads, last = w->nest.ndim - 1;
    int64_t columns = w->nest.extent[last] + h->head;
    if (w->nest.ndim == 1)
        return mnp__divide_up(columns, (int64_t)threads * signature->vector * signature->unroll);
    h->lanes = choose_lanes(mnp__divide_up(columns, signature->vector), threads);
    int64_t chunks = mnp__divide_up(columns, (int64_t)signature->vector << h->lanes);
    h->divide[0] = mnp__divisor(chunks);
    h->divide[last] = (uint64_t)chunks;
    for (int d = 1; d < last; d++)
        h->divide[d] = extent_divisor(signature, w->nest.extent[d]);
    return chunks * mnp__divide_up(w->rows, (int64_t)(threads >> h->lanes) * signature->unroll);
}

static int64_t plan_flat(const walk *w, const mnp__loop_signature *signature, heading *h)
{
    for (int d = 1; d < w->nest.ndim; d++)
        h->divide[d] = extent_divisor(signature, w->nest.extent[d]);
    return mnp__divide_up(w->total + h->head, (int64_t)w->loop->tuning.threads * signature->vector * signature->unroll);
}

static int64_t plan_tiles(const walk *w, const mnp__loop_signature *signature, heading *h)
{
    int last = w->nest.ndim - 1;
    int64_t planes = w->rows / w->nest.extent[last - 1];
    for (int d = 1; d < last - 1; d++)
        h->divide[d] = extent_divisor(signature, w->nest.extent[d]);
    return planes * mnp__divide_up(w->nest.extent[last - 1], signature->tile) *
           mnp__divide_up(w->nest.extent[last], signature->tile);
}

/* Choose the side of tiles: a warp takes 8 vectors along a line, and a block's tiles stay within `tile_bytes`. */
static int tile_side(const walk *w, const mnp__loop_signature *signature)
{
    const mnp__loop_tuning *tuning = &w->loop->tuning;
    int bytes = 0, side = 8 * signature->vector;
    for (int k = 0; k < w->first_output; k++)
        bytes += signature->access[k] & MNP_ACCESS_TRANSPOSED ? (int)w->loop->sizes[k] : 0;
    while (side * side < tuning->threads * signature->vector ||
           (side < 128 && 4 * side * side * bytes <= tuning->tile_bytes))
        side *= 2;
    return side;
}

static void plan_cuda(walk *w, mnp__loop_plan *plan, heading *h)
{
    mnp__loop_signature *signature = &plan->signature;
    int threads = w->loop->tuning.threads;
    h->head = mnp__loop_choose_access(w, signature);
    signature->wide = signature->flat ? needs_wide(w) : w->rows > INT32_MAX;
    if (signature->tile) {
        signature->tile = (unsigned char)tile_side(w, signature);
        signature->unroll = (unsigned char)(signature->tile * signature->tile / signature->vector / threads);
    } else {
        signature->unroll = (unsigned char)choose_unroll(w, signature);
    }
    int64_t blocks = signature->tile   ? plan_tiles(w, signature, h)
                     : signature->flat ? plan_flat(w, signature, h)
                                       : plan_rows(w, signature, h);
    plan->launch = (mnp__launch){.grid = {(unsigned)blocks, 1, 1}, .block = {(unsigned)threads, 1, 1}, .early = true};
}

/* ---- kernels of the host ---- */

/* Whether to write results past the caches: if the data exceeds them and no output is an input in place. */
static bool is_streamed(const walk *w, const mnp__loop_signature *signature)
{
    size_t bytes = 0;
    for (int k = 0; k < w->first_output + w->loop->spec.noutputs; k++) {
        if (!mnp__loop_is_array(w, k))
            continue;
        if (k >= w->first_output && signature->access[k] != MNP_ACCESS_UNIT)
            return false;
        for (int i = 0; k >= w->first_output && i < w->first_output; i++) {
            if (w->base[i] == w->base[k])
                return false;
        }
        bytes += signature->access[k] == MNP_ACCESS_BROADCAST ? 0 : (size_t)w->total * w->loop->sizes[k];
    }
    return bytes >= (size_t)w->loop->tuning.stream_bytes && w->nest.extent[w->nest.ndim - 1] >= STREAMED_ROW;
}

static void plan_host(walk *w, mnp__loop_plan *plan, heading *h)
{
    enum { WORTH_A_WORKER = 16384 }; /* elements */
    size_t widest = 1;
    for (int k = 0; k < w->first_output; k++) {
        if (plan->signature.access[k] & MNP_ACCESS_TRANSPOSED && w->loop->sizes[k] > widest)
            widest = w->loop->sizes[k];
    }
    if (plan->signature.tile) /* lines of at least 256 bytes, while tiles fit into the first-level cache */
        plan->signature.tile = widest > 4 ? 32 : 64;
    plan->signature.vector = plan->signature.unroll = 1;
    h->stream = !plan->signature.tile && is_streamed(w, &plan->signature);
    int64_t workers = w->total / WORTH_A_WORKER + 1;
    plan->launch =
        (mnp__launch){.grid = {workers < 4096 ? (unsigned)workers : 4096, 1, 1}, .block = {1, 1, 1}, .divisible = true};
}

/* ---- all together ---- */

static void fill_slots(const walk *w, const mnp_array *output, const heading *h, mnp__loop_plan *plan)
{
    uint64_t *slot = plan->slots;
    for (int d = 0; d < w->nest.ndim; d++)
        *slot++ = (uint64_t)w->nest.extent[d];
    *slot++ = (uint64_t)(plan->signature.flat ? w->total : w->rows);
    *slot++ = (uint64_t)h->head;
    *slot++ = (uint64_t)h->lanes;
    *slot++ = (uint64_t)h->stream;
    for (int d = 0; d < w->nest.ndim; d++)
        *slot++ = h->divide[d];
    for (int k = 0; k < w->nest.count; k++) {
        *slot++ = w->base[k];
        for (int d = 0; d < w->nest.ndim; d++) {
            int64_t returns =
                plan->signature.flat && d < w->nest.ndim - 1 ? w->nest.extent[d + 1] * w->stride[k][d + 1] : 0;
            *slot++ = (uint64_t)(w->stride[k][d] - returns);
        }
        if (!mnp__loop_moves(w, k)) /* it takes the slot of its first stride */
            slot[-w->nest.ndim] = w->second[k];
    }
    if (w->loop->spec.indices) {
        *slot++ = (uint64_t)output->layout->size;
        for (int d = 0; d < plan->signature.indices; d++)
            *slot++ = d < output->layout->ndim ? (uint64_t)output->layout->shape[d] : 1;
    }
    plan->nslots = (int)(slot - plan->slots);
}

/* Whether there is one dimension, along which every array has stride 1 or 0. */
static bool is_plain(const walk *w, const mnp__loop_signature *signature)
{
    for (int k = 0; k < w->nest.count; k++) {
        if (mnp__loop_is_array(w, k) && signature->access[k] != MNP_ACCESS_UNIT)
            return false;
    }
    return w->nest.ndim == 1;
}

static bool on_gpu(const mnp__loop *loop)
{
    return loop->ctx->device->block_memory > 0;
}

/* Finish a plan once the walk's dimensions are known. */
static void finish(const mnp_array *output, bool general, mnp__loop_plan *plan)
{
    mnp__loop_signature *signature = &plan->signature;
    walk *w = &plan->walk;
    heading h = {0};
    memset(signature, 0, sizeof *signature);
    memcpy(signature->access, w->access, (size_t)w->nest.count);
    signature->noperands = (unsigned char)w->nest.count;
    if (w->loop->spec.indices)
        signature->indices = (unsigned char)(output->layout->ndim > 0 ? output->layout->ndim : 1);
    mnp__nest_pad(&w->nest, general ? MNP_MAX_DIMS : 1,
                  1); /* dimensions that contiguous operands have too, so no further kernel */
    if (!general) {
        mnp__loop_find_access(w, signature);
    }
    plan->small = w->total < w->loop->tuning.small && !is_plain(w, signature);
    signature->ndim = (unsigned char)w->nest.ndim;
    count_rows(w);
    if (on_gpu(w->loop))
        plan_cuda(w, plan, &h);
    else
        plan_host(w, plan, &h);
    fill_slots(w, output, &h, plan);
}

void mnp__loop_plan_make(const mnp__loop *loop, const mnp_array *const *operands, mnp__loop_plan *plan)
{
    walk *w = &plan->walk;
    gather(loop, operands, w);
    if (is_contiguous(w, operands))
        set_contiguous(w);
    else
        simplify(w, operands);
    finish(operands[w->first_output], false, plan);
}

void mnp__loop_plan_general(const mnp_array *output, mnp__loop_plan *plan)
{
    finish(output, true, plan);
}
