/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Passes over the data of Fourier transforms: planning and launches.
 */
#include <config.h>

#include <stdlib.h>

#include "base/text.h"
#include "device/cuda/fft_pass.h"
#include "device/launch.h"

static int farther_first(const void *one, const void *other)
{
    const int64_t a = ((const mnp__fft_pass_dim *)one)->out, b = ((const mnp__fft_pass_dim *)other)->out;
    return (a < b) - (a > b);
}

/* Join neighbours that are one in both memories.  Returns how many dimensions are left. */
static int join_dims(mnp__fft_pass_dim *dims, int count)
{
    int left = 0;
    for (int d = 0; d < count; d++) {
        mnp__fft_pass_dim *outer = left > 0 ? &dims[left - 1] : NULL;
        if (outer && outer->in == dims[d].in * dims[d].extent && outer->out == dims[d].out * dims[d].extent &&
            !outer->mirrors && !dims[d].mirrors && !outer->half && !dims[d].half) {
            dims[d].extent *= outer->extent;
            *outer = dims[d];
        } else {
            dims[left++] = dims[d];
        }
    }
    return left;
}

mnp_status mnp__fft_pass_plan(mnp__device *device, bool is_double, int parts, bool half, mnp__fft_pass_dim *dims,
                              int count, mnp__fft_pass *pass)
{
    char room[256];
    mnp__text defines = MNP__TEXT_IN(room);
    qsort(dims, (size_t)count, sizeof *dims, farther_first);
    count = join_dims(dims, count);
    mnp__text_add(&defines, "#define MNP_REAL %s\n#define MNP_PARTS %d\n#define MNP_HALF %d\n#define MNP_DIMS %d\n",
                  is_double ? "double" : "float", parts, half, count);
    const mnp__kernel_spec spec = {
        .file = "fft/pass.cu", .function = "fft_pass", .defines = mnp__text_string(&defines)};
    pass->params = (mnp_fft_pass_params){.scale = 1, .count = 1};
    for (int d = 0; d < count; d++) {
        mnp_fft_pass_params *p = &pass->params;
        p->extent[d] = dims[d].half ? dims[d].extent / 2 + 1 : dims[d].extent;
        p->in_stride[d] = dims[d].in;
        p->out_stride[d] = dims[d].out;
        p->mirrors |= dims[d].mirrors ? 1u << d : 0;
        p->count *= p->extent[d];
        if (dims[d].half) {
            p->half = d;
            p->points = dims[d].extent;
        }
    }
    return mnp__device_load_kernel(device, &spec, &pass->kernel);
}

int mnp__fft_pass_list(const mnp__fft_spec *spec, mnp__fft_pass_dim *dims)
{
    int count = 0;
    for (int d = 0; d < spec->nbatch; d++)
        dims[count++] = (mnp__fft_pass_dim){spec->batch[d].extent, spec->batch[d].in, spec->batch[d].out, false, false};
    for (int d = 0; d < spec->rank; d++)
        dims[count++] = (mnp__fft_pass_dim){spec->dims[d].extent, spec->dims[d].in, spec->dims[d].out, false, false};
    return count;
}

mnp_status mnp__fft_pass_run(mnp__device *device, const mnp__fft_pass *pass, const void *in, void *out,
                             mnp__stream *stream)
{
    mnp_fft_pass_params params = pass->params;
    const mnp__launch launch = mnp__launch_of(params.count);
    params.in = in;
    params.out = out;
    return device->ops->launch(device, pass->kernel, &launch, &params, sizeof params, stream);
}

void mnp__fft_pass_free(mnp__device *device, mnp__fft_pass *pass)
{
    device->ops->kernel_free(device, pass->kernel);
    *pass = (mnp__fft_pass){.kernel = NULL};
}
