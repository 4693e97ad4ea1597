/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table of functions of whole arrays, and what their results are: dtypes and numbers of dimensions, which a text
 * needs before anything is computed.
 */
#include "ops/expression/array_function.h"

#include <stdio.h>
#include <string.h>

#include <maniple/create.h>
#include <maniple/fft.h>
#include <maniple/join.h>
#include <maniple/linalg.h>
#include <maniple/scan.h>
#include <maniple/select.h>
#include <maniple/sets.h>
#include <maniple/sort.h>
#include <maniple/view.h>

#include "base/dtype.h"
#include "base/status.h"

typedef const mnp__array_facts facts;

/* ---- what results are ---- */

/* The type of a mean. */
static mnp_dtype inexact(mnp_dtype dtype)
{
    return mnp__dtype_is_inexact(dtype) ? dtype : MNP_FLOAT64;
}

static int count_list(const mnp__integers *integers)
{
    return integers->is_list ? integers->count : 1;
}

static mnp_status give(mnp__array_facts *result, mnp_dtype dtype, int ndim)
{
    *result = (mnp__array_facts){dtype, ndim};
    return MNP_OK;
}

static mnp_status same(mnp__array_call *call, facts *x, mnp__array_facts *result)
{
    (void)call;
    return give(result, x[0].dtype, x[0].ndim);
}

/* Along an axis, or flattened. */
static mnp_status same_or_flat(mnp__array_call *call, facts *x, mnp__array_facts *result)
{
    return give(result, x[0].dtype, call->constants.flat ? 1 : x[0].ndim);
}

static mnp_status indices_or_flat(mnp__array_call *call, facts *x, mnp__array_facts *result)
{
    return give(result, MNP_INT64, call->constants.flat ? 1 : x[0].ndim);
}

static mnp_status flat(mnp__array_call *call, facts *x, mnp__array_facts *result)
{
    (void)call;
    return give(result, x[0].dtype, 1);
}

static mnp_status flat_indices(mnp__array_call *call, facts *x, mnp__array_facts *result)
{
    (void)call, (void)x;
    return give(result, MNP_INT64, 1);
}

static mnp_status pairs_of_indices(mnp__array_call *call, facts *x, mnp__array_facts *result)
{
    (void)call, (void)x;
    return give(result, MNP_INT64, 2);
}

static mnp_status truth_of_first(mnp__array_call *call, facts *x, mnp__array_facts *result)
{
    (void)call;
    return give(result, MNP_BOOL, x[0].ndim);
}

static mnp_status indices_of_first(mnp__array_call *call, facts *x, mnp__array_facts *result)
{
    (void)call;
    return give(result, MNP_INT64, x[0].ndim);
}

static mnp_status indices_of_second(mnp__array_call *call, facts *x, mnp__array_facts *result)
{
    (void)call;
    return give(result, MNP_INT64, x[1].ndim);
}

/* As a cumulative sum: integers of 64 bits, or the type that is asked for. */
static mnp_status scanned(mnp__array_call *call, facts *x, mnp__array_facts *result)
{
    mnp_dtype dtype = mnp__dtype_is_inexact(x->dtype)   ? x->dtype
                      : mnp_dtype_kind(x->dtype) == 'u' ? MNP_UINT64
                                                        : MNP_INT64;
    if (call->constants.axes.dtype)
        MNP_TRY(mnp_dtype_parse(call->constants.axes.dtype, &dtype));
    return give(result, dtype, call->constants.flat ? 1 : x->ndim);
}

static int remaining(const mnp__array_call *call, int ndim)
{
    const mnp_axes *axes = &call->constants.axes;
    return axes->keepdims ? ndim : axes->count == 0 ? 0 : ndim - axes->count;
}

static mnp_status median(mnp__array_call *call, facts *x, mnp__array_facts *result)
{
    return give(result, inexact(x->dtype), remaining(call, x->ndim));
}

static mnp_status quantile(mnp__array_call *call, facts *x, mnp__array_facts *result)
{
    static const char *const of_elements[] = {"lower", "higher", "nearest", "inverted_cdf", "closest_observation"};
    const mnp__constants *constants = &call->constants;
    bool list = constants->reals_are_list, taken = false;
    for (size_t i = 0; i < sizeof of_elements / sizeof *of_elements; i++)
        taken = taken || strcmp(constants->word, of_elements[i]) == 0;
    mnp_dtype dtype = taken ? x->dtype : list ? MNP_FLOAT64 : inexact(x->dtype);
    return give(result, dtype, remaining(call, x->ndim) + list);
}

