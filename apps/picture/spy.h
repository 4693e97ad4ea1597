/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pictures of where a sparse matrix has entries.
 */
#ifndef APPS_PICTURE_SPY_H
#define APPS_PICTURE_SPY_H

#include <stdint.h>

#include <maniple.h>

/* This rank's rows, as from mnp_sparse_get_local(). */
typedef struct local_rows {
    int64_t first, count;
    int64_t *offsets, *columns;
    void *values;
} local_rows;

typedef struct spy_picture {
    int width, height; /* pixels */
    int64_t reduction; /* a pixel is reduction rows by reduction columns; 1 if an entry is one or several pixels */
} spy_picture;

/*
 * Write a picture of the entries to a PNG file: a cell without entries is white, and the more entries it has the darker
 * it is; in a gray frame.  A side has at most about 1024 pixels; small matrices are enlarged.  MNP_ERR_IO,
 * MNP_ERR_MEMORY, MNP_ERR_UNSUPPORTED.  Collective.
 */
mnp_status spy_write(const mnp_sparse *matrix, const local_rows *rows, const char *path, spy_picture *result);

#endif
