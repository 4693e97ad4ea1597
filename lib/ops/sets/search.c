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
#include "ops/elementwise/apply.h"
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

static const struct {
    const char *name, *passes, *answer;
} questions[] = {
    [MNP__BEFORE] = {"before", "comes_before(element, value)", "low"},
    [MNP__UP_TO] = {"up_to", "!comes_before(value, element)", "low"},
    [MNP__BEHIND] = {"behind", "!comes_before(value, element)", "table.size() - low"},
    [MNP__FROM] = {"from", "comes_before(element, value)", "table.size() - low"},
    [MNP__AMONG] = {"among", "comes_before(element, value)",
                    "low < table.size() && mnp_equal((mnp_type0)table[low], value).value"},
    [MNP__NOT_AMONG] = {"not_among", "comes_before(element, value)",
                        "!(low < table.size() && mnp_equal((mnp_type0)table[low], value).value)"},
};

struct key {
    char what[8];
    int question;
    mnp_dtype table, value, compared, sorter, stored; /* sorter: MNP_BOOL where there is none */
};

static mnp_status build(mnp_ctx *ctx, const void *argument, mnp__loop **loop_p)
{
    const struct key *key = argument;
    const bool sorted = key->sorter == MNP_BOOL;
    const mnp_dtype type = key->question < MNP__AMONG ? MNP_INT64 : MNP_BOOL;
    char body[512], name[32];
    mnp__loop_operand operands[4] = {{.name = "table", .type = key->compared, .memory = key->table, .raw = true},
                                     {.name = "value", .type = key->compared, .memory = key->value}};
    int ninputs = 2;
    if (!sorted)
        operands[ninputs++] = (mnp__loop_operand){"sorter", MNP_INT64, key->sorter, true};
    operands[ninputs] = (mnp__loop_operand){.name = "answer", .type = type, .memory = key->stored};
    snprintf(name, sizeof name, "search_%s", questions[key->question].name);
    snprintf(body, sizeof body,
             "int64_t low = 0, high = table.size();\n"
             "while (low < high) {\n"
             "    const int64_t middle = low + (high - low) / 2;\n"
             "    const mnp_type0 element = table[%s];\n"
             "    if (%s)\n"
             "        low = middle + 1;\n"
             "    else\n"
             "        high = middle;\n"
             "}\n"
             "answer = mnp_to<mnp_type%d>::from(%s);",
             sorted ? "middle" : "sorter[middle]", questions[key->question].passes, ninputs,
             questions[key->question].answer);
    return mnp__loop_new(
        ctx,
        &(mnp__loop_spec){
            .name = name, .preamble = order, .body = body, .ninputs = ninputs, .noutputs = 1, .operands = operands},
        loop_p);
}

mnp_status mnp__search(const char *function, mnp__question question, const mnp_array *table, const mnp_array *values,
                       const mnp_array *sorter, mnp_array **out_p)
{
    const mnp_dtype result = question < MNP__AMONG ? MNP_INT64 : MNP_BOOL;
    const mnp_array *inputs[] = {table, values, sorter};
    mnp_array **outputs[] = {out_p};
    mnp__loop *loop;
    struct key key = {.what = "search",
                      .question = (int)question,
                      .table = table->dtype,
                      .value = values->dtype,
                      .compared = mnp_dtype_promote(table->dtype, values->dtype),
                      .sorter = sorter ? sorter->dtype : MNP_BOOL,
                      .stored = *out_p ? (*out_p)->dtype : result};
    const mnp__output_spec spec = {.function = function,
                                   .ctx = table->ctx,
                                   .dtype = result,
                                   .ndim = values->layout->ndim,
                                   .shape = values->layout->shape};
    MNP_TRY(mnp__output_check(&spec, *out_p));
    MNP_TRY(mnp__loop_get(table->ctx, build, &key, sizeof key, &loop));
    return mnp__apply(table->ctx,
                      &(mnp__application){.function = function, .loop = loop, .inputs = inputs, .outputs_p = outputs});
}

/* ---- searchsorted ---- */

static mnp_status check_sorter(const char *function, const mnp_array *a, const mnp_array *sorter)
{
    mnp__number least, most;
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
    const int64_t low = mnp__number_as_int64(least, sorter->dtype), high = mnp__number_as_int64(most, sorter->dtype);
    if (low >= 0 && high < n)
        return MNP_OK;
    return MNP_FAIL(MNP_ERR_ARG, "%s: the sorter has the index %" PRId64 ", outside of the %" PRId64 " elements",
                    function, low < 0 ? low : high, n);
}

mnp_status mnp_searchsorted(const mnp_array *a, const mnp_array *v, bool right, const mnp_array *sorter,
                            mnp_array **out_p)
{
    static const char function[] = "mnp_searchsorted";
    MNP_TRY(mnp__inputs_check(function, 1, &a));
    if (!v)
        return MNP_FAIL(MNP_ERR_ARG, "%s: v is NULL", function);
    if (a->layout->ndim != 1)
        return MNP_FAIL(MNP_ERR_ARG, "%s: `a` has %d dimensions, and must have one", function, a->layout->ndim);
    if (sorter)
        MNP_TRY(check_sorter(function, a, sorter));
    return mnp__search(function, right ? MNP__UP_TO : MNP__BEFORE, a, v, sorter, out_p);
}

/* ---- digitize ---- */

mnp_status mnp_digitize(const mnp_array *x, const mnp_array *bins, bool right, mnp_array **out_p)
{
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
