/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where kernels are kept, so that each is made once: the table of a context, and short lists.
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

/* Any function, as what a key holds: the functions that make things have different types. */
typedef void (*mnp__maker)(void);

/* What that maker made for that key; NULL if the context has nothing yet. */
void *mnp__kernel_table_find(const mnp_ctx *ctx, mnp__maker maker, const void *key, size_t key_size);

/* Keep a thing, which is the context's from now on, and is freed by `free` even if this fails.  MNP_ERR_MEMORY. */
mnp_status mnp__kernel_table_add(mnp_ctx *ctx, mnp__maker maker, const void *key, size_t key_size, void *thing,
                                 void (*free)(void *thing));

/* One entry of a list.  A list is a pointer to its first entry; NULL is an empty one. */
typedef struct mnp__entry {
    struct mnp__entry *next;
    void *thing;
    mnp__maker maker;
    void (*free)(void *thing); /* NULL in lists whose owner frees what mnp__entries_take() gives */
    uint64_t hash;
    size_t key_size;
    unsigned char key[];
} mnp__entry;

/* The thing of that key in a list without makers; NULL if there is none. */
void *mnp__entries_find(const mnp__entry *list, const void *key, size_t key_size);

/* Put a thing in front.  After a failure it is still the caller's.  MNP_ERR_MEMORY. */
mnp_status mnp__entries_add(mnp__entry **list, const void *key, size_t key_size, void *thing);

/* Remove the first entry and give its thing; NULL from an empty list. */
void *mnp__entries_take(mnp__entry **list);

/* A list of kernels: one more, which is unloaded if this fails; and unload them all, which empties the list. */
mnp_status mnp__entries_add_kernel(mnp__device *device, mnp__entry **kernels, const void *signature, size_t size,
                                   mnp__kernel *kernel);
void mnp__entries_unload(mnp__device *device, mnp__entry **kernels);

#endif
