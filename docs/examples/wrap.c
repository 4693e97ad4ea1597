/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An existing MPI program on the host, whose grid has a border of ghost cells, gives its memory to Maniple without a
 * copy:  MANIPLE_DEVICE=host mpirun -n 4 ./wrap
 *
 * prints
 *
 *   the hottest cell has 1 degrees, the mean is 0.25
 *   in the program's own memory the hottest cell now has 274.15
 */
#include <maniple.h>

#include <stdlib.h>

enum { ROWS = 24, COLUMNS = 8, GHOSTS = 1 };
static const int64_t shape[] = {ROWS, COLUMNS};

/* This rank's part of the grid, and a border of ghost cells around it. */
typedef struct grid {
    int64_t first, rows; /* rows of the whole grid that this rank owns */
    int64_t stride;      /* from a row to the next one */
    double *cells;
} grid;

static void make_grid(int rank, int size, grid *grid)
{
    grid->first = ROWS * rank / size;
    grid->rows = ROWS * (rank + 1) / size - grid->first;
    grid->stride = COLUMNS + 2 * GHOSTS;
    grid->cells = malloc((size_t)((grid->rows + 2 * GHOSTS) * grid->stride) * sizeof *grid->cells);
    if (!grid->cells)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int64_t i = 0; i < (grid->rows + 2 * GHOSTS) * grid->stride; i++)
        grid->cells[i] = -1000; /* ghosts, which no result may contain */
    for (int64_t i = 0; i < grid->rows; i++) {
        for (int64_t j = 0; j < COLUMNS; j++)
            grid->cells[(i + GHOSTS) * grid->stride + j + GHOSTS] = (grid->first + i) % 4 == 1;
    }
}

/* An array of all ranks' cells without ghosts; the rows are cut where the program has cut them. */
static void wrap(mnp_ctx *ctx, const grid *grid, mnp_array **array_p)
{
    const int size = mnp_ctx_size(ctx), axes[] = {0, MNP_NO_AXIS};
    int64_t *cuts = malloc((size_t)(size + 1) * sizeof *cuts);
    const int64_t *all_cuts[] = {cuts, NULL}, strides[] = {grid->stride, 1};
    mnp_layout *layout;
    if (!cuts)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int r = 0; r <= size; r++)
        cuts[r] = ROWS * r / size;
    MNP_OR_EXIT(mnp_layout_new(1, &size, 2, shape, axes, all_cuts, &layout));
    MNP_OR_EXIT(mnp_array_wrap(ctx, MNP_FLOAT64, layout, grid->cells + GHOSTS * grid->stride + GHOSTS, strides, NULL,
                               NULL, array_p));
    mnp_layout_free(layout);
    free(cuts);
}

static double number(const mnp_array *x)
{
    double value;
    MNP_OR_EXIT(mnp_item(x, &value));
    return value;
}

int main(int argc, char **argv)
{
    mnp_ctx *ctx;
    mnp_array *celsius = NULL, *hottest = NULL, *mean = NULL;
    grid grid;
    MPI_Init(&argc, &argv);
    MNP_OR_EXIT(mnp_init(MPI_COMM_WORLD, "device=host", &ctx));
    make_grid(mnp_ctx_rank(ctx), mnp_ctx_size(ctx), &grid);
    wrap(ctx, &grid, &celsius);

    MNP_OR_EXIT(mnp_max(celsius, MNP_ALL_AXES, &hottest));
    MNP_OR_EXIT(mnp_mean(celsius, MNP_ALL_AXES, &mean));
    const double degrees = number(hottest), average = number(mean);

    MNP_OR_EXIT(mnp_add(celsius, MNP_SCALAR(ctx, 273.15), &celsius)); /* in place: in the program's memory */
    MNP_OR_EXIT(mnp_ctx_synchronize(ctx));
    double largest = 0;
    for (int64_t i = 0; i < grid.rows * COLUMNS; i++) {
        const double cell = grid.cells[(i / COLUMNS + GHOSTS) * grid.stride + i % COLUMNS + GHOSTS];
        largest = cell > largest ? cell : largest;
    }
    MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);

    if (mnp_ctx_rank(ctx) == 0) {
        printf("the hottest cell has %g degrees, the mean is %g\n", degrees, average);
        printf("in the program's own memory the hottest cell now has %g\n", largest);
    }
    mnp_free_all(celsius, hottest, mean);
    mnp_finalize(ctx);
    free(grid.cells);
    MPI_Finalize();
    return 0;
}
