/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PNG images, by libpng if the build has it.
 */
#include <config.h>

#include "canvas/png.h"

#ifdef HAVE_PNG

#include <math.h>
#include <setjmp.h>
#include <stdlib.h>

#include <png.h>

bool png_supported(void)
{
    return true;
}

static bool is_gray(size_t pixels, const unsigned char *rgb)
{
    for (size_t i = 0; i < pixels; i++)
        if (rgb[3 * i] != rgb[3 * i + 1] || rgb[3 * i] != rgb[3 * i + 2])
            return false;
    return true;
}

/* What is written. */
typedef struct image {
    int width, height;
    const unsigned char *rgb;
    double dpi;
    bool gray;
    unsigned char *line; /* room for a row of gray pixels */
} image;

static void write_header(png_structp png, png_infop info, const image *i)
{
    const png_uint_32 per_meter = (png_uint_32)lround(i->dpi / 0.0254);
    png_set_IHDR(png, info, (png_uint_32)i->width, (png_uint_32)i->height, 8,
                 i->gray ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    if (i->dpi > 0)
        png_set_pHYs(png, info, per_meter, per_meter, PNG_RESOLUTION_METER);
    png_write_info(png, info);
}

static void write_rows(png_structp png, const image *i)
{
    const size_t width = (size_t)i->width;
    for (size_t row = 0; row < (size_t)i->height; row++) {
        const unsigned char *rgb = i->rgb + 3 * row * width;
        for (size_t k = 0; k < width && i->gray; k++)
            i->line[k] = rgb[3 * k];
        png_write_row(png, i->gray ? i->line : rgb);
    }
}

/* libpng leaves by longjmp() when it fails: nothing is allocated here. */
static bool write_image(png_structp png, png_infop info, FILE *file, const image *i)
{
    if (setjmp(png_jmpbuf(png)))
        return false;
    png_init_io(png, file);
    write_header(png, info, i);
    write_rows(png, i);
    png_write_end(png, info);
    return true;
}

static void ignore(png_structp png, png_const_charp text)
{
    (void)png, (void)text;
}

static void leave(png_structp png, png_const_charp text)
{
    (void)text;
    png_longjmp(png, 1);
}

mnp_status png_encode(FILE *file, int width, int height, const unsigned char *rgb, double dpi)
{
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, leave, ignore);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    const image i = {width, height, rgb, dpi, is_gray((size_t)width * (size_t)height, rgb), malloc((size_t)width)};
    const bool written = info && i.line && write_image(png, info, file, &i);
    free(i.line);
    png_destroy_write_struct(&png, &info);
    return written ? MNP_OK
                   : mnp_fail(MNP_ERR_MEMORY, "no memory on the host for an image of %d x %d pixels", width, height);
}

#else

bool png_supported(void)
{
    return false;
}

mnp_status png_encode(FILE *file, int width, int height, const unsigned char *rgb, double dpi)
{
    (void)file, (void)width, (void)height, (void)rgb, (void)dpi;
    return mnp_fail(MNP_ERR_UNSUPPORTED, "images cannot be written without libpng");
}

#endif
