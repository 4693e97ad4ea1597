/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A picture of any distributed array.
 */
#ifndef APPS_PICTURE_ARRAY_H
#define APPS_PICTURE_ARRAY_H

#include <maniple.h>

#include "picture/request.h"

enum { ARRAY_WORDS = 200 };

/*
 * Draw an array of one or more dimensions: a vector as a line (line.h), others as an image (picture.h) of two of their
 * dimensions, rows < columns; rows < 0: the usual ones.  `words` receives, for the report, the size of the picture,
 * which values the ends of the scale are, and how many elements share a dot.  MNP_ERR_IO, also if there are no
 * elements; MNP_ERR_MEMORY, MNP_ERR_UNSUPPORTED.  Collective.
 */
mnp_status array_write(const picture_request *request, const char *title, const mnp_array *array, int rows, int columns,
                       char words[ARRAY_WORDS]);

#endif
