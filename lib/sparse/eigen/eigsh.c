/* SPDX-License-Identifier: BSD-3-Clause */
/* mnp_eigsh(): what is asked is checked and completed, and Lanczos' method (lanczos.c) finds it. */
#include <inttypes.h>
#include <math.h>

#include "array/output.h"
#include "base/integer.h"
#include "layout/layout.h"
#include "sparse/eigen/lanczos.h"

enum { USUAL_SPACE = 20 };

static mnp_status check(const mnp_operator *op, int k, const mnp_eigsh_options *options, const double *values,
                        mnp_array *const *vectors_p)
{
    static const char function[] = "mnp_eigsh()";
    if (!op || !values)
        return MNP_FAIL(MNP_ERR_ARG, "%s was given no %s", function, op ? "values" : "operator");
    MNP_TRY(mnp__operator_check_square(function, op));
    const int64_t rows = mnp_layout_size(op->column_layout), most = mnp__min(rows, MNP__LANCZOS_MOST);
    if (k < 1 || k >= rows || k >= MNP__LANCZOS_MOST)
        return MNP_FAIL(MNP_ERR_ARG,
                        "%s: k is %d; it must be at least 1, below the number of rows, %" PRId64 ", and below %d",
                        function, k, rows, MNP__LANCZOS_MOST);
    if (options->ncv != 0 && (options->ncv <= k || options->ncv > most))
        return MNP_FAIL(MNP_ERR_ARG, "%s: ncv is %d, outside %d..%" PRId64, function, options->ncv, k + 1, most);
    if ((int)options->which < 0 || options->which > MNP_EIGEN_BE)
        return MNP_FAIL(MNP_ERR_ARG, "%s: which is %d, none of MNP_EIGEN_LM and so on", function, (int)options->which);
    if (!(options->tol >= 0) || options->maxiter < 0)
        return MNP_FAIL(MNP_ERR_ARG, "%s: tol is %g and maxiter is %" PRId64 "; they cannot be negative", function,
                        options->tol, options->maxiter);
    if (options->v0) {
        MNP_TRY(mnp__array_check_blocks(function, options->v0));
        if (options->v0->ctx != op->ctx)
            return MNP_FAIL(MNP_ERR_ARG, "%s: v0 belongs to another context than the operator", function);
        if (options->v0->layout->ndim != 1 || options->v0->layout->shape[0] != rows)
            return MNP_FAIL(MNP_ERR_ARG, "%s: v0 must have one dimension of %" PRId64 " elements", function, rows);
    }
    const mnp_array *vectors = vectors_p ? *vectors_p : NULL;
    if (vectors) {
        MNP_TRY(mnp__array_check_blocks(function, vectors));
        if (vectors->ctx != op->ctx)
            return MNP_FAIL(MNP_ERR_ARG, "%s: vectors belong to another context than the operator", function);
        if (vectors->dtype != op->dtype || vectors->layout->ndim != 2 || vectors->layout->shape[0] != rows ||
            vectors->layout->shape[1] != k || vectors->read_only)
            return MNP_FAIL(MNP_ERR_ARG,
                            "%s: vectors must be a %s array of shape (%" PRId64 ", %d) that can be "
                            "written",
                            function, mnp_dtype_name(op->dtype), rows, k);
    }
    return MNP_AGREE(op->ctx, mnp__host_need_lapack("mnp_eigsh"));
}

static mnp_eigsh_options complete(const mnp_operator *op, int k, const mnp_eigsh_options *given)
{
    mnp_eigsh_options options = *given;
    const int64_t rows = mnp_layout_size(op->column_layout), most = mnp__min(rows, MNP__LANCZOS_MOST);
    const int usual = 2 * k + 1 > USUAL_SPACE ? 2 * k + 1 : USUAL_SPACE;
    options.ncv = given->ncv ? given->ncv : usual < most ? usual : (int)most;
    options.maxiter = given->maxiter ? given->maxiter : 10 * rows;
    options.tol = fmax(given->tol, mnp__ritz_epsilon(op->dtype));
    return options;
}

mnp_status mnp_eigsh(const mnp_operator *op, int k, const mnp_eigsh_options *given, double *values,
                     mnp_array **vectors_p, mnp_eigen_result *result)
{
    MNP_ENTER(op, values);
    MNP_NEED_IF(vectors_p, vectors_p);
    static const mnp_eigsh_options defaults = {.which = MNP_EIGEN_LM};
    mnp__block vectors = {.array = NULL};
    mnp_eigen_result made = {.residuals = NULL};
    mnp_status st;
    MNP_TRY(check(op, k, given ? given : &defaults, values, vectors_p));
    const mnp_eigsh_options options = complete(op, k, given ? given : &defaults);
    MNP_TRY_OR(mnp__block_new(op, k, &vectors), st, done);
    MNP_TRY_OR(mnp__ritz_result(op->ctx, k, &made), st, done);
    MNP_TRY_OR(mnp__lanczos_run(op, k, &options, &vectors, values, &made), st, done);
    if (vectors_p && *vectors_p) {
        MNP_TRY_OR(mnp__array_copy_to(vectors.array, *vectors_p), st, done);
    } else if (vectors_p) {
        *vectors_p = vectors.array;
        vectors.array = NULL;
    }
    if (result) {
        *result = made;
        made.residuals = NULL;
    }
done:
    mnp_eigen_result_clear(&made);
    mnp__block_free(&vectors);
    return st;
}
