/* SPDX-License-Identifier: BSD-3-Clause */
/* Filters with feedback by their kind and edges, changes of analog filters, and responses. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "signal/design/design.h"

/* The edges, warped so that the bilinear transform brings them to where they should be. */
static mnp_status read_edges(const char *function, const double *wn, int count, bool analog, double fs, double *warped)
{
    if (fs < 0 || (analog && fs != 0))
        return MNP_FAIL(MNP_ERR_ARG, "%s: fs is %g, and must be %s", function, fs,
                        analog ? "0 for an analog filter" : "above 0, or 0");
    for (int i = 0; i < count; i++) {
        const double w = fs > 0 ? 2 * wn[i] / fs : wn[i];
        if (!(w > 0) || (!analog && w >= 1))
            return MNP_FAIL(MNP_ERR_ARG, "%s: wn[%d] is %g, and must be above 0%s", function, i, wn[i],
                            analog   ? ""
                            : fs > 0 ? " and below fs / 2"
                                     : " and below 1");
        warped[i] = analog ? w : 4 * tan(MNP__PI * w / 2);
    }
    if (count == 2 && !(wn[0] < wn[1]))
        return MNP_FAIL(MNP_ERR_ARG, "%s: wn[0] is %g, and must be below wn[1], which is %g", function, wn[0], wn[1]);
    return MNP_OK;
}

static mnp_status design(const mnp__prototype *prototype, const double *wn, const char *btype, bool analog, double fs,
                         mnp_filter *filter)
{
    static const char *const types[] = {"lowpass", "highpass", "bandpass", "bandstop"};
    double w[2] = {0, 0};
    mnp__zpk zpk;
    int type = 0;
    while (type < 4 && strcmp(types[type], btype) != 0)
        type++;
    if (type == 4)
        return MNP_FAIL(MNP_ERR_ARG, "%s: btype is '%s', and must be 'lowpass', 'highpass', 'bandpass' or 'bandstop'",
                        prototype->function, btype);
    MNP_TRY(read_edges(prototype->function, wn, type < 2 ? 1 : 2, analog, fs, w));
    MNP_TRY(mnp__zpk_new(&zpk));
    mnp_status st = mnp__prototype_make(prototype, &zpk);
    if (type == 0)
        mnp__zpk_lowpass(&zpk, w[0]);
    else if (type == 1)
        mnp__zpk_highpass(&zpk, w[0]);
    else if (type == 2)
        mnp__zpk_bandpass(&zpk, sqrt(w[0] * w[1]), w[1] - w[0]);
    else
        mnp__zpk_bandstop(&zpk, sqrt(w[0] * w[1]), w[1] - w[0]);
    if (!analog)
        mnp__zpk_bilinear(&zpk, 2);
    if (st == MNP_OK)
        st = mnp__filter_fill(prototype->function, &zpk, analog, filter);
    mnp__zpk_free(&zpk);
    return st;
}

mnp_status mnp_butter(int n, const double *wn, const char *btype, bool analog, double fs, mnp_filter *filter)
{
    MNP_ENTER(wn, btype, filter);
    return design(&(mnp__prototype){.function = "mnp_butter", .kind = 'b', .n = n}, wn, btype, analog, fs, filter);
}

mnp_status mnp_cheby1(int n, double rp, const double *wn, const char *btype, bool analog, double fs, mnp_filter *filter)
{
    MNP_ENTER(wn, btype, filter);
    return design(&(mnp__prototype){.function = "mnp_cheby1", .kind = '1', .n = n, .rp = rp}, wn, btype, analog, fs,
                  filter);
}

mnp_status mnp_cheby2(int n, double rs, const double *wn, const char *btype, bool analog, double fs, mnp_filter *filter)
{
    MNP_ENTER(wn, btype, filter);
    return design(&(mnp__prototype){.function = "mnp_cheby2", .kind = '2', .n = n, .rs = rs}, wn, btype, analog, fs,
                  filter);
}

mnp_status mnp_ellip(int n, double rp, double rs, const double *wn, const char *btype, bool analog, double fs,
                     mnp_filter *filter)
{
    MNP_ENTER(wn, btype, filter);
    return design(&(mnp__prototype){.function = "mnp_ellip", .kind = 'e', .n = n, .rp = rp, .rs = rs}, wn, btype,
                  analog, fs, filter);
}

mnp_status mnp_bessel(int n, const double *wn, const char *btype, bool analog, const char *norm, double fs,
                      mnp_filter *filter)
{
    MNP_ENTER(wn, btype, filter);
    norm = norm ? norm : "phase";
    if (strcmp(norm, "phase") != 0 && strcmp(norm, "delay") != 0 && strcmp(norm, "mag") != 0)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_bessel: norm is '%s', and must be 'phase', 'delay' or 'mag'", norm);
    return design(&(mnp__prototype){.function = "mnp_bessel", .kind = 's', .n = n, .norm = norm[0]}, wn, btype, analog,
                  fs, filter);
}

/* ---- notches and peaks: S. J. Orfanidis, Introduction to Signal Processing, 1996 ---- */

static mnp_status notch_or_peak(const char *function, bool notch, double w0, double q, double fs, double *b, double *a)
{
    if (!(fs > 0) || !(w0 >= 0) || 2 * w0 > fs)
        return MNP_FAIL(MNP_ERR_ARG, "%s: w0 is %g, and must be between 0 and half of fs, which is %g", function, w0,
                        fs);
    if (!(q > 0))
        return MNP_FAIL(MNP_ERR_ARG, "%s: q is %g, and must be above 0", function, q);
    const double w = 2 * w0 / fs * MNP__PI, gain = 1 / (1 + tan(w / q / 2));
    const double band[] = {1, notch ? -2 * cos(w) : 0, notch ? 1 : -1};
    for (int k = 0; k < 3; k++)
        b[k] = (notch ? gain : 1 - gain) * band[k];
    a[0] = 1;
    a[1] = -2 * gain * cos(w);
    a[2] = 2 * gain - 1;
    return MNP_OK;
}

