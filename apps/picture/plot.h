/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pictures of numbers: histograms; and curves with a logarithmic y axis and a linear or logarithmic x axis.
 */
#ifndef APPS_PICTURE_PLOT_H
#define APPS_PICTURE_PLOT_H

#include <stdint.h>

#include <maniple.h>

enum { PLOT_WIDTH = 800, PLOT_HEIGHT = 480 };

/*
 * Write a histogram to a PNG file; the bars divide low .. high equally.  MNP_ERR_IO, MNP_ERR_MEMORY.  Not collective.
 */
mnp_status plot_histogram(const char *path, int bins, const int64_t *counts, double low, double high);

/* The x axis of curves: from 0 on, or between whole powers of ten. */
typedef enum plot_scale { PLOT_LINEAR, PLOT_LOG } plot_scale;

/*
 * A curve: pairs of x and y in ascending order of x; its name consists of small letters, digits and dashes.  y is
 * positive; x is positive too if its scale is logarithmic, otherwise it may be 0.
 */
typedef struct plot_curve {
    const char *name;
    int count;
    const double *points;
} plot_curve;

/*
 * Write curves to a PNG file, each with its name after its last point, and with marks at its points if they are few.
 * MNP_ERR_IO, MNP_ERR_MEMORY.  Not collective.
 */
mnp_status plot_curves(const char *path, int count, const plot_curve *curves, plot_scale x_scale, const char *x_name,
                       const char *y_name);

#endif
