/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Spectra: segments (segments.c), their transforms, and what is made of these.
 *
 * Segments lie along the axis of x, with their elements in one more dimension, the last one, which is not cut.  So the
 * transforms are local; at the end the two dimensions change places, or the first is averaged away.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <maniple/create.h>
#include <maniple/fft.h>
#include <maniple/reduce.h>
#include <maniple/spectral.h>
#include <maniple/statistics.h>
#include <maniple/ufunc.h>
#include <maniple/windows.h>

#include "array/input.h"
#include "array/output.h"
#include "array/view.h"
#include "base/integer.h"
#include "layout/layout.h"
#include "signal/filters/filters.h"
#include "signal/spectral/segments.h"

/* A call, with its options resolved. */
typedef struct spectrum {
    const char *function;
    mnp_spectral_options options;
    int axis;
    int64_t n;               /* elements along the axis */
    bool one_sided, extends; /* extends: x goes on with zeros at both ends, and times count from its first element */
    double *window, scale;   /* of a power */
    int64_t nfft, frequencies;
    mnp__segments segments;
} spectrum;

/* ---- options ---- */

static mnp_status check_word(const char *function, const char *name, const char *given, int count,
                             const char *const *words)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(given, words[i]) == 0)
            return MNP_OK;
    }
    char listed[64] = "";
    for (int i = 0; i < count; i++) {
        const size_t used = strlen(listed);
        snprintf(listed + used, sizeof listed - used, "%s'%s'", i == 0 ? "" : i < count - 1 ? ", " : " or ", words[i]);
    }
    return MNP_FAIL(MNP_ERR_ARG, "%s: %s is '%s', and must be %s", function, name, given, listed);
}

static mnp_status choose_words(spectrum *s)
{
    mnp_spectral_options *o = &s->options;
    static const char *const detrends[] = {"constant", "linear", "none"}, *const averages[] = {"mean", "median"},
                             *const scalings[] = {"density", "spectrum", "psd"},
                             *const modes[] = {"psd", "complex", "magnitude", "angle"},
                             *const boundaries[] = {"zeros", "none"};
    MNP_TRY(check_word(s->function, "detrend", o->detrend, 3, detrends));
    MNP_TRY(check_word(s->function, "scaling", o->scaling, 3, scalings));
    o->average = o->average ? o->average : "mean";
    MNP_TRY(check_word(s->function, "average", o->average, 2, averages));
    o->mode = o->mode ? o->mode : "psd";
    MNP_TRY(check_word(s->function, "mode", o->mode, 4, modes));
    o->boundary = o->boundary ? o->boundary : "zeros";
    MNP_TRY(check_word(s->function, "boundary", o->boundary, 2, boundaries));
    s->segments.detrend = strcmp(o->detrend, "none") == 0       ? MNP_SEGMENTS_AS_THEY_ARE
                          : strcmp(o->detrend, "constant") == 0 ? MNP_SEGMENTS_CONSTANT
                                                                : MNP_SEGMENTS_LINEAR;
    return MNP_OK;
}

/* Find the sizes of segments.  eighth: segments overlap by an eighth unless the options say otherwise. */
static mnp_status choose_sizes(spectrum *s, bool eighth)
{
    mnp_spectral_options *o = &s->options;
    int64_t size = o->nperseg == 0 ? 256 : o->nperseg;
    if (o->nperseg < 0)
        return MNP_FAIL(MNP_ERR_ARG, "%s: nperseg is %" PRId64 ", and must be 1 or more", s->function, o->nperseg);
    size = size > s->n && s->n > 0 ? s->n : size;
    if (o->taps && size != o->nperseg)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the window has %" PRId64 " numbers, more than the %" PRId64 " elements of x",
                        s->function, o->nperseg, s->n);
    const int64_t overlap = o->noverlap == MNP_NONE ? 0 : o->noverlap == 0 ? size / (eighth ? 8 : 2) : o->noverlap;
    if (overlap < 0 || overlap >= size)
        return MNP_FAIL(MNP_ERR_ARG, "%s: noverlap is %" PRId64 ", and must be below nperseg, which is %" PRId64,
                        s->function, overlap, size);
    s->nfft = o->nfft == 0 ? size : o->nfft;
    if (s->nfft < size)
        return MNP_FAIL(MNP_ERR_ARG, "%s: nfft is %" PRId64 ", and must be nperseg, which is %" PRId64 ", or more",
                        s->function, o->nfft, size);
    s->segments.size = size;
    s->segments.step = size - overlap;
    s->segments.offset = 0;
    s->segments.count = s->n >= size ? (s->n - overlap) / s->segments.step : 0;
    s->frequencies = s->one_sided ? s->nfft / 2 + 1 : s->nfft;
    return MNP_OK;
}

