/* SPDX-License-Identifier: BSD-3-Clause */
/* maniple filter: what its files share. */
#ifndef APPS_FILTER_H
#define APPS_FILTER_H

#include <maniple.h>

#include "common/job.h"

/* X(NAME, name, what it is) */
#define PARAMETERS(X)                                                                                                  \
    X(SIZE, "size", "extent of the window, or one for each dimension, such as 3 or 3,5")                               \
    X(SIGMA, "sigma", "standard deviation, or one for each dimension")                                                 \
    X(ORDER, "order", "derivative of the Gaussian, or one a dimension (default: 0); degree of splines (3)")            \
    X(TRUNCATE, "truncate", "where the Gaussian ends, in standard deviations (default: 4)")                            \
    X(RANK, "rank", "which value of the sorted window, from 0 on; negative from its end")                              \
    X(PERCENTILE, "percentile", "which value of the sorted window, 0 to 100")                                          \
    X(AXIS, "axis", "the dimension of the difference or line (default: -1, the last)")                                 \
    X(WINDOW_LENGTH, "window_length", "elements that a polynomial is fitted to, such as 7")                            \
    X(POLYORDER, "polyorder", "of the polynomial (default: 2)")                                                        \
    X(SHIFT, "shift", "how far elements go, or one for each dimension")                                                \
    X(ZOOM, "zoom", "how many elements there are for one, or one number for each dimension")                           \
    X(ANGLE, "angle", "in degrees, in the plane of the first two dimensions or of axes")                               \
    X(ORIGIN, "origin", "shift of the window, or one for each dimension (default: 0)")                                 \
    X(CVAL, "cval", "what is beyond the borders in mode constant (default: 0)")                                        \
    X(ITERATIONS, "iterations", "how often; 0: until nothing changes (default: 1)")                                    \
    X(CONNECTIVITY, "connectivity", "steps to neighbours that are connected (default: 1)")                             \
    X(MODE, "mode", "reflect, mirror, nearest, wrap or constant (default: reflect; of splines constant)")              \
    X(AXES, "axes", "the dimensions to filter, such as 0,1 for a picture in colours (default: all)")                   \
    X(DTYPE, "dtype", "of the result, such as float32 (default: that of INPUT)")

enum parameter {
#define ENUMERATOR(NAME, name, help) NAME,
    PARAMETERS(ENUMERATOR) NUM_PARAMETERS
};
#undef ENUMERATOR

#define BIT(parameter) (1U << (parameter))
enum { NO_PLAN = BIT(NUM_PARAMETERS) }; /* among what a filter takes: it has no plan */

typedef struct value {
    int count; /* 0: not given */
    double numbers[MNP_MAX_DIMS];
} value;

typedef struct filtering {
    job job; /* first: see common/job.h */
    const struct filter *filter;
    value values[NUM_PARAMETERS];
    mnp_ndimage_mode mode;
    mnp_dtype dtype;
} filtering;

struct arguments;
typedef mnp_status filter_function(const filtering *j, const struct arguments *a, const mnp_array *x, mnp_array **y_p);

struct filter {
    const char *name;
    filter_function *run;
    unsigned takes; /* parameters */
    int windows;    /* through which an element depends on others, one after the other; 0: it may depend on all */
    enum parameter needs;
    const char *summary;
};

/* Number d of a parameter, which may be one for all axes. */
double filter_number(const filtering *j, enum parameter parameter, int d, double otherwise);

/* What a filter looks at along dimension d: elements, from which one on; one where that is not filtered. */
int64_t filter_window(const filtering *j, int d, int64_t *first);

/* Fill in what would be done.  Collective. */
mnp_status filter_plan(job *base, plan *p);

/*
 * Find whether the arrays are larger than the memory, and how they go through in slabs.  MNP_ERR_MEMORY if they are,
 * and the filter needs all of them at once.
 */
mnp_status filter_stream_plan(filtering *j);
void filter_stream_needs(const job *base, stream_slab *slab);

#endif
