/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Generators, and the launch that fills an array: every rank computes its own block from the elements' global indices.
 */
#include "ops/random/random.h"

#include <stdlib.h>
#include <string.h>

#include "array/output.h"
#include "base/hash.h"
#include "base/integer.h"
#include "base/text.h"
#include "layout/layout.h"

_Static_assert(MNP_RANDOM_DIMS == MNP_MAX_DIMS, "a box has as many dimensions as an array");

/* ---- generators ---- */

static mnp_status make(mnp_ctx *ctx, uint32_t key0, uint32_t key1, mnp_rng **rng_p)
{
    mnp_rng *rng;
    MNP_TRY(mnp__calloc(1, sizeof *rng, &rng));
    rng->tag = MNP__TAG_rng;
    rng->ctx = ctx;
    rng->key[0] = key0;
    rng->key[1] = key1;
    mnp__ctx_made(ctx, rng);
    *rng_p = rng;
    return MNP_OK;
}

mnp_status mnp_rng_new(mnp_ctx *ctx, uint64_t seed, mnp_rng **rng_p)
{
    MNP_ENTER(ctx, rng_p);
    mnp_rng *rng = NULL;
    MNP_TRY(mnp__check_same(&ctx->comm, "mnp_rng_new", mnp__hash(MNP__HASH_START, &seed, sizeof seed)));
    mnp_status st = MNP_AGREE(ctx, make(ctx, (uint32_t)seed, (uint32_t)(seed >> 32), &rng));
    if (st == MNP_OK)
        *rng_p = rng;
    else
        mnp_rng_free(rng);
    return st;
}

/* A child's key is a block of the parent's stream that no draw uses. */
static mnp_status make_child(const mnp_rng *rng, uint64_t number, mnp_rng **child_p)
{
    const mnp_block counter = {(uint32_t)number, (uint32_t)(number >> 32), UINT32_MAX, UINT32_MAX};
    const mnp_philox_keys keys = mnp_philox_schedule(rng->key[0], rng->key[1]);
    const mnp_block block = mnp_philox(counter, &keys);
    return make(rng->ctx, block.w0, block.w1, child_p);
}

mnp_status mnp_rng_spawn(mnp_rng *rng, int count, mnp_rng **children)
{
    MNP_ENTER(rng);
    MNP_NEED_IF(count > 0, children);
    int made = 0;
    mnp_status st = MNP_OK;
    MNP_TRY(mnp__random_check("mnp_rng_spawn", rng, NULL));
    if (count < 0)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_rng_spawn: count is %d, negative", count);
    MNP_TRY(mnp__check_same(&rng->ctx->comm, "mnp_rng_spawn", mnp__hash(MNP__HASH_START, &count, sizeof count)));
    while (made < count && st == MNP_OK) {
        st = make_child(rng, rng->children + (uint64_t)made, &children[made]);
        made += st == MNP_OK;
    }
    st = MNP_AGREE(rng->ctx, st);
    if (st == MNP_OK) {
        rng->children += (uint64_t)count;
        return MNP_OK;
    }
    while (made > 0) {
        mnp_rng_free(children[--made]);
        children[made] = NULL;
    }
    return st;
}

mnp_status mnp_rng_get_state(const mnp_rng *rng, mnp_rng_state *state_p)
{
    MNP_ENTER(rng, state_p);
    *state_p = (mnp_rng_state){
        .stream = rng->key[0] | (uint64_t)rng->key[1] << 32, .draws = rng->draws, .children = rng->children};
    return MNP_OK;
}

mnp_status mnp_rng_set_state(mnp_rng *rng, const mnp_rng_state *state)
{
    MNP_ENTER(rng, state);
    MNP_TRY(mnp__check_same(&rng->ctx->comm, "mnp_rng_set_state", mnp__hash(MNP__HASH_START, state, sizeof *state)));
    rng->key[0] = (uint32_t)state->stream;
    rng->key[1] = (uint32_t)(state->stream >> 32);
    rng->draws = state->draws;
    rng->children = state->children;
    return MNP_OK;
}

void mnp_rng_free(mnp_rng *rng)
{
    if (!rng)
        return;
    MNP_NEED_OR(, rng);
    mnp__ctx_gone(rng->ctx, rng);
    mnp__object_free(rng);
}

mnp_status mnp__random_check(const char *function, const mnp_rng *rng, const mnp_array *array)
{
    if (array && array->ctx != rng->ctx)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the array and the generator are of different contexts", function);
    return MNP_OK;
}

mnp_feistel mnp__random_feistel(const mnp_rng *rng, int64_t n)
{
    mnp_feistel feistel;
    int bits = MNP_FEISTEL_LEAST;
    uint32_t words[MNP_FEISTEL_ROUNDS + 4];
    const mnp_philox_keys keys = mnp_philox_schedule(rng->key[0], rng->key[1]);
    while (n > (int64_t)1 << bits)
        bits++;
    feistel.low = bits / 2;
    feistel.high = bits - feistel.low;
    for (uint32_t i = 0; i <= MNP_FEISTEL_ROUNDS / 4; i++) {
        const mnp_block counter = {i, 0, (uint32_t)rng->draws, (uint32_t)(rng->draws >> 32) << 16 | 0xffff};
        const mnp_block block = mnp_philox(counter, &keys);
        memcpy(words + 4 * (size_t)i, &block, sizeof block);
    }
    memcpy(feistel.keys, words, sizeof feistel.keys);
    feistel.swap = words[MNP_FEISTEL_ROUNDS] & 1;
    return feistel;
}

