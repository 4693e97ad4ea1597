/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pieces: the boxes in which a dataset that is larger than memory is gone through.
 */
#ifndef APPS_COMMON_PIECES_H
#define APPS_COMMON_PIECES_H

#include <stdbool.h>
#include <stdint.h>

#include <maniple.h>

/*
 * One index of each dimension before `cut`, at most `rows` of it, and all of those behind; `whole`, if not negative, is
 * a dimension that is never cut, and left out of that order.
 */
typedef struct pieces {
    int ndim, whole, cut; /* cut < 0: all is one piece */
    int64_t shape[MNP_MAX_DIMS];
    int64_t rows, along;    /* pieces along `cut` */
    int64_t count, largest; /* pieces; elements of the largest */
} pieces;

/*
 * Cut a shape into boxes of at most `limit` elements, in C order.  False, with boxes as small as can be, if lines along
 * `whole` have more.
 */
bool pieces_plan(int ndim, const int64_t *shape, int whole, int64_t limit, pieces *plan);

/* The box of piece `index`, 0 to count - 1. */
void pieces_get(const pieces *plan, int64_t index, int64_t *start, int64_t *extent);

#endif
