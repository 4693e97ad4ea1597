/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pictures of where a sparse matrix has entries.
 */
#ifndef APPS_PICTURE_SPY_H
#define APPS_PICTURE_SPY_H

#include <stdint.h>

#include <maniple.h>

#include "picture/request.h"

/* This rank's rows, as from mnp_sparse_get_local(). */
typedef struct local_rows {
    int64_t first, count;
    int64_t *offsets, *columns;
    void *values;
} local_rows;

typedef struct spy_picture {
    picture_made made;
    int64_t reduction; /* a dot is reduction rows by reduction columns */
} spy_picture;

/*
 * Draw the entries to a PNG or SVG file: a cell without entries is white, and the more entries it has the darker it is.
 * A side has at most 512 cells, or half the pixels that are asked for.  MNP_ERR_IO, MNP_ERR_MEMORY,
 * MNP_ERR_UNSUPPORTED.  Collective.
 */
mnp_status spy_write(const picture_request *request, const char *title, const mnp_sparse *matrix,
                     const local_rows *rows, spy_picture *result);

#endif
