/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files that are replaced atomically: readers see the old file or the complete new one, never a part of it.
 *
 * The new contents are written to a temporary file in the same folder, which is renamed to the file's own name once it
 * is complete and on disk.  Rank 0 makes, copies, reserves and commits the temporary file; all ranks hold it open and
 * sync it.  A rank that SIGINT, SIGTERM or SIGHUP ends while the file is written removes the temporary file; after
 * SIGKILL the next process that writes to the same folder does (base/process/leftovers.h).  Its name is ".NAME.*.tmp",
 * where NAME is the name of the file.
 *
 * The cost: the file system holds the old and the new file at the same time, and contents that are kept are copied.
 */
#ifndef MNP__IO_ATOMIC_FILE_H
#define MNP__IO_ATOMIC_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include <maniple/base.h>

#include "comm/comm.h"

typedef struct mnp__atomic_file {
    const char *file;      /* what the user calls it */
    char target[PATH_MAX]; /* the same with symbolic links followed */
    char path[PATH_MAX];   /* the temporary file */
    int descriptor;        /* of the temporary file, or -1 */
    bool mine;             /* this rank made the temporary file, and has to remove it */
    bool exists;           /* the target exists */
    struct stat replaced;  /* the target's status, if it exists */
    int64_t bytes;         /* the size of the complete file, as given to mnp__atomic_file_make() */
} mnp__atomic_file;

/*
 * Find out where `file` will lie, and whether it can be written there; this changes nothing.  A file of 0 bytes counts
 * as missing.  MNP_ERR_IO.  Rank 0.
 */
mnp_status mnp__atomic_file_find(const char *file, mnp__atomic_file *output);

/*
 * Make the temporary file, empty or, with `copy`, with the bytes of the target.  MNP_ERR_IO if the free space of the
 * file system or the process's limit does not allow a file of `bytes`; the message says how much is missing.  Rank 0.
 */
mnp_status mnp__atomic_file_make(mnp__atomic_file *output, int64_t bytes, bool copy);

/*
 * Reserve `bytes` of the file system for the file, so that no later write fails for lack of space.  MNP_ERR_IO.  Rank
 * 0.
 */
mnp_status mnp__atomic_file_reserve(const mnp__atomic_file *output, int64_t bytes);

/* Whether the file system is full: called where a write has failed and HDF5 gives no reason.  Not collective. */
bool mnp__atomic_file_is_full(const mnp__atomic_file *output);

/* Tell all ranks the name of the temporary file that rank 0 has made; each of them opens it.  Collective. */
mnp_status mnp__atomic_file_share(mnp__comm *comm, mnp__atomic_file *output);

/* Wait until everything that this rank's node has written is on disk.  MNP_ERR_IO.  Not collective. */
mnp_status mnp__atomic_file_sync(const mnp__atomic_file *output);

/*
 * Redirect every descriptor of the temporary file that this process holds, except our own, to a file in memory.  After
 * a failure HDF5 must still write in order to close the file; it can then do so on all ranks even if the disk accepts
 * no more data.  Not collective.
 */
void mnp__atomic_file_detach(mnp__atomic_file *output);

/* Rename the temporary file, which every rank has synced, to its own name, with the old file's permissions.  Rank 0. */
mnp_status mnp__atomic_file_commit(mnp__atomic_file *output);

/* Close the descriptor, and remove the temporary file if it was not committed.  Not collective. */
void mnp__atomic_file_close(mnp__atomic_file *output);

#endif
