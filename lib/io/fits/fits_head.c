/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Open FITS files and the heads of their images, by CFITSIO.
 */
#include <config.h>

#include "io/fits/fits_library.h"

#include "base/status.h"

#ifdef HAVE_CFITSIO

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- the library ---- */

#define SONAME_OF(number) SONAME_TEXT(number)
#define SONAME_TEXT(number) "libcfitsio.so." #number

mnp__cfitsio_library mnp__cfitsio;

static mnp_status load(void)
{
    static void *library;
    static const char *const names[] = {MNP__CFITSIO_FUNCTIONS(MNP__LIBRARY_NAME)};
    return mnp__library_load(&library, SONAME_OF(CFITSIO_SONAME), names, (int)(sizeof names / sizeof *names),
                             &mnp__cfitsio);
}

mnp_status mnp__fits_failed(const mnp__fits_file *file, int status)
{
    char what[FLEN_STATUS] = "", why[FLEN_ERRMSG] = "";
    mnp__cfitsio.ffgerr(status, what);
    mnp__cfitsio.ffgmsg(why); /* the first of its messages, which has the details; "" if there is none */
    mnp__cfitsio.ffcmsg();
    for (char *at = why; *at; at++) /* it may quote what is damaged */
        *at = *at >= ' ' && *at <= '~' ? *at : '?';
    const char *colon = *why ? ": " : "";
    switch (status) {
    case MEMORY_ALLOCATION:
        return MNP_FAIL(MNP_ERR_MEMORY, "no memory to read '%s' (CFITSIO: %s%s%s)", file->name, what, colon, why);
    case TOO_MANY_FILES:
    case FILE_NOT_OPENED:
    case FILE_NOT_CLOSED:
    case READ_ERROR:
    case SEEK_ERROR:
        return MNP_FAIL(MNP_ERR_IO, "cannot read '%s' (CFITSIO: %s%s%s)", file->name, what, colon, why);
    default:
        if (strstr(why, "nknown") && strstr(why, "compression type"))
            return MNP_FAIL(MNP_ERR_UNSUPPORTED, "'%s' is compressed in a way that CFITSIO does not have: %s",
                            file->name, why);
        return MNP_FAIL(MNP_ERR_FORMAT, "'%s' is damaged: %s%s%s", file->name, what, colon, why);
    }
}

/* ---- files ---- */

mnp_status mnp__fits_open(mnp__fits_file *file)
{
    static const char first[] = "SIMPLE  =";
    char bytes[sizeof first - 1];
    fitsfile *fits = NULL;
    int status = 0;
    if (file->plain.bytes < (int64_t)sizeof bytes)
        return MNP_FAIL(MNP_ERR_FORMAT, "'%s' is not a FITS file", file->name);
    MNP_TRY(mnp__plain_file_read(&file->plain, 0, sizeof bytes, bytes));
    if (memcmp(bytes, first, sizeof bytes) != 0)
        return MNP_FAIL(MNP_ERR_FORMAT, "'%s' is not a FITS file", file->name);
    if (strlen(file->name) >= FLEN_FILENAME)
        return MNP_FAIL(MNP_ERR_UNSUPPORTED, "'%s' is a longer name than CFITSIO takes", file->name);
    MNP_TRY(load());
    mnp__cfitsio.ffdkopn(&fits, file->name, READONLY, &status);
    if (status != 0)
        return mnp__fits_failed(file, status);
    file->fits = fits;
    return MNP_OK;
}

void mnp__fits_close(mnp__fits_file *file)
{
    int status = 0;
    if (file->fits)
        mnp__cfitsio.ffclos(file->fits, &status);
    if (status != 0)
        mnp__cfitsio.ffcmsg();
    mnp__plain_file_close(&file->plain);
    *file = MNP__FITS_FILE_CLOSED;
}

mnp_status mnp__fits_go(mnp__fits_file *file, int hdu)
{
    int status = 0;
    mnp__cfitsio.ffmahd(file->fits, hdu + 1, NULL, &status);
    return status == 0 ? MNP_OK : mnp__fits_failed(file, status);
}

