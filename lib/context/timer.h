/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Timers: how long the device works on a part of a call, without the time in which the CPU compiles and loads kernels.
 */
#ifndef MNP__CONTEXT_TIMER_H
#define MNP__CONTEXT_TIMER_H

#include "context/context.h"

typedef struct mnp__timer {
    mnp_ctx *ctx;
    mnp_event *start, *end;
    double compiled; /* mnp_ctx_compile_seconds() at the start */
} mnp__timer;

/* Make the events.  Collective.  mnp__timer_close() is for timers that are all zeros or open, also after a failure. */
mnp_status mnp__timer_open(mnp_ctx *ctx, mnp__timer *timer);
void mnp__timer_close(mnp__timer *timer);

/* Measure from here; up to here, after waiting for the device.  Not collective. */
mnp_status mnp__timer_start(mnp__timer *timer);
mnp_status mnp__timer_stop(mnp__timer *timer, double *seconds_p);

#endif
