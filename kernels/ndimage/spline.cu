/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Coefficients of B-splines along lines.  An element's coefficient is the sum over all elements of the line, continued
 * beyond its ends, of weight pole^distance for each pole of the filter (M. Unser, A. Aldroubi and M. Eden, B-spline
 * signal processing, 1993): a recursion forward over the elements before it and one backward over those behind it.
 * Both forget: elements more than MNP_REACH away count for nothing beside a double's last digit.  So lines are divided
 * into strips, and recursions begin that far outside their strip.
 *
 *   MNP_IN      the type of the elements
 *   MNP_POLES   1 or 2
 *   MNP_REACH   at most 48, so that a tile fits the shared memory of a GPU
 *   MNP_BESIDE  1: as many lines as a tile has strips mostly lie beside one another
 *
 * A tile is 16 strips that lie beside one another where lines do, with what they reach.  A worker of the host filters
 * the strips side by side, as vectors.  A block of a GPU brings the tile to shared memory; a thread filters a part of
 * one strip, from registers.  A GPU reads an element (strip + 2 reach) / strip times, mostly from its cache.
 */
#include "kernels/prelude.h"
#include "kernels/boundary.h"
#include "kernels/ndimage/lines_params.h"

constexpr int mnp_lanes = MNP_SPLINE_LANES, mnp_strip = MNP_SPLINE_STRIP, mnp_rows = mnp_strip + 2 * MNP_REACH;
#if MNP_CUDA
constexpr int mnp_part = mnp_strip * mnp_lanes / MNP_SPLINE_THREADS, mnp_together = 1;
constexpr int mnp_pitch = mnp_lanes + 1; /* the gap avoids bank conflicts */
#else
constexpr int mnp_part = mnp_strip, mnp_together = mnp_lanes; /* that a thread or worker filters at a time */
constexpr int mnp_pitch = mnp_lanes;
#endif

/* A strip: where its line begins, and the number of the strip's first element. */
struct mnp_strip_place {
    int64_t line, first;
};

struct mnp_tile {
    mnp_strip_place strips[mnp_lanes];
    double rows[mnp_rows * mnp_pitch]; /* row by row, from element first - MNP_REACH of the strips on */
};

/* The strips of a tile; those that are not there have no elements. */
MNP_INLINE mnp_strip_place mnp_find_strip(const mnp_spline_params &p, int64_t number)
{
    const mnp_lines &lines = p.lines;
    const int64_t strip = mnp_quotient(number, lines.count), line = number - strip * lines.count;
    const int64_t outer = mnp_quotient(line, lines.inner);
    const int64_t nowhere = lines.length + 2 * MNP_REACH, first = strip * mnp_strip;
    return {outer * lines.inner * lines.length + line - outer * lines.inner, first < lines.length ? first : nowhere};
}

/* Whether the strips reach no elements beyond their lines' ends; elements that are fewer than the line has; any. */
enum mnp_reaches { mnp_inside, mnp_near, mnp_far };

/* The element of a line that stands for element `at`. */
template <mnp_reaches reaches> MNP_INLINE int64_t mnp_place(const mnp_spline_params &p, int64_t at)
{
    const int64_t n = p.lines.length,
                  least = mnp_least(at, n - 1 + MNP_REACH); /* what is farther away counts for none */
    return reaches == mnp_inside ? at
           : reaches == mnp_near ? mnp_folded_near(p.boundary, least, n)
                                 : mnp_folded(p.boundary, least, n);
}

MNP_INLINE double mnp_element(const mnp_spline_params &p, const mnp_strip_place &strip, int64_t place)
{
    return mnp_to<double>::from(((const MNP_IN *)p.from)[strip.line + place * p.lines.inner]);
}

MNP_INLINE void mnp_store_element(const mnp_spline_params &p, const mnp_tile &tile, int row, int lane)
{
    const mnp_strip_place strip = tile.strips[lane];
    const int64_t at = strip.first + row;
    if (at < p.lines.length)
        p.to[strip.line + at * p.lines.inner] = tile.rows[(row + MNP_REACH) * mnp_pitch + lane];
}

#if MNP_CUDA
/* Item number i of `rows` rows of a tile, in the order in which elements are adjacent in memory. */
struct mnp_item {
    int row, lane;
};
template <int rows> MNP_INLINE mnp_item mnp_find_item(int i)
{
#if MNP_BESIDE
    return {i / mnp_lanes, i % mnp_lanes};
#else
    return {i % rows, i / rows};
#endif
}

/* Load what the strips of a tile reach.  The block's threads share it. */
template <mnp_reaches reaches> MNP_INLINE void mnp_load_rows(const mnp_spline_params &p, mnp_tile &tile, int)
{
#pragma unroll(reaches == mnp_far ? 1 : 4)
    for (int i = threadIdx.x; i < mnp_rows * mnp_lanes; i += MNP_SPLINE_THREADS) {
        const mnp_item item = mnp_find_item<mnp_rows>(i);
        const mnp_strip_place strip = tile.strips[item.lane];
        const int64_t place = mnp_place<reaches>(p, strip.first - MNP_REACH + item.row);
        tile.rows[item.row * mnp_pitch + item.lane] = mnp_element(p, strip, place);
    }
}

