/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The thread that writes behind, and its queue.
 */
#include <config.h> /* first: it makes sync_file_range() known */

#include "io/write_behind.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/process/thread.h"

enum {
    PIECE = 16 << 20, /* bytes of one write */
    STACK = 256 << 10
};

struct item {
    struct item *next;
    int descriptor;
    int64_t to;
    size_t bytes;
    char data[];
};

struct mnp__write_behind {
    pthread_t thread;
    pthread_mutex_t mutex; /* of all that follows */
    pthread_cond_t changed;
    struct item *first, **last; /* the queue; its first item is being written */
    bool ends;                  /* when the queue is empty */
    int error;                  /* the first one, which drops what comes after it */
};

static int write_item(const struct item *item)
{
    for (size_t done = 0; done < item->bytes;) {
        const size_t left = item->bytes - done;
        const ssize_t put =
            pwrite(item->descriptor, item->data + done, left < PIECE ? left : PIECE, (off_t)(item->to + (int64_t)done));
        if (put < 0 && errno != EINTR)
            return errno;
        done += put > 0 ? (size_t)put : 0;
    }
#ifdef SYNC_FILE_RANGE_WRITE
    (void)sync_file_range(item->descriptor, item->to, (off_t)item->bytes, SYNC_FILE_RANGE_WRITE); /* begin with it */
#endif
    return 0;
}

static void *work(void *argument)
{
    mnp__write_behind *behind = argument;
    pthread_mutex_lock(&behind->mutex);
    for (;;) {
        while (!behind->first && !behind->ends)
            pthread_cond_wait(&behind->changed, &behind->mutex);
        struct item *item = behind->first;
        if (!item)
            break;
        const bool wanted = behind->error == 0;
        pthread_mutex_unlock(&behind->mutex);
        const int error = wanted ? write_item(item) : 0;
        pthread_mutex_lock(&behind->mutex);
        behind->error = behind->error ? behind->error : error;
        behind->first = item->next;
        if (!behind->first)
            behind->last = &behind->first;
        free(item);
        pthread_cond_broadcast(&behind->changed);
    }
    pthread_mutex_unlock(&behind->mutex);
    return NULL;
}

mnp__write_behind *mnp__write_behind_start(void)
{
    mnp__write_behind *behind = calloc(1, sizeof *behind);
    if (!behind)
        return NULL;
    behind->last = &behind->first;
    pthread_mutex_init(&behind->mutex, NULL);
    pthread_cond_init(&behind->changed, NULL);
    if (mnp__thread_start(&behind->thread, STACK, work, behind))
        return behind;
    pthread_cond_destroy(&behind->changed);
    pthread_mutex_destroy(&behind->mutex);
    free(behind);
    return NULL;
}

bool mnp__write_behind_add(mnp__write_behind *behind, int descriptor, int64_t to, size_t bytes, const void *data)
{
    struct item *item = malloc(sizeof *item + bytes);
    if (!item)
        return false;
    *item = (struct item){.descriptor = descriptor, .to = to, .bytes = bytes};
    memcpy(item->data, data, bytes);
    pthread_mutex_lock(&behind->mutex);
    *behind->last = item;
    behind->last = &item->next;
    pthread_cond_broadcast(&behind->changed);
    pthread_mutex_unlock(&behind->mutex);
    return true;
}

int mnp__write_behind_wait(mnp__write_behind *behind)
{
    pthread_mutex_lock(&behind->mutex);
    while (behind->first)
        pthread_cond_wait(&behind->changed, &behind->mutex);
    const int error = behind->error;
    behind->error = 0;
    pthread_mutex_unlock(&behind->mutex);
    return error;
}

void mnp__write_behind_end(mnp__write_behind *behind)
{
    if (!behind)
        return;
    pthread_mutex_lock(&behind->mutex);
    behind->ends = true;
    pthread_cond_broadcast(&behind->changed);
    pthread_mutex_unlock(&behind->mutex);
    pthread_join(behind->thread, NULL);
    pthread_cond_destroy(&behind->changed);
    pthread_mutex_destroy(&behind->mutex);
    free(behind);
}
