/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Leftovers: temporary files and folders that a process must not leave behind, however it ends.
 *
 * While a path is guarded, SIGINT, SIGTERM, SIGHUP and exit() remove it before they end the process; processes that
 * were started are guarded too.  A signal for which the program has a handler of its own, or which it ignores, is left
 * to the program, which may go on.  After SIGKILL, or a handler that ends the process, the file stays; so its name has
 * a mark of its owner, and a later process that works in the same folder removes what no living process owns.
 *
 * A mark is ".mnpMACHINE-PID-START": a hash of this boot of this machine and of the name space of its process numbers,
 * the process, and when it was started, all hexadecimal.  Where /proc does not tell these, MACHINE is 0.  Whether a
 * process of another machine lives cannot be known, so its files are never removed.
 */
#ifndef MNP__BASE_PROCESS_LEFTOVERS_H
#define MNP__BASE_PROCESS_LEFTOVERS_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

enum { MNP__OWNER_ROOM = 48 };

/* The mark of this process. */
void mnp__owner_mark(char mark[MNP__OWNER_ROOM]);

/* Whether a file's name has a mark. */
bool mnp__owner_is_marked(const char *name);

/*
 * Guard a file or an empty folder until it is released.  Signals remove what was guarded last first, so a folder is
 * guarded before the files in it.  `path` must remain as it is meanwhile.  If too many are guarded, or the signals are
 * the program's own, nothing is done: a later process removes the file.
 */
void mnp__leftover_guard(const char *path);
void mnp__leftover_release(const char *path); /* what is not guarded is accepted */

/* To be called before a thread is started that may be the first to guard something, which exit() may not wait for. */
void mnp__leftovers_expect(void);

/*
 * Make a folder by mkdtemp(), or a file that must not exist yet, which is opened for reading and writing, and guard it.
 * A signal that comes in between is dealt with when it is guarded; when one has come, none is made, and after exit() no
 * folder.  False, or -1, if that is not possible, with the reason in errno.
 */
bool mnp__leftover_make_folder(char *path);
int mnp__leftover_make_file(const char *path);

/*
 * What these signals do now, and do again.  Libraries below MPI may put handlers in place that end the process by
 * exit(), with status 1 and after all open files have been brought to disk.
 */
enum { MNP__ENDING_SIGNALS = 3 };
typedef struct mnp__handlers {
    struct sigaction of[MNP__ENDING_SIGNALS];
} mnp__handlers;
void mnp__handlers_save(mnp__handlers *handlers);
void mnp__handlers_restore(const mnp__handlers *handlers);

/*
 * Guard a process that this one has started, with all that it starts itself: the leader of a process group of its own.
 * It is ended with this process.
 */
void mnp__leftover_guard_group(pid_t leader);
void mnp__leftover_release_group(pid_t leader);

/*
 * Remove all that is guarded; for a process that ends at once.  May be called by a signal's handler, and is when the
 * process calls exit().
 */
void mnp__leftovers_remove(void);

/* Whether that has happened: then nothing new is to be begun. */
bool mnp__leftovers_are_removed(void);

/*
 * Remove from a folder ("" is the current one) the files of this user whose owner has ended, and folders with the files
 * in them.  Failures are passed over.
 */
void mnp__leftovers_sweep(const char *folder);

#endif
