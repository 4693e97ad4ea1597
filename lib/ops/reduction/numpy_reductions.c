/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * NumPy's reductions.  A table says of which struct of kernels/reduction/reduce_ops.h each is made; a call finds the
 * reduction for its types, which the context keeps, and runs it.
 */
#include <maniple/reduce.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "array/output.h"
#include "array/view.h"
#include "base/dtype.h"
#include "base/hash.h"
#include "base/text.h"
#include "base/value.h"
#include "jit/jit.h"
#include "layout/layout.h"
#include "ops/elementwise/apply.h"
#include "ops/reduction/numpy_reductions.h"
#include "ops/elementwise/ufunc.h"

/* The type to which a function converts its elements; and the type of its result. */
enum rule {
    SUM,    /* integers as 64 bits; the same */
    MEAN,   /* floats; the same */
    SPREAD, /* floats; real */
    SAME,   /* as they are; the same */
    INDEX,  /* as they are; int64 */
    TRUTH,  /* as bool; bool */
    COUNT   /* as bool; int64 */
};

typedef struct mnp__reduce_function {
    const char *name; /* of the public function; expressions know it without mnp_ */
    enum rule rule;
    const char
        *op; /* its struct in kernels/reduction/reduce_ops.h; mnp_value is the type to which elements are converted,
                mnp_source that in memory */
    const char *op_masked; /* NULL, or the struct to use with a mask */
    const char *initial;   /* the function that adds an initial number to the result; NULL: none */
    const char
        *steady; /* replaces `op` for floats in the reproducible mode (kernels/reduction/reduce_binned.h); NULL: `op` */
    const char *steady_masked;
} function;

enum id {
    ID_SUM,
    ID_PROD,
    ID_NANSUM,
    ID_NANPROD,
    ID_MEAN,
    ID_VAR,
    ID_STD,
    ID_NANMEAN,
    ID_NANVAR,
    ID_NANSTD,
    ID_MAX,
    ID_MIN,
    ID_PTP,
    ID_NANMAX,
    ID_NANMIN,
    ID_ARGMAX,
    ID_ARGMIN,
    ID_NANARGMAX,
    ID_NANARGMIN,
    ID_ALL,
    ID_ANY,
    ID_COUNT_NONZERO,
    ID_AVERAGE /* takes two arrays and cannot be found by name, so it comes after the others */
};

