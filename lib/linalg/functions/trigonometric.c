/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Trigonometric and hyperbolic functions of matrices, of exponentials: cos A = (exp(iA) + exp(-iA)) / 2 and its kin.
 * The exponential of i times a real matrix has both cos A and sin A, as its real and imaginary parts.
 */
#include <complex.h>

#include <maniple/decompositions.h>
#include <maniple/eval.h>
#include <maniple/ufunc.h>

#include "array/input.h"
#include "linalg/dense/dense.h"

/* The even and the odd function of each kind. */
static mnp_status both(const mnp_array *a, bool hyperbolic, mnp_array **even_p, mnp_array **odd_p)
{
    mnp_array *there = NULL, *back = NULL, *forth = NULL, *turned = NULL;
    mnp_ctx *ctx = a->ctx;
    const bool one = !hyperbolic && mnp_dtype_kind(a->dtype) != 'c';
    mnp_status st;
    MNP_TRY_OR(mnp_eval(ctx, hyperbolic ? "z = 1 * a" : "z = 1j * a", MNP_IN("a", a), MNP_OUT("z", &there)), st, done);
    MNP_TRY_OR(mnp_expm(there, &forth), st, done);
    if (one) {
        st = mnp_eval(ctx, "even = real(e); odd = imag(e)", MNP_IN("e", forth), MNP_OUT("even", even_p, "odd", odd_p));
        goto done;
    }
    MNP_TRY_OR(mnp_negative(there, &turned), st, done);
    MNP_TRY_OR(mnp_expm(turned, &back), st, done);
    st = mnp_eval(
        ctx, hyperbolic ? "even = 0.5 * (e + b); odd = 0.5 * (e - b)" : "even = 0.5 * (e + b); odd = 0.5j * (b - e)",
        MNP_IN("e", forth, "b", back), MNP_OUT("even", even_p, "odd", odd_p));
done:
    mnp_free_all(turned, forth, back, there);
    return st;
}

enum kind { EVEN, ODD, QUOTIENT };

static mnp_status function_of(const char *function, const mnp_array *a, bool hyperbolic, enum kind kind,
                              mnp_array **out_p)
{
    mnp_array *given = NULL, *even = NULL, *odd = NULL, *made = NULL;
    const mnp__result result = {.user_p = out_p, .dims = "nn"};
    mnp_dtype dtype;
    mnp_status st;
    MNP_TRY(mnp__linalg_check_results(function, a, true, 1, &result, &dtype));
    MNP_TRY_OR(mnp_astype(a, dtype, &given), st, done);
    if (a->layout->size == 0) {
        st = mnp__output_give(given, MNP_OK, out_p);
        given = NULL;
        goto done;
    }
    MNP_TRY_OR(both(given, hyperbolic, &even, &odd), st, done);
    if (kind == QUOTIENT)
        MNP_TRY_OR(mnp_linalg_solve(even, odd, MNP_ASSUME_GENERAL, &made), st, done);
    if (kind == QUOTIENT) {
        st = mnp__output_give(made, MNP_OK, out_p);
    } else {
        st = mnp__output_give(kind == EVEN ? even : odd, MNP_OK, out_p);
        *(kind == EVEN ? &even : &odd) = NULL;
    }
done:
    mnp_free_all(odd, even, given);
    return st;
}

#define FUNCTION(name, hyperbolic, kind)                                                                               \
    mnp_status mnp_##name(const mnp_array *a, mnp_array **out_p)                                                       \
    {                                                                                                                  \
        MNP_ENTER(a, out_p);                                                                                           \
        MNP_IN_BLOCKS(a);                                                                                              \
        return function_of("mnp_" #name, a, hyperbolic, kind, out_p);                                                  \
    }
FUNCTION(cosm, false, EVEN)
FUNCTION(sinm, false, ODD)
FUNCTION(tanm, false, QUOTIENT)
FUNCTION(coshm, true, EVEN)
FUNCTION(sinhm, true, ODD)
FUNCTION(tanhm, true, QUOTIENT)
