/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Nests: the dimensions that several operands are walked along together, simplified.
 *
 * Element (i0, i1, ...) of operand k lies i0 * stride[k][0] + i1 * stride[k][1] + ... after the operand's first one.  A
 * kernel is fastest with few dimensions, the innermost of which lies densest in memory.  So those of extent 1 are
 * dropped, the others ordered by their strides, and neighbours joined where every operand goes on from one to the next
 * with the same stride: most nests end up with one dimension.
 *
 * This is on the way of every operation.  Nothing is allocated, and what a function costs is proportional to the
 * dimensions that there are, times the operands.
 */
#ifndef MNP__BASE_NEST_H
#define MNP__BASE_NEST_H

#include <stdbool.h>
#include <stdint.h>

#include <maniple/base.h>

typedef struct mnp__nest {
    int ndim, count; /* dimensions, from the outermost to the innermost, and operands */
    int64_t extent[MNP_MAX_DIMS];
    int64_t (*stride)[MNP_MAX_DIMS]; /* [operand][dimension], in any unit; the caller's array of `count` rows */
} mnp__nest;

/* Drop the dimensions of extent 1. */
void mnp__nest_drop(mnp__nest *nest);

/*
 * Whether dimension `d` of `a` belongs outside of dimension `e` of `b`: the first of operands begin .. end-1 whose
 * strides there have different sizes, neither of them 0, has the longer one in `d`.
 */
bool mnp__nest_is_outside(const mnp__nest *a, int d, const mnp__nest *b, int e, int begin, int end);

/* Order the dimensions by mnp__nest_is_outside(); those that it leaves open stay as they are. */
void mnp__nest_order(mnp__nest *nest, int begin, int end);

/*
 * Turn the dimensions round along which operand `lead` goes backwards.  first[k] of every operand is increased by the
 * stride to the element that is then its first one.  Extents must not be 0.
 */
void mnp__nest_turn(mnp__nest *nest, int lead, int64_t *first);

/* Join neighbours.  In a nest without the extent 1, elements keep their order. */
void mnp__nest_join(mnp__nest *nest);

/* Move dimension `from` to the place `to`; those between them make room. */
void mnp__nest_move(mnp__nest *nest, int from, int to);

/* At least `ndim` dimensions: new ones come outside, with extent 1 and that stride, which moves nothing. */
void mnp__nest_pad(mnp__nest *nest, int ndim, int64_t stride);

#endif
