/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Images in TIFF files, read and written by all ranks together: classic files and BigTIFF; to read, in strips and
 * tiles, in all compressions that this libtiff has.
 *
 * An image has the dimensions rows and columns; before them the pages, if all pages of a file of several are read; and
 * after them the samples of a pixel, if there are several, also where the file keeps them in separate planes.  Elements
 * are signed and unsigned integers of 8 to 64 bits, floats of 16 to 64 bits, and complex numbers of two floats.  They
 * are what the file has: a palette is not looked up, and the order of black and white is the file's.  JPEG in YCbCr
 * becomes RGB.
 *
 * Files are read through libtiff; in a build without it mnp_tiff_inspect() and mnp_tiff_read() fail with
 * MNP_ERR_UNSUPPORTED.
 */
#ifndef MANIPLE_TIFF_H
#define MANIPLE_TIFF_H

#include <stdbool.h>
#include <stdint.h>

#include <maniple/array.h>
#include <maniple/base.h>
#include <maniple/view.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MNP_TIFF_ALL_PAGES (-1)

/* What the heads of a file's pages say. */
typedef struct mnp_tiff_info {
    mnp_dtype dtype;
    int ndim;
    int64_t shape[MNP_MAX_DIMS];
    int64_t pages;         /* how many are read */
    bool tiled;            /* the first of them lies in tiles, not in strips */
    int64_t rows, columns; /* of a tile or strip of it */
    char compression[24];  /* of that page: "none", "LZW" */
} mnp_tiff_info;

/*
 * Read the heads of pages.
 *
 *   page  the number of one page, from 0 on; MNP_TIFF_ALL_PAGES: all, which have to be equal in shape and dtype
 *
 * Pages that the file marks as another page's reduced resolution or as its mask are not counted, but for the file's
 * first page.  MNP_ERR_IO; MNP_ERR_FORMAT if it is no TIFF file or damaged; MNP_ERR_ARG if there is no such page;
 * MNP_ERR_UNSUPPORTED: elements of other sizes, such as 1 or 12 bits, other compressions, or pages that differ.
 * Collective.
 */
MNP_API mnp_status mnp_tiff_inspect(mnp_ctx *ctx, const char *file, int64_t page, mnp_tiff_info *info_p);

/*
 * Read an image, or a part of it that `selection` describes (maniple/view.h).  Each rank reads the rows of its block if
 * the image is not compressed.  Otherwise it reads the tiles that its block touches, and decodes strips from their
 * first row to the last one that it needs.
 *
 *   file       a file on a file system that all ranks share
 *   page       as for mnp_tiff_inspect()
 *   selection  NULL: all
 *   layout     the array's layout, of the shape that is read; NULL: mnp_layout_block()
 *   array_p    receives the array; if *array_p is not NULL, that array is reused
 *
 * Errors as for mnp_tiff_inspect(); MNP_ERR_ARG if the selection does not fit the image, or the layout what is read;
 * MNP_ERR_MEMORY.  Collective.
 */
MNP_API mnp_status mnp_tiff_read(mnp_ctx *ctx, const char *file, int64_t page, const mnp_selection *selection,
                                 const mnp_layout *layout, mnp_array **array_p);

/* What the last dimension is; three samples of a pixel are RGB, and four RGBA. */
typedef enum mnp_tiff_last {
    MNP_TIFF_LAST_AUTO,    /* samples if it has 3 or 4 indices behind two dimensions or more, of uint8 or uint16 */
    MNP_TIFF_LAST_COLUMNS, /* the columns */
    MNP_TIFF_LAST_SAMPLES  /* the samples of a pixel */
} mnp_tiff_last;

typedef struct mnp_tiff_write_options {
    mnp_tiff_last last;
    bool bigtiff; /* write a BigTIFF file also where 4 GiB are enough */
} mnp_tiff_write_options;

/*
 * Write an array as the pages of a file, not compressed, without libtiff: two dimensions as one page of rows and
 * columns, three as pages of these; with samples one dimension more.  It is a classic file where 4 GiB are enough,
 * otherwise a BigTIFF file; strips have about 1 MiB.  Each rank writes its own block.  The file is replaced atomically,
 * as by mnp_h5_write().
 *
 *   array    of all dtypes that mnp_tiff_read() gives, and no extent of 0
 *   options  NULL: 0 for all
 *
 * MNP_ERR_UNSUPPORTED for bool and bfloat16; MNP_ERR_ARG if the array has other dimensions, 2^31 rows or columns or
 * more, or 2^16 samples or more; MNP_ERR_IO, in a message with the file and the reason; MNP_ERR_MEMORY.  Collective.
 */
MNP_API mnp_status mnp_tiff_write(const mnp_array *array, const char *file, const mnp_tiff_write_options *options);

/*
 * Check whether mnp_tiff_write() could write a file, without writing: the folder and the permissions.  MNP_ERR_IO,
 * MNP_ERR_ARG.  Collective.
 */
MNP_API mnp_status mnp_tiff_check_write(mnp_ctx *ctx, const char *file);

#ifdef __cplusplus
}
#endif

#endif
