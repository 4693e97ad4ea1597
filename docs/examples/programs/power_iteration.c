/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The largest eigenvalue of a sparse matrix by the power method, whose steps never leave the device:
 *
 *   mpirun -n 4 ./power_iteration
 *
 * prints
 *
 *   after 400 steps 7.932, exactly 7.932
 */
#include <maniple.h>

#include <math.h>

enum { N = 16, STEPS = 400 };

int main(void)
{
    const double pi = acos(-1);
    double value;
    mnp_ctx *ctx;
    mnp_rng *rng;
    mnp_sparse *matrix;
    mnp_array *x = NULL, *y = NULL, *quotient = NULL;

    MNP_OR_EXIT(mnp_init(MPI_COMM_WORLD, NULL, &ctx));
    MNP_OR_EXIT(mnp_sparse_generate(ctx, "poisson:16x16", MNP_FLOAT64, &matrix));
    MNP_OR_EXIT(mnp_rng_new(ctx, 0, &rng));
    MNP_OR_EXIT(mnp_random_uniform(rng, -1, 1, MNP_FLOAT64, 1, mnp_sparse_shape(matrix), &x));
    for (int i = 0; i < STEPS; i++) {
        MNP_OR_EXIT(mnp_sparse_matmul(matrix, x, &y));
        MNP_OR_EXIT(mnp_eval(ctx, "quotient = sum(x * y) / sum(x * x); x = y / sqrt(sum(y * y))", MNP_IN("y", y),
                             MNP_OUT("x", &x, "quotient", &quotient)));
    }
    MNP_OR_EXIT(mnp_item(quotient, &value));
    if (mnp_ctx_rank(ctx) == 0)
        printf("after %d steps %.3f, exactly %.3f\n", STEPS, value, 8 * pow(cos(pi / (2 * (N + 1))), 2));
    mnp_sparse_free(matrix);
    mnp_rng_free(rng);
    mnp_free_all(x, y, quotient);
    mnp_finalize(ctx);
    return 0;
}
