/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PNG files, by libpng if the build has it.  A file is written under a temporary name in the same folder, and renamed.
 */
#include <config.h>

#include "picture/png_file.h"

#ifdef HAVE_PNG

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <png.h>

bool png_supported(void)
{
    return true;
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

/* Write the picture to an open file, and close it, also after a failure. */
static mnp_status write_and_close(FILE *file, const char *path, int width, int height, const unsigned char *pixels)
{
    png_image image = {.version = PNG_IMAGE_VERSION,
                       .width = (png_uint_32)width,
                       .height = (png_uint_32)height,
                       .format = PNG_FORMAT_GRAY};
    errno = 0;
    int written = png_image_write_to_stdio(&image, file, 0, pixels, 0, NULL);
    int flushed = fflush(file);
    int error = errno; /* the system's error, which libpng does not report */
    int closed = fclose(file);
    if (written && flushed == 0 && closed == 0)
        return MNP_OK;
    return fail(path, error ? strerror(error) : written ? strerror(errno) : image.message);
}

/* Write the temporary file, which is open, and rename it. */
static mnp_status write_and_rename(int descriptor, const char *temporary, const char *target, const char *path,
                                   int width, int height, const unsigned char *pixels)
{
    mode_t mask = umask(0); /* the only way to read it is to set it */
    umask(mask);
    fchmod(descriptor, 0666 & ~mask); /* the mode of any new file; mkstemps() grants access to the owner alone */
    FILE *file = fdopen(descriptor, "wb");
    if (!file) {
        close(descriptor);
        return fail(path, strerror(errno));
    }
    mnp_status status = write_and_close(file, path, width, height, pixels);
    if (status == MNP_OK && rename(temporary, target) != 0)
        status = fail(path, strerror(errno));
    return status;
}

mnp_status png_write(const char *path, int width, int height, const unsigned char *pixels)
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
                                       : write_and_rename(descriptor, temporary, target, path, width, height, pixels);
    if (status != MNP_OK && descriptor >= 0)
        unlink(temporary);
    release_signals();
    return status;
}

#else

bool png_supported(void)
{
    return false;
}

mnp_status png_write(const char *path, int width, int height, const unsigned char *pixels)
{
    (void)width, (void)height, (void)pixels;
    return mnp_fail(MNP_ERR_UNSUPPORTED, "the picture '%s' cannot be written without libpng", path);
}

#endif
