/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading the array of a file of any kind that the transfer knows how to read (io/transfer.h): what is selected of it,
 * in the layout that is asked for.
 */
#ifndef MNP__IO_FILE_ARRAY_H
#define MNP__IO_FILE_ARRAY_H

#include "io/transfer.h"

typedef struct mnp__file_array {
    const char *function; /* begins messages about *array_p: "mnp_tiff_read" */
    const char *name;     /* of the file, for messages */
    mnp_dtype dtype;
    int ndim;
    const int64_t *shape;
    size_t stored;       /* these and the following are the transfer's */
    const int64_t *unit; /* extents of the file's chunks, which are decoded as a whole; NULL: there are none */
    const mnp__transfer_ops *ops;
    void *file;
} mnp__file_array;

/*
 * The layout of an array of the selection's shape: the caller's, retained, or without one mnp_layout_block().
 * MNP_ERR_ARG if it has another shape or is block-cyclic.
 */
mnp_status mnp__file_array_layout(mnp_ctx *ctx, const char *name, const mnp__selection *selection,
                                  const mnp_layout *given, mnp_layout **layout_p);

/*
 * Read what `wanted` selects, NULL: all, to *array_p as public functions of io do.  MNP_ERR_ARG, MNP_ERR_MEMORY, and
 * what the file's functions return; MNP_ERR_FORMAT is the same on all ranks.  Collective.
 */
mnp_status mnp__file_array_read(mnp_ctx *ctx, const mnp__file_array *source, const mnp_selection *wanted,
                                const mnp_layout *given, mnp_array **array_p);

#endif
