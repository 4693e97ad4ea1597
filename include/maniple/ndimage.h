/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Filters, morphology, labels and geometry of images of any number of dimensions, as in scipy.ndimage: its names, its
 * defaults, its results.
 *
 *   mnp_ndimage_median_filter(x, (int64_t[]){5, 5}, NULL, NULL, &y);
 *   const mnp_ndimage_options options = {.mode = MNP_NDIMAGE_WRAP};
 *   mnp_ndimage_gaussian_filter(x, (double[]){2, 2}, NULL, 0, NULL, &options, &y);
 *
 * Arrays may have any layout of blocks, 1 to 8 dimensions, and be views.  A window may reach over the blocks of any
 * number of ranks.  New results have the input's layout.  All functions of arrays are collective; they run on the
 * context's device, on GPUs where it is one.
 */
#ifndef MANIPLE_NDIMAGE_H
#define MANIPLE_NDIMAGE_H

#include <stdbool.h>
#include <stdint.h>

#include <maniple/array.h>
#include <maniple/base.h>
#include <maniple/dtype.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How the input a b c d goes on beyond its borders, with SciPy's name. */
typedef enum mnp_ndimage_mode {
    MNP_NDIMAGE_DEFAULT,  /* the default of the function: reflect for filters, constant for interpolation */
    MNP_NDIMAGE_REFLECT,  /* b a | a b c d | d c   reflect, grid-mirror */
    MNP_NDIMAGE_MIRROR,   /* c b | a b c d | c b   mirror */
    MNP_NDIMAGE_NEAREST,  /* a a | a b c d | d d   nearest */
    MNP_NDIMAGE_WRAP,     /* c d | a b c d | a b   wrap; for filters the same as grid-wrap */
    MNP_NDIMAGE_CONSTANT, /* v v | a b c d | v v   constant; for filters the same as grid-constant */
    MNP_NDIMAGE_GRID_WRAP,
    MNP_NDIMAGE_GRID_CONSTANT
} mnp_ndimage_mode;

/* Zeros, which designated initialisers leave, are SciPy's defaults. */
typedef struct mnp_ndimage_options {
    mnp_dtype dtype;               /* of the result; MNP_DTYPE_AUTO: the input's */
    mnp_ndimage_mode mode;         /* along all axes */
    const mnp_ndimage_mode *modes; /* NULL, or one for each axis instead of `mode` */
    double cval;                   /* v above; the input's dtype must be able to hold it */
    int naxes;                     /* 0: all dimensions */
    const int *axes;               /* the dimensions that are filtered; negative counts from the end */
    const int64_t *origins;        /* NULL: zeros; the shift of the window along each axis, as SciPy's origin */
} mnp_ndimage_options;

/* ---- filters of order ---- */

/*
 * The smallest, the largest, the middle value of a window, the value of a rank (from 0 on; negative counts from the
 * largest), or of a percentile (0 to 100, or -100 to 0, which counts from 100), for real inputs.
 *
 *   size       extent of the window along each of the axes
 *   footprint  NULL, or which elements of the window count, in C order: as many values as the window has elements
 *   options    NULL: the defaults
 *
 * Element o takes the window that begins at o - size / 2 - origin.  A new result has the dtype that the options name or
 * the input's; values are converted to it as mnp_astype() does.  In windows with a NaN the result of the first two
 * functions is one of the window's values; the other functions treat NaN as the largest value.  SciPy specifies
 * neither.
 *
 * Collective.  MNP_ERR_ARG for complex inputs, a size below 1, an origin that puts an element outside its own window, a
 * footprint without elements, a rank outside it, axes that are wrong, or a cval that the input's dtype cannot hold.
 */
MNP_API mnp_status mnp_ndimage_minimum_filter(const mnp_array *x, const int64_t *size, const bool *footprint,
                                              const mnp_ndimage_options *options, mnp_array **y_p);
MNP_API mnp_status mnp_ndimage_maximum_filter(const mnp_array *x, const int64_t *size, const bool *footprint,
                                              const mnp_ndimage_options *options, mnp_array **y_p);
MNP_API mnp_status mnp_ndimage_median_filter(const mnp_array *x, const int64_t *size, const bool *footprint,
                                             const mnp_ndimage_options *options, mnp_array **y_p);
MNP_API mnp_status mnp_ndimage_rank_filter(const mnp_array *x, int64_t rank, const int64_t *size, const bool *footprint,
                                           const mnp_ndimage_options *options, mnp_array **y_p);
