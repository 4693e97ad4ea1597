/* SPDX-License-Identifier: BSD-3-Clause */
/* The record of the last error.  Each thread has its own, as for errno. */
#define _GNU_SOURCE /* MADV_HUGEPAGE */
#include "base/status.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/memory.h"

/* The message; for a kernel that does not compile, also the compiler's output and the source. */
static _Thread_local char last_message[MNP__MESSAGE_BYTES];
static _Thread_local char last_origin[256];

static const char *const status_names[] = {
    [MNP_OK] = "MNP_OK",
    [MNP_ERR_ARG] = "MNP_ERR_ARG",
    [MNP_ERR_MEMORY] = "MNP_ERR_MEMORY",
    [MNP_ERR_IO] = "MNP_ERR_IO",
    [MNP_ERR_DEVICE] = "MNP_ERR_DEVICE",
    [MNP_ERR_COMPILE] = "MNP_ERR_COMPILE",
    [MNP_ERR_COMM] = "MNP_ERR_COMM",
    [MNP_ERR_TIMEOUT] = "MNP_ERR_TIMEOUT",
    [MNP_ERR_UNSUPPORTED] = "MNP_ERR_UNSUPPORTED",
    [MNP_ERR_FORMAT] = "MNP_ERR_FORMAT",
    [MNP_ERR_PEER] = "MNP_ERR_PEER",
    [MNP_ERR_INTERNAL] = "MNP_ERR_INTERNAL",
    [MNP_ERR_LINALG] = "MNP_ERR_LINALG",
};

const char *mnp_status_name(mnp_status status)
{
    if ((int)status < 0 || (size_t)status >= sizeof status_names / sizeof *status_names)
        return "unknown status";
    return status_names[status];
}

const char *mnp_error_message(void)
{
    return last_message;
}

const char *mnp_error_origin(void)
{
    return last_origin;
}

const char *mnp__without_function(const char *message)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
    if (strncmp(message, "mnp_", 4) != 0)
        return message;
    const char *end = message + strspn(message, letters);
    if (strncmp(end, "()", 2) == 0)
        end += 2;
    return strncmp(end, ": ", 2) == 0 ? end + 2 : message;
}

/* Set the message, which begins with a function's name unless that is NULL. */
static void set_message(const char *function, const char *text)
{
    if (function)
        snprintf(last_message, sizeof last_message, "%s: %s", function, mnp__without_function(text));
    else
        snprintf(last_message, sizeof last_message, "%s", text);
}

/*
 * Record a message.  It begins with the function that the program has called, whichever found the error, or with none
 * if `function` is NULL.  What is wrong with a name stands behind it, so of a text that is too long, because of a name
 * of thousands of letters, the middle is left out.
 */
static void record(const char *function, const char *format, va_list arguments)
{
    static const char dots[] = " ... ";
    char text[sizeof last_message], *whole = NULL; /* the arguments may point into the record itself */
    va_list again;
    va_copy(again, arguments);
    const size_t room = sizeof text - (function ? strlen(function) + 2 : 0), half = (room - sizeof dots) / 2;
    const int length = vsnprintf(text, room, format, arguments);
    if (length >= (int)room)
        whole = malloc((size_t)length + 1);
    if (whole) {
        vsnprintf(whole, (size_t)length + 1, format, again);
        strcpy(text + half, dots);
        memcpy(text + half + sizeof dots - 1, whole + (size_t)length - half, half + 1);
    }
    va_end(again);
    free(whole);
    set_message(function, text);
}

mnp_status mnp__fail(mnp_status status, const char *file, int line, const char *function, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    record(mnp__current.function, format, arguments);
    va_end(arguments);
    const char *base = strrchr(file, '/');
    snprintf(last_origin, sizeof last_origin, "%s:%d %s", base ? base + 1 : file, line, function);
    return status;
}

mnp_status mnp__fail_context(mnp_status status, const char *format, ...)
{
    char text[sizeof last_message];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length > sizeof text - 3)
        return status;
    const char *before = mnp__current.function ? mnp__without_function(last_message) : last_message;
    size_t rest = sizeof text - 3 - (size_t)length, old = strnlen(before, rest);
    memcpy(text + length, ": ", 2);
    memcpy(text + length + 2, before, old);
    text[(size_t)length + 2 + old] = '\0';
    set_message(mnp__current.function, text);
    return status;
}

mnp_status mnp_fail(mnp_status status, const char *format, ...)
{
    MNP_NEED(format);
    va_list arguments;
    va_start(arguments, format);
    record(NULL, format, arguments);
    va_end(arguments);
    snprintf(last_origin, sizeof last_origin, "the program");
    return status;
}

/*
 * Ask the system for huge pages in large blocks, as far as it provides them.  With small pages the first access to each
 * page can take longer than all later work on it.
 */
static void ask_for_huge_pages(void *pointer, size_t size)
{
#ifdef MADV_HUGEPAGE
    const size_t large = 4 << 20;
    if (size < large)
        return;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), before = page - (uintptr_t)pointer % page;
    (void)madvise((char *)pointer + before, (size - before) / page * page, MADV_HUGEPAGE);
#else
    (void)pointer;
    (void)size;
#endif
}

static mnp_status no_memory(size_t size)
{
    char text[MNP__BYTES_TEXT];
    return MNP_FAIL(MNP_ERR_MEMORY, "no memory on the host for %s", mnp__bytes_text(size, text));
}

mnp_status mnp__malloc(size_t size, void *pointer_p)
{
    MNP_TRY(mnp__memory_check(size, false));
    void *pointer = malloc(size ? size : 1);
    if (!pointer)
        return no_memory(size);
    ask_for_huge_pages(pointer, size);
    *(void **)pointer_p = pointer;
    return MNP_OK;
}

mnp_status mnp__calloc(size_t count, size_t size, void *pointer_p)
{
    const size_t most = size > 0 ? SIZE_MAX / size : SIZE_MAX, bytes = count <= most ? count * size : SIZE_MAX;
    MNP_TRY(mnp__memory_check(bytes, false));
    void *pointer = calloc(count ? count : 1, size ? size : 1);
    if (!pointer)
        return no_memory(bytes);
    ask_for_huge_pages(pointer, count * size);
    *(void **)pointer_p = pointer;
    return MNP_OK;
}

mnp_status mnp__strdup(const char *string, char **copy_p)
{
    size_t size = strlen(string) + 1;
    MNP_TRY(mnp__malloc(size, copy_p));
    memcpy(*copy_p, string, size);
    return MNP_OK;
}

mnp_status mnp__copy_text(const char *text, const char **copy_p)
{
    char *copy = NULL;
    if (text)
        MNP_TRY(mnp__strdup(text, &copy));
    *copy_p = copy;
    return MNP_OK;
}
