/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Coefficients of splines: one axis after the other is filtered in place, in a layout that does not cut it
 * (kernels/ndimage/spline.cu).  An array that is cut along one axis moves once.
 */
#include "ndimage/spline.h"

#include <math.h>

#include "array/output.h"
#include "array/view.h"
#include "base/call.h"
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

/* The poles of the filter of splines of that order, in digits, as their formulas cancel; and the gain. */
static void find_poles(int order, mnp_spline_params *p)
{
    static const double poles[][MNP_SPLINE_POLES] = {
        {-0.17157287525380990240},                          /* sqrt(8) - 3 */
        {-0.26794919243112270647},                          /* sqrt(3) - 2 */
        {-0.36134122590022017709, -0.01372542929733912136}, /* sqrt(664 -+ sqrt(438976)) +- sqrt(304) - 19 */
        {-0.43057534709997379185, -0.04309628820326465382}, /* sqrt(67.5 -+ sqrt(4436.25)) +- sqrt(26.25) - 6.5 */
    };
    p->poles = order < 4 ? 1 : 2;
    p->gain = 1;
    for (int k = 0; k < p->poles; k++) {
        p->pole[k] = poles[order - 2][k];
        p->gain *= (1 - p->pole[k]) * (1 - 1 / p->pole[k]);
    }
}

static int border_of(mnp_ndimage_mode mode)
{
    return mode == MNP_NDIMAGE_GRID_WRAP                                ? MNP_SPLINE_WRAP
           : mode == MNP_NDIMAGE_REFLECT || mode == MNP_NDIMAGE_NEAREST ? MNP_SPLINE_REFLECT
                                                                        : MNP_SPLINE_MIRROR;
}

static mnp_status filter_axis(const mnp_array *y, int axis, mnp_spline_params *p)
{
    static const double negligible = 1e-40; /* beside 1 */
    mnp__kernel *kernel;
    char room[MNP__KERNEL_ROOM];
    mnp__text defines = MNP__TEXT_IN(room);
    const mnp__kernel_spec spec = {.file = "ndimage/spline.cu", .function = "spline"};
    MNP_TRY(mnp__ctx_kernel_of_text(y->ctx, &spec, &defines, NULL, &kernel));
    p->values = y->data;
    p->lines = mnp__lines_of(y, axis);
    for (int k = 0; k < p->poles; k++) {
        const double far = (double)(p->border == MNP_SPLINE_MIRROR ? p->lines.length - 1 : p->lines.length);
        const double horizon = log(negligible) / log(fabs(p->pole[k]));
        p->far[k] = pow(p->pole[k], far);
        p->horizon[k] = horizon < far ? (int64_t)horizon : (int64_t)far + 1;
    }
    return mnp__lines_launch(y->ctx, kernel, &p->lines, p, sizeof *p);
}

mnp_status mnp__spline_filter(const mnp_array *x, int order, unsigned axes, mnp_ndimage_mode mode, mnp_array **y_p)
{
    const mnp_dtype wide = mnp_dtype_kind(x->dtype) == 'c' ? MNP_COMPLEX128 : MNP_FLOAT64;
    mnp_spline_params p = {.border = border_of(mode)};
    mnp_array *y = NULL;
    int listed[MNP_MAX_DIMS];
    const int count = mnp__lines_order(x->layout, axes, listed);
    mnp_status st = MNP_OK;
    find_poles(order, &p);
    for (int a = 0; a < count && st == MNP_OK; a++) {
        mnp_layout *layout = NULL;
        if (y && x->layout->shape[listed[a]] < 2)
            continue; /* one element is its own coefficient */
        st = MNP_AGREE(x->ctx, mnp__lines_whole(y ? y->layout : x->layout, listed[a], &layout));
        if (st == MNP_OK && y) {
            st = mnp__lines_bring(layout, &y);
        } else if (st == MNP_OK) {
            st = mnp_array_new(x->ctx, wide, layout, &y);
            if (st == MNP_OK)
                st = mnp__array_copy_to(x, y);
        }
        mnp_layout_free(layout);
        if (st == MNP_OK && x->layout->shape[listed[a]] >= 2)
            st = MNP_AGREE(x->ctx, filter_axis(y, listed[a], &p));
    }
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
    const mnp_dtype wide = mnp_dtype_kind(x->dtype) == 'c' ? MNP_COMPLEX128 : MNP_FLOAT64;
    const mnp__output_spec spec = {.function = function, .ctx = x->ctx, .dtype = wide, .layout = x->layout};
    MNP_TRY(mnp__output_check(&spec, *y_p));
    if (order < 2 || x->layout->size == 0) {
        mnp_status st = mnp_astype(x, wide, &y);
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
