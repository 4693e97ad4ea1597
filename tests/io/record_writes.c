/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Records what a process does to one file, for tests/io/h5_crash.py.  It is loaded before the C library:
 *
 *   RECORD_FILE=/path/a.h5 RECORD_LOG=/path/log LD_PRELOAD=record_writes.so COMMAND
 *
 * RECORD_LOG.PID receives a record for each call: the time in seconds, a letter ('w' pwrite, 't' ftruncate,
 * 'a' fallocate, 's' fsync), offset and size, and the bytes that were written.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct record {
    double seconds;
    int64_t letter, offset, size;
};

static int is_recorded(int descriptor)
{
    char link[64], path[PATH_MAX];
    const char *wanted = getenv("RECORD_FILE");
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    const ssize_t length = wanted ? readlink(link, path, sizeof path - 1) : -1;
    if (length < 0)
        return 0;
    path[length] = '\0';
    return strcmp(path, wanted) == 0;
}

static void record(int descriptor, char letter, int64_t offset, int64_t size, const void *bytes)
{
    char name[PATH_MAX];
    struct timespec now;
    if (!is_recorded(descriptor))
        return;
    snprintf(name, sizeof name, "%s.%d", getenv("RECORD_LOG"), (int)getpid());
    FILE *log = fopen(name, "ab");
    if (!log)
        abort();
    clock_gettime(CLOCK_MONOTONIC, &now);
    const struct record one = {(double)now.tv_sec + 1e-9 * (double)now.tv_nsec, letter, offset, size};
    fwrite(&one, sizeof one, 1, log);
    if (bytes)
        fwrite(bytes, 1, (size_t)size, log);
    fclose(log);
}

#define NEXT(type, name, ...) ((type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name))

ssize_t pwrite(int descriptor, const void *bytes, size_t size, off_t offset)
{
    record(descriptor, 'w', offset, (int64_t)size, bytes);
    return NEXT(ssize_t, pwrite, int, const void *, size_t, off_t)(descriptor, bytes, size, offset);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t size, off64_t offset)
{
    record(descriptor, 'w', offset, (int64_t)size, bytes);
    return NEXT(ssize_t, pwrite64, int, const void *, size_t, off64_t)(descriptor, bytes, size, offset);
}

int ftruncate(int descriptor, off_t size)
{
    record(descriptor, 't', 0, size, NULL);
    return NEXT(int, ftruncate, int, off_t)(descriptor, size);
}

int ftruncate64(int descriptor, off64_t size)
{
    record(descriptor, 't', 0, size, NULL);
    return NEXT(int, ftruncate64, int, off64_t)(descriptor, size);
}

int fallocate(int descriptor, int mode, off_t offset, off_t size)
{
    record(descriptor, 'a', offset, size, NULL);
    return NEXT(int, fallocate, int, int, off_t, off_t)(descriptor, mode, offset, size);
}

int fallocate64(int descriptor, int mode, off64_t offset, off64_t size)
{
    record(descriptor, 'a', offset, size, NULL);
    return NEXT(int, fallocate64, int, int, off64_t, off64_t)(descriptor, mode, offset, size);
}

int fsync(int descriptor)
{
    record(descriptor, 's', 0, 0, NULL);
    return NEXT(int, fsync, int)(descriptor);
}
