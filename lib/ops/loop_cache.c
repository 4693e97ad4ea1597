/*
 * The loops that a context keeps: a hash table from keys, any bytes, to loops.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "ops/apply.h"

typedef struct entry entry;

struct entry {
    entry *next;
    mnp__loop *loop;
    uint64_t hash;
    size_t key_size;
    unsigned char key[];
};

enum { BUCKETS = 1024 };

typedef struct loop_table {
    entry *buckets[BUCKETS];
} loop_table;

static void free_table(mnp_ctx *ctx, void *data)
{
    loop_table *table = data;
    (void)ctx;
    for (int b = 0; b < BUCKETS; b++) {
        while (table->buckets[b]) {
            entry *first = table->buckets[b];
            table->buckets[b] = first->next;
            mnp__loop_free(first->loop);
            free(first);
        }
    }
    free(table);
}

static mnp_status get_table(mnp_ctx *ctx, loop_table **table_p)
{
    mnp__attachment *attached = &ctx->attached[MNP__ATTACHED_LOOPS];
    if (!attached->data) {
        MNP_TRY(mnp__calloc(1, sizeof(loop_table), &attached->data));
        attached->free = free_table;
    }
    *table_p = attached->data;
    return MNP_OK;
}

mnp_status mnp__ctx_loop(mnp_ctx *ctx, const void *key, size_t key_size,
                         mnp_status (*build)(mnp_ctx *ctx, const void *argument, mnp__loop **loop_p),
                         const void *argument, mnp__loop **loop_p)
{
    loop_table *table;
    uint64_t hash = mnp__hash(MNP__HASH_START, key, key_size);
    MNP_TRY(get_table(ctx, &table));
    entry **bucket = &table->buckets[hash % BUCKETS], *found = *bucket;
    while (found && !(found->hash == hash && found->key_size == key_size && memcmp(found->key, key, key_size) == 0))
        found = found->next;
    if (!found) {
        mnp__loop *loop;
        MNP_TRY(build(ctx, argument, &loop));
        mnp_status st = mnp__malloc(sizeof *found + key_size, &found);
        if (st != MNP_OK) {
            mnp__loop_free(loop);
            return st;
        }
        *found = (entry){.next = *bucket, .loop = loop, .hash = hash, .key_size = key_size};
        memcpy(found->key, key, key_size);
        *bucket = found;
    }
    *loop_p = found->loop;
    return MNP_OK;
}