static mnp_status average(mnp__array_call *call, facts *x, mnp__array_facts *result)
{
    mnp_dtype dtype = inexact(x[0].dtype);
    if (call->slots[1] >= 0)
        dtype = mnp_dtype_promote(dtype, x[call->slots[1]].dtype);
    return give(result, dtype, remaining(call, x->ndim));
}

static mnp_status gradient(mnp__array_call *call, facts *x, mnp__array_facts *result)
{
    (void)call;
    return give(result, inexact(x->dtype), x->ndim);
}

static mnp_status integral(mnp__array_call *call, facts *x, mnp__array_facts *result)
{
    mnp_dtype dtype = inexact(x[0].dtype);
    if (call->slots[1] >= 0)
        dtype = mnp_dtype_promote(dtype, x[call->slots[1]].dtype);
    return give(result, dtype, x->ndim - 1);
}

static mnp_status unique(mnp__array_call *call, facts *x, mnp__array_facts *result)
{
    unsigned flags = call->constants.flags;
    int count = 0;
    give(&result[count++], x->dtype, 1);
    if (flags & MNP__FLAG_INDEX)
        give(&result[count++], MNP_INT64, 1);
    if (flags & MNP__FLAG_INVERSE)
        give(&result[count++], MNP_INT64, x->ndim);
    if (flags & MNP__FLAG_COUNTS)
        give(&result[count++], MNP_INT64, 1);
    return MNP_OK;
}

static mnp_dtype promoted(const mnp__array_call *call, facts *x)
{
    mnp_dtype dtype = x[0].dtype;
    for (int i = 1; i < call->narrays; i++)
        dtype = mnp_dtype_promote(dtype, x[i].dtype);
    return dtype;
}

static mnp_status joined_set(mnp__array_call *call, facts *x, mnp__array_facts *result)
{
    return give(result, promoted(call, x), 1);
}

static mnp_status joined(mnp__array_call *call, facts *x, mnp__array_facts *result)
{
    return give(result, promoted(call, x), call->constants.flat ? 1 : x->ndim);
}

static mnp_status stacked(mnp__array_call *call, facts *x, mnp__array_facts *result)
{
    return give(result, promoted(call, x), x->ndim + 1);
}

static mnp_status at_least(const mnp__array_call *call, facts *x, int ndim, mnp__array_facts *result)
{
    return give(result, promoted(call, x), x->ndim > ndim ? x->ndim : ndim);
}

static mnp_status rows_on_rows(mnp__array_call *call, facts *x, mnp__array_facts *result)
{
    return at_least(call, x, 2, result);
}

static mnp_status side_by_side(mnp__array_call *call, facts *x, mnp__array_facts *result)
{
    return at_least(call, x, 1, result);
}

static mnp_status in_depth(mnp__array_call *call, facts *x, mnp__array_facts *result)
{
    return at_least(call, x, 3, result);
}

static mnp_status of_shape(mnp__array_call *call, facts *x, mnp__array_facts *result)
{
    return give(result, x->dtype, call->constants.integers[0].count);
}

static mnp_status squeezed(mnp__array_call *call, facts *x, mnp__array_facts *result)
{
    if (call->constants.axes.count == 0)
        return MNP_FAIL(MNP_ERR_ARG, "squeeze: name the axes here, as in squeeze(x, axis=0)");
    return give(result, x->dtype, x->ndim - call->constants.axes.count);
}

static mnp_status expanded(mnp__array_call *call, facts *x, mnp__array_facts *result)
{
    return give(result, x->dtype, x->ndim + call->constants.axes.count);
}

static mnp_status tiled(mnp__array_call *call, facts *x, mnp__array_facts *result)
{
    int more = count_list(&call->constants.integers[0]);
    return give(result, x->dtype, more > x->ndim ? more : x->ndim);
}

static mnp_status diagonal(mnp__array_call *call, facts *x, mnp__array_facts *result)
{
    (void)call;
    return give(result, x->dtype, x->ndim == 1 ? 2 : 1);
}

