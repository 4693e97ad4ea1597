/* SPDX-License-Identifier: BSD-3-Clause */
/* Scalars: numbers as operands, which are arrays without memory.  The context keeps them in a ring. */
#include <stdlib.h>
#include <string.h>

#include "array/array.h"

enum { RING = 64 };

typedef struct scalars {
    mnp_layout *layout; /* the layout of all scalars, without dimensions */
    mnp_array ring[RING];
    unsigned next;
} scalars;

static void free_scalars(mnp_ctx *ctx, void *data)
{
    scalars *all = data;
    (void)ctx;
    mnp_layout_free(all->layout);
    free(all);
}

static mnp_status make_ring(mnp_ctx *ctx)
{
    scalars *all;
    MNP_TRY(mnp__calloc(1, sizeof *all, &all));
    mnp_status st = mnp_layout_replicated(ctx->comm.size, 0, NULL, &all->layout);
    if (st != MNP_OK) {
        free(all);
        return st;
    }
    ctx->attached[MNP__ATTACHED_SCALARS] = (mnp__attachment){.data = all, .free = free_scalars};
    return MNP_OK;
}

static const mnp_array *next_scalar(mnp_ctx *ctx, mnp_dtype dtype, const void *value)
{
    mnp__attachment *attached = &ctx->attached[MNP__ATTACHED_SCALARS];
    if (!attached->data && make_ring(ctx) != MNP_OK)
        return NULL;
    scalars *all = attached->data;
    mnp_array *scalar = &all->ring[all->next++ % RING];
    *scalar =
        (mnp_array){.ctx = ctx, .dtype = dtype, .layout = all->layout, .local_size = 1, .weak = mnp_dtype_kind(dtype)};
    memcpy(scalar->value, value, mnp_dtype_size(dtype));
    return scalar;
}

const mnp_array *mnp_scalar_bool(mnp_ctx *ctx, bool value)
{
    return next_scalar(ctx, MNP_BOOL, &(unsigned char){value});
}

const mnp_array *mnp_scalar_int(mnp_ctx *ctx, int64_t value)
{
    return next_scalar(ctx, MNP_INT64, &value);
}

const mnp_array *mnp_scalar_float(mnp_ctx *ctx, double value)
{
    return next_scalar(ctx, MNP_FLOAT64, &value);
}

const mnp_array *mnp_scalar_complex(mnp_ctx *ctx, double re, double im)
{
    return next_scalar(ctx, MNP_COMPLEX128, (double[2]){re, im});
}
