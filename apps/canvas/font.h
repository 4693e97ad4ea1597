/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A font of strokes, for machines without a library that has fonts: each letter is lines and arcs, drawn by a round
 * pen.
 */
#ifndef APPS_CANVAS_FONT_H
#define APPS_CANVAS_FONT_H

#include "canvas/canvas.h"

/* The width of a text in UTF-8, in units of its size. */
double font_width(const char *text);

/* The width of the pen, in units of the size of the text. */
double font_pen(bool bold);

/*
 * Call `stroke` with the points of every stroke of a text that begins at (0, 0), where y points up, in units of its
 * size.  A letter that the font has not becomes a box.
 */
void font_strokes(const char *text, void (*stroke)(void *argument, int count, const canvas_point *points),
                  void *argument);

#endif
