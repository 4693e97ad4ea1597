/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files that the command line names: whether two are one, and whether a picture can be put there.
 */
#ifndef APPS_COMMON_PATHS_H
#define APPS_COMMON_PATHS_H

#include <stdbool.h>

#include <maniple.h>

/* Whether both files are there and the same, by whatever links. */
bool same_file(const char *a, const char *b);

/* Whether two paths lead to one file, which may not be there yet. */
bool same_place(const char *a, const char *b);

/*
 * Whether --png can put a picture at `path`, as far as can be told without doing it.  Not collective.  MNP_ERR_IO.
 */
mnp_status check_picture(const char *path);

#endif
