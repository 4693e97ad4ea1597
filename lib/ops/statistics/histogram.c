/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Histograms: the range, the edges, and how exact arithmetic finds the bin of an element; then they are counted.
 */
#include <maniple/histogram.h>

#include <float.h>
#include <inttypes.h>
#include <math.h>

#include <maniple/create.h>
#include <maniple/reduce.h>
#include <maniple/ufunc.h>
#include <maniple/view.h>

#include "array/input.h"
#include "array/output.h"
#include "base/hash.h"
#include "layout/layout.h"
#include "ops/elementwise/formula.h"
#include "ops/statistics/histogram.h"
#include "ops/statistics/count_bins.h"

/* ---- arguments ---- */

mnp_status mnp__histogram_check(const char *function, const mnp_array *x, const mnp_array *weights)
{
    const mnp_array *inputs[] = {x, weights};
    MNP_TRY(mnp__inputs_check(function, weights ? 2 : 1, inputs));
    if (mnp_dtype_kind(x->dtype) == 'c')
        return MNP_FAIL(MNP_ERR_ARG, "%s: the elements are %s, and complex numbers have no bins", function,
                        mnp_dtype_name(x->dtype));
    if (weights && !mnp__layout_same_shape(weights->layout, x->layout))
        return MNP_FAIL(MNP_ERR_ARG, "%s: the weights have another shape than the elements", function);
    return MNP_OK;
}

/* ---- the least and the greatest element ---- */

static const char limits[] =
    "template <typename T> struct limits : mnp_reduce_ptp<T> {\n"
    "    typedef typename mnp_reduce_ptp<T>::acc acc;\n"
    "    static MNP_INLINE void give(const acc &a, const mnp_reduce_end &, T &least, T &most)\n"
    "    {\n"
    "        least = a.least;\n"
    "        most = a.most;\n"
    "    }\n"
    "};";

static mnp_status build_limits(mnp_ctx *ctx, const void *argument, mnp__reduction **reduction_p)
{
    const mnp_dtype dtype = *(const mnp_dtype *)argument;
    const size_t room = 2 * mnp_dtype_size(dtype);
    const mnp__loop_operand operands[] = {{.name = "x", .type = dtype, .memory = dtype},
                                          {.name = "least", .type = dtype, .memory = dtype},
                                          {.name = "most", .type = dtype, .memory = dtype}};
    return mnp__reduction_new(ctx,
                              &(mnp__reduction_spec){.name = "limits",
                                                     .preamble = limits,
                                                     .op = "limits<mnp_type0>",
                                                     .finish = "",
                                                     .accumulator = room > 8 ? room : 8,
                                                     .mask = -1,
                                                     .ninputs = 1,
                                                     .noutputs = 2,
                                                     .operands = operands},
                              reduction_p);
}

mnp_status mnp__read_one(const mnp_array *array, void *value)
{
    mnp_ctx *ctx = array->ctx;
    for (int rank = 0; rank < ctx->comm.size; rank++) {
        int64_t lo[MNP_MAX_DIMS], extent[MNP_MAX_DIMS];
        if (!mnp__layout_box(array->layout, rank, lo, extent)) /* the rank owns nothing */
            return mnp_array_to_host(array, MNP_ALL_RANKS, value);
    }
    MNP_TRY(ctx->device->ops->copy(ctx->device, value, array->data, mnp_dtype_size(array->dtype), ctx->compute));
    return mnp__ctx_wait(ctx, ctx->compute);
}

mnp_status mnp__limits(const char *function, const mnp_array *x, mnp__value *least, mnp__value *most)
{
    mnp_array *low = NULL, *high = NULL;
    mnp__reduction *reduction;
    MNP_TRY(mnp__reduction_get(x->ctx, build_limits, &x->dtype, sizeof x->dtype, &reduction));
    MNP_TRY(mnp__reduction_run(reduction, &(mnp__reduction_call){.function = function,
                                                                 .inputs = &x,
                                                                 .outputs_p = (mnp_array * *[]){&low, &high},
                                                                 .axes = (1u << x->layout->ndim) - 1}));
    uint64_t element[2];
    mnp_status st;
    MNP_TRY_OR(mnp__read_one(low, element), st, done);
    *least = mnp__value_read(x->dtype, element);
    MNP_TRY_OR(mnp__read_one(high, element), st, done);
    *most = mnp__value_read(x->dtype, element);
done:
    mnp_free_all(low, high);
    return st;
}