/* Store the results, which are where the strips' elements were. */
MNP_INLINE void mnp_store(const mnp_spline_params &p, const mnp_tile &tile, int)
{
#pragma unroll 4
    for (int i = threadIdx.x; i < mnp_strip * mnp_lanes; i += MNP_SPLINE_THREADS) {
        const mnp_item item = mnp_find_item<mnp_strip>(i);
        mnp_store_element(p, tile, item.row, item.lane);
    }
}
#else
/* Load what the first `count` elements of the strips of a tile reach. */
template <mnp_reaches reaches> MNP_INLINE void mnp_load_rows(const mnp_spline_params &p, mnp_tile &tile, int count)
{
    const bool alike = tile.strips[0].first == tile.strips[mnp_lanes - 1].first;
    for (int row = 0; row < count + 2 * MNP_REACH; row++) {
        const int64_t place = mnp_place<reaches>(p, tile.strips[0].first - MNP_REACH + row);
        double *to = tile.rows + row * mnp_pitch;
        for (int lane = 0; alike && lane < mnp_lanes; lane++)
            to[lane] = mnp_element(p, tile.strips[lane], place);
        for (int lane = 0; !alike && lane < mnp_lanes; lane++)
            to[lane] =
                mnp_element(p, tile.strips[lane], mnp_place<reaches>(p, tile.strips[lane].first - MNP_REACH + row));
    }
}

MNP_INLINE void mnp_store(const mnp_spline_params &p, const mnp_tile &tile, int count)
{
    for (int row = 0; row < count; row++)
        for (int lane = 0; lane < mnp_lanes; lane++)
            mnp_store_element(p, tile, row, lane);
}
#endif

MNP_INLINE void mnp_load(const mnp_spline_params &p, mnp_tile &tile, int count)
{
    const int64_t n = p.lines.length, last = tile.strips[mnp_lanes - 1].first;
    if (tile.strips[0].first >= MNP_REACH && last + mnp_strip + MNP_REACH <= n)
        mnp_load_rows<mnp_inside>(p, tile, count);
    else if (MNP_REACH < n)
        mnp_load_rows<mnp_near>(p, tile, count);
    else
        mnp_load_rows<mnp_far>(p, tile, count);
}

/* What a recursion has come to, for each pole and lane: the sums of powers of the pole times elements. */
struct mnp_sums {
    double at[MNP_POLES][mnp_together];

    MNP_INLINE void clear()
    {
        for (int k = 0; k < MNP_POLES; k++)
            for (int j = 0; j < mnp_together; j++)
                at[k][j] = 0;
    }
    MNP_INLINE void step(const mnp_spline_params &p, const double *row)
    {
        for (int k = 0; k < MNP_POLES; k++)
            for (int j = 0; j < mnp_together; j++)
                at[k][j] = row[j] + p.pole[k] * at[k][j];
    }
};

/* The coefficients of a part of strips, of which `count` elements are wanted; `row` is the part's first element. */
struct mnp_coefficients {
    double at[mnp_part][mnp_together];

    MNP_INLINE void find(const mnp_spline_params &p, const double *row, int count)
    {
        mnp_sums sums;
        sums.clear();
        for (int i = -MNP_REACH; i < 0; i++)
            sums.step(p, row + i * mnp_pitch);
#if MNP_CUDA
#pragma unroll
#endif
        for (int i = 0; i < count; i++) {
            sums.step(p, row + i * mnp_pitch);
            for (int j = 0; j < mnp_together; j++) {
                at[i][j] = p.weight[0] * sums.at[0][j];
                for (int k = 1; k < MNP_POLES; k++)
                    at[i][j] += p.weight[k] * sums.at[k][j];
            }
        }
        sums.clear();
        for (int i = count + MNP_REACH - 1; i >= count; i--)
            sums.step(p, row + i * mnp_pitch);
#if MNP_CUDA
#pragma unroll
#endif
        for (int i = count - 1; i >= 0; i--) {
            for (int k = 0; k < MNP_POLES; k++)
                for (int j = 0; j < mnp_together; j++)
                    at[i][j] += p.weight[k] * p.pole[k] * sums.at[k][j];
            sums.step(p, row + i * mnp_pitch);
        }
    }
    MNP_INLINE void put(double *row, int count) const
    {
#if MNP_CUDA
#pragma unroll
#endif
        for (int i = 0; i < count; i++)
            for (int j = 0; j < mnp_together; j++)
                row[i * mnp_pitch + j] = at[i][j];
    }
};

#if MNP_CUDA
extern "C" __global__ void __launch_bounds__(MNP_SPLINE_THREADS, 3) spline(const __grid_constant__ mnp_spline_params p)
{
    __shared__ mnp_tile tile;
    mnp_coefficients coefficients;
    const int own = threadIdx.x, lane = own % mnp_lanes, part = own / mnp_lanes * mnp_part;
    double *row = tile.rows + (MNP_REACH + part) * mnp_pitch + lane;
    for (int64_t t = blockIdx.x; t < p.tiles; t += gridDim.x) {
        if (own < mnp_lanes)
            tile.strips[own] = mnp_find_strip(p, t * mnp_lanes + own);
        __syncthreads();
        mnp_load(p, tile, mnp_strip);
        __syncthreads();
        const bool counts = tile.strips[lane].first + part < p.lines.length;
        if (counts)
            coefficients.find(p, row, mnp_part);
        __syncthreads();
        if (counts)
            coefficients.put(row, mnp_part);
        __syncthreads();
        mnp_store(p, tile, mnp_strip);
        __syncthreads();
    }
}
#else
MNP_KERNEL(spline, mnp_spline_params)
{
    mnp_tile tile;
    mnp_coefficients coefficients;
    double *row = tile.rows + MNP_REACH * mnp_pitch;
    MNP_FOR (t, p.tiles) {
        for (int lane = 0; lane < mnp_lanes; lane++)
            tile.strips[lane] = mnp_find_strip(p, t * mnp_lanes + lane);
        const int count = (int)mnp_least(mnp_strip, p.lines.length - tile.strips[0].first);
        mnp_load(p, tile, count);
        coefficients.find(p, row, count);
        coefficients.put(row, count);
        mnp_store(p, tile, count);
    }
}
#endif
