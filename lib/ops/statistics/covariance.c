/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Covariances and correlations, by an expression (ops/expression/eval_program.h): what has to be computed for a pair of
 * variables is a reduction along the observations of two views of the matrix, turned so that the variables of one lie
 * along rows of the result, those of the other along its columns.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <maniple/array.h>
#include <maniple/create.h>
#include <maniple/eval.h>
#include <maniple/item.h>
#include <maniple/join.h>
#include <maniple/statistics.h>

#include "array/output.h"
#include "array/view.h"
#include "base/text.h"
#include "layout/layout.h"

/* ---- the matrix ---- */

static mnp_status check_matrix(const char *function, const char *name, const mnp_array *x)
{
    MNP_TRY(mnp__array_check_blocks(function, x));
    if (x->layout->ndim > 2)
        return MNP_FAIL(MNP_ERR_ARG, "%s: %s has %d dimensions, and may have 2", function, name, x->layout->ndim);
    return MNP_OK;
}

/* A view whose rows are variables: an array of one dimension is one, of none one of a single observation. */
static mnp_status view_rows(const mnp_array *x, bool turned, mnp_array **view_p)
{
    const mnp__view_dim one = {.from = MNP__NEW_DIM, .extent = 1};
    int ndim = x->layout->ndim;
    mnp__view_dim dims[2] = {one, one};
    if (ndim > 0)
        dims[1] = mnp__view_whole(x, ndim - 1);
    if (ndim == 2)
        dims[0] = mnp__view_whole(x, 0);
    const mnp__view_dim turned_dims[2] = {dims[1], dims[0]};
    return mnp__view_make(x, 2, turned ? turned_dims : dims, NULL, view_p);
}

/* All variables as rows, those of y below those of x: a view, or a new array. */
static mnp_status join_rows(const char *function, const mnp_array *x, const mnp_array *y, bool columns,
                            mnp_array **rows_p)
{
    mnp_array *above = NULL, *below = NULL;
    MNP_TRY(view_rows(x, columns && x->layout->ndim == 2, &above));
    if (!y || above->layout->shape[0] == 0) {
        *rows_p = above;
        return MNP_OK;
    }
    /* A single row of y is one variable, also if columns are variables, as in NumPy */
    mnp_status st = view_rows(y, columns && y->layout->ndim == 2 && y->layout->shape[0] != 1, &below);
    if (st == MNP_OK && above->layout->shape[1] != below->layout->shape[1])
        st = MNP_FAIL(MNP_ERR_ARG, "%s: there are %" PRId64 " observations, and %" PRId64 " in y", function,
                      above->layout->shape[1], below->layout->shape[1]);
    if (st == MNP_OK)
        st = mnp_concatenate(MNP_LIST(above, below), 0, rows_p);
    mnp_array_free(above);
    mnp_array_free(below);
    return st;
}

/* Variables along dimension `along` of three, or along none where there is one alone; observations are the last. */
static mnp_status turn_rows(const mnp_array *rows, int along, mnp_array **view_p)
{
    mnp__view_dim dims[3];
    if (rows->layout->shape[0] == 1) {
        dims[0] = mnp__view_whole(rows, 1);
        return mnp__view_make(rows, 1, dims, (const int64_t[2]){0, 0}, view_p);
    }
    dims[along] = mnp__view_whole(rows, 0);
    dims[1 - along] = (mnp__view_dim){.from = MNP__NEW_DIM, .extent = 1};
    dims[2] = mnp__view_whole(rows, 1);
    return mnp__view_make(rows, 3, dims, NULL, view_p);
}

/* ---- types and weights ---- */

static mnp_status choose_dtype(const char *function, const mnp_array *x, const mnp_array *y, const char *wanted,
                               mnp_dtype *dtype_p)
{
    mnp_dtype dtype = mnp_dtype_promote(x->dtype, MNP_FLOAT64);
    if (y)
        dtype = mnp_dtype_promote(dtype, y->dtype);
    if (wanted)
        MNP_TRY(mnp_dtype_parse(wanted, &dtype));
    if (mnp_dtype_kind(dtype) != 'f' && mnp_dtype_kind(dtype) != 'c')
        return MNP_FAIL(MNP_ERR_ARG, "%s: the dtype is '%s', and must be of floats or complex numbers", function,
                        wanted);
    *dtype_p = dtype;
    return MNP_OK;
}

