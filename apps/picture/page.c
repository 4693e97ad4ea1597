/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Titles and texts of pages.
 */
#include "picture/page.h"

enum { LONGEST_LINE = 512 };

const canvas_pen page_pen = {.width = 0.8, .colour = {38, 38, 38}};

canvas_text page_style(double x, double y, double size)
{
    return (canvas_text){.x = x, .y = y, .size = size, .colour = colour_ink};
}

void page_write(canvas *c, const char *text, canvas_text style, double room)
{
    char line[LONGEST_LINE];
    canvas_shorten(c, text, style, room, sizeof line, line);
    canvas_write_text(c, line, style);
}

void page_write_title(canvas *c, const char *title, const char *subtitle, double x, double room)
{
    double y = PAGE_EDGE;
    if (title) {
        y += PAGE_TITLE_SIZE;
        canvas_text style = page_style(x, y, PAGE_TITLE_SIZE);
        style.bold = true;
        page_write(c, title, style, room);
        y += 4;
    }
    if (subtitle)
        page_write(c, subtitle, page_style(x, y + PAGE_SUBTITLE_SIZE + 1, PAGE_SUBTITLE_SIZE), room);
}

void page_draw_line(canvas *c, double x0, double y0, double x1, double y1, canvas_pen pen)
{
    canvas_line(c, 2, (const canvas_point[]){{x0, y0}, {x1, y1}}, pen);
}
