/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Richardson-Lucy deconvolution: two convolutions and a few element-wise kernels for each iteration.
 */
#include <maniple/eval.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array/input.h"
#include "array/output.h"
#include "signal/deconvolution/deconvolution.h"
#include "signal/separable.h"

mnp_status mnp__deconvolution_check(const char *function, const mnp_array *image, const mnp_array *psf,
                                    mnp_dtype *dtype_p)
{
    const mnp_array *const both[] = {image, psf};
    MNP_TRY(mnp__inputs_check(function, 2, both));
    for (int i = 0; i < 2; i++) {
        if (mnp_dtype_kind(both[i]->dtype) == 'c')
            return MNP_FAIL(MNP_ERR_ARG, "%s: %s is %s; it must be real", function, i == 0 ? "image" : "psf",
                            mnp_dtype_name(both[i]->dtype));
        if (mnp_layout_size(both[i]->layout) == 0)
            return MNP_FAIL(MNP_ERR_ARG, "%s: %s is empty", function, i == 0 ? "image" : "psf");
    }
    if (image->layout->ndim < 1 || image->layout->ndim > MNP_CONV_DIMS || psf->layout->ndim != image->layout->ndim)
        return MNP_FAIL(MNP_ERR_ARG, "%s: image has %d dimensions, and psf %d; both must have the same, 1 to %d",
                        function, image->layout->ndim, psf->layout->ndim, MNP_CONV_DIMS);
    *dtype_p = mnp_dtype_kind(image->dtype) == 'f' && mnp_dtype_size(image->dtype) <= 4 ? MNP_FLOAT32 : MNP_FLOAT64;
    return MNP_OK;
}

mnp_status mnp__deconvolution_give(mnp_array *estimate, bool unclipped, mnp_status status, mnp_array **out_p)
{
    if (status == MNP_OK && !unclipped)
        status = mnp_eval(estimate->ctx, "x = clip(x, -1, 1)", MNP_IN("x", estimate), MNP_OUT("x", &estimate));
    return mnp__output_give(estimate, status, out_p);
}

/* What an iteration works with. */
typedef struct state {
    mnp_ctx *ctx;
    const mnp_richardson_lucy_options *options;
    mnp_dtype dtype;
    int ndim;
    mnp_conv_plan *blur, *compare;                                    /* with psf, and correlated with it */
    mnp__separable *forward[MNP_CONV_DIMS], *backward[MNP_CONV_DIMS]; /* differences along each dimension */
    mnp__input input;
    const mnp_array *image; /* the input, in the dtype of the arithmetic */
    mnp_array *mask, *seen; /* seen: the mask correlated with psf; NULL without a mask */
    mnp_array *x, *blurred, *correction;
    mnp_array *slope[MNP_CONV_DIMS], *bend[MNP_CONV_DIMS]; /* forward differences; backward differences of those */
    mnp_array *y, *before, *step, *step_before, *a;        /* of the acceleration; NULL without */
    char compare_text[160], update_text[160];
} state;

/* ---- planning ---- */

static mnp_status plan_difference(const state *s, int axis, bool forward, mnp__separable **plan_p)
{
    static const double taps[] = {-1, 1};
    const mnp__pass pass = {.axis = axis,
                            .count = 2,
                            .taps = taps,
                            .first = forward ? 0 : -1,
                            .boundary = forward ? MNP_BOUNDARY_NEAREST : MNP_BOUNDARY_FILL};
    const mnp__separable_spec spec = {
        .input = s->dtype, .output = s->dtype, .sum = s->dtype, .layout = s->x->layout, .npasses = 1, .passes = &pass};
    return mnp__separable_new(s->ctx, &spec, plan_p);
}

static mnp_status like_image(const state *s, mnp_array **array_p)
{
    return mnp_array_new_order(s->ctx, s->dtype, s->image->layout, MNP_ORDER_C, array_p);
}

static mnp_status plan_total_variation(state *s)
{
    for (int d = 0; d < s->ndim; d++) {
        MNP_TRY(plan_difference(s, d, true, &s->forward[d]));
        MNP_TRY(plan_difference(s, d, false, &s->backward[d]));
        MNP_TRY(like_image(s, &s->slope[d]));
        MNP_TRY(like_image(s, &s->bend[d]));
    }
    return MNP_OK;
}