/* ---- arithmetic of edges, as NumPy has it ---- */

/* The distance from 1 to the next number. */
static double epsilon(mnp_dtype dtype)
{
    switch (dtype) {
    case MNP_FLOAT16:
        return 0x1p-10;
    case MNP_BFLOAT16:
        return 0x1p-7;
    case MNP_FLOAT32:
        return (double)FLT_EPSILON;
    default:
        return DBL_EPSILON;
    }
}

/* The least number that has all digits. */
static double least_normal(mnp_dtype dtype)
{
    return dtype == MNP_FLOAT16 ? 0x1p-14 : dtype == MNP_FLOAT64 ? DBL_MIN : (double)FLT_MIN;
}

static mnp_dtype type_of_edges(mnp_dtype dtype)
{
    return mnp_dtype_kind(dtype) == 'f' ? dtype : MNP_FLOAT64;
}

/* Edge number i: numpy.linspace(low, high, bins + 1) in `arithmetic`, which becomes the type of the edges. */
static double edge(const mnp__even_bins *even, int64_t i)
{
    const mnp_dtype type = even->arithmetic;
    const double value = mnp__round_to(type, mnp__round_to(type, (double)i) * even->step);
    return mnp__round_to(even->dtype, i == even->bins ? even->high : mnp__round_to(type, value + even->low));
}

/* Whether all edges differ: surely where bins are wide, else by looking, but at no more than memory could hold. */
static bool are_distinct(const mnp__even_bins *even)
{
    const double most = fmax(fabs(even->low), fabs(even->high)), width = (even->high - even->low) / (double)even->bins;
    if ((width > 4 * epsilon(even->dtype) * most && width > least_normal(even->dtype)) || even->bins >> 36)
        return true;
    for (int64_t i = 0; i < even->bins; i++) {
        if (edge(even, i) >= edge(even, i + 1))
            return false;
    }
    return true;
}

mnp_status mnp__even_range(const char *function, const mnp_array *x, const double *range, mnp__even_bins *even)
{
    const char *whose = range ? "the given" : "the elements'";
    *even = (mnp__even_bins){.low = 0, .high = 1, .dtype = type_of_edges(x->dtype), .arithmetic = MNP_FLOAT64};
    if (range) {
        even->low = range[0];
        even->high = range[1];
        if (even->low > even->high)
            return MNP_FAIL(MNP_ERR_ARG, "%s: the range falls, from %.17g to %.17g", function, even->low, even->high);
    } else if (x->layout->size > 0) {
        mnp__value least, most;
        MNP_TRY(mnp__limits(function, x, &least, &most));
        even->low = mnp__value_as_double(&least);
        even->high = mnp__value_as_double(&most);
        const bool holds = isfinite(mnp__round_to(even->dtype, even->high - even->low));
        even->arithmetic = holds ? even->dtype : MNP_FLOAT64;
    }
    if (!isfinite(even->low) || !isfinite(even->high) || !isfinite(even->high - even->low))
        return MNP_FAIL(MNP_ERR_ARG, "%s: %s range, from %.17g to %.17g, is not finite", function, whose, even->low,
                        even->high);
    if (even->low == even->high) {
        even->low = mnp__round_to(even->arithmetic, even->low - 0.5);
        even->high = mnp__round_to(even->arithmetic, even->high + 0.5);
    }
    return MNP_OK;
}

mnp_status mnp__even_divide(const char *function, int64_t bins, mnp__even_bins *even)
{
    const mnp_dtype type = even->arithmetic;
    even->bins = bins;
    if (bins < 1)
        return MNP_FAIL(MNP_ERR_ARG, "%s: bins is %" PRId64 ", below 1", function, bins);
    if (bins >> 60)
        return MNP_FAIL(MNP_ERR_ARG, "%s: bins is %" PRId64 ", too many for 64-bit sizes", function, bins);
    even->step = mnp__round_to(type, mnp__round_to(type, even->high - even->low) / mnp__round_to(type, (double)bins));
    if (are_distinct(even))
        return MNP_OK;
    return MNP_FAIL(MNP_ERR_ARG, "%s: the range from %.17g to %.17g cannot be divided into %" PRId64 " bins of %s",
                    function, even->low, even->high, bins, mnp_dtype_name(even->dtype));
}