/* The window, and the factor of powers; the window's memory belongs to the call. */
static mnp_status make_window(spectrum *s)
{
    const mnp_spectral_options *o = &s->options;
    const int64_t size = s->segments.size;
    double sum = 0, squares = 0;
    MNP_TRY(mnp__malloc((size_t)size * sizeof *s->window, &s->window));
    if (o->taps)
        memcpy(s->window, o->taps, (size_t)size * sizeof *s->window);
    else
        MNP_TRY(mnp_window(o->window, o->nparameters, o->parameters, size, false, s->window));
    for (int64_t i = 0; i < size; i++) {
        sum += s->window[i];
        squares += s->window[i] * s->window[i];
    }
    s->segments.window = s->window;
    s->segments.scale = 1;
    s->scale = strcmp(o->scaling, "spectrum") == 0 ? 1 / (sum * sum) : 1 / (o->fs * squares);
    return MNP_OK;
}

/*
 * Resolve a call.  The defaults that functions have of their own are given; `whole`: there is one segment.  `window` of
 * `s` is to be freed in any case.
 */
typedef struct defaults {
    const char *window, *detrend, *scaling;
    bool whole, eighth;
} defaults;

static mnp_status resolve(const char *function, const mnp_array *x, int axis, const mnp_spectral_options *options,
                          const defaults *d, spectrum *s)
{
    static const double quarter = 0.25;
    *s = (spectrum){.function = function};
    if (options)
        s->options = *options;
    mnp_spectral_options *o = &s->options;
    MNP_TRY(mnp__inputs_check(function, 1, &x));
    MNP_TRY(mnp__view_axis(function, x->layout->ndim, axis, &s->axis));
    s->n = x->layout->shape[s->axis];
    s->one_sided = mnp_dtype_kind(x->dtype) != 'c' && !o->two_sided;
    o->fs = o->fs == 0 ? 1 : o->fs;
    if (!(o->fs > 0))
        return MNP_FAIL(MNP_ERR_ARG, "%s: fs is %g, and must be above 0", function, o->fs);
    if (!o->window && !o->taps && strcmp(d->window, "tukey") == 0) {
        o->nparameters = 1;
        o->parameters = &quarter;
    }
    o->window = o->window ? o->window : d->window;
    o->detrend = o->detrend ? o->detrend : d->detrend;
    o->scaling = o->scaling ? o->scaling : d->scaling;
    if (d->whole) { /* a shorter transform takes only as many elements */
        if (o->nfft < 0 || s->n == 0)
            return MNP_FAIL(MNP_ERR_ARG, "%s: nfft is %" PRId64 ", and x has %" PRId64 " elements along axis %d",
                            function, o->nfft, s->n, s->axis);
        o->nperseg = o->nfft > 0 && o->nfft < s->n ? o->nfft : s->n;
        o->noverlap = MNP_NONE;
    }
    if (s->n == 0)
        return MNP_FAIL(MNP_ERR_ARG, "%s: x has no elements along axis %d", function, s->axis);
    MNP_TRY(choose_words(s));
    MNP_TRY(choose_sizes(s, d->eighth));
    if (d->whole)
        s->segments.count = 1;
    return make_window(s);
}

/* ---- parts ---- */

/* Whether segments are cut and transformed in one pass over memory. */
static bool is_one_pass(const spectrum *s, const mnp_array *x)
{
    return s->one_sided && mnp__segments_fit(&s->segments, s->nfft, x);
}