/* ---- heads ---- */

/* The value of a keyword of the current HDU, or another one where there is none. */
static double get_double(mnp__fits_file *file, const char *keyword, double otherwise)
{
    double value;
    int status = 0;
    if (mnp__cfitsio.ffgkyd(file->fits, keyword, &value, NULL, &status) == 0)
        return value;
    mnp__cfitsio.ffcmsg();
    return otherwise;
}

static int64_t get_integer(mnp__fits_file *file, const char *keyword, int64_t otherwise)
{
    LONGLONG value;
    int status = 0;
    if (mnp__cfitsio.ffgkyjj(file->fits, keyword, &value, NULL, &status) == 0)
        return value;
    mnp__cfitsio.ffcmsg();
    return otherwise;
}

static void get_text(mnp__fits_file *file, const char *keyword, size_t size, char *text)
{
    char value[FLEN_VALUE] = "";
    int status = 0;
    if (mnp__cfitsio.ffgkys(file->fits, keyword, value, NULL, &status) != 0)
        mnp__cfitsio.ffcmsg();
    if (status == 0)
        snprintf(text, size, "%.*s", (int)size - 1, value);
}

/* The type that elements are read as, with the rules of the public header. */
static void choose_dtype(mnp__fits_image *image)
{
    static const struct {
        int bitpix;
        double bias; /* BZERO of integers with the other sign */
        mnp_dtype plain, biased, scaled;
    } rows[] = {{8, -0x1p7, MNP_UINT8, MNP_INT8, MNP_FLOAT32},    {16, 0x1p15, MNP_INT16, MNP_UINT16, MNP_FLOAT32},
                {32, 0x1p31, MNP_INT32, MNP_UINT32, MNP_FLOAT64}, {64, 0x1p63, MNP_INT64, MNP_UINT64, MNP_FLOAT64},
                {-32, 0, MNP_FLOAT32, MNP_FLOAT32, MNP_FLOAT32},  {-64, 0, MNP_FLOAT64, MNP_FLOAT64, MNP_FLOAT64}};
    mnp_fits_info *info = &image->info;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].bitpix != info->bitpix)
            continue;
        image->biased = info->bitpix > 0 && info->scale == 1 && info->zero == rows[i].bias;
        image->has_blank = image->has_blank && info->bitpix > 0 && !image->biased;
        info->dtype = image->biased                                              ? rows[i].biased
                      : info->scale == 1 && info->zero == 0 && !image->has_blank ? rows[i].plain
                                                                                 : rows[i].scaled;
        image->stored = (size_t)abs(info->bitpix) / 8;
    }
}

/* The shape of the current HDU's image, which has one, in the order of C. */
static mnp_status read_shape(mnp__fits_file *file, mnp__fits_image *image)
{
    LONGLONG axes[MNP_MAX_DIMS] = {0};
    int status = 0, naxis = 0;
    mnp_fits_info *info = &image->info;
    if (mnp__cfitsio.ffgiprll(file->fits, MNP_MAX_DIMS, &info->bitpix, &naxis, axes, &status) != 0)
        return mnp__fits_failed(file, status);
    if (naxis > MNP_MAX_DIMS)
        return MNP_FAIL(MNP_ERR_UNSUPPORTED, "the image in HDU %d of '%s' has %d dimensions; %d are possible",
                        info->hdu, file->name, naxis, MNP_MAX_DIMS);
    int64_t bytes = 8;
    for (int d = 0; d < naxis; d++)
        if (axes[d] < 0 || __builtin_mul_overflow(bytes, axes[d] > 0 ? axes[d] : 1, &bytes))
            return MNP_FAIL(MNP_ERR_FORMAT, "'%s' is damaged: its shape has more elements than can be counted",
                            file->name);
    info->ndim = naxis;
    for (int d = 0; d < naxis; d++)
        info->shape[d] = axes[naxis - 1 - d];
    return MNP_OK;
}

