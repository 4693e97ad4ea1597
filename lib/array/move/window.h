/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows: inputs that are shifted against each other, such as u[:-1] and u[1:] in a stencil.
 *
 * All of them are parts, of one shape, of one array, their hull, and element i of an input is element i + offset of the
 * hull.  Instead of one copy for each input that a rank does not own, or that an output overwrites, every rank gets a
 * window on the hull, once for all of them: the elements that its block of the computation needs of any of them, which
 * are about its own block and a margin of the neighbours' elements.
 *
 * Cost: memory for the window, and one redistribution by a plan that the context keeps.
 */
#ifndef MNP__ARRAY_MOVE_WINDOW_H
#define MNP__ARRAY_MOVE_WINDOW_H

#include "array/input.h"

/* How an input lies in its hull; hull NULL: it is not shifted against others. */
typedef struct mnp__shift {
    const mnp_array *hull;
    int64_t offset[MNP_MAX_DIMS];
} mnp__shift;

/*
 * Whether a window is smaller than `copies` copies of the inputs in a layout, one of which is x.  `span` has the
 * largest offsets, so that the inputs have the extents of the hull less the span.  The same on all ranks.
 * MNP_ERR_MEMORY.
 */
mnp_status mnp__window_pays(const mnp_array *x, const int64_t *span, const mnp_layout *layout, int copies,
                            bool *pays_p);

/* Make a window for a computation in a layout; release it after the inputs.  Collective.  As mnp__input_open(). */
mnp_status mnp__window_new(const mnp_array *x, const mnp_array *hull, const int64_t *span, const mnp_layout *layout,
                           mnp_array **window_p);

/* Open input x, which has that offset.  Not collective. */
mnp_status mnp__window_open(const mnp_array *window, const int64_t *offset, const mnp_array *x,
                            const mnp_layout *layout, mnp__input *input);

#endif
