/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Axes of plots: where values lie, and which of them get a mark with a number.
 */
#ifndef APPS_PICTURE_AXIS_H
#define APPS_PICTURE_AXIS_H

#include <stdbool.h>

#include "canvas/canvas.h"

/* Equal distances; the same with whole numbers at its marks; powers of ten; sizes in bytes, by powers of two. */
typedef enum axis_scale { AXIS_LINEAR, AXIS_WHOLE, AXIS_LOG, AXIS_BYTES } axis_scale;

typedef struct plot_axis {
    axis_scale scale;
    double low, high; /* the values at its ends, or their logarithms */
    double from, to;  /* where these are on the canvas, in x or in y */
} plot_axis;

/* Fonts of numbers and of names, in points, and the length of a mark. */
#define AXIS_NUMBER_SIZE 9.0
#define AXIS_NAME_SIZE 10.0
#define AXIS_MARK 4.0

/* The axis for values from `low` to `high`, without its place; a logarithmic one ends at whole powers. */
plot_axis axis_new(axis_scale scale, double low, double high);

/* Where a value is on the canvas. */
double axis_place(const plot_axis *a, double value);

/* Write a number with about `digits` digits: what stands on the line, and its raised exponent, or "". */
enum { AXIS_NUMBER_BYTES = 40 };
void axis_number(double value, int digits, char text[AXIS_NUMBER_BYTES], char raised[AXIS_NUMBER_BYTES]);

/* The style of the numbers of axes. */
canvas_text axis_number_style(void);

/* The width of the widest number of an upright axis. */
double axis_numbers_width(canvas *c, const plot_axis *a);

/*
 * Draw marks with numbers below the level `y`, and light lines above them up to `top` unless `top` equals `y`; or to
 * the left of `x`, and lines up to `right`.
 */
void axis_draw_x(canvas *c, const plot_axis *a, double y, double top);
void axis_draw_y(canvas *c, const plot_axis *a, double x, double right);

/* Draw marks and numbers to the right of `x`. */
void axis_draw_right(canvas *c, const plot_axis *a, double x);

#endif
