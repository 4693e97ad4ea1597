/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The order of locks, HDF5's calls and the commit.
 */
#include <config.h> /* first: it makes fallocate() known */

#include "io/hdf5/h5_session.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/integer.h"
#include "base/status.h"
#include "io/commit.h"

static mnp_status open_file(const char *name, mnp__h5_session *session)
{
    struct stat status;
    MNP_TRY(mnp__commit_complete(name));
    session->opened = (mnp__plain_file){.name = name, .descriptor = open(name, O_RDWR | O_CLOEXEC)};
    if (session->opened.descriptor < 0)
        return MNP_FAIL(MNP_ERR_IO, "cannot write '%s': %s", name, strerror(errno));
    MNP_TRY(mnp__commit_claim(&session->opened));
    MNP_TRY(mnp__commit_complete(name)); /* another writer may have been ended while this one waited */
    MNP_TRY(mnp__commit_lock(&session->opened, false));
    if (fstat(session->opened.descriptor, &status) != 0)
        return MNP_FAIL(MNP_ERR_IO, "cannot write '%s': %s", name, strerror(errno));
    session->opened.bytes = (int64_t)status.st_size;
    return MNP_OK;
}

/* Cut off what a session that was ended has written beyond the end. */
static mnp_status cut_tail(mnp__h5_session *session)
{
    const int64_t most = mnp__commit_bytes(session->old_end);
    if (session->opened.bytes <= most)
        return MNP_OK;
    session->opened.bytes = most;
    if (ftruncate(session->opened.descriptor, most) == 0)
        return MNP_OK;
    return MNP_FAIL(MNP_ERR_IO, "cannot write '%s': %s", session->opened.name, strerror(errno));
}

static mnp_status check_block(const mnp__h5_session *session)
{
    hsize_t block = 0;
    hid_t properties = H5Fget_create_plist(session->file);
    const bool plain = properties >= 0 && H5Pget_userblock(properties, &block) >= 0 && block == 0;
    if (properties >= 0)
        H5Pclose(properties);
    return plain ? MNP_OK
                 : MNP_FAIL(MNP_ERR_UNSUPPORTED, "'%s' has a user block before its data, and cannot grow in place",
                            session->opened.name);
}

mnp_status mnp__h5_session_begin(const char *name, mnp__h5_session *session)
{
    *session = (mnp__h5_session){.opened = MNP__PLAIN_FILE_CLOSED, .file = H5I_INVALID_HID};
#if !H5_VERSION_GE(1, 10, 3)
    return MNP_FAIL(MNP_ERR_UNSUPPORTED, "'%s' cannot grow: this is HDF5 %s, and 1.10.3 is needed", name,
                    mnp_h5_version());
#endif
    MNP_TRY(open_file(name, session));
    MNP_TRY(mnp__h5_overlay_new(session->opened.descriptor, &session->overlay));
    MNP_TRY(mnp__h5_overlay_open(session->overlay, name, &session->file));
    session->old_end = mnp__h5_overlay_end(session->overlay);
    MNP_TRY(check_block(session));
    return cut_tail(session);
}

mnp_status mnp__h5_session_prepare(mnp__h5_session *session)
{
    const hid_t file = session->file;
    session->file = H5I_INVALID_HID;
    if (H5Fflush(file, H5F_SCOPE_GLOBAL) < 0 || mnp__h5_close_file(file) < 0)
        return MNP_FAIL(MNP_ERR_IO, "cannot write '%s': %s", session->opened.name, mnp__h5_reason());
    const int64_t end = mnp__h5_overlay_end(session->overlay), more = end - session->old_end;
    if (more <= 0 || fallocate(session->opened.descriptor, 0, session->old_end, more) == 0)
        return MNP_OK;
    if ((errno == EOPNOTSUPP || errno == ENOSYS) && ftruncate(session->opened.descriptor, end) == 0)
        return MNP_OK;
    return MNP_FAIL(MNP_ERR_IO, "no space for %" PRId64 " bytes more in '%s': %s", more, session->opened.name,
                    strerror(errno));
}

mnp_status mnp__h5_session_commit(mnp__h5_session *session)
{
    mnp__patch *patches;
    struct stat ours, named;
    if (fstat(session->opened.descriptor, &ours) != 0 || stat(session->opened.name, &named) != 0 ||
        ours.st_ino != named.st_ino || ours.st_dev != named.st_dev)
        return MNP_FAIL(MNP_ERR_IO, "cannot write '%s': another program has replaced it meanwhile; run this again",
                        session->opened.name);
    /* where something was removed the file may end earlier: until that is done, nothing may be written there */
    const int64_t end = mnp__h5_overlay_end(session->overlay);
    mnp__commit commit = {
        .file = &session->opened, .old_end = session->old_end, .new_end = mnp__max(end, session->old_end)};
    MNP_TRY(mnp__h5_overlay_patches(session->overlay, session->old_end, &commit.count, &patches));
    commit.patches = patches;
    mnp_status st = mnp__commit_run(&commit);
    free(patches);
    if (st == MNP_OK)
        session->opened.bytes = mnp__commit_bytes(end); /* what is cut off now is of what was removed */
    return st;
}

void mnp__h5_session_end(mnp__h5_session *session)
{
    if (session->file >= 0)
        mnp__h5_close_file(session->file);
    mnp__h5_overlay_free(session->overlay);
    /* give back the space of what has not happened; of a marked file the journal has to stay */
    if (session->opened.descriptor >= 0 && session->old_end > 0 && !mnp__commit_is_open(session->opened.name)) {
        struct stat status;
        if (fstat(session->opened.descriptor, &status) == 0 && status.st_size > session->opened.bytes &&
            ftruncate(session->opened.descriptor, session->opened.bytes) != 0)
            errno = 0; /* it is cut off when the file is changed next */
    }
    mnp__plain_file_close(&session->opened);
    *session = (mnp__h5_session){.opened = MNP__PLAIN_FILE_CLOSED, .file = H5I_INVALID_HID};
}
