/* SPDX-License-Identifier: BSD-3-Clause */
/* What label.cu is given, shared by the library (C) and the kernel (C++). */
#ifndef MNP_KERNELS_NDIMAGE_LABEL_PARAMS_H
#define MNP_KERNELS_NDIMAGE_LABEL_PARAMS_H

enum { MNP_LABEL_DIMS = 8 };

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
} mnp_label_params;

#endif