/* The transforms of the segments: a new array with the frequencies in the last dimension. */
static mnp_status transform(const spectrum *s, const mnp_array *x, mnp_array **z_p)
{
    mnp_array *cut = NULL;
    if (is_one_pass(s, x)) {
        const mnp__segment_spectra spectra = {.nfft = s->nfft, .what = MNP_SPECTRA};
        return mnp__segments_spectra(s->function, &s->segments, &spectra, x, s->axis, z_p);
    }
    MNP_TRY(mnp__segments_cut(s->function, &s->segments, x, s->axis, &cut));
    mnp_status st = s->one_sided ? mnp_rfft(cut, s->nfft, -1, NULL, z_p) : mnp_fft(cut, s->nfft, -1, NULL, z_p);
    mnp_array_free(cut);
    return st;
}

static mnp_status multiply_by(const mnp_array *x, double factor)
{
    mnp_array *target = (mnp_array *)x;
    return mnp_multiply(x, mnp_scalar_float(x->ctx, factor), &target);
}

/* The frequencies from 1 to before this one stand for their negatives too. */
static int64_t end_of_doubled(const spectrum *s)
{
    return !s->one_sided ? 0 : s->nfft % 2 ? s->frequencies : s->frequencies - 1;
}

/* Scale a power, in place; the frequencies that stand for their negatives too count twice. */
static mnp_status scale_power(const spectrum *s, const mnp_array *power)
{
    const int last = power->layout->ndim - 1;
    const int64_t end = end_of_doubled(s);
    mnp_array *twice = NULL;
    MNP_TRY(multiply_by(power, s->scale));
    if (end <= 1)
        return MNP_OK;
    MNP_TRY(mnp__lines_part(power, last, 1, end, 1, &twice));
    mnp_status st = multiply_by(twice, 2);
    mnp_array_free(twice);
    return st;
}

static mnp_status make_frequencies(mnp_ctx *ctx, const spectrum *s, mnp_array **f_p)
{
    return s->one_sided ? mnp_rfftfreq(ctx, s->nfft, 1 / s->options.fs, f_p)
                        : mnp_fftfreq(ctx, s->nfft, 1 / s->options.fs, f_p);
}

/* The median of the powers of n segments, as a part of their mean (scipy.signal's _median_bias). */
static double median_bias(int64_t n)
{
    double bias = 1;
    for (int64_t k = 2; k <= 2 * ((n - 1) / 2); k += 2)
        bias += 1 / (double)(k + 1) - 1 / (double)k;
    return bias;
}

/* The powers of all segments; scaled if `is_scaled`. */
static mnp_status segment_powers(const spectrum *s, const mnp_array *x, bool is_scaled, mnp_array **powers_p)
{
    mnp_array *z = NULL;
    if (is_one_pass(s, x)) {
        const mnp__segment_spectra powers = {.nfft = s->nfft,
                                             .what = MNP_POWERS,
                                             .power = is_scaled ? s->scale : 1,
                                             .twice = is_scaled ? end_of_doubled(s) : 0};
        return mnp__segments_spectra(s->function, &s->segments, &powers, x, s->axis, powers_p);
    }
    MNP_TRY(transform(s, x, &z));
    mnp_status st = mnp_abs2(z, powers_p);
    mnp_array_free(z);
    return st == MNP_OK && is_scaled ? scale_power(s, *powers_p) : st;
}

static mnp_status median(const mnp_array *x, int axis, mnp_array **y_p)
{
    mnp_array *part = NULL, *re = NULL, *im = NULL;
    mnp_status st;
    if (mnp_dtype_kind(x->dtype) != 'c')
        return mnp_median(x, MNP_AXIS(axis), y_p);
    MNP_TRY_OR(mnp_real(x, &part), st, done);
    MNP_TRY_OR(mnp_median(part, MNP_AXIS(axis), &re), st, done);
    MNP_TRY_OR(mnp_imag(x, &part), st, done);
    MNP_TRY_OR(mnp_median(part, MNP_AXIS(axis), &im), st, done);
    MNP_TRY_OR(mnp_array_new(x->ctx, x->dtype, re->layout, y_p), st, done);
    MNP_TRY_OR(mnp_real(*y_p, &part), st, done);
    MNP_TRY_OR(mnp_copyto(part, re, MNP_CASTING_SAME_KIND), st, done);
    MNP_TRY_OR(mnp_imag(*y_p, &part), st, done);
    st = mnp_copyto(part, im, MNP_CASTING_SAME_KIND);
done:
    mnp_free_all(part, re, im);
    return st;
}

