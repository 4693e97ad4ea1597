/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Open TIFF files and the heads of their pages, by libtiff.
 */
#include <config.h>

#include "io/tiff/tiff_library.h"

#ifdef HAVE_TIFF

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/process/library.h"
#include "base/status.h"

mnp__tiff_library mnp__tiff;

/* ---- the library and its reports ---- */

#if TIFFLIB_VERSION >= 20221213
#define SONAME "libtiff.so.6"
#else
#define SONAME "libtiff.so.5"
#endif

static char report[200]; /* the first one since it was cleared: later ones follow from it */
static TIFFErrorHandler error_before, warning_before;

static __attribute__((format(printf, 2, 0))) void take_report(const char *module, const char *format, va_list values)
{
    (void)module;
    if (!*report)
        vsnprintf(report, sizeof report, format, values);
}

mnp_status mnp__tiff_begin(void)
{
    static void *library;
    static const char *const names[] = {MNP__TIFF_FUNCTIONS(MNP__LIBRARY_NAME)};
    MNP_TRY(mnp__library_load(&library, SONAME, names, (int)(sizeof names / sizeof *names), &mnp__tiff));
    *report = '\0';
    error_before = mnp__tiff.TIFFSetErrorHandler(take_report);
    warning_before = mnp__tiff.TIFFSetWarningHandler(NULL);
    return MNP_OK;
}

void mnp__tiff_end(void)
{
    mnp__tiff.TIFFSetErrorHandler(error_before);
    mnp__tiff.TIFFSetWarningHandler(warning_before);
}

mnp_status mnp__tiff_damaged(const mnp__tiff_file *file)
{
    size_t length = strlen(report);
    while (length > 0 && (report[length - 1] == '.' || report[length - 1] == '\n'))
        report[--length] = '\0';
    for (size_t i = 0; i < length; i++)
        report[i] = report[i] >= ' ' && report[i] < 127 ? report[i] : '?';
    mnp_status st = MNP_FAIL(MNP_ERR_FORMAT, "'%s' is damaged%s%s", file->name, length > 0 ? ": " : "", report);
    *report = '\0';
    return st;
}

/* ---- files ---- */

mnp_status mnp__tiff_open(mnp__tiff_file *file)
{
    unsigned char first[4];
    if (file->plain.bytes < (int64_t)sizeof first)
        return MNP_FAIL(MNP_ERR_FORMAT, "'%s' is not a TIFF file", file->name);
    MNP_TRY(mnp__plain_file_read(&file->plain, 0, sizeof first, first));
    const bool little = first[0] == 'I' && first[1] == 'I' && (first[2] == 42 || first[2] == 43) && first[3] == 0;
    const bool big = first[0] == 'M' && first[1] == 'M' && (first[3] == 42 || first[3] == 43) && first[2] == 0;
    if (!little && !big)
        return MNP_FAIL(MNP_ERR_FORMAT, "'%s' is not a TIFF file", file->name);
    const int descriptor = dup(file->plain.descriptor); /* libtiff closes it */
    if (descriptor < 0)
        return MNP_FAIL(MNP_ERR_IO, "cannot read '%s': too many files are open", file->name);
    /* m: no mapped memory, where a file that becomes shorter ends the process; D: places of segments when needed */
    file->tiff = mnp__tiff.TIFFFdOpen(descriptor, file->name, "rmD");
    if (!file->tiff) {
        close(descriptor);
        return mnp__tiff_damaged(file);
    }
    file->at = mnp__tiff.TIFFCurrentDirOffset(file->tiff);
    return MNP_OK;
}

void mnp__tiff_close(mnp__tiff_file *file)
{
    if (file->tiff)
        mnp__tiff.TIFFClose(file->tiff);
    free(file->room);
    mnp__plain_file_close(&file->plain);
    *file = MNP__TIFF_FILE_CLOSED;
}

mnp_status mnp__tiff_next_page(mnp__tiff_file *file, bool *more_p)
{
    *more_p = !mnp__tiff.TIFFLastDirectory(file->tiff);
    if (*more_p && !mnp__tiff.TIFFReadDirectory(file->tiff))
        return mnp__tiff_damaged(file);
    file->at = mnp__tiff.TIFFCurrentDirOffset(file->tiff);
    return MNP_OK;
}

