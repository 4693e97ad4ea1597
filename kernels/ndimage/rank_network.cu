/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The value of one rank in small windows, on a GPU: each thread takes a tile of MNP_RUN x MNP_ROWS outputs and finds
 * all of their values by one sorting network, in registers.
 *
 * Compiled with what neighbours_values.h explains, MNP_RUN and MNP_ROWS, and the generated function
 *   void mnp_select(v, results)
 * where v[(y * mnp_cells_x + x) * mnp_depth + d] is the value of the outputs' surroundings in column x, row y and place
 * d along the other dimensions.
 */
#define MNP_ALIGNED MNP_RUN
#include "kernels/ndimage/neighbours_values.h"
#include "kernels/ndimage/neighbours_tile_cuda.h"

typedef MNP_VALUE mnp_lanes;

constexpr int mnp_cells_x = mnp_spans[mnp_x] + MNP_RUN - 1, mnp_cells_y = mnp_spans[mnp_y] + MNP_ROWS - 1;
constexpr int mnp_depth = mnp_rows / mnp_reach(mnp_y);

#include "generated"

/* MNP_RUN values side by side, read or written by one access. */
template <typename T> struct __align__(MNP_RUN * sizeof(T)) mnp_group
{
    T at[MNP_RUN];
};

/* The surroundings of a thread's outputs, which begin at `first`. */
MNP_INLINE void mnp_read(const MNP_VALUE *first, MNP_VALUE *v)
{
#pragma unroll
    for (int d = 0; d < mnp_depth; d++) {
#pragma unroll
        for (int y = 0; y < mnp_cells_y; y++) {
#pragma unroll
            for (int x = 0; x < mnp_cells_x; x += MNP_RUN) {
                const auto group = *(const mnp_group<MNP_VALUE> *)(first + (d * mnp_reach(mnp_y) + y) * mnp_pitch + x);
#pragma unroll
                for (int i = 0; i < MNP_RUN; i++)
                    if (x + i < mnp_cells_x)
                        v[(y * mnp_cells_x + x + i) * mnp_depth + d] = group.at[i];
            }
        }
    }
}

/* Write the outputs, which begin at column x and row y of the tile at o. */
MNP_INLINE void mnp_write(const mnp_neighbours_params &p, const int64_t *o, int x, int y, const MNP_VALUE *results)
{
    const int64_t pitch = p.out_stride[mnp_y], left = p.extent[mnp_x] - o[mnp_x] - x,
                  below = p.extent[mnp_y] - o[mnp_y] - y;
    int64_t place = 0;
#pragma unroll
    for (int d = 0; d < MNP_NDIM; d++)
        place += (o[d] + (d == mnp_y ? y : d == mnp_x ? x : 0)) * (d == mnp_x ? 1 : p.out_stride[d]);
#pragma unroll
    for (int r = 0; r < MNP_ROWS; r++) {
        MNP_OUT *out = (MNP_OUT *)p.out + place + r * pitch;
        if (r >= below)
            return;
        if (left >= MNP_RUN && (unsigned long long)out % sizeof(mnp_group<MNP_OUT>) == 0) {
            mnp_group<MNP_OUT> group;
#pragma unroll
            for (int i = 0; i < MNP_RUN; i++)
                group.at[i] = mnp_give(results[r * MNP_RUN + i]);
            *(mnp_group<MNP_OUT> *)out = group;
        } else {
#pragma unroll
            for (int i = 0; i < MNP_RUN; i++)
                if (i < left)
                    out[i] = mnp_give(results[r * MNP_RUN + i]);
        }
    }
}

extern "C" __global__ void __launch_bounds__(MNP_THREADS) rank_network(const __grid_constant__ mnp_neighbours_params p)
{
    extern __shared__ __align__(16) unsigned char mnp_shared[];
    MNP_VALUE *near = (MNP_VALUE *)mnp_shared, v[mnp_cells_y * mnp_cells_x * mnp_depth], results[MNP_RUN * MNP_ROWS];
    const int x = threadIdx.x % 32 * MNP_RUN, y = threadIdx.x / 32 * MNP_ROWS;
    int64_t o[MNP_NDIM];
    mnp_find_tile(p, o);
    mnp_surround(p, o, near);
    __syncthreads();
    if (o[mnp_x] + x >= p.extent[mnp_x] || o[mnp_y] + y >= p.extent[mnp_y])
        return;
    mnp_read(near + y * mnp_pitch + x, v);
    mnp_select(v, results);
    mnp_write(p, o, x, y, results);
}
