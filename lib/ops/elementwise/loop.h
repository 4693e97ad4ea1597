/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A loop applies a body in the kernel language (kernels/prelude.h) to every element of its operands.
 *
 * Everything element-wise is a loop: ufuncs, expressions, the user's own element-wise kernels, creation from indices.
 * A loop is made once from its text and the types of its operands.  Kernels for the strides of its operands (contiguous
 * and vectorised, rows, transposed tiles, any strides) are compiled when they are first needed and cached in the loop.
 * A later run is one launch, and neither allocates nor communicates.
 */
#ifndef MNP__OPS_ELEMENTWISE_LOOP_H
#define MNP__OPS_ELEMENTWISE_LOOP_H

#include "array/array.h"

enum { MNP__MAX_OPERANDS = 32 };

/* An operand as the body sees it. */
typedef struct mnp__loop_operand {
    const char *name;
    /* of the variable in the body: an input is `const TYPE name`, an output `TYPE name`, which the body assigns to */
    mnp_dtype type;
    mnp_dtype memory; /* dtype of the array; values are converted when they are loaded and stored */
    bool raw;         /* an input that the body indexes by name[j] and name.size(): the whole array in C order */
} mnp__loop_operand;

typedef struct mnp__loop_spec {
    const char *name;     /* an identifier: what the kernel is called in dumps and messages */
    const char *preamble; /* "" or C++ that comes before the body: functions, types */
    const char *body;     /* C++ statements */
    /* NULL: the text is Maniple's own; else it is a user's, with these options for NVRTC, of which the host compiler
       gets the -D, -U and -I */
    const char *options;
    /* let the compilers fuse multiplications with additions; without it every operation is rounded, as in NumPy */
    bool contract;
    /* the body uses mnp_i (flat index), mnp_n (number of elements), mnp_index[d] or mnp_shape[d]: int64_t, global */
    bool indices;
    int ninputs, noutputs;
    const mnp__loop_operand *operands; /* inputs, then outputs */
} mnp__loop_spec;

typedef struct mnp__loop mnp__loop;

/* Make a loop.  All texts are copied, and nothing is compiled yet.  Not collective.  MNP_ERR_MEMORY. */
mnp_status mnp__loop_new(mnp_ctx *ctx, const mnp__loop_spec *spec, mnp__loop **loop_p);
void mnp__loop_free(mnp__loop *loop);
const mnp__loop_spec *mnp__loop_spec_of(const mnp__loop *loop);

/*
 * Find the loop of a key (any bytes).  At the first call with that key `make` makes it, and the context keeps it.  Two
 * such functions may use equal keys; see ops/common/kernel_table.h.  Not collective in itself.
 */
typedef mnp_status mnp__loop_maker(mnp_ctx *ctx, const void *key, mnp__loop **loop_p);
mnp_status mnp__loop_get(mnp_ctx *ctx, mnp__loop_maker *make, const void *key, size_t key_size, mnp__loop **loop_p);

/*
 * Run a loop on this rank's blocks: enqueue one kernel on the compute stream.  `operands` are in the order of the spec.
 * Outputs have `layout`.  An input is aligned from its last dimension, as in broadcasting: along each dimension it has
 * the block of `layout` or extent 1, or lacks the dimension.  A scalar (mnp__array_is_scalar) is a parameter of the
 * launch.  A raw input is replicated and dense.  An input may lie in the same memory as an output, element for element,
 * but must not overlap it otherwise.
 *
 * At the first run of a loop all ranks agree on its compilation, even those whose block is empty; later runs do not
 * communicate.  All ranks must call it alike.  MNP_ERR_COMPILE, MNP_ERR_MEMORY, MNP_ERR_DEVICE.
 */
mnp_status mnp__loop_run(mnp__loop *loop, const mnp_layout *layout, const mnp_array *const *operands);

#endif
