/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The thread that reads ahead.  Each request has a thread of its own, and there is one request at a time.
 */
#include "io/read_ahead.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/integer.h"
#include "base/process/thread.h"

enum {
    PIECE = 4 << 20, /* bytes of a read, after which the thread looks whether it is to end */
    STACK = 256 << 10,
    NEAR = 1 << 16 /* reading over a gap of so many bytes takes no longer than another read */
};

struct reader {
    pthread_t thread;
    bool runs;
    atomic_bool ends; /* the thread is to end */
    int descriptor;
    char *room; /* PIECE bytes, for what is read and forgotten */
    mnp__read_ahead ahead;
};

/* ---- ranges ---- */

void mnp__read_ahead_add(mnp__read_ahead *ahead, int64_t begin, int64_t bytes)
{
    struct mnp__read_range *last = ahead->count > 0 ? &ahead->list[ahead->count - 1] : NULL;
    const int64_t end = begin + bytes;
    if (begin < 0 || bytes <= 0)
        return;
    if (last && begin <= last->end + NEAR && begin >= last->begin) {
        last->end = mnp__max(last->end, end);
        return;
    }
    if (ahead->count == ahead->capacity) {
        const int64_t capacity = ahead->capacity > 0 ? 2 * ahead->capacity : 16;
        struct mnp__read_range *list = realloc(ahead->list, (size_t)capacity * sizeof *list);
        if (!list)
            return;
        ahead->list = list;
        ahead->capacity = capacity;
    }
    ahead->list[ahead->count++] = (struct mnp__read_range){begin, end};
}

void mnp__read_ahead_add_share(mnp__read_ahead *ahead, int64_t begin, int64_t bytes, int64_t rows,
                               const mnp__file_box *box)
{
    if (box->ndim == 0 || box->count[0] <= 0)
        return;
    const double row = (double)bytes / (double)rows;
    const int64_t count = (box->count[0] - 1) * box->step[0] + 1;
    mnp__read_ahead_add(ahead, begin + (int64_t)(row * (double)box->start[0]), (int64_t)(row * (double)count) + 1);
}

static void clear(mnp__read_ahead *ahead)
{
    free(ahead->list);
    *ahead = (mnp__read_ahead){.count = 0};
}

/* ---- the thread ---- */

static void *work(void *argument)
{
    struct reader *reader = argument;
    for (int64_t i = 0; i < reader->ahead.count; i++) {
        const struct mnp__read_range range = reader->ahead.list[i];
        ssize_t got = 1;
        for (int64_t at = range.begin; at < range.end && got > 0 && !atomic_load(&reader->ends); at += got)
            got = pread(reader->descriptor, reader->room, (size_t)mnp__min(PIECE, range.end - at), (off_t)at);
    }
    return NULL;
}

/* End what is under way. */
static void stop(struct reader *reader)
{
    if (reader->runs) {
        atomic_store(&reader->ends, true);
        pthread_join(reader->thread, NULL);
    }
    if (reader->descriptor >= 0)
        close(reader->descriptor);
    reader->runs = false;
    reader->descriptor = -1;
    clear(&reader->ahead);
}

static void free_reader(mnp_ctx *ctx, void *data)
{
    struct reader *reader = data;
    (void)ctx;
    stop(reader);
    free(reader->room);
    free(reader);
}

/* The context's reader; NULL where there is no memory for one. */
static struct reader *get_reader(mnp_ctx *ctx)
{
    mnp__attachment *attached = &ctx->attached[MNP__ATTACHED_READ_AHEAD];
    if (!attached->data) {
        struct reader *reader = calloc(1, sizeof *reader);
        char *room = malloc(PIECE);
        if (!reader || !room) {
            free(reader);
            free(room);
            return NULL;
        }
        reader->descriptor = -1;
        reader->room = room;
        *attached = (mnp__attachment){.data = reader, .free = free_reader};
    }
    return attached->data;
}

void mnp__read_ahead_start(mnp_ctx *ctx, const char *name, mnp__read_ahead *ahead)
{
    struct reader *reader = ctx->attached[MNP__ATTACHED_READ_AHEAD].data;
    if (reader)
        stop(reader);
    reader = ahead->count > 0 ? get_reader(ctx) : NULL;
    if (!reader) {
        clear(ahead);
        return;
    }
    reader->ahead = *ahead;
    *ahead = (mnp__read_ahead){.count = 0};
    atomic_store(&reader->ends, false);
    reader->descriptor = open(name, O_RDONLY | O_CLOEXEC);
    reader->runs = reader->descriptor >= 0 && mnp__thread_start(&reader->thread, STACK, work, reader);
}
