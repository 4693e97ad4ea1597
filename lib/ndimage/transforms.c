/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Geometric transforms of images: each says where the elements of its result lie in the input (interpolate.h).
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/call.h"
#include "ndimage/interpolate.h"

#define PI 3.14159265358979323846

/* A map that leaves every element where it is, for a result of the input's shape. */
static mnp__map identity(const mnp_array *x, int from)
{
    mnp__map map = {.from = from};
    for (int d = 0; d < x->layout->ndim; d++) {
        map.scale[d] = map.matrix[d][d] = 1;
        map.shape[d] = x->layout->shape[d];
    }
    return map;
}

mnp_status mnp_ndimage_map_coordinates(const mnp_array *x, const mnp_array *coordinates, int order, bool prefilter,
                                       const mnp_ndimage_options *options, mnp_array **y_p)
{
    MNP_ENTER(x, coordinates, y_p);
    mnp__interpolation call = {
        .function = __func__, .x = x, .order = order, .prefilter = prefilter, .options = options};
    const mnp__map map = {.from = MNP__MAP_COORDINATES, .coordinates = coordinates};
    MNP_TRY(mnp__interpolate_begin(&call));
    MNP_TRY(mnp__array_check_blocks(__func__, coordinates));
    if (coordinates->layout->ndim < 2 || coordinates->layout->shape[0] != x->layout->ndim)
        return MNP_FAIL(MNP_ERR_ARG,
                        "%s: the coordinates have %d dimensions, the first of extent %" PRId64
                        "; they should have 2 or more, the first of the %d dimensions of the input",
                        __func__, coordinates->layout->ndim,
                        coordinates->layout->ndim > 0 ? coordinates->layout->shape[0] : 0, x->layout->ndim);
    if (mnp_dtype_kind(coordinates->dtype) == 'c')
        return MNP_FAIL(MNP_ERR_ARG, "%s: the coordinates are complex", __func__);
    if (call.axes.count != x->layout->ndim)
        return MNP_FAIL(MNP_ERR_ARG, "%s: axes are given; coordinates are of all dimensions", __func__);
    return mnp__interpolate(&call, &map, y_p);
}

mnp_status mnp_ndimage_affine_transform(const mnp_array *x, const double *matrix, const double *offset,
                                        const int64_t *output_shape, int order, bool prefilter,
                                        const mnp_ndimage_options *options, mnp_array **y_p)
{
    MNP_ENTER(x, matrix, y_p);
    mnp__interpolation call = {
        .function = __func__, .x = x, .order = order, .prefilter = prefilter, .options = options};
    MNP_TRY(mnp__interpolate_begin(&call));
    mnp__map map = identity(x, MNP__MAP_MATRIX);
    for (int a = 0; a < call.axes.count; a++) {
        const int d = call.axes.axes[a];
        map.after[d] = offset ? offset[a] : 0;
        map.shape[d] = output_shape ? output_shape[a] : map.shape[d];
        if (map.shape[d] < 0)
            return MNP_FAIL(MNP_ERR_ARG, "%s: the output's extent is %" PRId64 ", negative", __func__, map.shape[d]);
        for (int b = 0; b < call.axes.count; b++)
            map.matrix[d][call.axes.axes[b]] = matrix[a * call.axes.count + b];
    }
    return mnp__interpolate(&call, &map, y_p);
}

mnp_status mnp_ndimage_shift(const mnp_array *x, const double *shift, int order, bool prefilter,
                             const mnp_ndimage_options *options, mnp_array **y_p)
{
    MNP_ENTER(x, shift, y_p);
    mnp__interpolation call = {
        .function = __func__, .x = x, .order = order, .prefilter = prefilter, .options = options};
    MNP_TRY(mnp__interpolate_begin(&call));
    mnp__map map = identity(x, MNP__MAP_SCALES);
    for (int a = 0; a < call.axes.count; a++)
        map.before[call.axes.axes[a]] = -shift[a];
    return mnp__interpolate(&call, &map, y_p);
}

