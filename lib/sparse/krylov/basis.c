/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sets of vectors: their memory, and launches of kernels/sparse/krylov/basis.cu.
 */
#include "sparse/krylov/basis.h"

#include <complex.h>
#include <stdlib.h>

#include "base/integer.h"
#include "base/text.h"
#include "layout/layout.h"
#include "sparse/operator/operator.h"

/* `kind` is that of kernels/sparse/krylov/basis.cu, `function` the same in small letters. */
static mnp_status compile(mnp_ctx *ctx, mnp_dtype dtype, const char *kind, const char *function, mnp__kernel **kernel_p)
{
    char room[MNP__KERNEL_ROOM];
    mnp__text defines = MNP__TEXT_IN(room);
    mnp__steps_define_types(&defines, dtype);
    mnp__text_add(&defines, "#define MNP_BASIS_%s 1\n", kind);
    const mnp__kernel_spec spec = {.file = "sparse/krylov/basis.cu", .function = function};
    return mnp__ctx_kernel_of_text(ctx, &spec, &defines, NULL, kernel_p);
}

static mnp_status upload(mnp_ctx *ctx, char *device, const void *from, size_t size)
{
    MNP_TRY(ctx->device->ops->copy(ctx->device, device, from, size, ctx->compute));
    return mnp__ctx_wait(ctx, ctx->compute);
}

/* The table of the vectors' addresses, in device memory. */
static mnp_status publish(mnp__basis *basis)
{
    mnp_ctx *ctx = mnp__steps_buffers_of(basis->steps).ctx;
    size_t size = (size_t)basis->size * sizeof(uint64_t);
    uint64_t *addresses;
    void *device;
    MNP_TRY(ctx->device->ops->alloc(ctx->device, size, &device));
    basis->addresses = device;
    MNP_TRY(mnp__malloc(size, &addresses));
    for (int k = 0; k < basis->size; k++)
        addresses[k] = (uintptr_t)basis->vectors[k]->data;
    mnp_status st = upload(ctx, device, addresses, size);
    free(addresses);
    return st;
}

static mnp_status make_vectors(mnp__basis *basis, const mnp_layout *layout)
{
    const mnp__steps_buffers buffers = mnp__steps_buffers_of(basis->steps);
    for (int k = 0; k < basis->size; k++)
        MNP_TRY(mnp__vector_zeros(buffers.ctx, buffers.dtype, layout, &basis->vectors[k]));
    return MNP_OK;
}

mnp_status mnp__basis_new(mnp__steps *steps, const mnp_layout *layout, int size, mnp__basis **basis_p)
{
    mnp__steps_buffers buffers = mnp__steps_buffers_of(steps);
    mnp_ctx *ctx = buffers.ctx;
    mnp__basis *basis = NULL;
    mnp_status st = mnp__calloc(1, sizeof *basis, &basis);
    if (st == MNP_OK)
        st = mnp__calloc((size_t)size, sizeof *basis->vectors, &basis->vectors);
    st = MNP_AGREE(ctx, st);
    if (st == MNP_OK) {
        basis->steps = steps;
        basis->size = size;
        st = make_vectors(basis, layout);
    }
    if (st == MNP_OK)
        st = MNP_AGREE(ctx, publish(basis));
    if (st == MNP_OK)
        st = compile(ctx, buffers.dtype, "DOTS", "basis_dots", &basis->dots);
    if (st == MNP_OK)
        st = compile(ctx, buffers.dtype, "COMBINE", "basis_combine", &basis->combine);
    if (st == MNP_OK) {
        *basis_p = basis;
        return MNP_OK;
    }
    mnp__basis_free(basis);
    return st;
}

void mnp__basis_free(mnp__basis *basis)
{
    if (!basis)
        return;
    for (int k = 0; k < basis->size; k++)
        mnp_array_free(basis->vectors[k]);
    if (basis->addresses) {
        mnp__device *device = mnp__steps_buffers_of(basis->steps).ctx->device;
        device->ops->free(device, basis->addresses);
    }
    free(basis->vectors);
    free(basis);
}

