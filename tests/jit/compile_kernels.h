/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kernels compiled for the oldest and the newest GPU that we care about, where there is none.
 */
#ifndef TESTS_COMPILE_KERNELS_H
#define TESTS_COMPILE_KERNELS_H

#include <stdlib.h>

#include "jit/jit.h"

/* A point: `what` compiles. */
static void compile_kernel(const mnp__compiler *compiler, int architecture, const mnp__kernel_spec *spec,
                           const char *what)
{
    mnp__binary binary = {0};
    char *source = NULL;
    mnp_status st = mnp__jit_source(spec, &source);
    if (st == MNP_OK)
        st = compiler->compile(compiler, spec, source, &binary);
    if (!ok(st == MNP_OK && binary.size > 0, "%s compiles for sm_%d", what, architecture))
        printf("# %s\n", mnp_error_message());
    mnp__binary_free(&binary);
    free(source);
}

static void for_architectures(void (*compile_all)(const mnp__compiler *compiler, int architecture))
{
    static const int architectures[] = {80, 90};
    mnp__config config;
    if (!ok(mnp__config_read(NULL, 0, &config) == MNP_OK, "settings"))
        return;
    for (size_t i = 0; i < sizeof architectures / sizeof *architectures; i++) {
        mnp__compiler *compiler = NULL;
        const int architecture = architectures[i];
        if (ok(mnp__nvrtc_new(&config, architecture / 10, architecture % 10, &compiler) == MNP_OK, "NVRTC for sm_%d",
               architecture))
            compile_all(compiler, architecture);
        mnp__nvrtc_free(compiler);
    }
    mnp__config_free(&config);
}

#endif
