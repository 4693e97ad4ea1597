/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the ways to label connected parts share.
 */
#ifndef MNP__NDIMAGE_LABEL_H
#define MNP__NDIMAGE_LABEL_H

#include "array/array.h"
#include "base/text.h"

/* Every rank's pairs of numbers, as one list on all ranks.  *all_p is malloc'ed.  Collective. */
mnp_status mnp__label_gather_pairs(mnp_ctx *ctx, const int64_t *own, int64_t count, int64_t **all_p, int64_t *total_p);

/*
 * From pairs to the numbers that occur, in order, in names[0] to names[*count_p - 1], and the smallest number of the
 * part of each, from names[*count_p] on.  *names_p is malloc'ed.  Not collective.
 */
mnp_status mnp__label_join_pairs(const int64_t *pairs, int64_t total, int64_t **names_p, int64_t *count_p);

/* The place of a number in a sorted list, or where it would be. */
int64_t mnp__label_place(const int64_t *sorted, int64_t count, int64_t number);

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
