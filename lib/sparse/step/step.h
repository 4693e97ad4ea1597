/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Steps of iterative methods: scalars, one pass over vectors, and sums over them, as one kernel
 * (kernels/sparse/step/step.cu).
 *
 * A method is a few steps between products with the matrix.  What they tell each other, norms and coefficients, is a
 * state in device memory: nothing in a loop of steps waits for the CPU, which fetches the state now and then to see
 * whether the method is over.  Once it is, steps do nothing, so it does not matter that the CPU learns of it late; and
 * where the device itself goes round (device_loop.h), steps end that.  Sums are added over the ranks by one small
 * all-reduce behind the step; they have a fixed order for a given number of ranks and threads.
 */
#ifndef MNP__SPARSE_STEP_STEP_H
#define MNP__SPARSE_STEP_STEP_H

#include "array/array.h"
#include "kernels/sparse/step/step_params.h"

enum { MNP__MOST_SUMS = 3 }; /* of a step */

/*
 * A step, as C++ statements.  `before` works out scalars under their names, from sum[0] and following, which are the
 * sums of the last step that had any; number(x) is a real number as a scalar, real_part(s), magnitude(s), square(s) and
 * conjugate(s) are what they say, and element(x) is a real number as the vectors have them; test(norm), need(condition)
 * and need_divisor(s) decide that the method is over.  `body` computes with one element of every vector, and with the
 * scalars, under their names.  Sums are expressions of them: dot(x, y) conjugates x, norm(x) is a square.  Two vectors
 * may be the same, but then the body must not need an element of one after it has changed the other's.
 */
typedef struct mnp__step {
    const char *name; /* the kernel's, for profilers */
    /* their names, separated by spaces; NULL: none, and one thread does it, who may change `memory` */
    const char *vectors;
    const char *before, *body; /* NULL: nothing */
    const char *sums[MNP__MOST_SUMS];
    bool always; /* also when the method is over */
} mnp__step;

/* What the steps of a method have in common: names of its scalars, separated by commas; NULL: none. */
typedef struct mnp__scalars {
    const char *reals;   /* float64 */
    const char *numbers; /* float64 or complex128, as the vectors */
    const char *memory;  /* NULL, or a type of kernels/step_*.h: `memory` is one of these */
} mnp__scalars;

/* A method under way: the state, and the compiled steps. */
typedef struct mnp__steps mnp__steps;

/*
 * For vectors of that dtype (float32, float64, complex64, complex128).  parameter: MNP_PARAMETER in
 * the texts, such as a restart; memory_size: bytes of `memory`; basis: most vectors of a set (basis.h).  Collective,
 * and agreed upon.  MNP_ERR_MEMORY.
 */
mnp_status mnp__steps_new(mnp_ctx *ctx, mnp_dtype dtype, const mnp__scalars *scalars, int parameter, size_t memory_size,
                          int basis, mnp__steps **steps_p);
void mnp__steps_free(mnp__steps *steps); /* NULL is accepted.  Collective. */

/* Begin anew: all scalars 0 but for what is given.  The first of the history is control->residual. */
mnp_status mnp__steps_begin(mnp__steps *steps, const struct mnp_step_control *control);

/*
 * Enqueue a step on the compute stream; vectors in the order of their names, dense, all alike cut.  Collective:
 * the first time it is compiled, and agreed upon.  MNP_ERR_COMPILE, MNP_ERR_COMM.
 */
mnp_status mnp__steps_run(mnp__steps *steps, const mnp__step *step, mnp_array *const *vectors);

/*
 * What the state is.  Where the device's memory is the CPU's: now.  Else as it was when this was last called, so that
 * nobody waits long; now: as it is, which waits.  Residuals of the iterations since the last call, of which there must
 * be fewer than MNP_STEP_HISTORY, come in the history.  Collective.  MNP_ERR_MEMORY, agreed upon; MNP_ERR_COMM.
 */
mnp_status mnp__steps_poll(mnp__steps *steps, bool now, struct mnp_step_control *control);

/*
 * What is run from now on is recorded as part of the loop with that condition (device.h), until this is told NULL.
 * pause: the loop, when it is next launched, ends when there are so many iterations, if the method is not over before.
 */
void mnp__steps_record(mnp__steps *steps, const uint64_t *condition);
mnp_status mnp__steps_pause(mnp__steps *steps, double iterations);

/* Sum number k of the last step that had any: real and imaginary part.  Waits. */
mnp_status mnp__steps_sum(mnp__steps *steps, int k, double sum[2]);

/* The residuals, one an iteration, the first before any; `count` of them. */
const double *mnp__steps_history(const mnp__steps *steps, int64_t *count_p);
void mnp__steps_forget(mnp__steps *steps); /* the history */

/* What other kernels need that read the state, and write sums to it. */
typedef struct mnp__steps_buffers {
    mnp_ctx *ctx;
    mnp_dtype dtype;
    char *state, *partials, *arrived, *memory;
} mnp__steps_buffers;
mnp__steps_buffers mnp__steps_buffers_of(const mnp__steps *steps);

/* Elements' name in kernels, and that of sums of them; as defines MNP_T and MNP_W. */
void mnp__steps_define_types(mnp__text *text, mnp_dtype dtype);

/* Bytes of a sum. */
size_t mnp__sum_size(mnp_dtype dtype);

/* Workers for so many elements. */
mnp__launch mnp__steps_launch(const mnp_ctx *ctx, int64_t count);

/* Add sums over the ranks, in place. */
mnp_status mnp__sum_over_ranks(mnp_ctx *ctx, mnp_dtype dtype, void *sums, int count);

#endif
