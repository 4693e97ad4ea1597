/* SPDX-License-Identifier: BSD-3-Clause */
/* QR factorisations of one tall matrix, whose rows may be cut over the ranks: see tall.c. */
#ifndef MNP__LINALG_TALL_H
#define MNP__LINALG_TALL_H

#include "linalg/dense/dense.h"

/*
 * A (m x n) = Q R with Q = q, or Q = q w where w is not NULL: a product that is still to be made, and can be made with
 * another one.  The rows of q are over the ranks, unless A is not cut; w and r (n x n) are on every rank that has a
 * part of q.  w is float64.
 */
typedef struct mnp__tall_qr {
    mnp_array *q, *w, *r;
} mnp__tall_qr;

static inline void mnp__tall_release(mnp__tall_qr *tall)
{
    mnp_free_all(tall->q, tall->w, tall->r);
    tall->q = tall->w = tall->r = NULL;
}

/* Whether the matrix of a place is one, and so tall that mnp__tall_factor() is the way to factor it. */
bool mnp__tall_serves(const mnp__place *place, const mnp_array *a);

/*
 * Factor `a`.  *done_p is false, and nothing is made, if Householder's reflectors have to be used for a matrix that is
 * not cut.  Collective.
 */
mnp_status mnp__tall_factor(const mnp__place *place, const mnp_array *a, mnp_dtype dtype, mnp__tall_qr *tall,
                            bool *done_p);

/*
 * The same for a matrix that may be square, of float32 or complex64 and so large that Cholesky's method in twice the
 * precision is faster than reflectors; *done_p is false also where that does not serve.  Collective.
 */
mnp_status mnp__tall_factor_in_doubles(const mnp__place *place, const mnp_array *a, mnp_dtype dtype, mnp__tall_qr *tall,
                                       bool *done_p);

/* q = Q u, which takes the place of q; u (n x n) is of q's dtype; NULL: the identity.  Collective. */
mnp_status mnp__tall_finish(const mnp__place *place, mnp__tall_qr *tall, const mnp_array *u);

/* ---- by kernels of our own, on a GPU: tall_passes.c ---- */

/* Whether these serve for a dtype and so many columns on a device that is as fast in float64. */
bool mnp__tall_passes_serve(mnp_dtype dtype, int64_t columns);

/*
 * Factor the matrix `from`, whose blocks are dense in C order, with q, as large and of the same dtype and layout, or
 * `from` itself.  Sets w and r.  *done_p is false, and nothing is made, if the matrix is singular, or not finite.
 */
mnp_status mnp__tall_passes_factor(const mnp__place *place, const mnp_array *from, mnp_array *q, mnp_array **w_p,
                                   mnp_array **r_p, bool *done_p);

/* q = q factor, in place; factor (n x n) is float64, on all ranks. */
mnp_status mnp__tall_passes_multiply(const mnp__place *place, mnp_array *q, const mnp_array *factor);

/* A new replicated matrix of n x n.  Collective. */
mnp_status mnp__tall_square(const mnp__place *place, mnp_dtype dtype, int64_t n, mnp_array **square_p);

#endif
