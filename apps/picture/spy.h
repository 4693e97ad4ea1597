/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pictures of where a sparse matrix has entries.
 */
#ifndef APPS_PICTURE_SPY_H
#define APPS_PICTURE_SPY_H

#include <stdint.h>

#include <maniple.h>

/* This rank's rows: as mnp_sparse_get_local() gives them. */
typedef struct local_rows {
    int64_t first, count;
    int64_t *offsets, *columns;
    void *values;
} local_rows;

typedef struct spy_picture {
    int width, height; /* pixels */
    int64_t reduction; /* a pixel is so many rows and columns; 1 also where an entry is several pixels */
} spy_picture;

/*
 * Write it to a PNG file, white without entries and the darker the more there are, in a gray frame; at most about 1024
 * pixels a side, and small matrices enlarged.  Collective.  MNP_ERR_IO, MNP_ERR_MEMORY, MNP_ERR_UNSUPPORTED.
 */
mnp_status spy_write(const mnp_sparse *matrix, const local_rows *rows, const char *path, spy_picture *result);

#endif
