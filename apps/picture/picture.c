/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pictures of arrays.  Every rank sums its elements into the cells of the picture; rank 0 adds the sums of the ranks
 * and draws.  A picture costs each rank one pass over its block, and a few MiB of messages.
 */
#include "picture/picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/command.h"
#include "picture/panels.h"

/* A plane of an array, reduced to cells. */
typedef struct plane {
    const mnp_array *array;
    int dims[2];       /* rows, columns */
    int channel;       /* the dimension of colours, or negative */
    int channels;      /* of each cell: 1, 3 or 4 */
    int64_t extent[2]; /* elements */
    int64_t reduction[2];
    int cells[2];
    double *values; /* of each cell and channel: sums on each rank, then means on rank 0 */
    unsigned char *rgb;
    double low, high;
} plane;

static bool is_in_colour(const mnp_array *array)
{
    const int64_t *shape = mnp_array_shape(array);
    return mnp_array_ndim(array) == 3 && (shape[2] == 3 || shape[2] == 4) &&
           mnp_dtype_kind(mnp_array_dtype(array)) != 'c';
}

void picture_usual_dims(const mnp_array *array, int *rows, int *columns)
{
    *rows = is_in_colour(array) ? 0 : mnp_array_ndim(array) - 2;
    *columns = *rows + 1;
}

static plane plane_of(const mnp_array *array, int rows, int columns, const int64_t reduction[2])
{
    const int64_t *shape = mnp_array_shape(array);
    const bool in_colour = is_in_colour(array) && columns == 1;
    plane p = {.array = array,
               .dims = {rows, columns},
               .reduction = {reduction[0], reduction[1]},
               .channel = in_colour ? 2 : -1};
    p.channels = in_colour ? (int)shape[2] : 1;
    p.extent[0] = shape[rows];
    p.extent[1] = shape[columns];
    for (int i = 0; i < 2; i++)
        p.cells[i] = (int)((p.extent[i] + reduction[i] - 1) / reduction[i]);
    return p;
}

static size_t count_cells(const plane *p)
{
    return (size_t)p->cells[0] * (size_t)p->cells[1];
}

double picture_element(mnp_dtype dtype, const void *block, int64_t i)
{
    switch (dtype) {
    case MNP_BOOL:
    case MNP_UINT8:
        return ((const uint8_t *)block)[i];
    case MNP_INT8:
        return ((const int8_t *)block)[i];
    case MNP_INT16:
        return ((const int16_t *)block)[i];
    case MNP_INT32:
        return ((const int32_t *)block)[i];
    case MNP_INT64:
        return (double)((const int64_t *)block)[i];
    case MNP_UINT16:
        return ((const uint16_t *)block)[i];
    case MNP_UINT32:
        return ((const uint32_t *)block)[i];
    case MNP_UINT64:
        return (double)((const uint64_t *)block)[i];
    case MNP_FLOAT16:
        return (double)mnp_float16_to_float(((const uint16_t *)block)[i]);
    case MNP_BFLOAT16:
        return (double)mnp_bfloat16_to_float(((const uint16_t *)block)[i]);
    case MNP_FLOAT32:
        return (double)((const float *)block)[i];
    case MNP_FLOAT64:
        return ((const double *)block)[i];
    case MNP_COMPLEX64:
        return hypot((double)((const float *)block)[2 * i], (double)((const float *)block)[2 * i + 1]);
    case MNP_COMPLEX128:
        return hypot(((const double *)block)[2 * i], ((const double *)block)[2 * i + 1]);
    case MNP_DTYPE_AUTO:
    case MNP_NUM_DTYPES:
        break;
    }
    return NAN;
}

/* Whether this rank owns a part of the plane, which has index 0 in the dimensions that are not shown. */
static bool touches(const plane *p)
{
    const int64_t *lo = mnp_array_local_lo(p->array);
    for (int d = 0; d < mnp_array_ndim(p->array); d++)
        if (d != p->dims[0] && d != p->dims[1] && d != p->channel && lo[d] != 0)
            return false;
    return mnp_array_local_size(p->array) > 0;
}

