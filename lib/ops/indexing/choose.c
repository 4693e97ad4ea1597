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
#include "ops/indexing/indexed.h"
#include "ops/elementwise/ufunc.h"

/* Choices of choose(), and of one loop of select(): each with its condition, beside the value otherwise. */
enum { MOST_CHOICES = MNP__MAX_OPERANDS - 2, MOST_CONDITIONS = (MNP__MAX_OPERANDS - 2) / 2 };

struct key {
    const char *what;
    int count, mode;
    mnp_dtype result, stored, memory[MNP__MAX_OPERANDS];
};

static const char choosing[] = "choose", selecting[] = "select";

/* ---- loops ---- */

/* Which choice an index means. */
static void add_index(const struct key *key, mnp__text *text)
{
    mnp__text_add(text, "int64_t at = i;\n");
    if (key->mode == MNP_WRAP)
        mnp__text_add(text, "if (at < 0 || at >= %d) {\nat %%= %d;\nat += at < 0 ? %d : 0;\n}\n", key->count,
                      key->count, key->count);
    mnp__text_add(text, "out = ");
    for (int k = 0; k + 1 < key->count; k++)
        mnp__text_add(text, "at %s %d ? c%d : ", key->mode == MNP_CLIP ? "<=" : "==", k, k);
    mnp__text_add(text, "c%d;\n", key->count - 1);
}

static void add_conditions(const struct key *key, mnp__text *text)
{
    mnp__text_add(text, "out = ");
    for (int k = 0; k < key->count; k++)
        mnp__text_add(text, "if%d.value ? c%d : ", k, k);
    mnp__text_add(text, "otherwise;\n");
}

/* Operands: the index, then choices; or conditions, choices, and the value otherwise. */
static mnp_status build(mnp_ctx *ctx, const void *argument, mnp__loop **loop_p)
{
    const struct key *key = argument;
    const bool chooses = key->what == choosing;
    char names[MNP__MAX_OPERANDS][24];
    mnp__loop_operand operands[MNP__MAX_OPERANDS];
    mnp__text body = MNP__TEXT_EMPTY;
    int count = 0;
    for (int k = 0; k < (chooses ? 1 : key->count); k++, count++) {
        snprintf(names[count], sizeof names[count], chooses ? "i" : "if%d", k);
        operands[count] = (mnp__loop_operand){names[count], chooses ? MNP_INT64 : MNP_BOOL, key->memory[count], false};
    }
    for (int k = 0; k < key->count + !chooses; k++, count++) {
        snprintf(names[count], sizeof names[count], k < key->count ? "c%d" : "otherwise", k);
        operands[count] = (mnp__loop_operand){names[count], key->result, key->memory[count], false};
    }
    operands[count] = (mnp__loop_operand){"out", key->result, key->stored, false};
    if (chooses)
        add_index(key, &body);
    else
        add_conditions(key, &body);
    mnp_status st = mnp__text_status(&body);
    if (st == MNP_OK)
        st = mnp__loop_new(ctx,
                           &(mnp__loop_spec){.name = key->what,
                                             .preamble = "",
                                             .body = body.data,
                                             .ninputs = count,
                                             .noutputs = 1,
                                             .operands = operands},
                           loop_p);
    mnp__text_free(&body);
    return st;
}

/* Run the loop of these inputs, whose values are of the result's type but for the first `others`. */
static mnp_status run(const char *function, struct key *key, int count, const mnp_array *const *inputs,
                      mnp_array **out_p)
{
    mnp_ctx *ctx = inputs[0]->ctx;
    const mnp_array *arrays[MNP__MAX_OPERANDS];
    int64_t shape[MNP_MAX_DIMS];
    int ndim, given = 0;
    mnp__loop *loop;
    key->stored = *out_p ? (*out_p)->dtype : key->result;
    for (int k = 0; k < count; k++) {
        key->memory[k] = inputs[k]->dtype;
        if (!mnp__array_is_scalar(inputs[k]))
            arrays[given++] = inputs[k];
    }
    if (*out_p) {
        MNP_TRY(mnp__broadcast_shapes(function, given, arrays, &ndim, shape));
        const mnp__output_spec spec = {
            .function = function, .ctx = ctx, .dtype = key->result, .ndim = ndim, .shape = shape};
        MNP_TRY(mnp__output_check(&spec, *out_p));
    }
    MNP_TRY(mnp__loop_get(ctx, build, key, sizeof *key, &loop));
    return mnp__apply(ctx,
                      &(mnp__application){.function = function, .loop = loop, .inputs = inputs, .outputs_p = &out_p});
}

