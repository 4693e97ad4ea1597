/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lists of boxes to copy between strided memories on this rank's device: what the mover, casts and fills are made of.
 */
#ifndef MNP__ARRAY_BOXES_H
#define MNP__ARRAY_BOXES_H

#include "context/context.h"
#include "kernels/array/copy_boxes_params.h"

/* Zeros and the size of an element in bytes are an empty list. */
typedef struct mnp__boxes {
    size_t size;
    int64_t count, capacity, total; /* total: elements */
    /* see kernels/array/copy_boxes_params.h; in_unit: elements of the last one, where it is of small boxes */
    int64_t units, in_unit;
    int ndim;
    mnp_box_copy *host, *device; /* device: made by mnp__boxes_commit() */
} mnp__boxes;

/*
 * Add a box: offsets and strides in elements.  Boxes without elements are left out.  A box's elements are visited in
 * the order in which they lie where they are written.
 */
mnp_status mnp__boxes_add(mnp__boxes *boxes, int ndim, const int64_t *extent, int64_t src, const int64_t *src_strides,
                          int64_t dst, const int64_t *dst_strides);

/* Let the next box begin a unit of its own, so that the list can be cut there; gives that unit's number. */
int64_t mnp__boxes_cut(mnp__boxes *boxes);

/* Bring the list to the device, after which it can be run any number of times.  Waits. */
mnp_status mnp__boxes_commit(mnp_ctx *ctx, mnp__boxes *boxes);
void mnp__boxes_free(mnp_ctx *ctx, mnp__boxes *boxes);

/* A committed list, for the parameters of a kernel. */
mnp_box_list mnp__boxes_params(const mnp__boxes *boxes);

/*
 * The kernel that copies from one dtype to another.  Collective, as mnp__ctx_kernel().  The second form loads one for
 * this rank alone, which the caller frees.
 */
mnp_status mnp__copy_kernel(mnp_ctx *ctx, mnp_dtype src, mnp_dtype dst, mnp__kernel **kernel_p);
mnp_status mnp__copy_kernel_alone(mnp_ctx *ctx, mnp_dtype src, mnp_dtype dst, mnp__kernel **kernel_p);

/* The dtype that moves elements of that one bit by bit: one kernel serves all types of a size. */
mnp_dtype mnp__moving_dtype(mnp_dtype dtype);

/* Run a committed list on a stream. */
mnp_status mnp__boxes_run(mnp_ctx *ctx, mnp__kernel *kernel, const mnp__boxes *boxes, const void *src, void *dst,
                          mnp__stream *stream);

/* Fill the boxes of a committed list with one element. */
mnp_status mnp__boxes_fill(mnp_ctx *ctx, mnp__kernel *kernel, const mnp__boxes *boxes, const void *value, void *dst,
                           mnp__stream *stream);

/*
 * One box without a list.  Elements are numbered in C order; `count` of them from number `begin` on are copied, from
 * strided memory to strided memory, or filled with one value.
 */
typedef struct mnp__one_box {
    mnp_box_copy box;
    int ndim;
    int64_t begin, count;
} mnp__one_box;

/* The whole box of that extent: offsets are 0, strides in elements. */
mnp__one_box mnp__one_box_of(int ndim, const int64_t *extent, const int64_t *src_strides, const int64_t *dst_strides);

/*
 * Visit the elements of a whole box in the order in which they lie where they are written, by tiles if they lie in
 * another order where they are read.
 */
void mnp__one_box_order(mnp__one_box *box);

/* Elements are of `size` bytes; 0 where the kernel converts them. */
mnp_status mnp__one_box_copy(mnp_ctx *ctx, mnp__kernel *kernel, const mnp__one_box *box, size_t size, const void *src,
                             void *dst, mnp__stream *stream);
mnp_status mnp__one_box_fill(mnp_ctx *ctx, mnp__kernel *kernel, const mnp__one_box *box, const void *value, size_t size,
                             void *dst, mnp__stream *stream);

/* Copy elements of `size` bytes on the CPU, at once. */
void mnp__one_box_copy_on_cpu(const mnp__one_box *box, size_t size, const void *src, void *dst);

#endif
