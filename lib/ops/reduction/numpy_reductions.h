/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * NumPy's reductions by their names, for what takes the values of an expression instead of an array's elements.
 */
#ifndef MNP__OPS_REDUCTION_NUMPY_REDUCTIONS_H
#define MNP__OPS_REDUCTION_NUMPY_REDUCTIONS_H

#include "ops/reduction/reduction.h"

typedef struct mnp__reduce_function mnp__reduce_function;

/* The reduction of one array that has that name (its first `length` characters), or NULL. */
const mnp__reduce_function *mnp__reduce_find(const char *name, size_t length);

/* Name number `i` of them; NULL behind the last one. */
const char *mnp__reduce_name(int i);

/* What a function may be told, or asks for. */
typedef enum mnp__reduce_option {
    MNP__REDUCE_DTYPE = 1,   /* a type that elements are cast to */
    MNP__REDUCE_DDOF = 2,    /* what the number of elements is less by */
    MNP__REDUCE_ONE_AXIS = 4 /* one axis, or all */
} mnp__reduce_option;
bool mnp__reduce_has(const mnp__reduce_function *function, mnp__reduce_option option);

/*
 * In which type elements of type `own` are taken, and of which the result is.  `wanted`: NULL, or the name of the type
 * that is asked for.  MNP_ERR_ARG if the function has none, or not for these.
 */
mnp_status mnp__reduce_types(const mnp__reduce_function *function, mnp_dtype own, const char *wanted, mnp_dtype *type_p,
                             mnp_dtype *result_p);

/*
 * Whether a reduction takes its elements one by one, so that they can be values of an expression.  A variance does not
 * in the reproducible mode, where it needs an array, for mnp__reduce_call().
 */
bool mnp__reduce_maps(const mnp_ctx *ctx, const mnp__reduce_function *function, mnp_dtype type);

/*
 * Set what a reduction of elements of that type is, in `spec`: name, op, accumulator, and what it needs of the engine.
 */
void mnp__reduce_describe(const mnp_ctx *ctx, const mnp__reduce_function *function, mnp_dtype type, bool masked,
                          mnp__reduction_spec *spec);

/* MNP_ERR_ARG for a maximum or minimum of nothing; `axes` has the bits of what is reduced. */
mnp_status mnp__reduce_check_empty(const mnp__reduce_function *function, int ndim, const int64_t *shape, unsigned axes);

/* The function of the public interface: mnp_sum() and its like. */
mnp_status mnp__reduce_call(const mnp__reduce_function *function, const mnp_array *x, const mnp_axes *axes,
                            mnp_array **out_p);

#endif
