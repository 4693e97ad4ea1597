/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Making a loop, finding the kernel that suits a run, and launching it.
 */
#include <stdlib.h>
#include <string.h>

#include "ops/elementwise/loop_plan.h"

const mnp__loop_tuning mnp__loop_tuning_default = {
    .threads = 256,
    .vector_bytes = 16,
    .word_bytes = 4,
    .flight_bytes = 64,
    .unroll = 4,
    .unroll_heavy = 2,
    .tile_bytes = 16384,
    .stream_bytes = 48 << 20,
    .small = 1 << 15,
};

/* ---- making and freeing ---- */

static mnp_status copy_spec(const mnp__loop_spec *from, mnp__loop *loop)
{
    mnp__loop_spec *spec = &loop->spec;
    int count = from->ninputs + from->noutputs;
    mnp__loop_operand *operands;
    if (from->noutputs < 1 || count > MNP__MAX_OPERANDS)
        return MNP_FAIL(MNP_ERR_ARG, "%s has %d inputs and %d outputs: there must be an output, and at most %d of both",
                        from->name, from->ninputs, from->noutputs, MNP__MAX_OPERANDS);
    MNP_TRY(mnp__calloc((size_t)count, sizeof *operands, &operands));
    *spec = (mnp__loop_spec){.contract = from->contract,
                             .indices = from->indices,
                             .ninputs = from->ninputs,
                             .noutputs = from->noutputs,
                             .operands = operands};
    MNP_TRY(mnp__copy_text(from->name, &spec->name));
    MNP_TRY(mnp__copy_text(from->preamble, &spec->preamble));
    MNP_TRY(mnp__copy_text(from->body, &spec->body));
    MNP_TRY(mnp__copy_text(from->options, &spec->options));
    for (int k = 0; k < count; k++) {
        operands[k] = from->operands[k];
        operands[k].name = NULL;
        MNP_TRY(mnp__copy_text(from->operands[k].name, &operands[k].name));
        loop->sizes[k] = mnp_dtype_size(operands[k].memory);
    }
    return MNP_OK;
}

mnp_status mnp__loop_new(mnp_ctx *ctx, const mnp__loop_spec *spec, mnp__loop **loop_p)
{
    mnp__loop *loop;
    mnp_status st;
    MNP_TRY(mnp__calloc(1, sizeof *loop, &loop));
    loop->ctx = ctx;
    loop->tuning = mnp__loop_tuning_default;
    MNP_TRY_OR(copy_spec(spec, loop), st, fail);
    MNP_TRY_OR(mnp__loop_write(loop), st, fail);
    *loop_p = loop;
    return MNP_OK;
fail:
    mnp__loop_free(loop);
    return st;
}

void mnp__loop_free(mnp__loop *loop)
{
    if (!loop)
        return;
    mnp__entries_unload(loop->ctx->device, &loop->kernels);
    for (int k = 0; loop->spec.operands && k < loop->spec.ninputs + loop->spec.noutputs; k++)
        free((char *)loop->spec.operands[k].name);
    free((mnp__loop_operand *)loop->spec.operands);
    free((char *)loop->spec.name);
    free((char *)loop->spec.preamble);
    free((char *)loop->spec.body);
    free((char *)loop->spec.options);
    mnp__generated_free(&loop->generated);
    free(loop);
}

const mnp__loop_spec *mnp__loop_spec_of(const mnp__loop *loop)
{
    return &loop->spec;
}

static void free_loop(void *loop)
{
    mnp__loop_free(loop);
}

mnp_status mnp__loop_get(mnp_ctx *ctx, mnp__loop_maker *make, const void *key, size_t key_size, mnp__loop **loop_p)
{
    mnp__loop *loop = mnp__kernel_table_find(ctx, (mnp__maker)make, key, key_size);
    if (!loop) {
        MNP_TRY(make(ctx, key, &loop));
        MNP_TRY(mnp__kernel_table_add(ctx, (mnp__maker)make, key, key_size, loop, free_loop));
    }
    *loop_p = loop;
    return MNP_OK;
}

void mnp__loop_tune(mnp__loop *loop, const mnp__loop_tuning *tuning)
{
    mnp__entries_unload(loop->ctx->device, &loop->kernels);
    loop->tuning = *tuning;
}

/* ---- running ---- */

/*
 * Plan a run and find its kernel, or compile it.  A small block whose strides have no kernel yet takes the general
 * kernel, so that programs with many small views do not wait for compilers.
 */
static mnp_status prepare(mnp__loop *loop, const mnp_array *const *operands, mnp__loop_plan *plan,
                          mnp__kernel **kernel_p)
{
    mnp__loop_plan_make(loop, operands, plan);
    *kernel_p = mnp__entries_find(loop->kernels, &plan->signature, sizeof plan->signature);
    if (!*kernel_p && plan->small) {
        mnp__loop_plan_general(operands[loop->spec.ninputs], plan);
        *kernel_p = mnp__entries_find(loop->kernels, &plan->signature, sizeof plan->signature);
    }
    if (*kernel_p)
        return MNP_OK;
    MNP_TRY(mnp__loop_load(loop, &plan->signature, kernel_p));
    return mnp__entries_add_kernel(loop->ctx->device, &loop->kernels, &plan->signature, sizeof plan->signature,
                                   *kernel_p);
}

mnp_status mnp__loop_run(mnp__loop *loop, const mnp_layout *layout, const mnp_array *const *operands)
{
    mnp_ctx *ctx = loop->ctx;
    mnp__loop_plan plan;
    mnp__kernel *kernel = NULL;
    bool empty = operands[loop->spec.ninputs]->local_size == 0;
    (void)layout; /* the outputs have it */
    if (!loop->agreed) {
        MNP_TRY(MNP_AGREE(ctx, prepare(loop, operands, &plan, &kernel)));
        loop->agreed = true;
    } else if (!empty) {
        MNP_TRY(prepare(loop, operands, &plan, &kernel));
    }
    if (empty)
        return MNP_OK;
    return ctx->device->ops->launch(ctx->device, kernel, &plan.launch, plan.slots,
                                    (size_t)plan.nslots * sizeof *plan.slots, ctx->compute);
}
