/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The layout of plots: a field with an axis below it and one on its left, a title above it, and a legend on its right.
 */
#include "picture/plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "picture/page.h"

enum {
    MOST_POINTS = 40, /* curves with at most so many points have a mark at each */
    FEW_MARKS = 12    /* others so many in all */
};
static const double usual_width = 8, usual_height = 4.8; /* inches */
static const double edge = PAGE_EDGE, line_width = 1.4, mark_size = 5.5, key_length = 24;

/* The canvas with its field. */
typedef struct field {
    canvas *canvas;
    double width, height; /* of the canvas */
    double left, right, top, bottom;
    plot_axis x, y;
} field;

/* ---- the frame ---- */

static double plot_side(double asked, double usual)
{
    return 72 * (asked > 0 ? asked : usual);
}

static mnp_status open_field(const picture_request *request, const plot_words *words, field *f)
{
    f->width = plot_side(request->width, usual_width);
    f->height = plot_side(request->height, usual_height);
    f->top = edge + PAGE_TITLE_SIZE + (words->subtitle ? PAGE_SUBTITLE_SIZE + 5 : 0) + 10;
    f->bottom = f->height - edge - AXIS_NAME_SIZE - AXIS_NUMBER_SIZE - AXIS_MARK - 8;
    f->right = f->width - 1.6 * edge;
    return canvas_new(request->path, f->width, f->height, request->dpi / 72, &f->canvas);
}

static void write_words(const field *f, const plot_words *words)
{
    page_write_title(f->canvas, words->title, words->subtitle, f->left, f->width - edge - f->left);
    canvas_text style = page_style((f->left + f->right) / 2, f->height - edge, AXIS_NAME_SIZE);
    style.anchor = ANCHOR_MIDDLE;
    page_write(f->canvas, words->x_name, style, f->right - f->left);
    style = page_style(edge + 0.8 * AXIS_NAME_SIZE, (f->top + f->bottom) / 2, AXIS_NAME_SIZE);
    style.anchor = ANCHOR_MIDDLE;
    style.upwards = true;
    page_write(f->canvas, words->y_name, style, f->bottom - f->top);
}

/* Place the axes, which are known by their values, with room for the numbers of y. */
static void place_axes(field *f)
{
    f->y.from = f->bottom;
    f->y.to = f->top;
    f->left = edge + AXIS_NAME_SIZE + 8 + axis_numbers_width(f->canvas, &f->y) + AXIS_MARK + 3;
    f->x.from = f->left;
    f->x.to = f->right;
}

static void draw_spines(const field *f)
{
    page_draw_line(f->canvas, f->left, f->top, f->left, f->bottom, page_pen);
    page_draw_line(f->canvas, f->left, f->bottom, f->right, f->bottom, page_pen);
}

/* ---- marks and the legend ---- */

/* Draw the mark of curve number `index`: six shapes, filled, or hollow for the curves after them. */
static void draw_mark(canvas *c, double x, double y, int index, colour ink)
{
    static const canvas_point square[] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}},
                              rhombus[] = {{0, -1}, {1, 0}, {0, 1}, {-1, 0}};
    static const canvas_point up[] = {{0, -1}, {1, 0.8}, {-1, 0.8}}, down[] = {{0, 1}, {-1, -0.8}, {1, -0.8}};
    static const canvas_point left[] = {{-1, 0}, {0.8, -1}, {0.8, 1}};
    static const struct shape {
        int corners;
        const canvas_point *points;
        double size;
    } shapes[] = {{0, NULL, 1}, {4, square, 0.88}, {3, up, 1.15}, {4, rhombus, 1.25}, {3, down, 1.15}, {3, left, 1.15}};
    enum { NUM_SHAPES = sizeof shapes / sizeof *shapes };
    const struct shape *s = &shapes[index % NUM_SHAPES];
    const int layers = index / NUM_SHAPES % 2 + 1; /* a hollow mark has a smaller one in white within */
    for (int layer = 0; layer < layers; layer++) {
        const double size = mark_size * s->size * (layer == 0 ? 1 : 0.5);
        const colour fill = layer == 0 ? ink : colour_paper;
        canvas_point corners[4];
        for (int i = 0; i < s->corners; i++)
            corners[i] = (canvas_point){x + s->points[i].x * size / 2, y + s->points[i].y * size / 2};
        if (s->corners > 0)
            canvas_fill(c, s->corners, corners, fill);
        else
            canvas_dot(c, x, y, size, fill);
    }
}

