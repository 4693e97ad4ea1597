/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A hash table from keys to what a context keeps.
 */
#include "ops/common/kernel_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

typedef struct entry entry;

struct entry {
    entry *next;
    void *thing;
    uint64_t hash;
    size_t key_size;
    unsigned char key[];
};

enum { BUCKETS = 1024 };

typedef struct table {
    void (*free)(void *thing);
    entry *buckets[BUCKETS];
} table;

static void free_table(mnp_ctx *ctx, void *data)
{
    table *t = data;
    (void)ctx;
    for (int b = 0; b < BUCKETS; b++) {
        while (t->buckets[b]) {
            entry *first = t->buckets[b];
            t->buckets[b] = first->next;
            t->free(first->thing);
            free(first);
        }
    }
    free(t);
}

static mnp_status get_table(mnp_ctx *ctx, const mnp__keeper *keeper, table **table_p)
{
    mnp__attachment *attached = &ctx->attached[keeper->id];
    if (!attached->data) {
        table *made;
        MNP_TRY(mnp__calloc(1, sizeof *made, &made));
        made->free = keeper->free;
        *attached = (mnp__attachment){.data = made, .free = free_table};
    }
    *table_p = attached->data;
    return MNP_OK;
}

mnp_status mnp__ctx_keep(mnp_ctx *ctx, const mnp__keeper *keeper, const void *key, size_t key_size,
                         const void *argument, void **thing_p)
{
    table *t;
    uint64_t hash = mnp__hash(MNP__HASH_START, key, key_size);
    MNP_TRY(get_table(ctx, keeper, &t));
    entry **bucket = &t->buckets[hash % BUCKETS], *found = *bucket;
    while (found && !(found->hash == hash && found->key_size == key_size && memcmp(found->key, key, key_size) == 0))
        found = found->next;
    if (!found) {
        void *thing = NULL;
        MNP_TRY(keeper->build(ctx, argument, &thing));
        mnp_status st = mnp__malloc(sizeof *found + key_size, &found);
        if (st != MNP_OK) {
            keeper->free(thing);
            return st;
        }
        *found = (entry){.next = *bucket, .thing = thing, .hash = hash, .key_size = key_size};
        memcpy(found->key, key, key_size);
        *bucket = found;
    }
    *thing_p = found->thing;
    return MNP_OK;
}
