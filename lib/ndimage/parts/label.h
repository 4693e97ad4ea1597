/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the ways to label connected parts share.
 */
#ifndef MNP__NDIMAGE_LABEL_H
#define MNP__NDIMAGE_LABEL_H

#include "array/array.h"
#include "base/text.h"
#include "kernels/ndimage/label_params.h"

/* ---- parts of blocks ---- */

typedef enum mnp__label_kernel {
    MNP__LABEL_START,
    MNP__LABEL_TILE,
    MNP__LABEL_BORDERS,
    MNP__LABEL_UNITE,
    MNP__LABEL_EDGES,
    MNP__LABEL_NODES,
    MNP__LABEL_MEET,
    MNP__LABEL_LEAST,
    MNP__LABEL_YIELD,
    MNP__LABEL_COUNT,
    MNP__LABEL_SUM,
    MNP__LABEL_TELL,
    MNP__LABEL_HEAR,
    MNP__LABEL_SETTLE,
    MNP__LABEL_FINISH,
    MNP__LABEL_FLATTEN,
    MNP__LABEL_NUMBER,
    MNP__LABEL_PAIRS,
    MNP__LABEL_JOIN,
    MNP__LABEL_KERNELS
} mnp__label_kernel;

/* One call, but on the host of arrays that are labelled strip by strip. */
typedef struct mnp__labelling {
    const char *function;
    mnp_ctx *ctx;
    int ndim, steps;               /* steps: to neighbours that come earlier */
    bool is_tiled, counts, is_cut; /* counts: numbers are found by label_numbers.c */
    mnp_dtype label, output;       /* of labels, and of the result */
    bool needs[MNP__LABEL_KERNELS];
    mnp__kernel *kernels[MNP__LABEL_KERNELS];
    mnp_label_params params;
    mnp_array *labels, *flags;
    int64_t node_stride;           /* what a rank tells the others of its nodes, in ints */
    void *pairs, *found, *changes; /* device memory */
} mnp__labelling;

/* Find the parts of this rank's block of x in that layout.  Collective. */
mnp_status mnp__label_find(mnp__labelling *l, const mnp_array *x, const mnp_layout *layout);

/*
 * Launch a kernel for so many items, or blocks of so many threads, of which each does `each` of `count` items; nothing
 * if the call does not need it, or has no blocks to launch.
 */
mnp_status mnp__label_run(mnp__labelling *l, mnp__label_kernel kernel, int64_t items);
mnp_status mnp__label_run_blocks(mnp__labelling *l, mnp__label_kernel kernel, int64_t count, int64_t each,
                                 unsigned threads);

/* ---- numbers on GPUs ---- */

/* Whether the device can number the parts of such an array by counting; the same on all ranks. */
bool mnp__label_numbers_suit(const mnp_ctx *ctx, const mnp_layout *layout);

/* The layout in which it does: this one, if its blocks follow one another in C order and in the order of the ranks. */
mnp_status mnp__label_line(const mnp_layout *layout, mnp_layout **line_p);

/* Label x, computed in the layout `line`, with a result in `layout`.  Collective. */
mnp_status mnp__label_by_numbers(mnp__labelling *l, const mnp_array *x, const mnp_layout *layout,
                                 const mnp_layout *line, mnp_array **labels_p, int64_t *count_p);

/* ---- pairs of parts that touch across borders ---- */

/* Every rank's pairs of numbers, as one list on all ranks.  *all_p is malloc'ed.  Collective. */
mnp_status mnp__label_gather_pairs(mnp_ctx *ctx, const int64_t *own, int64_t count, int64_t **all_p, int64_t *total_p);

/*
 * From pairs to the numbers that occur, in order, in names[0] to names[*count_p - 1], and the smallest number of the
 * part of each, from names[*count_p] on.  *names_p is malloc'ed.  Not collective.
 */
mnp_status mnp__label_join_pairs(const int64_t *pairs, int64_t total, int64_t **names_p, int64_t *count_p);

/* The place of a number in a sorted list, or where it would be. */
int64_t mnp__label_place(const int64_t *sorted, int64_t count, int64_t number);

/* ---- strips ---- */

/* An image on the host device, cut along its first axis alone if at all, in a layout in C order. */
typedef struct mnp__strips {
    const char *function;
    const mnp_array *x;
    const mnp_layout *layout;
    const bool *structure; /* 3^ndim */
    const char *defines;   /* of kernels/ndimage/label.cu, with MNP_LABEL int */
    mnp_dtype output;
} mnp__strips;

/* Whether an array of this layout can be labelled strip by strip; the same on all ranks. */
bool mnp__strips_suit(const mnp_ctx *ctx, const mnp_layout *layout);

/* Label it.  Collective. */
mnp_status mnp__strips_label(const mnp__strips *strips, mnp_array **labels_p, int64_t *count_p);

#endif
