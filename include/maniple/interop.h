/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory and streams of other libraries: arrays of memory that somebody else has allocated, blocks that are copied from
 * and to such memory, and the order of work on other streams.
 *
 * A program that has its data in its own memory, or in that of CuPy, PyTorch or a simulation, need not copy it: every
 * rank gives its block, mnp_array_wrap() makes an array of the blocks, and every function takes that array.  On a GPU
 * the other library enqueues its work on a stream of its own, so two calls order the streams:
 *
 *     mnp_ctx_wait_for(ctx, stream);     // what is enqueued on the context from here on sees what the stream has done
 *     mnp_add(wrapped, y, &wrapped);
 *     mnp_ctx_let_wait(ctx, stream);     // what is enqueued on the stream from here on sees the sum
 */
#ifndef MANIPLE_INTEROP_H
#define MANIPLE_INTEROP_H

#include <stdint.h>

#include <maniple/array.h>
#include <maniple/base.h>
#include <maniple/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Called when memory that was wrapped is no longer used, with the argument that was given for it. */
typedef void (*mnp_release)(void *argument);

/*
 * Make an array of memory that is not Maniple's.
 *
 *   dtype     of the elements
 *   layout    which rank owns what; every rank's memory holds its block of it (mnp_layout_local_shape())
 *   block     the element of this rank's block that has the lowest index in every dimension, aligned to its size; NULL
 *             if the block is empty.  The device must reach it: on a GPU it is memory of that GPU, managed memory, or
 *             pinned memory of the host; on the host device any memory
 *   strides   in elements, for each dimension, in either direction, of this rank's block; ranks may differ.  So
 *             borders that the memory has around the block are left out.  Strides that give elements the same place,
 *             such as 0, make an array that can be read only; where only steps along three or more dimensions
 *             together meet, this is not seen, and the array must not be written to.  NULL: dense, in C order
 *   release   NULL, or called once with `argument` after the array and all views of it have been freed and the work
 *             that uses them is done, in the call that frees the last of them, which waits for that work.  If the call
 *             here fails, it is not called
 *
 * The memory must not be freed while the array or a view of it exists.  Without `release`, mnp_ctx_synchronize() tells
 * when the work is done.  Other ranks' GPUs do not reach this memory, so what has to move between ranks goes through
 * NCCL or MPI, as it does between hosts.  MNP_ERR_ARG, MNP_ERR_MEMORY, MNP_ERR_DEVICE.  Collective.
 */
MNP_API mnp_status mnp_array_wrap(mnp_ctx *ctx, mnp_dtype dtype, const mnp_layout *layout, void *block,
                                  const int64_t *strides, mnp_release release, void *argument, mnp_array **array_p);

/*
 * The layout of blocks that follow one another along `axis` by rank, for mnp_array_wrap(), from the shape of this
 * rank's block; along the axis ranks may differ, also have nothing.  The dtype must be the same on all ranks.  An
 * axis below 0 counts from the end.  Release the layout with mnp_layout_free().  The CPUs exchange the shapes;
 * nothing is done on the device.  MNP_ERR_ARG on all ranks, with the rank, if a block does not fit the others;
 * MNP_ERR_MEMORY, MNP_ERR_COMM.  Collective.
 */
MNP_API mnp_status mnp_layout_from_pieces(mnp_ctx *ctx, mnp_dtype dtype, int ndim, const int64_t *shape, int axis,
                                          mnp_layout **layout_p);

/*
 * mnp_array_set_local() and mnp_array_get_local() for memory of any strides, in elements, on the host or on this rank's
 * device; `block` points to the element of the lowest index, and strides NULL is dense in C order.  get refuses strides
 * that give elements the same place, as above.  Both wait.  MNP_ERR_ARG, MNP_ERR_MEMORY, MNP_ERR_DEVICE,
 * MNP_ERR_COMPILE.  Not collective.
 */
MNP_API mnp_status mnp_array_set_local_strided(mnp_array *array, const void *block, const int64_t *strides);
MNP_API mnp_status mnp_array_get_local_strided(const mnp_array *array, void *block, const int64_t *strides);

/*
 * Order the context's work and a stream of another library.  wait_for: array operations that are called from now on
 * start after all that the stream holds now.  let_wait: work that is enqueued on the stream from now on starts after
 * all array operations that have been called.  The CPU does not wait.
 *
 *   stream   a cudaStream_t of this rank's GPU; NULL: the default stream.  Ignored on the host device, whose calls have
 *            done their work when they return
 *
 * MNP_ERR_DEVICE.  Not collective.
 */
MNP_API mnp_status mnp_ctx_wait_for(mnp_ctx *ctx, void *stream);
MNP_API mnp_status mnp_ctx_let_wait(mnp_ctx *ctx, void *stream);

#ifdef __cplusplus
}
#endif

#endif
