/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading FITS files.
 *
 * Rank 0 reads the head of the image and tells all ranks.  Then each rank reads the elements of its block, and turns
 * them from the numbers of the file into those that BSCALE and BZERO say, as astropy.io.fits does.
 */
#include <math.h>
#include <string.h>

#include "base/status.h"
#include "io/agree_format.h"
#include "io/file_array.h"
#include "io/fits/fits.h"

struct job {
    mnp_ctx *ctx;
    mnp__fits_file file;
    mnp__fits_image image;
    mnp__plain_array where; /* the elements of an image that is not compressed */
};

/* ---- the head ---- */

static mnp_status read_head(struct job *job, const char *hdu)
{
    MNP_TRY(mnp__plain_file_open(job->file.name, &job->file.plain));
    MNP_TRY(mnp__fits_check(&job->file));
    MNP_TRY(mnp__fits_open(&job->file));
    return mnp__fits_find(&job->file, hdu, &job->image);
}

/* Rank 0 reads the head and broadcasts it.  Collective. */
static mnp_status read_head_everywhere(struct job *job, const char *hdu)
{
    MNP_TRY(mnp__tell_format(job->ctx, job->ctx->comm.rank == 0 ? read_head(job, hdu) : MNP_OK));
    return mnp__broadcast(&job->ctx->comm, &job->image, sizeof job->image, 0);
}

/* ---- elements ---- */

static mnp_status read_box(void *file, const mnp__file_box *box, void *buffer)
{
    struct job *job = file;
    return job->image.compressed ? mnp__fits_decode(&job->file, &job->image, box, buffer)
                                 : mnp__plain_array_read(&job->file.plain, &job->where, box, buffer);
}

static void ahead(void *file, const mnp__file_box *box, mnp__read_ahead *list)
{
    const struct job *job = file;
    if (job->image.compressed)
        mnp__read_ahead_add_share(list, 0, job->file.plain.bytes, job->image.info.shape[0], box);
    else
        mnp__plain_array_ahead(&job->where, box, list);
}

void mnp__fits_invert_sign(size_t size, int64_t count, void *numbers)
{
    unsigned char *bytes = numbers;
    const size_t highest = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? size - 1 : 0;
    for (int64_t i = 0; i < count; i++)
        bytes[(size_t)i * size + highest] ^= 0x80;
}

/* Integer number i of `size` bytes, which is unsigned if it has one. */
static int64_t load(const void *numbers, size_t size, int64_t i)
{
    const char *from = (const char *)numbers + (size_t)i * size;
    union {
        uint8_t one;
        int16_t two;
        int32_t four;
        int64_t eight;
    } value;
    memcpy(&value, from, size);
    return size == 1 ? value.one : size == 2 ? value.two : size == 4 ? value.four : value.eight;
}

/* Turn integers into floats in place; the last ones first, as floats are not smaller. */
static void make_floats(const mnp__fits_image *image, int64_t count, void *buffer)
{
    const bool wide = image->info.dtype == MNP_FLOAT64;
    for (int64_t i = count; i-- > 0;) {
        const int64_t value = load(buffer, image->stored, i);
        const bool blank = image->has_blank && value == image->blank;
        const float narrow_value = blank ? NAN : (float)value;
        const double wide_value = blank ? NAN : (double)value;
        if (wide)
            memcpy((char *)buffer + (size_t)i * sizeof wide_value, &wide_value, sizeof wide_value);
        else
            memcpy((char *)buffer + (size_t)i * sizeof narrow_value, &narrow_value, sizeof narrow_value);
    }
}

/* Multiply and add, each rounded to the type of the elements. */
static void scale(const mnp_fits_info *info, int64_t count, void *buffer)
{
    float *narrow = info->dtype == MNP_FLOAT32 ? buffer : NULL;
    double *wide = info->dtype == MNP_FLOAT64 ? buffer : NULL;
    for (int64_t i = 0; info->scale != 1 && i < count; i++) {
        if (wide)
            wide[i] *= info->scale;
        else
            narrow[i] *= (float)info->scale;
    }
    for (int64_t i = 0; info->zero != 0 && i < count; i++) {
        if (wide)
            wide[i] += info->zero;
        else
            narrow[i] += (float)info->zero;
    }
}

static mnp_status convert(void *file, int64_t count, void *buffer)
{
    const mnp__fits_image *image = &((const struct job *)file)->image;
    if (!image->compressed && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
        mnp__swap_bytes(image->stored, count, buffer);
    if (image->biased) {
        mnp__fits_invert_sign(image->stored, count, buffer);
    } else if (mnp_dtype_kind(image->info.dtype) == 'f') {
        if (image->info.bitpix > 0)
            make_floats(image, count, buffer);
        scale(&image->info, count, buffer);
    }
    return MNP_OK;
}

static const mnp__transfer_ops ops = {.together = false, .read = read_box, .ahead = ahead, .convert = convert};

/* ---- */

static mnp_status open_here(struct job *job)
{
    if (!job->image.compressed)
        return MNP_OK;
    if (!job->file.fits)
        MNP_TRY(mnp__fits_open(&job->file));
    return mnp__fits_go(&job->file, job->image.info.hdu);
}

static mnp_status read_file(struct job *job, const char *hdu, const mnp_selection *selection, const mnp_layout *layout,
                            mnp_array **array_p)
{
    const mnp__fits_image *image = &job->image;
    MNP_TRY(read_head_everywhere(job, hdu));
    MNP_TRY(mnp__plain_file_open_together(job->ctx, job->file.name, &job->file.plain));
    MNP_TRY(MNP_AGREE(job->ctx, open_here(job)));
    job->where = (mnp__plain_array){.offset = image->data, .item = image->stored, .ndim = image->info.ndim};
    memcpy(job->where.shape, image->info.shape, sizeof job->where.shape);
    return mnp__file_array_read(job->ctx,
                                &(mnp__file_array){.function = "mnp_fits_read",
                                                   .name = job->file.name,
                                                   .dtype = image->info.dtype,
                                                   .ndim = image->info.ndim,
                                                   .shape = image->info.shape,
                                                   .stored = image->stored,
                                                   .unit = image->compressed ? image->unit : NULL,
                                                   .ops = &ops,
                                                   .file = job},
                                selection, layout, array_p);
}

mnp_status mnp_fits_inspect(mnp_ctx *ctx, const char *file, const char *hdu, mnp_fits_info *info_p)
{
    MNP_ENTER(ctx, file, info_p);
    struct job job = {.ctx = ctx, .file = MNP__FITS_FILE_CLOSED};
    job.file.name = file;
    mnp_status st = read_head_everywhere(&job, hdu);
    mnp__fits_close(&job.file);
    if (st == MNP_OK)
        *info_p = job.image.info;
    return st;
}

mnp_status mnp_fits_read(mnp_ctx *ctx, const char *file, const char *hdu, const mnp_selection *selection,
                         const mnp_layout *layout, mnp_array **array_p)
{
    MNP_ENTER(ctx, file, array_p);
    MNP_NEED_OR_NULL(layout);
    struct job job = {.ctx = ctx, .file = MNP__FITS_FILE_CLOSED};
    job.file.name = file;
    mnp_status st = read_file(&job, hdu, selection, layout, array_p);
    mnp__fits_close(&job.file);
    return st;
}
