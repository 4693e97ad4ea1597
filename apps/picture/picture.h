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
    int64_t reduction;         /* a pixel is the mean of so many elements squared */
    double black[2], white[2]; /* values shown as black and as white, left and right */
} picture;

/*
 * Write `left` and `right`, arrays of one context, side by side to a PNG file.  Shown is the plane of dimensions rows <
 * columns at index 0 of the others, of complex values the magnitude, reduced by means to at most 1024 pixels a side,
 * both sides alike.  If `left` is uint8, black is 0 and white 255 where the values keep to that; else black is the
 * least and white the greatest pixel of each side.  What is not finite is black.  Collective.  MNP_ERR_IO,
 * MNP_ERR_MEMORY, MNP_ERR_UNSUPPORTED.
 */
mnp_status picture_write(const mnp_array *left, const mnp_array *right, int rows, int columns, const char *path,
                         picture *result);

#endif
