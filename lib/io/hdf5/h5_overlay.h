/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Overlays: HDF5 works on a file, and what it writes stays in memory.
 *
 * An overlay is a file driver of HDF5.  Reads see the file with all that was written to the overlay; the file itself is
 * not touched.  Afterwards the overlay tells which bytes of the file are to be changed, so that all of them can be
 * changed at once, or none (io/commit.h).  What lies in an overlay is HDF5's own: headers, groups, the index of chunks.
 * Values of arrays do not go through it: space is allocated for them, and the ranks write them to the file.
 *
 * Memory: three times the pages of 4 KiB that HDF5 writes to; 1 GiB in chunks of 1 MiB takes about 300 KiB.
 */
#ifndef MNP__IO_H5_OVERLAY_H
#define MNP__IO_H5_OVERLAY_H

#include "io/commit.h"
#include "io/hdf5/h5.h"

typedef struct mnp__h5_overlay mnp__h5_overlay;

/* Make an overlay of a file that is open for reading, and stays so.  MNP_ERR_MEMORY.  Not collective. */
mnp_status mnp__h5_overlay_new(int descriptor, mnp__h5_overlay **overlay_p);
void mnp__h5_overlay_free(mnp__h5_overlay *overlay);

/* Open the file in HDF5, for reading and writing, through the overlay; `name` is for messages.  MNP_ERR_IO. */
mnp_status mnp__h5_overlay_open(mnp__h5_overlay *overlay, const char *name, hid_t *file_p);

/*
 * Values of arrays that HDF5 writes from now on are dropped: their space is allocated, and that is all.  The second
 * function ends this, and returns where the last of them should have been written, or -1 if there were none.
 */
void mnp__h5_overlay_drop_values(mnp__h5_overlay *overlay);
int64_t mnp__h5_overlay_keep_values(mnp__h5_overlay *overlay);

/* Where HDF5 takes the file to end: what lies beyond is not used yet. */
int64_t mnp__h5_overlay_end(const mnp__h5_overlay *overlay);

/*
 * List the bytes that HDF5 has written and that differ from the file's or lie at `end` or beyond, in the order of their
 * places.  Bytes that HDF5 has not written are in no patch: others may have written them.  Patches do not cross a
 * multiple of 4096.  Release the list with free().  MNP_ERR_MEMORY.
 */
mnp_status mnp__h5_overlay_patches(const mnp__h5_overlay *overlay, int64_t end, int64_t *count_p,
                                   mnp__patch **patches_p);

#endif
