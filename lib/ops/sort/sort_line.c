/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One line that all ranks share: every rank sorts its part, all find where the sorted parts are to be cut, the pieces
 * are exchanged and merged.  A rank receives as many elements as its block of the result has, for any keys.
 *
 * The parts of the line must follow each other rank after rank.  If they do not, the line is redistributed before, or
 * the result afterwards.
 */
#include <stdlib.h>

#include <maniple/create.h>

#include "array/input.h"
#include "array/move/shuffle.h"
#include "array/output.h"
#include "layout/layout.h"
#include "ops/sort/radix_sort.h"
#include "ops/sort/sort.h"

/* Keys, and their indices in the line, or NULL if these are not wanted. */
typedef struct pair {
    mnp_array *keys, *indices;
} pair;

typedef struct line {
    mnp_ctx *ctx;
    mnp_dtype dtype;
    bool descending, indexed;
    mnp_layout *from, *to;     /* layouts of the sorted array and of the result: rank r has part r */
    pair own, got, spare;      /* this rank's part, sorted; received pieces; spare memory for merging */
    pair out;                  /* the result; NULL keys are not wanted */
    int64_t *lengths, *counts; /* lengths of all ranks' parts; of the pieces that this rank sends */
    mnp__shuffle *shuffle;
} line;

static mnp_status pair_new(const line *l, const mnp_layout *layout, pair *p)
{
    MNP_TRY(mnp_array_new(l->ctx, l->dtype, layout, &p->keys));
    return l->indexed ? mnp_array_new(l->ctx, MNP_INT64, layout, &p->indices) : MNP_OK;
}

static void pair_free(pair *p)
{
    mnp_array_free(p->keys);
    mnp_array_free(p->indices);
    *p = (pair){NULL, NULL};
}

/* Allocate this rank's sorted part, in the result's memory if its layout allows: that is written only at the end. */
static mnp_status own_new(line *l)
{
    const bool shared = mnp_layout_equal(l->from, l->to);
    if (shared && l->out.keys)
        l->own.keys = l->out.keys;
    else
        MNP_TRY(mnp_array_new(l->ctx, l->dtype, l->from, &l->own.keys));
    if (shared || !l->indexed)
        l->own.indices = l->out.indices;
    else
        MNP_TRY(mnp_array_new(l->ctx, MNP_INT64, l->from, &l->own.indices));
    return MNP_OK;
}

static void own_free(line *l)
{
    if (l->own.keys != l->out.keys)
        mnp_array_free(l->own.keys);
    if (l->own.indices != l->out.indices)
        mnp_array_free(l->own.indices);
    l->own = (pair){NULL, NULL};
}

/* ---- layouts ---- */

/* Whether rank r owns part r of the only dimension. */
static bool is_in_parts(const mnp_layout *layout)
{
    return mnp_layout_parts(layout, 0) == layout->nranks && !layout->reversed[0];
}

/* The given layout if rank r owns part r, otherwise one in which it does. */
static mnp_status layout_in_parts(const mnp_layout *layout, mnp_layout **parts_p)
{
    if (!is_in_parts(layout))
        return mnp_layout_block(layout->nranks, 1, layout->shape, parts_p);
    *parts_p = mnp_layout_retain(layout);
    return MNP_OK;
}

static mnp_status plan(line *l, const mnp_layout *from, const mnp_layout *to)
{
    const int nranks = from->nranks;
    MNP_TRY(layout_in_parts(from, &l->from));
    MNP_TRY(layout_in_parts(to, &l->to));
    MNP_TRY(mnp__calloc(2 * (size_t)nranks, sizeof *l->lengths, &l->lengths));
    l->counts = l->lengths + nranks;
    for (int r = 0; r < nranks; r++)
        l->lengths[r] = l->from->cuts[0][r + 1] - l->from->cuts[0][r];
    return MNP_OK;
}

/* ---- steps ---- */

static mnp_status sort_part(line *l, const mnp_array *x)
{
    mnp__radix_sort local_sort = {
        .dtype = l->dtype, .descending = l->descending, .lines = 1, .length = x->local_size, .keys = x->data};
    MNP_TRY(own_new(l));
    local_sort.sorted = l->own.keys->data;
    if (l->indexed) {
        MNP_TRY(mnp_arange_int(l->ctx, 0, l->from->size, 1, MNP_INT64, &l->own.indices));
        local_sort.payload_size = sizeof(int64_t);
        local_sort.payload = local_sort.sorted_payload = l->own.indices->data;
    }
    return MNP_AGREE(l->ctx, mnp__radix_sort_run(l->ctx, &local_sort));
}

