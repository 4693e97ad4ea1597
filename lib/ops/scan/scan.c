/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Running a scan from its operands to its results, and the memory that a context keeps for scans.
 *
 * A run is one launch, or two where lines are divided into parts: the first computes the totals of the parts, the
 * second the values.
 */
#include "ops/scan/scan.h"

#include <stdlib.h>
#include <string.h>

#include "array/output.h"
#include "base/text.h"
#include "layout/layout.h"
#include "ops/reduction/reduction_plan.h"
#include "ops/scan/scan_plan.h"

enum {
    SMALL_STATE = 1 << 20
}; /* bytes, which are set to zeros before each run: then blocks find them in the L2 cache */

/* What a context keeps for all scans. */
typedef struct shared {
    int threads; /* of a rank on the host; 0 on a GPU */
    void *state; /* of tiles; it grows on demand */
    size_t state_size;
    uint64_t runs, blocks; /* that have used this memory */
} shared;

/* ---- what the context keeps ---- */

static void free_shared(mnp_ctx *ctx, void *data)
{
    shared *all = data;
    ctx->device->ops->free(ctx->device, all->state);
    free(all);
}

static mnp_status get_shared(mnp_ctx *ctx, shared **shared_p)
{
    mnp__attachment *attached = &ctx->attached[MNP__ATTACHED_SCANS];
    if (!attached->data) {
        mnp_rank_info info;
        shared *all;
        MNP_TRY(ctx->device->ops->info(ctx->device, &info));
        MNP_TRY(mnp__calloc(1, sizeof *all, &all));
        all->threads = ctx->device->block_memory > 0 ? 0 : info.multiprocessors;
        attached->data = all;
        attached->free = free_shared;
    }
    *shared_p = attached->data;
    return MNP_OK;
}

/* Enqueue on the compute stream that so much of the memory for the state of tiles is set to zeros. */
static mnp_status clear_state(mnp_ctx *ctx, shared *all, size_t size)
{
    all->blocks = 0; /* the counter is there, too */
    return ctx->device->ops->fill(ctx->device, all->state, 0, size, ctx->compute);
}

static mnp_status need_state(mnp_ctx *ctx, shared *all, size_t size)
{
    const mnp__device_ops *ops = ctx->device->ops;
    if (size > 0) /* a later scan that needs more would free the memory that a graph uses */
        MNP_TRY(mnp__refuse_recording(ctx->device, "a scan of long lines"));
    if (size <= all->state_size)
        return MNP_OK;
    ops->free(ctx->device, all->state);
    all->state = NULL;
    all->state_size = 0;
    MNP_TRY(ops->alloc(ctx->device, size, &all->state));
    MNP_TRY(ops->fill(ctx->device, all->state, 0, size, ctx->compute));
    all->state_size = size;
    all->runs = all->blocks = 0;
    return MNP_OK;
}

/* ---- kernels ---- */

/* Bytes of shared memory for a tile: see mnp_places of kernels/scan/scan_tiles.h. */
static size_t tile_bytes(size_t vector, size_t unroll)
{
    const size_t row = vector >= 128 ? 1 : unroll > 8 ? unroll : 128 / vector;
    return MNP__SCAN_THREADS / 32 * (32 * unroll + 32 * unroll / row) * vector;
}

static mnp_status load(const mnp__reduction *reduction, const mnp__scan_signature *signature, mnp__kernel **kernel_p)
{
    mnp__text text = MNP__TEXT_EMPTY, function = MNP__TEXT_EMPTY;
    const mnp__loop_operand *operands = reduction->spec.operands;
    const size_t in = mnp_dtype_size(operands[0].memory), out = mnp_dtype_size(operands[1].memory);
    const size_t larger = in > out ? in : out;
    size_t bytes = 0; /* some more than elements take, as these need not be aligned */
    if (signature->way == MNP_SCAN_SHORT)
        bytes = (size_t)mnp__scan_short_bytes((int64_t)in, (int64_t)out) + 64;
    else if (signature->way == MNP_SCAN_BANDS)
        bytes = MNP__SCAN_THREADS * signature->unroll * larger + 32;
    else if (signature->way == MNP_SCAN_TILES)
        bytes = tile_bytes(signature->vector * larger, signature->unroll);
    mnp__text_add(&function, "scan_%s", reduction->spec.name);
    mnp__text_add(&text, "#define MNP_SCAN scan_%s\n#define MNP_KEPT %d\n#define MNP_WAY %d\n", reduction->spec.name,
                  signature->kept, signature->way);
    mnp__text_add(&text, "#define MNP_UNIT_IN %d\n#define MNP_UNIT_OUT %d\n#define MNP_ACC_BYTES %zu\n",
                  signature->unit_in, signature->unit_out, reduction->spec.accumulator);
    mnp__text_add(&text, "#define MNP_SCAN_GROUPS %d\n#define MNP_SCAN_BAND_COLUMNS %d\n", MNP__SCAN_GROUPS,
                  MNP__SCAN_BAND_COLUMNS);
    mnp__text_add(&text, "#define MNP_STEADY %d\n#define MNP_LOOKS %d\n", reduction->spec.steady,
                  reduction->spec.looks);
    mnp__text_add(&text, "#define MNP_THREADS %d\n#define MNP_VECTOR %d\n#define MNP_UNROLL %d\n", MNP__SCAN_THREADS,
                  signature->vector, signature->unroll);
    mnp__text_add(&text, "#define MNP_BESIDE %d\n#define MNP_SHIFTED %d\n", signature->beside, signature->shifted);
    return mnp__generated_load(&reduction->generated, reduction->ctx->device,
                               &(mnp__kernel_spec){.file = "scan/scan.cu", .shared_bytes = bytes}, &function, &text,
                               kernel_p);
}

