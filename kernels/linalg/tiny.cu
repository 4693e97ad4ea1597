/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * On a GPU: what is computed of many matrices of MNP_N rows, few enough that a thread has one of them in its registers,
 * of MNP_T, by elimination with pivots.
 *
 *   MNP_TASK   one of tiny_params.h
 *
 * Step k brings the row with the largest element of column k, of those from k on, to row k.  For inverses, it then
 * replaces all elements as inverse.cu does (Gauss and Jordan), and the rows that changed places are columns of the
 * inverse, which change back in the end.  For the others it leaves U on and above the diagonal, and L below it.
 */
#include "kernels/prelude.h"
#include "kernels/linalg/pivots.h"
#include "kernels/linalg/tiny_params.h"

struct mnp_tiny {
    MNP_T at[MNP_N][MNP_N]; /* all indices are known when this is compiled, so that it is in registers */
    int pivots[MNP_N];
    int zero; /* the number of the first pivot that is 0, from 1 on; 0: none */
};

/* Without a branch, from several of which the compiler would make an array that is indexed, in memory. */
template <typename R> MNP_INLINE void mnp_swap_if(bool swaps, R &x, R &y)
{
    const R first = swaps ? y : x, second = swaps ? x : y;
    x = first;
    y = second;
}
template <typename R> MNP_INLINE void mnp_swap_if(bool swaps, mnp_complex<R> &x, mnp_complex<R> &y)
{
    mnp_swap_if(swaps, x.re, y.re);
    mnp_swap_if(swaps, x.im, y.im);
}

/* Bring the row of column k's pivot to row k. */
MNP_INLINE void mnp_bring_pivot(mnp_tiny &m, int k)
{
    auto largest = mnp_pivot_size(m.at[k][k]);
    int pivot = k;
#pragma unroll
    for (int i = k + 1; i < MNP_N; i++) {
        const auto size = mnp_pivot_size(m.at[i][k]);
        if (size > largest) {
            largest = size;
            pivot = i;
        }
    }
    m.pivots[k] = pivot;
#pragma unroll
    for (int i = k + 1; i < MNP_N; i++)
#pragma unroll
        for (int j = 0; j < MNP_N; j++)
            mnp_swap_if(i == pivot, m.at[k][j], m.at[i][j]);
    if (m.zero == 0 && mnp_size(m.at[k][k]) == 0)
        m.zero = k + 1;
}

/* Step k of an inverse: replace all elements. */
MNP_INLINE void mnp_replace(mnp_tiny &m, int k)
{
    const MNP_T inverse = mnp_inverted(m.at[k][k]);
#pragma unroll
    for (int j = 0; j < MNP_N; j++)
        m.at[k][j] = j == k ? inverse : m.at[k][j] * inverse;
#pragma unroll
    for (int i = 0; i < MNP_N; i++) {
        const MNP_T by = m.at[i][k];
        if (i == k)
            continue;
#pragma unroll
        for (int j = 0; j < MNP_N; j++)
            m.at[i][j] = (j == k ? MNP_T{} : m.at[i][j]) - by * m.at[k][j];
    }
}

/* Step k of a factorisation: subtract multiples of row k from those below. */
MNP_INLINE void mnp_eliminate(mnp_tiny &m, int k)
{
#pragma unroll
    for (int i = k + 1; i < MNP_N; i++) {
        const MNP_T by = mnp_ratio(m.at[i][k], m.at[k][k]);
        m.at[i][k] = by;
#pragma unroll
        for (int j = k + 1; j < MNP_N; j++)
            m.at[i][j] = m.at[i][j] - by * m.at[k][j];
    }
}

MNP_INLINE mnp_tiny mnp_read(const MNP_T *matrix)
{
    mnp_tiny m;
    m.zero = 0;
#pragma unroll
    for (int i = 0; i < MNP_N; i++)
#pragma unroll
        for (int j = 0; j < MNP_N; j++)
            m.at[i][j] = matrix[i * MNP_N + j];
    return m;
}

#if MNP_TASK == MNP_TINY_INVERSE

MNP_INLINE void mnp_run(const mnp_tiny_params &p, mnp_tiny &m, int64_t number)
{
    MNP_T *inverse = (MNP_T *)p.results + number * (MNP_N * MNP_N);
#pragma unroll
    for (int k = 0; k < MNP_N; k++) {
        mnp_bring_pivot(m, k);
        mnp_replace(m, k);
    }
#pragma unroll
    for (int k = MNP_N - 1; k >= 0; k--)
#pragma unroll
        for (int j = k + 1; j < MNP_N; j++)
#pragma unroll
            for (int i = 0; i < MNP_N; i++)
                mnp_swap_if(j == m.pivots[k], m.at[i][k], m.at[i][j]);
#pragma unroll
    for (int i = 0; i < MNP_N; i++)
#pragma unroll
        for (int j = 0; j < MNP_N; j++)
            inverse[i * MNP_N + j] = m.at[i][j];
    p.info[number] = m.zero;
}

#elif MNP_TASK == MNP_TINY_DETERMINANT

MNP_INLINE void mnp_run(const mnp_tiny_params &p, mnp_tiny &m, int64_t number)
{
    mnp_determinant d;
    d.start();
#pragma unroll
    for (int k = 0; k < MNP_N; k++) {
        mnp_bring_pivot(m, k);
        mnp_eliminate(m, k);
        d.take(m.at[k][k], m.pivots[k] != k);
    }
    d.give((MNP_T *)p.results, p.logarithms, number);
}

#else

MNP_INLINE void mnp_run(const mnp_tiny_params &p, mnp_tiny &m, int64_t number)
{
#pragma unroll
    for (int k = 0; k < MNP_N; k++) {
        mnp_bring_pivot(m, k);
        mnp_eliminate(m, k);
    }
    for (int64_t c = 0; c < p.columns; c++) {
        MNP_T *column = (MNP_T *)p.results + number * p.step + c * p.ld, x[MNP_N];
#pragma unroll
        for (int i = 0; i < MNP_N; i++)
            x[i] = column[i];
#pragma unroll
        for (int k = 0; k < MNP_N; k++)
#pragma unroll
            for (int i = k + 1; i < MNP_N; i++)
                mnp_swap_if(i == m.pivots[k], x[k], x[i]);
#pragma unroll
        for (int k = 0; k < MNP_N; k++)
#pragma unroll
            for (int i = k + 1; i < MNP_N; i++)
                x[i] = x[i] - m.at[i][k] * x[k];
#pragma unroll
        for (int k = MNP_N - 1; k >= 0; k--) {
            x[k] = mnp_ratio(x[k], m.at[k][k]);
#pragma unroll
            for (int i = 0; i < k; i++)
                x[i] = x[i] - m.at[i][k] * x[k];
        }
#pragma unroll
        for (int i = 0; i < MNP_N; i++)
            column[i] = x[i];
    }
    p.info[number] = m.zero;
}

#endif

MNP_KERNEL(tiny, mnp_tiny_params)
{
    MNP_FOR (number, p.count) {
        mnp_tiny m = mnp_read((const MNP_T *)p.matrices + number * (MNP_N * MNP_N));
        mnp_run(p, m, number);
    }
}
