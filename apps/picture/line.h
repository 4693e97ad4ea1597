/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pictures of distributed vectors, as lines.
 */
#ifndef APPS_PICTURE_LINE_H
#define APPS_PICTURE_LINE_H

#include <stdint.h>

#include <maniple.h>

#include "picture/request.h"

typedef struct line_result {
    picture_made made;
    int64_t reduction; /* elements that share a point: their least and greatest value are drawn */
} line_result;

/*
 * Draw the elements of a vector, one dimension, over their indices; of complex ones the magnitude.  Values that are not
 * finite are left out.  MNP_ERR_IO, MNP_ERR_MEMORY, MNP_ERR_UNSUPPORTED.  Collective.
 */
mnp_status line_write(const picture_request *request, const char *title, const mnp_array *vector, line_result *result);

#endif
