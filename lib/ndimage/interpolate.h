/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Interpolation: every element of a result is the input at some coordinates, which a map gives.
 */
#ifndef MNP__NDIMAGE_INTERPOLATE_H
#define MNP__NDIMAGE_INTERPOLATE_H

#include "kernels/ndimage/interpolate_params.h"
#include "ndimage/window.h"

enum { MNP__MAP_SCALES, MNP__MAP_MATRIX, MNP__MAP_COORDINATES };

/* The fields of mnp_interpolate_params of that name; from: MNP_FROM. */
typedef struct mnp__map {
    int from;
    double before[MNP_MAX_DIMS], scale[MNP_MAX_DIMS], after[MNP_MAX_DIMS];
    double matrix[MNP_MAX_DIMS][MNP_MAX_DIMS];
    const mnp_array *coordinates; /* with a first dimension of those of the input */
    int64_t shape[MNP_MAX_DIMS];  /* of the result, where coordinates do not give it */
} mnp__map;

/* A call of a public function; see <maniple/ndimage.h>. */
typedef struct mnp__interpolation {
    const char *function;
    const mnp_array *x;
    int order;
    bool prefilter;
    const mnp_ndimage_options *options;
    mnp__filter_axes axes; /* found by mnp__interpolate_begin() */
    mnp_ndimage_mode mode;
} mnp__interpolation;

/* Check the arguments that all functions have.  Not collective.  MNP_ERR_ARG. */
mnp_status mnp__interpolate_begin(mnp__interpolation *call);

/* Collective.  MNP_ERR_ARG, MNP_ERR_MEMORY, MNP_ERR_COMPILE, MNP_ERR_DEVICE, MNP_ERR_COMM. */
mnp_status mnp__interpolate(const mnp__interpolation *call, const mnp__map *map, mnp_array **y_p);

#endif
