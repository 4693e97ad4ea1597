/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Gray PNG files.
 */
#ifndef APPS_PICTURE_PNG_FILE_H
#define APPS_PICTURE_PNG_FILE_H

#include <stdbool.h>

#include <maniple.h>

/* Whether this build can write PNG files. */
bool png_supported(void);

/*
 * Write pixels, row by row, from 0 for black to 255 for white, to a file that appears when it is complete.  MNP_ERR_IO,
 * MNP_ERR_UNSUPPORTED.  Not collective.
 */
mnp_status png_write(const char *path, int width, int height, const unsigned char *pixels);

#endif
