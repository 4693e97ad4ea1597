/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two passes of a separable filter as one: along y, then along x.
 *
 * A block computes a stripe of MNP_W columns and marches down its rows, MNP_S at a time.  The rows that the windows of
 * a step reach are in a ring of rows in shared memory, as they are in memory; meanwhile those of the next MNP_AHEAD
 * steps are on their way.  So the input is read once, but for the columns that neighbouring stripes share and the rows
 * that neighbouring tiles do.  The pass along y goes from the ring to a few rows in shared memory, and the pass along x
 * from there to the result.  A thread computes MNP_RY outputs of MNP_V columns in the one, and MNP_RX outputs of a row
 * in the other, so that an element that it reads serves several outputs.
 *
 * A sum costs a multiplication for every weight.  Means, least and greatest elements are cheaper: windows of outputs
 * side by side share their middle part, which is combined once, and what is left and right of it grows by one element
 * from output to output (see combine_shared).
 *
 * Compiled with
 *   MNP_IN, MNP_SUM, MNP_OUT      types of the input, of what is computed, and of the output
 *   MNP_BETWEEN                   type to which the results of the first pass are rounded
 *   MNP_COMBINE                   a number of fused_params.h
 *   MNP_KY, MNP_KX                extents of the window; a pass along one that is 1 does nothing
 *   MNP_SHIFT                     elements before a row's window that are read with it, to begin at 16 bytes
 *   MNP_W, MNP_S, MNP_AHEAD       see above; MNP_S is a multiple of MNP_RY
 *   MNP_RY, MNP_V, MNP_RX         see above
 *   MNP_REFILLS                   1: the value beyond the borders along x is that of the first pass' results, too
 *   MNP_THREADS, MNP_BLOCKS       threads of a block; blocks that a multiprocessor should hold
 */
#include "kernels/prelude.h"
#include "kernels/boundary.h"
#include "kernels/nest.h"
#include "kernels/signal/extended.h"
#include "kernels/signal/finish.h"
#include "kernels/signal/fused_params.h"

constexpr int per_quad = 16 / sizeof(MNP_IN); /* elements of an access of 16 bytes */
constexpr int quads = (MNP_SHIFT + MNP_W + MNP_KX - 1 + per_quad - 1) / per_quad, width = quads * per_quad;
constexpr int group = MNP_RY < 8 ? MNP_RY : 8; /* rows of the ring that never wrap */
constexpr int ring_rows = (MNP_KY - 1 + (1 + MNP_AHEAD) * MNP_S + group - 1) / group * group;
constexpr int bank_quad = 16 / sizeof(MNP_SUM), reads = bank_quad < MNP_RX ? bank_quad : MNP_RX;
constexpr int items_x = (MNP_W + MNP_RX - 1) / MNP_RX, row_stride = (width + MNP_RX - 1) / MNP_RX * MNP_RX;
static_assert(MNP_S % MNP_RY == 0 && MNP_W % MNP_RX == 0, "passes have no remainder");
static_assert(bank_quad % MNP_V == 0 && per_quad % MNP_V == 0, "accesses do not straddle");

/* ---- windows ---- */

template <typename T> MNP_INLINE T lesser(T a, T b)
{
    return a < b ? a : b;
}
template <typename T> MNP_INLINE T greater(T a, T b)
{
    return a > b ? a : b;
}
MNP_INLINE float lesser(float a, float b)
{
    return fminf(a, b);
}
MNP_INLINE float greater(float a, float b)
{
    return fmaxf(a, b);
}

/* The sums of a few columns side by side. */
template <int columns> struct lanes {
    MNP_SUM v[columns];
};

template <int columns> MNP_INLINE lanes<columns> join(lanes<columns> a, const lanes<columns> &b)
{
#pragma unroll
    for (int c = 0; c < columns; c++)
        a.v[c] = MNP_COMBINE == MNP_FUSED_LEAST      ? lesser(a.v[c], b.v[c])
                 : MNP_COMBINE == MNP_FUSED_GREATEST ? greater(a.v[c], b.v[c])
                                                     : a.v[c] + b.v[c];
    return a;
}

