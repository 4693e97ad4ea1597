/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Methods of ufuncs: reduce, accumulate, reduceat and outer.  Functions that are associative are in a table, and their
 * methods are reductions and scans; for the others one thread takes the elements of a line in order.
 */
#include <maniple/ufunc_methods.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "array/input.h"
#include "array/output.h"
#include "array/view.h"
#include "base/text.h"
#include "layout/layout.h"
#include "ops/reduction/ufunc_reduce.h"
#include "ops/reduction/numpy_reductions.h"
#include "ops/scan/scan.h"
#include "ops/elementwise/ufunc.h"

/* Functions whose elements may be grouped in any way. */
static const struct joinable {
    const char *name;
    const char *reduces; /* NULL, or the function of maniple/reduce.h that is its reduction */
    const char *none;    /* C++: the result for no elements; NULL: an error */
} joinable[] = {
    {"add", "sum", "0"},
    {"multiply", "prod", "1"},
    {"maximum", "max", NULL},
    {"minimum", "min", NULL},
    {"fmax", "nanmax", NULL},
    {"fmin", "nanmin", NULL},
    {"logical_and", "all", "1"},
    {"logical_or", "any", "0"},
    {"logical_xor", NULL, "mnp_to<T>::from(0)"},
    {"bitwise_and", NULL, "mnp_to<T>::from(-1)"},
    {"bitwise_or", NULL, "mnp_to<T>::from(0)"},
    {"bitwise_xor", NULL, "mnp_to<T>::from(0)"},
    {"gcd", NULL, "mnp_to<T>::from(0)"},
    {"lcm", NULL, NULL},
    {"hypot", NULL, "mnp_to<T>::from(0)"},
    {"logaddexp", NULL, "mnp_bottom<T>()"},
    {"logaddexp2", NULL, "mnp_bottom<T>()"},
};

/* What a method's reduction depends on; compared by its bytes. */
typedef struct key {
    const mnp__ufunc *ufunc;
    const struct joinable *joins;           /* NULL: the order matters */
    mnp_dtype memory, type, result, stored; /* of x, of its elements after conversion, of the result, of the output */
    bool masked;
} key;

/* A call of a method. */
typedef struct method {
    const char *name; /* "mnp_ufunc_reduce" */
    const mnp__ufunc *ufunc;
    const struct joinable *joins;
} method;

static mnp_status find(const char *name, const char *ufunc, method *method_p)
{
    const mnp__ufunc *found = ufunc ? mnp__ufunc_find(ufunc, strlen(ufunc)) : NULL;
    if (!found)
        return MNP_FAIL(MNP_ERR_ARG, "%s: there is no function '%s'", name, ufunc ? ufunc : "");
    if (found->ninputs != 2 || found->noutputs != 1)
        return MNP_FAIL(MNP_ERR_ARG, "%s: %s takes %d and gives %d, and must take 2 and give 1", name, found->name,
                        found->ninputs, found->noutputs);
    *method_p = (method){name, found, NULL};
    for (size_t i = 0; i < sizeof joinable / sizeof *joinable; i++) {
        if (strcmp(joinable[i].name, found->name) == 0)
            method_p->joins = &joinable[i];
    }
    return MNP_OK;
}

/* ---- reductions ---- */

/* Find the function of maniple/reduce.h that is a method's reduction. */
static const mnp__reduce_function *reduction_of(const struct joinable *joins)
{
    return mnp__reduce_find(joins->reduces, strlen(joins->reduces));
}

static mnp_status build(mnp_ctx *ctx, const void *argument, mnp__reduction **reduction_p)
{
    const key *k = argument;
    mnp__loop_operand operands[3] = {{"x", k->type, k->memory, false}};
    mnp__text preamble = MNP__TEXT_EMPTY;
    int ninputs = 1;
    if (k->masked)
        operands[ninputs++] = (mnp__loop_operand){"where", MNP_BOOL, MNP_BOOL, false};
    operands[ninputs] = (mnp__loop_operand){"result", k->result, k->stored, false};
    mnp__reduction_spec spec = {.preamble = "",
                                .finish = "",
                                .mask = k->masked ? 1 : -1,
                                .ninputs = ninputs,
                                .noutputs = 1,
                                .operands = operands};
    if (k->joins && k->joins->reduces) {
        mnp__reduce_describe(ctx, reduction_of(k->joins), k->type, false, &spec);
        return mnp__reduction_new(ctx, &spec, reduction_p);
    }
    const char *none = k->joins && k->joins->none ? k->joins->none : "T{}";
    mnp__text_add(&preamble,
                  "struct mnp_step {\n"
                  "    template <typename T> static MNP_INLINE T of(T x, T y) { return mnp_%s(x, y); }\n"
                  "    template <typename T> static MNP_INLINE T none() { return %s; }\n};",
                  k->ufunc->name, none);
    spec.name = k->ufunc->name;
    spec.preamble = mnp__text_string(&preamble);
    spec.op = "mnp_reduce_step<mnp_value, mnp_step>";
    spec.accumulator = mnp_dtype_size(k->type) > 8 ? 24 : mnp_dtype_size(k->type) > 4 ? 16 : 8;
    mnp_status st = mnp__text_status(&preamble);
    if (st == MNP_OK)
        st = mnp__reduction_new(ctx, &spec, reduction_p);
    mnp__text_free(&preamble);
    return st;
}