static const mnp__formula edges_double = {
    .name = "edges",
    .body = "out = mnp_i == last ? high : (double)mnp_i * step + low;",
    .indices = true,
    .type = MNP_FLOAT64,
    .ninputs = 4,
    .inputs = {{"low", MNP_FLOAT64}, {"high", MNP_FLOAT64}, {"step", MNP_FLOAT64}, {"last", MNP_INT64}},
};

static const mnp__formula edges_float = {
    .name = "edges_float",
    .body = "out = mnp_i == last ? (float)high : (float)mnp_i * (float)step + (float)low;",
    .indices = true,
    .type = MNP_FLOAT32,
    .ninputs = 4,
    .inputs = {{"low", MNP_FLOAT64}, {"high", MNP_FLOAT64}, {"step", MNP_FLOAT64}, {"last", MNP_INT64}},
};

#define EDGES_HALF(type)                                                                                               \
    "const " type " number((float)mnp_i), product((float)number * (float)step);\n"                                     \
    "out = mnp_i == last ? (float)high : (float)" type "((float)product + (float)low);"

static const mnp__formula edges_float16 = {
    .name = "edges_float16",
    .body = EDGES_HALF("mnp_float16"),
    .indices = true,
    .type = MNP_FLOAT32,
    .ninputs = 4,
    .inputs = {{"low", MNP_FLOAT64}, {"high", MNP_FLOAT64}, {"step", MNP_FLOAT64}, {"last", MNP_INT64}},
};

static const mnp__formula edges_bfloat16 = {
    .name = "edges_bfloat16",
    .body = EDGES_HALF("mnp_bfloat16"),
    .indices = true,
    .type = MNP_FLOAT32,
    .ninputs = 4,
    .inputs = {{"low", MNP_FLOAT64}, {"high", MNP_FLOAT64}, {"step", MNP_FLOAT64}, {"last", MNP_INT64}},
};

mnp_status mnp__even_edges(const char *function, mnp_ctx *ctx, const mnp__even_bins *even, mnp_array **edges_p)
{
    const mnp__formula *formula = even->arithmetic == MNP_FLOAT16    ? &edges_float16
                                  : even->arithmetic == MNP_BFLOAT16 ? &edges_bfloat16
                                  : even->arithmetic == MNP_FLOAT32  ? &edges_float
                                                                     : &edges_double;
    const mnp_array *inputs[] = {mnp_scalar_float(ctx, even->low), mnp_scalar_float(ctx, even->high),
                                 mnp_scalar_float(ctx, even->step), mnp_scalar_int(ctx, even->bins)};
    const int64_t count = even->bins + 1;
    mnp_layout *whole;
    MNP_TRY(mnp_layout_replicated(ctx->comm.size, 1, &count, &whole));
    mnp_status st = mnp__formula_create(
        ctx,
        &(mnp__formula_call){
            .function = function, .formula = formula, .inputs = inputs, .type = even->dtype, .layout = whole},
        1, &count, edges_p);
    mnp_layout_free(whole);
    return st;
}

/* ---- finding bins ---- */

/*
 * Choose how an element's bin is computed.  Its position, in bins, has an error of a few roundings of the arithmetic,
 * and the edges have one of a few roundings of their type: an element must be compared with an edge only if it is
 * nearer than that.  Where the error may be whole bins, the edges are searched.
 */
