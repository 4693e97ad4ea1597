/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Medians and quantiles: lines are sorted, and two neighbours of each sorted line are taken and interpolated.  In long
 * lines, and on the host in all lines that are whole on a rank, only the neighbours are found, by selection, unless
 * they are many or differ from line to line.
 *
 * The axes are merged to one, which mnp_sort() sorts, NaN last.  Where all elements count, the neighbours have the same
 * index in every line, and are slices; where the axis is cut, reducing such a slice along it gives the result the
 * layout of a reduction's.  Where NaN are left out, lines differ in their number of elements, and so do the neighbours'
 * indices: they are computed on the CPU, from the counts of this rank's lines, and taken along the axis.
 */
#include <maniple/statistics.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <maniple/create.h>
#include <maniple/eval.h>
#include <maniple/join.h>
#include <maniple/select.h>
#include <maniple/sort.h>
#include <maniple/ufunc.h>
#include <maniple/view.h>

#include "array/output.h"
#include "array/view.h"
#include "base/dtype.h"
#include "base/text.h"
#include "layout/layout.h"
#include "ops/reduction/reduction.h"
#include "ops/sort/select.h"
#include "ops/statistics/quantile_methods.h"

/* ---- the state of a call ---- */

typedef struct call {
    const char *function; /* "mnp_quantile" */
    const mnp_array *x;
    const mnp_axes *axes;
    const mnp__quantile_method *method;
    bool skips_nan;
    bool many;       /* results are along a new first dimension, and have float64, as NumPy's for an array of q */
    int count;       /* of q */
    const double *q; /* each from 0 to 1 */
    unsigned mask;   /* the axes, as bits */
    mnp_dtype type;  /* of the result */
    int ndim;        /* of its shape */
    int64_t shape[MNP_MAX_DIMS + 1];
    /* the state of the call */
    mnp_array *single;          /* x without what is repeated along the axes, or NULL: nothing is */
    int64_t repeats;            /* how often each of its elements counts */
    mnp_array *turned, *joined; /* this with the axes at the end, or NULL; and with these joined to one */
    const mnp_array *lines;
    int axis;           /* the axis of the lines to be sorted, */
    int64_t length;     /* and their length, with what is repeated */
    mnp_array *sorted;  /* the sorted lines; or of each only its elements at `positions`, which rise */
    int64_t *positions; /* NULL: all */
    int npositions;
    mnp_array *last;   /* the last element of each line: if it is NaN, so is the result; NULL if it cannot be */
    mnp_array *counts; /* if NaN are left out: how many elements each line has, with the axis */
} call;

static mnp_status check_options(const call *c)
{
    const mnp_axes *axes = c->axes;
    if (axes && (axes->dtype || axes->where || axes->initial))
        return MNP_FAIL(MNP_ERR_ARG, "%s: there is no %s", c->function,
                        axes->dtype   ? "dtype to choose"
                        : axes->where ? "where"
                                      : "initial");
    return MNP_OK;
}

/* The type of the result; not all types have one. */
static mnp_status choose_type(call *c)
{
    mnp_dtype own = c->x->dtype;
    char kind = mnp_dtype_kind(own);
    bool is_median = c->method->rule == MNP__QUANTILE_MIDDLE;
    if (kind == 'c' && !is_median)
        return MNP_FAIL(MNP_ERR_ARG, "%s: complex numbers have no quantiles, and x is %s", c->function,
                        mnp_dtype_name(own));
    if (kind == 'b' && !is_median && !mnp__quantile_takes_one(c->method))
        return MNP_FAIL(MNP_ERR_ARG, "%s: method '%s' goes between elements, and x is bool", c->function,
                        c->method->name);
    if (mnp__quantile_takes_one(c->method))
        c->type = own;
    else
        c->type = c->many || (kind != 'f' && kind != 'c') ? MNP_FLOAT64 : own;
    return MNP_OK;
}

