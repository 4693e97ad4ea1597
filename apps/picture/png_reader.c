/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading PNG files, by libpng if the build has it.
 */
#include <config.h>

#include "picture/png_reader.h"

#ifdef HAVE_PNG

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <png.h>

/* A file that is being decoded. */
typedef struct decoder {
    const char *path;
    FILE *file;
    png_structp png;
    png_infop info;
    png_head head;
    size_t row; /* bytes */
    char why[200];
} decoder;

/* ---- libpng's errors ---- */

static void take_error(png_structp png, png_const_charp why)
{
    decoder *d = png_get_error_ptr(png);
    snprintf(d->why, sizeof d->why, "%s", why);
    png_longjmp(png, 1);
}

static void ignore_warning(png_structp png, png_const_charp why)
{
    (void)png;
    (void)why;
}

static mnp_status fail(const decoder *d)
{
    if (strstr(d->why, "emory"))
        return mnp_fail(MNP_ERR_MEMORY, "no memory on the host for the picture '%s'", d->path);
    return mnp_fail(MNP_ERR_FORMAT, "the picture '%s' is damaged: %s", d->path, d->why);
}

/* ---- opening ---- */

static mnp_status open_file(const char *path, decoder *d)
{
    unsigned char signature[8];
    struct stat status;
    *d = (decoder){.path = path};
    if (stat(path, &status) != 0)
        return mnp_fail(MNP_ERR_IO, "cannot read '%s': %s", path, strerror(errno));
    if (!S_ISREG(status.st_mode)) /* opening a pipe would wait for a writer */
        return mnp_fail(MNP_ERR_IO, "cannot read '%s': it is %s", path,
                        S_ISDIR(status.st_mode) ? "a folder" : "not a regular file, which ranks could share");
    d->file = fopen(path, "rb");
    if (!d->file)
        return mnp_fail(MNP_ERR_IO, "cannot read '%s': %s", path, strerror(errno));
    if (fread(signature, 1, sizeof signature, d->file) != sizeof signature ||
        png_sig_cmp(signature, 0, sizeof signature) != 0)
        return mnp_fail(MNP_ERR_FORMAT, "'%s' is not a PNG file", path);
    return MNP_OK;
}

static void set_head(decoder *d)
{
    const int channels = png_get_channels(d->png, d->info);
    d->head =
        (png_head){.dtype = png_get_bit_depth(d->png, d->info) == 16 ? MNP_UINT16 : MNP_UINT8,
                   .ndim = channels == 1 ? 2 : 3,
                   .shape = {png_get_image_height(d->png, d->info), png_get_image_width(d->png, d->info), channels},
                   .interlaced = png_get_interlace_type(d->png, d->info) != PNG_INTERLACE_NONE};
    d->row = png_get_rowbytes(d->png, d->info);
}

/* Read the head, and choose how pixels are decoded. */
static mnp_status begin(decoder *d)
{
    const uint16_t one = 1;
    d->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, d, take_error, ignore_warning);
    d->info = d->png ? png_create_info_struct(d->png) : NULL;
    if (!d->info)
        return mnp_fail(MNP_ERR_MEMORY, "no memory on the host for the picture '%s'", d->path);
    if (setjmp(png_jmpbuf(d->png)))
        return fail(d);
    png_set_user_limits(d->png, 1 << 24, 1 << 24); /* so that no size overflows */
    png_init_io(d->png, d->file);
    png_set_sig_bytes(d->png, 8);
    png_read_info(d->png, d->info);
    png_set_expand(d->png);
    if (png_get_bit_depth(d->png, d->info) == 16 && *(const unsigned char *)&one == 1)
        png_set_swap(d->png);
    png_set_interlace_handling(d->png);
    png_read_update_info(d->png, d->info);
    set_head(d);
    return MNP_OK;
}

static mnp_status open_picture(const char *path, decoder *d)
{
    mnp_status status = open_file(path, d);
    return status == MNP_OK ? begin(d) : status;
}

static void close_picture(decoder *d)
{
    if (d->png)
        png_destroy_read_struct(&d->png, d->info ? &d->info : NULL, NULL);
    if (d->file)
        fclose(d->file);
}

/* ---- rows ---- */