static bool is_by_median(const spectrum *s)
{
    return strcmp(s->options.average, "median") == 0 && s->segments.count > 1;
}

/* Scale an average over the segments, and bring the frequencies to the axis.  *p_p is a new array or view. */
static mnp_status finish_average(const spectrum *s, const mnp_array *mean, mnp_array **p_p)
{
    MNP_TRY(scale_power(s, mean));
    return mnp_moveaxis(mean, mean->layout->ndim - 1, s->axis, p_p);
}

static mnp_status average(const spectrum *s, const mnp_array *powers, mnp_array **p_p)
{
    mnp_array *mean = NULL;
    mnp_status st = is_by_median(s) ? median(powers, s->axis, &mean) : mnp_mean(powers, MNP_AXIS(s->axis), &mean);
    if (st == MNP_OK && is_by_median(s))
        st = multiply_by(mean, 1 / median_bias(s->segments.count));
    if (st == MNP_OK)
        st = finish_average(s, mean, p_p);
    mnp_array_free(mean);
    return st;
}

/* The mean of powers that are added up where they are computed. */
static mnp_status sum_powers(const spectrum *s, const mnp_array *x, mnp_array **p_p)
{
    const mnp__segment_spectra wanted = {.nfft = s->nfft, .what = MNP_POWER_SUMS};
    mnp_array *sums = NULL, *mean = NULL;
    mnp_status st = mnp__segments_spectra(s->function, &s->segments, &wanted, x, s->axis, &sums);
    if (st == MNP_OK)
        st = mnp_sum(sums, MNP_AXIS(s->axis), &mean);
    if (st == MNP_OK)
        st = multiply_by(mean, 1 / (double)s->segments.count);
    if (st == MNP_OK)
        st = finish_average(s, mean, p_p);
    mnp_free_all(sums, mean);
    return st;
}

/* The power spectrum of x, or the cross spectrum with y, which is another array or NULL. */
static mnp_status average_power(const spectrum *s, const mnp_array *x, const mnp_array *y, mnp_array **p_p)
{
    mnp_array *zx = NULL, *zy = NULL, *conjugate = NULL, *powers = NULL;
    mnp_status st;
    if (!y && is_one_pass(s, x) && !is_by_median(s))
        return sum_powers(s, x, p_p);
    if (y) {
        MNP_TRY_OR(transform(s, x, &zx), st, done);
        MNP_TRY_OR(transform(s, y, &zy), st, done);
        MNP_TRY_OR(mnp_conjugate(zx, &conjugate), st, done);
        MNP_TRY_OR(mnp_multiply(conjugate, zy, &powers), st, done);
    } else {
        MNP_TRY_OR(segment_powers(s, x, false, &powers), st, done);
    }
    st = average(s, powers, p_p);
done:
    mnp_free_all(zx, zy, conjugate, powers);
    return st;
}

/* Give the caller a spectrum with its frequencies. */
static mnp_status give(mnp_ctx *ctx, spectrum *s, mnp_array *power, mnp_status st, mnp_array **f_p, mnp_array **p_p)
{
    mnp_array *f = NULL;
    if (st == MNP_OK)
        st = make_frequencies(ctx, s, &f);
    free(s->window);
    mnp__output outputs[] = {{.array = f, .user_p = f_p}, {.array = power, .user_p = p_p}};
    return mnp__output_close(2, outputs, st);
}

static mnp_status check_pair(const char *function, const mnp_array *x, const mnp_array *y)
{
    bool same = x->layout->ndim == y->layout->ndim;
    MNP_TRY(mnp__inputs_check(function, 2, (const mnp_array *[]){x, y}));
    for (int d = 0; d < x->layout->ndim && same; d++)
        same = x->layout->shape[d] == y->layout->shape[d];
    if (!same)
        return MNP_FAIL(MNP_ERR_ARG, "%s: x and y have %d and %d dimensions, and must have one shape", function,
                        x->layout->ndim, y->layout->ndim);
    return MNP_OK;
}

