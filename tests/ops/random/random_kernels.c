/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Philox gives the published vectors, and all samplers compile for GPUs.
 */
#include <config.h>

#include <string.h>

#include "tests/jit/harness.h"

#include "kernels/random/random_params.h"

/* Known answers of Random123, for philox4x32 of 10 rounds. */
static void known_answers(void)
{
    static const struct {
        mnp_block counter;
        uint32_t key[2];
        mnp_block block;
    } cases[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
         {0xffffffff, 0xffffffff},
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const mnp_philox_keys keys = mnp_philox_schedule(cases[i].key[0], cases[i].key[1]);
        const mnp_block block = mnp_philox(cases[i].counter, &keys);
        ok(memcmp(&block, &cases[i].block, sizeof block) == 0, "philox4x32-10 of %08x...: %08x %08x %08x %08x",
           cases[i].counter.w0, block.w0, block.w1, block.w2, block.w3);
    }
}

static void check_sampler(const char *sampler, const char *type)
{
    char definitions[128];
    snprintf(definitions, sizeof definitions, "MNP_SAMPLER %s; MNP_OUT %s", sampler, type);
    check_kernel(&(kernel_case){
        .file = "random/random.cu", .function = "fill_random", .definitions = definitions, .options = "--fmad=false"});
}

static void run(void)
{
    static const char *const samplers[][6] = {
        {"mnp_draw_bits", "uint8_t", "int16_t", "uint32_t", "uint64_t"},
        {"mnp_draw_integers", "mnp_bool", "int8_t", "uint16_t", "int32_t", "int64_t"},
        {"mnp_draw_wide_integers", "int64_t"},
        {"mnp_draw_unit", "mnp_float16", "float", "double"},
        {"mnp_draw_uniform", "mnp_float16", "mnp_bfloat16", "float", "double"},
        {"mnp_draw_normal", "mnp_float16", "float", "double", "mnp_complex64", "mnp_complex128"},
        {"mnp_draw_lognormal", "mnp_bfloat16", "float", "double"},
        {"mnp_draw_exponential", "mnp_float16", "float", "double"},
        {"mnp_draw_gamma", "float", "double"},
        {"mnp_draw_small_gamma", "mnp_float16", "double"},
        {"mnp_draw_beta", "double"},
        {"mnp_draw_small_beta", "double"},
        {"mnp_draw_small_poisson", "int64_t"},
        {"mnp_draw_poisson", "int32_t"},
        {"mnp_draw_small_binomial", "int64_t"},
        {"mnp_draw_binomial", "uint16_t"},
        {"mnp_draw_choice", "int64_t"},
        {"mnp_draw_permutation", "int64_t"},
    };
    for (size_t i = 0; i < sizeof samplers / sizeof *samplers; i++)
        for (int type = 1; type < 6 && samplers[i][type]; type++)
            check_sampler(samplers[i][0], samplers[i][type]);
}

int main(void)
{
    known_answers();
    with_compilers(ALL_GPUS, run);
    return done_testing();
}
