/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plans of Fourier transforms: the steps, and what executes them.
 */
#ifndef MNP__FFT_H
#define MNP__FFT_H

#include <maniple/fft.h>

#include "array/array.h"
#include "fft/steps.h"

/*
 * What a call asks for, before shapes are known: axes as the user gives them (NULL: the last naxes; naxes 0: all), and
 * points (NULL, or MNP_NONE in place of one: as many as the input has).
 */
typedef struct mnp__fft_request {
    const char *function; /* begins the messages: "mnp_fft" */
    mnp__fft_kind kind;
    bool inverse;
    int naxes;
    const int *axes;
    const int64_t *s;
    const char *norm;
    const mnp_layout *result; /* NULL: cut as the input is */
    bool permuted;
} mnp__fft_request;

/*
 * Resolve a request for an input of that dtype and layout.  problem->in is borrowed, problem->out belongs to the
 * caller.  MNP_ERR_ARG, on all ranks alike; MNP_ERR_MEMORY.
 */
mnp_status mnp__fft_resolve(const mnp__fft_request *request, mnp_dtype dtype, const mnp_layout *layout,
                            mnp__fft_problem *problem);

/* Whether transforms of that dtype are computed in double: of all but floats of at most four bytes. */
bool mnp__fft_is_double(mnp_dtype dtype);

/*
 * Make a plan.  keeps: it shares the memory that the context has for such plans (memory.h); otherwise it takes some for
 * every execution.  `problem` is copied.  Collective.  MNP_ERR_MEMORY, MNP_ERR_COMPILE, MNP_ERR_UNSUPPORTED.
 */
mnp_status mnp__fft_plan_make(mnp_ctx *ctx, const mnp__fft_problem *problem, bool is_double, bool keeps,
                              mnp_fft_plan **plan_p);
void mnp__fft_plan_release(mnp_fft_plan *plan); /* when its last execution is over; NULL is accepted; collective */

/* Whether a plan is for that. */
bool mnp__fft_plan_fits(const mnp_fft_plan *plan, const mnp__fft_problem *problem, bool is_double);

/* Bytes that it holds on this rank between executions. */
int64_t mnp__fft_plan_bytes(const mnp_fft_plan *plan);

/* Execute a plan on an array of its layout, of any dtype.  Collective. */
mnp_status mnp__fft_plan_run(mnp_fft_plan *plan, const char *function, const mnp_array *x, mnp_array **y_p);

/* Execute by a cached plan, or by a new one, which is cached if that is not too large.  Collective. */
mnp_status mnp__fft_run_cached(const mnp__fft_problem *problem, const char *function, const mnp_array *x,
                               mnp_array **y_p);

#endif
