/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * numpy.choose and select: loops over the choices, in a chain of conditional expressions.
 */
#include <maniple/select.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array/output.h"
#include "base/text.h"
#include "ops/elementwise/apply.h"
#include "ops/elementwise/formula.h"
#include "ops/indexing/indexed.h"
#include "ops/elementwise/ufunc.h"

/* Choices of choose(), and of one loop of select(): each with its condition, beside the value otherwise. */
enum { MOST_CHOICES = MNP__MAX_OPERANDS - 2, MOST_CONDITIONS = (MNP__MAX_OPERANDS - 2) / 2 };

enum { COUNT, MODE };

/* Conversion of input `k` to the type of the result, which is that of the operand after all inputs. */
static void add_value(int k, int result, mnp__text *body)
{
    mnp__text_add(body, "mnp_to<mnp_type%d>::from(x%d)", result, k);
}

/* The body of choose(): selects one of the choices x1, x2, ... by the index. */
static void write_choice(const int *facts, mnp__text *body)
{
    const int count = facts[COUNT];
    mnp__text_add(body, "int64_t at = i;\n");
    if (facts[MODE] == MNP_WRAP)
        mnp__text_add(body, "if (at < 0 || at >= %d) {\nat %%= %d;\nat += at < 0 ? %d : 0;\n}\n", count, count, count);
    mnp__text_add(body, "out = ");
    for (int k = 0; k < count; k++) {
        if (k + 1 < count)
            mnp__text_add(body, "at %s %d ? ", facts[MODE] == MNP_CLIP ? "<=" : "==", k);
        add_value(k + 1, count + 1, body);
        mnp__text_add(body, k + 1 < count ? " : " : ";\n");
    }
}

/* The body of select(): conditions x0, x1, ..., then as many choices, then the default. */
static void write_selection(const int *facts, mnp__text *body)
{
    const int count = facts[COUNT];
    mnp__text_add(body, "out = ");
    for (int k = 0; k <= count; k++) {
        if (k < count)
            mnp__text_add(body, "x%d.value ? ", k);
        add_value(count + k, 2 * count + 1, body);
        mnp__text_add(body, k < count ? " : " : ";\n");
    }
}

static const mnp__formula choosing = {
    .name = "choose", .write = write_choice, .type = MNP_DTYPE_AUTO, .ninputs = 1, .inputs = {{"i", MNP_INT64}}};
static const mnp__formula selecting = {.name = "select", .write = write_selection, .type = MNP_DTYPE_AUTO};

/* Run a formula of so many inputs, whose result has that type. */
static mnp_status run(const mnp__formula_call *call, mnp_dtype result, mnp_array **out_p)
{
    mnp__formula_call all = *call;
    mnp_ctx *ctx = call->inputs[0]->ctx;
    const mnp_array *arrays[MNP__MAX_OPERANDS];
    int64_t shape[MNP_MAX_DIMS];
    int ndim, given = 0;
    for (int k = 0; k < call->ninputs; k++) {
        if (!mnp__array_is_scalar(call->inputs[k]))
            arrays[given++] = call->inputs[k];
    }
    if (*out_p) {
        MNP_TRY(mnp__broadcast_shapes(call->function, given, arrays, &ndim, shape));
        const mnp__output_spec spec = {
            .function = call->function, .ctx = ctx, .dtype = result, .ndim = ndim, .shape = shape};
        MNP_TRY(mnp__output_check(&spec, *out_p));
    }
    all.type = all.result = result;
    all.outputs_p = &out_p;
    return mnp__formula_run(ctx, &all);
}

/* The type of the choices together. */
static mnp_status promote(int count, const mnp_array *const *choices, const mnp_array *otherwise, mnp_dtype *dtype_p)
{
    mnp__type *types;
    MNP_TRY(mnp__malloc(((size_t)count + 1) * sizeof *types, &types));
    for (int k = 0; k < count; k++)
        types[k] = mnp__type_of(choices[k]);
    if (otherwise)
        types[count] = mnp__type_of(otherwise);
    *dtype_p = mnp__result_type(count + (otherwise != NULL), types).dtype;
    free(types);
    return MNP_OK;
}

/* ---- choose ---- */

