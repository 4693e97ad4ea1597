/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * y = A x for an operator over a grid: a body of C++ computes y at a point from x and other vectors at the point and
 * its neighbours.
 *
 * The library generates, where `#include "generated"` stands (lib/sparse/operator/operator_kernel.c),
 *   mnp_body(point, y)     the body as a function; point.array(k) is vector k, which is called with offsets
 * and defines
 *   MNP_VALUE              type of the vectors' elements
 *   MNP_NDIM, MNP_REACH    dimensions of the grid; the largest offset along each, as in {1, 1, 1}
 *   MNP_BOUNDARIES         what is outside along each, by kernels/boundary.h, as in {0, 1, 1}
 *   MNP_GHOSTS             1: neighbours may be ghosts; 0: this rank owns them all
 *   MNP_ALONG              on GPUs: points of a thread
 *   MNP_SMALL              on GPUs, 1: registers are bounded so that a multiprocessor holds two blocks
 *
 * Elements outside the grid are 0, or those elements of the grid that the boundary tells.  Testing for them costs more
 * than the computation, so the body is compiled twice: for points near the borders, with tests, and for all others,
 * without.  Most offsets are constants, so the compiler removes most tests.
 */
#include "kernels/prelude.h"
#include "kernels/boundary.h"
#include "kernels/custom/custom.h"
#include "kernels/sparse/operator/operator_kernel_params.h"

typedef MNP_VALUE mnp_value;

/* A point of the grid: its indices and its number. */
struct mnp_place {
    int index[MNP_NDIM];
    int64_t number;
};

/* Load an element; on GPUs both parts of a complex number in one instruction. */
template <typename V> MNP_INLINE V mnp_load(const V *from)
{
    return *from;
}
#if MNP_CUDA
MNP_INLINE complex<float> mnp_load(const complex<float> *from)
{
    const float2 pair = *(const float2 *)from;
    return complex<float>(pair.x, pair.y);
}
MNP_INLINE complex<double> mnp_load(const complex<double> *from)
{
    const double2 pair = *(const double2 *)from;
    return complex<double>(pair.x, pair.y);
}
#endif

/* The value of vector k at the point of a number, from the own part or from the ghosts. */
MNP_INLINE mnp_value mnp_element(const mnp_grid_params &p, int k, int64_t number)
{
    const mnp_value *from = (const mnp_value *)p.arrays[k].own + (number - p.lo);
#if MNP_GHOSTS
    constexpr int boundary[MNP_NDIM] = MNP_BOUNDARIES;
    constexpr bool is_periodic = boundary[0] == MNP_AT_WRAP;
    const int64_t near = is_periodic && number < p.near_lo ? number : number - p.near_skip;
    const int64_t far = number - p.far_skip - (is_periodic && number >= p.far_lo ? p.far_gap : 0);
    const mnp_value *ghosts = (const mnp_value *)p.arrays[k].ghosts + (number < p.lo ? near : far);
    from = number < p.lo || number >= p.hi ? ghosts : from;
#endif
    return mnp_load(from);
}

/*
 * A vector around a point: the body calls it with an offset for every dimension.  `last` and `outer` say whether the
 * neighbour may be outside the grid along the last dimension, and along the others.  For a neighbour that is outside
 * and 0, the offset along that dimension is dropped, and the loaded value is not used: without branches, loads overlap,
 * and points share them.
 */
template <bool outer, bool last> struct mnp_around {
    const mnp_grid_params &p;
    const mnp_place &at;
    int k;

    template <typename... Offsets> MNP_INLINE mnp_value operator()(Offsets... offsets) const
    {
        static_assert(sizeof...(Offsets) == MNP_NDIM, "a vector takes one offset for every dimension of the grid");
        constexpr int reach[MNP_NDIM] = MNP_REACH, boundary[MNP_NDIM] = MNP_BOUNDARIES;
        const int offset[MNP_NDIM] = {(int)offsets...};
        int64_t number = at.number;
        bool known = true, inside = true;
#if MNP_CUDA
#pragma unroll
#endif
        for (int d = 0; d < MNP_NDIM; d++) {
            const bool tested = offset[d] != 0 && (d == MNP_NDIM - 1 ? last : outer);
            const bool is_near = offset[d] <= reach[d] && -offset[d] <= reach[d];
            const bool is_inside = !tested || (unsigned)at.index[d] + (unsigned)offset[d] < (unsigned)p.shape[d];
            known = known && is_near;
            inside = inside && (is_inside || boundary[d] != MNP_AT_FILL);
            if (is_near && is_inside)
                number += d == MNP_NDIM - 1 ? offset[d] : offset[d] * p.stride[d];
            else if (is_near && boundary[d] != MNP_AT_FILL)
                number +=
                    (mnp_folded(boundary[d], (int64_t)at.index[d] + offset[d], p.shape[d]) - at.index[d]) * p.stride[d];
        }
        const mnp_value element = mnp_element(p, k, number);
        return !known ? mnp_value(NAN) : inside ? element : mnp_value(0);
    }
};