static mnp_status choose_shape(call *c)
{
    const mnp_layout *layout = c->x->layout;
    bool keepdims = c->axes && c->axes->keepdims;
    c->ndim = 0;
    if (c->many)
        c->shape[c->ndim++] = c->count;
    for (int d = 0; d < layout->ndim; d++) {
        bool reduced = c->mask >> d & 1;
        if (!reduced || keepdims)
            c->shape[c->ndim++] = reduced ? 1 : layout->shape[d];
    }
    if (c->ndim > MNP_MAX_DIMS)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the result has %d dimensions, and %d are possible", c->function, c->ndim,
                        MNP_MAX_DIMS);
    return MNP_OK;
}

static mnp_status check(call *c, const mnp_array *out)
{
    MNP_TRY(mnp__array_check_blocks(c->function, c->x));
    MNP_TRY(check_options(c));
    MNP_TRY(mnp__reduction_axes(c->function, c->x->layout->ndim, c->axes, &c->mask));
    for (int i = 0; i < c->count; i++) {
        if (!(c->q[i] >= 0 && c->q[i] <= 1))
            return MNP_FAIL(MNP_ERR_ARG, "%s: a quantile is %g, and must be from 0 to 1 (a percentile: from 0 to 100)",
                            c->function, c->q[i]);
    }
    MNP_TRY(choose_type(c));
    MNP_TRY(choose_shape(c));
    const mnp__output_spec spec = {
        .function = c->function, .ctx = c->x->ctx, .dtype = c->type, .ndim = c->ndim, .shape = c->shape};
    return mnp__output_check(&spec, out);
}

/* ---- lines ---- */

/*
 * Whether an array's strides may decide how it is read.  Where several ranks have parts of it, these may differ.
 */
static bool has_one_part(const mnp_array *x)
{
    return x->ctx->comm.size == 1;
}

/* Leave out what broadcasting has repeated along the axes, which changes positions alone. */
static mnp_status drop_repeats(call *c)
{
    const mnp_array *x = c->x;
    mnp_subscript subscripts[MNP_MAX_DIMS];
    c->repeats = 1;
    for (int d = 0; d < x->layout->ndim; d++) {
        const bool known = x->repeated >> d & 1 || (x->local_strides[d] == 0 && has_one_part(x));
        const bool repeated = c->mask >> d & 1 && known && !c->skips_nan;
        subscripts[d] = repeated ? MNP_RANGE(0, 1) : MNP_ALL;
        c->repeats *= repeated ? x->layout->shape[d] : 1;
    }
    return c->repeats > 1 ? mnp_slice(x, x->layout->ndim, subscripts, &c->single) : MNP_OK;
}

/* x with the axes as one: as it is where that is one already, else the last of `joined`. */
static mnp_status join_axes(call *c)
{
    const mnp_array *x = c->single ? c->single : c->x;
    const mnp_layout *layout = x->layout;
    int order[MNP_MAX_DIMS], kept = 0, at = 0;
    int64_t shape[MNP_MAX_DIMS + 1];
    for (int d = 0; d < layout->ndim; d++) {
        if (c->mask >> d & 1) {
            c->axis = d;
        } else {
            shape[kept] = layout->shape[d];
            order[kept++] = d;
        }
    }
    c->lines = x;
    if (kept == layout->ndim - 1)
        return MNP_OK;
    c->axis = kept;
    shape[kept] = 1;
    for (int d = 0; d < layout->ndim; d++) {
        if (c->mask >> d & 1) {
            shape[kept] *= layout->shape[d];
            order[kept + at++] = d;
        }
    }
    if (has_one_part(x)) /* in which order elements are does not matter */
        mnp__order_by_strides(x, order + kept, at);
    MNP_TRY(mnp_transpose(x, order, &c->turned));
    MNP_TRY(mnp_reshape(c->turned, kept + 1, shape, &c->joined));
    c->lines = c->joined;
    return MNP_OK;
}

/* ---- positions ---- */

/* Where a position is among the sorted ones that there are so far: the first one that is not less. */
static int find_position(const call *c, int64_t at)
{
    int i = 0;
    while (i < c->npositions && c->positions[i] < at)
        i++;
    return i;
}

static void add_position(call *c, int64_t at)
{
    const int i = find_position(c, at);
    if (i < c->npositions && c->positions[i] == at)
        return;
    memmove(c->positions + i + 1, c->positions + i, (size_t)(c->npositions++ - i) * sizeof at);
    c->positions[i] = at;
}

