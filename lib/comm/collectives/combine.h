/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The reduction of values of several ranks to one on the CPU, by the same rules as kernels/comm/combine.cu.
 */
#ifndef MNP__COMM_COLLECTIVES_COMBINE_H
#define MNP__COMM_COLLECTIVES_COMBINE_H

#include <maniple/comm.h>

/*
 * dst[i] = sources[0][i] op sources[1][i] op ..., in that order, `count` elements.  dst may be one of the sources.  The
 * operation must be one that the dtype has; see mnp_op.  For MNP_SUM and MNP_AVG of complex numbers the caller passes
 * their parts as real numbers.
 */
void mnp__combine(mnp_dtype dtype, mnp_op op, int64_t count, int nsources, const void *const *sources, void *dst);

#endif