static const function functions[] = {
    [ID_SUM] = {"mnp_sum", SUM, "mnp_reduce_sum<mnp_value, false, mnp_source>", NULL, "mnp_add",
                "mnp_binned_sum<mnp_value>", NULL},
    [ID_PROD] = {"mnp_prod", SUM, "mnp_reduce_prod<mnp_value>", NULL, "mnp_multiply", NULL, NULL},
    [ID_NANSUM] = {"mnp_nansum", SUM, "mnp_reduce_sum<mnp_value, true, mnp_source>", NULL, "mnp_add",
                   "mnp_binned_sum<mnp_value, true>", NULL},
    [ID_NANPROD] = {"mnp_nanprod", SUM, "mnp_reduce_prod<mnp_value, true>", NULL, "mnp_multiply", NULL, NULL},
    [ID_MEAN] = {"mnp_mean", MEAN, "mnp_reduce_mean<mnp_value, mnp_source>",
                 "mnp_reduce_mean_of_some<mnp_value, false>", NULL, "mnp_binned_mean<mnp_value>",
                 "mnp_binned_mean_of_some<mnp_value, false>"},
    [ID_VAR] = {"mnp_var", SPREAD, "mnp_reduce_var<mnp_value, false, false, mnp_source>", NULL, NULL,
                "mnp_binned_var<mnp_value, false, false>", NULL},
    [ID_STD] = {"mnp_std", SPREAD, "mnp_reduce_var<mnp_value, true, false, mnp_source>", NULL, NULL,
                "mnp_binned_var<mnp_value, true, false>", NULL},
    [ID_NANMEAN] = {"mnp_nanmean", MEAN, "mnp_reduce_mean_of_some<mnp_value, true>", NULL, NULL,
                    "mnp_binned_mean_of_some<mnp_value, true>", NULL},
    [ID_NANVAR] = {"mnp_nanvar", SPREAD, "mnp_reduce_var<mnp_value, false, true, mnp_source>", NULL, NULL,
                   "mnp_binned_var<mnp_value, false, true>", NULL},
    [ID_NANSTD] = {"mnp_nanstd", SPREAD, "mnp_reduce_var<mnp_value, true, true, mnp_source>", NULL, NULL,
                   "mnp_binned_var<mnp_value, true, true>", NULL},
    [ID_AVERAGE] = {"mnp_average", MEAN, "mnp_reduce_average<mnp_value>", NULL, NULL, "mnp_binned_average<mnp_value>",
                    NULL},
    [ID_MAX] = {"mnp_max", SAME, "mnp_reduce_extreme<mnp_value, true, false>", NULL, "mnp_maximum",
                "mnp_steady_extreme<mnp_value, true, false>", NULL},
    [ID_MIN] = {"mnp_min", SAME, "mnp_reduce_extreme<mnp_value, false, false>", NULL, "mnp_minimum",
                "mnp_steady_extreme<mnp_value, false, false>", NULL},
    [ID_PTP] = {"mnp_ptp", SAME, "mnp_reduce_ptp<mnp_value>", NULL, NULL, "mnp_steady_ptp<mnp_value>", NULL},
    [ID_NANMAX] = {"mnp_nanmax", SAME, "mnp_reduce_extreme<mnp_value, true, true>", NULL, "mnp_fmax",
                   "mnp_steady_extreme<mnp_value, true, true>", NULL},
    [ID_NANMIN] = {"mnp_nanmin", SAME, "mnp_reduce_extreme<mnp_value, false, true>", NULL, "mnp_fmin",
                   "mnp_steady_extreme<mnp_value, false, true>", NULL},
    [ID_ARGMAX] = {"mnp_argmax", INDEX, "mnp_reduce_index<mnp_value, true, false>", NULL, NULL, NULL, NULL},
    [ID_ARGMIN] = {"mnp_argmin", INDEX, "mnp_reduce_index<mnp_value, false, false>", NULL, NULL, NULL, NULL},
    [ID_NANARGMAX] = {"mnp_nanargmax", INDEX, "mnp_reduce_index<mnp_value, true, true>", NULL, NULL, NULL, NULL},
    [ID_NANARGMIN] = {"mnp_nanargmin", INDEX, "mnp_reduce_index<mnp_value, false, true>", NULL, NULL, NULL, NULL},
    [ID_ALL] = {"mnp_all", TRUTH, "mnp_reduce_truth<true>", NULL, NULL, NULL, NULL},
    [ID_ANY] = {"mnp_any", TRUTH, "mnp_reduce_truth<false>", NULL, NULL, NULL, NULL},
    [ID_COUNT_NONZERO] = {"mnp_count_nonzero", COUNT, "mnp_reduce_count", NULL, NULL, NULL, NULL},
};

static const char *bare_name(const function *f)
{
    return f->name + strlen("mnp_");
}

/* What a reduction depends on.  Keys are compared by their bytes. */
typedef struct key {
    /* dtypes of x, of its elements after conversion, and of the second array */
    unsigned char id, memory, type, beside;
    unsigned char pairs, masked,
        initial;                  /* whether there is a second array or a mask; the initial number's kind, or 0 */
    unsigned char result, stored; /* dtypes of the result and of the output */
} key;

/* ---- types ---- */

/* Choose the type to which elements are converted. */
static mnp_status choose_type(const function *f, mnp_dtype own, const char *wanted, mnp_dtype *type_p)
{
    mnp_dtype given = own;
    char kind = mnp_dtype_kind(own);
    if (wanted) {
        if (!mnp__reduce_has(f, MNP__REDUCE_DTYPE))
            return MNP_FAIL(MNP_ERR_ARG, "%s: there is no dtype to choose, and '%s' is given", f->name, wanted);
        MNP_TRY(mnp_dtype_parse(wanted, &given));
        if (f->rule != SUM && !mnp__dtype_is_inexact(given))
            return MNP_FAIL(MNP_ERR_ARG, "%s: the dtype is '%s', and must be of floats or complex numbers", f->name,
                            wanted);
    } else if (f->rule == SUM && !mnp__dtype_is_inexact(own)) {
        given = kind == 'u' ? MNP_UINT64 : MNP_INT64;
    } else if ((f->rule == MEAN || f->rule == SPREAD) && !mnp__dtype_is_inexact(own)) {
        given = MNP_FLOAT64;
    } else if (f->rule == TRUTH || f->rule == COUNT) {
        given = MNP_BOOL;
    }
    if (f == &functions[ID_PTP] && own == MNP_BOOL)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_ptp: bools have no difference");
    *type_p = given;
    return MNP_OK;
}

