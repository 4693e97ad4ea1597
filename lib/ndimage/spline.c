/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Coefficients of splines: one axis after the other is filtered, in a layout that does not cut it
 * (kernels/ndimage/spline.cu).  An array that is cut along one axis moves once.
 */
#include "ndimage/spline.h"

#include <math.h>

#include <maniple/signal.h>
#include <maniple/ufunc.h>

#include "array/input.h"
#include "array/output.h"
#include "array/view.h"
#include "base/call.h"
#include "base/dtype.h"
#include "base/integer.h"
#include "base/text.h"
#include "layout/layout.h"
#include "ndimage/lines.h"

mnp_status mnp__spline_check(const char *function, const mnp_array *x, int order, mnp_ndimage_mode mode)
{
    MNP_TRY(mnp__array_check_blocks(function, x));
    if (x->layout->ndim == 0)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the input has no dimensions; it should have 1 to %d", function, MNP_MAX_DIMS);
    if (order < 0 || order > 5)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the order is %d, outside 0..5", function, order);
    if ((int)mode < MNP_NDIMAGE_DEFAULT || (int)mode > MNP_NDIMAGE_GRID_CONSTANT)
        return MNP_FAIL(MNP_ERR_ARG, "%s: %d is not a mode", function, (int)mode);
    return MNP_OK;
}

/* The dtype of coefficients. */
static mnp_dtype wide_of(const mnp_array *x)
{
    return mnp_dtype_kind(x->dtype) == 'c' ? MNP_COMPLEX128 : MNP_FLOAT64;
}

/* The poles of the filter of splines of that order, in digits, as their formulas cancel; and the weights. */
static void find_poles(int order, mnp_spline_params *p, int *poles_p)
{
    static const double poles[][MNP_SPLINE_POLES] = {
        {-0.17157287525380990240},                          /* sqrt(8) - 3 */
        {-0.26794919243112270647},                          /* sqrt(3) - 2 */
        {-0.36134122590022017709, -0.01372542929733912136}, /* sqrt(664 -+ sqrt(438976)) +- sqrt(304) - 19 */
        {-0.43057534709997379185, -0.04309628820326465382}, /* sqrt(67.5 -+ sqrt(4436.25)) +- sqrt(26.25) - 6.5 */
    };
    const double *z = poles[order - 2];
    *poles_p = order < 4 ? 1 : 2;
    for (int k = 0; k < *poles_p; k++) {
        p->pole[k] = z[k];
        p->weight[k] = (1 - z[k]) / (1 + z[k]);
        for (int i = 0; i < *poles_p; i++)
            if (i != k)
                p->weight[k] *= (1 - z[i]) / (1 - z[i] * z[k]) * (1 - z[i]) / (1 - z[i] / z[k]);
    }
}

static int boundary_of(mnp_ndimage_mode mode)
{
    return mode == MNP_NDIMAGE_GRID_WRAP                                ? MNP_BOUNDARY_WRAP
           : mode == MNP_NDIMAGE_REFLECT || mode == MNP_NDIMAGE_NEAREST ? MNP_BOUNDARY_SYMM
                                                                        : MNP_BOUNDARY_MIRROR;
}

/* Whether as many lines as a tile takes lie beside one another, if their dimensions are not cut: on all ranks alike. */
static bool lines_lie_beside(const mnp_array *x, int axis)
{
    int64_t beside = mnp_dtype_kind(x->dtype) == 'c' ? 2 : 1;
    for (int d = axis + 1; d < x->layout->ndim; d++)
        beside *= x->layout->shape[d];
    return beside >= MNP_SPLINE_LANES;
}

static mnp_status launch(const mnp_array *from, int axis, int poles, mnp_spline_params *p, const mnp_array *to)
{
    static const double negligible = 1e-17; /* beside 1 */
    mnp_ctx *ctx = to->ctx;
    mnp__kernel *kernel;
    char room[MNP__KERNEL_ROOM];
    mnp__text defines = MNP__TEXT_IN(room);
    const mnp__kernel_spec spec = {.file = "ndimage/spline.cu", .function = "spline"};
    p->lines = mnp__lines_of(to, axis);
    mnp__text_add(&defines, "#define MNP_IN %s\n#define MNP_POLES %d\n#define MNP_REACH %d\n#define MNP_BESIDE %d\n",
                  mnp__jit_type(mnp__dtype_real(from->dtype)), poles,
                  (int)ceil(log(negligible) / log(fabs(p->pole[0]))), lines_lie_beside(to, axis));
    MNP_TRY(mnp__ctx_kernel_of_text(ctx, &spec, &defines, NULL, &kernel));
    p->from = from->data;
    p->to = to->data;
    p->tiles = mnp__divide_up(mnp__divide_up(p->lines.length, MNP_SPLINE_STRIP) * p->lines.count, MNP_SPLINE_LANES);
    if (p->tiles == 0)
        return MNP_OK;
    const mnp__launch how = {.grid = {(unsigned)mnp__min(p->tiles, INT32_MAX), 1, 1},
                             .block = {MNP_SPLINE_THREADS, 1, 1},
                             .divisible = true};
    return ctx->device->ops->launch(ctx->device, kernel, &how, p, sizeof *p, ctx->compute);
}

