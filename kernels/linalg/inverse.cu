/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * On a GPU: the inverses of many small matrices of MNP_T, by Gauss and Jordan's elimination with pivots.  A block of 16
 * x 16 threads has a matrix in registers, of at most 16 MNP_HELD rows; thread (i, j) has elements (i + 16 a, j + 16 b).
 *
 * Step k chooses the row p[k] with the largest element of column k, of those that were not chosen before, and replaces
 * all elements: the pivot by its inverse, row p[k] by that times the inverse, column k by minus that times the inverse,
 * and from all others the product of their elements in column k and the new row p[k] is subtracted.  Rows stay where
 * they are: in the end element (p[k], j) is element (k, p[j]) of the inverse.
 */
#include "kernels/prelude.h"
#include "kernels/linalg/inverse_params.h"
#include "kernels/linalg/pivots.h"

extern __shared__ __align__(16) unsigned char mnp_shared[]; /* n rows of n + 1 elements */

/*
 * The row of a column's largest element, the first of them, of rows that are not `chosen`.  Every warp finds the row by
 * itself.
 */
MNP_INLINE int mnp_find_pivot(const MNP_T *column, int n, uint64_t chosen)
{
    typedef decltype(mnp_size(MNP_T())) mnp_real;
    int found = MNP_INVERSE_MOST;
    mnp_real largest = -1;
    for (int i = threadIdx.x % 32; i < n; i += 32) {
        const mnp_real size = mnp_pivot_size(column[i]);
        if (!(chosen >> i & 1) && size > largest) {
            largest = size;
            found = i;
        }
    }
    for (int distance = 16; distance > 0; distance /= 2) {
        const mnp_real size = __shfl_xor_sync(0xffffffffu, largest, distance);
        const int row = __shfl_xor_sync(0xffffffffu, found, distance);
        if (size > largest || (size == largest && row < found)) {
            largest = size;
            found = row;
        }
    }
    return found;
}

/* Call body(a, b) for the elements (i + 16 a, j + 16 b) of this thread. */
template <typename Body> MNP_INLINE void mnp_each_held(Body body)
{
#pragma unroll
    for (int a = 0; a < MNP_HELD; a++)
#pragma unroll
        for (int b = 0; b < MNP_HELD; b++)
            body(a, b);
}

extern "C" __global__ void __launch_bounds__(MNP_INVERSE_SIDE *MNP_INVERSE_SIDE)
    inverse(const __grid_constant__ mnp_inverse_params p)
{
    enum { SIDE = MNP_INVERSE_SIDE, HELD = MNP_HELD };
    __shared__ MNP_T columns[2][MNP_INVERSE_MOST], row[MNP_INVERSE_MOST];
    __shared__ int pivots[MNP_INVERSE_MOST], steps[MNP_INVERSE_MOST];
    const int n = (int)p.n, i = threadIdx.x % SIDE, j = threadIdx.x / SIDE;
    MNP_T *matrix = (MNP_T *)p.matrices + (int64_t)blockIdx.x * p.step, *result = (MNP_T *)mnp_shared;
    MNP_T held[HELD][HELD];
    uint64_t chosen = 0;
    int report = 0;
    mnp_each_held([&](int a, int b) {
        const bool there = i + SIDE * a < n && j + SIDE * b < n;
        held[a][b] = there ? matrix[(j + SIDE * b) * p.ld + i + SIDE * a] : MNP_T{};
        if (b == 0 && j == 0)
            columns[0][i + SIDE * a] = held[a][0];
    });
    __syncthreads();
#pragma unroll
    for (int band = 0; band < HELD; band++)
#pragma unroll 1
        for (int k = SIDE * band; k < SIDE * (band + 1) && k < n; k++) {
            const MNP_T *column = columns[k % 2];
            const int pivot = mnp_find_pivot(column, n, chosen);
            chosen |= (uint64_t)1 << pivot;
#pragma unroll
            for (int a = 0; a < HELD; a++)
                if (pivot == i + SIDE * a)
#pragma unroll
                    for (int b = 0; b < HELD; b++)
                        row[j + SIDE * b] = held[a][b];
            if (threadIdx.x == 0) {
                pivots[k] = pivot;
                steps[pivot] = k;
            }
            if (report == 0 && mnp_size(column[pivot]) == 0)
                report = k + 1;
            const MNP_T inverse = mnp_inverted(column[pivot]);
            __syncthreads();
#pragma unroll
            for (int b = 0; b < HELD; b++) {
                const bool is_column = j + SIDE * b == k;
                const MNP_T scaled = is_column ? inverse : row[j + SIDE * b] * inverse;
#pragma unroll
                for (int a = 0; a < HELD; a++) {
                    const bool is_row = i + SIDE * a == pivot;
                    const MNP_T before = is_column ? MNP_T{} : held[a][b];
                    held[a][b] = is_row ? scaled : before - column[i + SIDE * a] * scaled;
                    if (j + SIDE * b == k + 1)
                        columns[(k + 1) % 2][i + SIDE * a] = held[a][b];
                }
            }
            __syncthreads();
        }
    mnp_each_held([&](int a, int b) {
        if (i + SIDE * a < n && j + SIDE * b < n)
            result[pivots[j + SIDE * b] * (n + 1) + steps[i + SIDE * a]] = held[a][b];
    });
    __syncthreads();
    mnp_each_held([&](int a, int b) {
        if (i + SIDE * a < n && j + SIDE * b < n)
            matrix[(j + SIDE * b) * p.ld + i + SIDE * a] = result[(j + SIDE * b) * (n + 1) + i + SIDE * a];
    });
    if (threadIdx.x == 0)
        p.info[blockIdx.x] = report;
}
