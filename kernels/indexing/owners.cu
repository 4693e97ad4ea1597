/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the owners of the elements that indices name.  One task finds the rank of each element.  Once the ranks are
 * sorted, a second counts the elements of each rank.  A third finds the elements' offsets in this rank's block.
 */
#include "kernels/prelude.h"
#include "kernels/indexing/indexed_params.h"
#include "kernels/indexing/owners_params.h"

/* The part of dimension d that contains index i: the last one that begins at or before i, by bisection. */
MNP_INLINE int64_t part_of(const mnp_owners_params &p, int d, int64_t i)
{
    const long long *cuts = p.cuts + p.first[d];
    int64_t low = 0, high = p.parts[d];
    while (high - low > 1) {
        const int64_t middle = (low + high) / 2;
        if (cuts[middle] <= i)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* How many of the sorted keys are below `key`. */
MNP_INLINE int64_t count_below(const mnp_owners_params &p, int64_t key)
{
    const MNP_KEY *keys = (const MNP_KEY *)p.key;
    int64_t low = 0, high = p.keys;
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        if ((int64_t)keys[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

MNP_INLINE void find_owner(const mnp_owners_params &p, int64_t i)
{
    int64_t rest = mnp_inside(p.index[i], p.size, p.mode), rank = p.rank;
    for (int d = p.ndim - 1; d >= 0; d--) {
        const int64_t quotient = d > 0 ? rest / p.shape[d] : 0;
        rank += part_of(p, d, rest - quotient * p.shape[d]) * p.rank_stride[d];
        rest = quotient;
    }
    ((MNP_KEY *)p.key)[i] = (MNP_KEY)rank;
}

MNP_INLINE void place(const mnp_owners_params &p, int64_t i)
{
    int64_t rest = mnp_inside(p.index[i], p.size, p.mode), at = 0;
    for (int d = p.ndim - 1; d >= 0; d--) {
        const int64_t quotient = d > 0 ? rest / p.shape[d] : 0;
        at += (rest - quotient * p.shape[d] - p.lo[d]) * p.stride[d];
        rest = quotient;
    }
    p.number[i] = at;
}

MNP_KERNEL(find_owners, mnp_owners_params)
{
    if (p.task == MNP_OWNERS_FIND)
        MNP_FOR (i, p.count)
            find_owner(p, i);
    else if (p.task == MNP_OWNERS_COUNT)
        MNP_FOR (r, p.count)
            p.number[r] = count_below(p, r + 1) - count_below(p, r);
    else
        MNP_FOR (i, p.count)
            place(p, i);
}