mnp_status mnp_choose(const mnp_array *indices, int count, const mnp_array *const *choices, mnp_index_mode mode,
                      mnp_array **out_p)
{
    MNP_ENTER(out_p);
    MNP_NEED_IF(count > 0, indices);
    MNP_NEED_ALL(count, choices);
    static const char function[] = "mnp_choose";
    const mnp_array *inputs[MNP__MAX_OPERANDS];
    mnp_dtype result;
    MNP_TRY(mnp__indices_check(function, indices, indices, mode));
    if (count < 1 || count > MOST_CHOICES)
        return MNP_FAIL(MNP_ERR_ARG, "%s: there are %d choices, and must be 1 to %d", function, count, MOST_CHOICES);
    MNP_TRY(promote(count, choices, NULL, &result));
    if (mode == MNP_RAISE) {
        bool found;
        int64_t index;
        MNP_TRY(mnp__indices_outside(function, indices, 0, count, &found, &index));
        if (found)
            return MNP_FAIL(MNP_ERR_ARG, "%s: choice %" PRId64 " is out of bounds with %d choices", function, index,
                            count);
    }
    inputs[0] = indices;
    for (int k = 0; k < count; k++)
        inputs[k + 1] = choices[k];
    return run(&(mnp__formula_call){.function = function,
                                    .formula = &choosing,
                                    .ninputs = count + 1,
                                    .inputs = inputs,
                                    .facts = {[COUNT] = count, [MODE] = (int)mode}},
               result, out_p);
}

/* ---- select ---- */

/* One loop's worth of conditions, from number `first` on. */
static mnp_status select_some(const char *function, mnp_dtype result, int first, int count,
                              const mnp_array *const *conditions, const mnp_array *const *choices,
                              const mnp_array *otherwise, mnp_array **out_p)
{
    const mnp_array *inputs[MNP__MAX_OPERANDS];
    for (int k = 0; k < count; k++) {
        inputs[k] = conditions[first + k];
        inputs[count + k] = choices[first + k];
    }
    inputs[2 * count] = otherwise;
    return run(&(mnp__formula_call){.function = function,
                                    .formula = &selecting,
                                    .ninputs = 2 * count + 1,
                                    .inputs = inputs,
                                    .facts = {[COUNT] = count}},
               result, out_p);
}

static mnp_status check_conditions(const char *function, int count, const mnp_array *const *conditions)
{
    if (count < 1)
        return MNP_FAIL(MNP_ERR_ARG, "%s: there are %d conditions, and must be some", function, count);
    for (int k = 0; k < count; k++) {
        if (conditions[k]->dtype != MNP_BOOL)
            return MNP_FAIL(MNP_ERR_ARG, "%s: condition %d is %s, and must be bool", function, k,
                            mnp_dtype_name(conditions[k]->dtype));
    }
    return MNP_OK;
}

/* Check that all shapes broadcast, before a part of them is computed. */
static mnp_status check_shapes(const char *function, int count, const mnp_array *const *conditions,
                               const mnp_array *const *choices, const mnp_array *otherwise)
{
    const mnp_array **arrays;
    int64_t shape[MNP_MAX_DIMS];
    int ndim, given = 0;
    MNP_TRY(mnp__malloc((2 * (size_t)count + 1) * sizeof(mnp_array *), &arrays));
    for (int k = 0; k < 2 * count + 1; k++) {
        const mnp_array *array = k < count ? conditions[k] : k < 2 * count ? choices[k - count] : otherwise;
        if (!mnp__array_is_scalar(array))
            arrays[given++] = array;
    }
    mnp_status st = mnp__broadcast_shapes(function, given, arrays, &ndim, shape);
    free(arrays);
    return st;
}

mnp_status mnp_select(int count, const mnp_array *const *conditions, const mnp_array *const *choices,
                      const mnp_array *otherwise, mnp_array **out_p)
{
    MNP_ENTER(out_p);
    MNP_NEED_ALL(count, conditions);
    MNP_NEED_ALL(count, choices);
    MNP_NEED_OR_NULL(otherwise);
    static const char function[] = "mnp_select";
    mnp_dtype result;
    mnp_array *rest = NULL;
    MNP_TRY(check_conditions(function, count, conditions));
    if (!otherwise)
        otherwise = mnp_scalar_int(conditions[0]->ctx, 0);
    MNP_TRY(promote(count, choices, otherwise, &result));
    MNP_TRY(check_shapes(function, count, conditions, choices, otherwise));
    mnp_status st = MNP_OK;
    while (count > MOST_CONDITIONS &&
           st == MNP_OK) { /* select by the last ones first: their result is the default of the others */
        mnp_array *next = NULL;
        count -= MOST_CONDITIONS;
        st = select_some(function, result, count, MOST_CONDITIONS, conditions, choices, rest ? rest : otherwise, &next);
        mnp_array_free(rest);
        rest = next;
    }
    if (st == MNP_OK)
        st = select_some(function, result, 0, count, conditions, choices, rest ? rest : otherwise, out_p);
    mnp_array_free(rest);
    return st;
}
