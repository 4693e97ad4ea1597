/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The public element-wise functions.  A call finds the loop for its arguments' types, which the context keeps, and
 * mnp__apply() runs it.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "array/output.h"
#include "base/dtype.h"
#include "base/hash.h"
#include "base/value.h"
#include "layout/layout.h"
#include "ops/elementwise/apply.h"
#include "ops/elementwise/ufunc.h"

#define MNP__ID(name, ...) MNP__UFUNC_##name,
enum { MNP_UFUNCS(MNP__ID) MNP__NUM_UFUNCS, MNP__ROUND, MNP__ROUND_TENS };

/* What a loop depends on. */
typedef struct key {
    unsigned short function;
    char inputs[MNP__MAX_UFUNC_INPUTS], weak[MNP__MAX_UFUNC_INPUTS]; /* their types */
    char outputs[MNP__MAX_UFUNC_OUTPUTS];                            /* types of given outputs, or MNP_DTYPE_AUTO */
} key;

static const char *const input_names[MNP__MAX_UFUNC_INPUTS] = {"x", "y", "z", "w"};
static const char *const output_names[MNP__MAX_UFUNC_OUTPUTS] = {"first", "second"};

/* ---- loops ---- */

/* Choose the memory type of an output: the result's, or the given array's, to which the result must be castable. */
static mnp_status choose_memory(const char *ufunc, char given, mnp_dtype result, mnp_dtype *memory_p)
{
    char function[64];
    snprintf(function, sizeof function, "mnp_%s", ufunc);
    *memory_p = given == MNP_DTYPE_AUTO ? result : (mnp_dtype)given;
    return mnp__output_check_cast(function, NULL, result, *memory_p);
}

static mnp_status build(mnp_ctx *ctx, const void *argument, mnp__loop **loop_p)
{
    const key *k = argument;
    const mnp__ufunc *ufunc = &mnp__ufuncs[k->function];
    mnp__type inputs[MNP__MAX_UFUNC_INPUTS] = {{MNP_BOOL, 0}};
    mnp_dtype types[MNP__MAX_UFUNC_INPUTS], results[MNP__MAX_UFUNC_OUTPUTS];
    mnp__loop_operand operands[MNP__MAX_UFUNC_INPUTS + MNP__MAX_UFUNC_OUTPUTS];
    char arguments[32] = "", body[96];
    for (int i = 0; i < ufunc->ninputs; i++)
        inputs[i] = (mnp__type){(mnp_dtype)k->inputs[i], k->weak[i]};
    MNP_TRY(mnp__ufunc_resolve(ufunc, inputs, types, results));
    for (int i = 0; i < ufunc->ninputs; i++) {
        operands[i] = (mnp__loop_operand){input_names[i], types[i], inputs[i].dtype, false};
        snprintf(arguments + strlen(arguments), sizeof arguments - strlen(arguments), "%s%s", i ? ", " : "",
                 input_names[i]);
    }
    for (int o = 0; o < ufunc->noutputs; o++) {
        mnp__loop_operand *operand = &operands[ufunc->ninputs + o];
        *operand = (mnp__loop_operand){output_names[o], results[o], results[o], false};
        MNP_TRY(choose_memory(ufunc->name, k->outputs[o], results[o], &operand->memory));
    }
    if (ufunc->noutputs == 1)
        snprintf(body, sizeof body, "first = mnp_%s(%s);", ufunc->name, arguments);
    else
        snprintf(body, sizeof body, "mnp_%s(%s, first, second);", ufunc->name, arguments);
    mnp__loop_spec spec = {.name = ufunc->name,
                           .preamble = "",
                           .body = body,
                           .ninputs = ufunc->ninputs,
                           .noutputs = ufunc->noutputs,
                           .operands = operands};
    return mnp__loop_new(ctx, &spec, loop_p);
}

/* ---- numbers as operands ---- */

static bool is_weak_int(const mnp_array *array)
{
    return array->weak == 'i';
}

static int64_t weak_int(const mnp_array *array)
{
    int64_t value;
    memcpy(&value, mnp__scalar_value(array), sizeof value);
    return value;
}

/* Whether input i is an integer outside the range of the type that it is compared with; such are compared exactly. */
static bool compares_beyond(const mnp__ufunc *ufunc, const mnp_array *const *inputs, int i)
{
    if (!is_weak_int(inputs[i]) || !mnp__ufunc_compares(ufunc))
        return false;
    const mnp_array *other = inputs[1 - i];
    return !other->weak && !mnp__int_fits(weak_int(inputs[i]), other->dtype);
}

static mnp_status check_numbers(const char *function, const mnp__loop *loop, const mnp_array *const *inputs)
{
    const mnp__loop_spec *spec = mnp__loop_spec_of(loop);
    for (int i = 0; i < spec->ninputs; i++) {
        mnp_dtype type = spec->operands[i].type;
        if (is_weak_int(inputs[i]) && type != MNP_BOOL && !mnp__int_fits(weak_int(inputs[i]), type))
            return MNP_FAIL(MNP_ERR_ARG, "%s: the number %" PRId64 " does not fit %s, which it is computed in",
                            function, weak_int(inputs[i]), mnp_dtype_name(type));
    }
    return MNP_OK;
}

