/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Methods of element-wise functions of two arguments, which are called by their NumPy names, such as "add" or
 * "logical_xor": mnp_ufunc_reduce("gcd", x, MNP_AXIS(0), &g), mnp_ufunc_outer("subtract", a, b, &table).
 *
 * A function is put between the elements of an array: its result must be of the type of what it takes.  Types are those
 * of NumPy's methods: add and multiply take bool and integers as 64 bits.  Sums of floats are kept as in mnp_sum().
 * Functions for which it matters what comes together first (subtract, power, ...) go along one axis in the order of the
 * elements; where that axis is cut, it is first brought together on one rank each.
 *
 * An output that is given must have the result's shape, may have any layout and any type that the result can be cast to
 * under "same_kind", and may share memory with the inputs.  All of them are collective.  MNP_ERR_ARG, with the values,
 * for a name that is none of such a function, types that it is not defined for, an axis that is out of bounds;
 * MNP_ERR_MEMORY, MNP_ERR_COMPILE, MNP_ERR_DEVICE, MNP_ERR_COMM.
 */
#ifndef MANIPLE_UFUNC_METHODS_H
#define MANIPLE_UFUNC_METHODS_H

#include <stdint.h>

#include <maniple/array.h>
#include <maniple/base.h>
#include <maniple/reduce.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * numpy.ufunc.reduce over those axes; MNP_ALL_AXES is NumPy's axis=None.  add, multiply, maximum, minimum, fmax, fmin,
 * logical_and and logical_or are mnp_sum() and its like, with their options.  Others have keepdims and dtype, and
 * `where` if they have an identity.  MNP_ERR_ARG also for no elements where there is no identity, and for several axes
 * where the order matters.
 */
MNP_API mnp_status mnp_ufunc_reduce(const char *ufunc, const mnp_array *x, const mnp_axes *axes, mnp_array **out_p);

/* numpy.ufunc.accumulate: the results for all elements up to each, along an axis. */
MNP_API mnp_status mnp_ufunc_accumulate(const char *ufunc, const mnp_array *x, int axis, mnp_array **out_p);

/* numpy.ufunc.outer: of every element of x with every element of y; the result has the dimensions of both. */
MNP_API mnp_status mnp_ufunc_outer(const char *ufunc, const mnp_array *x, const mnp_array *y, mnp_array **out_p);

/*
 * numpy.ufunc.reduceat: along an axis the results of the elements from each index up to the next one, or of the one
 * element where that is not behind; from the last index on of all that follow.  Indices, in the CPU's memory, are the
 * same on every rank.  MNP_ERR_ARG also for an index that is out of bounds, naming it.
 */
MNP_API mnp_status mnp_ufunc_reduceat(const char *ufunc, const mnp_array *x, int64_t count, const int64_t *indices,
                                      int axis, mnp_array **out_p);

#ifdef __cplusplus
}
#endif

#endif
