/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is known of the element-wise functions: the table of include/maniple/ufunc_table.h, and which types they take
 * and give.
 *
 * The body of a loop calls function `name` of the table as mnp_name(x, ...) (kernels/math.h) on variables of the loop's
 * types, and gets the value of the result's type; functions of two results are mnp_name(x, ..., first, second), the
 * results by reference.
 */
#ifndef MNP__OPS_ELEMENTWISE_UFUNC_H
#define MNP__OPS_ELEMENTWISE_UFUNC_H

#include <maniple/dtype.h>
#include <maniple/ufunc.h>

#include "array/array.h"

/* The type of an operand: a dtype, or a Python number that takes part in NEP 50's way: kind 'i', 'f' or 'c'. */
typedef struct mnp__type {
    mnp_dtype dtype; /* of the value as it is kept: int64, float64, complex128 for weak ones */
    char weak;       /* 0, or the kind; 'b' is as good as 0, as NumPy has no weak bool */
} mnp__type;

enum { MNP__MAX_UFUNC_INPUTS = 4, MNP__MAX_UFUNC_OUTPUTS = 2 };

typedef struct mnp__ufunc {
    const char *name;
    int ninputs, noutputs;
    const char *loops;   /* the dtypes that it is computed in; see the table */
    const char *results; /* the rule that gives the results' types */
    const char *summary;
} mnp__ufunc;

/* All of them, those of expressions alone last; name NULL ends the list. */
extern const mnp__ufunc mnp__ufuncs[];

/* The function of that name (its first `length` characters), or NULL; also NumPy's aliases, such as abs and pow. */
const mnp__ufunc *mnp__ufunc_find(const char *name, size_t length);

/* numpy.result_type of types, some of which may be weak; weak if all are. */
mnp__type mnp__result_type(int count, const mnp__type *types);

/*
 * The types of a function's loop (what each input is converted to) and of its results, as NumPy 2 has them.
 * MNP_ERR_ARG if it is not defined for these types.
 */
mnp_status mnp__ufunc_resolve(const mnp__ufunc *ufunc, const mnp__type *inputs, mnp_dtype *loop, mnp_dtype *results);

bool mnp__ufunc_compares(const mnp__ufunc *ufunc);

/* The type of an array as an operand. */
mnp__type mnp__type_of(const mnp_array *array);

/* Call the function of the table: mnp_add() and its like.  `function` begins a sentence.  Collective. */
mnp_status mnp__ufunc_call(const char *function, const mnp__ufunc *ufunc, const mnp_array *const *inputs,
                           mnp_array **const *outputs_p);

#endif
