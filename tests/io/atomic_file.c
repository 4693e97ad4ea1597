/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files that are replaced atomically: what is made, replaced, refused and removed, without MPI and HDF5.
 */
#include <config.h>

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process/leftovers.h"
#include "io/atomic_file.h"
#include "tests/tap.h"

static bool holds(const char *path, const char *text)
{
    char buffer[256] = "";
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    size_t length = fread(buffer, 1, sizeof buffer - 1, file);
    fclose(file);
    return length == strlen(text) && memcmp(buffer, text, length) == 0;
}

static int files_in(const char *folder)
{
    int count = 0;
    DIR *entries = opendir(folder);
    for (struct dirent *entry; (entry = readdir(entries));)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(entries);
    return count;
}

static mode_t mode_of(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 ? status.st_mode & 0777 : 0;
}

/* Write `text` to `file`, after the file's old contents if `copy`, and commit it. */
static mnp_status store(const char *file, const char *text, bool copy)
{
    mnp__atomic_file output;
    mnp_status st = mnp__atomic_file_find(file, &output);
    if (st == MNP_OK)
        st = mnp__atomic_file_make(&output, 4096, copy);
    if (st == MNP_OK)
        st = mnp__atomic_file_reserve(&output, 4096);
    if (st == MNP_OK && lseek(output.descriptor, 0, SEEK_END) >= 0 &&
        write(output.descriptor, text, strlen(text)) != (ssize_t)strlen(text))
        abort();
    if (st == MNP_OK)
        st = mnp__atomic_file_commit(&output);
    mnp__atomic_file_close(&output);
    return st;
}

static void check_refused(const char *file, const char *words)
{
    mnp__atomic_file output;
    mnp_status st = mnp__atomic_file_find(file, &output);
    ok(st == MNP_ERR_IO && strstr(mnp_error_message(), words), "refused: %s", mnp_error_message());
}

/* A process that receives that signal while it writes a file. */
static void check_signal(int number)
{
    mnp__atomic_file output;
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        if (mnp__atomic_file_find("signal", &output) == MNP_OK &&
            mnp__atomic_file_make(&output, 100, false) == MNP_OK && files_in(".") == 1)
            raise(number);
        _exit(1);
    }
    waitpid(child, &status, 0);
    ok(WIFSIGNALED(status) && WTERMSIG(status) == number && files_in(".") == 0,
       "signal %d ends the process and leaves no file", number);
}

/*
 * What stands before the C library's: in a child of check_early_signal() the signal comes when the file has been made.
 */
static int early_signal;

int open(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    const int descriptor =
        (int)syscall(SYS_openat, AT_FDCWD, path, flags, flags & O_CREAT ? va_arg(arguments, int) : 0);
    va_end(arguments);
    if (early_signal && flags & O_CREAT)
        raise(early_signal);
    return descriptor;
}

static void check_early_signal(int number)
{
    mnp__atomic_file output;
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        early_signal = number;
        if (mnp__atomic_file_find("signal", &output) == MNP_OK)
            mnp__atomic_file_make(&output, 100, false);
        _exit(1);
    }
    waitpid(child, &status, 0);
    ok(WIFSIGNALED(status) && WTERMSIG(status) == number && files_in(".") == 0,
       "so does signal %d at the moment when the file is made", number);
}

/* A process that is killed while it writes a file, and the next one that writes to the folder. */
static void check_kill(const char *folder)
{
    char next[64];
    mnp__atomic_file output;
    int status = 0, tell[2];
    char byte;
    if (pipe(tell) != 0)
        abort();
    pid_t child = fork();
    if (child == 0) {
        if (mnp__atomic_file_find("killed", &output) == MNP_OK &&
            mnp__atomic_file_make(&output, 100, false) == MNP_OK && write(tell[1], "+", 1) == 1)
            pause();
        _exit(1);
    }
    bool good = read(tell[0], &byte, 1) == 1;
    mnp__leftovers_sweep("");
    ok(good && files_in(".") == 1, "a sweep leaves the file of a process that lives");
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    ok(WIFSIGNALED(status) && files_in(".") == 1, "one that is killed leaves its file");
    snprintf(next, sizeof next, "%s/next", folder); /* by another name of the folder, as a process looks but once */
    ok(store(next, "one", false) == MNP_OK && files_in(".") == 1, "which the next one that writes removes");
    unlink("next");
    close(tell[0]);
    close(tell[1]);
}

static volatile sig_atomic_t handled;

static void own_handler(int number)
{
    handled = number;
}

