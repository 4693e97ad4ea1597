/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parameter of level_sweep.cu, shared by the library (C) and the kernel (C++).  lib/sparse/precond/level_sweep.h
 * describes how the rows are stored.
 */
#ifndef MNP_KERNELS_SPARSE_PRECOND_LEVEL_SWEEP_PARAMS_H
#define MNP_KERNELS_SPARSE_PRECOND_LEVEL_SWEEP_PARAMS_H

enum { MNP_LEVEL_SWEEP_THREADS = 1024 }; /* of a block, at most */

struct mnp_level_sweep_params {
    long long first, step, count; /* groups of this launch: the first, the step 1 or -1 to the next, how many */
    unsigned long long groups;    /* address of the first position of each group, int64 */
    unsigned long long rows;      /* address of the row at every position, int32 */
    unsigned long long offsets;   /* address of where the entries of a slice of MNP_SLICE positions begin, int64 */
    unsigned long long
        lengths; /* address of the entries' number at every position, int32; not used if MNP_SLICE is 1 */
    /*
     * addresses of the entries: entry j of a row is at its slice's offset + j * MNP_SLICE + its position in the slice
     */
    unsigned long long columns, values;
    unsigned long long inverse; /* address of the inverse diagonal, by rows; 0: ones */
    /*
     * addresses of the vectors, each `width` vectors side by side; they may be equal; b may be 0 and stands for zeros
     */
    unsigned long long b, from, x;
    long long width;
    double keep;
};

#endif
