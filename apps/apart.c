/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A process that prints to a pipe.  Last it prints a byte of 0, the status as a number, and the message of a failure.
 */
#include "apart.h"
#include "common/words.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/words.h"

enum { SILENCE = 60 * 1000 /* milliseconds */ };

static void run_child(int descriptor, mnp_status (*work)(FILE *out, void *argument), void *argument)
{
    FILE *out = fdopen(descriptor, "w");
    const int nowhere = open("/dev/null", O_WRONLY);
    if (!out || nowhere < 0)
        _exit(1);
    dup2(nowhere, STDERR_FILENO);
    const mnp_status status = work(out, argument);
    fputc('\0', out);
    fprintf(out, "%d %s", (int)status, status == MNP_OK ? "" : words_message());
    fclose(out);
    _exit(0); /* without what libraries do at the end of a program */
}

/* What has been read from the pipe. */
typedef struct received {
    char *text;
    size_t length, capacity;
} received;

static mnp_status make_room(received *r)
{
    if (r->capacity - r->length > 4096)
        return MNP_OK;
    const size_t capacity = 2 * r->capacity + 65536;
    char *text = realloc(r->text, capacity);
    if (!text)
        return mnp_fail(MNP_ERR_MEMORY, "no memory for what a file holds");
    r->text = text;
    r->capacity = capacity;
    return MNP_OK;
}

/* Read all that the process prints. */
static mnp_status receive(const char *file, int descriptor, received *r)
{
    for (;;) {
        struct pollfd waits = {.fd = descriptor, .events = POLLIN};
        mnp_status status = make_room(r);
        if (status != MNP_OK)
            return status;
        const int ready = poll(&waits, 1, SILENCE);
        if (ready == 0)
            return mnp_fail(MNP_ERR_FORMAT, "'%s' is damaged: reading it comes to no end", file);
        if (ready < 0 && errno == EINTR)
            continue;
        const ssize_t got = read(descriptor, r->text + r->length, r->capacity - r->length - 1);
        if (got == 0)
            return MNP_OK;
        if (got < 0 && errno != EINTR)
            return mnp_fail(MNP_ERR_IO, "cannot read what '%s' holds: %s", file, strerror(errno));
        r->length += got > 0 ? (size_t)got : 0;
    }
}

/* Separate the text from the status at its end. */
static mnp_status finish(const char *file, received *r, int ended)
{
    char *message = NULL;
    r->text[r->length] = '\0';
    const char *end = memchr(r->text, '\0', r->length);
    if (!end && WIFSIGNALED(ended))
        return mnp_fail(MNP_ERR_FORMAT, "'%s' is damaged: the library that reads it ended with '%s'", file,
                        strsignal(WTERMSIG(ended)));
    if (!end)
        return mnp_fail(MNP_ERR_IO, "cannot read what '%s' holds", file);
    const mnp_status status = (mnp_status)strtol(end + 1, &message, 10);
    return status == MNP_OK ? MNP_OK : mnp_fail(status, "%s", message + 1);
}

mnp_status apart(const char *file, mnp_status (*work)(FILE *out, void *argument), void *argument, char **text_p)
{
    int ends[2], ended = 0;
    received r = {NULL, 0, 0};
    if (pipe(ends) != 0)
        return mnp_fail(MNP_ERR_IO, "cannot read what '%s' holds: %s", file, strerror(errno));
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        run_child(ends[1], work, argument);
    }
    close(ends[1]);
    mnp_status status = child > 0 ? receive(file, ends[0], &r)
                                  : mnp_fail(MNP_ERR_IO, "cannot read what '%s' holds: %s", file, strerror(errno));
    close(ends[0]);
    if (child > 0 && status != MNP_OK)
        kill(child, SIGKILL);
    while (child > 0 && waitpid(child, &ended, 0) < 0 && errno == EINTR)
        continue;
    if (status == MNP_OK)
        status = finish(file, &r, ended);
    if (status == MNP_OK)
        *text_p = r.text;
    else
        free(r.text);
    return status;
}
