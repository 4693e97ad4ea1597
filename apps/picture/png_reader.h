/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading PNG files as arrays.
 *
 * Gray pictures have two dimensions, rows and columns; others a third, of the channels: 2 for gray and alpha, 3 for
 * colours, 4 for colours and alpha.  Elements are uint8, or uint16 where the file has 16 bits a channel.  Gray of less
 * than 8 bits is scaled to 8, a palette becomes colours, and a transparent colour becomes alpha.
 */
#ifndef APPS_PICTURE_PNG_READER_H
#define APPS_PICTURE_PNG_READER_H

#include <stdbool.h>
#include <stdint.h>

#include <maniple.h>

typedef struct png_head {
    mnp_dtype dtype;
    int ndim;
    int64_t shape[3];
    bool interlaced;
} png_head;

/* Find shape and type.  MNP_ERR_IO, MNP_ERR_FORMAT, MNP_ERR_UNSUPPORTED without libpng.  Collective. */
mnp_status png_inspect(mnp_ctx *ctx, const char *path, png_head *head);

/*
 * Read the picture into a new array that is cut along its rows.  Each rank decodes the file up to its last row, and
 * needs memory for its own rows, or for the whole picture if it is interlaced.  MNP_ERR_IO, MNP_ERR_FORMAT,
 * MNP_ERR_MEMORY, MNP_ERR_UNSUPPORTED.  Collective.
 */
mnp_status png_read(mnp_ctx *ctx, const char *path, mnp_array **array_p);

#endif