/* ---- draws ---- */

/*
 * This rank's block as rows: dimensions of extent 1 are dropped, those joined that follow one another both in memory
 * and in the whole array.  The last must be one of neighbours in the whole array.
 */
static void describe_block(const mnp_array *array, mnp_random_params *params)
{
    int64_t step = 1, steps[MNP_MAX_DIMS];
    int ndim = 0;
    for (int d = array->layout->ndim - 1; d >= 0; d--) {
        steps[d] = step;
        params->first += array->local_lo[d] * step;
        step *= array->layout->shape[d];
    }
    for (int d = 0; d < array->layout->ndim; d++) {
        const int64_t extent = array->local_shape[d], stride = array->local_strides[d];
        if (extent == 1)
            continue;
        const bool joins =
            ndim > 0 && params->stride[ndim - 1] == stride * extent && params->step[ndim - 1] == steps[d] * extent;
        const int to = joins ? ndim - 1 : ndim++;
        params->extent[to] = joins ? params->extent[to] * extent : extent;
        params->stride[to] = stride;
        params->step[to] = steps[d];
    }
    if (ndim == 0 || params->step[ndim - 1] != 1) { /* a dimension was dropped, so there is room for one */
        params->extent[ndim] = params->stride[ndim] = params->step[ndim] = 1;
        ndim++;
    }
    params->ndim = ndim;
    params->rows = array->local_size / params->extent[ndim - 1];
    params->out = array->data;
}

static mnp_status load(mnp_ctx *ctx, const mnp__draw *draw, mnp__kernel **kernel_p)
{
    char room[MNP__KERNEL_ROOM];
    mnp__text defines = MNP__TEXT_IN(room);
    mnp__text_add(&defines, "#define MNP_SAMPLER %s\n#define MNP_OUT %s\n", draw->sampler, mnp__jit_type(draw->dtype));
    mnp__kernel_spec spec = {.file = "random/random.cu",
                             .function = "fill_random",
                             .nvrtc_options = "--fmad=false", /* so that all devices give the same bits */
                             .host_options = "-ffp-contract=off"};
    return mnp__ctx_kernel_of_text(ctx, &spec, &defines, NULL, kernel_p);
}

static mnp_status launch(const mnp_rng *rng, mnp__kernel *kernel, mnp__draw *draw, const mnp_array *array)
{
    const int64_t threads = 256, most = 8192, each = 4; /* each: about so many elements of a thread */
    const int64_t grid = mnp__divide_up(array->local_size, threads * each);
    mnp_random_params *params = &draw->params;
    if (array->local_size == 0)
        return MNP_OK;
    params->keys = mnp_philox_schedule(rng->key[0], rng->key[1]);
    params->draw = (uint32_t)rng->draws;
    params->draw_high = (uint32_t)(rng->draws >> 32);
    for (int i = 0; i < 2; i++)
        params->single[i] = (float)params->real[i];
    describe_block(array, params);
    mnp__launch shape = {
        .grid = {(unsigned)mnp__min(grid, most), 1, 1}, .block = {(unsigned)threads, 1, 1}, .divisible = true};
    return rng->ctx->device->ops->launch(rng->ctx->device, kernel, &shape, params, sizeof *params, rng->ctx->compute);
}

mnp_status mnp__random_draw(mnp_rng *rng, mnp__draw *draw, mnp_array **out_p)
{
    mnp_ctx *ctx = rng->ctx;
    mnp_layout *natural = NULL;
    mnp__output output = {.array = NULL};
    mnp__kernel *kernel;
    mnp_status st;
    MNP_TRY(mnp__refuse_recording(ctx->device, "drawing random numbers"));
    uint64_t hash = mnp__hash(MNP__HASH_START, draw->params.real, sizeof draw->params.real);
    hash = mnp__hash(hash, draw->params.whole, sizeof draw->params.whole);
    hash = mnp__hash(mnp__hash(hash, rng->key, sizeof rng->key), &rng->draws, sizeof rng->draws);
    MNP_TRY(mnp_layout_block(ctx->comm.size, draw->ndim, draw->shape, &natural));
    MNP_TRY_OR(mnp__check_same(&ctx->comm, draw->function, hash), st, done);
    const mnp__output_spec spec = {.function = draw->function,
                                   .ctx = ctx,
                                   .dtype = draw->dtype,
                                   .layout = natural,
                                   .needs = MNP__OUTPUT_ANY_LAYOUT};
    MNP_TRY_OR(mnp__output_open(&spec, out_p, &output), st, done);
    st = load(ctx, draw, &kernel);
    if (st == MNP_OK)
        st = launch(rng, kernel, draw, output.array);
    st = mnp__output_close(1, &output, st);
    rng->draws += st == MNP_OK;
done:
    mnp_layout_free(natural);
    return st;
}