static mnp_dtype result_of(const function *f, mnp_dtype type)
{
    switch (f->rule) {
    case SPREAD:
        return mnp__dtype_real(type);
    case INDEX:
    case COUNT:
        return MNP_INT64;
    default:
        return type;
    }
}

/* ---- reductions ---- */

/* Bytes of an accumulator: the largest that the structs of kernels/reduction/reduce_ops.h need under that rule. */
static size_t accumulator_of(const function *f, mnp_dtype type)
{
    bool complex = mnp_dtype_kind(type) == 'c', exact = mnp__dtype_is_double(type);
    size_t sum = (complex ? 16 : 8) * (exact ? 2u : 1u);
    switch (f->rule) {
    case SUM:
        return f->op_masked ? sum + 8 : sum;
    case MEAN:
        return f == &functions[ID_AVERAGE] ? 2 * sum : sum + 8;
    case SPREAD:
        return complex ? 48 : 32;
    case SAME:
        return f == &functions[ID_PTP] && mnp_dtype_size(type) > 4 ? 2 * mnp_dtype_size(type) : complex ? 16 : 8;
    case INDEX:
        return mnp_dtype_size(type) > 8 ? 24 : 16;
    default:
        return 8;
    }
}

/* Whether the reproducible mode is on and has a struct of its own for this function and type. */
static bool is_steady(const mnp_ctx *ctx, const function *f, mnp_dtype type)
{
    return ctx->config.is_reproducible && f->steady && mnp__dtype_is_inexact(type);
}

/* Bytes of an accumulator of kernels/reduction/reduce_binned.h. */
static size_t steady_accumulator_of(const function *f, mnp_dtype type)
{
    bool complex = mnp_dtype_kind(type) == 'c', spread = f->rule == SPREAD, average = f == &functions[ID_AVERAGE];
    size_t bins = mnp__dtype_real(type) == MNP_FLOAT64 || spread || average ? 3 : type == MNP_FLOAT16 ? 1 : 2;
    size_t sum = (8 + 16 * bins) * (complex && !spread ? 2 : 1);
    return f->rule == SAME ? accumulator_of(f, type) : average ? 2 * sum : sum + 8;
}

bool mnp__reduce_maps(const mnp_ctx *ctx, const mnp__reduce_function *f, mnp_dtype type)
{
    return f->rule != SPREAD || !is_steady(ctx, f, type);
}

void mnp__reduce_describe(const mnp_ctx *ctx, const mnp__reduce_function *f, mnp_dtype type, bool masked,
                          mnp__reduction_spec *spec)
{
    bool steady = is_steady(ctx, f, type);
    const char *op = steady ? f->steady : f->op, *op_masked = steady ? f->steady_masked : f->op_masked;
    spec->name = bare_name(f);
    spec->op = masked && op_masked ? op_masked : op;
    if ((f->rule == SUM || f->rule == SAME) && type == MNP_BOOL) {
        const char *bare = bare_name(f) + (strncmp(bare_name(f), "nan", 3) == 0 ? 3 : 0);
        bool every = strcmp(bare, "prod") == 0 || strcmp(bare, "min") == 0;
        spec->op = every ? "mnp_reduce_truth<true>" : "mnp_reduce_truth<false>";
    }
    spec->accumulator = steady ? steady_accumulator_of(f, type) : accumulator_of(f, type);
    spec->looks = steady && f->rule != SAME;
    spec->steady = steady;
    spec->indices = spec->searches = f->rule == INDEX;
    spec->repeats = !steady && f != &functions[ID_PROD] && f != &functions[ID_NANPROD] && f != &functions[ID_AVERAGE];
    spec->leads = !steady && (f == &functions[ID_VAR] || f == &functions[ID_STD]);
    spec->adds = !steady && !masked && (f->rule == SUM || f == &functions[ID_MEAN]);
}