int main(void)
{
    char folder[] = "/tmp/maniple-atomic-XXXXXX";
    struct stat status;
    mnp__atomic_file output;
    umask(027);
    if (!mkdtemp(folder) || chdir(folder) != 0)
        return 99;

    ok(store("new", "one", false) == MNP_OK && holds("new", "one") && files_in(".") == 1, "a new file");
    ok(mode_of("new") == 0640, "has the permissions of the umask");
    ok(stat("new", &status) == 0 && status.st_blocks * 512 <= 4096 && status.st_size == 3, "and keeps no room");
    chmod("new", 0604);
    ok(store("new", "two", true) == MNP_OK && holds("new", "onetwo"), "a file is copied and replaced");
    ok(mode_of("new") == 0604, "and keeps its permissions");
    ok(store("new", "three", false) == MNP_OK && holds("new", "three"), "a file is replaced");

    if (mkdir("links", 0755) != 0 || symlink("../new", "links/a") != 0 || symlink("links/a", "b") != 0 ||
        symlink("links/none", "dangling") != 0 || symlink("loop", "loop") != 0 || mkfifo("pipe", 0600) != 0)
        return 99;
    ok(store("b", "four", false) == MNP_OK && holds("new", "four") && lstat("b", &status) == 0 &&
           S_ISLNK(status.st_mode),
       "symbolic links are followed");
    ok(store("dangling", "five", false) == MNP_OK && holds("links/none", "five"), "also to what is not there yet");
    check_refused("loop", "links");
    check_refused("missing/file", "folder 'missing/'");
    check_refused("new/file", "new/");
    check_refused("links", "folder");
    check_refused("links/", "folder");
    check_refused("pipe", "pipe");
    if (geteuid() == 0) {
        skip("a folder without permission is refused", "root may write everywhere");
        skip("a file without permission is refused", "root may write everywhere");
    } else {
        chmod("links", 0555);
        check_refused("links/file", "Permission");
        chmod("links", 0755);
        chmod("new", 0444);
        check_refused("new", "Permission");
        chmod("new", 0644);
    }

    struct rlimit limit, none;
    getrlimit(RLIMIT_FSIZE, &none);
    limit = none;
    limit.rlim_cur = 1000;
    setrlimit(RLIMIT_FSIZE, &limit); /* for our output too: nothing is printed meanwhile */
    mnp_status st = store("new", "six", true);
    setrlimit(RLIMIT_FSIZE, &none);
    ok(st == MNP_ERR_IO && strstr(mnp_error_message(), "1000") && holds("new", "four"), "refused: %s",
       mnp_error_message());
    bool found = mnp__atomic_file_find("new", &output) == MNP_OK;
    ok(found && mnp__atomic_file_make(&output, INT64_C(1) << 60, true) == MNP_ERR_IO &&
           strstr(mnp_error_message(), "left"),
       "refused: %s", mnp_error_message());
    mnp__atomic_file_close(&output);

    /* what is written to a detached file goes nowhere, by whichever descriptor */
    ok(mnp__atomic_file_find("new", &output) == MNP_OK && mnp__atomic_file_make(&output, 100, true) == MNP_OK,
       "a temporary file beside an old one");
    int other = open(output.path, O_RDWR);
    mnp__atomic_file_detach(&output);
    ok(pwrite(other, "?", 1, 0) == 1 && holds(output.path, "four") && fstat(other, &status) == 0 && status.st_size == 4,
       "is detached from those that write to it");
    close(other);
    mnp__atomic_file_close(&output);
    ok(holds("new", "four") && files_in(".") == 6, "a file that is not committed is removed");

    unlink("new");
    unlink("b");
    unlink("dangling");
    unlink("loop");
    unlink("pipe");
    unlink("links/a");
    unlink("links/none");
    rmdir("links");
    FILE *program = fopen("shared", "w");
    fputs("as it was", program);
    fclose(program);
    bool ready =
        mnp__atomic_file_find("shared", &output) == MNP_OK && mnp__atomic_file_make(&output, 4, true) == MNP_OK;
    program = fopen("shared", "a");
    fputs(", and more", program);
    fclose(program);
    ok(ready && mnp__atomic_file_commit(&output) == MNP_ERR_IO && strstr(mnp_error_message(), "changed it meanwhile"),
       "refused: %s", mnp_error_message());
    mnp__atomic_file_close(&output);
    ok(holds("shared", "as it was, and more"), "and what the other program wrote is kept");
    unlink("shared");
    check_signal(SIGTERM);
    check_signal(SIGINT);
    check_early_signal(SIGTERM);
    check_early_signal(SIGINT);
    check_kill(folder);
    signal(SIGTERM, own_handler);
    if (mnp__atomic_file_find("own", &output) == MNP_OK && mnp__atomic_file_make(&output, 100, false) == MNP_OK)
        raise(SIGTERM);
    ok(files_in(".") == 1 && handled == SIGTERM && mnp__atomic_file_commit(&output) == MNP_OK && holds("own", ""),
       "a program's own handler is left to decide, and the file is written");
    mnp__atomic_file_close(&output);
    unlink("own");
    ok(signal(SIGTERM, SIG_DFL) == own_handler && signal(SIGINT, SIG_DFL) == SIG_DFL, "handlers are put back");
    ok(files_in(".") == 0, "nothing is left");

    if (chdir("/") != 0 || rmdir(folder) != 0)
        return 99;
    return done_testing();
}
