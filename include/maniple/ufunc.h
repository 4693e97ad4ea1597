/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Element-wise functions, with NumPy's names and meaning: mnp_add(x, y, &out), mnp_divmod(x, y, &quotient, &rest).
 *
 * Inputs are broadcast as in NumPy, may have any layouts, and may be scalars (MNP_SCALAR).  Types are NumPy 2's;
 * maniple/ufunc_table.h lists the types in which a function is computed.  Outputs are as in maniple/array.h and may be
 * inputs or overlap them.  A new output has the layout of an input that has the output's shape; of several such inputs
 * it is the one whose largest block is smallest.  If no input has the shape, the layout is that of mnp_layout_block().
 * Where the inputs of that shape all lie alike in memory, a new output lies so too, as with NumPy's order "K": what is
 * computed from transposed arrays is stored transposed.
 *
 * MNP_ERR_ARG if an input is NULL, shapes do not broadcast, the function is not defined for the types, a scalar integer
 * does not fit the type of the other operand, or an output has another shape or type; MNP_ERR_MEMORY, MNP_ERR_COMPILE,
 * MNP_ERR_DEVICE, MNP_ERR_COMM.  All functions are collective, except mnp_result_type().
 */
#ifndef MANIPLE_UFUNC_H
#define MANIPLE_UFUNC_H

#include <maniple/array.h>
#include <maniple/base.h>
#include <maniple/ufunc_table.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MNP_UFUNC_1_1 (const mnp_array *x, mnp_array **out_p)
#define MNP_UFUNC_2_1 (const mnp_array *x, const mnp_array *y, mnp_array **out_p)
#define MNP_UFUNC_3_1 (const mnp_array *x, const mnp_array *y, const mnp_array *z, mnp_array **out_p)
#define MNP_UFUNC_4_1                                                                                                  \
    (const mnp_array *x, const mnp_array *y, const mnp_array *z, const mnp_array *w, mnp_array **out_p)
#define MNP_UFUNC_1_2 (const mnp_array *x, mnp_array **first_p, mnp_array **second_p)
#define MNP_UFUNC_2_2 (const mnp_array *x, const mnp_array *y, mnp_array **first_p, mnp_array **second_p)

#define MNP_UFUNC_PROTOTYPE(name, inputs, outputs, ...) MNP_API mnp_status mnp_##name MNP_UFUNC_##inputs##_##outputs;
#define MNP_UFUNC_ALIAS_PROTOTYPE(alias, name, inputs, outputs)                                                        \
    MNP_API mnp_status mnp_##alias MNP_UFUNC_##inputs##_##outputs;
MNP_UFUNCS(MNP_UFUNC_PROTOTYPE)
MNP_UFUNC_ALIASES(MNP_UFUNC_ALIAS_PROTOTYPE)
#undef MNP_UFUNC_PROTOTYPE
#undef MNP_UFUNC_ALIAS_PROTOTYPE

/*
 * numpy.round and numpy.around: round to `decimals` decimals, halves to even; -1 rounds to tens, -2 to hundreds, and so
 * on.  As NumPy does, x is multiplied by 10 to the power `decimals`, rounded and divided.  The result has x's type.
 * Collective, with the errors above.
 */
MNP_API mnp_status mnp_round(const mnp_array *x, int decimals, mnp_array **out_p);
MNP_API mnp_status mnp_around(const mnp_array *x, int decimals, mnp_array **out_p);

/*
 * numpy.result_type of arrays and scalars.  Not collective; MNP_ERR_ARG if count is not positive or an array is NULL.
 */
MNP_API mnp_status mnp_result_type(int count, const mnp_array *const *arrays, mnp_dtype *dtype_p);

#ifdef __cplusplus
}
#endif

#endif
