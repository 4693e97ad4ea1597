/* SPDX-License-Identifier: BSD-3-Clause */
/* Guarding, marking and sweeping temporary files. */
#include <config.h> /* first: it makes dladdr() known */

#include "base/process/leftovers.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <maniple/base.h>

#include "base/hash.h"
#include "base/integer.h"
#include "base/text.h"

/* ---- owners ---- */

static const char mark_begin[] = ".mnp";

/* Read a small file of /proc to a string; false if that is not possible, with the reason in errno. */
static bool read_small(const char *path, char *text, size_t room)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t size = read(fd, text, room - 1);
    const int error = size == 0 ? EIO : errno;
    close(fd);
    errno = error;
    text[mnp__max(size, 0)] = '\0';
    return size > 0;
}

/* This boot of this machine, and the name spaces in which processes and times are counted; 0 if that is not known. */
static uint32_t find_machine(void)
{
    static const char *const spaces[] = {"/proc/self/ns/pid", "/proc/self/ns/time"};
    char text[256];
    if (!read_small("/proc/sys/kernel/random/boot_id", text, sizeof text))
        return 0;
    uint64_t hash = mnp__hash(MNP__HASH_START, text, strlen(text));
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
        ssize_t length = readlink(spaces[i], text, sizeof text);
        hash = mnp__hash(hash, text, length > 0 ? (size_t)length : 0);
    }
    return (uint32_t)(hash ^ hash >> 32);
}

/*
 * When a process was started, in ticks since the machine was: field 22 of its line in /proc.  False if it has ended, or
 * with *known_p false if that cannot be told.
 */
static bool find_start(unsigned long pid, uint64_t *start_p, bool *known_p)
{
    char path[64], line[1024];
    snprintf(path, sizeof path, "/proc/%lu/stat", pid);
    const bool there = read_small(path, line, sizeof line);
    *known_p = there || errno == ENOENT || errno == ESRCH;
    const char *at = there ? strrchr(line, ')') : NULL; /* the name of the program, in brackets, may hold anything */
    if (!at || strlen(at) < 3 || at[2] == 'Z' || at[2] == 'X')
        return false;
    for (int field = 2; at && field < 22; field++)
        at = strchr(at + 1, ' ');
    if (!at)
        return false;
    *start_p = strtoull(at, NULL, 10);
    return true;
}

void mnp__owner_mark(char mark[MNP__OWNER_ROOM])
{
    const unsigned long pid = (unsigned long)getpid();
    uint64_t start = 0;
    bool known;
    const uint32_t machine = find_start(pid, &start, &known) ? find_machine() : 0;
    snprintf(mark, MNP__OWNER_ROOM, "%s%08" PRIx32 "-%lx-%" PRIx64, mark_begin, machine, pid, start);
}

struct owner {
    uint32_t machine;
    unsigned long pid;
    uint64_t start;
};

static bool find_mark(const char *name, struct owner *owner)
{
    for (const char *at = strstr(name, mark_begin); at; at = strstr(at + 1, mark_begin)) {
        if (sscanf(at + sizeof mark_begin - 1, "%8" SCNx32 "-%lx-%" SCNx64, &owner->machine, &owner->pid,
                   &owner->start) == 3)
            return true;
    }
    return false;
}

bool mnp__owner_is_marked(const char *name)
{
    struct owner owner;
    return find_mark(name, &owner);
}

/* Whether a name has the mark of a process of this machine that has ended. */
static bool has_ended(const char *name)
{
    struct owner owner;
    uint64_t start = 0;
    bool known;
    if (!find_mark(name, &owner) || owner.machine == 0 || owner.machine != find_machine())
        return false;
    const bool lives = find_start(owner.pid, &start, &known) && start == owner.start;
    return known && !lives;
}

/* ---- guards ---- */

enum { MOST = 512, MOST_GROUPS = 128, NUM_SIGNALS = MNP__ENDING_SIGNALS };
static const int signals[NUM_SIGNALS] = {SIGINT, SIGTERM, SIGHUP};

/* A handler receives no pointer of ours, so these are global.  The mutex is for all but the handler. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(const char *) guarded[MOST];
static _Atomic pid_t groups[MOST_GROUPS]; /* 0: none */
static atomic_bool removed;
static atomic_int making;  /* files and folders that are made, and not yet guarded */
static atomic_bool ending; /* by a signal */
static int guards;         /* of both */
static pid_t owner;        /* a process that it forks inherits the list and the handlers, but not the files */
static bool caught[NUM_SIGNALS];
static struct sigaction previous[NUM_SIGNALS];