/* Random groups are no image: NAXIS1 is 0, and elements belong to groups of parameters. */
static mnp_status refuse_groups(mnp__fits_file *file, const mnp_fits_info *info)
{
    char groups[2] = "";
    if (info->hdu != 0 || info->ndim == 0 || info->shape[info->ndim - 1] != 0)
        return MNP_OK;
    get_text(file, "GROUPS", sizeof groups, groups);
    return *groups == 'T'
               ? MNP_FAIL(MNP_ERR_UNSUPPORTED, "HDU 0 of '%s' has random groups, which are not read", file->name)
               : MNP_OK;
}

/* Where the elements lie, and that the file has them all; of compressed ones the extents of tiles. */
static mnp_status find_elements(mnp__fits_file *file, mnp__fits_image *image)
{
    LONGLONG data = 0;
    int status = 0;
    mnp_fits_info *info = &image->info;
    int64_t bytes = (int64_t)image->stored;
    for (int d = 0; d < info->ndim; d++)
        bytes *= info->shape[d];
    for (int d = 0; d < info->ndim && image->compressed; d++) {
        char keyword[FLEN_KEYWORD];
        snprintf(keyword, sizeof keyword, "ZTILE%d", info->ndim - d);
        image->unit[d] = get_integer(file, keyword, d == info->ndim - 1 ? info->shape[d] : 1);
        if (image->unit[d] < 1)
            return MNP_FAIL(MNP_ERR_FORMAT, "'%s' is damaged: its tiles are empty", file->name);
    }
    if (image->compressed)
        return MNP_OK;
    if (mnp__cfitsio.ffghadll(file->fits, NULL, &data, NULL, &status) != 0)
        return mnp__fits_failed(file, status);
    image->data = data;
    if (data > file->plain.bytes || bytes > file->plain.bytes - data)
        return MNP_FAIL(MNP_ERR_FORMAT, "'%s' is truncated: it has %" PRId64 " bytes where it should have %" PRId64,
                        file->name, file->plain.bytes, (int64_t)data + bytes);
    return MNP_OK;
}

/* Read the head of the current HDU; without an image its shape has no dimensions. */
static mnp_status read_head(mnp__fits_file *file, mnp__fits_image *image)
{
    int status = 0, number = 0;
    mnp_fits_info *info = &image->info;
    mnp__cfitsio.ffghdn(file->fits, &number);
    *image = (mnp__fits_image){.info = {.hdu = number - 1, .compression = "none"}};
    image->compressed = mnp__cfitsio.fits_is_compressed_image(file->fits, &status) != 0;
    get_text(file, "EXTNAME", sizeof info->name, info->name);
    if (image->compressed)
        get_text(file, "ZCMPTYPE", sizeof info->compression, info->compression);
    if (strncmp(info->compression, "HCOMPRESS", 9) == 0) /* damaged data makes its decoder write beyond its memory */
        return MNP_FAIL(MNP_ERR_UNSUPPORTED,
                        "HDU %d of '%s' is compressed by %s, which is not read; funpack uncompresses it", info->hdu,
                        file->name, info->compression);
    MNP_TRY(read_shape(file, image));
    MNP_TRY(refuse_groups(file, info));
    info->scale = get_double(file, "BSCALE", 1);
    info->zero = get_double(file, "BZERO", 0);
    image->blank = get_integer(file, "BLANK", INT64_MIN);
    image->has_blank = image->blank != INT64_MIN;
    choose_dtype(image);
    if (info->dtype == MNP_DTYPE_AUTO)
        return MNP_FAIL(MNP_ERR_FORMAT, "'%s' is damaged: BITPIX is %d", file->name, info->bitpix);
    return info->ndim > 0 ? find_elements(file, image) : MNP_OK;
}

/* ---- finding ---- */

