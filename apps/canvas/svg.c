/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Canvases that become SVG.  Texts stay texts; an image is a PNG file within.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "canvas/ops.h"
#include "canvas/font.h"
#include "canvas/png.h"

/* What has been drawn, as text. */
typedef struct svg {
    FILE *file;
    char *text;
    size_t size;
} svg;

static FILE *file_of(const canvas *c)
{
    return ((svg *)c->state)->file;
}

static mnp_status svg_open(canvas *c)
{
    svg *s = c->state = calloc(1, sizeof *s);
    if (s)
        s->file = open_memstream(&s->text, &s->size);
    return s && s->file ? MNP_OK : mnp_fail(MNP_ERR_MEMORY, "no memory on the host for the picture");
}

static void svg_close(canvas *c)
{
    svg *s = c->state;
    if (s && s->file)
        fclose(s->file);
    if (s)
        free(s->text);
    free(s);
}

/* A length, which needs no more than hundredths of a point. */
static double cents(double length)
{
    return round(length * 100) / 100 + 0.0; /* never -0 */
}

static void put_points(FILE *file, const char *element, int count, const canvas_point *points)
{
    fprintf(file, "<%s points=\"", element);
    for (int i = 0; i < count; i++)
        fprintf(file, "%s%.7g,%.7g", i > 0 ? " " : "", cents(points[i].x), cents(points[i].y));
    fprintf(file, "\"");
}

static void put_colour(FILE *file, const char *attribute, colour ink)
{
    fprintf(file, " %s=\"#%02x%02x%02x\"", attribute, ink.red, ink.green, ink.blue);
}

static void svg_line(canvas *c, int count, const canvas_point *points, const canvas_pen *pen)
{
    FILE *file = file_of(c);
    put_points(file, "polyline", count, points);
    put_colour(file, "stroke", pen->colour);
    fprintf(file, " stroke-width=\"%.7g\"", cents(pen->width));
    fprintf(file, pen->dashed ? " stroke-dasharray=\"5 3\"/>\n" : " stroke-linecap=\"round\"/>\n");
}

static void svg_fill(canvas *c, int count, const canvas_point *corners, colour ink)
{
    FILE *file = file_of(c);
    put_points(file, "polygon", count, corners);
    put_colour(file, "fill", ink);
    fprintf(file, "/>\n");
}

static void put_text(FILE *file, const char *text)
{
    for (; *text; text++) {
        if (*text == '<')
            fputs("&lt;", file);
        else if (*text == '>')
            fputs("&gt;", file);
        else if (*text == '&')
            fputs("&amp;", file);
        else
            putc(*text, file);
    }
}

static void svg_text(canvas *c, const char *text, const canvas_text *style)
{
    static const char *const anchors[] = {"start", "middle", "end"};
    FILE *file = file_of(c);
    fprintf(file, "<text x=\"%.7g\" y=\"%.7g\" font-size=\"%.7g\"", cents(style->x), cents(style->y),
            cents(style->size));
    if (style->anchor != ANCHOR_START)
        fprintf(file, " text-anchor=\"%s\"", anchors[style->anchor]);
    if (style->bold)
        fprintf(file, " font-weight=\"bold\"");
    if (style->upwards)
        fprintf(file, " transform=\"rotate(-90 %.7g %.7g)\"", cents(style->x), cents(style->y));
    put_colour(file, "fill", style->colour);
    fprintf(file, ">");
    put_text(file, text);
    if (style->raised) {
        fprintf(file, "<tspan font-size=\"%.7g\" dy=\"%.7g\">", cents(CANVAS_RAISED_SIZE * style->size),
                cents(-CANVAS_RAISED_BY * style->size));
        put_text(file, style->raised);
        fprintf(file, "</tspan>");
    }
    fprintf(file, "</text>\n");
}

/* The viewer's font is not known: a usual one is about as wide as our letters. */
static double svg_width(canvas *c, const char *text, double size, bool bold)
{
    (void)c;
    return size * font_width(text) * (bold ? 1.1 : 1);
}

static void put_base64(FILE *file, size_t size, const unsigned char *bytes)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        const unsigned a = bytes[i], b = i + 1 < size ? bytes[i + 1] : 0, d = i + 2 < size ? bytes[i + 2] : 0;
        putc(digits[a >> 2], file);
        putc(digits[(a & 3) << 4 | b >> 4], file);
        putc(i + 1 < size ? digits[(b & 15) << 2 | d >> 6] : '=', file);
        putc(i + 2 < size ? digits[d & 63] : '=', file);
    }
}

static void svg_image(canvas *c, double x, double y, double width, double height, int rows, int columns,
                      const unsigned char *rgb)
{
    FILE *file = file_of(c);
    char *png = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&png, &size);
    c->status = memory ? png_encode(memory, columns, rows, rgb, 0)
                       : mnp_fail(MNP_ERR_MEMORY, "no memory on the host for the picture");
    if (memory && fclose(memory) != 0 && c->status == MNP_OK)
        c->status = mnp_fail(MNP_ERR_MEMORY, "no memory on the host for the picture");
    if (c->status == MNP_OK) {
        fprintf(file, "<image x=\"%.7g\" y=\"%.7g\" width=\"%.7g\" height=\"%.7g\"", cents(x), cents(y), cents(width),
                cents(height));
        fprintf(file, " preserveAspectRatio=\"none\" style=\"image-rendering:pixelated\""
                      " xlink:href=\"data:image/png;base64,");
        put_base64(file, size, (const unsigned char *)png);
        fprintf(file, "\"/>\n");
    }
    free(png);
}

static mnp_status svg_encode(canvas *c, FILE *file)
{
    svg *s = c->state;
    if (fflush(s->file) != 0 || ferror(s->file))
        return mnp_fail(MNP_ERR_MEMORY, "no memory on the host for the picture");
    fprintf(file,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\""
            " width=\"%.7gpt\" height=\"%.7gpt\" viewBox=\"0 0 %.7g %.7g\" fill=\"none\" stroke-linejoin=\"round\""
            " font-family=\"'DejaVu Sans', Verdana, Helvetica, Arial, sans-serif\">\n",
            cents(c->width), cents(c->height), cents(c->width), cents(c->height));
    fwrite(s->text, 1, s->size, file);
    fprintf(file, "</svg>\n");
    return MNP_OK;
}

const canvas_ops canvas_svg = {
    .open = svg_open,
    .line = svg_line,
    .fill = svg_fill,
    .text = svg_text,
    .width = svg_width,
    .image = svg_image,
    .encode = svg_encode,
    .close = svg_close,
};
