/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files of pictures.
 */
#ifndef APPS_CANVAS_FILE_H
#define APPS_CANVAS_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include <maniple.h>

/* Whether a name ends in .png, or in .svg, in small or capital letters. */
bool file_is_png(const char *path);
bool file_is_svg(const char *path);

/* Write a whole file, which appears, or changes, when it is complete.  MNP_ERR_IO.  Not collective. */
mnp_status file_replace(const char *path, const void *bytes, size_t size);

#endif
