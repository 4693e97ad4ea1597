/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Methods of the element-wise functions of two arguments: reduce, accumulate, outer and reduceat of any of them.  A
 * function is given by its NumPy name, such as "add" or "logical_xor": mnp_ufunc_reduce("gcd", x, MNP_AXIS(0), &g),
 * mnp_ufunc_outer("subtract", a, b, &table).
 *
 * Except for outer, the function combines elements of one array, so its result must have the type of its arguments.
 * Types are those of NumPy's methods: add and multiply convert bool and integers to 64 bits.  Sums of floats are
 * computed as in mnp_sum().  Functions that are not associative and commutative (subtract, power, ...) go along one
 * axis in the order of the elements; if that axis is cut, every line along it is first brought to one rank.
 *
 * Outputs are as in maniple/array.h and may share memory with the inputs.  MNP_ERR_ARG, with the values, if there is no
 * such function of two arguments, it is not defined for the types, or an axis is out of bounds; MNP_ERR_MEMORY,
 * MNP_ERR_COMPILE, MNP_ERR_DEVICE, MNP_ERR_COMM.  All functions are collective.
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
 * numpy.ufunc.reduce over `axes`; MNP_ALL_AXES is NumPy's axis=None.  For add, multiply, maximum, minimum, fmax, fmin,
 * logical_and and logical_or it is mnp_sum() and the like, with their options.  For other functions the options are
 * keepdims and dtype, and `where` if the function has an identity.  MNP_ERR_ARG also if there are no elements and no
 * identity, and for several axes if the function is not associative and commutative.
 */
MNP_API mnp_status mnp_ufunc_reduce(const char *ufunc, const mnp_array *x, const mnp_axes *axes, mnp_array **out_p);

/* numpy.ufunc.accumulate: element i of the result combines the elements 0 to i along the axis. */
MNP_API mnp_status mnp_ufunc_accumulate(const char *ufunc, const mnp_array *x, int axis, mnp_array **out_p);

/*
 * numpy.ufunc.outer: apply the function to every pair of an element of x and an element of y. The result has the
 * dimensions of x, then those of y.
 */
MNP_API mnp_status mnp_ufunc_outer(const char *ufunc, const mnp_array *x, const mnp_array *y, mnp_array **out_p);

/*
 * numpy.ufunc.reduceat: element i of the result combines the elements from indices[i] up to, but without, indices[i +
 * 1] along the axis; it is element indices[i] alone if indices[i + 1] is not larger.  The last one combines all
 * elements from the last index on.  `indices` is in the CPU's memory and the same on every rank.  Waits.  MNP_ERR_ARG
 * also for an index that is out of bounds, with the index.
 */
MNP_API mnp_status mnp_ufunc_reduceat(const char *ufunc, const mnp_array *x, int64_t count, const int64_t *indices,
                                      int axis, mnp_array **out_p);

#ifdef __cplusplus
}
#endif

#endif
