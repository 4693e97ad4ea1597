/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Boxes whose elements lie in another order where they are read than where they are written, such as of a transposed
 * array.  The last dimension is the fastest where it is written, the one before it where it is read.  Square tiles of
 * these two are read row by row into quick memory, and written column by column.  Here is what tiles are, and how the
 * CPU copies them; a GPU does in copy_list_cuda.h.
 */

/*
 * n / divisor, for 0 <= n < 2^50, on GPUs, where to divide 64 bits takes a hundred instructions: `inverse` is 1.0 /
 * divisor, so the product is less than one away from the quotient.
 */
MNP_INLINE int64_t quick_quotient(int64_t n, int64_t divisor, double inverse)
{
    const int64_t near = (int64_t)((double)n * inverse), rest = n - near * divisor;
    return near + (rest >= divisor) - (rest < 0);
}

MNP_INLINE int64_t quick_quotient(int64_t n, int64_t divisor)
{
    return MNP_CUDA ? quick_quotient(n, divisor, 1.0 / (double)divisor) : n / divisor;
}

/* A tile: where it begins in both memories, and how far it reaches. */
struct tile {
    int64_t from, to;
    int rows, columns; /* of the last dimension but one, and of the last */
};

/* The tiles of that side along an extent. */
MNP_INLINE int64_t count_tiles(int64_t extent, int side)
{
    return (extent + side - 1) / side;
}

MNP_INLINE tile tile_at(const mnp_box_copy &box, int ndim, int64_t number, int side)
{
    const int x = ndim - 1, y = ndim - 2;
    const int64_t across = count_tiles(box.extent[x], side), down = count_tiles(box.extent[y], side);
    const int64_t band = quick_quotient(number, across);
    int64_t outer = quick_quotient(band, down);
    const int64_t column = (number - band * across) * side, row = (band - outer * down) * side;
    tile t;
    t.from = box.src + column * box.src_stride[x] + row * box.src_stride[y];
    t.to = box.dst + column * box.dst_stride[x] + row * box.dst_stride[y];
    t.columns = (int)(box.extent[x] - column < side ? box.extent[x] - column : side);
    t.rows = (int)(box.extent[y] - row < side ? box.extent[y] - row : side);
#if MNP_CUDA
#pragma unroll 1
#endif
    for (int d = y - 1; d >= 0; d--) {
        const int64_t rest = quick_quotient(outer, box.extent[d]), index = outer - rest * box.extent[d];
        t.from += index * box.src_stride[d];
        t.to += index * box.dst_stride[d];
        outer = rest;
    }
    return t;
}

#if !MNP_CUDA

/* The CPU knows few pages at a time: large tiles make more of each, as long as they fit its first cache. */
enum { TILE = sizeof(MNP_SRC) > 8 ? 32 : 64 };

/*
 * Turn a tile: rows that are read to columns that are written.  One of the two goes through quick memory in strides,
 * and the other one in vectors: writing to memory, or where elements are short and a vector has many, reading it.
 */
constexpr bool mnp_turns_early = sizeof(MNP_SRC) == 4 || sizeof(MNP_SRC) == 8;

static void copy_tile(const MNP_SRC *src, int64_t src_x, int64_t src_y, MNP_DST *dst, int64_t dst_x, int64_t dst_y,
                      int rows, int columns)
{
    MNP_SRC quick[TILE][TILE + 1];
    for (int i = 0; i < columns; i++) {
        const MNP_SRC *line = src + i * src_x;
        for (int j = 0; j < rows; j++)
            (mnp_turns_early ? quick[j][i] : quick[i][j]) = line[j * src_y];
    }
    for (int j = 0; j < rows; j++) {
        MNP_DST *line = dst + j * dst_y;
        for (int i = 0; i < columns; i++)
            line[i * dst_x] = mnp_to<MNP_DST>::from(mnp_turns_early ? quick[j][i] : quick[i][j]);
    }
}

/*
 * Elements `from` to `to` of a box, in bands: whole rows of tiles.  A band goes to the worker that has its first
 * element, so that all workers together have each band once.
 */
static void copy_tiles(const mnp_copy_params &p, const mnp_box_copy &box, int64_t from, int64_t to)
{
    const int x = p.list.ndim - 1, y = p.list.ndim - 2;
    const MNP_SRC *src = (const MNP_SRC *)p.src;
    MNP_DST *dst = (MNP_DST *)p.dst;
    const int64_t across = count_tiles(box.extent[x], TILE), down = count_tiles(box.extent[y], TILE);
    const int64_t band = TILE * box.extent[x], outer = box.extent[y] * box.extent[x];
    int64_t row = (from % outer + band - 1) / band, at = from / outer;
    for (;; row++) {
        if (row >= down) {
            row = 0;
            at++;
        }
        if (at * outer + row * band >= to)
            return;
        for (int64_t column = 0; column < across; column++) {
            const tile t = tile_at(box, p.list.ndim, (at * down + row) * across + column, TILE);
            const int64_t src_y = box.src_stride[y], dst_x = box.dst_stride[x];
            if (src_y == 1 && dst_x == 1)
                copy_tile(src + t.from, box.src_stride[x], 1, dst + t.to, 1, box.dst_stride[y], t.rows, t.columns);
            else
                copy_tile(src + t.from, box.src_stride[x], src_y, dst + t.to, dst_x, box.dst_stride[y], t.rows,
                          t.columns);
        }
    }
}

#endif
