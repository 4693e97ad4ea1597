/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Outputs: the checks and their messages, the choice between the existing array and a temporary, and the copy at the
 * end.
 */
#include "array/output.h"

#include "base/text.h"
#include "layout/layout.h"

/* ---- checks ---- */

/* "the output", or "the output 'counts'": three arguments for a format of "%s%s%s". */
#define OUTPUT_NAME(name) (name) ? "the output '" : "the output", (name) ? (name) : "", (name) ? "'" : ""

static mnp_status refuse_shape(const mnp__output_spec *spec, int ndim, const int64_t *shape, const mnp_array *given)
{
    mnp__text text = MNP__TEXT_EMPTY;
    mnp__text_add_shape(&text, given->layout->ndim, given->layout->shape);
    mnp__text_add(&text, ", and the result's is ");
    mnp__text_add_shape(&text, ndim, shape);
    mnp_status st = MNP_FAIL(MNP_ERR_ARG, "%s: %s%s%s has the shape %s", spec->function, OUTPUT_NAME(spec->name),
                             mnp__text_string(&text));
    mnp__text_free(&text);
    return st;
}

static mnp_status refuse_writing(const char *function, const char *before, const char *name, const char *after,
                                 const mnp_array *array)
{
    return MNP_FAIL(MNP_ERR_ARG, "%s: %s%s%s is %s, which cannot be written", function, before, name, after,
                    array->read_only ? "a broadcast view" : "a scalar");
}

mnp_status mnp__output_check_cast(const char *function, const char *name, mnp_dtype from, mnp_dtype to)
{
    if (from == to || mnp_can_cast(from, to, MNP_CASTING_SAME_KIND))
        return MNP_OK;
    return MNP_FAIL(MNP_ERR_ARG, "%s: %s%s%s is %s, to which the result's %s cannot be cast under 'same_kind'",
                    function, OUTPUT_NAME(name), mnp_dtype_name(to), mnp_dtype_name(from));
}

static mnp_status check_exact(const mnp__output_spec *spec, const mnp_array *given)
{
    if (given->dtype != spec->dtype)
        return MNP_FAIL(MNP_ERR_ARG, "%s: %s%s%s is %s, and the result is %s", spec->function, OUTPUT_NAME(spec->name),
                        mnp_dtype_name(given->dtype), mnp_dtype_name(spec->dtype));
    if (!mnp_layout_equal(given->layout, spec->layout))
        return MNP_FAIL(MNP_ERR_ARG, "%s: %s%s%s has another layout than the result", spec->function,
                        OUTPUT_NAME(spec->name));
    return MNP_OK;
}

mnp_status mnp__output_check(const mnp__output_spec *spec, const mnp_array *given)
{
    const int ndim = spec->layout ? spec->layout->ndim : spec->ndim;
    const int64_t *shape = spec->layout ? spec->layout->shape : spec->shape;
    if (!given)
        return MNP_OK;
    if (given->ctx != spec->ctx)
        return MNP_FAIL(MNP_ERR_ARG, "%s: %s%s%s belongs to another context", spec->function, OUTPUT_NAME(spec->name));
    if (mnp__array_is_scalar(given) || given->read_only)
        return refuse_writing(spec->function, OUTPUT_NAME(spec->name), given);
    if (shape && !mnp__layout_has_shape(given->layout, ndim, shape))
        return refuse_shape(spec, ndim, shape, given);
    if (spec->needs & MNP__OUTPUT_EXACT)
        return check_exact(spec, given);
    return mnp__output_check_cast(spec->function, spec->name, spec->dtype, given->dtype);
}

mnp_status mnp__output_check_distinct(const char *function, int count, mnp_array **const *user_p)
{
    for (int o = 1; o < count; o++) {
        for (int other = 0; other < o; other++) {
            if (user_p[o] && user_p[other] && *user_p[o] && *user_p[o] == *user_p[other])
                return MNP_FAIL(MNP_ERR_ARG, "%s: outputs %d and %d are the same array", function, other + 1, o + 1);
        }
    }
    return MNP_OK;
}