/* Add a row of this rank's block, whose first element is number `at`, to its cells. */
static void add_row(plane *p, const void *block, int64_t at, const int64_t *stride, double *cells)
{
    const mnp_dtype dtype = mnp_array_dtype(p->array);
    const int64_t *lo = mnp_array_local_lo(p->array), *extent = mnp_array_local_shape(p->array);
    const int64_t first = p->channel < 0 ? 0 : lo[p->channel], count = p->channel < 0 ? 1 : extent[p->channel];
    const int columns = p->dims[1];
    for (int64_t c = 0; c < extent[columns]; c++) {
        double *cell = cells + (lo[columns] + c) / p->reduction[1] * p->channels + first;
        for (int64_t k = 0; k < count; k++)
            cell[k] +=
                picture_element(dtype, block, at + c * stride[columns] + (p->channel < 0 ? 0 : k * stride[p->channel]));
    }
}

static void add_block(plane *p, const void *block)
{
    const int64_t *lo = mnp_array_local_lo(p->array), *extent = mnp_array_local_shape(p->array);
    int64_t stride[MNP_MAX_DIMS], step = 1; /* strides of the copy, in C order */
    for (int d = mnp_array_ndim(p->array) - 1; d >= 0; d--) {
        stride[d] = step;
        step *= extent[d];
    }
    const int rows = p->dims[0];
    for (int64_t r = 0; r < extent[rows]; r++)
        add_row(p, block, r * stride[rows], stride,
                p->values + (lo[rows] + r) / p->reduction[0] * p->cells[1] * p->channels);
}

static mnp_status sum_local(plane *p)
{
    p->values = calloc(count_cells(p) * (size_t)p->channels + 1, sizeof *p->values);
    bool mine = touches(p);
    size_t bytes = (size_t)mnp_array_local_size(p->array) * mnp_dtype_size(mnp_array_dtype(p->array));
    void *block = mine ? malloc(bytes) : NULL;
    mnp_status status = MNP_OK;
    if (!p->values || (mine && !block))
        status = mnp_fail(MNP_ERR_MEMORY, "no memory on the host for the picture, %zu bytes", bytes);
    else if (mine)
        status = mnp_array_get_local(p->array, block);
    if (status == MNP_OK && mine)
        add_block(p, block);
    free(block);
    return status;
}

/* The number of elements that a cell covers along dimension i; the last cell may cover fewer. */
static int64_t covered(const plane *p, int i, int cell)
{
    int64_t left = p->extent[i] - cell * p->reduction[i];
    return left < p->reduction[i] ? left : p->reduction[i];
}

/* Compute the means on rank 0.  Collective. */
static mnp_status reduce(plane *p)
{
    mnp_ctx *ctx = mnp_array_ctx(p->array);
    mnp_status status = mnp_agree(ctx, sum_local(p));
    if (status != MNP_OK)
        return status;
    const bool root = mnp_ctx_rank(ctx) == 0;
    const int count = (int)(count_cells(p) * (size_t)p->channels);
    reduce_to_first(ctx, p->values, count, MPI_DOUBLE, MPI_SUM);
    for (int i = 0; root && i < count; i++) {
        const int cell = i / p->channels;
        p->values[i] /= (double)(covered(p, 0, cell / p->cells[1]) * covered(p, 1, cell % p->cells[1]));
    }
    return MNP_OK;
}

/*
 * Find the ends of the scale: 0 and 255 if the plane has such levels, otherwise the least and the greatest cell.
 */
static void find_range(plane *p, bool levels)
{
    double least = INFINITY, greatest = -INFINITY;
    for (size_t i = 0; i < count_cells(p) * (size_t)p->channels; i++) {
        if (isfinite(p->values[i])) {
            least = fmin(least, p->values[i]);
            greatest = fmax(greatest, p->values[i]);
        }
    }
    if (levels && least > -0.5 && greatest < 255.5) { /* up to rounding */
        least = 0;
        greatest = 255;
    }
    p->low = least <= greatest ? least : 0; /* there may be no finite value */
    p->high = least <= greatest ? greatest : 0;
}

static colour gray_of(double value)
{
    const unsigned char level = (unsigned char)lround(fmin(fmax(value, 0), 1) * 255);
    return (colour){level, level, level};
}

/* A value on the scale from 0 to 1; NaN if it is not finite. */
static double on_scale(const plane *p, double value)
{
    if (!isfinite(value))
        return NAN;
    return p->high > p->low ? fmin(fmax((value - p->low) / (p->high - p->low), 0), 1) : 0.5;
}

/* The byte of a colour that is more or less opaque above white. */
static unsigned char above_white(double value, double opaque)
{
    value = isnan(value) ? 0 : value;
    opaque = isnan(opaque) ? 1 : opaque;
    return (unsigned char)lround(255 * (1 - opaque * (1 - value)));
}

