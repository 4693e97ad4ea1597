/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bidiagonalisation by products with A and A^H (G. Golub, W. Kahan, "Calculating the singular values and pseudo-inverse
 * of a matrix", SIAM J. Numer. Anal. 2, 1965), from which lsqr and lsmr make their iterates:
 *
 *   first  beta u = r,             alpha v = A^H u
 *   then   beta u = A v - alpha u, alpha v = A^H u - beta v
 *
 * u and v have a norm of 1.  The last part, alpha and v from q = A^H u, is the method's, as it has other vectors there.
 */
#ifndef MNP__SPARSE_KRYLOV_BIDIAGONAL_H
#define MNP__SPARSE_KRYLOV_BIDIAGONAL_H

#include "sparse/krylov/method.h"

/* The first of a method's vectors; u and a product follow the last in the layout of x. */
enum { MNP__V, MNP__Q, MNP__BIDIAGONAL_WORK };
enum { MNP__BIDIAGONAL_ROWS = 2 };

/* The first of a method's scalars. */
#define MNP__BIDIAGONAL_SCALARS "alpha, beta, inverse"

/* The first u and q from the residual r.  The method breaks down where r is 0 or not finite.  Enqueued. */
mnp_status mnp__bidiagonal_start(mnp__system *s);

/* The next u and q.  Enqueued. */
mnp_status mnp__bidiagonal_next(mnp__system *s);

#endif
