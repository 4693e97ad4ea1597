/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The arguments that all filters have: options, axes, sizes and footprints, checked and spread over the dimensions of
 * the array.
 */
#ifndef MNP__NDIMAGE_WINDOW_H
#define MNP__NDIMAGE_WINDOW_H

#include "ndimage/neighbours.h"

/* A filter's axes and what the options say about each. */
typedef struct mnp__filter_axes {
    const mnp_ndimage_options *options; /* never NULL */
    int count, axes[MNP_MAX_DIMS];
    mnp_boundary boundary[MNP_MAX_DIMS]; /* of each axis */
    int64_t origin[MNP_MAX_DIMS];
    mnp_dtype output;
} mnp__filter_axes;

/* Check x and the options of a filter.  Not collective: all ranks get the same answer.  MNP_ERR_ARG. */
mnp_status mnp__filter_axes_of(const char *function, const mnp_array *x, const mnp_ndimage_options *options,
                               mnp__filter_axes *axes);

/* The first step of it: count and axes.  MNP_ERR_ARG. */
mnp_status mnp__filter_find_axes(const char *function, int ndim, const mnp_ndimage_options *options,
                                 mnp__filter_axes *axes);

/* MNP_ERR_ARG unless x is real. */
mnp_status mnp__filter_check_real(const char *function, const mnp_array *x);

/*
 * Describe a filter of that window; a mirrored one begins where that of the convolution or the dilation of the same
 * structure does.  MNP_ERR_ARG for sizes and origins that are wrong.
 */
mnp_status mnp__filter_window(const char *function, const mnp_array *x, const mnp__filter_axes *axes,
                              const int64_t *size, bool mirrored, mnp__neighbours *filter);

/*
 * Visit the elements of a window that count: `at` is an index for each dimension of the array, `number` the element's
 * in the footprint, in C order of the axes.  Gives how many there are; visit NULL: counts them.
 */
typedef void (*mnp__tap_visitor)(void *argument, int64_t number, const int64_t *at);
int64_t mnp__filter_taps(const mnp__neighbours *filter, const bool *footprint, mnp__tap_visitor visit, void *argument);

/* Write these elements, with `separator` between them; or a table of them, mnp_taps. */
void mnp__filter_write_taps(mnp__neighbours *filter, const bool *footprint, const char *separator);
void mnp__filter_write_table(mnp__neighbours *filter, const bool *footprint);

/* The dtype in which values are compared: the input's own, or float for floats of two bytes, uint8 for bool. */
mnp_dtype mnp__filter_compared(mnp_dtype input);

#endif
