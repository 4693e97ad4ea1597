/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Filters, morphology, labels and measurements of images of any number of dimensions, as in scipy.ndimage: its names,
 * its defaults, its results.
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

/* How the input a b c d continues beyond its borders, with SciPy's name. */
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
 * float64; results that are integers lose the fraction, and are clipped to the type's range (SciPy wraps around); bools
 * are true where what is left of the sum is not 0.
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

/*
 * The sum of second derivatives, and the root of the sum of squares of first ones, by differences or Gaussians.  Of the
 * options' modes a derivative of Gaussians has that of its axis along all axes.
 */
MNP_API mnp_status mnp_ndimage_laplace(const mnp_array *x, const mnp_ndimage_options *options, mnp_array **y_p);
MNP_API mnp_status mnp_ndimage_gaussian_laplace(const mnp_array *x, const double *sigma, double truncate,
                                                const int64_t *radius, const mnp_ndimage_options *options,
                                                mnp_array **y_p);
MNP_API mnp_status mnp_ndimage_gaussian_gradient_magnitude(const mnp_array *x, const double *sigma, double truncate,
                                                           const int64_t *radius, const mnp_ndimage_options *options,
                                                           mnp_array **y_p);

/* ---- grey morphology ---- */

/*
 * Erosions, dilations and what is made of them, for real inputs.
 *
 *   size       extent of the window along each of the axes
 *   footprint  NULL, or which elements of the window count, in C order
 *   structure  NULL, or what an erosion subtracts from, and a dilation adds to the elements of the window, in C order;
 *              values are then compared in float64
 *
 * A dilation takes footprint and structure reversed, as SciPy does.  Steps between two filters have the input's dtype.
 */
MNP_API mnp_status mnp_ndimage_grey_erosion(const mnp_array *x, const int64_t *size, const bool *footprint,
                                            const double *structure, const mnp_ndimage_options *options,
                                            mnp_array **y_p);
MNP_API mnp_status mnp_ndimage_grey_dilation(const mnp_array *x, const int64_t *size, const bool *footprint,
                                             const double *structure, const mnp_ndimage_options *options,
                                             mnp_array **y_p);
MNP_API mnp_status mnp_ndimage_grey_opening(const mnp_array *x, const int64_t *size, const bool *footprint,
                                            const double *structure, const mnp_ndimage_options *options,
                                            mnp_array **y_p);
MNP_API mnp_status mnp_ndimage_grey_closing(const mnp_array *x, const int64_t *size, const bool *footprint,
                                            const double *structure, const mnp_ndimage_options *options,
                                            mnp_array **y_p);
MNP_API mnp_status mnp_ndimage_morphological_gradient(const mnp_array *x, const int64_t *size, const bool *footprint,
                                                      const double *structure, const mnp_ndimage_options *options,
                                                      mnp_array **y_p);
MNP_API mnp_status mnp_ndimage_morphological_laplace(const mnp_array *x, const int64_t *size, const bool *footprint,
                                                     const double *structure, const mnp_ndimage_options *options,
                                                     mnp_array **y_p);
MNP_API mnp_status mnp_ndimage_white_tophat(const mnp_array *x, const int64_t *size, const bool *footprint,
                                            const double *structure, const mnp_ndimage_options *options,
                                            mnp_array **y_p);
MNP_API mnp_status mnp_ndimage_black_tophat(const mnp_array *x, const int64_t *size, const bool *footprint,
                                            const double *structure, const mnp_ndimage_options *options,
                                            mnp_array **y_p);

/* ---- binary morphology ---- */

/* A structure of 3^rank elements: those that are at most `connectivity` steps from the middle.  Not collective. */
MNP_API mnp_status mnp_ndimage_generate_binary_structure(int rank, int connectivity, bool *structure);

