/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reductions, with NumPy's names and meaning: mnp_sum(x, MNP_ALL_AXES, &s), mnp_max(x, MNP_AXES(0, -1), &m),
 * mnp_mean(x, MNP_REDUCE(.count = 1, .axes = {1}, .keepdims = true), &m).
 *
 * A new result is cut as the input is along the dimensions that remain, and stored in their order (NumPy's "K").  If a
 * reduced dimension was cut, the ranks that shared it have replicas of the result, which are equal bit for bit.  A
 * result over all axes has no dimensions; it stays on the device.  Outputs are as in maniple/array.h and may share
 * memory with the input.
 *
 * Sums of float16 and bfloat16 are accumulated in float32, those of float32 and complex64 in float64 and complex128:
 * they are at least as exact as NumPy's.  The order of additions depends on the layout and the device, but on nothing
 * else.
 *
 * The reproducible mode (MANIPLE_REPRODUCIBLE=1, or the option "reproducible=1" of mnp_init()): results have the same
 * bits on any number of ranks and threads, in any layout, for elements in any order, on the host as on GPUs.  This
 * holds for sums, means, variances, standard deviations, averages and their nan forms; for maxima and minima, where -0
 * is less than 0; for the cumulative sums of maniple/scan.h; and for all of these inside expressions.  It does not hold
 * for products of floats, nor for kernels of your own.
 *
 * How exact a sum is in this mode, before it is rounded to its type:
 *
 *   float16             exact
 *   bfloat16, float32   exact if no element but 0 is smaller than the largest by more than a factor of 2^25; otherwise
 *                       the error is less than (number of elements) * (largest element) * 2^-50
 *   float64             the same with 2^46 and 2^-100
 *
 * It is rounded once, to the nearest.  Intermediate sums do not overflow: 1e308 + 1e308 - 1e308 is 1e308.  A sum that
 * is zero is +0.  A NaN is the positive one, and nan+0j if it is a complex maximum.  Averages sum products that are
 * rounded to float64.  Variances sum squares of the differences from the mean, so they read the elements twice.  (J.
 * Demmel and H. D. Nguyen, Parallel Reproducible Summation, 2015. kernels/reduction/binned.h has the definition, and
 * explains why it does not depend on the order.)
 *
 * MNP_ERR_ARG, with the values, for an axis that is out of bounds or given twice, an option or type that the function
 * does not have, or a maximum or minimum without elements; MNP_ERR_MEMORY, MNP_ERR_COMPILE, MNP_ERR_DEVICE,
 * MNP_ERR_COMM.  All functions are collective, except those that make and free a reduction of your own.
 */
#ifndef MANIPLE_REDUCE_H
#define MANIPLE_REDUCE_H

#include <stdbool.h>
#include <stddef.h>

#include <maniple/array.h>
#include <maniple/base.h>
#include <maniple/lists.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * For mnp_axes.count: NumPy's axis=(), with which every element is reduced by itself, and the result has the shape of
 * x: its type is that of the function, and `where` and `initial` count.
 */
#define MNP_NO_AXES (-1)

/* Which axes are reduced, and how. 0, false and NULL are NumPy's defaults. */
typedef struct mnp_axes {
    int count MNP_DEFAULT(0);               /* how many axes; 0: all; MNP_NO_AXES: none */
    int axes[MNP_MAX_DIMS] MNP_DEFAULT({}); /* negative ones count from the end */
    bool keepdims MNP_DEFAULT(false);       /* leave reduced axes in the result, with extent 1 */
    /* NULL, or NumPy's name of the type to which elements are cast: sums, products, means */
    const char *dtype MNP_DEFAULT(NULL);
    /* NULL, or bools, broadcast to the input's shape: which elements are used */
    const mnp_array *where MNP_DEFAULT(NULL);
    /* NULL, or a number (MNP_SCALAR) to start from: sums, products, maxima and minima */
    const mnp_array *initial MNP_DEFAULT(NULL);
    double ddof MNP_DEFAULT(0); /* variances: the divisor is the number of elements minus ddof */
} mnp_axes;

/*
 * All axes; the listed axes; and any of the fields above, in their order, as in MNP_REDUCE(.count = 1, .axes = {-1},
 * .keepdims = true), for which C++ has to be C++20.
 */
#define MNP_ALL_AXES ((const mnp_axes *)0)
#define MNP_AXIS(axis) MNP_AXES(axis)
#ifndef __cplusplus
#define MNP_AXES(...)                                                                                                  \
    (&(const mnp_axes){.count = (int)(sizeof((int[]){__VA_ARGS__}) / sizeof(int)), .axes = {__VA_ARGS__}})
#define MNP_REDUCE(...) (&(const mnp_axes){__VA_ARGS__})
#endif

/*
 * Sums and products.  The results for bool and integers are int64 or uint64, and wrap around.  Without elements a sum
 * is 0 and a product 1.  The nan forms count a NaN as 0 in sums, as 1 in products.
 */
MNP_API mnp_status mnp_sum(const mnp_array *x, const mnp_axes *axes, mnp_array **out_p);
MNP_API mnp_status mnp_prod(const mnp_array *x, const mnp_axes *axes, mnp_array **out_p);
MNP_API mnp_status mnp_nansum(const mnp_array *x, const mnp_axes *axes, mnp_array **out_p);
MNP_API mnp_status mnp_nanprod(const mnp_array *x, const mnp_axes *axes, mnp_array **out_p);

/*
 * Means, variances and standard deviations.  The results for bool and integers are float64; variances of complex
 * numbers are real.  The elements are read once, except for variances in the reproducible mode.  Without elements the
 * results are NaN.  The nan forms ignore NaN.
 */
MNP_API mnp_status mnp_mean(const mnp_array *x, const mnp_axes *axes, mnp_array **out_p);
MNP_API mnp_status mnp_var(const mnp_array *x, const mnp_axes *axes, mnp_array **out_p);
MNP_API mnp_status mnp_std(const mnp_array *x, const mnp_axes *axes, mnp_array **out_p);
MNP_API mnp_status mnp_nanmean(const mnp_array *x, const mnp_axes *axes, mnp_array **out_p);
MNP_API mnp_status mnp_nanvar(const mnp_array *x, const mnp_axes *axes, mnp_array **out_p);
MNP_API mnp_status mnp_nanstd(const mnp_array *x, const mnp_axes *axes, mnp_array **out_p);

/*
 * numpy.average: the weighted mean.  `weights` has x's shape, or one weight for each index of the single axis in
 * `axes`; NULL: the plain mean.  If the weights' sum is 0, the result is infinite or NaN, and there is no error.
 */
MNP_API mnp_status mnp_average(const mnp_array *x, const mnp_array *weights, const mnp_axes *axes, mnp_array **out_p);

/*
 * Maxima, minima and their difference (ptp).  If any element is NaN, the result is NaN; complex numbers are ordered by
 * their real parts, then by their imaginary parts.  The nan forms ignore NaN unless all elements are NaN.  `where`
 * requires `initial`.
 */
MNP_API mnp_status mnp_max(const mnp_array *x, const mnp_axes *axes, mnp_array **out_p);
MNP_API mnp_status mnp_min(const mnp_array *x, const mnp_axes *axes, mnp_array **out_p);
MNP_API mnp_status mnp_amax(const mnp_array *x, const mnp_axes *axes, mnp_array **out_p);
MNP_API mnp_status mnp_amin(const mnp_array *x, const mnp_axes *axes, mnp_array **out_p);
MNP_API mnp_status mnp_ptp(const mnp_array *x, const mnp_axes *axes, mnp_array **out_p);
MNP_API mnp_status mnp_nanmax(const mnp_array *x, const mnp_axes *axes, mnp_array **out_p);
MNP_API mnp_status mnp_nanmin(const mnp_array *x, const mnp_axes *axes, mnp_array **out_p);

/*
 * The index of the maximum or minimum, or of the first NaN, int64: the lowest such index along one axis, or, over all
 * axes, the lowest in C order.  `axes` is one axis or all.  The nan forms give -1 if all elements are NaN; all four
 * give -1 if `where` selects no element.
 */
MNP_API mnp_status mnp_argmax(const mnp_array *x, const mnp_axes *axes, mnp_array **out_p);
MNP_API mnp_status mnp_argmin(const mnp_array *x, const mnp_axes *axes, mnp_array **out_p);
MNP_API mnp_status mnp_nanargmax(const mnp_array *x, const mnp_axes *axes, mnp_array **out_p);
MNP_API mnp_status mnp_nanargmin(const mnp_array *x, const mnp_axes *axes, mnp_array **out_p);

/* Whether all elements, or any, are not 0 (bool), and how many are not (int64). */
MNP_API mnp_status mnp_all(const mnp_array *x, const mnp_axes *axes, mnp_array **out_p);
MNP_API mnp_status mnp_any(const mnp_array *x, const mnp_axes *axes, mnp_array **out_p);
MNP_API mnp_status mnp_count_nonzero(const mnp_array *x, const mnp_axes *axes, mnp_array **out_p);

/*
 * numpy.linalg.norm.  `ord` is a text: NULL (the root of the sum of squares), a number such as "1" or "2.5", "inf",
 * "-inf", or "fro".  Along one axis it is the norm of vectors: "inf" is the largest absolute value, "0" counts what is
 * not 0, and "p" is sum(abs(x)**p)**(1/p).  Along two axes, of which the first has the index of the rows, it is that of
 * matrices: NULL and "fro" are Frobenius' norm, "1" and "-1" the largest and the smallest sum of a column's absolute
 * values, "inf" and "-inf" those of rows.  With all axes, x has one or two dimensions, or any number if ord is NULL.
 * The orders 2, -2 and "nuc" of matrices are MNP_ERR_UNSUPPORTED here; mnp_matrix_norm() has them.  `keepdims` is the
 * only option that is used.  Norms of floats have their type, norms of complex numbers the type of their parts, all
 * others float64; sums are computed in float64.  A block-cyclic x is brought to blocks first.
 */
MNP_API mnp_status mnp_norm(const mnp_array *x, const char *ord, const mnp_axes *axes, mnp_array **out_p);

/*
 * numpy.allclose: whether |x - y| <= atol + rtol |y| for all elements, or they are equal infinities; NumPy's defaults
 * are 1e-5 and 1e-8.  With `equal_nan` two NaN are close too.  The arrays are broadcast; y may be a number
 * (MNP_SCALAR).  numpy.array_equal: whether shapes and elements are equal; if the shapes differ, the answer is false.
 * Block-cyclic arrays are brought to blocks first.  The answer is the same on all ranks.  Both wait for it; MNP_ERR_ARG
 * if allclose's shapes do not broadcast.
 */
MNP_API mnp_status mnp_allclose(const mnp_array *x, const mnp_array *y, double rtol, double atol, bool equal_nan,
                                bool *close_p);
MNP_API mnp_status mnp_array_equal(const mnp_array *x, const mnp_array *y, bool equal_nan, bool *equal_p);

/* ---- reductions of your own ---- */

typedef struct mnp_reduction mnp_reduction;

typedef struct mnp_reduction_options {
    const char *name;          /* an identifier, for messages and the cache; NULL: "reduction" */
    const char *type;          /* of a and b: a C++ type or a letter; NULL: that of the first output */
    const char *preamble;      /* C++ before the kernel: functions, types, #include lines */
    const char *nvrtc_options; /* separated by spaces; of these, the host's compiler gets -D, -U and -I */
} mnp_reduction_options;

/*
 * Make a reduction of your own, as cupy.ReductionKernel.  The mean square error of two arrays:
 *
 *   mnp_reduction_new(ctx, "T x, T y", "T z", "(x - y) * (x - y)", "a + b", "z = a / n", "0", NULL, &mse);
 *   mnp_reduction_call(mse, MNP_INPUTS(p, q), MNP_ALL_AXES, MNP_OUTPUTS(&error));
 *
 *   inputs, outputs   parameters, as those of mnp_elementwise_new(); none is raw
 *   map               a C++ expression of the inputs
 *   reduce            an expression of a and b, which are mapped or reduced values.  The operation must be associative
 *                     and commutative
 *   post              statements that assign the outputs.  They use the reduced value as `a`, and the number of
 *                     elements, an int64_t, as `n`.  NULL: the outputs are `a`
 *   identity          an expression: the value that a reduction starts from, and its result without elements
 *   options           NULL: the defaults
 *
 * Multiplications and additions may be fused.  Nothing is compiled yet.  Release with mnp_reduction_free().
 * MNP_ERR_ARG for a parameter list that is wrong, with the position; MNP_ERR_UNSUPPORTED for a raw parameter;
 * MNP_ERR_MEMORY.  Not collective.
 */
MNP_API mnp_status mnp_reduction_new(mnp_ctx *ctx, const char *inputs, const char *outputs, const char *map,
                                     const char *reduce, const char *post, const char *identity,
                                     const mnp_reduction_options *options, mnp_reduction **reduction_p);

/*
 * Run a reduction over `axes`; of the options in mnp_axes, `keepdims` and `where` are used.  Inputs are broadcast and
 * may have any layouts, and types are found, as by mnp_elementwise_call().  MNP_ERR_ARG; MNP_ERR_COMPILE with the
 * compiler's message and the line of the expression; MNP_ERR_MEMORY, MNP_ERR_DEVICE, MNP_ERR_COMM.  Collective.
 */
MNP_API mnp_status mnp_reduction_call(mnp_reduction *reduction, int ninputs, const mnp_array *const *inputs,
                                      const mnp_axes *axes, int noutputs, mnp_array **const *outputs_p);

/* Release a reduction; NULL is accepted.  Not collective. */
MNP_API void mnp_reduction_free(mnp_reduction *reduction);

#ifdef __cplusplus
} /* extern "C" */

#define MNP_AXES(...) mnp_axes_of({__VA_ARGS__})
#define MNP_REDUCE(...)                                                                                                \
    mnp_axes_argument                                                                                                  \
    {                                                                                                                  \
        mnp_axes                                                                                                       \
        {                                                                                                              \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }

/* Axes that live until the end of the statement. */
struct mnp_axes_argument {
    mnp_axes axes;
    operator const mnp_axes *() const
    {
        return &axes;
    }
};

inline mnp_axes_argument mnp_axes_of(std::initializer_list<int> list)
{
    mnp_axes_argument argument = {};
    for (int axis : list) {
        if (argument.axes.count < MNP_MAX_DIMS)
            argument.axes.axes[argument.axes.count] = axis;
        argument.axes.count++; /* more than there can be are refused by the function */
    }
    return argument;
}
#endif

#endif
