/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A cluster of 300 stars that attract one another, by leapfrog steps:  mpirun -n 4 ./nbody
 *
 * prints
 *
 *   energy before -0.1474, after 100 steps -0.1474
 */
#include <maniple.h>

enum { STARS = 300, STEPS = 100 };

/* Distances of all pairs of stars, softened; then what one star feels of all others, and what all have together. */
static const char acceleration[] =
    "d = x - x[:, None]; a = sum(d * (sum(d**2, axis=2) + 0.01)[:, :, None]**-1.5, axis=1) / n0";
static const char energy[] = "d = x - x[:, None]\n"
                             "e = sum(v**2) / 600 - (sum((sum(d**2, axis=2) + 0.01)**-0.5) - 3000) / 180000";

static double total_energy(mnp_ctx *ctx, const mnp_array *x, const mnp_array *v)
{
    double value;
    mnp_array *e = NULL;
    MNP_OR_EXIT(mnp_eval(ctx, energy, MNP_IN("x", x, "v", v), MNP_OUT("e", &e)));
    MNP_OR_EXIT(mnp_item(e, &value));
    mnp_array_free(e);
    return value;
}

int main(void)
{
    const int64_t shape[] = {STARS, 3};
    mnp_ctx *ctx;
    mnp_rng *rng;
    mnp_array *x = NULL, *v = NULL, *a = NULL;

    MNP_OR_EXIT(mnp_init(MPI_COMM_WORLD, NULL, &ctx));
    MNP_OR_EXIT(mnp_rng_new(ctx, 3, &rng));
    MNP_OR_EXIT(mnp_random_normal(rng, 0, 1, MNP_FLOAT64, 2, shape, &x));
    MNP_OR_EXIT(mnp_random_normal(rng, 0, 0.3, MNP_FLOAT64, 2, shape, &v));
    const double before = total_energy(ctx, x, v);

    const mnp_array *half = MNP_SCALAR(ctx, 0.005), *whole = MNP_SCALAR(ctx, 0.01);
    MNP_OR_EXIT(mnp_eval(ctx, acceleration, MNP_IN("x", x), MNP_OUT("a", &a)));
    for (int i = 0; i < STEPS; i++) {
        MNP_OR_EXIT(
            mnp_eval(ctx, "v += h * a; x += t * v", MNP_IN("a", a, "h", half, "t", whole), MNP_OUT("v", &v, "x", &x)));
        MNP_OR_EXIT(mnp_eval(ctx, acceleration, MNP_IN("x", x), MNP_OUT("a", &a)));
        MNP_OR_EXIT(mnp_eval(ctx, "v += h * a", MNP_IN("a", a, "h", half), MNP_OUT("v", &v)));
    }
    const double after = total_energy(ctx, x, v);
    if (mnp_ctx_rank(ctx) == 0)
        printf("energy before %.4f, after %d steps %.4f\n", before, STEPS, after);
    mnp_free_all(x, v, a);
    mnp_rng_free(rng);
    mnp_finalize(ctx);
    return 0;
}
