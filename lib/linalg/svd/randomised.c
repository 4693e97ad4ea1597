/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The largest singular values of one matrix by products with random vectors: N. Halko, P. G. Martinsson and J. A.
 * Tropp, Finding structure with randomness, SIAM Review 53, 2011, algorithms 4.4 and 5.1.
 *
 * Q (m x l) is an orthonormal basis of (A A^H)^iterations A times l random vectors; after every product with A or A^H
 * it is made orthonormal again, as the columns would otherwise all become the first singular vector.  Then A^H Q
 * (n x l) is decomposed, which has A's right vectors, and Q times the others are A's left ones.
 *
 * Cost: 2 iterations + 2 products of A and l vectors, which are over the ranks as mnp_matmul() has them, and as many
 * QR factorisations of tall matrices of l columns.
 */
#include <inttypes.h>
#include <stdio.h>

#include <maniple/decompositions.h>
#include <maniple/linalg.h>
#include <maniple/random.h>
#include <maniple/view.h>

#include "array/input.h"
#include "base/integer.h"
#include "linalg/dense/dense.h"

/* An orthonormal basis of the columns of `a` times x. */
static mnp_status basis(const mnp_array *a, const mnp_array *x, mnp_array **q_p)
{
    mnp_array *product = NULL, *r = NULL;
    mnp_status st;
    MNP_TRY_OR(mnp_matmul(a, x, &product), st, done);
    st = mnp_qr(product, NULL, q_p, &r);
done:
    mnp_free_all(r, product);
    return st;
}

/* Q, from `width` random vectors. */
static mnp_status find_range(const mnp_array *a, int64_t width, int iterations, uint64_t seed, mnp_array **q_p)
{
    const int64_t shape[2] = {mnp__columns(a), width};
    mnp_rng *rng = NULL;
    mnp_array *random = NULL, *q = NULL, *product = NULL, *r = NULL, *back = NULL;
    mnp_status st;
    MNP_TRY_OR(mnp_rng_new(a->ctx, seed, &rng), st, done);
    MNP_TRY_OR(mnp_random_normal(rng, 0, 1, a->dtype, 2, shape, &random), st, done);
    MNP_TRY_OR(basis(a, random, &q), st, done);
    for (int i = 0; i < iterations; i++) {
        MNP_TRY_OR(mnp__linalg_adjoint_times(a, q, &product), st, done);
        mnp_array_free(q);
        q = NULL;
        MNP_TRY_OR(mnp_qr(product, NULL, &back, &r), st, done);
        MNP_TRY_OR(basis(a, back, &q), st, done);
        mnp_free_all(back, r, product);
        back = r = product = NULL;
    }
    *q_p = q;
    q = NULL;
done:
    mnp_free_all(back, r, product, q, random);
    mnp_rng_free(rng);
    return st;
}

/* The first k rows, or elements. */
static mnp_status first_rows(const mnp_array *x, int64_t k, mnp_array **view_p)
{
    char which[32];
    snprintf(which, sizeof which, ":%" PRId64, k);
    return mnp_index(x, which, view_p);
}

/* The k first singular values and vectors of A's part in the space of Q: (Q^H A)^H = V S U^H, and A = (Q U) S V^H. */
static mnp_status decompose(const mnp_array *a, const mnp_array *q, int64_t k, mnp_array **made)
{
    mnp_array *part = NULL, *v = NULL, *s = NULL, *uh = NULL, *first = NULL, *some = NULL, *u = NULL, *vh = NULL;
    mnp_status st;
    MNP_TRY_OR(mnp__linalg_adjoint_times(a, q, &part), st, done);
    MNP_TRY_OR(mnp_svd(part, false, &v, &s, &uh), st, done);
    MNP_TRY_OR(first_rows(uh, k, &first), st, done);
    MNP_TRY_OR(mnp__linalg_adjoint(first, &u), st, done);
    MNP_TRY_OR(mnp_matmul(q, u, &made[0]), st, done);
    MNP_TRY_OR(first_rows(s, k, &some), st, done);
    MNP_TRY_OR(mnp_copy(some, &made[1]), st, done);
    mnp_array_free(some);
    some = NULL;
    MNP_TRY_OR(mnp__linalg_adjoint(v, &vh), st, done);
    MNP_TRY_OR(first_rows(vh, k, &some), st, done);
    st = mnp_copy(some, &made[2]);
done:
    mnp_free_all(vh, u, some, first, uh, s, v, part);
    return st;
}

