/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which method a convolution takes: a model of the time of each.
 */
#ifndef MNP__SIGNAL_METHOD_H
#define MNP__SIGNAL_METHOD_H

#include "context/context.h"
#include "signal/geometry.h"

/*
 * Estimate the seconds of an execution on the rank with the largest block, by every method, whether or not it can be
 * used; 0 for MNP_CONV_AUTO, -1 for MNP_CONV_TRANSFORMS; by separable of a kernel that is the sum of `rank` outer
 * products.  The same on every rank.  Not collective.
 */
void mnp__conv_estimate(const mnp_ctx *ctx, const mnp__conv_geometry *geometry, mnp_dtype input, mnp_dtype output,
                        mnp_dtype sum, int rank, double seconds[MNP_NUM_CONV_METHODS]);

/* The fastest of the methods whose seconds are not negative; direct unless another one is clearly faster. */
mnp_conv_method mnp__conv_fastest(const double seconds[MNP_NUM_CONV_METHODS]);

const char *mnp__conv_method_name(mnp_conv_method method);

#endif
