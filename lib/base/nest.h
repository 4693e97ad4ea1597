/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Nests: the loops over the dimensions of several operands, simplified before a kernel is launched.
 *
 * Element (i0, i1, ...) of operand k is at offset i0 * stride[k][0] + i1 * stride[k][1] + ... from the operand's first
 * element.  A kernel is fastest with few dimensions and with small strides in the innermost one.  So dimensions of
 * extent 1 are dropped, the others are sorted by their strides, and neighbouring dimensions are joined if every operand
 * continues from one to the other with the same stride.  Most nests have one dimension afterwards.
 *
 * Every operation uses this code.  Nothing is allocated.  Each function takes time proportional to dimensions times
 * operands; sorting takes it once for each dimension that is out of order.
 */
#ifndef MNP__BASE_NEST_H
#define MNP__BASE_NEST_H

#include <stdbool.h>
#include <stdint.h>

#include <maniple/base.h>

typedef struct mnp__nest {
    int ndim, count; /* number of dimensions, ordered from the outermost to the innermost; number of operands */
    int64_t extent[MNP_MAX_DIMS];
    int64_t (*stride)[MNP_MAX_DIMS]; /* [operand][dimension], in any unit; the caller's array of `count` rows */
} mnp__nest;

/* Drop the dimensions of extent 1. */
void mnp__nest_drop(mnp__nest *nest);

/*
 * Whether dimension `d` of `a` should be outside of dimension `e` of `b`.  The first of operands begin .. end-1 decides
 * whose two strides are not 0 and differ in size: the dimension with the longer one is the outer one.
 */
bool mnp__nest_is_outside(const mnp__nest *a, int d, const mnp__nest *b, int e, int begin, int end);

/* Sort the dimensions by mnp__nest_is_outside(); dimensions for which it does not decide keep their order. */
void mnp__nest_order(mnp__nest *nest, int begin, int end);

/*
 * Reverse the dimensions along which operand `lead` has a negative stride. first[k], the offset of each operand's first
 * element, is increased accordingly.  Extents must not be 0.
 */
void mnp__nest_turn(mnp__nest *nest, int lead, int64_t *first);

/* Join neighbouring dimensions.  If no extent is 1, elements keep their order. */
void mnp__nest_join(mnp__nest *nest);

/* Move dimension `from` to position `to`; the dimensions between them shift by one. */
void mnp__nest_move(mnp__nest *nest, int from, int to);

/*
 * Pad to at least `ndim` dimensions.  New dimensions are outermost, with extent 1 and the given stride, which has no
 * effect.
 */
void mnp__nest_pad(mnp__nest *nest, int ndim, int64_t stride);

#endif
