/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The filter of A. Savitzky and M. Golay (1964): in a window that slides along, a polynomial is fitted by least
 * squares, and its value, or one of its derivatives, at the middle is the result.  That is a sum with fixed
 * coefficients, and so are the values of the first and the last window's polynomial elsewhere, which mode "interp"
 * takes near the ends.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <maniple/create.h>
#include <maniple/filters.h>
#include <maniple/join.h>

#include "array/input.h"
#include "array/output.h"
#include "array/view.h"
#include "layout/layout.h"
#include "signal/filters/filters.h"
#include "signal/filters/upfirdn.h"

/* A window of so many elements, delta apart, a degree, and a derivative. */
typedef struct fit {
    int64_t window;
    int degree, deriv;
    double delta;
} fit;

static mnp_status check_fit(const char *function, const fit *f)
{
    if (f->window < 1 || f->degree < 0 || f->degree >= f->window)
        return MNP_FAIL(MNP_ERR_ARG,
                        "%s: polyorder is %d, and must be 0 or more and below window_length, which is %" PRId64,
                        function, f->degree, f->window);
    if (f->deriv < 0)
        return MNP_FAIL(MNP_ERR_ARG, "%s: deriv is %d, and must be 0 or more", function, f->deriv);
    return MNP_OK;
}

/*
 * The weights of a window's elements in the derivative of their polynomial at place `at`, from 0 to window - 1: with
 * the matrix V of the powers of the places, V = Q R, they are Q R^-T g, where g has the derivatives of the powers.
 * Places are scaled to -1 .. 1, and columns are made orthogonal twice, in long double.
 */
static mnp_status weights_at(const fit *f, double at, double *weights)
{
    const int64_t n = f->window, columns = f->degree + 1;
    const long double middle = (long double)(n - 1) / 2, scale = n > 1 ? middle : 1;
    long double *room, factor = 1;
    MNP_TRY(mnp__calloc((size_t)((columns + 1) * (n + 1)), sizeof *room, &room));
    long double *g = room, *sum = room + columns; /* g, then the weights, then the columns of Q with their g */
    long double *q = sum + n;
    for (int64_t j = 0; j < columns; j++) {
        g[j] = j < f->deriv ? 0 : 1;
        for (int64_t k = 0; k < f->deriv; k++)
            g[j] *= (long double)(j - k);
        for (int64_t k = f->deriv; k < j; k++)
            g[j] *= (at - middle) / scale;
        for (int64_t i = 0; i < n; i++)
            q[j * n + i] = powl(((long double)i - middle) / scale, (long double)j);
    }
    for (int64_t j = 0; j < columns; j++) {
        long double *column = q + j * n, norm = 0;
        for (int64_t k = 0; k < 2 * j; k++) {
            const long double *before = q + k % j * n;
            long double dot = 0;
            for (int64_t i = 0; i < n; i++)
                dot += before[i] * column[i];
            for (int64_t i = 0; i < n; i++)
                column[i] -= dot * before[i];
            g[j] -= dot * g[k % j];
        }
        for (int64_t i = 0; i < n; i++)
            norm += column[i] * column[i];
        norm = sqrtl(norm);
        g[j] /= norm;
        for (int64_t i = 0; i < n; i++) {
            column[i] /= norm;
            sum[i] += column[i] * g[j];
        }
    }
    for (int k = 0; k < f->deriv; k++)
        factor *= scale * f->delta;
    for (int64_t i = 0; i < n; i++)
        weights[i] = (double)(sum[i] / factor);
    free(room);
    return MNP_OK;
}

mnp_status mnp_savgol_coeffs(int64_t window_length, int polyorder, int deriv, double delta, double pos, const char *use,
                             double *coeffs)
{
    MNP_ENTER(coeffs);
    static const char function[] = "mnp_savgol_coeffs";
    const fit f = {window_length, polyorder, deriv, delta};
    const bool dots = use && strcmp(use, "dot") == 0;
    MNP_TRY(check_fit(function, &f));
    if (use && !dots && strcmp(use, "conv") != 0)
        return MNP_FAIL(MNP_ERR_ARG, "%s: use is '%s', and must be 'conv' or 'dot'", function, use);
    const int64_t half = window_length / 2;
    const double middle = window_length % 2 ? (double)half : (double)half - 0.5;
    if (pos >= (double)window_length)
        return MNP_FAIL(MNP_ERR_ARG, "%s: pos is %g, and must be below window_length, which is %" PRId64, function, pos,
                        window_length);
    if (deriv > polyorder) {
        memset(coeffs, 0, (size_t)window_length * sizeof *coeffs);
        return MNP_OK;
    }
    MNP_TRY(weights_at(&f, pos < 0 ? middle : pos, coeffs));
    for (int64_t i = 0; i < window_length / 2 && !dots; i++) {
        const double other = coeffs[i];
        coeffs[i] = coeffs[window_length - 1 - i];
        coeffs[window_length - 1 - i] = other;
    }
    return MNP_OK;
}

