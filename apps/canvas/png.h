/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PNG images.
 */
#ifndef APPS_CANVAS_PNG_H
#define APPS_CANVAS_PNG_H

#include <stdbool.h>
#include <stdio.h>

#include <maniple.h>

/* Whether this build can write PNG files. */
bool png_supported(void);

/*
 * Write pixels, row by row, 3 bytes each, as PNG to a file that is open; in gray if all of them are.  `dpi` is the
 * number of pixels an inch; 0: not told.  MNP_ERR_MEMORY, MNP_ERR_UNSUPPORTED.  Not collective.
 */
mnp_status png_encode(FILE *file, int width, int height, const unsigned char *rgb, double dpi);

#endif
