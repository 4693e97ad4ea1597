/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pictures of distributed arrays: two planes side by side, as a gray PNG file.
 */
#ifndef APPS_PICTURE_PICTURE_H
#define APPS_PICTURE_PICTURE_H

#include <stdint.h>

#include <maniple.h>

typedef struct picture {
    int width, height;         /* pixels */
    int64_t reduction;         /* a pixel is the mean of reduction x reduction elements */
    double black[2], white[2]; /* values shown as black and as white, left and right */
} picture;

/*
 * Write `left` and `right`, arrays of one context, side by side to a PNG file.  It shows the plane of dimensions `rows`
 * and `columns`, rows < columns, at index 0 of the others, reduced by means to at most 1024 pixels a side, by the same
 * factor for both arrays.  Complex values are shown by magnitude.  If `left` is uint8 and all values are from 0 to 255,
 * these are black and white; otherwise the least and the greatest pixel of each array.  Values that are not finite are
 * black.  MNP_ERR_IO, MNP_ERR_MEMORY, MNP_ERR_UNSUPPORTED.  Collective.
 */
mnp_status picture_write(const mnp_array *left, const mnp_array *right, int rows, int columns, const char *path,
                         picture *result);

#endif
