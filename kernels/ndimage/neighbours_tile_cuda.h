/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What windows of a tile of outputs reach, in the shared memory of a block: MNP_TX outputs along x and MNP_TY along y,
 * and one along the other dimensions.
 */
constexpr int mnp_x = MNP_NDIM - 1, mnp_y = MNP_NDIM - 2;

/* The first output of this block's tile.  There are less than 2^31 tiles, so 32 bits do, whose divisions are quick. */
MNP_INLINE void mnp_find_tile(const mnp_neighbours_params &p, int64_t *o)
{
    unsigned rest = blockIdx.x;
#pragma unroll
    for (int d = MNP_NDIM - 1; d > 0; d--) {
        const unsigned count = (unsigned)p.grid[d], next = rest / count;
        o[d] = rest - next * count;
        rest = next;
    }
    o[0] = rest;
    o[mnp_x] *= MNP_TX;
    o[mnp_y] *= MNP_TY;
}

/* The extent of a tile's surroundings along a dimension. */
constexpr int mnp_reach(int d)
{
    return mnp_spans[d] + (d == mnp_x ? MNP_TX - 1 : d == mnp_y ? MNP_TY - 1 : 0);
}

/* Rows begin at multiples of MNP_ALIGNED values. */
#ifndef MNP_ALIGNED
#define MNP_ALIGNED 1
#endif
constexpr int mnp_pitch = (mnp_reach(mnp_x) + MNP_ALIGNED - 1) / MNP_ALIGNED * MNP_ALIGNED;

/* How far apart neighbours along a dimension are there. */
constexpr int mnp_distance(int d)
{
    int distance = 1;
    for (int e = d + 1; e < MNP_NDIM; e++)
        distance *= e == mnp_x ? mnp_pitch : mnp_reach(e);
    return distance;
}

/* Rows of all planes. */
constexpr int mnp_rows = mnp_reach(0) * mnp_distance(0) / mnp_pitch;

/* Fold index i along dimension d of the array; false if it is beyond a border that has a value of its own. */
MNP_INLINE bool mnp_fold(const mnp_neighbours_params &p, int d, int64_t *i)
{
    if (p.boundary[d] == MNP_NEIGHBOUR_INSIDE || (*i >= 0 && *i < p.whole[d]))
        return true;
    if (p.boundary[d] == MNP_AT_FILL)
        return false;
    *i = mnp_folded(p.boundary[d], *i, p.whole[d]);
    return true;
}

/* A warp brings a row of `last` values, load(x) each, with several loads of each thread in flight. */
template <typename Load> MNP_INLINE void mnp_bring_row(MNP_VALUE *target, int last, const Load &load)
{
    constexpr int batch = (mnp_reach(mnp_x) + 31) / 32 < 8 ? (mnp_reach(mnp_x) + 31) / 32 : 8;
    for (int first = threadIdx.x % 32; first < last; first += 32 * batch) {
        MNP_VALUE values[batch];
#pragma unroll
        for (int i = 0; i < batch; i++)
            values[i] = first + 32 * i < last ? load(first + 32 * i) : MNP_VALUE{};
#pragma unroll
        for (int i = 0; i < batch; i++) {
            if (first + 32 * i < last)
                target[first + 32 * i] = values[i];
        }
    }
}

/* Bring what windows of the tile at o reach.  A warp takes a row at a time; what no output needs is left out. */
MNP_INLINE void mnp_surround(const mnp_neighbours_params &p, const int64_t *o, MNP_VALUE *near)
{
    const int64_t from = p.first[mnp_x] + o[mnp_x] + p.low[mnp_x], stride = p.stride[mnp_x];
    const int last = (int)mnp_least(p.extent[mnp_x] - o[mnp_x] + mnp_spans[mnp_x] - 1, mnp_reach(mnp_x));
    const bool is_inner = p.boundary[mnp_x] == MNP_NEIGHBOUR_INSIDE || (from >= 0 && from + last <= p.whole[mnp_x]);
    const MNP_VALUE outside = mnp_take(mnp_to<MNP_IN>::from(p.outside));
    for (int row = threadIdx.x / 32; row < mnp_rows; row += MNP_THREADS / 32) {
        const MNP_IN *source = (const MNP_IN *)p.in;
        bool is_needed = true, is_inside = true;
        int rest = row;
#pragma unroll
        for (int d = mnp_y; d >= 0; d--) {
            const int k = rest % mnp_reach(d);
            int64_t i = p.first[d] + o[d] + p.low[d] + k;
            rest /= mnp_reach(d);
            is_needed = is_needed && k < p.extent[d] - o[d] + mnp_spans[d] - 1;
            is_inside = mnp_fold(p, d, &i) && is_inside;
            source += (i - p.memory_lo[d]) * p.stride[d];
        }
        if (!is_needed)
            continue;
        if (is_inside && is_inner && stride == 1) {
            const MNP_IN *begin = source + (from - p.memory_lo[mnp_x]);
            mnp_bring_row(near + row * mnp_pitch, last, [&](int x) { return mnp_take(begin[x]); });
        } else if (is_inside && is_inner) {
            const MNP_IN *begin = source + (from - p.memory_lo[mnp_x]) * stride;
            mnp_bring_row(near + row * mnp_pitch, last, [&](int x) { return mnp_take(begin[x * stride]); });
        } else {
            mnp_bring_row(near + row * mnp_pitch, last, [&](int x) {
                int64_t i = from + x;
                const bool has = mnp_fold(p, mnp_x, &i) && is_inside;
                return has ? mnp_take(source[(i - p.memory_lo[mnp_x]) * stride]) : outside;
            });
        }
    }
}
