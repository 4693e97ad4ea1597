/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Slabs: the pieces in which a rank's block goes between memory and a file.
 *
 * A slab is a box whose elements lie side by side in the block's memory (dense, in C order): one index of each
 * dimension before `cut`, some rows of `cut`, everything of the dimensions after it.  Pure arithmetic.
 */
#ifndef MNP__IO_SLABS_H
#define MNP__IO_SLABS_H

#include <stdint.h>

#include <maniple/base.h>

#define MNP__SLAB_BYTES (INT64_C(32) << 20)
/* A slab may grow to this size to end at the edge of a chunk: a compressed chunk that is cut is decompressed twice. */
#define MNP__SLAB_MAX_BYTES (INT64_C(512) << 20)

typedef struct mnp__slabs {
    int ndim, cut;
    int64_t lo[MNP_MAX_DIMS], extent[MNP_MAX_DIMS]; /* the block */
    int64_t first, rows; /* slabs end at the indices first + i * rows of dimension `cut`, and where the block ends */
    int64_t along;       /* slabs along `cut` */
    int64_t count;       /* slabs in all; 0 if the block is empty */
} mnp__slabs;

typedef struct mnp__slab {
    int64_t lo[MNP_MAX_DIMS], extent[MNP_MAX_DIMS]; /* in the global array */
    int64_t offset, size;                           /* in elements of the block's memory */
} mnp__slab;

/*
 * Cut the block [lo, lo + extent) of elements of `item` bytes into slabs of about MNP__SLAB_BYTES; `chunk` NULL, or the
 * extents of the chunks that their edges should fall on.
 */
void mnp__slabs_plan(int ndim, const int64_t *lo, const int64_t *extent, int64_t item, const int64_t *chunk,
                     mnp__slabs *slabs);

/* Slab number `index`, from 0 to count - 1. */
void mnp__slabs_get(const mnp__slabs *slabs, int64_t index, mnp__slab *slab);

/* Elements of the largest slab. */
int64_t mnp__slabs_largest(const mnp__slabs *slabs);

#endif