MNP_API mnp_status mnp_ndimage_percentile_filter(const mnp_array *x, double percentile, const int64_t *size,
                                                 const bool *footprint, const mnp_ndimage_options *options,
                                                 mnp_array **y_p);

/* ---- linear filters ---- */

/*
 * Filters that are weighted sums.  Sums are in float32 where input and result are floats of at most four bytes, else in
 * float64; results that are integers lose the fraction, and are clipped to the type's range (SciPy wraps around).
 * Every pass of a filter that goes along one axis after another is stored in the result's dtype, as SciPy does.
 * Complex inputs are taken, and have complex results; cval is then real.  A sum of more than 64 elements, or of complex
 * numbers, takes arrays of 1 to 4 dimensions.
 *
 * correlate1d, convolve1d: `count` weights along `axis`; the origin is the options' first.
 */
MNP_API mnp_status mnp_ndimage_correlate1d(const mnp_array *x, int64_t count, const double *weights, int axis,
                                           const mnp_ndimage_options *options, mnp_array **y_p);
MNP_API mnp_status mnp_ndimage_convolve1d(const mnp_array *x, int64_t count, const double *weights, int axis,
                                          const mnp_ndimage_options *options, mnp_array **y_p);

/*
 * Weights in C order, of that shape, along the axes.  Elements with a weight of 0 do not count, even if they are NaN.
 * More than 64 weights that are not 0, and complex inputs, go through mnp_convolve(); they need the same mode along all
 * axes.
 */
MNP_API mnp_status mnp_ndimage_correlate(const mnp_array *x, const int64_t *shape, const double *weights,
                                         const mnp_ndimage_options *options, mnp_array **y_p);
MNP_API mnp_status mnp_ndimage_convolve(const mnp_array *x, const int64_t *shape, const double *weights,
                                        const mnp_ndimage_options *options, mnp_array **y_p);

/* The mean of a window; size NULL: 3 along each axis. */
MNP_API mnp_status mnp_ndimage_uniform_filter(const mnp_array *x, const int64_t *size,
                                              const mnp_ndimage_options *options, mnp_array **y_p);
MNP_API mnp_status mnp_ndimage_uniform_filter1d(const mnp_array *x, int64_t size, int axis,
                                                const mnp_ndimage_options *options, mnp_array **y_p);

/*
 * Gaussians and their derivatives.
 *
 *   sigma     the standard deviation along each of the axes; axes whose sigma is 0 are left alone
 *   order     the derivative along each axis, 0 to 100; NULL: 0
 *   truncate  the filter ends at so many standard deviations; 0: 4
 *   radius    where it ends along each axis instead, in elements; NULL: by truncate
 */
MNP_API mnp_status mnp_ndimage_gaussian_filter(const mnp_array *x, const double *sigma, const int *order,
                                               double truncate, const int64_t *radius,
                                               const mnp_ndimage_options *options, mnp_array **y_p);
MNP_API mnp_status mnp_ndimage_gaussian_filter1d(const mnp_array *x, double sigma, int axis, int order, double truncate,
                                                 const int64_t *radius, const mnp_ndimage_options *options,
                                                 mnp_array **y_p);

/* Differences along an axis, smoothed along the other axes of the options. */
MNP_API mnp_status mnp_ndimage_prewitt(const mnp_array *x, int axis, const mnp_ndimage_options *options,
                                       mnp_array **y_p);
MNP_API mnp_status mnp_ndimage_sobel(const mnp_array *x, int axis, const mnp_ndimage_options *options, mnp_array **y_p);

/* The sum of second derivatives, and the root of the sum of squares of first ones, by differences or Gaussians. */
MNP_API mnp_status mnp_ndimage_laplace(const mnp_array *x, const mnp_ndimage_options *options, mnp_array **y_p);
MNP_API mnp_status mnp_ndimage_gaussian_laplace(const mnp_array *x, const double *sigma, double truncate,
                                                const int64_t *radius, const mnp_ndimage_options *options,
                                                mnp_array **y_p);
MNP_API mnp_status mnp_ndimage_gaussian_gradient_magnitude(const mnp_array *x, const double *sigma, double truncate,
                                                           const int64_t *radius, const mnp_ndimage_options *options,
                                                           mnp_array **y_p);

#ifdef __cplusplus
}
#endif

#endif
