/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pictures of distributed arrays: planes side by side, in gray, by a map of colours, or in the colours that they have.
 */
#ifndef APPS_PICTURE_PICTURE_H
#define APPS_PICTURE_PICTURE_H

#include <stdbool.h>
#include <stdint.h>

#include <maniple.h>

#include "picture/request.h"

enum { PICTURE_MOST_PLANES = 2 };

/* What is drawn. */
typedef struct picture {
    const char *title; /* of the whole; NULL: none */
    int count;         /* arrays of one context and of the same number of dimensions, two or more */
    const mnp_array *arrays[PICTURE_MOST_PLANES];
    const char *titles[PICTURE_MOST_PLANES];
    int rows, columns; /* the dimensions that are shown, rows < columns, at index 0 of the others */
} picture;

typedef struct picture_result {
    picture_made made;
    int64_t reduction[2];                                       /* the rows and columns of elements of a cell */
    double low[PICTURE_MOST_PLANES], high[PICTURE_MOST_PLANES]; /* the values at the ends of the scale */
    bool in_colour[PICTURE_MOST_PLANES];
} picture_result;

/* Element number i of a block on the CPU; of a complex one its magnitude. */
double picture_element(mnp_dtype dtype, const void *block, int64_t i);

/* The dimensions that are shown if no others are asked for: the last two, or those of an image in colour. */
void picture_usual_dims(const mnp_array *array, int *rows, int *columns);

/*
 * Draw planes to a PNG or SVG file, reduced by means to at most 1024 cells a side, or to about the pixels that are
 * asked for, by the same factors for all.  Cells are squares of elements, unless a plane is more than 8 times as long
 * as wide.
 *
 * An array with three dimensions, of which the last has 3 or 4 indices, is an image in colour: red, green, blue and, of
 * four, how opaque a pixel is above white.  Other arrays are gray; complex values are shown by magnitude.
 *
 * If the first array is uint8 and all values of an array are from 0 to 255, these are black and white; otherwise the
 * least and the greatest cell of each array are, and a bar shows which value is which gray.  Values that are not finite
 * are black, or white with a map.  MNP_ERR_IO, MNP_ERR_MEMORY, MNP_ERR_UNSUPPORTED.  Collective.
 */
mnp_status picture_write(const picture_request *request, const picture *p, picture_result *result);

#endif