/* List the positions that count in every line; the last one tells whether there is a NaN. */
static mnp_status list_positions(call *c)
{
    MNP_TRY(mnp__malloc((2 * (size_t)c->count + 1) * sizeof *c->positions, &c->positions));
    for (int i = 0; i < c->count; i++) {
        const mnp__quantile_position p = mnp__quantile_locate(c->method, c->length, c->q[i]);
        add_position(c, p.previous / c->repeats);
        add_position(c, p.next / c->repeats);
    }
    if (mnp__dtype_is_inexact(c->x->dtype))
        add_position(c, (c->length - 1) / c->repeats);
    return MNP_OK;
}

/* ---- lines in order ---- */

/* Element `at` of every line, without the axis: a view where the axis is not cut. */
static mnp_status take_slice(const call *c, int64_t at, mnp_array **result_p)
{
    mnp_subscript subscripts[MNP_MAX_DIMS];
    mnp_array *slice = NULL;
    const bool whole = mnp_layout_parts(c->sorted->layout, c->axis) == 1;
    at /= c->repeats;
    for (int d = 0; d < c->axis; d++)
        subscripts[d] = MNP_ALL;
    if (c->positions)
        at = find_position(c, at);
    subscripts[c->axis] = whole ? MNP_AT(at) : MNP_RANGE(at, at + 1);
    if (whole)
        return mnp_slice(c->sorted, c->axis + 1, subscripts, result_p);
    MNP_TRY(mnp_slice(c->sorted, c->axis + 1, subscripts, &slice));
    mnp_status st = mnp_max(slice, MNP_AXIS(c->axis), result_p);
    mnp_array_free(slice);
    return st;
}

static mnp_status sort_lines(call *c)
{
    char kind = mnp_dtype_kind(c->x->dtype);
    mnp_array *valid = NULL;
    MNP_TRY(drop_repeats(c));
    MNP_TRY(join_axes(c));
    const int64_t single = c->lines->layout->shape[c->axis];
    c->length = single * c->repeats;
    if (single > 1 && !c->skips_nan && mnp__select_pays(c->lines, c->axis, c->count))
        MNP_TRY(MNP_AGREE(c->x->ctx, list_positions(c)));
    if (c->positions && mnp__select_pays(c->lines, c->axis, c->npositions)) {
        MNP_TRY(mnp__select(c->lines, c->axis, c->npositions, c->positions, &c->sorted));
    } else {
        free(c->positions);
        c->positions = NULL;
        MNP_TRY(single == 1 ? mnp_slice(c->lines, 0, NULL, &c->sorted) : mnp_sort(c->lines, c->axis, &c->sorted));
    }
    if (kind != 'f' && kind != 'c')
        return MNP_OK;
    if (!c->skips_nan)
        return take_slice(c, c->length - 1, &c->last);
    MNP_TRY(mnp_equal(c->lines, c->lines, &valid));
    mnp_status st = mnp_count_nonzero(valid, MNP_REDUCE(.count = 1, .axes = {c->axis}, .keepdims = true), &c->counts);
    mnp_array_free(valid);
    return st;
}

/* Both neighbours, and where between them the result is: an array, or NULL for p->t everywhere. */
typedef struct neighbours {
    mnp_array *a, *b, *t;
    mnp__quantile_position p;
} neighbours;

static void free_neighbours(neighbours *n)
{
    mnp_free_all(n->a, n->b, n->t);
}

static mnp_status take_same(const call *c, double q, neighbours *n)
{
    n->p = mnp__quantile_locate(c->method, c->length, q);
    MNP_TRY(take_slice(c, n->p.previous, &n->a));
    return n->p.next == n->p.previous ? MNP_OK : take_slice(c, n->p.next, &n->b);
}

/* Element places[line] of every line, without the axis. */
static mnp_status take_places(const call *c, const mnp_array *places, mnp_array **result_p)
{
    mnp_array *taken = NULL;
    MNP_TRY(mnp_take_along_axis(c->sorted, places, c->axis, &taken));
    mnp_status st = mnp_max(taken, MNP_AXIS(c->axis), result_p);
    mnp_array_free(taken);
    return st;
}

