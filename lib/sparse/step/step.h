/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Steps of iterative methods: scalars, one pass over vectors, and sums over them, as one kernel
 * (kernels/sparse/step/step.cu).
 *
 * A method is a few steps between products with the matrix.  Steps pass norms and coefficients to each other through a
 * state in device memory, so nothing in the loop waits for the CPU, which copies the state now and then to see whether
 * the method is over.  Once it is over, steps do nothing, so it does not matter that the CPU learns of it late; where
 * the device itself repeats the loop (device_loop.h), steps end that.  Sums are added over the ranks by one small
 * all-reduce after the step; their order is fixed for a given number of ranks and threads.
 */
#ifndef MNP__SPARSE_STEP_STEP_H
#define MNP__SPARSE_STEP_STEP_H

#include "array/array.h"
#include "kernels/sparse/step/step_params.h"

enum { MNP__MOST_SUMS = 3 }; /* of a step */

/*
 * A step, as C++ statements.  `before` computes scalars, under their names, from sum[0] and following: the sums of the
 * last step that had any.  number(x) is a real number as a scalar, and element(x) one as the vectors have them;
 * real_part(s), magnitude(s), square(s) and conjugate(s) are functions of scalars; test(norm), need(condition) and
 * need_divisor(s) decide that the method is over.  `body` computes with one element of every vector, and with the
 * scalars, under their names.  Sums are expressions of these: dot(x, y) conjugates x, norm(x) is a square.  Two
 * vectors may be the same, if the body reads no element of one after it has changed the other's.
 */
typedef struct mnp__step {
    const char *name; /* the kernel's, for profilers */
    /* names, separated by spaces; NULL: none, and a single thread runs the step, which may change `memory` */
    const char *vectors;
    const char *before, *body; /* NULL: nothing */
    const char *sums[MNP__MOST_SUMS];
    bool always; /* run also when the method is over */
} mnp__step;

/* What the steps of a method share: names of its scalars, separated by commas; NULL: none. */
typedef struct mnp__scalars {
    const char *reals;   /* float64 */
    const char *numbers; /* float64 or complex128, as the vectors */
    const char *memory;  /* NULL, or a type of kernels/step_*.h: `memory` is one of these */
} mnp__scalars;

/* A method under way: the state, and the compiled steps. */
typedef struct mnp__steps mnp__steps;

/*
 * Make the state for vectors of that dtype (float32, float64, complex64, complex128).  parameter: MNP_PARAMETER in the
 * texts, such as a restart; memory_size: bytes of `memory`; basis: most vectors of a set (krylov/basis.h).
 * Collective, and agreed upon.  MNP_ERR_MEMORY.
 */
mnp_status mnp__steps_new(mnp_ctx *ctx, mnp_dtype dtype, const mnp__scalars *scalars, int parameter, size_t memory_size,
                          int basis, mnp__steps **steps_p);
void mnp__steps_free(mnp__steps *steps); /* NULL is accepted.  Collective. */

/* Start anew: all scalars are 0 but those given.  The history begins with control->residual. */
mnp_status mnp__steps_begin(mnp__steps *steps, const struct mnp_step_control *control);

/*
 * Enqueue a step on the compute stream; vectors are in the order of their names, dense, and cut alike.  Collective; the
 * first run compiles it, and agrees.  MNP_ERR_COMPILE, MNP_ERR_COMM.
 */
mnp_status mnp__steps_run(mnp__steps *steps, const mnp__step *step, mnp_array *const *vectors);

/*
 * Read the state.  Where the device's memory is the CPU's, or with `now`, it is the present state; on a GPU, without
 * `now`, it is the state at the previous poll, so that the call hardly waits.  The history receives the residuals of
 * the iterations since the last poll, which must be fewer than MNP_STEP_HISTORY.  Collective.  MNP_ERR_MEMORY, agreed
 * upon; MNP_ERR_COMM.
 */
mnp_status mnp__steps_poll(mnp__steps *steps, bool now, struct mnp_step_control *control);

/*
 * Record what runs from now on as part of the loop with that condition (device.h); NULL ends that.  pause: when the
 * loop is next launched, it ends after so many iterations, unless the method is over before.
 */
void mnp__steps_record(mnp__steps *steps, const uint64_t *condition);
mnp_status mnp__steps_pause(mnp__steps *steps, double iterations);

/* The sum number k of the last step that had any: real and imaginary part.  Waits. */
mnp_status mnp__steps_sum(mnp__steps *steps, int k, double sum[2]);

/* The residuals: the first before any iteration, then one for each; `count` of them. */
const double *mnp__steps_history(const mnp__steps *steps, int64_t *count_p);
void mnp__steps_forget(mnp__steps *steps); /* the history */

/* The buffers of a method, for other kernels that read its state and write sums to it. */
typedef struct mnp__steps_buffers {
    mnp_ctx *ctx;
    mnp_dtype dtype;
    char *state, *partials, *arrived, *memory;
} mnp__steps_buffers;
mnp__steps_buffers mnp__steps_buffers_of(const mnp__steps *steps);

/* Define MNP_T, the type of elements in kernels, and MNP_W, that of sums. */
void mnp__steps_define_types(mnp__text *text, mnp_dtype dtype);

/* Bytes of a sum. */
size_t mnp__sum_size(mnp_dtype dtype);

/* Workers for so many elements. */
mnp__launch mnp__steps_launch(const mnp_ctx *ctx, int64_t count);

/* Add sums over the ranks, in place. */
mnp_status mnp__sum_over_ranks(mnp_ctx *ctx, mnp_dtype dtype, void *sums, int count);

#endif