void mnp__leftovers_remove(void)
{
    if (getpid() != owner)
        return;
    atomic_store(&removed, true);
    /* a compiler may make a file, and start another program, until it has ended; its folder is empty only then */
    enum { TRIES = 50, PAUSE = 10 * 1000 * 1000 };
    bool is_left = true;
    for (int t = 0; t < TRIES && is_left; t++) {
        if (t > 0)
            nanosleep(&(struct timespec){.tv_nsec = PAUSE}, NULL);
        is_left = atomic_load(&making) > 0;
        for (int i = 0; i < MOST_GROUPS; i++) {
            const pid_t leader = atomic_load(&groups[i]);
            if (leader > 0 && kill(-leader, SIGTERM) == 0) /* which lets compilers remove files of their own */
                is_left = true;
        }
        for (int i = MOST - 1; i >= 0; i--) {
            const char *path = atomic_load(&guarded[i]);
            if (path && unlink(path) != 0 && rmdir(path) != 0 && (errno == ENOTEMPTY || errno == EEXIST))
                is_left = true;
        }
    }
}

bool mnp__leftovers_are_removed(void)
{
    return atomic_load(&removed);
}

void mnp__handlers_save(mnp__handlers *handlers)
{
    for (int i = 0; i < NUM_SIGNALS; i++)
        sigaction(signals[i], NULL, &handlers->of[i]);
}

void mnp__handlers_restore(const mnp__handlers *handlers)
{
    for (int i = 0; i < NUM_SIGNALS; i++)
        sigaction(signals[i], &handlers->of[i], NULL);
}

static void remove_and_end(int number);

/* The program may have put a handler of its own in place meanwhile, as files are also written by other threads. */
static void let_signals_go(void)
{
    struct sigaction now;
    for (int i = 0; i < NUM_SIGNALS; i++) {
        if (caught[i] && sigaction(signals[i], NULL, &now) == 0 && now.sa_handler == remove_and_end)
            sigaction(signals[i], &previous[i], NULL);
    }
}

static void remove_and_end(int number)
{
    atomic_store(&ending, true);
    mnp__leftovers_remove();
    let_signals_go();
    raise(number);
}

/*
 * Whether a signal ends the process: it has its default action, or a handler of MPI, which ends the process too.  What
 * the program's own handler does is not known; Python's only makes a note.
 */
static bool ends_process(const struct sigaction *action)
{
    static const char *const libraries[] = {"libmpi", "libopen-", "libpmix", "libprrte", "libucs", "libevent"};
    Dl_info found;
    void *handler;
    const bool has_info = action->sa_flags & SA_SIGINFO;
    if (!has_info && (action->sa_handler == SIG_DFL || action->sa_handler == SIG_IGN))
        return action->sa_handler == SIG_DFL;
    memcpy(&handler, has_info ? (const void *)&action->sa_sigaction : (const void *)&action->sa_handler,
           sizeof handler);
    if (dladdr(handler, &found) == 0 || !found.dli_fname)
        return false;
    const char *slash = strrchr(found.dli_fname, '/'), *name = slash ? slash + 1 : found.dli_fname;
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        if (mnp__text_begins(name, libraries[i]))
            return true;
    }
    return false;
}

static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = remove_and_end, .sa_flags = SA_NODEFER};
    for (int i = 0; i < NUM_SIGNALS; i++) {
        caught[i] = sigaction(signals[i], NULL, &previous[i]) == 0 && ends_process(&previous[i]) &&
                    sigaction(signals[i], &action, NULL) == 0;
    }
}

/* From now on exit() removes what is guarded.  The mutex is held. */
static void expect_exit(void)
{
    static bool at_exit;
    if (!at_exit)
        at_exit = atexit(mnp__leftovers_remove) == 0;
    owner = getpid();
}

/* There is one guard more; and one less.  The mutex is held. */
static void add_guard(void)
{
    expect_exit();
    if (guards++ == 0)
        catch_signals();
}

static void drop_guard(void)
{
    if (--guards == 0)
        let_signals_go();
}

