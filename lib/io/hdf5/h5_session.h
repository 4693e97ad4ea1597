/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sessions: rank 0 changes an HDF5 file in place, safely.
 *
 * HDF5 works on an overlay of the file (h5_overlay.h).  Space for values is allocated beyond the file's end, and the
 * ranks write the values there themselves; then the session is committed (io/commit.h), and all that HDF5 has written
 * appears at once.  Only rank 0 calls these functions; none of them is collective.
 */
#ifndef MNP__IO_H5_SESSION_H
#define MNP__IO_H5_SESSION_H

#include "io/hdf5/h5.h"
#include "io/hdf5/h5_overlay.h"
#include "io/plain_file.h"

typedef struct mnp__h5_session {
    mnp__plain_file opened; /* its descriptor is -1 while there is no session */
    mnp__h5_overlay *overlay;
    hid_t file;
    int64_t old_end; /* of the file as readers see it */
} mnp__h5_session;

/*
 * Begin: complete what an interrupted session has left, exclude other writers, and open the file.  MNP_ERR_IO, and
 * MNP_ERR_UNSUPPORTED if this HDF5 is too old or the file has a user block.  mnp__h5_session_end() releases it, also
 * after a failure.
 */
mnp_status mnp__h5_session_begin(const char *name, mnp__h5_session *session);

/*
 * Close the file in HDF5: all that is to be changed is known, and space for values is reserved on the disk, where they
 * may be written now.  MNP_ERR_IO.
 */
mnp_status mnp__h5_session_prepare(mnp__h5_session *session);

/* Make the changes appear, after all values are on disk.  MNP_ERR_IO. */
mnp_status mnp__h5_session_commit(mnp__h5_session *session);

/* Release everything; what was not committed has not happened. */
void mnp__h5_session_end(mnp__h5_session *session);

#endif
