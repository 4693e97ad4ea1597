/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Grid-stride loops: kernels whose threads go through the elements in steps of the whole grid,
 *
 *     const int step = gridDim.x * blockDim.x;
 *     for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
 *         ...
 *
 * A host that ran one thread after the other would go through all of memory for each.  Here such a kernel is called
 * for all threads of a row, and goes from turn to turn: in each turn its threads have neighbouring elements, which are
 * one loop (MNP_TURNS of kernels/custom/raw_host.h).  A thread still has its turns in their order.
 *
 * That is the same if a thread carries nothing from turn to turn and all end alike.  So the loop is the last statement,
 * only declarations of variables stand in front of it, neither return nor break is in it, and parameters, these
 * variables and the loop's become const: a text that changes one of them does not compile so, and is compiled again as
 * it was.
 */
#ifndef MANIPLE_LIB_JIT_RAW_GRID_LOOP_H
#define MANIPLE_LIB_JIT_RAW_GRID_LOOP_H

#include <stdbool.h>

#include "jit/raw_places.h"
#include "jit/raw_text.h"

/* Whether a word may change how a loop ends, or make a variable outlive a turn. */
bool mnp__raw_forbids_turns(mnp__raw_token t);

/*
 * Append the edits that give a kernel turns, and those of mnp__raw_find_indices(); `parameters` is behind the
 * parenthesis before its parameters.  False if it has no such loop; nothing is then appended.
 */
bool mnp__raw_find_grid_loop(const char *parameters, mnp__raw_edits *edits);

#endif
