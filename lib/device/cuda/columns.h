/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Private to the CUDA device: Fourier transforms along one dimension whose elements are rows of matrices apart, complex
 * or real on one side.  They are scaled as well, and may be in place.
 */
#ifndef MNP__DEVICE_CUDA_COLUMNS_H
#define MNP__DEVICE_CUDA_COLUMNS_H

#include "device/device.h"
#include "device/launch.h"
#include "kernels/fft/columns_params.h"

typedef struct mnp__cuda_columns {
    mnp__kernel *kernel; /* NULL: there is no plan */
    void *chirp;         /* device memory; NULL where none is needed */
    bool filters;
    mnp_fft_columns_params params;
    mnp__launch launch;
} mnp__cuda_columns;

/* Whether a transform can be planned.  docs/performance.md has such transforms beside cuFFT's. */
bool mnp__cuda_columns_can(mnp__device *device, const mnp__fft_spec *spec);

/*
 * Load the kernel and find what to launch.  Release with mnp__cuda_columns_free(), also in a failure.  MNP_ERR_COMPILE,
 * MNP_ERR_MEMORY, MNP_ERR_UNSUPPORTED.
 */
mnp_status mnp__cuda_columns_plan(mnp__device *device, const mnp__fft_spec *spec, mnp__cuda_columns *columns);

/* Where the transform filters, `out` is the spectrum of the filter. */
mnp_status mnp__cuda_columns_run(mnp__device *device, const mnp__cuda_columns *columns, const void *in, void *out,
                                 mnp__stream *stream);

/* Zeros are accepted. */
void mnp__cuda_columns_free(mnp__device *device, mnp__cuda_columns *columns);

#endif
