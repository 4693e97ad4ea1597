/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The steps of all methods compile for GPUs, the oldest and the newest architecture that we care about, with what ends
 * a loop there, and their parameters fit a launch.  Needs no GPU: the device is one that only compiles, and so no
 * method gets anywhere.
 */
#include <config.h>

#include "tests/tap.h"

#ifdef HAVE_CUDA

#include "sparse/precond/level_sweep.h"
#include "sparse/krylov/system.h"

#include "tests/jit/compile_only.h"

static int kernels; /* that were asked for */

static void describe(const mnp__kernel_spec *spec)
{
    kernels++;
    if (strcmp(spec->file, "sparse/step/step.cu") == 0) /* what runs on a thread alone has no sums */
        compiled = compiled && defined(spec->defines, "MNP_SUMS") >= 0;
}

/* The CPU's memory is looked at. */
static mnp_status alloc_pinned(mnp__device *of, size_t size, void **pointer_p)
{
    (void)of;
    return mnp__calloc(1, size, pointer_p);
}

static void free_pinned(mnp__device *of, void *pointer)
{
    (void)of;
    free(pointer);
}

static mnp_status multiply(void *argument, const mnp_array *x, mnp_array *y)
{
    (void)argument;
    (void)x;
    (void)y;
    return MNP_OK;
}

static const struct {
    const char *name;
    const mnp__method *method;
} methods[] = {{"cg", &mnp__cg},
               {"cg1", &mnp__cg1},
               {"bicgstab", &mnp__bicgstab},
               {"cgs", &mnp__cgs},
               {"gmres", &mnp__gmres},
               {"fgmres", &mnp__fgmres},
               {"minres", &mnp__minres},
               {"idr", &mnp__idr},
               {"chebyshev", &mnp__chebyshev},
               {"richardson", &mnp__richardson},
               {"lsqr", &mnp__lsqr}};

/* A start, iterations until all steps have been met, and the end. */
static mnp_status run_method(const mnp__method *method, const mnp_operator *op, const mnp_precond *precond)
{
    mnp_solve_options options = {
        .maxiter = 10, .restart = 3, .precond = method->least_squares ? NULL : precond, .every = 1};
    mnp__system system;
    mnp_status st;
    MNP_TRY(mnp__system_open(&system, method, op, &options));
    MNP_TRY_OR(method->start(&system), st, done);
    for (int i = 0; i < 5; i++)
        MNP_TRY_OR(method->iterate(&system), st, done);
    if (method->finish)
        st = method->finish(&system);
done:
    mnp__system_close(&system);
    return st;
}

/* The kernel that arranges entries, and those that relax. */
static void run_relaxation(mnp_dtype dtype)
{
    const mnp__part part = {.format = MNP_CSR, .offset_size = 4};
    mnp__pattern pattern = {.rows = 0, .offsets = (int64_t[]){0}};
    mnp__level_sweep_source source = {.ctx = &ctx, .dtype = dtype, .part = &part, .pattern = &pattern};
    mnp__level_sweep *relax = NULL;
    compiled = true;
    kernels = 0;
    ok(mnp__level_sweep_load_permutation(&source) == MNP_OK && mnp__level_sweep_colour(&pattern) == MNP_OK &&
           mnp__level_sweep_new(&source, NULL, MNP__SWEEP_ALL, &relax) == MNP_OK &&
           mnp__level_sweep_load(relax) == MNP_OK && mnp__level_sweep_load_wide(relax) == MNP_OK && compiled &&
           kernels == 3,
       "permute_rows.cu and level_sweep.cu of %s", mnp_dtype_name(dtype));
    mnp__level_sweep_free(relax);
    free(pattern.colours);
}

static void run_type(mnp_dtype dtype)
{
    const int64_t shape[] = {1000};
    mnp_layout *layout = NULL;
    mnp_operator *op = NULL;
    mnp_precond *precond = NULL;
    const int mesh[] = {1}, axes[] = {0};
    ok(mnp_layout_new(1, mesh, 1, shape, axes, NULL, &layout) == MNP_OK &&
           mnp_operator_new(&ctx, dtype, layout, layout, multiply, multiply, NULL, &op) == MNP_OK &&
           mnp_precond_from_operator(op, &precond) == MNP_OK,
       "an operator for %s", mnp_dtype_name(dtype));
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        compiled = true;
        kernels = 0;
        mnp_status st = run_method(methods[i].method, op, precond);
        ok(st == MNP_OK && compiled && (kernels > 0 || methods[i].method == &mnp__fgmres), "%s of %s: %d kernels%s%s",
           methods[i].name, mnp_dtype_name(dtype), kernels, st == MNP_OK ? "" : ": ",
           st == MNP_OK ? "" : mnp_error_message());
        forget();
    }
    mnp__tall *tall = NULL;
    compiled = true;
    ok(mnp__tall_new(&ctx, dtype, 100, &tall) == MNP_OK && compiled, "the kernels of eigenvalues' methods, of %s",
       mnp_dtype_name(dtype));
    mnp__tall_free(tall);
    mnp_precond_free(precond);
    mnp_operator_free(op);
    mnp_layout_free(layout);
}

static void run(void)
{
    static const mnp_dtype dtypes[] = {MNP_FLOAT32, MNP_FLOAT64, MNP_COMPLEX64, MNP_COMPLEX128};
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++)
        run_relaxation(dtypes[i]);
    run_type(MNP_FLOAT32);
    run_type(MNP_COMPLEX128);
}

int main(void)
{
    static mnp__device_ops with_pinned;
    with_pinned = ops;
    with_pinned.alloc_pinned = alloc_pinned;
    with_pinned.free_pinned = free_pinned;
    device.ops = &with_pinned;
    device.has_loops = true;
    return run_test(run);
}

#else

int main(void)
{
    return skip_all("built without CUDA");
}

#endif
