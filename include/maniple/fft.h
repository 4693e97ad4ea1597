/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fourier transforms of distributed arrays, in NumPy's words: mnp_fft(x, MNP_NONE, -1, NULL, &y) is numpy.fft.fft(x),
 * mnp_fftn(x, 0, NULL, NULL, "ortho", &y) is numpy.fft.fftn(x, norm="ortho").
 *
 * x may have any layout and be a view.  Floats of up to 32 bits and complex64 are transformed in single precision, all
 * others in double, as NumPy 2 does; real x is taken as complex where the transform is complex.  A new result is cut as
 * x is.  A given output may have any layout, may share memory with x, and must have the result's shape and a dtype to
 * which it can be cast under "same_kind".
 *
 *   n, s   how many points an axis has, counted on the real side where there is one: x is cut off there, or continued
 *          by zeros.  MNP_NONE, or NULL for s: as many as x has; for the last axis of a transform to real numbers
 *          2 (m - 1), if x has m.  Any number above 0 is possible, a prime too
 *   axes   negative ones count from the end
 *   norm   "backward", which NULL is: the inverse transform is divided by the number of points; "forward": the
 *          forward one is; "ortho": both are divided by its square root
 *
 * Axes along which x is not cut are transformed where they are.  For other axes the array is first moved to a layout
 * that does not cut them; ranks of a host store the pieces straight into each other's memory.  An axis that is too long
 * for this, such as that of a one-dimensional array, is transformed in two parts by all ranks, by three moves, if its
 * number of points has two suitable factors, and otherwise by one rank.  A plan of a transform of such an axis to real
 * numbers always uses one rank; mnp_irfft() and mnp_hfft() do not.
 *
 * The context keeps the plans of the last calls.  On the host FFTW does the work, on GPUs cuFFT.
 *
 * All functions are collective, except where they say so.  MNP_ERR_ARG for axes that are out of bounds or given twice,
 * fewer points than 1, another norm, complex x where it must be real, and arrays that are block-cyclic or numbers;
 * MNP_ERR_UNSUPPORTED where FFTW is not installed; MNP_ERR_MEMORY, MNP_ERR_COMPILE, MNP_ERR_DEVICE, MNP_ERR_COMM.
 */
#ifndef MANIPLE_FFT_H
#define MANIPLE_FFT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <maniple/array.h>
#include <maniple/base.h>
#include <maniple/layout.h>
#include <maniple/view.h>