static mnp_status check_numbers(const char *function, const mnp_array *a, int64_t k, int64_t oversampling,
                                int iterations)
{
    const int64_t m = mnp__rows(a), n = mnp__columns(a);
    if (a->layout->ndim != 2)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the array has %d dimensions, and is not one matrix", function,
                        a->layout->ndim);
    if (m == 0 || n == 0)
        return MNP_FAIL(MNP_ERR_ARG, "%s: a matrix of %" PRId64 " x %" PRId64 " has no singular values", function, m,
                        n);
    if (k < 1 || k > mnp__min(m, n))
        return MNP_FAIL(MNP_ERR_ARG, "%s: k is %" PRId64 ", and must be from 1 to %" PRId64, function, k,
                        mnp__min(m, n));
    if (oversampling < 0 || iterations < 0)
        return MNP_FAIL(MNP_ERR_ARG, "%s: oversampling is %" PRId64 " and iterations %d, and neither may be negative",
                        function, oversampling, iterations);
    return MNP_OK;
}

mnp_status mnp_svd_randomised(const mnp_array *a, int64_t k, int64_t oversampling, int iterations, uint64_t seed,
                              mnp_array **u_p, mnp_array **s_p, mnp_array **vh_p)
{
    static const char function[] = "mnp_svd_randomised", *const names[] = {"u", "s", "vh"};
    MNP_ENTER(a, u_p, s_p, vh_p);
    MNP_IN_BLOCKS(a);
    mnp_array **const user_p[3] = {u_p, s_p, vh_p}, *wide = NULL, *q = NULL, *made[3] = {NULL, NULL, NULL};
    mnp_dtype dtype;
    mnp_status st;
    MNP_TRY(mnp__linalg_check_results(function, a, false, 0, NULL, &dtype));
    MNP_TRY(check_numbers(function, a, k, oversampling, iterations));
    MNP_TRY(mnp__output_check_distinct(function, 3, user_p));
    const int64_t m = mnp__rows(a), n = mnp__columns(a), most = mnp__min(m, n);
    const int64_t shapes[3][2] = {{m, k}, {k, 0}, {k, n}}, width = oversampling < most - k ? k + oversampling : most;
    for (int i = 0; i < 3; i++) {
        const mnp__output_spec spec = {.function = function,
                                       .name = names[i],
                                       .ctx = a->ctx,
                                       .dtype = i == 1 ? mnp__linalg_real(dtype) : dtype,
                                       .ndim = i == 1 ? 1 : 2,
                                       .shape = shapes[i]};
        MNP_TRY(mnp__output_check(&spec, *user_p[i]));
    }
    if (a->dtype != dtype)
        MNP_TRY_OR(mnp_astype(a, dtype, &wide), st, done);
    a = wide ? wide : a;
    MNP_TRY_OR(find_range(a, width, iterations, seed, &q), st, done);
    MNP_TRY_OR(decompose(a, q, k, made), st, done);
    mnp__output outputs[3] = {
        {.array = made[0], .user_p = u_p}, {.array = made[1], .user_p = s_p}, {.array = made[2], .user_p = vh_p}};
    made[0] = made[1] = made[2] = NULL;
    st = mnp__output_close(3, outputs, MNP_OK);
done:
    mnp_free_all(made[2], made[1], made[0], q, wide);
    return st;
}
