/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Transforms of 2, 4, 8 or 16 points that a thread has in registers, and the factors between passes of them.  MNP_REAL
 * is the type of the parts of the complex values.
 */
#ifndef MNP_KERNELS_FFT_RADIX_H
#define MNP_KERNELS_FFT_RADIX_H

#include "kernels/prelude.h"
#include "kernels/numbers.h"

typedef mnp_complex<MNP_REAL> mnp_value;

/* exp(-2 pi i number / 16) v. */
template <int number> MNP_INLINE mnp_value mnp_turn(mnp_value v)
{
    constexpr double c = 0.92387953251128675613, s = 0.38268343236508977173, h = 0.70710678118654752440;
    if constexpr (number == 0)
        return v;
    else if constexpr (number == 4)
        return {v.im, -v.re};
    else if constexpr (number == 2)
        return {(MNP_REAL)h * (v.re + v.im), (MNP_REAL)h * (v.im - v.re)};
    else if constexpr (number == 6)
        return {(MNP_REAL)h * (v.im - v.re), -(MNP_REAL)h * (v.re + v.im)};
    else if constexpr (number == 1)
        return v * mnp_value{(MNP_REAL)c, -(MNP_REAL)s};
    else if constexpr (number == 3)
        return v * mnp_value{(MNP_REAL)s, -(MNP_REAL)c};
    else
        return v * mnp_value{-(MNP_REAL)c, (MNP_REAL)s}; /* 9 */
}

template <int n> struct mnp_small;
template <> struct mnp_small<1> {
    static MNP_INLINE void transform(mnp_value *)
    {
    }
};
template <> struct mnp_small<2> {
    static MNP_INLINE void transform(mnp_value *v)
    {
        const mnp_value a = v[0], b = v[1];
        v[0] = a + b;
        v[1] = a - b;
    }
};
template <> struct mnp_small<4> {
    static MNP_INLINE void transform(mnp_value *v)
    {
        const mnp_value a = v[0] + v[2], b = v[0] - v[2], c = v[1] + v[3], d = mnp_turn<4>(v[1] - v[3]);
        v[0] = a + c;
        v[1] = b + d;
        v[2] = a - c;
        v[3] = b - d;
    }
};

/* 8 or 16 points: as 4 rows. */
template <int n> struct mnp_small {
    static constexpr int across = n / 4, turn = 16 / n;
    template <int b> static MNP_INLINE void column(const mnp_value *v, mnp_value (*rows)[across])
    {
        mnp_value u[4] = {v[b], v[b + across], v[b + 2 * across], v[b + 3 * across]};
        mnp_small<4>::transform(u);
        rows[0][b] = u[0];
        rows[1][b] = mnp_turn<turn * b>(u[1]);
        rows[2][b] = mnp_turn<2 * turn * b>(u[2]);
        rows[3][b] = mnp_turn<3 * turn * b>(u[3]);
        if constexpr (b + 1 < across)
            column<b + 1>(v, rows);
    }
    static MNP_INLINE void transform(mnp_value *v)
    {
        mnp_value rows[4][across];
        column<0>(v, rows);
#pragma unroll
        for (int a = 0; a < 4; a++) {
            mnp_small<across>::transform(rows[a]);
#pragma unroll
            for (int b = 0; b < across; b++)
                v[a + 4 * b] = rows[a][b];
        }
    }
};

MNP_INLINE void mnp_sin_cos(float half_turns, float *s, float *c)
{
    sincospif(half_turns, s, c);
}
MNP_INLINE void mnp_sin_cos(double half_turns, double *s, double *c)
{
    sincospi(half_turns, s, c);
}

/* Multiply element r by exp(-2 pi i r number / points). */
template <int n> MNP_INLINE void mnp_twiddle(mnp_value *v, int number, int points)
{
    mnp_value power[n];
    MNP_REAL s, c;
    mnp_sin_cos((MNP_REAL)(2 * number) / (MNP_REAL)points, &s, &c);
    power[1] = {c, -s};
    v[1] = v[1] * power[1];
#pragma unroll
    for (int r = 2; r < n; r++) {
        power[r] = power[r / 2] * power[r - r / 2];
        v[r] = v[r] * power[r];
    }
}

#endif
