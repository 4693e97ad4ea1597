/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs the stages of a program.
 *
 * Given outputs are written only by the last stage or after it, so a stage that fails leaves them unchanged, and no
 * stage reads an input that another has overwritten.
 */
#include <string.h>

#include <maniple/create.h>

#include "array/output.h"
#include "base/text.h"
#include "layout/layout.h"
#include "ops/expression/eval_program.h"

typedef struct run {
    mnp_ctx *ctx;
    const mnp__program *program;
    const mnp__request *request;
    mnp_array *values[MNP__MAX_VALUES];   /* made by stages; the run owns them */
    mnp_array *copies[MNP__MAX_OPERANDS]; /* for outputs that share a value; the run owns them */
    bool written[MNP__MAX_OPERANDS];      /* given outputs that have their values already */
} run;

static mnp_array *given(const run *r, int output)
{
    return *r->request->outputs_p[output];
}

/* ---- stages ---- */

static const mnp_array *input_of(const run *r, int number)
{
    return number < MNP__MAX_NAMES ? r->request->inputs[number] : r->values[number - MNP__MAX_NAMES];
}

static mnp_status reduce_values(run *r, const mnp__stage *stage, const mnp_array *const *inputs,
                                mnp_array **const *outputs_p)
{
    const mnp_array *arrays[MNP__MAX_OPERANDS];
    int64_t shape[MNP_MAX_DIMS];
    int count = 0, ndim;
    for (int i = 0; i < stage->ninputs; i++) {
        if (!mnp__array_is_scalar(inputs[i]))
            arrays[count++] = inputs[i];
    }
    MNP_TRY(mnp__broadcast_shapes(r->request->function, count, arrays, &ndim, shape));
    MNP_TRY(mnp__reduce_check_empty(stage->function, ndim, shape, stage->mask));
    mnp__reduction_call call = {.function = r->request->function,
                                .inputs = inputs,
                                .outputs_p = outputs_p,
                                .axes = stage->mask,
                                .keepdims = stage->axes.keepdims,
                                .ddof = stage->axes.ddof};
    return mnp__reduction_run(stage->reduction, &call);
}

/* Run a stage, whose results go to `outputs_p`. */
static mnp_status run_stage(run *r, const mnp__stage *stage, mnp_array **const *outputs_p)
{
    const mnp_array *inputs[MNP__MAX_OPERANDS];
    for (int i = 0; i < stage->ninputs; i++)
        inputs[i] = input_of(r, stage->inputs[i]);
    if (stage->loop) {
        mnp__application application = {.function = r->request->function,
                                        .loop = stage->loop,
                                        .inputs = inputs,
                                        .outputs_p = outputs_p,
                                        .layout = stage->last ? r->request->layout : NULL};
        return mnp__apply(r->ctx, &application);
    }
    if (stage->reduction)
        return reduce_values(r, stage, inputs, outputs_p);
    return mnp__reduce_call(stage->function, inputs[0], &stage->axes, outputs_p[0]);
}

static mnp_status run_early(run *r, const mnp__stage *stage)
{
    mnp_array **outputs_p[MNP__MAX_OPERANDS];
    for (int i = 0; i < stage->noutputs; i++)
        outputs_p[i] = &r->values[stage->outputs[i]];
    return run_stage(r, stage, outputs_p);
}

/* Whether a stage stores its results in that type. */
static bool suits(const mnp__stage *stage, mnp_dtype dtype)
{
    if (!stage->reduction)
        return true;
    const mnp__reduction_spec *spec = mnp__reduction_spec_of(stage->reduction);
    return spec->operands[spec->ninputs].memory == dtype;
}

/* Run the last stage, which writes given outputs directly if their values need no conversion afterwards. */
static mnp_status run_last(run *r, const mnp__stage *stage)
{
    mnp_array **outputs_p[MNP__MAX_OPERANDS];
    for (int i = 0; i < stage->noutputs; i++) {
        int users = 0, output = -1, value = stage->outputs[i];
        for (int o = 0; o < r->program->noutputs; o++) {
            if (r->program->results[o] == value) {
                output = o;
                users++;
            }
        }
        bool direct = users == 1 && given(r, output) && suits(stage, given(r, output)->dtype);
        outputs_p[i] = direct ? r->request->outputs_p[output] : &r->values[value];
        if (direct)
            r->written[output] = true;
    }
    return run_stage(r, stage, outputs_p);
}

/* ---- outputs ---- */

/* Check that the value of an earlier stage suits the given output. */
static mnp_status check_output(const run *r, int o)
{
    const mnp_array *output = given(r, o), *value = r->values[r->program->results[o]];
    if (!value)
        return MNP_OK;
    const mnp__output_spec spec = {.function = r->request->function,
                                   .name = r->request->output_names[o],
                                   .ctx = r->ctx,
                                   .dtype = value->dtype,
                                   .layout = value->layout,
                                   .needs = MNP__OUTPUT_CYCLIC};
    return mnp__output_check(&spec, output);
}

/* Copy values to given outputs, and for outputs that share a value with an earlier one. */
static mnp_status copy_values(run *r)
{
    bool taken[MNP__MAX_VALUES] = {false};
    for (int o = 0; o < r->program->noutputs; o++) {
        int value = r->program->results[o];
        if (given(r, o)) {
            if (!r->written[o])
                MNP_TRY(mnp_copyto(given(r, o), r->values[value], MNP_CASTING_SAME_KIND));
        } else if (taken[value]) {
            MNP_TRY(mnp_copy(r->values[value], &r->copies[o]));
        } else {
            taken[value] = true;
        }
    }
    return MNP_OK;
}

static void hand_over(run *r)
{
    for (int o = 0; o < r->program->noutputs; o++) {
        mnp_array **from = r->copies[o] ? &r->copies[o] : &r->values[r->program->results[o]];
        if (given(r, o))
            continue;
        *r->request->outputs_p[o] = *from;
        *from = NULL;
    }
}

static mnp_status execute(run *r)
{
    const mnp__program *program = r->program;
    for (int s = 0; s < program->nstages - 1; s++)
        MNP_TRY(run_early(r, &program->stages[s]));
    for (int o = 0; o < program->noutputs; o++)
        MNP_TRY(check_output(r, o));
    MNP_TRY(run_last(r, &program->stages[program->nstages - 1]));
    for (int o = 0; o < program->noutputs; o++)
        MNP_TRY(r->written[o] ? MNP_OK : check_output(r, o));
    MNP_TRY(copy_values(r));
    hand_over(r);
    return MNP_OK;
}

mnp_status mnp__program_run(mnp_ctx *ctx, const mnp__program *program, const mnp__request *request)
{
    run r = {.ctx = ctx, .program = program, .request = request};
    mnp_status st = execute(&r);
    for (int v = 0; v < program->nvalues; v++)
        mnp_array_free(r.values[v]);
    for (int o = 0; o < program->noutputs; o++)
        mnp_array_free(r.copies[o]);
    return st;
}
