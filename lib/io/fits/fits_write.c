/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writing FITS files, without CFITSIO: after the FITS standard 4.0, https://fits.gsfc.nasa.gov/fits_standard.html
 *
 * Where the image will lie follows from the HDUs that the file has already, which rank 0 looks for and tells all ranks.
 * Rank 0 writes the header, and copies the HDUs before and behind the image; all ranks write the elements.
 */
#include <config.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/integer.h"
#include "base/status.h"
#include "io/agree_format.h"
#include "io/file_array.h"
#include "io/fits/fits.h"

enum { BLOCK = MNP__FITS_BLOCK, CARD = MNP__FITS_CARD };

struct job {
    mnp_ctx *ctx;
    const mnp_array *array;
    const char *hdu;
    mnp__fits_file old; /* the file that gets another HDU; rank 0 */
    int64_t before;     /* where the image's header will begin */
    int64_t behind;     /* where in the old file the HDUs behind it begin, and */
    int64_t old_bytes;  /* where they end */
    int64_t bytes;      /* of the elements */
};

/* ---- elements ---- */

static const struct element {
    mnp_dtype dtype;
    int bitpix;
    const char *zero; /* BZERO of integers with the other sign than BITPIX says; NULL: these are as they are */
} elements[] = {{MNP_UINT8, 8, NULL},           {MNP_INT16, 16, NULL},
                {MNP_INT32, 32, NULL},          {MNP_INT64, 64, NULL},
                {MNP_FLOAT32, -32, NULL},       {MNP_FLOAT64, -64, NULL},
                {MNP_INT8, 8, "-128"},          {MNP_UINT16, 16, "32768"},
                {MNP_UINT32, 32, "2147483648"}, {MNP_UINT64, 64, "9223372036854775808"}};

static const struct element *find_element(mnp_dtype dtype)
{
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
        if (elements[i].dtype == dtype)
            return &elements[i];
    return NULL;
}

static void encode(void *argument, int64_t count, void *buffer)
{
    const struct job *job = argument;
    const size_t size = mnp_dtype_size(job->array->dtype);
    if (find_element(job->array->dtype)->zero)
        mnp__fits_invert_sign(size, count, buffer);
    if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
        mnp__swap_bytes(size, count, buffer);
}

/* ---- the header ---- */

struct header {
    char cards[BLOCK];
    int count;
};

/* A card: "T", numbers and the like end in column 30; a text in quotes begins in column 11. */
static void put_card(struct header *header, const char *keyword, const char *value, const char *comment)
{
    char card[CARD + 1];
    const int length = snprintf(card, sizeof card, *value == '\'' ? "%-8s= %-20s%s%s" : "%-8s= %20s%s%s", keyword,
                                value, *comment ? " / " : "", comment);
    memcpy(header->cards + header->count++ * CARD, card, (size_t)mnp__min(length, CARD));
}

static void put_integer(struct header *header, const char *keyword, int64_t value, const char *comment)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRId64, value);
    put_card(header, keyword, text, comment);
}

/* The text in quotes, in which a quote is two. */
static void put_text(struct header *header, const char *keyword, const char *text, const char *comment)
{
    char value[2 * CARD];
    size_t length = 0;
    value[length++] = '\'';
    for (; *text && length < CARD; text++) {
        if (*text == '\'')
            value[length++] = '\'';
        value[length++] = *text;
    }
    while (length < 9) /* at least 8 characters, as the standard wants of XTENSION */
        value[length++] = ' ';
    value[length++] = '\'';
    value[length] = '\0';
    put_card(header, keyword, value, comment);
}

static void begin_header(struct header *header, bool primary, int bitpix, int ndim, const int64_t *shape)
{
    header->count = 0;
    memset(header->cards, ' ', BLOCK);
    if (primary)
        put_card(header, "SIMPLE", "T", "this is a FITS file");
    else
        put_text(header, "XTENSION", "IMAGE", "an image");
    put_integer(header, "BITPIX", bitpix, bitpix < 0 ? "bits of an element, a float" : "bits of an element");
    put_integer(header, "NAXIS", ndim, "number of dimensions");
    for (int d = ndim - 1; d >= 0; d--) {
        char keyword[24];
        snprintf(keyword, sizeof keyword, "NAXIS%d", ndim - d);
        put_integer(header, keyword, shape[d], "");
    }
    if (primary)
        put_card(header, "EXTEND", "T", "there may be extensions");
    if (!primary)
        put_integer(header, "PCOUNT", 0, "");
    if (!primary)
        put_integer(header, "GCOUNT", 1, "");
}

