/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Convolution of distributed arrays, with the options of scipy.signal.
 */
#ifndef MANIPLE_SIGNAL_H
#define MANIPLE_SIGNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <maniple/array.h>
#include <maniple/base.h>
#include <maniple/dtype.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Which part of the convolution of extents N and K: all N+K-1 values, the middle N, or |N-K|+1 without borders. */
typedef enum mnp_conv_mode { MNP_CONV_FULL, MNP_CONV_SAME, MNP_CONV_VALID } mnp_conv_mode;

/* How the input a b c d continues beyond its borders, with the name of numpy.pad. */
typedef enum mnp_boundary {
    MNP_BOUNDARY_FILL,   /* v v | a b c d | v v   constant   */
    MNP_BOUNDARY_WRAP,   /* c d | a b c d | a b   wrap       */
    MNP_BOUNDARY_SYMM,   /* b a | a b c d | d c   symmetric  */
    MNP_BOUNDARY_MIRROR, /* c b | a b c d | c b   reflect    */
    MNP_BOUNDARY_NEAREST /* a a | a b c d | d d   edge       */
} mnp_boundary;

/*
 * How a convolution is computed.  With n the terms of a sum, eps the precision of the arithmetic, |k| the sum of the
 * kernel's absolute values and max|x| the largest of the input's, the error of every output is at most about
 *
 *   direct       n eps |k| max|x|, with the input's values that the sum takes; integers exactly
 *   separable    as direct, and 16 eps |k| max|x| more, as the kernel is replaced by a product of vectors, or by a sum
 *                of 2 to 8 such products: then n is the terms of all passes, and |k| up to twice as large; integers
 *                only where that is exact
 *   fft          of transforms of L elements each: 10 eps log2(L) ||k|| ||x||, in Euclidean norms, ||x|| of the window:
 *                small outputs beside large ones lose digits, and one element that is infinite or NaN spoils the window
 *   overlap-add  the same, for windows that are smaller; on GPUs two windows of real numbers, along one or two axes,
 *                are transformed as one of complex numbers, and share ||x|| and what spoils them
 *
 * Integer results of transforms are rounded, as scipy.signal.fftconvolve's are: exact as long as the bound, which is in
 * float64, is below a half.
 */
#define MNP_CONV_METHODS(X)                                                                                            \
    X(MNP_CONV_AUTO, "auto", "what a model of the time finds fastest; integers always exactly")                        \
    X(MNP_CONV_DIRECT, "direct", "sums of products")                                                                   \
    X(MNP_CONV_SEPARABLE, "separable", "passes of vectors along every axis: for sums of a few outer products")         \
    X(MNP_CONV_FFT, "fft", "Fourier transforms of the whole array, over all ranks")                                    \
    X(MNP_CONV_OVERLAP_ADD, "overlap-add", "Fourier transforms of blocks, which each rank does alone")                 \
    X(MNP_CONV_TRANSFORMS, "transforms", "the one of these two that the model finds faster")
#define MNP__CONV_METHOD(name, word, purpose) name,
typedef enum mnp_conv_method { MNP_CONV_METHODS(MNP__CONV_METHOD) MNP_NUM_CONV_METHODS } mnp_conv_method;
#undef MNP__CONV_METHOD

/* Zeros, which designated initialisers leave, are scipy.signal.convolve2d's defaults. */
typedef struct mnp_conv_options {
    mnp_conv_mode mode;
    mnp_boundary boundary;
    double fillvalue; /* v above, which the input's dtype must be able to hold */
    int naxes;        /* 0: the last dimensions of the input, as many as the kernel has */
    const int *axes;  /* the naxes dimensions of the input that the kernel's run along; negative counts from the end */
    /* of the result; MNP_DTYPE_AUTO: the input's if it is float or complex (complex if the kernel is), else float32 */
    mnp_dtype dtype;
    bool correlate; /* correlate, as scipy.signal.correlate: convolve with the reversed, complex conjugated kernel */
    mnp_conv_method method;
} mnp_conv_options;

typedef struct mnp_conv_plan mnp_conv_plan;