typedef struct legend_entry {
    const char *name;
    int index; /* of the mark; negative: none */
    colour colour;
} legend_entry;

/* Make room on the right for a legend. */
static void reserve_legend(field *f, int count, const legend_entry *entries)
{
    const double most = f->width / 3;
    double widest = 0;
    for (int i = 0; i < count; i++)
        widest = fmax(widest, canvas_text_width(f->canvas, entries[i].name, axis_number_style()));
    f->right -= fmin(widest, most) + key_length + 10;
}

static void draw_legend(const field *f, int count, const legend_entry *entries)
{
    const double step = fmin(1.6 * AXIS_NUMBER_SIZE, (f->bottom - f->top) / count), x = f->right + 10;
    for (int i = 0; i < count; i++) {
        const double y = f->top + (i + 0.5) * step;
        page_draw_line(f->canvas, x, y, x + key_length - 6, y,
                       (canvas_pen){.width = line_width, .colour = entries[i].colour});
        if (entries[i].index >= 0)
            draw_mark(f->canvas, x + (key_length - 6) / 2, y, entries[i].index, entries[i].colour);
        page_write(f->canvas, entries[i].name,
                   page_style(x + key_length, y + 0.35 * AXIS_NUMBER_SIZE, AXIS_NUMBER_SIZE),
                   f->width - edge - x - key_length + 2);
    }
}

/* ---- curves ---- */

static bool is_shown(const double *point)
{
    return isfinite(point[0]) && isfinite(point[1]);
}

/* The axis for coordinate number `which` of all points. */
static plot_axis axis_of(axis_scale scale, const plot_curves *plot, int which)
{
    double low = INFINITY, high = -INFINITY;
    for (int c = 0; c < plot->count; c++) {
        for (int i = 0; i < plot->curves[c].count; i++) {
            const double *point = &plot->curves[c].points[2 * i];
            low = is_shown(point) ? fmin(low, point[which]) : low;
            high = is_shown(point) ? fmax(high, point[which]) : high;
        }
    }
    if (which == 1 && plot->rule.name) {
        low = fmin(low, plot->rule.y);
        high = fmax(high, plot->rule.y);
    }
    if (!(low <= high)) /* there are no points */
        low = high = 1;
    const double room = which == 1 && scale == AXIS_LINEAR ? 0.04 * (high - low) : 0;
    return axis_new(scale, low - room, high + room);
}

/*
 * The points of a curve on the canvas.  Where many lie in a column as wide as a thin line, its first, least, greatest
 * and last y are kept, which look the same.
 */
typedef struct path {
    int count;
    canvas_point *points;
} path;

static void keep(path *p, canvas_point point)
{
    if (p->count == 0 || point.x != p->points[p->count - 1].x || point.y != p->points[p->count - 1].y)
        p->points[p->count++] = point;
}

static path path_of(const field *f, const plot_curve *curve, canvas_point *memory)
{
    const double column = 0.3;
    path p = {.points = memory};
    for (int i = 0; i < curve->count;) {
        const double x = axis_place(&f->x, curve->points[2 * i]);
        canvas_point first = {x, NAN}, low = first, high = first, last = first;
        for (; i < curve->count && axis_place(&f->x, curve->points[2 * i]) < x + column; i++) {
            const double *point = &curve->points[2 * i];
            if (!is_shown(point))
                continue;
            last = (canvas_point){axis_place(&f->x, point[0]), axis_place(&f->y, point[1])};
            first = isnan(first.y) ? last : first;
            low = isnan(low.y) || last.y < low.y ? last : low;
            high = isnan(high.y) || last.y > high.y ? last : high;
        }
        if (isnan(first.y))
            continue;
        keep(&p, first);
        keep(&p, low.x < high.x ? low : high);
        keep(&p, low.x < high.x ? high : low);
        keep(&p, last);
    }
    return p;
}