/*
 * Morphology of the set of elements that are not 0; results are bools.
 *
 *   shape         extents of the structure, one for each dimension; NULL without a structure
 *   structure     in C order; NULL: mnp_ndimage_generate_binary_structure(ndim, 1)
 *   iterations    how often; fewer than 1: until nothing changes, which may never be where the window of an element
 *                 leaves out the element itself
 *   mask          NULL, or an array of x's shape: elements where it is 0 stay as they are
 *   border_value  what is beyond the borders
 *   origins       NULL: zeros; for each dimension
 *
 * binary_propagation is a dilation until nothing changes.  binary_hit_or_miss is true where structure1 covers only
 * elements that are not 0, and structure2 only elements that are 0; by default structure2 is the complement of
 * structure1.
 */
MNP_API mnp_status mnp_ndimage_binary_erosion(const mnp_array *x, const int64_t *shape, const bool *structure,
                                              int64_t iterations, const mnp_array *mask, bool border_value,
                                              const int64_t *origins, mnp_array **y_p);
MNP_API mnp_status mnp_ndimage_binary_dilation(const mnp_array *x, const int64_t *shape, const bool *structure,
                                               int64_t iterations, const mnp_array *mask, bool border_value,
                                               const int64_t *origins, mnp_array **y_p);
MNP_API mnp_status mnp_ndimage_binary_opening(const mnp_array *x, const int64_t *shape, const bool *structure,
                                              int64_t iterations, const mnp_array *mask, bool border_value,
                                              const int64_t *origins, mnp_array **y_p);
MNP_API mnp_status mnp_ndimage_binary_closing(const mnp_array *x, const int64_t *shape, const bool *structure,
                                              int64_t iterations, const mnp_array *mask, bool border_value,
                                              const int64_t *origins, mnp_array **y_p);
MNP_API mnp_status mnp_ndimage_binary_propagation(const mnp_array *x, const int64_t *shape, const bool *structure,
                                                  const mnp_array *mask, bool border_value, const int64_t *origins,
                                                  mnp_array **y_p);
MNP_API mnp_status mnp_ndimage_binary_fill_holes(const mnp_array *x, const int64_t *shape, const bool *structure,
                                                 const int64_t *origins, mnp_array **y_p);
MNP_API mnp_status mnp_ndimage_binary_hit_or_miss(const mnp_array *x, const int64_t *shape1, const bool *structure1,
                                                  const int64_t *shape2, const bool *structure2,
                                                  const int64_t *origins1, const int64_t *origins2, mnp_array **y_p);

/* ---- interpolation ---- */

/*
 * Values between the elements of an image, by B-splines.
 *
 *   order      of the splines, 0 to 5; SciPy's default is 3
 *   prefilter  orders above 1: find the coefficients of the splines first, which SciPy does by default; false: x has
 *              them already, from spline_filter
 *   options    dtype, mode (by default constant), cval, which is real; and axes: the dimensions that are transformed,
 *              each image of the other dimensions by itself.  NULL: the defaults
 *
 * Coefficients are float64 or complex128, and so are sums; results that are integers are rounded, halves away from
 * zero, and clipped to the type's range.  Complex inputs have complex results.  New results have the input's layout, or
 * are cut by the same mesh.  Where an axis is cut, coefficients along it are found in a layout that cuts others, so
 * that those of a vector are found on one rank.  Each rank then gets the part of the coefficients that its part of the
 * result needs.
 *
 * Collective.  MNP_ERR_ARG for an order outside 0 to 5, modes for single axes, and values out of range.
 */

/*
 * Coefficients of splines along an axis, or along all; mode: MNP_NDIMAGE_DEFAULT is mirror.  An element that is NaN or
 * infinite spoils those of at most some hundreds of elements around it along an axis, and in SciPy of its whole line.
 */
MNP_API mnp_status mnp_ndimage_spline_filter1d(const mnp_array *x, int order, int axis, mnp_ndimage_mode mode,
                                               mnp_array **y_p);
MNP_API mnp_status mnp_ndimage_spline_filter(const mnp_array *x, int order, mnp_ndimage_mode mode, mnp_array **y_p);

/*
 * The input at coordinates: an array with one row, along its first dimension, for each dimension of x.  The result has
 * the other dimensions of the coordinates, and is cut as they are.  Every rank gets all coefficients.
 */
MNP_API mnp_status mnp_ndimage_map_coordinates(const mnp_array *x, const mnp_array *coordinates, int order,
                                               bool prefilter, const mnp_ndimage_options *options, mnp_array **y_p);

