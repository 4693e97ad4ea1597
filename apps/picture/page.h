/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the pages of all pictures have: titles, and texts that are no longer than their room.  Not collective.
 */
#ifndef APPS_PICTURE_PAGE_H
#define APPS_PICTURE_PAGE_H

#include "canvas/canvas.h"

/* The margin, and fonts, in points. */
#define PAGE_EDGE 10.0
#define PAGE_TITLE_SIZE 12.0
#define PAGE_SUBTITLE_SIZE 9.0

/* A style at a place, in the colour of ink. */
canvas_text page_style(double x, double y, double size);

/* Write a text, with dots for its middle if it is wider than the room. */
void page_write(canvas *c, const char *text, canvas_text style, double room);

/* Write the title and, unless it is NULL, the second line, below the upper margin. */
void page_write_title(canvas *c, const char *title, const char *subtitle, double x, double room);

void page_draw_line(canvas *c, double x0, double y0, double x1, double y1, canvas_pen pen);

/* The pen of axes. */
extern const canvas_pen page_pen;

#endif
