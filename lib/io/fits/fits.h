/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Images of FITS files, on one rank.  A file is a sequence of header and data units (HDU), in blocks of 2880 bytes.
 * CFITSIO reads heads and decodes compressed images; elements of others lie in the file in C order, and are read
 * without it.
 */
#ifndef MNP__IO_FITS_H
#define MNP__IO_FITS_H

#include <stdbool.h>
#include <stdint.h>

#include <maniple/fits.h>

#include "io/plain_file.h"

/* The head of an image. */
typedef struct mnp__fits_image {
    mnp_fits_info info;
    size_t stored; /* bytes of an element in the file */
    bool compressed;
    int64_t data;               /* where the elements lie in the file, if they are not compressed */
    int64_t unit[MNP_MAX_DIMS]; /* extents of the tiles of a compressed image */
    bool biased;                /* the highest bit is to be inverted: integers with the other sign than BITPIX says */
    bool has_blank;             /* elements that are `blank` become NaN */
    int64_t blank;
} mnp__fits_image;

/* An open file. */
typedef struct mnp__fits_file {
    const char *name;
    mnp__plain_file plain;
    void *fits; /* CFITSIO's; NULL: not open */
} mnp__fits_file;

#define MNP__FITS_FILE_CLOSED ((mnp__fits_file){.plain = MNP__PLAIN_FILE_CLOSED})

enum { MNP__FITS_BLOCK = 2880, MNP__FITS_CARD = 80 };

/* An HDU, as the cards of its header say without CFITSIO. */
typedef struct mnp__fits_hdu {
    int64_t begin, data, end; /* where its header and its data begin, and the next HDU, which may not be there */
    bool is_begun;            /* a header begins there at least */
    bool is_image;            /* the primary HDU, an image, or a compressed one */
    char name[72];            /* its EXTNAME, "" if it has none */
} mnp__fits_hdu;

/* Look at the HDU that begins there; *found_p: the file has all of it.  As mnp__fits_check(). */
mnp_status mnp__fits_walk(const mnp__fits_file *file, int64_t begin, mnp__fits_hdu *hdu, bool *found_p);

/* Look for damage in headers that CFITSIO does not stand.  MNP_ERR_FORMAT, MNP_ERR_IO. */
mnp_status mnp__fits_check(const mnp__fits_file *file);

/* Open with CFITSIO the file that is open as file->plain.  MNP_ERR_FORMAT, MNP_ERR_UNSUPPORTED. */
mnp_status mnp__fits_open(mnp__fits_file *file);
void mnp__fits_close(mnp__fits_file *file);

/* Find an image as mnp_fits_inspect() does, and read its head.  MNP_ERR_ARG, MNP_ERR_FORMAT, MNP_ERR_UNSUPPORTED. */
mnp_status mnp__fits_find(mnp__fits_file *file, const char *hdu, mnp__fits_image *image);

/* Go to the HDU of that number. */
mnp_status mnp__fits_go(mnp__fits_file *file, int hdu);

/* Read the elements of a box of a compressed image, as they are without BSCALE and BZERO.  MNP_ERR_FORMAT. */
mnp_status mnp__fits_decode(mnp__fits_file *file, const mnp__fits_image *image, const mnp__file_box *box, void *to);

/* Invert the highest bit of numbers in this machine's order of bytes, which adds or subtracts half of their range. */
void mnp__fits_invert_sign(size_t size, int64_t count, void *numbers);

#endif
