/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The layout of images: the page is as wide as asked for, or less if the images are high, and as high as they need.
 */
#include "picture/panels.h"

#include <math.h>

#include "picture/axis.h"
#include "picture/page.h"

enum { USUAL_CELLS = 1024, BAR_CELLS = 256 };
static const double usual_width = 8, usual_height = 7, least_width = 3.2; /* inches */
static const double edge = PAGE_EDGE, gap = 14, bar_width = 9;
static const double frame_width = 0.8;
static const double most_sides = 8, long_sides = 5; /* of images: the longest that are not stretched, and to what */

int panels_most_cells(const picture_request *request)
{
    return request->width > 0 ? (int)ceil(sqrt(request->width * request->height) * request->dpi) : USUAL_CELLS;
}

bool panels_are_long(double rows, double columns)
{
    return rows > most_sides * columns || columns > most_sides * rows;
}

/* Lengths, in points, and the axes of a panel, whose places are set when it is drawn. */
typedef struct layout {
    double width, height;           /* of the page */
    double cell_width, cell_height; /* of a cell */
    double scale;                   /* pixels a point */
    double left, top;               /* of the first image */
} layout;

typedef struct panel_axes {
    plot_axis x, y, bar;
    double before, after; /* the room for numbers on the left, and for the scale on the right */
} panel_axes;

static panel_axes axes_of(canvas *c, const panel *p)
{
    const double rows = (double)p->rows * (double)p->reduction[0];
    const double columns = (double)p->columns * (double)p->reduction[1];
    panel_axes a = {.x = axis_new(AXIS_WHOLE, -0.5, columns - 0.5), .y = axis_new(AXIS_WHOLE, -0.5, rows - 0.5)};
    a.y.to = a.bar.from = 200; /* about its length, which decides how many numbers there are */
    a.before = axis_numbers_width(c, &a.y) + AXIS_MARK + 3;
    if (p->has_scale) {
        a.bar = axis_new(AXIS_LINEAR, p->low, p->high);
        a.bar.from = 200;
        a.after = 6 + bar_width + AXIS_MARK + 3 + axis_numbers_width(c, &a.bar);
    }
    return a;
}

/* Lengths across and along the page that are not images, and the cells of these. */
typedef struct needs {
    double across, above, below, columns, rows;
    bool is_long;
} needs;

static needs find_needs(const panels *all, const panel_axes *axes)
{
    const double title = (all->title ? PAGE_TITLE_SIZE + 4 : 0) + (all->subtitle ? PAGE_SUBTITLE_SIZE + 5 : 0) + 6;
    needs n = {.across = 2 * edge + AXIS_NAME_SIZE + 4 + gap * (all->count - 1), .rows = 1};
    bool has_titles = false;
    for (int i = 0; i < all->count; i++) {
        const panel *p = &all->panels[i];
        n.across += axes[i].before + axes[i].after;
        n.columns += p->columns;
        n.rows = fmax(n.rows, p->rows);
        n.is_long = n.is_long || panels_are_long((double)p->rows * (double)p->reduction[0],
                                                 (double)p->columns * (double)p->reduction[1]);
        has_titles = has_titles || p->title;
    }
    n.columns = fmax(n.columns, 1);
    n.above = edge + title + (has_titles ? AXIS_NAME_SIZE + 6 : 0);
    n.below = AXIS_MARK + AXIS_NUMBER_SIZE + AXIS_NAME_SIZE + 6 + edge;
    return n;
}

/*
 * Choose the size of a cell and of the page.  Cells are whole pixels: the number of pixels a point follows from the
 * side with more cells, and the other side of a cell, if it is no square, from that.
 */
static layout choose_layout(const picture_request *request, const panels *all, const panel_axes *axes)
{
    const needs n = find_needs(all, axes);
    const double most_width = 72 * (request->width > 0 ? request->width : usual_width);
    const double most_height = 72 * (request->height > 0 ? request->height : usual_height);
    layout l = {.top = n.above, .left = edge + AXIS_NAME_SIZE + 4};
    l.cell_width = fmax((most_width - n.across) / n.columns, 0.02);
    l.cell_height = fmax((most_height - n.above - n.below) / n.rows, 0.02);
    const bool wide = n.columns > n.rows;
    if (n.is_long && wide)
        l.cell_height = fmin(l.cell_height, l.cell_width * n.columns / all->count / long_sides / n.rows);
    else if (n.is_long)
        l.cell_width = fmin(l.cell_width, l.cell_height * n.rows / long_sides * all->count / n.columns);
    else
        l.cell_width = l.cell_height = fmin(l.cell_width, l.cell_height);
    double *first = wide ? &l.cell_width : &l.cell_height, *second = wide ? &l.cell_height : &l.cell_width;
    l.scale = fmax(round(*first * request->dpi / 72), 1) / *first;
    *second = fmax(round(*second * l.scale), 1) / l.scale;
    l.width = fmax(n.across + l.cell_width * n.columns, fmin(72 * least_width, most_width));
    l.height = n.above + l.cell_height * n.rows + n.below;
    return l;
}

