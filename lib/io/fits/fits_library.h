/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The functions of CFITSIO that are used, once mnp__fits_open() has loaded it.
 */
#ifndef MNP__IO_FITS_LIBRARY_H
#define MNP__IO_FITS_LIBRARY_H

#include <config.h>

#include "base/process/library.h"
#include "io/fits/fits.h"

#ifdef HAVE_CFITSIO

#include <fitsio.h>

#define MNP__CFITSIO_FUNCTIONS(X)                                                                                      \
    X(ffdkopn)                                                                                                         \
    X(ffclos)                                                                                                          \
    X(ffgerr)                                                                                                          \
    X(ffgmsg)                                                                                                          \
    X(ffcmsg)                                                                                                          \
    X(ffthdu)                                                                                                          \
    X(ffghdn)                                                                                                          \
    X(ffmahd)                                                                                                          \
    X(ffmnhd)                                                                                                          \
    X(ffgiprll)                                                                                                        \
    X(ffghadll)                                                                                                        \
    X(ffgkys)                                                                                                          \
    X(ffgkyd)                                                                                                          \
    X(ffgkyjj)                                                                                                         \
    X(ffpscl)                                                                                                          \
    X(ffgsv)                                                                                                           \
    X(fits_is_compressed_image)                                                                                        \
    X(ffgcno)                                                                                                          \
    X(ffgdesll)                                                                                                        \
    X(ffgcvb)

typedef struct mnp__cfitsio_library {
    MNP__CFITSIO_FUNCTIONS(MNP__LIBRARY_FIELD)
} mnp__cfitsio_library;

extern mnp__cfitsio_library mnp__cfitsio;

/*
 * A failure of CFITSIO, with its sentences: MNP_ERR_MEMORY, MNP_ERR_IO where the system fails, MNP_ERR_UNSUPPORTED for
 * a compression that it does not have, otherwise MNP_ERR_FORMAT.
 */
mnp_status mnp__fits_failed(const mnp__fits_file *file, int status);

#endif

#endif
