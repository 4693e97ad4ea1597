/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names of files on the command line.
 */
#include "common/paths.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool same_file(const char *a, const char *b)
{
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* Split a path: copy its folder, or "." if it has none, and return the rest. */
static const char *split_path(const char *path, char folder[PATH_MAX])
{
    const char *slash = strrchr(path, '/');
    if (slash)
        snprintf(folder, PATH_MAX, "%.*s", (int)(slash - path) + 1, path);
    else
        strcpy(folder, ".");
    return slash ? slash + 1 : path;
}

bool same_place(const char *a, const char *b)
{
    char a_folder[PATH_MAX], b_folder[PATH_MAX];
    return same_file(a, b) ||
           (strcmp(split_path(a, a_folder), split_path(b, b_folder)) == 0 && same_file(a_folder, b_folder));
}

mnp_status check_picture(const char *path)
{
    struct stat info;
    if (!*path)
        return mnp_fail(MNP_ERR_ARG, "--png has an empty name; name a file such as picture.png");
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode))
        return mnp_fail(MNP_ERR_IO, "--png '%s' cannot be written: it is %s", path,
                        S_ISDIR(info.st_mode) ? "a folder; name a file in it" : "not a regular file");
    char folder[PATH_MAX];
    split_path(path, folder);
    if (stat(folder, &info) != 0)
        return mnp_fail(MNP_ERR_IO, "--png '%s' cannot be written: the folder '%s' cannot be used: %s", path, folder,
                        strerror(errno));
    if (access(folder, W_OK | X_OK) != 0)
        return mnp_fail(MNP_ERR_IO, "--png '%s' cannot be written: files cannot be made in '%s': %s", path, folder,
                        strerror(errno));
    return MNP_OK;
}
