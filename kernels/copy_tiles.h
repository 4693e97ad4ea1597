/*
 * Part of copy_boxes.cu: boxes whose elements lie in another order where they are read than where they are written,
 * such as of a transposed array.  The last dimension is the fastest where it is written, the one before it where it is
 * read.  Square tiles of these two are read row by row into quick memory, and written column by column.
 */
enum { TILE = MNP_CUDA ? 32 : 64 }; /* the CPU knows few pages at a time: larger tiles make more of each */

/* A tile: where it begins in both memories, and how far it reaches. */
struct tile {
    int64_t from, to;
    int rows, columns; /* of the last dimension but one, and of the last */
};

MNP_INLINE int64_t count_tiles(int64_t extent)
{
    return (extent + TILE - 1) / TILE;
}

MNP_INLINE tile tile_at(const mnp_box_copy &box, int ndim, int64_t number)
{
    const int x = ndim - 1, y = ndim - 2;
    int64_t across = count_tiles(box.extent[x]), down = count_tiles(box.extent[y]);
    int64_t column = number % across * TILE, row = number / across % down * TILE, outer = number / across / down;
    tile t;
    t.from = box.src + column * box.src_stride[x] + row * box.src_stride[y];
    t.to = box.dst + column * box.dst_stride[x] + row * box.dst_stride[y];
    t.columns = (int)(box.extent[x] - column < TILE ? box.extent[x] - column : TILE);
    t.rows = (int)(box.extent[y] - row < TILE ? box.extent[y] - row : TILE);
    for (int d = y - 1; d >= 0; d--) {
        t.from += outer % box.extent[d] * box.src_stride[d];
        t.to += outer % box.extent[d] * box.dst_stride[d];
        outer /= box.extent[d];
    }
    return t;
}

#if MNP_CUDA

MNP_INLINE int64_t all_tiles(const mnp_copy_params &p)
{
    int64_t tiles = count_tiles(p.one.extent[p.ndim - 1]) * count_tiles(p.one.extent[p.ndim - 2]);
    for (int d = 0; d < p.ndim - 2; d++)
        tiles *= p.one.extent[d];
    return tiles;
}

static __device__ void copy_tiles(const mnp_copy_params &p)
{
    __shared__ MNP_SRC quick[TILE][TILE + 1]; /* one more: columns lie in different banks */
    const int x = p.ndim - 1, y = p.ndim - 2, lane = threadIdx.x % TILE, first = threadIdx.x / TILE;
    const int step = blockDim.x / TILE;
    const MNP_SRC *src = (const MNP_SRC *)p.src;
    MNP_DST *dst = (MNP_DST *)p.dst;
    const int64_t tiles = all_tiles(p);
    for (int64_t number = blockIdx.x; number < tiles; number += gridDim.x) {
        const tile t = tile_at(p.one, p.ndim, number);
        for (int column = first; column < t.columns; column += step) {
            if (lane < t.rows)
                quick[column][lane] = src[t.from + column * p.one.src_stride[x] + lane * p.one.src_stride[y]];
        }
        __syncthreads();
        for (int row = first; row < t.rows; row += step) {
            if (lane < t.columns)
                dst[t.to + lane * p.one.dst_stride[x] + row * p.one.dst_stride[y]] =
                    mnp_to<MNP_DST>::from(quick[lane][row]);
        }
        __syncthreads();
    }
}

#else

/*
 * Elements `from` to `to` of a box, in bands: whole rows of tiles.  A band goes to the worker that has its first
 * element, so that all workers together have each band once.
 */
static void copy_tiles(const mnp_copy_params &p, const mnp_box_copy &box, int64_t from, int64_t to)
{
    MNP_SRC quick[TILE][TILE + 1];
    const int x = p.ndim - 1, y = p.ndim - 2;
    const MNP_SRC *src = (const MNP_SRC *)p.src;
    MNP_DST *dst = (MNP_DST *)p.dst;
    const int64_t across = count_tiles(box.extent[x]), down = count_tiles(box.extent[y]);
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
            const tile t = tile_at(box, p.ndim, (at * down + row) * across + column);
            for (int i = 0; i < t.columns; i++) {
                const MNP_SRC *line = src + t.from + i * box.src_stride[x];
                for (int j = 0; j < t.rows; j++)
                    quick[i][j] = line[j * box.src_stride[y]];
            }
            for (int j = 0; j < t.rows; j++) {
                MNP_DST *line = dst + t.to + j * box.dst_stride[y];
                for (int i = 0; i < t.columns; i++)
                    line[i * box.dst_stride[x]] = mnp_to<MNP_DST>::from(quick[i][j]);
            }
        }
    }
}

#endif
