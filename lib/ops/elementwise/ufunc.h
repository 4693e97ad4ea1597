/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The element-wise functions: the table of include/maniple/ufunc_table.h, and the types of their inputs and results.
 *
 * The body of a loop calls function `name` of the table as mnp_name(x, ...) (kernels/math.h) on variables of the loop's
 * types, and the value has the result's type.  Functions of two results are called as mnp_name(x, ..., first, second)
 * and set both by reference.
 */
#ifndef MNP__OPS_ELEMENTWISE_UFUNC_H
#define MNP__OPS_ELEMENTWISE_UFUNC_H

#include <maniple/dtype.h>
#include <maniple/ufunc.h>

#include "array/array.h"

/* The type of an operand: a dtype, or a Python number, which is weak (NEP 50) and of kind 'i', 'f' or 'c'. */
typedef struct mnp__type {
    mnp_dtype dtype; /* of the stored value: int64, float64 or complex128 for weak ones */
    char weak;       /* 0, or the kind; 'b' means the same as 0, as NumPy has no weak bool */
} mnp__type;

enum { MNP__MAX_UFUNC_INPUTS = 4, MNP__MAX_UFUNC_OUTPUTS = 2 };

typedef struct mnp__ufunc {
    const char *name;
    int ninputs, noutputs;
    const char *loops;   /* the dtypes that it is computed in; see the table */
    const char *results; /* the rule that gives the results' types */
    const char *summary;
} mnp__ufunc;

/* All functions; those that only expressions have come last; name NULL ends the list. */
extern const mnp__ufunc mnp__ufuncs[];

/* Find the function of that name (its first `length` characters), or of that alias of NumPy, such as abs; or NULL. */
const mnp__ufunc *mnp__ufunc_find(const char *name, size_t length);

/* numpy.result_type of types, some of which may be weak; the result is weak if all are. */
mnp__type mnp__result_type(int count, const mnp__type *types);

/*
 * Find the types of a function's loop, to which inputs are converted, and of its results, as NumPy 2 does.
 * MNP_ERR_ARG if the function is not defined for these types.
 */
mnp_status mnp__ufunc_resolve(const mnp__ufunc *ufunc, const mnp__type *inputs, mnp_dtype *loop, mnp_dtype *results);

bool mnp__ufunc_compares(const mnp__ufunc *ufunc);

/* The type of an array as an operand. */
mnp__type mnp__type_of(const mnp_array *array);

/* Call a function of the table, as mnp_add() and the like do.  Messages begin with `function`.  Collective. */
mnp_status mnp__ufunc_call(const char *function, const mnp__ufunc *ufunc, const mnp_array *const *inputs,
                           mnp_array **const *outputs_p);

#endif
