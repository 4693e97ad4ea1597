/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Timers: two events in the compute stream, less what the CPU has spent on kernels between them.  Where the device had
 * work meanwhile the result is too small by that work; this happens once for each kernel.
 */
#include "context/timer.h"

mnp_status mnp__timer_open(mnp_ctx *ctx, mnp__timer *timer)
{
    *timer = (mnp__timer){.ctx = ctx};
    mnp_status st = mnp_event_new(ctx, &timer->start);
    if (st == MNP_OK)
        st = mnp_event_new(ctx, &timer->end);
    return MNP_AGREE(ctx, st);
}

void mnp__timer_close(mnp__timer *timer)
{
    mnp_event_free(timer->end);
    mnp_event_free(timer->start);
    *timer = (mnp__timer){.ctx = NULL};
}

mnp_status mnp__timer_start(mnp__timer *timer)
{
    timer->compiled = mnp_ctx_compile_seconds(timer->ctx);
    return mnp_event_record(timer->start);
}

mnp_status mnp__timer_stop(mnp__timer *timer, double *seconds_p)
{
    double seconds;
    MNP_TRY(mnp_event_record(timer->end));
    MNP_TRY(mnp_event_seconds(timer->start, timer->end, &seconds));
    const double compiled = mnp_ctx_compile_seconds(timer->ctx) - timer->compiled;
    *seconds_p = seconds > compiled ? seconds - compiled : 0;
    return MNP_OK;
}
