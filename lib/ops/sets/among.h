/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Membership in a set of elements, which every rank has in some form for the time of the call.
 */
#ifndef MNP__OPS_SETS_AMONG_H
#define MNP__OPS_SETS_AMONG_H

#include <maniple/array.h>

/*
 * Whether each element of x is among those of `test`, or if `invert` is not: bool, in x's shape.  NaN is not among any.
 * On the host it may wait.  Collective.  MNP_ERR_ARG if the output that is given does not suit.
 */
mnp_status mnp__look_among(const char *function, const mnp_array *x, const mnp_array *test, bool invert,
                           mnp_array **out_p);

#endif