mnp_status mnp__output_check_writable(const char *function, const char *name, const mnp_array *x)
{
    if (mnp__array_is_scalar(x) || x->read_only)
        return refuse_writing(function, "", name, "", x);
    return MNP_OK;
}

/* ---- opening ---- */

/* The layout of the computation: that of the existing array, if there is one and any layout of blocks will do. */
static const mnp_layout *choose_layout(const mnp__output_spec *spec, const mnp_array *given)
{
    const bool follows = given && spec->needs & MNP__OUTPUT_ANY_LAYOUT && !mnp_layout_is_cyclic(given->layout);
    return follows ? given->layout : spec->layout;
}

/* Whether the computation can write directly to the existing array. */
static bool serves(const mnp__output_spec *spec, const mnp_array *given)
{
    if (given->dtype != spec->dtype || (spec->needs & MNP__OUTPUT_DENSE && !(given->dense & MNP__DENSE_C)))
        return false;
    for (int i = 0; i < spec->ninputs; i++) {
        if (spec->inputs[i]->buffer == given->buffer)
            return false;
    }
    return mnp_layout_equal(given->layout, choose_layout(spec, given));
}

mnp_status mnp__output_open(const mnp__output_spec *spec, mnp_array **user_p, mnp__output *output)
{
    mnp_array *given = *user_p;
    const mnp_layout *layout = choose_layout(spec, given);
    *output = (mnp__output){.array = NULL, .user_p = user_p};
    MNP_TRY(mnp__output_check(spec, given));
    if (given && serves(spec, given)) {
        output->array = given;
        return MNP_OK;
    }
    mnp_array *made;
    MNP_TRY(spec->needs & MNP__OUTPUT_DENSE ? mnp_array_new_order(spec->ctx, spec->dtype, layout, MNP_ORDER_C, &made)
                                            : mnp_array_new(spec->ctx, spec->dtype, layout, &made));
    output->array = made;
    if (!given || !mnp_layout_equal(layout, given->layout))
        return MNP_OK;
    output->local = true;
    mnp_status st = mnp__array_assign_prepare(made, given);
    if (st != MNP_OK) {
        mnp_array_free(made);
        output->array = NULL;
    }
    return st;
}

/* ---- closing ---- */

mnp_status mnp__array_copy_to(const mnp_array *from, mnp_array *to)
{
    mnp_array *moved = NULL;
    if (mnp_layout_equal(from->layout, to->layout))
        return mnp__array_assign(from, to);
    if (from->dtype == to->dtype)
        return mnp_redistribute(from, to->layout, &to);
    mnp_status st = mnp_redistribute(from, to->layout, &moved);
    if (st == MNP_OK)
        st = mnp__array_assign(moved, to);
    mnp_array_free(moved);
    return st;
}

/* Whether values have to be copied to the existing array. */
static bool is_copied(const mnp__output *output)
{
    return output->array && *output->user_p && output->array != *output->user_p;
}

mnp_status mnp__output_close(int count, mnp__output *outputs, mnp_status status)
{
    mnp_ctx *ctx = NULL; /* set if the ranks copy together */
    for (int o = 0; o < count; o++) {
        if (is_copied(&outputs[o]) && !outputs[o].local)
            ctx = outputs[o].array->ctx;
    }
    if (ctx)
        status = MNP_AGREE(ctx, status);
    for (int o = 0; o < count && status == MNP_OK; o++) {
        if (is_copied(&outputs[o]))
            status = mnp__array_copy_to(outputs[o].array, *outputs[o].user_p);
    }
    for (int o = 0; o < count; o++) {
        if (!outputs[o].array || outputs[o].array == *outputs[o].user_p)
            continue;
        if (status == MNP_OK && !*outputs[o].user_p)
            *outputs[o].user_p = outputs[o].array;
        else
            mnp_array_free(outputs[o].array);
    }
    return status;
}
