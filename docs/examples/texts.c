/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Heat that spreads over a plate, by a text with slices:  mpirun -n 4 ./texts
 *
 * prints
 *
 *   after 200 steps the plate has 9.43 of 10.00, the middle 0.0318
 *   half of the plate is warmer than 0.0033, a tenth than 0.0211
 *   row 15 is warmer than 0.01 at 19 places
 */
#include <maniple.h>

static double number(const mnp_array *x)
{
    double value;
    MNP_OR_EXIT(mnp_array_to_host(x, MNP_ALL_RANKS, &value));
    return value;
}

int main(void)
{
    mnp_ctx *ctx;
    mnp_array *u = NULL, *sum = NULL, *middle = NULL, *median = NULL, *tenth = NULL, *count = NULL;
    const int64_t shape[] = {41, 33};

    MNP_OR_EXIT(mnp_init(MPI_COMM_WORLD, NULL, &ctx));

    /* A part of an array is assigned in place; what the stencil reads of other ranks is fetched */
    MNP_OR_EXIT(mnp_zeros(ctx, MNP_FLOAT64, 2, shape, &u));
    MNP_OR_EXIT(mnp_set(u, "20, 16", MNP_SCALAR(ctx, 10.0)));
    for (int step = 0; step < 200; step++)
        MNP_OR_EXIT(mnp_eval(ctx,
                             "u[1:-1, 1:-1] += f * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]"
                             "                      - 4*u[1:-1, 1:-1])",
                             MNP_IN("f", MNP_SCALAR(ctx, 0.125)), MNP_OUT("u", &u)));

    /* Functions of whole arrays, among them reductions; x and y are numbers that may be others in the next call */
    MNP_OR_EXIT(mnp_eval(ctx, "s = sum(u); m = u[x, y]; half = median(u); warm = percentile(u, 90)",
                         MNP_IN("u", u, "x", MNP_SCALAR(ctx, 20), "y", MNP_SCALAR(ctx, 16)),
                         MNP_OUT("s", &sum, "m", &middle, "half", &median, "warm", &tenth)));
    double all = number(sum), there = number(middle), half = number(median), warm = number(tenth);
    MNP_OR_EXIT(mnp_eval(ctx, "n = float64(count_nonzero(u[15] > 0.01))", MNP_IN("u", u), MNP_OUT("n", &count)));
    double places = number(count);
    if (mnp_ctx_rank(ctx) == 0) {
        printf("after 200 steps the plate has %.2f of 10.00, the middle %.4f\n", all, there);
        printf("half of the plate is warmer than %.3g, a tenth than %.3g\n", half, warm);
        printf("row 15 is warmer than 0.01 at %.0f places\n", places);
    }
    mnp_free_all(u, sum, middle, median, tenth, count);
    mnp_finalize(ctx);
    return 0;
}
