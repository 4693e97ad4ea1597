/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pieces: the boxes in which a dataset larger than memory is processed.  Pure arithmetic.
 */
#ifndef APPS_COMMON_PIECES_H
#define APPS_COMMON_PIECES_H

#include <stdbool.h>
#include <stdint.h>

#include <maniple.h>

/*
 * A piece has one index of each dimension before `cut`, at most `rows` indices of `cut`, and all indices of the
 * dimensions after it.  `whole`, if it is not negative, is a dimension that is never cut.
 */
typedef struct pieces {
    int ndim, whole, cut; /* cut < 0: there is one piece */
    int64_t shape[MNP_MAX_DIMS];
    int64_t rows, along;    /* indices of `cut` in a piece; pieces along `cut` */
    int64_t count, largest; /* number of pieces; elements of the largest */
} pieces;

/*
 * Cut a shape into boxes of at most `limit` elements, in C order.  False, with the smallest possible boxes, if a line
 * along `whole` alone has more elements.
 */
bool pieces_plan(int ndim, const int64_t *shape, int whole, int64_t limit, pieces *plan);

/* The box of piece `index`, 0 to count - 1. */
void pieces_get(const pieces *plan, int64_t index, int64_t *start, int64_t *extent);

#endif