/* The point that generated code gets. */
template <bool outer, bool last> struct mnp_point {
    const mnp_grid_params &p;
    const mnp_place &at;
    MNP_INLINE mnp_around<outer, last> array(int k) const
    {
        return mnp_around<outer, last>{p, at, k};
    }
};

/* Whether all neighbours along dimension d of a point at that index are inside the grid. */
MNP_INLINE bool mnp_is_inner(const mnp_grid_params &p, int d, int index)
{
    constexpr int reach[MNP_NDIM] = MNP_REACH;
    return index >= reach[d] && p.shape[d] - index > reach[d];
}

#include "generated"

enum { MNP_RANGES = MNP_GHOSTS ? 2 : 1 };

#if MNP_CUDA

/*
 * A thread computes MNP_ALONG points, `step` apart: neighbours along the first dimension, or, in a grid of one
 * dimension, points that are as far apart as a block is wide.
 *
 * This function computes all of them together, where their neighbours are inside along all dimensions but the last.
 * All are computed before the first is written, so that an element that several of them need is loaded once, and loads
 * overlap.
 */
MNP_INLINE void mnp_compute_together(const mnp_grid_params &p, mnp_place at, int index_step, int64_t step)
{
    mnp_value y[MNP_ALONG], *const out = (mnp_value *)p.y + (at.number - p.lo);
    const int64_t first = at.number;
#pragma unroll
    for (int u = 0; u < MNP_ALONG; u++) {
        at.number = first + u * step;
        mnp_body(mnp_point<false, true>{p, at}, y[u]);
        at.index[0] += index_step;
    }
#pragma unroll
    for (int u = 0; u < MNP_ALONG; u++)
        out[u * step] = y[u];
}

/* Compute those of a thread's points that lie between begin and end, one by one. */
MNP_INLINE void mnp_compute_each(const mnp_grid_params &p, mnp_place at, int index_step, int64_t step, int64_t begin,
                                 int64_t end)
{
#pragma unroll 2
    for (int u = 0; u < MNP_ALONG; u++) {
        if (at.number >= begin && at.number < end) {
            mnp_value y;
            mnp_body(mnp_point<true, true>{p, at}, y);
            ((mnp_value *)p.y)[at.number - p.lo] = y;
        }
        at.index[0] += index_step;
        at.number += step;
    }
}

#if MNP_NDIM == 1

MNP_INLINE void mnp_compute_range(const mnp_grid_params &p, int r)
{
    const int64_t tile = MNP_GRID_THREADS * MNP_ALONG, end = p.end[r];
    for (int64_t first = p.begin[r] + blockIdx.x * tile; first < end; first += gridDim.x * tile) {
        const int64_t number = first + threadIdx.x;
        const mnp_place at = {{(int)number}, number};
        if (first + tile <= end)
            mnp_compute_together(p, at, MNP_GRID_THREADS, MNP_GRID_THREADS);
        else
            mnp_compute_each(p, at, MNP_GRID_THREADS, MNP_GRID_THREADS, first, end);
    }
}

#else

/* Compute a thread's points from `at` on that lie between begin and end, together where possible. */
MNP_INLINE void mnp_compute_line(const mnp_grid_params &p, const mnp_place &at, int64_t begin, int64_t end)
{
    const int64_t plane = p.stride[0];
    bool together = at.number >= begin && at.number + (MNP_ALONG - 1) * plane < end;
#pragma unroll
    for (int d = 0; d < MNP_NDIM - 1; d++)
        together = together && mnp_is_inner(p, d, at.index[d]);
    if (together && mnp_is_inner(p, 0, at.index[0] + MNP_ALONG - 1))
        mnp_compute_together(p, at, 1, plane);
    else
        mnp_compute_each(p, at, 1, plane, begin, end);
}

