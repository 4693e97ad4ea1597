/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Canvases of pixels without any library: lines, letters and polygons are drawn by the distance of each pixel from
 * their middle or edge, which tells how much of the pixel they cover.  A line costs the pixels of the boxes around its
 * parts.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "canvas/ops.h"
#include "canvas/font.h"
#include "canvas/png.h"

typedef struct raster {
    int columns, rows;
    double scale;
    unsigned char *rgb;
    unsigned char *cover;         /* how much of each pixel the shape covers that is being drawn, of 255 */
    int left, top, right, bottom; /* the pixels where `cover` may not be 0 */
} raster;

static mnp_status raster_open(canvas *c)
{
    const size_t pixels = (size_t)c->columns * (size_t)c->rows;
    raster *r = c->state = calloc(1, sizeof *r);
    if (!r || !(r->rgb = malloc(3 * pixels)) || !(r->cover = calloc(pixels, 1)))
        return mnp_fail(MNP_ERR_MEMORY, "no memory on the host for a picture of %d x %d pixels", c->columns, c->rows);
    r->columns = r->left = c->columns;
    r->rows = r->top = c->rows;
    r->scale = c->scale;
    return MNP_OK;
}

static void raster_close(canvas *c)
{
    raster *r = c->state;
    if (r) {
        free(r->rgb);
        free(r->cover);
    }
    free(r);
}

/* ---- shapes ---- */

static int clamp(double value, int most)
{
    return value < 0 ? 0 : value > most ? most : (int)value;
}

/* The pixels of a box, in pixels, as far as they are on the canvas; the shape covers no others. */
typedef struct pixel_box {
    int left, top, right, bottom;
} pixel_box;

static pixel_box enter(raster *r, double left, double top, double right, double bottom)
{
    const pixel_box box = {clamp(floor(left), r->columns), clamp(floor(top), r->rows), clamp(ceil(right), r->columns),
                           clamp(ceil(bottom), r->rows)};
    r->left = box.left < r->left ? box.left : r->left;
    r->top = box.top < r->top ? box.top : r->top;
    r->right = box.right > r->right ? box.right : r->right;
    r->bottom = box.bottom > r->bottom ? box.bottom : r->bottom;
    return box;
}

/* Cover a pixel by a shape whose edge is `inside` pixels away from its middle; parts of a shape do not add up. */
static void cover(raster *r, int column, int row, double inside)
{
    unsigned char *at = &r->cover[(size_t)row * (size_t)r->columns + (size_t)column];
    const double part = inside + 0.5;
    const unsigned char level = part <= 0 ? 0 : part >= 1 ? 255 : (unsigned char)(part * 255 + 0.5);
    *at = level > *at ? level : *at;
}

/* Blend a colour into the pixels that are covered, and begin the next shape. */
static void blend(raster *r, colour ink)
{
    const unsigned char paint[] = {ink.red, ink.green, ink.blue};
    for (int row = r->top; row < r->bottom; row++) {
        for (int column = r->left; column < r->right; column++) {
            const size_t at = (size_t)row * (size_t)r->columns + (size_t)column;
            for (int i = 0; r->cover[at] > 0 && i < 3; i++)
                r->rgb[3 * at + (size_t)i] = (unsigned char)((r->rgb[3 * at + (size_t)i] * (255 - r->cover[at]) +
                                                              paint[i] * r->cover[at] + 127) /
                                                             255);
            r->cover[at] = 0;
        }
    }
    r->left = r->columns;
    r->top = r->rows;
    r->right = r->bottom = 0;
}

/* A part of a line from a to b, in pixels, by a round pen. */
static void add_segment(raster *r, canvas_point a, canvas_point b, double radius)
{
    const pixel_box box = enter(r, fmin(a.x, b.x) - radius - 1, fmin(a.y, b.y) - radius - 1,
                                fmax(a.x, b.x) + radius + 1, fmax(a.y, b.y) + radius + 1);
    const double dx = b.x - a.x, dy = b.y - a.y, square = dx * dx + dy * dy;
    for (int row = box.top; row < box.bottom; row++) {
        for (int column = box.left; column < box.right; column++) {
            const double x = column + 0.5 - a.x, y = row + 0.5 - a.y;
            const double along = square > 0 ? fmin(fmax((x * dx + y * dy) / square, 0), 1) : 0;
            cover(r, column, row, radius - hypot(x - along * dx, y - along * dy));
        }
    }
}

static canvas_point in_pixels(const raster *r, canvas_point p)
{
    return (canvas_point){p.x * r->scale, p.y * r->scale};
}

/* The dashes of a part of a line, which begins `*at` points behind the beginning of the line. */
static void add_dashes(raster *r, canvas_point a, canvas_point b, double radius, double *at)
{
    const double dash = 4, period = 8, length = hypot(b.x - a.x, b.y - a.y);
    for (double first = -fmod(*at, period); first < length; first += period) {
        const double from = fmax(first, 0) / length, to = fmin(first + dash, length) / length;
        if (to > from)
            add_segment(r, in_pixels(r, (canvas_point){a.x + from * (b.x - a.x), a.y + from * (b.y - a.y)}),
                        in_pixels(r, (canvas_point){a.x + to * (b.x - a.x), a.y + to * (b.y - a.y)}), radius);
    }
    *at += length;
}

