/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The exchange of ghosts between GPUs that share the heap: one launch on each rank gathers the elements of its part of
 * a vector that other ranks need, sends them, and waits for this rank's ghosts (kernels/sparse/matrix/p2p_ghosts.cu).
 * The CPU does not wait, so exchanges may be recorded in CUDA graphs.
 */
#ifndef MNP__SPARSE_MATRIX_GHOSTS_P2P_H
#define MNP__SPARSE_MATRIX_GHOSTS_P2P_H

#include "sparse/matrix/ghosts.h"

typedef struct mnp__ghosts_p2p mnp__ghosts_p2p;

/* Whether this is possible: all ranks are peers, and there are not too many.  The same on all ranks. */
bool mnp__ghosts_p2p_is_possible(const mnp_ctx *ctx);

/*
 * Set up exchanges for rows of `width` elements of 4, 8 or 16 bytes.  The plan's `places` must stay allocated.
 * Collective, and agreed upon.  MNP_ERR_MEMORY, MNP_ERR_COMPILE; MNP_ERR_ARG if ranks made or freed arrays in different
 * orders.
 */
mnp_status mnp__ghosts_p2p_new(mnp_ctx *ctx, const mnp__ghosts_plan *plan, size_t size, int64_t width,
                               mnp__ghosts_p2p **p2p_p);

/* Release, in the order of the compute stream, which must have waited for all runs.  NULL is accepted.  Collective. */
void mnp__ghosts_p2p_free(mnp__ghosts_p2p *p2p);

/*
 * Enqueue an exchange for a vector whose part on this rank is at x.  Peers write here only after the work that the
 * stream has, which may read the values of the last exchange.  Work enqueued later finds the new values, and may write
 * to x.  Collective.  MNP_ERR_TIMEOUT, MNP_ERR_PEER: of an earlier run, as waits.h describes.
 */
mnp_status mnp__ghosts_p2p_run(mnp__ghosts_p2p *p2p, const void *x, mnp__stream *stream);

/* The address of the ghosts, which never changes. */
const void *mnp__ghosts_p2p_values(const mnp__ghosts_p2p *p2p);

#endif
