/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Images in FITS files, read and written by all ranks together: primary arrays, extensions and, to read, compressed
 * images.
 *
 * Dimensions are in the order of C, as astropy.io.fits has them: the last one is NAXIS1.  Elements are what astropy
 * makes of them: BITPIX 8, 16, 32, 64, -32 and -64 are uint8, int16, int32, int64, float32 and float64.  With BSCALE 1
 * and the BZERO of the FITS standard, integers of 16, 32 and 64 bits are unsigned ones, and those of 8 bits signed.
 * Other integers with BSCALE, BZERO or BLANK become float32 where they have up to 16 bits, otherwise float64: values
 * are multiplied by BSCALE, then BZERO is added, and BLANK is NaN.
 *
 * Files are read through CFITSIO; in a build without it mnp_fits_inspect() and mnp_fits_read() fail with
 * MNP_ERR_UNSUPPORTED.
 */
#ifndef MANIPLE_FITS_H
#define MANIPLE_FITS_H

#include <stdbool.h>
#include <stdint.h>

#include <maniple/array.h>
#include <maniple/base.h>
#include <maniple/view.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What the head of an image says. */
typedef struct mnp_fits_info {
    mnp_dtype dtype; /* as which it is read */
    int ndim;
    int64_t shape[MNP_MAX_DIMS];
    int bitpix;           /* of its elements in the file */
    int hdu;              /* the number of the image's header and data unit (HDU), 0: the first one */
    char name[72];        /* its EXTNAME; "" if it has none */
    char compression[24]; /* "none", "RICE_1" */
    double scale, zero;   /* BSCALE and BZERO */
} mnp_fits_info;

/*
 * Read the head of an image.
 *
 *   hdu  "1": its number, from 0 on; "SCI" or "SCI,2": its EXTNAME, in letters of any case, and EXTVER; NULL: the first
 *        one that has an image
 *
 * MNP_ERR_IO; MNP_ERR_FORMAT if it is no FITS file, or damaged, or shorter than its image; MNP_ERR_ARG if there is no
 * such HDU, or it is no image, such as a table; MNP_ERR_UNSUPPORTED with more than MNP_MAX_DIMS dimensions, for random
 * groups, for compressions that CFITSIO does not have, and for HCOMPRESS, as CFITSIO does not check its data.
 * Collective.
 */
MNP_API mnp_status mnp_fits_inspect(mnp_ctx *ctx, const char *file, const char *hdu, mnp_fits_info *info_p);

/*
 * Read an image, or a part of it that `selection` describes (maniple/view.h).  Each rank reads its own block; if the
 * image is compressed, it reads the tiles that its block touches.
 *
 *   file       a file on a file system that all ranks share
 *   hdu        as for mnp_fits_inspect()
 *   selection  NULL: all
 *   layout     the array's layout, of the shape that is read; NULL: mnp_layout_block()
 *   array_p    receives the array; if *array_p is not NULL, that array is reused
 *
 * Errors as for mnp_fits_inspect(); MNP_ERR_ARG if the selection does not fit the image, or the layout what is read;
 * MNP_ERR_MEMORY.  Collective.
 */
MNP_API mnp_status mnp_fits_read(mnp_ctx *ctx, const char *file, const char *hdu, const mnp_selection *selection,
                                 const mnp_layout *layout, mnp_array **array_p);

/*
 * Write an array as an image, without CFITSIO.  Elements are signed and unsigned integers of 8 to 64 bits, float32 and
 * float64; integers whose sign BITPIX does not tell get the BZERO of the standard.  Each rank writes its own block.
 * The file is replaced atomically, as by mnp_h5_write().
 *
 *   array  of at least one dimension; the last one becomes NAXIS1
 *   hdu    NULL: the file has the array as its primary array, and nothing else.  Otherwise the EXTNAME of an extension:
 *          an image of that name, in letters of any case, is replaced, or one is added behind the others; everything
 *          else in the file is kept, which copies it.  A new file gets an empty primary HDU before it.
 *
 * MNP_ERR_UNSUPPORTED with other elements, such as bool, float16 and complex numbers; MNP_ERR_ARG without dimensions,
 * if the name is not 1 to 60 printable characters of ASCII without * ? # , and ', is a number or PRIMARY, or is that of
 * the primary HDU or a table; MNP_ERR_FORMAT if the file that gets an extension is no FITS file or damaged; MNP_ERR_IO,
 * in a message with the file and the reason; MNP_ERR_MEMORY.  Collective.
 */
MNP_API mnp_status mnp_fits_write(const mnp_array *array, const char *file, const char *hdu);

/*
 * Check whether mnp_fits_write() could write a file, without writing: the folder, the permissions, and what the file
 * holds already.  Errors as for mnp_fits_write().  Collective.
 */
MNP_API mnp_status mnp_fits_check_write(mnp_ctx *ctx, const char *file, const char *hdu);

#ifdef __cplusplus
}
#endif

#endif