static mnp_status taken(mnp__array_call *call, facts *x, mnp__array_facts *result)
{
    return give(result, x[0].dtype, call->constants.flat ? x[1].ndim : x[0].ndim - 1 + x[1].ndim);
}

static mnp_status masked(mnp__array_call *call, facts *x, mnp__array_facts *result)
{
    (void)call;
    return give(result, x[0].dtype, x[0].ndim - x[1].ndim + 1);
}

static mnp_status along_first(mnp__array_call *call, facts *x, mnp__array_facts *result)
{
    if (x[0].ndim != 1)
        return MNP_FAIL(MNP_ERR_ARG, "values are assigned at indices of arrays of one dimension alone");
    return same(call, x, result);
}

static mnp_status compressed(mnp__array_call *call, facts *x, mnp__array_facts *result)
{
    return give(result, x[1].dtype, call->constants.flat ? 1 : x[1].ndim);
}

static mnp_status extracted(mnp__array_call *call, facts *x, mnp__array_facts *result)
{
    (void)call;
    return give(result, x[1].dtype, 1);
}

static mnp_status typed(mnp__array_call *call, facts *x, mnp__array_facts *result)
{
    mnp_dtype dtype = x->dtype;
    if (call->constants.axes.dtype)
        MNP_TRY(mnp_dtype_parse(call->constants.axes.dtype, &dtype));
    return give(result, dtype, x->ndim);
}

static mnp_status largest(mnp__array_call *call, facts *x, mnp__array_facts *result)
{
    (void)call;
    give(&result[0], x->dtype, x->ndim);
    return give(&result[1], MNP_INT64, x->ndim);
}

static mnp_status histogram(mnp__array_call *call, facts *x, mnp__array_facts *result)
{
    mnp_dtype counts = call->slots[1] >= 0 ? x[call->slots[1]].dtype : MNP_INT64;
    if (call->constants.flags & MNP__FLAG_DENSITY)
        counts = mnp_dtype_kind(counts) == 'c' ? MNP_COMPLEX128 : MNP_FLOAT64;
    give(&result[0], counts, 1);
    return give(&result[1], mnp_dtype_kind(x->dtype) == 'f' ? x->dtype : MNP_FLOAT64, 1);
}

static mnp_status counts(mnp__array_call *call, facts *x, mnp__array_facts *result)
{
    (void)x;
    return give(result, call->slots[1] >= 0 ? MNP_FLOAT64 : MNP_INT64, 1);
}

static mnp_status covariances(mnp__array_call *call, facts *x, mnp__array_facts *result)
{
    return give(result, mnp_dtype_promote(promoted(call, x), MNP_FLOAT64), call->narrays == 1 && x->ndim < 2 ? 0 : 2);
}

static mnp_status reduced(mnp__array_call *call, facts *x, mnp__array_facts *result)
{
    const mnp_axes *axes = &call->constants.axes;
    char name[32];
    snprintf(name, sizeof name, "%.*s", (int)call->name.length, call->name.start);
    if (axes->count > 1 && mnp__reduce_has(call->reduce, MNP__REDUCE_ONE_AXIS))
        return MNP_FAIL(MNP_ERR_ARG, "%s goes along one axis, or all, and %d are given", name, axes->count);
    MNP_TRY(mnp__reduction_axes(name, x->ndim, axes, &call->mask));
    MNP_TRY(mnp__reduce_types(call->reduce, x->dtype, axes->dtype, &call->type, &result->dtype));
    result->ndim = axes->keepdims ? x->ndim : x->ndim - __builtin_popcount(call->mask);
    return MNP_OK;
}

/* The precision of Fourier transforms: single for floats of up to 32 bits. */
static bool is_double(mnp_dtype dtype)
{
    return !mnp__dtype_is_inexact(dtype) || mnp_dtype_size(dtype) > (mnp_dtype_kind(dtype) == 'c' ? 8 : 4);
}

static mnp_status spectrum(mnp__array_call *call, facts *x, mnp__array_facts *result)
{
    (void)call;
    return give(result, is_double(x->dtype) ? MNP_COMPLEX128 : MNP_COMPLEX64, x->ndim);
}

static mnp_status from_spectrum(mnp__array_call *call, facts *x, mnp__array_facts *result)
{
    (void)call;
    return give(result, is_double(x->dtype) ? MNP_FLOAT64 : MNP_FLOAT32, x->ndim);
}

