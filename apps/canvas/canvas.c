/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Canvases: what all implementations share.  They are SVG; pixels drawn by cairo, where it is installed; and pixels
 * drawn by ourselves.
 */
#include "canvas/canvas.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "canvas/ops.h"
#include "canvas/file.h"
#include "canvas/png.h"

enum { LONGEST_TEXT = 512 };

/* ---- a canvas and its file ---- */

static mnp_status choose_ops(canvas *c)
{
    if (file_is_svg(c->path)) {
        c->ops = &canvas_svg;
        return MNP_OK;
    }
    if (!png_supported())
        return mnp_fail(MNP_ERR_UNSUPPORTED, "the picture '%s' cannot be written without libpng", c->path);
    c->ops = canvas_cairo(NULL);
    if (!c->ops)
        c->ops = &canvas_raster;
    return MNP_OK;
}

mnp_status canvas_new(const char *path, double width, double height, double scale, canvas **canvas_p)
{
    canvas *c = calloc(1, sizeof *c);
    if (!c)
        return mnp_fail(MNP_ERR_MEMORY, "no memory on the host for the picture");
    c->path = path;
    c->scale = scale;
    c->columns = (int)lround(width * scale);
    c->rows = (int)lround(height * scale);
    c->width = c->columns / scale;
    c->height = c->rows / scale;
    mnp_status status = choose_ops(c);
    if (status == MNP_OK)
        status = c->ops->open(c);
    if (status != MNP_OK) {
        canvas_free(c);
        return status;
    }
    canvas_rectangle(c, 0, 0, c->width, c->height, colour_paper);
    *canvas_p = c;
    return MNP_OK;
}

void canvas_free(canvas *c)
{
    if (c && c->ops)
        c->ops->close(c);
    free(c);
}

mnp_status canvas_write(canvas *c)
{
    char *bytes = NULL;
    size_t size = 0;
    if (c->status != MNP_OK)
        return c->status;
    FILE *file = open_memstream(&bytes, &size);
    if (!file)
        return mnp_fail(MNP_ERR_MEMORY, "no memory on the host for the picture");
    mnp_status status = c->ops->encode(c, file);
    const bool complete = !ferror(file);
    if (fclose(file) != 0 || !complete)
        status = status == MNP_OK ? mnp_fail(MNP_ERR_MEMORY, "no memory on the host for the picture") : status;
    if (status == MNP_OK)
        status = file_replace(c->path, bytes, size);
    free(bytes);
    return status;
}

void canvas_size(const canvas *c, double *width, double *height, const char **unit)
{
    const bool pixels = c->ops != &canvas_svg;
    *width = pixels ? c->columns : c->width;
    *height = pixels ? c->rows : c->height;
    *unit = pixels ? "pixels" : "points";
}

const char *canvas_cairo_version(void)
{
    const char *version;
    return canvas_cairo(&version) ? version : NULL;
}

/* ---- lines and areas ---- */

/* Whether a line is level or upright: it then becomes a rectangle of whole pixels, which is sharp. */
static bool is_straight(const canvas *c, int count, const canvas_point *p, const canvas_pen *pen)
{
    return c->ops != &canvas_svg && count == 2 && !pen->dashed && (p[0].x == p[1].x || p[0].y == p[1].y);
}

static void draw_straight(canvas *c, const canvas_point *p, const canvas_pen *pen)
{
    const double width = fmax(round(pen->width * c->scale), 1) / c->scale;
    const double x = fmin(p[0].x, p[1].x) - width / 2, y = fmin(p[0].y, p[1].y) - width / 2;
    canvas_rectangle(c, x, y, fabs(p[1].x - p[0].x) + width, fabs(p[1].y - p[0].y) + width, pen->colour);
}

void canvas_line(canvas *c, int count, const canvas_point *points, canvas_pen pen)
{
    if (c->status != MNP_OK || count == 0)
        return;
    if (is_straight(c, count, points, &pen))
        draw_straight(c, points, &pen);
    else
        c->ops->line(c, count, points, &pen);
}

void canvas_fill(canvas *c, int count, const canvas_point *corners, colour ink)
{
    if (c->status == MNP_OK)
        c->ops->fill(c, count, corners, ink);
}

/* Move a rectangle to whole pixels, at least one, so that its edges are sharp. */
static void snap(const canvas *c, double *start, double *extent)
{
    const double first = round(*start * c->scale), last = round((*start + *extent) * c->scale);
    *start = first / c->scale;
    *extent = fmax(last - first, 1) / c->scale;
}

