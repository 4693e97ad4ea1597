/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The memory of a part, on the CPU and on the device.
 */
#include "sparse/matrix/part.h"

#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "sparse/step/elements.h"

int64_t mnp__part_offsets(const mnp__part *part)
{
    switch (part->format) {
    case MNP_CSC:
        return part->columns + 1;
    case MNP_COO:
    case MNP_DIA:
        return 0;
    default:
        return part->lines + 1;
    }
}

int64_t mnp__part_rows_of(const mnp__part *part)
{
    if (part->format == MNP_COO)
        return part->count;
    if (part->format == MNP_SELL)
        return part->rows;
    return part->format == MNP_CSR && part->rows_of ? part->lines : 0;
}

int64_t mnp__part_indices(const mnp__part *part)
{
    if (part->format == MNP_DIA)
        return part->lines;
    return part->format == MNP_BSR ? part->count / ((int64_t)part->block * part->block) : part->count;
}

void mnp__part_free(mnp__part *part)
{
    free(part->offsets);
    free(part->rows_of);
    free(part->indices);
    free(part->values);
    *part = (mnp__part){.rows = 0};
}

void mnp__part_release(mnp_ctx *ctx, mnp__part *part)
{
    mnp__elements_free(ctx, part->offsets);
    mnp__elements_free(ctx, part->rows_of);
    mnp__elements_free(ctx, part->indices);
    mnp__elements_free(ctx, part->values);
    *part = (mnp__part){.rows = 0};
}

/* ---- to the device ---- */

/* The offsets, as wide as the device's part has them. */
static mnp_status upload_offsets(mnp_ctx *ctx, const mnp__part *part, mnp__part *device_part)
{
    const int64_t *wide = part->offsets, count = mnp__part_offsets(part);
    int32_t *narrow;
    if (device_part->offset_size == sizeof *wide)
        return mnp__elements_send(ctx, count, sizeof *wide, wide, &device_part->offsets);
    MNP_TRY(mnp__malloc((size_t)count * sizeof *narrow, &narrow));
    for (int64_t i = 0; i < count; i++)
        narrow[i] = (int32_t)wide[i];
    const mnp_status st = mnp__elements_upload(ctx, count, sizeof *narrow, narrow, &device_part->offsets);
    free(narrow);
    return st;
}

mnp_status mnp__part_upload(mnp_ctx *ctx, mnp_dtype dtype, int offset_size, const mnp__part *part,
                            mnp__part *device_part)
{
    mnp__part made = *part;
    mnp_status st;
    made.offset_size = offset_size;
    made.offsets = made.values = NULL;
    made.rows_of = made.indices = NULL;
    MNP_TRY_OR(upload_offsets(ctx, part, &made), st, fail);
    MNP_TRY_OR(mnp__elements_send(ctx, mnp__part_rows_of(part), sizeof *part->rows_of, part->rows_of, &made.rows_of),
               st, fail);
    MNP_TRY_OR(mnp__elements_send(ctx, mnp__part_indices(part), sizeof *part->indices, part->indices, &made.indices),
               st, fail);
    MNP_TRY_OR(mnp__elements_send(ctx, part->count, mnp_dtype_size(dtype), part->values, &made.values), st, fail);
    MNP_TRY_OR(mnp__ctx_wait(ctx, ctx->compute), st, fail);
    *device_part = made;
    return MNP_OK;
fail:
    mnp__part_release(ctx, &made);
    return st;
}

/* ---- from the device ---- */

static mnp_status download(mnp_ctx *ctx, int64_t count, size_t size, const void *from, void *pointer_p)
{
    void *memory;
    MNP_TRY(mnp__malloc((size_t)count * size, &memory));
    memcpy(pointer_p, &memory, sizeof memory);
    return ctx->device->ops->copy(ctx->device, memory, from, (size_t)count * size, ctx->compute);
}

/* Make offsets 64 bits wide. */
static mnp_status widen(mnp__part *part)
{
    const int64_t count = mnp__part_offsets(part);
    const int32_t *narrow = part->offsets;
    int64_t *wide;
    if (part->offset_size == sizeof *wide || count == 0)
        return MNP_OK;
    MNP_TRY(mnp__malloc((size_t)count * sizeof *wide, &wide));
    for (int64_t i = 0; i < count; i++)
        wide[i] = narrow[i];
    free(part->offsets);
    part->offsets = wide;
    part->offset_size = sizeof *wide;
    return MNP_OK;
}

mnp_status mnp__part_download(mnp_ctx *ctx, mnp_dtype dtype, const mnp__part *device_part, mnp__part *part)
{
    mnp__part made = *device_part;
    mnp_status st;
    made.offsets = made.values = NULL;
    made.rows_of = made.indices = NULL;
    const int64_t offsets = mnp__part_offsets(device_part), rows_of = mnp__part_rows_of(device_part),
                  indices = mnp__part_indices(device_part);
    MNP_TRY_OR(download(ctx, offsets, (size_t)made.offset_size, device_part->offsets, &made.offsets), st, fail);
    if (device_part->rows_of)
        MNP_TRY_OR(download(ctx, rows_of, sizeof *made.rows_of, device_part->rows_of, &made.rows_of), st, fail);
    MNP_TRY_OR(download(ctx, indices, sizeof *made.indices, device_part->indices, &made.indices), st, fail);
    MNP_TRY_OR(download(ctx, made.count, mnp_dtype_size(dtype), device_part->values, &made.values), st, fail);
    MNP_TRY_OR(mnp__ctx_wait(ctx, ctx->compute), st, fail);
    MNP_TRY_OR(widen(&made), st, fail);
    *part = made;
    return MNP_OK;
fail:
    mnp__part_free(&made);
    return st;
}

/* ---- on the device ---- */

mnp_status mnp__part_as_csr(mnp_ctx *ctx, mnp_dtype dtype, const mnp__part *device_part, mnp__part *csr)
{
    mnp__part stored = {.rows = 0}, converted = {.rows = 0};
    mnp_status st;
    MNP_TRY(mnp__part_download(ctx, dtype, device_part, &stored));
    st = mnp__part_to_csr(&stored, dtype, &converted);
    mnp__part_free(&stored);
    if (st == MNP_OK)
        st = mnp__part_upload(ctx, dtype, converted.count > INT32_MAX ? 8 : 4, &converted, csr);
    mnp__part_free(&converted);
    return st;
}

mnp_status mnp__part_empty(mnp_ctx *ctx, int64_t rows, mnp__part *csr)
{
    mnp__part empty = {.format = MNP_CSR, .rows = rows, .offset_size = sizeof(int32_t)};
    MNP_TRY(mnp__elements_new(ctx, 1, sizeof(int32_t), &empty.offsets));
    *csr = empty;
    return ctx->device->ops->fill(ctx->device, csr->offsets, 0, sizeof(int32_t), ctx->compute);
}
