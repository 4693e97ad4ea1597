/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How a transform goes over the ranks where there is a choice: by the model's, or by what was found out by trying.
 */
#ifndef MNP__FFT_CHOICES_H
#define MNP__FFT_CHOICES_H

#include "context/context.h"
#include "fft/steps.h"

/*
 * Complete a problem by what was measured before.  measures: and where nothing was, by timing the choices that there
 * are, which takes memory for an input and an output.  All ranks choose alike.  Collective.  MNP_ERR_MEMORY, and what
 * making and executing a plan may fail with.
 */
mnp_status mnp__fft_choose(mnp_ctx *ctx, bool is_double, bool measures, mnp__fft_problem *problem);

#endif
