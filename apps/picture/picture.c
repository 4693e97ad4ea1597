/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pictures of arrays.  Every rank sums its elements into the cells of the picture; rank 0 adds the sums of the ranks
 * and writes the file.  A picture costs each rank one pass over its block, and a few MiB of messages.
 */
#include "picture/picture.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "picture/png_file.h"

enum { LARGEST_SIDE = 1024, SEPARATOR = 4, SEPARATOR_GRAY = 255 };

/* A plane of an array, reduced to cells. */
typedef struct plane {
    const mnp_array *array;
    int dims[2];       /* rows, columns */
    int64_t extent[2]; /* elements */
    int64_t reduction;
    int cells[2];   /* pixels */
    double *values; /* sums on each rank, then means on rank 0 */
} plane;

static plane plane_of(const mnp_array *array, int rows, int columns, int64_t reduction)
{
    const int64_t *shape = mnp_array_shape(array);
    plane p = {.array = array, .dims = {rows, columns}, .reduction = reduction};
    p.extent[0] = shape[rows];
    p.extent[1] = shape[columns];
    for (int i = 0; i < 2; i++)
        p.cells[i] = (int)((p.extent[i] + reduction - 1) / reduction);
    return p;
}

static double element(mnp_dtype dtype, const void *block, int64_t i)
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
        if (d != p->dims[0] && d != p->dims[1] && lo[d] != 0)
            return false;
    return mnp_array_local_size(p->array) > 0;
}

static void add_block(plane *p, const void *block)
{
    mnp_dtype dtype = mnp_array_dtype(p->array);
    const int64_t *lo = mnp_array_local_lo(p->array);
    const int64_t *extent = mnp_array_local_shape(p->array);
    int64_t stride[MNP_MAX_DIMS], step = 1; /* strides of the copy, in C order */
    for (int d = mnp_array_ndim(p->array) - 1; d >= 0; d--) {
        stride[d] = step;
        step *= extent[d];
    }
    int rows = p->dims[0], columns = p->dims[1];
    for (int64_t r = 0; r < extent[rows]; r++) {
        double *line = p->values + (lo[rows] + r) / p->reduction * p->cells[1];
        for (int64_t c = 0; c < extent[columns]; c++)
            line[(lo[columns] + c) / p->reduction] += element(dtype, block, r * stride[rows] + c * stride[columns]);
    }
}

static mnp_status sum_local(plane *p)
{
    p->values = calloc((size_t)p->cells[0] * (size_t)p->cells[1], sizeof *p->values);
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
    int64_t left = p->extent[i] - cell * p->reduction;
    return left < p->reduction ? left : p->reduction;
}

/* Compute the means on rank 0.  Collective. */
static mnp_status reduce(plane *p)
{
    mnp_ctx *ctx = mnp_array_ctx(p->array);
    mnp_status status = mnp_agree(ctx, sum_local(p));
    if (status != MNP_OK)
        return status;
    bool root = mnp_ctx_rank(ctx) == 0;
    MPI_Reduce(root ? MPI_IN_PLACE : p->values, p->values, p->cells[0] * p->cells[1], MPI_DOUBLE, MPI_SUM, 0,
               mnp_ctx_comm(ctx));
    for (int r = 0; root && r < p->cells[0]; r++)
        for (int c = 0; c < p->cells[1]; c++)
            p->values[(int64_t)r * p->cells[1] + c] /= (double)(covered(p, 0, r) * covered(p, 1, c));
    return MNP_OK;
}

/*
 * The values to show as black and white: 0 and 255 if the plane has gray levels, otherwise the least and the greatest.
 */
static void find_range(const plane *p, bool levels, double *black, double *white)
{
    double least = INFINITY, greatest = -INFINITY;
    for (int64_t i = 0; i < (int64_t)p->cells[0] * p->cells[1]; i++) {
        if (isfinite(p->values[i])) {
            least = fmin(least, p->values[i]);
            greatest = fmax(greatest, p->values[i]);
        }
    }
    if (levels && least > -0.5 && greatest < 255.5) { /* up to rounding */
        least = 0;
        greatest = 255;
    }
    *black = least <= greatest ? least : 0; /* there may be no finite value */
    *white = least <= greatest ? greatest : 0;
}

static unsigned char gray(double value, double black, double white)
{
    if (!isfinite(value))
        return 0;
    if (white <= black)
        return 128;
    double level = (value - black) / (white - black) * 255;
    return (unsigned char)lround(fmin(fmax(level, 0), 255));
}

static void paint(const plane *p, double black, double white, unsigned char *pixels, int width)
{
    for (int r = 0; r < p->cells[0]; r++)
        for (int c = 0; c < p->cells[1]; c++)
            pixels[(int64_t)r * width + c] = gray(p->values[(int64_t)r * p->cells[1] + c], black, white);
}

/* On rank 0: draw both planes into one picture, and write the file. */
static mnp_status compose(const plane planes[2], bool levels, const char *path, picture *result)
{
    size_t size = (size_t)result->width * (size_t)result->height;
    unsigned char *pixels = malloc(size);
    if (!pixels)
        return mnp_fail(MNP_ERR_MEMORY, "no memory on the host for the picture, %zu bytes", size);
    memset(pixels, SEPARATOR_GRAY, size);
    for (int i = 0; i < 2; i++) {
        find_range(&planes[i], levels, &result->black[i], &result->white[i]);
        unsigned char *corner = pixels + i * (planes[0].cells[1] + SEPARATOR);
        paint(&planes[i], result->black[i], result->white[i], corner, result->width);
    }
    mnp_status status = png_write(path, result->width, result->height, pixels);
    free(pixels);
    return status;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

mnp_status picture_write(const mnp_array *left, const mnp_array *right, int rows, int columns, const char *path,
                         picture *result)
{
    mnp_ctx *ctx = mnp_array_ctx(left);
    const int64_t *a = mnp_array_shape(left), *b = mnp_array_shape(right);
    int64_t side = larger(larger(a[rows], a[columns]), larger(b[rows], b[columns]));
    picture made = {.reduction = (side + LARGEST_SIDE - 1) / LARGEST_SIDE};
    plane planes[2] = {plane_of(left, rows, columns, made.reduction), plane_of(right, rows, columns, made.reduction)};
    made.width = planes[0].cells[1] + SEPARATOR + planes[1].cells[1];
    made.height = (int)larger(planes[0].cells[0], planes[1].cells[0]);

    mnp_status status = reduce(&planes[0]);
    if (status == MNP_OK)
        status = reduce(&planes[1]);
    if (status == MNP_OK) {
        bool levels = mnp_array_dtype(left) == MNP_UINT8;
        status = mnp_agree(ctx, mnp_ctx_rank(ctx) == 0 ? compose(planes, levels, path, &made) : MNP_OK);
    }
    if (status == MNP_OK)
        *result = made;
    free(planes[0].values);
    free(planes[1].values);
    return status;
}