/*
 * y[o] is x at matrix o + offset.
 *
 *   matrix        a row for each axis, in C order;  offset: one for each axis, or NULL: zeros
 *   output_shape  the result's extents along the axes; NULL: those of x
 */
MNP_API mnp_status mnp_ndimage_affine_transform(const mnp_array *x, const double *matrix, const double *offset,
                                                const int64_t *output_shape, int order, bool prefilter,
                                                const mnp_ndimage_options *options, mnp_array **y_p);

/* y[o] is x at o - shift, with a shift for each axis. */
MNP_API mnp_status mnp_ndimage_shift(const mnp_array *x, const double *shift, int order, bool prefilter,
                                     const mnp_ndimage_options *options, mnp_array **y_p);

/*
 * Each axis has n zoom elements afterwards, rounded, halves to even.  The first and the last elements stay where they
 * are, or with grid_mode the borders of the first and of the last element.
 */
MNP_API mnp_status mnp_ndimage_zoom(const mnp_array *x, const double *zoom, bool grid_mode, int order, bool prefilter,
                                    const mnp_ndimage_options *options, mnp_array **y_p);

/*
 * Rotate by an angle in degrees in the plane of two axes, whose order does not matter; NULL: 0 and 1.  With `reshape`
 * the result is so large that it holds all of the input.  The options' axes are not looked at.
 */
MNP_API mnp_status mnp_ndimage_rotate(const mnp_array *x, double angle, const int *axes, bool reshape, int order,
                                      bool prefilter, const mnp_ndimage_options *options, mnp_array **y_p);

/* ---- distances ---- */

/*
 * The distance of every element that is not 0 to the nearest one that is 0, for real inputs.
 *
 *   distances_p  NULL: they are not wanted
 *   indices_p    NULL, or receives which element that is: int32 of shape (ndim, *shape); of several any one
 *
 * distance_transform_edt: exact Euclidean distances, float64; sampling: NULL, or the distance of neighbours along each
 * axis.  distance_transform_cdt: metric "chessboard", which NULL is, "taxicab", "cityblock" or "manhattan"; int32.
 * distance_transform_bf: the same by another search in SciPy; metric "euclidean", which NULL is, float64, or one of the
 * others, uint32, which take no sampling.
 *
 * Where there is no element that is 0, Euclidean distances are infinite, others -1 or the largest uint32, and indices
 * -1 (SciPy has Euclidean distances to the indices -1).  Time is proportional to the number of elements, along one axis
 * after the other, each in a layout that does not cut it (A. Meijster, J. Roerdink and W. Hesselink, 2000).
 *
 * Collective.  MNP_ERR_ARG for complex inputs, axes of 2^31 elements, a sampling that is not above 0, and other
 * metrics.
 */
MNP_API mnp_status mnp_ndimage_distance_transform_edt(const mnp_array *x, const double *sampling,
                                                      mnp_array **distances_p, mnp_array **indices_p);
MNP_API mnp_status mnp_ndimage_distance_transform_cdt(const mnp_array *x, const char *metric, mnp_array **distances_p,
                                                      mnp_array **indices_p);
MNP_API mnp_status mnp_ndimage_distance_transform_bf(const mnp_array *x, const char *metric, const double *sampling,
                                                     mnp_array **distances_p, mnp_array **indices_p);

/* ---- labels ---- */

/*
 * Number the connected parts of the elements that are not 0, from 1 on, in the order of their first elements in C
 * order; elements that are 0 get the label 0.
 *
 *   structure  3^ndim bools in C order that say which neighbours are connected; symmetric about its middle.  NULL:
 *              mnp_ndimage_generate_binary_structure(ndim, 1)
 *   labels_p   int32, or the dtype of the given array; of x's layout
 *   count_p    how many there are
 *
 * A part that reaches over several ranks has one number.  Every rank joins its own elements by a union-find (D. P.
 * Playne and K. Hawick, 2018); ranks then tell each other which parts touch at their borders, and every rank joins
 * these on its CPU.  Waits.  MNP_ERR_ARG for a structure that is not symmetric, and for complex inputs.  Collective.
 */
