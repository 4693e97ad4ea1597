/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Filters on a GPU: a thread computes MNP_RUN outputs that are neighbours along x, with their columns in registers.
 * Elements come from the first-level cache, where those of neighbouring threads meet.  Windows that lie inside the array
 * are read by address alone; those at a border have every index folded.
 */
typedef MNP_VALUE mnp_lanes;

struct mnp_tap {
    short at[MNP_NDIM];
};
#define MNP_TAP(...) (mnp_tap{{__VA_ARGS__}})
#define MNP_TABLE static __device__ const

MNP_INLINE mnp_lanes mnp_lesser(mnp_lanes a, mnp_lanes b)
{
    return a < b ? a : b;
}
MNP_INLINE mnp_lanes mnp_greater(mnp_lanes a, mnp_lanes b)
{
    return a > b ? a : b;
}
MNP_INLINE bool mnp_any(bool condition)
{
    return condition;
}
MNP_INLINE mnp_lanes mnp_cast(mnp_lanes x)
{
    return mnp_to<MNP_VALUE>::from(mnp_to<MNP_OUT>::from(x));
}

/* A window that lies inside the array, from the element at `first` on. */
struct mnp_inner {
    const mnp_neighbours_params &p;
    const MNP_IN *first;
    MNP_INLINE mnp_lanes at(const mnp_tap &tap) const
    {
        const MNP_IN *element = first;
#pragma unroll
        for (int d = 0; d < MNP_NDIM; d++)
            element += mnp_spans[d] > 1 ? tap.at[d] * p.stride[d] : 0;
        return mnp_take(*element);
    }
    MNP_INLINE MNP_VALUE weight(int k) const
    {
        return (MNP_VALUE)p.weights[0][k];
    }
    MNP_INLINE mnp_inner column(int x) const
    {
        return mnp_inner{p, first + x * p.stride[MNP_NDIM - 1]};
    }
};

/* A window anywhere, from index `from` of the array on. */
struct mnp_bordering {
    const mnp_neighbours_params &p;
    int64_t from[MNP_NDIM];
    MNP_INLINE mnp_lanes at(const mnp_tap &tap) const
    {
        const MNP_IN *element = (const MNP_IN *)p.in;
        bool inside = true;
#pragma unroll
        for (int d = 0; d < MNP_NDIM; d++) {
            int64_t i = from[d] + tap.at[d];
            if (p.boundary[d] == MNP_AT_FILL)
                inside = inside && i >= 0 && i < p.whole[d];
            else if (p.boundary[d] != MNP_NEIGHBOUR_INSIDE && (i < 0 || i >= p.whole[d]))
                i = mnp_folded(p.boundary[d], i, p.whole[d]);
            element += (i - p.memory_lo[d]) * p.stride[d];
        }
        return mnp_take(inside ? *element : mnp_to<MNP_IN>::from(p.outside));
    }
    MNP_INLINE MNP_VALUE weight(int k) const
    {
        return (MNP_VALUE)p.weights[0][k];
    }
    MNP_INLINE mnp_bordering column(int x) const
    {
        mnp_bordering other = *this;
        other.from[MNP_NDIM - 1] += x;
        return other;
    }
};

#include "generated"

struct mnp_columns {
    const mnp_neighbours_params &p;
    const mnp_lanes (*kept)[MNP_KEPT];
    MNP_INLINE MNP_VALUE weight(int k) const
    {
        return (MNP_VALUE)p.weights[1][k];
    }
    MNP_INLINE mnp_lanes operator()(int x, int i) const
    {
        return kept[x][i];
    }
};

/* Columns beyond the last one that an output needs are those of the last one. */
template <typename Window> MNP_INLINE void compute(const Window &window, int last, mnp_lanes (&results)[MNP_RUN])
{
    mnp_lanes kept[MNP_RUN + MNP_COLUMNS - 1][MNP_KEPT];
#pragma unroll
    for (int x = 0; x < MNP_RUN + MNP_COLUMNS - 1; x++)
        mnp_column(window.column(x < last ? x : last), kept[x]);
#pragma unroll
    for (int r = 0; r < MNP_RUN; r++)
        results[r] = mnp_finish(mnp_columns{window.p, kept + r});
}

MNP_KERNEL(neighbours, mnp_neighbours_params)
{
    constexpr int x = MNP_NDIM - 1;
    MNP_FOR (item, p.items) {
        int64_t o[MNP_NDIM], from[MNP_NDIM], place = 0, at = 0;
        bool inner = true;
        mnp_unravel<MNP_NDIM>(p.grid, item, o);
        o[x] *= MNP_RUN;
#pragma unroll
        for (int d = 0; d < MNP_NDIM; d++) {
            const int length = mnp_spans[d] + (d == x ? MNP_RUN - 1 : 0);
            from[d] = p.first[d] + o[d] + p.low[d];
            inner =
                inner && (p.boundary[d] == MNP_NEIGHBOUR_INSIDE || (from[d] >= 0 && from[d] + length <= p.whole[d]));
            place = place * p.extent[d] + o[d];
            at += (from[d] - p.memory_lo[d]) * p.stride[d];
        }
        const int count = (int)mnp_least(p.extent[x] - o[x], MNP_RUN);
        mnp_lanes results[MNP_RUN];
        if (inner && count == MNP_RUN) {
            compute(mnp_inner{p, (const MNP_IN *)p.in + at}, MNP_RUN + MNP_COLUMNS - 2, results);
        } else {
            mnp_bordering window = {p, {}};
            for (int d = 0; d < MNP_NDIM; d++)
                window.from[d] = from[d];
            compute(window, count + MNP_COLUMNS - 2, results);
        }
#pragma unroll
        for (int r = 0; r < MNP_RUN; r++) {
            if (r >= count)
                continue;
#if MNP_MASK
            if (!((const unsigned char *)p.mask)[place + r])
                continue;
#endif
            ((MNP_OUT *)p.out)[place + r] = mnp_give(results[r]);
        }
    }
}