/* Compute a range by blocks whose threads form a tile: some points along the last dimension, times several rows. */
MNP_INLINE void mnp_compute_range(const mnp_grid_params &p, int r)
{
    constexpr int last = MNP_NDIM - 1; /* the last dimension */
    const int width = 1 << p.tile_bits, height = MNP_GRID_THREADS >> p.tile_bits, x = threadIdx.x & (width - 1);
    const int64_t column = (int64_t)blockIdx.x * width + x;
    if (column >= p.shape[last])
        return;
    int64_t row = (int64_t)blockIdx.y * height + (threadIdx.x >> p.tile_bits);
    for (; row < p.rows; row += gridDim.y * height) {
        mnp_place at;
        int64_t rest = row;
#pragma unroll
        for (int d = last - 1; d > 0; d--) {
            at.index[d] = (int)(d > 1 ? rest % p.shape[d] : rest);
            rest = d > 1 ? rest / p.shape[d] : 0;
        }
        at.index[last] = (int)column;
        for (int64_t z = p.first_plane[r] + blockIdx.z * MNP_ALONG; z < p.end_plane[r]; z += gridDim.z * MNP_ALONG) {
            at.index[0] = (int)z;
            at.number = z * p.stride[0] + row * p.shape[last] + column;
            mnp_compute_line(p, at, p.begin[r], p.end[r]);
        }
    }
}

#endif

#if MNP_SMALL
#define MNP_BOUNDS MNP_GRID_THREADS, 2
#else
#define MNP_BOUNDS MNP_GRID_THREADS
#endif

extern "C" __global__ void __launch_bounds__(MNP_BOUNDS) operator_kernel(const __grid_constant__ mnp_grid_params p)
{
    for (int r = 0; r < MNP_RANGES; r++)
        mnp_compute_range(p, r);
}

#else

/* Compute points `from` .. `to` - 1 of the row whose first point is `row`. */
template <bool outer, bool last>
static __attribute__((noinline)) void mnp_compute(const mnp_grid_params &p, const mnp_place &row, int from, int to)
{
    mnp_value *out = (mnp_value *)p.y + (row.number - p.lo);
    mnp_place at = row;
#pragma GCC ivdep
    for (int j = from; j < to; j++) {
        mnp_value y;
        at.index[MNP_NDIM - 1] = j;
        at.number = row.number + j;
        mnp_body(mnp_point<outer, last>{p, at}, y);
        out[j] = y;
    }
}

/* The same for any points of a row: those in its middle need no tests along the last dimension. */
static void mnp_compute_row(const mnp_grid_params &p, const mnp_place &row, bool inner, int from, int to)
{
    constexpr int reach[MNP_NDIM] = MNP_REACH;
    const int64_t extent = p.shape[MNP_NDIM - 1], margin = reach[MNP_NDIM - 1];
    const int left = margin < to ? (margin > from ? (int)margin : from) : to;
    const int right = extent - margin > left ? (extent - margin < to ? (int)(extent - margin) : to) : left;
    mnp_compute<true, true>(p, row, from, left);
    if (inner)
        mnp_compute<false, false>(p, row, left, right);
    else
        mnp_compute<true, false>(p, row, left, right);
    mnp_compute<true, true>(p, row, right, to);
}

/* Advance to the next row. */
static inline void mnp_next_row(const mnp_grid_params &p, mnp_place &row)
{
    row.number += p.shape[MNP_NDIM - 1];
    for (int d = MNP_NDIM - 2; d >= 0 && ++row.index[d] == p.shape[d]; d--)
        row.index[d] = 0;
}

static void mnp_compute_range(const mnp_grid_params &p, int64_t begin, int64_t end)
{
    constexpr int last = MNP_NDIM - 1;
    mnp_place row;
    int64_t rest = begin;
    for (int d = 0; d < MNP_NDIM; d++) {
        row.index[d] = (int)(rest / p.stride[d]);
        rest %= p.stride[d];
    }
    for (row.number = begin - row.index[last]; row.number < end; mnp_next_row(p, row)) {
        const int from = row.number < begin ? (int)(begin - row.number) : 0;
        const int to = end - row.number < p.shape[last] ? (int)(end - row.number) : p.shape[last];
        bool inner = true;
        for (int d = 0; d < last; d++)
            inner = inner && mnp_is_inner(p, d, row.index[d]);
        mnp_compute_row(p, row, inner, from, to);
    }
}

MNP_KERNEL(operator_kernel, mnp_grid_params)
{
    for (int r = 0; r < MNP_RANGES; r++) {
        const int64_t count = p.end[r] - p.begin[r], begin = p.begin[r] + mnp_share_begin(count, worker, workers);
        const int64_t end = p.begin[r] + mnp_share_begin(count, worker + 1, workers);
        if (begin < end)
            mnp_compute_range(p, begin, end);
    }
}

#endif
