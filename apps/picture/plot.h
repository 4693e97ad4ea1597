/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pictures of numbers: curves and histograms, with a title, axes that have names, and a legend.
 */
#ifndef APPS_PICTURE_PLOT_H
#define APPS_PICTURE_PLOT_H

#include <stdint.h>

#include <maniple.h>

#include "picture/axis.h"
#include "picture/request.h"

/* What plots have in common: a title, a second line in smaller letters or NULL, and the names of the axes. */
typedef struct plot_words {
    const char *title, *subtitle, *x_name, *y_name;
} plot_words;

/*
 * A curve: pairs of x and y in ascending order of x, of which those are left out that are not finite.  On logarithmic
 * axes they are positive.
 */
typedef struct plot_curve {
    const char *name;
    int count;
    const double *points;
} plot_curve;

/* A dashed line across the plot, with its value, which curves are compared with; `name` NULL: there is none. */
typedef struct plot_rule {
    const char *name;
    double y;
} plot_rule;

typedef struct plot_curves {
    plot_words words;
    axis_scale x_scale, y_scale;
    int count;
    const plot_curve *curves;
    plot_rule rule;
} plot_curves;

/*
 * Draw curves, which differ in colour and mark if there are several, with a legend.  MNP_ERR_IO, MNP_ERR_MEMORY.  Not
 * collective.
 */
mnp_status plot_write_curves(const picture_request *request, const plot_curves *plot, picture_made *made);

/* Counts in bins that divide low .. high equally, or, if `whole`, in bins of `width` whole numbers from `low` on. */
typedef struct plot_histogram {
    plot_words words;
    int bins;
    double low, high;
    bool whole;
    int count;                    /* histograms with the same bins */
    const int64_t *const *counts; /* of each histogram, and of each bin */
    const char *const *names;     /* of each histogram, if there are several */
    const colour *colours;        /* the same; NULL: as is usual */
} plot_histogram;

/* Draw a histogram as bars, or several as outlines.  MNP_ERR_IO, MNP_ERR_MEMORY.  Not collective. */
mnp_status plot_write_histogram(const picture_request *request, const plot_histogram *plot, picture_made *made);

#endif
