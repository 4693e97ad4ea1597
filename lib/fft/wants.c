/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What ranks want of a move between two steps: their block of the new layout, stored densely in C order.
 *
 * An axis of n1 n2 elements is split into columns and rows, index = i1 n2 + i2, and its transform is joined from the
 * transposed order, index = k2 n1 + k1.  Neither needs cuts at multiples of n1 or n2: a block of columns is runs at
 * equal distances of the axis, and any part of the joined axis is what is between its first and its last incomplete
 * row.
 */
#include "base/integer.h"
#include "fft/plan.h"

/* A box of columns of the axis before it is split. */
static void split(const mnp__fft_step *step, const int64_t *lo, const int64_t *extent, mnp__want *want)
{
    const int d = step->dim;
    int64_t strides[MNP_MAX_DIMS];
    mnp__dense_strides(step->to->ndim, extent, strides);
    for (int i = 0; i < step->from->ndim; i++) {
        const int halves = i <= d ? i : i + 1;
        want->lo[i] = lo[halves];
        want->extent[i] = extent[halves];
        want->strides[i] = strides[halves];
    }
    want->lo[d] = lo[d] * step->to->shape[d + 1] + lo[d + 1];
    want->extent[d] = extent[d] * extent[d + 1];
    want->length[d] = extent[d + 1];
    want->period[d] = step->to->shape[d + 1];
    want->strides[d] = strides[d + 1];
}

/* What a block of the joined axis is made of, row by row or in many rows at once: at most three boxes. */
static int join(const mnp__fft_step *step, const int64_t *lo, const int64_t *extent, mnp__want *wants)
{
    const int d = step->dim;
    const int64_t n1 = step->from->shape[d], end = lo[d] + extent[d];
    int64_t strides[MNP_MAX_DIMS];
    int count = 0;
    mnp__dense_strides(step->to->ndim, extent, strides);
    for (int64_t at = lo[d]; at < end; count++) {
        const int64_t k1 = at % n1, k2 = at / n1, rows = k1 == 0 ? (end - at) / n1 : 0;
        mnp__want *want = &wants[count];
        for (int i = 0; i < step->to->ndim; i++) {
            const int halves = i <= d ? i : i + 1;
            want->lo[halves] = lo[i];
            want->extent[halves] = extent[i];
            want->strides[halves] = strides[i];
        }
        want->lo[d] = k1;
        want->extent[d] = rows > 0 ? n1 : mnp__min(n1, k1 + end - at) - k1;
        want->lo[d + 1] = k2;
        want->extent[d + 1] = rows > 0 ? rows : 1;
        want->strides[d + 1] = n1 * strides[d];
        want->offset = (at - lo[d]) * strides[d];
        at += want->extent[d] * want->extent[d + 1];
    }
    return count;
}

int mnp__fft_wanted(const void *argument, int rank, mnp__want *wants)
{
    const mnp__fft_step *step = argument;
    int64_t lo[MNP_MAX_DIMS], extent[MNP_MAX_DIMS];
    if (!mnp__layout_box(step->to, rank, lo, extent))
        return 0;
    if (step->halves == MNP__FFT_JOIN)
        return join(step, lo, extent, wants);
    if (step->halves == MNP__FFT_SPLIT) {
        split(step, lo, extent, &wants[0]);
        return 1;
    }
    for (int d = 0; d < step->to->ndim; d++) {
        wants[0].lo[d] = lo[d];
        wants[0].extent[d] = extent[d];
    }
    mnp__dense_strides(step->to->ndim, extent, wants[0].strides);
    return 1;
}