#ifdef __cplusplus
extern "C" {
#endif

/* numpy.fft.fft and ifft. */
MNP_API mnp_status mnp_fft(const mnp_array *x, int64_t n, int axis, const char *norm, mnp_array **out_p);
MNP_API mnp_status mnp_ifft(const mnp_array *x, int64_t n, int axis, const char *norm, mnp_array **out_p);

/*
 * numpy.fft.rfft: the first n / 2 + 1 values of the transform of real x; the others are their conjugates.
 * numpy.fft.irfft: from those values to n real numbers; the imaginary parts of the first value and, for even n, of the
 * last are ignored.
 */
MNP_API mnp_status mnp_rfft(const mnp_array *x, int64_t n, int axis, const char *norm, mnp_array **out_p);
MNP_API mnp_status mnp_irfft(const mnp_array *x, int64_t n, int axis, const char *norm, mnp_array **out_p);

/*
 * numpy.fft.hfft: the transform of a signal whose transform is real, n numbers, from the first half of the signal;
 * numpy.fft.ihfft: the inverse.
 */
MNP_API mnp_status mnp_hfft(const mnp_array *x, int64_t n, int axis, const char *norm, mnp_array **out_p);
MNP_API mnp_status mnp_ihfft(const mnp_array *x, int64_t n, int axis, const char *norm, mnp_array **out_p);

/*
 * numpy.fft.fft2, ifft2, rfft2 and irfft2.  s and axes have two entries; axes NULL: the last two.  In real transforms
 * the last of the axes is the one that is halved.
 */
MNP_API mnp_status mnp_fft2(const mnp_array *x, const int64_t *s, const int *axes, const char *norm, mnp_array **out_p);
MNP_API mnp_status mnp_ifft2(const mnp_array *x, const int64_t *s, const int *axes, const char *norm,
                             mnp_array **out_p);
MNP_API mnp_status mnp_rfft2(const mnp_array *x, const int64_t *s, const int *axes, const char *norm,
                             mnp_array **out_p);
MNP_API mnp_status mnp_irfft2(const mnp_array *x, const int64_t *s, const int *axes, const char *norm,
                              mnp_array **out_p);

/*
 * numpy.fft.fftn, ifftn, rfftn and irfftn along `naxes` axes; 0: all.  In real transforms the last one is
 * halved.  axes NULL: the last naxes.
 */
MNP_API mnp_status mnp_fftn(const mnp_array *x, int naxes, const int64_t *s, const int *axes, const char *norm,
                            mnp_array **out_p);
MNP_API mnp_status mnp_ifftn(const mnp_array *x, int naxes, const int64_t *s, const int *axes, const char *norm,
                             mnp_array **out_p);
MNP_API mnp_status mnp_rfftn(const mnp_array *x, int naxes, const int64_t *s, const int *axes, const char *norm,
                             mnp_array **out_p);
MNP_API mnp_status mnp_irfftn(const mnp_array *x, int naxes, const int64_t *s, const int *axes, const char *norm,
                              mnp_array **out_p);

/*
 * scipy.fft.hfft2, ihfft2, hfftn and ihfftn: the transform of signals whose transform is real, from the first half of
 * the signal along the last of the axes; and the inverse.
 */
MNP_API mnp_status mnp_hfft2(const mnp_array *x, const int64_t *s, const int *axes, const char *norm,
                             mnp_array **out_p);
MNP_API mnp_status mnp_ihfft2(const mnp_array *x, const int64_t *s, const int *axes, const char *norm,
                              mnp_array **out_p);
MNP_API mnp_status mnp_hfftn(const mnp_array *x, int naxes, const int64_t *s, const int *axes, const char *norm,
                             mnp_array **out_p);
MNP_API mnp_status mnp_ihfftn(const mnp_array *x, int naxes, const int64_t *s, const int *axes, const char *norm,
                              mnp_array **out_p);

/*
 * scipy.fft's cosine and sine transforms of real numbers, dct, dst, idct and idst, of type 1 to 4, along one axis; and
 * dctn, dstn, idctn and idstn along `naxes` axes, as of mnp_fftn().  The real and the imaginary parts of complex x are
 * transformed separately.  "ortho" makes the transform orthogonal, which is SciPy's default for `orthogonalize`.
 * MNP_ERR_ARG also for another type, and where a cosine transform of type 1 has one point.
 *
 * They are Fourier transforms between two passes over the lines, which run where x lies, as Fourier transforms do; only
 * an axis so long that it must stay cut is transformed as a complex one of twice its length.
 */
MNP_API mnp_status mnp_dct(const mnp_array *x, int type, int64_t n, int axis, const char *norm, mnp_array **out_p);
MNP_API mnp_status mnp_idct(const mnp_array *x, int type, int64_t n, int axis, const char *norm, mnp_array **out_p);
MNP_API mnp_status mnp_dst(const mnp_array *x, int type, int64_t n, int axis, const char *norm, mnp_array **out_p);
MNP_API mnp_status mnp_idst(const mnp_array *x, int type, int64_t n, int axis, const char *norm, mnp_array **out_p);
MNP_API mnp_status mnp_dctn(const mnp_array *x, int type, int naxes, const int64_t *s, const int *axes,
                            const char *norm, mnp_array **out_p);
MNP_API mnp_status mnp_idctn(const mnp_array *x, int type, int naxes, const int64_t *s, const int *axes,
                             const char *norm, mnp_array **out_p);
MNP_API mnp_status mnp_dstn(const mnp_array *x, int type, int naxes, const int64_t *s, const int *axes,
                            const char *norm, mnp_array **out_p);
MNP_API mnp_status mnp_idstn(const mnp_array *x, int type, int naxes, const int64_t *s, const int *axes,
                             const char *norm, mnp_array **out_p);

/*
 * scipy.fft.next_fast_len: the least number of points, `target` or more, that has small factors alone: 2, 3, 5, 7 and
 * 11, or with `real` 2, 3 and 5.  MNP_ERR_ARG if the target is negative or there is no such int64.  Not collective.
 */
MNP_API mnp_status mnp_next_fast_len(int64_t target, bool real, int64_t *length_p);

/*
 * scipy.fft.prev_fast_len: the greatest such number of points that is `target` or less.  MNP_ERR_ARG if the target is
 * below 1.  Not collective.
 */
MNP_API mnp_status mnp_prev_fast_len(int64_t target, bool real, int64_t *length_p);

/* numpy.fft.fftfreq and rfftfreq: the frequencies of n points, d apart, in float64.  MNP_ERR_ARG if n is below 1. */
MNP_API mnp_status mnp_fftfreq(mnp_ctx *ctx, int64_t n, double d, mnp_array **out_p);
MNP_API mnp_status mnp_rfftfreq(mnp_ctx *ctx, int64_t n, double d, mnp_array **out_p);

/* numpy.fft.fftshift and ifftshift: frequency 0 to the middle of `naxes` axes, and back; naxes 0: of all. */
MNP_API mnp_status mnp_fftshift(const mnp_array *x, int naxes, const int *axes, mnp_array **out_p);
MNP_API mnp_status mnp_ifftshift(const mnp_array *x, int naxes, const int *axes, mnp_array **out_p);

/* ---- plans ---- */

/* A transform that is planned once, to be executed many times on arrays of one layout. */
typedef struct mnp_fft_plan mnp_fft_plan;

/*
 * The result keeps the layout that it has after the last transform, which saves a move.  mnp_fft_plan_layout() tells
 * which layout this is.  A plan of the inverse from this layout back to the first one saves a move too.
 */
enum { MNP_FFT_PERMUTED = 1 };

/* On the host the fastest way is estimated, not measured: the plan is made at once, as for a plain call. */
enum { MNP_FFT_ESTIMATED = 2 };

/*
 * The ways over the ranks that there are, slabs or pencils, whole blocks or more or fewer pieces that move while
 * others are transformed, are timed too, which takes as long as fifteen transforms and memory for an input and an
 * output.  What is found is stored beside the cached kernels, and plans and plain calls of the same kind use it from
 * then on, in layouts like these, on as many ranks and nodes, with the same versions.  Not together with
 * MNP_FFT_ESTIMATED.
 */
enum { MNP_FFT_MEASURED = 4 };

/* Zeros, false and NULL, which designated initialisers leave, stand for fftn() of all axes. */
typedef struct mnp_fft_options {
    bool real;                /* rfftn(), or with `inverse` irfftn() */
    bool inverse;             /* ifftn() */
    int naxes;                /* as of mnp_fftn(), like the next two */
    const int *axes;          /* naxes entries */
    const int64_t *s;         /* naxes entries, or one for each dimension if naxes is 0 */
    const char *norm;         /* as above */
    const mnp_layout *layout; /* of new results; NULL: cut as the input is */
    unsigned flags;           /* MNP_FFT_PERMUTED, MNP_FFT_ESTIMATED or MNP_FFT_MEASURED, sums, or 0 */
} mnp_fft_options;

/*
 * Plan the transform of arrays of that dtype and layout; options NULL: zeros.  A plan works for all dtypes of the same
 * precision.  On the host FFTW measures which way is the fastest, for at most two seconds for each transform; what it
 * finds is stored beside the cached kernels, and plain calls use it too, but measure nothing.  MNP_ERR_ARG also for a
 * layout of results of another shape.
 */
MNP_API mnp_status mnp_fft_plan_new(mnp_ctx *ctx, mnp_dtype dtype, const mnp_layout *layout,
                                    const mnp_fft_options *options, mnp_fft_plan **plan_p);

/*
 * Execute a plan.  The memory to work in was taken when the plan was made, and is shared with the other plans of the
 * context; a plan has its own once it is part of a graph, or if few ranks do nearly all its work.  An execution
 * allocates only an output that is NULL, and copies of x and *out_p if these are views whose blocks are not dense in C
 * order, or share memory.  MNP_ERR_ARG if x has another layout or precision than the plan.
 */
MNP_API mnp_status mnp_fft_plan_execute(mnp_fft_plan *plan, const mnp_array *x, mnp_array **out_p);

/* How results are cut; the layout belongs to the plan.  Not collective. */
MNP_API const mnp_layout *mnp_fft_plan_layout(const mnp_fft_plan *plan);

/* What an execution does on this rank. */
typedef struct mnp_fft_plan_info {
    const char *method;    /* a phrase: "slabs", "pencils", "long axes in two parts" */
    int transforms, moves; /* how many steps are local transforms; how many are moves to another layout */
    int64_t workspace;     /* bytes of memory to work in, on the rank that needs most */
    int64_t scratch;       /* bytes that slabs and the device's library need beside it, on this rank */
    int64_t own_bytes, node_bytes, far_bytes; /* moved within the rank, to ranks of its node, to ranks of others */
    int messages;                             /* that it sends */
    int receivers;                            /* ranks that it sends to or writes to, counted for every move */
    int64_t buffers;    /* bytes that the plan keeps for what it sends and receives, on this rank */
    const char *choice; /* of the way over the ranks: "estimated", "measured", or "measured before" */
} mnp_fft_plan_info;

/* Neither is collective; print writes a few lines from rank 0, and nothing from other ranks. */
MNP_API void mnp_fft_plan_describe(const mnp_fft_plan *plan, mnp_fft_plan_info *info);
MNP_API void mnp_fft_plan_print(const mnp_fft_plan *plan, FILE *file);

/* Release a plan, when its last execution is done; NULL is accepted. */
MNP_API void mnp_fft_plan_free(mnp_fft_plan *plan);

#ifdef __cplusplus
}
#endif

#endif
