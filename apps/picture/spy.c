/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pictures of sparse matrices.  Every rank counts its entries in each cell of the picture; rank 0 adds the counts and
 * writes the file.
 */
#include "picture/spy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "picture/png_file.h"

enum { LARGEST_SIDE = 1024, ENLARGED_SIDE = 512, FRAME_GRAY = 160, WHITE = 255, LIGHTEST = 176 };

/* The matrix divided into cells, each `zoom` pixels wide. */
typedef struct grid {
    int64_t reduction;
    int rows, columns, zoom;
    double *counts;
} grid;

static int cells(int64_t extent, int64_t reduction)
{
    return extent > 0 ? (int)((extent - 1) / reduction + 1) : 0;
}

static grid make_grid(const int64_t *shape)
{
    const int64_t side = shape[0] > shape[1] ? shape[0] : shape[1];
    grid g = {.reduction = side > LARGEST_SIDE ? (side - 1) / LARGEST_SIDE + 1 : 1};
    g.rows = cells(shape[0], g.reduction);
    g.columns = cells(shape[1], g.reduction);
    g.zoom = side > 0 && side < ENLARGED_SIDE ? (int)(ENLARGED_SIDE / side) : 1;
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

/* The gray of a cell: by the square root of its share of the largest count, so that single entries are visible. */
static unsigned char gray(double count, double most)
{
    return count > 0 ? (unsigned char)lround(LIGHTEST * (1 - sqrt(count / most))) : WHITE;
}

/* Draw and write the picture, on rank 0. */
static mnp_status paint(const grid *g, const char *path, spy_picture *result)
{
    double most = 0;
    const size_t size = (size_t)result->width * (size_t)result->height;
    unsigned char *pixels = malloc(size);
    if (!pixels)
        return mnp_fail(MNP_ERR_MEMORY, "no memory on the host for the picture, %zu bytes", size);
    for (int64_t i = 0; i < (int64_t)g->rows * g->columns; i++)
        most = fmax(most, g->counts[i]);
    memset(pixels, FRAME_GRAY, size);
    for (int y = 0; y < g->rows * g->zoom; y++)
        for (int x = 0; x < g->columns * g->zoom; x++)
            pixels[(int64_t)(y + 1) * result->width + x + 1] =
                gray(g->counts[(int64_t)(y / g->zoom) * g->columns + x / g->zoom], most);
    mnp_status status = png_write(path, result->width, result->height, pixels);
    free(pixels);
    return status;
}

mnp_status spy_write(const mnp_sparse *matrix, const local_rows *rows, const char *path, spy_picture *result)
{
    mnp_ctx *ctx = mnp_sparse_ctx(matrix);
    const bool root = mnp_ctx_rank(ctx) == 0;
    grid g = make_grid(mnp_sparse_shape(matrix));
    mnp_status status = mnp_agree(ctx, count_local(rows, &g));
    if (status == MNP_OK) {
        MPI_Reduce(root ? MPI_IN_PLACE : g.counts, g.counts, g.rows * g.columns, MPI_DOUBLE, MPI_SUM, 0,
                   mnp_ctx_comm(ctx));
        *result = (spy_picture){g.columns * g.zoom + 2, g.rows * g.zoom + 2, g.reduction};
        status = mnp_agree(ctx, root ? paint(&g, path, result) : MNP_OK);
    }
    free(g.counts);
    return status;
}
