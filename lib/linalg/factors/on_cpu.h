/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Work on matrices that only the CPU has functions for.  On the host a rank's matrices are the CPU's already; on a GPU
 * they are copied to the CPU and back, and its LAPACK computes with one thread.
 */
#ifndef MNP__LINALG_ON_CPU_H
#define MNP__LINALG_ON_CPU_H

#include "linalg/dense/dense.h"

/* The memory of this rank's block, as it lies, on the CPU; close it with `changed` to have it copied back.  Waits. */
mnp_status mnp__on_cpu_open(const mnp_array *array, void **data_p);
mnp_status mnp__on_cpu_close(const mnp_array *array, void *data, bool changed);

/*
 * a = Z T Z^H for copies of a's matrices: LAPACK's gees.  MNP_ERR_LINALG.  Free also after a failure.  Collective.
 */
mnp_status mnp__schur_make(const mnp__place *place, const mnp_array *a, mnp_dtype dtype, mnp__dense *t, mnp__dense *z);

#endif
