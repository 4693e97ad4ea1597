/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * numpy.linalg.norm, allclose and array_equal: a few words of the language of mnp_eval(), which reads the elements
 * once.
 *
 * Norms that sum are computed in float64 and complex128, so squares of other types do not overflow.
 */
#include <maniple/eval.h>
#include <maniple/item.h>
#include <maniple/reduce.h>
#include <maniple/ufunc.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "array/input.h"
#include "array/output.h"
#include "base/dtype.h"
#include "base/text.h"
#include "layout/layout.h"
#include "ops/reduction/reduction.h"

/* ---- norms ---- */

/* What a call asks for. */
typedef struct request {
    const mnp_array *x;
    bool matrix, frobenius, keepdims;
    int rows, columns; /* the axes of a matrix, or those of a vector: the mask has them all */
    unsigned mask;
    double ord;
} request;

/* Read the order: NULL and 'fro' are the root of the sum of squares. */
static mnp_status parse_order(const char *ord, request *asked)
{
    char *end;
    asked->frobenius = !ord || strcmp(ord, "fro") == 0;
    asked->ord = 2;
    if (!asked->matrix && ord && asked->frobenius)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_norm: 'fro' is a norm of matrices, and needs two axes");
    if (asked->frobenius)
        return MNP_OK;
    if (strcmp(ord, "nuc") == 0)
        asked->ord = NAN;
    else if ((asked->ord = mnp__parse_number(ord, &end), end == ord || *end || isnan(asked->ord)))
        return MNP_FAIL(MNP_ERR_ARG,
                        "mnp_norm: the order is '%s', and neither a number nor 'inf', '-inf', 'fro', 'nuc'", ord);
    if (!asked->matrix)
        return isnan(asked->ord) ? MNP_FAIL(MNP_ERR_ARG, "mnp_norm: 'nuc' is a norm of matrices, and needs two axes")
                                 : MNP_OK;
    if (isnan(asked->ord) || fabs(asked->ord) == 2)
        return MNP_FAIL(
            MNP_ERR_UNSUPPORTED,
            "mnp_norm: the order '%s' of a matrix needs its singular values; mnp_matrix_norm() computes them", ord);
    if (fabs(asked->ord) != 1 && !isinf(asked->ord))
        return MNP_FAIL(MNP_ERR_ARG, "mnp_norm: there is no norm of matrices of order '%s'", ord);
    return MNP_OK;
}

/* Find which axes are meant, as NumPy does: all of them, flattened, if there is neither an axis nor an order. */
static mnp_status find_axes(const mnp_axes *axes, const char *ord, request *asked)
{
    const int ndim = asked->x->layout->ndim;
    MNP_TRY(mnp__reduction_axes("mnp_norm", ndim, axes, &asked->mask));
    if (axes && (axes->dtype || axes->where || axes->initial || axes->ddof != 0))
        return MNP_FAIL(MNP_ERR_ARG, "mnp_norm: of the options there is keepdims alone");
    asked->keepdims = axes && axes->keepdims;
    const bool all = !axes || axes->count == 0;
    const int count = all ? ndim : axes->count == MNP_NO_AXES ? 0 : axes->count;
    if (all && !ord)
        return MNP_OK;
    if (count != 1 && count != 2)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_norm: the norm is along %d axes, and must be along one or two", count);
    asked->matrix = count == 2;
    asked->rows = all ? 0 : (axes->axes[0] + ndim) % ndim;
    asked->columns = all ? 1 : count == 2 ? (axes->axes[1] + ndim) % ndim : 0;
    return MNP_OK;
}

static void add_axes(const request *asked, mnp__text *text)
{
    mnp__text_add(text, ", axis=(");
    for (int d = 0; d < asked->x->layout->ndim; d++) {
        if (asked->mask >> d & 1)
            mnp__text_add(text, "%d, ", d);
    }
    mnp__text_add(text, ")%s", asked->keepdims ? ", keepdims=True" : "");
}

/* Add a reduction along the axes, which 0-dimensional arrays do not have. */
static void add_reduction(const request *asked, const char *name, const char *of, mnp__text *text)
{
    mnp__text_add(text, "%s(%s", name, of);
    if (asked->mask)
        add_axes(asked, text);
    mnp__text_add(text, ")");
}

/* Sums of the absolute values along one axis of a matrix, and the extreme of those along the other. */
static void write_matrix_norm(const request *asked, const char *wide, mnp__text *text)
{
    char sums[80];
    snprintf(sums, sizeof sums, "sum(abs(%s(x)), axis=%d, keepdims=True)", wide,
             isinf(asked->ord) ? asked->columns : asked->rows);
    add_reduction(asked, asked->ord > 0 ? "max" : "min", sums, text);
}

