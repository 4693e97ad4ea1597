/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs the stages of a program.
 *
 * Given outputs are written only by the last stage or after it, so a stage that fails leaves them unchanged, and no
 * stage reads an input that another has overwritten.  The exception is an assignment to a part of a given output: it is
 * done in place if nothing reads the array's memory afterwards, which is compared by buffers.  Otherwise a copy of the
 * array is changed.
 */
#include <stdlib.h>
#include <string.h>

#include <maniple/create.h>

#include "array/output.h"
#include "base/text.h"
#include "layout/layout.h"
#include "ops/expression/eval_program.h"

static mnp_array *given(const mnp__run *r, int output)
{
    return *r->request->outputs_p[output];
}

static int result_of(const mnp__run *r, int output)
{
    return r->program->results[output] - MNP__MAX_NAMES;
}

/* ---- stages ---- */

static mnp_status reduce_values(const mnp__run *r, const mnp__stage *stage, const mnp_array *const *inputs,
                                mnp_array **const *outputs_p)
{
    const mnp_array *arrays[MNP__MAX_OPERANDS];
    const mnp_axes *axes = &stage->call->constants.axes;
    int64_t shape[MNP_MAX_DIMS];
    int count = 0, ndim;
    for (int i = 0; i < stage->ninputs; i++) {
        if (!mnp__array_is_scalar(inputs[i]))
            arrays[count++] = inputs[i];
    }
    MNP_TRY(mnp__broadcast_shapes(r->request->function, count, arrays, &ndim, shape));
    MNP_TRY(mnp__reduce_check_empty(stage->call->reduce, ndim, shape, stage->call->mask));
    mnp__reduction_call call = {.function = r->request->function,
                                .inputs = inputs,
                                .outputs_p = outputs_p,
                                .axes = stage->call->mask,
                                .keepdims = axes->keepdims,
                                .ddof = axes->ddof};
    return mnp__reduction_run(stage->reduction, &call);
}

/* Call a function of whole arrays; some of the results may be given. */
static mnp_status call_function(const mnp__stage *stage, const mnp_array *const *inputs, mnp_array **const *outputs_p)
{
    mnp_array *results[MNP__MAX_RESULTS];
    for (int i = 0; i < stage->noutputs; i++)
        results[i] = *outputs_p[i];
    MNP_TRY(stage->call->function->run(stage->call, inputs, results));
    for (int i = 0; i < stage->noutputs; i++)
        *outputs_p[i] = results[i];
    return MNP_OK;
}

/* Run a stage, whose results go to `outputs_p`. */
static mnp_status run_stage(const mnp__run *r, const mnp__stage *stage, mnp_array **const *outputs_p)
{
    mnp__reading in;
    mnp_status st;
    MNP_TRY(mnp__run_open_inputs(r, stage, &in));
    if (stage->loop) {
        mnp__application application = {.function = r->request->function,
                                        .loop = stage->loop,
                                        .inputs = in.inputs,
                                        .outputs_p = outputs_p,
                                        .layout = stage->last ? r->request->layout : NULL,
                                        .shifts = in.shifts};
        st = mnp__run_find_shifts(r, stage, &in);
        if (st == MNP_OK)
            st = mnp__apply(r->ctx, &application);
    } else if (stage->reduction) {
        st = reduce_values(r, stage, in.inputs, outputs_p);
    } else {
        st = call_function(stage, in.inputs, outputs_p);
    }
    if (st != MNP_OK)
        st = mnp__run_show(r, stage->at, st);
    mnp__run_close_inputs(&in);
    return st;
}

/* ---- assignments to parts ---- */

static bool shares(const mnp_array *array, const mnp_array *other)
{
    return array && !mnp__array_is_scalar(array) && array->buffer == other->buffer;
}