/* ---- averages ---- */

static const defaults of_welch = {"hann", "constant", "density", false, false};

mnp_status mnp_periodogram(const mnp_array *x, int axis, const mnp_spectral_options *options, mnp_array **f_p,
                           mnp_array **p_p)
{
    MNP_ENTER(x, f_p, p_p);
    const defaults usual = {"boxcar", "constant", "density", true, false};
    spectrum s;
    mnp_array *power = NULL;
    mnp_status st = resolve("mnp_periodogram", x, axis, options, &usual, &s);
    if (st == MNP_OK)
        st = average_power(&s, x, NULL, &power);
    return give(x->ctx, &s, power, st, f_p, p_p);
}

mnp_status mnp_welch(const mnp_array *x, int axis, const mnp_spectral_options *options, mnp_array **f_p,
                     mnp_array **p_p)
{
    MNP_ENTER(x, f_p, p_p);
    spectrum s;
    mnp_array *power = NULL;
    mnp_status st = resolve("mnp_welch", x, axis, options, &of_welch, &s);
    if (st == MNP_OK)
        st = average_power(&s, x, NULL, &power);
    return give(x->ctx, &s, power, st, f_p, p_p);
}

static mnp_status resolve_pair(const char *function, const mnp_array *x, const mnp_array *y, int axis,
                               const mnp_spectral_options *options, spectrum *s)
{
    *s = (spectrum){.function = function};
    MNP_TRY(check_pair(function, x, y));
    return resolve(function, mnp_dtype_kind(y->dtype) == 'c' ? y : x, axis, options, &of_welch, s);
}

mnp_status mnp_csd(const mnp_array *x, const mnp_array *y, int axis, const mnp_spectral_options *options,
                   mnp_array **f_p, mnp_array **p_p)
{
    MNP_ENTER(x, y, f_p, p_p);
    spectrum s;
    mnp_array *power = NULL;
    mnp_status st = resolve_pair("mnp_csd", x, y, axis, options, &s);
    if (st == MNP_OK)
        st = average_power(&s, x, x == y ? NULL : y, &power);
    return give(x->ctx, &s, power, st, f_p, p_p);
}

mnp_status mnp_coherence(const mnp_array *x, const mnp_array *y, int axis, const mnp_spectral_options *options,
                         mnp_array **f_p, mnp_array **c_p)
{
    MNP_ENTER(x, y, f_p, c_p);
    spectrum s;
    mnp_array *pxx = NULL, *pyy = NULL, *pxy = NULL, *square = NULL, *product = NULL, *quotient = NULL;
    mnp_status st;
    MNP_TRY_OR(resolve_pair("mnp_coherence", x, y, axis, options, &s), st, done);
    MNP_TRY_OR(average_power(&s, x, NULL, &pxx), st, done);
    MNP_TRY_OR(average_power(&s, y, NULL, &pyy), st, done);
    MNP_TRY_OR(average_power(&s, x, y, &pxy), st, done);
    MNP_TRY_OR(mnp_abs2(pxy, &square), st, done);
    MNP_TRY_OR(mnp_divide(square, pxx, &product), st, done);
    st = mnp_divide(product, pyy, &quotient);
done:
    mnp_free_all(pxx, pyy, pxy, square, product);
    return give(x->ctx, &s, quotient, st, f_p, c_p);
}

/* ---- over time ---- */

/* The middles of the segments. */
static mnp_status make_times(mnp_ctx *ctx, const spectrum *s, mnp_array **t_p)
{
    const double step = (double)s->segments.step;
    const double first = s->extends ? 0 : (double)s->segments.size / 2;
    mnp_array *t = NULL;
    MNP_TRY(mnp_arange_int(ctx, 0, s->segments.count, 1, MNP_FLOAT64, &t));
    mnp_status st = multiply_by(t, step);
    mnp_array *target = t;
    if (st == MNP_OK)
        st = mnp_add(t, mnp_scalar_float(ctx, first), &target);
    if (st == MNP_OK)
        st = mnp_divide(t, mnp_scalar_float(ctx, s->options.fs), &target);
    if (st == MNP_OK)
        *t_p = t;
    else
        mnp_array_free(t);
    return st;
}

