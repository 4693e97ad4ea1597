/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranges of the eigenvalues of Hermitian matrices, and of pairs of which one is positive definite.
 *
 * As LAPACK's sygst: B = L L^H makes of A x = w B x the Hermitian matrix L^-1 A L^-H with the vectors y = L^H x, and of
 * A B x = w x and B A x = w x the matrix L^H A L with y = L^H x and y = L^-1 x.  The errors of values are up to the
 * condition of B times as large as those of one matrix.
 *
 * Cost beside mnp_eigh(): n^3 / 3 operations for L, 2 n^3 for two triangular systems, or 4 n^3 for two products, and
 * n^2 k for k vectors.
 */
#include <inttypes.h>
#include <math.h>

#include <maniple/create.h>
#include <maniple/decompositions.h>
#include <maniple/linalg.h>

#include "array/input.h"
#include "linalg/factors/eigen.h"
#include "linalg/factors/spread.h"

mnp_status mnp__eigen_range_of(const char *function, int64_t n, mnp_subset subset, double from, double to,
                               mnp__eigen_range *range)
{
    *range = (mnp__eigen_range){.by_value = subset == MNP_SUBSET_VALUES, .low = from, .high = to, .last = n - 1};
    if (subset == MNP_SUBSET_ALL)
        return MNP_OK;
    if (subset == MNP_SUBSET_VALUES)
        return from < to ? MNP_OK
                         : MNP_FAIL(MNP_ERR_ARG, "%s: there are no values above %g and up to %g", function, from, to);
    if (subset != MNP_SUBSET_INDICES)
        return MNP_FAIL(MNP_ERR_ARG, "%s: subset is %d, which is no mnp_subset", function, (int)subset);
    if (!(from >= 0 && from <= to && to < (double)n && from == floor(from) && to == floor(to)))
        return MNP_FAIL(MNP_ERR_ARG, "%s: eigenvalues %g to %g are asked for, and there are those from 0 to %" PRId64,
                        function, from, to, n - 1);
    range->first = (int64_t)from;
    range->last = (int64_t)to;
    return MNP_OK;
}

static mnp_status check(const char *function, const mnp_array *a, const mnp_array *b, int type,
                        const mnp__eigen_range *range)
{
    if (range->by_value && (a->layout->ndim > 2 || (b && b->layout->ndim > 2)))
        return MNP_FAIL(MNP_ERR_ARG,
                        "%s: matrices of a batch may have different numbers of eigenvalues between two values: ask for "
                        "those of one matrix",
                        function);
    if (!b)
        return MNP_OK;
    MNP_TRY(mnp__linalg_check(function, b, true));
    if (type < 1 || type > 3)
        return MNP_FAIL(MNP_ERR_ARG, "%s: type is %d, outside 1..3", function, type);
    if (mnp__rows(a) != mnp__rows(b))
        return MNP_FAIL(MNP_ERR_ARG, "%s: a has %" PRId64 " rows, and b has %" PRId64, function, mnp__rows(a),
                        mnp__rows(b));
    return MNP_OK;
}

/* L^-1 A L^-H */
static mnp_status divide(const mnp_array *whole, const mnp_array *factor, mnp_array **reduced_p)
{
    mnp_array *half = NULL, *turned = NULL;
    mnp_status st;
    MNP_TRY_OR(mnp_solve_triangular(factor, whole, 0, true, false, &half), st, done);
    MNP_TRY_OR(mnp__linalg_adjoint(half, &turned), st, done);
    st = mnp_solve_triangular(factor, turned, 0, true, false, reduced_p);
done:
    mnp_free_all(turned, half);
    return st;
}

/* L^H A L */
static mnp_status multiply(const mnp_array *whole, const mnp_array *factor, mnp_array **reduced_p)
{
    mnp_array *half = NULL, *turned = NULL;
    mnp_status st;
    MNP_TRY_OR(mnp_matmul(whole, factor, &half), st, done);
    MNP_TRY_OR(mnp__linalg_adjoint(factor, &turned), st, done);
    st = mnp_matmul(turned, half, reduced_p);
done:
    mnp_free_all(turned, half);
    return st;
}

/* The lower triangular factor of a Hermitian matrix, one triangle of which is read. */
static mnp_status factor_of(const mnp_array *b, bool upper, mnp_array **factor_p)
{
    mnp_array *turned = NULL;
    if (!upper)
        return mnp_cholesky(b, false, factor_p);
    MNP_TRY(mnp_cholesky(b, true, &turned));
    const mnp_status st = mnp__linalg_adjoint(turned, factor_p);
    mnp_array_free(turned);
    return st;
}

/* The pair's eigenvalues and vectors, as new arrays; v_p NULL: the values alone. */
static mnp_status find_of_pair(const char *function, const mnp_array *a, const mnp_array *b, int type, bool upper,
                               const mnp__eigen_range *range, mnp_array **w_p, mnp_array **v_p)
{
    mnp_array *whole = NULL, *factor = NULL, *reduced = NULL, *y = NULL;
    mnp_status st;
    MNP_TRY_OR(factor_of(b, upper, &factor), st, done);
    MNP_TRY_OR(mnp__hermitian_whole(a, upper, &whole), st, done);
    MNP_TRY_OR(type == 1 ? divide(whole, factor, &reduced) : multiply(whole, factor, &reduced), st, done);
    MNP_TRY_OR(mnp__linalg_eigh(function, reduced, false, range, w_p, v_p ? &y : NULL), st, done);
    if (v_p)
        st = type == 3 ? mnp_matmul(factor, y, v_p) : mnp_solve_triangular(factor, y, 2, true, false, v_p);
done:
    mnp_free_all(y, reduced, factor, whole);
    return st;
}

mnp_status mnp_eigh_subset(const mnp_array *a, const mnp_array *b, int type, bool upper, mnp_subset subset, double from,
                           double to, mnp_array **w_p, mnp_array **v_p)
{
    static const char function[] = "mnp_eigh_subset";
    MNP_ENTER(a, w_p);
    MNP_NEED_OR_NULL(b);
    MNP_NEED_OR_NULL(v_p);
    MNP_IN_BLOCKS(a);
    MNP_IN_BLOCKS(b);
    mnp__eigen_range given;
    MNP_TRY(mnp__linalg_check(function, a, true));
    MNP_TRY(mnp__eigen_range_of(function, mnp__rows(a), subset, from, to, &given));
    MNP_TRY(check(function, a, b, type, &given));
    const mnp__eigen_range *range = subset == MNP_SUBSET_ALL ? NULL : &given;
    if (!b)
        return mnp__linalg_eigh(function, a, upper, range, w_p, v_p);
    mnp_array *made[2] = {NULL, NULL};
    mnp_status st = find_of_pair(function, a, b, type, upper, range, &made[0], v_p ? &made[1] : NULL);
    mnp__output outputs[2] = {{.array = made[0], .user_p = w_p}, {.array = made[1], .user_p = v_p}};
    return mnp__output_close(v_p ? 2 : 1, outputs, st);
}
