/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What draws: a table of operations with three implementations.  Private to this folder.
 */
#ifndef APPS_CANVAS_OPS_H
#define APPS_CANVAS_OPS_H

#include <stdio.h>

#include "canvas/canvas.h"

typedef struct canvas_ops canvas_ops;

struct canvas {
    const canvas_ops *ops;
    const char *path;
    double width, height; /* points */
    double scale;         /* pixels a point */
    int columns, rows;    /* pixels */
    mnp_status status;    /* the first failure: nothing is drawn after it */
    void *state;          /* of the implementation */
};

/* Texts are valid UTF-8. */
struct canvas_ops {
    mnp_status (*open)(canvas *c);
    void (*line)(canvas *c, int count, const canvas_point *points, const canvas_pen *pen);
    void (*fill)(canvas *c, int count, const canvas_point *corners, colour ink);
    void (*text)(canvas *c, const char *text, const canvas_text *style);
    void (*letters)(canvas *c, const char *text, const canvas_text *style); /* from the anchor on, without exponent */
    double (*width)(canvas *c, const char *text, double size, bool bold);
    void (*image)(canvas *c, double x, double y, double width, double height, int rows, int columns,
                  const unsigned char *rgb);
    mnp_status (*encode)(canvas *c, FILE *file); /* write the bytes of the file */
    void (*close)(canvas *c);                    /* release `state`, also after open() has failed */
};

extern const canvas_ops canvas_svg, canvas_raster;

/* Where letters are drawn by cairo; NULL: this build was made without it, or it is not installed here. */
const canvas_ops *canvas_cairo(const char **version_p);

/* A text by its letters, for `text` of an implementation that has `letters`. */
void canvas_pieces(canvas *c, const char *text, const canvas_text *style);

/* The size of exponents, and how far they are raised, in units of the size of the text. */
#define CANVAS_RAISED_SIZE 0.7
#define CANVAS_RAISED_BY 0.36

#endif
