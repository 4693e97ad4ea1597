/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of objects that the program has not freed, and the lines of its source that made them. */
#include <config.h> /* first: it makes dladdr() known */

#include "base/call.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/integer.h"
#include "base/log.h"
#include "base/text.h"

enum {
    BUCKETS = 1024,
    PLACE = 256,
    MOST = 1000 /* in a report */
};

typedef struct entry {
    struct entry *next;
    const void *object, *owner;
    const char *function; /* a string of the library */
    const void *caller;   /* the address to which that returned */
    unsigned tag;
    int references; /* of a layout: those that the program owns */
    uint64_t number;
    char place[PLACE];
} entry;

atomic_int mnp__objects_listeners;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static entry *buckets[BUCKETS];
static uint64_t made;

static entry **find(const void *object)
{
    entry **link = &buckets[((uintptr_t)object >> 4) % BUCKETS];
    while (*link && (*link)->object != object)
        link = &(*link)->next;
    return link;
}

/* ---- the list ---- */

void mnp__objects_begin(void)
{
    atomic_fetch_add(&mnp__objects_listeners, 1);
}

void mnp__objects_add(const void *object, const void *owner)
{
    entry *added = calloc(1, sizeof *added);
    if (!added) /* then it is missing in the report */
        return;
    added->object = object;
    added->owner = owner;
    added->tag = *(const unsigned *)object;
    added->function = mnp__current.function;
    added->references = 1;
    added->caller = mnp__current.function ? mnp__current.caller : NULL;
    pthread_mutex_lock(&mutex);
    entry **link = find(object);
    if (*link) {
        free(added);
    } else {
        added->number = made++;
        *link = added;
    }
    pthread_mutex_unlock(&mutex);
}

void mnp__objects_remove(const void *object)
{
    pthread_mutex_lock(&mutex);
    entry **link = find(object), *removed = *link;
    if (removed)
        *link = removed->next;
    pthread_mutex_unlock(&mutex);
    free(removed);
}

/* ---- layouts ---- */

/* Whether the running public function is one that makes a layout for the program. */
static bool makes_layouts(void)
{
    static const char *const makers[] = {"mnp_layout_", "mnp_mesh_layout", "mnp_sparse_balance"};
    for (size_t i = 0; mnp__current.function && i < sizeof makers / sizeof *makers; i++) {
        if (mnp__text_begins(mnp__current.function, makers[i]))
            return true;
    }
    return false;
}

void mnp__objects_add_layout(const void *layout)
{
    if (makes_layouts())
        mnp__objects_add(layout, NULL);
}

static void count_references(const void *layout, int change)
{
    if (mnp__current.function)
        return;
    pthread_mutex_lock(&mutex);
    entry *found = *find(layout);
    if (found)
        found->references += change;
    pthread_mutex_unlock(&mutex);
}

void mnp__objects_retain_layout(const void *layout)
{
    count_references(layout, 1);
}

void mnp__objects_release_layout(const void *layout)
{
    count_references(layout, -1);
}

/* ---- lines ---- */

/*
 * Ask addr2line for the place of an address: it prints two lines, a function and "file:line".  False if it does not
 * know the line, or there is no addr2line.
 */
static bool ask(const char *file, uintptr_t offset, char place[PLACE])
{
    char command[512], function[256], line[256];
    const int length =
        snprintf(command, sizeof command, "addr2line -fCse '%s' 0x%" PRIxPTR " 2>/dev/null", file, offset);
    if (strchr(file, '\'') || length >= (int)sizeof command)
        return false;
    FILE *answer = popen(command, "r");
    if (!answer)
        return false;
    const bool found = fgets(function, sizeof function, answer) && fgets(line, sizeof line, answer);
    pclose(answer);
    if (!found || strncmp(line, "??", 2) == 0)
        return false;
    function[strcspn(function, "\n")] = '\0';
    line[strcspn(line, " \n")] = '\0'; /* a discriminator may follow */
    snprintf(place, PLACE, "%.80s (%.160s)", line, function);
    return true;
}

/* Where an address lies, as addr2line wants it: in a file, at an offset from where the file is mapped. */
static bool locate(const void *address, Dl_info *info, uintptr_t *offset_p)
{
    if (!address || dladdr(address, info) == 0 || !info->dli_fname || !info->dli_fbase)
        return false;
    const ElfW(Ehdr) *header = info->dli_fbase;
    const uintptr_t call = (uintptr_t)address - 1; /* the call stands before the address to which it returns */
    *offset_p = header->e_type == ET_EXEC ? call : call - (uintptr_t)info->dli_fbase;
    return true;
}

