/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A reduction combines the elements along some or all dimensions, as a sum does.
 *
 * It is made once from its text and types.  The text names a struct of the kernel language
 * (kernels/reduction/reduce_ops.h), which says what the accumulator of a set of elements holds, how one more element is
 * added, how the accumulators of two sets are joined, and how results follow.  Kernels for the strides of operands are
 * compiled when they are first needed and cached in the reduction.
 *
 * A rank reduces its own block.  Ranks that differ only along mesh axes that cut reduced dimensions have parts of the
 * same results.  A collective gathers the parts of all of them on each, which joins them in the order of the ranks; so
 * replicas are equal bit for bit, and a result depends on the layout alone.  A run takes one to three launches, plus
 * one collective where ranks share results.
 */
#ifndef MNP__OPS_REDUCTION_REDUCTION_H
#define MNP__OPS_REDUCTION_REDUCTION_H

#include <maniple/reduce.h>

#include "array/array.h"
#include "ops/elementwise/loop.h"

enum { MNP__MAX_REDUCTION_OPERANDS = 16 };

typedef struct mnp__reduction_spec {
    const char *name;     /* an identifier: what the kernel is called in dumps and messages */
    const char *preamble; /* "" or C++ that comes before `op` */
    /* the C++ struct of the reduction; it may name mnp_typeK, and mnp_value, the type of its elements */
    const char *op;
    bool mapped;         /* `preamble` defines mnp_value, and mnp_map(), which computes one from all inputs but the
                            mask; without it mnp_value is mnp_type0, and `op` takes all inputs */
    const char *value;   /* NULL, or mnp_value where `op` takes input 0 as it is in memory; a constant text */
    const char *finish;  /* "" or C++ statements that change OUT(K), the results */
    const char *options; /* NULL or the user's options for NVRTC, as in mnp__loop_spec */
    size_t accumulator;  /* bytes for an accumulator of `op`: a multiple of 8, at most 256 */
    bool contract;       /* as in mnp__loop_spec */
    bool indices;        /* `op` takes an element's flat index in C order of the reduced dimensions */
    bool searches;       /* `op` is mnp_reduce_index, for which the host skips most elements */
    bool repeats;        /* `op` gives the results of elements that are repeated: mnp_reduce_end.times */
    bool leads;          /* sets of `op` have lead() and follow(): kernels/reduction/reduce_ops.h */
    bool adds;           /* `op` is a plain sum or product, whose sets the host joins at almost no cost */
    bool steady,
        looks; /* `op` is of kernels/reduction/reduce_binned.h, which checks a batch of elements before adding */
    int mask;  /* the input, a bool, that says whether an element counts; `op` does not get it; -1: none */
    int ninputs, noutputs;
    const mnp__loop_operand *operands; /* inputs, then outputs; none is raw */
} mnp__reduction_spec;

typedef struct mnp__reduction mnp__reduction;

/* Make a reduction.  All texts are copied, and nothing is compiled yet.  Not collective.  MNP_ERR_MEMORY. */
mnp_status mnp__reduction_new(mnp_ctx *ctx, const mnp__reduction_spec *spec, mnp__reduction **reduction_p);
void mnp__reduction_free(mnp__reduction *reduction);
const mnp__reduction_spec *mnp__reduction_spec_of(const mnp__reduction *reduction);

/* Find the reduction of a key, or make it by `make`; the context keeps it, as with mnp__loop_get(). */
typedef mnp_status mnp__reduction_maker(mnp_ctx *ctx, const void *key, mnp__reduction **reduction_p);
mnp_status mnp__reduction_get(mnp_ctx *ctx, mnp__reduction_maker *make, const void *key, size_t key_size,
                              mnp__reduction **reduction_p);

/* Find the axes of a call, as bits: all if `axes` is NULL or empty.  Messages begin with `function`.  MNP_ERR_ARG. */
mnp_status mnp__reduction_axes(const char *function, int ndim, const mnp_axes *axes, unsigned *mask_p);

typedef struct mnp__reduction_call {
    const char *function;           /* its name in messages: "mnp_sum" */
    const mnp_array *const *inputs; /* broadcast to one another; some, but not all, may be scalars */
    mnp_array **const *outputs_p;   /* the user's pointers; where *p is NULL, an array is made */
    unsigned axes;                  /* bit d: dimension d of the broadcast shape is reduced */
    bool keepdims;
    double ddof;
    uint64_t initial[2]; /* what mnp_initial<TYPE>(p) returns in `finish` */
} mnp__reduction_call;

/*
 * Run a reduction.  Results have the dimensions that are not reduced, cut as they were, and are stored in the order of
 * the inputs; along mesh axes that cut reduced dimensions they are replicas.  Given outputs must have that shape and
 * the spec's memory types; they may have any layout.  At the first run with a layout all ranks agree on compilation and
 * memory.  Collective.  MNP_ERR_ARG, MNP_ERR_COMPILE, MNP_ERR_MEMORY, MNP_ERR_DEVICE, MNP_ERR_COMM.
 */
mnp_status mnp__reduction_run(mnp__reduction *reduction, const mnp__reduction_call *call);

/*
 * The first half of a run over one input: ranks that share results exchange their accumulators, and no result is
 * written.  `parts` has, for each of `members` ranks in turn, the accumulators of its results in C order; this rank is
 * number `mine`.
 */
typedef struct mnp__reduction_known {
    const void *parts; /* on the device, until the next reduction; NULL where ranks share nothing */
    int members, mine;
} mnp__reduction_known;
mnp_status mnp__reduction_share(mnp__reduction *reduction, const char *function, const mnp_array *x, unsigned axes,
                                mnp__reduction_known *known);

#endif