static mnp_status cosines(mnp__array_call *call, facts *x, mnp__array_facts *result)
{
    return (mnp_dtype_kind(x->dtype) == 'c' ? spectrum : from_spectrum)(call, x, result);
}

/* ---- products ---- */

/* The product of stacks of matrices, or of vectors where `a` or `b` is 1; the stacks are broadcast. */
static mnp_status product(const mnp__array_call *call, facts *x, int a, int b, mnp__array_facts *result)
{
    const int stack_a = x[0].ndim - a, stack_b = x[1].ndim - b;
    if (stack_a < 0 || stack_b < 0)
        return MNP_FAIL(MNP_ERR_ARG, "operand %d of a product of matrices has %s", stack_a < 0 ? 0 : 1,
                        x[stack_a < 0 ? 0 : 1].ndim == 0 ? "no dimension" : "one dimension, and is to have two");
    return give(result, promoted(call, x), (stack_a > stack_b ? stack_a : stack_b) + (a - 1) + (b - 1));
}

static mnp_status matrices(mnp__array_call *call, facts *x, mnp__array_facts *result)
{
    return product(call, x, x[0].ndim < 2 ? 1 : 2, x[1].ndim < 2 ? 1 : 2, result);
}

static mnp_status matrices_and_vectors(mnp__array_call *call, facts *x, mnp__array_facts *result)
{
    return product(call, x, 2, 1, result);
}

static mnp_status vectors_and_matrices(mnp__array_call *call, facts *x, mnp__array_facts *result)
{
    return product(call, x, 1, 2, result);
}

/* The sum over one dimension of each, or a number times the other. */
static mnp_status contracted(mnp__array_call *call, facts *x, mnp__array_facts *result)
{
    const bool number = x[0].ndim == 0 || x[1].ndim == 0;
    return give(result, promoted(call, x), x[0].ndim + x[1].ndim - (number ? 0 : 2));
}

static mnp_status number(mnp__array_call *call, facts *x, mnp__array_facts *result)
{
    return give(result, promoted(call, x), 0);
}

static mnp_status all_pairs(mnp__array_call *call, facts *x, mnp__array_facts *result)
{
    return give(result, promoted(call, x), 2);
}

static mnp_status blown_up(mnp__array_call *call, facts *x, mnp__array_facts *result)
{
    return at_least(call, x, x[1].ndim, result);
}

/* ---- the table ---- */

#define QUANTILE "x, q, axis=None, *, method='linear', keepdims=False"
#define SCAN "x, axis=None, dtype=None"
#define FFT "x, n=None, axis=-1, norm=None"
#define FFT2 "x, s=None, axes=(-2, -1), norm=None"
#define FFTN "x, s=None, axes=None, norm=None"
#define DCT "x, type=2, n=None, axis=-1, norm=None"
#define DCTN "x, type=2, s=None, axes=None, norm=None"

