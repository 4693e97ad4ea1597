/*
 * Pictures of numbers: a histogram, bars over an axis of values beside one of counts; and curves between logarithmic axes.
 */
#ifndef APPS_PLOT_H
#define APPS_PLOT_H

#include <stdint.h>

#include <maniple.h>

enum { PLOT_WIDTH = 800, PLOT_HEIGHT = 480 };

/* Write it to a PNG file; the bars divide low .. high evenly.  Not collective.  MNP_ERR_IO, MNP_ERR_MEMORY. */
mnp_status plot_histogram(const char *path, int bins, const int64_t *counts, double low, double high);

/* A curve: pairs of x and y, all positive, with x rising; its name is of small letters, digits and dashes. */
typedef struct plot_curve {
    const char *name;
    int count;
    const double *points;
} plot_curve;

/* Write curves to a PNG file, each with its name behind its last point.  Not collective.  MNP_ERR_IO, MNP_ERR_MEMORY. */
mnp_status plot_curves(const char *path, int count, const plot_curve *curves, const char *x_name, const char *y_name);

#endif
