/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A canvas: lines, areas, texts and images, which become a PNG or an SVG file by the ending of its name.
 *
 * Lengths are in points, 1/72 inch; (0, 0) is the upper left corner, and y points down.  Nothing here is collective.
 */
#ifndef APPS_CANVAS_CANVAS_H
#define APPS_CANVAS_CANVAS_H

#include <stdbool.h>
#include <stddef.h>

#include <maniple.h>

#include "canvas/colours.h"

typedef struct canvas canvas;

typedef struct canvas_point {
    double x, y;
} canvas_point;

typedef struct canvas_pen {
    double width;
    colour colour;
    bool dashed;
} canvas_pen;

typedef enum canvas_anchor { ANCHOR_START, ANCHOR_MIDDLE, ANCHOR_END } canvas_anchor;

typedef struct canvas_text {
    double x, y; /* the anchor, on the line that the letters stand on */
    double size; /* of the font */
    canvas_anchor anchor;
    bool bold, upwards; /* upwards: read from the bottom to the top */
    colour colour;
    const char *raised; /* an exponent after the text, or NULL */
} canvas_text;

/*
 * Make a canvas for the file `path`, with a white background.  `scale` is the number of pixels a point of a PNG file.
 * The size is rounded to whole pixels.  MNP_ERR_MEMORY; MNP_ERR_UNSUPPORTED for a PNG file without libpng.
 */
mnp_status canvas_new(const char *path, double width, double height, double scale, canvas **canvas_p);
void canvas_free(canvas *c);

/* Write the file, which appears when it is complete.  MNP_ERR_IO, MNP_ERR_MEMORY, also for what failed before. */
mnp_status canvas_write(canvas *c);

/* Draw a line through points, with round ends unless it is dashed. */
void canvas_line(canvas *c, int count, const canvas_point *points, canvas_pen pen);

/* Fill a convex polygon of at most 8 corners. */
void canvas_fill(canvas *c, int count, const canvas_point *corners, colour ink);
void canvas_rectangle(canvas *c, double x, double y, double width, double height, colour ink);

/* Fill a circle. */
void canvas_dot(canvas *c, double x, double y, double diameter, colour ink);

/* Write a text in UTF-8; what is not UTF-8, or cannot be seen, becomes a question mark. */
void canvas_write_text(canvas *c, const char *text, canvas_text style);

/* The width of a text in a style, with its exponent. */
double canvas_text_width(canvas *c, const char *text, canvas_text style);

/* Copy a text, with dots for its middle if it is wider than `most`.  `copy` has `size` bytes. */
void canvas_shorten(canvas *c, const char *text, canvas_text style, double most, size_t size, char *copy);

/* Draw an image of rows x columns cells, by 3 bytes each, every cell a rectangle of one colour. */
void canvas_image(canvas *c, double x, double y, double width, double height, int rows, int columns,
                  const unsigned char *rgb);

/* The size of the file: pixels of PNG, points of SVG. */
void canvas_size(const canvas *c, double *width, double *height, const char **unit);

/* The version of cairo, which draws PNG files with the fonts of the system; NULL without it: letters are our own. */
const char *canvas_cairo_version(void);

#endif
