/* SPDX-License-Identifier: BSD-3-Clause */
/* Factorisations of one matrix whose columns are dealt out over the ranks: see panels.c. */
#ifndef MNP__LINALG_PANELS_H
#define MNP__LINALG_PANELS_H

#include "linalg/dense/dense.h"

/*
 * In place: a (n x n, lower triangle) = L L^H, and a (m x n) = P L U, with min(m, n) pivots, counted from 1, on every
 * rank.  `info`, of mnp__info_new(), receives what LAPACK would report.  Collective.
 */
mnp_status mnp__panels_potrf(const mnp__place *place, const mnp__dense *a, mnp_array *info);
mnp_status mnp__panels_getrf(const mnp__place *place, const mnp__dense *a, mnp_array *pivots, mnp_array *info);

/* Solve op(A) X = B in place, for triangular A of n x n.  Collective. */
mnp_status mnp__panels_trsm(const mnp__place *place, const mnp__dense *a, bool upper, bool unit, char op,
                            const mnp__dense *b);

/* Interchange rows of B as a factorisation did; back: in the opposite order.  Not collective. */
mnp_status mnp__panels_interchange(const mnp__place *place, const mnp_array *pivots, bool back, const mnp__dense *b);

#endif
