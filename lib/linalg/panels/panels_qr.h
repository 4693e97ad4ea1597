/* SPDX-License-Identifier: BSD-3-Clause */
/* QR factorisations of one matrix whose columns are dealt out over the ranks, and products with Q: see panels_qr.c. */
#ifndef MNP__LINALG_PANELS_QR_H
#define MNP__LINALG_PANELS_QR_H

#include "linalg/dense/dense.h"

/*
 * In place: a (m x n) = Q R.  R is on and above the diagonal then, below it are LAPACK's reflectors; their min(m, n)
 * factors go to `factors`, a vector that is on every rank.  Collective.
 */
mnp_status mnp__panels_geqrf(const mnp__place *place, const mnp__dense *a, mnp_array *factors);

/*
 * B = Q B, or with `adjoint` Q^H B, for the Q of so many reflectors as there are factors.  Reflector j is in column j
 * of `a`, from row j + below + 1 on, and has a one in row j + below: `below` is 0 for mnp__panels_geqrf().  `unit`: B
 * is the identity's first columns, so that B's columns before a panel are not touched by its reflectors.  Collective.
 */
mnp_status mnp__panels_ormqr(const mnp__place *place, const mnp__dense *a, int64_t below, const mnp_array *factors,
                             bool adjoint, bool unit, const mnp__dense *b);

#endif