/* Choose the type of elements after conversion and of the result.  `dtype`: NULL, or the type asked for. */
static mnp_status choose_types(const method *m, const mnp_array *x, const char *dtype, key *k)
{
    mnp_dtype own = x->dtype, loop[MNP__MAX_UFUNC_INPUTS], result[MNP__MAX_UFUNC_OUTPUTS];
    if (m->joins && m->joins->reduces)
        return mnp__reduce_types(reduction_of(m->joins), own, dtype, &k->type, &k->result);
    if (dtype)
        MNP_TRY(mnp_dtype_parse(dtype, &own));
    MNP_TRY(mnp__ufunc_resolve(m->ufunc, (const mnp__type[]){{own, 0}, {own, 0}}, loop, result));
    if (loop[0] != loop[1] || loop[0] != result[0])
        return MNP_FAIL(MNP_ERR_ARG, "%s: %s takes %s and %s and gives %s, which must be the same", m->name,
                        m->ufunc->name, mnp_dtype_name(loop[0]), mnp_dtype_name(loop[1]), mnp_dtype_name(result[0]));
    k->type = k->result = loop[0];
    return MNP_OK;
}

static mnp_status get_reduction(const method *m, const mnp_array *x, const char *dtype, bool masked,
                                const mnp_array *out, mnp__reduction **reduction_p)
{
    key k;
    memset(&k, 0, sizeof k); /* the padding is hashed too */
    k.ufunc = m->ufunc;
    k.joins = m->joins;
    k.memory = x->dtype;
    k.masked = masked;
    MNP_TRY(choose_types(m, x, dtype, &k));
    k.stored = out ? out->dtype : k.result;
    MNP_TRY(mnp__output_check_cast(m->name, NULL, k.result, k.stored));
    return mnp__reduction_get(x->ctx, build, &k, sizeof k, reduction_p);
}

/* ---- reduce ---- */

static mnp_status check_reduce(const method *m, const mnp_array *x, const mnp_axes *axes, unsigned mask)
{
    const mnp_array *where = axes ? axes->where : NULL;
    bool has_none = m->joins && m->joins->none, nothing = false, results = true;
    int count = 0;
    for (int d = 0; d < x->layout->ndim; d++) {
        count += (mask >> d & 1) != 0;
        nothing = nothing || (mask >> d & 1 && x->layout->shape[d] == 0);
        results = results && (mask >> d & 1 || x->layout->shape[d] > 0);
    }
    if (axes && axes->initial)
        return MNP_FAIL(MNP_ERR_ARG, "%s: %s has no initial here", m->name, m->ufunc->name);
    if (where && (mnp__array_is_scalar(where) || where->dtype != MNP_BOOL || where->ctx != x->ctx))
        return MNP_FAIL(MNP_ERR_ARG, "%s: where is of %s, and must be an array of bool of the same context", m->name,
                        mnp_dtype_name(where->dtype));
    if (!m->joins && count > 1)
        return MNP_FAIL(MNP_ERR_ARG, "%s: %s goes along one axis in the order of the elements, and %d are given",
                        m->name, m->ufunc->name, count);
    if (!has_none && (where || (nothing && results)))
        return MNP_FAIL(MNP_ERR_ARG, "%s: %s of no elements has no value: there is no identity%s", m->name,
                        m->ufunc->name, where ? ", which where needs" : "");
    return MNP_OK;
}

/* Reduce along one axis in order; without an axis along a new one, of extent 1, which gives every element itself. */
static mnp_status reduce_in_order(const method *m, mnp__reduction *reduction, const mnp_array *x, const mnp_axes *axes,
                                  unsigned mask, mnp_array **out_p)
{
    const int ndim = x->layout->ndim;
    int axis = 0;
    mnp_array *lines = NULL;
    while (axis < ndim && !(mask >> axis & 1))
        axis++;
    mnp__ufunc_reduce call = {.function = m->name,
                              .x = x,
                              .axis = axis,
                              .ordered = true,
                              .segments = 1,
                              .drop = !(axes && axes->keepdims),
                              .out_p = out_p};
    if (axis < ndim)
        return mnp__ufunc_reduce_run(reduction, &call);
    MNP_TRY(mnp_expand_dims(x, 1, &axis, &lines));
    call.x = lines;
    call.drop = true;
    mnp_status st = mnp__ufunc_reduce_run(reduction, &call);
    mnp_array_free(lines);
    return st;
}

