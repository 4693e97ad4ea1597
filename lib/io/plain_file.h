/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files whose bytes are read and written by the operating system's own calls, each rank its part.
 */
#ifndef MNP__IO_PLAIN_FILE_H
#define MNP__IO_PLAIN_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "context/context.h"
#include "io/read_ahead.h"
#include "io/atomic_file.h"
#include "io/selection.h"

/* A file that is open for reading, or for writing too. */
typedef struct mnp__plain_file {
    const char *name; /* for messages */
    int descriptor;
    int64_t bytes;                    /* its size when it was opened for reading */
    struct mnp__write_behind *behind; /* what writes to it in the background; NULL: writing is done when it returns */
} mnp__plain_file;

#define MNP__PLAIN_FILE_CLOSED ((mnp__plain_file){.descriptor = -1})

/* Open a file for reading on this rank.  MNP_ERR_ARG without a name, MNP_ERR_IO, also if it is a folder or a pipe. */
mnp_status mnp__plain_file_open(const char *name, mnp__plain_file *file);

/* Open on all other ranks the file that rank 0 has opened.  MNP_ERR_IO if one finds none, or another.  Collective. */
mnp_status mnp__plain_file_open_together(mnp_ctx *ctx, const char *name, mnp__plain_file *file);

void mnp__plain_file_close(mnp__plain_file *file);

/* Read `count` bytes from offset `from`, or write them.  MNP_ERR_IO, also if the file has fewer. */
mnp_status mnp__plain_file_read(const mnp__plain_file *file, int64_t from, size_t count, void *data);
mnp_status mnp__plain_file_write(const mnp__plain_file *file, int64_t to, size_t count, const void *data);

/* Wait until what is written in the background is with the operating system.  MNP_ERR_IO. */
mnp_status mnp__plain_file_catch_up(const mnp__plain_file *file);

/* Wait until everything that this rank's node has written is on disk.  MNP_ERR_IO. */
mnp_status mnp__plain_file_sync(const mnp__plain_file *file);

/* Writes this rank's part of a new file. */
typedef mnp_status mnp__plain_file_writer(const mnp__plain_file *file, void *argument);

/*
 * Replace a file by one of `bytes` bytes, of which each rank writes its part: readers see the old file or the new one
 * (io/atomic_file.h).  MNP_ERR_IO, and what `write` returns.  Collective.
 */
mnp_status mnp__plain_file_replace(mnp_ctx *ctx, const char *name, int64_t bytes, mnp__plain_file_writer *write,
                                   void *argument);

/* Arrays that lie in a file in C order, from an offset on. */

typedef struct mnp__plain_array {
    int64_t offset;
    size_t item; /* bytes of an element */
    int ndim;
    int64_t shape[MNP_MAX_DIMS];
} mnp__plain_array;

/* Read or write the elements of a box, which are in C order in memory; what is written has steps of 1. */
mnp_status mnp__plain_array_read(const mnp__plain_file *file, const mnp__plain_array *array, const mnp__file_box *box,
                                 void *buffer);
mnp_status mnp__plain_array_write(const mnp__plain_file *file, const mnp__plain_array *array, const mnp__file_box *box,
                                  const void *buffer);

/* Add the bytes of a box to those that are read ahead. */
void mnp__plain_array_ahead(const mnp__plain_array *array, const mnp__file_box *box, mnp__read_ahead *ahead);

/* Reverse the bytes of `count` numbers of `size` bytes, in place. */
void mnp__swap_bytes(size_t size, int64_t count, void *numbers);

#endif
