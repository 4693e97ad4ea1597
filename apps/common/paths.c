/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names of files on the command line.
 */
#include "common/paths.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

bool same_file(const char *a, const char *b)
{
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

bool path_ends_in(const char *path, const char *ending)
{
    const size_t length = strlen(path), tail = strlen(ending);
    return length > tail && strcasecmp(path + length - tail, ending) == 0;
}

const char *split_path(const char *path, char folder[PATH_MAX])
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

const char *without_folders(const char *text)
{
    const char *name = text;
    for (size_t i = 0, length = strcspn(text, ":"); i < length; i++)
        name = text[i] == '/' ? text + i + 1 : name;
    return name;
}