static void end_header(struct header *header)
{
    put_text(header, "CREATOR", "maniple " PACKAGE_VERSION, "");
    memcpy(header->cards + header->count * CARD, "END", 3);
}

static void make_header(const struct job *job, struct header *header)
{
    const mnp_layout *layout = job->array->layout;
    const struct element *element = find_element(job->array->dtype);
    begin_header(header, !job->hdu, element->bitpix, mnp_layout_ndim(layout), mnp_layout_shape(layout));
    if (job->hdu)
        put_text(header, "EXTNAME", job->hdu, "");
    if (element->zero)
        put_card(header, "BZERO", element->zero, "added to the elements: their sign is the other");
    if (element->zero)
        put_card(header, "BSCALE", "1", "");
    end_header(header);
}

/* ---- the file ---- */

static mnp_status copy_bytes(const struct job *job, const mnp__plain_file *file, int64_t from, int64_t end, int64_t to)
{
    const int64_t most = 4 << 20;
    char *buffer;
    mnp_status st = MNP_OK;
    MNP_TRY(mnp__malloc((size_t)most, &buffer));
    for (int64_t count; st == MNP_OK && from < end; from += count, to += count) {
        count = end - from < most ? end - from : most;
        st = mnp__plain_file_read(&job->old.plain, from, (size_t)count, buffer);
        if (st == MNP_OK)
            st = mnp__plain_file_write(file, to, (size_t)count, buffer);
    }
    free(buffer);
    return st;
}

static int64_t round_up(int64_t bytes)
{
    return mnp__round_up(bytes, BLOCK);
}

/* Everything but the elements. */
static mnp_status write_frame(const mnp__plain_file *file, void *argument)
{
    static const char zeros[BLOCK];
    const struct job *job = argument;
    const int64_t end = job->before + BLOCK + job->bytes;
    struct header header;
    if (job->hdu && job->old_bytes == 0) {
        begin_header(&header, true, 8, 0, NULL);
        end_header(&header);
        MNP_TRY(mnp__plain_file_write(file, 0, BLOCK, header.cards));
    }
    MNP_TRY(copy_bytes(job, file, 0, mnp__min(job->before, job->old_bytes), 0));
    make_header(job, &header);
    MNP_TRY(mnp__plain_file_write(file, job->before, BLOCK, header.cards));
    MNP_TRY(mnp__plain_file_write(file, end, (size_t)(round_up(end) - end), zeros));
    return copy_bytes(job, file, job->behind, job->old_bytes, round_up(end));
}

/* Find the HDU that is replaced, or where the file ends. */
static mnp_status find_place(struct job *job)
{
    mnp__fits_hdu hdu = {.end = 0};
    const char *name = job->old.name;
    int64_t count = 0;
    job->old_bytes = job->old.plain.bytes;
    for (bool found = true; found; count++) {
        job->before = job->behind = hdu.end;
        MNP_TRY(mnp__fits_walk(&job->old, hdu.end, &hdu, &found));
        if (!found || strcasecmp(hdu.name, job->hdu) != 0)
            continue;
        if (count == 0)
            return MNP_FAIL(MNP_ERR_ARG, "the primary HDU of '%s' is called '%s'; name another", name, job->hdu);
        if (!hdu.is_image)
            return MNP_FAIL(MNP_ERR_ARG, "HDU %" PRId64 " of '%s' is called '%s' and is no image; name another", count,
                            name, job->hdu);
        job->behind = mnp__min(hdu.end, job->old_bytes); /* its last block may not be full */
        return MNP_OK;
    }
    job->behind = mnp__min(job->behind, job->old_bytes);
    if (count == 1)
        return MNP_FAIL(MNP_ERR_FORMAT, "'%s' is not a FITS file, or a damaged one", name);
    if (hdu.is_begun)
        return MNP_FAIL(MNP_ERR_FORMAT, "'%s' is truncated or damaged: HDU %" PRId64 " is not there as a whole", name,
                        count - 1);
    return MNP_OK;
}

