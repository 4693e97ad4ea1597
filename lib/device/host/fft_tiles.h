/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lines whose elements lie far apart, for a Fourier transform: tiles of neighbouring lines are copied to memory of a
 * cache's size, transformed there, and copied to where the results belong.  Where they are, the elements of a line
 * would displace each other from the cache, and every pass over them would read the memory.
 *
 * A tile is copied row by row, each the elements of one index of its lines, and keeps them so: of very long lines,
 * which a cache does not hold, each is contiguous in the tile instead.
 */
#ifndef MNP__HOST_FFT_TILES_H
#define MNP__HOST_FFT_TILES_H

#include "device/fft.h"

typedef struct mnp__fft_tiles {
    int lines;                  /* the batch dimension along which lines are neighbours */
    int64_t width, last;        /* lines of a tile, and of the last one along that dimension */
    int64_t across, count;      /* tiles along it, and all; 0: there are none */
    int64_t element, line, gap; /* in a tile, from one element to the next, and one line; what is unused at the end */
} mnp__fft_tiles;

/* Divide the lines of a transform into tiles; none where they are as fast as they lie. */
mnp__fft_tiles mnp__fft_tiles_of(const mnp__fft_spec *spec);

/* The transform of a tile, in place. */
mnp__fft_spec mnp__fft_tile_spec(const mnp__fft_spec *spec, const mnp__fft_tiles *tiles);

/* Elements of the memory for a tile. */
int64_t mnp__fft_tile_elements(const mnp__fft_spec *spec, const mnp__fft_tiles *tiles);

/* Copy a tile from the input, or `back` to the output. */
void mnp__fft_tile_copy(const mnp__fft_spec *spec, const mnp__fft_tiles *tiles, int64_t number, char *data, bool back,
                        char *tile);

#endif
