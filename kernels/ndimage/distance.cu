/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Distances to the background along lines on the host, of what other axes have found already: every element of a line
 * gets the least of the distances over all elements i of the line, where that of element x is
 *
 *   MNP_METRIC 0   (scale (x - i))^2 + from[i]   squares of Euclidean distances
 *   MNP_METRIC 2   max(|x - i|, from[i])         chessboard
 *
 * As functions of x those of two elements cross once, so each is the least on one interval.  One sweep finds the
 * intervals, with those that are still possible on a stack, and one sweep back stores the result (A. Meijster, J.
 * Roerdink and W. Hesselink, A general algorithm for computing distance transforms in linear time, 2000).
 *
 * MNP_PLACES 1: also which element of the background it is.
 */
#include "kernels/prelude.h"
#include "kernels/ndimage/lines_params.h"
#include "kernels/rounded.h"

MNP_INLINE double mnp_larger(double a, double b)
{
    return a > b ? a : b;
}

/* The distance of element x by way of element i, which has the distance g. */
MNP_INLINE double mnp_distance(double scale, int64_t x, int64_t i, double g)
{
    const double along = (double)(x > i ? x - i : i - x);
#if MNP_METRIC == 0
    return scale * along * (scale * along) + g;
#else
    return mnp_larger(along, g);
#endif
}

/* The last x for which element i, which comes before element u, is not farther than u; `length` if there is no end. */
MNP_INLINE double mnp_last(double scale, int64_t i, double gi, int64_t u, double gu, double length)
{
    const double a = (double)i, b = (double)u;
#if MNP_METRIC == 0
    const double x = ((b - a) * (b + a) + (gu - gi) / (scale * scale)) / (2 * (b - a));
    return x < length ? mnp_rounded_down(x) : length;
#else
    const double middle = mnp_rounded_down((a + b) / 2);
    return gi <= gu ? mnp_larger(a + gu, middle) : b - gi < middle ? b - gi : middle;
#endif
}

MNP_KERNEL(distance, mnp_distance_params)
{
    const int64_t n = p.lines.length, stride = p.lines.inner;
    MNP_FOR (line, p.lines.count) {
        const int64_t base = line / stride * stride * n + line % stride;
        const double *from = p.from + base;
        int *stack = p.stack + base, *begins = p.begins + base;
        int64_t top = -1;
        for (int64_t u = 0; u < n; u++) {
            const double g = from[u * stride];
            double begin = 0;
            if (g - g != 0)
                continue; /* no background there */
            for (; top >= 0; top--) {
                const int64_t i = stack[top * stride], x = begins[top * stride];
                const double gi = from[i * stride];
                if (mnp_distance(p.scale, x, i, gi) > mnp_distance(p.scale, x, u, g))
                    continue;
                begin = 1 + mnp_last(p.scale, i, gi, u, g, (double)n);
                break;
            }
            if (begin < n) {
                top++;
                stack[top * stride] = (int)u;
                begins[top * stride] = top == 0 ? 0 : (int)begin;
            }
        }
        for (int64_t x = n - 1; x >= 0; x--) {
            const int64_t at = base + x * stride, i = top >= 0 ? stack[top * stride] : x;
            p.to[at] = top >= 0 ? mnp_distance(p.scale, x, i, from[i * stride]) : from[x * stride];
#if MNP_PLACES
            p.to_place[at] = top >= 0 ? p.from_place[base + i * stride] : -1;
#endif
            while (top > 0 && x <= begins[top * stride]) /* rounding may let two begin at the same place */
                top--;
        }
    }
}
