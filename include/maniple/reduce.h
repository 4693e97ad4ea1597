/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reductions, with NumPy's names and meaning: mnp_sum(x, MNP_ALL_AXES, &s), mnp_max(x, MNP_AXES(0, -1), &m),
 * mnp_mean(x, MNP_REDUCE(.count = 1, .axes = {1}, .keepdims = true), &m).
 *
 * A new result lies as the input does: the dimensions that are left are cut as they were, and ranks that differ along
 * what cut the others are replicas, equal bit for bit.  A result over all axes has no dimensions and stays on the
 * device.  An output that is given must have the result's shape, may have any layout and any type that the result can
 * be cast to under "same_kind", and may share memory with the input.
 *
 * Sums of float16 and bfloat16 are kept as float32 inside, those of float32 and complex64 as float64 and complex128:
 * they are at least as exact as NumPy's.  Their order depends on the layout, and on the device, but on nothing else.
 *
 * The reproducible mode: with MANIPLE_REPRODUCIBLE=1, or the option "reproducible=1" of mnp_init(), results have the
 * same bits on any number of ranks and threads, in any layout, for elements in any order, on the host as on GPUs.  That
 * holds for sums, means, variances, standard deviations, averages and their nan forms, for maxima and minima, of which
 * -0 is less than 0, for the cumulative sums of maniple/scan.h, and for all of these inside expressions.  It does not
 * hold for products of floats, nor for kernels of your own.
 *
 * Such a sum is the exact one, rounded once to nearest, if it is of float16, or if no element but 0 is smaller than the
 * largest by more than a factor of 2^25 (float32, bfloat16) or 2^46 (float64).  Else it is off by less than the number
 * of elements times the largest one times 2^-50 (float32) or 2^-100 (float64) before it is rounded.  Nothing overflows
 * on the way: 1e308 + 1e308 - 1e308 is 1e308.  A sum that is zero is +0; a NaN is the positive one, and nan+0j where it
 * is a complex maximum.  Averages sum products that were rounded to float64; variances sum squares of the differences
 * from the mean, for which elements are read twice.  (J. Demmel and H. D. Nguyen, Parallel Reproducible Summation,
 * 2015; kernels/reduction/binned.h has the definition, and why it knows of no order.)
 *
 * All of them are collective.  MNP_ERR_ARG, with the values, for an axis that is out of bounds or given twice, an
 * option or type that the function does not have, or a maximum of nothing; MNP_ERR_MEMORY, MNP_ERR_COMPILE,
 * MNP_ERR_DEVICE, MNP_ERR_COMM.
 */
#ifndef MANIPLE_REDUCE_H
#define MANIPLE_REDUCE_H

#include <stdbool.h>

#include <maniple/array.h>
#include <maniple/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Which axes are reduced, and how.  What is 0, false or NULL is as NumPy has it by default. */
typedef struct mnp_axes {
    int count;                /* how many axes; 0: all */
    int axes[MNP_MAX_DIMS];   /* negative ones count from the end */
    bool keepdims;            /* leave reduced axes in the result, with extent 1 */
    const char *dtype;        /* NULL, or NumPy's name of the type that elements are cast to: sums, products, means */
    const mnp_array *where;   /* NULL, or of bool, broadcast with the input: which elements are taken */
    const mnp_array *initial; /* NULL, or a number (MNP_SCALAR) to begin with: sums, products, maxima and minima */
    double ddof;              /* variances: what the number of elements is less by before it divides */
} mnp_axes;

/* For C: all of them; those; and any of the fields above. */
#define MNP_ALL_AXES ((const mnp_axes *)0)
#define MNP_AXIS(axis) MNP_AXES(axis)
#define MNP_AXES(...)                                                                                                  \
    (&(const mnp_axes){.count = (int)(sizeof((int[]){__VA_ARGS__}) / sizeof(int)), .axes = {__VA_ARGS__}})
#define MNP_REDUCE(...) (&(const mnp_axes){__VA_ARGS__})

/*
 * Sums and products: of bool and integers in int64 or uint64, wrapping around.  Those of nothing are 0 and 1.  The nan
 * forms take a NaN for 0 and 1.
 */
MNP_API mnp_status mnp_sum(const mnp_array *x, const mnp_axes *axes, mnp_array **out_p);
MNP_API mnp_status mnp_prod(const mnp_array *x, const mnp_axes *axes, mnp_array **out_p);
MNP_API mnp_status mnp_nansum(const mnp_array *x, const mnp_axes *axes, mnp_array **out_p);
MNP_API mnp_status mnp_nanprod(const mnp_array *x, const mnp_axes *axes, mnp_array **out_p);

/*
 * Means, variances and standard deviations: of bool and integers in float64; variances of complex numbers are real.
 * They take one pass over memory, but for variances of the reproducible mode.  Those of nothing are NaN.  The nan forms
 * leave NaN out.
 */
MNP_API mnp_status mnp_mean(const mnp_array *x, const mnp_axes *axes, mnp_array **out_p);
MNP_API mnp_status mnp_var(const mnp_array *x, const mnp_axes *axes, mnp_array **out_p);
MNP_API mnp_status mnp_std(const mnp_array *x, const mnp_axes *axes, mnp_array **out_p);
MNP_API mnp_status mnp_nanmean(const mnp_array *x, const mnp_axes *axes, mnp_array **out_p);
MNP_API mnp_status mnp_nanvar(const mnp_array *x, const mnp_axes *axes, mnp_array **out_p);
MNP_API mnp_status mnp_nanstd(const mnp_array *x, const mnp_axes *axes, mnp_array **out_p);

