/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * numpy.put, put_along_axis, and the method `at` of element-wise functions, also for entries that every rank has of its
 * own: values scattered over an array.
 */
#include <maniple/create.h>
#include <maniple/join.h>
#include <maniple/select.h>
#include <maniple/ufunc.h>
#include <maniple/view.h>

#include <string.h>

#include "array/input.h"
#include "array/output.h"
#include "array/view.h"
#include "base/text.h"
#include "layout/layout.h"
#include "ops/indexing/assign.h"
#include "ops/indexing/gather.h"
#include "ops/indexing/indexed.h"
#include "ops/indexing/scatter.h"
#include "ops/elementwise/ufunc.h"

static mnp_status check(const char *function, const mnp_array *x, const mnp_array *indices, const mnp_array *values,
                        mnp_index_mode mode)
{
    MNP_TRY(mnp__output_check_writable(function, "x", x));
    MNP_TRY(mnp__indices_check(function, x, indices, mode));
    if (!values)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the values are NULL", function);
    if (!mnp__array_is_scalar(values) && values->ctx != x->ctx)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the values belong to another context", function);
    return MNP_OK;
}

static bool is_one(const mnp_array *values)
{
    return mnp__array_is_scalar(values) || values->layout->size == 1;
}

/*
 * Values take the places of the elements with these numbers in C order; both have the same shape.  `same`: there is one
 * for all.
 */
static mnp_status assign(mnp_array *x, const mnp_array *indices, const mnp_array *values, mnp_index_mode mode,
                         bool same)
{
    const int ndim = x->layout->ndim;
    if (mnp__assigns_rows(x, 0, ndim))
        return mnp__assign(&(mnp__assignment){
            .x = x, .count = ndim, .index = indices, .mode = (int)mode, .values = values, .same = same});
    const mnp__scatter scatter = {.generated = mnp__scatter_assign(x->dtype), .value = x->dtype, .mode = (int)mode};
    return mnp__scatter_run(&scatter, x, indices, values);
}

mnp_status mnp_put(mnp_array *x, const mnp_array *indices, const mnp_array *values, mnp_index_mode mode)
{
    MNP_ENTER(x, indices, values);
    static const char function[] = "mnp_put";
    mnp_array *repeated = NULL, *line = NULL;
    MNP_TRY(check(function, x, indices, values, mode));
    if (indices->layout->size == 0 || (!mnp__array_is_scalar(values) && values->layout->size == 0))
        return MNP_OK;
    MNP_TRY(mnp__indices_check_range(function, indices, x->layout->size, -1, mode));
    MNP_TRY(mnp__values_repeat(x->ctx, values, x->dtype, indices->layout->size, &repeated));
    mnp_status st = mnp_ravel(indices, &line);
    if (st == MNP_OK)
        st = assign(x, line, repeated, mode, is_one(values));
    mnp_free_all(line, repeated);
    return st;
}

mnp_status mnp_put_along_axis(mnp_array *x, const mnp_array *indices, const mnp_array *values, int axis)
{
    MNP_ENTER(x, indices, values);
    static const char function[] = "mnp_put_along_axis";
    mnp_array *numbers = NULL, *fitted = NULL;
    mnp_status st = MNP_OK;
    MNP_TRY(check(function, x, indices, values, MNP_RAISE));
    const bool flat = axis == MNP_FLATTENED;
    const int ndim = flat ? 1 : x->layout->ndim;
    if (indices->layout->ndim != ndim)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the indices have %d dimensions, and must have %d", function,
                        indices->layout->ndim, ndim);
    if (!flat)
        MNP_TRY(mnp__view_axis(function, ndim, axis, &axis));
    MNP_TRY(mnp__indices_check_range(function, indices, flat ? x->layout->size : x->layout->shape[axis],
                                     flat ? -1 : axis, MNP_RAISE));
    if (!flat)
        MNP_TRY(mnp__numbers_along(function, x, indices, axis, &numbers));
    const mnp_array *at = flat ? indices : numbers;
    MNP_TRY_OR(mnp__values_fit(function, x->ctx, values, x->dtype, ndim, at->layout->shape, &fitted), st, done);
    st = assign(x, at, fitted, MNP_RAISE, is_one(values));
