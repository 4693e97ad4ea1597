/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What both devices do with the specs of Fourier transforms (device.h).
 */
#ifndef MNP__DEVICE_FFT_H
#define MNP__DEVICE_FFT_H

#include "device/device.h"

/* Bytes of an element of the input, and of the output. */
static inline size_t mnp__fft_in_size(const mnp__fft_spec *spec)
{
    return (spec->is_double ? sizeof(double) : sizeof(float)) * (spec->kind == MNP__FFT_FROM_REAL ? 1 : 2);
}

static inline size_t mnp__fft_out_size(const mnp__fft_spec *spec)
{
    return (spec->is_double ? sizeof(double) : sizeof(float)) * (spec->kind == MNP__FFT_TO_REAL ? 1 : 2);
}

static inline bool mnp__fft_same_dims(int count, const mnp__fft_dim *a, const mnp__fft_dim *b)
{
    for (int d = 0; d < count; d++)
        if (a[d].extent != b[d].extent || a[d].in != b[d].in || a[d].out != b[d].out)
            return false;
    return true;
}

/* Whether two specs ask for the same transform, found in the same way. */
static inline bool mnp__fft_same(const mnp__fft_spec *a, const mnp__fft_spec *b)
{
    return a->kind == b->kind && a->is_double == b->is_double && a->inverse == b->inverse &&
           a->in_place == b->in_place && a->filters == b->filters && a->rank == b->rank && a->nbatch == b->nbatch &&
           a->scale == b->scale && a->seconds == b->seconds && mnp__fft_same_dims(a->rank, a->dims, b->dims) &&
           mnp__fft_same_dims(a->nbatch, a->batch, b->batch);
}

/* A transformed dimension as it is on the complex side. */
static inline mnp__fft_dim mnp__fft_complex_side(const mnp__fft_spec *spec, int d)
{
    mnp__fft_dim dim = spec->dims[d];
    if (spec->kind != MNP__FFT_COMPLEX && d == spec->rank - 1)
        dim.extent = dim.extent / 2 + 1;
    return dim;
}

/*
 * Let the complex input of a transform to real numbers lie densely, its dimensions in the order in which they lie now.
 * Returns the number of elements.
 */
static inline int64_t mnp__fft_make_dense(mnp__fft_spec *spec)
{
    int64_t stride = 1, now[MNP__FFT_RANK + MNP_MAX_DIMS];
    const int ndim = spec->rank + spec->nbatch;
    for (int d = 0; d < ndim; d++)
        now[d] = d < spec->rank ? spec->dims[d].in : spec->batch[d - spec->rank].in;
    for (int done = 0; done < ndim; done++) {
        int nearest = -1;
        for (int d = 0; d < ndim; d++)
            if (now[d] >= 0 && (nearest < 0 || now[d] < now[nearest]))
                nearest = d;
        now[nearest] = -1;
        if (nearest < spec->rank) {
            spec->dims[nearest].in = stride;
            stride *= mnp__fft_complex_side(spec, nearest).extent;
        } else {
            spec->batch[nearest - spec->rank].in = stride;
            stride *= spec->batch[nearest - spec->rank].extent;
        }
    }
    return stride;
}

/* Let a transform go on in its output, as it lies there. */
static inline void mnp__fft_stay(mnp__fft_spec *spec)
{
    spec->in_place = true;
    for (int d = 0; d < spec->rank; d++)
        spec->dims[d].in = spec->dims[d].out;
    for (int d = 0; d < spec->nbatch; d++)
        spec->batch[d].in = spec->batch[d].out;
}

/*
 * The part of a transform that is along its dimensions first .. last, with all others as batches: on the complex side,
 * unless it has the real dimension.
 */
static inline mnp__fft_spec mnp__fft_part(const mnp__fft_spec *spec, int first, int last)
{
    mnp__fft_spec part = *spec;
    part.rank = 0;
    if (last < spec->rank - 1 && spec->kind != MNP__FFT_COMPLEX) {
        part.inverse = spec->kind == MNP__FFT_TO_REAL;
        part.kind = MNP__FFT_COMPLEX;
    }
    for (int d = 0; d < spec->rank; d++) {
        if (d >= first && d <= last)
            part.dims[part.rank++] = spec->dims[d];
        else
            part.batch[part.nbatch++] = mnp__fft_complex_side(spec, d);
    }
    return part;
}

#endif