typedef struct place {
    double x, y, width, height;
} place;

/* Draw an image with a frame around it, which hides nothing of it. */
static void draw_framed(canvas *c, double scale, place at, int rows, int columns, const unsigned char *rgb)
{
    const double frame = fmax(round(frame_width * scale), 1) / scale;
    canvas_rectangle(c, at.x - frame, at.y - frame, at.width + 2 * frame, at.height + 2 * frame, colour_ink);
    canvas_image(c, at.x, at.y, at.width, at.height, rows, columns, rgb);
}

static void draw_bar(canvas *c, double scale, const panel *p, plot_axis *a, double left, double top, double bottom)
{
    unsigned char rgb[3 * BAR_CELLS];
    for (int i = 0; i < BAR_CELLS; i++) {
        const colour each = p->colour_of(1 - (i + 0.5) / BAR_CELLS);
        rgb[3 * i] = each.red;
        rgb[3 * i + 1] = each.green;
        rgb[3 * i + 2] = each.blue;
    }
    a->from = bottom;
    a->to = top;
    axis_draw_right(c, a, left + bar_width);
    draw_framed(c, scale, (place){left, top, bar_width, bottom - top}, BAR_CELLS, 1, rgb);
}

/* Draw a panel whose room begins at `x`; returns where it ends. */
static double draw_panel(canvas *c, const layout *l, const panels *all, int index, panel_axes *a, double x)
{
    const panel *p = &all->panels[index];
    const double left = round((x + a->before) * l->scale) / l->scale, top = round(l->top * l->scale) / l->scale;
    const double right = left + l->cell_width * p->columns, bottom = top + l->cell_height * p->rows;
    const double name_y = bottom + AXIS_MARK + AXIS_NUMBER_SIZE + AXIS_NAME_SIZE + 5;
    a->x.from = left;
    a->x.to = right;
    a->y.from = top;
    a->y.to = bottom;
    axis_draw_x(c, &a->x, bottom, bottom);
    axis_draw_y(c, &a->y, left, left);
    draw_framed(c, l->scale, (place){left, top, right - left, bottom - top}, p->rows, p->columns, p->rgb);
    canvas_text style = page_style((left + right) / 2, name_y, AXIS_NAME_SIZE);
    style.anchor = ANCHOR_MIDDLE;
    canvas_write_text(c, all->x_name, style);
    if (p->title)
        page_write(c, p->title, page_style(left, top - 6, AXIS_NAME_SIZE), right + a->after - left);
    if (p->has_scale)
        draw_bar(c, l->scale, p, &a->bar, right + 6, top, bottom);
    if (index == 0) {
        style = page_style(edge + 0.8 * AXIS_NAME_SIZE, (top + bottom) / 2, AXIS_NAME_SIZE);
        style.anchor = ANCHOR_MIDDLE;
        style.upwards = true;
        canvas_write_text(c, all->y_name, style);
    }
    return right + a->after + gap;
}

static void draw_all(canvas *c, const layout *l, const panels *all, panel_axes *axes)
{
    double x = l->left;
    const double text_left = l->left + (all->count > 0 ? axes[0].before : 0);
    page_write_title(c, all->title, all->subtitle, text_left, l->width - edge - text_left);
    for (int i = 0; i < all->count; i++)
        x = draw_panel(c, l, all, i, &axes[i], x);
}

mnp_status panels_write(const picture_request *request, const panels *all, picture_made *made)
{
    panel_axes axes[MOST_PANELS];
    canvas *c = NULL;
    /* The widths of numbers are measured on a canvas of their own, as the size of the page depends on them. */
    mnp_status status = canvas_new(request->path, 1, 1, 1, &c);
    if (status != MNP_OK)
        return status;
    for (int i = 0; i < all->count; i++)
        axes[i] = axes_of(c, &all->panels[i]);
    canvas_free(c);
    const layout l = choose_layout(request, all, axes);
    status = canvas_new(request->path, l.width, l.height, l.scale, &c);
    if (status != MNP_OK)
        return status;
    draw_all(c, &l, all, axes);
    return picture_finish(c, made);
}
