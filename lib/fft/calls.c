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
    if (st == MNP_OK)
        st = mnp__fft_run_kept(&problem, request->function, x, out_p);
    mnp_layout_free((mnp_layout *)problem.out);
    return st;
}

/* The functions of one axis, of two, and of any number: a name, the kind, and whether it is the inverse. */
#define TRANSFORM_1(name, the_kind, is_inverse)                                                                        \
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
        return transform(&request, x, out_p);                                                                          \
    }

#define TRANSFORM_2(name, the_kind, is_inverse)                                                                        \
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
        return transform(&request, x, out_p);                                                                          \
    }

#define TRANSFORM_N(name, the_kind, is_inverse)                                                                        \
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
        return transform(&request, x, out_p);                                                                          \
    }

TRANSFORM_1(fft, MNP__FFT_COMPLEX, false)
TRANSFORM_1(ifft, MNP__FFT_COMPLEX, true)
TRANSFORM_1(rfft, MNP__FFT_FROM_REAL, false)
TRANSFORM_1(irfft, MNP__FFT_TO_REAL, true)
TRANSFORM_2(fft2, MNP__FFT_COMPLEX, false)
TRANSFORM_2(ifft2, MNP__FFT_COMPLEX, true)
TRANSFORM_2(rfft2, MNP__FFT_FROM_REAL, false)
TRANSFORM_2(irfft2, MNP__FFT_TO_REAL, true)
TRANSFORM_N(fftn, MNP__FFT_COMPLEX, false)
TRANSFORM_N(ifftn, MNP__FFT_COMPLEX, true)
TRANSFORM_N(rfftn, MNP__FFT_FROM_REAL, false)
TRANSFORM_N(irfftn, MNP__FFT_TO_REAL, true)

/* ---- Hermitian ---- */

/* hfft and ihfft are irfft and rfft of conjugates, in the other direction. */
static const char *other_norm(const char *norm)
{
    if (!norm || strcmp(norm, "backward") == 0)
        return "forward";
    return strcmp(norm, "forward") == 0 ? "backward" : norm;
}

mnp_status mnp_hfft(const mnp_array *x, int64_t n, int axis, const char *norm, mnp_array **out_p)
{
    MNP_ENTER(x, out_p);
    const mnp__fft_request request = {.function = "mnp_hfft",
                                      .kind = MNP__FFT_TO_REAL,
                                      .inverse = true,
                                      .naxes = 1,
                                      .axes = &axis,
                                      .s = &n,
                                      .norm = other_norm(norm)};
    mnp_array *turned = NULL;
    MNP_TRY(mnp__inputs_check(request.function, 1, &x));
    if (mnp_dtype_kind(x->dtype) != 'c')
        return transform(&request, x, out_p);
    MNP_TRY(mnp_conjugate(x, &turned));
    const mnp_status st = transform(&request, turned, out_p);
    mnp_array_free(turned);
    return st;
}

mnp_status mnp_ihfft(const mnp_array *x, int64_t n, int axis, const char *norm, mnp_array **out_p)
{
    MNP_ENTER(x, out_p);
    const mnp__fft_request request = {.function = "mnp_ihfft",
                                      .kind = MNP__FFT_FROM_REAL,
                                      .naxes = 1,
                                      .axes = &axis,
                                      .s = &n,
                                      .norm = other_norm(norm)};
    mnp_array *result = *out_p;
    MNP_TRY(transform(&request, x, &result));
    const mnp_status st = mnp_conjugate(result, &result);
    return *out_p ? st : mnp__output_give(result, st, out_p);
}

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
