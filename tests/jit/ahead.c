/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compiling ahead: side by side, each kernel once, also by several processes; what is asked for early, fails, or is
 * never asked for; and the end of compilers that nobody needs.
 */
#include <config.h>

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/tap.h"
#include "base/status.h"
#include "jit/cache.h"
#include "jit/jit.h"

static char folder[] = "/tmp/maniple-ahead-test-XXXXXX";
static mnp__config config;
static useconds_t compilation = 50 * 1000;          /* how long it takes */
static _Atomic int running, most_running, failures; /* compilations at a time; those that fail */
static _Atomic bool gate_is_closed;                 /* compilations of the series HELD wait until it opens */

/*
 * A compiler that counts its runs in a file, as other processes run it too, and whose code is its source's length.  How
 * fast a machine is must not matter: where a check counts what has begun, it holds compilations at the gate.
 */
static mnp_status measure(const mnp__compiler *self, const mnp__kernel_spec *what, const char *source,
                          mnp__binary *binary)
{
    char path[128];
    (void)self;
    (void)what;
    snprintf(path, sizeof path, "%s.runs", folder);
    FILE *runs = fopen(path, "a");
    fputc('x', runs);
    fclose(runs);
    const int now = atomic_fetch_add(&running, 1) + 1;
    if (now > atomic_load(&most_running))
        atomic_store(&most_running, now);
    usleep(compilation);
    while (strstr(source, "HELD") && atomic_load(&gate_is_closed))
        usleep(1000);
    atomic_fetch_sub(&running, 1);
    if (strstr(source, "WRONG")) {
        atomic_fetch_add(&failures, 1);
        return mnp_fail(MNP_ERR_COMPILE, "it is wrong");
    }
    char *code = malloc(32);
    *binary = (mnp__binary){.code = code, .size = (size_t)snprintf(code, 32, "length %zu", strlen(source))};
    return MNP_OK;
}

static mnp__compiler new_compiler(void)
{
    return (mnp__compiler){
        .name = "test", .target = "paper", .identity = "identity 1", .config = &config, .compile = measure};
}

static int runs_so_far(void)
{
    char path[128];
    struct stat info;
    snprintf(path, sizeof path, "%s.runs", folder);
    return stat(path, &info) == 0 ? (int)info.st_size : 0;
}

static double seconds_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Files in the test's folder whose names hold those words. */
static int count_files(const char *words)
{
    int count = 0;
    DIR *open_folder = opendir(folder);
    for (struct dirent *entry; open_folder && (entry = readdir(open_folder));)
        count += strstr(entry->d_name, words) != NULL;
    if (open_folder)
        closedir(open_folder);
    return count;
}

/* Specs of a series, which differ by their definitions, which go after they were handed over. */
static void hand_over(mnp__compiler *compiler, int threads, const char *series, int number)
{
    char defines[64];
    snprintf(defines, sizeof defines, "#define MNP_SRC %s%d\n", series, number);
    mnp__jit_ahead(compiler, threads,
                   &(mnp__kernel_spec){.file = "array/copy_boxes.cu", .function = "copy_boxes", .defines = defines});
    memset(defines, 0, sizeof defines);
}

static mnp_status ask(const mnp__compiler *compiler, const char *series, int number, bool *right_p)
{
    char defines[64], expected[32];
    char *source = NULL;
    mnp__binary binary = {NULL, 0, NULL, 0};
    snprintf(defines, sizeof defines, "#define MNP_SRC %s%d\n", series, number);
    const mnp__kernel_spec spec = {.file = "array/copy_boxes.cu", .function = "copy_boxes", .defines = defines};
    const mnp_status st = mnp__jit_binary(compiler, &spec, &binary);
    mnp__jit_source(&spec, false, &source);
    snprintf(expected, sizeof expected, "length %zu", strlen(source));
    *right_p = st == MNP_OK && binary.size == strlen(expected) && memcmp(binary.code, expected, binary.size) == 0;
    free(source);
    mnp__binary_free(&binary);
    return st;
}

/* Whether all of a series are right when they are asked for. */
static bool all_are_right(const mnp__compiler *compiler, const char *series, int count)
{
    bool all = true, right;
    for (int i = 0; i < count; i++)
        all = ask(compiler, series, i, &right) == MNP_OK && right && all;
    return all;
}

static void wait_for_runs(int count)
{
    while (runs_so_far() < count)
        usleep(1000);
}

