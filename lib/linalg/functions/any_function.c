/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions of matrices that the caller has for numbers: A = Z T Z^H by Schur's decomposition in complex128, f(T) by
 * Parlett's recurrence (triangular_functions.c), and Z f(T) Z^H, as scipy.linalg.funm does it.
 */
#include <float.h>
#include <math.h>

#include <maniple/create.h>
#include <maniple/decompositions.h>
#include <maniple/view.h>

#include "array/input.h"
#include "linalg/cpu/on_cpu.h"
#include "linalg/functions/of_schur.h"
#include "linalg/functions/triangular_functions.h"

/* The caller's function of the eigenvalues, which are T's diagonals, as new vectors of the place. */
static mnp_status call(const mnp__place *place, const mnp__dense *t, mnp_matrix_function function, void *argument,
                       mnp_array **values_p)
{
    mnp_array *diagonal = NULL, *x = NULL, *of_x = NULL, *of_y = NULL;
    mnp_status st;
    MNP_TRY_OR(mnp__vectors_new(place, MNP_COMPLEX128, t->n, &x), st, done);
    MNP_TRY_OR(mnp__vectors_new(place, MNP_COMPLEX128, t->n, values_p), st, done);
    MNP_TRY_OR(mnp_diagonal(t->array, 0, -2, -1, &diagonal), st, done);
    MNP_TRY_OR(mnp__array_copy_to(diagonal, x), st, done);
    MNP_TRY_OR(mnp__array_copy_to(x, *values_p), st, done); /* something that is defined */
    if (place->single) {
        MNP_TRY_OR(mnp_squeeze(x, 1, (const int[]){0}, &of_x), st, done);
        MNP_TRY_OR(mnp_squeeze(*values_p, 1, (const int[]){0}, &of_y), st, done);
    }
    st = MNP_AGREE(place->ctx, function(argument, of_x ? of_x : x, of_y ? of_y : *values_p));
done:
    mnp_free_all(of_y, of_x, x, diagonal);
    return st;
}

/* f(T) of this rank's matrices, and the largest factor by which rounding errors grow. */
static mnp_status apply(const mnp__dense *t, const mnp_array *values, const mnp__dense *f, double *growth_p)
{
    const mnp_array *const arrays[] = {t->array, values, f->array};
    const int64_t n = t->n;
    void *data[3] = {NULL, NULL, NULL};
    mnp_status st = MNP_OK;
    if (t->batch == 0 || n == 0)
        return MNP_OK;
    for (int i = 0; i < 3 && st == MNP_OK; i++)
        st = mnp__on_cpu_open(arrays[i], &data[i]);
    const double _Complex *matrices = data[0], *of_values = data[1];
    double _Complex *results = data[2];
    for (int64_t b = 0; st == MNP_OK && b < t->batch; b++) {
        const double growth = mnp__triangular_parlett(n, matrices + b * n * n, of_values + b * n, results + b * n * n);
        *growth_p = growth > *growth_p ? growth : *growth_p;
    }
    for (int i = 0; i < 3; i++) {
        const mnp_status closed = mnp__on_cpu_close(arrays[i], data[i], st == MNP_OK && i == 2);
        st = st == MNP_OK ? closed : st;
    }
    return st;
}

mnp_status mnp_funm(const mnp_array *a, mnp_matrix_function function, void *argument, mnp_array **out_p,
                    double *error_p)
{
    static const char name[] = "mnp_funm";
    MNP_ENTER(a, out_p);
    MNP_NEED(function);
    MNP_IN_BLOCKS(a);
    const mnp__result result = {.user_p = out_p, .type = MNP__AS_COMPLEX, .dims = "nn"};
    mnp_dtype dtype;
    mnp__place place;
    mnp__dense t = {.array = NULL}, z = {.array = NULL}, f = {.array = NULL};
    mnp_array *values = NULL, *wide = NULL, *made = NULL;
    double growth = 0;
    mnp_status st;
    MNP_TRY(mnp__linalg_begin(name, a, true, 1, &result, &dtype, &place));
    MNP_TRY_OR(MNP_AGREE(a->ctx, mnp__host_need_lapack(name)), st, done);
    MNP_TRY_OR(mnp__schur_make(&place, a, MNP_COMPLEX128, &t, &z), st, done);
    MNP_TRY_OR(call(&place, &t, function, argument, &values), st, done);
    MNP_TRY_OR(mnp__dense_new(&place, MNP_COMPLEX128, t.n, t.n, &f), st, done);
    MNP_TRY_OR(MNP_AGREE(a->ctx, apply(&t, values, &f, &growth)), st, done);
    MNP_TRY_OR(mnp__all_reduce(&a->ctx->comm, &growth, 1, MPI_DOUBLE, MPI_MAX), st, done);
    MNP_TRY_OR(mnp__schur_put_together(z.array, f.array, &wide), st, done);
    MNP_TRY_OR(mnp_astype(wide, mnp__linalg_complex(dtype), &made), st, done);
    MNP_TRY_OR(mnp__dense_give(&place, made, out_p), st, done);
    if (error_p)
        *error_p = fmin(1, DBL_EPSILON * fmax(1, growth));
done:
    mnp_free_all(made, wide, values);
    mnp__dense_free(&f);
    mnp__dense_free(&z);
    mnp__dense_free(&t);
    mnp__place_close(&place);
    return st;
}