/* The sums of `count` windows of `taps` elements, the first of which begins at element 0; at(i) is element i. */
template <int count, int taps, int columns, typename At>
MNP_INLINE void combine_weighted(const At &at, const MNP_SUM *weights, lanes<columns> *out)
{
#pragma unroll
    for (int r = 0; r < count; r++)
        out[r] = lanes<columns>{};
#pragma unroll
    for (int i = 0; i < count + taps - 1; i++) {
        const lanes<columns> x = at(i);
#pragma unroll
        for (int r = 0; r < count; r++) {
            if (i - r < 0 || i - r >= taps)
                continue;
#pragma unroll
            for (int c = 0; c < columns; c++)
                out[r].v[c] += weights[i - r] * x.v[c];
        }
    }
}

/*
 * All of `count` windows have elements count - 1 to taps - 1.  Before them, window r has elements r to count - 2, and
 * after them elements up to taps - 1 + r.
 */
template <int count, int taps, int columns, typename At>
MNP_INLINE void combine_shared(const At &at, lanes<columns> *out)
{
    if constexpr (taps < count) {
        constexpr int half = count / 2;
        combine_shared<half, taps, columns>(at, out);
        combine_shared<count - half, taps, columns>([&](int i) { return at(i + half); }, out + half);
    } else {
        lanes<columns> middle = at(count - 1);
        constexpr int batch = 16; /* elements that are unrolled */
        if constexpr (taps - count <= batch) {
#pragma unroll
            for (int i = count; i < taps; i++)
                middle = join(middle, at(i));
        } else {
#pragma unroll 4
            for (int i = count; i < taps; i++)
                middle = join(middle, at(i));
        }
        out[count - 1] = middle;
#pragma unroll
        for (int r = count - 2; r >= 0; r--)
            out[r] = join(at(r), out[r + 1]);
        lanes<columns> after;
#pragma unroll
        for (int r = 1; r < count; r++) {
            after = r == 1 ? at(taps) : join(after, at(taps - 1 + r));
            out[r] = join(out[r], after);
        }
    }
}

template <int count, int taps, int columns, typename At>
MNP_INLINE void combine(const At &at, const double *weights, lanes<columns> *out)
{
    if constexpr (taps == 1) {
#pragma unroll
        for (int r = 0; r < count; r++)
            out[r] = at(r);
    } else if constexpr (MNP_COMBINE == MNP_FUSED_SUM) {
        combine_weighted<count, taps, columns>(at, (const MNP_SUM *)weights, out);
    } else {
        combine_shared<count, taps, columns>(at, out);
    }
}

/* The mean of `taps` elements from their sum: of integers it is exact where it is an integer. */
template <int taps, typename To> MNP_INLINE MNP_SUM mean_of(MNP_SUM sum)
{
    if constexpr (MNP_COMBINE != MNP_FUSED_MEAN || taps == 1)
        return sum;
    else if constexpr (mnp_is_integer<To>)
        return sum / (MNP_SUM)taps;
    else
        return sum * (MNP_SUM)(1.0 / taps);
}

/* ---- the ring ---- */

/* Copy `bytes`, a constant, to shared memory; what cp.async can is under way until await_batches(). */
template <int bytes> MNP_INLINE void copy(void *target, const void *source)
{
    const unsigned place = (unsigned)__cvta_generic_to_shared(target);
    if constexpr (bytes == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(place), "l"(source) : "memory");
    else if constexpr (bytes >= 4)
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(place), "l"(source), "n"(bytes) : "memory");
    else
        *(MNP_IN *)target = *(const MNP_IN *)source;
}

/* End a batch of copies; wait until all of this thread but those of the last `batches` batches have come. */
MNP_INLINE void end_batch()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}
template <int batches> MNP_INLINE void await_batches()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(batches) : "memory");
}

