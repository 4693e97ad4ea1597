/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Drawing from generators: the launch that all distributions share.
 */
#ifndef MNP__OPS_RANDOM_RANDOM_H
#define MNP__OPS_RANDOM_RANDOM_H

#include <maniple/random.h>

#include "array/array.h"
#include "kernels/random/random_params.h"

struct mnp_rng {
    unsigned tag; /* MNP__TAG_rng: see base/call.h */
    mnp_ctx *ctx;
    uint32_t key[2];
    uint64_t draws, children; /* made so far */
};

/* One draw. */
typedef struct mnp__draw {
    const char *function; /* the public function, for sentences */
    const char *sampler;  /* a template of kernels/random/random_draws.h */
    mnp_dtype dtype;
    int ndim;
    const int64_t *shape;
    mnp_random_params params; /* the sampler's constants: real, whole, table, feistel */
} mnp__draw;

/*
 * Fill an output, and count the draw if that succeeds.  Collective.  The caller has checked that the sampler supports
 * the dtype.
 */
mnp_status mnp__random_draw(mnp_rng *rng, mnp__draw *draw, mnp_array **out_p);

/*
 * The permutation of 0 .. n-1 that the generator's next draw is made with; and whether `function` has a generator, and
 * the array, if there is one, is of its context.
 */
mnp_feistel mnp__random_feistel(const mnp_rng *rng, int64_t n);
mnp_status mnp__random_check(const char *function, const mnp_rng *rng, const mnp_array *array);

#endif
