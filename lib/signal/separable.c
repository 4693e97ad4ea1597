/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Separable filters: the chain of passes, one or two of which are a step, and the arrays between steps.
 */
#include "signal/separable.h"

#include <stdlib.h>
#include <string.h>

#include "array/input.h"
#include "array/output.h"
#include "base/value.h"
#include "context/plan_cache.h"
#include "signal/direct.h"
#include "signal/fused.h"

enum { MAX_PASSES = 16 };

/* One kernel: a pass, or one or two that are fused. */
struct step {
    mnp__direct *direct;
    mnp__fused *fused;
};

struct mnp__separable {
    mnp_ctx *ctx;
    int nsteps;
    struct step steps[MAX_PASSES];
    mnp_layout *layouts[MAX_PASSES + 1]; /* of what goes into a step, and of the result */
    size_t bytes;                        /* of the largest block between two steps */
    void *between[2];                    /* device memory: what steps write by turns, but for the last one */
    bool keeps;                          /* it has them between runs too */
    mnp__separable_spec spec;            /* its passes, and their taps, are this plan's; its layout is the first */
};

static mnp_status check(const mnp__separable_spec *spec)
{
    if (spec->layout->ndim < 1 || spec->layout->ndim > MNP_CONV_DIMS)
        return MNP_FAIL(MNP_ERR_ARG, "filters take arrays of 1 to %d dimensions, and this one has %d", MNP_CONV_DIMS,
                        spec->layout->ndim);
    if (spec->npasses > MAX_PASSES)
        return MNP_FAIL(MNP_ERR_ARG, "a filter has %d passes; it may have %d", spec->npasses, MAX_PASSES);
    return MNP_OK;
}

/* Store a number as an element; negative ones are taken modulo 2^64 as unsigned integers. */
static void write(const double value[2], mnp_dtype dtype, void *element)
{
    if (dtype == MNP_UINT64)
        *(uint64_t *)element = value[0] < 0 ? (uint64_t)(int64_t)value[0] : (uint64_t)value[0];
    else
        mnp__value_write(&(mnp__value){.kind = 'c', .re = value[0], .im = value[1]}, dtype, element);
}

/* The fill value as an element of a dtype that must be able to hold it. */
static mnp_status encode(const double value[2], mnp_dtype dtype, void *element)
{
    if (!mnp__number_fits(value[0], dtype))
        return MNP_FAIL(MNP_ERR_ARG, "the fill value is %g, which the dtype %s cannot hold", value[0],
                        mnp_dtype_name(dtype));
    write(value, dtype, element);
    return MNP_OK;
}

static double tap_of(const mnp__pass *pass, int64_t j)
{
    return pass->combination == MNP__MEANS ? 1.0 / (double)pass->count : pass->taps[j];
}

/* What a pass of sums or means makes of an array of constant value. */
static void pass_through(const mnp__pass *pass, double value[2])
{
    double re = 0, im = 0;
    for (int64_t j = 0; j < pass->count; j++) {
        re += tap_of(pass, j);
        im += pass->imaginary ? pass->imaginary[j] : 0;
    }
    const double result[2] = {re * value[0] - im * value[1], re * value[1] + im * value[0]};
    value[0] = result[0];
    value[1] = result[1];
}

void mnp__separable_tap(const mnp__pass *pass, int64_t j, mnp_dtype sum, void *element)
{
    const double tap[2] = {tap_of(pass, j), pass->imaginary ? pass->imaginary[j] : 0};
    write(tap, sum, element);
}

/* The taps in the type of the sums; *taps_p is to be freed. */
static mnp_status encode_taps(const mnp__pass *pass, mnp_dtype sum, char **taps_p)
{
    MNP_TRY(mnp__malloc((size_t)pass->count * mnp_dtype_size(sum), taps_p));
    for (int64_t j = 0; j < pass->count; j++)
        mnp__separable_tap(pass, j, sum, *taps_p + (size_t)j * mnp_dtype_size(sum));
    return MNP_OK;
}