mnp_status mnp_iirnotch(double w0, double q, double fs, double *b, double *a)
{
    MNP_ENTER(b, a);
    return notch_or_peak("mnp_iirnotch", true, w0, q, fs, b, a);
}

mnp_status mnp_iirpeak(double w0, double q, double fs, double *b, double *a)
{
    MNP_ENTER(b, a);
    return notch_or_peak("mnp_iirpeak", false, w0, q, fs, b, a);
}

/* ---- changes of filters ---- */

typedef enum change { BILINEAR, LOWPASS, HIGHPASS, BANDPASS, BANDSTOP } change;

static mnp_status change_filter(const char *function, change what, mnp_filter *filter, double w, double bw)
{
    mnp__zpk zpk;
    if (!(w > 0) || !(bw > 0))
        return MNP_FAIL(MNP_ERR_ARG, "%s: %g is not above 0", function, w > 0 ? bw : w);
    if (filter->nz > filter->np)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the filter has %" PRId64 " zeros, more than its %" PRId64 " poles", function,
                        filter->nz, filter->np);
    if (filter->np > MNP__MOST_ROOTS / 2)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the filter has %" PRId64 " poles, more than %d", function, filter->np,
                        MNP__MOST_ROOTS / 2);
    MNP_TRY(mnp__zpk_new(&zpk));
    zpk.nz = filter->nz;
    zpk.np = filter->np;
    zpk.k = filter->k;
    for (int64_t i = 0; i < zpk.nz; i++)
        zpk.z[i] = filter->z[2 * i] + I * filter->z[2 * i + 1];
    for (int64_t i = 0; i < zpk.np; i++)
        zpk.p[i] = filter->p[2 * i] + I * filter->p[2 * i + 1];
    if (what == BILINEAR)
        mnp__zpk_bilinear(&zpk, w);
    else if (what == LOWPASS)
        mnp__zpk_lowpass(&zpk, w);
    else if (what == HIGHPASS)
        mnp__zpk_highpass(&zpk, w);
    else if (what == BANDPASS)
        mnp__zpk_bandpass(&zpk, w, bw);
    else
        mnp__zpk_bandstop(&zpk, w, bw);
    mnp_status st = mnp__filter_fill(function, &zpk, what != BILINEAR, filter);
    mnp__zpk_free(&zpk);
    return st;
}

mnp_status mnp_bilinear(mnp_filter *filter, double fs)
{
    MNP_ENTER(filter);
    return change_filter("mnp_bilinear", BILINEAR, filter, fs, 1);
}

mnp_status mnp_lp2lp(mnp_filter *filter, double wo)
{
    MNP_ENTER(filter);
    return change_filter("mnp_lp2lp", LOWPASS, filter, wo, 1);
}

mnp_status mnp_lp2hp(mnp_filter *filter, double wo)
{
    MNP_ENTER(filter);
    return change_filter("mnp_lp2hp", HIGHPASS, filter, wo, 1);
}

mnp_status mnp_lp2bp(mnp_filter *filter, double wo, double bw)
{
    MNP_ENTER(filter);
    return change_filter("mnp_lp2bp", BANDPASS, filter, wo, bw);
}

mnp_status mnp_lp2bs(mnp_filter *filter, double wo, double bw)
{
    MNP_ENTER(filter);
    return change_filter("mnp_lp2bs", BANDSTOP, filter, wo, bw);
}

/* ---- responses ---- */

/* A polynomial in 1 / z at z = exp(i w). */
static mnp__root evaluate(int64_t count, const double *c, mnp__root inverse)
{
    mnp__root value = 0;
    for (int64_t k = count - 1; k >= 0; k--)
        value = value * inverse + c[k];
    return value;
}

static void store(mnp__root value, double *h, int64_t i)
{
    h[2 * i] = creal(value);
    h[2 * i + 1] = cimag(value);
}

mnp_status mnp_freqz(int64_t nb, const double *b, int64_t na, const double *a, int64_t count, const double *w,
                     double fs, double *h)
{
    MNP_ENTER(b, a);
    MNP_NEED_IF(count > 0, w);
    MNP_NEED_IF(count > 0, h);
    for (int64_t i = 0; i < count; i++) {
        const mnp__root inverse = cexp(-I * (fs > 0 ? 2 * MNP__PI * w[i] / fs : w[i]));
        store(evaluate(nb, b, inverse) / evaluate(na, a, inverse), h, i);
    }
    return MNP_OK;
}

mnp_status mnp_sosfreqz(int64_t sections, const double *sos, int64_t count, const double *w, double fs, double *h)
{
    MNP_ENTER(sos);
    MNP_NEED_IF(count > 0, w);
    MNP_NEED_IF(count > 0, h);
    for (int64_t i = 0; i < count; i++) {
        const mnp__root inverse = cexp(-I * (fs > 0 ? 2 * MNP__PI * w[i] / fs : w[i]));
        mnp__root value = 1;
        for (int64_t k = 0; k < sections; k++)
            value *= evaluate(3, sos + 6 * k, inverse) / evaluate(3, sos + 6 * k + 3, inverse);
        store(value, h, i);
    }
    return MNP_OK;
}