mnp_status mnp__tiff_go(mnp__tiff_file *file, uint64_t at)
{
    if (file->at == at)
        return MNP_OK;
    file->at = 0;
    file->next_row = 0;
    if (!mnp__tiff.TIFFSetSubDirectory(file->tiff, at))
        return mnp__tiff_damaged(file);
    MNP_TRY(mnp__tiff_read_page(file));
    file->at = at;
    return MNP_OK;
}

/* ---- heads ---- */

const char *mnp__tiff_compression(int number)
{
    static const struct {
        int number;
        const char *name;
    } known[] = {{COMPRESSION_NONE, "none"},
                 {COMPRESSION_LZW, "LZW"},
                 {COMPRESSION_ADOBE_DEFLATE, "deflate"},
                 {COMPRESSION_DEFLATE, "deflate"},
                 {COMPRESSION_PACKBITS, "PackBits"},
                 {COMPRESSION_JPEG, "JPEG"},
                 {COMPRESSION_LZMA, "LZMA"},
                 {50000, "Zstandard"},
                 {50001, "WebP"},
                 {34887, "LERC"},
                 {COMPRESSION_OJPEG, "old JPEG"},
                 {COMPRESSION_JP2000, "JPEG 2000"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].number == number)
            return known[i].name;
    return "another";
}

/* The dtype of samples of that format, TIFF's number, and so many bits. */
static mnp_dtype find_dtype(int format, int bits)
{
    static const struct {
        int format, bits;
        mnp_dtype dtype;
    } rows[] = {{SAMPLEFORMAT_UINT, 8, MNP_UINT8},
                {SAMPLEFORMAT_UINT, 16, MNP_UINT16},
                {SAMPLEFORMAT_UINT, 32, MNP_UINT32},
                {SAMPLEFORMAT_UINT, 64, MNP_UINT64},
                {SAMPLEFORMAT_INT, 8, MNP_INT8},
                {SAMPLEFORMAT_INT, 16, MNP_INT16},
                {SAMPLEFORMAT_INT, 32, MNP_INT32},
                {SAMPLEFORMAT_INT, 64, MNP_INT64},
                {SAMPLEFORMAT_IEEEFP, 16, MNP_FLOAT16},
                {SAMPLEFORMAT_IEEEFP, 32, MNP_FLOAT32},
                {SAMPLEFORMAT_IEEEFP, 64, MNP_FLOAT64},
                {SAMPLEFORMAT_COMPLEXIEEEFP, 64, MNP_COMPLEX64},
                {SAMPLEFORMAT_COMPLEXIEEEFP, 128, MNP_COMPLEX128}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].format == (format == SAMPLEFORMAT_VOID ? SAMPLEFORMAT_UINT : format) && rows[i].bits == bits)
            return rows[i].dtype;
    return MNP_DTYPE_AUTO;
}

/* A tag's value of 16 or of 32 bits, or its default. */
static int64_t get_16(const mnp__tiff_file *file, uint32_t tag, int64_t otherwise)
{
    uint16_t value;
    return mnp__tiff.TIFFGetFieldDefaulted(file->tiff, tag, &value) ? value : otherwise;
}

static int64_t get_32(const mnp__tiff_file *file, uint32_t tag, int64_t otherwise)
{
    uint32_t value;
    return mnp__tiff.TIFFGetFieldDefaulted(file->tiff, tag, &value) ? (int64_t)value : otherwise;
}

/* What kinds of pages are not read. */
static mnp_status check_kind(const mnp__tiff_file *file, int64_t bits, int64_t format, int64_t photometric)
{
    const int compression = file->page.compression;
    if (file->page.dtype == MNP_DTYPE_AUTO)
        return MNP_FAIL(MNP_ERR_UNSUPPORTED,
                        "'%s' has elements of %d bit%s in TIFF's format %d; what can be read are integers of 8, 16, "
                        "32 and 64 bits, floats of 16, 32 and 64, and complex numbers of 64 and 128",
                        file->name, (int)bits, bits == 1 ? "" : "s", (int)format);
    if (!mnp__tiff.TIFFIsCODECConfigured((uint16_t)compression) || compression == COMPRESSION_OJPEG)
        return MNP_FAIL(MNP_ERR_UNSUPPORTED, "'%s' is compressed by method %d (%s), which is not there to read it",
                        file->name, compression, mnp__tiff_compression(compression));
    if ((photometric == PHOTOMETRIC_YCBCR && compression != COMPRESSION_JPEG) || photometric == PHOTOMETRIC_LOGL ||
        photometric == PHOTOMETRIC_LOGLUV)
        return MNP_FAIL(MNP_ERR_UNSUPPORTED, "'%s' has colours of a kind (TIFF's number %d) that is not read",
                        file->name, (int)photometric);
    return MNP_OK;
}