/* The parts of a pass that need no other rank. */
static mnp_status prepare(const mnp__separable_spec *spec, int i, const double *fillvalue, const mnp_layout *in,
                          mnp__direct_spec *direct, mnp__conv_geometry *geometry, char **taps_p, void *fill)
{
    const mnp__pass *pass = &spec->passes[i];
    const mnp_dtype between = spec->between == MNP_DTYPE_AUTO ? spec->sum : spec->between;
    int64_t taps[MNP_CONV_DIMS], first[MNP_CONV_DIMS] = {0}, shape[MNP_CONV_DIMS];
    *direct = (mnp__direct_spec){.input = i == 0 ? spec->input : between,
                                 .output = i == spec->npasses - 1 ? spec->output : between,
                                 .sum = spec->sum,
                                 .truncates = spec->truncates};
    for (int d = 0; d < in->ndim; d++) {
        taps[d] = d == pass->axis ? pass->count : 1;
        shape[d] = d == pass->axis && pass->extent > 0 ? pass->extent : in->shape[d];
    }
    first[pass->axis] = pass->first;
    if (pass->boundary == MNP_BOUNDARY_FILL)
        MNP_TRY(encode(fillvalue, direct->input, fill));
    MNP_TRY(encode_taps(pass, spec->sum, taps_p));
    return mnp__conv_geometry_of(in, taps, first, shape, geometry);
}

static void release_between(mnp__separable *plan)
{
    for (int i = 0; i < 2; i++) {
        plan->ctx->device->ops->free(plan->ctx->device, plan->between[i]);
        plan->between[i] = NULL;
    }
}

/* The buffers between passes; after a failure there are none.  Collective. */
static mnp_status get_between(mnp__separable *plan)
{
    mnp_ctx *ctx = plan->ctx;
    mnp_status st = MNP_OK;
    if (plan->nsteps < 2)
        return MNP_OK;
    for (int i = 0; i < 2 && i < plan->nsteps - 1 && st == MNP_OK; i++)
        st = ctx->device->ops->alloc(ctx->device, plan->bytes, &plan->between[i]);
    st = MNP_AGREE(ctx, st);
    if (st != MNP_OK)
        release_between(plan);
    return st;
}

static void note_between(mnp__separable *plan, const mnp_layout *layout, mnp_dtype dtype)
{
    int64_t shape[MNP_MAX_DIMS];
    size_t bytes = mnp_dtype_size(dtype);
    mnp_layout_local_shape(layout, plan->ctx->comm.rank, shape);
    for (int d = 0; d < layout->ndim; d++)
        bytes *= (size_t)shape[d];
    plan->bytes = bytes > plan->bytes ? bytes : plan->bytes;
}

static mnp_status add_direct(mnp__separable *plan, const mnp__separable_spec *spec, int i, const double *fillvalue)
{
    const int step = plan->nsteps;
    mnp__conv_geometry geometry = {0};
    mnp__direct_spec direct;
    mnp_boundary boundaries[MNP_MAX_DIMS];
    unsigned char fill[16] = {0};
    char *taps = NULL;
    mnp_status st =
        MNP_AGREE(plan->ctx, prepare(spec, i, fillvalue, plan->layouts[step], &direct, &geometry, &taps, fill));
    for (int d = 0; d < MNP_MAX_DIMS; d++)
        boundaries[d] = spec->passes[i].boundary;
    direct.boundaries = boundaries;
    direct.fill = fill;
    direct.taps = taps;
    if (st == MNP_OK) {
        plan->layouts[step + 1] = mnp_layout_retain(geometry.output);
        plan->nsteps++;
        st = mnp__direct_new(plan->ctx, &geometry, &direct, &plan->steps[step].direct);
    }
    mnp__conv_geometry_free(&geometry);
    free(taps);
    return st;
}

static mnp_status add_fused(mnp__separable *plan, const mnp__separable_spec *spec, int i, int count,
                            const double *fillvalue)
{
    const mnp_dtype between = spec->between == MNP_DTYPE_AUTO ? spec->sum : spec->between;
    const int step = plan->nsteps;
    unsigned char fill[16];
    for (int j = i; j < i + count; j++)
        /* a value that is there again beyond intermediate results is rounded as they are */
        if (spec->passes[j].boundary == MNP_BOUNDARY_FILL && (j == 0 || !spec->refills))
            MNP_TRY(encode(fillvalue, j == 0 ? spec->input : between, fill));
    plan->nsteps++;
    MNP_TRY(mnp__fused_new(plan->ctx, spec, i, count, plan->layouts[step], fillvalue[0], &plan->steps[step].fused));
    plan->layouts[step + 1] = mnp_layout_retain((mnp_layout *)mnp__fused_layout(plan->steps[step].fused));
    return MNP_OK;
}

