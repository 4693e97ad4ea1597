/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Linear recurrences along an axis of a distributed array, which are what filters with feedback compute.
 *
 * The state after some elements is linear in the state before them.  A rank divides its lines into parts, runs every
 * part from zeros, joins the ends by powers of the transition matrix, and runs each part again from the right state;
 * where the axis is cut, ranks exchange the ends of their lines, of a few numbers each, and nothing else.  Lines that
 * are many, and are not cut, are run once.  On a GPU parts are tiles, whose ends are joined during the one pass over
 * memory in which the results are written (tiles.h).
 *
 * Joined states differ from those of one long run by rounding: by about n eps max |A^k| |s|, where A^k are the powers
 * of the matrix.  They are computed in long double where C has it, by repeated squaring.
 */
#ifndef MNP__SIGNAL_RECURRENCE_H
#define MNP__SIGNAL_RECURRENCE_H

#include "array/array.h"
#include "kernels/signal/filters/recurrence_params.h"

/*
 * A filter, normalised: in direct form b[0 .. order] and a[1 .. order] follow one another (a[0] is 1); of sections
 * b0, b1, b2, a1, a2 of each, and the order is twice their number.
 */
typedef struct mnp__recurrence {
    int64_t sections; /* 0: direct form */
    int64_t order;    /* how many numbers the state has, 1 or more */
    const double *coefficients;
} mnp__recurrence;

/* How many coefficients it has. */
int64_t mnp__recurrence_size(const mnp__recurrence *filter);

/*
 * Run a filter over x along `axis`, 0 .. ndim - 1.
 *
 *   start  NULL, or the states in which lines begin: dimension 0 has the `order` numbers, and the others are those of x
 *          without the axis; of any dtype and layout
 *   y_p    float64, or complex128 if x or start is complex
 *   end_p  NULL, or receives a new array of the states in which lines end, of that shape and dtype
 *
 * Collective.  MNP_ERR_ARG, MNP_ERR_MEMORY, MNP_ERR_COMPILE, MNP_ERR_DEVICE, MNP_ERR_COMM.
 */
mnp_status mnp__recurrence_run(const char *function, const mnp__recurrence *filter, const mnp_array *x, int axis,
                               const mnp_array *start, mnp_array **y_p, mnp_array **end_p);

/*
 * How a launch finds the lines along `axis` of two arrays that are alike but for their extent along it: y may be NULL
 * for none.  `reals` of an element: 2 of complex ones.
 */
void mnp__recurrence_lines(const mnp_array *x, const mnp_array *y, int axis, int reals, mnp_recurrence_over *over);

/*
 * The matrix A of a filter, of order * order numbers in C order: the state after an element that is 0 is A times the
 * state before.
 */
void mnp__recurrence_matrix(const mnp__recurrence *filter, long double *matrix);

/* The power number n of a matrix, by repeated squaring.  MNP_ERR_MEMORY. */
mnp_status mnp__recurrence_power(int64_t order, const long double *matrix, int64_t n, double *power);

/* The powers of a matrix with numbers 0, n, 2 n, ..., `count` of them.  MNP_ERR_MEMORY. */
mnp_status mnp__recurrence_powers(int64_t order, const long double *matrix, int64_t n, int64_t count, double *powers);

#endif
