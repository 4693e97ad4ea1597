/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A file written aside: under a temporary name in the same folder, renamed to its own when it is whole and on disk.
 *
 * Rank 0 makes, copies, reserves, commits and discards; all ranks hold it open and sync it.  If the process is ended by
 * SIGINT, SIGTERM or SIGHUP meanwhile, and does not ignore that signal, the temporary file is removed first; then the
 * signal does what it would have done.  What a SIGKILL leaves is called ".NAME.XXXXXX.tmp", NAME being the file's name.
 */
#ifndef MNP__IO_ASIDE_H
#define MNP__IO_ASIDE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include <maniple/base.h>

#include "comm/comm.h"

typedef struct mnp__aside {
    const char *file;      /* what the user calls it */
    char target[PATH_MAX]; /* the same with symbolic links followed */
    char path[PATH_MAX];   /* the temporary file */
    int descriptor;        /* of the temporary file, or -1 */
    bool mine;             /* this rank made it, and is to remove it */
    bool exists;           /* the target is there */
    struct stat replaced;  /* and this is what it is */
    int64_t bytes;         /* what the file comes to, as given to mnp__aside_make() */
} mnp__aside;

/*
 * Find out where `file` is to be and whether it can be made there, changing nothing.  An empty file counts as none.
 * MNP_ERR_IO.  Rank 0.
 */
mnp_status mnp__aside_find(const char *file, mnp__aside *aside);

/*
 * Make the temporary file, empty or with the target's bytes, if free space and the process's limit allow a file of
 * `bytes`; else MNP_ERR_IO that says what is missing.  Rank 0.
 */
mnp_status mnp__aside_make(mnp__aside *aside, int64_t bytes, bool copy);

/* Have the file system keep so many bytes for the file: no write will fail for want of them.  MNP_ERR_IO.  Rank 0. */
mnp_status mnp__aside_reserve(const mnp__aside *aside, int64_t bytes);

/* Whether nothing is left of the file system: for a write that has failed without a reason.  Not collective. */
bool mnp__aside_is_full(const mnp__aside *aside);

/* Tell all ranks of the file that rank 0 has made, and have them open it.  Collective. */
mnp_status mnp__aside_share(mnp__comm *comm, mnp__aside *aside);

/* What this rank's node has written is on disk, or MNP_ERR_IO.  Not collective. */
mnp_status mnp__aside_sync(const mnp__aside *aside);

/*
 * Let every descriptor that this process has of the temporary file lead into memory instead.  A library that must still
 * write to close the file can then do so on all ranks, though the disk may not take it.  Not collective.
 */
void mnp__aside_detach(mnp__aside *aside);

/* Give the file, which every rank has closed and then synced, its own name and the permissions due to it.  Rank 0. */
mnp_status mnp__aside_commit(mnp__aside *aside);

/* End: remove the temporary file if it was not committed, close the descriptor.  Not collective. */
void mnp__aside_close(mnp__aside *aside);

#endif