mnp_status mnp_ufunc_reduce(const char *ufunc, const mnp_array *x, const mnp_axes *axes, mnp_array **out_p)
{
    MNP_ENTER(ufunc, x, out_p);
    static const char name[] = "mnp_ufunc_reduce";
    const mnp_array *where = axes ? axes->where : NULL;
    mnp__reduction *reduction;
    unsigned mask;
    method m;
    MNP_TRY(find(name, ufunc, &m));
    MNP_TRY(mnp__inputs_check(name, 1, &x));
    if (m.joins && m.joins->reduces)
        return mnp__reduce_call(reduction_of(m.joins), x, axes, out_p);
    MNP_TRY(mnp__reduction_axes(name, x->layout->ndim, axes, &mask));
    MNP_TRY(check_reduce(&m, x, axes, mask));
    MNP_TRY(get_reduction(&m, x, axes ? axes->dtype : NULL, where != NULL, *out_p, &reduction));
    if (!m.joins)
        return reduce_in_order(&m, reduction, x, axes, mask, out_p);
    const mnp_array *inputs[] = {x, where};
    const mnp__reduction_call call = {.function = name,
                                      .inputs = inputs,
                                      .outputs_p = (mnp_array * *[]){out_p},
                                      .axes = mask,
                                      .keepdims = axes && axes->keepdims};
    return mnp__reduction_run(reduction, &call);
}

/* ---- accumulate and reduceat ---- */

mnp_status mnp_ufunc_accumulate(const char *ufunc, const mnp_array *x, int axis, mnp_array **out_p)
{
    MNP_ENTER(ufunc, x, out_p);
    static const char name[] = "mnp_ufunc_accumulate";
    mnp__reduction *reduction;
    method m;
    MNP_TRY(find(name, ufunc, &m));
    MNP_TRY(mnp__inputs_check(name, 1, &x));
    MNP_TRY(mnp__view_axis(name, x->layout->ndim, axis, &axis));
    MNP_TRY(get_reduction(&m, x, NULL, false, *out_p, &reduction));
    if (m.joins)
        return mnp__scan_run(
            reduction, &(mnp__scan_call){.function = name, .x = x, .axis = axis, .keeps_first = true, .out_p = out_p});
    return mnp__ufunc_reduce_run(
        reduction, &(mnp__ufunc_reduce){.function = name, .x = x, .axis = axis, .ordered = true, .out_p = out_p});
}

mnp_status mnp_ufunc_reduceat(const char *ufunc, const mnp_array *x, int64_t count, const int64_t *indices, int axis,
                              mnp_array **out_p)
{
    MNP_ENTER(ufunc, x, out_p);
    MNP_NEED_IF(count > 0, indices);
    static const char name[] = "mnp_ufunc_reduceat";
    mnp__reduction *reduction;
    method m;
    MNP_TRY(find(name, ufunc, &m));
    MNP_TRY(mnp__inputs_check(name, 1, &x));
    MNP_TRY(mnp__view_axis(name, x->layout->ndim, axis, &axis));
    if (count < 1)
        return MNP_FAIL(MNP_ERR_ARG, "%s: there are %" PRId64 " indices, and one is needed at least", name, count);
    for (int64_t i = 0; i < count; i++) {
        if (indices[i] < 0 || indices[i] >= x->layout->shape[axis])
            return MNP_FAIL(MNP_ERR_ARG,
                            "%s: indices[%" PRId64 "] is %" PRId64 ", outside dimension %d of %" PRId64 " elements",
                            name, i, indices[i], axis, x->layout->shape[axis]);
    }
    MNP_TRY(get_reduction(&m, x, NULL, false, *out_p, &reduction));
    return mnp__ufunc_reduce_run(reduction, &(mnp__ufunc_reduce){.function = name,
                                                                 .x = x,
                                                                 .axis = axis,
                                                                 .ordered = !m.joins,
                                                                 .segments = count,
                                                                 .indices = indices,
                                                                 .out_p = out_p});
}

/* ---- outer ---- */

mnp_status mnp_ufunc_outer(const char *ufunc, const mnp_array *x, const mnp_array *y, mnp_array **out_p)
{
    MNP_ENTER(ufunc, x, y, out_p);
    static const char name[] = "mnp_ufunc_outer";
    mnp_array *view = NULL;
    int ndim, more;
    method m;
    MNP_TRY(find(name, ufunc, &m));
    ndim = x->layout->ndim;
    more = y->layout->ndim;
    if (ndim + more > MNP_MAX_DIMS)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the result would have %d dimensions, more than %d", name, ndim + more,
                        MNP_MAX_DIMS);
    if (ndim > 0 && more > 0) {
        mnp__view_dim dims[MNP_MAX_DIMS];
        for (int d = 0; d < ndim + more; d++)
            dims[d] = d < ndim ? mnp__view_whole(x, d) : (mnp__view_dim){.from = MNP__NEW_DIM, .extent = 1};
        MNP_TRY(mnp__view_make(x, ndim + more, dims, NULL, &view));
    }
    mnp_status st = mnp__ufunc_call(name, m.ufunc, (const mnp_array *[]){view ? view : x, y}, (mnp_array * *[]){out_p});
    mnp_array_free(view);
    return st;
}