enum { ELEMENTS_OF_THREAD = 4 }; /* of a GPU: enough to outweigh adding its threads' sums */

/* params->vectors of them, from number `from` on. */
static mnp_status launch(const mnp__basis *basis, mnp__kernel *kernel, int from, const mnp_array *x,
                         struct mnp_basis_params *params)
{
    mnp__steps_buffers buffers = mnp__steps_buffers_of(basis->steps);
    const bool blocks = buffers.ctx->device->block_memory > 0;
    const int64_t share = blocks && kernel == basis->dots ? ELEMENTS_OF_THREAD : 1;
    const mnp__launch how = mnp__steps_launch(buffers.ctx, mnp__divide_up(x->local_size, share));
    params->count = x->local_size;
    params->vector = (uintptr_t)x->data;
    params->basis = (uintptr_t)(basis->addresses + (size_t)from * sizeof(uint64_t));
    params->coefficients += (size_t)from * mnp__sum_size(buffers.dtype);
    params->state = (uintptr_t)buffers.state;
    params->partials = (uintptr_t)buffers.partials;
    params->arrived = (uintptr_t)buffers.arrived;
    return buffers.ctx->device->ops->launch(buffers.ctx->device, kernel, &how, params, sizeof *params,
                                            buffers.ctx->compute);
}

/* In device memory. */
static const struct mnp_step_control *control_of(const mnp__steps_buffers *buffers)
{
    return (const struct mnp_step_control *)(const void *)buffers->state;
}

/* The address of the limit in device memory; 0: there is none. */
static unsigned long long limit_of(const mnp__steps_buffers *buffers, mnp__limit limit)
{
    switch (limit) {
    case MNP__LIMIT_AGAIN:
        return (uintptr_t)&control_of(buffers)->again;
    case MNP__LIMIT_COLUMNS:
        return (uintptr_t)&control_of(buffers)->columns;
    default:
        return 0;
    }
}

static mnp_status dots(mnp__basis *basis, int from, int count, mnp__limit limit, const mnp_array *x, ptrdiff_t at)
{
    mnp__steps_buffers buffers = mnp__steps_buffers_of(basis->steps);
    char *coefficients = at < 0 ? buffers.state + sizeof(struct mnp_step_control) : buffers.memory + at;
    struct mnp_basis_params params = {
        .vectors = count, .coefficients = (uintptr_t)coefficients, .limit = limit_of(&buffers, limit)};
    MNP_TRY(launch(basis, basis->dots, from, x, &params));
    coefficients += (size_t)from * mnp__sum_size(buffers.dtype);
    return mnp__sum_over_ranks(buffers.ctx, buffers.dtype, coefficients, count);
}

mnp_status mnp__basis_dots(mnp__basis *basis, int count, mnp__limit limit, const mnp_array *x, ptrdiff_t at)
{
    return dots(basis, 0, count, limit, x, at);
}

static mnp_status combine(mnp__basis *basis, int from, const mnp__combination *how, mnp_array *x)
{
    mnp__steps_buffers buffers = mnp__steps_buffers_of(basis->steps);
    struct mnp_basis_params params = {.vectors = how->count,
                                      .coefficients = (uintptr_t)(buffers.memory + how->at),
                                      .limit = limit_of(&buffers, how->limit),
                                      .factor = how->scaled ? (uintptr_t)&control_of(&buffers)->factor : 0,
                                      .sign = how->sign,
                                      .always = how->limit == MNP__LIMIT_COLUMNS,
                                      .add = how->add};
    return launch(basis, basis->combine, from, x, &params);
}

mnp_status mnp__basis_combine(mnp__basis *basis, const mnp__combination *how, mnp_array *x)
{
    return combine(basis, 0, how, x);
}

mnp_status mnp__basis_remove(mnp__basis *basis, int from, int to, mnp_array *x, size_t at)
{
    const mnp__combination how = {.count = to - from, .at = at, .sign = -1, .add = true};
    MNP_TRY(dots(basis, from, to - from, MNP__NO_LIMIT, x, (ptrdiff_t)at));
    return combine(basis, from, &how, x);
}

