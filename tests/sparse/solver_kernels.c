/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kernels of the solvers' steps compile for GPUs, as do those that end a loop on the device, and their parameters
 * fit a launch.  Every method begins, iterates and ends on the device that only compiles, where all vectors stay as
 * they are, so no method converges.
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "tests/jit/harness.h"

#include "sparse/krylov/system.h"
#include "sparse/precond/level_sweep.h"

/* A kernel of step.cu always defines how many sums it has: 0 where it runs on a single thread. */
static void describe(const mnp__kernel_spec *spec)
{
    if (strcmp(spec->file, "sparse/step/step.cu") == 0)
        gpu.failures += definition(spec, "MNP_SUMS") < 0;
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
               {"lsqr", &mnp__lsqr},
               {"bicg", &mnp__bicg},
               {"qmr", &mnp__qmr},
               {"tfqmr", &mnp__tfqmr},
               {"lsqr by the paper", &mnp__lsqr_by_paper},
               {"lsqr with variances", &mnp__lsqr_with_variances},
               {"lsmr", &mnp__lsmr}};

/* A start, iterations until all steps have been met, and the end. */
static mnp_status run_method(const mnp__method *method, const mnp_operator *op, const mnp_precond *precond)
{
    mnp_solve_options options = {
        .maxiter = 10, .restart = 3, .precond = method->least_squares ? NULL : precond, .every = 1};
    mnp__system system;
    mnp_status st;
    MNP_TRY(mnp__system_open(&system, method, op, op->dtype, &options));
    MNP_TRY_OR(method->start(&system), st, done);
    for (int i = 0; i < 5; i++)
        MNP_TRY_OR(method->iterate(&system), st, done);
    if (method->finish)
        st = method->finish(&system);
done:
    mnp__system_close(&system);
    return st;
}

/* The kernel that permutes entries, and those of level sweeps. */
static void run_relaxation(mnp_dtype dtype)
{
    const mnp__part part = {.format = MNP_CSR, .offset_size = 4};
    mnp__pattern pattern = {.rows = 0, .offsets = (int64_t[]){0}};
    mnp__level_sweep_source source = {.ctx = &gpu.ctx, .dtype = dtype, .part = &part, .pattern = &pattern};
    mnp__level_sweep *relax = NULL;
    forget_kernels();
    ok(mnp__level_sweep_load_permutation(&source) == MNP_OK && mnp__level_sweep_colour(&pattern) == MNP_OK &&
           mnp__level_sweep_new(&source, NULL, MNP__SWEEP_ALL, &relax) == MNP_OK &&
           mnp__level_sweep_load(relax) == MNP_OK && mnp__level_sweep_load_wide(relax) == MNP_OK && gpu.failures == 0 &&
           gpu.kernels == 3,
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
           mnp_operator_new(&gpu.ctx, dtype, layout, layout, multiply, multiply, NULL, &op) == MNP_OK &&
           mnp_precond_from_operator(op, &precond) == MNP_OK,
       "an operator for %s", mnp_dtype_name(dtype));
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        forget_kernels();
        mnp_status st = run_method(methods[i].method, op, precond);
        ok(st == MNP_OK && gpu.failures == 0 && (gpu.kernels > 0 || methods[i].method == &mnp__fgmres),
           "%s of %s: %d kernels%s%s", methods[i].name, mnp_dtype_name(dtype), gpu.kernels, st == MNP_OK ? "" : ": ",
           st == MNP_OK ? "" : mnp_error_message());
    }
    mnp__tall *tall = NULL;
    forget_kernels();
    ok(mnp__tall_new(&gpu.ctx, dtype, 100, &tall) == MNP_OK && gpu.failures == 0,
       "the kernels of eigenvalues' methods, of %s", mnp_dtype_name(dtype));
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
    gpu.describe = describe;
    gpu.device.has_loops = true;
    with_compilers(ALL_GPUS, run);
    return done_testing();
}
