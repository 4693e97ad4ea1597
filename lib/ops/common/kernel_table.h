/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a context keeps by keys of any bytes: loops, programs.
 */
#ifndef MNP__OPS_COMMON_KERNEL_TABLE_H
#define MNP__OPS_COMMON_KERNEL_TABLE_H

#include "context/context.h"

/* A kind of things that are kept; all of one attachment are alike. */
typedef struct mnp__keeper {
    mnp__attachment_id id;
    mnp_status (*build)(mnp_ctx *ctx, const void *argument, void **thing_p);
    void (*free)(void *thing);
} mnp__keeper;

/* The thing of that key; made by build() if there is none yet, and then the context's.  Not collective in itself. */
mnp_status mnp__ctx_keep(mnp_ctx *ctx, const mnp__keeper *keeper, const void *key, size_t key_size,
                         const void *argument, void **thing_p);

#endif
