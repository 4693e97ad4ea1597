/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * maniple info --layout: a drawing of which rank would own which part of an array, for any number of ranks.
 */
#ifndef APPS_PICTURE_DRAWING_H
#define APPS_PICTURE_DRAWING_H

#include <stdbool.h>

/* The arguments of options; NULL for those that were not given. */
typedef struct drawing {
    const char *shape, *ranks, *mesh, *axes, *cyclic, *order;
    bool is_replicated, is_json;
} drawing;

/* Print the drawing, and return the program's exit status.  Starts MPI, but opens no device. */
int drawing_main(const drawing *d);

#endif