/* Decode the rows from `first` on to `rows`, and those before them to `room`, which has one row. */
static mnp_status decode_rows(decoder *d, int64_t first, int64_t count, unsigned char *rows, unsigned char *room)
{
    if (setjmp(png_jmpbuf(d->png)))
        return fail(d);
    for (int64_t r = 0; r < first; r++)
        png_read_row(d->png, room, NULL);
    for (int64_t r = 0; r < count; r++)
        png_read_row(d->png, rows + (size_t)r * d->row, NULL);
    return MNP_OK;
}

/* Decode an interlaced picture, whose rows are not complete before the last pass, to `all`. */
static mnp_status decode_all(decoder *d, png_bytepp pointers, unsigned char *all)
{
    for (int64_t r = 0; r < d->head.shape[0]; r++)
        pointers[r] = all + (size_t)r * d->row;
    if (setjmp(png_jmpbuf(d->png)))
        return fail(d);
    png_read_image(d->png, pointers);
    return MNP_OK;
}

static mnp_status decode(decoder *d, int64_t first, int64_t count, unsigned char *rows)
{
    const size_t height = (size_t)d->head.shape[0];
    unsigned char *room = malloc(d->head.interlaced ? height * d->row : d->row);
    png_bytepp pointers = d->head.interlaced ? malloc(height * sizeof *pointers) : NULL;
    mnp_status status;
    if (!room || (d->head.interlaced && !pointers))
        status = mnp_fail(MNP_ERR_MEMORY, "no memory on the host for the picture '%s'", d->path);
    else if (!d->head.interlaced)
        status = decode_rows(d, first, count, rows, room);
    else if ((status = decode_all(d, pointers, room)) == MNP_OK)
        memcpy(rows, room + (size_t)first * d->row, (size_t)count * d->row);
    free(pointers);
    free(room);
    return status;
}

/* This rank's rows of the picture that has been opened. */
static mnp_status read_local(decoder *d, mnp_array *array)
{
    const int64_t count = mnp_array_local_shape(array)[0];
    if (mnp_array_local_size(array) == 0)
        return MNP_OK;
    unsigned char *rows = malloc((size_t)count * d->row);
    if (!rows)
        return mnp_fail(MNP_ERR_MEMORY, "no memory on the host for %lld rows of the picture '%s'", (long long)count,
                        d->path);
    mnp_status status = decode(d, mnp_array_local_lo(array)[0], count, rows);
    if (status == MNP_OK)
        status = mnp_array_set_local(array, rows);
    free(rows);
    return status;
}

mnp_status png_inspect(mnp_ctx *ctx, const char *path, png_head *head)
{
    decoder d;
    mnp_status status = open_picture(path, &d);
    close_picture(&d);
    status = mnp_agree(ctx, status);
    if (status == MNP_OK)
        *head = d.head;
    return status;
}

mnp_status png_read(mnp_ctx *ctx, const char *path, mnp_array **array_p)
{
    const int ranks = mnp_ctx_size(ctx), axes[] = {0, MNP_NO_AXIS, MNP_NO_AXIS};
    decoder d;
    mnp_layout *layout = NULL;
    mnp_array *array = NULL;
    mnp_status status = mnp_agree(ctx, open_picture(path, &d));
    if (status == MNP_OK)
        status = mnp_layout_new(1, &ranks, d.head.ndim, d.head.shape, axes, NULL, &layout);
    if (status == MNP_OK)
        status = mnp_array_new(ctx, d.head.dtype, layout, &array);
    if (status == MNP_OK)
        status = mnp_agree(ctx, read_local(&d, array));
    close_picture(&d);
    mnp_layout_free(layout);
    if (status == MNP_OK)
        *array_p = array;
    else
        mnp_array_free(array);
    return status;
}

#else

mnp_status png_inspect(mnp_ctx *ctx, const char *path, png_head *head)
{
    (void)ctx, (void)head;
    return mnp_fail(MNP_ERR_UNSUPPORTED, "the picture '%s' cannot be read: this maniple was built without libpng",
                    path);
}

mnp_status png_read(mnp_ctx *ctx, const char *path, mnp_array **array_p)
{
    png_head head;
    (void)array_p;
    return png_inspect(ctx, path, &head);
}

#endif