/* The element-wise parts of an iteration, as text for mnp_eval(). */
static void write_texts(state *s)
{
    const mnp_richardson_lucy_options *o = s->options;
    static const char *const bends[] = {"d0", "d0 + d1", "d0 + d1 + d2", "d0 + d1 + d2 + d3"};
    char value[64] = "image / b", correction[64] = "c", variation[64] = "";
    if (o->filter_epsilon != 0)
        snprintf(value, sizeof value, "where(b < %.17g, 0, image / b)", o->filter_epsilon);
    snprintf(s->compare_text, sizeof s->compare_text, "b = blurred + 1e-12; blurred = %s%s", s->mask ? "mask * " : "",
             value);
    if (s->seen)
        snprintf(correction, sizeof correction, "where(seen > 1e-12, c / seen, 1)");
    if (o->total_variation != 0)
        snprintf(variation, sizeof variation, " / (1 - %.17g * (%s))", o->total_variation, bends[s->ndim - 1]);
    snprintf(s->update_text, sizeof s->update_text, "x = y * (%s)%s", correction, variation);
}

/* The arrays, all cut as the image is. */
static mnp_status make_arrays(state *s, const mnp_array *image)
{
    MNP_TRY(mnp__input_open(image, NULL, s->dtype, 0, &s->input));
    s->image = s->input.array;
    MNP_TRY(like_image(s, &s->x));
    MNP_TRY(like_image(s, &s->blurred));
    MNP_TRY(like_image(s, &s->correction));
    MNP_TRY(mnp_eval(s->ctx, "x = 0.5", NULL, MNP_OUT("x", &s->x)));
    if (!s->options->accelerate)
        return MNP_OK;
    MNP_TRY(like_image(s, &s->y));
    MNP_TRY(like_image(s, &s->before));
    MNP_TRY(like_image(s, &s->step));
    return like_image(s, &s->step_before);
}

static mnp_status make_mask(state *s)
{
    const mnp_array *mask = s->options->mask;
    if (!mask)
        return MNP_OK;
    MNP_TRY(like_image(s, &s->mask));
    MNP_TRY(mnp_eval(s->ctx, "m = mask", MNP_IN("mask", mask), MNP_OUT("m", &s->mask)));
    return mnp_conv_execute(s->compare, s->mask, &s->seen);
}

static mnp_status plan(state *s, const mnp_array *image, const mnp_array *psf)
{
    mnp_conv_options conv = {
        .mode = MNP_CONV_SAME, .boundary = s->options->boundary, .dtype = s->dtype, .method = s->options->method};
    MNP_TRY(make_arrays(s, image));
    MNP_TRY(mnp_conv_plan_new(s->ctx, s->dtype, s->x->layout, psf, &conv, &s->blur));
    conv.correlate = true;
    MNP_TRY(mnp_conv_plan_new(s->ctx, s->dtype, s->x->layout, psf, &conv, &s->compare));
    MNP_TRY(make_mask(s));
    if (s->options->total_variation != 0)
        MNP_TRY(plan_total_variation(s));
    write_texts(s);
    return MNP_OK;
}

static void release(state *s)
{
    mnp_conv_plan_free(s->blur);
    mnp_conv_plan_free(s->compare);
    for (int d = 0; d < MNP_CONV_DIMS; d++) {
        mnp__separable_free(s->forward[d]);
        mnp__separable_free(s->backward[d]);
        mnp_free_all(s->slope[d], s->bend[d]);
    }
    mnp__input_close(&s->input);
    mnp_free_all(s->mask, s->seen, s->x, s->blurred, s->correction);
    mnp_free_all(s->y, s->before, s->step, s->step_before, s->a);
}

/* ---- iterations ---- */

static void swap(mnp_array **a, mnp_array **b)
{
    mnp_array *c = *a;
    *a = *b;
    *b = c;
}

/* The curvature of x's total variation, in parts along each dimension. */
static mnp_status find_bends(state *s, const mnp_array *x)
{
    static const char *const texts[] = {
        "g0 /= sqrt(g0*g0 + 1e-12)", "s = sqrt(g0*g0 + g1*g1 + 1e-12); g0 /= s; g1 /= s",
        "s = sqrt(g0*g0 + g1*g1 + g2*g2 + 1e-12); g0 /= s; g1 /= s; g2 /= s",
        "s = sqrt(g0*g0 + g1*g1 + g2*g2 + g3*g3 + 1e-12); g0 /= s; g1 /= s; g2 /= s; g3 /= s"};
    static const char *const names[] = {"g0", "g1", "g2", "g3"};
    mnp_output outputs[MNP_CONV_DIMS + 1] = {{NULL, NULL}, {NULL, NULL}, {NULL, NULL}, {NULL, NULL}, {NULL, NULL}};
    for (int d = 0; d < s->ndim; d++) {
        MNP_TRY(mnp__separable_run(s->forward[d], x, s->slope[d]));
        outputs[d] = (mnp_output){names[d], &s->slope[d]};
    }
    MNP_TRY(mnp_eval(s->ctx, texts[s->ndim - 1], NULL, outputs));
    for (int d = 0; d < s->ndim; d++)
        MNP_TRY(mnp__separable_run(s->backward[d], s->slope[d], s->bend[d]));
    return MNP_OK;
}

