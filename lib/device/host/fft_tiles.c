/* SPDX-License-Identifier: BSD-3-Clause */
/* Tiles of lines whose elements lie far apart. */
#include "device/host/fft_tiles.h"

#include <string.h>

#include "base/integer.h"

enum {
    LEAST_LINES = 16,    /* of a tile, so that a row is a few lines of the cache */
    LEAST_POINTS = 16,   /* shorter lines are read once and written once as they lie */
    LONG_LINE = 1 << 14, /* which is contiguous in its tile */
    FAR = 4 << 20,       /* bytes of a line from its begin to its end: less is fast as it lies */
    CACHED = 256 << 10,  /* bytes of a tile, if it can be */
    GAP = 64             /* bytes behind each row, so that rows do not begin at the same place of a page */
};

static int64_t magnitude(int64_t stride)
{
    return stride < 0 ? -stride : stride;
}

/* The batch dimension along which lines are neighbours, or -1. */
static int find_neighbours(const mnp__fft_spec *spec)
{
    for (int d = 0; d < spec->nbatch; d++)
        if (spec->batch[d].in == 1 && spec->batch[d].out == 1 && spec->batch[d].extent >= LEAST_LINES)
            return d;
    return -1;
}

static bool is_far(const mnp__fft_spec *spec)
{
    const mnp__fft_dim *line = &spec->dims[0];
    const int64_t in = magnitude(line->in), out = magnitude(line->out), further = mnp__max(in, out);
    return spec->kind == MNP__FFT_COMPLEX && spec->rank == 1 && line->extent >= LEAST_POINTS && in >= LEAST_LINES &&
           out >= LEAST_LINES && line->extent * further * (int64_t)mnp__fft_out_size(spec) > FAR;
}

mnp__fft_tiles mnp__fft_tiles_of(const mnp__fft_spec *spec)
{
    mnp__fft_tiles tiles = {.lines = find_neighbours(spec)};
    if (tiles.lines < 0 || !is_far(spec))
        return tiles;
    const int64_t size = (int64_t)mnp__fft_out_size(spec), n = spec->dims[0].extent,
                  lines = spec->batch[tiles.lines].extent, fitting = CACHED / (n * size),
                  most = mnp__max(fitting, LEAST_LINES);
    tiles.across = mnp__divide_up(lines, most);
    tiles.width = mnp__divide_up(lines, tiles.across);
    tiles.across = mnp__divide_up(lines, tiles.width);
    tiles.last = lines - (tiles.across - 1) * tiles.width;
    tiles.gap = GAP / size;
    tiles.element = n < LONG_LINE ? tiles.width + tiles.gap : 1;
    tiles.line = n < LONG_LINE ? 1 : n + tiles.gap;
    tiles.count = tiles.across;
    for (int d = 0; d < spec->nbatch; d++)
        tiles.count *= d == tiles.lines ? 1 : spec->batch[d].extent;
    return tiles;
}

mnp__fft_spec mnp__fft_tile_spec(const mnp__fft_spec *spec, const mnp__fft_tiles *tiles)
{
    mnp__fft_spec tile = *spec;
    tile.in_place = true;
    tile.dims[0] = (mnp__fft_dim){spec->dims[0].extent, tiles->element, tiles->element};
    tile.nbatch = 1;
    tile.batch[0] = (mnp__fft_dim){tiles->width, tiles->line, tiles->line};
    return tile;
}

int64_t mnp__fft_tile_elements(const mnp__fft_spec *spec, const mnp__fft_tiles *tiles)
{
    return tiles->line == 1 ? spec->dims[0].extent * tiles->element : tiles->width * tiles->line;
}

/* Elements from the first line of the transform to that of a tile. */
static int64_t first_of(const mnp__fft_spec *spec, const mnp__fft_tiles *tiles, int64_t number, bool of_output)
{
    int64_t first = number % tiles->across * tiles->width;
    number /= tiles->across;
    for (int d = spec->nbatch - 1; d >= 0; d--) {
        const mnp__fft_dim *batch = &spec->batch[d];
        if (d == tiles->lines)
            continue;
        first += number % batch->extent * (of_output ? batch->out : batch->in);
        number /= batch->extent;
    }
    return first;
}

/* Copy `width` lines between where their elements lie `stride` apart and a tile in which they are contiguous. */
#define COPY_LINES(name, parts)                                                                                        \
    static void name(parts *tile, int64_t line, parts *apart, int64_t stride, int64_t n, int64_t width, bool back)     \
    {                                                                                                                  \
        for (int64_t i = 0; i < n; i++)                                                                                \
            for (int64_t w = 0; w < width; w++) {                                                                      \
                if (back)                                                                                              \
                    apart[i * stride + w] = tile[w * line + i];                                                        \
                else                                                                                                   \
                    tile[w * line + i] = apart[i * stride + w];                                                        \
            }                                                                                                          \
    }
typedef struct single_complex {
    float parts[2];
} single_complex;
typedef struct double_complex {
    double parts[2];
} double_complex;
COPY_LINES(copy_single, single_complex)
COPY_LINES(copy_double, double_complex)

void mnp__fft_tile_copy(const mnp__fft_spec *spec, const mnp__fft_tiles *tiles, int64_t number, char *data, bool back,
                        char *tile)
{
    const int64_t size = (int64_t)mnp__fft_out_size(spec), n = spec->dims[0].extent,
                  stride = back ? spec->dims[0].out : spec->dims[0].in,
                  width = (number + 1) % tiles->across == 0 ? tiles->last : tiles->width;
    char *from = data + first_of(spec, tiles, number, back) * size;
    if (tiles->line != 1 && spec->is_double) {
        copy_double((void *)tile, tiles->line, (void *)from, stride, n, width, back);
        return;
    }
    if (tiles->line != 1) {
        copy_single((void *)tile, tiles->line, (void *)from, stride, n, width, back);
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        char *row = from + i * stride * size, *in_tile = tile + i * tiles->element * size;
        memcpy(back ? row : in_tile, back ? in_tile : row, (size_t)(width * size));
    }
}
