/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bisection: numpy.searchsorted and digitize.  A loop over the values, whose body has the whole table.
 */
#include "ops/sets/search.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <maniple/histogram.h>
#include <maniple/view.h>

#include "array/input.h"
#include "array/output.h"
#include "layout/layout.h"
#include "ops/elementwise/formula.h"
#include "ops/statistics/histogram.h"

/* ---- the loop ---- */

static const char order[] =
    "template <typename T> MNP_INLINE bool comes_before(T x, T y)\n"
    "{\n"
    "    return x < y || (y != y && x == x);\n"
    "}\n"
    "MNP_INLINE bool comes_before(mnp_bool x, mnp_bool y)\n"
    "{\n"
    "    return x.value < y.value;\n"
    "}\n"
    "template <typename R> MNP_INLINE bool comes_before(mnp_complex<R> x, mnp_complex<R> y)\n"
    "{\n"
    "    if (x.re < y.re)\n"
    "        return x.im == x.im || y.im != y.im;\n"
    "    if (x.re > y.re)\n"
    "        return x.im == x.im && y.im != y.im;\n"
    "    return x.re == y.re || (x.re != x.re && y.re != y.re) ? comes_before(x.im, y.im) : y.re != y.re;\n"
    "}\n";

/* The body of a binary search; the type of `out` is that of its last operand, number `out`. */
#define SEARCH(at, passes, out, answer)                                                                                \
    "const int64_t low = mnp_count_first(table, [&](int64_t j) {\n"                                                    \
    "    const mnp_type0 element = table[" at "];\n"                                                                   \
    "    return " passes ";\n"                                                                                         \
    "});\n"                                                                                                            \
    "out = mnp_to<mnp_type" out ">::from(" answer ");"

/* A question to a sorted table, and to one that is seen through a sorter. */
#define QUESTION(text, dtype, passes, answer)                                                                          \
    {                                                                                                                  \
        {.name = "search_" text,                                                                                       \
         .preamble = order,                                                                                            \
         .body = SEARCH("j", passes, "2", answer),                                                                     \
         .type = dtype,                                                                                                \
         .ninputs = 2,                                                                                                 \
         .inputs = {{"table", MNP_DTYPE_AUTO, .raw = true}, {"value", MNP_DTYPE_AUTO}}},                               \
        {                                                                                                              \
            .name = "search_" text, .preamble = order, .body = SEARCH("sorter[j]", passes, "3", answer),               \
            .type = dtype, .ninputs = 3, .inputs = {                                                                   \
                {"table", MNP_DTYPE_AUTO, .raw = true},                                                                \
                {"value", MNP_DTYPE_AUTO},                                                                             \
                {"sorter", MNP_INT64, .raw = true}                                                                     \
            }                                                                                                          \
        }                                                                                                              \
    }

#define IS_THERE "low < table.size() && mnp_equal((mnp_type0)table[low], value).value"

static const mnp__formula questions[][2] = {
    [MNP__BEFORE] = QUESTION("before", MNP_INT64, "comes_before(element, value)", "low"),
    [MNP__UP_TO] = QUESTION("up_to", MNP_INT64, "!comes_before(value, element)", "low"),
    [MNP__BEHIND] = QUESTION("behind", MNP_INT64, "!comes_before(value, element)", "table.size() - low"),
    [MNP__FROM] = QUESTION("from", MNP_INT64, "comes_before(element, value)", "table.size() - low"),
    [MNP__AMONG] = QUESTION("among", MNP_BOOL, "comes_before(element, value)", IS_THERE),
    [MNP__NOT_AMONG] = QUESTION("not_among", MNP_BOOL, "comes_before(element, value)", "!(" IS_THERE ")"),
};

