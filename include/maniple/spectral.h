/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Spectra of distributed arrays along an axis, and changes of their rate, in the words of scipy.signal.
 *
 * x may have any layout of blocks and be a view.  Floats and integers of up to 16 bits, float32 and complex64 are
 * computed in single precision, all others in double, as in SciPy; sums of windows and means over segments are in
 * double. Results are new arrays unless they are given, and are cut as x is where that is possible.
 *
 * Segments are cut on the ranks that own them, from elements that are fetched from neighbours; the transforms then need
 * no move between ranks.  All of it runs on the device.
 *
 * All functions are collective.  MNP_ERR_ARG for axes that are out of bounds, values that are out of range, words that
 * are not listed, and arrays that are block-cyclic or numbers, or while a graph is recorded; MNP_ERR_UNSUPPORTED for
 * arrays of eight dimensions, and where there is no library of transforms; MNP_ERR_MEMORY, MNP_ERR_COMPILE,
 * MNP_ERR_DEVICE, MNP_ERR_COMM.
 */
#ifndef MANIPLE_SPECTRAL_H
#define MANIPLE_SPECTRAL_H

#include <stdbool.h>
#include <stdint.h>

#include <maniple/array.h>
#include <maniple/base.h>
#include <maniple/view.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * How x is divided and what is computed.  Zeros and NULL are SciPy's defaults, which differ between functions where two
 * are given below.
 */
typedef struct mnp_spectral_options {
    double fs;          /* sampling frequency; 0: 1 */
    const char *window; /* as in <maniple/windows.h>, periodic; NULL: "hann"; periodogram: "boxcar"; spectrogram:
                           "tukey" with 0.25 */
    int nparameters;
    const double *parameters;
    const double *taps;   /* instead of a name: the nperseg numbers of the window */
    int64_t nperseg;      /* of a segment; 0: 256, or all if x has fewer; a periodogram has one segment */
    int64_t noverlap;     /* of neighbouring segments; 0: half of nperseg, spectrogram: an eighth; MNP_NONE: nothing */
    int64_t nfft;         /* points of the transforms, at least nperseg; 0: nperseg */
    const char *detrend;  /* "constant", "linear" or "none"; NULL: "constant", stft: "none" */
    bool two_sided;       /* all frequencies of real x, not only those from 0 on; complex x always has all */
    const char *scaling;  /* "density", which NULL is, or "spectrum"; stft and istft: "spectrum", which NULL is, or
                             "psd" */
    const char *average;  /* over segments: "mean", which NULL is, or "median" */
    const char *mode;     /* of spectrogram: "psd", which NULL is, "complex", "magnitude", "angle" */
    const char *boundary; /* of stft: "zeros", which NULL is: half a segment before and behind; or "none" */
    bool unpadded;        /* stft: without zeros that complete the last segment */
} mnp_spectral_options;

/*
 * scipy.signal.periodogram, welch and csd: the power spectrum of x, or the cross spectrum of x and y, which have one
 * shape.
 *
 *   options  NULL: the defaults
 *   f_p      receives the frequencies, float64
 *   p_p      receives the spectrum: as x, with frequencies along the axis; csd of different x and y: complex
 */
MNP_API mnp_status mnp_periodogram(const mnp_array *x, int axis, const mnp_spectral_options *options, mnp_array **f_p,
                                   mnp_array **p_p);
MNP_API mnp_status mnp_welch(const mnp_array *x, int axis, const mnp_spectral_options *options, mnp_array **f_p,
                             mnp_array **p_p);
MNP_API mnp_status mnp_csd(const mnp_array *x, const mnp_array *y, int axis, const mnp_spectral_options *options,
                           mnp_array **f_p, mnp_array **p_p);

/* scipy.signal.coherence: |csd(x, y)|^2 / (welch(x) welch(y)). */
MNP_API mnp_status mnp_coherence(const mnp_array *x, const mnp_array *y, int axis, const mnp_spectral_options *options,
                                 mnp_array **f_p, mnp_array **c_p);

/*
 * scipy.signal.spectrogram and stft: frequencies along the axis, and one more dimension, the last one, of the segments,
 * at the times *t_p.
 */
