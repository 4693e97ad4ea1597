/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The transfer of values between an array of a file and the ranks' blocks, slab by slab (io/slabs.h).  What kind of
 * file it is, is a table of functions.
 *
 * On the host device files are read into and written from the block's own memory.  On a GPU two pinned buffers
 * alternate, so that one slab is read from or written to the file while another is copied to or from the device.
 */
#ifndef MNP__IO_TRANSFER_H
#define MNP__IO_TRANSFER_H

#include "array/array.h"
#include "io/read_ahead.h"
#include "io/selection.h"

/* How elements come from a file and go there; each function works for this rank alone. */
typedef struct mnp__transfer_ops {
    /*
     * All ranks make the same number of calls, one a round, and agree after each; a rank that has nothing to read or
     * write passes `box` NULL.  False: they call as they like, and agree once.
     */
    bool together;
    /* Read the box's elements, as they are in the file, to `buffer`, in C order; or write them. */
    mnp_status (*read)(void *file, const mnp__file_box *box, void *buffer);
    mnp_status (*write)(void *file, const mnp__file_box *box, const void *buffer);
    /* Add the bytes that read() would read for a box to those that are read ahead.  Not collective. */
    void (*ahead)(void *file, const mnp__file_box *box, mnp__read_ahead *ahead);
    /* Turn `count` elements that were read into elements of the array's dtype, in place. */
    mnp_status (*convert)(void *file, int64_t count, void *buffer);
} mnp__transfer_ops;

typedef struct mnp__transfer {
    const mnp_array *array; /* dense in C order */
    const mnp__selection *selection;
    size_t stored;       /* bytes of an element in the file, at most those of the array's dtype */
    const int64_t *unit; /* extents of the chunks that the file is stored in; NULL: it is in C order as a whole */
    bool whole_units;    /* a chunk is read or written as a whole, so that slabs should not cut it */
    const mnp__transfer_ops *ops;
    void *file;
} mnp__transfer;

/*
 * Read the array's values, or write them; what is written is selected with steps of 1.  If the layout has replicas, all
 * of them read, and the one on the lowest rank writes.  Collective.
 */
mnp_status mnp__transfer_read(const mnp__transfer *transfer);
mnp_status mnp__transfer_write(const mnp__transfer *transfer);

/*
 * Let the bytes of the box [lo, lo + extent) of an array, which is not there yet (`array` is NULL), be read ahead from
 * the file of that name.  Not collective.
 */
void mnp__transfer_ahead(mnp_ctx *ctx, const mnp__transfer *transfer, const int64_t *lo, const int64_t *extent,
                         const char *name);

#endif
