/* SPDX-License-Identifier: BSD-3-Clause */
/* The struct of an array: a dtype, a layout, and this rank's block in device memory, which views share. */
#ifndef MNP__ARRAY_H
#define MNP__ARRAY_H

#include <maniple/array.h>
#include <maniple/interop.h>
#include <maniple/redistribute.h>

#include "context/context.h"

/* Where the memory of a buffer comes from, and goes. */
typedef enum mnp__buffer_home {
    MNP__BUFFER_HEAP,
    MNP__BUFFER_POOL,   /* the device's own, of this rank alone */
    MNP__BUFFER_WRAPPED /* the caller's: see wrap.c */
} mnp__buffer_home;

/* Device memory that an array and its views share. */
typedef struct mnp__buffer {
    int owners;
    bool dropped; /* one of its owners was released by mnp_array_drop(), when other ranks may not have been so far */
    mnp__buffer_home home;
    bool shared; /* it is at the same address of the heap on all ranks, and peers can write into it */
    void *data;  /* if `shared`, set on all ranks, even if this rank's block is empty */
    size_t size; /* bytes of this rank's block that Maniple has allocated */
    mnp_release release;
    void *argument; /* of release, which is NULL except in wrapped memory */
} mnp__buffer;

/* Bytes of blocks: this rank's, the largest one of all ranks, and the total divided by the number of ranks. */
typedef struct mnp__block_sizes {
    size_t own, largest, average;
} mnp__block_sizes;

/* Whether blocks are equal enough for the heap, which takes the size of the largest one on every rank. */
bool mnp__buffer_is_balanced(const mnp__block_sizes *sizes);

/*
 * Allocate memory for blocks, with one reference; and release a reference, which may be NULL.  Allocation is
 * collective, and ranks agree on its success.
 */
mnp_status mnp__buffer_new(mnp_ctx *ctx, const mnp__block_sizes *sizes, mnp__buffer **buffer_p);
void mnp__buffer_release(mnp_ctx *ctx, mnp__buffer *buffer);

enum mnp__dense_orders {
    MNP__DENSE_C = 1,
    MNP__DENSE_F = 2,
    MNP__DENSE_ORDER = 4, /* the order of its layout */
    MNP__DENSE_WHOLE = 8  /* in one of these orders, from the beginning of the buffer on, on all ranks */
};

/*
 * A scalar (MNP_SCALAR) has no memory: `value` has its value as bool, int64, float64 or complex128, and its layout is
 * that of a 0-dimensional array.
 */
struct mnp_array {
    unsigned tag; /* MNP__TAG_array: see base/call.h */
    mnp_ctx *ctx;
    mnp_dtype dtype;
    mnp_layout *layout; /* holds one reference */
    int64_t local_lo[MNP_MAX_DIMS], local_shape[MNP_MAX_DIMS], local_strides[MNP_MAX_DIMS];
    int64_t local_size; /* elements; strides are in elements too, and may be negative or 0 */
    /*
     * the dimensions as they lie in memory, the slowest first, of a view as its array has them: the same on all ranks
     */
    int stored[MNP_MAX_DIMS];
    int64_t before[MNP_MAX_DIMS], after[MNP_MAX_DIMS]; /* margins: see margins.c */
    mnp__buffer *buffer;                               /* holds one reference; NULL for a scalar */
    void *data;                                        /* this block's first element; NULL if the block is empty */
    bool read_only;    /* a broadcast view, or a view of one: its elements share memory */
    unsigned repeated; /* bit d: all elements along dimension d are known to be one that is broadcast; on all ranks */
    unsigned dense;    /* the orders, mnp__dense_orders, in which the blocks of all ranks are known to be dense */
    char weak;         /* a scalar's kind, 'b', 'i', 'f' or 'c'; otherwise 0 */
    unsigned long long value[2];
};