MNP_API mnp_status mnp_spectrogram(const mnp_array *x, int axis, const mnp_spectral_options *options, mnp_array **f_p,
                                   mnp_array **t_p, mnp_array **s_p);
MNP_API mnp_status mnp_stft(const mnp_array *x, int axis, const mnp_spectral_options *options, mnp_array **f_p,
                            mnp_array **t_p, mnp_array **z_p);

/*
 * scipy.signal.istft of z with its default axes: frequencies along the last dimension but one, segments along the last.
 * x has the time along its last dimension.  nperseg 0: as many as the transforms have points.  `boundary` "none" is
 * SciPy's boundary=False.
 */
MNP_API mnp_status mnp_istft(const mnp_array *z, const mnp_spectral_options *options, mnp_array **t_p, mnp_array **x_p);

/* scipy.signal.hilbert: the analytic signal of real x; n points, MNP_NONE: as many as x has. */
MNP_API mnp_status mnp_hilbert(const mnp_array *x, int64_t n, int axis, mnp_array **y_p);

/*
 * scipy.signal.detrend: x less its mean (type "constant") or the straight line that fits best ("linear", which NULL
 * is), in pieces that end before the `count` indices `breaks`, in ascending order; count 0: one piece.  Real x.
 */
MNP_API mnp_status mnp_detrend(const mnp_array *x, int axis, const char *type, int count, const int64_t *breaks,
                               mnp_array **y_p);

/* scipy.signal.resample of x in time, without a window: `num` elements by Fourier transforms. */
MNP_API mnp_status mnp_resample(const mnp_array *x, int64_t num, int axis, mnp_array **y_p);

/*
 * scipy.signal.resample_poly: the rate times up / down, by one filter without feedback.  Beyond its ends x is 0,
 * SciPy's padtype="constant".
 *
 *   count, taps  the filter, of an odd number of taps; 0 and NULL: the window ("kaiser", 5.0) of SciPy
 */
MNP_API mnp_status mnp_resample_poly(const mnp_array *x, int64_t up, int64_t down, int axis, int64_t count,
                                     const double *taps, mnp_array **y_p);

/*
 * scipy.signal.decimate: filter x, and keep every q-th element.
 *
 *   n      order of the filter; 0: 8, or for "fir" 20 q, which has 20 q + 1 taps
 *   ftype  "iir", which NULL is: Chebyshev I; or "fir": a Hamming window
 */
MNP_API mnp_status mnp_decimate(const mnp_array *x, int64_t q, int64_t n, const char *ftype, int axis, bool zero_phase,
                                mnp_array **y_p);

/*
 * scipy.signal.czt: the z transform at m points, a w^-k, by Bluestein's convolution.
 *
 *   m  MNP_NONE: as many as x has
 *   w  real and imaginary part; NULL: exp(-2 pi i / m)
 *   a  real and imaginary part; NULL: 1
 */
MNP_API mnp_status mnp_czt(const mnp_array *x, int64_t m, const double *w, const double *a, int axis, mnp_array **y_p);

/*
 * scipy.signal.zoom_fft: the Fourier transform of x, sampled at fs, at m frequencies from f1 up to f2, which is one of
 * them with `endpoint`; m MNP_NONE: as many as x has.  By mnp_czt(): errors grow with m and the length of x.
 */
MNP_API mnp_status mnp_zoom_fft(const mnp_array *x, double f1, double f2, int64_t m, double fs, bool endpoint, int axis,
                                mnp_array **y_p);

/*
 * scipy.signal.lombscargle: the periodogram of samples y at any times x, at the angular frequencies `freqs`: real
 * vectors, taken as float64.
 *
 *   precenter  subtract the mean of y first;  normalize: divide by half of the sum of the squares of y, from which the
 *              mean has then been subtracted too, as in SciPy since 1.15
 *   p_p        float64, cut as the frequencies.  Every rank gets all samples; time is samples times frequencies
 */
MNP_API mnp_status mnp_lombscargle(const mnp_array *x, const mnp_array *y, const mnp_array *freqs, bool precenter,
                                   bool normalize, mnp_array **p_p);

#ifdef __cplusplus
}
#endif

#endif
