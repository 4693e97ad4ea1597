/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Halos: the mover fills the margins of arrays.
 *
 * What a rank wants is its block with the margins around it, less the block: a ring, which is two slabs for each
 * dimension.  The slabs along a dimension reach over the margins of the later dimensions, and not over those of the
 * earlier ones.  Margins belong to the mover's destination, the memory that the blocks lie in; blocks are its source.
 */
#include <maniple/halo.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "array/array.h"
#include "array/move/mover.h"
#include "base/hash.h"
#include "base/integer.h"
#include "layout/layout.h"

/* One array and what is to be filled around its blocks. */
struct field {
    mnp_array *array;
    int64_t before[MNP_MAX_DIMS], after[MNP_MAX_DIMS]; /* at most the array's margins */
    mnp_boundary boundaries[MNP_MAX_DIMS];
    bool faces_only;
    unsigned char fill[16];
    mnp__mover *mover;
};

struct mnp_halo {
    unsigned tag; /* MNP__TAG_halo: see base/call.h */
    mnp_ctx *ctx;
    int count;
    struct field *fields;
    bool keep_outside, under_way;
};

/* ---- which boxes ---- */

/* The memory of a rank's block and its margins: strides in elements, and the global index of what lies first in it. */
static void describe_memory(const mnp_array *array, const int64_t *lo, const int64_t *extent, int64_t *strides,
                            int64_t *first)
{
    int64_t stride = 1;
    for (int i = array->layout->ndim - 1; i >= 0; i--) {
        int d = array->layout->order[i];
        strides[d] = stride;
        stride *= extent[d] + array->before[d] + array->after[d];
        first[d] = lo[d] - array->before[d];
    }
}

static int wanted_ring(const void *argument, int rank, mnp__want *wants)
{
    const struct field *field = argument;
    const mnp_layout *layout = field->array->layout;
    int64_t lo[MNP_MAX_DIMS], extent[MNP_MAX_DIMS], strides[MNP_MAX_DIMS], first[MNP_MAX_DIMS];
    int count = 0;
    if (!mnp__layout_box(layout, rank, lo, extent))
        return 0;
    describe_memory(field->array, lo, extent, strides, first);
    for (int d = 0; d < layout->ndim; d++) {
        for (int above = 0; above <= 1; above++) {
            mnp__want *want = &wants[count];
            if ((above ? field->after[d] : field->before[d]) == 0)
                continue;
            want->offset = 0;
            for (int e = 0; e < layout->ndim; e++) {
                bool whole = e > d && !field->faces_only;
                want->lo[e] = lo[e] - (whole ? field->before[e] : 0);
                want->extent[e] = extent[e] + (whole ? field->before[e] + field->after[e] : 0);
                if (e == d) {
                    want->lo[e] = above ? lo[e] + extent[e] : lo[e] - field->before[e];
                    want->extent[e] = above ? field->after[e] : field->before[e];
                }
                want->strides[e] = strides[e];
                want->offset += (want->lo[e] - first[e]) * strides[e];
            }
            count++;
        }
    }
    return count;
}

void mnp_halo_interior(const mnp_halo *halo, int k, mnp_halo_box *interior)
{
    MNP_NEED_OR(, halo);
    MNP_NEED_OR(, interior);
    const struct field *field = &halo->fields[k];
    const mnp_array *array = field->array;
    *interior = (mnp_halo_box){{0}, {0}};
    for (int d = 0; d < array->layout->ndim; d++) {
        int64_t extent = array->local_shape[d], lo = mnp__min(field->before[d], extent);
        interior->lo[d] = lo;
        interior->shape[d] = extent - lo > field->after[d] ? extent - lo - field->after[d] : 0;
    }
}

int mnp_halo_borders(const mnp_halo *halo, int k, mnp_halo_box *borders)
{
    MNP_NEED_OR(-1, halo);
    MNP_NEED_OR(-1, borders);
    const mnp_array *array = halo->fields[k].array;
    mnp_halo_box interior;
    int count = 0;
    mnp_halo_interior(halo, k, &interior);
    for (int d = 0; d < array->layout->ndim; d++) {
        for (int above = 0; above <= 1; above++) {
            mnp_halo_box box = {{0}, {0}};
            int64_t size = 1;
            for (int e = 0; e < array->layout->ndim; e++) {
                int64_t end = interior.lo[e] + interior.shape[e];
                box.lo[e] = e < d ? interior.lo[e] : 0;
                box.shape[e] = e < d ? interior.shape[e] : array->local_shape[e];
                if (e == d) {
                    box.lo[e] = above ? end : 0;
                    box.shape[e] = above ? array->local_shape[e] - end : interior.lo[e];
                }
                size *= box.shape[e];
            }
            if (size > 0)
                borders[count++] = box;
        }
    }
    return count;
}

