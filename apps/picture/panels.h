/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Images side by side, with a title, axes that count elements, and a scale of colours.
 */
#ifndef APPS_PICTURE_PANELS_H
#define APPS_PICTURE_PANELS_H

#include <stdbool.h>
#include <stdint.h>

#include <maniple.h>

#include "picture/request.h"

/* The most cells along a side of an image: 1024, or, if a size is asked for, the side of a square of so many pixels. */
int panels_most_cells(const picture_request *request);

/* Whether images of so many rows and columns of elements are so long that they are stretched to be seen. */
bool panels_are_long(double rows, double columns);

typedef struct panel {
    const char *title;        /* above the image */
    int rows, columns;        /* cells */
    const unsigned char *rgb; /* 3 bytes a cell */
    int64_t reduction[2];     /* the rows and columns of elements of a cell */
    bool has_scale;           /* whether there is a bar that shows which colours are low .. high */
    double low, high;
    colour (*colour_of)(double value); /* of the bar, from 0 to 1 */
} panel;

typedef struct panels {
    const char *title, *subtitle; /* of all; NULL: none */
    const char *y_name, *x_name;
    int count; /* at most MOST_PANELS */
    const panel *panels;
} panels;

enum { MOST_PANELS = 4 };

/*
 * Draw images to a PNG or SVG file.  They have one scale; a cell is a square, or in long images a rectangle, of whole
 * pixels, so that a PNG file may have more pixels an inch than were asked for.  MNP_ERR_IO, MNP_ERR_MEMORY,
 * MNP_ERR_UNSUPPORTED.  Not collective.
 */
mnp_status panels_write(const picture_request *request, const panels *all, picture_made *made);

#endif
