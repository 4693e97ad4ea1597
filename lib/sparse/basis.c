/*
 * Sets of vectors: their memory, and launches of kernels/basis.cu.
 */
#include "sparse/basis.h"

#include <stdlib.h>

#include "base/text.h"

static mnp_status compile(mnp__steps_places places, bool dots, mnp__kernel **kernel_p)
{
    mnp__text defines = MNP__TEXT_EMPTY;
    mnp__steps_define_types(&defines, places.dtype);
    mnp__text_add(&defines, "#define mnp_basis %s\n#define MNP_DOTS %d\n", dots ? "basis_dots" : "basis_combine", dots);
    mnp__kernel_spec spec = {
        .file = "basis.cu", .function = dots ? "basis_dots" : "basis_combine", .defines = mnp__text_string(&defines)};
    mnp_status st = mnp__text_status(&defines);
    if (st == MNP_OK)
        st = mnp__ctx_kernel(places.ctx, &spec, kernel_p);
    mnp__text_free(&defines);
    return st;
}

/* The vectors' addresses where the device finds them. */
static mnp_status publish(mnp__basis *basis)
{
    mnp_ctx *ctx = mnp__steps_places_of(basis->steps).ctx;
    size_t size = (size_t)basis->size * sizeof(uint64_t);
    uint64_t *addresses;
    void *device;
    MNP_TRY(ctx->device->ops->alloc(ctx->device, size, &device));
    basis->addresses = device;
    MNP_TRY(mnp__malloc(size, &addresses));
    for (int k = 0; k < basis->size; k++)
        addresses[k] = (uintptr_t)basis->vectors[k]->data;
    mnp_status st = ctx->device->ops->copy(ctx->device, device, addresses, size, ctx->compute);
    if (st == MNP_OK)
        st = mnp__ctx_wait(ctx, ctx->compute);
    free(addresses);
    return st;
}

static mnp_status make_vectors(mnp__basis *basis, const mnp_layout *layout)
{
    mnp__steps_places places = mnp__steps_places_of(basis->steps);
    mnp__device *device = places.ctx->device;
    for (int k = 0; k < basis->size; k++) {
        MNP_TRY(mnp_array_new(places.ctx, places.dtype, layout, &basis->vectors[k]));
        size_t bytes = (size_t)basis->vectors[k]->local_size * mnp_dtype_size(places.dtype);
        if (bytes > 0)
            MNP_TRY(device->ops->fill(device, basis->vectors[k]->data, 0, bytes, places.ctx->compute));
    }
    return MNP_OK;
}

mnp_status mnp__basis_new(mnp__steps *steps, const mnp_layout *layout, int size, mnp__basis **basis_p)
{
    mnp_ctx *ctx = mnp__steps_places_of(steps).ctx;
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
        st = compile(mnp__steps_places_of(steps), true, &basis->dots);
    if (st == MNP_OK)
        st = compile(mnp__steps_places_of(steps), false, &basis->combine);
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
        mnp__device *device = mnp__steps_places_of(basis->steps).ctx->device;
        device->ops->free(device, basis->addresses);
    }
    free(basis->vectors);
    free(basis);
}

static mnp_status launch(const mnp__basis *basis, mnp__kernel *kernel, const mnp_array *x, struct mnp_basis_params *params)
{
    mnp__steps_places places = mnp__steps_places_of(basis->steps);
    mnp__launch how = mnp__steps_launch(places.ctx, x->local_size);
    params->count = x->local_size;
    params->vector = (uintptr_t)x->data;
    params->basis = (uintptr_t)basis->addresses;
    params->state = (uintptr_t)places.state;
    params->partials = (uintptr_t)places.partials;
    params->arrived = (uintptr_t)places.arrived;
    return places.ctx->device->ops->launch(places.ctx->device, kernel, &how, params, sizeof *params, places.ctx->compute);
}

/* The address of the limit in device memory; 0: there is none. */
static unsigned long long limit_of(const mnp__steps_places *places, mnp__limit limit)
{
    const struct mnp_step_control *control = (const struct mnp_step_control *)(void *)places->state;
    switch (limit) {
    case MNP__LIMIT_AGAIN: return (uintptr_t)&control->again;
    case MNP__LIMIT_COLUMNS: return (uintptr_t)&control->columns;
    default: return 0;
    }
}

mnp_status mnp__basis_dots(mnp__basis *basis, int count, mnp__limit limit, const mnp_array *x, ptrdiff_t at)
{
    mnp__steps_places places = mnp__steps_places_of(basis->steps);
    char *coefficients = at < 0 ? places.state + sizeof(struct mnp_step_control) : places.memory + at;
    struct mnp_basis_params params = {
        .vectors = count, .coefficients = (uintptr_t)coefficients, .limit = limit_of(&places, limit)};
    MNP_TRY(launch(basis, basis->dots, x, &params));
    return mnp__sum_over_ranks(places.ctx, places.dtype, coefficients, count);
}

mnp_status mnp__basis_combine(mnp__basis *basis, const mnp__combination *how, mnp_array *x)
{
    mnp__steps_places places = mnp__steps_places_of(basis->steps);
    struct mnp_basis_params params = {.vectors = how->count,
                                      .coefficients = (uintptr_t)(places.memory + how->at),
                                      .limit = limit_of(&places, how->limit),
                                      .sign = how->sign,
                                      .always = how->limit == MNP__LIMIT_COLUMNS,
                                      .add = how->add};
    return launch(basis, basis->combine, x, &params);
}