/* Weights are one number for every observation, and none is negative, for which values have to be read. */
static mnp_status check_weights(const mnp_array *rows, const char *name, const mnp_array *weights, const char *kinds)
{
    mnp_array *negative = NULL;
    bool wrong = false;
    int64_t count = rows->layout->shape[1];
    if (!weights)
        return MNP_OK;
    MNP_TRY(mnp__array_check_blocks("mnp_cov", weights));
    if (weights->layout->ndim != 1 || weights->layout->shape[0] != count) {
        mnp__text text = MNP__TEXT_EMPTY;
        mnp__text_add_shape(&text, weights->layout->ndim, weights->layout->shape);
        mnp_status st = MNP_FAIL(MNP_ERR_ARG, "mnp_cov: the shape of %s is %s, and there are %" PRId64 " observations",
                                 name, mnp__text_string(&text), count);
        mnp__text_free(&text);
        return st;
    }
    if (!strchr(kinds, mnp_dtype_kind(weights->dtype)))
        return MNP_FAIL(MNP_ERR_ARG, "mnp_cov: %s are %s", name, mnp_dtype_name(weights->dtype));
    MNP_TRY(mnp_eval(rows->ctx, "any(w < 0)", MNP_IN("w", weights), MNP_OUT("", &negative)));
    mnp_status st = mnp_item(negative, &wrong);
    mnp_array_free(negative);
    if (st == MNP_OK && wrong)
        st = MNP_FAIL(MNP_ERR_ARG, "mnp_cov: %s cannot be negative", name);
    return st;
}

/* ---- covariances ---- */

/* Covariances of a and b, whose last dimension is the observations of a variable; sums are multiplied by r. */
static mnp_status multiply(const mnp_array *a, const mnp_array *b, mnp_dtype dtype, double r, mnp_array **out_p)
{
    const char *t = mnp_dtype_name(dtype);
    char text[320];
    snprintf(text, sizeof text,
             "p = mean(%s(a), axis=-1, keepdims=True); q = mean(%s(b), axis=-1, keepdims=True);"
             "c = sum((%s(a) - p) * conj(%s(b) - q), axis=-1) * r",
             t, t, t, t);
    return mnp_eval(a->ctx, text, MNP_IN("a", a, "b", b, "r", mnp_scalar_float(a->ctx, r)), MNP_OUT("c", out_p));
}

/* The same with weights: f are counts, v any numbers; either may be NULL. */
static mnp_status multiply_weighted(const mnp_array *a, const mnp_array *b, mnp_dtype dtype, const mnp_array *f,
                                    const mnp_array *v, int ddof, mnp_array **out_p)
{
    const char *t = mnp_dtype_name(dtype);
    char text[640];
    snprintf(text, sizeof text,
             "w = %s; s = sum(w); d = s - ddof%s;"
             "p = sum(%s(a) * w, axis=-1, keepdims=True) / s; q = sum(%s(b) * w, axis=-1, keepdims=True) / s;"
             "c = sum(%s(%s(a) - p) * conj(%s(%s(b) - q) * w), axis=-1) * (1 / d if d > 0 else inf)",
             f && v ? "float64(f) * float64(v)"
             : f    ? "float64(f)"
                    : "float64(v)",
             v && ddof ? " * sum(w * v) / s" : "", t, t, t, t, t, t);
    mnp_input inputs[6] = {{"a", a}, {"b", b}, {"ddof", mnp_scalar_int(a->ctx, ddof)}};
    int count = 3;
    if (f)
        inputs[count++] = (mnp_input){"f", f};
    if (v)
        inputs[count++] = (mnp_input){"v", v};
    return mnp_eval(a->ctx, text, inputs, MNP_OUT("c", out_p));
}

static mnp_status covariances(const mnp_array *rows, mnp_dtype dtype, const mnp_cov_options *options, mnp_array **out_p)
{
    mnp_array *a = NULL, *b = NULL;
    int ddof = options->ddof != 0 ? options->ddof : !options->bias;
    double freedom = (double)(rows->layout->shape[1] - ddof);
    MNP_TRY(check_weights(rows, "fweights", options->fweights, "biu"));
    MNP_TRY(check_weights(rows, "aweights", options->aweights, "biuf"));
    mnp_status st = turn_rows(rows, 0, &a);
    if (st == MNP_OK)
        st = turn_rows(rows, 1, &b);
    if (st == MNP_OK && (options->fweights || options->aweights))
        st = multiply_weighted(a, b, dtype, options->fweights, options->aweights, ddof, out_p);
    else if (st == MNP_OK)
        st = multiply(a, b, dtype, freedom > 0 ? 1 / freedom : INFINITY, out_p);
    mnp_array_free(a);
    mnp_array_free(b);
    return st;
}