/* "heat.c:42 (main)", or less where that is not known. */
static void describe(const entry *what, char place[PLACE])
{
    Dl_info info;
    uintptr_t offset;
    if (!locate(what->caller, &info, &offset)) {
        snprintf(place, PLACE, "an unknown place");
        return;
    }
    char program[400]; /* which is known by the name that it was started by */
    const ssize_t length =
        access(info.dli_fname, R_OK) == 0 ? 0 : readlink("/proc/self/exe", program, sizeof program - 1);
    program[mnp__max(length, 0)] = '\0';
    if (ask(length > 0 ? program : info.dli_fname, offset, place))
        return;
    const char *slash = strrchr(info.dli_fname, '/'), *file = slash ? slash + 1 : info.dli_fname;
    if (info.dli_sname)
        snprintf(place, PLACE, "%s+0x%zx (%s)", info.dli_sname,
                 (size_t)((const char *)what->caller - 1 - (const char *)info.dli_saddr), file);
    else
        snprintf(place, PLACE, "%s+0x%" PRIxPTR, file, offset);
}

/* ---- the report ---- */

static int compare(const void *left, const void *right)
{
    const entry *a = *(entry *const *)left, *b = *(entry *const *)right;
    return (a->number > b->number) - (a->number < b->number);
}

/* Find the places of all; the same addresses have the same. */
static void find_places(entry **left, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t same = 0;
        while (same < i && left[same]->caller != left[i]->caller)
            same++;
        if (same < i)
            strcpy(left[i]->place, left[same]->place);
        else
            describe(left[i], left[i]->place);
    }
}

static bool is_alike(const entry *a, const entry *b)
{
    return a->tag == b->tag && a->function == b->function && strcmp(a->place, b->place) == 0;
}

/* Write a line about the first, and how many others the same line has made, which are not written then. */
static void report_line(entry **left, size_t count, const mnp__log *log)
{
    char times[32] = "";
    size_t alike = 0;
    for (size_t i = 0; i < count; i++) {
        if (left[i]->references > 0 && is_alike(left[0], left[i])) {
            alike++;
            left[i]->references = 0;
        }
    }
    if (alike > 1)
        snprintf(times, sizeof times, ", %zu times", alike);
    MNP_LOG(log, MNP_LOG_WARN, "mnp_finalize: not freed: %s of %s() at %s%s", mnp__object_name(left[0]->tag),
            left[0]->function ? left[0]->function : "the library", left[0]->place, times);
}

static void report(entry **left, size_t count, const mnp__log *log)
{
    const size_t told = count < MOST ? count : MOST;
    qsort(left, count, sizeof *left, compare);
    if (log->level >= (int)MNP_LOG_WARN)
        find_places(left, told);
    for (size_t i = 0; i < told; i++) {
        if (left[i]->references > 0)
            report_line(left + i, told - i, log);
    }
    if (told < count)
        MNP_LOG(log, MNP_LOG_WARN, "mnp_finalize: not freed: %zu objects that were made later", count - told);
    for (size_t i = 0; i < count; i++)
        free(left[i]);
}

/* Take the objects of an owner out of the list, except layouts that the program does not own any more. */
static size_t take(const void *owner, entry **taken)
{
    size_t count = 0;
    for (int b = 0; b < BUCKETS; b++) {
        for (entry **link = &buckets[b]; *link;) {
            entry *found = *link;
            if (found->owner != owner) {
                link = &found->next;
                continue;
            }
            *link = found->next;
            if (taken && found->references > 0)
                taken[count++] = found;
            else
                free(found);
        }
    }
    return count;
}

static size_t count_of(const void *owner)
{
    size_t count = 0;
    for (int b = 0; b < BUCKETS; b++) {
        for (const entry *found = buckets[b]; found; found = found->next)
            count += found->owner == owner;
    }
    return count;
}

static void end(const void *owner, const mnp__log *log)
{
    pthread_mutex_lock(&mutex);
    entry **taken = calloc(count_of(owner) + 1, sizeof *taken);
    const size_t count = take(owner, taken);
    pthread_mutex_unlock(&mutex);
    if (taken)
        report(taken, count, log);
    free(taken);
}

void mnp__objects_end(const void *owner, const mnp__log *log)
{
    end(owner, log);
    if (atomic_fetch_sub(&mnp__objects_listeners, 1) == 1)
        end(NULL, log);
}
