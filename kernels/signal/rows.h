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
#else
#define FOR_ROWS(row, n) MNP_FOR (row, n)
#endif

/*
 * write(i, read(i)) for the elements of a row.  A thread of a GPU reads four before it writes any: as far as the
 * compiler knows a write may change what is read next, so that it would wait for memory with every element.
 */
template <typename Read, typename Write> MNP_INLINE void for_row(int64_t n, Read read, Write write)
{
#if MNP_CUDA
    int64_t i = threadIdx.x % 32;
    for (; i + 96 < n; i += 128) {
        const auto a = read(i), b = read(i + 32), c = read(i + 64), d = read(i + 96);
        write(i, a);
        write(i + 32, b);
        write(i + 64, c);
        write(i + 96, d);
    }
    for (; i < n; i += 32)
        write(i, read(i));
#else
    for (int64_t i = 0; i < n; i++)
        write(i, read(i));
#endif
}

#endif
