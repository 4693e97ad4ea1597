/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Distances to the background along lines on the host by two sweeps, one in each direction: an element is one farther from the
 * background than its neighbour, if it has no shorter way.  So it is with taxicab distances along any axis, and with
 * all metrics along the first one, where elements have the distance 0 or infinity (distance.cu has the rest).
 *
 *   MNP_METRIC   0: Euclidean, whose squares are stored; 1: taxicab; 2: chessboard
 *   MNP_PLACES   1: also which element of the background it is
 */
#include "kernels/prelude.h"
#include "kernels/math_types.h"
#include "kernels/ndimage/lines_params.h"

/* Lines that are worked on together: a core has several in a vector, or in flight. */
constexpr int64_t most = 16;

/* What the lines have at the element that the sweep comes from. */
struct nearest {
    double distance[most];
    long long place[most];
};

/* Take a step to the elements from number `at` on, one of each line, whose distances and places are given. */
MNP_INLINE void take_step(nearest &n, int64_t width, int64_t at, int64_t apart, const double *from,
                          const long long *from_place)
{
    for (int64_t w = 0; w < width; w++) {
        const double farther = n.distance[w] + 1;
        const bool nearer = from[at + w * apart] <= farther;
        n.distance[w] = nearer ? from[at + w * apart] : farther;
#if MNP_PLACES
        n.place[w] = nearer ? from_place[at + w * apart] : n.place[w];
#endif
    }
}

MNP_INLINE void store(const mnp_distance_params &p, const nearest &n, int64_t width, int64_t at, int64_t apart)
{
    for (int64_t w = 0; w < width; w++) {
        p.to[at + w * apart] = n.distance[w];
#if MNP_PLACES
        p.to_place[at + w * apart] = n.place[w];
#endif
    }
}

MNP_INLINE nearest nothing_yet()
{
    nearest n;
    for (int64_t w = 0; w < most; w++) {
        n.distance[w] = mnp_infinity<double>();
        n.place[w] = -1;
    }
    return n;
}

/* Sweep over `width` lines that begin at `base` and `apart` elements from one another. */
MNP_INLINE void sweep(const mnp_distance_params &p, int64_t base, int64_t apart, int64_t width)
{
    const int64_t n = p.lines.length, stride = p.lines.inner;
    nearest before = nothing_yet(), behind = nothing_yet();
    for (int64_t x = 0; x < n; x++) {
        take_step(before, width, base + x * stride, apart, p.from, p.from_place);
        store(p, before, width, base + x * stride, apart);
    }
    for (int64_t x = n - 1; x >= 0; x--) {
        take_step(behind, width, base + x * stride, apart, p.to, p.to_place);
#if MNP_METRIC == 0
        nearest squares = behind;
        for (int64_t w = 0; w < width; w++)
            squares.distance[w] = p.scale * behind.distance[w] * (p.scale * behind.distance[w]);
        store(p, squares, width, base + x * stride, apart);
#else
        store(p, behind, width, base + x * stride, apart);
#endif
    }
}

MNP_KERNEL(distance_sweep, mnp_distance_params)
{
    /* runs of lines that lie beside one another, or behind one another */
    const bool beside = p.lines.inner > 1;
    const int64_t run = beside ? p.lines.inner : p.lines.count, groups = (run + most - 1) / most;
    MNP_FOR (group, p.lines.count / run * groups) {
        const int64_t first = group % groups * most, width = run - first < most ? run - first : most;
        const int64_t begin = group / groups * run * p.lines.length;
        if (!beside)
            sweep(p, begin + first * p.lines.length, p.lines.length, width);
        else if (width == most)
            sweep(p, begin + first, 1, most);
        else
            sweep(p, begin + first, 1, width);
    }
}