/* Whether a stage after number `s`, or a result, reads the memory of an array as it is now. */
static bool is_read_later(const mnp__run *r, int s, const mnp_array *array)
{
    const mnp__program *program = r->program;
    for (int later = s + 1; later < program->nstages; later++) {
        const mnp__stage *stage = &program->stages[later];
        for (int i = 0; i < stage->ninputs + (stage->target >= 0); i++) {
            mnp__operand operand = i < stage->ninputs ? stage->inputs[i] : -1 - stage->target;
            if (shares(mnp__run_array(r, mnp__program_root(program, operand)), array))
                return true;
        }
    }
    for (int o = 0; o < program->noutputs; o++) {
        if (shares(r->values[result_of(r, o)], array))
            return true;
    }
    return false;
}

/* Whether an array is on memory of the caller's. */
static bool is_callers(const mnp__run *r, const mnp_array *array)
{
    for (int i = 0; i < r->request->ninputs; i++) {
        if (shares(r->request->inputs[i], array))
            return true;
    }
    for (int o = 0; o < r->program->noutputs; o++) {
        if (shares(given(r, o), array))
            return true;
    }
    return false;
}

/*
 * Find the array that a stage assigns to a part of, which becomes its result: that of before if possible, or a copy.
 * *moved_p is the value that has become the result, or -1.
 */
static mnp_status take_array(mnp__run *r, int s, int *moved_p)
{
    const mnp__stage *stage = &r->program->stages[s];
    mnp__operand base = r->program->views[stage->target].of;
    int result = stage->outputs[0], from = base - MNP__MAX_NAMES;
    mnp_array *copied = NULL, *view = NULL;
    const mnp_array *array = base < 0 ? NULL : mnp__run_array(r, base);
    *moved_p = -1;
    if (array && !is_read_later(r, s, array)) {
        bool output = stage->output >= 0 && given(r, stage->output) == array;
        bool own = from >= 0 && !r->borrowed[from] && !is_callers(r, array);
        if (output || own) {
            r->values[result] = output ? given(r, stage->output) : r->values[from];
            r->borrowed[result] = output;
            if (from >= 0)
                *moved_p = from;
            return MNP_OK;
        }
    }
    if (base < 0)
        MNP_TRY(mnp__run_open_view(r, base, &view));
    mnp_status st = mnp_copy(view ? view : array, &copied);
    mnp_array_free(view);
    r->values[result] = copied;
    return st;
}

static mnp_status assign_part(mnp__run *r, int s)
{
    const mnp__stage *stage = &r->program->stages[s];
    const mnp__eval_view *target = &r->program->views[stage->target];
    mnp_array *part = NULL;
    int moved;
    MNP_TRY(take_array(r, s, &moved));
    mnp_status st = mnp__run_view(r, target, r->values[stage->outputs[0]], &part);
    if (st == MNP_OK)
        st = run_stage(r, stage, (mnp_array * *[]){&part});
    mnp_array_free(part);
    if (moved >= 0) /* the stage could still read it by this number */
        r->values[moved] = NULL;
    return st;
}

/* ---- the order ---- */

static mnp_status run_early(mnp__run *r, int s)
{
    const mnp__stage *stage = &r->program->stages[s];
    mnp_array **outputs_p[MNP__MAX_OPERANDS];
    if (stage->target >= 0)
        return assign_part(r, s);
    for (int i = 0; i < stage->noutputs; i++)
        outputs_p[i] = &r->values[stage->outputs[i]];
    return run_stage(r, stage, outputs_p);
}

/* Whether a stage stores its results in that type in a given array. */
static bool suits(const mnp__stage *stage, mnp_dtype dtype)
{
    if (!stage->reduction) /* functions that give views always make a new array */
        return !stage->call || stage->call->reduce;
    const mnp__reduction_spec *spec = mnp__reduction_spec_of(stage->reduction);
    return spec->operands[spec->ninputs].memory == dtype;
}