/* The positions in this rank's lines, from their counts; for a line without elements they are those of NaN. */
static mnp_status fill_places(const call *c, double q, mnp_array *previous, mnp_array *next, mnp_array *t)
{
    size_t size = (size_t)c->counts->local_size + 1;
    int64_t *counts = malloc(size * sizeof *counts), *other = malloc(size * sizeof *other);
    double *between = malloc(size * sizeof *between);
    mnp_status st = counts && other && between ? MNP_OK : MNP_FAIL(MNP_ERR_MEMORY, "no memory on the host");
    if (st == MNP_OK)
        st = mnp_array_get_local(c->counts, counts);
    for (int64_t i = 0; i < c->counts->local_size && st == MNP_OK; i++) {
        mnp__quantile_position p = mnp__quantile_locate(c->method, counts[i], q);
        bool none = counts[i] == 0;
        counts[i] = none ? 0 : p.previous;
        other[i] = none ? 0 : p.next;
        between[i] = none ? 0 : p.t;
    }
    if (st == MNP_OK)
        st = mnp_array_set_local(previous, counts);
    if (st == MNP_OK)
        st = mnp_array_set_local(next, other);
    if (st == MNP_OK)
        st = mnp_array_set_local(t, between);
    free(counts);
    free(other);
    free(between);
    return st;
}

static mnp_status take_each(const call *c, double q, neighbours *n)
{
    mnp_array *previous = NULL, *next = NULL, *t = NULL;
    mnp_status st;
    MNP_TRY_OR(mnp_empty_like(c->counts, MNP_INT64, &previous), st, release);
    MNP_TRY_OR(mnp_empty_like(c->counts, MNP_INT64, &next), st, release);
    MNP_TRY_OR(mnp_empty_like(c->counts, MNP_FLOAT64, &t), st, release);
    MNP_TRY_OR(MNP_AGREE(c->x->ctx, fill_places(c, q, previous, next, t)), st, release);
    MNP_TRY_OR(take_places(c, previous, &n->a), st, release);
    MNP_TRY_OR(take_places(c, next, &n->b), st, release);
    st = mnp_max(t, MNP_AXIS(c->axis), &n->t);
release:
    mnp_free_all(previous, next, t);
    return st;
}

/* ---- results ---- */

/* The type in which the two middle elements are added: as numpy.mean has it. */
static mnp_dtype middle_type(mnp_dtype own)
{
    char kind = mnp_dtype_kind(own);
    return kind == 'c' ? own : kind != 'f' ? MNP_FLOAT64 : mnp_dtype_size(own) == 2 ? MNP_FLOAT32 : own;
}

/*
 * Between a and b, with t and u = 1 - t, as NumPy rounds it; but where only the difference overflows, the result does
 * not, as it does in NumPy.
 */
#define BETWEEN(t, u)                                                                                                  \
    "a*" u " + b*" t " if isinf(b - a) and isfinite(a) and isfinite(b) "                                               \
    "else b - (b - a)*" u " if t >= 0.5 else a + (b - a)*" t

static void write_value(const call *c, const neighbours *n, char *text, size_t size)
{
    const char *type = mnp_dtype_name(c->type);
    const char *wide = mnp_dtype_name(c->method->rule == MNP__QUANTILE_MIDDLE ? middle_type(c->x->dtype) : MNP_FLOAT64);
    if (c->method->rule == MNP__QUANTILE_MIDDLE && n->t)
        snprintf(text, size, "%s(a) if a == b else %s((%s(a) + %s(b))/2)", type, type, wide, wide);
    else if (c->method->rule == MNP__QUANTILE_MIDDLE && n->b)
        snprintf(text, size, "%s((%s(a) + %s(b))/2)", type, wide, wide);
    else if (c->method->rule == MNP__QUANTILE_MIDDLE || mnp__quantile_takes_one(c->method))
        snprintf(text, size, "%s(a)", type);
    else if (!n->t && !c->many)
        snprintf(text, size, BETWEEN("t", "u"));
    else
        snprintf(text, size, BETWEEN("%s(t)", "%s(1 - t)"), type, type, type, type);
}