/* Add the step that begins with pass number i, of *count_p passes. */
static mnp_status add_step(mnp__separable *plan, const mnp__separable_spec *spec, int i, const double *fillvalue,
                           int *count_p)
{
    const mnp_dtype between = spec->between == MNP_DTYPE_AUTO ? spec->sum : spec->between;
    const int fused = mnp__fused_count(plan->ctx, spec, i, plan->layouts[plan->nsteps]);
    *count_p = fused > 0 ? fused : 1;
    if (fused > 0)
        MNP_TRY(add_fused(plan, spec, i, fused, fillvalue));
    else
        MNP_TRY(add_direct(plan, spec, i, fillvalue));
    if (i + *count_p < spec->npasses)
        note_between(plan, plan->layouts[plan->nsteps], between);
    return MNP_OK;
}

bool mnp__separable_is_fused(const mnp_ctx *ctx, const mnp__separable_spec *spec)
{
    for (int i = 0; i < spec->npasses;) {
        const int count = mnp__fused_count(ctx, spec, i, spec->layout);
        if (count == 0)
            return false;
        i += count;
    }
    return true;
}

/* A copy of the taps and of all else that the plan was made for. */
static mnp_status copy_spec(mnp__separable *plan, const mnp__separable_spec *spec)
{
    mnp__pass *passes;
    double *taps;
    size_t count = 0;
    for (int i = 0; i < spec->npasses; i++)
        count += !spec->passes[i].taps ? 0 : (size_t)spec->passes[i].count * (spec->passes[i].imaginary ? 2 : 1);
    plan->spec = *spec;
    plan->spec.layout = NULL;
    plan->spec.passes = NULL;
    MNP_TRY(mnp__malloc((size_t)spec->npasses * sizeof *passes + count * sizeof *taps, &passes));
    plan->spec.passes = passes;
    taps = (double *)(void *)(passes + spec->npasses);
    for (int i = 0; i < spec->npasses; i++) {
        const mnp__pass *pass = &spec->passes[i];
        const size_t bytes = (size_t)pass->count * sizeof *taps;
        passes[i] = *pass;
        if (!pass->taps)
            continue;
        passes[i].taps = memcpy(taps, pass->taps, bytes);
        taps += pass->count;
        if (!pass->imaginary)
            continue;
        passes[i].imaginary = memcpy(taps, pass->imaginary, bytes);
        taps += pass->count;
    }
    return MNP_OK;
}

static mnp_status start(mnp_ctx *ctx, const mnp__separable_spec *spec, mnp__separable **plan_p)
{
    MNP_TRY(check(spec));
    MNP_TRY(mnp__calloc(1, sizeof **plan_p, plan_p));
    (*plan_p)->ctx = ctx;
    return copy_spec(*plan_p, spec);
}

static mnp_status make(mnp_ctx *ctx, const mnp__separable_spec *spec, bool keeps, mnp__separable **plan_p)
{
    mnp__separable *plan = NULL;
    double fillvalue[2] = {spec->fillvalue, 0};
    mnp_status st;
    MNP_TRY_OR(MNP_AGREE(ctx, start(ctx, spec, &plan)), st, fail);
    plan->keeps = keeps;
    plan->layouts[0] = mnp_layout_retain((mnp_layout *)spec->layout);
    const int npasses = mnp_layout_size(spec->layout) > 0 ? spec->npasses : 0;
    for (int i = 0, count; i < npasses; i += count) {
        MNP_TRY_OR(add_step(plan, spec, i, fillvalue, &count), st, fail);
        for (int j = i; !spec->refills && j < i + count; j++)
            pass_through(&spec->passes[j], fillvalue);
    }
    if (keeps)
        MNP_TRY_OR(get_between(plan), st, fail);
    *plan_p = plan;
    return MNP_OK;
fail:
    mnp__separable_free(plan);
    return st;
}

mnp_status mnp__separable_new(mnp_ctx *ctx, const mnp__separable_spec *spec, mnp__separable **plan_p)
{
    return make(ctx, spec, true, plan_p);
}

void mnp__separable_free(mnp__separable *plan)
{
    if (!plan)
        return;
    for (int i = 0; i < MAX_PASSES; i++) {
        mnp__direct_free(plan->steps[i].direct);
        mnp__fused_free(plan->steps[i].fused);
        mnp_layout_free(plan->layouts[i]);
    }
    mnp_layout_free(plan->layouts[MAX_PASSES]);
    release_between(plan);
    free((void *)plan->spec.passes);
    free(plan);
}

const mnp_layout *mnp__separable_layout(const mnp__separable *plan)
{
    return plan->layouts[plan->nsteps];
}

static mnp_status run_steps(const mnp__separable *plan, const mnp_array *x, mnp_array *y)
{
    const void *from = x->data;
    for (int i = 0; i < plan->nsteps; i++) {
        const struct step *step = &plan->steps[i];
        void *to = i == plan->nsteps - 1 ? y->data : plan->between[i % 2];
        MNP_TRY(step->fused ? mnp__fused_run(step->fused, from, to) : mnp__direct_run(step->direct, from, to));
        from = to;
    }
    return MNP_OK;
}