/* Make the struct of an array that has no memory yet.  Not collective.  MNP_ERR_MEMORY. */
mnp_status mnp__array_describe(mnp_ctx *ctx, mnp_dtype dtype, const mnp_layout *layout, mnp_array **array_p);

/*
 * Copy between arrays of the same layout, of any dtypes and strides, even if they share memory.  The call is collective
 * if it needs a kernel that the context does not have yet: after mnp__array_assign_prepare() each rank can copy by
 * itself.
 */
mnp_status mnp__array_assign(const mnp_array *from, mnp_array *to);
mnp_status mnp__array_assign_prepare(const mnp_array *from, const mnp_array *to);

/*
 * Copy what this rank's block has at index 0 along some dimensions, of which bits of `dims` are set, to all of its
 * elements along these.  The first function, which is collective, makes sure that the second one has its kernel.
 */
mnp_status mnp__array_repeat_prepare(const mnp_array *array);
mnp_status mnp__array_repeat(mnp_array *array, unsigned dims);

/*
 * MNP_ERR_ARG, with a message that begins with `function`, if the array is a scalar, which only element-wise functions
 * take.
 */
mnp_status mnp__array_refuse_scalar(const char *function, const mnp_array *array);

/*
 * MNP_ERR_ARG also if the array is block-cyclic, so that a rank's elements are not a box.  Only copies, redistribution
 * and element-wise functions work on such arrays; functions with MNP_IN_BLOCKS (array/input.h) bring them to blocks
 * first.
 */
mnp_status mnp__array_check_blocks(const char *function, const mnp_array *array);

/* MNP_ERR_ARG unless `dtype` is a dtype and the layout has as many ranks as the context. */
mnp_status mnp__array_check(const mnp_ctx *ctx, mnp_dtype dtype, const mnp_layout *layout);

/* mnp_array_from_pieces(), whose messages begin with `function` and call the data `name`. */
mnp_status mnp__array_from_pieces(const char *function, const char *name, mnp_ctx *ctx, mnp_dtype dtype, int ndim,
                                  const int64_t *shape, int axis, const void *data, bool even, mnp_array **array_p);

/* Whether this rank's block is dense in C order. */
bool mnp__array_is_dense(const mnp_array *array);

/*
 * Sort some dimensions by how far apart their elements lie in this rank's memory, the farthest first; equal ones stay.
 */
void mnp__order_by_strides(const mnp_array *array, int *dims, int count);

/* Pinned memory of the context that no call uses when it returns: copies to the host pass through it. */
mnp_status mnp__array_pinned(mnp_ctx *ctx, void **buffer_p, size_t *bytes_p);

/* The value of a scalar, as two words.  A number whose value is asked for is in use, and stays: see scalar.c. */
const unsigned long long *mnp__scalar_value(const mnp_array *scalar);

static inline bool mnp__array_is_scalar(const mnp_array *array)
{
    return array->weak != 0;
}

/* Whether x is one number: a scalar, or an array without dimensions. */
static inline bool mnp__array_is_number(const mnp_array *x)
{
    return mnp__array_is_scalar(x) || mnp_layout_ndim(x->layout) == 0;
}

/*
 * Make a view: an array of that dtype and layout on the memory of `base`.  This rank's block of it begins at `data` and
 * has the given strides (ignored if the block is empty).  The view is not marked as dense.  Not collective.
 * MNP_ERR_MEMORY.
 */
mnp_status mnp__array_view(const mnp_array *base, mnp_dtype dtype, const mnp_layout *layout, void *data,
                           const int64_t *strides, mnp_array **view_p);

/* The strides, in elements, of a dense block of that extent in C order. */
void mnp__dense_strides(int ndim, const int64_t *extent, int64_t *strides);

/*
 * Whether strides certainly give two elements of a block the same place: along one dimension, or by steps along two.
 * Elements that meet by steps along more than two dimensions are not found.
 */
bool mnp__strides_meet(int ndim, const int64_t *extent, const int64_t *strides);

#endif
