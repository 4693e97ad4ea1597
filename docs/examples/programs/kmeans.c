/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * k-means: Lloyd's iteration on random points around three places:  mpirun -n 4 ./kmeans
 *
 * prints
 *
 *   after 10 steps 90000 points have three centres
 *   30081 points around ( 3.99,  0.00)
 *   30068 points around (-2.00,  3.01)
 *   29851 points around (-2.01, -3.01)
 */
#include <maniple.h>

/* Every point belongs to the nearest centre, and every centre is the mean of its points. */
static const char step[] = "label = argmin(sum((x[:, None] - c)**2, axis=2), axis=1)\n"
                           "n = bincount(label, minlength=3)\n"
                           "c = stack((bincount(label, x[:, 0], minlength=3), bincount(label, x[:, 1], minlength=3)), "
                           "axis=1) / n[:, None]\n";

int main(void)
{
    const double first[3][2] = {{1, 0}, {0, 1}, {0, -1}};
    double centres[3][2];
    int64_t sizes[3];
    mnp_ctx *ctx;
    mnp_rng *rng;
    mnp_array *noise = NULL, *place = NULL, *x = NULL, *c = NULL, *n = NULL;

    MNP_OR_EXIT(mnp_init(MPI_COMM_WORLD, NULL, &ctx));
    MNP_OR_EXIT(mnp_rng_new(ctx, 1, &rng));
    MNP_OR_EXIT(mnp_random_normal(rng, 0, 1, MNP_FLOAT64, 2, (const int64_t[]){90000, 2}, &noise));
    MNP_OR_EXIT(mnp_random_integers(rng, 0, 3, false, MNP_INT64, 1, (const int64_t[]){90000}, &place));
    MNP_OR_EXIT(mnp_eval(ctx, "x = noise + stack((where(k == 0, 4.0, -2.0), 3.0 * (k == 1) - 3.0 * (k == 2)), axis=1)",
                         MNP_IN("noise", noise, "k", place), MNP_OUT("x", &x)));

    MNP_OR_EXIT(mnp_array_from_host(ctx, MNP_FLOAT64, 2, (const int64_t[]){3, 2}, first, &c));
    for (int i = 0; i < 10; i++)
        MNP_OR_EXIT(mnp_eval(ctx, step, MNP_IN("x", x), MNP_OUT("c", &c, "n", &n)));

    MNP_OR_EXIT(mnp_to_host(c, 0, centres[0]));
    MNP_OR_EXIT(mnp_to_host(n, 0, sizes));
    if (mnp_ctx_rank(ctx) == 0) {
        printf("after 10 steps 90000 points have three centres\n");
        for (int k = 0; k < 3; k++)
            printf("%lld points around (%5.2f, %5.2f)\n", (long long)sizes[k], centres[k][0], centres[k][1]);
    }
    mnp_free_all(noise, place, x, c, n);
    mnp_rng_free(rng);
    mnp_finalize(ctx);
    return 0;
}
