/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * On GPUs: distances to the background along the first axis, where elements are background or not.
 *
 * A bit says which.  32 of them are a word of level 0; a bit of level 1 says whether a word of level 0 has one that is
 * set, and so on, until a line is one word.  The nearest bit that is set, on either side, is found from an element's
 * word by going up until there is one, and down again to it: in a step or two where the background is dense, and two
 * for each level where it is sparse, along lines of any length.
 *
 *   MNP_TASK     0: make the words of a level; 1: find distances
 *   MNP_METRIC   of MNP_TASK 1, 0: Euclidean, whose squares are stored; 1: taxicab; 2: chessboard
 *   MNP_PLACES   of MNP_TASK 1, 1: also which element of the background it is
 */
#include "kernels/prelude.h"
#include "kernels/math_types.h"
#include "kernels/ndimage/lines_params.h"

#if MNP_TASK == 0

MNP_INLINE bool mnp_is_set(const mnp_bits_params &p, int64_t i)
{
    return p.level == 0 ? p.background[i] != 0 : p.words[p.level - 1][i] != 0;
}

MNP_KERNEL(distance_bits, mnp_bits_params)
{
    const int64_t inner = p.lines.inner, n = p.extents[p.level], words = p.extents[p.level + 1];
    unsigned *to = p.words[p.level];
    if (inner == 1) { /* a thread for each bit, so that a warp reads what lies beside each other */
        MNP_FOR (item, p.lines.count * words * 32) {
            const int64_t line = mnp_quotient(item / 32, words), at = item - line * words * 32;
            const unsigned bits = __ballot_sync(0xffffffffu, at < n && mnp_is_set(p, line * n + at));
            if (item % 32 == 0)
                to[item / 32] = bits;
        }
        return;
    }
    MNP_FOR (item, p.lines.count * words) {
        const int64_t row = mnp_quotient(item, inner), outer = mnp_quotient(row, words),
                      first = (row - outer * words) * 32;
        const int64_t begin = (outer * n + first) * inner + item - row * inner;
        const int count = (int)mnp_least(n - first, 32);
        unsigned bits = 0;
#pragma unroll 8
        for (int bit = 0; bit < count; bit++)
            bits |= (unsigned)mnp_is_set(p, begin + bit * inner) << bit;
        to[item] = bits;
    }
}

#else

/* A line's words. */
struct mnp_line {
    const mnp_bits_params &p;
    int64_t outer, lane;

    MNP_INLINE unsigned word(int level, int number) const
    {
        return p.words[level][(outer * p.extents[level + 1] + number) * p.lines.inner + lane];
    }
};

/* The last bit that is set up to `at`, and the first one from there on; -1: there is none. */
MNP_INLINE int mnp_find_before(const mnp_line &line, int at)
{
    int level = 0;
    unsigned bits = line.word(0, at / 32) & ~0u >> (31 - at % 32);
    while (bits == 0) {
        if (++level == line.p.levels)
            return -1;
        at /= 32;
        bits = line.word(level, at / 32) & ((1u << at % 32) - 1);
    }
    at = at / 32 * 32 + 31 - __clz(bits);
    while (level-- > 0)
        at = at * 32 + 31 - __clz(line.word(level, at));
    return at;
}

MNP_INLINE int mnp_find_behind(const mnp_line &line, int at)
{
    int level = 0;
    unsigned bits = line.word(0, at / 32) & ~0u << at % 32;
    while (bits == 0) {
        if (++level == line.p.levels)
            return -1;
        at /= 32;
        bits = line.word(level, at / 32) & ~1u << at % 32;
    }
    at = at / 32 * 32 + __ffs(bits) - 1;
    while (level-- > 0)
        at = at * 32 + __ffs(line.word(level, at)) - 1;
    return at;
}

MNP_KERNEL(distance_bits, mnp_bits_params)
{
    const int64_t n = p.extents[0], inner = p.lines.inner;
    MNP_FOR (item, p.lines.count * n) {
        const int64_t row = mnp_quotient(item, inner), outer = mnp_quotient(row, n);
        const int x = (int)(row - outer * n);
        const mnp_line line = {p, outer, item - row * inner};
        const int before = mnp_find_before(line, x), behind = mnp_find_behind(line, x);
        const bool is_before = before >= 0 && (behind < 0 || x - before <= behind - x);
        const int nearest = is_before ? before : behind;
        const double along = p.scale * (double)(is_before ? x - before : behind - x);
        p.to[item] = nearest < 0 ? mnp_infinity<double>() : MNP_METRIC == 0 ? along * along : along;
#if MNP_PLACES
        p.to_place[item] = nearest < 0 ? -1 : p.from_place[item + (nearest - x) * inner];
#endif
    }
}

#endif