/* Whether the sets of a reduction may take elements as they are in memory: kernels/reduction/reduce_small.h. */
static bool are_small(const key *k)
{
    const enum rule rule = functions[k->id].rule;
    const char kind = mnp_dtype_kind((mnp_dtype)k->memory), type = mnp_dtype_kind((mnp_dtype)k->type);
    return (rule == SUM || rule == MEAN || rule == SPREAD) && !k->pairs && !k->masked && (kind == 'i' || kind == 'u') &&
           mnp_dtype_size((mnp_dtype)k->memory) <= 2 && (type != 'c' && mnp_dtype_size((mnp_dtype)k->type) >= 4);
}

static mnp_status build(mnp_ctx *ctx, const void *argument, mnp__reduction **reduction_p)
{
    const key *k = argument;
    const function *f = &functions[k->id];
    const char *carrier = k->initial == 'b'   ? "mnp_bool"
                          : k->initial == 'i' ? "int64_t"
                          : k->initial == 'f' ? "double"
                                              : "mnp_complex128";
    mnp__loop_operand operands[4];
    int ninputs = 0, mask = -1;
    char finish[160] = "";
    operands[ninputs++] = (mnp__loop_operand){"x", (mnp_dtype)k->type, (mnp_dtype)k->memory, false};
    if (k->pairs)
        operands[ninputs++] = (mnp__loop_operand){
            "beside", f->rule == SPREAD ? mnp__dtype_widest((mnp_dtype)k->type) : (mnp_dtype)k->type,
            (mnp_dtype)k->beside, false};
    if (k->masked) {
        mask = ninputs;
        operands[ninputs++] = (mnp__loop_operand){"where", MNP_BOOL, MNP_BOOL, false};
    }
    operands[ninputs] = (mnp__loop_operand){"result", (mnp_dtype)k->result, (mnp_dtype)k->stored, false};
    if (k->initial)
        snprintf(finish, sizeof finish,
                 "OUT(%d) = %s(OUT(%d), mnp_to<mnp_type%d>::from(mnp_from_words<%s>(p.initial)));", ninputs, f->initial,
                 ninputs, ninputs, carrier);
    mnp__reduction_spec spec = {
        .preamble = "", .finish = finish, .mask = mask, .ninputs = ninputs, .noutputs = 1, .operands = operands};
    mnp__reduce_describe(ctx, f, (mnp_dtype)k->type, k->masked, &spec);
    if (are_small(k)) {
        operands[0].type = operands[0].memory;
        spec.value = mnp__jit_type((mnp_dtype)k->type);
    }
    return mnp__reduction_new(ctx, &spec, reduction_p);
}

/* ---- what a call is about ---- */

mnp_status mnp__reduce_check_empty(const mnp__reduce_function *f, int ndim, const int64_t *shape, unsigned axes)
{
    bool nothing = false;
    for (int d = 0; d < ndim; d++)
        nothing = nothing || (axes >> d & 1 && shape[d] == 0);
    if (!nothing || (f->rule != SAME && f->rule != INDEX))
        return MNP_OK;
    mnp__text text = MNP__TEXT_EMPTY;
    mnp__text_add_shape(&text, ndim, shape);
    mnp_status st = MNP_FAIL(MNP_ERR_ARG, "%s: the array of shape %s has no elements to choose from", f->name,
                             mnp__text_string(&text));
    mnp__text_free(&text);
    return st;
}

/* Check that a mask can be broadcast to x, whose axes are the ones that are meant. */
static mnp_status check_shape_of_where(const function *f, const mnp_array *x, const mnp_array *where)
{
    const int x_ndim = x->layout->ndim;
    int64_t shape[MNP_MAX_DIMS];
    int ndim;
    MNP_TRY(mnp__broadcast_shapes(f->name, 2, (const mnp_array *const[]){x, where}, &ndim, shape));
    if (ndim == x_ndim && memcmp(shape, x->layout->shape, (size_t)ndim * sizeof *shape) == 0)
        return MNP_OK;
    char room[256];
    mnp__text text = MNP__TEXT_IN(room);
    mnp__text_add_shape(&text, where->layout->ndim, where->layout->shape);
    mnp__text_add(&text, " cannot be broadcast to x of shape ");
    mnp__text_add_shape(&text, x_ndim, x->layout->shape);
    const mnp_status st = MNP_FAIL(MNP_ERR_ARG, "%s: where of shape %s", f->name, mnp__text_string(&text));
    mnp__text_free(&text);
    return st;
}

