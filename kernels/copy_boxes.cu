/*
 * Copy boxes of elements between any strides, converting from MNP_SRC to MNP_DST: packing, unpacking, local moves,
 * filling, casting.  One launch serves a whole list of boxes, or one box by tiles where it is transposed.
 */
#include "prelude.h"
#include "copy_boxes.h"
#include "copy_tiles.h"

/* The last box that begins at or before element i. */
MNP_INLINE const mnp_box_copy *box_of(const mnp_copy_params &p, int64_t i)
{
    int64_t low = 0, high = p.nboxes;
    if (!p.boxes)
        return &p.one;
    while (high - low > 1) {
        int64_t middle = (low + high) / 2;
        if (p.boxes[middle].first <= i)
            low = middle;
        else
            high = middle;
    }
    return &p.boxes[low];
}

#if MNP_CUDA

MNP_KERNEL(copy_boxes, mnp_copy_params)
{
    if (p.tiled) {
        copy_tiles(p);
        return;
    }
    const MNP_SRC *src = (const MNP_SRC *)(p.src ? p.src : p.value);
    MNP_DST *dst = (MNP_DST *)p.dst;
    for MNP_RANGE(i, p.total) {
        const mnp_box_copy *box = box_of(p, i);
        int64_t rest = i - box->first, from = box->src, to = box->dst;
        for (int d = p.ndim - 1; d > 0; d--) {
            int64_t extent = box->extent[d], quotient;
            if ((rest | extent) >> 32 == 0) /* 32-bit division is several times quicker */
                quotient = (uint32_t)rest / (uint32_t)extent;
            else
                quotient = rest / extent;
            int64_t index = rest - quotient * extent;
            from += index * box->src_stride[d];
            to += index * box->dst_stride[d];
            rest = quotient;
        }
        from += rest * box->src_stride[0];
        to += rest * box->dst_stride[0];
        dst[to] = mnp_to<MNP_DST>::from(src[from]);
    }
}

#else

static void copy_run(MNP_DST *dst, int64_t dst_stride, const MNP_SRC *src, int64_t src_stride, int64_t count)
{
    if (dst_stride == 1 && src_stride == 1) {
        for (int64_t i = 0; i < count; i++)
            dst[i] = mnp_to<MNP_DST>::from(src[i]);
    } else {
        for (int64_t i = 0; i < count; i++)
            dst[i * dst_stride] = mnp_to<MNP_DST>::from(src[i * src_stride]);
    }
}

MNP_KERNEL(copy_boxes, mnp_copy_params)
{
    if (p.tiled) {
        copy_tiles(p, worker, workers);
        return;
    }
    const MNP_SRC *src = (const MNP_SRC *)(p.src ? p.src : p.value);
    MNP_DST *dst = (MNP_DST *)p.dst;
    const int last = p.ndim - 1;
    int64_t end = mnp_share_begin(p.total, worker + 1, workers);
    for (int64_t i = mnp_share_begin(p.total, worker, workers); i < end;) {
        const mnp_box_copy *box = box_of(p, i);
        int64_t row = (i - box->first) / box->extent[last], column = (i - box->first) % box->extent[last];
        int64_t from = box->src + column * box->src_stride[last], to = box->dst + column * box->dst_stride[last];
        int64_t count = box->extent[last] - column < end - i ? box->extent[last] - column : end - i;
        for (int d = last - 1; d >= 0; d--) {
            int64_t index = row % box->extent[d];
            from += index * box->src_stride[d];
            to += index * box->dst_stride[d];
            row /= box->extent[d];
        }
        copy_run(dst + to, box->dst_stride[last], src + from, box->src_stride[last], count);
        i += count;
    }
}

#endif
