/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The scripts that maniple bench runs with Python: bench/plot and bench/peers.  They are installed beside the command,
 * in share/maniple/bench, and are found from where the command is, so that both may be moved; a command that is not
 * installed finds those of its source, in bench/.
 */
#include "bench/benchmark.h"
#include "common/command.h"

#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ; /* POSIX has it without a header */

enum { MOST_LEVELS = 5, MOST_ARGUMENTS = 2048 };

static char folder[PATH_MAX]; /* of the scripts; "": not looked for */

static bool is_folder_of_scripts(const char *path)
{
    char script[PATH_MAX + 16];
    snprintf(script, sizeof script, "%s/plot", path);
    return access(script, R_OK) == 0;
}

/* Look beside the folder of the command, and beside those that it is in. */
static bool find_beside_command(void)
{
    static const char *const places[] = {"share/maniple/bench", "bench"};
    char path[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0)
        return false;
    path[length] = '\0';
    for (int level = 0; level <= MOST_LEVELS; level++) {
        char *slash = strrchr(path, '/');
        if (!slash || slash == path)
            break;
        *slash = '\0';
        for (int i = 0; level > 0 && i < 2; i++) {
            const int size = snprintf(folder, sizeof folder, "%s/%s", path, places[i]);
            if (size < (int)sizeof folder && is_folder_of_scripts(folder))
                return true;
        }
    }
    return false;
}

mnp_status bench_find_scripts(void)
{
    if (*folder || find_beside_command())
        return MNP_OK;
    snprintf(folder, sizeof folder, "%s", BENCH_SCRIPTS);
    if (is_folder_of_scripts(folder))
        return MNP_OK;
    return mnp_fail(MNP_ERR_IO, "the scripts that --peers and --plot run are not beside the command, and not in %s",
                    BENCH_SCRIPTS);
}

int bench_run_script(const char *script, const char *const *arguments)
{
    const char *python = getenv("PYTHON");
    char path[2 * PATH_MAX];
    char *words[MOST_ARGUMENTS + 3] = {NULL};
    pid_t child;
    int status = 0, count = 0;
    python = python && *python ? python : "python3";
    snprintf(path, sizeof path, "%s/%s", folder, script);
    words[count++] = (char *)python;
    words[count++] = path;
    for (int i = 0; arguments[i] && i < MOST_ARGUMENTS; i++)
        words[count++] = (char *)arguments[i];
    const int error = posix_spawnp(&child, python, NULL, NULL, words, environ);
    if (error) {
        fprintf(stderr, "maniple: %s, which is to run %s, cannot be started: %s\n", python, script, strerror(error));
        return EXIT_FAILED;
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILED;
}
