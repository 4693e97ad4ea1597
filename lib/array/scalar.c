/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Scalars: numbers as operands, which are arrays without memory.
 *
 * Programs hold on to pointers to them, and never free them.  So the same number is the same pointer, found in a table;
 * and the memory of a number is used for another one only if the program seems to have forgotten it.  Numbers are made
 * in blocks.  When a block is full, and the context has enough of them, it gives back the memory of one that is not in
 * use: none of its numbers was asked for, or was an operand, while many other blocks were made.  The addresses of such
 * a block stay taken, and read as zeros from then on: a pointer into it never becomes another number, and a call that
 * gets it fails, as the number belongs to no context.
 *
 * FEW blocks hold 20,000 numbers in 8 MiB.  Memory is bounded by these and the numbers in use; to find a number takes a
 * look into the table, and 160 new ones take two calls of the system.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "array/array.h"
#include "base/hash.h"

typedef struct number {
    mnp_array array;
    struct number *next; /* in a list of the table */
    struct block *block;
} number;

enum { BLOCK_BYTES = 1 << 16, BLOCK = BLOCK_BYTES / sizeof(number), FEW = 128, LISTS = 1 << 14 };

typedef struct block {
    struct scalars *all;
    struct block *next; /* in the list of the dead */
    number *numbers;
    int64_t used; /* how many blocks were made before its numbers were used last */
} block;

typedef struct scalars {
    mnp_layout *layout; /* the layout of all scalars, without dimensions */
    number *lists[LISTS];
    block **blocks; /* those with numbers; new ones are made in the block at `hand` */
    block *dead;    /* those whose memory was given back */
    size_t count, room, hand;
    int filled; /* numbers of the block at `hand` */
    int64_t made;
} scalars;

/* ---- the table ---- */

static number **list_of(scalars *all, const mnp_array *array)
{
    const uint64_t hash =
        mnp__hash(mnp__hash(MNP__HASH_START, &array->dtype, sizeof array->dtype), array->value, sizeof array->value);
    return &all->lists[hash % LISTS];
}

static number *find(scalars *all, const mnp_array *wanted)
{
    number *here = *list_of(all, wanted);
    while (here &&
           (here->array.dtype != wanted->dtype || memcmp(here->array.value, wanted->value, sizeof wanted->value) != 0))
        here = here->next;
    return here;
}

static void unlist(scalars *all, const number *gone)
{
    number **link = list_of(all, &gone->array);
    while (*link != gone)
        link = &(*link)->next;
    *link = gone->next;
}

/* ---- blocks ---- */

/* Make room for one more block.  MNP_ERR_MEMORY. */
static mnp_status make_room(scalars *all)
{
    if (all->count < all->room)
        return MNP_OK;
    const size_t room = all->room ? 2 * all->room : FEW;
    block **blocks = realloc(all->blocks, room * sizeof *blocks);
    if (!blocks)
        return MNP_FAIL(MNP_ERR_MEMORY, "no memory on the host for %zu blocks of scalars", room);
    all->blocks = blocks;
    all->room = room;
    return MNP_OK;
}

