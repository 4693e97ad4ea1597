/* SPDX-License-Identifier: BSD-3-Clause */
/* LU factorisations with partial pivoting, of matrices that a rank has whole, or that are spread. */
#ifndef MNP__LINALG_LU_H
#define MNP__LINALG_LU_H

#include "linalg/dense/dense.h"

/* P L U of each matrix: L below the diagonal, U on and above it; row i was interchanged with pivots[i], from 1 on. */
typedef struct mnp__lu {
    mnp__dense factors;
    mnp_array *pivots, *info;
} mnp__lu;

/* Factor copies of a's matrices; `info` has what is reported about each.  Free also after a failure.  Collective. */
mnp_status mnp__lu_make(const mnp__place *place, const mnp_array *a, mnp_dtype dtype, mnp__lu *lu);
void mnp__lu_free(mnp__lu *lu);

/* Solve op(A) X = B in place, B's columns being right-hand sides.  Collective. */
mnp_status mnp__lu_solve(const mnp__place *place, const mnp__lu *lu, char op, const mnp__dense *b);

/* From interchanges to the rows that they bring to each place: perm[i] is the row of A that becomes row i. */
void mnp__lu_permute(const int32_t *pivots, int64_t count, int64_t m, int32_t *perm);

/* New matrices that are the inverses; the factors are destroyed.  Collective. */
mnp_status mnp__lu_invert(const mnp__place *place, const mnp__lu *lu, mnp__dense *inverse);

#endif
