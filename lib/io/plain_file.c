/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading and writing parts of files.
 */
#include "io/plain_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/status.h"
#include "io/write_behind.h"

enum { MOST_AT_ONCE = 16 << 20 /* bytes that are written before a signal can end the process */ };

/* ---- reading ---- */

mnp_status mnp__plain_file_open(const char *name, mnp__plain_file *file)
{
    struct stat status;
    *file = (mnp__plain_file){.name = name, .descriptor = -1};
    if (!name || !*name)
        return MNP_FAIL(MNP_ERR_ARG, "the name of the file is missing");
    if (stat(name, &status) != 0)
        return MNP_FAIL(MNP_ERR_IO, "cannot read '%s': %s", name, strerror(errno));
    if (!S_ISREG(status.st_mode)) /* opening a pipe would wait for a writer */
        return MNP_FAIL(MNP_ERR_IO, "cannot read '%s': it is %s", name,
                        S_ISDIR(status.st_mode) ? "a folder" : "not a regular file, which ranks could share");
    file->descriptor = open(name, O_RDONLY | O_CLOEXEC);
    if (file->descriptor < 0)
        return MNP_FAIL(MNP_ERR_IO, "cannot read '%s': %s", name, strerror(errno));
    file->bytes = (int64_t)status.st_size;
    return MNP_OK;
}

mnp_status mnp__plain_file_open_together(mnp_ctx *ctx, const char *name, mnp__plain_file *file)
{
    mnp_status st = MNP_OK;
    int64_t bytes = file->bytes;
    MNP_TRY(mnp__broadcast(&ctx->comm, &bytes, sizeof bytes, 0));
    if (ctx->comm.rank != 0) {
        st = mnp__plain_file_open(name, file);
        if (st != MNP_OK)
            st = mnp__fail_context(st, "rank 0 can read the file but rank %d cannot", ctx->comm.rank);
        else if (bytes != file->bytes)
            st = MNP_FAIL(MNP_ERR_IO,
                          "'%s' has %" PRId64 " bytes for rank 0 and %" PRId64 " for rank %d: the folder must "
                          "be one that all ranks share",
                          name, bytes, file->bytes, ctx->comm.rank);
    }
    return MNP_AGREE(ctx, st);
}

void mnp__plain_file_close(mnp__plain_file *file)
{
    mnp__write_behind_end(file->behind);
    file->behind = NULL;
    if (file->descriptor >= 0)
        close(file->descriptor);
    file->descriptor = -1;
}

mnp_status mnp__plain_file_read(const mnp__plain_file *file, int64_t from, size_t count, void *data)
{
    for (size_t done = 0; done < count;) {
        ssize_t got = pread(file->descriptor, (char *)data + done, count - done, (off_t)(from + (int64_t)done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return MNP_FAIL(MNP_ERR_IO, "cannot read '%s': %s", file->name,
                            got < 0 ? strerror(errno) : "it has become shorter while it was read");
        done += (size_t)got;
    }
    return MNP_OK;
}

/* ---- writing ---- */

mnp_status mnp__plain_file_write(const mnp__plain_file *file, int64_t to, size_t count, const void *data)
{
    if (file->behind && mnp__write_behind_add(file->behind, file->descriptor, to, count, data))
        return MNP_OK;
    for (size_t done = 0; done < count;) {
        const size_t left = count - done, size = left < MOST_AT_ONCE ? left : MOST_AT_ONCE;
        ssize_t put = pwrite(file->descriptor, (const char *)data + done, size, (off_t)(to + (int64_t)done));
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return MNP_FAIL(MNP_ERR_IO, "cannot write '%s': %s", file->name, strerror(errno));
        done += (size_t)put;
    }
    return MNP_OK;
}

mnp_status mnp__plain_file_catch_up(const mnp__plain_file *file)
{
    const int error = file->behind ? mnp__write_behind_wait(file->behind) : 0;
    return error == 0 ? MNP_OK : MNP_FAIL(MNP_ERR_IO, "cannot write '%s': %s", file->name, strerror(error));
}

mnp_status mnp__plain_file_sync(const mnp__plain_file *file)
{
    MNP_TRY(mnp__plain_file_catch_up(file));
    if (fsync(file->descriptor) != 0)
        return MNP_FAIL(MNP_ERR_IO, "cannot write '%s' to disk: %s", file->name, strerror(errno));
    return MNP_OK;
}

static mnp_status make_file(const char *name, int64_t bytes, mnp__atomic_file *output)
{
    MNP_TRY(mnp__atomic_file_find(name, output));
    MNP_TRY(mnp__atomic_file_make(output, bytes, false));
    return mnp__atomic_file_reserve(output, bytes);
}

static mnp_status write_part(const mnp__atomic_file *output, mnp__plain_file_writer *write, void *argument)
{
    const mnp__plain_file file = {.name = output->file, .descriptor = output->descriptor};
    MNP_TRY(write(&file, argument));
    return mnp__atomic_file_sync(output);
}

static mnp_status replace(mnp_ctx *ctx, mnp__atomic_file *output, int64_t bytes, mnp__plain_file_writer *write,
                          void *argument)
{
    const bool first = ctx->comm.rank == 0;
    MNP_TRY(MNP_AGREE(ctx, first ? make_file(output->file, bytes, output) : MNP_OK));
    MNP_TRY(mnp__atomic_file_share(&ctx->comm, output));
    MNP_TRY(MNP_AGREE(ctx, write_part(output, write, argument)));
    return MNP_AGREE(ctx, first ? mnp__atomic_file_commit(output) : MNP_OK);
}

mnp_status mnp__plain_file_replace(mnp_ctx *ctx, const char *name, int64_t bytes, mnp__plain_file_writer *write,
                                   void *argument)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN}, previous;
    mnp__atomic_file output = {.file = name, .descriptor = -1};
    sigaction(SIGXFSZ, &ignore, &previous); /* exceeding the limit of file sizes is an error, and ends no process */
    mnp_status st = replace(ctx, &output, bytes, write, argument);
    mnp__atomic_file_close(&output);
    sigaction(SIGXFSZ, &previous, NULL);
    return st;
}

