/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pictures of vectors.  Every rank finds the least and the greatest of its elements in each of a few thousand cells;
 * rank 0 joins them and draws.
 */
#include "picture/line.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/command.h"
#include "picture/picture.h"
#include "picture/plot.h"

enum { MOST_CELLS = 4096 };

/* The elements divided into cells of `reduction`; extremes[0] has the least of each, and [1] the greatest, negated. */
typedef struct cells {
    int64_t reduction;
    int count;
    double *extremes[2];
} cells;

static mnp_status find_local(const mnp_array *vector, cells *c)
{
    const size_t count = (size_t)c->count, size = (size_t)mnp_array_local_size(vector);
    const mnp_dtype dtype = mnp_array_dtype(vector);
    void *block = malloc(size * mnp_dtype_size(dtype) + 1);
    c->extremes[0] = malloc(2 * count * sizeof *c->extremes[0] + 1);
    if (!block || !c->extremes[0]) {
        free(block);
        return mnp_fail(MNP_ERR_MEMORY, "no memory on the host for the picture, %zu bytes", size);
    }
    c->extremes[1] = c->extremes[0] + count;
    for (size_t i = 0; i < 2 * count; i++)
        c->extremes[0][i] = INFINITY;
    mnp_status status = size > 0 ? mnp_array_get_local(vector, block) : MNP_OK;
    for (size_t i = 0; status == MNP_OK && i < size; i++) {
        const double value = picture_element(dtype, block, (int64_t)i);
        const int64_t cell = (mnp_array_local_lo(vector)[0] + (int64_t)i) / c->reduction;
        if (isfinite(value)) {
            c->extremes[0][cell] = fmin(c->extremes[0][cell], value);
            c->extremes[1][cell] = fmin(c->extremes[1][cell], -value);
        }
    }
    free(block);
    return status;
}

/* On rank 0: draw a point for every element, or two for every cell. */
static mnp_status draw(const picture_request *request, const char *title, const mnp_array *vector, const cells *c,
                       line_result *result)
{
    char subtitle[96] = "";
    double *points = malloc(4 * (size_t)c->count * sizeof *points + 1), *next = points;
    if (!points)
        return mnp_fail(MNP_ERR_MEMORY, "no memory on the host for the picture");
    for (int i = 0; i < c->count; i++) {
        for (int k = 0; k < (c->reduction > 1 ? 2 : 1); k++) {
            *next++ = (double)i * (double)c->reduction;
            *next++ = k == 0 ? c->extremes[0][i] : -c->extremes[1][i];
        }
    }
    if (c->reduction > 1)
        snprintf(subtitle, sizeof subtitle, "least and greatest of %" PRId64 " elements each", c->reduction);
    const plot_curve curve = {title, (int)(next - points) / 2, points};
    const bool is_complex = mnp_dtype_kind(mnp_array_dtype(vector)) == 'c';
    const plot_curves plot = {
        .words = {title, *subtitle ? subtitle : NULL, "index", is_complex ? "magnitude" : "value"},
        .x_scale = AXIS_WHOLE,
        .y_scale = AXIS_LINEAR,
        .count = 1,
        .curves = &curve,
    };
    mnp_status status = plot_write_curves(request, &plot, &result->made);
    free(points);
    return status;
}

mnp_status line_write(const picture_request *request, const char *title, const mnp_array *vector, line_result *result)
{
    mnp_ctx *ctx = mnp_array_ctx(vector);
    const bool root = mnp_ctx_rank(ctx) == 0;
    const int64_t extent = mnp_array_shape(vector)[0];
    cells c = {.reduction = (extent - 1) / MOST_CELLS + 1};
    c.count = (int)((extent - 1) / c.reduction) + 1;
    mnp_status status = mnp_agree(ctx, find_local(vector, &c));
    if (status == MNP_OK) {
        reduce_to_first(ctx, c.extremes[0], 2 * c.count, MPI_DOUBLE, MPI_MIN);
        result->reduction = c.reduction;
        status = mnp_agree(ctx, root ? draw(request, title, vector, &c, result) : MNP_OK);
    }
    free(c.extremes[0]);
    return status;
}
