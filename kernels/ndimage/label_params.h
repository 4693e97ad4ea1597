/* SPDX-License-Identifier: BSD-3-Clause */
/* What the kernels of labels are given, shared by the library (C) and the kernel (C++). */
#ifndef MNP_KERNELS_NDIMAGE_LABEL_PARAMS_H
#define MNP_KERNELS_NDIMAGE_LABEL_PARAMS_H

enum { MNP_LABEL_DIMS = 8 };

/* Outputs of a block of threads: of a tile (label_tiles.cu), of label_count and of label_finish (label_numbers.cu). */
enum { MNP_LABEL_TILE_X = 32, MNP_LABEL_TILE_Y = 8, MNP_LABEL_PART = 8192, MNP_LABEL_FINISHED = 1024 };

/*
 * A block of `count` elements, dense in C order, whose first element has index lo in an array of extent `whole`.
 * `labels` holds for each element a number of an element of the same part, or -1: until label_number runs, within the
 * block; afterwards within the array.
 */
typedef struct mnp_label_params {
    const void *in;
    long long *labels;
    const long long *wide; /* the labels with a margin of one element, at its inner element 0 */
    long long count, extent[MNP_LABEL_DIMS], lo[MNP_LABEL_DIMS], whole[MNP_LABEL_DIMS], wide_stride[MNP_LABEL_DIMS];
    /* label_pairs: pairs of numbers that touch across the block's borders, at most `room` */
    long long *pairs;
    unsigned *found;
    unsigned room;
    /* label_join: numbers in ascending order, and what replaces them; flags: what are their own numbers */
    const long long *from, *to;
    long long changes;
    unsigned char *flags;
    /*
     * label_numbers.cu: of each 32 elements, which are first ones of parts, as bits, and how many there are before them
     * in those of the block of threads; the same before each block, and of all; and the result
     */
    unsigned *words;
    long long *before, blocks;
    void *out;
    /*
     * and where blocks follow one another along `axis`, which has planes of `plane` elements (otherwise 0): this rank,
     * and the first one with the same block, which begins with that element of the array; what ranks tell each other;
     * of this rank, and of `plane` labels, `least`; the numbers of all nodes, and of its own; how many parts are
     * counted before its block, and in all blocks
     */
    long long plane, begin;
    int axis, ranks, rank, own;
    int *nodes;
    void *told, *least;
    long long *heard, *numbers, *totals;
} mnp_label_params;

/* fill_parts.cu: elements of a block that are set, and their labels, from 1 on, or 0; a flag of each label. */
typedef struct mnp_fill_params {
    const int *labels;
    unsigned char *set, *flags;
    long long count;
} mnp_fill_params;

#endif
