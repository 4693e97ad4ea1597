/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inside an array: dtype + layout + this rank's box in device memory, which views share.
 */
#ifndef MNP__ARRAY_H
#define MNP__ARRAY_H

#include <maniple/array.h>
#include <maniple/redistribute.h>

#include "context/context.h"

/* Device memory that an array and its views share. */
typedef struct mnp__buffer {
    int owners;
    void *data;  /* shared: of all ranks, also where this rank's block is empty */
    size_t size; /* bytes of this rank's block */
    bool in_heap;
    bool shared; /* it is at the same place of the heap on all ranks, and peers can write into it */
} mnp__buffer;

/* Bytes of blocks: this rank's, the largest of any rank, and those of all ranks together by the number of ranks. */
typedef struct mnp__block_sizes {
    size_t own, largest, average;
} mnp__block_sizes;

/* Memory for blocks, and one count of it; release gives it back, NULL is accepted.  Collective, and agreed upon. */
mnp_status mnp__buffer_new(mnp_ctx *ctx, const mnp__block_sizes *sizes, mnp__buffer **buffer_p);
void mnp__buffer_release(mnp_ctx *ctx, mnp__buffer *buffer);

enum mnp__dense_orders {
    MNP__DENSE_C = 1,
    MNP__DENSE_F = 2,
    MNP__DENSE_ORDER = 4, /* that of its layout */
    MNP__DENSE_WHOLE = 8  /* in one of these, and from the beginning of their buffer on, on all ranks */
};

/*
 * A scalar (mnp_scalar_int() and its like) has no memory: its value is in `value`, as bool, int64, float64 or
 * complex128; its layout is that of a 0-dimensional array.
 */
struct mnp_array {
    mnp_ctx *ctx;
    mnp_dtype dtype;
    mnp_layout *layout; /* owned: one count */
    int64_t local_lo[MNP_MAX_DIMS], local_shape[MNP_MAX_DIMS], local_strides[MNP_MAX_DIMS];
    int64_t local_size; /* elements; strides are in elements too, and may be negative or 0 */
    int64_t before[MNP_MAX_DIMS], after[MNP_MAX_DIMS]; /* margins: see margins.c */
    mnp__buffer *buffer;                               /* one count of it; NULL for a scalar */
    void *data;                                        /* this block's first element; NULL if the block is empty */
    bool read_only;                                    /* a broadcast view, or a view of one: elements share memory */
    unsigned dense; /* the orders, mnp__dense_orders, in which the blocks of all ranks are known to lie dense */
    char weak;      /* a scalar's kind, 'b', 'i', 'f' or 'c'; else 0 */
    unsigned long long value[2];
};

/*
 * Copy between arrays of the same layout, any dtypes and strides, also if they share memory.  Collective where a kernel
 * is needed that the context does not have yet: after mnp__array_assign_prepare() each rank copies by itself.
 */
mnp_status mnp__array_assign(const mnp_array *from, mnp_array *to);
mnp_status mnp__array_assign_prepare(const mnp_array *from, const mnp_array *to);

/* MNP_ERR_ARG, beginning with `function`, if the array is a scalar: those are for element-wise functions alone. */
mnp_status mnp__array_refuse_scalar(const char *function, const mnp_array *array);

/*
 * The same, and where it is spread block-cyclically: what a rank owns of it is then no box.  Only copies,
 * redistribution and element-wise functions can do with such an array.
 */
mnp_status mnp__array_check_blocks(const char *function, const mnp_array *array);

/* MNP_ERR_ARG unless that is a dtype, and the layout is for the context's ranks. */
mnp_status mnp__array_check(const mnp_ctx *ctx, mnp_dtype dtype, const mnp_layout *layout);

/* Whether this rank's block lies dense in C order. */
bool mnp__array_is_dense(const mnp_array *array);

static inline bool mnp__array_is_scalar(const mnp_array *array)
{
    return array->weak != 0;
}

/*
 * A view: an array of that dtype and layout on the memory of `base`.  This rank's block of it begins at `data` and has
 * those strides (ignored where the block is empty).  It is not known to be dense.  Not collective.  MNP_ERR_MEMORY.
 */
mnp_status mnp__array_view(const mnp_array *base, mnp_dtype dtype, const mnp_layout *layout, void *data,
                           const int64_t *strides, mnp_array **view_p);

/* Strides in elements of a dense block of that extent in C order. */
void mnp__dense_strides(int ndim, const int64_t *extent, int64_t *strides);

#endif
