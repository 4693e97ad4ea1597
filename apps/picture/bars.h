/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pictures of several numbers each of things that have names: a group of level bars for each thing, one below the
 * other.
 */
#ifndef APPS_PICTURE_BARS_H
#define APPS_PICTURE_BARS_H

#include <maniple.h>

#include "picture/request.h"

enum { BARS_MOST_SERIES = 3 };

typedef struct bars_row {
    const char *name, *note;         /* the note stands behind the bars */
    double values[BARS_MOST_SERIES]; /* from 0 on */
} bars_row;

typedef struct bars {
    const char *title, *subtitle, *x_name; /* subtitle NULL: none */
    int series;
    const char *series_names[BARS_MOST_SERIES];
    int count; /* 1 or more */
    const bars_row *rows;
} bars;

/*
 * Draw bars.  The page is as high as the rows need, unless a size is asked for.  MNP_ERR_IO, MNP_ERR_MEMORY.  Not
 * collective.
 */
mnp_status bars_write(const picture_request *request, const bars *all, picture_made *made);

#endif
