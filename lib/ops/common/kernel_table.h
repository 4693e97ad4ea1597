/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where kernels are cached, so that each is made once: the table of a context, and short lists.
 *
 * What a call needs (a loop, a reduction, a program) depends on a few facts, such as a function's number and the dtypes
 * of its operands.  These facts are the key, compared by its bytes, so a key's padding must be zero.  The table's keys
 * also hold the function that makes the thing: two makers may have keys that are equal byte for byte, and each finds
 * what it made itself.  A loop or a reduction in turn keeps a list of kernels by their signatures.
 *
 * A look-up hashes the key and compares it with few others; it neither allocates nor communicates.
 */
#ifndef MNP__OPS_COMMON_KERNEL_TABLE_H
#define MNP__OPS_COMMON_KERNEL_TABLE_H

#include "context/context.h"

/* The function that makes a thing, cast to one type, as makers of different things have different types. */
typedef void (*mnp__maker)(void);

/* Return what that maker made for that key, or NULL if the context has nothing yet. */
void *mnp__kernel_table_find(const mnp_ctx *ctx, mnp__maker maker, const void *key, size_t key_size);

/* Keep a thing.  The context owns it from now on and frees it by `free`, even if this call fails.  MNP_ERR_MEMORY. */
mnp_status mnp__kernel_table_add(mnp_ctx *ctx, mnp__maker maker, const void *key, size_t key_size, void *thing,
                                 void (*free)(void *thing));

/* One entry of a list.  A list is a pointer to its first entry; NULL is an empty one. */
typedef struct mnp__entry {
    struct mnp__entry *next;
    void *thing;
    mnp__maker maker;
    void (*free)(void *thing); /* NULL in lists whose owner frees what mnp__entries_take() returns */
    uint64_t hash;
    size_t key_size;
    unsigned char key[];
} mnp__entry;

/* Return the thing of that key in a list without makers, or NULL if there is none. */
void *mnp__entries_find(const mnp__entry *list, const void *key, size_t key_size);

/* Insert a thing at the front.  After a failure the caller still owns it.  MNP_ERR_MEMORY. */
mnp_status mnp__entries_add(mnp__entry **list, const void *key, size_t key_size, void *thing);

/* Remove the first entry and return its thing; an empty list gives NULL. */
void *mnp__entries_take(mnp__entry **list);

/* Lists of kernels: add one, which is unloaded if this fails; and unload all of them, which empties the list. */
mnp_status mnp__entries_add_kernel(mnp__device *device, mnp__entry **kernels, const void *signature, size_t size,
                                   mnp__kernel *kernel);
void mnp__entries_unload(mnp__device *device, mnp__entry **kernels);

#endif
