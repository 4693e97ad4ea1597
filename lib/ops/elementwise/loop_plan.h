/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inside a loop: how a run chooses the kernel that suits its operands' strides, and that kernel's parameter.
 */
#ifndef MNP__OPS_ELEMENTWISE_LOOP_PLAN_H
#define MNP__OPS_ELEMENTWISE_LOOP_PLAN_H

#include "base/nest.h"
#include "ops/common/kernel_table.h"
#include "ops/elementwise/generated.h"
#include "ops/elementwise/loop.h"

enum {
    MNP__LOOP_COUNTERS = MNP_MAX_DIMS + 1, /* mnp_i, then mnp_index[d]: operands that are computed, not loaded */
    MNP__LOOP_OPERANDS = MNP__MAX_OPERANDS + MNP__LOOP_COUNTERS,
    /* 64-bit numbers of the parameter */
    MNP__LOOP_SLOTS = 5 * MNP_MAX_DIMS + 8 + MNP__LOOP_OPERANDS * (MNP_MAX_DIMS + 1)
};

/*
 * Figures that were measured to be fastest; tests/ops/elementwise/loop_speed.c tries others.  All but the last two are
 * for GPUs.
 */
typedef struct mnp__loop_tuning {
    int threads;          /* of a block: a power of two, 32 .. 1024 */
    int vector_bytes;     /* of the widest operand that a thread accesses at once: 16 or 32 */
    int word_bytes;       /* the same where an input is not contiguous, so that its elements are loaded one by one */
    int flight_bytes;     /* of all operands that a thread should have in flight */
    int unroll;           /* most rows of a thread */
    int unroll_heavy;     /* rows of a thread whose body calls functions of many instructions */
    int tile_bytes;       /* of shared memory for tiles, unless the smallest tiles take more */
    int64_t stream_bytes; /* of a block's operands, above which the host writes results past its caches */
    int64_t small;        /* blocks of fewer elements, unless they are contiguous, share one general kernel */
} mnp__loop_tuning;

/* What a kernel is compiled for.  Signatures are compared by their bytes. */
typedef struct mnp__loop_signature {
    unsigned char ndim, vector, unroll, tile, flat, wide;
    unsigned char indices;   /* dimensions of the array, at least 1, if the body uses indices */
    unsigned char noperands; /* including counters */
    unsigned char access[MNP__LOOP_OPERANDS];
} mnp__loop_signature;

struct mnp__loop {
    mnp_ctx *ctx;
    mnp__loop_spec spec; /* its texts and operands belong to the loop */
    mnp__loop_tuning tuning;
    size_t sizes[MNP__MAX_OPERANDS]; /* bytes of an operand's elements in memory */
    unsigned counters;               /* bit 0: the body uses mnp_i; bit d + 1: mnp_index[d] */
    bool heavy;                      /* the body calls functions of many instructions */
    bool agreed;                     /* all ranks have compiled a kernel of it */
    mnp__generated generated;        /* the text that all of its kernels share */
    mnp__entry *kernels;             /* by signature */
};

/* The dimensions and operands of a run, in as few dimensions as possible. */
typedef struct mnp__loop_walk {
    const mnp__loop *loop;
    mnp__nest nest; /* its operands are the loop's, then counters */
    int64_t stride[MNP__LOOP_OPERANDS][MNP_MAX_DIMS];
    uint64_t base[MNP__LOOP_OPERANDS];   /* address, first value of a counter, or first half of a scalar */
    uint64_t second[MNP__LOOP_OPERANDS]; /* second half of a scalar, or elements of a raw operand; not set otherwise */
    unsigned char access[MNP__LOOP_OPERANDS]; /* MNP_ACCESS_STRIDED, _SCALAR or _RAW */
    int first_output;                         /* the output that decides the order of dimensions */
    int64_t total, rows;
} mnp__loop_walk;

/* One run: a kernel's signature, how wide it runs, and its parameter. */
typedef struct mnp__loop_plan {
    mnp__loop_signature signature;
    mnp__launch launch;
    bool small; /* so the general kernel is fast enough */
    int nslots;
    uint64_t slots[MNP__LOOP_SLOTS];
    mnp__loop_walk walk;
} mnp__loop_plan;

/* loop_plan.c.  `operands` are those of mnp__loop_run().  An empty block's plan has a kernel, but is never launched. */
void mnp__loop_plan_make(const mnp__loop *loop, const mnp_array *const *operands, mnp__loop_plan *plan);
/* Change a plan to use the kernel that takes any strides.  `output` is the run's first one. */
void mnp__loop_plan_general(const mnp_array *output, mnp__loop_plan *plan);

/* loop_access.c.  Whether an operand's address or counter changes along the loop; and whether it is such an array. */
bool mnp__loop_moves(const mnp__loop_walk *w, int k);
bool mnp__loop_is_array(const mnp__loop_walk *w, int k);
/* Set the access of operands by rows, and `tile` if some need tiles, for which dimensions may change places. */
void mnp__loop_find_access(mnp__loop_walk *w, mnp__loop_signature *signature);
/*
 * For a GPU: choose vectors, and whether the loop is flat, with the access that follows.  Gives how many elements
 * before its first one the loop begins, so that the outputs' vectors are aligned.
 */
int64_t mnp__loop_choose_access(const mnp__loop_walk *w, mnp__loop_signature *signature);

/* loop_source.c: write a loop's text from its spec, and the definitions for a signature. */
mnp_status mnp__loop_write(mnp__loop *loop);
mnp_status mnp__loop_load(const mnp__loop *loop, const mnp__loop_signature *signature, mnp__kernel **kernel_p);

/* Let a loop run with other figures than those of loop.c.  This drops its kernels. */
void mnp__loop_tune(mnp__loop *loop, const mnp__loop_tuning *tuning);
extern const mnp__loop_tuning mnp__loop_tuning_default;

#endif
