/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prominences and widths of peaks: a thread takes a peak, and walks from it to both sides.  It steps over blocks in
 * which nothing can end the walk, by their least and largest elements on two levels, so that a walk over n elements
 * takes at most n / 65536 + 1024 steps.  In the extremes of a block NaN counts as what ends every walk.
 */
#include "kernels/prelude.h"
#include "kernels/math_types.h"
#include "kernels/rounded.h"
#include "kernels/signal/peaks_params.h"

static constexpr int64_t mnp_block = MNP_PEAKS_BLOCK;

/* The extremes of blocks: of x for level 0, of the blocks below for level 1. */
MNP_INLINE void mnp_summarise(const double *least, const double *most, int64_t n, int64_t block, double *low,
                              double *high)
{
    const int64_t end = (block + 1) * mnp_block < n ? (block + 1) * mnp_block : n;
    const double infinity = mnp_infinity<double>();
    *low = infinity;
    *high = -infinity;
    for (int64_t i = block * mnp_block; i < end; i++) {
        if (!(most[i] == most[i])) { /* NaN is not lower than any peak, so that no walk takes this block whole */
            *high = most[i];
            return;
        }
        *low = least[i] < *low ? least[i] : *low;
        *high = most[i] > *high ? most[i] : *high;
    }
}

MNP_KERNEL(peaks_blocks, mnp_peaks_params)
{
    MNP_FOR (block, (p.n + mnp_block - 1) / mnp_block)
        mnp_summarise(p.x, p.x, p.n, block, &p.least[0][block], &p.most[0][block]);
}

MNP_KERNEL(peaks_groups, mnp_peaks_params)
{
    const int64_t blocks = (p.n + mnp_block - 1) / mnp_block;
    MNP_FOR (group, (blocks + mnp_block - 1) / mnp_block)
        mnp_summarise(p.least[0], p.most[0], blocks, group, &p.least[1][group], &p.most[1][group]);
}

/* The block of that level that begins at i, seen in the direction of the walk, and ends within the limit; or -1. */
template <int way> MNP_INLINE int64_t mnp_block_at(int level, int64_t i, int64_t limit)
{
    const int64_t size = level == 0 ? mnp_block : mnp_block * mnp_block, place = i % size;
    const bool whole = way > 0 ? place == 0 && i + size - 1 <= limit : place == size - 1 && i - size + 1 >= limit;
    return whole ? i / size : -1;
}

/*
 * The lowest element from a peak on, in one direction, until an element is higher than the peak or the limit is passed;
 * of equal ones that next to the peak.
 */
template <int way> MNP_INLINE double mnp_base(const mnp_peaks_params &p, int64_t peak, int64_t limit, long long *base_p)
{
    const double top = p.x[peak];
    double least = top;
    int64_t base = peak, i = peak;
    int level = -1; /* of the block that begins at `base`, or -1: the element itself */
    while ((limit - i) * way >= 0) {
        int64_t size = 1;
        for (int l = MNP_PEAKS_LEVELS - 1; l >= 0 && size == 1; l--) {
            const int64_t block = mnp_block_at<way>(l, i, limit);
            if (block < 0 || !(p.most[l][block] <= top))
                continue;
            size = l == 0 ? mnp_block : mnp_block * mnp_block;
            if (p.least[l][block] < least) {
                least = p.least[l][block];
                base = i;
                level = l;
            }
        }
        if (size == 1) {
            if (!(p.x[i] <= top))
                break;
            if (p.x[i] < least) {
                least = p.x[i];
                base = i;
                level = -1;
            }
        }
        i += size * way;
    }
    for (; level >= 0; level--) { /* from a block to the first block or element in it that is so low */
        const int64_t step = level == 1 ? mnp_block : 1;
        while (level == 1 ? p.least[0][base / mnp_block] != least : p.x[base] != least)
            base += step * way;
    }
    *base_p = base;
    return least;
}

MNP_KERNEL(peaks_prominences, mnp_peaks_params)
{
    MNP_FOR (k, p.count) {
        const int64_t peak = p.peaks[k];
        if (peak < 0 || peak >= p.n) {
            *p.wrong = 1;
            continue;
        }
        const int64_t first = peak > p.half ? peak - p.half : 0,
                      last = p.n - 1 - peak > p.half ? peak + p.half : p.n - 1;
        const double left = mnp_base<-1>(p, peak, first, &p.left_bases[k]);
        const double right = mnp_base<1>(p, peak, last, &p.right_bases[k]);
        p.prominences[k] = p.x[peak] - (left > right ? left : right);
    }
}

/* The first element from a peak on that is not above a height, or the limit. */
template <int way>
MNP_INLINE int64_t mnp_crossing(const mnp_peaks_params &p, int64_t peak, int64_t limit, double height)
{
    int64_t i = peak;
    while ((limit - i) * way > 0) {
        int64_t size = 1;
        for (int l = MNP_PEAKS_LEVELS - 1; l >= 0 && size == 1; l--) {
            const int64_t block = mnp_block_at<way>(l, i, limit - way);
            if (block >= 0 && height < p.least[l][block])
                size = l == 0 ? mnp_block : mnp_block * mnp_block;
        }
        if (size == 1 && !(height < p.x[i]))
            break;
        i += size * way;
    }
    return i;
}

MNP_KERNEL(peaks_widths, mnp_peaks_params)
{
    MNP_FOR (k, p.count) {
        const int64_t peak = p.peaks[k];
        if (peak < 0 || peak >= p.n)
            continue;
        const double height = p.x[peak] - mnp_product(p.prominences[k], p.rel_height);
        const int64_t left = mnp_crossing<-1>(p, peak, p.left_bases[k], height);
        const int64_t right = mnp_crossing<1>(p, peak, p.right_bases[k], height);
        double from = (double)left, to = (double)right;
        if (p.x[left] < height)
            from += (height - p.x[left]) / (p.x[left + 1] - p.x[left]);
        if (p.x[right] < height)
            to -= (height - p.x[right]) / (p.x[right - 1] - p.x[right]);
        p.widths[k] = to - from;
        p.width_heights[k] = height;
        p.left_ips[k] = from;
        p.right_ips[k] = to;
    }
}
