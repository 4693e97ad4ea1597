/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Convolution by Fourier transforms of the whole array over all ranks, for filters about as large as the array.
 *
 * The input is extended and padded to a fast length along the axes of the filter, transformed, multiplied by the
 * filter's spectrum in the layout that the transform leaves, and transformed back, from where the outputs are taken.
 *
 * Cost: the input moves to its padded layout and the result from it; between them the data moves between ranks twice,
 * once in each transform, where the array is cut along the filter's axes.
 */
#ifndef MNP__SIGNAL_WHOLE_H
#define MNP__SIGNAL_WHOLE_H

#include "array/array.h"
#include "signal/blocks.h"

typedef struct mnp__whole mnp__whole;

/*
 * Make a plan, which takes over the geometry, also in a failure.  spec->whole is not used.  Collective.
 * MNP_ERR_MEMORY, MNP_ERR_COMPILE, MNP_ERR_UNSUPPORTED without a library of transforms.
 */
mnp_status mnp__whole_new(mnp_ctx *ctx, mnp__conv_geometry *geometry, const mnp__blocks_spec *spec,
                          mnp__whole **whole_p);

/* From an array of the input's dtype and layout to one of the output's, both dense in C order.  Collective. */
mnp_status mnp__whole_run(mnp__whole *whole, const mnp_array *x, mnp_array *y);

/* When the last run is done.  NULL is accepted.  Collective. */
void mnp__whole_free(mnp__whole *whole);

#endif