mnp_status mnp_ndimage_zoom(const mnp_array *x, const double *zoom, bool grid_mode, int order, bool prefilter,
                            const mnp_ndimage_options *options, mnp_array **y_p)
{
    MNP_ENTER(x, zoom, y_p);
    mnp__interpolation call = {
        .function = __func__, .x = x, .order = order, .prefilter = prefilter, .options = options};
    MNP_TRY(mnp__interpolate_begin(&call));
    mnp__map map = identity(x, MNP__MAP_SCALES);
    for (int a = 0; a < call.axes.count; a++) {
        const int d = call.axes.axes[a];
        const double n = (double)x->layout->shape[d], extent = rint(n * zoom[a]);
        if (!(zoom[a] >= 0) || !(extent < 9e15))
            return MNP_FAIL(MNP_ERR_ARG, "%s: the zoom along axis %d is %g", __func__, d, zoom[a]);
        const double ends = grid_mode ? 0 : 1; /* the first and the last elements stay, or the borders of the grid */
        map.shape[d] = (int64_t)extent;
        map.scale[d] = extent == ends ? 1 : (n - ends) / (extent - ends);
        map.before[d] = grid_mode ? 0.5 : 0;
        map.after[d] = grid_mode ? -0.5 : 0;
    }
    return mnp__interpolate(&call, &map, y_p);
}

/* Sine of an angle in degrees, exact for multiples of 90. */
static double sine(double degrees)
{
    const double rest = fmod(degrees, 360);
    const double turned = rest < 0 ? rest + 360 : rest, part = fmod(turned, 180);
    const double value = part == 0 ? 0 : part == 90 ? 1 : sin(part * PI / 180);
    return turned >= 180 ? -value : value;
}

/* Write the plane of a rotation, and what the result's shape is there. */
static void rotate_plane(const int *axes, double angle, bool reshape, mnp__map *map)
{
    const double c = sine(angle + 90), s = sine(angle), matrix[2][2] = {{c, s}, {-s, c}};
    double n[2], extent[2];
    for (int a = 0; a < 2; a++)
        n[a] = (double)map->shape[axes[a]];
    for (int a = 0; a < 2; a++) { /* of the corners of the input */
        const double corners[4] = {0, matrix[a][1] * n[1], matrix[a][0] * n[0],
                                   matrix[a][0] * n[0] + matrix[a][1] * n[1]};
        double least = 0, most = 0;
        for (int i = 0; i < 4; i++) {
            least = fmin(least, corners[i]);
            most = fmax(most, corners[i]);
        }
        extent[a] = reshape ? floor(most - least + 0.5) : n[a];
        map->shape[axes[a]] = (int64_t)extent[a];
    }
    for (int a = 0; a < 2; a++) {
        map->after[axes[a]] =
            (n[a] - 1) / 2 - (matrix[a][0] * ((extent[0] - 1) / 2) + matrix[a][1] * ((extent[1] - 1) / 2));
        for (int b = 0; b < 2; b++)
            map->matrix[axes[a]][axes[b]] = matrix[a][b];
    }
}

mnp_status mnp_ndimage_rotate(const mnp_array *x, double angle, const int *axes, bool reshape, int order,
                              bool prefilter, const mnp_ndimage_options *options, mnp_array **y_p)
{
    MNP_ENTER(x, y_p);
    const int plane[2] = {axes ? axes[0] : 1, axes ? axes[1] : 0};
    mnp_ndimage_options own = options ? *options : (mnp_ndimage_options){.mode = MNP_NDIMAGE_DEFAULT};
    mnp__interpolation call = {.function = __func__, .x = x, .order = order, .prefilter = prefilter, .options = &own};
    own.naxes = 2;
    own.axes = plane;
    if (x->layout->ndim < 2)
        return MNP_FAIL(MNP_ERR_ARG, "%s: the input has %d dimensions; it should have 2 or more", __func__,
                        x->layout->ndim);
    if (!isfinite(angle))
        return MNP_FAIL(MNP_ERR_ARG, "%s: the angle is %g", __func__, angle);
    MNP_TRY(mnp__interpolate_begin(&call));
    mnp__map map = identity(x, MNP__MAP_MATRIX);
    const int *found = call.axes.axes, sorted[2] = {found[found[0] > found[1]], found[found[0] < found[1]]};
    rotate_plane(sorted, angle, reshape, &map);
    return mnp__interpolate(&call, &map, y_p);
}
