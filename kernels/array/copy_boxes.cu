/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copy boxes of elements between any strides, converting from MNP_SRC to MNP_DST: packing, unpacking, local moves,
 * filling, casting.  One launch serves a whole list of boxes; boxes that are transposed go by tiles.
 */
#include "kernels/prelude.h"
#include "kernels/array/copy_boxes_params.h"
#include "kernels/array/copy_tiles.h"

#if MNP_CUDA
#include "kernels/array/copy_list_cuda.h"

extern "C" __global__ void __launch_bounds__(MNP_COPY_THREADS, 4) copy_boxes(const __grid_constant__ mnp_copy_params p)
{
    const mnp_box_copy *boxes = p.list.boxes ? p.list.boxes : p.few;
    const void *src = p.src ? p.src : p.value;
    for (int64_t unit = blockIdx.x; unit < p.list.units; unit += gridDim.x)
        mnp_copy_unit(p.list, boxes, src, p.dst, unit);
}

#else

/* The last box that begins at or before element i. */
static const mnp_box_copy *box_of(const mnp_copy_params &p, int64_t i)
{
    const mnp_box_copy *boxes = p.list.boxes ? p.list.boxes : p.few;
    int64_t low = 0, high = p.list.count;
    while (high - low > 1) {
        int64_t middle = (low + high) / 2;
        if (boxes[middle].first <= i)
            low = middle;
        else
            high = middle;
    }
    return &boxes[low];
}

/* Elements one after the other; where nothing is to be converted as quickly as the CPU can. */
template <typename To, typename From> static void copy_dense(To *dst, const From *src, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        dst[i] = mnp_to<To>::from(src[i]);
}

template <typename T> static void copy_dense(T *dst, const T *src, int64_t count)
{
    memcpy(dst, src, (size_t)count * sizeof *dst);
}

static void copy_run(MNP_DST *dst, int64_t dst_stride, const MNP_SRC *src, int64_t src_stride, int64_t count)
{
    if (dst_stride == 1 && src_stride == 1) {
        copy_dense(dst, src, count);
    } else {
        for (int64_t i = 0; i < count; i++)
            dst[i * dst_stride] = mnp_to<MNP_DST>::from(src[i * src_stride]);
    }
}

static int64_t box_size(const mnp_box_copy &box, int ndim)
{
    int64_t size = 1;
    for (int d = 0; d < ndim; d++)
        size *= box.extent[d];
    return size;
}

/*
 * Rows of few elements, `count` of them, by loops along their beginnings, which are longer.  So many are taken at a
 * time that what they touch stays in a cache.
 */
constexpr int64_t narrow = 8, together = 256;
static void copy_narrow(const mnp_box_copy &box, int last, int64_t count, MNP_DST *dst, const MNP_SRC *src)
{
    for (int64_t j = 0; j < box.extent[last]; j++)
        copy_run(dst + j * box.dst_stride[last], box.dst_stride[last - 1], src + j * box.src_stride[last],
                 box.src_stride[last - 1], count);
}

/* Elements `from` to `to` of a box, row by row, or of narrow ones several at a time. */
static void copy_rows(const mnp_copy_params &p, const mnp_box_copy &box, int64_t from, int64_t to)
{
    const MNP_SRC *src = (const MNP_SRC *)(p.src ? p.src : p.value) + box.src;
    MNP_DST *dst = (MNP_DST *)p.dst + box.dst;
    const int last = p.list.ndim - 1;
    int64_t index[MNP_BOX_DIMS], rest = from;
    for (int d = last; d >= 0; d--) {
        index[d] = rest % box.extent[d];
        src += index[d] * box.src_stride[d];
        dst += index[d] * box.dst_stride[d];
        rest /= box.extent[d];
    }
    while (from < to) {
        const int64_t width = box.extent[last];
        if (last > 0 && width < narrow && index[last] == 0 && to - from >= width) {
            const int64_t left = box.extent[last - 1] - index[last - 1], whole = (to - from) / width;
            const int64_t rows = mnp_least(mnp_least(left, whole), together);
            copy_narrow(box, last, rows, dst, src);
            from += rows * width; /* stay at the last of these rows */
            src += (rows - 1) * box.src_stride[last - 1];
            dst += (rows - 1) * box.dst_stride[last - 1];
            index[last - 1] += rows - 1;
        } else {
            const int64_t count = mnp_least(width - index[last], to - from);
            copy_run(dst, box.dst_stride[last], src, box.src_stride[last], count);
            from += count;
        }
        src -= index[last] * box.src_stride[last]; /* the row's beginning; then on to the next row */
        dst -= index[last] * box.dst_stride[last];
        index[last] = 0;
        for (int d = last - 1; d >= 0; d--) {
            src += box.src_stride[d];
            dst += box.dst_stride[d];
            if (++index[d] < box.extent[d])
                break;
            src -= box.extent[d] * box.src_stride[d];
            dst -= box.extent[d] * box.dst_stride[d];
            index[d] = 0;
        }
    }
}

MNP_KERNEL(copy_boxes, mnp_copy_params)
{
    const int64_t end = mnp_share_begin(p.list.total, worker + 1, workers);
    int64_t i = mnp_share_begin(p.list.total, worker, workers);
    for (const mnp_box_copy *box = i < end ? box_of(p, i) : nullptr; i < end; box++) {
        int64_t stop = box->first + box_size(*box, p.list.ndim);
        if (stop > end)
            stop = end;
        if (box->tiled)
            copy_tiles(p, *box, i - box->first, stop - box->first);
        else
            copy_rows(p, *box, i - box->first, stop - box->first);
        i = stop;
    }
}

#endif
