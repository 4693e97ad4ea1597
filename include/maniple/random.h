/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random numbers, with the names and the meaning of numpy.random.Generator.
 *
 * A generator is a stream of numbers with a counter of the draws that were made from it.  A value depends on the
 * seed, the stream, the number of the draw and the element's global index alone: it is the same on any number of
 * ranks, in any layout, on the host and on a GPU; bit for bit for bits, integers, uniform numbers, choices and
 * permutations, and to rounding for the others.  Numbers do not travel between ranks.  They are those of
 * Philox4x32-10, not of NumPy's generators.
 *
 * New arrays have the layout of mnp_layout_block().  A given array must have the result's shape, may have any layout
 * and strides, and any dtype to which the result can be cast under "same_kind".  Parameters are numbers, not arrays.
 * All functions are collective, with equal arguments on all ranks; failures are MNP_ERR_ARG and MNP_ERR_MEMORY, and
 * MNP_ERR_COMPILE at the first call of a kind.  A call that fails draws nothing.
 */
#ifndef MANIPLE_RANDOM_H
#define MANIPLE_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

#include <maniple/array.h>
#include <maniple/base.h>
#include <maniple/dtype.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mnp_rng mnp_rng;

/* numpy.random.default_rng: a generator.  Release with mnp_rng_free(), before the context ends. */
MNP_API mnp_status mnp_rng_new(mnp_ctx *ctx, uint64_t seed, mnp_rng **rng_p);

/*
 * numpy.random.Generator.spawn: `count` generators whose streams are independent of this one's and of each other's, and
 * of those that it spawned before.  MNP_ERR_ARG if count is negative.
 */
MNP_API mnp_status mnp_rng_spawn(mnp_rng *rng, int count, mnp_rng **children);

/* Where a generator is.  What it draws next depends on these numbers alone: a program saves them, and goes on later. */
typedef struct mnp_rng_state {
    uint64_t stream;   /* the seed, or what it is of a generator that was spawned */
    uint64_t draws;    /* draws made so far */
    uint64_t children; /* generators spawned so far */
} mnp_rng_state;

/* The state of a generator.  Not collective. */
MNP_API mnp_status mnp_rng_get_state(const mnp_rng *rng, mnp_rng_state *state_p);

/* Let a generator go on from a state, which is equal on all ranks.  Collective. */
MNP_API mnp_status mnp_rng_set_state(mnp_rng *rng, const mnp_rng_state *state);

/* NULL is accepted. */
MNP_API void mnp_rng_free(mnp_rng *rng);

/*
 * Random bits, of an integer dtype, all values being equally likely.  The bytes of an array in C order are those of
 * Philox's blocks, little-endian, for every dtype.  MNP_DTYPE_AUTO is uint64.
 */
MNP_API mnp_status mnp_random_bits(mnp_rng *rng, mnp_dtype dtype, int ndim, const int64_t *shape, mnp_array **out_p);

/*
 * Generator.integers: low <= x < high, or x <= high if `endpoint`, all equally likely.  bool and integer dtypes;
 * MNP_DTYPE_AUTO is int64.  MNP_ERR_ARG if there is no such integer, or the dtype does not hold all of them.
 */
MNP_API mnp_status mnp_random_integers(mnp_rng *rng, int64_t low, int64_t high, bool endpoint, mnp_dtype dtype,
                                       int ndim, const int64_t *shape, mnp_array **out_p);

/*
 * Generator.uniform: low + (high - low) * u, with u in [0, 1) having as many random bits as the dtype has digits.
 * float16, bfloat16, float32 or float64, which MNP_DTYPE_AUTO is.  The result may be rounded to `high`.  MNP_ERR_ARG if
 * high < low, or high - low is not finite.
 */
MNP_API mnp_status mnp_random_uniform(mnp_rng *rng, double low, double high, mnp_dtype dtype, int ndim,
                                      const int64_t *shape, mnp_array **out_p);