static const mnp__array_function functions[] = {
    {"cumsum", SCAN, scanned, mnp__run_x_axis_dtype, {.x_axis_dtype = mnp_cumsum}},
    {"cumprod", SCAN, scanned, mnp__run_x_axis_dtype, {.x_axis_dtype = mnp_cumprod}},
    {"nancumsum", SCAN, scanned, mnp__run_x_axis_dtype, {.x_axis_dtype = mnp_nancumsum}},
    {"nancumprod", SCAN, scanned, mnp__run_x_axis_dtype, {.x_axis_dtype = mnp_nancumprod}},
    {"cummax", "x, axis=None", same_or_flat, mnp__run_x_axis, {.x_axis = mnp_cummax}},
    {"cummin", "x, axis=None", same_or_flat, mnp__run_x_axis, {.x_axis = mnp_cummin}},
    {"diff", "x, n=1, axis=-1, prepend=None, append=None", same, mnp__run_diff, {0}},
    {"ediff1d", "x, to_end=None, to_begin=None", flat, mnp__run_ediff1d, {0}},
    {"gradient", "x, spacing=None, axis=0, edge_order=1", gradient, mnp__run_gradient, {0}},
    {"trapezoid", "y, x=None, dx=1.0, axis=-1", integral, mnp__run_trapezoid, {0}},

    {"sort", "x, axis=-1", same_or_flat, mnp__run_x_axis, {.x_axis = mnp_sort}},
    {"argsort", "x, axis=-1", indices_or_flat, mnp__run_x_axis, {.x_axis = mnp_argsort}},
    {"partition", "x, kth, axis=-1", same_or_flat, mnp__run_x_kth, {.x_kth = mnp_partition}},
    {"argpartition", "x, kth, axis=-1", indices_or_flat, mnp__run_x_kth, {.x_kth = mnp_argpartition}},
    {"topk", "x, k, axis=-1, largest=True", largest, mnp__run_topk, {0}},

    {"unique", "x, return_index=False, return_inverse=False, return_counts=False", unique, mnp__run_unique, {0}},
    {"isin", "x, test, *, invert=False", truth_of_first, mnp__run_isin, {0}},
    {"intersect1d", "x, y", joined_set, mnp__run_x_y, {.x_y = mnp_intersect1d}},
    {"union1d", "x, y", joined_set, mnp__run_x_y, {.x_y = mnp_union1d}},
    {"setdiff1d", "x, y", flat, mnp__run_x_y, {.x_y = mnp_setdiff1d}},
    {"setxor1d", "x, y", joined_set, mnp__run_x_y, {.x_y = mnp_setxor1d}},

    {"median", "x, axis=None, *, keepdims=False", median, mnp__run_x_axes, {.x_axes = mnp_median}},
    {"nanmedian", "x, axis=None, *, keepdims=False", median, mnp__run_x_axes, {.x_axes = mnp_nanmedian}},
    {"quantile", QUANTILE, quantile, mnp__run_quantile, {.quantile = {mnp_quantile, mnp_quantiles}}},
    {"percentile", QUANTILE, quantile, mnp__run_quantile, {.quantile = {mnp_percentile, mnp_percentiles}}},
    {"nanquantile", QUANTILE, quantile, mnp__run_quantile, {.quantile = {mnp_nanquantile, mnp_nanquantiles}}},
    {"nanpercentile", QUANTILE, quantile, mnp__run_quantile, {.quantile = {mnp_nanpercentile, mnp_nanpercentiles}}},
    {"average", "x, axis=None, weights=None, *, keepdims=False", average, mnp__run_average, {0}},
    {"cov", "x, y=None, rowvar=True, bias=False", covariances, mnp__run_cov, {.cov = mnp_cov}},
    {"corrcoef", "x, y=None, rowvar=True", covariances, mnp__run_cov, {.cov = mnp_corrcoef}},
    {"histogram", "x, bins=10, range=None, density=False, weights=None", histogram, mnp__run_histogram, {0}},
    {"bincount", "x, weights=None, minlength=0", counts, mnp__run_bincount, {0}},
    {"searchsorted", "a, v, side='left'", indices_of_second, mnp__run_searchsorted, {0}},
    {"digitize", "x, bounds, right=False", indices_of_first, mnp__run_digitize, {0}},

    {"reshape", "x, shape", of_shape, mnp__run_x_shape, {.x_shape = mnp_reshape}},
    {"ravel", "x", flat, mnp__run_x, {.x = mnp_ravel}},
    {"transpose", "x, axes=None", same, mnp__run_transpose, {0}},
    {"swapaxes", "x, axis1, axis2", same, mnp__run_two_axes, {.two_axes = mnp_swapaxes}},
    {"moveaxis", "x, source, destination", same, mnp__run_two_axes, {.two_axes = mnp_moveaxis}},
    {"squeeze", "x, axis=None", squeezed, mnp__run_x_naxes, {.x_naxes = mnp_squeeze}},
    {"expand_dims", "x, axis", expanded, mnp__run_x_naxes, {.x_naxes = mnp_expand_dims}},
    {"flip", "x, axis=None", same, mnp__run_x_naxes, {.x_naxes = mnp_flip}},
    {"broadcast_to", "x, shape", of_shape, mnp__run_x_shape, {.x_shape = mnp_broadcast_to}},
    {"concatenate", "arrays, axis=0", joined, mnp__run_list_axis, {.list_axis = mnp_concatenate}},
    {"stack", "arrays, axis=0", stacked, mnp__run_list_axis, {.list_axis = mnp_stack}},
    {"vstack", "arrays", rows_on_rows, mnp__run_list, {.list = mnp_vstack}},
    {"hstack", "arrays", side_by_side, mnp__run_list, {.list = mnp_hstack}},
    {"dstack", "arrays", in_depth, mnp__run_list, {.list = mnp_dstack}},
    {"column_stack", "arrays", rows_on_rows, mnp__run_list, {.list = mnp_column_stack}},
    {"append", "x, values, axis=None", joined, mnp__run_append, {0}},
    {"roll", "x, shift, axis=None", same, mnp__run_roll, {0}},
    {"tile", "x, reps", tiled, mnp__run_x_shape, {.x_shape = mnp_tile}},
    {"repeat", "x, repeats, axis=None", same_or_flat, mnp__run_repeat, {0}},
    {"pad", "x, pad_width, mode='constant'", same, mnp__run_pad, {0}},
    {"tril", "x, k=0", same, mnp__run_x_k, {.x_k = mnp_tril}},
    {"triu", "x, k=0", same, mnp__run_x_k, {.x_k = mnp_triu}},
    {"diag", "x, k=0", diagonal, mnp__run_x_k, {.x_k = mnp_diag}},
    {"zeros_like", "x, dtype=None", typed, mnp__run_x_dtype, {.x_dtype = mnp_zeros_like}},
    {"ones_like", "x, dtype=None", typed, mnp__run_x_dtype, {.x_dtype = mnp_ones_like}},

    {"take", "x, indices, axis=None", taken, mnp__run_take, {0}},
    {"compress", "condition, x, axis=None", compressed, mnp__run_compress, {0}},
    {"extract", "condition, x", extracted, mnp__run_x_y, {.x_y = mnp_extract}},
    {"flatnonzero", "x", flat_indices, mnp__run_x, {.x = mnp_flatnonzero}},
    {"argwhere", "x", pairs_of_indices, mnp__run_x, {.x = mnp_argwhere}},

    {"matmul", "x, y", matrices, mnp__run_x_y, {.x_y = mnp_matmul}},
    {"matvec", "x, y", matrices_and_vectors, mnp__run_x_y, {.x_y = mnp_matvec}},
    {"vecmat", "x, y", vectors_and_matrices, mnp__run_x_y, {.x_y = mnp_vecmat}},
    {"dot", "x, y", contracted, mnp__run_x_y, {.x_y = mnp_dot}},
    {"inner", "x, y", contracted, mnp__run_x_y, {.x_y = mnp_inner}},
    {"vdot", "x, y", number, mnp__run_x_y, {.x_y = mnp_vdot}},
    {"outer", "x, y", all_pairs, mnp__run_x_y, {.x_y = mnp_outer}},
    {"kron", "x, y", blown_up, mnp__run_x_y, {.x_y = mnp_kron}},
    {"matrix_power", "x, n", same, mnp__run_x_k, {.x_k = mnp_matrix_power}},

    {"fft", FFT, spectrum, mnp__run_fft, {.fft = mnp_fft}},
    {"ifft", FFT, spectrum, mnp__run_fft, {.fft = mnp_ifft}},
    {"rfft", FFT, spectrum, mnp__run_fft, {.fft = mnp_rfft}},
    {"irfft", FFT, from_spectrum, mnp__run_fft, {.fft = mnp_irfft}},
    {"hfft", FFT, from_spectrum, mnp__run_fft, {.fft = mnp_hfft}},
    {"ihfft", FFT, spectrum, mnp__run_fft, {.fft = mnp_ihfft}},
    {"fft2", FFT2, spectrum, mnp__run_fftn, {.fftn = mnp_fftn}},
    {"ifft2", FFT2, spectrum, mnp__run_fftn, {.fftn = mnp_ifftn}},
    {"rfft2", FFT2, spectrum, mnp__run_fftn, {.fftn = mnp_rfftn}},
    {"irfft2", FFT2, from_spectrum, mnp__run_fftn, {.fftn = mnp_irfftn}},
    {"fftn", FFTN, spectrum, mnp__run_fftn, {.fftn = mnp_fftn}},
    {"ifftn", FFTN, spectrum, mnp__run_fftn, {.fftn = mnp_ifftn}},
    {"rfftn", FFTN, spectrum, mnp__run_fftn, {.fftn = mnp_rfftn}},
    {"irfftn", FFTN, from_spectrum, mnp__run_fftn, {.fftn = mnp_irfftn}},
    {"hfft2", FFT2, from_spectrum, mnp__run_fftn, {.fftn = mnp_hfftn}},
    {"ihfft2", FFT2, spectrum, mnp__run_fftn, {.fftn = mnp_ihfftn}},
    {"hfftn", FFTN, from_spectrum, mnp__run_fftn, {.fftn = mnp_hfftn}},
    {"ihfftn", FFTN, spectrum, mnp__run_fftn, {.fftn = mnp_ihfftn}},
    {"fftshift", "x, axes=None", same, mnp__run_fftshift, {.shift = mnp_fftshift}},
    {"ifftshift", "x, axes=None", same, mnp__run_fftshift, {.shift = mnp_ifftshift}},
    {"dct", DCT, cosines, mnp__run_dct, {.dct = mnp_dct}},
    {"idct", DCT, cosines, mnp__run_dct, {.dct = mnp_idct}},
    {"dst", DCT, cosines, mnp__run_dct, {.dct = mnp_dst}},
    {"idst", DCT, cosines, mnp__run_dct, {.dct = mnp_idst}},
    {"dctn", DCTN, cosines, mnp__run_dctn, {.dctn = mnp_dctn}},
    {"idctn", DCTN, cosines, mnp__run_dctn, {.dctn = mnp_idctn}},
    {"dstn", DCTN, cosines, mnp__run_dctn, {.dctn = mnp_dstn}},
    {"idstn", DCTN, cosines, mnp__run_dctn, {.dctn = mnp_idstn}},
};
enum { NUM_FUNCTIONS = sizeof functions / sizeof *functions };

