/* SPDX-License-Identifier: BSD-3-Clause */
/* Inverses on GPUs, of small and of large matrices: see inverse.c. */
#ifndef MNP__LINALG_INVERSE_H
#define MNP__LINALG_INVERSE_H

#include "linalg/factors/lu.h"

/* Whether matrices of n x n are inverted by the kernel for small ones. */
bool mnp__inverse_of_small_serves(const mnp__place *place, mnp_dtype dtype, int64_t n);

/* Replace matrices by their inverses; `info`, 0 before, has what LAPACK's getrf reports about each.  Collective. */
mnp_status mnp__inverse_of_small(const mnp__place *place, const mnp__dense *matrices, const mnp_array *info);

/* Whether one large matrix is inverted by products with its factors. */
bool mnp__inverse_by_products_serves(const mnp__place *place, const mnp__lu *lu);

/* A new matrix that is the inverse.  Collective. */
mnp_status mnp__inverse_by_products(const mnp__place *place, const mnp__lu *lu, mnp__dense *inverse);

#endif
