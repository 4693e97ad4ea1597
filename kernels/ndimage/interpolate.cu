/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Values between the elements of an array, by B-splines: (order + 1)^d products of weights and coefficients each, as
 * scipy.ndimage computes them.
 *
 * Compiled with
 *   MNP_IN, MNP_OUT    the real types in memory; complex numbers are MNP_PARTS 2 reals
 *   MNP_NDIM           dimensions of the input;  MNP_OUT_NDIM: of the output
 *   MNP_AXES           for each dimension of the input 1 if it is interpolated, else 0
 *   MNP_ORDER          of the splines, 0 to 5
 *   MNP_MODE           how the input goes on, MNP_GO_...; MNP_SPLINE_MODE: and its coefficients
 *   MNP_FROM           where coordinates come from: interpolate_params.h; MNP_COORDINATE: their type
 *   MNP_ROUND          0: the result is stored as it is; 1: rounded to an integer; 2: its fraction is dropped
 */
#include "kernels/prelude.h"
#include "kernels/ndimage/interpolate_params.h"
#include "kernels/nest.h"
#include "kernels/rounded.h"

static constexpr int mnp_taps = MNP_ORDER + 1;
/* functions, since a kernel of a GPU reads no arrays of the host */
MNP_INLINE constexpr bool mnp_is_axis(int d)
{
    constexpr int axes[] = {MNP_AXES};
    return axes[d] != 0;
}

/* ---- beyond the borders ---- */

/* The coordinate within 0 .. n - 1 that stands for c (wrap: up to n); below -1 there is none. */
template <int mode> MNP_INLINE double mnp_mapped(double c, double n)
{
    if (c >= 0 && c <= n - 1)
        return c;
    if (mode == MNP_GO_CONSTANT || c != c)
        return -2;
    if (n <= 1)
        return 0;
    if (mode == MNP_GO_NEAREST)
        return c < 0 ? 0 : n - 1;
    const double period = mode == MNP_GO_MIRROR    ? 2 * n - 2
                          : mode == MNP_GO_REFLECT ? 2 * n
                          : mode == MNP_GO_WRAP    ? n - 1
                                                   : n;
    if (mode == MNP_GO_MIRROR && c < 0) {
        c += mnp_product(period, mnp_without_fraction(-c / period));
        return c <= 1 - n ? c + period : -c;
    }
    if (mode == MNP_GO_REFLECT && c < 0) {
        if (c < -period)
            c += mnp_product(period, mnp_without_fraction(-c / period));
        return c < -n ? c + period : (c > -1e-15 ? 1e-15 : -c) - 1;
    }
    if (mode == MNP_GO_WRAP && c < 0)
        return c + mnp_product(period, mnp_without_fraction(-c / period) + 1);
    if (mode == MNP_GO_GRID_WRAP && c < 0)
        return c + mnp_product(period, mnp_without_fraction((-1 - c) / period) + 1);
    c -= mnp_product(period, mnp_without_fraction(c / period));
    if (mode == MNP_GO_MIRROR && c >= n)
        return period - c;
    if (mode == MNP_GO_REFLECT && c >= n)
        return period - c - 1;
    return c;
}

/* ---- weights ---- */

MNP_INLINE void mnp_weigh(double c, double *w)
{
    double x = c - mnp_rounded_down(MNP_ORDER & 1 ? c : c + 0.5), y = x, z = 1 - x;
    (void)y;
    (void)z;
#if MNP_ORDER == 1
    w[0] = 1 - x;
#elif MNP_ORDER == 2
    w[1] = 0.75 - x * x;
    w[0] = 0.5 * (0.5 - x) * (0.5 - x);
#elif MNP_ORDER == 3
    w[1] = (y * y * (y - 2) * 3 + 4) / 6;
    w[2] = (z * z * (z - 2) * 3 + 4) / 6;
    w[0] = z * z * z / 6;
#elif MNP_ORDER == 4
    const double t = x * x, s = (0.5 - x) * (0.5 - x);
    y = 1 + x;
    w[2] = t * (t * 0.25 - 0.625) + 115.0 / 192;
    w[1] = y * (y * (y * (5 - y) / 6 - 1.25) + 5.0 / 24) + 55.0 / 96;
    w[3] = z * (z * (z * (5 - z) / 6 - 1.25) + 5.0 / 24) + 55.0 / 96;
    w[0] = s * s / 24;
#elif MNP_ORDER == 5
    double t = y * y;
    w[2] = t * (t * (0.25 - y / 12) - 0.5) + 0.55;
    t = z * z;
    w[3] = t * (t * (0.25 - z / 12) - 0.5) + 0.55;
    w[0] = z * t * t / 120;
    y += 1;
    w[1] = y * (y * (y * (y * (y / 24 - 0.375) + 1.25) - 1.75) + 0.625) + 0.425;
    z += 1;
    w[4] = z * (z * (z * (z * (z / 24 - 0.375) + 1.25) - 1.75) + 0.625) + 0.425;
#endif
    w[MNP_ORDER] = 1;
    for (int k = 0; k < MNP_ORDER; k++)
        w[MNP_ORDER] -= w[k];
}

