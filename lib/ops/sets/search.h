/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bisection in a sorted vector, which every rank has for the time of the call.
 */
#ifndef MNP__OPS_SETS_SEARCH_H
#define MNP__OPS_SETS_SEARCH_H

#include "array/array.h"

/* What the search finds for each value. */
typedef enum mnp__question {
    MNP__BEFORE,   /* how many elements are less */
    MNP__UP_TO,    /* how many are not greater */
    MNP__BEHIND,   /* how many are greater; for a descending table, which is passed reversed */
    MNP__FROM,     /* how many are not less; for a descending table, likewise */
    MNP__AMONG,    /* whether the table has it, bool */
    MNP__NOT_AMONG /* whether the table lacks it, bool */
} mnp__question;

/*
 * Search the table for every value.  NaN is last in the order, as in NumPy.  `sorter` is NULL if the table is sorted;
 * otherwise it has the indices that sort it.  Collective.  MNP_ERR_ARG if the output that is given does not suit.
 */
mnp_status mnp__search(const char *function, mnp__question question, const mnp_array *table, const mnp_array *values,
                       const mnp_array *sorter, mnp_array **out_p);

#endif