/* Extents of segments and what they are. */
static mnp_status read_segments(mnp__tiff_file *file)
{
    mnp__tiff_page *page = &file->page;
    page->tiled = mnp__tiff.TIFFIsTiled(file->tiff);
    page->segment_rows = get_32(file, page->tiled ? TIFFTAG_TILELENGTH : TIFFTAG_ROWSPERSTRIP, page->rows);
    page->segment_columns = page->tiled ? get_32(file, TIFFTAG_TILEWIDTH, 0) : page->columns;
    if (!page->tiled && page->segment_rows > page->rows) /* 2^32 - 1 is one strip */
        page->segment_rows = page->rows;
    if (page->segment_rows < 1 || page->segment_columns < 1)
        return MNP_FAIL(MNP_ERR_FORMAT, "'%s' is damaged: its %s are empty", file->name,
                        page->tiled ? "tiles" : "strips");
    page->direct = page->compression == COMPRESSION_NONE &&
                   get_16(file, TIFFTAG_FILLORDER, FILLORDER_MSB2LSB) == FILLORDER_MSB2LSB;
    page->swapped = mnp__tiff.TIFFIsByteSwapped(file->tiff);
    /* libtiff's own sizes, which follow from the page's fields */
    const int64_t own =
                      page->segment_columns * (page->planes ? 1 : page->samples) * (int64_t)mnp_dtype_size(page->dtype),
                  theirs = page->tiled ? mnp__tiff.TIFFTileRowSize(file->tiff) : mnp__tiff.TIFFScanlineSize(file->tiff);
    int64_t bytes;
    if (own != theirs)
        return mnp__tiff_damaged(file);
    if (__builtin_mul_overflow(own, page->segment_rows, &bytes))
        return MNP_FAIL(MNP_ERR_FORMAT, "'%s' is damaged: its %s have more elements than can be counted", file->name,
                        page->tiled ? "tiles" : "strips");
    return MNP_OK;
}

mnp_status mnp__tiff_read_page(mnp__tiff_file *file)
{
    mnp__tiff_page *page = &file->page;
    const int64_t bits = get_16(file, TIFFTAG_BITSPERSAMPLE, 1), photometric = get_16(file, TIFFTAG_PHOTOMETRIC, 0),
                  format = get_16(file, TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_UINT);
    *page = (mnp__tiff_page){.dtype = find_dtype((int)format, (int)bits),
                             .rows = get_32(file, TIFFTAG_IMAGELENGTH, 0),
                             .columns = get_32(file, TIFFTAG_IMAGEWIDTH, 0),
                             .samples = get_16(file, TIFFTAG_SAMPLESPERPIXEL, 1),
                             .compression = (int)get_16(file, TIFFTAG_COMPRESSION, COMPRESSION_NONE),
                             .reduced =
                                 (get_32(file, TIFFTAG_SUBFILETYPE, 0) & (FILETYPE_REDUCEDIMAGE | FILETYPE_MASK)) != 0};
    if (page->rows < 1 || page->columns < 1 || page->samples < 1)
        return MNP_FAIL(MNP_ERR_FORMAT, "'%s' is damaged: a page has no pixels", file->name);
    MNP_TRY(check_kind(file, bits, format, photometric));
    page->planes =
        page->samples > 1 && get_16(file, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG) == PLANARCONFIG_SEPARATE;
    if (page->compression == COMPRESSION_JPEG && photometric == PHOTOMETRIC_YCBCR)
        mnp__tiff.TIFFSetField(file->tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
    return read_segments(file);
}

#endif