void mnp__leftover_guard(const char *path)
{
    pthread_mutex_lock(&mutex);
    int last = MOST;
    while (last > 0 && !atomic_load(&guarded[last - 1]))
        last--;
    if (last < MOST) { /* behind all others, so that it is removed before them */
        atomic_store(&guarded[last], path);
        add_guard();
    }
    pthread_mutex_unlock(&mutex);
}

void mnp__leftovers_expect(void)
{
    pthread_mutex_lock(&mutex);
    expect_exit();
    pthread_mutex_unlock(&mutex);
}

/*
 * Between these two something is made and guarded.  The signals are caught, but not by this thread: the handler, in
 * another one, waits until it is guarded.
 */
static void begin_making(sigset_t *before)
{
    sigset_t caught_here;
    sigemptyset(&caught_here);
    for (int i = 0; i < NUM_SIGNALS; i++)
        sigaddset(&caught_here, signals[i]);
    pthread_sigmask(SIG_BLOCK, &caught_here, before);
    pthread_mutex_lock(&mutex);
    add_guard();
    pthread_mutex_unlock(&mutex);
    atomic_fetch_add(&making, 1); /* before the caller looks: what removes looks in the other order */
}

static void end_making(const sigset_t *before)
{
    const int error = errno;
    atomic_fetch_sub(&making, 1);
    pthread_mutex_lock(&mutex);
    drop_guard();
    pthread_mutex_unlock(&mutex);
    pthread_sigmask(SIG_SETMASK, before, NULL);
    errno = error;
}

bool mnp__leftover_make_folder(char *path)
{
    sigset_t before;
    begin_making(&before);
    errno = ECANCELED;
    const bool made = !mnp__leftovers_are_removed() && mkdtemp(path);
    if (made)
        mnp__leftover_guard(path);
    end_making(&before);
    return made;
}

int mnp__leftover_make_file(const char *path)
{
    sigset_t before;
    begin_making(&before);
    errno = ECANCELED;
    const int descriptor = atomic_load(&ending) ? -1 : open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0)
        mnp__leftover_guard(path);
    end_making(&before);
    return descriptor;
}

void mnp__leftover_guard_group(pid_t leader)
{
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < MOST_GROUPS; i++) {
        if (atomic_load(&groups[i]) != 0)
            continue;
        atomic_store(&groups[i], leader);
        add_guard();
        break;
    }
    pthread_mutex_unlock(&mutex);
    if (mnp__leftovers_are_removed()) /* meanwhile */
        kill(-leader, SIGTERM);
}

void mnp__leftover_release_group(pid_t leader)
{
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < MOST_GROUPS; i++) {
        if (atomic_load(&groups[i]) != leader)
            continue;
        atomic_store(&groups[i], 0);
        drop_guard();
    }
    pthread_mutex_unlock(&mutex);
}

void mnp__leftover_release(const char *path)
{
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < MOST; i++) {
        if (atomic_load(&guarded[i]) != path)
            continue;
        atomic_store(&guarded[i], NULL);
        drop_guard();
    }
    pthread_mutex_unlock(&mutex);
}

void mnp_temporary_guard(const char *path)
{
    if (path)
        mnp__leftover_guard(path);
}

void mnp_temporary_release(const char *path)
{
    if (path)
        mnp__leftover_release(path);
}

/* ---- sweeping ---- */

/* Remove the folder of that name and the files in it.  Links are not followed: others may write to the folder's own. */
static void remove_folder(int parent, const char *name)
{
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
    if (!folder) {
        if (fd >= 0)
            close(fd);
        return;
    }
    for (struct dirent *entry; (entry = readdir(folder));) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            unlinkat(fd, entry->d_name, 0);
    }
    closedir(folder);
    unlinkat(parent, name, AT_REMOVEDIR);
}

void mnp__leftovers_sweep(const char *path)
{
    struct stat info;
    DIR *folder = opendir(*path ? path : ".");
    if (!folder)
        return;
    for (struct dirent *entry; (entry = readdir(folder));) {
        const char *name = entry->d_name;
        if (!has_ended(name) || fstatat(dirfd(folder), name, &info, AT_SYMLINK_NOFOLLOW) != 0 ||
            info.st_uid != geteuid())
            continue;
        if (S_ISDIR(info.st_mode))
            remove_folder(dirfd(folder), name);
        else
            unlinkat(dirfd(folder), name, 0);
    }
    closedir(folder);
}
