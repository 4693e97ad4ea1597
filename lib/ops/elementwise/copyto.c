/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * numpy.copyto: assignment to views, as a loop that the context keeps by the two dtypes.
 */
#include <maniple/create.h>

#include <inttypes.h>
#include <string.h>

#include "array/input.h"
#include "ops/elementwise/apply.h"

struct key {
    mnp_status (*build)(mnp_ctx *ctx, const void *argument, mnp__loop **loop_p); /* tells these keys from others' */
    mnp_dtype from, to;
};

static mnp_status build(mnp_ctx *ctx, const void *argument, mnp__loop **loop_p)
{
    const struct key *key = argument;
    const mnp__loop_operand operands[] = {{.name = "x", .type = key->to, .memory = key->from},
                                          {.name = "out", .type = key->to, .memory = key->to}};
    return mnp__loop_new(
        ctx,
        &(mnp__loop_spec){
            .name = "copyto", .preamble = "", .body = "out = x;", .ninputs = 1, .noutputs = 1, .operands = operands},
        loop_p);
}

static mnp_status refuse(const char *from, const mnp_array *target)
{
    return MNP_FAIL(MNP_ERR_ARG, "mnp_copyto: %s cannot be cast to %s by that casting rule", from,
                    mnp_dtype_name(target->dtype));
}

/* Whether an integer is a value of that integer dtype. */
static bool holds(mnp_dtype dtype, int64_t value)
{
    int bits = (int)mnp_dtype_size(dtype) * 8;
    if (mnp_dtype_kind(dtype) == 'u')
        return value >= 0 && (bits == 64 || value >> bits == 0);
    return bits == 64 || (value >= -(INT64_C(1) << (bits - 1)) && value < INT64_C(1) << (bits - 1));
}

/* A number's kind counts, not its size; but an integer has to fit. */
static mnp_status check_scalar(const mnp_array *target, const mnp_array *scalar)
{
    static const char ranks[] = "biufc"; /* what can be cast to what, but that signed may be unsigned */
    char to = mnp_dtype_kind(target->dtype);
    int64_t value;
    if (strchr(ranks, to) < strchr(ranks, scalar->weak))
        return refuse(scalar->weak == 'i'   ? "an integer"
                      : scalar->weak == 'f' ? "a float"
                                            : "a complex number",
                      target);
    memcpy(&value, scalar->value, sizeof value);
    if (scalar->weak == 'i' && (to == 'i' || to == 'u') && !holds(target->dtype, value))
        return MNP_FAIL(MNP_ERR_ARG, "mnp_copyto: %" PRId64 " is no value of %s", value, mnp_dtype_name(target->dtype));
    return MNP_OK;
}

mnp_status mnp_copyto(mnp_array *target, const mnp_array *source, mnp_casting casting)
{
    mnp_array **output_p = &target;
    struct key key;
    mnp__loop *loop;
    if (!source)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_copyto: the source is NULL");
    MNP_TRY(mnp__inputs_check("mnp_copyto", 1, (const mnp_array *const *)output_p));
    if (mnp__array_is_scalar(source) && casting != MNP_CASTING_UNSAFE)
        MNP_TRY(check_scalar(target, source));
    if (!mnp__array_is_scalar(source) && !mnp_can_cast(source->dtype, target->dtype, casting))
        return refuse(mnp_dtype_name(source->dtype), target);
    memset(&key, 0, sizeof key); /* its padding too is hashed */
    key.build = build;
    key.from = source->dtype;
    key.to = target->dtype;
    MNP_TRY(mnp__loop_get(target->ctx, build, &key, sizeof key, &loop));
    return mnp__apply(target->ctx, &(mnp__application){.function = "mnp_copyto",
                                                       .loop = loop,
                                                       .inputs = &source,
                                                       .outputs_p = &output_p,
                                                       .layout = mnp_array_layout(target)});
}
