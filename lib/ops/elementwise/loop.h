/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loops: a body in the kernel language (kernels/prelude.h), applied to every element of its operands.
 *
 * Everything element-wise is a loop: ufuncs, expressions, the caller's own element-wise kernels, creation from indices.
 * A loop is made once from its text and the types of its operands; the kernels that suit the strides it meets (flat and
 * vectorised, rows, transposed tiles, anything) are compiled when they are first needed and kept in the loop.
 */
#ifndef MNP__OPS_ELEMENTWISE_LOOP_H
#define MNP__OPS_ELEMENTWISE_LOOP_H

#include "array/array.h"

enum { MNP__MAX_OPERANDS = 32 };

/* What the body knows an operand by. */
typedef struct mnp__loop_operand {
    const char *name;
    /* of the variable in the body: an input is `const TYPE name`, an output `TYPE name`, to be assigned */
    mnp_dtype type;
    mnp_dtype memory; /* of the array; values are converted when they are loaded and stored */
    bool raw;         /* an input that the body indexes by itself, name[j], name.size(): the whole array in C order */
} mnp__loop_operand;

typedef struct mnp__loop_spec {
    const char *name;     /* an identifier: what the kernel is called in dumps and messages */
    const char *preamble; /* "" or C++ that comes before the body: functions, types */
    const char *body;     /* C++ statements */
    /* NULL or more options for NVRTC, from the user; the host gets the -D, -U and -I among them */
    const char *options;
    /* let the compilers fuse multiplications with additions; without it every operation is rounded, as in NumPy */
    bool contract;
    /* the body uses mnp_i (flat index), mnp_n (number of elements), mnp_index[d], mnp_shape[d]: int64_t, global */
    bool indices;
    int ninputs, noutputs;
    const mnp__loop_operand *operands; /* inputs, then outputs */
} mnp__loop_spec;

typedef struct mnp__loop mnp__loop;

/* Make a loop; all texts are copied; compiles nothing.  Not collective.  MNP_ERR_MEMORY. */
mnp_status mnp__loop_new(mnp_ctx *ctx, const mnp__loop_spec *spec, mnp__loop **loop_p);
void mnp__loop_free(mnp__loop *loop);
const mnp__loop_spec *mnp__loop_spec_of(const mnp__loop *loop);

/*
 * The loop that `make` makes of a key (any bytes), made at the first call with it and kept by the context.  Functions
 * that make loops may use equal keys; see ops/common/kernel_table.h.  Not collective in itself.
 */
typedef mnp_status mnp__loop_maker(mnp_ctx *ctx, const void *key, mnp__loop **loop_p);
mnp_status mnp__loop_get(mnp_ctx *ctx, mnp__loop_maker *make, const void *key, size_t key_size, mnp__loop **loop_p);

/*
 * Run on this rank's blocks: enqueue one kernel on the compute stream.  `operands` are as the spec lists them.  Outputs
 * have `layout`.  An input is aligned from its last dimension: along each it has the block of `layout`, or the array
 * has extent 1 there, or the dimension is missing.  A scalar (mnp__array_is_scalar) travels in the launch.  A raw input
 * is replicated and dense.  An input may be the very memory of an output, element for element, but not overlap
 * otherwise.
 *
 * The first run of a loop agrees among all ranks on its compilation (also on ranks whose block is empty); later ones do
 * not communicate.  All ranks must call it alike.  MNP_ERR_COMPILE, MNP_ERR_MEMORY, MNP_ERR_DEVICE.
 */
mnp_status mnp__loop_run(mnp__loop *loop, const mnp_layout *layout, const mnp_array *const *operands);

#endif
