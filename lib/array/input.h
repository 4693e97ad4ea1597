/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inputs: how a function gets at the values of an array that it reads.
 *
 * A function says where it needs the values (a layout), as what (a dtype), and whether they must lie dense.  It gets the
 * array itself where that serves, else a temporary: a view of the blocks, if every rank owns what it needs, or a copy.
 *
 * Cost: an array that serves costs some comparisons.  A view costs no memory; a copy costs its memory, and where values
 * have to move, one redistribution by a plan that the context keeps.
 */
#ifndef MNP__ARRAY_INPUT_H
#define MNP__ARRAY_INPUT_H

#include "array/array.h"

/* What a function needs of an input, as bits. */
enum {
    MNP__INPUT_DENSE = 1, /* blocks that lie dense in C order */
    MNP__INPUT_COPY = 2   /* memory of its own, as the array's may be written before it is read, or the input's is */
};

typedef struct mnp__input {
    const mnp_array *array; /* what is read */
    mnp_array *temporary;   /* the same if it is the function's own, else NULL */
} mnp__input;

/*
 * Bring x to a layout, in a dtype.  Collective.  MNP_ERR_MEMORY, MNP_ERR_COMPILE, MNP_ERR_DEVICE, MNP_ERR_COMM; then
 * there is nothing to close, but closing is harmless.
 *
 *   layout  of the computation.  x has its shape, or is broadcast to it: then every rank gets what its block needs.
 *           NULL: where x lies.  A scalar (MNP_SCALAR) is taken as it is
 *   dtype   MNP_DTYPE_AUTO: that of x
 */
mnp_status mnp__input_open(const mnp_array *x, const mnp_layout *layout, mnp_dtype dtype, unsigned needs,
                           mnp__input *input);

/* The same with all of x on every rank. */
mnp_status mnp__input_open_everywhere(const mnp_array *x, mnp_dtype dtype, unsigned needs, mnp__input *input);

/* Release what is temporary; zeros are accepted. */
static inline void mnp__input_close(mnp__input *input)
{
    mnp_array_free(input->temporary);
    *input = (mnp__input){NULL, NULL};
}

/*
 * MNP_ERR_ARG if one of the arrays that a function was given is NULL, a scalar or spread block-cyclically, or they are
 * of several contexts.  Not collective: all ranks find the same.
 */
mnp_status mnp__inputs_check(const char *function, int count, const mnp_array *const *arrays);

#endif
