/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names of files on the command line: whether two denote the same file, and their parts.
 */
#ifndef APPS_COMMON_PATHS_H
#define APPS_COMMON_PATHS_H

#include <limits.h>
#include <stdbool.h>

/* Whether both files exist and are the same, links included. */
bool same_file(const char *a, const char *b);

/* Whether two paths denote the same file, which need not exist yet. */
bool same_place(const char *a, const char *b);

/* Whether a path ends so, in letters of either case, and that is not all of it. */
bool path_ends_in(const char *path, const char *ending);

/* Split a path: copy its folder, or "." if it has none, and return the rest. */
const char *split_path(const char *path, char folder[PATH_MAX]);

/* What was typed for a file, a dataset or a generated array, without the folders of the file. */
const char *without_folders(const char *text);

#endif