/*
 * Plan the convolution of arrays of that dtype and layout (1 to 4 dimensions) with `kernel`, which has at most as many
 * dimensions, any layout and no NaN, and is not needed afterwards:
 *
 *   y[o] = sum over k of kernel[k] * x[o + offset - k],  x extended by the boundary, offset by the mode
 *
 * as in scipy.signal.convolve2d, and in scipy.signal.convolve of the input padded by numpy.pad.  A correlation is
 *
 *   y[o] = sum over k of conj(kernel[k]) * x[o + offset - (K - 1) + k],  K the kernel's extent
 *
 * as in scipy.signal.correlate of that input; the offsets of the modes are the same.  Dimensions that the
 * kernel does not run along are batched.  Arithmetic is float32 for results of float32, float16 and bfloat16, float64
 * for float64, complex likewise; integer results are summed exactly modulo 2^64 if both operands are integers, else in
 * float64, rounded to the nearest integer and clipped to the type's range; a bool result is true where the sum is not
 * 0.  The result has the input's layout, or for modes full and valid the same mesh over the new shape.
 *
 * If the options name a method, it is used.  MNP_ERR_ARG if it cannot be used: separable for a kernel of which no few
 * outer products are known, or none that are exact where integers are summed, or of which there must be several for an
 * array of 4 dimensions or a fillvalue that is not 0; transforms for a bool result.  MNP_ERR_UNSUPPORTED for transforms
 * where FFTW is not installed.  Several outer products need memory for an intermediate result each; without it
 * MNP_CONV_AUTO takes another method.
 *
 * Collective.  MNP_ERR_ARG, MNP_ERR_MEMORY, MNP_ERR_COMPILE, MNP_ERR_UNSUPPORTED.
 */
MNP_API mnp_status mnp_conv_plan_new(mnp_ctx *ctx, mnp_dtype dtype, const mnp_layout *layout, const mnp_array *kernel,
                                     const mnp_conv_options *options, mnp_conv_plan **plan_p);

/*
 * Find which method a plan for arrays like x would use, for example which one MNP_CONV_AUTO chooses, without making the
 * plan.  Collective.  MNP_ERR_ARG and MNP_ERR_MEMORY as for mnp_conv_plan_new().
 */
MNP_API mnp_status mnp_choose_conv_method(const mnp_array *x, const mnp_array *kernel, const mnp_conv_options *options,
                                          mnp_conv_method *method_p);

/*
 * Convolve x, which is not *y_p.  The call allocates only an output that is NULL, and copies of x and *y_p where they
 * are views whose blocks are not dense in C order.  It does not wait where NCCL exchanges the borders.  Collective.
 * MNP_ERR_ARG if dtype or layout are not the plan's, MNP_ERR_DEVICE, MNP_ERR_COMM.
 */
MNP_API mnp_status mnp_conv_execute(mnp_conv_plan *plan, const mnp_array *x, mnp_array **y_p);

/* What a plan does. */
typedef struct mnp_conv_plan_info {
    mnp_conv_method method; /* never MNP_CONV_AUTO or MNP_CONV_TRANSFORMS */
    const char *name;       /* its name: "direct" */
    /*
     * of an execution by each method, by a model; negative: impossible, or for separable not the fastest in any case,
     * so that no products were looked for
     */
    double seconds[MNP_NUM_CONV_METHODS];
    int passes, rank;             /* of separable: the kernel is a sum of so many outer products */
    int64_t window[MNP_MAX_DIMS]; /* of transforms: the points along each dimension of the input; otherwise 1 */
} mnp_conv_plan_info;

/* Neither is collective; print writes a few lines from rank 0, and nothing from other ranks. */
MNP_API void mnp_conv_plan_describe(const mnp_conv_plan *plan, mnp_conv_plan_info *info);
MNP_API void mnp_conv_plan_print(const mnp_conv_plan *plan, FILE *file);

/* Release a plan; NULL is accepted.  Collective. */
MNP_API void mnp_conv_plan_free(mnp_conv_plan *plan);

/* Plan, convolve once and release the plan; options NULL: the defaults.  Waits.  Collective. */
MNP_API mnp_status mnp_convolve(const mnp_array *x, const mnp_array *kernel, const mnp_conv_options *options,
                                mnp_array **y_p);

#ifdef __cplusplus
}
#endif

#endif