static mnp_status paint(plane *p, bool map)
{
    const size_t cells = count_cells(p);
    p->rgb = malloc(3 * cells + 1);
    if (!p->rgb)
        return mnp_fail(MNP_ERR_MEMORY, "no memory on the host for the picture, %zu bytes", 3 * cells);
    for (size_t i = 0; i < cells; i++) {
        const double *value = p->values + i * (size_t)p->channels;
        unsigned char *pixel = p->rgb + 3 * i;
        for (int k = 0; p->channels > 1 && k < 3; k++)
            pixel[k] = above_white(on_scale(p, value[k]), p->channels == 4 ? on_scale(p, value[3]) : 1);
        if (p->channels == 1) {
            const double level = on_scale(p, *value);
            const colour c = isnan(level) ? map ? colour_paper : gray_of(0)
                             : map ? colour_of_value(level)
                                          : gray_of(level);
            pixel[0] = c.red;
            pixel[1] = c.green;
            pixel[2] = c.blue;
        }
    }
    return MNP_OK;
}

static panel panel_of(const plane *p, const char *title, bool map)
{
    const bool levels = p->low == 0 && p->high == 255;
    return (panel){.title = title,
                   .rows = p->cells[0],
                   .columns = p->cells[1],
                   .rgb = p->rgb,
                   .reduction = {p->reduction[0], p->reduction[1]},
                   .has_scale = p->channels == 1 && p->high > p->low && (map || !levels),
                   .low = p->low,
                   .high = p->high,
                   .colour_of = map ? colour_of_value : gray_of};
}

/* On rank 0: draw the planes, and write the file. */
static mnp_status compose(const picture_request *request, const picture *drawn, plane *planes, picture_result *result)
{
    panel each[PICTURE_MOST_PLANES];
    char names[2][32] = {"row", "column"};
    mnp_status status = MNP_OK;
    for (int i = 0; i < drawn->count && status == MNP_OK; i++) {
        find_range(&planes[i], mnp_array_dtype(drawn->arrays[0]) == MNP_UINT8);
        result->low[i] = planes[i].low;
        result->high[i] = planes[i].high;
        result->in_colour[i] = planes[i].channels > 1;
        status = paint(&planes[i], request->map);
        each[i] = panel_of(&planes[i], drawn->titles[i], request->map);
    }
    if (status != MNP_OK)
        return status;
    for (int i = 0; mnp_array_ndim(drawn->arrays[0]) > 2 && planes[0].channels == 1 && i < 2; i++)
        snprintf(names[i], sizeof names[i], "index of dimension %d", planes[0].dims[i]);
    const panels all = {
        .title = drawn->title, .y_name = names[0], .x_name = names[1], .count = drawn->count, .panels = each};
    return panels_write(request, &all, &result->made);
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* How many rows and columns of elements a cell has: as many of both, unless a plane is very long. */
static void choose_reduction(const picture *p, int most, int64_t reduction[2])
{
    int64_t sides[2] = {1, 1};
    for (int i = 0; i < p->count; i++) {
        sides[0] = larger(sides[0], mnp_array_shape(p->arrays[i])[p->rows]);
        sides[1] = larger(sides[1], mnp_array_shape(p->arrays[i])[p->columns]);
    }
    const bool is_long = panels_are_long((double)sides[0], (double)sides[1]);
    const int64_t side = larger(sides[0], sides[1]);
    for (int i = 0; i < 2; i++)
        reduction[i] = ((is_long ? sides[i] : side) - 1) / most + 1;
}

mnp_status picture_write(const picture_request *request, const picture *p, picture_result *result)
{
    mnp_ctx *ctx = mnp_array_ctx(p->arrays[0]);
    picture_result made = {.reduction = {1, 1}};
    plane planes[PICTURE_MOST_PLANES] = {{NULL}};
    choose_reduction(p, panels_most_cells(request), made.reduction);
    mnp_status status = MNP_OK;
    for (int i = 0; i < p->count && status == MNP_OK; i++) {
        planes[i] = plane_of(p->arrays[i], p->rows, p->columns, made.reduction);
        status = reduce(&planes[i]);
    }
    if (status == MNP_OK)
        status = mnp_agree(ctx, mnp_ctx_rank(ctx) == 0 ? compose(request, p, planes, &made) : MNP_OK);
    if (status == MNP_OK)
        *result = made;
    for (int i = 0; i < p->count; i++) {
        free(planes[i].values);
        free(planes[i].rgb);
    }
    return status;
}
