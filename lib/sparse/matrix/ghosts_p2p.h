/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ghosts on GPUs that share the heap: one launch on each rank gathers what the others want of its part of a vector,
 * brings it to them and waits for what they bring (kernels/sparse/matrix/p2p_ghosts.cu).  The CPU does not wait, so
 * exchanges may be recorded in CUDA graphs.
 */
#ifndef MNP__SPARSE_MATRIX_GHOSTS_P2P_H
#define MNP__SPARSE_MATRIX_GHOSTS_P2P_H

#include "sparse/matrix/ghosts.h"

typedef struct mnp__ghosts_p2p mnp__ghosts_p2p;

/* Whether ghosts can go by this: all ranks are peers, and not too many.  The same on all ranks. */
bool mnp__ghosts_p2p_is_possible(const mnp_ctx *ctx);

/*
 * For rows of `width` elements of 4, 8 or 16 bytes.  The plan's `places` stay in use.  Collective, and agreed upon.
 * MNP_ERR_MEMORY, MNP_ERR_COMPILE; MNP_ERR_ARG where ranks made or freed arrays in different orders.
 */
mnp_status mnp__ghosts_p2p_new(mnp_ctx *ctx, const mnp__ghosts_plan *plan, size_t size, int64_t width,
                               mnp__ghosts_p2p **p2p_p);

/* In the order of the compute stream, in which all runs must have been waited for.  NULL is accepted.  Collective. */
void mnp__ghosts_p2p_free(mnp__ghosts_p2p *p2p);

/*
 * Exchange, of a vector whose part lies at x.  What the stream holds so far, which may read the values of the last
 * exchange, is done before anyone writes here; what it gets afterwards finds the new ones, and may write to x.
 * Collective. MNP_ERR_TIMEOUT, MNP_ERR_PEER: of an earlier run, as waits.h has it.
 */
mnp_status mnp__ghosts_p2p_run(mnp__ghosts_p2p *p2p, const void *x, mnp__stream *stream);

/* Where the ghosts are, always. */
const void *mnp__ghosts_p2p_values(const mnp__ghosts_p2p *p2p);

#endif
