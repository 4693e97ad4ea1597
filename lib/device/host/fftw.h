/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Private to the host device: FFTW, which is loaded when it is first needed, and stays loaded.  What is found out by
 * trying is stored as its wisdom, in a file beside the cached kernels, for this FFTW and this processor; so it is tried
 * once.  Callers hold a lock: only execution is thread-safe in FFTW.
 */
#ifndef MNP__DEVICE_HOST_FFTW_H
#define MNP__DEVICE_HOST_FFTW_H

#include <fftw3.h>
#include <stdbool.h>

#include "base/config.h"

/* FFTW's functions, which are the same in both precisions but for their prefix. */
typedef struct mnp__fftw {
    bool loaded;
    char *wisdom; /* the path of its file; NULL: there is no cache */
    void *(*dft)(int rank, const fftw_iodim64 *dims, int nbatch, const fftw_iodim64 *batch, void *in, void *out,
                 int sign, unsigned flags);
    void *(*dft_r2c)(int rank, const fftw_iodim64 *dims, int nbatch, const fftw_iodim64 *batch, void *in, void *out,
                     unsigned flags);
    void *(*dft_c2r)(int rank, const fftw_iodim64 *dims, int nbatch, const fftw_iodim64 *batch, void *in, void *out,
                     unsigned flags);
    void (*execute_dft)(const void *plan, void *in, void *out);
    void (*execute_dft_r2c)(const void *plan, void *in, void *out);
    void (*execute_dft_c2r)(const void *plan, void *in, void *out);
    void (*destroy_plan)(void *plan);
    void (*set_timelimit)(double seconds);
    int (*alignment_of)(void *pointer);
    int (*import_wisdom)(const char *path);
    int (*export_wisdom)(const char *path);
    const char *version;
} mnp__fftw;

/* The functions of a precision; false if the library is not here.  Later calls cost next to nothing. */
bool mnp__fftw_load(const mnp__config *config, bool is_double, mnp__fftw **library_p);

/* Keep what was found out. */
void mnp__fftw_save_wisdom(const mnp__fftw *fftw);

#endif
