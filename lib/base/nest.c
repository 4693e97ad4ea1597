/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Simplifying nests of dimensions.
 */
#include "base/nest.h"

static void copy_dim(mnp__nest *nest, int from, int to)
{
    nest->extent[to] = nest->extent[from];
    for (int k = 0; k < nest->count; k++)
        nest->stride[k][to] = nest->stride[k][from];
}

void mnp__nest_drop(mnp__nest *nest)
{
    int left = 0;
    for (int d = 0; d < nest->ndim; d++) {
        if (nest->extent[d] == 1)
            continue;
        if (left != d)
            copy_dim(nest, d, left);
        left++;
    }
    nest->ndim = left;
}

static int64_t absolute(int64_t x)
{
    return x < 0 ? -x : x;
}

bool mnp__nest_is_outside(const mnp__nest *a, int d, const mnp__nest *b, int e, int begin, int end)
{
    for (int k = begin; k < end; k++) {
        int64_t x = absolute(a->stride[k][d]), y = absolute(b->stride[k][e]);
        if (x != y && x != 0 && y != 0)
            return x > y;
    }
    return false;
}

static void swap(int64_t *x, int64_t *y)
{
    int64_t x_before = *x;
    *x = *y;
    *y = x_before;
}

/* Exchange dimensions d and d + 1. */
static void swap_dims(mnp__nest *nest, int d)
{
    swap(&nest->extent[d], &nest->extent[d + 1]);
    for (int k = 0; k < nest->count; k++)
        swap(&nest->stride[k][d], &nest->stride[k][d + 1]);
}

void mnp__nest_order(mnp__nest *nest, int begin, int end)
{
    for (int d = 1; d < nest->ndim; d++) {
        for (int e = d; e > 0 && mnp__nest_is_outside(nest, e, nest, e - 1, begin, end); e--)
            swap_dims(nest, e - 1);
    }
}

void mnp__nest_turn(mnp__nest *nest, int lead, int64_t *first)
{
    for (int d = 0; d < nest->ndim; d++) {
        if (nest->stride[lead][d] >= 0)
            continue;
        for (int k = 0; k < nest->count; k++) {
            first[k] += (nest->extent[d] - 1) * nest->stride[k][d];
            nest->stride[k][d] = -nest->stride[k][d];
        }
    }
}

/*
 * Whether every operand continues from the last index along `inner` to the next one along `outer` with the same stride.
 */
static bool joins(const mnp__nest *nest, int outer, int inner)
{
    const int64_t extent = nest->extent[inner];
    for (int k = 0; k < nest->count; k++) {
        if (nest->stride[k][outer] != nest->stride[k][inner] * extent)
            return false;
    }
    return true;
}

void mnp__nest_join(mnp__nest *nest)
{
    int last = 0;
    if (nest->ndim < 2)
        return;
    for (int d = 1; d < nest->ndim; d++) {
        int64_t extent = nest->extent[d];
        if (joins(nest, last, d))
            extent *= nest->extent[last];
        else
            last++;
        if (last != d)
            copy_dim(nest, d, last);
        nest->extent[last] = extent;
    }
    nest->ndim = last + 1;
}

void mnp__nest_move(mnp__nest *nest, int from, int to)
{
    for (; from < to; from++)
        swap_dims(nest, from);
    for (; from > to; from--)
        swap_dims(nest, from - 1);
}

static void pad_row(int64_t *row, int ndim, int more, int64_t value)
{
    for (int d = ndim - 1; d >= 0; d--)
        row[d + more] = row[d];
    for (int d = 0; d < more; d++)
        row[d] = value;
}

void mnp__nest_pad(mnp__nest *nest, int ndim, int64_t stride)
{
    int more = ndim - nest->ndim;
    if (more <= 0)
        return;
    pad_row(nest->extent, nest->ndim, more, 1);
    for (int k = 0; k < nest->count; k++)
        pad_row(nest->stride[k], nest->ndim, more, stride);
    nest->ndim = ndim;
}