mnp_status mnp__search(const char *function, mnp__question question, const mnp_array *table, const mnp_array *values,
                       const mnp_array *sorter, mnp_array **out_p)
{
    const mnp__formula *formula = &questions[question][sorter != NULL];
    const mnp__output_spec spec = {.function = function,
                                   .ctx = table->ctx,
                                   .dtype = formula->type,
                                   .ndim = values->layout->ndim,
                                   .shape = values->layout->shape};
    MNP_TRY(mnp__output_check(&spec, *out_p));
    return mnp__formula_run(table->ctx, &(mnp__formula_call){.function = function,
                                                             .formula = formula,
                                                             .inputs = (const mnp_array *[]){table, values, sorter},
                                                             .outputs_p = &out_p,
                                                             .type = mnp_dtype_promote(table->dtype, values->dtype),
                                                             .result = formula->type});
}

/* ---- searchsorted ---- */

static mnp_status check_sorter(const char *function, const mnp_array *a, const mnp_array *sorter)
{
    mnp__value least, most;
    const int64_t n = a->layout->size;
    MNP_TRY(mnp__inputs_check(function, 2, (const mnp_array *[]){a, sorter}));
    if (!strchr("iu", mnp_dtype_kind(sorter->dtype)) || sorter->dtype == MNP_UINT64)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the sorter is %s, and must be of integers that int64 holds", function,
                        mnp_dtype_name(sorter->dtype));
    if (sorter->layout->ndim != 1 || sorter->layout->size != n)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the sorter must be one dimension of %" PRId64 " elements, as many as `a` has",
                        function, n);
    if (n == 0)
        return MNP_OK;
    MNP_TRY(mnp__limits(function, sorter, &least, &most));
    const int64_t low = mnp__value_as_int64(&least), high = mnp__value_as_int64(&most);
    if (low >= 0 && high < n)
        return MNP_OK;
    return MNP_FAIL(MNP_ERR_ARG, "%s: the sorter has the index %" PRId64 ", outside of the %" PRId64 " elements",
                    function, low < 0 ? low : high, n);
}

mnp_status mnp_searchsorted(const mnp_array *a, const mnp_array *v, bool right, const mnp_array *sorter,
                            mnp_array **out_p)
{
    MNP_ENTER(a, v, out_p);
    MNP_NEED_OR_NULL(sorter);
    static const char function[] = "mnp_searchsorted";
    MNP_TRY(mnp__inputs_check(function, 1, &a));
    if (a->layout->ndim != 1)
        return MNP_FAIL(MNP_ERR_ARG, "%s: `a` has %d dimensions, and must have one", function, a->layout->ndim);
    if (sorter)
        MNP_TRY(check_sorter(function, a, sorter));
    return mnp__search(function, right ? MNP__UP_TO : MNP__BEFORE, a, v, sorter, out_p);
}

/* ---- digitize ---- */

mnp_status mnp_digitize(const mnp_array *x, const mnp_array *bins, bool right, mnp_array **out_p)
{
    MNP_ENTER(x, bins, out_p);
    static const char function[] = "mnp_digitize";
    mnp_array *backwards = NULL;
    bool rises, falls;
    MNP_TRY(mnp__inputs_check(function, 2, (const mnp_array *[]){x, bins}));
    if (bins->layout->ndim != 1)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the bins have %d dimensions, and must have one", function,
                        bins->layout->ndim);
    if (mnp_dtype_kind(x->dtype) == 'c' || mnp_dtype_kind(bins->dtype) == 'c')
        return MNP_FAIL(MNP_ERR_ARG, "%s: complex numbers have no bins", function);
    MNP_TRY(mnp__rises(bins, &rises));
    if (rises)
        return mnp__search(function, right ? MNP__BEFORE : MNP__UP_TO, bins, x, NULL, out_p);
    MNP_TRY(mnp_flip(bins, 0, NULL, &backwards));
    mnp_status st = mnp__rises(backwards, &falls);
    if (st == MNP_OK && !falls)
        st = MNP_FAIL(MNP_ERR_ARG, "%s: the bins neither rise nor fall monotonically", function);
    if (st == MNP_OK)
        st = mnp__search(function, right ? MNP__FROM : MNP__BEHIND, backwards, x, NULL, out_p);
    mnp_array_free(backwards);
    return st;
}
