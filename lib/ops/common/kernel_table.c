/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table of a context is a hash table whose buckets are lists; the lists also serve by themselves.
 */
#include "ops/common/kernel_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

enum { BUCKETS = 1024 };

typedef struct table {
    mnp__entry *buckets[BUCKETS];
} table;

/* ---- lists ---- */

static void *find(const mnp__entry *list, mnp__maker maker, uint64_t hash, const void *key, size_t key_size)
{
    for (; list; list = list->next) {
        if (list->hash == hash && list->maker == maker && list->key_size == key_size &&
            memcmp(list->key, key, key_size) == 0)
            return list->thing;
    }
    return NULL;
}

static mnp_status add(mnp__entry **list, const mnp__entry *facts, const void *key)
{
    mnp__entry *entry;
    MNP_TRY(mnp__malloc(sizeof *entry + facts->key_size, &entry));
    *entry = *facts;
    memcpy(entry->key, key, facts->key_size);
    entry->next = *list;
    *list = entry;
    return MNP_OK;
}

void *mnp__entries_find(const mnp__entry *list, const void *key, size_t key_size)
{
    return find(list, NULL, 0, key, key_size);
}

mnp_status mnp__entries_add(mnp__entry **list, const void *key, size_t key_size, void *thing)
{
    return add(list, &(mnp__entry){.thing = thing, .key_size = key_size}, key);
}

void *mnp__entries_take(mnp__entry **list)
{
    mnp__entry *first = *list;
    if (!first)
        return NULL;
    void *thing = first->thing;
    *list = first->next;
    free(first);
    return thing;
}

mnp_status mnp__entries_add_kernel(mnp__device *device, mnp__entry **kernels, const void *signature, size_t size,
                                   mnp__kernel *kernel)
{
    mnp_status st = mnp__entries_add(kernels, signature, size, kernel);
    if (st != MNP_OK)
        device->ops->kernel_free(device, kernel);
    return st;
}

void mnp__entries_unload(mnp__device *device, mnp__entry **kernels)
{
    while (*kernels)
        device->ops->kernel_free(device, mnp__entries_take(kernels));
}

/* ---- the table ---- */

/* The maker takes part in the hash, so that makers with equal keys rarely share a bucket. */
static uint64_t hash_of(mnp__maker maker, const void *key, size_t key_size)
{
    return mnp__hash(MNP__HASH_START ^ (uintptr_t)maker, key, key_size);
}

static void free_table(mnp_ctx *ctx, void *data)
{
    table *t = data;
    (void)ctx;
    for (int b = 0; b < BUCKETS; b++) {
        while (t->buckets[b]) {
            void (*free_thing)(void *thing) = t->buckets[b]->free;
            free_thing(mnp__entries_take(&t->buckets[b]));
        }
    }
    free(t);
}

void *mnp__kernel_table_find(const mnp_ctx *ctx, mnp__maker maker, const void *key, size_t key_size)
{
    const table *t = ctx->attached[MNP__ATTACHED_KERNELS].data;
    uint64_t hash = hash_of(maker, key, key_size);
    return t ? find(t->buckets[hash % BUCKETS], maker, hash, key, key_size) : NULL;
}

mnp_status mnp__kernel_table_add(mnp_ctx *ctx, mnp__maker maker, const void *key, size_t key_size, void *thing,
                                 void (*free_thing)(void *thing))
{
    mnp__attachment *attached = &ctx->attached[MNP__ATTACHED_KERNELS];
    uint64_t hash = hash_of(maker, key, key_size);
    mnp__entry facts = {.thing = thing, .maker = maker, .free = free_thing, .hash = hash, .key_size = key_size};
    mnp_status st = MNP_OK;
    if (!attached->data) {
        st = mnp__calloc(1, sizeof(table), &attached->data);
        attached->free = free_table;
    }
    if (st == MNP_OK)
        st = add(&((table *)attached->data)->buckets[hash % BUCKETS], &facts, key);
    if (st != MNP_OK)
        free_thing(thing);
    return st;
}
