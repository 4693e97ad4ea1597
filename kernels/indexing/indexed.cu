/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Gathers or scatters elements, each a MNP_UNIT of bytes, at offsets that an array of indices, each a MNP_INDEX, gives:
 * indexed_params.h has the formula.  take, put, and the packing of elements for other ranks use it.  On a
 * GPU, with MNP_ROWS it gathers rows of bytes of any alignment, and with MNP_SORTED there is an order of the indices.
 */
#include "kernels/prelude.h"
#include "kernels/indexing/indexed_params.h"

struct alignas(16) mnp_sixteen {
    uint64_t low, high;
};

#if MNP_CUDA
#include "kernels/indexing/indexed_cuda.h"
#else

/* Move a row of elements with one index for all of them. */
static void move_run(MNP_UNIT *dst, int64_t dst_stride, const MNP_UNIT *src, int64_t src_stride, int64_t count)
{
    if (dst_stride == 1 && src_stride == 1) {
        memcpy(dst, src, (size_t)count * sizeof *dst);
    } else {
        for (int64_t j = 0; j < count; j++)
            dst[j * dst_stride] = src[j * src_stride];
    }
}

/*
 * Move a row where every element has an index of its own.  `dense`: all strides are 1.  The element that an index names
 * is prefetched, as processors cannot predict its address.
 */
template <int mode, bool scatters, bool dense>
static void move_each(const mnp_indexed_params &p, MNP_UNIT *dst, const MNP_UNIT *src, const MNP_INDEX *index,
                      int64_t count)
{
    enum { AHEAD = 32 };
    const int last = p.ndim - 1;
    const int64_t dst_stride = dense && !scatters ? 1 : p.dst_stride[last];
    const int64_t src_stride = dense && scatters ? 1 : p.src_stride[last];
    const int64_t step = dense ? 1 : p.index_stride[last], jump = dense ? 1 : p.jump, inside = p.count;
    for (int64_t j = 0; j < count; j++) {
        const int64_t later = jump * mnp_inside<mode>(index[(j + AHEAD < count ? j + AHEAD : j) * step], inside);
        const int64_t now = jump * mnp_inside<mode>(index[j * step], inside);
        if (scatters) {
            __builtin_prefetch(dst + later, 1);
            dst[j * dst_stride + now] = src[j * src_stride];
        } else {
            __builtin_prefetch(src + later);
            dst[j * dst_stride] = src[j * src_stride + now];
        }
    }
}

template <int mode>
static void move_row(const mnp_indexed_params &p, MNP_UNIT *dst, const MNP_UNIT *src, const MNP_INDEX *index,
                     int64_t count)
{
    const int last = p.ndim - 1;
    const bool dense =
        p.jump == 1 && p.index_stride[last] == 1 && (p.scatters ? p.src_stride : p.dst_stride)[last] == 1;
    if (p.scatters && dense)
        move_each<mode, true, true>(p, dst, src, index, count);
    else if (p.scatters)
        move_each<mode, true, false>(p, dst, src, index, count);
    else if (dense)
        move_each<mode, false, true>(p, dst, src, index, count);
    else
        move_each<mode, false, false>(p, dst, src, index, count);
}

MNP_KERNEL(move_indexed, mnp_indexed_params)
{
    const int last = p.ndim - 1;
    const int64_t width = p.extent[last], end = mnp_share_begin(p.total, worker + 1, workers);
    for (int64_t i = mnp_share_begin(p.total, worker, workers); i < end;) {
        int64_t row = i / width;
        const int64_t column = i % width, count = width - column < end - i ? width - column : end - i;
        int64_t from = column * p.src_stride[last], to = column * p.dst_stride[last];
        int64_t at = column * p.index_stride[last];
        for (int d = last - 1; d >= 0; d--) {
            const int64_t j = row % p.extent[d];
            from += j * p.src_stride[d];
            to += j * p.dst_stride[d];
            at += j * p.index_stride[d];
            row /= p.extent[d];
        }
        const MNP_UNIT *src = (const MNP_UNIT *)p.src + from;
        MNP_UNIT *dst = (MNP_UNIT *)p.dst + to;
        const MNP_INDEX *index = (const MNP_INDEX *)p.index + at;
        if (p.index_stride[last] == 0) {
            const int64_t jump = mnp_inside(*index, p.count, p.mode) * p.jump;
            move_run(p.scatters ? dst + jump : dst, p.dst_stride[last], p.scatters ? src : src + jump,
                     p.src_stride[last], count);
        } else if (p.mode == MNP_INDEXED_RAISE) {
            move_row<MNP_INDEXED_RAISE>(p, dst, src, index, count);
        } else if (p.mode == MNP_INDEXED_WRAP) {
            move_row<MNP_INDEXED_WRAP>(p, dst, src, index, count);
        } else {
            move_row<MNP_INDEXED_CLIP>(p, dst, src, index, count);
        }
        i += count;
    }
}

#endif
