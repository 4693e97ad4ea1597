/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finite elements: a loaded membrane, -div grad u = 1 in the unit square and u = 0 on its border, by linear triangles.
 * Every rank assembles the triangles of some squares; entries of points that triangles share are added up.
 *
 *   mpirun -n 4 ./elements
 *
 * prints
 *
 *   converged
 *   the middle of the membrane goes down by 0.0737
 */
#include <maniple.h>

#include <stdlib.h>

enum { SQUARES = 64, INSIDE = SQUARES - 1, POINTS = INSIDE * INSIDE };

/* The number of a point that is not on the border, otherwise -1. */
static int64_t number_of(int64_t i, int64_t j)
{
    return i < 1 || j < 1 || i > INSIDE || j > INSIDE ? -1 : (i - 1) * INSIDE + j - 1;
}

/* A list of matrix entries, and of the load's. */
struct entries {
    int64_t count, *rows, *columns;
    double *values;
};

/* The right-angled triangle with legs from corner 0 to corners 1 and 2. */
static void add_triangle(struct entries *e, const int64_t corners[3])
{
    static const double stiffness[3][3] = {{1, -0.5, -0.5}, {-0.5, 0.5, 0}, {-0.5, 0, 0.5}};
    for (int a = 0; a < 3; a++) {
        for (int b = 0; b < 3; b++) {
            if (corners[a] < 0 || corners[b] < 0)
                continue;
            e->rows[e->count] = corners[a];
            e->columns[e->count] = corners[b];
            e->values[e->count++] = stiffness[a][b];
        }
    }
}

int main(void)
{
    double depth;
    mnp_ctx *ctx;
    mnp_sparse *matrix;
    mnp_operator *a;
    mnp_precond *ssor;
    mnp_array *b = NULL, *u = NULL, *deepest = NULL;
    mnp_solve_result result;
    MNP_OR_EXIT(mnp_init(MPI_COMM_WORLD, NULL, &ctx));
    const int rank = mnp_ctx_rank(ctx), size = mnp_ctx_size(ctx);
    const int64_t first = SQUARES * rank / size, last = SQUARES * (rank + 1) / size,
                  room = 18 * SQUARES * (last - first);

    struct entries e = {0, malloc(room * sizeof(int64_t) + 1), malloc(room * sizeof(int64_t) + 1),
                        malloc(room * sizeof(double) + 1)};
    if (!e.rows || !e.columns || !e.values)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int64_t i = first; i < last; i++) {
        for (int64_t j = 0; j < SQUARES; j++) {
            const int64_t corners[4] = {number_of(i, j), number_of(i + 1, j), number_of(i, j + 1),
                                        number_of(i + 1, j + 1)};
            add_triangle(&e, (const int64_t[]){corners[0], corners[1], corners[2]});
            add_triangle(&e, (const int64_t[]){corners[3], corners[2], corners[1]});
        }
    }
    MNP_OR_EXIT(mnp_sparse_from_triplets(ctx, MNP_FLOAT64, POINTS, POINTS, NULL, NULL, e.count, e.rows, e.columns,
                                         e.values, &matrix));
    free(e.rows);
    free(e.columns);
    free(e.values);

    /* The load of a point is a third of the area of the six triangles that meet there */
    MNP_OR_EXIT(mnp_full(ctx, MNP_FLOAT64, 1, (const int64_t[]){POINTS}, &(double){1.0 / (SQUARES * SQUARES)}, &b));
    MNP_OR_EXIT(mnp_operator_from_sparse(matrix, &a));
    MNP_OR_EXIT(mnp_precond_new(matrix, MNP_PRECOND_SSOR, NULL, &ssor));
    MNP_OR_EXIT(mnp_solve(a, b, MNP_SOLVER_CG, &(mnp_solve_options){.rtol = 1e-10, .precond = ssor}, &u, &result));
    MNP_OR_EXIT(mnp_max(u, MNP_ALL_AXES, &deepest));
    MNP_OR_EXIT(mnp_item(deepest, &depth));
    if (rank == 0)
        printf("%s\nthe middle of the membrane goes down by %.4f\n", mnp_solve_reason_text(result.reason), depth);

    mnp_solve_result_clear(&result);
    mnp_precond_free(ssor);
    mnp_operator_free(a);
    mnp_sparse_free(matrix);
    mnp_free_all(b, u, deepest);
    mnp_finalize(ctx);
    return 0;
}