mnp__columns mnp__basis_columns(const mnp__basis *basis, int count)
{
    return (mnp__columns){
        .addresses = basis->addresses, .count = count, .stride = 1, .rows = basis->vectors[0]->local_size};
}

/* ---- sets as tall matrices ---- */

mnp_status mnp__columns_new(int count, mnp_array *const *arrays, mnp__columns *columns)
{
    mnp_ctx *ctx = arrays[0]->ctx;
    const int64_t width = arrays[0]->layout->ndim == 2 ? arrays[0]->layout->shape[1] : 1;
    const size_t size = (size_t)(count * width) * sizeof(uint64_t), item = mnp_dtype_size(arrays[0]->dtype);
    uint64_t *addresses = NULL;
    void *device = NULL;
    mnp_status st;
    MNP_TRY_OR(mnp__malloc(size, &addresses), st, done);
    for (int64_t k = 0; k < count * width; k++)
        addresses[k] = (uintptr_t)arrays[k / width]->data + (size_t)(k % width) * item;
    MNP_TRY_OR(ctx->device->ops->alloc(ctx->device, size, &device), st, done);
    st = upload(ctx, device, addresses, size);
    *columns = (mnp__columns){.addresses = device,
                              .count = (int)(count * width),
                              .stride = width,
                              .rows = width > 0 ? arrays[0]->local_size / width : 0};
done:
    free(addresses);
    return MNP_AGREE(ctx, st);
}

void mnp__columns_free(mnp_ctx *ctx, mnp__columns *columns)
{
    if (columns->addresses)
        ctx->device->ops->free(ctx->device, columns->addresses);
    columns->addresses = NULL;
}

mnp__columns mnp__columns_part(const mnp__columns *columns, int from, int count)
{
    mnp__columns part = *columns;
    part.addresses += (size_t)from * sizeof(uint64_t);
    part.count = count;
    return part;
}

enum {
    ROWS_OF_CHUNK = 256, /* at least, and so few that all the sums have room */
    MOST_CHUNKS = 264,
    MOST_PARTIALS = 64 << 20, /* bytes, as long as every chunk's matrix fits */
    BLOCK = 256               /* threads */
};

struct mnp__tall {
    mnp_ctx *ctx;
    mnp_dtype dtype;
    int most;     /* numbers of a small matrix */
    int chunks;   /* at most */
    char *device; /* a small matrix, then the chunks' */
    char *pinned; /* a small matrix */
    mnp__kernel *inner, *add, *multiply;
};

static mnp_status allocate(mnp__tall *tall)
{
    const mnp__device_ops *ops = tall->ctx->device->ops;
    const size_t matrix = (size_t)tall->most * mnp__sum_size(tall->dtype);
    const size_t chunks = MOST_PARTIALS / matrix;
    void *device, *pinned;
    tall->chunks = chunks < 1 ? 1 : chunks < MOST_CHUNKS ? (int)chunks : MOST_CHUNKS;
    MNP_TRY(ops->alloc(tall->ctx->device, matrix * (size_t)(1 + tall->chunks), &device));
    tall->device = device;
    MNP_TRY(ops->alloc_pinned(tall->ctx->device, matrix, &pinned));
    tall->pinned = pinned;
    return MNP_OK;
}

mnp_status mnp__tall_new(mnp_ctx *ctx, mnp_dtype dtype, int most, mnp__tall **tall_p)
{
    mnp__tall *tall = NULL;
    mnp_status st = mnp__calloc(1, sizeof *tall, &tall);
    if (st == MNP_OK) {
        *tall = (mnp__tall){.ctx = ctx, .dtype = dtype, .most = most > 0 ? most : 1};
        st = allocate(tall);
    }
    MNP_TRY_OR(MNP_AGREE(ctx, st), st, fail);
    MNP_TRY_OR(compile(ctx, dtype, "INNER", "basis_inner", &tall->inner), st, fail);
    MNP_TRY_OR(compile(ctx, dtype, "ADD", "basis_add", &tall->add), st, fail);
    MNP_TRY_OR(compile(ctx, dtype, "MULTIPLY", "basis_multiply", &tall->multiply), st, fail);
    *tall_p = tall;
    return MNP_OK;
fail:
    mnp__tall_free(tall);
    return st;
}