static mnp_status check_where(const function *f, const mnp_array *x, const mnp_axes *axes)
{
    const mnp_array *where = axes ? axes->where : NULL;
    if (!where)
        return MNP_OK;
    if (mnp__array_is_scalar(where) || where->dtype != MNP_BOOL)
        return MNP_FAIL(MNP_ERR_ARG, "%s: where is %s%s, and must be an array of bool", f->name,
                        mnp__array_is_scalar(where) ? "a scalar of " : "", mnp_dtype_name(where->dtype));
    if (where->ctx != x->ctx)
        return MNP_FAIL(MNP_ERR_ARG, "%s: where belongs to another context", f->name);
    if (f->rule == SAME && !axes->initial)
        return MNP_FAIL(MNP_ERR_ARG, "%s: where may leave nothing to choose from: it needs %s", f->name,
                        f->initial ? "initial" : "all elements");
    return check_shape_of_where(f, x, where);
}

/* Check that the initial number can be converted to the result's type. */
static mnp_status check_initial(const function *f, mnp_dtype result, const mnp_array *initial)
{
    static const char order[] = "biufc";
    char kind = mnp_dtype_kind(result);
    if (!initial)
        return MNP_OK;
    if (!f->initial)
        return MNP_FAIL(MNP_ERR_ARG, "%s: there is no initial", f->name);
    if (!mnp__array_is_scalar(initial))
        return MNP_FAIL(MNP_ERR_ARG, "%s: initial is an array, and must be a number (MNP_SCALAR)", f->name);
    if (strchr(order, initial->weak) > strchr(order, kind))
        return MNP_FAIL(MNP_ERR_ARG, "%s: initial is %s, and the result is %s", f->name, mnp_dtype_name(initial->dtype),
                        mnp_dtype_name(result));
    int64_t value;
    memcpy(&value, mnp__scalar_value(initial), sizeof value);
    if (initial->weak == 'i' && !mnp__int_fits(value, result))
        return MNP_FAIL(MNP_ERR_ARG, "%s: initial is %" PRId64 ", which does not fit the result's %s", f->name, value,
                        mnp_dtype_name(result));
    return MNP_OK;
}

static mnp_status check_stored(const function *f, mnp_dtype result, const mnp_array *output, mnp_dtype *stored_p)
{
    *stored_p = output ? output->dtype : result;
    return mnp__output_check_cast(f->name, NULL, result, *stored_p);
}

/* ---- calls ---- */

/* Check the arguments of a call, and set the axes' bits in *mask_p. */
static mnp_status check(const function *f, const mnp_array *x, mnp_dtype result, const mnp_axes *axes, unsigned *mask_p)
{
    const mnp_array *initial = axes ? axes->initial : NULL;
    if (f->rule == INDEX && axes && axes->count > 1)
        return MNP_FAIL(MNP_ERR_ARG, "%s: %d axes are given, and it goes along one, or all", f->name, axes->count);
    if (f->rule == INDEX && axes && axes->count == MNP_NO_AXES)
        return MNP_FAIL(MNP_ERR_ARG, "%s: no axis is given, and it goes along one, or all", f->name);
    MNP_TRY(mnp__reduction_axes(f->name, x->layout->ndim, axes, mask_p));
    MNP_TRY(check_where(f, x, axes));
    MNP_TRY(check_initial(f, result, initial));
    return initial ? MNP_OK : mnp__reduce_check_empty(f, x->layout->ndim, x->layout->shape, *mask_p);
}

/* Run a reduction.  `beside` is NULL, weights or means; `result` is the type of results. */
static mnp_status reduce(enum id id, const mnp_array *x, const mnp_array *beside, mnp_dtype type, mnp_dtype result,
                         const mnp_axes *axes, mnp_array **out_p)
{
    const function *f = &functions[id];
    const mnp_array *inputs[3] = {x, beside}, *where = axes ? axes->where : NULL,
                    *initial = axes ? axes->initial : NULL;
    mnp_dtype stored;
    mnp__reduction *reduction;
    mnp__reduction_call call = {.function = f->name, .inputs = inputs, .outputs_p = (mnp_array * *[]){out_p}};
    MNP_TRY(check(f, x, result, axes, &call.axes));
    MNP_TRY(check_stored(f, result, *out_p, &stored));
    key k = {.id = (unsigned char)id,
             .memory = (unsigned char)x->dtype,
             .type = (unsigned char)type,
             .beside = beside ? (unsigned char)beside->dtype : 0,
             .pairs = beside != NULL,
             .masked = where != NULL,
             .initial = initial ? (unsigned char)initial->weak : 0,
             .result = (unsigned char)result,
             .stored = (unsigned char)stored};
    if (where)
        inputs[beside ? 2 : 1] = where;
    if (initial)
        memcpy(call.initial, mnp__scalar_value(initial), sizeof call.initial);
    call.keepdims = axes && axes->keepdims;
    call.ddof = axes ? axes->ddof : 0;
    const uint64_t hash = mnp__layout_hash(x->layout) + call.axes;
    MNP_TRY(mnp__check_same(&x->ctx->comm, f->name, mnp__hash(hash, &k, sizeof k)));
    MNP_TRY(mnp__reduction_get(x->ctx, build, &k, sizeof k, &reduction));
    return mnp__reduction_run(reduction, &call);
}

