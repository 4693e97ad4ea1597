/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Filters on a GPU: a block computes a tile of the result, MNP_TX outputs along x and MNP_TY along y.
 *
 * It first brings all that windows of the tile reach to shared memory, as values, with indices beyond the borders
 * folded; an element of a window then lies at a distance from the window's first one that the compiler knows.  A thread
 * computes MNP_RUN outputs side by side along x, with their columns in registers.  MNP_RUN is odd, so that the threads
 * of a warp read different banks.  Results go through shared memory, too, as rows are written by neighbouring threads.
 *
 * Where windows are too large for that (MNP_TILED 0) elements come from memory, and every index is folded.
 */
typedef MNP_VALUE mnp_lanes;

struct mnp_tap {
    short at[MNP_NDIM];
};
#define MNP_TAP(...) (mnp_tap{{__VA_ARGS__}})
#define MNP_TABLE static __device__ const

MNP_INLINE bool mnp_any(bool condition)
{
    return condition;
}
MNP_INLINE mnp_lanes mnp_cast(mnp_lanes x)
{
    return mnp_to<MNP_VALUE>::from(mnp_to<MNP_OUT>::from(x));
}

#include "kernels/ndimage/neighbours_tile_cuda.h"

constexpr int mnp_threads_x = MNP_TX / MNP_RUN, mnp_threads_y = MNP_THREADS / mnp_threads_x;

/* A window, from its first element on. */
struct mnp_near {
    const MNP_VALUE *first, *weights;
    MNP_INLINE mnp_lanes at(const mnp_tap &tap) const
    {
        int place = 0;
#pragma unroll
        for (int d = 0; d < MNP_NDIM; d++)
            place += mnp_spans[d] > 1 ? tap.at[d] * mnp_distance(d) : 0;
        return first[place];
    }
    MNP_INLINE MNP_VALUE weight(int k) const
    {
        return weights[k];
    }
    MNP_INLINE mnp_near column(int x) const
    {
        return mnp_near{first + x, weights};
    }
};

/* ---- a window anywhere, in memory ---- */

/* From index `from` of the array on. */
struct mnp_far {
    const mnp_neighbours_params &p;
    const MNP_VALUE *weights;
    int64_t from[MNP_NDIM];
    MNP_INLINE mnp_lanes at(const mnp_tap &tap) const
    {
        const MNP_IN *element = (const MNP_IN *)p.in;
        bool inside = true;
#pragma unroll
        for (int d = 0; d < MNP_NDIM; d++) {
            int64_t i = from[d] + tap.at[d];
            inside = mnp_fold(p, d, &i) && inside;
            element += (i - p.memory_lo[d]) * p.stride[d];
        }
        return mnp_take(inside ? *element : mnp_to<MNP_IN>::from(p.outside));
    }
    MNP_INLINE MNP_VALUE weight(int k) const
    {
        return weights[k];
    }
    MNP_INLINE mnp_far column(int x) const
    {
        mnp_far other = *this;
        other.from[mnp_x] += x;
        return other;
    }
};

/* ---- results ---- */

#include "generated"

struct mnp_columns {
    const MNP_VALUE *weights;
    const mnp_lanes (*kept)[MNP_KEPT];
    MNP_INLINE MNP_VALUE weight(int k) const
    {
        return weights[k];
    }
    MNP_INLINE mnp_lanes operator()(int x, int i) const
    {
        return kept[x][i];
    }
};

/* The outputs of a thread.  Columns beyond the last one that an output needs are those of the last one. */
template <typename Window>
MNP_INLINE void mnp_compute(const Window &window, int last, const MNP_VALUE *weights, mnp_lanes *results)
{
    mnp_lanes kept[MNP_RUN + MNP_COLUMNS - 1][MNP_KEPT];
#pragma unroll
    for (int x = 0; x < MNP_RUN + MNP_COLUMNS - 1; x++)
        mnp_column(window.column(x < last ? x : last), kept[x]);
#pragma unroll
    for (int r = 0; r < MNP_RUN; r++)
        results[r] = mnp_finish(mnp_columns{weights, kept + r});
}