MNP_API mnp_status mnp_ndimage_label(const mnp_array *x, const bool *structure, mnp_array **labels_p, int64_t *count_p);

/*
 * Basins that are flooded from markers, by the image foresting transform (A. X. Falcao, J. Stolfi and R. de Alencar
 * Lotufo, 2004): an element gets the label of the marker from which a path leads to it whose largest step in value is
 * least.
 *
 *   x          uint8 or uint16
 *   markers    signed integers of x's shape: 0 where there is none; those below 0 are of the background, and come last
 *   structure  3^ndim bools in C order that say which neighbours are reached.  NULL:
 *              mnp_ndimage_generate_binary_structure(ndim, 1)
 *   labels_p   of markers' dtype and x's layout; 0 for elements that are not reached
 *
 * The labels are SciPy's, bit by bit, which depend on the order of its queues; as there, neighbours are counted in C
 * order, so that the end of a line is beside the beginning of the next one.  That order is one after the other: rank 0
 * gets the image, some 34 bytes for each element, and floods it on its CPU, also beside a GPU, while the others wait.
 * Waits.  Collective.  MNP_ERR_ARG for other dtypes or shapes.
 */
MNP_API mnp_status mnp_ndimage_watershed_ift(const mnp_array *x, const mnp_array *markers, const bool *structure,
                                             mnp_array **labels_p);

/*
 * Measure parts of x by their labels.
 *
 *   labels  integers of x's shape; NULL: all of x is one part
 *   count   how many numbers `index` has; 0: all elements with a label above 0 are one part
 *   index   the labels that are measured, in any order
 *   out_p   receives one value for each label, in one dimension; with count 0 one element
 *
 * Sums, means, variances and standard deviations are float64; extremes have the dtype of x; positions are int64, of
 * shape (count, ndim), the first one in C order.  Centres of mass are float64 of shape (count, ndim).  A label that
 * does not occur has a sum of 0, NaN as mean, variance and centre, 0 as an extreme and -1 as a position.  Waits.
 * Collective.  MNP_ERR_ARG for labels of another shape or dtype, and complex inputs.
 */
MNP_API mnp_status mnp_ndimage_sum_labels(const mnp_array *x, const mnp_array *labels, int64_t count,
                                          const int64_t *index, mnp_array **out_p);
MNP_API mnp_status mnp_ndimage_mean(const mnp_array *x, const mnp_array *labels, int64_t count, const int64_t *index,
                                    mnp_array **out_p);
MNP_API mnp_status mnp_ndimage_variance(const mnp_array *x, const mnp_array *labels, int64_t count,
                                        const int64_t *index, mnp_array **out_p);
MNP_API mnp_status mnp_ndimage_standard_deviation(const mnp_array *x, const mnp_array *labels, int64_t count,
                                                  const int64_t *index, mnp_array **out_p);
MNP_API mnp_status mnp_ndimage_minimum(const mnp_array *x, const mnp_array *labels, int64_t count, const int64_t *index,
                                       mnp_array **out_p);
MNP_API mnp_status mnp_ndimage_maximum(const mnp_array *x, const mnp_array *labels, int64_t count, const int64_t *index,
                                       mnp_array **out_p);
MNP_API mnp_status mnp_ndimage_minimum_position(const mnp_array *x, const mnp_array *labels, int64_t count,
                                                const int64_t *index, mnp_array **out_p);
MNP_API mnp_status mnp_ndimage_maximum_position(const mnp_array *x, const mnp_array *labels, int64_t count,
                                                const int64_t *index, mnp_array **out_p);
MNP_API mnp_status mnp_ndimage_center_of_mass(const mnp_array *x, const mnp_array *labels, int64_t count,
                                              const int64_t *index, mnp_array **out_p);

/*
 * The boxes of the labels 1 to `count`: int64 of shape (count, ndim, 2), the first index and the one after the last
 * along each dimension; -1 for a label that does not occur.  Waits.  Collective.
 */
MNP_API mnp_status mnp_ndimage_find_objects(const mnp_array *labels, int64_t count, mnp_array **boxes_p);

#ifdef __cplusplus
}
#endif

#endif