static void choose_arithmetic(const mnp__even_bins *even, mnp_dtype dtype, mnp__count_bins *counting)
{
    const double low = mnp__round_to(even->dtype, even->low), high = mnp__round_to(even->dtype, even->high),
                 span = high - low;
    const double most = fmax(fabs(low), fabs(high)), bins = (double)even->bins;
    const double roundings = 2 * (bins + most / span * bins), few = 0x1p-6;
    const double in_float = roundings * ((double)FLT_EPSILON + epsilon(even->dtype));
    const double in_double = roundings * (DBL_EPSILON + epsilon(even->dtype));
    const bool suits = mnp_dtype_size(dtype) <= 2 || dtype == MNP_FLOAT32;
    counting->arithmetic = even->arithmetic;
    counting->low = even->low;
    counting->high = even->high;
    counting->step = even->step;
    counting->first = low;
    counting->scale = bins / span;
    counting->narrow =
        suits && in_float < few && span < FLT_MAX / 4 && counting->scale < FLT_MAX && counting->scale > FLT_MIN;
    counting->margin = counting->narrow ? in_float : in_double;
    const bool exact = counting->margin < 0.5 && span / bins > least_normal(even->dtype) && isfinite(counting->scale);
    counting->method = exact ? MNP_BINS_EVEN : MNP_BINS_SEARCH;
}

/* n / widths of the bins / sum of n */
static mnp_status divide_density(const mnp_array *counts, const mnp_array *edges, mnp_array **density_p)
{
    mnp_array *upper = NULL, *lower = NULL, *widths = NULL, *wide = NULL, *each = NULL, *total = NULL;
    mnp_status st;
    MNP_TRY_OR(mnp_index(edges, "1:", &upper), st, done);
    MNP_TRY_OR(mnp_index(edges, ":-1", &lower), st, done);
    MNP_TRY_OR(mnp_subtract(upper, lower, &widths), st, done);
    MNP_TRY_OR(mnp_astype(widths, MNP_FLOAT64, &wide), st, done);
    MNP_TRY_OR(mnp_divide(counts, wide, &each), st, done);
    MNP_TRY_OR(mnp_sum(counts, MNP_ALL_AXES, &total), st, done);
    st = mnp_divide(each, total, density_p);
done:
    mnp_free_all(upper, lower, widths, wide, each, total);
    return st;
}

/* The result's type: of counts, of the weights, or of their density. */
static mnp_dtype type_of_counts(const mnp_array *weights, bool density)
{
    const mnp_dtype own = weights ? weights->dtype : MNP_INT64;
    return density ? mnp_dtype_promote(own, MNP_FLOAT64) : own;
}

/* Give one of a function's arrays to the caller. */
static mnp_status give(mnp_array **made, mnp_array **user_p)
{
    mnp_array *array = *made;
    *made = NULL;
    return mnp__output_give(array, MNP_OK, user_p);
}

/* Check an output of one dimension. */
static mnp_status check_output(const char *function, const char *name, const mnp_array *x, mnp_dtype dtype,
                               int64_t size, const mnp_array *given)
{
    const mnp__output_spec spec = {
        .function = function, .name = name, .ctx = x->ctx, .dtype = dtype, .ndim = 1, .shape = &size};
    return mnp__output_check(&spec, given);
}

/* Count, and convert the sums to the result. */
static mnp_status count(const mnp_array *x, const mnp__count_bins *counting, bool density, const mnp_array *edges,
                        mnp_array **counts_p)
{
    const mnp_dtype own = type_of_counts(counting->weights, false);
    mnp_array *sums = NULL, *counts = NULL, *made = NULL;
    mnp_status st;
    if (!density && *counts_p && (*counts_p)->dtype == own && mnp__count_bins_sum(counting->weights) == own)
        return mnp__count_bins_run(x, counting, counts_p);
    MNP_TRY_OR(mnp__count_bins_run(x, counting, &sums), st, done);
    if (sums->dtype != own)
        MNP_TRY_OR(mnp_astype(sums, own, &counts), st, done);
    if (density)
        st = divide_density(counts ? counts : sums, edges, &made);
    if (st == MNP_OK)
        st = give(density ? &made : counts ? &counts : &sums, counts_p);
done:
    mnp_free_all(sums, counts, made);
    return st;
}

/* ---- bins of equal width ---- */