/* Take the numbers of a block out of the table, and give back its memory. */
static void retire(scalars *all, block *old)
{
    for (size_t i = 0; i < BLOCK; i++)
        unlist(all, &old->numbers[i]);
    if (mmap(old->numbers, BLOCK_BYTES, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
        memset(old->numbers, 0, BLOCK_BYTES);
    old->next = all->dead;
    all->dead = old;
}

/* Find the place of the next block: that of one that is not in use, or one more. */
static size_t find_place(scalars *all)
{
    for (size_t i = 1; i <= all->count && all->count >= FEW; i++) {
        const size_t place = (all->hand + i) % all->count;
        if (all->made - all->blocks[place]->used > FEW / 2) {
            retire(all, all->blocks[place]);
            return place;
        }
    }
    return all->count;
}

static mnp_status begin_block(scalars *all)
{
    block *made;
    MNP_TRY(make_room(all));
    MNP_TRY(mnp__calloc(1, sizeof *made, &made));
    made->all = all;
    made->numbers = mmap(NULL, BLOCK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (made->numbers == MAP_FAILED) {
        free(made);
        return MNP_FAIL(MNP_ERR_MEMORY, "no memory on the host for a block of scalars");
    }
    all->hand = find_place(all);
    all->count += all->hand == all->count;
    all->blocks[all->hand] = made;
    all->filled = 0;
    all->made++;
    return MNP_OK;
}

/* ---- making scalars ---- */

static void free_block(block *old)
{
    munmap(old->numbers, BLOCK_BYTES);
    free(old);
}

static void free_scalars(mnp_ctx *ctx, void *data)
{
    scalars *all = data;
    (void)ctx;
    for (size_t i = 0; i < all->count; i++)
        free_block(all->blocks[i]);
    while (all->dead) {
        block *dead = all->dead;
        all->dead = dead->next;
        free_block(dead);
    }
    free(all->blocks);
    mnp_layout_free(all->layout);
    free(all);
}

static mnp_status begin(mnp_ctx *ctx)
{
    scalars *all;
    MNP_TRY(mnp__calloc(1, sizeof *all, &all));
    mnp_status st = mnp_layout_replicated(ctx->comm.size, 0, NULL, &all->layout);
    if (st != MNP_OK) {
        free(all);
        return st;
    }
    all->filled = BLOCK;
    ctx->attached[MNP__ATTACHED_SCALARS] = (mnp__attachment){.data = all, .free = free_scalars};
    return MNP_OK;
}

static const mnp_array *scalar_of(mnp_ctx *ctx, mnp_dtype dtype, const void *value)
{
    mnp__attachment *attached = &ctx->attached[MNP__ATTACHED_SCALARS];
    if (!attached->data && begin(ctx) != MNP_OK)
        return NULL;
    scalars *all = attached->data;
    mnp_array wanted = {.tag = MNP__TAG_array,
                        .ctx = ctx,
                        .dtype = dtype,
                        .layout = all->layout,
                        .local_size = 1,
                        .weak = mnp_dtype_kind(dtype)};
    memcpy(wanted.value, value, mnp_dtype_size(dtype));
    number *found = find(all, &wanted);
    if (!found) {
        if (all->filled == BLOCK && begin_block(all) != MNP_OK)
            return NULL;
        block *newest = all->blocks[all->hand];
        number **list = list_of(all, &wanted);
        found = &newest->numbers[all->filled++];
        *found = (number){.array = wanted, .next = *list, .block = newest};
        *list = found;
    }
    found->block->used = all->made;
    return &found->array;
}

const unsigned long long *mnp__scalar_value(const mnp_array *scalar)
{
    block *mine = ((const number *)scalar)->block;
    mine->used = mine->all->made;
    return scalar->value;
}

const mnp_array *mnp_scalar_bool(mnp_ctx *ctx, bool value)
{
    MNP_ENTER_NAME();
    MNP_NEED_OR(NULL, ctx);
    return scalar_of(ctx, MNP_BOOL, &(unsigned char){value});
}

const mnp_array *mnp_scalar_int(mnp_ctx *ctx, int64_t value)
{
    MNP_ENTER_NAME();
    MNP_NEED_OR(NULL, ctx);
    return scalar_of(ctx, MNP_INT64, &value);
}

const mnp_array *mnp_scalar_float(mnp_ctx *ctx, double value)
{
    MNP_ENTER_NAME();
    MNP_NEED_OR(NULL, ctx);
    return scalar_of(ctx, MNP_FLOAT64, &value);
}

const mnp_array *mnp_scalar_complex(mnp_ctx *ctx, double re, double im)
{
    MNP_ENTER_NAME();
    MNP_NEED_OR(NULL, ctx);
    return scalar_of(ctx, MNP_COMPLEX128, (double[2]){re, im});
}
