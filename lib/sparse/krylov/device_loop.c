/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Recording a method's loop, and letting the device repeat it.
 *
 * The CPU limits how long a launch goes on.  It fetches residuals before their ring is full.  And it could not stop
 * the device if a rank were lost: waits in the loop would then time out, but the loop would go on to its pause; so
 * pauses come at short intervals.  All ranks pause after the same iteration.
 */
#include "sparse/krylov/device_loop.h"

#include <math.h>

#include "comm/collectives/collectives.h"
#include "sparse/krylov/method.h"
#include "sparse/krylov/system.h"

enum {
    WORTH_RECORDING = 2 * MNP__POLL_EVERY, /* calls of iterate, before which plain launches are used */
    MOST_CALLS = 64,                       /* of iterate in a body */
    /* iterations before a pause: the ring also holds residuals that are not fetched yet, and those of a last body */
    MOST_BUDGET = MNP_STEP_HISTORY - 2 * WORTH_RECORDING - MOST_CALLS
};
static const double most_seconds = 0.2; /* until a pause */

_Static_assert(MOST_BUDGET > 0, "a launch has iterations to do");

/* ---- positions ---- */

static mnp__solver_position position_of(const mnp__system *s)
{
    mnp__solver_position position = {.number = s->position};
    for (int i = 0; i < MNP__MOST_WORK; i++)
        position.work[i] = s->work[i];
    return position;
}

static bool is_at(const mnp__system *s, const mnp__solver_position *position)
{
    bool same = s->position == position->number;
    for (int i = 0; i < MNP__MOST_WORK; i++)
        same = same && s->work[i] == position->work[i];
    return same;
}

static void go_back(mnp__system *s, const mnp__solver_position *position)
{
    s->position = position->number;
    for (int i = 0; i < MNP__MOST_WORK; i++)
        s->work[i] = position->work[i];
}

/* ---- recording ---- */

mnp_status mnp__device_loop_open(mnp__system *s)
{
    const mnp_ctx *ctx = s->ctx;
    const mnp_precond *precond = s->precond;
    const int64_t most_doubles = 2 * (s->method->needs_parameter ? s->options->restart + 1 : MNP__MOST_SUMS);
    int possible = ctx->device->has_loops && !mnp__system_reports_often(s) && s->op->enqueues &&
                   (!precond || precond->enqueues) && mnp__all_reduce_is_launch(ctx->world, most_doubles, MNP_FLOAT64);
    if (!ctx->device->cpu_memory)
        MNP_TRY(mnp__all_reduce(&ctx->comm, &possible, 1, MPI_INT, MPI_MIN));
    s->loop = (mnp__device_loop){.possible = possible, .budget = MNP__POLL_EVERY};
    return MNP_OK;
}

void mnp__device_loop_close(mnp__system *s)
{
    mnp_graph_free(s->loop.graph);
    s->loop.graph = NULL;
}

static mnp_status record_body(mnp__system *s)
{
    int calls = 0;
    do {
        MNP_TRY(s->method->iterate(s));
        calls++;
    } while (calls < MNP__POLL_EVERY || (calls < MOST_CALLS && !is_at(s, &s->loop.begin)));
    return s->method->keeps_best ? mnp__system_keep(s) : MNP_OK;
}

/*
 * A recording that fails is no error as long as the device works: plain launches need neither the memory of a graph nor
 * what cannot be part of one.  A broken device fails in the wait here, as it would in the next launch.
 */
static mnp_status forgive(mnp_ctx *ctx, mnp_status st)
{
    if (st == MNP_OK || st == MNP_ERR_COMM || st == MNP_ERR_TIMEOUT || st == MNP_ERR_PEER)
        return st;
    MNP_LOG(&ctx->config.logger, MNP_LOG_INFO, "recording the solver's loop: %s", mnp_error_message());
    mnp__graph_drop(ctx);
    return mnp__ctx_wait(ctx, ctx->compute);
}

/* All ranks record, or none: recording may compile kernels, which is collective. */
static mnp_status begin_recording(mnp_ctx *ctx, uint64_t *condition_p, bool *begun_p)
{
    const mnp_status st = ctx->device->ops->graph_begin_loop(ctx->device, ctx->compute, condition_p);
    int begun = st == MNP_OK;
    const mnp_status heard = mnp__all_reduce(&ctx->comm, &begun, 1, MPI_INT, MPI_MIN);
    *begun_p = heard == MNP_OK && begun;
    if (!*begun_p)
        mnp__graph_drop(ctx);
    return heard == MNP_OK ? forgive(ctx, st) : heard;
}

/* Record on this rank; loop.graph may stay NULL without an error. */
static mnp_status record_alone(mnp__system *s)
{
    mnp_ctx *ctx = s->ctx;
    uint64_t condition;
    bool begun;
    const mnp_status beginning = begin_recording(ctx, &condition, &begun);
    if (beginning != MNP_OK || !begun)
        return beginning;
    mnp__steps_record(s->steps, &condition);
    mnp_status st = record_body(s);
    mnp__steps_record(s->steps, NULL);
    if (st == MNP_OK && is_at(s, &s->loop.begin))
        st = mnp__graph_finish(ctx, &s->loop.graph);
    st = forgive(ctx, st);
    mnp__graph_drop(ctx); /* where it was not finished */
    return st;
}

static mnp_status record(mnp__system *s)
{
    s->loop.begin = position_of(s);
    const mnp_status st = record_alone(s);
    int dropped = !s->loop.graph;
    go_back(s, &s->loop.begin);
    mnp_status all = MNP_AGREE(s->ctx, st);
    if (all == MNP_OK)
        all = mnp__all_reduce(&s->ctx->comm, &dropped, 1, MPI_INT, MPI_MAX);
    if (all == MNP_OK && !dropped)
        return MNP_OK;
    MNP_LOG(&s->ctx->config.logger, MNP_LOG_INFO, "the solver's loop is done by plain launches");
    mnp__device_loop_close(s);
    s->loop.possible = false;
    return all;
}

mnp_status mnp__device_loop_take_over(mnp__system *s, int64_t calls, bool *takes_over_p)
{
    mnp__device_loop *loop = &s->loop;
    if (loop->possible && !loop->graph && calls >= WORTH_RECORDING && calls % MNP__POLL_EVERY == 0)
        MNP_TRY(record(s));
    *takes_over_p = loop->graph && is_at(s, &loop->begin);
    return MNP_OK;
}

/* ---- running ---- */

mnp_status mnp__device_loop_run(mnp__system *s, double most, struct mnp_step_control *control)
{
    mnp__device_loop *loop = &s->loop;
    const double before = control->iterations, begin = MPI_Wtime();
    MNP_TRY(mnp__steps_pause(s->steps, fmin(before + loop->budget, most)));
    MNP_TRY(mnp_graph_launch(loop->graph));
    MNP_TRY(mnp__steps_poll(s->steps, true, control));
    const double in_time = (control->iterations - before) * most_seconds / (MPI_Wtime() - begin);
    loop->budget = fmin(fmax(in_time, MNP__POLL_EVERY), MOST_BUDGET);
    return mnp__broadcast(&s->ctx->comm, &loop->budget, sizeof loop->budget, 0);
}