/* A variance in the reproducible mode takes two reductions: one for the mean, one for the deviations from it. */
static mnp_status spread(enum id id, const mnp_array *x, mnp_dtype type, const mnp_axes *axes, mnp_array **out_p)
{
    mnp_axes kept = axes ? *axes : (mnp_axes){.count = 0};
    mnp_dtype result = result_of(&functions[id], type), stored;
    mnp_array *mean = NULL;
    unsigned mask;
    kept.keepdims = true;
    MNP_TRY(check(&functions[id], x, result, axes, &mask));
    MNP_TRY(check_stored(&functions[id], result, *out_p, &stored));
    MNP_TRY(reduce(id == ID_NANVAR || id == ID_NANSTD ? ID_NANMEAN : ID_MEAN, x, NULL, type, mnp__dtype_widest(type),
                   &kept, &mean));
    mnp_status st = reduce(id, x, mean, type, result, axes, out_p);
    mnp_array_free(mean);
    return st;
}

static mnp_status call_one(enum id id, const mnp_array *x, const mnp_axes *axes, mnp_array **out_p)
{
    const function *f = &functions[id];
    mnp_dtype type = MNP_BOOL;
    MNP_TRY(mnp__array_check_blocks(f->name, x));
    MNP_TRY(choose_type(f, x->dtype, axes ? axes->dtype : NULL, &type));
    if (!mnp__reduce_maps(x->ctx, f, type))
        return spread(id, x, type, axes, out_p);
    return reduce(id, x, NULL, type, result_of(f, type), axes, out_p);
}

#define MNP__DEFINE(name, id)                                                                                          \
    mnp_status mnp_##name(const mnp_array *x, const mnp_axes *axes, mnp_array **out_p)                                 \
    {                                                                                                                  \
        MNP_ENTER(x, out_p);                                                                                           \
        return call_one(id, x, axes, out_p);                                                                           \
    }
MNP__DEFINE(sum, ID_SUM)
MNP__DEFINE(prod, ID_PROD)
MNP__DEFINE(nansum, ID_NANSUM)
MNP__DEFINE(nanprod, ID_NANPROD)
MNP__DEFINE(mean, ID_MEAN)
MNP__DEFINE(var, ID_VAR)
MNP__DEFINE(std, ID_STD)
MNP__DEFINE(nanmean, ID_NANMEAN)
MNP__DEFINE(nanvar, ID_NANVAR)
MNP__DEFINE(nanstd, ID_NANSTD)
MNP__DEFINE(max, ID_MAX)
MNP__DEFINE(min, ID_MIN)
MNP__DEFINE(amax, ID_MAX)
MNP__DEFINE(amin, ID_MIN)
MNP__DEFINE(ptp, ID_PTP)
MNP__DEFINE(nanmax, ID_NANMAX)
MNP__DEFINE(nanmin, ID_NANMIN)
MNP__DEFINE(argmax, ID_ARGMAX)
MNP__DEFINE(argmin, ID_ARGMIN)
MNP__DEFINE(nanargmax, ID_NANARGMAX)
MNP__DEFINE(nanargmin, ID_NANARGMIN)
MNP__DEFINE(all, ID_ALL)
MNP__DEFINE(any, ID_ANY)
MNP__DEFINE(count_nonzero, ID_COUNT_NONZERO)

/* ---- functions by their names ---- */

mnp_status mnp__reduce_call(const mnp__reduce_function *f, const mnp_array *x, const mnp_axes *axes, mnp_array **out_p)
{
    return call_one((enum id)(f - functions), x, axes, out_p);
}

