/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compressed images of FITS files: tiles, which CFITSIO decodes.  Tile number i is in row i + 1 of a table, compressed
 * by the image's method, or losslessly by gzip where the method was not possible, in columns of variable length.
 *
 * CFITSIO takes memory without end where the data of gzip ends early, so such tiles are uncompressed to nothing first.
 */
#include <config.h>

#include "io/fits/fits_library.h"

#include "base/integer.h"
#include "base/status.h"

#ifdef HAVE_CFITSIO

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

/* ---- checks ---- */

#define ZLIB_FUNCTIONS(X) X(inflateInit2_) X(inflate) X(inflateEnd)

static struct {
    ZLIB_FUNCTIONS(MNP__LIBRARY_FIELD)
} zlib;

/* Whether `bytes` are a whole file of gzip, of at most `most` bytes when it is uncompressed. */
static bool is_whole(unsigned char *bytes, int64_t count, int64_t most)
{
    enum { WINDOW = 15 + 16 /* gzip, not zlib */ };
    unsigned char out[16384];
    z_stream stream = {.next_in = bytes, .avail_in = (uInt)count};
    int status = zlib.inflateInit2_(&stream, WINDOW, ZLIB_VERSION, (int)sizeof stream);
    if (status != Z_OK)
        return false;
    while (status == Z_OK && (int64_t)stream.total_out <= most) {
        stream.next_out = out;
        stream.avail_out = sizeof out;
        status = zlib.inflate(&stream, Z_NO_FLUSH);
    }
    zlib.inflateEnd(&stream);
    return status == Z_STREAM_END;
}

/* Check a tile in a column of the table, which may have none of it. */
static mnp_status check_tile(mnp__fits_file *file, int column, int64_t row, bool is_gzip, int64_t most)
{
    LONGLONG count = 0, place = 0;
    int status = 0, any;
    unsigned char *bytes;
    if (mnp__cfitsio.ffgdesll(file->fits, column, row, &count, &place, &status) != 0)
        return mnp__fits_failed(file, status);
    if (count < 0 || place < 0 || count > file->plain.bytes || count > INT32_MAX)
        return MNP_FAIL(MNP_ERR_FORMAT, "'%s' is damaged: tile %" PRId64 " lies beyond its end", file->name, row - 1);
    if (count == 0 || !is_gzip)
        return MNP_OK;
    MNP_TRY(mnp__malloc((size_t)count, &bytes));
    mnp__cfitsio.ffgcvb(file->fits, column, row, 1, count, 0, bytes, &any, &status);
    const bool whole = status == 0 && is_whole(bytes, count, most);
    free(bytes);
    if (status != 0)
        return mnp__fits_failed(file, status);
    return whole ? MNP_OK
                 : MNP_FAIL(MNP_ERR_FORMAT, "'%s' is damaged: tile %" PRId64 " cannot be uncompressed", file->name,
                            row - 1);
}

/* Columns with data of tiles; 0: there is none of that name. */
static int find_column(mnp__fits_file *file, const char *name)
{
    char text[FLEN_VALUE];
    int status = 0, column = 0;
    snprintf(text, sizeof text, "%s", name);
    if (mnp__cfitsio.ffgcno(file->fits, CASEINSEN, text, &column, &status) == 0)
        return column;
    mnp__cfitsio.ffcmsg();
    return 0;
}

/* Check the tiles that a box touches. */
static mnp_status check_tiles(mnp__fits_file *file, const mnp__fits_image *image, const mnp__file_box *box)
{
    static void *library;
    static const char *const names[] = {ZLIB_FUNCTIONS(MNP__LIBRARY_NAME)};
    const int data = find_column(file, "COMPRESSED_DATA"), lossless = find_column(file, "GZIP_COMPRESSED_DATA");
    const bool is_gzip = strncmp(image->info.compression, "GZIP", 4) == 0;
    int64_t first[MNP_MAX_DIMS], count[MNP_MAX_DIMS], stride[MNP_MAX_DIMS], tiles = 1, most = 8, step = 1;
    MNP_TRY(mnp__library_load(&library, "libz.so.1", names, (int)(sizeof names / sizeof *names), &zlib));
    for (int d = box->ndim - 1; d >= 0; d--) {
        const int64_t unit = image->unit[d];
        first[d] = box->start[d] / unit;
        count[d] = (box->start[d] + (box->count[d] - 1) * box->step[d]) / unit + 1 - first[d];
        stride[d] = step;
        step *= mnp__divide_up(image->info.shape[d], unit);
        tiles *= count[d];
        most *= mnp__min(unit, image->info.shape[d]);
    }
    for (int64_t i = 0; i < tiles; i++) {
        int64_t row = 1, rest = i;
        for (int d = box->ndim - 1; d >= 0; d--) {
            row += (first[d] + rest % count[d]) * stride[d];
            rest /= count[d];
        }
        if (data)
            MNP_TRY(check_tile(file, data, row, is_gzip, most));
        if (lossless)
            MNP_TRY(check_tile(file, lossless, row, true, most));
    }
    return MNP_OK;
}

/* ---- reading ---- */

mnp_status mnp__fits_decode(mnp__fits_file *file, const mnp__fits_image *image, const mnp__file_box *box, void *to)
{
    long first[MNP_MAX_DIMS], last[MNP_MAX_DIMS], step[MNP_MAX_DIMS];
    const int bitpix = image->info.bitpix, n = box->ndim;
    const int type = bitpix == 8     ? TBYTE
                     : bitpix == 16  ? TSHORT
                     : bitpix == 32  ? TINT
                     : bitpix == 64  ? TLONGLONG
                     : bitpix == -32 ? TFLOAT
                                     : TDOUBLE;
    float nan_32 = NAN;
    double nan_64 = NAN;
    void *null = type == TFLOAT ? (void *)&nan_32 : type == TDOUBLE ? (void *)&nan_64 : NULL;
    int status = 0, any;
    for (int d = 0; d < n; d++) {
        if (box->count[d] == 0)
            return MNP_OK;
        first[n - 1 - d] = (long)box->start[d] + 1;
        last[n - 1 - d] = (long)(box->start[d] + (box->count[d] - 1) * box->step[d]) + 1;
        step[n - 1 - d] = (long)box->step[d];
    }
    MNP_TRY(check_tiles(file, image, box));
    mnp__cfitsio.ffpscl(file->fits, 1, 0, &status);
    if (mnp__cfitsio.ffgsv(file->fits, type, first, last, step, null, to, &any, &status) != 0)
        return mnp__fits_failed(file, status);
    return MNP_OK;
}

#else

mnp_status mnp__fits_decode(mnp__fits_file *file, const mnp__fits_image *image, const mnp__file_box *box, void *to)
{
    (void)image;
    (void)box;
    (void)to;
    return mnp__fits_open(file);
}

#endif