/*
 * Fold an index of the extended box along dimension 2 + k; false if it is beyond a border that has a value of its own.
 */
MNP_INLINE bool fold(const mnp_fused_params &p, int k, int64_t *i)
{
    const int64_t extent = p.in.extended[2 + k];
    if (*i >= 0 && *i < extent)
        return true;
    if (p.boundary[k] == MNP_FUSED_INSIDE || p.boundary[k] == MNP_AT_FILL)
        return false;
    *i = mnp_folded(p.boundary[k], *i, extent);
    return true;
}

/* A tile: its plane of the extended box, where its windows begin in that, and its outputs. */
struct tile {
    plane source;
    int64_t y, x, origin[MNP_CONV_DIMS];
    int rows, columns;
};

MNP_INLINE tile find_tile(const mnp_fused_params &p)
{
    tile t;
    mnp_unravel<MNP_CONV_DIMS>(p.tiles.grid, p.tiles.list[blockIdx.x], t.origin);
    t.origin[2] *= p.height;
    t.origin[3] *= MNP_W;
    t.source = find_plane(p.in, t.origin[0], t.origin[1]);
    t.y = t.origin[2] + p.first[0];
    t.x = t.origin[3] + p.first[1] - MNP_SHIFT;
    t.rows = (int)mnp_least(p.tiles.extent[2] - t.origin[2], p.height);
    t.columns = (int)mnp_least(p.tiles.extent[3] - t.origin[3], MNP_W);
    return t;
}

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

/* ---- the passes ---- */

/*
 * Where result x of the first pass lies in its row.  Threads of the pass along x read 16 bytes each, MNP_RX results
 * apart; the 16 bytes of a run are permuted so that eight neighbouring threads use all banks.
 */
MNP_INLINE int place_of(int x)
{
    constexpr int parts = MNP_RX / reads;
    return x ^ (x / (8 * reads) % parts) * reads;
}

/* The pass along y of a step whose first window begins at row `base` of the ring. */
MNP_INLINE void pass_y(const mnp_fused_params &p, const tile &t, const MNP_IN *ring, int base, MNP_SUM *rows)
{
    constexpr int items = width / MNP_V;
    typedef mnp_vector<MNP_IN, MNP_V> from_ring;
    typedef mnp_vector<MNP_SUM, MNP_V> to_rows;
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
            to_rows part;
#pragma unroll
            for (int c = 0; c < MNP_V; c++) {
                part.at[c] = out[r].v[c];
                if constexpr (MNP_KY > 1 && MNP_KX > 1)
                    part.at[c] =
                        mnp_to<MNP_SUM>::from(finish<MNP_BETWEEN>::from(mean_of<MNP_KY, MNP_BETWEEN>(out[r].v[c])));
#if MNP_REFILLS
                if (t.x + x + c < p.x_low || t.x + x + c >= p.x_end)
                    part.at[c] = mnp_to<MNP_SUM>::from(mnp_to<MNP_BETWEEN>::from(p.outside));
#endif
            }
            *(to_rows *)(rows + (y + r) * row_stride + place_of(x)) = part;
        }
    }
}

/* Write `left` outputs of a row, or MNP_RX. */
MNP_INLINE void store_run(const lanes<1> *values, MNP_OUT *out, int left)
{
    constexpr int bytes = MNP_RX * sizeof(MNP_OUT) < 16 ? MNP_RX * sizeof(MNP_OUT) : 16, each = bytes / sizeof(MNP_OUT);
    typedef mnp_vector<MNP_OUT, each> part;
    MNP_OUT results[MNP_RX];
#pragma unroll
    for (int r = 0; r < MNP_RX; r++)
        results[r] = finish<MNP_OUT>::from(mean_of<(MNP_KX > 1 ? MNP_KX : MNP_KY), MNP_OUT>(values[r].v[0]));
    if (left >= MNP_RX && (uint64_t)out % bytes == 0) {
#pragma unroll
        for (int k = 0; k < MNP_RX / each; k++) {
            part whole;
#pragma unroll
            for (int e = 0; e < each; e++)
                whole.at[e] = results[k * each + e];
            ((part *)out)[k] = whole;
        }
    } else {
#pragma unroll
        for (int r = 0; r < MNP_RX; r++) {
            if (r < left)
                out[r] = results[r];
        }
    }
}

