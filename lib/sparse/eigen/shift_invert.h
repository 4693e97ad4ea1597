/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The operator (A - sigma)^-1, whose largest eigenvalues are those of A that are nearest sigma.
 */
#ifndef MNP__SPARSE_EIGEN_SHIFT_INVERT_H
#define MNP__SPARSE_EIGEN_SHIFT_INVERT_H

#include <maniple/eigen.h>

typedef struct mnp__shift_invert {
    const mnp_operator *op; /* A */
    double sigma;
    mnp_operator *shifted; /* A - sigma; NULL where the caller gives the inverse */
    mnp_operator *own;     /* its inverse by a solver; NULL likewise */
    mnp_solve_options solve;
    int64_t products; /* of A with a vector, in all systems */
    bool unsolved;    /* a system was not solved */
} mnp__shift_invert;

/*
 * Make the operator for systems that are solved as far as that tolerance of the eigenvalues needs, or take that of the
 * caller: *inverse_p, which belongs to `shift`.  Release `shift` also after a failure.  Collective.  MNP_ERR_ARG,
 * MNP_ERR_MEMORY.
 */
mnp_status mnp__shift_invert_open(const mnp_operator *op, const mnp_eigsh_options *options, mnp__shift_invert *shift,
                                  const mnp_operator **inverse_p);
void mnp__shift_invert_close(mnp__shift_invert *shift);

/* The eigenvalue of A that belongs to one of the inverse. */
static inline double mnp__shift_invert_back(const mnp__shift_invert *shift, double theta)
{
    return shift->sigma + 1 / theta;
}

#endif
