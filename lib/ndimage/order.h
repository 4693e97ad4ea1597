/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Extremes of windows, with or without a structure that is added to them, for filters and for grey morphology.
 */
#ifndef MNP__NDIMAGE_ORDER_H
#define MNP__NDIMAGE_ORDER_H

#include "ndimage/window.h"

typedef struct mnp__extremes {
    const char *function;
    bool largest;            /* the largest value of the window, else the smallest */
    const int64_t *size;     /* along each axis of the options */
    const bool *footprint;   /* NULL: all of the window */
    const double *structure; /* NULL, or what is added to each element of the window before it is compared */
    const mnp_array *mask;   /* NULL, or where it is false the result is x */
    bool mirrored;           /* the window is that of a dilation: mnp__filter_window() */
} mnp__extremes;

/* Collective.  As the public functions. */
mnp_status mnp__extremes_run(const mnp__extremes *extremes, const mnp_array *x, const mnp_ndimage_options *options,
                             mnp_array **y_p);

#endif