/* ---- planning ---- */

static mnp_status check_array(const mnp_ctx *ctx, int k, const mnp_array *array, int ndim)
{
    MNP_TRY(mnp__array_check_blocks("mnp_halo_new", array));
    if (array->ctx != ctx)
        return MNP_FAIL(MNP_ERR_ARG, "array %d belongs to another context", k);
    if (array->layout->ndim != ndim)
        return MNP_FAIL(MNP_ERR_ARG, "array %d has %d dimensions, and array 0 has %d", k, array->layout->ndim, ndim);
    return MNP_OK;
}

/* Take the width of one side, NULL meaning the margin's, if the margin is as wide. */
static mnp_status take_width(int k, int d, const char *side, const int64_t *widths, int64_t margin, int64_t *width)
{
    *width = widths ? widths[d] : margin;
    if (*width < 0 || *width > margin)
        return MNP_FAIL(MNP_ERR_ARG,
                        "a halo of width %" PRId64 " %s dimension %d does not fit the margin of array %d, "
                        "which is %" PRId64 " wide there",
                        *width, side, d, k, margin);
    return MNP_OK;
}

static mnp_status set_field(struct field *field, int k, mnp_array *array, const mnp_halo_options *options)
{
    field->array = array;
    field->faces_only = options->faces_only;
    for (int d = 0; d < array->layout->ndim; d++) {
        MNP_TRY(take_width(k, d, "before", options->before, array->before[d], &field->before[d]));
        MNP_TRY(take_width(k, d, "after", options->after, array->after[d], &field->after[d]));
        field->boundaries[d] = options->boundary ? options->boundary[d] : MNP_BOUNDARY_FILL;
        if ((int)field->boundaries[d] < 0 || field->boundaries[d] > MNP_BOUNDARY_NEAREST)
            return MNP_FAIL(MNP_ERR_ARG, "boundary[%d] is %d, which is none", d, (int)field->boundaries[d]);
    }
    if (options->fill && options->fill[k])
        memcpy(field->fill, options->fill[k], mnp_dtype_size(array->dtype));
    return MNP_OK;
}

static mnp_status resolve(mnp_halo *halo, mnp_array *const *arrays, const mnp_halo_options *options)
{
    halo->keep_outside = options->keep_outside;
    for (int k = 0; k < halo->count; k++) {
        MNP_TRY(check_array(halo->ctx, k, arrays[k], arrays[0]->layout->ndim));
        MNP_TRY(set_field(&halo->fields[k], k, arrays[k], options));
    }
    return MNP_OK;
}

/* A number that equal arguments of mnp_halo_new() share. */
static uint64_t hash_arguments(const mnp_halo *halo)
{
    uint64_t hash = MNP__HASH_START;
    for (int k = 0; k < halo->count; k++) {
        const struct field *field = &halo->fields[k];
        const int values[] = {(int)field->array->dtype, field->faces_only, halo->keep_outside};
        const uint64_t layout = mnp__layout_hash(field->array->layout);
        hash = mnp__hash(hash, &layout, sizeof layout);
        hash = mnp__hash(hash, values, sizeof values);
        hash = mnp__hash(hash, field->before, sizeof field->before);
        hash = mnp__hash(hash, field->after, sizeof field->after);
        hash = mnp__hash(hash, field->boundaries, sizeof field->boundaries);
        hash = mnp__hash(hash, field->fill, sizeof field->fill);
    }
    return hash;
}

static mnp_status plan_field(mnp_ctx *ctx, struct field *field)
{
    const mnp_array *array = field->array;
    const mnp__move_spec spec = {.dtype = array->dtype,
                                 .layout = array->layout,
                                 .strides = array->local_strides,
                                 .boundaries = field->boundaries,
                                 .wants = wanted_ring,
                                 .argument = field,
                                 .direct = array->buffer->shared};
    return mnp__mover_new(ctx, &spec, &field->mover);
}

