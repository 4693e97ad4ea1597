/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Connected parts of a block on a GPU.
 *
 * A block of threads finds the parts within a tile of the last two dimensions in shared memory: those of a row are runs
 * of bits, and rows are united with the rows above them.  Then tiles are united with their neighbours, in memory.
 * Steps along other dimensions are label_unite's (label.cu).
 *
 * Compiled with MNP_IN, MNP_LABEL, the type of labels, MNP_NDIM, and MNP_WEST, MNP_NORTH_WEST, MNP_NORTH and
 * MNP_NORTH_EAST, which are 1 for those neighbours of the last two dimensions that count.
 */
#include "kernels/prelude.h"
#include "kernels/ndimage/label_params.h"
#include "kernels/ndimage/label_union.h"

enum { MNP_TX = MNP_LABEL_TILE_X, MNP_TY = MNP_LABEL_TILE_Y };
static_assert(MNP_TX == 32, "a warp has a row of a tile");

/* A slice of the last two dimensions.  Numbers are as wide as labels, as divisions of 64 bits are slow. */
struct mnp_slice {
    MNP_LABEL width, height, tiles_x, tiles_y;
    MNP_INLINE mnp_slice(const mnp_label_params &p)
        : width((MNP_LABEL)p.extent[MNP_NDIM - 1]),
          height(MNP_NDIM > 1 ? (MNP_LABEL)p.extent[MNP_NDIM > 1 ? MNP_NDIM - 2 : 0] : 1),
          tiles_x((width + MNP_TX - 1) / MNP_TX), tiles_y((height + MNP_TY - 1) / MNP_TY)
    {
    }
};

/*
 * Four elements:  a b
 *                 c d   of which some are there, at such a distance between rows.  What is joined by way of a third one
 * anyway is left out.
 */
template <typename T> struct mnp_square {
    T *labels;
    T at, pitch; /* of d */
    bool a, b, c, d;
    static constexpr bool is_plain = MNP_WEST && MNP_NORTH;
    MNP_INLINE void join_rows() const
    {
        if (MNP_NORTH && b && d && !(MNP_WEST && a && c))
            unite(labels, at, at - pitch);
    }
    MNP_INLINE void join_columns() const
    {
        if (MNP_WEST && c && d && !(MNP_NORTH && a && b))
            unite(labels, at, at - 1);
    }
    MNP_INLINE void join_diagonals() const
    {
        if (MNP_NORTH_WEST && a && d && !(is_plain && (b || c)))
            unite(labels, at, at - pitch - 1);
        if (MNP_NORTH_EAST && b && c && !(is_plain && (a || d)))
            unite(labels, at - 1, at - pitch);
    }
};

extern "C" __global__ void __launch_bounds__(MNP_TX *MNP_TY) label_tile(const __grid_constant__ mnp_label_params p)
{
    __shared__ int labels[MNP_TX * MNP_TY];
    __shared__ unsigned rows[MNP_TY];
    const mnp_slice s(p);
    const int lane = threadIdx.x % 32, row = threadIdx.x / 32, own = threadIdx.x;
    const unsigned tiles_x = (unsigned)s.tiles_x, tiles_y = (unsigned)s.tiles_y, rest = blockIdx.x / tiles_x;
    const MNP_LABEL slice = rest / tiles_y, x0 = (blockIdx.x - rest * tiles_x) * MNP_TX;
    const MNP_LABEL y0 = (rest - (unsigned)slice * tiles_y) * MNP_TY, from = (slice * s.height + y0) * s.width + x0;
    const bool exists = x0 + lane < s.width && y0 + row < s.height;
    const bool is_there =
        exists && mnp_to<mnp_bool>::from(((const MNP_IN *)p.in)[from + row * s.width + lane]).value != 0;
    const unsigned bits = __ballot_sync(0xffffffffu, is_there), gaps = ~bits & ((1u << lane) - 1);
    const int start = MNP_WEST ? row * 32 + (gaps ? 32 - __clz(gaps) : 0) : own;
    labels[own] = start;
    if (lane == 0)
        rows[row] = bits;
    __syncthreads();
    if (row > 0) {
        const unsigned above = rows[row - 1];
        const mnp_square<int> square = {labels,
                                        own,
                                        32,
                                        lane > 0 && (above >> (lane - 1) & 1),
                                        (above >> lane & 1) != 0,
                                        lane > 0 && (bits >> (lane - 1) & 1),
                                        is_there};
        square.join_rows();
        square.join_diagonals();
    }
    __syncthreads();
    if (exists) {
        const int root = is_there ? find_root(labels, start) : 0;
        ((MNP_LABEL *)p.labels)[from + row * s.width + lane] =
            is_there ? (MNP_LABEL)(from + root / 32 * s.width + root % 32) : -1;
    }
}

/* The square whose d is element (y, x) of a slice that begins at `from`. */
MNP_INLINE mnp_square<MNP_LABEL> mnp_square_at(const mnp_label_params &p, const mnp_slice &s, MNP_LABEL from,
                                               MNP_LABEL y, MNP_LABEL x)
{
    MNP_LABEL *labels = (MNP_LABEL *)p.labels;
    const MNP_LABEL at = from + y * s.width + x;
    return {labels,
            at,
            s.width,
            y > 0 && x > 0 && read_label(labels + at - s.width - 1) >= 0,
            y > 0 && read_label(labels + at - s.width) >= 0,
            x > 0 && read_label(labels + at - 1) >= 0,
            read_label(labels + at) >= 0};
}

/*
 * Across the borders of tiles.  Elements beside each other are joined but where those above them in the same tiles are;
 * elements above each other but where those to their left in the same tiles are.  So what is left out never depends on
 * itself.
 */
MNP_KERNEL(label_borders, mnp_label_params)
{
    const mnp_slice s(p);
    const MNP_LABEL sides = (s.tiles_x - 1) * s.height, each = sides + (s.tiles_y - 1) * s.width;
    const MNP_LABEL slices = each > 0 ? (MNP_LABEL)p.count / (s.width * s.height) : 0;
    MNP_FOR (item, slices * each) {
        const MNP_LABEL i = (MNP_LABEL)item;
        const MNP_LABEL number = i % each, from = i / each * s.width * s.height;
        if (number < sides) {
            const MNP_LABEL y = number / (s.tiles_x - 1), x = (number % (s.tiles_x - 1) + 1) * MNP_TX;
            mnp_square<MNP_LABEL> square = mnp_square_at(p, s, from, y, x);
            square.join_diagonals();
            square.a = square.a && y % MNP_TY > 0;
            square.join_columns();
        } else {
            const MNP_LABEL y = ((number - sides) / s.width + 1) * MNP_TY, x = (number - sides) % s.width;
            mnp_square<MNP_LABEL> square = mnp_square_at(p, s, from, y, x);
            if (x % MNP_TX > 0)
                square.join_diagonals();
            square.a = square.a && x % MNP_TX > 0;
            square.join_rows();
        }
    }
}
