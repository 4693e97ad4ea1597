/* SPDX-License-Identifier: BSD-3-Clause */
/* QR factorisations of one tall matrix, whose rows may be cut over the ranks: see tall.c. */
#ifndef MNP__LINALG_TALL_H
#define MNP__LINALG_TALL_H

#include "linalg/dense/dense.h"

/* Whether the matrix of a place is one, and so tall that mnp__tall_qr() is the way to factor it. */
bool mnp__tall_serves(const mnp__place *place, const mnp_array *a);

/*
 * a (m x n) = q r, with new arrays: q (m x n) with its rows over the ranks, unless `a` is not cut; r (n x n) on every
 * rank that has a part of q.  *done_p is false, and nothing is made, if Householder's reflectors have to be used for a
 * matrix that is not cut.  Collective.
 */
mnp_status mnp__tall_qr(const mnp__place *place, const mnp_array *a, mnp_dtype dtype, mnp_array **q_p, mnp_array **r_p,
                        bool *done_p);

#endif
