/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loops over many rows: on a GPU a warp takes a row at a time and its threads the elements, so that an index is divided
 * once a row; on the host a worker takes a row.
 */
#ifndef MNP_KERNELS_SIGNAL_ROWS_H
#define MNP_KERNELS_SIGNAL_ROWS_H

#include "kernels/prelude.h"

#if MNP_CUDA
#define FOR_ROWS(row, n)                                                                                               \
    for (int64_t row = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / 32; row < (n);                               \
         row += (int64_t)gridDim.x * blockDim.x / 32)
#define FOR_ROW(i, n) for (int64_t i = threadIdx.x % 32; i < (n); i += 32)
#else
#define FOR_ROWS(row, n) MNP_FOR (row, n)
#define FOR_ROW(i, n) for (int64_t i = 0; i < (n); i++)
#endif

#endif