/* The type of the choices together. */
static mnp_status promote(const char *function, int count, const mnp_array *const *choices, const mnp_array *otherwise,
                          mnp_dtype *dtype_p)
{
    mnp__type *types;
    for (int k = 0; k < count; k++) {
        if (!choices[k])
            return MNP_FAIL(MNP_ERR_ARG, "%s: choice %d is NULL", function, k);
    }
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
    static const char function[] = "mnp_choose";
    const mnp_array *inputs[MNP__MAX_OPERANDS];
    struct key key;
    MNP_TRY(mnp__indices_check(function, indices, indices, mode));
    if (count < 1 || count > MOST_CHOICES)
        return MNP_FAIL(MNP_ERR_ARG, "%s: there are %d choices, and must be 1 to %d", function, count, MOST_CHOICES);
    memset(&key, 0, sizeof key); /* its padding too is hashed */
    MNP_TRY(promote(function, count, choices, NULL, &key.result));
    if (mode == MNP_RAISE) {
        bool found;
        int64_t index;
        MNP_TRY(mnp__indices_outside(function, indices, 0, count, &found, &index));
        if (found)
            return MNP_FAIL(MNP_ERR_ARG, "%s: choice %" PRId64 " is out of bounds with %d choices", function, index,
                            count);
    }
    key.what = choosing;
    key.count = count;
    key.mode = (int)mode;
    inputs[0] = indices;
    for (int k = 0; k < count; k++)
        inputs[k + 1] = choices[k];
    return run(function, &key, count + 1, inputs, out_p);
}

/* ---- select ---- */

/* One loop's worth of conditions, from number `first` on. */
static mnp_status select_some(const char *function, mnp_dtype result, int first, int count,
                              const mnp_array *const *conditions, const mnp_array *const *choices,
                              const mnp_array *otherwise, mnp_array **out_p)
{
    const mnp_array *inputs[MNP__MAX_OPERANDS];
    struct key key;
    memset(&key, 0, sizeof key); /* its padding too is hashed */
    key.what = selecting;
    key.result = result;
    key.count = count;
    for (int k = 0; k < count; k++) {
        inputs[k] = conditions[first + k];
        inputs[count + k] = choices[first + k];
    }
    inputs[2 * count] = otherwise;
    return run(function, &key, 2 * count + 1, inputs, out_p);
}

static mnp_status check_conditions(const char *function, int count, const mnp_array *const *conditions)
{
    if (count < 1)
        return MNP_FAIL(MNP_ERR_ARG, "%s: there are %d conditions, and must be some", function, count);
    for (int k = 0; k < count; k++) {
        if (!conditions[k])
            return MNP_FAIL(MNP_ERR_ARG, "%s: condition %d is NULL", function, k);
        if (conditions[k]->dtype != MNP_BOOL)
            return MNP_FAIL(MNP_ERR_ARG, "%s: condition %d is %s, and must be bool", function, k,
                            mnp_dtype_name(conditions[k]->dtype));
    }
    return MNP_OK;
}

/* All of them broadcast, before anything is made of some of them. */
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
    static const char function[] = "mnp_select";
    mnp_dtype result;
    mnp_array *rest = NULL;
    MNP_TRY(check_conditions(function, count, conditions));
    if (!otherwise)
        otherwise = mnp_scalar_int(conditions[0]->ctx, 0);
    MNP_TRY(promote(function, count, choices, otherwise, &result));
    MNP_TRY(check_shapes(function, count, conditions, choices, otherwise));
    mnp_status st = MNP_OK;
    while (count > MOST_CONDITIONS && st == MNP_OK) { /* the last ones, whose result is the rest's otherwise */
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