static mnp_status interpolate(const call *c, const neighbours *n, mnp_array **result_p)
{
    mnp_ctx *ctx = c->x->ctx;
    char value[256], text[300];
    write_value(c, n, value, sizeof value);
    snprintf(text, sizeof text, c->last ? "m if isnan(m) else (%s)" : "%s", value);
    const mnp_array *t = n->t ? n->t : mnp_scalar_float(ctx, n->p.t);
    return mnp_eval(ctx, text,
                    MNP_IN("a", n->a, "b", n->b ? n->b : n->a, "t", t, "u", mnp_scalar_float(ctx, 1 - n->p.t), "m",
                           c->last ? c->last : n->a),
                    MNP_OUT("", result_p));
}

/* The result for one q, without the axes, to an array that is there or a new one. */
static mnp_status find_one(const call *c, double q, mnp_array **result_p)
{
    neighbours n = {NULL, NULL, NULL, {0, 0, 0}};
    mnp_status st = c->counts ? take_each(c, q, &n) : take_same(c, q, &n);
    if (st == MNP_OK)
        st = interpolate(c, &n, result_p);
    free_neighbours(&n);
    return st;
}

/* The results for all q, where one rank has them: to slices of one array. */
static mnp_status find_slices(const call *c, mnp_array **result_p)
{
    const mnp_layout *layout = c->lines->layout;
    int64_t shape[MNP_MAX_DIMS] = {c->count};
    mnp_array *results = NULL;
    int ndim = 1;
    for (int d = 0; d < layout->ndim; d++)
        if (d != c->axis)
            shape[ndim++] = layout->shape[d];
    mnp_status st = mnp_empty(c->x->ctx, c->type, ndim, shape, &results);
    for (int i = 0; i < c->count && st == MNP_OK; i++) {
        mnp_array *result = NULL;
        st = mnp_view(results, &result, MNP_AT(i));
        if (st == MNP_OK)
            st = find_one(c, c->q[i], &result);
        mnp_array_free(result);
    }
    if (st == MNP_OK)
        *result_p = results;
    else
        mnp_array_free(results);
    return st;
}

static mnp_status find_all(call *c, mnp_array **result_p)
{
    mnp_array **each;
    MNP_TRY(MNP_AGREE(c->x->ctx, mnp__calloc((size_t)c->count, sizeof(mnp_array *), &each)));
    mnp_status st = sort_lines(c);
    if (st == MNP_OK && c->many && has_one_part(c->x)) {
        free(each);
        return find_slices(c, result_p);
    }
    for (int i = 0; i < c->count && st == MNP_OK; i++)
        st = find_one(c, c->q[i], &each[i]);
    if (st == MNP_OK && c->many) {
        st = mnp_stack((const mnp_array *const *)each, c->count, 0, result_p);
    } else if (st == MNP_OK) {
        *result_p = each[0];
        each[0] = NULL;
    }
    for (int i = 0; i < c->count; i++)
        mnp_array_free(each[i]);
    free(each);
    return st;
}

/* The result of lines without elements is NaN, if its type has one; there may be no lines either. */
static mnp_status find_none(const call *c, mnp_array **result_p)
{
    char kind = mnp_dtype_kind(c->type);
    int64_t size = 1;
    mnp_array *wide = NULL;
    for (int d = 0; d < c->ndim; d++)
        size *= c->shape[d];
    if (size > 0 && kind != 'f' && kind != 'c')
        return MNP_FAIL(MNP_ERR_ARG, "%s: there are no elements, and %s has no NaN", c->function,
                        mnp_dtype_name(c->type));
    MNP_TRY(mnp_full(c->x->ctx, MNP_FLOAT64, c->ndim, c->shape, &(double){NAN}, &wide));
    mnp_status st = mnp_astype(wide, c->type, result_p);
    mnp_array_free(wide);
    return st;
}

/* Give the result its whole shape, and bring it to the output. */
static mnp_status deliver(const call *c, mnp_array *result, mnp_array **out_p)
{
    mnp_array *whole = NULL;
    mnp_status st = mnp_reshape(result, c->ndim, c->shape, &whole);
    mnp_array_free(result);
    return mnp__output_give(whole, st, out_p);
}

