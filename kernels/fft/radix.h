/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Transforms that a thread has in registers, of up to 32 points, and the factors between passes of them.  MNP_REAL is the
 * type of the parts of the complex values.
 */
#ifndef MNP_KERNELS_FFT_RADIX_H
#define MNP_KERNELS_FFT_RADIX_H

#include "kernels/prelude.h"
#include "kernels/numbers.h"

typedef mnp_complex<MNP_REAL> mnp_value;

/* The points of the unit circle at 0, 1, ..., n - 1 turns over n, found by the compiler. */
template <int n> struct mnp_circle {
    double c[n], s[n];

    /* The sum of the series of the cosine or the sine, of which `term` is the first term, for angles up to pi / 4. */
    static MNP_INLINE constexpr double series(double angle, double term, int first)
    {
        double sum = 0;
        for (int i = first; i < first + 20; i += 2) {
            sum += term;
            term *= -angle * angle / ((i + 1) * (i + 2));
        }
        return sum;
    }

    MNP_INLINE constexpr mnp_circle() : c(), s()
    {
        for (int i = 0; i < n; i++) {
            const int eighth = 8 * i / n, odd = eighth % 2;                                        /* of the circle */
            const double rest = (double)(odd ? (eighth + 1) * n - 8 * i : 8 * i - eighth * n) / n; /* of an eighth */
            const double angle = rest * 0.78539816339744830962;
            const double near = series(angle, 1, 0), far = series(angle, angle, 1);
            const double a = odd ? far : near, b = odd ? near : far; /* of the quarter before */
            c[i] = eighth < 2 ? a : eighth < 4 ? -b : eighth < 6 ? -a : b;
            s[i] = eighth < 2 ? b : eighth < 4 ? a : eighth < 6 ? -b : -a;
        }
    }
};

/* exp(-2 pi i number / n) v, 0 <= number < n. */
template <int number, int n> MNP_INLINE mnp_value mnp_turn(mnp_value v)
{
    constexpr mnp_circle<n> circle;
    constexpr MNP_REAL h = (MNP_REAL)0.70710678118654752440, c = (MNP_REAL)circle.c[number],
                       s = (MNP_REAL)circle.s[number];
    if constexpr (number == 0)
        return v;
    else if constexpr (4 * number == n)
        return {v.im, -v.re};
    else if constexpr (8 * number == n)
        return {h * (v.re + v.im), h * (v.im - v.re)};
    else if constexpr (8 * number == 3 * n)
        return {h * (v.im - v.re), -h * (v.re + v.im)};
    else
        return v * mnp_value{c, -s};
}

/* A transform of an odd number of points, a prime or 25: the values are added and subtracted in pairs. */
template <int n> struct mnp_prime {
    static MNP_INLINE void transform(mnp_value *v)
    {
        constexpr mnp_circle<n> circle;
        constexpr int pairs = n / 2;
        mnp_value sum[pairs], difference[pairs];
        const mnp_value first = v[0];
#pragma unroll
        for (int k = 0; k < pairs; k++) {
            sum[k] = v[k + 1] + v[n - 1 - k];
            difference[k] = v[k + 1] - v[n - 1 - k];
            v[0] = v[0] + sum[k];
        }
#pragma unroll
        for (int j = 1; j <= pairs; j++) {
            mnp_value even = first, odd = {};
#pragma unroll
            for (int k = 0; k < pairs; k++) {
                const MNP_REAL c = (MNP_REAL)circle.c[j * (k + 1) % n], s = (MNP_REAL)circle.s[j * (k + 1) % n];
                even = {even.re + c * sum[k].re, even.im + c * sum[k].im};
                odd = {odd.re + s * difference[k].re, odd.im + s * difference[k].im};
            }
            v[j] = {even.re + odd.im, even.im - odd.re};
            v[n - j] = {even.re - odd.im, even.im + odd.re};
        }
    }
};

/* A transform of n points. */
template <int n, bool in_rows = n % 2 == 0 || (n % 3 == 0 && n > 3)> struct mnp_small;

/* A transform of a number of points with the factor 2 or 3, as 4, 2 or 3 rows. */
template <int n> struct mnp_rows {
    static constexpr int down = n % 4 == 0 ? 4 : n % 2 == 0 ? 2 : 3, across = n / down;
    template <int row, int column> static MNP_INLINE void turn(const mnp_value *v, mnp_value (*rows)[across])
    {
        rows[row][column] = mnp_turn<row * column, n>(v[row]);
        if constexpr (row + 1 < down)
            turn<row + 1, column>(v, rows);
    }
    template <int column> static MNP_INLINE void transform_column(const mnp_value *v, mnp_value (*rows)[across])
    {
        mnp_value u[down];
#pragma unroll
        for (int a = 0; a < down; a++)
            u[a] = v[column + a * across];
        mnp_small<down>::transform(u);
        turn<0, column>(u, rows);
        if constexpr (column + 1 < across)
            transform_column<column + 1>(v, rows);
    }
    static MNP_INLINE void transform(mnp_value *v)
    {
        mnp_value rows[down][across];
        transform_column<0>(v, rows);
#pragma unroll
        for (int a = 0; a < down; a++) {
            mnp_small<across>::transform(rows[a]);
#pragma unroll
            for (int b = 0; b < across; b++)
                v[a + down * b] = rows[a][b];
        }
    }
};

template <int n> struct mnp_small<n, true> : mnp_rows<n> {
};
template <int n> struct mnp_small<n, false> : mnp_prime<n> {
};
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
        const mnp_value a = v[0] + v[2], b = v[0] - v[2], c = v[1] + v[3], d = mnp_turn<1, 4>(v[1] - v[3]);
        v[0] = a + c;
        v[1] = b + d;
        v[2] = a - c;
        v[3] = b - d;
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