static mnp_status give_over_time(mnp_ctx *ctx, spectrum *s, mnp_array *values, mnp_status st, mnp_array **f_p,
                                 mnp_array **t_p, mnp_array **z_p)
{
    mnp_array *f = NULL, *t = NULL, *turned = NULL;
    if (st == MNP_OK)
        st = mnp_swapaxes(values, s->axis, values->layout->ndim - 1, &turned);
    mnp_array_free(values);
    if (st == MNP_OK)
        st = make_frequencies(ctx, s, &f);
    if (st == MNP_OK)
        st = make_times(ctx, s, &t);
    free(s->window);
    mnp__output outputs[] = {
        {.array = f, .user_p = f_p}, {.array = t, .user_p = t_p}, {.array = turned, .user_p = z_p}};
    return mnp__output_close(3, outputs, st);
}

mnp_status mnp_spectrogram(const mnp_array *x, int axis, const mnp_spectral_options *options, mnp_array **f_p,
                           mnp_array **t_p, mnp_array **s_p)
{
    MNP_ENTER(x, f_p, t_p, s_p);
    const defaults usual = {"tukey", "constant", "density", false, true};
    spectrum s;
    mnp_array *z = NULL, *values = NULL;
    mnp_status st = resolve("mnp_spectrogram", x, axis, options, &usual, &s);
    const char *mode = s.options.mode;
    if (st == MNP_OK && strcmp(mode, "psd") != 0) {
        s.segments.scale = sqrt(s.scale);
        st = transform(&s, x, &z);
    }
    if (st == MNP_OK && strcmp(mode, "psd") == 0) {
        st = segment_powers(&s, x, true, &values);
    } else if (st == MNP_OK && strcmp(mode, "magnitude") == 0) {
        st = mnp_absolute(z, &values);
    } else if (st == MNP_OK && strcmp(mode, "angle") == 0) {
        st = mnp_angle(z, &values);
    } else if (st == MNP_OK) {
        values = z;
        z = NULL;
    }
    mnp_array_free(z);
    return give_over_time(x->ctx, &s, values, st, f_p, t_p, s_p);
}

mnp_status mnp_stft(const mnp_array *x, int axis, const mnp_spectral_options *options, mnp_array **f_p, mnp_array **t_p,
                    mnp_array **z_p)
{
    MNP_ENTER(x, f_p, t_p, z_p);
    const defaults usual = {"hann", "none", "spectrum", false, false};
    spectrum s;
    mnp_array *z = NULL;
    mnp_status st = resolve("mnp_stft", x, axis, options, &usual, &s);
    if (st == MNP_OK) {
        mnp__segments *g = &s.segments;
        s.extends = strcmp(s.options.boundary, "zeros") == 0;
        int64_t n = s.n + (s.extends ? 2 * (g->size / 2) : 0);
        if (!s.options.unpadded && (n - g->size) % g->step)
            n += g->step - (n - g->size) % g->step;
        g->offset = s.extends ? -(g->size / 2) : 0;
        g->count = n >= g->size ? (n - g->size) / g->step + 1 : 0;
        g->scale = sqrt(s.scale);
        st = transform(&s, x, &z);
    }
    return give_over_time(x->ctx, &s, z, st, f_p, t_p, z_p);
}

/* ---- and back ---- */

/* A view or copy of z whose last dimension, of the frequencies, is not cut: segments are, if anything has to be. */
static mnp_status gather_frequencies(const mnp_array *z, int axis, mnp_array **gathered_p)
{
    mnp__layout_dim dims[MNP_MAX_DIMS];
    const int last = z->layout->ndim - 1;
    mnp_layout *layout;
    for (int d = 0; d < last; d++)
        dims[d] = mnp__layout_dim_of(z->layout, d);
    dims[last] = mnp__layout_dim_whole(z->layout->shape[last]);
    if (dims[axis].axis == MNP_NO_AXIS) {
        dims[axis].axis = z->layout->axes[last];
        dims[axis].cuts = NULL;
    }
    MNP_TRY(mnp__layout_derive(z->layout, last + 1, dims, &layout));
    mnp_status st = mnp_redistribute(z, layout, gathered_p);
    mnp_layout_free(layout);
    return st;
}

