/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inputs: how a function obtains the values of an array that it reads.
 *
 * A function states the layout and the dtype in which it needs the values, and whether they must be dense.  It gets the
 * array itself if that fits.  Otherwise it gets a temporary: a view, if every rank owns the elements that it needs, or
 * a copy.
 *
 * Cost: for an array that fits, some comparisons.  A view takes no memory.  A copy takes its memory and, if elements
 * have to move between ranks, one redistribution by a plan that the context keeps.
 */
#ifndef MNP__ARRAY_INPUT_H
#define MNP__ARRAY_INPUT_H

#include "array/array.h"

/* What a function needs of an input, as a bit set. */
enum {
    MNP__INPUT_DENSE = 1, /* blocks that are dense in C order */
    MNP__INPUT_COPY = 2   /* memory of its own, because the array or the input is written before all values are read */
};

typedef struct mnp__input {
    const mnp_array *array; /* the array to read */
    mnp_array *temporary;   /* the same array if it is a temporary, otherwise NULL */
} mnp__input;

/*
 * Open an input: bring x to a layout and a dtype.  Collective.  MNP_ERR_MEMORY, MNP_ERR_COMPILE, MNP_ERR_DEVICE,
 * MNP_ERR_COMM; closing a failed input is allowed, but not required.
 *
 *   layout   layout of the computation. x has its shape or is broadcast to it; a broadcast x is available on every rank
 *            as far as the rank's block needs it.  NULL: the layout of x.  A scalar (MNP_SCALAR) is taken as it is
 *   dtype    MNP_DTYPE_AUTO: that of x
 */
mnp_status mnp__input_open(const mnp_array *x, const mnp_layout *layout, mnp_dtype dtype, unsigned needs,
                           mnp__input *input);

/* Open an input so that every rank has all of x. */
mnp_status mnp__input_open_everywhere(const mnp_array *x, mnp_dtype dtype, unsigned needs, mnp__input *input);

/*
 * The layout in which an input of layout `own` is needed for a computation in a layout: that of the computation, but
 * not cut along dimensions that are broadcast.  And whether every rank owns what it needs of such an input.  Not
 * collective.
 */
mnp_status mnp__input_layout(const mnp_layout *layout, const mnp_layout *own, mnp_layout **needed_p);
bool mnp__input_is_here(const mnp_layout *own, const mnp_layout *needed);

/* Release the temporary, if there is one; a struct of zeros is accepted. */
static inline void mnp__input_close(mnp__input *input)
{
    mnp_array_free(input->temporary);
    *input = (mnp__input){NULL, NULL};
}

/*
 * MNP_ERR_ARG if one of a function's arrays is NULL, a scalar or block-cyclic, or if they belong to several contexts.
 * Not collective: all ranks get the same answer.
 */
mnp_status mnp__inputs_check(const char *function, int count, const mnp_array *const *arrays);

#endif
