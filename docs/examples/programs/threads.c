/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two simulations at the same time: threads of a process, each of which has a context and a communicator of its own.
 *
 *   cc -pthread threads.c $(pkg-config --cflags --libs maniple) -lm -o threads && mpirun -n 4 ./threads
 *
 * prints
 *
 *   without friction a chain of oscillators keeps 100 % of its energy
 *   with friction it keeps 36 %
 */
#include <maniple.h>

#include <pthread.h>

enum { OSCILLATORS = 10000, STEPS = 200 };

typedef struct simulation {
    MPI_Comm comm;
    double friction, kept; /* the part of the energy at the end */
} simulation;

/* All ranks run the same two simulations, and the calls of each are in the same order; their times are not. */
static void *run(void *argument)
{
    simulation *s = argument;
    const char *step = "v += 0.01 * (roll(x, 1) + roll(x, -1) - 2*x - friction*v); x += 0.01 * v";
    double energy;
    mnp_ctx *ctx;
    mnp_array *x = NULL, *v = NULL, *sum = NULL;

    MNP_OR_EXIT(mnp_init(s->comm, NULL, &ctx));
    MNP_OR_EXIT(mnp_zeros(ctx, MNP_FLOAT64, 1, (const int64_t[]){OSCILLATORS}, &x));
    MNP_OR_EXIT(mnp_fromfunction(ctx, "sin(pi * i0 / 5)", MNP_FLOAT64, 1, (const int64_t[]){OSCILLATORS}, &v));
    for (int i = 0; i < STEPS; i++)
        MNP_OR_EXIT(mnp_eval(ctx, step, MNP_IN("friction", MNP_SCALAR(ctx, s->friction)), MNP_OUT("x", &x, "v", &v)));
    MNP_OR_EXIT(mnp_eval(ctx, "sum = mean(v*v + (x - roll(x, 1))**2)", MNP_IN("x", x, "v", v), MNP_OUT("sum", &sum)));
    MNP_OR_EXIT(mnp_item(sum, &energy));
    s->kept = energy / 0.5; /* the mean of the squares of the sine */
    mnp_free_all(x, v, sum);
    mnp_finalize(ctx);
    return NULL;
}

int main(int argc, char **argv)
{
    simulation simulations[] = {{.friction = 0}, {.friction = 0.5}};
    pthread_t threads[2];
    int level, rank;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (level < MPI_THREAD_MULTIPLE)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int i = 0; i < 2; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &simulations[i].comm);
        if (pthread_create(&threads[i], NULL, run, &simulations[i]) != 0)
            MPI_Abort(MPI_COMM_WORLD, 1);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
        MPI_Comm_free(&simulations[i].comm);
    }
    if (rank == 0) {
        printf("without friction a chain of oscillators keeps %.0f %% of its energy\n", 100 * simulations[0].kept);
        printf("with friction it keeps %.0f %%\n", 100 * simulations[1].kept);
    }
    MPI_Finalize();
    return 0;
}