/*
 * Generator.normal, lognormal, exponential, gamma, beta.  Real float dtypes as above; mnp_random_normal() also takes
 * complex ones: the parts then have a standard deviation of std / sqrt(2) each, so that of the whole is `std`, and
 * `mean` is real.  Normal numbers of float32 and smaller types are made from 32 random bits and do not exceed 6.8
 * standard deviations, those of float64 8.6; exponential ones do not exceed 23 and 37 times the scale.  MNP_ERR_ARG if
 * a standard deviation, a scale or the shape of a gamma distribution is negative, if a parameter of a beta distribution
 * is not positive, and for NaN.
 */
MNP_API mnp_status mnp_random_normal(mnp_rng *rng, double mean, double std, mnp_dtype dtype, int ndim,
                                     const int64_t *shape, mnp_array **out_p);
MNP_API mnp_status mnp_random_lognormal(mnp_rng *rng, double mean, double sigma, mnp_dtype dtype, int ndim,
                                        const int64_t *shape, mnp_array **out_p);
MNP_API mnp_status mnp_random_exponential(mnp_rng *rng, double scale, mnp_dtype dtype, int ndim, const int64_t *shape,
                                          mnp_array **out_p);
MNP_API mnp_status mnp_random_gamma(mnp_rng *rng, double shape_parameter, double scale, mnp_dtype dtype, int ndim,
                                    const int64_t *shape, mnp_array **out_p);
MNP_API mnp_status mnp_random_beta(mnp_rng *rng, double a, double b, mnp_dtype dtype, int ndim, const int64_t *shape,
                                   mnp_array **out_p);

/*
 * Generator.poisson, binomial: counts, of an integer dtype; MNP_DTYPE_AUTO is int64.  A count that a smaller type does
 * not hold becomes the type's largest value; in NumPy, which has int64 alone, a cast would wrap it around.  MNP_ERR_ARG
 * if the mean is not in 0 .. 2^53, n is not in 0 .. 2^53, p is not in [0, 1], or the type does not hold the mean.
 */
MNP_API mnp_status mnp_random_poisson(mnp_rng *rng, double mean, mnp_dtype dtype, int ndim, const int64_t *shape,
                                      mnp_array **out_p);
MNP_API mnp_status mnp_random_binomial(mnp_rng *rng, int64_t n, double p, mnp_dtype dtype, int ndim,
                                       const int64_t *shape, mnp_array **out_p);

/*
 * Generator.choice: elements of `a`, an array of one dimension, or of 0 .. a-1 where that is a number (MNP_SCALAR), as
 * int64.  With `replace` an element may be chosen several times, otherwise once at most, in random order.
 *
 *   p   NULL: all are equally likely; or their probabilities, as many as there are elements, on every rank
 *
 * By probabilities without replacement, every element draws an exponentially distributed time whose rate is its
 * probability, and the elements with the least times are chosen, in that order; rounding may exchange two of them
 * between devices.  MNP_ERR_ARG if there is nothing to choose from, or not enough without replacement; if
 * probabilities are negative, not finite or do not sum to 1 (within 1.5e-8).
 */
MNP_API mnp_status mnp_random_choice(mnp_rng *rng, const mnp_array *a, bool replace, const double *p, int ndim,
                                     const int64_t *shape, mnp_array **out_p);

/*
 * Generator.permutation, shuffle: the subarrays of x along an axis in random order, as a new array or in x itself.
 * For a number n (MNP_SCALAR) it is the permutation of 0 .. n-1, as int64.
 *
 * The new index of element i is a function of i: Feistel's network of 16 rounds, keyed by Philox, repeated until the
 * result is below n.  So numbers are permuted without communication or memory; the subarrays of an array move as by
 * mnp_take().
 */
MNP_API mnp_status mnp_random_permutation(mnp_rng *rng, const mnp_array *x, int axis, mnp_array **out_p);
MNP_API mnp_status mnp_random_shuffle(mnp_rng *rng, mnp_array *x, int axis);

#ifdef __cplusplus
}
#endif

#endif