done:
    mnp_array_free(fitted);
    mnp_array_free(numbers);
    return st;
}

/* ---- at ---- */

/* A call x.at(indices, values): the function and its types, and who calls, for messages. */
struct at {
    const char *caller;
    const mnp__ufunc *ufunc;
    mnp_dtype loop[MNP__MAX_UFUNC_INPUTS], result;
};

static mnp_status resolve(const char *name, const mnp_array *x, const mnp_array *values, struct at *at)
{
    mnp__type types[MNP__MAX_UFUNC_INPUTS] = {mnp__type_of(x)};
    mnp_dtype results[MNP__MAX_UFUNC_OUTPUTS];
    at->ufunc = mnp__ufunc_find(name, strlen(name));
    if (!at->ufunc || at->ufunc->noutputs != 1 || at->ufunc->ninputs > 2)
        return MNP_FAIL(MNP_ERR_ARG,
                        "%s: '%s' is not an element-wise function of one or two operands and one "
                        "result",
                        at->caller, name);
    if ((at->ufunc->ninputs == 2) != (values != NULL))
        return MNP_FAIL(MNP_ERR_ARG, "%s: %s takes %s second operand", at->caller, name, values ? "no" : "a");
    if (values)
        types[1] = mnp__type_of(values);
    MNP_TRY(mnp__ufunc_resolve(at->ufunc, types, at->loop, results));
    at->result = results[0];
    if (!mnp_can_cast(at->result, x->dtype, MNP_CASTING_SAME_KIND))
        return MNP_FAIL(MNP_ERR_ARG,
                        "%s: the result of %s is %s, and cannot be cast to %s under "
                        "'same_kind'",
                        at->caller, name, mnp_dtype_name(at->result), mnp_dtype_name(x->dtype));
    return MNP_OK;
}

/* Write the function that applies a value to an element, as kernels/indexing/scatter.cu includes it. */
static void write_apply(const struct at *at, mnp_dtype dtype, mnp__text *text)
{
    const char *first = mnp__jit_type(at->loop[0]);
    const bool two = at->ufunc->ninputs == 2;
    mnp__text_add(text, "#include \"maniple/math.h\"\ntypedef %s mnp_element;\ntypedef %s mnp_value;\n",
                  mnp__jit_type(dtype), two ? mnp__jit_type(at->loop[1]) : "mnp_bool");
    mnp__text_add(text,
                  "enum { mnp_last_alone = 0 };\n"
                  "MNP_INLINE void mnp_apply(mnp_element &x, mnp_value%s)\n{\n",
                  two ? " value" : "");
    mnp__text_add(text, "    const %s result = mnp_%s(mnp_to<%s>::from(x)%s);\n", mnp__jit_type(at->result),
                  at->ufunc->name, first, two ? ", value" : "");
    mnp__text_add(text, "    x = mnp_to<mnp_element>::from(result);\n}\n");
}

/* Numbers in C order of the elements of x at indices along the first axis: index * row + 0 .. row - 1. */
static mnp_status numbers_of_rows(mnp_array *x, const mnp_array *indices, mnp_array **numbers_p)
{
    mnp_ctx *ctx = x->ctx;
    const int ndim = x->layout->ndim, more = indices->layout->ndim;
    int after[MNP_MAX_DIMS];
    int64_t row = 1;
    mnp_array *within = NULL, *shaped = NULL, *wide = NULL, *begins = NULL, *column = NULL;
    mnp_status st;
    for (int d = 1; d < ndim; d++) {
        row *= x->layout->shape[d];
        after[d - 1] = more + d - 1;
    }
    MNP_TRY_OR(mnp_arange_int(ctx, 0, row, 1, MNP_INT64, &within), st, done);
    MNP_TRY_OR(mnp_reshape(within, ndim - 1, x->layout->shape + 1, &shaped), st, done);
    MNP_TRY_OR(mnp_astype(indices, MNP_INT64, &wide), st, done);
    MNP_TRY_OR(mnp_multiply(wide, mnp_scalar_int(ctx, row), &begins), st, done);
    MNP_TRY_OR(mnp_expand_dims(begins, ndim - 1, after, &column), st, done);
    st = mnp_add(column, shaped, numbers_p);
done:
    mnp_array_free(column);
    mnp_array_free(begins);
    mnp_array_free(wide);
    mnp_array_free(shaped);
    mnp_array_free(within);
    return st;
}