/* ---- calls ---- */

/* What all ranks must have given alike: types, shapes, and numbers. */
static uint64_t hash_of(const key *k, int ninputs, const mnp_array *const *inputs)
{
    uint64_t hash = mnp__hash(MNP__HASH_START, k, sizeof *k);
    for (int i = 0; i < ninputs; i++) {
        hash ^= 31 * mnp__layout_hash(inputs[i]->layout) + (uint64_t)i;
        if (inputs[i]->weak)
            hash = mnp__hash(hash, inputs[i]->value, sizeof inputs[i]->value);
    }
    return hash;
}

/* Whether a power is a square of the same type, which takes a multiplication and not a logarithm. */
static bool is_square(const mnp_array *x, const mnp_array *y)
{
    const char kind = mnp_dtype_kind(x->dtype);
    double real;
    if (x->weak || kind == 'b')
        return false;
    memcpy(&real, mnp__scalar_value(y), sizeof real);
    return y->weak == 'i' ? weak_int(y) == 2 : y->weak == 'f' && (kind == 'f' || kind == 'c') && real == 2;
}

/* Whether a limit of a clip is an integer beyond all values of x's type, on the side of that limit. */
static bool limits_nothing(const mnp_array *x, const mnp_array *limit, int side)
{
    const char kind = mnp_dtype_kind(x->dtype);
    return (kind == 'i' || kind == 'u') && !x->weak && is_weak_int(limit) &&
           !mnp__int_fits(weak_int(limit), x->dtype) && (weak_int(limit) > 0) == (side > 0);
}

static mnp_status call(const char *function, int id, const mnp_array *const *inputs, mnp_array **const *outputs_p);

/* A clip without limits that all values of x's type are within, which NumPy leaves out too. */
static mnp_status call_clip(const char *function, const mnp_array *const *inputs, mnp_array **const *outputs_p)
{
    const mnp_array *x = inputs[0], *low = inputs[1], *high = inputs[2];
    const bool no_low = limits_nothing(x, low, -1), no_high = limits_nothing(x, high, 1);
    const int id = no_low ? (no_high ? MNP__UFUNC_positive : MNP__UFUNC_minimum) : MNP__UFUNC_maximum;
    return call(function, id, (const mnp_array *[]){x, no_low ? high : low}, outputs_p);
}

static mnp_status call(const char *function, int id, const mnp_array *const *inputs, mnp_array **const *outputs_p)
{
    if (id == MNP__UFUNC_power && inputs[1]->weak && is_square(inputs[0], inputs[1]))
        id = MNP__UFUNC_square;
    if (id == MNP__UFUNC_clip && (limits_nothing(inputs[0], inputs[1], -1) || limits_nothing(inputs[0], inputs[2], 1)))
        return call_clip(function, inputs, outputs_p);
    const mnp__ufunc *ufunc = &mnp__ufuncs[id];
    key k = {.function = (unsigned short)id};
    mnp__loop *loop;
    for (int i = 0; i < ufunc->ninputs; i++) {
        k.inputs[i] = (char)inputs[i]->dtype;
        k.weak[i] = inputs[i]->weak && !compares_beyond(ufunc, inputs, i) ? mnp__type_of(inputs[i]).weak : '\0';
    }
    for (int o = 0; o < ufunc->noutputs; o++)
        k.outputs[o] = *outputs_p[o] ? (char)(*outputs_p[o])->dtype : MNP_DTYPE_AUTO;
    MNP_TRY(mnp__check_same(&inputs[0]->ctx->comm, function, hash_of(&k, ufunc->ninputs, inputs)));
    MNP_TRY(mnp__loop_get(inputs[0]->ctx, build, &k, sizeof k, &loop));
    MNP_TRY(check_numbers(function, loop, inputs));
    return mnp__apply(inputs[0]->ctx, &(mnp__application){function, loop, inputs, outputs_p, NULL, NULL});
}

mnp_status mnp__ufunc_call(const char *function, const mnp__ufunc *ufunc, const mnp_array *const *inputs,
                           mnp_array **const *outputs_p)
{
    return call(function, (int)(ufunc - mnp__ufuncs), inputs, outputs_p);
}

