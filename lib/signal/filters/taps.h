/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Numbers that kernels read, such as the taps of a filter, on the device.  The context keeps the last arrays by their
 * contents, so that a filter that is used again is not copied again.
 */
#ifndef MNP__SIGNAL_TAPS_H
#define MNP__SIGNAL_TAPS_H

#include "context/context.h"

/*
 * Find or copy `count` numbers, which are the same on all ranks.  *device_p is valid for what is enqueued before a few
 * other calls.  Collective.  MNP_ERR_MEMORY, MNP_ERR_DEVICE; MNP_ERR_ARG while a graph is recorded.
 */
mnp_status mnp__taps_get(mnp_ctx *ctx, int64_t count, const double *taps, const double **device_p);

#endif