/* Replace the first or the last half window of y by the polynomial of the first or last window of x. */
static mnp_status fit_end(const char *function, const fit *f, const mnp_array *x, int axis, bool last,
                          const mnp_array *y)
{
    const int64_t n = x->layout->shape[axis], half = f->window / 2, first = last ? n - f->window : 0;
    mnp_array *window = NULL, *place = NULL;
    double *taps;
    mnp_status st;
    MNP_TRY(mnp__malloc((size_t)f->window * sizeof *taps, &taps));
    MNP_TRY_OR(mnp__lines_part(x, axis, first, first + f->window, 1, &window), st, done);
    for (int64_t i = 0; i < half; i++) {
        const int64_t at = last ? n - half + i : i;
        MNP_TRY_OR(mnp_savgol_coeffs(f->window, f->degree, f->deriv, f->delta, (double)(at - first), "conv", taps), st,
                   done);
        const mnp__upfirdn one = {
            .count = f->window, .taps = taps, .up = 1, .down = 1, .first = f->window - 1, .outputs = 1};
        MNP_TRY_OR(mnp__lines_part(y, axis, at, at + 1, 1, &place), st, done);
        MNP_TRY_OR(mnp__upfirdn_run(function, &one, window, axis, &place), st, done);
        mnp_array_free(place);
        place = NULL;
    }
done:
    free(taps);
    mnp_free_all(window, place);
    return st;
}

/* x with half a window more at both ends. */
static mnp_status pad(const mnp_array *x, int axis, int64_t half, mnp_boundary mode, double cval, mnp_array **padded_p)
{
    int64_t widths[2 * MNP_MAX_DIMS] = {0};
    mnp_array *wide = NULL;
    widths[2 * axis] = widths[2 * axis + 1] = half;
    if (x->dtype != MNP_FLOAT64) /* cval is not rounded to the type of x */
        MNP_TRY(mnp_astype(x, MNP_FLOAT64, &wide));
    mnp_status st = mnp_pad(wide ? wide : x, widths, mode, &cval, padded_p);
    mnp_array_free(wide);
    return st;
}

static mnp_status smooth(const char *function, const fit *f, const mnp_array *x, int axis, const char *mode,
                         double cval, mnp_array **y_p)
{
    static const struct {
        const char *name;
        mnp_boundary boundary;
    } modes[] = {{"mirror", MNP_BOUNDARY_MIRROR},
                 {"constant", MNP_BOUNDARY_FILL},
                 {"nearest", MNP_BOUNDARY_NEAREST},
                 {"wrap", MNP_BOUNDARY_WRAP}};
    const int64_t half = f->window / 2;
    const bool fits_ends = strcmp(mode, "interp") == 0;
    mnp_array *padded = NULL;
    double *taps;
    mnp_status st;
    MNP_TRY(mnp__malloc((size_t)f->window * sizeof *taps, &taps));
    MNP_TRY_OR(mnp_savgol_coeffs(f->window, f->degree, f->deriv, f->delta, -1, "conv", taps), st, done);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        if (strcmp(mode, modes[i].name) == 0)
            MNP_TRY_OR(pad(x, axis, half, modes[i].boundary, cval, &padded), st, done);
    }
    const mnp__upfirdn filter = {.count = f->window,
                                 .taps = taps,
                                 .up = 1,
                                 .down = 1,
                                 .first = fits_ends ? half : 2 * half,
                                 .outputs = x->layout->shape[axis]};
    MNP_TRY_OR(mnp__upfirdn_run(function, &filter, padded ? padded : x, axis, y_p), st, done);
    for (int last = 0; last < 2 && fits_ends; last++)
        MNP_TRY_OR(fit_end(function, f, x, axis, last, *y_p), st, done);
done:
    mnp_array_free(padded);
    free(taps);
    return st;
}

mnp_status mnp_savgol_filter(const mnp_array *x, int64_t window_length, int polyorder, int deriv, double delta,
                             int axis, const char *mode, double cval, mnp_array **y_p)
{
    MNP_ENTER(x, y_p);
    static const char function[] = "mnp_savgol_filter", *const modes[] = {"interp", "mirror", "constant", "nearest",
                                                                          "wrap"};
    const fit f = {window_length, polyorder, deriv, delta};
    mnp_array *y = NULL;
    mnp__output output;
    bool known = false;
    MNP_TRY(mnp__inputs_check(function, 1, &x));
    mode = mode ? mode : "interp";
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        known = known || strcmp(mode, modes[i]) == 0;
    if (!known)
        return MNP_FAIL(MNP_ERR_ARG,
                        "%s: mode is '%s', and must be 'interp', 'mirror', 'constant', 'nearest' or 'wrap'", function,
                        mode);
    MNP_TRY(check_fit(function, &f));
    MNP_TRY(mnp__view_axis(function, x->layout->ndim, axis, &axis));
    if (mnp_dtype_kind(x->dtype) == 'c')
        return MNP_FAIL(MNP_ERR_ARG, "%s: x is %s, and must be real", function, mnp_dtype_name(x->dtype));
    if (strcmp(mode, "interp") == 0 && window_length > x->layout->shape[axis])
        return MNP_FAIL(MNP_ERR_ARG,
                        "%s: window_length is %" PRId64 ", and in mode 'interp' at most the %" PRId64
                        " elements along axis %d",
                        function, window_length, x->layout->shape[axis], axis);
    const mnp__output_spec spec = {.function = function,
                                   .ctx = x->ctx,
                                   .dtype = x->dtype == MNP_FLOAT32 ? MNP_FLOAT32 : MNP_FLOAT64,
                                   .layout = x->layout};
    MNP_TRY(mnp__output_open(&spec, y_p, &output));
    mnp_status st = smooth(function, &f, x, axis, mode, cval, &y);
    if (st == MNP_OK)
        st = mnp__array_copy_to(y, output.array);
    mnp_array_free(y);
    return mnp__output_close(1, &output, st);
}