static mnp_status run_at(const struct at *at, mnp_array *x, const mnp_array *numbers, const mnp_array *values)
{
    const mnp_array *none = mnp_scalar_bool(x->ctx, false);
    mnp__text text = MNP__TEXT_EMPTY;
    mnp_array *fitted = NULL;
    const mnp_dtype dtype = values ? at->loop[1] : MNP_BOOL;
    write_apply(at, x->dtype, &text);
    mnp_status st = MNP_AGREE(x->ctx, mnp__text_status(&text));
    if (st == MNP_OK)
        st = mnp__values_fit(at->caller, x->ctx, values ? values : none, dtype, numbers->layout->ndim,
                             numbers->layout->shape, &fitted);
    if (st == MNP_OK)
        st = mnp__scatter_run(&(mnp__scatter){.generated = text.data, .value = dtype}, x, numbers, fitted);
    mnp_array_free(fitted);
    mnp__text_free(&text);
    return st;
}

mnp_status mnp__elements_apply(const char *caller, const char *function, mnp_array *x, const mnp_array *numbers,
                               const mnp_array *values)
{
    struct at at = {.caller = caller};
    MNP_TRY(resolve(function, x, values, &at));
    return run_at(&at, x, numbers, values);
}

mnp_status mnp_ufunc_at(const char *function, mnp_array *x, const mnp_array *indices, const mnp_array *values)
{
    MNP_ENTER(function, x, indices);
    MNP_NEED_OR_NULL(values);
    static const char name[] = "mnp_ufunc_at";
    struct at at = {.caller = name};
    mnp_array *numbers = NULL;
    MNP_TRY(check(name, x, indices, values ? values : x, MNP_RAISE));
    MNP_TRY(resolve(function, x, values, &at));
    if (x->layout->ndim == 0)
        return MNP_FAIL(MNP_ERR_ARG, "%s: x has no dimensions, and indices are along the first", name);
    const int ndim = x->layout->ndim - 1 + indices->layout->ndim;
    if (ndim > MNP_MAX_DIMS)
        return MNP_FAIL(MNP_ERR_ARG, "%s: what is selected would have %d dimensions, more than %d", name, ndim,
                        MNP_MAX_DIMS);
    MNP_TRY(mnp__indices_check_range(name, indices, x->layout->shape[0], 0, MNP_RAISE));
    if (x->layout->ndim > 1)
        MNP_TRY(numbers_of_rows(x, indices, &numbers));
    mnp_status st = run_at(&at, x, numbers ? numbers : indices, values);
    mnp_array_free(numbers);
    return st;
}

/* ---- entries of any rank ---- */

mnp_status mnp_array_accumulate(const char *function, mnp_array *x, int64_t count, const int64_t *indices,
                                const void *values)
{
    MNP_ENTER(function, x);
    static const char name[] = "mnp_array_accumulate";
    struct at at = {.caller = name};
    mnp_array *index = NULL, *value = NULL;
    mnp_status st;
    MNP_TRY(mnp__inputs_check(name, 1, (const mnp_array *[]){x}));
    MNP_TRY(mnp__output_check_writable(name, "x", x));
    MNP_TRY(mnp__array_from_pieces(name, "indices", x->ctx, MNP_INT64, 1, &count, 0, indices, false, &index));
    MNP_TRY_OR(mnp__array_from_pieces(name, "values", x->ctx, x->dtype, 1, &count, 0, values, false, &value), st, done);
    MNP_TRY_OR(resolve(function, x, value, &at), st, done);
    MNP_TRY_OR(mnp__indices_check_range(name, index, x->layout->size, -1, MNP_RAISE), st, done);
    st = run_at(&at, x, index, value);
done:
    mnp_free_all(index, value);
    return st;
}
