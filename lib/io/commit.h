/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Commits: a file that is changed in place, all of it or nothing, even if the process is killed.
 *
 * What is new lies beyond the end that the file has for its readers, where nobody sees it.  What has to change before
 * that end are a few runs of bytes, the patches.  A commit
 *
 * 1. writes the patches beyond the new end, as a journal with a checksum, and brings everything to disk;
 * 2. writes a mark over the first 8 bytes of the file: from here on the change is made, and no other program takes the
 *    file for one of its kind;
 * 3. writes the patches to their places, and then the first 8 bytes again, and cuts off the journal.
 *
 * A process that ends before step 2 leaves the old contents, and some bytes behind the end that are of no use.  One
 * that ends after it leaves a marked file and its journal, and whoever opens the file next with mnp__commit_complete()
 * does step 3.  It may do so any number of times.
 *
 * Each of the steps ends with fsync(), so this holds for power failures too, where a write of 8 bytes is done or not.
 * The cost: four fsync() and twice the bytes of the patches.  Not collective: one rank does it.
 */
#ifndef MNP__IO_COMMIT_H
#define MNP__IO_COMMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io/plain_file.h"

/* A run of bytes to be changed. */
typedef struct mnp__patch {
    int64_t offset;
    size_t size;
    const unsigned char *before, *after; /* `before` is what the file has */
} mnp__patch;

typedef struct mnp__commit {
    const mnp__plain_file *file; /* open for reading and writing */
    int64_t old_end;             /* of the contents that readers see now */
    int64_t new_end;             /* of the contents after the commit */
    int64_t count;
    const mnp__patch *patches;
} mnp__commit;

/*
 * Change the file.  Before it is marked, the file is locked against readers, and the bytes that are going to be changed
 * are compared with `before`.  MNP_ERR_IO, and the old contents stay, if another program has the file open or has
 * changed it, or the disk is full; after a failure behind that the next mnp__commit_complete() goes on.
 */
mnp_status mnp__commit_run(const mnp__commit *commit);

/* The bytes of the file after a commit: the new end, aligned, which is where the journal begins until then. */
int64_t mnp__commit_bytes(int64_t new_end);

/* Whether the file is marked. */
bool mnp__commit_is_open(const char *path);

/* Complete the commit of a marked file; nothing is done to others.  MNP_ERR_IO, MNP_ERR_FORMAT if it has no journal. */
mnp_status mnp__commit_complete(const char *path);

/*
 * Locks, as HDF5 takes them: shared by those who read, and one alone for who changes the file.  Waits for some seconds.
 * MNP_ERR_IO if another program has the file locked.  Where the file system has no locks, or HDF5_USE_FILE_LOCKING is
 * FALSE, nothing is locked.
 */
mnp_status mnp__commit_lock(const mnp__plain_file *file, bool exclusive);
void mnp__commit_unlock(const mnp__plain_file *file);

/* Exclude others who grow the file, from before values are written until the descriptor is closed.  MNP_ERR_IO. */
mnp_status mnp__commit_claim(const mnp__plain_file *file);

#endif
