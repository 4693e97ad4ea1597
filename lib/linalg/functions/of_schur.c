/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Square roots and logarithms of matrices: A = Z T Z^H by Schur's decomposition in complex128, the function of T
 * (triangular_functions.c), and Z f(T) Z^H.  The first two are the CPU's work, the products the device's.
 */
#include <stdlib.h>

#include <maniple/decompositions.h>
#include <maniple/linalg.h>
#include <maniple/ufunc.h>
#include <maniple/view.h>

#include "array/input.h"
#include "linalg/cpu/on_cpu.h"
#include "linalg/functions/of_schur.h"
#include "linalg/functions/triangular_functions.h"

/* The function of this rank's triangular matrices, in place, with zeros below the diagonal; reports as they are. */
static mnp_status apply(const mnp__dense *t, mnp__triangular_function *function, const mnp_array *info)
{
    const int64_t n = t->n;
    double _Complex *work = NULL, *matrices;
    int32_t *reports;
    void *data = NULL, *of_info = NULL;
    if (t->batch == 0 || n == 0)
        return MNP_OK;
    MNP_TRY(mnp__malloc((size_t)(n * (n + 2)) * sizeof *work, &work));
    mnp_status st = mnp__on_cpu_open(t->array, &data);
    if (st == MNP_OK)
        st = mnp__on_cpu_open(info, &of_info);
    matrices = data;
    reports = of_info;
    for (int64_t b = 0; st == MNP_OK && b < t->batch; b++) {
        double _Complex *matrix = matrices + b * t->of.step;
        for (int64_t j = 0; j < n; j++) {
            for (int64_t i = j + 1; i < n; i++)
                matrix[j * n + i] = 0;
        }
        reports[b] = function(n, matrix, work);
    }
    const mnp_status closed = mnp__on_cpu_close(t->array, data, st == MNP_OK),
                     closed_info = mnp__on_cpu_close(info, of_info, st == MNP_OK);
    free(work);
    return st != MNP_OK ? st : closed != MNP_OK ? closed : closed_info;
}

mnp_status mnp__schur_put_together(const mnp_array *z, const mnp_array *f, mnp_array **out_p)
{
    mnp_array *product = NULL, *adjoint = NULL;
    mnp_status st;
    MNP_TRY_OR(mnp_matmul(z, f, &product), st, done);
    MNP_TRY_OR(mnp__linalg_adjoint(z, &adjoint), st, done);
    st = mnp_matmul(product, adjoint, out_p);
done:
    mnp_free_all(adjoint, product);
    return st;
}

static mnp_status function_of(const char *name, const mnp_array *a, mnp__triangular_function *function,
                              mnp_array **out_p)
{
    const mnp__result result = {.user_p = out_p, .type = MNP__AS_COMPLEX, .dims = "nn"};
    mnp_dtype dtype;
    mnp__place place;
    mnp__dense t = {.array = NULL}, z = {.array = NULL};
    mnp_array *info = NULL, *wide = NULL, *made = NULL;
    mnp_status st;
    MNP_TRY(mnp__linalg_begin(name, a, true, 1, &result, &dtype, &place));
    MNP_TRY_OR(MNP_AGREE(a->ctx, mnp__host_need_lapack(name)), st, done);
    MNP_TRY_OR(mnp__schur_make(&place, a, MNP_COMPLEX128, &t, &z), st, done);
    MNP_TRY_OR(mnp__info_new(&place, &info), st, done);
    MNP_TRY_OR(mnp__dense_report(&place, info, "is singular: eigenvalue %d is 0", apply(&t, function, info)), st, done);
    MNP_TRY_OR(mnp__schur_put_together(z.array, t.array, &wide), st, done);
    MNP_TRY_OR(mnp_astype(wide, mnp__linalg_complex(dtype), &made), st, done);
    st = mnp__dense_give(&place, made, out_p);
done:
    mnp_free_all(made, wide, info);
    mnp__dense_free(&z);
    mnp__dense_free(&t);
    mnp__place_close(&place);
    return st;
}

mnp_status mnp_sqrtm(const mnp_array *a, mnp_array **out_p)
{
    MNP_ENTER(a, out_p);
    MNP_IN_BLOCKS(a);
    return function_of("mnp_sqrtm", a, mnp__triangular_sqrt, out_p);
}

mnp_status mnp_logm(const mnp_array *a, mnp_array **out_p)
{
    MNP_ENTER(a, out_p);
    MNP_IN_BLOCKS(a);
    return function_of("mnp_logm", a, mnp__triangular_log, out_p);
}
