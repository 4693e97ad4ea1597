/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The functions of libtiff that are used, once mnp__tiff_begin() has loaded it.
 */
#ifndef MNP__IO_TIFF_LIBRARY_H
#define MNP__IO_TIFF_LIBRARY_H

#include <config.h>

#include "base/process/library.h"
#include "io/tiff/tiff.h"

#ifdef HAVE_TIFF

#include <tiffio.h>

#define MNP__TIFF_FUNCTIONS(X)                                                                                         \
    X(TIFFFdOpen)                                                                                                      \
    X(TIFFClose)                                                                                                       \
    X(TIFFSetErrorHandler)                                                                                             \
    X(TIFFSetWarningHandler)                                                                                           \
    X(TIFFGetFieldDefaulted)                                                                                           \
    X(TIFFSetField)                                                                                                    \
    X(TIFFIsTiled)                                                                                                     \
    X(TIFFIsByteSwapped)                                                                                               \
    X(TIFFIsCODECConfigured)                                                                                           \
    X(TIFFLastDirectory)                                                                                               \
    X(TIFFReadDirectory)                                                                                               \
    X(TIFFSetSubDirectory)                                                                                             \
    X(TIFFCurrentDirOffset)                                                                                            \
    X(TIFFGetStrileOffset)                                                                                             \
    X(TIFFGetStrileByteCount)                                                                                          \
    X(TIFFNumberOfStrips)                                                                                              \
    X(TIFFNumberOfTiles)                                                                                               \
    X(TIFFTileSize)                                                                                                    \
    X(TIFFTileRowSize)                                                                                                 \
    X(TIFFScanlineSize)                                                                                                \
    X(TIFFReadEncodedTile)                                                                                             \
    X(TIFFReadScanline)

typedef struct mnp__tiff_library {
    MNP__TIFF_FUNCTIONS(MNP__LIBRARY_FIELD)
} mnp__tiff_library;

extern mnp__tiff_library mnp__tiff;

/* MNP_ERR_FORMAT, with what libtiff has reported. */
mnp_status mnp__tiff_damaged(const mnp__tiff_file *file);

#endif

#endif
