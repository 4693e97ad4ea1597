/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The design of filters, in the words of scipy.signal.  Everything here is small and computed on the CPU, from arrays
 * of the CPU to arrays of the CPU; the filters are run by <maniple/filters.h>.
 *
 * Complex numbers are pairs of a real and an imaginary part, so an array z of nz zeros has 2 nz numbers.
 *
 * No function here is collective.  MNP_ERR_ARG with a sentence for what is out of range; MNP_ERR_MEMORY.
 */
#ifndef MANIPLE_FILTER_DESIGN_H
#define MANIPLE_FILTER_DESIGN_H

#include <stdbool.h>
#include <stdint.h>

#include <maniple/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A filter in three forms, as SciPy's output="zpk", "ba" and "sos" have it.  Zeros are no filter, and may be given to
 * all functions that make one, which release what is there.
 */
typedef struct mnp_filter {
    int64_t nz, np; /* zeros and poles */
    double *z, *p;  /* pairs of real and imaginary parts */
    double k;       /* gain */
    int64_t nb, na; /* polynomials, the highest power first */
    double *b, *a;
    int64_t sections; /* 0 for analog filters with more zeros than poles, or with complex ones that are no pairs */
    double *sos;      /* b0, b1, b2, a0, a1, a2 of each */
} mnp_filter;

/* Release what a filter holds, and set it to zeros.  NULL is accepted.  Not collective. */
MNP_API void mnp_filter_clear(mnp_filter *filter);

/*
 * scipy.signal.butter, cheby1, cheby2, ellip and bessel of order n, 0 to 500.
 *
 *   btype      "lowpass", "highpass", which take one frequency; "bandpass", "bandstop", which take two
 *   wn         those frequencies: of fs; as parts of the Nyquist frequency if fs is 0; in radians if the filter is
 *              analog
 *   rp, rs     ripple in the passband and attenuation in the stopband, in decibels, above 0; rs above rp
 *   norm       "phase", which NULL is; "delay" or "mag"
 *   fs         the sampling frequency, or 0; 0 for analog filters
 *
 * bessel takes orders up to 25.  Not collective.
 */
MNP_API mnp_status mnp_butter(int n, const double *wn, const char *btype, bool analog, double fs, mnp_filter *filter);
MNP_API mnp_status mnp_cheby1(int n, double rp, const double *wn, const char *btype, bool analog, double fs,
                              mnp_filter *filter);
MNP_API mnp_status mnp_cheby2(int n, double rs, const double *wn, const char *btype, bool analog, double fs,
                              mnp_filter *filter);
MNP_API mnp_status mnp_ellip(int n, double rp, double rs, const double *wn, const char *btype, bool analog, double fs,
                             mnp_filter *filter);
MNP_API mnp_status mnp_bessel(int n, const double *wn, const char *btype, bool analog, const char *norm, double fs,
                              mnp_filter *filter);

/* scipy.signal.iirnotch and iirpeak: b and a receive three numbers each; fs as in SciPy, where 2 is usual. */
MNP_API mnp_status mnp_iirnotch(double w0, double q, double fs, double *b, double *a);
MNP_API mnp_status mnp_iirpeak(double w0, double q, double fs, double *b, double *a);

/*
 * scipy.signal.bilinear_zpk, lp2lp_zpk, lp2hp_zpk, lp2bp_zpk and lp2bs_zpk: the zeros, poles and gain of `filter` are
 * replaced, and its other forms follow.  Not collective.
 */
MNP_API mnp_status mnp_bilinear(mnp_filter *filter, double fs);
MNP_API mnp_status mnp_lp2lp(mnp_filter *filter, double wo);
MNP_API mnp_status mnp_lp2hp(mnp_filter *filter, double wo);
MNP_API mnp_status mnp_lp2bp(mnp_filter *filter, double wo, double bw);
MNP_API mnp_status mnp_lp2bs(mnp_filter *filter, double wo, double bw);

/*
 * A filter from one of its forms, with all others: SciPy's zpk2tf and zpk2sos, tf2zpk and tf2sos, sos2zpk and sos2tf.
 *
 *   analog  sections are those of SciPy's pairing="minimal", and otherwise of "nearest"
 *
 * Complex zeros and poles must be in conjugated pairs.  Roots of polynomials are found by the method of Aberth and
 * Ehrlich in long double, where SciPy takes eigenvalues.  Not collective.
 */
MNP_API mnp_status mnp_filter_from_zpk(int64_t nz, const double *z, int64_t np, const double *p, double k, bool analog,
                                       mnp_filter *filter);
MNP_API mnp_status mnp_filter_from_tf(int64_t nb, const double *b, int64_t na, const double *a, bool analog,
                                      mnp_filter *filter);
MNP_API mnp_status mnp_filter_from_sos(int64_t sections, const double *sos, mnp_filter *filter);

/*
 * scipy.signal.freqz and sosfreqz: the response at `count` frequencies w, in radians for each element, or of fs if that
 * is not 0.  h receives `count` complex numbers.  Not collective.
 */
MNP_API mnp_status mnp_freqz(int64_t nb, const double *b, int64_t na, const double *a, int64_t count, const double *w,
                             double fs, double *h);
MNP_API mnp_status mnp_sosfreqz(int64_t sections, const double *sos, int64_t count, const double *w, double fs,
                                double *h);

/*
 * scipy.signal.firwin: a filter of numtaps taps by a window.
 *
 *   cutoff     `count` frequencies that rise between 0 and fs / 2; fs 0: 2
 *   window     its name and parameters, as in <maniple/windows.h>; NULL: "hamming"
 *   pass_zero  whether frequency 0 passes
 *   scale      to a gain of 1 in the middle of the first band that passes
 *   h          receives numtaps numbers
 *
 * A filter that passes fs / 2 has an odd number of taps.  Not collective.
 */
MNP_API mnp_status mnp_firwin(int64_t numtaps, int count, const double *cutoff, const char *window, int nparameters,
                              const double *parameters, bool pass_zero, bool scale, double fs, double *h);

/*
 * scipy.signal.firwin2: taps for a gain that is piecewise linear.
 *
 *   freq, gain  `count` of each; frequencies from 0 to fs / 2 that do not fall; fs 0: 2
 *   nfreqs      frequencies at which the gain is sampled; 0: a power of two and one more that is enough
 *   window      as of mnp_firwin(); "boxcar" is SciPy's None
 *
 * Not collective.
 */
MNP_API mnp_status mnp_firwin2(int64_t numtaps, int count, const double *freq, const double *gain, int64_t nfreqs,
                               const char *window, int nparameters, const double *parameters, bool antisymmetric,
                               double fs, double *h);

/*
 * scipy.signal.remez: taps whose largest weighted error is as small as possible, by the exchange of Parks and
 * McClellan.
 *
 *   bands    2 count frequencies that do not fall, from 0 to fs / 2; fs 0: 1
 *   desired  the gain in each band;  weight: the weight of its errors, NULL: 1
 *   type     "bandpass", which NULL is too; "hilbert": antisymmetric taps; "differentiator": these with a gain of
 *            `desired` times the frequency, in turns per sample, and with errors relative to it
 *   maxiter  exchanges at most, 25 in SciPy;  grid_density: frequencies for each tap, 16 in SciPy
 *
 * Not collective.  MNP_ERR_ARG also if it does not converge, as where the least possible errors are those of rounding.
 */
MNP_API mnp_status mnp_remez(int64_t numtaps, int count, const double *bands, const double *desired,
                             const double *weight, const char *type, double fs, int maxiter, int grid_density,
                             double *h);

#ifdef __cplusplus
}
#endif

#endif