/* ---- one run ---- */

typedef struct run {
    mnp_ctx *ctx;
    mnp__reduction *reduction;
    const mnp__scan_call *call;
    mnp__output output;
    unsigned repeated; /* bit d: along dimension d the input repeats one element, and results at index 0 are copied */
    shared *shared;
    mnp__scan_plan plan;
    mnp__kernel *kernel;
    void *scratch;
} run;

/*
 * Open the output; a new one is stored as x is.  A scan works in place; if x and the output overlap otherwise, it
 * writes to a new array.
 */
static mnp_status open_output(run *r)
{
    const mnp__loop_operand *operands = r->reduction->spec.operands;
    const mnp_array *x = r->call->x;
    const bool in_place = *r->call->out_p == x && operands[0].memory == operands[1].memory;
    mnp_layout *layout;
    MNP_TRY(mnp_layout_with_order(x->layout, x->stored, &layout));
    const mnp__output_spec spec = {.function = r->call->function,
                                   .ctx = r->ctx,
                                   .dtype = operands[1].memory,
                                   .layout = layout,
                                   .ninputs = in_place ? 0 : 1,
                                   .inputs = &r->call->x};
    mnp_status st = mnp__output_open(&spec, r->call->out_p, &r->output);
    mnp_layout_free(layout);
    return st;
}

/* Plan the run, and find the plan's kernel among those that were loaded before. */
static void make_plan(run *r, bool general)
{
    const mnp__scan_signature *signature = &r->plan.signature;
    mnp__scan_plan_make(&r->reduction->spec, r->call->x, r->output.array, r->call->axis, r->repeated,
                        r->shared->threads, general, &r->plan);
    r->kernel = mnp__entries_find(r->reduction->scans, signature, sizeof *signature);
}

/* Load the plan's kernel unless it is there. */
static mnp_status need_kernel(run *r)
{
    const mnp__scan_signature *signature = &r->plan.signature;
    if (r->kernel || r->plan.launch.grid[0] == 0)
        return MNP_OK;
    MNP_TRY(load(r->reduction, signature, &r->kernel));
    return mnp__entries_add_kernel(r->ctx->device, &r->reduction->scans, signature, sizeof *signature, r->kernel);
}

/* Plan the run, and find or make its kernel and memory.  Small blocks share one kernel for all strides. */
static mnp_status prepare(run *r)
{
    const mnp__scan_plan *plan = &r->plan;
    make_plan(r, false);
    if (plan->small && !r->kernel) {
        if (r->ctx->device->rehearses) /* what larger arrays will need */
            MNP_TRY(need_kernel(r));
        make_plan(r, true);
    }
    MNP_TRY(need_kernel(r));
    MNP_TRY(mnp__reduction_scratch(r->ctx, &r->scratch));
    return need_state(r->ctx, r->shared, plan->state);
}

/* Set which of the ranks that share lines own the elements before this rank's part. */
static void set_known(run *r, const mnp__reduction_known *known)
{
    bool reversed = r->call->x->layout->reversed[r->call->axis];
    int64_t first = reversed ? known->members - 1 : 0, count = reversed ? first - known->mine : known->mine;
    uint64_t *slots = r->plan.slots;
    slots[MNP__SCAN_KNOWN] = (uint64_t)(uintptr_t)known->parts;
    slots[MNP__SCAN_FIRST] = (uint64_t)first;
    slots[MNP__SCAN_BY] = (uint64_t)(reversed ? -1 : 1);
    slots[MNP__SCAN_COUNT] = (uint64_t)(known->parts ? count : 0);
}

static mnp_status launch(run *r, const mnp__launch *how, int task)
{
    r->plan.slots[MNP__SCAN_TASK] = (uint64_t)task;
    return r->ctx->device->ops->launch(r->ctx->device, r->kernel, how, r->plan.slots,
                                       (size_t)r->plan.nslots * sizeof *r->plan.slots, r->ctx->compute);
}

