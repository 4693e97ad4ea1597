/* SPDX-License-Identifier: BSD-3-Clause */
/* What functions of matrices by Schur's decomposition have in common. */
#ifndef MNP__LINALG_OF_SCHUR_H
#define MNP__LINALG_OF_SCHUR_H

#include <maniple/array.h>

/* Z F Z^H.  Collective. */
mnp_status mnp__schur_put_together(const mnp_array *z, const mnp_array *f, mnp_array **out_p);

#endif