mnp_status mnp_histogram(const mnp_array *x, int64_t bins, const double *range, bool density, const mnp_array *weights,
                         mnp_array **counts_p, mnp_array **edges_p)
{
    MNP_ENTER(x, counts_p);
    MNP_NEED_OR_NULL(weights);
    MNP_NEED_IF(edges_p, edges_p);
    static const char function[] = "mnp_histogram";
    mnp__count_bins counting = {.bins = bins, .weights = weights};
    mnp__even_bins even;
    mnp_array *edges = NULL;
    MNP_TRY(mnp__histogram_check(function, x, weights));
    MNP_TRY(mnp__check_same(&x->ctx->comm, function, mnp__hash(MNP__HASH_START, &bins, sizeof bins)));
    MNP_TRY(check_output(function, "counts", x, type_of_counts(weights, density), bins, *counts_p));
    if (edges_p)
        MNP_TRY(
            check_output(function, "edges", x, type_of_edges(x->dtype), bins < INT64_MAX ? bins + 1 : bins, *edges_p));
    MNP_TRY(mnp__output_check_distinct(function, 2, (mnp_array * *const[]){counts_p, edges_p}));
    MNP_TRY(mnp__even_range(function, x, range, &even));
    MNP_TRY(mnp__even_divide(function, bins, &even));
    choose_arithmetic(&even, x->dtype, &counting);
    if (edges_p || density || counting.method == MNP_BINS_SEARCH)
        MNP_TRY(mnp__even_edges(function, x->ctx, &even, &edges));
    counting.compared = even.dtype;
    counting.edges = edges;
    mnp_status st = count(x, &counting, density, edges, counts_p);
    if (st == MNP_OK && edges_p)
        st = give(&edges, edges_p);
    mnp_array_free(edges);
    return st;
}

mnp_status mnp_histogram_bin_edges(const mnp_array *x, int64_t bins, const double *range, mnp_array **edges_p)
{
    MNP_ENTER(x, edges_p);
    static const char function[] = "mnp_histogram_bin_edges";
    mnp__even_bins even;
    mnp_array *edges = NULL;
    MNP_TRY(mnp__histogram_check(function, x, NULL));
    MNP_TRY(mnp__even_range(function, x, range, &even));
    MNP_TRY(mnp__even_divide(function, bins, &even));
    MNP_TRY(check_output(function, NULL, x, even.dtype, bins + 1, *edges_p));
    MNP_TRY(mnp__even_edges(function, x->ctx, &even, &edges));
    return give(&edges, edges_p);
}

/* ---- bins between given edges ---- */

mnp_status mnp__rises(const mnp_array *values, bool *rises_p)
{
    mnp_array *upper = NULL, *lower = NULL, *falls = NULL, *any = NULL;
    uint8_t wrong = 0;
    mnp_status st = MNP_OK;
    if (values->layout->size < 2)
        goto done;
    MNP_TRY_OR(mnp_index(values, "1:", &upper), st, done);
    MNP_TRY_OR(mnp_index(values, ":-1", &lower), st, done);
    MNP_TRY_OR(mnp_greater(lower, upper, &falls), st, done);
    MNP_TRY_OR(mnp_any(falls, MNP_ALL_AXES, &any), st, done);
    st = mnp__read_one(any, &wrong);
done:
    mnp_free_all(upper, lower, falls, any);
    if (st == MNP_OK)
        *rises_p = !wrong;
    return st;
}

mnp_status mnp__check_edges(const char *function, const mnp_array *edges, const mnp_array *x)
{
    bool rises;
    MNP_TRY(mnp__inputs_check(function, 2, (const mnp_array *[]){edges, x}));
    if (edges->layout->ndim != 1)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the edges have %d dimensions, and must have one", function,
                        edges->layout->ndim);
    if (mnp_dtype_kind(edges->dtype) == 'c')
        return MNP_FAIL(MNP_ERR_ARG, "%s: the edges are %s, and complex numbers have no bins", function,
                        mnp_dtype_name(edges->dtype));
    MNP_TRY(mnp__rises(edges, &rises));
    return rises ? MNP_OK : MNP_FAIL(MNP_ERR_ARG, "%s: the edges do not rise monotonically", function);
}