/* The pass along x of a step, of the tile's rows from number `first` on. */
MNP_INLINE void pass_x(const mnp_fused_params &p, const tile &t, const MNP_SUM *rows, int first, MNP_OUT *out)
{
    typedef mnp_vector<MNP_SUM, reads> part;
    constexpr int skipped = MNP_SHIFT / reads * reads; /* of what was read to begin at 16 bytes of the input */
    for (int i = threadIdx.x; i < items_x * MNP_S; i += MNP_THREADS) {
        const int x = i % items_x * MNP_RX, y = i / items_x;
        const MNP_SUM *mine = rows + y * row_stride;
        lanes<1> results[MNP_RX];
        if (first + y >= t.rows || x >= t.columns)
            continue;
        if constexpr (MNP_COMBINE == MNP_FUSED_SUM || MNP_KX <= 2 * MNP_RX) { /* the windows in registers */
            constexpr int parts = (MNP_SHIFT - skipped + MNP_RX + MNP_KX - 1 + reads - 1) / reads;
            MNP_SUM values[parts * reads];
#pragma unroll
            for (int k = 0; k < parts; k++) {
                const part some = *(const part *)(mine + place_of(x + skipped + k * reads));
#pragma unroll
                for (int e = 0; e < reads; e++)
                    values[k * reads + e] = some.at[e];
            }
            combine<MNP_RX, MNP_KX, 1>([&](int k) { return lanes<1>{{values[MNP_SHIFT - skipped + k]}}; }, p.taps[1],
                                       results);
        } else {
            combine<MNP_RX, MNP_KX, 1>([&](int k) { return lanes<1>{{mine[place_of(x + MNP_SHIFT + k)]}}; }, p.taps[1],
                                       results);
        }
        store_run(results, out + (int64_t)(first + y) * p.tiles.stride[2] + x, t.columns - x);
    }
}

extern "C" __global__ void __launch_bounds__(MNP_THREADS, MNP_BLOCKS) fused(const __grid_constant__ mnp_fused_params p)
{
    extern __shared__ __align__(16) unsigned char shared[];
    MNP_IN *ring = (MNP_IN *)shared;
    MNP_SUM *rows = (MNP_SUM *)(shared + ring_rows * width * sizeof(MNP_IN));
    const tile t = find_tile(p);
    MNP_OUT *out = (MNP_OUT *)p.tiles.out;
    for (int d = 0; d < MNP_CONV_DIMS; d++)
        out += t.origin[d] * p.tiles.stride[d];
    const int needed = t.rows + MNP_KY - 1; /* rows of the input */
    int brought = 0, base = 0, slot = 0;
    const auto bring_more = [&](int count) {
        const int more = (int)mnp_least(needed - brought, count);
        bring(p, t, ring, brought, more, slot);
        end_batch();
        brought += more;
        slot = slot + count < ring_rows ? slot + count : slot + count - ring_rows;
    };
    bring_more(MNP_KY - 1 + MNP_S);
#pragma unroll 1
    for (int step = 1; step < MNP_AHEAD; step++)
        bring_more(MNP_S);
    for (int y = 0; y < t.rows; y += MNP_S) {
        await_batches<MNP_AHEAD - 1>();
        __syncthreads(); /* also: nobody reads what the last step did */
        bring_more(MNP_S);
        pass_y(p, t, ring, base, rows);
        base = base + MNP_S < ring_rows ? base + MNP_S : base + MNP_S - ring_rows;
        __syncthreads();
        pass_x(p, t, rows, y, out);
    }
}
