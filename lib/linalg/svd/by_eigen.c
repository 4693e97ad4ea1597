/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Singular values of A by eigenvalues: those of A^H A = V S^2 V^H, computed in float64, if A is float32; those of
 * H = V S V^H in its polar decomposition A = Q H, if A is float64.
 *
 * A^H A squares the condition, which float64 has room for: the eigenvalues are off by a multiple of n eps64 |A|^2, so a
 * singular value s is off by at most the square root of that, about eps32 |A|, and by much less unless it is as small:
 * in float32 that is as accurate as bidiagonalisation.  The eigenvalues of H are off by n eps64 |A|.
 *
 * The columns of A V are as long as the singular values.  They are orthogonal up to rounding errors, which are large in
 * proportion where two columns are short.  So U is the Q of A V, with the longest column first: its columns are
 * orthogonal for every A, and R is diagonal up to a multiple of eps |A|.
 *
 * All of it is products, factorisations and one eigenvalue problem, which takes GPUs with fast float64 a fraction of
 * the time of bidiagonalisation, half of which are products of matrices and vectors.
 */
#include "linalg/svd/by_eigen.h"

#include <math.h>
#include <inttypes.h>
#include <stdio.h>

#include <maniple/create.h>
#include <maniple/decompositions.h>
#include <maniple/eval.h>
#include <maniple/item.h>
#include <maniple/linalg.h>
#include <maniple/reduce.h>
#include <maniple/ufunc.h>
#include <maniple/view.h>

static bool is_single(mnp_dtype dtype)
{
    return mnp__linalg_real(dtype) == MNP_FLOAT32;
}

bool mnp__svd_eigen_serves(const mnp__place *place, const mnp_array *a, mnp_dtype dtype)
{
    return place->ctx->device->block_memory > 0 && a->layout->size > 0 && (is_single(dtype) || place->single);
}

/*
 * s, in descending order, from eigenvalues in ascending order, of which the least may be below 0, or from their roots.
 */
static mnp_status values_of(const mnp_array *eigenvalues, bool squares, mnp_dtype real, mnp_array **s_p)
{
    mnp_array *turned = NULL, *exact = NULL;
    mnp_ctx *ctx = eigenvalues->ctx;
    mnp_status st;
    MNP_TRY_OR(mnp_index(eigenvalues, "..., ::-1", &turned), st, done);
    MNP_TRY_OR(mnp_eval(ctx, squares ? "s = sqrt(maximum(x, 0))" : "s = maximum(x, 0)", MNP_IN("x", turned),
                        MNP_OUT("s", &exact)),
               st, done);
    st = mnp_astype(exact, real, s_p);
done:
    mnp_free_all(exact, turned);
    return st;
}

/* Q of x = Q R, with columns so turned that R's diagonal is not negative. */
static mnp_status orthogonal(const mnp_array *x, mnp_dtype dtype, bool full, mnp_array **q_p)
{
    mnp_array *q = NULL, *r = NULL, *diagonal = NULL, *row = NULL, *first = NULL;
    char which[64];
    mnp_status st;
    MNP_TRY_OR(mnp_qr(x, full ? "complete" : "reduced", &q, &r), st, done);
    MNP_TRY_OR(mnp_diagonal(r, 0, -2, -1, &diagonal), st, done);
    MNP_TRY_OR(mnp_expand_dims(diagonal, 1, (const int[]){diagonal->layout->ndim - 1}, &row), st, done);
    snprintf(which, sizeof which, "..., :%" PRId64, mnp__columns(x));
    MNP_TRY_OR(mnp_index(q, which, &first), st, done);
    MNP_TRY_OR(mnp_eval(x->ctx, "q *= where(r == 0, 1, sign(r))", MNP_IN("r", row), MNP_OUT("q", &first)), st, done);
    st = mnp_astype(q, dtype, q_p);
done:
    mnp_free_all(first, row, diagonal, r, q);
    return st;
}

/* Vectors of x, from the eigenvectors of x^H x in ascending order. */
static mnp_status vectors_of(const mnp_array *x, const mnp_array *ascending, mnp_dtype dtype, bool full,
                             mnp_array **u_p, mnp_array **vh_p)
{
    mnp_array *v = NULL, *images = NULL, *low = NULL, *vh = NULL;
    mnp_status st;
    MNP_TRY_OR(mnp_index(ascending, "..., ::-1", &v), st, done);
    MNP_TRY_OR(mnp_matmul(x, v, &images), st, done);
    MNP_TRY_OR(mnp_astype(v, dtype, &low), st, done);
    MNP_TRY_OR(mnp__linalg_adjoint(low, &vh), st, done);
    MNP_TRY_OR(orthogonal(images, dtype, full, u_p), st, done);
    *vh_p = vh;
    vh = NULL;
done:
    mnp_free_all(vh, low, images, v);
    return st;
}

/* A^H A of x, which is A in float64. */
static mnp_status square(const mnp_array *x, mnp_array **gram_p)
{
    mnp_array *xh = NULL;
    MNP_TRY(mnp__linalg_adjoint(x, &xh));
    const mnp_status st = mnp_matmul(xh, x, gram_p);
    mnp_array_free(xh);
    return st;
}

mnp_status mnp__svd_eigen(const mnp_array *a, mnp_dtype dtype, bool full, mnp_array **u_p, mnp_array **s_p,
                          mnp_array **vh_p, bool *done_p)
{
    mnp_array *x = NULL, *hermitian = NULL, *eigenvalues = NULL, *v = NULL, *s = NULL;
    mnp_status st;
    double largest = 0;
    MNP_TRY(mnp__linalg_largest(a, &largest));
    *done_p = isfinite(largest);
    if (!*done_p)
        return MNP_OK;
    MNP_TRY_OR(mnp_astype(a, mnp_dtype_kind(dtype) == 'c' ? MNP_COMPLEX128 : MNP_FLOAT64, &x), st, done);
    MNP_TRY_OR(is_single(dtype) ? square(x, &hermitian) : mnp__polar_factor(x, &hermitian, done_p), st, done);
    if (!*done_p)
        goto done;
    MNP_TRY_OR(u_p ? mnp_eigh(hermitian, false, &eigenvalues, &v) : mnp_eigvalsh(hermitian, false, &eigenvalues), st,
               done);
    mnp_array_free(hermitian);
    hermitian = NULL;
    MNP_TRY_OR(values_of(eigenvalues, is_single(dtype), mnp__linalg_real(dtype), &s), st, done);
    if (u_p)
        MNP_TRY_OR(vectors_of(x, v, dtype, full, u_p, vh_p), st, done);
    *s_p = s;
    s = NULL;
done:
    mnp_free_all(s, v, eigenvalues, hermitian, x);
    return st;
}
