/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reductions: what brings elements together, along some dimensions or all.
 *
 * A reduction is made once from its text and types.  Its struct of the kernel language (kernels/reduction/reduce_ops.h) says what
 * is known of a set of elements, how one more is taken, how two sets are joined, and what the results are.  Kernels
 * that suit the strides it meets are compiled when they are first needed and kept in the reduction.
 *
 * A rank reduces its own block.  Ranks that have parts of the same results, as they differ along mesh axes that cut
 * reduced dimensions, gather the parts of all of them by a collective, and each joins them in the order of the ranks:
 * replicas are equal bit for bit, and a result depends on the layout alone.
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
    /* the C++ type of the reduction; it may speak of mnp_typeK, and of mnp_value, its elements' */
    const char *op;
    bool mapped;         /* `preamble` has mnp_value and mnp_map(), which makes one of all inputs but the mask; else
                             mnp_value is mnp_type0, and `op` takes all inputs */
    const char *finish;  /* "" or C++ statements on OUT(K), the results, after the reduction gave them */
    const char *options; /* NULL or more options for NVRTC, as in mnp__loop_spec */
    size_t accumulator;  /* room for an acc of `op`, in bytes: a multiple of 8, at most 256 */
    bool contract;       /* as in mnp__loop_spec */
    bool indices;        /* `op` takes the elements' indices: the flat one in the order of the reduced dimensions */
    bool searches;       /* `op` is mnp_reduce_index: on the host most elements are passed over */
    bool steady,
        looks; /* `op` is of kernels/reduction/reduce_binned.h; it takes elements in batches that it looks at first */
    int mask;  /* input that says whether an element is taken, a bool that `op` does not see; -1: none */
    int ninputs, noutputs;
    const mnp__loop_operand *operands; /* inputs, then outputs; none is raw */
} mnp__reduction_spec;

typedef struct mnp__reduction mnp__reduction;

/* Make a reduction; all texts are copied; compiles nothing.  Not collective.  MNP_ERR_MEMORY. */
mnp_status mnp__reduction_new(mnp_ctx *ctx, const mnp__reduction_spec *spec, mnp__reduction **reduction_p);
void mnp__reduction_free(mnp__reduction *reduction);
const mnp__reduction_spec *mnp__reduction_spec_of(const mnp__reduction *reduction);

/* The reduction that `make` makes of a key, kept by the context, as mnp__loop_get() does for loops. */
typedef mnp_status mnp__reduction_maker(mnp_ctx *ctx, const void *key, mnp__reduction **reduction_p);
mnp_status mnp__reduction_get(mnp_ctx *ctx, mnp__reduction_maker *make, const void *key, size_t key_size,
                              mnp__reduction **reduction_p);

/* The axes of a call, as bits: all if `axes` is NULL or names none.  `function` begins the sentence.  MNP_ERR_ARG. */
mnp_status mnp__reduction_axes(const char *function, int ndim, const mnp_axes *axes, unsigned *mask_p);

typedef struct mnp__reduction_call {
    const char *function;           /* what a sentence calls it: "mnp_sum" */
    const mnp_array *const *inputs; /* broadcast to one another; scalars among them, but not all */
    mnp_array **const *outputs_p;   /* each the user's: *p NULL means make one */
    unsigned axes;                  /* bit d: dimension d of the inputs together is reduced */
    bool keepdims;
    double ddof;
    uint64_t initial[2]; /* mnp_initial<TYPE>(p) in `finish` */
} mnp__reduction_call;

/*
 * Run.  Results have the dimensions that are left, cut as they were; mesh axes that cut reduced dimensions become
 * replicas. Outputs that are given must have that shape and the spec's memory types; they may have any layout.  The
 * first run with a layout agrees among all ranks on compilation and memory.  Collective.  MNP_ERR_ARG, MNP_ERR_COMPILE,
 * MNP_ERR_MEMORY, MNP_ERR_DEVICE, MNP_ERR_COMM.
 */
mnp_status mnp__reduction_run(mnp__reduction *reduction, const mnp__reduction_call *call);

/*
 * The first half of a run over one input: afterwards ranks that share results know what each of them has of these, and
 * nothing is written.  mnp__reduction_known has the numbers of acc one after the other: those of a rank's own results
 * in C order, for each of `members` ranks, of which this is number `mine`.
 */
typedef struct mnp__reduction_known {
    const void *parts; /* on the device, until the next reduction; NULL where ranks share nothing */
    int members, mine;
} mnp__reduction_known;
mnp_status mnp__reduction_share(mnp__reduction *reduction, const char *function, const mnp_array *x, unsigned axes,
                                mnp__reduction_known *known);

#endif
