/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Canvases of pixels by cairo, which has the fonts of the system.
 *
 * The library is loaded when the first picture is drawn, and not linked: a program built on a machine that has it also
 * runs on machines without it, such as compute nodes, where pictures have letters of our own.
 */
#include <config.h>

#include "canvas/ops.h"

#ifdef HAVE_CAIRO

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include <cairo.h>

#include "canvas/png.h"

#define FUNCTIONS(X)                                                                                                   \
    X(cairo_version_string)                                                                                            \
    X(cairo_image_surface_create)                                                                                      \
    X(cairo_image_surface_create_for_data)                                                                             \
    X(cairo_format_stride_for_width)                                                                                   \
    X(cairo_image_surface_get_data)                                                                                    \
    X(cairo_image_surface_get_stride)                                                                                  \
    X(cairo_surface_flush)                                                                                             \
    X(cairo_surface_destroy)                                                                                           \
    X(cairo_create)                                                                                                    \
    X(cairo_destroy)                                                                                                   \
    X(cairo_status)                                                                                                    \
    X(cairo_status_to_string)                                                                                          \
    X(cairo_save)                                                                                                      \
    X(cairo_restore)                                                                                                   \
    X(cairo_scale)                                                                                                     \
    X(cairo_translate)                                                                                                 \
    X(cairo_rotate)                                                                                                    \
    X(cairo_identity_matrix)                                                                                           \
    X(cairo_set_source_rgb)                                                                                            \
    X(cairo_set_source_surface)                                                                                        \
    X(cairo_get_source)                                                                                                \
    X(cairo_pattern_set_filter)                                                                                        \
    X(cairo_set_line_width)                                                                                            \
    X(cairo_set_line_cap)                                                                                              \
    X(cairo_set_line_join)                                                                                             \
    X(cairo_set_dash)                                                                                                  \
    X(cairo_move_to)                                                                                                   \
    X(cairo_line_to)                                                                                                   \
    X(cairo_close_path)                                                                                                \
    X(cairo_stroke)                                                                                                    \
    X(cairo_fill)                                                                                                      \
    X(cairo_rectangle)                                                                                                 \
    X(cairo_select_font_face)                                                                                          \
    X(cairo_set_font_size)                                                                                             \
    X(cairo_text_extents)                                                                                              \
    X(cairo_show_text)

/* The functions of the library; NULL without it. */
static struct {
#define X(name) __typeof__(name) *name;
    FUNCTIONS(X)
#undef X
} api;