static void write_norm(const request *asked, mnp_dtype result, mnp__text *text)
{
    const char *wide = mnp_dtype_kind(asked->x->dtype) == 'c' ? "complex128" : "float64";
    char of[64];
    mnp__text_add(text, "n = %s(", mnp_dtype_name(result));
    if (asked->frobenius || (asked->ord == 2 && !asked->matrix)) {
        snprintf(of, sizeof of, "abs2(%s(x))", wide);
        mnp__text_add(text, "sqrt(");
        add_reduction(asked, "sum", of, text);
        mnp__text_add(text, ")");
    } else if (asked->matrix) {
        write_matrix_norm(asked, wide, text);
    } else if (isinf(asked->ord)) {
        snprintf(of, sizeof of, "abs(%s(x))", mnp__dtype_is_inexact(asked->x->dtype) ? "" : wide);
        add_reduction(asked, asked->ord > 0 ? "max" : "min", of, text);
    } else if (asked->ord == 0) {
        add_reduction(asked, "sum", "x != 0", text);
    } else if (asked->ord == 1) {
        snprintf(of, sizeof of, "abs(%s(x))", wide);
        add_reduction(asked, "sum", of, text);
    } else {
        snprintf(of, sizeof of, "abs(%s(x))**p", wide);
        add_reduction(asked, "sum", of, text);
        mnp__text_add(text, "**(1/p)");
    }
    mnp__text_add(text, ")");
}

static mnp_dtype norm_type(mnp_dtype dtype)
{
    switch (mnp_dtype_kind(dtype)) {
    case 'c':
        return dtype == MNP_COMPLEX64 ? MNP_FLOAT32 : MNP_FLOAT64;
    case 'f':
        return dtype;
    default:
        return MNP_FLOAT64;
    }
}

mnp_status mnp_norm(const mnp_array *x, const char *ord, const mnp_axes *axes, mnp_array **out_p)
{
    MNP_ENTER(x, out_p);
    MNP_IN_BLOCKS(x);
    request asked = {.x = x};
    char room[256];
    mnp__text text = MNP__TEXT_IN(room);
    MNP_TRY(mnp__inputs_check("mnp_norm", 1, &x));
    MNP_TRY(find_axes(axes, ord, &asked));
    MNP_TRY(parse_order(ord, &asked));
    write_norm(&asked, norm_type(x->dtype), &text);
    mnp_status st = mnp__text_status(&text);
    if (st == MNP_OK)
        st = mnp_eval(x->ctx, text.data, MNP_IN("x", x, "p", mnp_scalar_float(x->ctx, asked.ord)), MNP_OUT("n", out_p));
    mnp__text_free(&text);
    return st == MNP_OK ? st : mnp__fail_context(st, "mnp_norm");
}

/* ---- comparisons of whole arrays ---- */

/* Whether a text of bools over x, y, r and a is true everywhere. */
static mnp_status is_true(const char *text, const mnp_array *x, const mnp_array *y, double rtol, double atol,
                          bool *answer_p)
{
    mnp_array *truth = NULL;
    MNP_TRY(mnp_eval(x->ctx, text,
                     MNP_IN("x", x, "y", y, "r", mnp_scalar_float(x->ctx, rtol), "a", mnp_scalar_float(x->ctx, atol)),
                     MNP_OUT("t", &truth)));
    mnp_status st = mnp_array_item(truth, MNP_BOOL, answer_p);
    mnp_array_free(truth);
    return st;
}

mnp_status mnp_allclose(const mnp_array *x, const mnp_array *y, double rtol, double atol, bool equal_nan, bool *close_p)
{
    MNP_ENTER(x, y, close_p);
    MNP_IN_BLOCKS(x);
    MNP_IN_BLOCKS(y);
    MNP_TRY(mnp__inputs_check("mnp_allclose", 1, &x));
    if (!mnp__array_is_scalar(y) && y->ctx != x->ctx)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_allclose: y belongs to another context");
    const mnp_status st =
        is_true(equal_nan ? "t = all(isclose(x, y, r, a) | (isnan(x) & isnan(y)))" : "t = all(isclose(x, y, r, a))", x,
                y, rtol, atol, close_p);
    return st == MNP_OK ? st : mnp__fail_context(st, "mnp_allclose");
}

mnp_status mnp_array_equal(const mnp_array *x, const mnp_array *y, bool equal_nan, bool *equal_p)
{
    MNP_ENTER(x, y, equal_p);
    MNP_IN_BLOCKS(x);
    MNP_IN_BLOCKS(y);
    MNP_TRY(mnp__inputs_check("mnp_array_equal", 2, (const mnp_array *[]){x, y}));
    const mnp_layout *own = x->layout, *other = y->layout;
    if (!mnp__layout_same_shape(own, other)) {
        *equal_p = false;
        return MNP_OK;
    }
    return is_true(equal_nan ? "t = all((x == y) | (isnan(x) & isnan(y)))" : "t = all(x == y)", x, y, 0, 0, equal_p);
}
