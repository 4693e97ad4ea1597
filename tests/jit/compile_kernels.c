/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every CUDA kernel of kernels/ compiles: those that tests/jit/sources.c says other tests compile, there, and the others
 * here, with definitions as the library writes them: see typical.h.
 */
#include <config.h>

#include "tests/jit/harness.h"
#include "tests/jit/typical.h"

static void run(void)
{
    for (int i = 0; i < TYPICAL; i++)
        for (size_t k = 0; k < typical[i].count; k++)
            check_kernel(&typical[i].cases[k]);
}

int main(void)
{
    with_compilers(ALL_GPUS, run);
    return done_testing();
}