static void draw_curve(const field *f, const plot_curves *plot, int index, canvas_point *memory)
{
    const plot_curve *curve = &plot->curves[index];
    const colour ink = colour_of_line(index);
    const path p = path_of(f, curve, memory);
    const bool few = curve->count <= MOST_POINTS;
    const int step = few ? 1 : curve->count / FEW_MARKS;
    canvas_line(f->canvas, p.count, p.points, (canvas_pen){.width = line_width, .colour = ink});
    if (!few && plot->count == 1)
        return;
    for (int i = few ? 0 : step * (index + 1) / (plot->count + 1); i < curve->count; i += step) {
        const double *point = &curve->points[2 * i];
        if (is_shown(point))
            draw_mark(f->canvas, axis_place(&f->x, point[0]), axis_place(&f->y, point[1]), index, ink);
    }
}

/* Draw the rule, with its name where curves begin, as they mostly are far from it there. */
static void draw_rule(const field *f, const plot_rule *rule)
{
    const colour ink = {110, 110, 110};
    const double y = axis_place(&f->y, rule->y), size = AXIS_NUMBER_SIZE;
    char number[AXIS_NUMBER_BYTES], raised[AXIS_NUMBER_BYTES], label[AXIS_NUMBER_BYTES + 64];
    axis_number(rule->y, 3, number, raised);
    snprintf(label, sizeof label, "%s %s", rule->name, number);
    canvas_text style = page_style(f->left + 6, y - 4, size);
    style.raised = *raised ? raised : NULL;
    if (style.y - size < f->top)
        style.y = y + size + 2;
    page_draw_line(f->canvas, f->left, y, f->right, y, (canvas_pen){.width = 1, .colour = ink, .dashed = true});
    canvas_write_text(f->canvas, label, style);
}

static double last_y(const plot_curve *curve)
{
    for (int i = curve->count - 1; i >= 0; i--)
        if (is_shown(&curve->points[2 * i]))
            return curve->points[2 * i + 1];
    return -INFINITY;
}

/* The entries of a legend for curves, in the order in which these end. */
static void list_entries(const plot_curves *plot, legend_entry *entries)
{
    for (int n = 0; n < plot->count; n++) {
        int at = n;
        for (; at > 0 && last_y(&plot->curves[entries[at - 1].index]) < last_y(&plot->curves[n]); at--)
            entries[at] = entries[at - 1];
        entries[at] = (legend_entry){plot->curves[n].name, n, colour_of_line(n)};
    }
}

static void draw_curves(field *f, const plot_curves *plot, legend_entry *entries, canvas_point *memory)
{
    f->x = axis_of(plot->x_scale, plot, 0);
    f->y = axis_of(plot->y_scale, plot, 1);
    list_entries(plot, entries);
    if (plot->count > 1)
        reserve_legend(f, plot->count, entries);
    place_axes(f);
    axis_draw_x(f->canvas, &f->x, f->bottom, f->top);
    axis_draw_y(f->canvas, &f->y, f->left, f->right);
    draw_spines(f);
    if (plot->rule.name)
        draw_rule(f, &plot->rule);
    for (int c = plot->count - 1; c >= 0; c--)
        draw_curve(f, plot, c, memory);
    if (plot->count > 1)
        draw_legend(f, plot->count, entries);
    write_words(f, &plot->words);
}

mnp_status plot_write_curves(const picture_request *request, const plot_curves *plot, picture_made *made)
{
    field f = {.canvas = NULL};
    size_t longest = 1;
    for (int c = 0; c < plot->count; c++)
        longest = (size_t)plot->curves[c].count > longest ? (size_t)plot->curves[c].count : longest;
    canvas_point *memory = malloc(longest * sizeof *memory);
    legend_entry *entries = malloc(((size_t)plot->count + 1) * sizeof *entries);
    mnp_status status = memory && entries ? MNP_OK : mnp_fail(MNP_ERR_MEMORY, "no memory on the host for the picture");
    if (status == MNP_OK)
        status = open_field(request, &plot->words, &f);
    if (status == MNP_OK) {
        draw_curves(&f, plot, entries, memory);
        status = picture_finish(f.canvas, made);
    }
    free(entries);
    free(memory);
    return status;
}

/* ---- histograms ---- */

enum { MOST_BARS = 1500 };

/* The greatest count in the bins of bar number `bar`, which has one bin or, if there are very many, several. */
static int64_t bar_count(const plot_histogram *plot, int which, int bar, int together)
{
    int64_t most = 0;
    for (int b = bar * together; b < (bar + 1) * together && b < plot->bins; b++)
        most = plot->counts[which][b] > most ? plot->counts[which][b] : most;
    return most;
}

