/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The small linear systems of IDR(s), kept in device memory (M. B. van Gijzen, P. Sonneveld, "Algorithm 913: an elegant
 * IDR(s) variant that efficiently exploits biorthogonality properties", ACM TOMS 38, 2011).  One thread solves them.
 */
template <int S> struct mnp_idr {
    mnp_w c[S];    /* coefficients of the newest direction */
    mnp_w a[S];    /* coefficients that make it orthogonal to the earlier shadow vectors */
    mnp_w f[S];    /* products of the residual with the shadow vectors */
    mnp_w m[S][S]; /* products of images with them; m[i][j]: shadow vector i, image j */

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
    /* Solve the lower right part of m, from k on, for the right side f; c gets the solution. */
    MNP_INLINE void solve(int k)
    {
        for (int i = 0; i < S; i++) {
            mnp_w sum = i < k ? number(0) : f[i];
            for (int j = k; j < i; j++)
                sum -= m[i][j] * c[j];
            c[i] = i < k ? number(0) : sum / m[i][i];
        }
    }
    /* Compute `a` and column k of m from the products of image k with the shadow vectors. */
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
    /* Update f after beta times image k was subtracted from the residual. */
    MNP_INLINE void update(int k, mnp_w beta)
    {
        for (int i = 0; i < S; i++)
            f[i] = i <= k ? number(0) : f[i] - beta * m[i][k];
    }
};
