/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * HDF5's errors: switching off their printing, and turning them into messages of ours.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "comm/comm.h"
#include "io/hdf5/h5.h"

void mnp__h5_printing_off(mnp__h5_printing *saved)
{
    H5Eget_auto2(H5E_DEFAULT, &saved->function, &saved->data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

static bool damaged; /* HDF5 holds what it could not release, and would complain of it when it ends */

void mnp__h5_printing_restore(const mnp__h5_printing *saved)
{
    if (!damaged)
        H5Eset_auto2(H5E_DEFAULT, saved->function, saved->data);
}

static _Thread_local char reason[256];

/* Stops at the first entry with a description: it comes from the function that detected the error. */
static herr_t take_description(unsigned depth, const H5E_error2_t *error, void *unused)
{
    (void)depth;
    (void)unused;
    if (!error->desc || !*error->desc)
        return 0;
    snprintf(reason, sizeof reason, "%s", error->desc);
    return 1;
}

const char *mnp__h5_reason(void)
{
    snprintf(reason, sizeof reason, "HDF5 gives no reason");
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_description, NULL);
    return reason;
}

hid_t mnp__h5_open_file(const char *path, unsigned flags, hid_t access)
{
    static const char *const released[] = {"signature not found", "unable to open file", "unable to lock file",
                                           "truncated file"};
    hid_t file = H5Fopen(path, flags, access);
    bool known = file >= 0;
    for (size_t i = 0; i < sizeof released / sizeof *released && !known; i++)
        known = strstr(mnp__h5_reason(), released[i]) != NULL;
    damaged = damaged || !known;
    return file;
}

herr_t mnp__h5_close_file(hid_t file)
{
    if (H5Fclose(file) >= 0)
        return 0;
    damaged = true;
    mnp__exit_at_once();
    return -1;
}

mnp_status mnp__h5_fail_open(const char *file)
{
    int error;
    unsigned long long bytes, base, expected;
    const char *why = mnp__h5_reason();
    if (sscanf(why, "truncated file: eof = %llu, sblock->base_addr = %llu, stored_eof = %llu", &bytes, &base,
               &expected) == 3)
        return MNP_FAIL(MNP_ERR_FORMAT, "'%s' is truncated: it has %llu bytes where it should have %llu", file, bytes,
                        base + expected);
    if (strstr(why, "signature not found"))
        return MNP_FAIL(MNP_ERR_FORMAT, "'%s' is not an HDF5 file", file);
    if (sscanf(why, "unable to lock file, errno = %d", &error) == 1)
        return error == EWOULDBLOCK ? MNP_FAIL(MNP_ERR_IO, "another program has '%s' open for writing", file)
                                    : MNP_FAIL(MNP_ERR_IO,
                                               "'%s' cannot be locked (%s): where its file system has no locks, set "
                                               "HDF5_USE_FILE_LOCKING=FALSE",
                                               file, strerror(error));
    return MNP_FAIL(MNP_ERR_IO, "cannot open '%s' as an HDF5 file: %s", file, why);
}
