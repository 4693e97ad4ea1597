/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels that compile_kernels.c compiles, with definitions as the library writes them. */
#ifndef TESTS_JIT_TYPICAL_H
#define TESTS_JIT_TYPICAL_H

#include "tests/jit/typical_arrays.h"
#include "tests/jit/typical_signals.h"
#include "tests/jit/typical_sparse.h"

static const struct {
    const kernel_case *cases;
    size_t count;
} typical[] = {{typical_arrays, sizeof typical_arrays / sizeof *typical_arrays},
               {typical_signals, sizeof typical_signals / sizeof *typical_signals},
               {typical_sparse, sizeof typical_sparse / sizeof *typical_sparse}};
enum { TYPICAL = sizeof typical / sizeof *typical };

#endif
