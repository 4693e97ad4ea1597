/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Connected parts of a block, by a union-find over its elements: elements join their parts to those of earlier
 * neighbours.
 *
 * Compiled with MNP_IN, MNP_NDIM, and MNP_NEIGHBOURS: rows {d0, d1, ...} of -1, 0 and 1, the steps to neighbours that
 * come earlier in C order; MNP_UNITED: those of them that label_unite joins.  Labels are of type MNP_LABEL for
 * label_start and label_unite, and long long for the others.
 */
#include "kernels/prelude.h"
#include "kernels/ndimage/label_params.h"
#include "kernels/ndimage/label_union.h"
#include "kernels/nest.h"

struct mnp_steps {
    signed char by[MNP_NDIM];
};
#if MNP_CUDA
static __device__ const mnp_steps earlier[] = {MNP_NEIGHBOURS}, united[] = {MNP_UNITED};
#else
static const mnp_steps earlier[] = {MNP_NEIGHBOURS}, united[] = {MNP_UNITED};
#endif

MNP_KERNEL(label_start, mnp_label_params)
{
    MNP_FOR (i, p.count)
        ((MNP_LABEL *)p.labels)[i] = mnp_to<mnp_bool>::from(((const MNP_IN *)p.in)[i]).value ? (MNP_LABEL)i : -1;
}

MNP_KERNEL(label_unite, mnp_label_params)
{
    MNP_LABEL *labels = (MNP_LABEL *)p.labels;
    MNP_FOR (i, p.count) {
        int64_t index[MNP_NDIM];
        if (read_label(labels + i) < 0)
            continue;
        mnp_unravel<MNP_NDIM>(p.extent, i, index);
        for (const mnp_steps &step : united) {
            int64_t other = 0;
            bool inside = true;
            for (int d = 0; d < MNP_NDIM; d++) {
                const int64_t j = index[d] + step.by[d];
                inside = inside && j >= 0 && j < p.extent[d];
                other = other * p.extent[d] + j;
            }
            if (inside && read_label(labels + other) >= 0)
                unite(labels, (MNP_LABEL)i, (MNP_LABEL)other);
        }
    }
}

MNP_KERNEL(label_flatten, mnp_label_params)
{
    MNP_FOR (i, p.count)
        if (read_label(p.labels + i) >= 0) {
            const long long root = find_root(p.labels, (long long)i);
            lower_label(p.labels + i, root);
        }
}

/* The number in the array of element i of the block. */
MNP_INLINE int64_t number_of(const mnp_label_params &p, int64_t i)
{
    int64_t index[MNP_NDIM], number = 0;
    mnp_unravel<MNP_NDIM>(p.extent, i, index);
    for (int d = 0; d < MNP_NDIM; d++)
        number = number * p.whole[d] + p.lo[d] + index[d];
    return number;
}

MNP_KERNEL(label_number, mnp_label_params)
{
    MNP_FOR (i, p.count)
        if (p.labels[i] >= 0)
            p.labels[i] = number_of(p, p.labels[i]);
}

MNP_KERNEL(label_pairs, mnp_label_params)
{
    MNP_FOR (i, p.count) {
        int64_t index[MNP_NDIM];
        bool bordering = false;
        if (p.labels[i] < 0)
            continue;
        mnp_unravel<MNP_NDIM>(p.extent, i, index);
        for (int d = 0; d < MNP_NDIM; d++)
            bordering = bordering || index[d] == 0 || index[d] == p.extent[d] - 1;
        if (!bordering)
            continue;
        for (const mnp_steps &step : earlier) {
            int64_t at = 0;
            bool inside = true, exists = true;
            for (int d = 0; d < MNP_NDIM; d++) {
                const int64_t j = index[d] + step.by[d];
                inside = inside && j >= 0 && j < p.extent[d];
                exists = exists && p.lo[d] + j >= 0 && p.lo[d] + j < p.whole[d];
                at += j * p.wide_stride[d];
            }
            if (inside || !exists || p.wide[at] < 0)
                continue;
#if MNP_CUDA
            const unsigned place = atomicAdd(p.found, 1u);
#else
            const unsigned place = __atomic_fetch_add(p.found, 1u, __ATOMIC_RELAXED);
#endif
            if (place < p.room) {
                p.pairs[2 * (int64_t)place] = p.labels[i];
                p.pairs[2 * (int64_t)place + 1] = p.wide[at];
            }
        }
    }
}

MNP_KERNEL(label_join, mnp_label_params)
{
    MNP_FOR (i, p.count) {
        int64_t low = 0, high = p.changes;
        const int64_t label = p.labels[i];
        while (low < high) {
            const int64_t middle = low + (high - low) / 2;
            if (p.from[middle] < label)
                low = middle + 1;
            else
                high = middle;
        }
        if (low < p.changes && p.from[low] == label)
            p.labels[i] = p.to[low];
        p.flags[i] = p.labels[i] == number_of(p, i);
    }
}
