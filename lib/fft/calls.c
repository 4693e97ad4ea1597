/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The plain calls, with NumPy's names.
 */
#include <maniple/create.h>
#include <maniple/join.h>
#include <maniple/ufunc.h>

#include <inttypes.h>
#include <string.h>

#include "array/input.h"
#include "array/output.h"
#include "array/view.h"
#include "base/hash.h"
#include "fft/fft.h"
#include "fft/layouts.h"

/* Halve the elements with that index along the axis. */
static mnp_status halve(const mnp_array *x, int axis, int64_t index)
{
    mnp_subscript part[MNP_MAX_DIMS];
    mnp_array *view = NULL;
    for (int d = 0; d < x->layout->ndim; d++)
        part[d] = d == axis ? MNP_RANGE(index, index + 1) : MNP_ALL;
    MNP_TRY(mnp_slice(x, x->layout->ndim, part, &view));
    const mnp_status st = mnp_multiply(view, MNP_SCALAR(x->ctx, 0.5), &view);
    mnp_array_free(view);
    return st;
}

/*
 * To n real numbers along one axis that stays cut: the real part of the inverse transform of the half spectrum with
 * zeros behind it, doubled but for the elements that are no other's conjugate.  The complex transform goes in two
 * parts.
 */
static mnp_status long_to_real(const mnp__fft_request *request, const mnp__fft_problem *problem, const mnp_array *x,
                               mnp_array **out_p)
{
    const int axis = problem->axes[0];
    const int64_t n = problem->points[axis], there = x->layout->shape[axis],
                  half = n / 2 + 1 < there ? n / 2 + 1 : there;
    mnp_subscript part[MNP_MAX_DIMS];
    mnp_array *first = NULL, *doubled = NULL, *spectrum = NULL, *result = NULL;
    mnp_status st;
    for (int d = 0; d < x->layout->ndim; d++)
        part[d] = d == axis ? MNP_RANGE(0, half) : MNP_ALL;
    MNP_TRY_OR(mnp_slice(x, x->layout->ndim, part, &first), st, done);
    MNP_TRY_OR(mnp_multiply(first, MNP_SCALAR(x->ctx, 2.0), &doubled), st, done);
    MNP_TRY_OR(halve(doubled, axis, 0), st, done);
    if (n % 2 == 0 && half == n / 2 + 1)
        MNP_TRY_OR(halve(doubled, axis, n / 2), st, done);
    MNP_TRY_OR(mnp_ifft(doubled, n, axis, request->norm, &spectrum), st, done);
    MNP_TRY_OR(mnp_real(spectrum, &result), st, done);
    if (*out_p) {
        st = mnp__array_copy_to(result, *out_p);
    } else {
        mnp_array *made = NULL;
        st = mnp_array_new_order(x->ctx, result->dtype, problem->out, MNP_ORDER_C, &made);
        if (st == MNP_OK)
            st = mnp__array_copy_to(result, made);
        if (st == MNP_OK)
            *out_p = made;
        else
            mnp_array_free(made);
    }
done:
    mnp_free_all(first, doubled, spectrum, result);
    return st;
}

static mnp_status transform(const mnp__fft_request *request, const mnp_array *x, mnp_array **out_p)
{
    mnp__fft_problem problem;
    MNP_TRY(mnp__inputs_check(request->function, 1, &x));
    MNP_TRY(mnp__fft_resolve(request, x->dtype, x->layout, &problem));
    const mnp__output_spec output = {.function = request->function,
                                     .ctx = x->ctx,
                                     .dtype = mnp__fft_is_double(x->dtype)
                                                  ? (request->kind == MNP__FFT_TO_REAL ? MNP_FLOAT64 : MNP_COMPLEX128)
                                                  : (request->kind == MNP__FFT_TO_REAL ? MNP_FLOAT32 : MNP_COMPLEX64),
                                     .layout = problem.out};
    mnp_status st = mnp__output_check(&output, *out_p); /* before anything is planned */
    if (st == MNP_OK)
        st = mnp__check_same(&x->ctx->comm, request->function,
                             mnp__hash(mnp__layout_hash(x->layout), problem.points, sizeof problem.points));
    bool is_long = false;
    if (st == MNP_OK && request->kind == MNP__FFT_TO_REAL && problem.naxes == 1)
        st = MNP_AGREE(x->ctx, mnp__fft_is_long(x->layout, problem.axes[0], problem.points[problem.axes[0]], &is_long));
    if (st == MNP_OK)
        st = is_long ? long_to_real(request, &problem, x, out_p)
                     : mnp__fft_run_cached(&problem, request->function, x, out_p);
    mnp_layout_free((mnp_layout *)problem.out);
    return st;
}

