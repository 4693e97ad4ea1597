/* SPDX-License-Identifier: BSD-3-Clause */
/* What is cached of filters by their coefficients: lists, and the simplest kind of items, numbers on the device. */
#include "signal/filters/constants.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 16 };

typedef struct cached_item {
    mnp__constants_key key;
    double *numbers; /* those of the key */
    void *item;      /* NULL: none */
} cached_item;

typedef struct list {
    const mnp__constants_kind *kind;
    int next; /* the oldest item, or none */
    cached_item items[MOST];
} list;

/* ---- lists ---- */

static void drop(mnp_ctx *ctx, const mnp__constants_kind *kind, cached_item *cached)
{
    if (cached->item)
        kind->release(ctx, cached->item);
    free(cached->item);
    free(cached->numbers);
    *cached = (cached_item){.item = NULL};
}

static void free_list(mnp_ctx *ctx, void *data)
{
    list *all = data;
    for (int i = 0; i < MOST; i++)
        drop(ctx, all->kind, &all->items[i]);
    free(all);
}

static bool is_of(const cached_item *cached, const mnp__constants_key *key)
{
    return cached->item && cached->key.count == key->count &&
           memcmp(cached->key.facts, key->facts, sizeof key->facts) == 0 &&
           (key->count == 0 || memcmp(cached->numbers, key->numbers, (size_t)key->count * sizeof(double)) == 0);
}

/* Make an item in the place of the oldest. */
static mnp_status make(mnp_ctx *ctx, const mnp__constants_kind *kind, const mnp__constants_key *key, const void *from)
{
    mnp__attachment *attached = &ctx->attached[kind->attachment];
    const size_t bytes = (size_t)key->count * sizeof(double);
    if (!attached->data) {
        list *made;
        MNP_TRY(mnp__calloc(1, sizeof *made, &made));
        made->kind = kind;
        *attached = (mnp__attachment){.data = made, .free = free_list};
    }
    list *all = attached->data;
    cached_item *cached = &all->items[all->next];
    drop(ctx, kind, cached);
    cached->key = *key;
    MNP_TRY(mnp__malloc(bytes, &cached->numbers));
    if (bytes > 0)
        memcpy(cached->numbers, key->numbers, bytes);
    MNP_TRY(mnp__calloc(1, kind->size, &cached->item));
    return kind->make(ctx, from, cached->item);
}

mnp_status mnp__constants_get(mnp_ctx *ctx, const mnp__constants_kind *kind, const mnp__constants_key *key,
                              const void *from, void **item_p)
{
    list *all = ctx->attached[kind->attachment].data;
    for (int i = 0; all && i < MOST; i++) {
        if (is_of(&all->items[i], key)) {
            *item_p = all->items[i].item;
            return MNP_OK;
        }
    }
    const mnp_status st = MNP_AGREE(ctx, make(ctx, kind, key, from));
    all = ctx->attached[kind->attachment].data;
    if (st != MNP_OK) {
        if (all)
            drop(ctx, kind, &all->items[all->next]);
        return st;
    }
    *item_p = all->items[all->next].item;
    all->next = (all->next + 1) % MOST;
    return MNP_OK;
}

/* ---- numbers on the device ---- */

mnp_status mnp__constants_copy(mnp_ctx *ctx, const double *numbers, int64_t count, double **device_p)
{
    const size_t bytes = (size_t)count * sizeof *numbers;
    void *device;
    MNP_TRY(ctx->device->ops->alloc(ctx->device, bytes, &device));
    *device_p = device;
    MNP_TRY(ctx->device->ops->copy(ctx->device, device, numbers, bytes, ctx->compute));
    return mnp__ctx_wait(ctx, ctx->compute);
}

static mnp_status make_taps(mnp_ctx *ctx, const void *from, void *item)
{
    const mnp__constants_key *key = from;
    return mnp__constants_copy(ctx, key->numbers, key->count, item);
}

static void release_taps(mnp_ctx *ctx, void *item)
{
    double **device = item;
    ctx->device->ops->free(ctx->device, *device);
}

mnp_status mnp__taps_get(mnp_ctx *ctx, int64_t count, const double *taps, const double **device_p)
{
    static const mnp__constants_kind kind = {
        .attachment = MNP__ATTACHED_TAPS, .size = sizeof(double *), .make = make_taps, .release = release_taps};
    const mnp__constants_key key = {.numbers = taps, .count = count};
    void *item;
    MNP_TRY(mnp__refuse_recording(ctx->device, "a filter")); /* a later one may take its memory */
    MNP_TRY(mnp__constants_get(ctx, &kind, &key, &key, &item));
    *device_p = *(double **)item;
    return MNP_OK;
}
