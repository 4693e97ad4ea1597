/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What eigsolvers share: blocks, small matrices, residuals, results.
 */
#include "sparse/eigen/ritz.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "layout/layout.h"
#include "sparse/matrix/sparse.h"

/* ---- blocks ---- */

static mnp_status view_columns(const mnp_operator *op, mnp__block *block)
{
    const int64_t stride = block->width;
    MNP_TRY(mnp__calloc((size_t)block->width, sizeof *block->columns, &block->columns));
    for (int k = 0; k < block->width; k++) {
        char *data = block->array->data; /* NULL on a rank without rows */
        if (data)
            data += (size_t)k * mnp_dtype_size(op->dtype);
        MNP_TRY(mnp__array_view(block->array, op->dtype, op->column_layout, data, &stride, &block->columns[k]));
    }
    return MNP_OK;
}

mnp_status mnp__block_new(const mnp_operator *op, int width, mnp__block *block)
{
    const mnp__layout_dim dims[2] = {mnp__layout_dim_of(op->column_layout, 0), mnp__layout_dim_whole(width)};
    mnp_layout *layout = NULL;
    *block = (mnp__block){.width = width};
    mnp_status st = MNP_AGREE(op->ctx, mnp__layout_derive(op->column_layout, 2, dims, &layout));
    if (st == MNP_OK)
        st = mnp__vector_zeros(op->ctx, op->dtype, layout, &block->array);
    mnp_layout_free(layout);
    if (st == MNP_OK)
        st = MNP_AGREE(op->ctx, view_columns(op, block));
    if (st != MNP_OK)
        mnp__block_free(block);
    return st;
}

void mnp__block_free(mnp__block *block)
{
    for (int k = 0; block->columns && k < block->width; k++)
        mnp_array_free(block->columns[k]);
    free(block->columns);
    mnp_array_free(block->array);
    *block = (mnp__block){.array = NULL};
}

mnp_status mnp__block_apply(const mnp_operator *op, const mnp__block *x, const mnp__block *y, mnp_array *const room[2])
{
    if (op->matrix)
        return mnp__sparse_apply(op->matrix, false, op->dtype, x->width, x->array->data, y->array->data);
    for (int k = 0; k < x->width; k++) {
        MNP_TRY(mnp__array_assign(x->columns[k], room[0]));
        MNP_TRY(mnp__operator_apply(op, false, room[0], room[1]));
        MNP_TRY(mnp__array_assign(room[1], y->columns[k]));
    }
    return MNP_OK;
}

mnp_status mnp__block_precondition(const mnp_precond *precond, const mnp__block *x, const mnp__block *y,
                                   const bool *wanted, mnp_array *const room[2])
{
    for (int k = 0; k < x->width; k++) {
        if (!wanted[k])
            continue;
        MNP_TRY(mnp__array_assign(x->columns[k], room[0]));
        MNP_TRY(mnp__precond_apply(precond, false, room[0], room[1]));
        MNP_TRY(mnp__array_assign(room[1], y->columns[k]));
    }
    return MNP_OK;
}

/* ---- small matrices ---- */

static bool is_finite(const double *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(numbers[i]))
            return false;
    return true;
}

mnp_status mnp__ritz_eigh(mnp_ctx *ctx, int n, bool is_complex, void *a, double *w, bool *finite_p)
{
    const size_t doubles = (size_t)n * (size_t)n * (is_complex ? 2 : 1);
    mnp_status st = MNP_OK;
    bool finite = true;
    if (ctx->comm.rank == 0) {
        finite = is_finite(a, doubles);
        if (finite && n > 0)
            st = mnp__host_eigh(n, is_complex, a, w);
    }
    MNP_TRY(MNP_AGREE(ctx, st));
    MNP_TRY(mnp__broadcast(&ctx->comm, &finite, sizeof finite, 0));
    *finite_p = finite;
    if (!finite || n == 0)
        return MNP_OK;
    MNP_TRY(mnp__broadcast(&ctx->comm, w, (size_t)n * sizeof *w, 0));
    return mnp__broadcast(&ctx->comm, a, doubles * sizeof(double), 0);
}

mnp_status mnp__ritz_residuals(mnp_ctx *ctx, mnp__tall *tall, const mnp__columns *both, const mnp__columns *r,
                               const double *theta, double _Complex *matrix, double *norms)
{
    const int width = r->count;
    for (int i = 0; i < 2 * width * width; i++)
        matrix[i] = 0;
    for (int k = 0; k < width; k++) {
        matrix[k * width + k] = 1;
        matrix[(width + k) * width + k] = -theta[k];
    }
    MNP_TRY(mnp__tall_put(tall, 2 * width * width, matrix));
    MNP_TRY(mnp__tall_multiply(tall, both, r));
    MNP_TRY(mnp__tall_inner(tall, r, r, matrix));
    for (int k = 0; k < width; k++)
        norms[k] = sqrt(creal(matrix[k * width + k]));
    return mnp__broadcast(&ctx->comm, norms, (size_t)width * sizeof *norms, 0);
}

