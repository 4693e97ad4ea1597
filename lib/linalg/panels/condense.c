/* SPDX-License-Identifier: BSD-3-Clause */
/* What reductions of one matrix to two diagonals have in common. */
#include "linalg/panels/condense.h"

#include <stdlib.h>

#include <maniple/comm.h>

#include "layout/layout.h"

static mnp_status replicated(mnp_ctx *ctx, mnp_dtype dtype, int64_t count, mnp_array **array_p)
{
    mnp_layout *layout;
    MNP_TRY(mnp_layout_replicated(ctx->comm.size, 1, &count, &layout));
    const mnp_status st = mnp_array_new(ctx, dtype, layout, array_p);
    mnp_layout_free(layout);
    return st;
}

/* Ones on the diagonal, and zeros. */
static mnp_status set_identity(const mnp_array *identity, int64_t n)
{
    const bool is_double = mnp__linalg_real(identity->dtype) == MNP_FLOAT64;
    const size_t size = mnp_dtype_size(identity->dtype);
    char *values;
    MNP_TRY(mnp__calloc((size_t)(n * n), size, &values));
    for (int64_t i = 0; i < n; i++) {
        char *one = values + (size_t)(i * (n + 1)) * size;
        if (is_double)
            *(double *)(void *)one = 1;
        else
            *(float *)(void *)one = 1;
    }
    const mnp_status st = mnp_array_set_local((mnp_array *)(uintptr_t)identity, values);
    free(values);
    return st;
}

mnp_status mnp__condense_begin(const mnp__place *place, const mnp__dense *a, int64_t work, mnp__condense *c)
{
    mnp_ctx *ctx = place->ctx;
    const mnp_dtype dtype = a->array->dtype;
    *c = (mnp__condense){.work = NULL};
    MNP_TRY(mnp__pass_begin(place, a, a->n, &c->pass));
    MNP_TRY(replicated(ctx, dtype, work, &c->work));
    MNP_TRY(replicated(ctx, dtype, 2 * a->n, &c->diagonals));
    MNP_TRY(replicated(ctx, dtype, a->width * a->width, &c->identity));
    return MNP_AGREE(ctx, set_identity(c->identity, a->width));
}

mnp_status mnp__condense_end(mnp__condense *c, mnp_status st)
{
    mnp_free_all(c->identity, c->diagonals, c->work);
    return mnp__pass_end(&c->pass, st);
}

mnp_status mnp__condense_reflect(const mnp__condense *c, int64_t count, char *x, char *factor, char *v)
{
    const mnp__pass *p = &c->pass;
    const mnp__lapack_job job = {
        .dtype = p->dtype, .batch = 1, .m = count, .n = 1, .a = {x, count, 0}, .values = factor};
    MNP_TRY(p->device->ops->lapack->geqrf(p->device, &job, p->ctx->compute));
    MNP_TRY(p->device->ops->copy(p->device, v, x, (size_t)count * p->size, p->ctx->compute));
    return p->device->ops->copy(p->device, v, c->identity->data, p->size, p->ctx->compute);
}

mnp_status mnp__condense_deflate(const mnp__condense *c, mnp__extents extents, mnp__factor a, mnp__factor b,
                                 const char *x, char *t, char *y)
{
    const mnp__pass *p = &c->pass;
    MNP_TRY(mnp__pass_multiply(p, mnp__mnk(extents.k, 1, extents.n), 1, b, mnp__plain(x, extents.n), 0,
                               mnp__into(t, extents.k)));
    return mnp__pass_subtract(p, mnp__mnk(extents.m, 1, extents.k), a, mnp__plain(t, extents.k),
                              mnp__into(y, extents.m));
}

mnp_status mnp__condense_scale(const mnp__condense *c, int64_t count, const char *tau, const char *x, char *y)
{
    return mnp__pass_multiply(&c->pass, mnp__mnk(count, 1, 1), 1, mnp__plain(x, count), mnp__plain(tau, 1), 0,
                              mnp__into(y, count));
}

mnp_status mnp__condense_sum(const mnp__condense *c, char *values, int64_t count)
{
    return mnp_comm_all_reduce(mnp_comm_world(c->pass.ctx), values, values, count, c->pass.dtype, MNP_SUM);
}

mnp_status mnp__condense_keep(const mnp__condense *c, int which, int64_t first, int64_t count, char *from, int64_t ld)
{
    const mnp__pass *p = &c->pass;
    const int64_t step = ld + 1, dense = 1;
    const mnp__one_box box = mnp__one_box_of(1, &count, &step, &dense);
    char *to = (char *)c->diagonals->data + (size_t)(which * p->a->n + first) * p->size;
    return count <= 0 ? MNP_OK : mnp__one_box_copy(p->ctx, p->copy, &box, p->size, from, to, p->ctx->compute);
}

mnp_status mnp__condense_fetch(const mnp__condense *c, double *diagonal, double *other)
{
    const mnp_dtype dtype = c->pass.dtype;
    const int64_t n = c->pass.a->n, parts = mnp_dtype_kind(dtype) == 'c' ? 2 : 1;
    const bool is_double = mnp__linalg_real(dtype) == MNP_FLOAT64;
    void *values;
    MNP_TRY(mnp__malloc((size_t)(2 * n) * c->pass.size, &values));
    const mnp_status st = mnp_array_get_local(c->diagonals, values);
    for (int64_t i = 0; i < 2 * n - 1 && st == MNP_OK; i++) {
        const double value =
            is_double ? ((const double *)values)[parts * i] : (double)((const float *)values)[parts * i];
        *(i < n ? diagonal + i : other + (i - n)) = value;
    }
    free(values);
    return st;
}

bool mnp__next_run(const mnp__pass *p, int64_t from, mnp__run *found)
{
    const int64_t width = p->a->width, rank = p->ctx->comm.rank, size = p->ctx->comm.size;
    int64_t block = from / width;
    block += (rank - block % size + size) % size;
    found->first = block * width > from ? block * width : from;
    found->end = (block + 1) * width < p->a->n ? (block + 1) * width : p->a->n;
    found->own = mnp__columns_before(p, p->a, found->first);
    return found->first < found->end;
}
