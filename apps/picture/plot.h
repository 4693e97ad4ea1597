/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pictures of numbers: a histogram, bars over an axis of values beside one of counts; and curves beside a logarithmic
 * axis, over one that is linear or logarithmic.
 */
#ifndef APPS_PICTURE_PLOT_H
#define APPS_PICTURE_PLOT_H

#include <stdint.h>

#include <maniple.h>

enum { PLOT_WIDTH = 800, PLOT_HEIGHT = 480 };

/* Write it to a PNG file; the bars divide low .. high evenly.  Not collective.  MNP_ERR_IO, MNP_ERR_MEMORY. */
mnp_status plot_histogram(const char *path, int bins, const int64_t *counts, double low, double high);

/* An axis of curves: from 0 on, or between whole powers of ten. */
typedef enum plot_scale { PLOT_LINEAR, PLOT_LOG } plot_scale;

/*
 * A curve: pairs of x and y, with x rising; its name is of small letters, digits and dashes.  y is positive, x too
 * where its scale is logarithmic, else it may be 0.
 */
typedef struct plot_curve {
    const char *name;
    int count;
    const double *points;
} plot_curve;

/*
 * Write curves to a PNG file, each with its name behind its last point, and with a mark at every point where these are
 * few.  Not collective.  MNP_ERR_IO, MNP_ERR_MEMORY.
 */
mnp_status plot_curves(const char *path, int count, const plot_curve *curves, plot_scale x_scale, const char *x_name,
                       const char *y_name);

#endif
