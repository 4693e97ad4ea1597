/*
 * Lists of boxes to copy between strided memories on this rank's device: what the mover, casts and fills are made of.
 */
#ifndef MNP__ARRAY_BOXES_H
#define MNP__ARRAY_BOXES_H

#include "context/context.h"
#include "kernels/copy_boxes.h"

typedef struct mnp__boxes {
    int64_t count, capacity, total; /* total: elements */
    int ndim;
    mnp_box_copy *host, *device; /* device: made by mnp__boxes_commit() */
} mnp__boxes;

/* Add a box: offsets and strides in elements.  Boxes without elements are left out. */
mnp_status mnp__boxes_add(mnp__boxes *boxes, int ndim, const int64_t *extent, int64_t src, const int64_t *src_strides,
                          int64_t dst, const int64_t *dst_strides);

/* Bring the list to the device, after which it can be run any number of times.  Waits. */
mnp_status mnp__boxes_commit(mnp_ctx *ctx, mnp__boxes *boxes);
void mnp__boxes_free(mnp_ctx *ctx, mnp__boxes *boxes);

/* The kernel that copies from one dtype to another.  Collective, as mnp__ctx_kernel(). */
mnp_status mnp__copy_kernel(mnp_ctx *ctx, mnp_dtype src, mnp_dtype dst, mnp__kernel **kernel_p);

/* The dtype that moves elements of that one bit by bit: one kernel serves all types of a size. */
mnp_dtype mnp__moving_dtype(mnp_dtype dtype);

/* Run a committed list on a stream. */
mnp_status mnp__boxes_run(mnp_ctx *ctx, mnp__kernel *kernel, const mnp__boxes *boxes, const void *src, void *dst,
                          mnp__stream *stream);

/* Fill the boxes of a committed list with one value of `size` bytes, of the kernel's source dtype. */
mnp_status mnp__boxes_fill(mnp_ctx *ctx, mnp__kernel *kernel, const mnp__boxes *boxes, const void *value, size_t size,
                           void *dst, mnp__stream *stream);

/* Copy `count` elements that lie one after the other, or set them to *value where src is NULL. */
mnp_status mnp__copy_run(mnp_ctx *ctx, mnp__kernel *kernel, int64_t count, const void *src, const void *value,
                         size_t value_size, void *dst, mnp__stream *stream);

#endif
