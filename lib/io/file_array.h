/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The array of a file: reading one from a file of any kind that the transfer knows how to read (io/transfer.h), what is
 * selected of it in the layout that is asked for; and writing one to a new file that has its elements in C order.
 */
#ifndef MNP__IO_FILE_ARRAY_H
#define MNP__IO_FILE_ARRAY_H

#include "io/plain_file.h"
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

/* A new file: an array's elements in C order, and what rank 0 writes around them. */
typedef struct mnp__file_output {
    const char *function;          /* begins messages about the array: "mnp_tiff_write" */
    const char *name;              /* of the file */
    int64_t offset;                /* where the elements begin */
    int64_t bytes;                 /* of the whole file */
    mnp__plain_file_writer *frame; /* writes everything else; rank 0 alone calls it */
    void (*encode)(void *argument, int64_t count,
                   void *buffer); /* elements as they are in the file, in place; or NULL */
    void *argument;               /* of both */
} mnp__file_output;

/* The bytes of an array's elements. */
int64_t mnp__file_array_bytes(const mnp_array *array);

/*
 * Replace a file by one with the array, of which each rank writes its block slab by slab: readers see the old file or
 * the new one.  An array whose blocks would lie in the file in short runs is redistributed before.  MNP_ERR_ARG,
 * MNP_ERR_IO, MNP_ERR_MEMORY, and what `frame` returns.  Collective.
 */
mnp_status mnp__file_array_write(const mnp_array *array, const mnp__file_output *output);

/* Check whether such a file could be written, without writing: the folder and the permissions.  Collective. */
mnp_status mnp__file_array_check_write(mnp_ctx *ctx, const char *name);

#endif
