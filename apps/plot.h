/*
 * A histogram as a picture: bars over an axis of values, beside one of counts.
 */
#ifndef APPS_PLOT_H
#define APPS_PLOT_H

#include <stdint.h>

#include <maniple.h>

enum { PLOT_WIDTH = 800, PLOT_HEIGHT = 480 };

/* Write it to a PNG file; the bars divide low .. high evenly.  Not collective.  MNP_ERR_IO, MNP_ERR_MEMORY. */
mnp_status plot_histogram(const char *path, int bins, const int64_t *counts, double low, double high);

#endif
