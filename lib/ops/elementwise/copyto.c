/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * numpy.copyto, which assigns to arrays and views, is a formula; and assignment to a part of an array, by subscripts.
 */
#include <maniple/create.h>
#include <maniple/view.h>

#include <inttypes.h>
#include <string.h>

#include "array/input.h"
#include "base/value.h"
#include "ops/elementwise/formula.h"

static const mnp__formula copy = {
    .name = "copyto",
    .body = "out = x;",
    .type = MNP_DTYPE_AUTO,
    .ninputs = 1,
    .inputs = {{"x", MNP_DTYPE_AUTO}},
};

static mnp_status refuse(const char *from, const mnp_array *target)
{
    return MNP_FAIL(MNP_ERR_ARG, "mnp_copyto: %s cannot be cast to %s by that casting rule", from,
                    mnp_dtype_name(target->dtype));
}

/* Check that a scalar can be cast to the target: its kind decides, not its size, but an integer must fit. */
static mnp_status check_scalar(const mnp_array *target, const mnp_array *scalar)
{
    static const char ranks[] = "biufc"; /* a kind can be cast to those after it, and 'i' also to 'u' */
    char to = mnp_dtype_kind(target->dtype);
    int64_t value;
    if (strchr(ranks, to) < strchr(ranks, scalar->weak))
        return refuse(scalar->weak == 'i'   ? "an integer"
                      : scalar->weak == 'f' ? "a float"
                                            : "a complex number",
                      target);
    memcpy(&value, mnp__scalar_value(scalar), sizeof value);
    if (scalar->weak == 'i' && (to == 'i' || to == 'u') && !mnp__int_fits(value, target->dtype))
        return MNP_FAIL(MNP_ERR_ARG, "mnp_copyto: %" PRId64 " is not a value of %s", value,
                        mnp_dtype_name(target->dtype));
    return MNP_OK;
}

mnp_status mnp_copyto(mnp_array *target, const mnp_array *source, mnp_casting casting)
{
    MNP_ENTER(target, source);
    mnp_array **output_p = &target;
    MNP_TRY(mnp__inputs_check("mnp_copyto", 1, (const mnp_array *const *)output_p));
    if (mnp__array_is_scalar(source) && casting != MNP_CASTING_UNSAFE)
        MNP_TRY(check_scalar(target, source));
    if (!mnp__array_is_scalar(source) && !mnp_can_cast(source->dtype, target->dtype, casting))
        return refuse(mnp_dtype_name(source->dtype), target);
    return mnp__formula_run(target->ctx, &(mnp__formula_call){.function = "mnp_copyto",
                                                              .formula = &copy,
                                                              .inputs = &source,
                                                              .outputs_p = &output_p,
                                                              .type = target->dtype,
                                                              .layout = target->layout});
}

mnp_status mnp_set(mnp_array *x, const char *subscripts, const mnp_array *y)
{
    MNP_ENTER(x, subscripts, y);
    mnp_array *part = NULL;
    if (!x || !subscripts)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_set: %s NULL", x ? "the subscripts are" : "the array is");
    MNP_TRY(mnp_index(x, subscripts, &part));
    mnp_status st = mnp_copyto(part, y, MNP_CASTING_UNSAFE);
    mnp_array_free(part);
    return st;
}
