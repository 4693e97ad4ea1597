/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * maniple info --layout: who would own what of an array, drawn for any number of ranks.
 */
#ifndef APPS_PICTURE_DRAWING_H
#define APPS_PICTURE_DRAWING_H

#include <stdbool.h>

/* Options as they were given, NULL where they were not. */
typedef struct drawing {
    const char *shape, *ranks, *mesh, *axes, *cyclic, *order;
    bool is_replicated, is_json;
} drawing;

/* Draw it; gives the program's exit status.  Starts MPI, and no device. */
int drawing_main(const drawing *d);

#endif