/* What is in brackets and no constant: x[mask] and x[indices]. */
const mnp__array_function mnp__function_of_mask = {"", "x, mask", masked, mnp__run_x_y, {.x_y = mnp_mask_get}},
                          mnp__function_of_indices = {"", "x, indices", taken, mnp__run_take, {0}},
                          mnp__function_of_mask_set = {"", "x, values, mask", same, mnp__run_mask_set, {0}},
                          mnp__function_of_indices_set = {
                              "", "x, values, indices", along_first, mnp__run_indices_set, {0}};

/* Reductions by what they take. */
static const mnp__array_function
    sums = {"",
            "x, axis=None, dtype=None, *, keepdims=False, initial=None, where=None",
            reduced,
            mnp__run_reduction,
            {0}},
    means = {"", "x, axis=None, dtype=None, *, keepdims=False, where=None", reduced, mnp__run_reduction, {0}},
    spreads = {"", "x, axis=None, dtype=None, *, ddof=0, keepdims=False, where=None", reduced, mnp__run_reduction, {0}},
    extremes = {"", "x, axis=None, *, keepdims=False, initial=None, where=None", reduced, mnp__run_reduction, {0}},
    others = {"", "x, axis=None, *, keepdims=False, where=None", reduced, mnp__run_reduction, {0}};