/*
 * numpy.average: the mean with weights, of x's shape or one for each index of the single axis that is given; NULL: the
 * mean.  Where the weights' sum is 0 the result is infinite or NaN, not an error.
 */
MNP_API mnp_status mnp_average(const mnp_array *x, const mnp_array *weights, const mnp_axes *axes, mnp_array **out_p);

/*
 * Maxima, minima and their difference.  A NaN wins; complex numbers are ordered by their real parts, then by the
 * imaginary ones.  The nan forms leave NaN out, unless there is nothing else.  With `where` there must be `initial`.
 */
MNP_API mnp_status mnp_max(const mnp_array *x, const mnp_axes *axes, mnp_array **out_p);
MNP_API mnp_status mnp_min(const mnp_array *x, const mnp_axes *axes, mnp_array **out_p);
MNP_API mnp_status mnp_amax(const mnp_array *x, const mnp_axes *axes, mnp_array **out_p);
MNP_API mnp_status mnp_amin(const mnp_array *x, const mnp_axes *axes, mnp_array **out_p);
MNP_API mnp_status mnp_ptp(const mnp_array *x, const mnp_axes *axes, mnp_array **out_p);
MNP_API mnp_status mnp_nanmax(const mnp_array *x, const mnp_axes *axes, mnp_array **out_p);
MNP_API mnp_status mnp_nanmin(const mnp_array *x, const mnp_axes *axes, mnp_array **out_p);

/*
 * Where the maximum or minimum is, or the first NaN: the lowest index along the axis, or, over all axes, in the order
 * of C; int64.  One axis or all.  The nan forms give -1 where all is NaN, and all of them where `where` leaves nothing.
 */
MNP_API mnp_status mnp_argmax(const mnp_array *x, const mnp_axes *axes, mnp_array **out_p);
MNP_API mnp_status mnp_argmin(const mnp_array *x, const mnp_axes *axes, mnp_array **out_p);
MNP_API mnp_status mnp_nanargmax(const mnp_array *x, const mnp_axes *axes, mnp_array **out_p);
MNP_API mnp_status mnp_nanargmin(const mnp_array *x, const mnp_axes *axes, mnp_array **out_p);

/* Whether all, or any, are not 0, bool; and how many, int64. */
MNP_API mnp_status mnp_all(const mnp_array *x, const mnp_axes *axes, mnp_array **out_p);
MNP_API mnp_status mnp_any(const mnp_array *x, const mnp_axes *axes, mnp_array **out_p);
MNP_API mnp_status mnp_count_nonzero(const mnp_array *x, const mnp_axes *axes, mnp_array **out_p);

/* ---- reductions of your own ---- */

typedef struct mnp_reduction mnp_reduction;

typedef struct mnp_reduction_options {
    const char *name; /* an identifier, for messages and the cache; NULL: "reduction" */
    const char *type; /* of a and b: a C++ type, perhaps of the preamble, or a letter; NULL: that of the first output */
    const char *preamble;      /* C++ in front of the kernel: functions, types, #include lines */
    const char *nvrtc_options; /* separated by spaces; the host's compiler gets the -D, -U and -I among them */
} mnp_reduction_options;

/*
 * Make a kernel that brings elements together, as cupy.ReductionKernel.  The mean square error of two arrays:
 *
 *   mnp_reduction_new(ctx, "T x, T y", "T z", "(x - y) * (x - y)", "a + b", "z = a / n", "0", NULL, &mse);
 *   mnp_reduction_call(mse, MNP_INPUTS(p, q), MNP_ALL_AXES, MNP_OUTPUTS(&error));
 *
 *   inputs, outputs   parameters, as those of mnp_elementwise_new(); none is raw
 *   map               a C++ expression of the inputs
 *   reduce            an expression of a and b, of values that were mapped or reduced.  It must not matter which of
 *                     them come together first
 *   post              NULL, or statements that assign the outputs, which know the reduced value as `a`, and `n`, the
 *                     number of elements, int64_t; NULL: the outputs are `a`
 *   identity          an expression: what reducing begins with, and gives for no elements
 *   options           NULL: none
 *
 * Multiplications and additions may be fused.  Compiles nothing yet.  Release with mnp_reduction_free().  Not
 * collective.  MNP_ERR_ARG for a parameter list that is wrong, with the position; MNP_ERR_UNSUPPORTED for a raw one;
 * MNP_ERR_MEMORY.
 */
MNP_API mnp_status mnp_reduction_new(mnp_ctx *ctx, const char *inputs, const char *outputs, const char *map,
                                     const char *reduce, const char *post, const char *identity,
                                     const mnp_reduction_options *options, mnp_reduction **reduction_p);

/*
 * Run it over those axes; of mnp_axes, `keepdims` and `where` count as well.  Inputs are broadcast and brought
 * together, and types found, as by mnp_elementwise_call().  Collective.  MNP_ERR_ARG, MNP_ERR_COMPILE with the
 * compiler's words and the line of the expression; MNP_ERR_MEMORY; MNP_ERR_DEVICE; MNP_ERR_COMM.
 */
MNP_API mnp_status mnp_reduction_call(mnp_reduction *reduction, int ninputs, const mnp_array *const *inputs,
                                      const mnp_axes *axes, int noutputs, mnp_array **const *outputs_p);

/* Release it; NULL is accepted.  Not collective. */
MNP_API void mnp_reduction_free(mnp_reduction *reduction);

#ifdef __cplusplus
}
#endif

#endif
