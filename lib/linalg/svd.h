/* SPDX-License-Identifier: BSD-3-Clause */
/* Singular values of matrices that a rank has whole. */
#ifndef MNP__LINALG_SVD_H
#define MNP__LINALG_SVD_H

#include "linalg/dense.h"

/* A = U diag(s) V^H; u and vh are views of the two matrices, which may be transposed. */
typedef struct mnp__svd {
    mnp_array *u, *s, *vh;
    mnp__dense left, right;
} mnp__svd;

/*
 * Decompose copies of a's matrices: values alone, or also vectors, with `full` square U and V^H.  MNP_ERR_LINALG.  Free
 * also after a failure.  Collective.
 */
mnp_status mnp__svd_make(const mnp__place *place, const mnp_array *a, mnp_dtype dtype, bool vectors, bool full,
                         mnp__svd *svd);
void mnp__svd_free(mnp__svd *svd);

#endif