/* The output of so many variables: a number of one, else a square matrix. */
static mnp_status check_output(const char *function, mnp_ctx *ctx, int64_t count, mnp_dtype dtype,
                               const mnp_array *output)
{
    const mnp__output_spec spec = {.function = function,
                                   .ctx = ctx,
                                   .dtype = dtype,
                                   .ndim = count == 1 ? 0 : 2,
                                   .shape = (int64_t[]){count, count}};
    return mnp__output_check(&spec, output);
}

/* `function` begins sentences. */
static mnp_status run(const char *function, const mnp_array *x, const mnp_array *y, const mnp_cov_options *options,
                      mnp_array **out_p)
{
    mnp_array *rows = NULL;
    mnp_dtype dtype = MNP_DTYPE_AUTO;
    MNP_TRY(check_matrix(function, "x", x));
    if (y)
        MNP_TRY(check_matrix(function, "y", y));
    if (y && y->ctx != x->ctx)
        return MNP_FAIL(MNP_ERR_ARG, "%s: y belongs to another context", function);
    MNP_TRY(choose_dtype(function, x, y, options->dtype, &dtype));
    MNP_TRY(join_rows(function, x, y, options->columns, &rows));
    mnp_status st = check_output(function, x->ctx, rows->layout->shape[0], dtype, *out_p);
    if (st == MNP_OK)
        st = covariances(rows, dtype, options, out_p);
    mnp_array_free(rows);
    return st;
}

mnp_status mnp_cov(const mnp_array *x, const mnp_array *y, const mnp_cov_options *options, mnp_array **out_p)
{
    MNP_ENTER(x, out_p);
    MNP_NEED_OR_NULL(y);
    static const mnp_cov_options usual;
    return run("mnp_cov", x, y, options ? options : &usual, out_p);
}

/* ---- correlations ---- */

/* Every covariance divided by both deviations, whose squares are the diagonal. */
static mnp_status normalise(const mnp_array *c, mnp_array **out_p)
{
    static const char real[] = "clip(c / sqrt(d) / sqrt(e), -1, 1)",
                      complex[] = "z = c / sqrt(d.real) / sqrt(e.real); clip(z.real, -1, 1) + clip(z.imag, -1, 1) * 1j";
    mnp_array *diagonal = NULL, *column = NULL;
    if (c->layout->ndim == 0)
        return mnp_eval(c->ctx, "c / c", MNP_IN("c", c), MNP_OUT("", out_p));
    mnp_status st = mnp_diagonal(c, 0, 0, 1, &diagonal);
    if (st == MNP_OK) {
        const mnp__view_dim dims[] = {mnp__view_whole(diagonal, 0), {.from = MNP__NEW_DIM, .extent = 1}};
        st = mnp__view_make(diagonal, 2, dims, NULL, &column);
    }
    if (st == MNP_OK)
        st = mnp_eval(c->ctx, mnp_dtype_kind(c->dtype) == 'c' ? complex : real,
                      MNP_IN("c", c, "d", column, "e", diagonal), MNP_OUT("", out_p));
    mnp_array_free(column);
    mnp_array_free(diagonal);
    return st;
}

mnp_status mnp_corrcoef(const mnp_array *x, const mnp_array *y, const mnp_cov_options *options, mnp_array **out_p)
{
    MNP_ENTER(x, out_p);
    MNP_NEED_OR_NULL(y);
    static const mnp_cov_options usual;
    const mnp_cov_options *given = options ? options : &usual;
    const mnp_cov_options taken = {.columns = given->columns, .dtype = given->dtype};
    mnp_array *c = NULL;
    if (given->bias || given->ddof || given->fweights || given->aweights)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_corrcoef: there are no weights, bias or ddof: those are for mnp_cov");
    MNP_TRY(run("mnp_corrcoef", x, y, &taken, &c));
    mnp_status st =
        check_output("mnp_corrcoef", c->ctx, c->layout->ndim == 0 ? 1 : c->layout->shape[0], c->dtype, *out_p);
    if (st == MNP_OK)
        st = normalise(c, out_p);
    mnp_array_free(c);
    return st;
}
