/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compaction: bringing together, in C order, the elements where a mask is true.
 *
 * The mask is a vector whose elements follow each other rank after rank.  Every rank counts the true elements of its
 * part; then all ranks know where each one's part of the result begins.
 */
#ifndef MNP__OPS_INDEXING_COMPACT_H
#define MNP__OPS_INDEXING_COMPACT_H

#include "array/array.h"

typedef struct mnp__compaction {
    mnp_ctx *ctx;
    const mnp_array *mask; /* of bool */
    int64_t total;         /* true elements on all ranks */
    int64_t *cuts;         /* those of rank r are numbers cuts[r] .. cuts[r + 1] - 1 */
    int64_t *before;       /* device: true elements of this rank before every tile */
} mnp__compaction;

/* The number of true elements on this rank. */
static inline int64_t mnp__compaction_count(const mnp__compaction *compaction)
{
    const int64_t *cuts = compaction->cuts + compaction->ctx->comm.rank;
    return cuts[1] - cuts[0];
}

/*
 * Count, and wait for it.  The mask must live as long as the compaction, which is released by mnp__compaction_end(),
 * also after a failure.  Collective, and agreed upon.  MNP_ERR_MEMORY, MNP_ERR_COMPILE, MNP_ERR_DEVICE, MNP_ERR_COMM.
 */
mnp_status mnp__compaction_begin(const mnp_array *mask, mnp__compaction *compaction);
void mnp__compaction_end(mnp__compaction *compaction);

/*
 * Write to dense memory the elements of `size` bytes at src + i * stride for which element i of this rank's part of the
 * mask is true; or the numbers first + i, as int64.  All ranks must call it alike, as a kernel is compiled.
 */
mnp_status mnp__compaction_write(const mnp__compaction *compaction, size_t size, const void *src, int64_t stride,
                                 void *dst);
mnp_status mnp__compaction_number(const mnp__compaction *compaction, int64_t first, int64_t *numbers);

#endif