static void check_side_by_side(void)
{
    mnp__compiler compiler = new_compiler();
    const int before = runs_so_far();
    atomic_store(&most_running, 0);
    atomic_store(&gate_is_closed, true);
    for (int i = 0; i < 6; i++)
        hand_over(&compiler, 3, "HELD_side", i);
    hand_over(&compiler, 3, "HELD_side", 2);
    wait_for_runs(before + 3);
    usleep(2 * compilation);
    ok(runs_so_far() == before + 3 && atomic_load(&most_running) == 3, "side by side: %d at a time of at most 3",
       atomic_load(&most_running));
    atomic_store(&gate_is_closed, false);
    ok(all_are_right(&compiler, "HELD_side", 6) && runs_so_far() == before + 6,
       "6 kernels are compiled ahead, each once");
    for (int i = 0; i < 6; i++)
        hand_over(&compiler, 3, "HELD_side", i);
    usleep(2 * compilation);
    ok(all_are_right(&compiler, "HELD_side", 6) && runs_so_far() == before + 6,
       "what the cache has is not compiled again");
    mnp__ahead_free(compiler.ahead);
}

/* The last of a queue is compiled at once where it is needed, and one that is under way is waited for. */
static void check_order(void)
{
    mnp__compiler compiler = new_compiler();
    const int before = runs_so_far();
    bool right;
    atomic_store(&gate_is_closed, true);
    hand_over(&compiler, 1, "HELD_order", 0);
    for (int i = 0; i < 5; i++)
        hand_over(&compiler, 1, "order", i);
    wait_for_runs(before + 1);
    ok(ask(&compiler, "order", 4, &right) == MNP_OK && right && runs_so_far() == before + 2,
       "a kernel that is needed does not wait for those before it");
    atomic_store(&gate_is_closed, false);
    ok(all_are_right(&compiler, "HELD_order", 1) && all_are_right(&compiler, "order", 5) && runs_so_far() == before + 6,
       "and all are compiled once");
    mnp__ahead_free(compiler.ahead);
}

static void check_failure(void)
{
    mnp__compiler compiler = new_compiler();
    bool right;
    hand_over(&compiler, 2, "WRONG", 0);
    hand_over(&compiler, 2, "fine", 0);
    while (atomic_load(&failures) == 0)
        usleep(1000);
    const mnp_status st = ask(&compiler, "WRONG", 0, &right);
    ok(st == MNP_ERR_COMPILE && strcmp(mnp_error_message(), "it is wrong") == 0,
       "a kernel that does not compile is reported where it is needed: %s", mnp_error_message());
    ok(all_are_right(&compiler, "fine", 1), "and no other one");
    mnp__ahead_free(compiler.ahead);
}

/*
 * Two compilations have begun and are held until those that wait are handed over, so that few of them can begin before
 * the end, however slow the machine is: 400 would take the two threads ten seconds.
 */
static void check_end(void)
{
    mnp__compiler compiler = new_compiler();
    const int before = runs_so_far();
    atomic_store(&gate_is_closed, true);
    for (int i = 0; i < 2; i++)
        hand_over(&compiler, 2, "HELD_end", i);
    wait_for_runs(before + 2);
    for (int i = 0; i < 500; i++)
        hand_over(&compiler, 2, "end", i);
    atomic_store(&gate_is_closed, false);
    mnp__ahead_free(compiler.ahead);
    ok(runs_so_far() < before + 2 + 400 && count_files(".lock") == 0,
       "what has not begun at the end is dropped: %d of 500 were compiled", runs_so_far() - before - 2);
}

static void check_processes(void)
{
    const int before = runs_so_far();
    for (int process = 0; process < 3; process++) {
        if (fork() == 0) {
            mnp__compiler compiler = new_compiler();
            for (int i = 0; i < 8; i++)
                hand_over(&compiler, 1, "shared", i);
            usleep(2 * compilation);
            _exit(!all_are_right(&compiler, "shared", 8));
        }
    }
    int state, wrong = 0;
    while (wait(&state) > 0)
        wrong += state != 0;
    ok(wrong == 0 && runs_so_far() == before + 8, "three processes compile 8 kernels ahead: each is compiled once");
}

