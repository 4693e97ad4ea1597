/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Private to the CUDA device: passes over the data of a Fourier transform, by kernels/fft/pass.cu, which scale it, copy
 * it, or keep of a half spectrum what real numbers have.
 */
#ifndef MNP__DEVICE_CUDA_FFT_PASS_H
#define MNP__DEVICE_CUDA_FFT_PASS_H

#include "device/device.h"
#include "kernels/fft/pass_params.h"

typedef struct mnp__fft_pass {
    mnp__kernel *kernel; /* NULL: it is not needed */
    mnp_fft_pass_params params;
} mnp__fft_pass;

/* A dimension of a pass. */
typedef struct mnp__fft_pass_dim {
    int64_t extent, in, out;
    bool mirrors, half; /* see kernels/fft/pass_params.h */
} mnp__fft_pass_dim;

enum { MNP__FFT_PASS_DIMS = MNP__FFT_RANK + MNP_MAX_DIMS };

/* All dimensions of a transform, MNP__FFT_PASS_DIMS at most: first those of the batch.  Returns how many there are. */
int mnp__fft_pass_list(const mnp__fft_spec *spec, mnp__fft_pass_dim *dims);

/*
 * Plan a pass over elements of so many parts, real numbers; half: of a half spectrum.  Changes dims.  Its factor,
 * params.scale, is 1.  Release with mnp__fft_pass_free(), which accepts zeros.  MNP_ERR_COMPILE.
 */
mnp_status mnp__fft_pass_plan(mnp__device *device, bool is_double, int parts, bool half, mnp__fft_pass_dim *dims,
                              int count, mnp__fft_pass *pass);
mnp_status mnp__fft_pass_run(mnp__device *device, const mnp__fft_pass *pass, const void *in, void *out,
                             mnp__stream *stream);
void mnp__fft_pass_free(mnp__device *device, mnp__fft_pass *pass);

#endif
