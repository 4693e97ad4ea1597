/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Owners: indices are sent to the ranks that own the elements they name, which find the elements in their blocks.
 *
 * The dimensions in a mask of axes are indexed; an index is the number in C order of one of their elements.  On one
 * rank it names all elements of the rank's block along the other dimensions.
 */
#ifndef MNP__OPS_INDEXING_OWNERS_H
#define MNP__OPS_INDEXING_OWNERS_H

#include "array/array.h"
#include "array/move/shuffle.h"

/* Whether every rank that owns anything owns all of the dimensions that are indexed, so that nothing has to travel. */
bool mnp__owns_all(const mnp_layout *layout, unsigned axes);

/*
 * The offsets in this rank's block, in elements from x->data, of the elements that the indices name.  `mode` is as in
 * kernels/indexing/indexed_params.h.  Pointers are to device memory.  All ranks must call it, as a kernel is compiled.
 */
mnp_status mnp__owners_place(const mnp_array *x, unsigned axes, const int64_t *index, int64_t count, int mode,
                             int64_t *places);

/* Whether all ranks have parts of the first dimension alone, in their order: each has numbers one after the other. */
bool mnp__owns_in_order(const mnp_layout *layout);

/* The stride of elements along `count` dimensions together; false if they have no common one. */
bool mnp__owners_join(int count, const int64_t *shape, const int64_t *strides, int64_t *stride_p);

/*
 * On more ranks indices are sent, as what each would read is then, by estimate, more than what sending goes through.  On
 * two and four ranks reading took 0.2 to 0.6 of the time.
 */
enum { MNP__OWNERS_READ = 16 };

/* Whether every rank reads the indices, and of the values its own, where the CPU reaches them: x is owned in order. */
bool mnp__owners_read(const mnp_array *x, const mnp_array *index, const mnp_array *values);

/* Where these offsets may lie: from *first_p on, so many.  Not collective. */
void mnp__owners_span(const mnp_array *x, long long *first_p, long long *span_p);

/* A route: a rank's indices to their owners, and elements back to the rank, or values along to the owners. */
typedef struct mnp__route {
    mnp_ctx *ctx;
    mnp__shuffle *shuffle;
    int64_t count, received; /* indices of this rank; those that came to it from all ranks, in their order */
    int64_t sent;            /* `count`, or more where elements have several owners */
    int64_t *order;          /* device: the indices' numbers (modulo count) in the order in which they are sent */
    int64_t *places;         /* device: offsets in this rank's block of the elements that are read or written */
} mnp__route;

/*
 * Send the indices, dense in device memory, to the owners: among replicas to one that is near, or, if `all`, to every
 * one.  Collective, and agreed upon.  MNP_ERR_MEMORY, MNP_ERR_COMPILE, MNP_ERR_DEVICE, MNP_ERR_COMM.
 */
mnp_status mnp__route_new(const mnp_array *x, unsigned axes, const int64_t *index, int64_t count, int mode, bool all,
                          mnp__route **route_p);
void mnp__route_free(mnp__route *route); /* NULL is accepted */

/*
 * Send values along: a row of so many elements of `size` bytes for each index, dense in device memory.  *got_p receives
 * those that came, in the order of `places`; the device's free() releases it, also after a failure.  Collective, and
 * agreed upon.  MNP_ERR_MEMORY, MNP_ERR_COMPILE, MNP_ERR_DEVICE, MNP_ERR_COMM.
 */
mnp_status mnp__route_send(const mnp__route *route, size_t size, int64_t row, const void *values, void **got_p);

#endif
