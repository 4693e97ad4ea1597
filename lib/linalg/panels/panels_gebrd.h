/* SPDX-License-Identifier: BSD-3-Clause */
/* One matrix whose columns are dealt out over the ranks to bidiagonal form: see panels_gebrd.c. */
#ifndef MNP__LINALG_PANELS_GEBRD_H
#define MNP__LINALG_PANELS_GEBRD_H

#include "linalg/dense/dense.h"

/*
 * a (m x n, m >= n >= 1) = Q B P^H with a real upper bidiagonal B, whose diagonal (n) and other diagonal (n - 1) every
 * rank receives on the CPU.  Q is left in `a` and in n factors, as mnp__panels_ormqr() takes it with `below` 0; P in
 * `right` (n x n, spread as `a` is) and in n - 1 factors, with `below` 1.  The factors are vectors on every rank.
 * Collective.
 */
mnp_status mnp__panels_gebrd(const mnp__place *place, const mnp__dense *a, mnp_array *factors, const mnp__dense *right,
                             mnp_array *right_factors, double *diagonal, double *other);

#endif
