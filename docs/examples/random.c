/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random numbers that do not depend on the number of ranks, and sums that do not either:  mpirun -n 4 ./random
 *
 * prints
 *
 *   dice       4 3 1 3 6 2 4 3 5 4
 *   again      4 3 1 3 6 2 4 3 5 4
 *   children   differ
 *   shuffled   5 4 6 1 0 7 3 2
 *   the sum has the bits 0x1.e8455be695ff7p+18
 */
#include <maniple.h>

static const int64_t ten[] = {10};

static void print(const char *what, const mnp_array *array)
{
    int64_t values[16];
    MNP_OR_EXIT(mnp_to_host(array, 0, values));
    if (mnp_ctx_rank(mnp_array_ctx(array)) != 0)
        return;
    printf("%-10s", what);
    for (int64_t i = 0; i < mnp_array_shape(array)[0]; i++)
        printf(" %d", (int)values[i]);
    printf("\n");
}

/* A generator with the same seed draws the same numbers; what it spawns draws others. */
static void streams(mnp_ctx *ctx)
{
    mnp_rng *rng, *again, *children[2];
    mnp_array *dice = NULL, *first = NULL, *second = NULL, *same = NULL, *all = NULL;
    bool equal;

    MNP_OR_EXIT(mnp_rng_new(ctx, 42, &rng));
    MNP_OR_EXIT(mnp_random_integers(rng, 1, 6, true, MNP_INT64, 1, ten, &dice));
    print("dice", dice);
    MNP_OR_EXIT(mnp_rng_new(ctx, 42, &again));
    MNP_OR_EXIT(mnp_random_integers(again, 1, 6, true, MNP_INT64, 1, ten, &dice));
    print("again", dice);

    MNP_OR_EXIT(mnp_rng_spawn(rng, 2, children));
    MNP_OR_EXIT(mnp_random_uniform(children[0], 0, 1, MNP_FLOAT64, 1, ten, &first));
    MNP_OR_EXIT(mnp_random_uniform(children[1], 0, 1, MNP_FLOAT64, 1, ten, &second));
    MNP_OR_EXIT(mnp_equal(first, second, &same));
    MNP_OR_EXIT(mnp_all(same, MNP_ALL_AXES, &all));
    MNP_OR_EXIT(mnp_item(all, &equal));
    if (mnp_ctx_rank(ctx) == 0)
        printf("children   %s\n", equal ? "agree" : "differ");

    mnp_array *shuffled = NULL;
    MNP_OR_EXIT(mnp_random_permutation(rng, MNP_SCALAR(ctx, 8), 0, &shuffled));
    print("shuffled", shuffled);
    mnp_rng_free(rng);
    mnp_rng_free(again);
    mnp_rng_free(children[0]);
    mnp_rng_free(children[1]);
    mnp_free_all(dice, first, second, same, all, shuffled);
}

static void sum(mnp_ctx *ctx)
{
    mnp_rng *rng;
    mnp_array *x = NULL, *total = NULL;
    double value;
    MNP_OR_EXIT(mnp_rng_new(ctx, 7, &rng));
    MNP_OR_EXIT(mnp_random_uniform(rng, 0, 1, MNP_FLOAT64, 1, (const int64_t[]){1000003}, &x));
    MNP_OR_EXIT(mnp_sum(x, MNP_ALL_AXES, &total));
    MNP_OR_EXIT(mnp_item(total, &value));
    if (mnp_ctx_rank(ctx) == 0)
        printf("the sum has the bits %a\n", value);
    mnp_rng_free(rng);
    mnp_free_all(x, total);
}

int main(void)
{
    mnp_ctx *ctx;
    MNP_OR_EXIT(mnp_init(MPI_COMM_WORLD, "reproducible=1", &ctx));
    streams(ctx);
    sum(ctx);
    mnp_finalize(ctx);
    return 0;
}
