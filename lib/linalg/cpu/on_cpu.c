/* SPDX-License-Identifier: BSD-3-Clause */
/* Work on matrices that only the CPU has functions for. */
#include "linalg/cpu/on_cpu.h"

#include <stdlib.h>

mnp_status mnp__on_cpu_open(const mnp_array *array, void **data_p)
{
    mnp_ctx *ctx = array->ctx;
    const size_t bytes = (size_t)array->local_size * mnp_dtype_size(array->dtype);
    void *copy = NULL;
    *data_p = array->data;
    if (ctx->device->cpu_memory || bytes == 0)
        return mnp__ctx_wait(ctx, ctx->compute);
    MNP_TRY(mnp__malloc(bytes, &copy));
    mnp_status st = ctx->device->ops->copy(ctx->device, copy, array->data, bytes, ctx->compute);
    if (st == MNP_OK)
        st = mnp__ctx_wait(ctx, ctx->compute);
    if (st == MNP_OK)
        *data_p = copy;
    else
        free(copy);
    return st;
}

mnp_status mnp__on_cpu_close(const mnp_array *array, void *data, bool changed)
{
    mnp_ctx *ctx = array->ctx;
    const size_t bytes = (size_t)array->local_size * mnp_dtype_size(array->dtype);
    mnp_status st = MNP_OK;
    if (!data || data == array->data)
        return MNP_OK;
    if (changed)
        st = ctx->device->ops->copy(ctx->device, array->data, data, bytes, ctx->compute);
    if (st == MNP_OK)
        st = mnp__ctx_wait(ctx, ctx->compute);
    free(data);
    return st;
}

mnp_status mnp__on_cpu_run(const mnp__place *place, mnp__lapack_op *op, mnp__lapack_job job,
                           const mnp_array *const arrays[MNP__JOB_ARRAYS])
{
    mnp__device *device = place->ctx->device;
    void *data[MNP__JOB_ARRAYS] = {NULL};
    mnp_status st = MNP_OK;
    if (job.batch == 0 || job.n == 0)
        return MNP_OK;
    MNP_TRY(mnp__refuse_recording(device, "factoring a matrix"));
    for (int i = 0; i < MNP__JOB_ARRAYS && st == MNP_OK; i++)
        st = arrays[i] ? mnp__on_cpu_open(arrays[i], &data[i]) : MNP_OK;
    job.a.data = data[MNP__JOB_A];
    job.b.data = data[MNP__JOB_B];
    job.c.data = data[MNP__JOB_C];
    job.d.data = data[MNP__JOB_D];
    job.values = data[MNP__JOB_VALUES];
    job.pivots = data[MNP__JOB_PIVOTS];
    job.info = data[MNP__JOB_INFO];
    if (st == MNP_OK)
        st = op(device->ops->lapack == &mnp__host_lapack ? device : NULL, &job, NULL);
    for (int i = 0; i < MNP__JOB_ARRAYS; i++) {
        const mnp_status closed = arrays[i] ? mnp__on_cpu_close(arrays[i], data[i], st == MNP_OK) : MNP_OK;
        st = st == MNP_OK ? closed : st;
    }
    return st;
}