#define MNP__ENTER_1_1 MNP_ENTER(x, out_p)
#define MNP__ENTER_2_1 MNP_ENTER(x, y, out_p)
#define MNP__ENTER_3_1 MNP_ENTER(x, y, z, out_p)
#define MNP__ENTER_4_1 MNP_ENTER(x, y, z, w, out_p)
#define MNP__ENTER_1_2 MNP_ENTER(x, first_p, second_p)
#define MNP__ENTER_2_2 MNP_ENTER(x, y, first_p, second_p)
#define MNP__CALL_1_1(text, id) call(text, id, (const mnp_array *[]){x}, (mnp_array * *[]){out_p})
#define MNP__CALL_2_1(text, id) call(text, id, (const mnp_array *[]){x, y}, (mnp_array * *[]){out_p})
#define MNP__CALL_3_1(text, id) call(text, id, (const mnp_array *[]){x, y, z}, (mnp_array * *[]){out_p})
#define MNP__CALL_4_1(text, id) call(text, id, (const mnp_array *[]){x, y, z, w}, (mnp_array * *[]){out_p})
#define MNP__CALL_1_2(text, id) call(text, id, (const mnp_array *[]){x}, (mnp_array * *[]){first_p, second_p})
#define MNP__CALL_2_2(text, id) call(text, id, (const mnp_array *[]){x, y}, (mnp_array * *[]){first_p, second_p})

#define MNP__DEFINE(name, inputs, outputs, ...)                                                                        \
    mnp_status mnp_##name MNP_UFUNC_##inputs##_##outputs                                                               \
    {                                                                                                                  \
        MNP__ENTER_##inputs##_##outputs;                                                                               \
        return MNP__CALL_##inputs##_##outputs("mnp_" #name, MNP__UFUNC_##name);                                        \
    }
#define MNP__DEFINE_ALIAS(alias, name, inputs, outputs)                                                                \
    mnp_status mnp_##alias MNP_UFUNC_##inputs##_##outputs                                                              \
    {                                                                                                                  \
        MNP__ENTER_##inputs##_##outputs;                                                                               \
        return MNP__CALL_##inputs##_##outputs("mnp_" #alias, MNP__UFUNC_##name);                                       \
    }
MNP_UFUNCS(MNP__DEFINE)
MNP_UFUNC_ALIASES(MNP__DEFINE_ALIAS)

/* ---- rounding to decimals ---- */

/*
 * Make a loop over x and a power of ten, which divides by it, rounds and multiplies, or multiplies, rounds and divides.
 * Real and imaginary parts are rounded separately.
 */
static mnp_status build_round(mnp_ctx *ctx, const void *argument, mnp__loop **loop_p)
{
    const key *k = argument;
    bool tens = k->function == MNP__ROUND_TENS;
    mnp_dtype type = (mnp_dtype)k->inputs[0], memory = type, real = type;
    char kind = mnp_dtype_kind(type), body[256] = "first = x;";
    MNP_TRY(choose_memory("round", k->outputs[0], type, &memory));
    if (kind == 'c')
        real = mnp__dtype_real(type);
    else if (kind != 'f')
        real = MNP_FLOAT64;
    const char *before = tens ? "divide" : "multiply", *after = tens ? "multiply" : "divide";
    if (kind == 'c')
        snprintf(body, sizeof body,
                 "first.re = mnp_%s(mnp_rint(mnp_%s(x.re, y)), y);\nfirst.im = mnp_%s(mnp_rint(mnp_%s(x.im, y)), y);",
                 after, before, after, before);
    else if (kind == 'f' || tens)
        snprintf(body, sizeof body, "first = mnp_%s(mnp_rint(mnp_%s(x, y)), y);", after, before);
    mnp_dtype computed = kind == 'c' || kind == 'f' ? type : tens ? MNP_FLOAT64 : type;
    mnp__loop_operand operands[] = {
        {"x", computed, type, false}, {"y", real, MNP_FLOAT64, false}, {"first", computed, memory, false}};
    mnp__loop_spec spec = {
        .name = "round", .preamble = "", .body = body, .ninputs = 2, .noutputs = 1, .operands = operands};
    return mnp__loop_new(ctx, &spec, loop_p);
}

static mnp_status call_round(const char *function, const mnp_array *x, int decimals, mnp_array **out_p)
{
    key k = {.function = decimals < 0 ? MNP__ROUND_TENS : MNP__ROUND, .inputs = {(char)x->dtype}};
    const mnp_array *inputs[] = {x, mnp_scalar_float(x->ctx, pow(10, fabs((double)decimals)))};
    mnp__loop *loop;
    k.outputs[0] = *out_p ? (char)(*out_p)->dtype : MNP_DTYPE_AUTO;
    MNP_TRY(mnp__loop_get(x->ctx, build_round, &k, sizeof k, &loop));
    return mnp__apply(x->ctx, &(mnp__application){function, loop, inputs, &out_p, NULL, NULL});
}

mnp_status mnp_round(const mnp_array *x, int decimals, mnp_array **out_p)
{
    MNP_ENTER(x, out_p);
    return call_round("mnp_round", x, decimals, out_p);
}

mnp_status mnp_around(const mnp_array *x, int decimals, mnp_array **out_p)
{
    MNP_ENTER(x, out_p);
    return call_round("mnp_around", x, decimals, out_p);
}