/* ---- Hermitian ---- */

/* hfft and ihfft are irfft and rfft of conjugates, in the other direction. */
static const char *other_norm(const char *norm)
{
    if (!norm || strcmp(norm, "backward") == 0)
        return "forward";
    return strcmp(norm, "forward") == 0 ? "backward" : norm;
}

/* From half of a signal to the real numbers of its transform. */
static mnp_status of_half(const mnp__fft_request *request, const mnp_array *x, mnp_array **out_p)
{
    mnp__fft_request turned = *request;
    mnp_array *conjugate = NULL;
    turned.norm = other_norm(request->norm);
    MNP_TRY(mnp__inputs_check(request->function, 1, &x));
    if (mnp_dtype_kind(x->dtype) != 'c')
        return transform(&turned, x, out_p);
    MNP_TRY(mnp_conjugate(x, &conjugate));
    const mnp_status st = transform(&turned, conjugate, out_p);
    mnp_array_free(conjugate);
    return st;
}

/* And back. */
static mnp_status to_half(const mnp__fft_request *request, const mnp_array *x, mnp_array **out_p)
{
    mnp__fft_request turned = *request;
    mnp_array *result = *out_p;
    turned.norm = other_norm(request->norm);
    MNP_TRY(transform(&turned, x, &result));
    const mnp_status st = mnp_conjugate(result, &result);
    return *out_p ? st : mnp__output_give(result, st, out_p);
}

/* ---- the functions ---- */

/* Of one axis, of two, and of any number: a name, the kind, whether it is the inverse, and what does it. */
#define TRANSFORM_1(name, the_kind, is_inverse, run)                                                                   \
    mnp_status mnp_##name(const mnp_array *x, int64_t n, int axis, const char *norm, mnp_array **out_p)                \
    {                                                                                                                  \
        MNP_ENTER(x, out_p);                                                                                           \
        const mnp__fft_request request = {.function = "mnp_" #name,                                                    \
                                          .kind = the_kind,                                                            \
                                          .inverse = is_inverse,                                                       \
                                          .naxes = 1,                                                                  \
                                          .axes = &axis,                                                               \
                                          .s = &n,                                                                     \
                                          .norm = norm};                                                               \
        return run(&request, x, out_p);                                                                                \
    }

#define TRANSFORM_2(name, the_kind, is_inverse, run)                                                                   \
    mnp_status mnp_##name(const mnp_array *x, const int64_t *s, const int *axes, const char *norm, mnp_array **out_p)  \
    {                                                                                                                  \
        MNP_ENTER(x, out_p);                                                                                           \
        const mnp__fft_request request = {.function = "mnp_" #name,                                                    \
                                          .kind = the_kind,                                                            \
                                          .inverse = is_inverse,                                                       \
                                          .naxes = 2,                                                                  \
                                          .axes = axes,                                                                \
                                          .s = s,                                                                      \
                                          .norm = norm};                                                               \
        return run(&request, x, out_p);                                                                                \
    }

#define TRANSFORM_N(name, the_kind, is_inverse, run)                                                                   \
    mnp_status mnp_##name(const mnp_array *x, int naxes, const int64_t *s, const int *axes, const char *norm,          \
                          mnp_array **out_p)                                                                           \
    {                                                                                                                  \
        MNP_ENTER(x, out_p);                                                                                           \
        const mnp__fft_request request = {.function = "mnp_" #name,                                                    \
                                          .kind = the_kind,                                                            \
                                          .inverse = is_inverse,                                                       \
                                          .naxes = naxes,                                                              \
                                          .axes = axes,                                                                \
                                          .s = s,                                                                      \
                                          .norm = norm};                                                               \
        return run(&request, x, out_p);                                                                                \
    }

