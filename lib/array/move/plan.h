/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plans of redistribution: a mover, and what it was planned for.  The context keeps some.
 */
#ifndef MNP__ARRAY_MOVE_PLAN_H
#define MNP__ARRAY_MOVE_PLAN_H

#include <maniple/redistribute.h>

#include "array/array.h"

/*
 * An array as a mover's destination: whether all ranks know where in the heap all blocks of it lie, what the mover is
 * given, and the strides of a block of that extent, which are any rank's if the array is direct, else this rank's.
 */
bool mnp__target_is_direct(const mnp_array *to);
void *mnp__target_memory(const mnp_array *to);
void mnp__target_strides(const mnp_array *to, const int64_t *extent, int64_t *strides);

/*
 * Plan to move elements from one array to another, of the same dtype and shape.  With `wide` the margins of `to`, which
 * has some as mnp_array_new_margins() makes them, receive the elements beside every rank's block too, as far as the
 * array reaches.  Collective.
 */
mnp_status mnp__plan_new(const mnp_array *from, const mnp_array *to, bool wide, mnp_plan **plan_p);

/* Whether a plan moves between arrays like these, as far as all ranks know alike; and on this rank. */
bool mnp__plan_fits(const mnp_plan *plan, const mnp_array *from, const mnp_array *to, bool wide);
bool mnp__plan_fits_here(const mnp_plan *plan, const mnp_array *from, const mnp_array *to);

/* Whether all ranks know alike how the blocks of both arrays lie in memory. */
bool mnp__plan_is_known(const mnp_array *from, const mnp_array *to, bool wide);

/* Move, between arrays that share no memory.  Collective. */
mnp_status mnp__plan_move(mnp_plan *plan, const mnp_array *from, mnp_array *to);

/* Bytes that it keeps, on this rank. */
int64_t mnp__plan_memory(const mnp_plan *plan);

/* Release a plan that is not in use any more.  NULL is accepted.  Collective. */
void mnp__plan_release(mnp_plan *plan);

/* Move by a cached plan, or by a new one, which is cached if that is not too large.  Collective. */
mnp_status mnp__plan_move_cached(const mnp_array *from, mnp_array *to, bool wide);

/* What all ranks find alike: MNP_ERR_ARG if that is no layout for that array. */
mnp_status mnp__redistribute_check(const char *function, const mnp_array *array, const mnp_layout *layout);

#endif
