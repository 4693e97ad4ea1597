/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Numbers out of arrays.  The lowest rank that owns an element copies it to the host, several of them with one wait,
 * and an all-reduce of the CPUs brings all to all ranks, which then convert them alike.
 */
#include <maniple/item.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array/array.h"
#include "base/text.h"
#include "base/value.h"
#include "comm/comm.h"
#include "layout/layout.h"

enum { WORDS = 2, ELEMENT = WORDS * sizeof(uint64_t), FEW = 8 }; /* an element of any dtype, in words and bytes */

/* ---- what is asked for ---- */

enum { NAME = 24 };
static const char *name_of(int count, int i, char name[NAME])
{
    snprintf(name, NAME, count == 1 ? "the array" : "array %d", i);
    return name;
}

static mnp_status check(const char *function, int count, const mnp_item_request *requests)
{
    if (count < 1)
        return MNP_FAIL(MNP_ERR_ARG, "%s: count is %d, and must be at least 1", function, count);
    for (int i = 0; i < count; i++) {
        char text[NAME];
        const char *name = name_of(count, i, text);
        const mnp_array *x = requests[i].array;
        if (!mnp__is_object(x, MNP__TAG_array))
            return mnp__refuse_pointer(__FILE__, __LINE__, function, name, x, MNP__TAG_array);
        if (x->ctx != requests[0].array->ctx)
            return MNP_FAIL(MNP_ERR_ARG, "%s: %s belongs to another context", function, name);
        if (x->layout->size != 1)
            return MNP_FAIL(MNP_ERR_ARG, "%s: %s has %" PRId64 " elements, and must have one", function, name,
                            x->layout->size);
        if (mnp_dtype_size(requests[i].dtype) == 0)
            return MNP_FAIL(MNP_ERR_ARG, "%s: %d is no dtype", function, (int)requests[i].dtype);
        if (!requests[i].value)
            return MNP_FAIL(MNP_ERR_ARG, "%s: the place for the number of %s is NULL", function, name);
    }
    return MNP_OK;
}

/* ---- elements to the host ---- */

/* Whether this rank gives the element of an array to all. */
static bool gives(const mnp_array *x)
{
    static const int64_t first[MNP_MAX_DIMS] = {0};
    return mnp__array_is_scalar(x) ? x->ctx->comm.rank == 0 : mnp_layout_owner(x->layout, first) == x->ctx->comm.rank;
}

/* Copy the elements that this rank gives from memory that the CPU reads. */
static void copy_from(int count, const mnp_item_request *requests, const char *pinned, uint64_t *words)
{
    for (int i = 0; i < count; i++) {
        const mnp_array *x = requests[i].array;
        const void *element = mnp__array_is_scalar(x) ? (const void *)mnp__scalar_value(x)
                              : pinned                ? pinned + (size_t)i * ELEMENT
                                                      : x->data;
        if (gives(x))
            memcpy(words + i * WORDS, element, mnp_dtype_size(x->dtype));
    }
}

/* The same where the device has memory of its own: through pinned memory, as many at a time as that holds. */
static mnp_status copy_from_device(mnp_ctx *ctx, int count, const mnp_item_request *requests, uint64_t *words)
{
    void *pinned;
    size_t bytes;
    MNP_TRY(mnp__array_pinned(ctx, &pinned, &bytes));
    const int most = (int)(bytes / ELEMENT);
    for (int first = 0; first < count; first += most) {
        const int some = count - first < most ? count - first : most;
        for (int i = 0; i < some; i++) {
            const mnp_array *x = requests[first + i].array;
            if (gives(x) && !mnp__array_is_scalar(x))
                MNP_TRY(ctx->device->ops->copy(ctx->device, (char *)pinned + (size_t)i * ELEMENT, x->data,
                                               mnp_dtype_size(x->dtype), ctx->compute));
        }
        MNP_TRY(mnp__ctx_wait(ctx, ctx->compute));
        copy_from(some, requests + first, pinned, words + first * WORDS);
    }
    return MNP_OK;
}

static mnp_status read_own(mnp_ctx *ctx, int count, const mnp_item_request *requests, uint64_t *words)
{
    if (!ctx->device->cpu_memory)
        return copy_from_device(ctx, count, requests, words);
    MNP_TRY(mnp__ctx_wait(ctx, ctx->compute));
    copy_from(count, requests, NULL, words);
    return MNP_OK;
}

