/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Boxes: copies between strided memories on this rank's device.  Redistribution, casts and fills are made of them.
 *
 * A box is an extent with an offset and strides for its source and for its target.  A list of boxes is executed by one
 * kernel launch, any number of times.  A few boxes are passed to the kernel in its parameter; a longer list is copied
 * to the device once.
 */
#ifndef MNP__ARRAY_BOXES_H
#define MNP__ARRAY_BOXES_H

#include "context/context.h"
#include "kernels/array/copy_boxes_params.h"

/* A list of boxes.  A struct of zeros with the size of an element in bytes is an empty list. */
typedef struct mnp__boxes {
    size_t size;
    int64_t count, capacity, total; /* total: elements */
    /* see kernels/array/copy_boxes_params.h; in_unit: elements in the last unit, if it has small boxes */
    int64_t units, in_unit;
    int ndim;
    mnp_box_copy *host, *device; /* `device` is NULL where there are few */
} mnp__boxes;

/*
 * Add a box; offsets and strides are in elements.  Boxes without elements are ignored.  The elements are copied in the
 * order of the target's memory.
 */
mnp_status mnp__boxes_add(mnp__boxes *boxes, int ndim, const int64_t *extent, int64_t src, const int64_t *src_strides,
                          int64_t dst, const int64_t *dst_strides);

/* Start a new unit with the next box, so that the list can be divided there; returns the number of that unit. */
int64_t mnp__boxes_cut(mnp__boxes *boxes);

/*
 * Prepare the complete list, so that it can be run any number of times.  If it has more than a few boxes it is copied
 * to the device, which takes memory there and waits for all that has been enqueued.
 */
mnp_status mnp__boxes_commit(mnp_ctx *ctx, mnp__boxes *boxes);

/* Copy a committed list to the device in any case, for mnp__boxes_params(). */
mnp_status mnp__boxes_to_device(mnp_ctx *ctx, mnp__boxes *boxes);
void mnp__boxes_free(mnp_ctx *ctx, mnp__boxes *boxes);

/* A committed list as a parameter of a kernel; it has boxes if they are on the device. */
mnp_box_list mnp__boxes_params(const mnp__boxes *boxes);

/*
 * The kernel that copies from one dtype to another.  The first function is collective, as mnp__ctx_kernel() is; the
 * second one loads a kernel for this rank alone, which the caller frees.
 */
mnp_status mnp__copy_kernel(mnp_ctx *ctx, mnp_dtype src, mnp_dtype dst, mnp__kernel **kernel_p);
mnp_status mnp__copy_kernel_alone(mnp_ctx *ctx, mnp_dtype src, mnp_dtype dst, mnp__kernel **kernel_p);

/* The dtype used to copy elements bit by bit: one kernel serves all types of the same size. */
mnp_dtype mnp__moving_dtype(mnp_dtype dtype);

/* Run a committed list on a stream. */
mnp_status mnp__boxes_run(mnp_ctx *ctx, mnp__kernel *kernel, const mnp__boxes *boxes, const void *src, void *dst,
                          mnp__stream *stream);

/*
 * The same beside other work, on part of the GPU: with so many blocks at most.  From src to dst both on the device, dst
 * maybe a peer's.
 */
mnp_status mnp__boxes_run_beside(mnp_ctx *ctx, mnp__kernel *kernel, const mnp__boxes *boxes, int blocks,
                                 const void *src, void *dst, mnp__stream *stream);

/*
 * Whether a list consists of a few copies of long rows, which a GPU's copy engines take as fast as links go and leave
 * its processors alone; and have them do it.  The list need not be committed.
 */
bool mnp__boxes_are_rows(const mnp__boxes *boxes);
mnp_status mnp__boxes_copy_rows(mnp_ctx *ctx, const mnp__boxes *boxes, const void *src, void *dst, mnp__stream *stream);

/* Fill the targets of a committed list with one element. */
mnp_status mnp__boxes_fill(mnp_ctx *ctx, mnp__kernel *kernel, const mnp__boxes *boxes, const void *value, void *dst,
                           mnp__stream *stream);

/*
 * One box without a list.  Its elements are numbered in C order, and `count` of them from number `begin` on are copied
 * between strided memories, or filled with one value.
 */
typedef struct mnp__one_box {
    mnp_box_copy box;
    int ndim;
    int64_t begin, count;
} mnp__one_box;

/* A whole box of that extent, with offsets 0 and strides in elements. */
mnp__one_box mnp__one_box_of(int ndim, const int64_t *extent, const int64_t *src_strides, const int64_t *dst_strides);

/*
 * Reorder the dimensions of a whole box so that elements are copied in the order of the target's memory, in tiles if
 * the source has another order.
 */
void mnp__one_box_order(mnp__one_box *box);

/* Copy or fill a box.  Elements have `size` bytes; 0 if the kernel converts them. */
mnp_status mnp__one_box_copy(mnp_ctx *ctx, mnp__kernel *kernel, const mnp__one_box *box, size_t size, const void *src,
                             void *dst, mnp__stream *stream);
mnp_status mnp__one_box_fill(mnp_ctx *ctx, mnp__kernel *kernel, const mnp__one_box *box, const void *value, size_t size,
                             void *dst, mnp__stream *stream);

/* Copy elements of `size` bytes on the CPU, before the function returns. */
void mnp__one_box_copy_on_cpu(const mnp__one_box *box, size_t size, const void *src, void *dst);

#endif
