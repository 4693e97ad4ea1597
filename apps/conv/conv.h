/* SPDX-License-Identifier: BSD-3-Clause */
/* maniple conv: what its files share. */
#ifndef APPS_CONV_H
#define APPS_CONV_H

#include <stdbool.h>

#include <maniple.h>

#include "common/job.h"

typedef struct convolution {
    job job; /* first: see common/job.h */
    operand kernel;
    mnp_conv_options options;
    int axes[OPERAND_MAX_DIMS];
    bool fills;             /* --fillvalue was given */
    mnp_conv_method method; /* that the plan takes */
    mnp_conv_plan_info info;
    mnp_conv_plan *planned; /* for arrays of the layout `layout` */
    mnp_layout *layout;
    mnp_array *taps; /* the kernel, where slabs of several layouts are convolved with it */
} convolution;

static inline convolution *conv_of(job *j)
{
    return (convolution *)j;
}

/* By mnp_conv_method, ended by NULL. */
#define CONV_METHOD_NAME(name, word, purpose) [name] = word,
static const char *const conv_method_names[] = {MNP_CONV_METHODS(CONV_METHOD_NAME) NULL};
#undef CONV_METHOD_NAME

/* Make the library's plan, for arrays like the input, which has not been read yet.  Collective. */
mnp_status conv_make_plan(convolution *j);

/* Find whether the arrays are larger than the memory, and how they go through in slabs.  Not collective. */
void conv_stream_plan(convolution *j);
void conv_stream_needs(const job *base, stream_slab *slab);

/* The taps of the kernel. */
double conv_count_taps(const convolution *j);

/* Print the line of the report on the kernel and how it is applied. */
void conv_print_kernel(const convolution *j, mnp_conv_method method);

/* Fill in what would be done.  Collective. */
mnp_status conv_plan(job *base, plan *p);

#endif
