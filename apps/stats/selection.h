/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What stands at given places of the sorted elements, found without sorting and without having all elements at once.
 *
 * Elements are seen as keys, unsigned integers in the same order.  A round counts the first 16 bits of all keys, which
 * tells how the keys at the places begin; the next round counts the next bits of the keys that begin so, and so on: two
 * rounds for float32, four for float64, whatever the values (and more for hundreds of places).
 */
#ifndef APPS_STATS_SELECTION_H
#define APPS_STATS_SELECTION_H

#include <stdbool.h>
#include <stdint.h>

#include <maniple.h>

typedef struct selection selection;

/* Of elements of that dtype, which is real, and at most `most` places.  MNP_ERR_MEMORY.  Collective. */
mnp_status selection_new(mnp_ctx *ctx, mnp_dtype dtype, int most, selection **selection_p);
void selection_free(selection *s);

/* Take elements into the round's counts.  NaN are not elements.  Collective. */
mnp_status selection_add(selection *s, const mnp_array *array);

/*
 * End a round in which all elements were taken.  The places are the same in every round, from 0 to the number of
 * elements less one, in any order.  Collective.
 */
mnp_status selection_narrow(selection *s, int count, const int64_t *places);

/* Whether the values are known, and the one at places[i]. */
bool selection_done(const selection *s);
double selection_value(const selection *s, int i);

#endif
