/* SPDX-License-Identifier: BSD-3-Clause */
/* Passes over the panels of one matrix whose columns are dealt out over the ranks. */
#include "linalg/panels/panel_pass.h"

#include <maniple/comm.h>

#include "base/integer.h"
#include "layout/layout.h"

mnp_status mnp__pass_begin(const mnp__place *place, const mnp__dense *a, int64_t columns, mnp__pass *p)
{
    mnp_layout *layout;
    const mnp_dtype dtype = a->array->dtype, moving = mnp__moving_dtype(dtype);
    *p = (mnp__pass){.place = place,
                     .ctx = place->ctx,
                     .device = place->ctx->device,
                     .dtype = dtype,
                     .size = mnp_dtype_size(dtype),
                     .a = a,
                     .count = mnp__divide_up(columns, a->width)};
    MNP_TRY(MNP_AGREE(p->ctx, p->device->ops->blas->need(p->device, place->function)));
    MNP_TRY(mnp__copy_kernel(p->ctx, moving, moving, &p->copy));
    MNP_TRY(mnp_layout_replicated(p->ctx->comm.size, 1, (const int64_t[]){(a->m + 1) * a->width}, &layout));
    const mnp_status st = mnp_array_new(p->ctx, dtype, layout, &p->buffer);
    mnp_layout_free(layout);
    return st;
}

mnp_status mnp__pass_end(mnp__pass *p, mnp_status st)
{
    mnp_array_free(p->buffer);
    return st == MNP_OK ? MNP_AGREE(p->ctx, p->own) : st;
}

mnp__panel mnp__panel_at(const mnp__pass *p, int64_t k, int64_t below)
{
    const int64_t width = p->a->width, first = k * width, top = mnp__min(first + below, p->a->m);
    return (mnp__panel){.number = k,
                        .first = first,
                        .columns = mnp__min(width, p->a->n - first),
                        .top = top,
                        .rows = p->a->m - top,
                        .owner = (int)(k % p->ctx->comm.size)};
}

mnp__panel mnp__panel_above(const mnp__pass *p, int64_t k)
{
    mnp__panel at = mnp__panel_at(p, k, 0);
    at.top = 0;
    at.rows = at.first + at.columns;
    return at;
}

int64_t mnp__columns_before(const mnp__pass *p, const mnp__dense *a, int64_t column)
{
    const int64_t rank = p->ctx->comm.rank, size = p->ctx->comm.size, panels = column / a->width,
                  whole = panels <= rank ? 0 : mnp__divide_up(panels - rank, size),
                  part = panels % size == rank ? column % a->width : 0;
    return mnp__min(whole * a->width + part, a->columns);
}

mnp_status mnp__panel_copy(const mnp__pass *p, const mnp__panel *at, bool back)
{
    char *matrix = mnp__pass_element(p, p->a, at->top, mnp__columns_before(p, p->a, at->first));
    char *buffer = p->buffer->data;
    const int64_t extent[2] = {at->columns, at->rows}, ours[2] = {p->a->of.ld, 1}, packed[2] = {at->rows, 1};
    const mnp__one_box box = mnp__one_box_of(2, extent, back ? packed : ours, back ? ours : packed);
    if (at->rows == 0)
        return MNP_OK;
    return mnp__one_box_copy(p->ctx, p->copy, &box, p->size, back ? buffer : matrix, back ? matrix : buffer,
                             p->ctx->compute);
}

mnp_status mnp__panel_broadcast(const mnp__pass *p, const mnp__panel *at, int64_t elements)
{
    return mnp_comm_broadcast(mnp_comm_world(p->ctx), p->buffer->data, elements, p->dtype, at->owner);
}

mnp_status mnp__pass_multiply(const mnp__pass *p, mnp__extents extents, double alpha, mnp__factor a, mnp__factor b,
                              double beta, mnp__target c)
{
    const mnp__gemm gemm = {.dtype = p->dtype,
                            .op_a = (mnp__blas_op)a.op,
                            .op_b = (mnp__blas_op)b.op,
                            .m = extents.m,
                            .n = extents.n,
                            .k = extents.k,
                            .batch = 1,
                            .a = a.at,
                            .b = b.at,
                            .c = c.at,
                            .lda = a.ld,
                            .ldb = b.ld,
                            .ldc = c.ld,
                            .alpha = {alpha, 0},
                            .beta = {beta, 0}};
    if (extents.m == 0 || extents.n == 0 || extents.k == 0)
        return MNP_OK;
    return p->device->ops->blas->gemm(p->device, &gemm, p->ctx->compute);
}