static void check_without_cache(void)
{
    mnp__config odd;
    setenv("MANIPLE_CACHE_DIR", "/dev/null/cache", 1);
    bool ready = mnp__config_read("log=error", 0, &odd) == MNP_OK;
    mnp__compiler compiler = new_compiler();
    compiler.config = &odd;
    const int before = runs_so_far();
    for (int i = 0; i < 3; i++)
        hand_over(&compiler, 2, "nowhere", i);
    ok(ready && all_are_right(&compiler, "nowhere", 3) && runs_so_far() == before + 3,
       "without a cache the results are kept in memory");
    mnp__ahead_free(compiler.ahead);
    mnp__config_free(&odd);
    setenv("MANIPLE_CACHE_DIR", folder, 1);
}

static void leave_what_runs(void)
{
    _exit(atomic_load(&running));
}

/* A program that ends without freeing its compiler, as after an error. */
static void check_exit(void)
{
    int state = -1;
    const pid_t child = fork();
    if (child == 0) {
        mnp__compiler compiler = new_compiler();
        atexit(leave_what_runs); /* it runs after what is registered later */
        compilation = 500 * 1000;
        const int before = runs_so_far();
        hand_over(&compiler, 2, "exit", 0);
        hand_over(&compiler, 2, "exit", 1);
        while (runs_so_far() < before + 2)
            usleep(1000);
        exit(0);
    }
    waitpid(child, &state, 0);
    ok(WIFEXITED(state) && WEXITSTATUS(state) == 0, "exit() waits for what is being compiled: %d still ran",
       WEXITSTATUS(state));
}

/*
 * A compiler that takes two minutes, and starts another program, as compilers do.  The file `pids` has the numbers of
 * both, and is whole as soon as it is there.
 */
static bool write_slow_compiler(char *path, size_t room)
{
    snprintf(path, room, "%s/slow", folder);
    FILE *script = fopen(path, "w");
    if (!script)
        return false;
    fprintf(script, "#!/bin/sh\nsleep 120 &\necho $$ $! >%s/new\nmv %s/new %s/pids\nwait\n", folder, folder, folder);
    return fclose(script) == 0 && chmod(path, 0700) == 0;
}

/* Whether a process has ended; one that nobody has asked for its status is a zombie, which may stay for ever. */
static bool has_ended(pid_t pid)
{
    char path[64], state = '?';
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    if (kill(pid, 0) != 0)
        return true;
    FILE *stat = fopen(path, "r"); /* its second word is the program's name in parentheses */
    if (stat) {
        if (fscanf(stat, "%*[^)]) %c", &state) != 1)
            state = '?';
        fclose(stat);
    }
    return state == 'Z' || state == 'X';
}

/* Whether the compiler and the program that it started end within a while. */
static bool are_gone(const char *pids)
{
    long number[2] = {0, 0};
    FILE *file = fopen(pids, "r");
    const bool read = file && fscanf(file, "%ld %ld", &number[0], &number[1]) == 2;
    if (file)
        fclose(file);
    for (int i = 0; i < 1000 && read; i++) {
        if (has_ended((pid_t)number[0]) && has_ended((pid_t)number[1]))
            return true;
        usleep(10 * 1000);
    }
    return false;
}

static void check_host_compiler(void)
{
    mnp__config odd = config;
    mnp__compiler *host = NULL;
    char path[128], pids[128];
    setenv("TMPDIR", folder, 1);
    odd.cxx = path;
    if (!ok(write_slow_compiler(path, sizeof path) && mnp__host_compiler_new(&odd, &host) == MNP_OK,
            "a compiler that takes long"))
        return;
    snprintf(pids, sizeof pids, "%s/pids", folder);
    hand_over(host, 1, "long", 0);
    const double begin = seconds_now();
    while (access(pids, F_OK) != 0 && seconds_now() - begin < 120)
        usleep(1000);
    const double started = seconds_now();
    mnp__host_compiler_free(host);
    ok(seconds_now() - started < 60 && are_gone(pids), "it is ended with what it has started, as nobody needs it");
    ok(count_files("maniple.") == 0 && count_files(".lock") == 0, "and leaves no folder and no lock");
    unsetenv("TMPDIR");
}

int main(void)
{
    char command[128];
    if (!mkdtemp(folder))
        return 1;
    setenv("MANIPLE_CACHE_DIR", folder, 1);
    MNP_OR_EXIT(mnp__config_read("log=error", 0, &config));
    check_processes(); /* before there are threads */
    check_exit();
    check_side_by_side();
    check_order();
    check_failure();
    check_end();
    check_without_cache();
    check_host_compiler();
    mnp__config_free(&config);
    snprintf(command, sizeof command, "rm -rf %s %s.runs", folder, folder);
    return system(command) == 0 ? done_testing() : 1;
}
