/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * maniple doctor: an HDF5 file that all ranks write to the folder and read again, with its speed.
 */
#include "doctor/doctor.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/command.h"
#include "report/report.h"

static char path[4096]; /* of the file, which does not stay, however the run ends */

/* ---- the test ---- */

/* Whether every element that was read is what was written. */
static mnp_status compare(const mnp_array *written, const mnp_array *read, bool *same_p)
{
    mnp_array *different = NULL, *any = NULL;
    bool value = true;
    mnp_status status = mnp_not_equal(written, read, &different);
    if (status == MNP_OK)
        status = mnp_any(different, NULL, &any);
    if (status == MNP_OK)
        status = mnp_item(any, &value);
    *same_p = !value;
    mnp_free_all(different, any);
    return status;
}

static mnp_status try_file(doctor *d, int64_t rows, double seconds[2], bool *same_p)
{
    mnp_array *x = NULL, *y = NULL;
    mnp_status status = mnp_arange(d->ctx, 0, (double)rows, 1, MNP_FLOAT64, &x);
    if (status == MNP_OK)
        status = compare(x, x, same_p); /* its kernels are compiled before there is a file */
    double begin = MPI_Wtime();
    if (status == MNP_OK)
        status = mnp_h5_write(x, path, "/x", NULL);
    mnp_temporary_guard(path); /* while the file is written the library does that */
    seconds[0] = MPI_Wtime() - begin;
    begin = MPI_Wtime();
    if (status == MNP_OK)
        status = mnp_h5_read(d->ctx, path, "/x", NULL, &y);
    seconds[1] = MPI_Wtime() - begin;
    if (status == MNP_OK)
        status = compare(x, y, same_p);
    mnp_free_all(x, y);
    return status;
}

void doctor_look_at_files(doctor *d)
{
    const double slow = 100e6; /* bytes a second: a disk of its own gives as much */
    const int64_t elements = (int64_t)d->ranks << 22;
    const double bytes = 8 * (double)elements;
    char text[BYTES_TEXT];
    double seconds[2] = {1, 1};
    bool same = false;
    snprintf(path, sizeof path, "%s/.maniple-doctor-%ld.h5", d->folder, (long)getpid());
    broadcast(d->ctx, path, sizeof path, MPI_CHAR);
    const mnp_status status = try_file(d, elements, seconds, &same);
    all_reduce(d->ctx, seconds, 2, MPI_DOUBLE, MPI_MAX);
    if (d->rank == 0)
        unlink(path);
    mnp_temporary_release(path);
    const double written = bytes / seconds[0], read = bytes / seconds[1];
    if (status != MNP_OK)
        doctor_say(d, "HDF5", WRONG, "name a folder that all hosts see and may write to: maniple doctor DIR", "%s",
                   mnp_error_message());
    else if (!same)
        doctor_say(d, "HDF5", WRONG,
                   "the ranks see different files: name a folder on a file system that all hosts share",
                   "a file in %s has other numbers than were written", d->folder);
    else
        doctor_say(d, "HDF5", written < slow || read < slow ? SLOW : FINE,
                   "use a parallel file system such as Lustre (lfs setstripe -c 4 DIR), not a home folder by NFS",
                   "%s in %s: written at %.0f MB/s, read at %.0f MB/s (it was in memory)",
                   bytes_text((int64_t)bytes, text), d->folder, written * 1e-6, read * 1e-6);
}
