/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sparse matrices, solvers, and eigenvalues:  mpirun -n 4 ./systems
 *
 * prints
 *
 *   y = A x: 1 0 0 0 0 1
 *   cg: converged, residual below 1e-08
 *   cg with a kernel: converged, residual below 1e-08
 *   stopped by the program after 5 iterations
 *   bicgstab with ilu0: converged, residual below 1e-08
 *
 * and on standard error, where there is LAPACK, the smallest eigenvalues of the matrix.
 */
#include <maniple.h>

static void report(mnp_ctx *ctx, const char *what, const mnp_solve_result *result)
{
    const bool small = result->residual <= 1e-8 * result->rhs_norm;
    if (mnp_ctx_rank(ctx) == 0)
        printf("%s: %s, residual %s 1e-08\n", what,
               result->reason == MNP_SOLVE_CONVERGED ? "converged" : "not converged", small ? "below" : "above");
}

/* A matrix of entries: every rank may give any of them, here rank 0 gives all. */
static void product(mnp_ctx *ctx)
{
    enum { N = 6 };
    int64_t rows[3 * N], columns[3 * N], count = 0;
    double values[3 * N], result[N];
    mnp_sparse *matrix;
    mnp_array *x = NULL, *y = NULL;

    for (int64_t i = 0; i < N && mnp_ctx_rank(ctx) == 0; i++)
        for (int64_t j = i > 0 ? i - 1 : 0; j < N && j <= i + 1; j++) {
            rows[count] = i;
            columns[count] = j;
            values[count++] = i == j ? 2 : -1;
        }
    MNP_OR_EXIT(mnp_sparse_from_triplets(ctx, MNP_FLOAT64, N, N, NULL, NULL, count, rows, columns, values, &matrix));
    MNP_OR_EXIT(mnp_ones(ctx, MNP_FLOAT64, 1, (const int64_t[]){N}, &x));
    MNP_OR_EXIT(mnp_sparse_matmul(matrix, x, &y));
    MNP_OR_EXIT(mnp_to_host(y, 0, result));
    if (mnp_ctx_rank(ctx) == 0)
        printf("y = A x: %g %g %g %g %g %g\n", result[0], result[1], result[2], result[3], result[4], result[5]);
    mnp_sparse_free(matrix);
    mnp_free_all(x, y);
}

static bool stop_after_five(void *argument, int64_t iteration, double residual, const mnp_array *x)
{
    (void)argument, (void)residual, (void)x;
    return iteration >= 5;
}

/* Poisson's equation, by a matrix and by a kernel. */
static void symmetric(mnp_ctx *ctx)
{
    mnp_sparse *matrix;
    mnp_operator *a, *kernel;
    mnp_precond *jacobi;
    mnp_array *b = NULL, *x = NULL;
    mnp_solve_result result;

    MNP_OR_EXIT(mnp_sparse_generate(ctx, "poisson:32x32", MNP_FLOAT64, &matrix));
    MNP_OR_EXIT(mnp_operator_from_sparse(matrix, &a));
    MNP_OR_EXIT(mnp_precond_new(matrix, MNP_PRECOND_JACOBI, NULL, &jacobi));
    MNP_OR_EXIT(mnp_ones(ctx, MNP_FLOAT64, 1, mnp_sparse_shape(matrix), &b));
    MNP_OR_EXIT(mnp_solve(a, b, MNP_SOLVER_CG, &(mnp_solve_options){.rtol = 1e-8, .precond = jacobi}, &x, &result));
    report(ctx, "cg", &result);
    mnp_solve_result_clear(&result);

    /* the same operator without a matrix */
    MNP_OR_EXIT(mnp_operator_from_kernel(ctx, MNP_FLOAT64, 2, (const int64_t[]){32, 32}, NULL, (const int64_t[]){1, 1},
                                         "y = 4 * x(0, 0) - x(-1, 0) - x(1, 0) - x(0, -1) - x(0, 1);", NULL, NULL,
                                         &kernel));
    mnp_solve_options options = {.rtol = 1e-8, .zero_guess = true};
    MNP_OR_EXIT(mnp_solve(kernel, b, MNP_SOLVER_CG, &options, &x, &result));
    report(ctx, "cg with a kernel", &result);
    mnp_solve_result_clear(&result);

    options.progress = stop_after_five;
    MNP_OR_EXIT(mnp_solve(a, b, MNP_SOLVER_GMRES, &options, &x, &result));
    if (mnp_ctx_rank(ctx) == 0 && result.reason == MNP_SOLVE_STOPPED)
        printf("stopped by the program after 5 iterations\n");
    mnp_solve_result_clear(&result);

    mnp_precond_free(jacobi);
    mnp_operator_free(a);
    mnp_operator_free(kernel);
    mnp_sparse_free(matrix);
    mnp_free_all(b, x);
}

/* Convection and diffusion: no symmetry. */
static void unsymmetric(mnp_ctx *ctx)
{
    mnp_sparse *matrix;
    mnp_operator *a;
    mnp_precond *ilu0;
    mnp_array *b = NULL, *x = NULL;
    mnp_solve_result result;
    MNP_OR_EXIT(mnp_sparse_generate(ctx, "convdiff:32x32@2", MNP_FLOAT64, &matrix));
    MNP_OR_EXIT(mnp_operator_from_sparse(matrix, &a));
    MNP_OR_EXIT(mnp_precond_new(matrix, MNP_PRECOND_ILU0, NULL, &ilu0));
    MNP_OR_EXIT(mnp_ones(ctx, MNP_FLOAT64, 1, mnp_sparse_shape(matrix), &b));
    MNP_OR_EXIT(mnp_solve(a, b, MNP_SOLVER_BICGSTAB, &(mnp_solve_options){.rtol = 1e-8, .precond = ilu0}, &x, &result));
    report(ctx, "bicgstab with ilu0", &result);
    mnp_solve_result_clear(&result);
    mnp_precond_free(ilu0);
    mnp_operator_free(a);
    mnp_sparse_free(matrix);
    mnp_free_all(b, x);
}

static void eigenvalues(mnp_ctx *ctx)
{
    mnp_sparse *matrix;
    mnp_operator *a;
    double values[3];
    MNP_OR_EXIT(mnp_sparse_generate(ctx, "poisson:31x31", MNP_FLOAT64, &matrix));
    MNP_OR_EXIT(mnp_operator_from_sparse(matrix, &a));
    const mnp_eigsh_options options = {.which = MNP_EIGEN_SA, .tol = 1e-10};
    const mnp_status status = mnp_eigsh(a, 3, &options, values, NULL, NULL);
    if (status == MNP_OK && mnp_ctx_rank(ctx) == 0)
        fprintf(stderr, "smallest eigenvalues: %.5f %.5f %.5f\n", values[0], values[1], values[2]);
    if (status != MNP_OK && status != MNP_ERR_UNSUPPORTED)
        mnp_exit(1);
    mnp_operator_free(a);
    mnp_sparse_free(matrix);
}

int main(void)
{
    mnp_ctx *ctx;
    MNP_OR_EXIT(mnp_init(MPI_COMM_WORLD, NULL, &ctx));
    product(ctx);
    symmetric(ctx);
    unsymmetric(ctx);
    eigenvalues(ctx);
    mnp_finalize(ctx);
    return 0;
}