mnp_status mnp__separable_run(mnp__separable *plan, const mnp_array *x, mnp_array *y)
{
    if (plan->nsteps == 0)
        return mnp__array_copy_to(x, y);
    if (!plan->keeps)
        MNP_TRY(get_between(plan));
    const mnp_status st = run_steps(plan, x, y);
    if (!plan->keeps)
        release_between(plan);
    return st;
}

/* ---- cached plans ---- */

static int64_t bytes_of(const void *plan)
{
    const mnp__separable *separable = plan;
    int64_t bytes = 0;
    for (int i = 0; i < separable->nsteps; i++) {
        const struct step *step = &separable->steps[i];
        bytes += step->fused ? mnp__fused_bytes(step->fused) : mnp__direct_bytes(step->direct);
    }
    return bytes;
}

static void release(void *plan)
{
    mnp__separable_free(plan);
}

static const mnp__plan_cache_kind filters = {
    .attachment = MNP__ATTACHED_SEPARABLE, .most = 16, .bytes = bytes_of, .release = release};

static bool same_numbers(const double *a, const double *b, int64_t count)
{
    return a && b ? memcmp(a, b, (size_t)count * sizeof *a) == 0 : a == b;
}

static bool same_pass(const mnp__pass *a, const mnp__pass *b)
{
    return a->axis == b->axis && a->count == b->count && a->first == b->first && a->extent == b->extent &&
           a->boundary == b->boundary && a->combination == b->combination && same_numbers(a->taps, b->taps, a->count) &&
           same_numbers(a->imaginary, b->imaginary, a->count);
}

static bool fits(const mnp__separable *plan, const mnp__separable_spec *spec)
{
    const mnp__separable_spec *own = &plan->spec;
    bool same = own->input == spec->input && own->output == spec->output && own->sum == spec->sum &&
                own->between == spec->between && own->truncates == spec->truncates && own->refills == spec->refills &&
                same_numbers(&own->fillvalue, &spec->fillvalue, 1) && own->npasses == spec->npasses &&
                mnp_layout_equal(plan->layouts[0], spec->layout);
    for (int i = 0; same && i < spec->npasses; i++)
        same = same_pass(&own->passes[i], &spec->passes[i]);
    return same;
}

/*
 * Run a cached plan, which is made where there is none for such a spec.  Then a run allocates the buffers between
 * passes.  Collective.
 */
static mnp_status run_cached(const mnp__separable_spec *spec, const mnp_array *x, mnp_array *y)
{
    mnp_ctx *ctx = x->ctx;
    mnp__plan_cache *cache;
    mnp__separable *plan;
    bool is_cached;
    MNP_TRY(mnp__plan_cache_of(ctx, &filters, &cache));
    for (int i = 0; i < cache->count; i++) {
        if (fits(cache->plans[i].plan, spec))
            return mnp__separable_run(mnp__plan_cache_use(cache, i), x, y);
    }
    MNP_TRY(make(ctx, spec, false, &plan));
    MNP_TRY(mnp__plan_cache_add(cache, ctx, plan, &is_cached));
    const mnp_status st = mnp__separable_run(plan, x, y);
    return is_cached ? st : mnp__plan_cache_once(&filters, ctx, plan, st);
}

mnp_status mnp__separable_call(const char *function, const mnp__separable_spec *spec, const mnp_array *x,
                               mnp_array **y_p)
{
    mnp__separable_spec own = *spec;
    mnp__output result;
    mnp__input input = {NULL, NULL};
    mnp_layout *layout = NULL;
    MNP_TRY(MNP_AGREE(x->ctx, mnp__layout_in_c_order(x->layout, &layout)));
    own.layout = layout;
    const mnp__output_spec wanted = {.function = function,
                                     .ctx = x->ctx,
                                     .dtype = spec->output,
                                     .layout = layout,
                                     .needs = MNP__OUTPUT_DENSE,
                                     .ninputs = 1,
                                     .inputs = &x};
    mnp_status st = mnp__output_open(&wanted, y_p, &result);
    if (st == MNP_OK)
        st = mnp__input_open(x, layout, x->dtype, MNP__INPUT_DENSE, &input);
    if (st == MNP_OK)
        st = run_cached(&own, input.array, result.array);
    mnp__input_close(&input);
    mnp_layout_free(layout);
    return mnp__output_close(1, &result, st);
}
