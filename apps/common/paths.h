/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names of files on the command line: whether two denote the same file, and whether a picture can be written.
 */
#ifndef APPS_COMMON_PATHS_H
#define APPS_COMMON_PATHS_H

#include <stdbool.h>

#include <maniple.h>

/* Whether both files exist and are the same, links included. */
bool same_file(const char *a, const char *b);

/* Whether two paths denote the same file, which need not exist yet. */
bool same_place(const char *a, const char *b);

/*
 * Check whether --png can write a picture to `path`, without writing.  MNP_ERR_ARG, MNP_ERR_IO.  Not collective.
 */
mnp_status check_picture(const char *path);

#endif