static mnp_status find_first(mnp__fits_file *file, mnp__fits_image *image)
{
    int status = 0, count = 0, type;
    if (mnp__cfitsio.ffthdu(file->fits, &count, &status) != 0)
        return mnp__fits_failed(file, status);
    for (int hdu = 1; hdu <= count; hdu++) {
        if (mnp__cfitsio.ffmahd(file->fits, hdu, &type, &status) != 0)
            return mnp__fits_failed(file, status);
        if (type != IMAGE_HDU)
            continue;
        MNP_TRY(read_head(file, image));
        if (image->info.ndim > 0)
            return MNP_OK;
    }
    return MNP_FAIL(MNP_ERR_ARG, "'%s' has no image in its %d HDU%s", file->name, count, count == 1 ? "" : "s");
}

/* Go to the HDU of a name, or of a name and a version, "SCI,2". */
static mnp_status go_by_name(mnp__fits_file *file, const char *hdu)
{
    char name[FLEN_VALUE];
    int status = 0;
    const char *comma = strrchr(hdu, ',');
    const bool versioned = comma && comma[1] && strspn(comma + 1, "0123456789") == strlen(comma + 1);
    snprintf(name, sizeof name, "%.*s", versioned ? (int)(comma - hdu) : (int)sizeof name - 1, hdu);
    mnp__cfitsio.ffmnhd(file->fits, ANY_HDU, name, versioned ? atoi(comma + 1) : 0, &status);
    if (status != 0 && strcasecmp(hdu, "PRIMARY") == 0)
        return mnp__fits_go(file, 0);
    if (status != 0) {
        mnp__cfitsio.ffcmsg();
        return MNP_FAIL(MNP_ERR_ARG, "'%s' has no HDU that is called '%s'", file->name, hdu);
    }
    return MNP_OK;
}

static mnp_status go_by_number(mnp__fits_file *file, const char *hdu)
{
    int status = 0, count = 0;
    if (mnp__cfitsio.ffthdu(file->fits, &count, &status) != 0)
        return mnp__fits_failed(file, status);
    if (strlen(hdu) > 6 || atoi(hdu) >= count)
        return MNP_FAIL(MNP_ERR_ARG, "'%s' has no HDU %s: it has %d, counted from 0 on", file->name, hdu, count);
    return mnp__fits_go(file, atoi(hdu));
}

mnp_status mnp__fits_find(mnp__fits_file *file, const char *hdu, mnp__fits_image *image)
{
    if (!hdu)
        return find_first(file, image);
    if (*hdu && strspn(hdu, "0123456789") == strlen(hdu))
        MNP_TRY(go_by_number(file, hdu));
    else
        MNP_TRY(go_by_name(file, hdu));
    int status = 0, number = 0, type = 0;
    mnp__cfitsio.ffghdn(file->fits, &number);
    if (mnp__cfitsio.ffmahd(file->fits, number, &type, &status) != 0)
        return mnp__fits_failed(file, status);
    if (type == IMAGE_HDU)
        MNP_TRY(read_head(file, image));
    if (type != IMAGE_HDU || image->info.ndim == 0)
        return MNP_FAIL(MNP_ERR_ARG, "HDU %d of '%s' is %s", number - 1, file->name,
                        type == IMAGE_HDU ? "a header without an image" : "a table, not an image");
    return MNP_OK;
}

#else

mnp_status mnp__fits_open(mnp__fits_file *file)
{
    return MNP_FAIL(MNP_ERR_UNSUPPORTED, "cannot read '%s': this build of Maniple has no CFITSIO", file->name);
}

void mnp__fits_close(mnp__fits_file *file)
{
    mnp__plain_file_close(&file->plain);
}

mnp_status mnp__fits_find(mnp__fits_file *file, const char *hdu, mnp__fits_image *image)
{
    (void)hdu;
    (void)image;
    return mnp__fits_open(file);
}

mnp_status mnp__fits_go(mnp__fits_file *file, int hdu)
{
    (void)hdu;
    return mnp__fits_open(file);
}

#endif