void canvas_rectangle(canvas *c, double x, double y, double width, double height, colour ink)
{
    if (c->ops != &canvas_svg) {
        snap(c, &x, &width);
        snap(c, &y, &height);
    }
    const canvas_point corners[] = {{x, y}, {x + width, y}, {x + width, y + height}, {x, y + height}};
    canvas_fill(c, 4, corners, ink);
}

void canvas_dot(canvas *c, double x, double y, double diameter, colour ink)
{
    const canvas_point ends[] = {{x, y}, {x, y}};
    if (c->status == MNP_OK)
        c->ops->line(c, 2, ends, &(canvas_pen){.width = diameter, .colour = ink});
}

void canvas_image(canvas *c, double x, double y, double width, double height, int rows, int columns,
                  const unsigned char *rgb)
{
    if (c->status == MNP_OK && rows > 0 && columns > 0)
        c->ops->image(c, x, y, width, height, rows, columns, rgb);
}

/* ---- texts ---- */

/* The bytes of the character at `text`; 0 if it is not UTF-8, or a control character. */
static int character_bytes(const unsigned char *text)
{
    static const uint32_t least[] = {0x20, 0x80, 0x800, 0x10000};
    const int more = *text < 0x80 ? 0 : *text < 0xc0 ? -1 : *text < 0xe0 ? 1 : *text < 0xf0 ? 2 : *text < 0xf8 ? 3 : -1;
    if (more < 0)
        return 0;
    uint32_t code = more == 0 ? *text : *text & (0x3fU >> more);
    for (int i = 1; i <= more; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (text[i] & 0x3f);
    }
    const bool is_surrogate = code >= 0xd800 && code < 0xe000, is_control = code >= 0x7f && code < 0xa0;
    return code < least[more] || code > 0x10fffd || is_surrogate || is_control || (code & 0xfffe) == 0xfffe ? 0
                                                                                                            : more + 1;
}

/* Copy the beginning of a text as valid UTF-8 that can be seen; what is not becomes spaces and question marks. */
static const char *clean(const char *text, char copy[LONGEST_TEXT])
{
    size_t length = 0;
    while (*text && length + 5 < LONGEST_TEXT) {
        int bytes = character_bytes((const unsigned char *)text);
        if (bytes > 0)
            memcpy(copy + length, text, (size_t)bytes);
        else
            copy[length] = strchr("\t\n\r", *text) ? ' ' : '?';
        bytes = bytes > 0 ? bytes : 1;
        length += (size_t)bytes;
        text += bytes;
    }
    copy[length] = '\0';
    return copy;
}

double canvas_text_width(canvas *c, const char *text, canvas_text style)
{
    char copy[LONGEST_TEXT];
    if (c->status != MNP_OK)
        return 0;
    double width = c->ops->width(c, clean(text, copy), style.size, style.bold);
    if (style.raised)
        width += c->ops->width(c, style.raised, style.size * CANVAS_RAISED_SIZE, style.bold);
    return width;
}

void canvas_write_text(canvas *c, const char *text, canvas_text style)
{
    char copy[LONGEST_TEXT];
    if (c->status == MNP_OK && *text)
        c->ops->text(c, clean(text, copy), &style);
}

void canvas_pieces(canvas *c, const char *text, const canvas_text *style)
{
    const double size = style->size, width = c->ops->width(c, text, size, style->bold);
    const double all = canvas_text_width(c, text, *style);
    const double before = style->anchor == ANCHOR_START ? 0 : style->anchor == ANCHOR_MIDDLE ? all / 2 : all;
    const double rise = CANVAS_RAISED_BY * size;
    canvas_text at = *style;
    *(style->upwards ? &at.y : &at.x) += style->upwards ? before : -before;
    c->ops->letters(c, text, &at);
    if (!style->raised)
        return;
    at.size = size * CANVAS_RAISED_SIZE;
    at.x += style->upwards ? -rise : width;
    at.y -= style->upwards ? width : rise;
    c->ops->letters(c, style->raised, &at);
}

/* Go back, or on, from a byte inside a character to its beginning. */
static size_t character_start(const char *text, size_t at, int step)
{
    while (((unsigned char)text[at] & 0xc0) == 0x80)
        at += (size_t)step;
    return at;
}

void canvas_shorten(canvas *c, const char *text, canvas_text style, double most, size_t size, char *copy)
{
    static const char dots[] = "\xe2\x80\xa6";
    char whole[LONGEST_TEXT];
    const size_t length = strlen(clean(text, whole));
    snprintf(copy, size, "%s", whole);
    for (size_t left = length; left > 2 && canvas_text_width(c, copy, style) > most; left--) {
        const size_t head = character_start(whole, left / 2, -1);
        const size_t tail = character_start(whole, length - (left - left / 2), 1);
        snprintf(copy, size, "%.*s%s%s", (int)head, whole, dots, whole + tail);
    }
}
