/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Distances to the background along lines, on GPUs, of what other axes have found already: an element at x gets the
 * least of the distances by way of all elements i of its line, where that is
 *
 *   MNP_METRIC 0   (scale (x - i))^2 + from[i]   squares of Euclidean distances
 *   MNP_METRIC 1   |x - i| + from[i]             taxicab
 *   MNP_METRIC 2   max(|x - i|, from[i])         chessboard
 *
 * A thread searches for one element, outwards from there until elements are too far away to be nearer.  Elements that
 * are far from everything would make that long.  But as functions of x the distances by way of two elements cross once:
 * the best i never decreases with x.  So the first launch searches for every 8^k-th element of a line alone, the next
 * one for every 8^(k-1)-th between the results of those on either side, and so on: all searches of a launch together
 * look at about 7 n elements of a line of n at most.
 *
 * MNP_PLACES 1: also which element of the background it is.
 */
#include "kernels/prelude.h"
#include "kernels/math_types.h"
#include "kernels/ndimage/lines_params.h"

/* The distance along the line, and that by way of an element which has the distance g itself. */
MNP_INLINE double mnp_along(double scale, int64_t steps)
{
    const double along = scale * (double)steps;
    return MNP_METRIC == 0 ? along * along : along;
}
MNP_INLINE double mnp_by_way(double along, double g)
{
    return MNP_METRIC != 2 ? along + g : along > g ? along : g;
}

struct mnp_nearest {
    int64_t at; /* -1: there is no background */
    double distance;

    MNP_INLINE void look(double along, int64_t i, double g)
    {
        const double by_way = mnp_by_way(along, g);
        at = by_way < distance ? i : at;
        distance = by_way < distance ? by_way : distance;
    }
};

/* The best of elements low to high of a line for the element at x. */
MNP_INLINE mnp_nearest mnp_search(const mnp_distance_params &p, const double *from, int64_t x, int64_t low,
                                  int64_t high)
{
    const int64_t stride = p.lines.inner;
    mnp_nearest best = {-1, mnp_infinity<double>()};
    for (int64_t steps = x < low ? low - x : x > high ? x - high : 0; x - steps >= low || x + steps <= high; steps++) {
        const double along = mnp_along(p.scale, steps);
        if (along >= best.distance)
            break;
        if (x - steps >= low)
            best.look(along, x - steps, from[(x - steps) * stride]);
        if (x + steps <= high)
            best.look(along, x + steps, from[(x + steps) * stride]);
    }
    return best;
}

MNP_KERNEL(distance_search, mnp_distance_params)
{
    const int64_t n = p.lines.length, stride = p.lines.inner, each = (n + p.step - 1) / p.step;
    MNP_FOR (item, p.lines.count * each) {
        const int64_t row = mnp_quotient(item, stride), outer = mnp_quotient(row, each), number = row - outer * each;
        const int64_t base = outer * stride * n + item - row * stride, x = number * p.step;
        int *nearest = p.nearest + base;
        int64_t low = 0, high = n - 1;
        if (p.between) {
            const int64_t before = x - number % MNP_DISTANCE_RATIO * p.step;
            const int64_t behind = before + MNP_DISTANCE_RATIO * p.step;
            if (before == x && p.step > 1)
                continue; /* it has been found */
            low = nearest[before * stride];
            high = before == x ? low : behind < n ? nearest[behind * stride] : high;
        }
        mnp_nearest best = {-1, mnp_infinity<double>()};
        if (low >= 0)
            best = mnp_search(p, p.from + base, x, low, high);
        if (p.step > 1) {
            nearest[x * stride] = (int)best.at;
            continue;
        }
        p.to[base + x * stride] = best.distance;
#if MNP_PLACES
        p.to_place[base + x * stride] = best.at >= 0 ? p.from_place[base + best.at * stride] : -1;
#endif
    }
}