mnp_status mnp_halo_new(mnp_ctx *ctx, int count, mnp_array *const *arrays, const mnp_halo_options *options,
                        mnp_halo **halo_p)
{
    MNP_ENTER(ctx, halo_p);
    MNP_NEED_ALL(count, arrays);
    static const mnp_halo_options none;
    mnp_halo *halo = NULL;
    if (count < 1)
        return MNP_FAIL(MNP_ERR_ARG, "a halo of %d arrays", count);
    mnp_status st = mnp__calloc(1, sizeof *halo, &halo);
    if (st == MNP_OK) {
        halo->tag = MNP__TAG_halo;
        halo->ctx = ctx;
        halo->count = count;
        mnp__ctx_made(ctx, halo);
        st = mnp__calloc((size_t)count, sizeof *halo->fields, &halo->fields);
    }
    if (st == MNP_OK)
        st = resolve(halo, arrays, options ? options : &none);
    MNP_TRY_OR(MNP_AGREE(ctx, st), st, fail);
    MNP_TRY_OR(mnp__check_same(&ctx->comm, "mnp_halo_new", hash_arguments(halo)), st, fail);
    for (int k = 0; k < count; k++)
        MNP_TRY_OR(plan_field(ctx, &halo->fields[k]), st, fail);
    *halo_p = halo;
    return MNP_OK;
fail:
    mnp_halo_free(halo);
    return st;
}

void mnp_halo_free(mnp_halo *halo)
{
    if (!halo)
        return;
    MNP_ENTER_NAME();
    MNP_NEED_OR(, halo);
    mnp__ctx_gone(halo->ctx, halo);
    mnp__ctx_drain(halo->ctx); /* what was enqueued last uses the movers' memory */
    for (int k = 0; halo->fields && k < halo->count; k++)
        mnp__mover_free(halo->fields[k].mover);
    free(halo->fields);
    mnp__object_free(halo);
}

/* ---- running ---- */

/* The memory of all blocks and their margins. */
static void *memory_of(const struct field *field)
{
    return field->array->buffer->data;
}

static mnp_status fill_outside(const mnp_halo *halo, const struct field *field)
{
    return halo->keep_outside ? MNP_OK : mnp__mover_fill(field->mover, memory_of(field), field->fill);
}

mnp_status mnp_halo_begin(mnp_halo *halo)
{
    MNP_ENTER(halo);
    if (halo->under_way)
        return MNP_FAIL(MNP_ERR_ARG, "the halo exchange has begun already");
    for (int k = 0; k < halo->count; k++) {
        struct field *field = &halo->fields[k];
        MNP_TRY(fill_outside(halo, field));
        MNP_TRY(mnp__mover_begin(field->mover, field->array->data, memory_of(field)));
    }
    halo->under_way = true; /* not where it failed, such as when a graph is recorded: it can be tried again */
    return MNP_OK;
}

mnp_status mnp_halo_progress(mnp_halo *halo)
{
    MNP_ENTER(halo);
    for (int k = 0; halo->under_way && k < halo->count; k++) {
        if (mnp__mover_needs_help(halo->fields[k].mover))
            MNP_TRY(mnp__mover_help(halo->fields[k].mover));
    }
    return MNP_OK;
}

mnp_status mnp_halo_finish(mnp_halo *halo)
{
    MNP_ENTER(halo);
    if (!halo->under_way)
        return MNP_FAIL(MNP_ERR_ARG, "the halo exchange has not begun");
    halo->under_way = false;
    for (int k = 0; k < halo->count; k++)
        MNP_TRY(mnp__mover_finish(halo->fields[k].mover, memory_of(&halo->fields[k])));
    return MNP_OK;
}

mnp_status mnp_halo_exchange(mnp_halo *halo)
{
    MNP_ENTER(halo);
    if (halo->count == 1 && !halo->under_way) { /* nothing beside it: quicker than in two steps */
        struct field *field = &halo->fields[0];
        MNP_TRY(fill_outside(halo, field));
        return mnp__mover_run(field->mover, field->array->data, memory_of(field));
    }
    MNP_TRY(mnp_halo_begin(halo));
    return mnp_halo_finish(halo);
}
