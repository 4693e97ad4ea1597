/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who has which elements: meshes, layouts, moving an array, and what ranks say to each other:  mpirun -n 4 ./layouts
 *
 * prints
 *
 *   the sum, cut by columns: 276
 *   the sum, in parts of our own: 276
 *   every rank has 48 elements
 *   the ranks' shares add up to 1.5
 */
#include <maniple.h>

enum { ROWS = 6, COLUMNS = 8 };
static const int64_t shape[] = {ROWS, COLUMNS};

static void say(mnp_ctx *ctx, const char *format, double value)
{
    if (mnp_ctx_rank(ctx) == 0)
        printf(format, value);
}

static double sum_of(const mnp_array *x)
{
    mnp_array *sum = NULL;
    double value;
    MNP_OR_EXIT(mnp_sum(x, MNP_ALL_AXES, &sum));
    MNP_OR_EXIT(mnp_item(sum, &value));
    mnp_array_free(sum);
    return value;
}

/* The same array cut by rows and by columns; a plan for a move that happens often. */
static void move(mnp_ctx *ctx, const mnp_array *x)
{
    mnp_layout *rows, *columns;
    mnp_array *by_rows = NULL, *by_columns = NULL;
    mnp_plan *turn;

    MNP_OR_EXIT(mnp_layout_parse(ctx, 2, shape, "0, *", &rows));
    MNP_OR_EXIT(mnp_layout_parse(ctx, 2, shape, "*, 0", &columns));
    MNP_OR_EXIT(mnp_redistribute(x, rows, &by_rows));

    MNP_OR_EXIT(mnp_plan_new(by_rows, columns, &turn));
    for (int step = 0; step < 3; step++)
        MNP_OR_EXIT(mnp_plan_run(turn, by_rows, &by_columns));

    say(ctx, "the sum, cut by columns: %g\n", sum_of(by_columns));
    mnp_plan_free(turn);
    mnp_free_all(by_rows, by_columns);
    mnp_layout_free(rows);
    mnp_layout_free(columns);
}

/* Cuts that the program chooses, and a copy that every rank has. */
static void cuts_and_replicas(mnp_ctx *ctx, const mnp_array *x)
{
    mnp_layout *uneven;
    mnp_array *parts = NULL, *copy = NULL;
    const int size = mnp_ctx_size(ctx), axes[] = {MNP_NO_AXIS, 0};
    int64_t cuts[65] = {0}; /* for at most 64 ranks */

    /* rank 0 has the first three columns, the last rank all others */
    for (int part = 1; part <= size; part++)
        cuts[part] = part < size ? 3 : COLUMNS;
    MNP_OR_EXIT(mnp_layout_new(1, &size, 2, shape, axes, (const int64_t *[]){NULL, cuts}, &uneven));
    MNP_OR_EXIT(mnp_redistribute(x, uneven, &parts));
    say(ctx, "the sum, in parts of our own: %g\n", sum_of(parts));

    MNP_OR_EXIT(mnp_replicate(x, &copy));
    say(ctx, "every rank has %g elements\n", (double)mnp_array_local_size(copy));
    mnp_free_all(parts, copy);
    mnp_layout_free(uneven);
}

/* Every rank has a number of its own, and all of them get the sum. */
static void collective(mnp_ctx *ctx, mnp_mesh *mesh)
{
    mnp_comm *comm;
    mnp_layout *everywhere;
    mnp_array *part = NULL, *sum = NULL;
    const double own = 1.5 / mnp_ctx_size(ctx);
    double total;

    MNP_OR_EXIT(mnp_mesh_comm(mesh, 0, &comm)); /* the ranks along axis 0 of the mesh: here all of them */
    MNP_OR_EXIT(mnp_layout_replicated(mnp_ctx_size(ctx), 0, NULL, &everywhere));
    MNP_OR_EXIT(mnp_array_new(ctx, MNP_FLOAT64, everywhere, &part));
    MNP_OR_EXIT(mnp_array_set_local(part, &own));
    MNP_OR_EXIT(mnp_array_all_reduce(comm, part, MNP_SUM, &sum));
    MNP_OR_EXIT(mnp_array_get_local(sum, &total));
    say(ctx, "the ranks' shares add up to %g\n", total);
    mnp_free_all(part, sum);
    mnp_layout_free(everywhere);
}

int main(void)
{
    mnp_ctx *ctx;
    mnp_mesh *mesh;
    mnp_array *x = NULL;

    MNP_OR_EXIT(mnp_init(MPI_COMM_WORLD, NULL, &ctx));
    MNP_OR_EXIT(mnp_mesh_new(ctx, 1, NULL, &mesh));
    MNP_OR_EXIT(mnp_fromfunction(ctx, "i0 + i1 - 0.25", MNP_FLOAT64, 2, shape, &x));
    move(ctx, x);
    cuts_and_replicas(ctx, x);
    collective(ctx, mesh);
    mnp_array_free(x);
    mnp_mesh_free(mesh);
    mnp_finalize(ctx);
    return 0;
}
