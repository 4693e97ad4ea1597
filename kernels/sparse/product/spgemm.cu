/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * C = A B of sparse matrices in CSR, by rows (F. Gustavson, "Two fast algorithms for sparse matrices", ACM
 * Transactions on Mathematical Software 4, 1978): row i of C is the sum of the rows of B that have the numbers of the
 * columns of A's row i, each times that entry of A.  There are two passes: the first counts columns, so that memory can
 * be allocated, and the second writes rows with ascending columns.
 *
 * On a GPU sums are kept in hash tables in shared memory, as in Y. Nagasaka, A. Nukada and S. Matsuoka,
 * "High-performance and memory-saving sparse general matrix-matrix multiplication for NVIDIA Pascal GPU", ICPP 2017.
 * Rows are sorted into bins by an upper bound of their length.  A team (some threads of a warp, or a block) computes a
 * row: it takes as many entries of A as it has threads, numbers their products, and divides these evenly among its
 * threads, so that short rows of B leave no thread idle.  The longest rows keep sums for all columns in global memory,
 * with a bit for each column that is present.  Products are added in a fixed order, so results are reproducible:
 * threads that need the same sum detect this, and add one after the other.
 *
 * On the host a worker keeps sums for a window of columns, with a bit for each column that is present, from which the
 * columns are listed in order.  Rows of B have ascending columns, so in each window they continue where they stopped in
 * the one before.
 *
 * Compiled as spgemm_plan with MNP_PLAN 1, or as spgemm_rows with MNP_PLAN 0 and
 *   MNP_VALUE        type of the values
 *   MNP_COUNTS       1: only count columns
 *   MNP_TEAM         on GPUs: threads of a team, a power of two; above 32, a block
 *   MNP_BLOCK        threads of a block
 *   MNP_MOST         the most columns of a row, a power of two; 0: any number, in global memory
 *   MNP_TEAM_BYTES   shared memory of a team, a multiple of 16
 */
#include "kernels/prelude.h"
#include "kernels/prefix_sum.h"
#include "kernels/sparse/product/spgemm_params.h"
#include "kernels/lines.h"

MNP_INLINE int64_t offset(const mnp_spgemm_matrix &matrix, int64_t i)
{
    return matrix.wide ? ((const int64_t *)matrix.offsets)[i] : ((const int *)matrix.offsets)[i];
}

MNP_INLINE int64_t row_length(const mnp_spgemm_matrix &matrix, int64_t row)
{
    return offset(matrix, row + 1) - offset(matrix, row);
}

#if !MNP_PLAN
/* sum += factor * value */
template <typename R> MNP_INLINE void add_product(R &sum, R factor, R value)
{
    sum += factor * value;
}
template <typename R> MNP_INLINE void add_product(mnp_complex<R> &sum, mnp_complex<R> factor, mnp_complex<R> value)
{
    sum.re += factor.re * value.re - factor.im * value.im;
    sum.im += factor.re * value.im + factor.im * value.re;
}
#endif

#if MNP_PLAN
enum { RECORD = 1 + MNP_SPGEMM_BINS };

MNP_INLINE int64_t count_tiles(const mnp_spgemm_plan_params &p)
{
    return (p.rows + MNP_SPGEMM_TILE - 1) / MNP_SPGEMM_TILE;
}
#endif

#if MNP_CUDA
#include "kernels/sparse/product/spgemm_cuda.h"
#else
#include "kernels/sparse/product/spgemm_host.h"
#endif
