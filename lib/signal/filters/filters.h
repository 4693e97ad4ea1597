/* SPDX-License-Identifier: BSD-3-Clause */
/* Filters within the library: a call with its coefficients in one of the two forms, pieces of arrays, and peaks. */
#ifndef MNP__SIGNAL_FILTERS_H
#define MNP__SIGNAL_FILTERS_H

#include <maniple/peaks.h>

#include "array/array.h"
#include "signal/filters/recurrence.h"

/* A filter as a user gives it: b and a, or sections.  Fields of the other form are 0. */
typedef struct mnp__filter {
    int64_t nb, na, sections;
    const double *b, *a, *sos;
} mnp__filter;

/* MNP_ERR_ARG unless the coefficients are a filter.  Not collective. */
mnp_status mnp__filter_check(const char *function, const mnp__filter *filter);

/* How many numbers its state has. */
int64_t mnp__filter_order(const mnp__filter *filter);

/* mnp_lfilter_zi() or mnp_sosfilt_zi(). */
mnp_status mnp__filter_steady(const char *function, const mnp__filter *filter, double *zi);

/* Whether it has feedback, and then the recurrence that it is; *coefficients_p is malloc'ed and belongs to both. */
bool mnp__filter_feeds_back(const mnp__filter *filter);
mnp_status mnp__filter_recurrence(const mnp__filter *filter, mnp__recurrence *recurrence, double **coefficients_p);

/*
 * Run a filter along `axis`, 0 .. ndim - 1.  States have the filter's order in dimension 0, and then the other
 * dimensions of x; start and end_p may be NULL.  *end_p is a new array.  Collective.
 */
mnp_status mnp__filter_run(const char *function, const mnp__filter *filter, const mnp_array *x, int axis,
                           const mnp_array *start, mnp_array **y_p, mnp_array **end_p);

/* mnp_sosfiltfilt(), of which every element number `every` along the axis is kept. */
mnp_status mnp__sections_both_ways(int64_t sections, const double *sos, const mnp_array *x, int axis,
                                   const char *padtype, int64_t padlen, int64_t every, mnp_array **y_p);

/* A view of elements begin .. end - 1 along an axis, in reverse order if step is -1.  Not collective. */
mnp_status mnp__lines_part(const mnp_array *x, int axis, int64_t begin, int64_t end, int step, mnp_array **view_p);

/*
 * Measure p->peaks: their prominences and bases and, if rel_height is not negative, their widths, which become arrays
 * of *p.  *wrong_p: whether a peak is outside x; NULL: all are known to be inside.  Collective.
 */
mnp_status mnp__peaks_measure(const mnp_array *x, int64_t wlen, double rel_height, mnp_peaks *p, bool *wrong_p);

#endif
