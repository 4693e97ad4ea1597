/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Coefficients of B-splines along lines, in place: each pole of the filter is a recursion forward and one backward,
 * whose first values are what the line's continuation beyond its ends makes of them (P. Thevenaz, T. Blu and M. Unser,
 * Interpolation revisited, 2000).
 *
 * A thread of a GPU takes a line; a worker of the host takes as many adjacent lines as fit a few vectors.
 */
#include "kernels/prelude.h"
#include "kernels/ndimage/lines_params.h"

/* Lines that one thread or worker takes at a time where as many are adjacent. */
#if MNP_CUDA
static constexpr int mnp_together = 1;
#else
static constexpr int mnp_together = 16;
#endif

template <int W> struct mnp_pack {
    double at[W];
};

/* The first value of the recursion forward: sums of powers of the pole times the elements, and their mirror images. */
template <int W> MNP_INLINE void mnp_begin(const mnp_spline_params &p, int k, double *c)
{
    const int64_t n = p.lines.length, stride = p.lines.inner;
    const double z = p.pole[k], far = p.far[k];
    mnp_pack<W> sum;
    double power = z;
    for (int j = 0; j < W; j++)
        sum.at[j] = 0;
    if (p.border == MNP_SPLINE_MIRROR) {
        for (int64_t i = 1; i < n - 1 && i < p.horizon[k]; i++, power *= z)
            for (int j = 0; j < W; j++)
                sum.at[j] += power * (c[i * stride + j] + far * c[(n - 1 - i) * stride + j]);
        for (int j = 0; j < W; j++)
            c[j] = (c[j] + far * c[(n - 1) * stride + j] + sum.at[j]) / (1 - far * far);
    } else if (p.border == MNP_SPLINE_REFLECT) {
        for (int64_t i = 1; i < n && i < p.horizon[k]; i++, power *= z)
            for (int j = 0; j < W; j++)
                sum.at[j] += power * (c[i * stride + j] + far * c[(n - 1 - i) * stride + j]);
        for (int j = 0; j < W; j++)
            c[j] += (c[j] + far * c[(n - 1) * stride + j] + sum.at[j]) * z / (1 - far * far);
    } else {
        for (int64_t i = 1; i < n && i < p.horizon[k]; i++, power *= z)
            for (int j = 0; j < W; j++)
                sum.at[j] += power * c[(n - i) * stride + j];
        for (int j = 0; j < W; j++)
            c[j] = (c[j] + sum.at[j]) / (1 - far);
    }
}

/* The first value of the recursion backward, at the end of the line. */
template <int W> MNP_INLINE void mnp_turn(const mnp_spline_params &p, int k, double *c)
{
    const int64_t n = p.lines.length, stride = p.lines.inner;
    const double z = p.pole[k];
    double *last = c + (n - 1) * stride;
    if (p.border == MNP_SPLINE_MIRROR) {
        for (int j = 0; j < W; j++)
            last[j] = (z * last[j - stride] + last[j]) * z / (z * z - 1);
    } else if (p.border == MNP_SPLINE_REFLECT) {
        for (int j = 0; j < W; j++)
            last[j] *= z / (z - 1);
    } else {
        mnp_pack<W> sum;
        double power = z;
        for (int j = 0; j < W; j++)
            sum.at[j] = last[j];
        for (int64_t i = 0; i < n - 1 && i < p.horizon[k]; i++, power *= z)
            for (int j = 0; j < W; j++)
                sum.at[j] += power * c[i * stride + j];
        for (int j = 0; j < W; j++)
            last[j] = sum.at[j] * z / (p.far[k] - 1);
    }
}

template <int W> MNP_INLINE void mnp_filter(const mnp_spline_params &p, int64_t line)
{
    const int64_t n = p.lines.length, stride = p.lines.inner;
    double *c = p.values + line / stride * stride * n + line % stride;
    for (int64_t i = 0; i < n; i++)
        for (int j = 0; j < W; j++)
            c[i * stride + j] *= p.gain;
    for (int k = 0; k < p.poles; k++) {
        const double z = p.pole[k];
        mnp_begin<W>(p, k, c);
        for (int64_t i = 1; i < n; i++)
            for (int j = 0; j < W; j++)
                c[i * stride + j] += z * c[(i - 1) * stride + j];
        mnp_turn<W>(p, k, c);
        for (int64_t i = n - 2; i >= 0; i--)
            for (int j = 0; j < W; j++)
                c[i * stride + j] = z * (c[(i + 1) * stride + j] - c[i * stride + j]);
    }
}

MNP_KERNEL(spline, mnp_spline_params)
{
    const int64_t inner = p.lines.inner, packs = (inner + mnp_together - 1) / mnp_together;
    MNP_FOR (pack, p.lines.count / inner * packs) {
        const int64_t first = pack / packs * inner + pack % packs * mnp_together;
        const int64_t end = pack % packs == packs - 1 ? (pack / packs + 1) * inner : first + mnp_together;
        if (end - first == mnp_together)
            mnp_filter<mnp_together>(p, first);
        for (int64_t line = first; end - first < mnp_together && line < end; line++)
            mnp_filter<1>(p, line);
    }
}
