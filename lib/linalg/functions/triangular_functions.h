/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of upper triangular matrices of the CPU: see triangular_functions.c. */
#ifndef MNP__LINALG_TRIANGULAR_FUNCTIONS_H
#define MNP__LINALG_TRIANGULAR_FUNCTIONS_H

#include <complex.h>
#include <stdint.h>

/*
 * The principal square root and logarithm of t (n x n, column-major, upper triangular), in place; what is below the
 * diagonal is not used.  `work` has room for n (n + 2) numbers.  0, or the number of the first eigenvalue that is 0,
 * for which there is no logarithm; square roots may have infinite or NaN elements then.
 */
typedef int mnp__triangular_function(int64_t n, double _Complex *t, double _Complex *work);
mnp__triangular_function mnp__triangular_sqrt, mnp__triangular_log;

/*
 * f(T) to f, also upper triangular, for the f(t_ii) in `values`, which may be any numbers.  Returns how much the errors
 * of f(T) are as multiples of rounding errors: the largest sum of moduli above the diagonal in a column of T, divided
 * by the least distance of two eigenvalues; infinite if two are equal and T is not 0 between them.
 */
double mnp__triangular_parlett(int64_t n, const double _Complex *t, const double _Complex *values, double _Complex *f);

#endif