mnp_status mnp_histogram_edges(const mnp_array *x, const mnp_array *edges, bool density, const mnp_array *weights,
                               mnp_array **counts_p)
{
    MNP_ENTER(x, edges, counts_p);
    MNP_NEED_OR_NULL(weights);
    static const char function[] = "mnp_histogram_edges";
    mnp__count_bins counting = {.method = MNP_BINS_SEARCH, .weights = weights};
    mnp__input whole;
    MNP_TRY(mnp__histogram_check(function, x, weights));
    MNP_TRY(mnp__check_edges(function, edges, x));
    counting.bins = edges->layout->size > 0 ? edges->layout->size - 1 : 0;
    const mnp_dtype type = type_of_counts(weights, density);
    MNP_TRY(check_output(function, NULL, x, type, counting.bins, *counts_p));
    if (counting.bins == 0)
        return *counts_p ? MNP_OK : mnp_zeros(x->ctx, type, 1, &counting.bins, counts_p);
    counting.compared = mnp_dtype_promote(x->dtype == MNP_BOOL ? MNP_UINT8 : x->dtype, edges->dtype);
    MNP_TRY(mnp__input_open_everywhere(edges, counting.compared, MNP__INPUT_DENSE, &whole));
    counting.edges = whole.array;
    mnp_status st = count(x, &counting, density, edges, counts_p);
    mnp__input_close(&whole);
    return st;
}

/* ---- counting numbers ---- */

static mnp_status check_numbers(const char *function, const mnp_array *x, const mnp_array *weights, int64_t minlength)
{
    MNP_TRY(mnp__histogram_check(function, x, weights));
    if (x->dtype != MNP_UINT64 && !mnp_can_cast(x->dtype, MNP_INT64, MNP_CASTING_SAFE))
        return MNP_FAIL(MNP_ERR_ARG, "%s: the elements are %s, which int64 does not hold", function,
                        mnp_dtype_name(x->dtype));
    if (weights && mnp_dtype_kind(weights->dtype) == 'c')
        return MNP_FAIL(MNP_ERR_ARG, "%s: the weights are %s, and must be real", function,
                        mnp_dtype_name(weights->dtype));
    if (minlength < 0)
        return MNP_FAIL(MNP_ERR_ARG, "%s: minlength is %" PRId64 ", negative", function, minlength);
    return MNP_OK;
}

mnp_status mnp_bincount(const mnp_array *x, const mnp_array *weights, int64_t minlength, mnp_array **counts_p)
{
    MNP_ENTER(x, counts_p);
    MNP_NEED_OR_NULL(weights);
    static const char function[] = "mnp_bincount";
    const mnp_dtype type = weights ? MNP_FLOAT64 : MNP_INT64;
    mnp__count_bins counting = {
        .method = MNP_BINS_NUMBERS, .bins = minlength, .compared = MNP_INT64, .weights = weights};
    mnp_array *sums = NULL, *made = NULL;
    MNP_TRY(check_numbers(function, x, weights, minlength));
    if (x->layout->size > 0) {
        mnp__value first, last;
        MNP_TRY(mnp__limits(function, x, &first, &last));
        const int64_t least = mnp__value_as_int64(&first), most = mnp__value_as_int64(&last);
        const bool natural = x->dtype == MNP_UINT64; /* then what is beyond int64 became negative */
        if (least < 0 && !natural)
            return MNP_FAIL(MNP_ERR_ARG, "%s: there is an element %" PRId64 ", and none may be negative", function,
                            least);
        if (most == INT64_MAX || (natural && most < 0))
            return MNP_FAIL(MNP_ERR_ARG, "%s: there is an element %" PRIu64 ", too large to be counted", function,
                            (uint64_t)most);
        counting.bins = most < minlength ? minlength : most + 1;
    }
    MNP_TRY(check_output(function, NULL, x, type, counting.bins, *counts_p));
    if (counting.bins == 0)
        return *counts_p ? MNP_OK : mnp_zeros(x->ctx, type, 1, &counting.bins, counts_p);
    if (*counts_p && (*counts_p)->dtype == type && mnp__count_bins_sum(weights) == type)
        return mnp__count_bins_run(x, &counting, counts_p);
    mnp_status st = mnp__count_bins_run(x, &counting, &sums);
    if (st == MNP_OK && sums->dtype != type)
        st = mnp_astype(sums, type, &made);
    if (st == MNP_OK)
        st = give(made ? &made : &sums, counts_p);
    mnp_free_all(sums, made);
    return st;
}