/* Run the last stage, which writes given outputs directly if their values need no conversion afterwards. */
static mnp_status run_last(mnp__run *r, int s)
{
    const mnp__stage *stage = &r->program->stages[s];
    mnp_array **outputs_p[MNP__MAX_OPERANDS];
    if (stage->target >= 0)
        return assign_part(r, s);
    for (int i = 0; i < stage->noutputs; i++) {
        int users = 0, output = -1, value = stage->outputs[i];
        for (int o = 0; o < r->program->noutputs; o++) {
            if (result_of(r, o) == value) {
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

/* Release the values that no stage after number `s` reads. */
static void release_values(mnp__run *r, int s)
{
    for (int v = 0; v < r->program->nvalues; v++) {
        if (r->program->last_uses[v] == s && r->values[v]) {
            if (!r->borrowed[v])
                mnp_array_free(r->values[v]);
            r->values[v] = NULL;
        }
    }
}

/* ---- outputs ---- */

/* Check that the value of an earlier stage suits the given output. */
static mnp_status check_output(const mnp__run *r, int o)
{
    const mnp_array *output = given(r, o), *value = r->values[result_of(r, o)];
    if (!value || value == output)
        return MNP_OK;
    const mnp__output_spec spec = {.function = r->request->function,
                                   .name = r->request->output_names[o],
                                   .ctx = r->ctx,
                                   .dtype = value->dtype,
                                   .layout = value->layout};
    return mnp__output_check(&spec, output);
}

/* Whether a value can be given away: it is the run's, and no view of an array that the caller has. */
static bool can_give(const mnp__run *r, int value)
{
    return !r->borrowed[value] && !is_callers(r, r->values[value]);
}

/* Copy values to given outputs, and for outputs that cannot have the value itself. */
static mnp_status copy_values(mnp__run *r)
{
    bool *taken;
    mnp_status st = MNP_OK;
    MNP_TRY(mnp__calloc((size_t)r->program->nvalues, sizeof *taken, &taken));
    for (int o = 0; o < r->program->noutputs && st == MNP_OK; o++) {
        int value = result_of(r, o);
        if (given(r, o)) {
            if (!r->written[o] && r->values[value] != given(r, o))
                st = mnp_copyto(given(r, o), r->values[value], MNP_CASTING_SAME_KIND);
        } else if (taken[value] || !can_give(r, value)) {
            st = mnp_copy(r->values[value], &r->copies[o]);
        } else {
            taken[value] = true;
        }
    }
    free(taken);
    return st;
}

static void hand_over(mnp__run *r)
{
    for (int o = 0; o < r->program->noutputs; o++) {
        mnp_array **from = r->copies[o] ? &r->copies[o] : &r->values[result_of(r, o)];
        if (given(r, o))
            continue;
        *r->request->outputs_p[o] = *from;
        *from = NULL;
    }
}

static mnp_status execute(mnp__run *r)
{
    const mnp__program *program = r->program;
    for (int s = 0; s < program->nstages - 1; s++) {
        MNP_TRY(run_early(r, s));
        release_values(r, s);
    }
    for (int o = 0; o < program->noutputs; o++)
        MNP_TRY(check_output(r, o));
    MNP_TRY(run_last(r, program->nstages - 1));
    for (int o = 0; o < program->noutputs; o++)
        MNP_TRY(r->written[o] ? MNP_OK : check_output(r, o));
    MNP_TRY(copy_values(r));
    hand_over(r);
    return MNP_OK;
}

mnp_status mnp__program_run(mnp_ctx *ctx, const mnp__program *program, const mnp__request *request)
{
    mnp__run r = {.ctx = ctx, .program = program, .request = request};
    mnp_array *few[16] = {NULL}; /* the usual number of values, without memory of their own */
    bool few_borrowed[16] = {false};
    bool many = program->nvalues > 16;
    mnp_status st = MNP_OK;
    r.values = few;
    r.borrowed = few_borrowed;
    if (many) {
        r.values = NULL;
        r.borrowed = NULL;
        st = mnp__calloc((size_t)program->nvalues, sizeof *r.values, &r.values);
        if (st == MNP_OK)
            st = mnp__calloc((size_t)program->nvalues, sizeof *r.borrowed, &r.borrowed);
        st = MNP_AGREE(ctx, st);
    }
    if (st == MNP_OK)
        st = execute(&r);
    for (int v = 0; v < program->nvalues && r.values && r.borrowed; v++)
        mnp_array_free(r.borrowed[v] ? NULL : r.values[v]);
    for (int o = 0; o < program->noutputs; o++)
        mnp_array_free(r.copies[o]);
    if (many) {
        free(r.values);
        free(r.borrowed);
    }
    return st;
}