mnp_status mnp_istft(const mnp_array *z, const mnp_spectral_options *options, mnp_array **t_p, mnp_array **x_p)
{
    MNP_ENTER(z, t_p, x_p);
    static const char function[] = "mnp_istft";
    const defaults usual = {"hann", "none", "spectrum", false, false};
    spectrum s = {.function = function};
    mnp_array *turned = NULL, *whole = NULL, *cut = NULL, *x = NULL, *t = NULL;
    mnp_spectral_options given = options ? *options : (mnp_spectral_options){.fs = 0};
    mnp_status st;
    MNP_TRY_OR(mnp__inputs_check(function, 1, &z), st, done);
    const int ndim = z->layout->ndim;
    if (ndim < 2) {
        st = MNP_FAIL(MNP_ERR_ARG, "%s: z has %d dimensions, and must have 2 or more", function, ndim);
        goto done;
    }
    const int64_t f = z->layout->shape[ndim - 2], count = z->layout->shape[ndim - 1];
    const int64_t points = given.two_sided ? f : 2 * (f - 1);
    given.nperseg = given.nperseg ? given.nperseg : points;
    given.nfft = given.nfft ? given.nfft : given.two_sided || given.nperseg != points + 1 ? points : given.nperseg;
    if (given.nfft < 1 || (given.two_sided ? given.nfft : given.nfft / 2 + 1) != f || count == 0) {
        st = MNP_FAIL(MNP_ERR_ARG,
                      "%s: z has %" PRId64 " frequencies and %" PRId64 " segments, which do not fit %" PRId64
                      " points of the transforms",
                      function, f, count, given.nfft);
        goto done;
    }
    MNP_TRY_OR(mnp_swapaxes(z, ndim - 2, ndim - 1, &turned), st, done);
    MNP_TRY_OR(gather_frequencies(turned, ndim - 2, &whole), st, done);
    MNP_TRY_OR(given.two_sided ? mnp_ifft(whole, given.nfft, -1, NULL, &cut)
                               : mnp_irfft(whole, given.nfft, -1, NULL, &cut),
               st, done);
    given.noverlap = given.noverlap == 0 ? given.nperseg / 2 : given.noverlap;
    const int64_t overlap = given.noverlap == MNP_NONE ? 0 : given.noverlap, step = given.nperseg - overlap;
    if (overlap < 0 || step < 1 || given.nfft < given.nperseg) {
        st = MNP_FAIL(MNP_ERR_ARG,
                      "%s: noverlap is %" PRId64 ", nperseg %" PRId64 " and nfft %" PRId64 ", and must rise", function,
                      overlap, given.nperseg, given.nfft);
        goto done;
    }
    s.options = given;
    s.options.fs = given.fs == 0 ? 1 : given.fs;
    s.options.window = given.window ? given.window : usual.window;
    s.options.scaling = given.scaling ? given.scaling : usual.scaling;
    s.options.detrend = usual.detrend;
    MNP_TRY_OR(choose_words(&s), st, done);
    const bool trims = strcmp(s.options.boundary, "zeros") == 0;
    s.segments = (mnp__segments){.count = count, .size = given.nperseg, .step = step};
    s.segments.offset = trims ? -(given.nperseg / 2) : 0;
    MNP_TRY_OR(make_window(&s), st, done);
    s.segments.scale = 1 / sqrt(s.scale);
    const int64_t n = given.nperseg + (count - 1) * step - (trims ? 2 * (given.nperseg / 2) : 0);
    MNP_TRY_OR(mnp__segments_add(function, &s.segments, cut, ndim - 2, mnp__max(n, 0), &x), st, done);
    MNP_TRY_OR(mnp_arange_int(z->ctx, 0, mnp__max(n, 0), 1, MNP_FLOAT64, &t), st, done);
    mnp_array *target = t;
    st = mnp_divide(t, mnp_scalar_float(z->ctx, s.options.fs), &target);
done:
    free(s.window);
    mnp_free_all(turned, whole, cut);
    mnp__output outputs[] = {{.array = t, .user_p = t_p}, {.array = x, .user_p = x_p}};
    return mnp__output_close(2, outputs, st);
}