void mnp__tall_free(mnp__tall *tall)
{
    if (!tall)
        return;
    mnp__device *device = tall->ctx->device;
    if (tall->pinned)
        device->ops->free_pinned(device, tall->pinned);
    if (tall->device)
        device->ops->free(device, tall->device);
    free(tall);
}

static struct mnp_columns for_kernel(const mnp__columns *columns)
{
    return (struct mnp_columns){
        .addresses = (uintptr_t)columns->addresses, .count = columns->count, .stride = columns->stride};
}

static mnp_status launch_tall(const mnp__tall *tall, mnp__kernel *kernel, int64_t blocks, const void *params,
                              size_t size)
{
    const mnp__launch how = {.grid = {(unsigned)blocks, 1, 1}, .block = {BLOCK, 1, 1}};
    return tall->ctx->device->ops->launch(tall->ctx->device, kernel, &how, params, size, tall->ctx->compute);
}

mnp_status mnp__tall_inner(mnp__tall *tall, const mnp__columns *left, const mnp__columns *right,
                           double _Complex *matrix)
{
    mnp_ctx *ctx = tall->ctx;
    const int count = left->count * right->count;
    const size_t number = mnp__sum_size(tall->dtype), size = (size_t)count * number;
    int64_t chunks = left->rows / ROWS_OF_CHUNK;
    chunks = chunks < 1 ? 1 : chunks < tall->chunks ? chunks : tall->chunks;
    const struct mnp_inner_params params = {.rows = left->rows,
                                            .chunks = chunks,
                                            .left = for_kernel(left),
                                            .right = for_kernel(right),
                                            .partials = (uintptr_t)(tall->device + (size_t)tall->most * number),
                                            .sums = (uintptr_t)tall->device};
    MNP_TRY(launch_tall(tall, tall->inner, chunks, &params, sizeof params));
    MNP_TRY(launch_tall(tall, tall->add, mnp__divide_up(count, BLOCK), &params, sizeof params));
    MNP_TRY(mnp__sum_over_ranks(ctx, tall->dtype, tall->device, count));
    MNP_TRY(ctx->device->ops->copy(ctx->device, tall->pinned, tall->device, size, ctx->compute));
    MNP_TRY(mnp__ctx_wait(ctx, ctx->compute));
    const double *numbers = (const double *)(const void *)tall->pinned;
    for (int i = 0; i < count; i++)
        matrix[i] = number == sizeof(double) ? numbers[i] : numbers[2 * i] + I * numbers[2 * i + 1];
    return MNP_OK;
}

mnp_status mnp__tall_put(mnp__tall *tall, int count, const double _Complex *matrix)
{
    mnp_ctx *ctx = tall->ctx;
    const size_t number = mnp__sum_size(tall->dtype);
    double *numbers = (double *)(void *)tall->pinned;
    MNP_TRY(mnp__ctx_wait(ctx, ctx->compute)); /* the matrix before has been copied */
    for (int i = 0; i < count; i++) {
        if (number == sizeof(double)) {
            numbers[i] = creal(matrix[i]);
        } else {
            numbers[2 * i] = creal(matrix[i]);
            numbers[2 * i + 1] = cimag(matrix[i]);
        }
    }
    return ctx->device->ops->copy(ctx->device, tall->device, tall->pinned, (size_t)count * number, ctx->compute);
}

mnp_status mnp__tall_multiply(mnp__tall *tall, const mnp__columns *from, const mnp__columns *to)
{
    enum { MOST_BLOCKS = 1056, LEAST_ROWS = 16 };
    const struct mnp_multiply_params params = {
        .rows = from->rows, .from = for_kernel(from), .to = for_kernel(to), .matrix = (uintptr_t)tall->device};
    const int64_t blocks = mnp__divide_up(from->rows, LEAST_ROWS);
    return launch_tall(tall, tall->multiply,
                       blocks < 1             ? 1
                       : blocks < MOST_BLOCKS ? blocks
                                              : MOST_BLOCKS,
                       &params, sizeof params);
}
