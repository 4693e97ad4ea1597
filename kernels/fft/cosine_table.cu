/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tables of the passes before and after the Fourier transform that is a cosine or sine transform of n points.
 * MNP_REAL is the type of the factors, which are computed in double.
 *
 * MNP_SPREAD 0: by the shortest Fourier transform for the type, whose lines are whole.
 *
 *   type 1            real, 2 (n - 1) points: the line and its mirror image (DST: 2 (n + 1), with zeros between)
 *   type 2            real, n points: the even elements, then the odd ones backwards (J. Makhoul, 1980)
 *   type 3            the inverse of that: n / 2 + 1 complex values to n real ones
 *   type 4, n even    complex, n / 2 points (Z. Wang, 1984)
 *   type 4, n odd     real, n points in an order in which all angles are multiples of 1 / n of a turn but for a common
 *                     one (S. C. Chan and K. L. Ho, 1992)
 *
 * A DST is the DCT of its type of other signs or backwards: for type 2 the signs alternate before and the result is
 * read backwards; for types 3 and 4 it is the other way round.
 *
 * MNP_SPREAD 1: any type as factors, a complex transform of 2 n points (2 (n - 1), 2 (n + 1)) whose input ends in
 * zeros, and factors.  An element depends on no other one of its line, so lines may be cut.
 */
#include "kernels/prelude.h"
#include "kernels/fft/cosine_params.h"
#include "kernels/fft/cosine_entry.h"
#include "kernels/fft/turned.h"

typedef mnp_fft_cosine_table_params mnp_asked;

static constexpr double mnp_sqrt2 = 1.4142135623730951;

/* A factor of a real number. */
MNP_INLINE mnp_cosine_entry mnp_take(int64_t p, double factor)
{
    return {p, -1, (MNP_REAL)factor, 0};
}

/* The real part of size exp(-i 2 pi number / points) V[k], of a real line's V of which only the first half is there. */
MNP_INLINE mnp_cosine_entry mnp_take_half(int64_t k, int64_t n, double size, int64_t number, int64_t points)
{
    const mnp_complex128 w = mnp_turned(number, points);
    const bool mirrored = 2 * k > n;
    return {mirrored ? n - k : k, -1, (MNP_REAL)(size * w.re), (MNP_REAL)((mirrored ? -size : size) * w.im)};
}

/* size exp(i sign 2 pi number / points) (x[p] + i x[q]). */
MNP_INLINE mnp_cosine_entry mnp_pair(int64_t p, int64_t q, double size, double sign, int64_t number, int64_t points)
{
    const mnp_complex128 w = mnp_turned(number, points);
    return {p, q, (MNP_REAL)(size * w.re), (MNP_REAL)(sign * size * w.im)};
}

MNP_INLINE double mnp_alternating(bool alternates, int64_t i)
{
    return alternates && i % 2 != 0 ? -1 : 1;
}

#if !MNP_SPREAD

/* Type 4 of odd n: element i of the reordered line.  8 i is its odd number 2 j + 1 but for signs, modulo n. */
MNP_INLINE mnp_cosine_entry mnp_odd_before(const mnp_asked &p, int64_t i)
{
    const int64_t n = p.points, rest = 8 * i % n, odd = rest % 2 != 0 ? rest : rest + n;
    const int64_t a = odd % 8 == 1 || odd % 8 == 5 ? odd : 2 * n - odd, j = (a - 1) / 2;
    return mnp_take(p.sine ? n - 1 - j : j, a % 8 == 1 || a % 8 == 7 ? 1 : -1);
}

MNP_INLINE mnp_cosine_entry mnp_odd_after(const mnp_asked &p, int64_t i)
{
    const int64_t n = p.points, b = 2 * i + 1, rest = b % n;
    const int64_t k = b % 8 == 1 || b % 8 == 5 ? rest : (n - rest) % n;
    const double sign = b % 8 == 1 || b % 8 == 7 ? 2 : -2;
    return mnp_take_half(k, n, sign * p.scale * mnp_alternating(p.sine, i), n % 8, 8);
}

