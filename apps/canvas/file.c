/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files of pictures.  A file is written under a temporary name in the same folder, and renamed.
 */
#include "canvas/file.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/paths.h"

bool file_is_png(const char *path)
{
    return path_ends_in(path, ".png");
}

bool file_is_svg(const char *path)
{
    return path_ends_in(path, ".svg");
}

/*
 * Signals that end the program are held back while the file is written, which takes milliseconds, so that no temporary
 * file is left.  Blocking them would not do: the system would deliver them to a thread of MPI instead.
 */
static const int held[] = {SIGINT, SIGTERM, SIGHUP};
enum { NUM_HELD = sizeof held / sizeof *held };
static struct sigaction before[NUM_HELD];
static volatile sig_atomic_t arrived;

static void note(int number)
{
    arrived = number;
}

static void hold_signals(void)
{
    struct sigaction action = {.sa_flags = SA_RESTART};
    action.sa_handler = note;
    arrived = 0;
    for (int i = 0; i < NUM_HELD; i++) {
        sigaction(held[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN)
            sigaction(held[i], &action, NULL);
    }
}

static void release_signals(void)
{
    for (int i = 0; i < NUM_HELD; i++)
        sigaction(held[i], &before[i], NULL);
    if (arrived)
        raise(arrived);
}

static mnp_status fail(const char *path, const char *why)
{
    return mnp_fail(MNP_ERR_IO, "the picture '%s' cannot be written: %s", path, why);
}

/* Write to an open file, and close it, also after a failure. */
static mnp_status write_and_close(FILE *file, const char *path, const void *bytes, size_t size)
{
    errno = 0;
    const bool written = fwrite(bytes, 1, size, file) == size && fflush(file) == 0;
    const int error = errno;
    if (fclose(file) == 0 && written)
        return MNP_OK;
    return fail(path, strerror(error ? error : errno));
}

/* Write the temporary file, which is open, and rename it. */
static mnp_status write_and_rename(int descriptor, const char *temporary, const char *target, const char *path,
                                   const void *bytes, size_t size)
{
    mode_t mask = umask(0); /* the only way to read it is to set it */
    umask(mask);
    fchmod(descriptor, 0666 & ~mask); /* the mode of any new file; mkstemps() grants access to the owner alone */
    FILE *file = fdopen(descriptor, "wb");
    if (!file) {
        close(descriptor);
        return fail(path, strerror(errno));
    }
    mnp_status status = write_and_close(file, path, bytes, size);
    if (status == MNP_OK && rename(temporary, target) != 0)
        status = fail(path, strerror(errno));
    return status;
}

mnp_status file_replace(const char *path, const void *bytes, size_t size)
{
    char resolved[PATH_MAX]; /* a symbolic link is followed, and not replaced */
    char temporary[PATH_MAX];
    const char *target = realpath(path, resolved) ? resolved : path;
    const char *slash = strrchr(target, '/');
    const char *name = slash ? slash + 1 : target;
    int length = snprintf(temporary, sizeof temporary, "%.*s.%.200s.XXXXXX.tmp", (int)(name - target), target, name);
    if (length >= (int)sizeof temporary)
        return fail(path, strerror(ENAMETOOLONG));

    hold_signals();
    int descriptor = mkstemps(temporary, (int)strlen(".tmp"));
    mnp_status status = descriptor < 0 ? fail(path, strerror(errno))
                                       : write_and_rename(descriptor, temporary, target, path, bytes, size);
    if (status != MNP_OK && descriptor >= 0)
        unlink(temporary);
    release_signals();
    return status;
}