static bool load(void)
{
    static bool tried, found;
    if (tried)
        return found;
    tried = true;
    void *library = dlopen("libcairo.so.2", RTLD_NOW | RTLD_LOCAL);
    found = library;
#define X(name)                                                                                                        \
    *(void **)&api.name = found ? dlsym(library, #name) : NULL;                                                        \
    found = found && api.name;
    FUNCTIONS(X)
#undef X
    return found;
}

typedef struct drawn {
    cairo_surface_t *surface;
    cairo_t *cairo;
} drawn;

static cairo_t *cairo_of(const canvas *c)
{
    return ((drawn *)c->state)->cairo;
}

static mnp_status open_surface(canvas *c)
{
    drawn *d = c->state = calloc(1, sizeof *d);
    if (!d)
        return mnp_fail(MNP_ERR_MEMORY, "no memory on the host for the picture");
    d->surface = api.cairo_image_surface_create(CAIRO_FORMAT_RGB24, c->columns, c->rows);
    d->cairo = api.cairo_create(d->surface);
    if (api.cairo_status(d->cairo) != CAIRO_STATUS_SUCCESS)
        return mnp_fail(MNP_ERR_MEMORY, "no memory on the host for a picture of %d x %d pixels", c->columns, c->rows);
    api.cairo_scale(d->cairo, c->scale, c->scale);
    api.cairo_set_line_join(d->cairo, CAIRO_LINE_JOIN_ROUND);
    return MNP_OK;
}

static void close_surface(canvas *c)
{
    drawn *d = c->state;
    if (d) {
        api.cairo_destroy(d->cairo);
        api.cairo_surface_destroy(d->surface);
    }
    free(d);
}

static void set_colour(cairo_t *cairo, colour ink)
{
    api.cairo_set_source_rgb(cairo, ink.red / 255.0, ink.green / 255.0, ink.blue / 255.0);
}

static void add_path(cairo_t *cairo, int count, const canvas_point *points)
{
    api.cairo_move_to(cairo, points[0].x, points[0].y);
    for (int i = 1; i < count; i++)
        api.cairo_line_to(cairo, points[i].x, points[i].y);
}

static void line(canvas *c, int count, const canvas_point *points, const canvas_pen *pen)
{
    static const double dashes[] = {5, 3};
    cairo_t *cairo = cairo_of(c);
    set_colour(cairo, pen->colour);
    api.cairo_set_line_width(cairo, pen->width);
    api.cairo_set_line_cap(cairo, pen->dashed ? CAIRO_LINE_CAP_BUTT : CAIRO_LINE_CAP_ROUND);
    api.cairo_set_dash(cairo, dashes, pen->dashed ? 2 : 0, 0);
    add_path(cairo, count, points);
    api.cairo_stroke(cairo);
}

static void fill(canvas *c, int count, const canvas_point *corners, colour ink)
{
    set_colour(cairo_of(c), ink);
    add_path(cairo_of(c), count, corners);
    api.cairo_close_path(cairo_of(c));
    api.cairo_fill(cairo_of(c));
}

static void choose_font(cairo_t *cairo, double size, bool bold)
{
    api.cairo_select_font_face(cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                               bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    api.cairo_set_font_size(cairo, size);
}

static void letters(canvas *c, const char *text, const canvas_text *style)
{
    cairo_t *cairo = cairo_of(c);
    api.cairo_save(cairo);
    set_colour(cairo, style->colour);
    choose_font(cairo, style->size, style->bold);
    api.cairo_translate(cairo, style->x, style->y);
    if (style->upwards)
        api.cairo_rotate(cairo, -1.57079632679489661923);
    api.cairo_move_to(cairo, 0, 0);
    api.cairo_show_text(cairo, text);
    api.cairo_restore(cairo);
}

static double text_width(canvas *c, const char *text, double size, bool bold)
{
    cairo_text_extents_t extents;
    choose_font(cairo_of(c), size, bold);
    api.cairo_text_extents(cairo_of(c), text, &extents);
    return extents.x_advance;
}

/* Copy an image into a surface of its own; NULL without memory. */
static cairo_surface_t *surface_of(int rows, int columns, const unsigned char *rgb, uint32_t **memory_p)
{
    const int stride = api.cairo_format_stride_for_width(CAIRO_FORMAT_RGB24, columns);
    uint32_t *pixels = *memory_p = malloc((size_t)stride * (size_t)rows);
    if (!pixels)
        return NULL;
    for (size_t row = 0; row < (size_t)rows; row++) {
        for (size_t column = 0; column < (size_t)columns; column++) {
            const unsigned char *from = rgb + 3 * (row * (size_t)columns + column);
            pixels[row * ((size_t)stride / sizeof *pixels) + column] =
                (uint32_t)from[0] << 16 | (uint32_t)from[1] << 8 | from[2];
        }
    }
    return api.cairo_image_surface_create_for_data((unsigned char *)pixels, CAIRO_FORMAT_RGB24, columns, rows, stride);
}

static void image(canvas *c, double x, double y, double width, double height, int rows, int columns,
                  const unsigned char *rgb)
{
    cairo_t *cairo = cairo_of(c);
    uint32_t *memory;
    cairo_surface_t *surface = surface_of(rows, columns, rgb, &memory);
    if (!surface) {
        c->status = mnp_fail(MNP_ERR_MEMORY, "no memory on the host for an image of %d x %d cells", rows, columns);
        return;
    }
    api.cairo_save(cairo);
    api.cairo_translate(cairo, x, y);
    api.cairo_scale(cairo, width / columns, height / rows);
    api.cairo_set_source_surface(cairo, surface, 0, 0);
    api.cairo_pattern_set_filter(api.cairo_get_source(cairo), CAIRO_FILTER_NEAREST);
    api.cairo_rectangle(cairo, 0, 0, columns, rows);
    api.cairo_fill(cairo);
    api.cairo_restore(cairo);
    api.cairo_surface_destroy(surface);
    free(memory);
}

static mnp_status encode(canvas *c, FILE *file)
{
    const drawn *d = c->state;
    const cairo_status_t found = api.cairo_status(d->cairo);
    if (found != CAIRO_STATUS_SUCCESS)
        return mnp_fail(MNP_ERR_MEMORY, "the picture '%s' cannot be drawn: cairo: %s", c->path,
                        api.cairo_status_to_string(found));
    api.cairo_surface_flush(d->surface);
    const unsigned char *rows = api.cairo_image_surface_get_data(d->surface);
    const size_t stride = (size_t)api.cairo_image_surface_get_stride(d->surface), columns = (size_t)c->columns;
    unsigned char *rgb = malloc(3 * columns * (size_t)c->rows);
    if (!rgb)
        return mnp_fail(MNP_ERR_MEMORY, "no memory on the host for a picture of %d x %d pixels", c->columns, c->rows);
    for (size_t i = 0; i < columns * (size_t)c->rows; i++) {
        uint32_t pixel;
        memcpy(&pixel, rows + i / columns * stride + i % columns * sizeof pixel, sizeof pixel);
        rgb[3 * i] = (unsigned char)(pixel >> 16);
        rgb[3 * i + 1] = (unsigned char)(pixel >> 8);
        rgb[3 * i + 2] = (unsigned char)pixel;
    }
    mnp_status status = png_encode(file, c->columns, c->rows, rgb, 72 * c->scale);
    free(rgb);
    return status;
}

const canvas_ops *canvas_cairo(const char **version_p)
{
    static const canvas_ops ops = {
        .open = open_surface,
        .line = line,
        .fill = fill,
        .text = canvas_pieces,
        .letters = letters,
        .width = text_width,
        .image = image,
        .encode = encode,
        .close = close_surface,
    };
    if (!load())
        return NULL;
    if (version_p)
        *version_p = api.cairo_version_string();
    return &ops;
}

#else

const canvas_ops *canvas_cairo(const char **version_p)
{
    (void)version_p;
    return NULL;
}

#endif
