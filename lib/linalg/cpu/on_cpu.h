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
 * Run an operation of the CPU's LAPACK on this rank's matrices.  `arrays` has what the job's fields of these names
 * point to, NULL where the operation has none.  Not collective.
 */
typedef enum mnp__job_array {
    MNP__JOB_A,
    MNP__JOB_B,
    MNP__JOB_C,
    MNP__JOB_D,
    MNP__JOB_VALUES,
    MNP__JOB_PIVOTS,
    MNP__JOB_INFO,
    MNP__JOB_ARRAYS
} mnp__job_array;
mnp_status mnp__on_cpu_run(const mnp__place *place, mnp__lapack_op *op, mnp__lapack_job job,
                           const mnp_array *const arrays[MNP__JOB_ARRAYS]);

/*
 * a = Z T Z^H for copies of a's matrices: LAPACK's gees.  MNP_ERR_LINALG.  Free also after a failure.  Collective.
 */
mnp_status mnp__schur_make(const mnp__place *place, const mnp_array *a, mnp_dtype dtype, mnp__dense *t, mnp__dense *z);

/* Which rows of a's matrices an array of bool selects, as pivots of trsen and tgsen.  MNP_ERR_ARG.  Collective. */
mnp_status mnp__select_read(const mnp__place *place, const mnp_array *a, const mnp_array *select, mnp_array **read_p);

#define MNP__NOT_REORDERED                                                                                             \
    "was not brought to that order: two eigenvalues are not finite, or too close to each other to change places"

#endif
