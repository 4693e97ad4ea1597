/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parameter of level_sweep.cu, shared by the library (C) and the kernel (C++).  lib/sparse/precond/level_sweep.h
 * says how the rows lie.
 */
#ifndef MNP_KERNELS_SPARSE_PRECOND_LEVEL_SWEEP_PARAMS_H
#define MNP_KERNELS_SPARSE_PRECOND_LEVEL_SWEEP_PARAMS_H

enum { MNP_LEVEL_SWEEP_THREADS = 1024 }; /* of a block, at most */

struct mnp_level_sweep_params {
    long long first, step, count; /* groups of this launch: the first, 1 or -1 to the next, and how many */
    unsigned long long groups;    /* address of the positions at which the rows of a group begin, int64 */
    unsigned long long rows;      /* and of the row at every position, int32 */
    unsigned long long offsets;   /* of where the entries of a slice of MNP_SLICE positions begin, int64 */
    unsigned long long lengths;   /* of how many a row has, int32, by positions; not used where slices have one */
    /* of entries: number j of a row is at its slice's + j * MNP_SLICE + its position in it */
    unsigned long long columns, values;
    unsigned long long inverse; /* by rows; 0: ones */
    /* addresses of the vectors, which may be the same, `width` of them side by side; b may be 0: zeros */
    unsigned long long b, from, x;
    long long width;
    double keep;
};

#endif
