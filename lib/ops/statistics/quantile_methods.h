/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where quantiles are among the sorted elements of a line, by NumPy's methods.  Arithmetic alone.
 */
#ifndef MNP__OPS_STATISTICS_QUANTILE_METHODS_H
#define MNP__OPS_STATISTICS_QUANTILE_METHODS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

/* How a method finds a place among n sorted elements.  The last five take an element as it is. */
typedef enum mnp__quantile_rule {
    MNP__QUANTILE_LINEAR,
    MNP__QUANTILE_HYNDMAN_FAN,
    MNP__QUANTILE_AVERAGED,
    MNP__QUANTILE_MIDPOINT,
    MNP__QUANTILE_MIDDLE, /* of medians: the mean of both elements in the middle */
    MNP__QUANTILE_INVERTED,
    MNP__QUANTILE_CLOSEST,
    MNP__QUANTILE_LOWER,
    MNP__QUANTILE_HIGHER,
    MNP__QUANTILE_NEAREST
} mnp__quantile_rule;

typedef struct mnp__quantile_method {
    const char *name;
    mnp__quantile_rule rule;
    double alpha, beta; /* of R. J. Hyndman and Y. Fan, Sample quantiles in statistical packages, 1996 */
} mnp__quantile_method;

extern const mnp__quantile_method mnp__quantile_median;

/* The method of that name; NULL: linear.  MNP_ERR_ARG, with a message that lists the names, if there is none. */
mnp_status mnp__quantile_find_method(const char *function, const char *name, const mnp__quantile_method **method_p);

/* Whether every result of the method is an element of the line. */
bool mnp__quantile_takes_one(const mnp__quantile_method *method);

/*
 * A result that lies between the sorted elements `previous` and `next`, at `t`: 0 is the previous one, and 1 the next.
 */
typedef struct mnp__quantile_position {
    int64_t previous, next;
    double t;
} mnp__quantile_position;

/* The position of quantile q, in 0 .. 1, among `count` sorted elements; any position if there are none. */
mnp__quantile_position mnp__quantile_locate(const mnp__quantile_method *method, int64_t count, double q);

#endif
