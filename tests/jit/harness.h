/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The harness of the tests that compile CUDA kernels.  They need no GPU: NVRTC compiles for the oldest and the newest
 * architecture that the library is tested for, and nothing is launched.  With MANIPLE_TEST_FULL=1, as in make
 * check-full, each kernel is compiled for both, with all optimisations; else for one and the other in turn, with the
 * fewest optimisations, which takes a quarter of the time.
 *
 * A kernel is compiled in one of two ways.  A test may state it, as a kernel_case for check_kernel().  Or it may call
 * the library on arrays of the context `gpu.ctx`: its device compiles each kernel that the library asks for, counts
 * the launches and runs none of them, so the test sees which kernels the library chooses on a GPU, and that these
 * compile.  Either way the code must hold the function that the library would launch.
 *
 * The main function of a test calls with_compilers(), then done_testing().
 */
#ifndef TESTS_JIT_HARNESS_H
#define TESTS_JIT_HARNESS_H

#include <string.h>

#include "tests/tap.h"

#include "array/array.h"
#include "context/context.h"
#include "jit/jit.h"

/* How many architectures a test compiles for, beginning with the oldest. */
enum { OLDEST_GPU = 1, ALL_GPUS = 2 };

/* A kernel that a test states. */
typedef struct kernel_case {
    const char *file, *function; /* as in mnp__kernel_spec */
    const char *definitions;     /* "NAME value; NAME value": a #define each, before the source; NULL: none */
    const char *generated;       /* what the file's line #include "generated" stands for; NULL where it has none */
    const char *options;         /* more options for NVRTC; NULL: none */
} kernel_case;

/* The device that only compiles, and what the library has asked of it since forget_kernels(). */
extern struct gpu {
    mnp_ctx ctx;
    mnp__device device;
    mnp__compiler *compilers[ALL_GPUS]; /* the first `ncompilers` are open */
    int ncompilers;
    /* NULL, or it checks a kernel that is asked for, and writes what was chosen, in words, to gpu.chosen. */
    void (*describe)(const mnp__kernel_spec *spec);
    char chosen[128]; /* followed by grid[0] of each launch */
    int kernels, launches;
    int failures; /* kernels that did not compile, launches with an empty grid or too many bytes of parameters */
} gpu;

/* Open the compilers and the context; *what_p names what is being opened, so also what failed. */
mnp_status open_gpu(int architectures, const char **what_p);
void close_gpu(void);

/* Compile a spec with one compiler.  MNP_ERR_COMPILE also where the code lacks the function. */
mnp_status compile_spec(const mnp__compiler *compiler, const mnp__kernel_spec *spec);
mnp_status compile_case(const mnp__compiler *compiler, const kernel_case *c);

/* Whether compiled code holds a function of that name. */
bool has_function(const mnp__binary *binary, const char *function);

/* The compilers of the next kernel: all with MANIPLE_TEST_FULL=1, else one, in turn.  Returns their number. */
int next_compilers(mnp__compiler *const **first_p);

/* Free the kernels that gpu.ctx keeps, so that the next call of the library asks for them again, and count from 0. */
void forget_kernels(void);

/* The integer that a spec defines `name` as; -1 if it does not define it. */
int definition(const mnp__kernel_spec *spec, const char *name);

/*
 * An array of gpu.ctx whose only rank holds all of it, `offset` bytes behind an aligned address; strides are in
 * elements.  There is no memory behind the address.  Release its layout with mnp_layout_free().
 */
mnp_array array_without_memory(size_t offset, mnp_dtype dtype, int ndim, const int64_t *shape, const int64_t *strides);

/* Print lines of a diagnosis. */
static inline void print_lines(const char *text)
{
    for (; *text; text += strcspn(text, "\n"), text += *text == '\n')
        printf("# %.*s\n", (int)strcspn(text, "\n"), text);
}

/* A point for each architecture: the kernel compiles. */
static inline void check_kernel(const kernel_case *c)
{
    mnp__compiler *const *compiler;
    for (int n = next_compilers(&compiler); n > 0; n--, compiler++) {
        mnp_status st = compile_case(*compiler, c);
        if (!ok(st == MNP_OK, "%s for %s: %s %s", c->file, (*compiler)->target, c->function,
                c->definitions ? c->definitions : ""))
            print_lines(mnp_error_message());
    }
}

/* Call run() with the compilers and gpu.ctx open.  A build without CUDA has none, so this is a point to skip. */
static inline void with_compilers(int architectures, void (*run)(void))
{
#ifdef HAVE_CUDA
    const char *what;
    MPI_Init(NULL, NULL);
    const mnp_status st = open_gpu(architectures, &what);
    if (ok(st == MNP_OK, "%s", what))
        run();
    else
        print_lines(mnp_error_message());
    close_gpu();
    MPI_Finalize();
#else
    (void)architectures;
    (void)run;
    skip("kernels compile for GPUs", "built without CUDA");
#endif
}

#endif