static double bar_edge(const plot_histogram *plot, int bin)
{
    const double shift = plot->whole ? 0.5 : 0; /* a bar for a whole number is around it */
    bin = bin < plot->bins ? bin : plot->bins;
    return plot->low + (plot->high - plot->low) * bin / plot->bins - shift;
}

static void draw_bars(const field *f, const plot_histogram *plot, int together)
{
    const int bars = (plot->bins - 1) / together + 1;
    const double gap = (f->right - f->left) / bars > 4 ? 0.7 : 0;
    for (int b = 0; b < bars; b++) {
        const int64_t count = bar_count(plot, 0, b, together);
        const double from = axis_place(&f->x, bar_edge(plot, b * together)) + gap / 2;
        const double to = axis_place(&f->x, bar_edge(plot, (b + 1) * together)) - gap / 2;
        const double height = fmax(f->bottom - axis_place(&f->y, (double)count), 0.5); /* a count is visible */
        if (count > 0)
            canvas_rectangle(f->canvas, from, f->bottom - height, to - from, height, colour_of_line(0));
    }
}

/* Draw the outlines of several histograms; `memory` has room for two points a bar and two more. */
static void draw_outlines(const field *f, const plot_histogram *plot, int together, const legend_entry *entries,
                          canvas_point *memory)
{
    const int bars = (plot->bins - 1) / together + 1;
    for (int k = 0; k < plot->count; k++) {
        int n = 0;
        memory[n++] = (canvas_point){f->left, f->bottom};
        for (int b = 0; b < bars; b++) {
            const double y = axis_place(&f->y, (double)bar_count(plot, k, b, together));
            memory[n++] = (canvas_point){axis_place(&f->x, bar_edge(plot, b * together)), y};
            memory[n++] = (canvas_point){axis_place(&f->x, bar_edge(plot, (b + 1) * together)), y};
        }
        memory[n++] = (canvas_point){f->right, f->bottom};
        canvas_line(f->canvas, n, memory, (canvas_pen){.width = line_width, .colour = entries[k].colour});
    }
}

static void draw_histogram(field *f, const plot_histogram *plot, legend_entry *entries, canvas_point *memory)
{
    const int together = (plot->bins - 1) / MOST_BARS + 1;
    double most = 1;
    for (int k = 0; k < plot->count; k++) {
        for (int b = 0; b < plot->bins; b++)
            most = fmax(most, (double)plot->counts[k][b]);
        if (plot->count > 1)
            entries[k] = (legend_entry){plot->names[k], -1, plot->colours ? plot->colours[k] : colour_of_line(k)};
    }
    if (plot->count > 1)
        reserve_legend(f, plot->count, entries);
    f->y = axis_new(AXIS_WHOLE, 0, most * 1.03);
    f->x = axis_new(plot->whole ? AXIS_WHOLE : AXIS_LINEAR, bar_edge(plot, 0), bar_edge(plot, plot->bins));
    place_axes(f);
    axis_draw_y(f->canvas, &f->y, f->left, f->right);
    if (plot->count > 1)
        draw_outlines(f, plot, together, entries, memory);
    else
        draw_bars(f, plot, together);
    axis_draw_x(f->canvas, &f->x, f->bottom, f->bottom);
    draw_spines(f);
    if (plot->count > 1)
        draw_legend(f, plot->count, entries);
    write_words(f, &plot->words);
}

mnp_status plot_write_histogram(const picture_request *request, const plot_histogram *plot, picture_made *made)
{
    field f = {.canvas = NULL};
    canvas_point *memory = malloc((2 * MOST_BARS + 2) * sizeof *memory);
    legend_entry *entries = malloc((size_t)plot->count * sizeof *entries);
    mnp_status status = memory && entries ? MNP_OK : mnp_fail(MNP_ERR_MEMORY, "no memory on the host for the picture");
    if (status == MNP_OK)
        status = open_field(request, &plot->words, &f);
    if (status == MNP_OK) {
        draw_histogram(&f, plot, entries, memory);
        status = picture_finish(f.canvas, made);
    }
    free(entries);
    free(memory);
    return status;
}
