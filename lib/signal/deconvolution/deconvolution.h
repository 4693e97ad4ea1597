/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the methods of deconvolution share.
 */
#ifndef MNP__SIGNAL_DECONVOLUTION_H
#define MNP__SIGNAL_DECONVOLUTION_H

#include <maniple/deconvolution.h>

#include "array/array.h"
#include "kernels/signal/extended_params.h"
#include "layout/layout.h"

/* Check image and psf, and give the dtype of the arithmetic.  Not collective.  MNP_ERR_ARG. */
mnp_status mnp__deconvolution_check(const char *function, const mnp_array *image, const mnp_array *psf,
                                    mnp_dtype *dtype_p);

/*
 * Convert an estimate, which belongs to the caller no longer, to the result, clipped to -1 to 1 unless `unclipped`, if
 * the status is MNP_OK.  Collective.
 */
mnp_status mnp__deconvolution_give(mnp_array *estimate, bool unclipped, mnp_status status, mnp_array **out_p);

#endif
