/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The layout of bars: names on the left, notes on the right, a legend above and an axis below.
 */
#include "picture/bars.h"

#include <math.h>

#include "picture/axis.h"
#include "picture/page.h"

static const double usual_width = 9 * 72, bar_height = 7, row_gap = 8;
static const double most_name = 0.3, most_note = 0.3; /* of the width of the page */
static const double above = PAGE_EDGE + PAGE_TITLE_SIZE + PAGE_SUBTITLE_SIZE + AXIS_NUMBER_SIZE + 25,
                    below = PAGE_EDGE + AXIS_NAME_SIZE + AXIS_NUMBER_SIZE + AXIS_MARK + 8;

typedef struct page {
    canvas *canvas;
    double width, height, left, right, top, bottom, row; /* row: the height of one */
    plot_axis x;
} page;

static double widest(canvas *c, const bars *all, bool notes, double most)
{
    double width = 0;
    for (int i = 0; i < all->count; i++)
        width = fmax(width, canvas_text_width(c, notes ? all->rows[i].note : all->rows[i].name, axis_number_style()));
    return fmin(width, most);
}

static double longest(const bars_row *row, int series)
{
    double most = 0;
    for (int s = 0; s < series; s++)
        most = fmax(most, row->values[s]);
    return most;
}

static void place(page *p, const bars *all)
{
    double most = 0;
    for (int i = 0; i < all->count; i++)
        most = fmax(most, longest(&all->rows[i], all->series));
    p->left = PAGE_EDGE + widest(p->canvas, all, false, most_name * p->width) + 6;
    p->right = p->width - PAGE_EDGE - widest(p->canvas, all, true, most_note * p->width) - 8;
    p->top = above;
    p->bottom = p->height - below;
    p->row = (p->bottom - p->top) / all->count;
    p->x = axis_new(AXIS_LINEAR, 0, most > 0 ? most : 1);
    p->x.from = p->left;
    p->x.to = p->right;
}

static void draw_legend(const page *p, const bars *all)
{
    double x = p->left;
    const double y = p->top - 8;
    for (int s = 0; s < all->series; s++) {
        const canvas_text style = page_style(x + 14, y, AXIS_NUMBER_SIZE);
        canvas_rectangle(p->canvas, x, y - bar_height, 10, bar_height, colour_of_line(s));
        canvas_write_text(p->canvas, all->series_names[s], style);
        x += 14 + canvas_text_width(p->canvas, all->series_names[s], style) + 16;
    }
}

static void draw_row(const page *p, const bars *all, int index)
{
    const bars_row *row = &all->rows[index];
    const double thickness = p->row * bar_height / (bar_height * all->series + row_gap) * 0.95;
    const double middle = p->top + (index + 0.5) * p->row, base = middle + 0.35 * AXIS_NUMBER_SIZE;
    canvas_text style = page_style(p->left - 6, base, AXIS_NUMBER_SIZE);
    style.anchor = ANCHOR_END;
    page_write(p->canvas, row->name, style, p->left - 6 - PAGE_EDGE);
    for (int s = 0; s < all->series; s++) {
        const double length = axis_place(&p->x, row->values[s]) - p->left;
        const double y = middle + (s - all->series / 2.0) * thickness;
        if (length > 0)
            canvas_rectangle(p->canvas, p->left, y, fmax(length, 0.5), thickness * 0.9, colour_of_line(s));
    }
    const double end = axis_place(&p->x, longest(row, all->series)) + 6;
    page_write(p->canvas, row->note, page_style(end, base, AXIS_NUMBER_SIZE), p->width - PAGE_EDGE - end);
}

static void draw(const page *p, const bars *all)
{
    page_write_title(p->canvas, all->title, all->subtitle, PAGE_EDGE, p->width - 2 * PAGE_EDGE);
    draw_legend(p, all);
    axis_draw_x(p->canvas, &p->x, p->bottom, p->top);
    for (int i = 0; i < all->count; i++)
        draw_row(p, all, i);
    page_draw_line(p->canvas, p->left, p->top, p->left, p->bottom, page_pen);
    page_draw_line(p->canvas, p->left, p->bottom, p->right, p->bottom, page_pen);
    canvas_text style = page_style((p->left + p->right) / 2, p->height - PAGE_EDGE, AXIS_NAME_SIZE);
    style.anchor = ANCHOR_MIDDLE;
    page_write(p->canvas, all->x_name, style, p->right - p->left);
}

mnp_status bars_write(const picture_request *request, const bars *all, picture_made *made)
{
    page p = {.width = request->width > 0 ? 72 * request->width : usual_width,
              .height = request->height > 0 ? 72 * request->height
                                            : above + below + all->count * (all->series * bar_height + row_gap)};
    const mnp_status status = canvas_new(request->path, p.width, p.height, request->dpi / 72, &p.canvas);
    if (status != MNP_OK)
        return status;
    place(&p, all);
    draw(&p, all);
    return picture_finish(p.canvas, made);
}
