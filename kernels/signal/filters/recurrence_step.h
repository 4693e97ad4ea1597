/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One step of a linear recurrence: filters in direct form II transposed, or in a cascade of sections of second order,
 * with the operations of scipy.signal.lfilter and sosfilt in their order.
 *
 *   MNP_ORDER         how many numbers the state has
 *   MNP_SECTIONS      0: direct form; otherwise that many sections, whose states follow one another
 */
constexpr int mnp_coefficients = MNP_SECTIONS ? 5 * MNP_SECTIONS : 2 * MNP_ORDER + 1;

/* One element: the output, and the next state. */
template <typename T> MNP_INLINE T mnp_advance(const double *c, T (&s)[MNP_ORDER], T x)
{
#if MNP_SECTIONS
#if MNP_CUDA && MNP_SECTIONS <= 8
#pragma unroll
#endif
    for (int k = 0; k < MNP_SECTIONS; k++) {
        const double *q = c + 5 * k;
        const T y = q[0] * x + s[2 * k];
        s[2 * k] = q[1] * x - q[3] * y + s[2 * k + 1];
        s[2 * k + 1] = q[2] * x - q[4] * y;
        x = y;
    }
    return x;
#else
    const double *a = c + MNP_ORDER; /* a[n] for n from 1 on */
    const T y = s[0] + c[0] * x;
#if MNP_CUDA && MNP_ORDER <= 16
#pragma unroll
#endif
    for (int n = 1; n < MNP_ORDER; n++)
        s[n - 1] = s[n] + c[n] * x - a[n] * y;
    s[MNP_ORDER - 1] = c[MNP_ORDER] * x - a[MNP_ORDER] * y;
    return y;
#endif
}
