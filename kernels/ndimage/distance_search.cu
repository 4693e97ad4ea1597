/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Distances to the background along lines, on GPUs, of what other axes have found already: an element at x gets the
 * least of the distances by way of all elements i of its line, where that is
 *
 *   MNP_METRIC 0   (scale (x - i))^2 + from[i]   squares of Euclidean distances
 *   MNP_METRIC 1   |x - i| + from[i]             taxicab
 *   MNP_METRIC 2   max(|x - i|, from[i])         chessboard
 *
 * A thread searches for one element, outwards from there until elements are too far away to be nearer: one by one at
 * first, then several at a time, whose loads do not wait for each other.  Elements that are far from everything would
 * make that long.  But as functions of x the distances by way of two elements cross once: the best i never decreases
 * with x.  So the first launch searches for every 8^k-th element of a line and the last one alone, the next one for
 * every 8^(k-1)-th between the results of those on either side, and so on: all searches of a launch together look at
 * about 7 n elements of a line of n at most.
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

/* A search for the element at x, among elements low to high of a line. */
struct mnp_searching {
    const double *from;
    int64_t stride, x, low, high, steps;
    double scale;
    mnp_nearest best;

    MNP_INLINE bool goes_on() const
    {
        return (x - steps >= low || x + steps <= high) && mnp_along(scale, steps) < best.distance;
    }

    /* Look at the next `count` elements on either side; those that are too far away change nothing. */
    template <int count> MNP_INLINE void look()
    {
        double left[count], right[count];
#pragma unroll
        for (int k = 0; k < count; k++) {
            const int64_t before = x - steps - k, behind = x + steps + k;
            left[k] = before >= low ? from[before * stride] : mnp_infinity<double>();
            right[k] = behind <= high ? from[behind * stride] : mnp_infinity<double>();
        }
#pragma unroll
        for (int k = 0; k < count; k++) {
            const double along = mnp_along(scale, steps + k);
            best.look(along, x - steps - k, left[k]);
            best.look(along, x + steps + k, right[k]);
        }
        steps += count;
    }
};

MNP_INLINE mnp_nearest mnp_search(const mnp_distance_params &p, const double *from, int64_t x, int64_t low,
                                  int64_t high)
{
    enum { SINGLE = 4, TOGETHER = 4 };
    const int64_t first = x < low ? low - x : x > high ? x - high : 0;
    mnp_searching search = {from, p.lines.inner, x, low, high, first, p.scale, {-1, mnp_infinity<double>()}};
    while (search.steps < first + SINGLE && search.goes_on())
        search.look<1>();
    while (search.goes_on())
        search.look<TOGETHER>();
    return search.best;
}

MNP_KERNEL(distance_search, mnp_distance_params)
{
    const int64_t n = p.lines.length, stride = p.lines.inner;
    const int64_t each = (n + p.step - 1) / p.step + (p.step > 1 && !p.between);
    MNP_FOR (item, p.lines.count * each) {
        const int64_t row = mnp_quotient(item, stride), outer = mnp_quotient(row, each), number = row - outer * each;
        const int64_t base = outer * stride * n + item - row * stride, x = mnp_least(number * p.step, n - 1);
        int *nearest = p.nearest + base;
        int64_t low = 0, high = n - 1;
        if (p.between) {
            const int64_t before = x - number % MNP_DISTANCE_RATIO * p.step;
            const int64_t behind = before + MNP_DISTANCE_RATIO * p.step;
            if (before == x && p.step > 1)
                continue; /* it has been found */
            low = nearest[before * stride];
            high = before == x ? low : nearest[mnp_least(behind, n - 1) * stride];
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
