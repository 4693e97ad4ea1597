/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Gray PNG files.
 */
#ifndef APPS_PICTURE_PNG_FILE_H
#define APPS_PICTURE_PNG_FILE_H

#include <stdbool.h>

#include <maniple.h>

/* Whether this build can write them. */
bool png_supported(void);

/*
 * Write pixels, row by row, 0 black to 255 white, to a file that appears when it is whole.  MNP_ERR_IO,
 * MNP_ERR_UNSUPPORTED.  Not collective.
 */
mnp_status png_write(const char *path, int width, int height, const unsigned char *pixels);

#endif
