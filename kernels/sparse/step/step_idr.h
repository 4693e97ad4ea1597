/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The small systems of IDR(s), kept in device memory (M. B. van Gijzen, P. Sonneveld, "Algorithm 913: an elegant IDR(s)
 * variant that efficiently exploits biorthogonality properties", ACM TOMS 38, 2011).  One thread does them.
 */
template <int S> struct mnp_idr {
    mnp_w c[S];    /* coefficients of the newest direction */
    mnp_w a[S];    /* what makes it orthogonal to the shadow vectors before its own */
    mnp_w f[S];    /* products of the residual with the shadow vectors */
    mnp_w m[S][S]; /* those of the images; m[i][j]: shadow vector i, image j */

    MNP_INLINE void start()
    {
        for (int i = 0; i < S; i++)
            for (int j = 0; j < S; j++)
                m[i][j] = number(i == j);
    }
    MNP_INLINE void set(const mnp_w *products)
    {
        for (int i = 0; i < S; i++)
            f[i] = products[i];
    }
    /* c solves the lower right part of m, from k on, for f. */
    MNP_INLINE void solve(int k)
    {
        for (int i = 0; i < S; i++) {
            mnp_w sum = i < k ? number(0) : f[i];
            for (int j = k; j < i; j++)
                sum -= m[i][j] * c[j];
            c[i] = i < k ? number(0) : sum / m[i][i];
        }
    }
    /* From the products of image k with the shadow vectors: how it becomes orthogonal to those before k. */
    MNP_INLINE void orthogonalize(int k, const mnp_w *products)
    {
        for (int i = 0; i < S; i++) {
            mnp_w left = products[i];
            for (int j = 0; j < (i < k ? i : k); j++)
                left -= m[i][j] * a[j];
            if (i < k)
                a[i] = left / m[i][i];
            else
                m[i][k] = left;
        }
    }
    /* After the residual has lost beta times image k. */
    MNP_INLINE void update(int k, mnp_w beta)
    {
        for (int i = 0; i < S; i++)
            f[i] = i <= k ? number(0) : f[i] - beta * m[i][k];
    }
};
