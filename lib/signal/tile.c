/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The shape of the tiles of a direct convolution.
 *
 * On a GPU a block of up to 256 threads computes a tile; a thread has 64 bytes of outputs along x, of two rows, or of
 * one where the filter is along x alone.  Filters along y alone are computed by columns: a thread has 16 bytes of
 * outputs along x, of 16 rows.  Large tiles share more of their windows; smaller ones, used for short filters, give
 * more blocks, which load while others compute.  At least two blocks should fit on a multiprocessor.  On the host a
 * tile's window should stay in the first-level cache.
 */
#include "signal/tile.h"

#include "base/integer.h"
#include "device/launch.h"
#include "jit/jit.h"

enum {
    LARGEST_WINDOW = 32, /* taps along x and y that one window serves, */
    LARGEST_ROW = 256,   /* of filters along x alone, */
    LARGEST_COLUMN = 64, /* and along y alone */
    BLOCK_THREADS = 256,
    SHORT_FILTER = 16, /* taps along y */
    WARP = 32,
    RUN_BYTES = 64, /* of outputs of a thread along x; kernels/signal/conv_direct_cuda.h pads for this */
    PAD_BYTES = 16, /* also the outputs of a thread along x by columns, */
    COLUMN = 16     /* and along y */
};

/* The least power of two that is at least n. */
static int64_t power_of_two(int64_t n)
{
    int64_t power = 1;
    while (power < n)
        power *= 2;
    return power;
}

/* The bytes of the shared arrays of kernels/signal/conv_direct_cuda.h. */
static size_t shared_bytes(const mnp__conv_tile *tile, int64_t element)
{
    const int64_t runs = mnp__divide_up(tile->extent[3] + tile->cx - 1, tile->rx),
                  rows = tile->extent[2] + tile->cy - 1;
    if (tile->by_columns)
        return (size_t)(rows * runs * PAD_BYTES + mnp__divide_up(tile->cy * element, PAD_BYTES) * PAD_BYTES);
    return (size_t)(rows * runs * (RUN_BYTES + PAD_BYTES) +
                    tile->cy * mnp__divide_up(tile->cx * element, PAD_BYTES) * PAD_BYTES);
}

static void choose_blocks(int64_t width, int64_t height, int64_t element, size_t block_memory, mnp__conv_tile *tile)
{
    const bool along_x = tile->cx > 1 && tile->cy == 1;
    tile->rx = (int)((tile->by_columns ? PAD_BYTES : RUN_BYTES) / element);
    tile->ry = height == 1 || along_x ? 1 : tile->by_columns ? COLUMN : 2;
    int64_t columns = power_of_two(mnp__divide_up(width, tile->rx)),
            rows = power_of_two(mnp__divide_up(height, tile->ry));
    int64_t most = tile->cy > SHORT_FILTER && !tile->by_columns ? BLOCK_THREADS : BLOCK_THREADS / 2;
    int64_t blocks_y = mnp__min(rows, most / (along_x || tile->by_columns ? WARP : 8)),
            blocks_x = mnp__min(columns, most / blocks_y);
    blocks_y = mnp__min(rows, most / blocks_x);
    if (blocks_x * blocks_y < WARP)
        blocks_x = WARP / blocks_y;
    for (;;) {
        tile->extent[3] = blocks_x * tile->rx;
        tile->extent[2] = blocks_y * tile->ry;
        tile->threads = (unsigned)(blocks_x * blocks_y);
        tile->shared_bytes = shared_bytes(tile, element);
        if (tile->shared_bytes <= block_memory / 2)
            return;
        if (tile->threads > WARP && blocks_y > 1)
            blocks_y /= 2;
        else if (tile->threads > WARP)
            blocks_x /= 2;
        else if (tile->shared_bytes <= block_memory || tile->cx + tile->cy == 2)
            return;
        else if (tile->cy >= tile->cx)
            tile->cy = (tile->cy + 1) / 2;
        else
            tile->cx = (tile->cx + 1) / 2;
    }
}

void mnp__conv_tile_choose(const mnp__conv_geometry *geometry, mnp_dtype sum, size_t block_memory, mnp__conv_tile *tile)
{
    int64_t taps[MNP_CONV_DIMS], block[MNP_CONV_DIMS]; /* block: outputs of a rank, about */
    int64_t element = (int64_t)mnp_dtype_size(sum);
    for (int j = 0; j < MNP_CONV_DIMS; j++) {
        int d = geometry->order[j];
        taps[j] = d < 0 ? 1 : geometry->taps[d];
        block[j] = d < 0 ? 1 : mnp__divide_up(geometry->output->shape[d], mnp_layout_parts(geometry->output, d));
    }
    *tile = (mnp__conv_tile){.extent = {1, 1, 1, 1}};
    if (block_memory == 0) { /* extents are not compiled in, so that one kernel serves all */
        tile->cx = tile->cy = LARGEST_WINDOW;
        tile->extent[2] = block[2] > 1 ? 32 : 1;
        tile->extent[3] = block[2] > 1 ? 128 : 2048;
        return;
    }
    for (int j = 0; j < MNP_CONV_DIMS; j++)
        tile->taps[j] = taps[j];
    tile->by_columns = taps[3] == 1 && taps[2] > 1;
    tile->cx = (int)mnp__min(taps[3], taps[2] == 1 ? LARGEST_ROW : LARGEST_WINDOW);
    tile->cy = (int)mnp__min(taps[2], tile->by_columns ? LARGEST_COLUMN : LARGEST_WINDOW);
    choose_blocks(block[3], block[2], element, block_memory, tile);
}

void mnp__conv_tile_defines(const mnp__conv_tile *tile, mnp_dtype input, mnp_dtype output, mnp_dtype sum,
                            bool truncates, mnp__text *defines)
{
    mnp__text_add(defines, "#define MNP_IN %s\n#define MNP_OUT %s\n#define MNP_SUM %s\n", mnp__jit_type(input),
                  mnp__jit_type(output), mnp__jit_type(sum));
    mnp__text_add(defines, "#define MNP_TX %lld\n#define MNP_TY %lld\n#define MNP_CX %d\n#define MNP_CY %d\n",
                  (long long)tile->extent[3], (long long)tile->extent[2], tile->cx, tile->cy);
    if (truncates)
        mnp__text_add(defines, "#define MNP_TRUNCATES\n");
    if (tile->taps[0] == 0)
        return;
    for (int j = 0; j < MNP_CONV_DIMS; j++)
        mnp__text_add(defines, "#define MNP_K%d %lld\n", j, (long long)tile->taps[j]);
    mnp__text_add(defines, "#define MNP_RX %d\n#define MNP_RY %d\n#define MNP_BY_COLUMNS %d\n", tile->rx, tile->ry,
                  tile->by_columns);
}
