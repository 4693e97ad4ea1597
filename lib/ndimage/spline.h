/* SPDX-License-Identifier: BSD-3-Clause */
/* Coefficients of splines, for functions that interpolate. */
#ifndef MNP__NDIMAGE_SPLINE_H
#define MNP__NDIMAGE_SPLINE_H

#include <maniple/ndimage.h>

#include "array/array.h"

/*
 * Make an array of the coefficients of splines of that order, 2 to 5, along a set of axes, one bit each: float64 or
 * complex128.  Its layout is the one in which the last axis was filtered.  Collective.  MNP_ERR_MEMORY,
 * MNP_ERR_COMPILE, MNP_ERR_DEVICE, MNP_ERR_COMM.
 */
mnp_status mnp__spline_filter(const mnp_array *x, int order, unsigned axes, mnp_ndimage_mode mode, mnp_array **y_p);

/* MNP_ERR_ARG unless splines of that order are there, and the mode is one. */
mnp_status mnp__spline_check(const char *function, const mnp_array *x, int order, mnp_ndimage_mode mode);

#endif
