/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Operators for vectors of another dtype than their own, so that systems are solved in the wider type of all that they
 * consist of, as in SciPy.
 *
 * A matrix is multiplied as it is: its kernels read the entries in their dtype, and compute in that of the vectors.
 * All others take vectors of their own dtype alone, so these are converted before and after; a real operator is applied
 * to the real parts of complex vectors, and then to the imaginary ones.
 */
#include "sparse/operator/operator.h"

#include <stdlib.h>

#include <maniple/view.h>

#include "base/dtype.h"

mnp_dtype mnp__operator_wider(mnp_dtype own, mnp_dtype vectors)
{
    return mnp_dtype_promote(own, mnp__dtype_is_single(vectors) ? vectors : mnp_dtype_promote(vectors, MNP_FLOAT64));
}

/* ---- vectors by way of others ---- */

/* The real or the imaginary part of a vector, as a view. */
static mnp_status part_of(const mnp_array *vector, bool imaginary, mnp_array **part_p)
{
    return imaginary ? mnp_imag(vector, part_p) : mnp_real(vector, part_p);
}

static mnp_status apply_to_part(const mnp__conversion *by, bool adjoint, bool imaginary, const mnp_array *x,
                                mnp_array *y)
{
    mnp_array *x_part = NULL, *y_part = NULL, *from = by->rooms[adjoint ? 1 : 0], *to = by->rooms[adjoint ? 0 : 1];
    mnp_status st;
    MNP_TRY_OR(part_of(x, imaginary, &x_part), st, done);
    MNP_TRY_OR(part_of(y, imaginary, &y_part), st, done);
    MNP_TRY_OR(mnp__array_assign(x_part, from), st, done);
    MNP_TRY_OR(by->apply(by->data, adjoint, from, to), st, done);
    st = mnp__array_assign(to, y_part);
done:
    mnp_array_free(y_part);
    mnp_array_free(x_part);
    return st;
}

mnp_status mnp__conversion_open(mnp_ctx *ctx, mnp_dtype dtype, const mnp_layout *x_layout, const mnp_layout *y_layout,
                                mnp__conversion *conversion)
{
    mnp_status st = mnp__vector_zeros(ctx, dtype, x_layout, &conversion->rooms[0]);
    if (st == MNP_OK)
        st = mnp__vector_zeros(ctx, dtype, y_layout, &conversion->rooms[1]);
    if (st != MNP_OK)
        mnp__conversion_close(conversion);
    return st;
}

void mnp__conversion_close(mnp__conversion *conversion)
{
    for (int i = 0; i < 2; i++) {
        mnp_array_free(conversion->rooms[i]);
        conversion->rooms[i] = NULL;
    }
}

mnp_status mnp__conversion_apply(const mnp__conversion *by, bool adjoint, const mnp_array *x, mnp_array *y)
{
    mnp_array *from = by->rooms[adjoint ? 1 : 0], *to = by->rooms[adjoint ? 0 : 1];
    if (mnp_dtype_kind(x->dtype) != mnp_dtype_kind(from->dtype)) {
        MNP_TRY(apply_to_part(by, adjoint, false, x, y));
        return apply_to_part(by, adjoint, true, x, y);
    }
    MNP_TRY(mnp__array_assign(x, from));
    MNP_TRY(by->apply(by->data, adjoint, from, to));
    return mnp__array_assign(to, y);
}

/* ---- operators ---- */

static mnp_status apply_own(const void *data, bool adjoint, const mnp_array *x, mnp_array *y)
{
    return mnp__operator_apply(data, adjoint, x, y);
}

static mnp_status converted_apply(const mnp_operator *op, bool adjoint, const mnp_array *x, mnp_array *y)
{
    return mnp__conversion_apply(op->data, adjoint, x, y);
}

static void converted_free(mnp_operator *op)
{
    if (op->data)
        mnp__conversion_close(op->data);
    free(op->data);
}

static const mnp__operator_ops converted_ops = {
    .what = "an operator of another dtype", .apply = converted_apply, .free = converted_free};

static mnp_status convert(const mnp_operator *op, mnp_operator *wide)
{
    mnp__conversion *by = NULL;
    MNP_TRY(MNP_AGREE(op->ctx, mnp__calloc(1, sizeof *by, &by)));
    wide->data = by;
    by->apply = apply_own;
    by->data = op;
    return mnp__conversion_open(op->ctx, op->dtype, op->column_layout, op->row_layout, by);
}

mnp_status mnp__operator_in_dtype(const mnp_operator *op, mnp_dtype dtype, mnp_operator **made_p)
{
    mnp_operator *wide = NULL;
    *made_p = NULL;
    if (dtype == op->dtype)
        return MNP_OK;
    const mnp__operator_ops *ops = op->matrix ? op->ops : &converted_ops;
    MNP_TRY(mnp__operator_new(op->ctx, dtype, op->row_layout, op->column_layout, ops, &wide));
    wide->matrix = op->matrix;
    wide->has_adjoint = op->has_adjoint;
    wide->enqueues = op->enqueues;
    const mnp_status st = op->matrix ? MNP_OK : convert(op, wide);
    if (st == MNP_OK)
        *made_p = wide;
    else
        mnp_operator_free(wide);
    return st;
}
