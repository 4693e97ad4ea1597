/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Selection: the elements at given places in sorted order, found without sorting and without having all elements in
 * memory at once.
 *
 * Elements are mapped to keys, unsigned integers in the same order.  A round counts the first 16 bits of all keys,
 * which gives the leading bits of the keys at the places; the next round counts the next bits of the keys with these
 * leading bits, and so on.  It takes two rounds for float32 and four for float64, independent of the values, and more
 * for hundreds of places or with little memory.
 */
#ifndef APPS_STATS_SELECTION_H
#define APPS_STATS_SELECTION_H

#include <stdbool.h>
#include <stdint.h>

#include <maniple.h>

typedef struct selection selection;

/*
 * Make a selection for elements of a real dtype and at most `most` places, whose rounds take at most about so many
 * bytes of each rank's device, or 4 MiB, beside the elements.  MNP_ERR_MEMORY.  Collective.
 */
mnp_status selection_new(mnp_ctx *ctx, mnp_dtype dtype, int most, int64_t memory, selection **selection_p);
void selection_free(selection *s);

/* Count the elements of an array in this round; NaN are ignored.  Collective. */
mnp_status selection_add(selection *s, const mnp_array *array);

/*
 * End a round, in which all elements have been counted.  The places are the same in every round: numbers from 0 to the
 * number of elements less one, in any order.  Collective.
 */
mnp_status selection_narrow(selection *s, int count, const int64_t *places);

/* Whether the values are known; and the value at places[i]. */
bool selection_done(const selection *s);
double selection_value(const selection *s, int i);

#endif
