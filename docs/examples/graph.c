/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A hundred thousand pendulums, whose step is a graph: recorded once on a GPU, called every time on the host:
 * mpirun -n 2 ./graph
 *
 * prints
 *
 *   after 500 steps the time is 5
 *   the energy has changed by less than 0.1 %
 */
#include <maniple.h>

#include <math.h>

enum { PENDULUMS = 100000, STEPS = 500 };

struct swing {
    mnp_ctx *ctx;
    mnp_array *angle, *speed, *time; /* what changes is in arrays */
};

/* One step, by the semi-implicit Euler method. */
static mnp_status step(void *argument)
{
    struct swing *s = argument;
    mnp_status st = mnp_eval(s->ctx, "speed -= 0.01 * sin(angle); angle += 0.01 * speed", MNP_IN(NULL, NULL),
                             MNP_OUT("speed", &s->speed, "angle", &s->angle));
    return st == MNP_OK ? mnp_add(s->time, MNP_SCALAR(s->ctx, 0.01), &s->time) : st;
}

static double energy(const struct swing *s)
{
    mnp_array *sum = NULL;
    double value;
    MNP_OR_EXIT(mnp_eval(s->ctx, "sum(speed**2 / 2 - cos(angle))", MNP_IN("speed", s->speed, "angle", s->angle),
                         MNP_OUT("", &sum)));
    MNP_OR_EXIT(mnp_item(sum, &value));
    mnp_clear(&sum);
    return value;
}

int main(void)
{
    struct swing s = {NULL};
    mnp_graph *graph;
    double time;
    const int64_t shape[] = {PENDULUMS};

    MNP_OR_EXIT(mnp_init(MPI_COMM_WORLD, NULL, &s.ctx));
    MNP_OR_EXIT(mnp_linspace(s.ctx, 0.1, 1, PENDULUMS, true, MNP_FLOAT64, NULL, &s.angle));
    MNP_OR_EXIT(mnp_zeros(s.ctx, MNP_FLOAT64, 1, shape, &s.speed));
    MNP_OR_EXIT(mnp_zeros(s.ctx, MNP_FLOAT64, 0, NULL, &s.time));
    const double before = energy(&s);

    MNP_OR_EXIT(mnp_graph_new(s.ctx, step, &s, &graph)); /* the first step is done */
    for (int i = 1; i < STEPS; i++)
        MNP_OR_EXIT(mnp_graph_launch(graph));

    MNP_OR_EXIT(mnp_item(s.time, &time));
    const double change = fabs(energy(&s) / before - 1);
    if (mnp_ctx_rank(s.ctx) == 0) {
        printf("after %d steps the time is %.3g\n", STEPS, time);
        printf("the energy has changed by %s than 0.1 %%\n", change < 0.001 ? "less" : "more");
    }
    mnp_clear(&graph);
    mnp_clear(&s.angle);
    mnp_clear(&s.speed);
    mnp_clear(&s.time);
    mnp_clear(&s.ctx);
    return 0;
}