bool mnp__array_function_find(mnp__word name, mnp__array_call *call)
{
    for (int i = 0; i < NUM_FUNCTIONS; i++) {
        if (strlen(functions[i].name) == name.length && memcmp(functions[i].name, name.start, name.length) == 0) {
            call->function = &functions[i];
            return true;
        }
    }
    const mnp__reduce_function *reduce = mnp__reduce_find(name.start, name.length);
    bool dtype = reduce && mnp__reduce_has(reduce, MNP__REDUCE_DTYPE);
    bool initial = reduce && mnp__reduce_has(reduce, MNP__REDUCE_INITIAL);
    call->reduce = reduce;
    call->function = reduce && mnp__reduce_has(reduce, MNP__REDUCE_DDOF) ? &spreads
                     : dtype                                             ? (initial ? &sums : &means)
                     : initial                                           ? &extremes
                                                                         : &others;
    return reduce != NULL;
}

const char *mnp__array_function_name(int i)
{
    return i < NUM_FUNCTIONS ? functions[i].name : mnp__reduce_name(i - NUM_FUNCTIONS);
}

int mnp__array_call_results(const mnp__array_call *call)
{
    if (call->function->describe == unique)
        return 1 + __builtin_popcount(call->constants.flags);
    return call->function->describe == largest || call->function->describe == histogram ? 2 : 1;
}
