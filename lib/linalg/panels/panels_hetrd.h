/* SPDX-License-Identifier: BSD-3-Clause */
/* One Hermitian matrix whose columns are dealt out over the ranks to tridiagonal form: see panels_hetrd.c. */
#ifndef MNP__LINALG_PANELS_HETRD_H
#define MNP__LINALG_PANELS_HETRD_H

#include "linalg/dense/dense.h"

/*
 * a (n x n, n >= 1, both triangles) = Q T Q^H with a real tridiagonal T, whose diagonal (n) and other diagonal (n - 1)
 * every rank receives on the CPU.  Q is left in `a` and in the n - 1 factors, a vector on every rank, as
 * mnp__panels_ormqr() takes it with `below` 1.  Collective.
 */
mnp_status mnp__panels_hetrd(const mnp__place *place, const mnp__dense *a, mnp_array *factors, double *diagonal,
                             double *other);

#endif