static void raster_line(canvas *c, int count, const canvas_point *points, const canvas_pen *pen)
{
    raster *r = c->state;
    const double radius = fmax(pen->width * r->scale, 1) / 2;
    double at = 0;
    for (int i = 0; i + 1 < count; i++) {
        if (pen->dashed)
            add_dashes(r, points[i], points[i + 1], radius, &at);
        else
            add_segment(r, in_pixels(r, points[i]), in_pixels(r, points[i + 1]), radius);
    }
    blend(r, pen->colour);
}

enum { MOST_CORNERS = 8 };

/* An edge of a polygon: along * (x, y) + constant is the distance from it, positive inside. */
typedef struct side {
    double x, y, constant;
} side;

/* The edges of a convex polygon, whichever way it turns; returns their number. */
static int find_sides(int count, const canvas_point *corners, side *sides)
{
    int found = 0;
    double area = 0;
    for (int i = 0; i < count; i++)
        area += corners[i].x * corners[(i + 1) % count].y - corners[i].y * corners[(i + 1) % count].x;
    for (int i = 0; i < count; i++) {
        const canvas_point a = corners[i], b = corners[(i + 1) % count];
        const double length = copysign(hypot(b.x - a.x, b.y - a.y), area);
        const double x = (a.y - b.y) / length, y = (b.x - a.x) / length;
        if (length != 0)
            sides[found++] = (side){x, y, -(x * a.x + y * a.y)};
    }
    return found;
}

static double inside_of(int count, const side *sides, double x, double y)
{
    double inside = INFINITY;
    for (int i = 0; i < count; i++)
        inside = fmin(inside, sides[i].x * x + sides[i].y * y + sides[i].constant);
    return inside;
}

static void raster_fill(canvas *c, int count, const canvas_point *points, colour ink)
{
    raster *r = c->state;
    canvas_point corners[MOST_CORNERS], low = {INFINITY, INFINITY}, high = {-INFINITY, -INFINITY};
    side sides[MOST_CORNERS];
    count = count < MOST_CORNERS ? count : MOST_CORNERS;
    for (int i = 0; i < count; i++) {
        corners[i] = in_pixels(r, points[i]);
        low = (canvas_point){fmin(low.x, corners[i].x), fmin(low.y, corners[i].y)};
        high = (canvas_point){fmax(high.x, corners[i].x), fmax(high.y, corners[i].y)};
    }
    const int nsides = find_sides(count, corners, sides);
    const pixel_box box = enter(r, low.x - 1, low.y - 1, high.x + 1, high.y + 1);
    for (int row = box.top; row < box.bottom; row++)
        for (int column = box.left; column < box.right; column++)
            cover(r, column, row, inside_of(nsides, sides, column + 0.5, row + 0.5));
    blend(r, ink);
}

/* ---- letters and images ---- */

typedef struct writing {
    raster *raster;
    const canvas_text *style;
    double radius;
} writing;

static canvas_point place_letter(const writing *w, canvas_point p)
{
    const double along = p.x * w->style->size, up = p.y * w->style->size;
    return in_pixels(w->raster, w->style->upwards ? (canvas_point){w->style->x - up, w->style->y - along}
                                                  : (canvas_point){w->style->x + along, w->style->y - up});
}

static void write_stroke(void *argument, int count, const canvas_point *points)
{
    const writing *w = argument;
    for (int i = 0; i + 1 < count; i++)
        add_segment(w->raster, place_letter(w, points[i]), place_letter(w, points[i + 1]), w->radius);
}

static void raster_letters(canvas *c, const char *text, const canvas_text *style)
{
    raster *r = c->state;
    writing w = {r, style, style->size * font_pen(style->bold) * r->scale / 2};
    font_strokes(text, write_stroke, &w);
    blend(r, style->colour);
}

static double raster_width(canvas *c, const char *text, double size, bool bold)
{
    (void)c, (void)bold;
    return size * font_width(text);
}

static void raster_image(canvas *c, double x, double y, double width, double height, int rows, int columns,
                         const unsigned char *rgb)
{
    raster *r = c->state;
    const int left = (int)lround(x * r->scale), right = (int)lround((x + width) * r->scale);
    const int top = (int)lround(y * r->scale), bottom = (int)lround((y + height) * r->scale);
    for (int row = top < 0 ? 0 : top; row < bottom && row < r->rows; row++) {
        const size_t from = (size_t)((int64_t)(row - top) * rows / (bottom - top)) * (size_t)columns;
        for (int column = left < 0 ? 0 : left; column < right && column < r->columns; column++)
            memcpy(&r->rgb[3 * ((size_t)row * (size_t)r->columns + (size_t)column)],
                   &rgb[3 * (from + (size_t)((int64_t)(column - left) * columns / (right - left)))], 3);
    }
}

static mnp_status raster_encode(canvas *c, FILE *file)
{
    const raster *r = c->state;
    return png_encode(file, r->columns, r->rows, r->rgb, 72 * c->scale);
}

const canvas_ops canvas_raster = {
    .open = raster_open,
    .line = raster_line,
    .fill = raster_fill,
    .text = canvas_pieces,
    .letters = raster_letters,
    .width = raster_width,
    .image = raster_image,
    .encode = raster_encode,
    .close = raster_close,
};