/* The outputs of this thread in row y of the tile at o, to `results`. */
MNP_INLINE void mnp_row(const mnp_neighbours_params &p, const int64_t *o, int y, const MNP_VALUE *near,
                        const MNP_VALUE (*weights)[MNP_NEIGHBOUR_WEIGHTS], MNP_VALUE *results)
{
    const int x = threadIdx.x % mnp_threads_x * MNP_RUN;
#if MNP_TILED
    const mnp_near window = {near + y * mnp_distance(mnp_y) + x, weights[0]};
    mnp_compute(window, MNP_RUN + MNP_COLUMNS - 2, weights[1], results + x);
#else
    const int64_t left = p.extent[mnp_x] - o[mnp_x] - x;
    mnp_far window = {p, weights[0], {}};
    for (int d = 0; d < MNP_NDIM; d++)
        window.from[d] = p.first[d] + o[d] + p.low[d] + (d == mnp_x ? x : d == mnp_y ? y : 0);
    if (left > 0 && o[mnp_y] + y < p.extent[mnp_y])
        mnp_compute(window, (int)mnp_least(left, MNP_RUN) + MNP_COLUMNS - 2, weights[1], results + x);
#endif
}

/* Write row y of the tile at o. */
MNP_INLINE void mnp_write_row(const mnp_neighbours_params &p, const int64_t *o, int y, const MNP_VALUE *results)
{
    int64_t place = 0;
    if (o[mnp_y] + y >= p.extent[mnp_y])
        return;
#pragma unroll
    for (int d = 0; d < MNP_NDIM; d++)
        place += (o[d] + (d == mnp_y ? y : 0)) * (d == mnp_x ? 1 : p.out_stride[d]);
#pragma unroll
    for (int r = 0; r < MNP_RUN; r++) {
        const int x = r * mnp_threads_x + threadIdx.x % mnp_threads_x;
        if (o[mnp_x] + x >= p.extent[mnp_x])
            continue;
#if MNP_MASK
        if (!((const unsigned char *)p.mask)[place + x])
            continue;
#endif
        ((MNP_OUT *)p.out)[place + x] = mnp_give(results[x]);
    }
}

extern "C" __global__ void __launch_bounds__(MNP_THREADS) neighbours(const __grid_constant__ mnp_neighbours_params p)
{
    extern __shared__ __align__(16) unsigned char mnp_shared[];
    __shared__ MNP_VALUE weights[2][MNP_NEIGHBOUR_WEIGHTS], results[2][mnp_threads_y][MNP_TX];
    MNP_VALUE *near = (MNP_VALUE *)mnp_shared, *mine;
    int64_t o[MNP_NDIM];
    mnp_find_tile(p, o);
    for (int k = threadIdx.x; k < 2 * MNP_NEIGHBOUR_WEIGHTS; k += MNP_THREADS)
        weights[k / MNP_NEIGHBOUR_WEIGHTS][k % MNP_NEIGHBOUR_WEIGHTS] =
            (MNP_VALUE)p.weights[k / MNP_NEIGHBOUR_WEIGHTS][k % MNP_NEIGHBOUR_WEIGHTS];
#if MNP_TILED
    mnp_surround(p, o, near);
#endif
    __syncthreads();
#pragma unroll 1
    for (int y = threadIdx.x / mnp_threads_x, turn = 0; y < MNP_TY; y += mnp_threads_y, turn ^= 1) {
        mine = results[turn][threadIdx.x / mnp_threads_x];
        mnp_row(p, o, y, near, weights, mine);
        __syncthreads(); /* also: nobody reads the other results any more */
        mnp_write_row(p, o, y, mine);
    }
}
