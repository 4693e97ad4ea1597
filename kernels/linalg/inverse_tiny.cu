/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * On a GPU: the inverses of many matrices of MNP_N rows, few enough that a thread has one of them in its registers, of
 * MNP_T, by Gauss and Jordan's elimination with pivots.
 *
 * Step k brings the row with the largest element of column k, of those from k on, to row k, and replaces all elements
 * as inverse.cu does.  The rows that changed places are columns of the inverse, which change back in the end.
 */
#include "kernels/prelude.h"
#include "kernels/linalg/inverse_params.h"
#include "kernels/linalg/pivots.h"

struct mnp_tiny {
    MNP_T at[MNP_N][MNP_N]; /* all indices are known when this is compiled, so that it is in registers */
    int pivots[MNP_N];
};

MNP_INLINE void mnp_swap(MNP_T &x, MNP_T &y)
{
    const MNP_T kept = x;
    x = y;
    y = kept;
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
        if (i == pivot)
#pragma unroll
            for (int j = 0; j < MNP_N; j++)
                mnp_swap(m.at[k][j], m.at[i][j]);
}

/* Replace all elements by what they are after step k. */
MNP_INLINE void mnp_eliminate(mnp_tiny &m, int k)
{
    const MNP_T inverse = mnp_reciprocal(m.at[k][k]);
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

MNP_KERNEL(inverse_tiny, mnp_inverse_params)
{
    MNP_FOR (b, p.count) {
        MNP_T *matrix = (MNP_T *)p.matrices + b * p.step;
        mnp_tiny m;
        int report = 0;
#pragma unroll
        for (int j = 0; j < MNP_N; j++)
#pragma unroll
            for (int i = 0; i < MNP_N; i++)
                m.at[i][j] = matrix[j * p.ld + i];
#pragma unroll
        for (int k = 0; k < MNP_N; k++) {
            mnp_bring_pivot(m, k);
            if (report == 0 && mnp_size(m.at[k][k]) == 0)
                report = k + 1;
            mnp_eliminate(m, k);
        }
#pragma unroll
        for (int k = MNP_N - 1; k >= 0; k--)
#pragma unroll
            for (int j = k + 1; j < MNP_N; j++)
                if (j == m.pivots[k])
#pragma unroll
                    for (int i = 0; i < MNP_N; i++)
                        mnp_swap(m.at[i][k], m.at[i][j]);
#pragma unroll
        for (int j = 0; j < MNP_N; j++)
#pragma unroll
            for (int i = 0; i < MNP_N; i++)
                matrix[j * p.ld + i] = m.at[i][j];
        p.info[b] = report;
    }
}