/* Where the image will lie.  Rank 0. */
static mnp_status look_at_file(struct job *job)
{
    if (!job->hdu || access(job->old.name, F_OK) != 0) {
        job->before = job->hdu ? BLOCK : 0;
        return MNP_OK;
    }
    MNP_TRY(mnp__plain_file_open(job->old.name, &job->old.plain));
    if (job->old.plain.bytes == 0) { /* counts as missing */
        job->before = BLOCK;
        return MNP_OK;
    }
    return find_place(job);
}

/* ---- */

/* An EXTNAME that mnp_fits_read() finds again. */
static mnp_status check_name(const char *hdu)
{
    bool good = hdu && *hdu && strlen(hdu) <= 60 && strspn(hdu, "0123456789") != strlen(hdu) &&
                strcasecmp(hdu, "PRIMARY") != 0 && hdu[strlen(hdu) - 1] != ' ';
    for (const char *at = hdu; good && *at; at++)
        good = *at >= ' ' && *at <= '~' && !strchr("*?#,'", *at);
    return good || !hdu ? MNP_OK
                        : MNP_FAIL(MNP_ERR_ARG,
                                   "'%s' cannot be the EXTNAME of an image that is written: that has 1 to 60 printable "
                                   "characters of ASCII without * ? # , ' and is neither a number nor PRIMARY",
                                   hdu);
}

static mnp_status check_array(const mnp_array *array)
{
    if (!find_element(array->dtype))
        return MNP_FAIL(MNP_ERR_UNSUPPORTED,
                        "FITS has no images of %s: written are integers of 8 to 64 bits, float32 and float64",
                        mnp_dtype_name(array->dtype));
    if (mnp_layout_ndim(array->layout) == 0)
        return MNP_FAIL(MNP_ERR_ARG, "an image has at least one dimension, and this array has none");
    return MNP_OK;
}

/* Rank 0 looks at the file and tells all ranks what it has found.  Collective. */
static mnp_status look_together(struct job *job)
{
    int64_t found[3];
    MNP_TRY(mnp__tell_format(job->ctx, job->ctx->comm.rank == 0 ? look_at_file(job) : MNP_OK));
    found[0] = job->before;
    found[1] = job->behind;
    found[2] = job->old_bytes;
    MNP_TRY(mnp__broadcast(&job->ctx->comm, found, sizeof found, 0));
    job->before = found[0];
    job->behind = found[1];
    job->old_bytes = found[2];
    return MNP_OK;
}

static mnp_status write_file(struct job *job)
{
    MNP_TRY(look_together(job));
    job->bytes = mnp__file_array_bytes(job->array);
    const int64_t offset = job->before + BLOCK;
    return mnp__file_array_write(
        job->array, &(mnp__file_output){.function = "mnp_fits_write",
                                        .name = job->old.name,
                                        .offset = offset,
                                        .bytes = offset + round_up(job->bytes) + job->old_bytes - job->behind,
                                        .frame = write_frame,
                                        .encode = encode,
                                        .argument = job});
}

mnp_status mnp_fits_write(const mnp_array *array, const char *file, const char *hdu)
{
    MNP_ENTER(array, file);
    struct job job = {.ctx = array->ctx, .array = array, .hdu = hdu, .old = MNP__FITS_FILE_CLOSED};
    job.old.name = file;
    if (!file || !*file)
        return MNP_FAIL(MNP_ERR_ARG, "the name of the file is missing");
    MNP_TRY(check_name(hdu));
    MNP_TRY(check_array(array));
    mnp_status st = write_file(&job);
    mnp__plain_file_close(&job.old.plain);
    return st;
}

mnp_status mnp_fits_check_write(mnp_ctx *ctx, const char *file, const char *hdu)
{
    MNP_ENTER(ctx, file);
    struct job job = {.ctx = ctx, .hdu = hdu, .old = MNP__FITS_FILE_CLOSED};
    job.old.name = file;
    MNP_TRY(mnp__file_array_check_write(ctx, file));
    MNP_TRY(check_name(hdu));
    mnp_status st = look_together(&job);
    mnp__plain_file_close(&job.old.plain);
    return st;
}