MNP_INLINE mnp_cosine_entry mnp_before(const mnp_asked &p, int64_t i)
{
    const int64_t n = p.points;
    int64_t j;
    switch (p.type) {
    case 1:
        if (p.sine)
            return i <= n ? mnp_take(i - 1, 1) : mnp_take(i == n + 1 ? -1 : 2 * n + 1 - i, -1);
        j = i < n ? i : 2 * (n - 1) - i;
        return mnp_take(j, p.ortho && (j == 0 || j == n - 1) ? mnp_sqrt2 : 1);
    case 2:
        j = 2 * i < n ? 2 * i : 2 * (n - i) - 1;
        return mnp_take(j, mnp_alternating(p.sine, j));
    case 3:
        return mnp_pair(p.sine ? n - 1 - i : i,
                        p.sine   ? i - 1
                        : i == 0 ? -1
                                 : n - i,
                        p.ortho && i == 0 ? mnp_sqrt2 : 1, 1, i, 4 * n);
    default:
        if (n % 2 != 0)
            return mnp_odd_before(p, i);
        return mnp_pair(p.sine ? n - 1 - 2 * i : 2 * i, p.sine ? 2 * i : n - 1 - 2 * i, 1, -1, 4 * i + 1, 8 * n);
    }
}

MNP_INLINE mnp_cosine_entry mnp_after(const mnp_asked &p, int64_t i)
{
    const int64_t n = p.points, k = p.type == 2 && p.sine ? n - 1 - i : i;
    mnp_cosine_entry e;
    switch (p.type) {
    case 1:
        e = mnp_take(p.sine ? i + 1 : i, p.ortho && !p.sine && (i == 0 || i == n - 1) ? p.scale / mnp_sqrt2 : p.scale);
        return p.sine ? mnp_cosine_entry{e.p, -1, 0, -e.re} : e;
    case 2:
        return mnp_take_half(k, n, (p.ortho && k == 0 ? mnp_sqrt2 : 2) * p.scale, k, 4 * n);
    case 3:
        return mnp_take(i % 2 == 0 ? i / 2 : n - 1 - i / 2, p.scale * mnp_alternating(p.sine, i));
    default:
        if (n % 2 != 0)
            return mnp_odd_after(p, i);
        e = mnp_pair(i % 2 == 0 ? i / 2 : (n - 1 - i) / 2, -1, 2 * p.scale * mnp_alternating(p.sine, i), 1,
                     i % 2 == 0 ? i / 2 : (n - 1 - i) / 2, 2 * n);
        return i % 2 == 0 ? e : mnp_cosine_entry{e.p, -1, e.im, -e.re};
    }
}

#else

/* The angle of elements j and k is a turn times (2 j + a) (2 k + b) / 8 N. */
MNP_INLINE int64_t mnp_shift_before(const mnp_asked &p)
{
    return p.type == 2 || p.type == 4 ? 1 : p.sine ? 2 : 0;
}

MNP_INLINE int64_t mnp_shift_after(const mnp_asked &p)
{
    return p.type == 3 || p.type == 4 ? 1 : p.sine ? 2 : 0;
}

MNP_INLINE int64_t mnp_half_period(const mnp_asked &p)
{
    return p.type != 1 ? p.points : p.sine ? p.points + 1 : p.points - 1;
}

MNP_INLINE mnp_cosine_entry mnp_before(const mnp_asked &p, int64_t i)
{
    const int64_t n = p.points, period = mnp_half_period(p), j = p.first + i;
    const bool begins = j == 0, ends = j == n - 1;
    const bool once = p.type == 1 ? !p.sine && (begins || ends) : p.type == 3 && (p.sine ? ends : begins);
    const double size = j >= n ? 0 : !once ? 2 : p.ortho ? mnp_sqrt2 : 1;
    return mnp_pair(i, -1, size, -1, j * mnp_shift_after(p) % (4 * period), 4 * period);
}

MNP_INLINE mnp_cosine_entry mnp_after(const mnp_asked &p, int64_t i)
{
    const int64_t n = p.points, period = mnp_half_period(p), k = p.first + i;
    const bool begins = k == 0, ends = k == n - 1;
    const bool once = p.type == 1 ? !p.sine && (begins || ends) : p.type == 2 && (p.sine ? ends : begins);
    const int64_t number = mnp_shift_before(p) * (2 * k + mnp_shift_after(p)) % (8 * period);
    const mnp_cosine_entry e = mnp_pair(i, -1, p.ortho && once ? p.scale / mnp_sqrt2 : p.scale, 1, number, 8 * period);
    return p.sine ? mnp_cosine_entry{i, -1, e.im, -e.re} : e;
}

#endif

MNP_KERNEL(fft_cosine_table, mnp_fft_cosine_table_params)
{
    mnp_cosine_entry *table = (mnp_cosine_entry *)p.table;
    MNP_FOR (i, p.count) {
        table[i] = p.after ? mnp_after(p, i) : mnp_before(p, i);
    }
}