/* Bring all elements to all ranks, and in the same exchange whether any rank has failed: the last word. */
static mnp_status read_all(mnp_ctx *ctx, int count, const mnp_item_request *requests, uint64_t *words)
{
    mnp_status st = read_own(ctx, count, requests, words);
    if (ctx->comm.size == 1)
        return st;
    words[count * WORDS] = st != MNP_OK;
    MNP_TRY(mnp__all_reduce(&ctx->comm, words, count * WORDS + 1, MPI_UINT64_T, MPI_BOR));
    return words[count * WORDS] == 0 ? MNP_OK : MNP_AGREE(ctx, st);
}

/* ---- conversions ---- */

static mnp_status refuse(const char *function, const char *name, const mnp__value *value, mnp_dtype from, mnp_dtype to)
{
    mnp__text text = MNP__TEXT_EMPTY;
    if (value->kind == 'i')
        mnp__text_add(&text, "%" PRId64, value->i);
    else if (value->kind == 'u')
        mnp__text_add(&text, "%" PRIu64, value->u);
    else if (value->kind == 'f')
        mnp__text_add(&text, "%.17g", value->re);
    else
        mnp__text_add(&text, "(%.17g%+.17gj)", value->re, value->im);
    mnp_status st = MNP_FAIL(MNP_ERR_ARG, "%s: %s has the %s %s, which %s does not hold", function, name,
                             mnp_dtype_name(from), mnp__text_string(&text), mnp_dtype_name(to));
    mnp__text_free(&text);
    return st;
}

/* Convert all, or nothing. */
static mnp_status convert(const char *function, int count, const mnp_item_request *requests, const uint64_t *words)
{
    char name[NAME];
    for (int i = 0; i < count; i++) {
        const mnp_dtype from = requests[i].array->dtype, to = requests[i].dtype;
        const mnp__value value = mnp__value_read(from, words + i * WORDS);
        if (from != to && !mnp__value_fits(&value, to))
            return refuse(function, name_of(count, i, name), &value, from, to);
    }
    for (int i = 0; i < count; i++) {
        const mnp_dtype from = requests[i].array->dtype, to = requests[i].dtype;
        const mnp__value value = mnp__value_read(from, words + i * WORDS);
        if (from == to)
            memcpy(requests[i].value, words + i * WORDS, mnp_dtype_size(to));
        else
            mnp__value_write(&value, to, requests[i].value);
    }
    return MNP_OK;
}

/* ---- the functions ---- */

static mnp_status give(const char *function, int count, const mnp_item_request *requests)
{
    uint64_t few[FEW * WORDS + 1] = {0}, *words = few;
    MNP_TRY(check(function, count, requests));
    mnp_ctx *ctx = requests[0].array->ctx;
    if (count > FEW)
        MNP_TRY(MNP_AGREE(ctx, mnp__calloc((size_t)count * WORDS + 1, sizeof *words, &words)));
    mnp_status st = read_all(ctx, count, requests, words);
    if (st == MNP_OK)
        st = convert(function, count, requests, words);
    if (words != few)
        free(words);
    return st;
}

mnp_status mnp_array_item(const mnp_array *array, mnp_dtype dtype, void *value)
{
    MNP_ENTER(array, value);
    return give("mnp_array_item", 1, &(mnp_item_request){array, dtype, value});
}

mnp_status mnp_array_items(int count, const mnp_item_request *requests)
{
    MNP_ENTER_NAME();
    MNP_NEED_IF(count > 0, requests);
    return give("mnp_array_items", count, requests);
}

mnp_status mnp_array_to_host_as(const mnp_array *array, int root, mnp_dtype dtype, void *data)
{
    MNP_ENTER(array);
    static const char function[] = "mnp_array_to_host_as";
    mnp_array *cast = NULL;
    if (array->dtype == dtype)
        return mnp_array_to_host(array, root, data);
    if (!mnp_can_cast(array->dtype, dtype, MNP_CASTING_SAME_KIND))
        return MNP_FAIL(MNP_ERR_ARG, "%s: the array is %s, which is not cast to %s without mnp_astype()", function,
                        mnp_dtype_name(array->dtype), mnp_dtype_name(dtype));
    MNP_TRY(mnp_astype(array, dtype, &cast));
    mnp_status st = mnp_array_to_host(cast, root, data);
    mnp_array_free(cast);
    return st;
}