static mnp_status run(call *c, mnp_array **out_p)
{
    mnp_array *result = NULL;
    MNP_TRY(check(c, *out_p));
    bool nothing = mnp_layout_size(c->x->layout) == 0 || c->count == 0;
    mnp_status st = nothing ? find_none(c, &result) : find_all(c, &result);
    mnp_free_all(c->single, c->turned, c->joined, c->sorted, c->last, c->counts);
    free(c->positions);
    return st == MNP_OK ? deliver(c, result, out_p) : st;
}

/* Quantiles, or with `scale` of 100 percentiles. */
static mnp_status run_many(call *c, int count, const double *given, double scale, const char *name, mnp_array **out_p)
{
    double *q;
    c->many = true;
    c->count = count;
    if (count < 0)
        return MNP_FAIL(MNP_ERR_ARG, "%s: there are %d numbers in the list", c->function, count);
    MNP_TRY(mnp__quantile_find_method(c->function, name, &c->method));
    MNP_TRY(mnp__calloc((size_t)count + 1, sizeof *q, &q));
    for (int i = 0; i < count; i++)
        q[i] = given[i] / scale;
    c->q = q;
    mnp_status st = run(c, out_p);
    free(q);
    return st;
}

static mnp_status run_one(call *c, double q, const char *name, mnp_array **out_p)
{
    c->count = 1;
    c->q = &q;
    MNP_TRY(mnp__quantile_find_method(c->function, name, &c->method));
    return run(c, out_p);
}

static mnp_status run_median(call *c, mnp_array **out_p)
{
    c->count = 1;
    c->q = &(double){0.5};
    c->method = &mnp__quantile_median;
    return run(c, out_p);
}

#define MNP__DEFINE(prefix, skips)                                                                                     \
    mnp_status mnp_##prefix##median(const mnp_array *x, const mnp_axes *axes, mnp_array **out_p)                       \
    {                                                                                                                  \
        MNP_ENTER(x, out_p);                                                                                           \
        return run_median(&(call){"mnp_" #prefix "median", x, axes, .skips_nan = (skips)}, out_p);                     \
    }                                                                                                                  \
    mnp_status mnp_##prefix##quantile(const mnp_array *x, double q, const mnp_axes *axes, const char *method_name,     \
                                      mnp_array **out_p)                                                               \
    {                                                                                                                  \
        MNP_ENTER(x, out_p);                                                                                           \
        return run_one(&(call){"mnp_" #prefix "quantile", x, axes, .skips_nan = (skips)}, q, method_name, out_p);      \
    }                                                                                                                  \
    mnp_status mnp_##prefix##percentile(const mnp_array *x, double q, const mnp_axes *axes, const char *method_name,   \
                                        mnp_array **out_p)                                                             \
    {                                                                                                                  \
        MNP_ENTER(x, out_p);                                                                                           \
        return run_one(&(call){"mnp_" #prefix "percentile", x, axes, .skips_nan = (skips)}, q / 100, method_name,      \
                       out_p);                                                                                         \
    }                                                                                                                  \
    mnp_status mnp_##prefix##quantiles(const mnp_array *x, int count, const double *q, const mnp_axes *axes,           \
                                       const char *method_name, mnp_array **out_p)                                     \
    {                                                                                                                  \
        MNP_ENTER(x, out_p);                                                                                           \
        MNP_NEED_IF(count > 0, q);                                                                                     \
        return run_many(&(call){"mnp_" #prefix "quantiles", x, axes, .skips_nan = (skips)}, count, q, 1, method_name,  \
                        out_p);                                                                                        \
    }                                                                                                                  \
    mnp_status mnp_##prefix##percentiles(const mnp_array *x, int count, const double *q, const mnp_axes *axes,         \
                                         const char *method_name, mnp_array **out_p)                                   \
    {                                                                                                                  \
        MNP_ENTER(x, out_p);                                                                                           \
        MNP_NEED_IF(count > 0, q);                                                                                     \
        return run_many(&(call){"mnp_" #prefix "percentiles", x, axes, .skips_nan = (skips)}, count, q, 100,           \
                        method_name, out_p);                                                                           \
    }
MNP__DEFINE(, false)
MNP__DEFINE(nan, true)
