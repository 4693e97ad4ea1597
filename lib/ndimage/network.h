/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sorting networks: values that are the smaller or the larger of two others, written as statements of the kernel
 * language.
 *
 * They are merges after K. E. Batcher (Sorting networks and their applications, 1968; odd-even merges of any two
 * lengths as in D. E. Knuth, The Art of Computer Programming 3, 5.3.4).  Only what a wanted value depends on is
 * written.
 *
 * The values of one rank in all windows of a tile of outputs are found together, after A. Adams (Fast median filters
 * using separable sorting networks, 2021): what all of the tile's windows have in common is sorted once.  Then the tile
 * is halved again and again, and each half adds the columns or rows that its windows have in common beyond that.  A
 * value is forgotten as soon as too many others are known to be smaller or larger for it to have the rank.
 */
#ifndef MNP__NDIMAGE_NETWORK_H
#define MNP__NDIMAGE_NETWORK_H

#include <stdbool.h>

#include "base/text.h"

enum { MNP__MOST_WIRES = 128 };

typedef struct mnp__network {
    int inputs, count, capacity;
    struct mnp__network_value *values;
    bool failed; /* memory ran out; what is written is of no use */
} mnp__network;

/* Values in ascending order, by their numbers in the network; the inputs are numbers 0, 1, ... */
typedef struct mnp__sorted {
    int count;
    int at[MNP__MOST_WIRES];
} mnp__sorted;

/*
 * Outputs width x height, at most as many as columns x rows, whose windows are of `columns` x `rows` cells of `depth`
 * values, at most MNP__MOST_WIRES together.  Value d of the cell in column x and row y is input
 * (y * (columns + width - 1) + x) * depth + d.
 */
typedef struct mnp__network_tile {
    int columns, rows, depth;
    bool is_sorted; /* the values of a cell are in ascending order */
    int width, height;
    int rank; /* of the values that are wanted */
} mnp__network_tile;

/* Start a network without values but the inputs. */
void mnp__network_start(mnp__network *network, int inputs);
void mnp__network_free(mnp__network *network);

/* Sort inputs 0 to count - 1. */
void mnp__network_sort(mnp__network *network, int count, mnp__sorted *sorted);

/* Find the value of the rank in each window; those of a row of outputs are beside each other in results[]. */
void mnp__network_select(mnp__network *network, const mnp__network_tile *tile, int *results);

/* Write what `count` values depend on; input i is v[i]. */
void mnp__network_write(mnp__network *network, mnp__text *text, const int *wanted, int count);

/* Write the name of a value. */
void mnp__network_name(const mnp__network *network, mnp__text *text, int value);

#endif