/* ---- arrays ---- */

/* The runs of a box: elements that lie side by side in the file. */
struct runs {
    int ndim; /* dimensions whose indices begin runs */
    int64_t count, length;
    int64_t stride[MNP_MAX_DIMS]; /* elements of the file from an index of a dimension to the next one */
};

static struct runs find_runs(const mnp__plain_array *array, const mnp__file_box *box)
{
    struct runs runs = {.count = 1, .length = 1};
    int64_t stride = 1;
    bool together = true; /* all of the dimensions after this one is one run */
    for (int d = array->ndim - 1; d >= 0; d--) {
        runs.stride[d] = stride;
        stride *= array->shape[d];
        if (together && (box->step[d] == 1 || box->count[d] == 1)) {
            runs.length *= box->count[d];
        } else {
            runs.ndim = runs.ndim > d + 1 ? runs.ndim : d + 1;
            runs.count *= box->count[d];
            together = false;
        }
        together = together && box->count[d] == array->shape[d];
    }
    return runs;
}

/* The offset in the file of run number `index`. */
static int64_t place(const mnp__plain_array *array, const mnp__file_box *box, const struct runs *runs, int64_t index)
{
    int64_t at = 0;
    for (int d = array->ndim - 1; d >= 0; d--) {
        at += box->start[d] * runs->stride[d];
        if (d >= runs->ndim)
            continue;
        at += index % box->count[d] * box->step[d] * runs->stride[d];
        index /= box->count[d];
    }
    return array->offset + at * (int64_t)array->item;
}

mnp_status mnp__plain_array_read(const mnp__plain_file *file, const mnp__plain_array *array, const mnp__file_box *box,
                                 void *buffer)
{
    const struct runs runs = find_runs(array, box);
    const size_t bytes = (size_t)runs.length * array->item;
    for (int64_t i = 0; i < runs.count; i++)
        MNP_TRY(mnp__plain_file_read(file, place(array, box, &runs, i), bytes, (char *)buffer + (size_t)i * bytes));
    return MNP_OK;
}

mnp_status mnp__plain_array_write(const mnp__plain_file *file, const mnp__plain_array *array, const mnp__file_box *box,
                                  const void *buffer)
{
    const struct runs runs = find_runs(array, box);
    const size_t bytes = (size_t)runs.length * array->item;
    for (int64_t i = 0; i < runs.count; i++)
        MNP_TRY(
            mnp__plain_file_write(file, place(array, box, &runs, i), bytes, (const char *)buffer + (size_t)i * bytes));
    return MNP_OK;
}

void mnp__plain_array_ahead(const mnp__plain_array *array, const mnp__file_box *box, mnp__read_ahead *ahead)
{
    const struct runs runs = find_runs(array, box);
    for (int64_t i = 0; i < runs.count; i++)
        mnp__read_ahead_add(ahead, place(array, box, &runs, i), runs.length * (int64_t)array->item);
}

void mnp__swap_bytes(size_t size, int64_t count, void *numbers)
{
    uint16_t *two = numbers;
    uint32_t *four = numbers;
    uint64_t *eight = numbers;
    for (int64_t i = 0; size == 2 && i < count; i++)
        two[i] = __builtin_bswap16(two[i]);
    for (int64_t i = 0; size == 4 && i < count; i++)
        four[i] = __builtin_bswap32(four[i]);
    for (int64_t i = 0; size == 8 && i < count; i++)
        eight[i] = __builtin_bswap64(eight[i]);
}
