/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pictures of sparse matrices.  Every rank counts its entries in each cell of the picture; rank 0 adds the counts and
 * writes the file.
 */
#include "picture/spy.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/command.h"
#include "picture/panels.h"

/* The matrix divided into cells. */
typedef struct grid {
    int64_t reduction;
    int rows, columns;
    double *counts;
} grid;

static int cells(int64_t extent, int64_t reduction)
{
    return extent > 0 ? (int)((extent - 1) / reduction + 1) : 0;
}

static grid make_grid(const int64_t *shape, int most)
{
    const int64_t side = shape[0] > shape[1] ? shape[0] : shape[1];
    grid g = {.reduction = side > most ? (side - 1) / most + 1 : 1};
    g.rows = cells(shape[0], g.reduction);
    g.columns = cells(shape[1], g.reduction);
    return g;
}

static mnp_status count_local(const local_rows *rows, grid *g)
{
    g->counts = calloc((size_t)g->rows * (size_t)g->columns + 1, sizeof *g->counts);
    if (!g->counts)
        return mnp_fail(MNP_ERR_MEMORY, "no memory on the host for the picture");
    for (int64_t i = 0; i < rows->count; i++) {
        double *line = g->counts + (rows->first + i) / g->reduction * g->columns;
        for (int64_t k = rows->offsets[i]; k < rows->offsets[i + 1]; k++)
            line[rows->columns[k] / g->reduction]++;
    }
    return MNP_OK;
}

/* The colour of a cell: by the square root of its share of the largest count, so that single entries are visible. */
static colour shade(double count, double most)
{
    static const colour light = {70, 130, 190}, dark = {8, 48, 107};
    const double part = sqrt(count / most);
    if (count == 0)
        return colour_paper;
    return (colour){(unsigned char)lround(light.red + part * (dark.red - light.red)),
                    (unsigned char)lround(light.green + part * (dark.green - light.green)),
                    (unsigned char)lround(light.blue + part * (dark.blue - light.blue))};
}

/* Draw and write the picture, on rank 0. */
static mnp_status paint(const picture_request *request, const char *title, const mnp_sparse *matrix, const grid *g,
                        spy_picture *result)
{
    double most = 0;
    char subtitle[160];
    const size_t cells = (size_t)g->rows * (size_t)g->columns;
    unsigned char *rgb = malloc(3 * cells + 1);
    if (!rgb)
        return mnp_fail(MNP_ERR_MEMORY, "no memory on the host for the picture, %zu bytes", 3 * cells);
    for (size_t i = 0; i < cells; i++)
        most = fmax(most, g->counts[i]);
    for (size_t i = 0; i < cells; i++) {
        const colour c = shade(g->counts[i], most);
        memcpy(rgb + 3 * i, (const unsigned char[]){c.red, c.green, c.blue}, 3);
    }
    int length = snprintf(subtitle, sizeof subtitle, "%" PRId64 " x %" PRId64 ", %" PRId64 " entries",
                          mnp_sparse_shape(matrix)[0], mnp_sparse_shape(matrix)[1], mnp_sparse_nnz(matrix));
    if (g->reduction > 1)
        snprintf(subtitle + length, sizeof subtitle - (size_t)length, "; a dot is %" PRId64 " x %" PRId64 " places",
                 g->reduction, g->reduction);
    const panel only = {.rows = g->rows, .columns = g->columns, .rgb = rgb, .reduction = {g->reduction, g->reduction}};
    const panels all = {
        .title = title, .subtitle = subtitle, .y_name = "row", .x_name = "column", .count = 1, .panels = &only};
    mnp_status status = panels_write(request, &all, &result->made);
    free(rgb);
    return status;
}

mnp_status spy_write(const picture_request *request, const char *title, const mnp_sparse *matrix,
                     const local_rows *rows, spy_picture *result)
{
    mnp_ctx *ctx = mnp_sparse_ctx(matrix);
    const bool root = mnp_ctx_rank(ctx) == 0;
    grid g = make_grid(mnp_sparse_shape(matrix), panels_most_cells(request) / 2); /* dots are seen */
    mnp_status status = mnp_agree(ctx, count_local(rows, &g));
    if (status == MNP_OK) {
        reduce_to_first(ctx, g.counts, g.rows * g.columns, MPI_DOUBLE, MPI_SUM);
        result->reduction = g.reduction;
        status = mnp_agree(ctx, root ? paint(request, title, matrix, &g, result) : MNP_OK);
    }
    free(g.counts);
    return status;
}
