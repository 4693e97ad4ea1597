/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shared by the library (C) and random.cu (C++): the generator Philox4x32-10, permutations, and the parameter of the
 * kernel.
 *
 * A stream of random numbers has a key of 64 bits.  A counter of 128 bits selects a block of the stream: words 0 and 1
 * number the blocks of an array, word 2 and the upper half of word 3 number the draw, the lower half of word 3 numbers
 * the attempt.  So a value depends only on the key, the number of the draw, and the element's index.
 */
#ifndef MNP_KERNELS_RANDOM_RANDOM_PARAMS_H
#define MNP_KERNELS_RANDOM_RANDOM_PARAMS_H

#ifndef MNP_INLINE /* in C, without prelude.h */
#include <stdint.h>
#define MNP_INLINE static inline
#endif

/* Four random words. */
typedef struct mnp_block {
    uint32_t w0, w1, w2, w3;
} mnp_block;

/*
 * Philox4x32 of ten rounds (J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, Parallel Random Numbers: As Easy as
 * 1, 2, 3, SC11): the block for a counter.  The keys of the rounds are computed on the CPU, so that on a GPU a round is
 * two multiplications and two exclusive ors of three words.
 */
enum { MNP_PHILOX_ROUNDS = 10 };

typedef struct mnp_philox_keys {
    uint32_t first[MNP_PHILOX_ROUNDS], second[MNP_PHILOX_ROUNDS];
} mnp_philox_keys;

MNP_INLINE mnp_block mnp_philox(mnp_block counter, const mnp_philox_keys *keys)
{
    for (int round = 0; round < MNP_PHILOX_ROUNDS; round++) {
        const uint64_t a = (uint64_t)0xd2511f53u * counter.w0, b = (uint64_t)0xcd9e8d57u * counter.w2;
        const mnp_block next = {(uint32_t)(b >> 32) ^ counter.w1 ^ keys->first[round], (uint32_t)b,
                                (uint32_t)(a >> 32) ^ counter.w3 ^ keys->second[round], (uint32_t)a};
        counter = next;
    }
    return counter;
}

MNP_INLINE mnp_philox_keys mnp_philox_schedule(uint32_t key0, uint32_t key1)
{
    mnp_philox_keys keys;
    for (uint32_t round = 0; round < MNP_PHILOX_ROUNDS; round++) {
        keys.first[round] = key0 + round * 0x9e3779b9u;
        keys.second[round] = key1 + round * 0xbb67ae85u;
    }
    return keys;
}

/*
 * A permutation of 0 .. n-1 as a function of the index: a Feistel network on 2^b >= n numbers, repeated until the
 * result is below n (cycle walking).  b is the smallest from MNP_FEISTEL_LEAST on, so from 2^MNP_FEISTEL_LEAST numbers
 * on it takes fewer than two passes on average.  With that minimum, permutations of few elements are made of larger
 * ones, so that all of them are equally likely.
 */
enum { MNP_FEISTEL_ROUNDS = 16, MNP_FEISTEL_LEAST = 10, MNP_RANDOM_DIMS = 8 };

typedef struct mnp_feistel {
    long long low, high; /* masks of the bits of both halves of a number */
    uint32_t swap;       /* 1: exchange elements 0 and 1, as permutations of a Feistel network are all even */
    uint32_t keys[MNP_FEISTEL_ROUNDS]; /* of the rounds */
} mnp_feistel;

/*
 * A launch fills a box of rows.  Element j of a row has the flat index of its first element plus j in the whole array.
 * What `real` and `whole` are depends on the distribution: random_draws.h.
 */
typedef struct mnp_random_params {
    void *out;
    int ndim; /* of the box, 1 .. MNP_RANDOM_DIMS; the last is along the rows */
    long long extent[MNP_RANDOM_DIMS], stride[MNP_RANDOM_DIMS]; /* stride: in memory, in elements */
    long long step[MNP_RANDOM_DIMS];                            /* of the flat index; 1 along a row */
    long long first, rows;                                      /* flat index of the first element; number of rows */
    mnp_philox_keys keys;
    uint32_t draw, draw_high; /* the number of the draw: counter words 2 and, in its upper half, 3 */
    double real[8];
    float single[2]; /* the first two of `real`, as floats */
    unsigned long long whole[2];
    const double *table; /* of choice: sums of the probabilities, on the device */
    mnp_feistel feistel;
} mnp_random_params;

#endif
