/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The exponential of matrices, by Pade's approximation of degree 13 with scaling and squaring (Higham: The scaling and
 * squaring method for the matrix exponential revisited, 2005): six products, one system of equations, and a product for
 * each binary digit of the norm.  The matrices of a batch are scaled alike, by the largest norm.
 */
#include <math.h>

#include <maniple/create.h>
#include <maniple/decompositions.h>
#include <maniple/eval.h>
#include <maniple/item.h>
#include <maniple/linalg.h>
#include <maniple/reduce.h>
#include <maniple/ufunc.h>

#include "array/input.h"
#include "linalg/dense/dense.h"

static const double THETA = 5.371920351148152; /* the norm up to which the approximation is as good as float64 */
/* The coefficients of the approximation, b(13) to b(0), divided by b(0): of odd and of even powers. */
static const char ODD[] = "z = 1.5440497506703088e-17*a6 + 2.529153491597966e-13*a4 + 6.306022705717595e-10*a2",
                  EVEN[] = "z = 2.8101705462199623e-15*a6 + 1.48377004840414e-11*a4 + 2.0431513566525008e-08*a2",
                  ODD_REST[] =
                      "z = p + 5.175983436853002e-07*a6 + 0.00016304347826086958*a4 + 0.018333333333333333*a2 + "
                      "0.5*e",
                  EVEN_REST[] = "z = p + 1.0351966873706003e-05*a6 + 0.0019927536231884057*a4 + 0.12*a2 + "
                                "e";

/* How often the matrices are halved: the number of binary digits of the largest norm over THETA. */
static mnp_status halvings(const mnp_array *a, int *count_p)
{
    mnp_array *norms = NULL, *most = NULL;
    double norm = 0;
    mnp_status st;
    *count_p = 0;
    MNP_TRY_OR(mnp_matrix_norm(a, "1", false, &norms), st, done);
    MNP_TRY_OR(mnp_max(norms, MNP_ALL_AXES, &most), st, done);
    MNP_TRY_OR(mnp_array_item(most, MNP_FLOAT64, &norm), st, done);
    if (norm > THETA && isfinite(norm))
        *count_p = (int)ceil(log2(norm / THETA));
done:
    mnp_free_all(most, norms);
    return st;
}

/* One of the two polynomials: a6 times the first sum, and the rest. */
static mnp_status polynomial(const char *first, const char *rest, const mnp_array *const *powers, const mnp_array *one,
                             mnp_array **out_p)
{
    mnp_array *sum = NULL, *product = NULL;
    mnp_ctx *ctx = one->ctx;
    mnp_status st;
    MNP_TRY_OR(mnp_eval(ctx, first, MNP_IN("a2", powers[0], "a4", powers[1], "a6", powers[2]), MNP_OUT("z", &sum)), st,
               done);
    MNP_TRY_OR(mnp_matmul(powers[2], sum, &product), st, done);
    st = mnp_eval(ctx, rest, MNP_IN("p", product, "a2", powers[0], "a4", powers[1], "a6", powers[2], "e", one),
                  MNP_OUT("z", out_p));
done:
    mnp_free_all(product, sum);
    return st;
}

/* exp(a) of matrices whose norm is at most THETA. */
static mnp_status approximate(const mnp_array *a, const mnp_array *one, mnp_array **out_p)
{
    mnp_array *a2 = NULL, *a4 = NULL, *a6 = NULL, *odd = NULL, *u = NULL, *v = NULL, *sum = NULL, *difference = NULL;
    mnp_status st;
    MNP_TRY_OR(mnp_matmul(a, a, &a2), st, done);
    MNP_TRY_OR(mnp_matmul(a2, a2, &a4), st, done);
    MNP_TRY_OR(mnp_matmul(a2, a4, &a6), st, done);
    const mnp_array *const powers[] = {a2, a4, a6};
    MNP_TRY_OR(polynomial(ODD, ODD_REST, powers, one, &odd), st, done);
    MNP_TRY_OR(polynomial(EVEN, EVEN_REST, powers, one, &v), st, done);
    MNP_TRY_OR(mnp_matmul(a, odd, &u), st, done);
    MNP_TRY_OR(mnp_add(v, u, &sum), st, done);
    MNP_TRY_OR(mnp_subtract(v, u, &difference), st, done);
    st = mnp_linalg_solve(difference, sum, MNP_ASSUME_GENERAL, out_p);
done:
    mnp_free_all(difference, sum, u, v, odd, a6, a4, a2);
    return st;
}

mnp_status mnp_expm(const mnp_array *a, mnp_array **out_p)
{
    static const char function[] = "mnp_expm";
    MNP_ENTER(a, out_p);
    MNP_IN_BLOCKS(a);
    mnp_dtype dtype;
    mnp_array *given = NULL, *scaled = NULL, *one = NULL, *x = NULL, *next = NULL;
    int times = 0;
    mnp_status st;
    MNP_TRY(mnp__linalg_check_results(function, a, true, 1, &(mnp__result){.user_p = out_p, .dims = "nn"}, &dtype));
    MNP_TRY_OR(mnp_astype(a, dtype, &given), st, done);
    if (a->layout->size == 0) {
        st = mnp__output_give(given, MNP_OK, out_p);
        given = NULL;
        goto done;
    }
    MNP_TRY_OR(halvings(given, &times), st, done);
    MNP_TRY_OR(mnp_multiply(given, MNP_SCALAR(a->ctx, ldexp(1, -times)), &scaled), st, done);
    MNP_TRY_OR(mnp_identity(a->ctx, dtype, mnp__rows(a), &one), st, done);
    MNP_TRY_OR(approximate(scaled, one, &x), st, done);
    for (int i = 0; i < times; i++) {
        MNP_TRY_OR(mnp_matmul(x, x, &next), st, done);
        mnp_array_free(x);
        x = next;
        next = NULL;
    }
    st = mnp__output_give(x, MNP_OK, out_p);
    x = NULL;
done:
    mnp_free_all(next, x, one, scaled, given);
    return st;
}