TRANSFORM_1(fft, MNP__FFT_COMPLEX, false, transform)
TRANSFORM_1(ifft, MNP__FFT_COMPLEX, true, transform)
TRANSFORM_1(rfft, MNP__FFT_FROM_REAL, false, transform)
TRANSFORM_1(irfft, MNP__FFT_TO_REAL, true, transform)
TRANSFORM_1(hfft, MNP__FFT_TO_REAL, true, of_half)
TRANSFORM_1(ihfft, MNP__FFT_FROM_REAL, false, to_half)
TRANSFORM_2(fft2, MNP__FFT_COMPLEX, false, transform)
TRANSFORM_2(ifft2, MNP__FFT_COMPLEX, true, transform)
TRANSFORM_2(rfft2, MNP__FFT_FROM_REAL, false, transform)
TRANSFORM_2(irfft2, MNP__FFT_TO_REAL, true, transform)
TRANSFORM_2(hfft2, MNP__FFT_TO_REAL, true, of_half)
TRANSFORM_2(ihfft2, MNP__FFT_FROM_REAL, false, to_half)
TRANSFORM_N(fftn, MNP__FFT_COMPLEX, false, transform)
TRANSFORM_N(ifftn, MNP__FFT_COMPLEX, true, transform)
TRANSFORM_N(rfftn, MNP__FFT_FROM_REAL, false, transform)
TRANSFORM_N(irfftn, MNP__FFT_TO_REAL, true, transform)
TRANSFORM_N(hfftn, MNP__FFT_TO_REAL, true, of_half)
TRANSFORM_N(ihfftn, MNP__FFT_FROM_REAL, false, to_half)

/* ---- frequencies ---- */

/* Integers from `first` to before `end`, divided by n d, as NumPy does it: times 1 / (n d). */
static mnp_status frequencies(const char *function, mnp_ctx *ctx, int64_t first, int64_t end, int64_t n, double d,
                              bool shifted, mnp_array **out_p)
{
    mnp_array *numbers = NULL, *ordered = NULL;
    if (n < 1)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the frequencies of %" PRId64 " points; there must be one at least", function,
                        n);
    MNP_TRY(mnp_arange_int(ctx, first, end, 1, MNP_INT64, &numbers));
    mnp_status st = shifted ? mnp_ifftshift(numbers, 0, NULL, &ordered) : MNP_OK;
    if (st == MNP_OK)
        st = mnp_multiply(shifted ? ordered : numbers, MNP_SCALAR(ctx, 1.0 / ((double)n * d)), out_p);
    mnp_array_free(ordered);
    mnp_array_free(numbers);
    return st;
}

mnp_status mnp_fftfreq(mnp_ctx *ctx, int64_t n, double d, mnp_array **out_p)
{
    MNP_ENTER(ctx, out_p);
    return frequencies("mnp_fftfreq", ctx, -(n / 2), n - n / 2, n, d, true, out_p);
}

mnp_status mnp_rfftfreq(mnp_ctx *ctx, int64_t n, double d, mnp_array **out_p)
{
    MNP_ENTER(ctx, out_p);
    return frequencies("mnp_rfftfreq", ctx, 0, n / 2 + 1, n, d, false, out_p);
}

/* ---- shifts ---- */

static mnp_status shift(const char *function, const mnp_array *x, int naxes, const int *axes, bool inverse,
                        mnp_array **out_p)
{
    int64_t shifts[MNP_MAX_DIMS];
    int resolved[MNP_MAX_DIMS];
    MNP_TRY(mnp__inputs_check(function, 1, &x));
    const int ndim = x->layout->ndim, count = naxes > 0 ? naxes : ndim;
    if (naxes < 0 || naxes > MNP_MAX_DIMS)
        return MNP_FAIL(MNP_ERR_ARG, "%s: there are %d axes, outside 0..%d", function, naxes, MNP_MAX_DIMS);
    for (int i = 0; i < count; i++) {
        MNP_TRY(mnp__view_axis(function, ndim, naxes > 0 && axes ? axes[i] : ndim - count + i, &resolved[i]));
        const int64_t half = x->layout->shape[resolved[i]] / 2;
        shifts[i] = inverse ? -half : half;
    }
    return mnp_roll(x, count, shifts, resolved, out_p);
}

mnp_status mnp_fftshift(const mnp_array *x, int naxes, const int *axes, mnp_array **out_p)
{
    MNP_ENTER(x, out_p);
    return shift("mnp_fftshift", x, naxes, axes, false, out_p);
}

mnp_status mnp_ifftshift(const mnp_array *x, int naxes, const int *axes, mnp_array **out_p)
{
    MNP_ENTER(x, out_p);
    return shift("mnp_ifftshift", x, naxes, axes, true, out_p);
}