double mnp__ritz_epsilon(mnp_dtype dtype)
{
    return mnp__dtype_is_single(dtype) ? FLT_EPSILON : DBL_EPSILON;
}

/* A complex product written out: C's own checks for infinities at every number. */
static double _Complex times(double _Complex a, double _Complex b)
{
    double _Complex product;
    double *parts = (double *)&product;
    parts[0] = creal(a) * creal(b) - cimag(a) * cimag(b);
    parts[1] = creal(a) * cimag(b) + cimag(a) * creal(b);
    return product;
}

void mnp__small_add_row(int count, double _Complex factor, const double _Complex *b, double _Complex *c)
{
    const double re = creal(factor), im = cimag(factor), *from = (const double *)b;
    double *to = (double *)c;
    if (im == 0) {
        for (int i = 0; i < 2 * count; i++)
            to[i] += re * from[i];
    } else {
        for (int i = 0; i < count; i++) {
            to[2 * i] += re * from[2 * i] - im * from[2 * i + 1];
            to[2 * i + 1] += re * from[2 * i + 1] + im * from[2 * i];
        }
    }
}

void mnp__small_add_product(int rows, int inner, int columns, bool adjoint, double sign, const double _Complex *a,
                            const double _Complex *b, double _Complex *c)
{
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < inner; j++) {
            const double _Complex factor = adjoint ? conj(a[j * rows + i]) : a[i * inner + j];
            if (factor != 0)
                mnp__small_add_row(columns, sign * factor, b + j * columns, c + i * columns);
        }
    }
}

void mnp__small_multiply(int rows, int inner, int columns, bool adjoint, const double _Complex *a,
                         const double _Complex *b, double _Complex *c)
{
    memset(c, 0, (size_t)(rows * columns) * sizeof *c);
    mnp__small_add_product(rows, inner, columns, adjoint, 1, a, b, c);
}

void mnp__small_triangularise(int n, const double _Complex *gram, double limit, int *kept, double _Complex *r,
                              double _Complex *basis, int *found_p)
{
    int found = 0;
    for (int j = 0; j < n; j++) {
        double _Complex *column = r + found * n; /* R by columns */
        double pivot = creal(gram[j * n + j]);
        for (int i = 0; i < found; i++) {
            double _Complex sum = gram[kept[i] * n + j];
            for (int l = 0; l < i; l++)
                sum -= times(conj(r[i * n + l]), column[l]);
            column[i] = sum / creal(r[i * n + i]);
            pivot -= creal(column[i]) * creal(column[i]) + cimag(column[i]) * cimag(column[i]);
        }
        if (!(pivot > limit * creal(gram[j * n + j])))
            continue;
        column[found] = sqrt(pivot);
        kept[found++] = j;
    }
    memset(basis, 0, (size_t)(n * found) * sizeof *basis);
    for (int c = 0; c < found; c++) {
        for (int i = c; i >= 0; i--) {
            double _Complex sum = i == c;
            for (int l = i + 1; l <= c; l++)
                sum -= times(r[l * n + i], basis[kept[l] * found + c]);
            basis[kept[i] * found + c] = sum / creal(r[i * n + i]);
        }
    }
    *found_p = found;
}

/* ---- results ---- */

mnp_status mnp__ritz_result(mnp_ctx *ctx, int count, mnp_eigen_result *result)
{
    *result = (mnp_eigen_result){.reason = MNP_EIGEN_MAXITER, .count = count};
    mnp_status st = MNP_AGREE(ctx, mnp__calloc((size_t)count, sizeof *result->residuals, &result->residuals));
    if (st != MNP_OK)
        mnp_eigen_result_clear(result);
    return st;
}

void mnp_eigen_result_clear(mnp_eigen_result *result)
{
    if (!result)
        return;
    free(result->residuals);
    result->residuals = NULL;
    result->count = 0;
}

const char *mnp_eigen_reason_text(mnp_eigen_reason reason)
{
    switch (reason) {
    case MNP_EIGEN_CONVERGED:
        return "converged";
    case MNP_EIGEN_MAXITER:
        return "stopped at the limit of iterations";
    case MNP_EIGEN_BREAKDOWN:
        return "breakdown: numbers are not finite, or B is not positive definite";
    case MNP_EIGEN_STOPPED:
        return "stopped";
    case MNP_EIGEN_UNSOLVED:
        return "a system of the shifted operator was not solved";
    }
    return "unknown reason";
}
