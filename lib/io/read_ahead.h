/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading ahead: bytes of a file that will be read soon come from the disk to the operating system's memory, while the
 * program computes.
 *
 * A thread of the context reads them and forgets them, so this serves every format, and needs neither MPI nor a library
 * of files, which other threads may not call.  What is read later is read by the usual functions, which find the bytes
 * in the page cache and copy them.  The thread is a help and no more: that something cannot be read ahead, or a page
 * has left the cache again, is no error and changes no result.  It works where the file system has a page cache.
 */
#ifndef MNP__IO_READ_AHEAD_H
#define MNP__IO_READ_AHEAD_H

#include <stdint.h>

#include "context/context.h"
#include "io/selection.h"

/* Ranges of bytes of a file, in the order in which they will be read. */
typedef struct mnp__read_ahead {
    int64_t count, capacity;
    struct mnp__read_range {
        int64_t begin, end;
    } * list;
} mnp__read_ahead;

/* Add a range; those that nearly touch become one.  Where there is no memory for it, it is left out. */
void mnp__read_ahead_add(mnp__read_ahead *ahead, int64_t begin, int64_t bytes);

/*
 * Add what the indices of a box along its first dimension, of which there are `rows`, take of the `bytes` bytes from
 * `begin` on if all take as much: for files whose pieces are compressed and lie in the order of their rows, as nearly
 * all do.
 */
void mnp__read_ahead_add_share(mnp__read_ahead *ahead, int64_t begin, int64_t bytes, int64_t rows,
                               const mnp__file_box *box);

/*
 * Read the ranges of this file in the background.  What was asked for before and has not been read yet is given up.
 * `ahead` is released.  Not collective.
 */
void mnp__read_ahead_start(mnp_ctx *ctx, const char *name, mnp__read_ahead *ahead);

#endif