/* y from the last two estimates and steps, which there are from the third iteration on. */
static mnp_status extrapolate(state *s, int iteration)
{
    if (iteration < 2)
        return mnp_eval(s->ctx, "y = x", MNP_IN("x", s->x), MNP_OUT("y", &s->y));
    MNP_TRY(mnp_eval(s->ctx, "a = clip(sum(g * h) / maximum(sum(h * h), 1e-37), 0, 1)",
                     MNP_IN("g", s->step, "h", s->step_before), MNP_OUT("a", &s->a)));
    return mnp_eval(s->ctx, "y = maximum(x + a * (x - p), 0)", MNP_IN("x", s->x, "p", s->before, "a", s->a),
                    MNP_OUT("y", &s->y));
}

static mnp_status iterate(state *s, int iteration)
{
    if (s->y) {
        MNP_TRY(extrapolate(s, iteration));
        swap(&s->before, &s->x); /* the new estimate is written over the last but one */
        swap(&s->step_before, &s->step);
    }
    mnp_array *y = s->y ? s->y : s->x;
    MNP_TRY(mnp_conv_execute(s->blur, y, &s->blurred));
    MNP_TRY(mnp_eval(s->ctx, s->compare_text, MNP_IN("image", s->image, "mask", s->mask ? s->mask : s->image),
                     MNP_OUT("blurred", &s->blurred)));
    MNP_TRY(mnp_conv_execute(s->compare, s->blurred, &s->correction));
    if (s->forward[0])
        MNP_TRY(find_bends(s, y));
    const mnp_input inputs[] = {{"y", y},
                                {"c", s->correction},
                                {"seen", s->seen ? s->seen : s->image},
                                {"d0", s->bend[0] ? s->bend[0] : s->image},
                                {"d1", s->bend[1] ? s->bend[1] : s->image},
                                {"d2", s->bend[2] ? s->bend[2] : s->image},
                                {"d3", s->bend[3] ? s->bend[3] : s->image},
                                {NULL, NULL}};
    MNP_TRY(mnp_eval(s->ctx, s->update_text, inputs, MNP_OUT("x", &s->x)));
    return s->y ? mnp_eval(s->ctx, "g = x - y", MNP_IN("x", s->x, "y", s->y), MNP_OUT("g", &s->step)) : MNP_OK;
}

static mnp_status check_options(const mnp_richardson_lucy_options *options)
{
    if (options->iterations < 0)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_richardson_lucy: iterations is %d, negative", options->iterations);
    if (!(options->filter_epsilon >= 0))
        return MNP_FAIL(MNP_ERR_ARG, "mnp_richardson_lucy: filter_epsilon is %g; it must be 0 or more",
                        options->filter_epsilon);
    if (!(options->total_variation >= 0 && options->total_variation < 1))
        return MNP_FAIL(MNP_ERR_ARG, "mnp_richardson_lucy: total_variation is %g, outside 0 to 1",
                        options->total_variation);
    return MNP_OK;
}

mnp_status mnp_richardson_lucy(const mnp_array *image, const mnp_array *psf, const mnp_richardson_lucy_options *options,
                               mnp_array **out_p)
{
    MNP_ENTER(image, psf, out_p);
    const mnp_richardson_lucy_options defaults = {.iterations = 0};
    state s = {.ctx = image->ctx, .options = options ? options : &defaults, .ndim = image->layout->ndim};
    MNP_NEED_IF(s.options->mask, s.options->mask);
    MNP_TRY(mnp__deconvolution_check("mnp_richardson_lucy", image, psf, &s.dtype));
    MNP_TRY(check_options(s.options));
    const mnp__output_spec output = {
        .function = "mnp_richardson_lucy", .ctx = s.ctx, .dtype = s.dtype, .layout = image->layout};
    MNP_TRY(mnp__output_check(&output, *out_p));
    const int iterations = s.options->iterations > 0 ? s.options->iterations : 50;
    mnp_status st = plan(&s, image, psf);
    for (int i = 0; i < iterations && st == MNP_OK; i++)
        st = iterate(&s, i);
    if (st == MNP_OK)
        st = MNP_AGREE(s.ctx, mnp__ctx_wait(s.ctx, s.ctx->compute)); /* the plans' memory goes now */
    mnp_array *estimate = s.x;
    s.x = NULL;
    release(&s);
    return mnp__deconvolution_give(estimate, s.options->unclipped, st, out_p);
}
