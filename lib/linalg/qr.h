/* SPDX-License-Identifier: BSD-3-Clause */
/* QR factorisations of matrices that a rank has whole. */
#ifndef MNP__LINALG_QR_H
#define MNP__LINALG_QR_H

#include "linalg/dense.h"

/* R on and above the diagonal of `reflectors`, and the reflectors below it, with their factors: LAPACK's geqrf. */
typedef struct mnp__qr {
    mnp__dense reflectors;
    mnp_array *factors;
} mnp__qr;

/* Factor copies of a's matrices.  Free also after a failure.  Collective. */
mnp_status mnp__qr_make(const mnp__place *place, const mnp_array *a, mnp_dtype dtype, mnp__qr *qr);
void mnp__qr_free(mnp__qr *qr);

#endif