/* ---- sums ---- */

/* Along each dimension: where the coefficients lie, or that one is cval, and their weights. */
struct mnp_support {
    int64_t at[MNP_NDIM][mnp_taps];
    double weight[MNP_NDIM][mnp_taps];
    double cval;
};
static constexpr int64_t mnp_beyond = (int64_t)1 << 62;
static constexpr double mnp_far = 64; /* from a border, where a support has no element within it */

/* Fill in dimension d; false if the output is cval. */
MNP_INLINE bool mnp_find(const mnp_interpolate_params &p, int d, double c, mnp_support &s)
{
    const int64_t n = p.whole[d];
    if (n == 0 || c != c)
        return false;
    if (MNP_MODE != MNP_GO_GRID_CONSTANT && MNP_MODE != MNP_GO_NEAREST)
        c = mnp_mapped<MNP_MODE>(c, (double)n);
    if (MNP_MODE == MNP_GO_NEAREST)
        c = c < -mnp_far ? -mnp_far : c > (double)n + mnp_far ? (double)n + mnp_far : c;
    if (MNP_MODE == MNP_GO_GRID_CONSTANT ? !(c > -mnp_far && c < (double)n + mnp_far)
                                         : MNP_MODE != MNP_GO_NEAREST && c <= -1)
        return false;
    const int64_t begin = (int64_t)mnp_rounded_down(MNP_ORDER & 1 ? c : c + 0.5) - MNP_ORDER / 2;
    for (int k = 0; k < mnp_taps; k++) {
        const int64_t i = begin + k;
        if (MNP_MODE == MNP_GO_GRID_CONSTANT)
            s.at[d][k] = i < 0 || i >= n ? mnp_beyond : (i - p.lo[d]) * p.stride[d];
        else
            s.at[d][k] = ((int64_t)mnp_mapped<MNP_SPLINE_MODE>((double)i, (double)n) - p.lo[d]) * p.stride[d];
    }
    mnp_weigh(c, s.weight[d]);
    return true;
}

template <int d> struct mnp_sum {
    static MNP_INLINE double of(const mnp_interpolate_params &p, const mnp_support &s, int64_t at)
    {
        if (!mnp_is_axis(d))
            return mnp_sum<d + 1>::of(p, s, at + s.at[d][0]);
        double sum = 0;
        for (int k = 0; k < mnp_taps; k++) {
            const bool beyond = MNP_MODE == MNP_GO_GRID_CONSTANT && s.at[d][k] == mnp_beyond;
            const double value = beyond ? s.cval : mnp_sum<d + 1>::of(p, s, at + s.at[d][k]);
            sum += MNP_ORDER == 0 ? value : s.weight[d][k] * value;
        }
        return sum;
    }
};
template <> struct mnp_sum<MNP_NDIM> {
    static MNP_INLINE double of(const mnp_interpolate_params &p, const mnp_support &, int64_t at)
    {
        return mnp_to<double>::from(((const MNP_IN *)p.in)[at]);
    }
};

MNP_INLINE double mnp_rounded(double x)
{
    return MNP_ROUND == 1   ? mnp_without_fraction(x > 0 ? x + 0.5 : x - 0.5)
           : MNP_ROUND == 2 ? mnp_without_fraction(x)
                            : x;
}

MNP_KERNEL(interpolate, mnp_interpolate_params)
{
    MNP_FOR (i, p.count) {
        int64_t o[MNP_OUT_NDIM];
        mnp_support s;
        bool inside = true;
        mnp_unravel<MNP_OUT_NDIM>(p.extent, i, o);
        for (int d = 0; d < MNP_OUT_NDIM; d++)
            o[d] += p.first[d];
        for (int d = 0; d < MNP_NDIM && inside; d++) {
            double c;
#if MNP_FROM == 2
            c = mnp_to<double>::from(((const MNP_COORDINATE *)p.coordinates)[d * p.count + i]);
#else
            if (!mnp_is_axis(d)) {
                s.at[d][0] = (o[d] - p.lo[d]) * p.stride[d];
                continue;
            }
#if MNP_FROM == 1
            c = p.after[d];
            for (int e = 0; e < MNP_NDIM; e++)
                c += mnp_product(p.matrix[d][e], (double)o[e]);
#else
            c = mnp_product((double)o[d] + p.before[d], p.scale[d]) + p.after[d];
#endif
#endif
            inside = mnp_find(p, d, c + p.padding, s);
        }
        for (int part = 0; part < MNP_PARTS; part++) {
            s.cval = part == 0 ? p.cval : 0;
            const double value = inside ? mnp_sum<0>::of(p, s, part) : s.cval;
            ((MNP_OUT *)p.out)[i * MNP_PARTS + part] = mnp_to<MNP_OUT>::from(mnp_rounded(value));
        }
    }
}