const mnp__reduce_function *mnp__reduce_find(const char *name, size_t length)
{
    bool alias = length == 4 && (memcmp(name, "amax", 4) == 0 || memcmp(name, "amin", 4) == 0);
    for (int i = 0; i < ID_AVERAGE; i++) {
        const char *known = bare_name(&functions[i]);
        if (strlen(known) == length - alias && memcmp(known, name + alias, length - alias) == 0)
            return &functions[i];
    }
    return NULL;
}

const char *mnp__reduce_name(int i)
{
    return i < ID_AVERAGE ? bare_name(&functions[i]) : NULL;
}

bool mnp__reduce_has(const mnp__reduce_function *f, mnp__reduce_option option)
{
    switch (option) {
    case MNP__REDUCE_DTYPE:
        return f->rule == SUM || f->rule == MEAN || f->rule == SPREAD;
    case MNP__REDUCE_DDOF:
        return f->rule == SPREAD;
    case MNP__REDUCE_INITIAL:
        return f->initial != NULL;
    default:
        return f->rule == INDEX;
    }
}

mnp_status mnp__reduce_types(const mnp__reduce_function *f, mnp_dtype own, const char *wanted, mnp_dtype *type_p,
                             mnp_dtype *result_p)
{
    MNP_TRY(choose_type(f, own, wanted, type_p));
    *result_p = result_of(f, *type_p);
    return MNP_OK;
}

/* ---- means with weights ---- */

static mnp_status weights_differ(const mnp_array *x, const mnp_array *weights)
{
    mnp__text text = MNP__TEXT_EMPTY;
    mnp__text_add(&text, "mnp_average: the weights' shape is ");
    mnp__text_add_shape(&text, weights->layout->ndim, weights->layout->shape);
    mnp__text_add(&text, ", which is neither x's ");
    mnp__text_add_shape(&text, x->layout->ndim, x->layout->shape);
    mnp__text_add(&text, " nor that of the one axis to go along");
    mnp_status st = MNP_FAIL(MNP_ERR_ARG, "%s", mnp__text_string(&text));
    mnp__text_free(&text);
    return st;
}

/* Make weights broadcast with x: they stay as they are, or *view_p is a view of them along the axis they belong to. */
static mnp_status place_weights(const mnp_array *x, const mnp_array *weights, const mnp_axes *axes, mnp_array **view_p)
{
    const mnp_layout *own = weights->layout, *layout = x->layout;
    mnp__view_dim dims[MNP_MAX_DIMS];
    int axis, ndim = layout->ndim;
    if (mnp__layout_same_shape(own, layout))
        return MNP_OK;
    if (own->ndim != 1 || !axes || axes->count != 1)
        return weights_differ(x, weights);
    MNP_TRY(mnp__view_axis("mnp_average", ndim, axes->axes[0], &axis));
    if (own->shape[0] != layout->shape[axis])
        return weights_differ(x, weights);
    dims[0] = mnp__view_whole(weights, 0);
    for (int d = 1; d < ndim - axis; d++)
        dims[d] = (mnp__view_dim){.from = MNP__NEW_DIM, .extent = 1};
    return mnp__view_make(weights, ndim - axis, dims, NULL, view_p);
}

mnp_status mnp_average(const mnp_array *x, const mnp_array *weights, const mnp_axes *axes, mnp_array **out_p)
{
    MNP_ENTER(x, out_p);
    MNP_NEED_OR_NULL(weights);
    mnp_array *view = NULL;
    if (!weights)
        return call_one(ID_MEAN, x, axes, out_p);
    MNP_TRY(mnp__array_check_blocks("mnp_average", x));
    MNP_TRY(mnp__array_check_blocks("mnp_average", weights));
    if (weights->ctx != x->ctx)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_average: the weights belong to another context");
    if (axes && axes->dtype)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_average: there is no dtype to choose, and '%s' is given", axes->dtype);
    mnp_dtype type = mnp_dtype_promote(x->dtype, weights->dtype);
    if (!mnp__dtype_is_inexact(x->dtype))
        type = mnp_dtype_promote(type, MNP_FLOAT64);
    MNP_TRY(place_weights(x, weights, axes, &view));
    mnp_status st = reduce(ID_AVERAGE, x, view ? view : weights, type, type, axes, out_p);
    mnp_array_free(view);
    return st;
}