static mnp_status compute(run *r)
{
    mnp__scan_plan *plan = &r->plan;
    if (plan->launch.grid[0] == 0)
        return MNP_OK;
    plan->slots[MNP__SCAN_PART_TOTALS] = (uint64_t)(uintptr_t)r->scratch;
    plan->slots[MNP__SCAN_STATE] = (uint64_t)(uintptr_t)r->shared->state;
    if (plan->parts > 1)
        MNP_TRY(launch(r, &plan->totals, MNP_SCAN_TOTALS));
    if (plan->state > 0 && plan->state <= SMALL_STATE)
        MNP_TRY(clear_state(r->ctx, r->shared, plan->state));
    if (plan->state > 0) {
        plan->slots[MNP__SCAN_RUN_NUMBER] = ++r->shared->runs;
        plan->slots[MNP__SCAN_BLOCKS_BEFORE] = r->shared->blocks;
        r->shared->blocks += plan->launch.grid[0];
    }
    const mnp_status st = launch(r, &plan->launch, MNP_SCAN_VALUES);
    if (st != MNP_OK && plan->state > 0)
        r->shared->state_size = 0; /* so that the next run begins with zeros again */
    return st;
}

static mnp_status execute(run *r)
{
    mnp__reduction_known known;
    if (r->repeated)
        MNP_TRY(mnp__array_repeat_prepare(r->output.array));
    mnp_status st = get_shared(r->ctx, &r->shared);
    if (st == MNP_OK)
        st = prepare(r);
    if (!r->reduction->scan_agreed)
        st = MNP_AGREE(r->ctx, st);
    MNP_TRY(st);
    r->reduction->scan_agreed = true;
    MNP_TRY(mnp__reduction_share(r->reduction, r->call->function, r->call->x, 1u << r->call->axis, &known));
    set_known(r, &known);
    MNP_TRY(compute(r));
    return r->repeated ? mnp__array_repeat(r->output.array, r->repeated) : MNP_OK;
}

/* The dimensions along which all lines are known to be the same; not where ranks share lines, which they number. */
static unsigned find_repeated(const mnp_array *x, int axis)
{
    return mnp__is_shared(x->layout, 1u << axis) ? 0 : x->repeated & ~(1u << axis);
}

/*
 * Whether a GPU should copy the input to the output and scan there: it lies in another order, or has gaps in short
 * runs, so that a scan would read or write single elements far from one another.  On one rank, as others may see it
 * otherwise.
 */
static bool is_rearranged(const run *r)
{
    enum { FAR = 8, SHORT_BYTES = 256, LEAST = 1 << 16 };
    const mnp_array *x = r->call->x, *out = r->output.array;
    if (r->ctx->device->block_memory == 0 || r->ctx->comm.size > 1 || r->repeated || x == out ||
        x->dtype != out->dtype || mnp__array_is_scalar(x) || x->local_size < LEAST)
        return false;
    for (int d = 0; d < x->layout->ndim; d++) {
        const int64_t stride = x->local_strides[d] < 0 ? -x->local_strides[d] : x->local_strides[d];
        const int64_t bytes = x->local_shape[d] * (int64_t)mnp_dtype_size(x->dtype);
        if (x->local_shape[d] > 1 && out->local_strides[d] == 1)
            return stride >= FAR || (stride != 1 && bytes < SHORT_BYTES);
    }
    return false;
}

/* Whether lines have one element, and the results are these, converted once. */
static bool is_copy(const run *r)
{
    const mnp__loop_operand *in = &r->reduction->spec.operands[0], *out = &r->reduction->spec.operands[1];
    return r->call->keeps_first && r->call->x->layout->shape[r->call->axis] == 1 && in->type == out->type &&
           (in->memory == in->type || out->memory == out->type);
}

mnp_status mnp__scan_run(mnp__reduction *reduction, const mnp__scan_call *call)
{
    run r = {.ctx = reduction->ctx, .reduction = reduction, .call = call};
    MNP_TRY(mnp__check_same(&r.ctx->comm, call->function, mnp__layout_hash(call->x->layout) + (uint64_t)call->axis));
    MNP_TRY(open_output(&r));
    if (is_copy(&r))
        return mnp__output_close(1, &r.output, mnp__array_assign(call->x, r.output.array));
    r.repeated = find_repeated(call->x, call->axis);
    mnp__scan_call there = *call;
    if (is_rearranged(&r)) {
        mnp_status st = mnp__array_assign(call->x, r.output.array);
        if (st != MNP_OK)
            return mnp__output_close(1, &r.output, st);
        there.x = r.output.array;
        r.call = &there;
    }
    return mnp__output_close(1, &r.output, execute(&r));
}
