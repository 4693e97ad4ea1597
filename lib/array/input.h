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

/* ---- functions that take any layout, and work on blocks ---- */

/*
 * MNP_IN_BLOCKS(x), near the beginning of a public function, makes of the variable x an array of blocks: if x is
 * block-cyclic, a copy in which the same mesh axes cut the same dimensions, in equal parts.  MNP_ALL_IN_BLOCKS(count,
 * list) does the same with a list, a variable too.  The function then returns with MNP_ERR_MEMORY, MNP_ERR_COMM or
 * MNP_ERR_DEVICE if that fails; the copies are freed when it returns.  Collective.
 *
 * Cost: a test; for a block-cyclic array its memory, and one redistribution.
 */
#define MNP_IN_BLOCKS(x)                                                                                               \
    mnp_array *mnp__copy_of_##x __attribute__((cleanup(mnp__copy_free))) = NULL;                                       \
    MNP_TRY(mnp__input_in_blocks(&(x), &mnp__copy_of_##x))
#define MNP_ALL_IN_BLOCKS(count, list)                                                                                 \
    mnp__in_blocks mnp__copies_of_##list __attribute__((cleanup(mnp__in_blocks_free))) = {.made = 0};                  \
    MNP_TRY(mnp__inputs_in_blocks((count), &(list), &mnp__copies_of_##list))

enum { MNP__MOST_IN_BLOCKS = 64 }; /* of a list; longer ones are left as they are */
typedef struct mnp__in_blocks {
    int made;
    const mnp_array *list[MNP__MOST_IN_BLOCKS];
    mnp_array *copies[MNP__MOST_IN_BLOCKS];
} mnp__in_blocks;

/* The array that *x_p names becomes the copy, if one is needed; x_p is of a variable, which may hold NULL. */
mnp_status mnp__input_in_blocks(const mnp_array **x_p, mnp_array **copy_p);
mnp_status mnp__inputs_in_blocks(int count, const mnp_array *const **list_p, mnp__in_blocks *in_blocks);
void mnp__in_blocks_free(mnp__in_blocks *in_blocks);

static inline void mnp__copy_free(mnp_array **copy_p)
{
    mnp_array_free(*copy_p);
}

/* ---- checks ---- */

/*
 * MNP_ERR_ARG if one of a function's arrays is NULL, a scalar or block-cyclic, or if they belong to several contexts.
 * Not collective: all ranks get the same answer.
 */
mnp_status mnp__inputs_check(const char *function, int count, const mnp_array *const *arrays);

#endif
