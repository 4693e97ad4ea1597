/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading the extended box (extended_params.h), whose elements are of type MNP_IN.
 */
#ifndef MNP_KERNELS_SIGNAL_EXTENDED_H
#define MNP_KERNELS_SIGNAL_EXTENDED_H

#include "kernels/prelude.h"
#include "kernels/signal/extended_params.h"

/*
 * A plane (y, x) of the extended box.  Rows low .. low + inner - 1 are rows of the block between begin and end, and
 * what is left and right of it is in `edge`; all other rows are whole in `rows`.
 */
struct plane {
    const MNP_IN *block, *edge, *rows;
    int64_t row_stride, stride, low, inner, begin, end, width;
};

/* A row: element x in [begin, end) is middle[(x - begin) * stride]; it is edge[x] before, and edge[x - inner] after. */
struct row {
    const MNP_IN *middle, *edge;
    int64_t stride, begin, end;
};

MNP_INLINE bool is_inner(const mnp_extended &p, int d, int64_t i)
{
    return i >= p.low[d] && i < p.low[d] + p.inner[d];
}

/* The index along dimension d within the slabs below and above the inner part. */
MNP_INLINE int64_t in_slabs(const mnp_extended &p, int d, int64_t i)
{
    return i < p.low[d] ? i : i - p.inner[d];
}

MNP_INLINE plane find_plane(const mnp_extended &p, int64_t i0, int64_t i1)
{
    const MNP_IN *ring = (const MNP_IN *)p.ring;
    const long long *size = p.extended;
    int64_t area = (int64_t)size[2] * size[3], j0 = i0 - p.low[0], j1 = i1 - p.low[1];
    if (!is_inner(p, 0, i0))
        return plane{ring, ring,   ring + p.slabs[0] + (in_slabs(p, 0, i0) * size[1] + i1) * area, 0, 1, 0, 0, 0,
                     0,    size[3]};
    if (!is_inner(p, 1, i1))
        return plane{
            ring, ring,   ring + p.slabs[1] + (j0 * (size[1] - p.inner[1]) + in_slabs(p, 1, i1)) * area, 0, 1, 0, 0, 0,
            0,    size[3]};
    int64_t number = j0 * p.inner[1] + j1;
    return plane{(const MNP_IN *)p.block + j0 * p.block_stride[0] + j1 * p.block_stride[1],
                 ring + p.slabs[3] + number * p.inner[2] * (size[3] - p.inner[3]),
                 ring + p.slabs[2] + number * (size[2] - p.inner[2]) * size[3],
                 p.block_stride[2],
                 p.block_stride[3],
                 p.low[2],
                 p.inner[2],
                 p.low[3],
                 p.low[3] + p.inner[3],
                 size[3]};
}

MNP_INLINE row find_row(const plane &in, int64_t y)
{
    int64_t j = y - in.low;
    if (j >= 0 && j < in.inner)
        return row{in.block + j * in.row_stride, in.edge + j * (in.width - (in.end - in.begin)), in.stride, in.begin,
                   in.end};
    const MNP_IN *whole = in.rows + (j < 0 ? y : y - in.inner) * in.width;
    return row{whole, whole, 1, 0, in.width};
}

#endif
