/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * On a GPU: G = R^T R for the Gram matrix of a tall matrix, and R's inverse W, by one block of threads.
 *
 * The matrix is first scaled, so that all is as if the columns had norm 1: G = D S D with ones on S's diagonal.
 * Elimination makes S = L E L^T, and the inverse of the unit triangle L with it: the elements of E L^T are on and above
 * the diagonal of `s`, those of L's inverse below it, without its ones.  So R = E^-1/2 (E L^T) D.
 *
 * Where a pivot is lost in rounding, the diagonal is raised and the elimination begins again: the shift of Fukaya,
 * Kannan, Nakatsukasa, Yamamoto, Yanagisawa: Shifted Cholesky QR for computing the QR factorization of ill-conditioned
 * matrices, 2020.  Columns of zeros, NaN and infinity have no factor.
 *
 * A product with W instead of the solution of a system with R has errors in column l that are eps times the sum over i
 * of |column i| (|W| |R|)[i, l]; the largest of these, relative to column l, is the growth.
 */
#include "kernels/prelude.h"
#include "kernels/linalg/tall_params.h"

__shared__ double mnp_s[MNP_TALL_WIDEST][MNP_TALL_WIDEST + 1], mnp_norm[MNP_TALL_WIDEST], mnp_root[MNP_TALL_WIDEST],
    mnp_sums[MNP_TALL_WIDEST];

/* The distance of G from the identity. */
MNP_INLINE double mnp_distance(const double *g, int n)
{
    double sum = 0;
    for (int i = 0; threadIdx.x < n && i < n; i++) {
        const double x = g[i * n + threadIdx.x] - (i == (int)threadIdx.x);
        sum += x * x;
    }
    if (threadIdx.x < n)
        mnp_sums[threadIdx.x] = sum;
    __syncthreads();
    sum = 0;
    for (int i = 0; i < n; i++)
        sum += mnp_sums[i];
    __syncthreads();
    return sqrt(sum);
}

/* Eliminate below all pivots; false if one of them is less than `least`, or NaN. */
MNP_INLINE bool mnp_eliminate(const double *g, int n, double shift, double least)
{
    for (int e = threadIdx.x; e < n * n; e += MNP_TALL_FACTOR_THREADS) {
        const int i = e / n, j = e % n;
        mnp_s[i][j] = j > i ? g[e] / mnp_norm[i] / mnp_norm[j] : j == i ? 1 + shift : 0;
    }
    __syncthreads();
    bool good = true;
    for (int k = 0; k < n && good; k++) {
        const double pivot = mnp_s[k][k], inverse = 1 / pivot;
        good = pivot >= least;
        for (int i = k + 1 + threadIdx.x / 32; i < n; i += MNP_TALL_FACTOR_THREADS / 32) {
            const double factor = mnp_s[k][i] * inverse;
            for (int j = threadIdx.x % 32; j < n; j += 32)
                if (j >= i || j <= k)
                    mnp_s[i][j] -= factor * (j == k ? 1 : mnp_s[k][j]);
        }
        __syncthreads();
    }
    return good;
}

/* Elements of R and W, both without D; roots are those of the inverse pivots. */
MNP_INLINE double mnp_r(int i, int j)
{
    return i <= j ? mnp_s[i][j] * mnp_root[i] : 0;
}
MNP_INLINE double mnp_w(int i, int j)
{
    return i < j ? mnp_s[j][i] * mnp_root[j] : i == j ? mnp_root[i] : 0;
}

/* The largest sum of a column of |W| |R|. */
MNP_INLINE double mnp_growth(int n)
{
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    double largest = 0;
    for (int l = warp; l < n; l += MNP_TALL_FACTOR_THREADS / 32) {
        double sum = 0;
        for (int i = lane; i <= l; i += 32)
            for (int j = i; j <= l; j++)
                sum += fabs(mnp_w(i, j) * mnp_r(j, l));
        for (int distance = 16; distance > 0; distance /= 2)
            sum += __shfl_xor_sync(0xffffffffu, sum, distance);
        if (lane == 0)
            mnp_sums[l] = sum;
    }
    __syncthreads();
    for (int l = 0; l < n; l++)
        largest = fmax(largest, mnp_sums[l]);
    return largest;
}

MNP_INLINE void mnp_give(const mnp_tall_factor_params &p, int n)
{
    for (int e = threadIdx.x; e < n * n; e += MNP_TALL_FACTOR_THREADS) {
        const int i = e / n, j = e % n;
        p.r[e] = mnp_r(i, j) * mnp_norm[j];
        p.w[e] = mnp_w(i, j) / mnp_norm[i];
    }
    __syncthreads();
    for (int e = threadIdx.x; e < n * n; e += MNP_TALL_FACTOR_THREADS) {
        const int i = e / n, j = e % n;
        double all = p.before ? 0 : p.r[e];
        for (int k = i; p.before && k <= j; k++)
            all += p.r[i * n + k] * p.before[k * n + j];
        p.all[e] = all;
    }
}

extern "C" __global__ void __launch_bounds__(MNP_TALL_FACTOR_THREADS, 1)
    tall_factor(const __grid_constant__ mnp_tall_factor_params p)
{
    const int n = (int)p.columns, own = threadIdx.x;
    const double eps = 0x1p-52, least = 4 * n * eps, first = 16 * n * eps, most = 0.01;
    const double distance = mnp_distance(p.g, n), norm = own < n ? sqrt(p.g[own * (n + 1)]) : 1;
    if (own < n)
        mnp_norm[own] = norm;
    const bool usable = __syncthreads_and(norm > 1e-130 && norm < 1e130); /* squares neither vanish nor overflow */
    bool good = false;
    for (double shift = 0; usable && !good && shift < most; shift = shift == 0 ? first : 16 * shift)
        good = mnp_eliminate(p.g, n, shift, least);
    if (!good) {
        if (own == 0)
            *p.report = {distance, 0, 1};
        return;
    }
    if (own < n)
        mnp_root[own] = 1 / sqrt(mnp_s[own][own]);
    __syncthreads();
    const double growth = mnp_growth(n);
    mnp_give(p, n);
    if (own == 0)
        *p.report = {distance, growth, 0};
}
