/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two passes of a separable filter as one, along y, then along x, for windows that are too high for fused.cu.
 *
 * A block computes a stripe of at most MNP_W columns and marches down its rows, MNP_S at a time.  The rows that the
 * windows of a step reach are in a ring of rows in shared memory, as they are in memory; meanwhile those of the next
 * MNP_AHEAD steps are on their way.  So the input is read once, but for the columns that neighbouring stripes share and
 * the rows that neighbouring tiles do.  The pass along y goes from the ring to a few rows in shared memory, and the
 * pass along x from there to the result.  A thread computes MNP_RY outputs of MNP_V columns in the one, and MNP_RX
 * outputs of a row in the other, so that an element that it reads serves several outputs.
 *
 * Compiled with what fused.h needs, where MNP_SHIFT makes accesses of 16 bytes aligned, and
 *   MNP_W, MNP_AHEAD       see above
 *   MNP_RY, MNP_V          see above; MNP_S is a multiple of MNP_RY
 */
#include "kernels/signal/fused.h"

constexpr int per_quad = 16 / sizeof(MNP_IN); /* elements of an access of 16 bytes */
constexpr int quads = (MNP_SHIFT + MNP_W + MNP_KX - 1 + per_quad - 1) / per_quad, width = quads * per_quad;
constexpr int group = MNP_RY < 8 ? MNP_RY : 8; /* rows of the ring that never wrap */
constexpr int ring_rows = (MNP_KY - 1 + (1 + MNP_AHEAD) * MNP_S + group - 1) / group * group;
constexpr int row_stride = (width + reads - 1) / reads * reads + overrun;
static_assert(MNP_S % MNP_RY == 0 && MNP_W % MNP_RX == 0, "passes have no remainder");
static_assert(reads % MNP_V == 0 && per_quad % MNP_V == 0, "accesses do not straddle");

/* ---- the ring ---- */

/* One quad of a row of which a part may be beyond the block's ends. */
MNP_INLINE void bring_ends(const mnp_fused_params &p, const row &in, int64_t x, MNP_IN *target)
{
#pragma unroll 1
    for (int e = 0; e < per_quad; e++) {
        int64_t i = x + e;
        if (!fold(p, 1, &i))
            target[e] = mnp_to<MNP_IN>::from(p.outside);
        else if (i >= in.begin && i < in.end)
            copy<sizeof(MNP_IN)>(target + e, in.middle + (i - in.begin));
        else
            copy<sizeof(MNP_IN)>(target + e, in.edge + (i < in.begin ? i : i - (in.end - in.begin)));
    }
}

/* Bring a row of the windows; all of it is beyond a border that has a value of its own if it is not `inside`. */
MNP_INLINE void bring_row(const mnp_fused_params &p, const row &in, bool inside, int64_t x, MNP_IN *target)
{
    for (int q = threadIdx.x % 32; q < quads; q += 32) {
        const int64_t i = x + q * per_quad;
        const MNP_IN *from = in.middle + (i - in.begin);
        if (inside && i >= in.begin && i + per_quad <= in.end && (uint64_t)from % 16 == 0) {
            copy<16>(target + q * per_quad, from);
        } else if (inside) {
            bring_ends(p, in, i, target + q * per_quad);
        } else {
#pragma unroll
            for (int e = 0; e < per_quad; e++)
                target[q * per_quad + e] = mnp_to<MNP_IN>::from(p.outside);
        }
    }
}

/*
 * Start to bring `count` rows of the windows of a tile, from number `first` on, to the ring's row `slot` and on.  A
 * warp brings a row at a time.
 */
MNP_INLINE void bring(const mnp_fused_params &p, const tile &t, MNP_IN *ring, int first, int count, int slot)
{
    for (int r = threadIdx.x / 32; r < count; r += MNP_THREADS / 32) {
        int64_t y = t.y + first + r;
        const bool inside = fold(p, 0, &y);
        const int to = slot + r < ring_rows ? slot + r : slot + r - ring_rows;
        bring_row(p, find_row(t.source, inside ? y : t.source.low), inside, t.x, ring + to * width);
    }
}

/* ---- the pass along y ---- */

/* The pass along y of a step whose first window begins at row `base` of the ring, and whose outputs at row `first`. */
MNP_INLINE void pass_y(const mnp_fused_params &p, const tile &t, const MNP_IN *ring, int base, const runs &shares,
                       int first, MNP_SUM *rows)
{
    constexpr int items = width / MNP_V;
    typedef mnp_vector<MNP_IN, MNP_V> from_ring;
    for (int i = threadIdx.x; i < items * (MNP_S / MNP_RY); i += MNP_THREADS) {
        const int x = i % items * MNP_V, y = i / items * MNP_RY;
        const int from = base + y < ring_rows ? base + y : base + y - ring_rows;
        lanes<MNP_V> out[MNP_RY];
        const auto at = [&](int k) {
            int r = from + k / group * group;
            r = r < ring_rows ? r : r - ring_rows;
            const from_ring part = *(const from_ring *)(ring + (r + k % group) * width + x);
            lanes<MNP_V> values;
#pragma unroll
            for (int c = 0; c < MNP_V; c++)
                values.v[c] = mnp_to<MNP_SUM>::from(part.at[c]);
            return values;
        };
        combine<MNP_RY, MNP_KY, MNP_V>(at, p.taps[0], out);
#pragma unroll
        for (int r = 0; r < MNP_RY; r++) {
            MNP_SUM *const to = rows + (y + r) * row_stride + shares.skew(first + y + r) + x;
#pragma unroll
            for (int c = 0; c < MNP_V; c++)
                keep_result(p, out[r].v[c], t.x + x + c, to + c);
        }
    }
}

extern "C" __global__ void __launch_bounds__(MNP_THREADS, MNP_BLOCKS)
    fused_ring(const __grid_constant__ mnp_fused_params p)
{
    extern __shared__ __align__(16) unsigned char shared[];
    MNP_IN *ring = (MNP_IN *)shared;
    MNP_SUM *rows = (MNP_SUM *)(shared + ring_rows * width * sizeof(MNP_IN));
    const tile t = find_tile(p);
    MNP_OUT *out = find_outputs(p, t);
    const runs shares = find_runs(p, t, out);
    const int needed = t.rows + MNP_KY - 1; /* rows of the input */
    int brought = 0, base = 0, slot = 0;
    const auto bring_more = [&](int count) {
        const int more = (int)mnp_least(needed - brought, count);
        bring(p, t, ring, brought, more, slot);
        mnp_end_batch();
        brought += more;
        slot = slot + count < ring_rows ? slot + count : slot + count - ring_rows;
    };
    bring_more(MNP_KY - 1 + MNP_S);
#pragma unroll 1
    for (int step = 1; step < MNP_AHEAD; step++)
        bring_more(MNP_S);
    for (int y = 0; y < t.rows; y += MNP_S) {
        mnp_await_batches<MNP_AHEAD - 1>();
        __syncthreads(); /* also: nobody reads what the last step did */
        bring_more(MNP_S);
        pass_y(p, t, ring, base, shares, y, rows);
        base = base + MNP_S < ring_rows ? base + MNP_S : base + MNP_S - ring_rows;
        __syncthreads();
        pass_x<row_stride>(p, t, shares, rows, y, out);
    }
}
