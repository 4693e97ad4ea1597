/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An ensemble: the ranks are divided into groups, each group works on a member of its own, and the program combines
 * what the groups have found.
 *
 *   mpirun -n 4 ./groups
 *
 * prints
 *
 *   two members on their own ranks: pi is about 3.143
 */
#include <maniple.h>

enum { POINTS = 2000000 };

int main(int argc, char **argv)
{
    double share, mine = 0, all = 0;
    int rank, size;
    MPI_Comm group;
    mnp_ctx *ctx;
    mnp_rng *rng;
    mnp_array *x = NULL, *y = NULL, *inside = NULL;

    /* A context works on any communicator; a single rank is a group of its own, which computes both members */
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &group);
    MNP_OR_EXIT(mnp_init(group, NULL, &ctx));
    for (int member = rank % 2; member<2; member += size> 1 ? 2 : 1) {
        MNP_OR_EXIT(mnp_rng_new(ctx, (uint64_t)member, &rng));
        MNP_OR_EXIT(mnp_random_uniform(rng, 0, 1, MNP_FLOAT64, 1, (const int64_t[]){POINTS}, &x));
        MNP_OR_EXIT(mnp_random_uniform(rng, 0, 1, MNP_FLOAT64, 1, (const int64_t[]){POINTS}, &y));
        MNP_OR_EXIT(mnp_eval(ctx, "inside = mean(x*x + y*y < 1)", MNP_IN("x", x, "y", y), MNP_OUT("inside", &inside)));
        MNP_OR_EXIT(mnp_item(inside, &share));
        mine += mnp_ctx_rank(ctx) == 0 ? 4 * share : 0; /* all ranks of a group know it, one of them says it */
        mnp_rng_free(rng);
    }
    mnp_free_all(x, y, inside);
    mnp_finalize(ctx);

    MPI_Reduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("two members on their own ranks: pi is about %.3f\n", all / 2);
    MPI_Comm_free(&group);
    MPI_Finalize();
    return 0;
}
