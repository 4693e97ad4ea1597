/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * NumPy's reductions by their names.  Expressions use this to reduce values as they compute them, without an array.
 */
#ifndef MNP__OPS_REDUCTION_NUMPY_REDUCTIONS_H
#define MNP__OPS_REDUCTION_NUMPY_REDUCTIONS_H

#include "ops/reduction/reduction.h"

typedef struct mnp__reduce_function mnp__reduce_function;

/* Find the reduction of one array that has that name (its first `length` characters), or NULL. */
const mnp__reduce_function *mnp__reduce_find(const char *name, size_t length);

/* The i-th of these names; NULL after the last one. */
const char *mnp__reduce_name(int i);

/* Options that a function accepts, and limits of its axes. */
typedef enum mnp__reduce_option {
    MNP__REDUCE_DTYPE = 1,   /* accepts a type to which elements are cast */
    MNP__REDUCE_DDOF = 2,    /* accepts the degrees of freedom to subtract from the number of elements */
    MNP__REDUCE_INITIAL = 4, /* accepts a number to start from */
    MNP__REDUCE_ONE_AXIS = 8 /* takes one axis or all */
} mnp__reduce_option;
bool mnp__reduce_has(const mnp__reduce_function *function, mnp__reduce_option option);

/*
 * Find the type to which elements of type `own` are converted, and the type of the result.  `wanted` is NULL or the
 * name of the type that the user asks for.  MNP_ERR_ARG if the function does not accept it, or not for these elements.
 */
mnp_status mnp__reduce_types(const mnp__reduce_function *function, mnp_dtype own, const char *wanted, mnp_dtype *type_p,
                             mnp_dtype *result_p);

/*
 * Whether a reduction reads its elements once, so that they can be values of an expression.  In the reproducible mode a
 * variance reads them twice; it needs an array and mnp__reduce_call().
 */
bool mnp__reduce_maps(const mnp_ctx *ctx, const mnp__reduce_function *function, mnp_dtype type);

/*
 * Describe a reduction of elements of that type in `spec`: set its name, op, accumulator and flags.
 */
void mnp__reduce_describe(const mnp_ctx *ctx, const mnp__reduce_function *function, mnp_dtype type, bool masked,
                          mnp__reduction_spec *spec);

/* Return MNP_ERR_ARG if a function that needs elements, as a maximum does, has none along the axes (bits). */
mnp_status mnp__reduce_check_empty(const mnp__reduce_function *function, int ndim, const int64_t *shape, unsigned axes);

/* Call the public function, such as mnp_sum(). */
mnp_status mnp__reduce_call(const mnp__reduce_function *function, const mnp_array *x, const mnp_axes *axes,
                            mnp_array **out_p);

#endif