/* Allocate memory while the device sorts. */
static mnp_status make_room(line *l)
{
    MNP_TRY(pair_new(l, l->to, &l->got));
    return l->ctx->comm.size > 2 ? pair_new(l, l->to, &l->spare) : MNP_OK;
}

static mnp_status exchange_pieces(line *l)
{
    const mnp__runs runs = {.ctx = l->ctx,
                            .dtype = l->dtype,
                            .descending = l->descending,
                            .keys = l->own.keys->data,
                            .lengths = l->lengths};
    MNP_TRY(mnp__sort_split(&runs, l->to->cuts[0], l->counts));
    MNP_TRY(mnp__shuffle_new(l->ctx, l->counts, &l->shuffle));
    MNP_TRY(mnp__shuffle_send(l->shuffle, mnp_dtype_size(l->dtype), l->own.keys->data, l->got.keys->data));
    if (l->indexed)
        MNP_TRY(mnp__shuffle_send(l->shuffle, sizeof(int64_t), l->own.indices->data, l->got.indices->data));
    return MNP_OK;
}

static void *data_of(const mnp_array *array)
{
    return array ? array->data : NULL;
}

static mnp_status merge_pieces(line *l)
{
    const mnp__merge merge = {.dtype = l->dtype,
                              .descending = l->descending,
                              .has_payload = l->indexed,
                              .nruns = l->ctx->comm.size,
                              .lengths = mnp__shuffle_received_from(l->shuffle),
                              .keys = data_of(l->got.keys),
                              .payload = data_of(l->got.indices),
                              .spare_keys = data_of(l->spare.keys),
                              .spare_payload = data_of(l->spare.indices),
                              .out_keys = data_of(l->out.keys),
                              .out_payload = data_of(l->out.indices)};
    return MNP_AGREE(l->ctx, mnp__merge_runs(l->ctx, &merge));
}

static mnp_status sort_in_parts(line *l, const mnp_array *x)
{
    mnp_status st = sort_part(l, x);
    if (st == MNP_OK)
        st = make_room(l);
    if (st == MNP_OK)
        st = exchange_pieces(l);
    if (st == MNP_OK)
        st = merge_pieces(l);
    mnp__shuffle_free(l->shuffle);
    own_free(l);
    pair_free(&l->got);
    pair_free(&l->spare);
    return st;
}

/* ---- a line as it is given ---- */

/* Open a result in the layout of the parts; `wanted` is NULL if it is not wanted. */
static mnp_status open_result(const line *l, mnp_array **wanted, mnp__output *result)
{
    if (!*wanted)
        return MNP_OK;
    const mnp__output_spec spec = {
        .function = "mnp_sort", .ctx = l->ctx, .dtype = (*wanted)->dtype, .layout = l->to, .needs = MNP__OUTPUT_DENSE};
    return mnp__output_open(&spec, wanted, result);
}

mnp_status mnp__sort_line(const mnp_array *x, bool descending, mnp_array *values, mnp_array *indices)
{
    mnp__input input = {NULL, NULL};
    mnp__output results[2] = {{.array = NULL, .user_p = &values}, {.array = NULL, .user_p = &indices}};
    line l = {.ctx = x->ctx, .dtype = x->dtype, .descending = descending, .indexed = indices != NULL};
    mnp_status st = MNP_AGREE(l.ctx, plan(&l, x->layout, (values ? values : indices)->layout));
    if (st == MNP_OK)
        st = mnp__input_open(x, l.from, x->dtype, MNP__INPUT_DENSE, &input);
    if (st == MNP_OK)
        st = open_result(&l, &values, &results[0]);
    if (st == MNP_OK)
        st = open_result(&l, &indices, &results[1]);
    l.out = (pair){results[0].array, results[1].array};
    if (st == MNP_OK)
        st = sort_in_parts(&l, input.array);
    mnp__input_close(&input);
    free(l.lengths);
    mnp_layout_free(l.from);
    mnp_layout_free(l.to);
    return mnp__output_close(2, results, st);
}