/* The coefficients along an axis, in a layout that does not cut it. */
static mnp_status filter_axis(const mnp_array *x, int axis, int poles, mnp_spline_params *p, mnp_array **y_p)
{
    mnp_layout *layout = NULL;
    mnp__input input = {NULL, NULL};
    mnp_array *y = NULL;
    mnp_status st = MNP_AGREE(x->ctx, mnp__lines_whole(x->layout, axis, &layout));
    if (st == MNP_OK)
        st = mnp__input_open(x, layout, MNP_DTYPE_AUTO, MNP__INPUT_DENSE, &input);
    if (st == MNP_OK)
        st = mnp_array_new(x->ctx, wide_of(x), layout, &y);
    if (st == MNP_OK)
        st = MNP_AGREE(x->ctx, launch(input.array, axis, poles, p, y));
    mnp__input_close(&input);
    mnp_layout_free(layout);
    if (st == MNP_OK)
        *y_p = y;
    else
        mnp_array_free(y);
    return st;
}

mnp_status mnp__spline_filter(const mnp_array *x, int order, unsigned axes, mnp_ndimage_mode mode, mnp_array **y_p)
{
    mnp_spline_params p = {.boundary = boundary_of(mode)};
    mnp_array *y = NULL;
    int listed[MNP_MAX_DIMS], poles;
    const int count = mnp__lines_order(x->layout, axes, listed);
    mnp_status st = MNP_OK;
    find_poles(order, &p, &poles);
    for (int a = 0; a < count && st == MNP_OK; a++) {
        mnp_array *next = NULL;
        if (x->layout->shape[listed[a]] < 2)
            continue; /* one element is its own coefficient */
        st = filter_axis(y ? y : x, listed[a], poles, &p, &next);
        mnp_array_free(y);
        y = next;
    }
    if (st == MNP_OK && !y)
        st = mnp_astype(x, wide_of(x), &y);
    if (st == MNP_OK)
        *y_p = y;
    else
        mnp_array_free(y);
    return st;
}

/* ---- public functions ---- */

static mnp_status filter(const char *function, const mnp_array *x, int order, unsigned axes, mnp_ndimage_mode mode,
                         mnp_array **y_p)
{
    mnp_array *y = NULL;
    mnp_layout *layout = NULL;
    const mnp__output_spec spec = {.function = function, .ctx = x->ctx, .dtype = wide_of(x), .layout = x->layout};
    MNP_TRY(mnp__output_check(&spec, *y_p));
    if (order < 2 || x->layout->size == 0) {
        mnp_status st = mnp_astype(x, wide_of(x), &y);
        return mnp__output_give(y, st, y_p);
    }
    mnp_status st = mnp__spline_filter(x, order, axes, mode, &y);
    if (st == MNP_OK)
        st = MNP_AGREE(x->ctx, mnp__layout_in_c_order(x->layout, &layout));
    if (st == MNP_OK)
        st = mnp__lines_bring(layout, &y);
    mnp_layout_free(layout);
    return mnp__output_give(y, st, y_p);
}

mnp_status mnp_ndimage_spline_filter1d(const mnp_array *x, int order, int axis, mnp_ndimage_mode mode, mnp_array **y_p)
{
    MNP_ENTER(x, y_p);
    MNP_TRY(mnp__spline_check(__func__, x, order, mode));
    MNP_TRY(mnp__view_axis(__func__, x->layout->ndim, axis, &axis));
    return filter(__func__, x, order, 1U << axis, mode, y_p);
}

mnp_status mnp_ndimage_spline_filter(const mnp_array *x, int order, mnp_ndimage_mode mode, mnp_array **y_p)
{
    MNP_ENTER(x, y_p);
    MNP_TRY(mnp__spline_check(__func__, x, order, mode));
    if (order < 2)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the order is %d, outside 2..5", __func__, order);
    return filter(__func__, x, order, (1U << x->layout->ndim) - 1, mode, y_p);
}
