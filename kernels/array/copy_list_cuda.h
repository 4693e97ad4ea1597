/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lists of boxes on a GPU: one block of threads copies one unit (copy_boxes_params.h) at a time, from MNP_SRC to
 * MNP_DST.
 *
 * A thread has four accesses under way: it reads four, then writes them.  Where elements lie side by side in both
 * memories an access is up to 16 bytes wide, as the widths of the box and the alignment of both memories allow.  Long
 * rows for which they do not are written by packs of 16 bytes all the same.  Boxes that are transposed go by tiles
 * through shared memory, so that both sides have runs of 128 bytes and more.  A unit of several small boxes goes
 * element by element, and every thread finds the box of its own.
 */
#include "kernels/array/copy_tiles.h"
#include "kernels/words_cuda.h"

enum { MNP_COPY_IN_FLIGHT = 4, MNP_ROW_OF_PACKS = 128 /* bytes of the shortest rows that go by packs */ };

template <typename A, typename B> struct mnp_moved {
    static constexpr int size = 0;
};
template <typename A> struct mnp_moved<A, A> {
    static constexpr int size = (int)sizeof(A);
};

/* Bytes of an element that is moved as it is; 0 where it is converted. */
constexpr int mnp_moved_size = mnp_moved<MNP_SRC, MNP_DST>::size;

constexpr int mnp_tile_side = MNP_BOX_TILE(mnp_moved_size);

/* How many elements at most go by one access. */
constexpr int mnp_widest = mnp_moved_size > 0 ? 16 / (int)sizeof(MNP_SRC) : 1;

/* How many of a width do where a memory begins at that address; 0 if not even one does. */
template <typename T> MNP_INLINE int mnp_access_width(int width, const T *memory)
{
    const int bits = (int)((uint64_t)memory & 15) | 16, aligned = (bits & -bits) / (int)sizeof(T);
    return width < aligned ? width : aligned;
}

/*
 * The number of this thread, asked for anew for each unit: what follows from it would else be kept in registers from
 * unit to unit, and there are more useful things to keep there.
 */
MNP_INLINE int mnp_thread()
{
#if MNP_PTX
    int thread;
    asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));
    return thread;
#else
    return (int)threadIdx.x;
#endif
}

/* ---- rows ---- */

/* Add up where some elements of a box lie, by their numbers in C order. */
template <int count>
MNP_INLINE void mnp_locate(const mnp_box_copy &box, int ndim, int64_t (&number)[count], int64_t (&from)[count],
                           int64_t (&to)[count])
{
#pragma unroll 1
    for (int d = ndim - 1; d > 0; d--) {
        const int64_t extent = box.extent[d], src_stride = box.src_stride[d], dst_stride = box.dst_stride[d];
        const double inverse = box.inverse[d];
#pragma unroll
        for (int k = 0; k < count; k++) {
            const int64_t rest = quick_quotient(number[k], extent, inverse), index = number[k] - rest * extent;
            from[k] += index * src_stride;
            to[k] += index * dst_stride;
            number[k] = rest;
        }
    }
#pragma unroll
    for (int k = 0; k < count; k++) {
        from[k] += number[k] * box.src_stride[0];
        to[k] += number[k] * box.dst_stride[0];
    }
}

/* Elements `begin` to `end` of a box, by accesses of `width` elements, which both are multiples of. */
template <typename From, typename To, int width>
MNP_FUNCTION void mnp_copy_accesses(const mnp_box_copy &box, int ndim, const MNP_SRC *src, MNP_DST *dst, int64_t begin,
                                    int64_t end)
{
    constexpr int count = MNP_COPY_IN_FLIGHT, step = MNP_COPY_THREADS * width;
#pragma unroll 1
    for (int64_t i = begin + mnp_thread() * width; i < end; i += count * step) {
        int64_t number[count], from[count], to[count];
        From value[count];
#pragma unroll
        for (int k = 0; k < count; k++) {
            number[k] = i + k * step < end ? i + k * step : i; /* repeats an element that is there, and is not stored */
            from[k] = box.src;
            to[k] = box.dst;
        }
        mnp_locate(box, ndim, number, from, to);
#pragma unroll
        for (int k = 0; k < count; k++)
            value[k] = *(const From *)(src + from[k]);
#pragma unroll
        for (int k = 0; k < count; k++) {
            if (i + k * step < end)
                *(To *)(dst + to[k]) = mnp_to<To>::from(value[k]);
        }
    }
}

/* The same by the widest accesses that are allowed, of at most that many bytes. */
template <int bytes>
MNP_INLINE void mnp_copy_rows(const mnp_box_copy &box, int ndim, const MNP_SRC *src, MNP_DST *dst, int64_t begin,
                              int64_t end, int width)
{
    if constexpr (mnp_moved_size == 0 || bytes < mnp_moved_size) {
        mnp_copy_accesses<MNP_SRC, MNP_DST, 1>(box, ndim, src, dst, begin, end);
    } else {
        typedef typename mnp_word<bytes>::type word;
        if (width * mnp_moved_size >= bytes)
            mnp_copy_accesses<word, word, bytes / mnp_moved_size>(box, ndim, src, dst, begin, end);
        else if constexpr (bytes > 1)
            mnp_copy_rows<bytes / 2>(box, ndim, src, dst, begin, end, width);
    }
}

/* ---- packs ---- */

/*
 * Rows of a box that lie dense where they are written, by packs: what is between two multiples of 16 bytes there.  A
 * pack inside a row is one store, which over a link between GPUs counts more than all that is read for it, element by
 * element; of those at the ends of a row the elements are stored one by one.  All rows have numbers for as many packs
 * as the one with most; a row begins in number 0, and the last ones may be empty.
 */
struct mnp_packs {
    int64_t of_row, extent;      /* packs, and elements */
    int64_t first_row, last_row; /* from element `low` in the first one to `high` in the last */
    int64_t low, high;
    double inverse; /* 1.0 / of_row */
};

/* A pack: where its row and element 0 of it lie, and which of its elements there are: low .. high - 1. */
struct mnp_pack {
    int64_t from, to;
    int low, high;
};

/* How far a row begins behind a multiple of 16 bytes. */
MNP_INLINE int mnp_lead(const MNP_DST *row)
{
    return (int)((uint64_t)row & 15) / (int)sizeof(MNP_DST);
}

/* The number of the pack that has an element of a row. */
MNP_INLINE int64_t mnp_pack_number(const mnp_packs &packs, const mnp_box_copy &box, int ndim, const MNP_DST *dst,
                                   int64_t row, int64_t element)
{
    int64_t number[1] = {row}, from[1] = {box.src}, to[1] = {box.dst};
    mnp_locate(box, ndim - 1, number, from, to);
    return row * packs.of_row + (element + mnp_lead(dst + to[0])) / mnp_widest;
}

/* Find packs by their numbers. */
template <int count>
MNP_INLINE void mnp_find_packs(const mnp_packs &packs, const mnp_box_copy &box, int ndim, const MNP_DST *dst,
                               const int64_t (&numbers)[count], mnp_pack (&found)[count])
{
    int64_t rows[count], from[count], to[count], place[count];
    bool first[count], last[count];
#pragma unroll
    for (int k = 0; k < count; k++) {
        rows[k] = quick_quotient(numbers[k], packs.of_row, packs.inverse);
        place[k] = (numbers[k] - rows[k] * packs.of_row) * mnp_widest;
        first[k] = rows[k] == packs.first_row;
        last[k] = rows[k] == packs.last_row;
        from[k] = box.src;
        to[k] = box.dst;
    }
    mnp_locate(box, ndim - 1, rows, from, to);
#pragma unroll
    for (int k = 0; k < count; k++) {
        const int64_t at = place[k] - mnp_lead(dst + to[k]), low = (first[k] ? packs.low : 0) - at;
        const int64_t high = (last[k] ? packs.high : packs.extent) - at;
        found[k] = {from[k] + at * box.src_stride[ndim - 1], to[k] + at, low > 0 ? (int)low : 0,
                    high < mnp_widest ? (int)high : mnp_widest};
    }
}

MNP_INLINE void mnp_store_pack(const mnp_pack &pack, const MNP_DST (&elements)[mnp_widest], MNP_DST *dst)
{
    typedef mnp_word<(int)sizeof elements>::type word;
    if (pack.low == 0 && pack.high == mnp_widest) {
        word all;
        memcpy(&all, elements, sizeof all);
        *(word *)(dst + pack.to) = all;
        return;
    }
#pragma unroll
    for (int j = 0; j < mnp_widest; j++) {
        if (j >= pack.low && j < pack.high)
            dst[pack.to + j] = elements[j];
    }
}

/* Elements `begin` to `end` of a box. */
MNP_FUNCTION void mnp_copy_packs(const mnp_box_copy &box, int ndim, const MNP_SRC *src, MNP_DST *dst, int64_t begin,
                                 int64_t end)
{
    constexpr int count = mnp_widest > MNP_COPY_IN_FLIGHT ? 1 : 2; /* at least four reads */
    const int64_t extent = box.extent[ndim - 1], stride = box.src_stride[ndim - 1], of_row = extent / mnp_widest + 2;
    const int64_t first_row = quick_quotient(begin, extent, box.inverse[ndim - 1]);
    const int64_t last_row = quick_quotient(end - 1, extent, box.inverse[ndim - 1]);
    const mnp_packs packs = {
        of_row, extent, first_row, last_row, begin - first_row * extent, end - last_row * extent, 1.0 / (double)of_row};
    const int64_t stop = mnp_pack_number(packs, box, ndim, dst, last_row, packs.high - 1) + 1;
#pragma unroll 1
    for (int64_t i = mnp_pack_number(packs, box, ndim, dst, first_row, packs.low) + mnp_thread(); i < stop;
         i += count * MNP_COPY_THREADS) {
        int64_t number[count];
        mnp_pack pack[count];
        MNP_DST elements[count][mnp_widest];
#pragma unroll
        for (int k = 0; k < count; k++)
            number[k] = i + k * MNP_COPY_THREADS < stop ? i + k * MNP_COPY_THREADS : i;
        mnp_find_packs(packs, box, ndim, dst, number, pack);
#pragma unroll
        for (int k = 0; k < count; k++) {
#pragma unroll
            for (int j = 0; j < mnp_widest; j++) { /* repeats an element that is there, and is not stored */
                const int behind = j < pack[k].low ? pack[k].low : j;
                const int at = behind < pack[k].high ? behind : pack[k].high - 1;
                elements[k][j] = mnp_to<MNP_DST>::from(src[pack[k].from + at * stride]);
            }
        }
#pragma unroll
        for (int k = 0; k < count; k++) {
            if (i + k * MNP_COPY_THREADS < stop)
                mnp_store_pack(pack[k], elements[k], dst);
        }
    }
}

/* Whether a box goes by packs, where an access is `width` elements wide else. */
MNP_INLINE bool mnp_goes_by_packs(const mnp_box_copy &box, int ndim, int width)
{
    return width >= 1 && width < mnp_widest && box.dst_stride[ndim - 1] == 1 &&
           box.extent[ndim - 1] * (int64_t)sizeof(MNP_DST) >= MNP_ROW_OF_PACKS;
}

/* ---- tiles ---- */

/*
 * Accesses of `width` elements that make up a tile, dealt out to the threads.  A warp has 128 bytes of a line, or 32
 * accesses, and as many lines as are left: as columns are an odd number of elements apart in shared memory, those of a
 * warp lie in different banks there, along lines and across.
 */
template <int width> struct mnp_tile_accesses {
    static constexpr int bytes = (int)sizeof(MNP_SRC) * width;
    static constexpr int along = 128 / bytes < 32 ? 128 / bytes : 32, steps = mnp_tile_side / (along * width);
    static constexpr int rounds = mnp_tile_side * mnp_tile_side / width / MNP_COPY_THREADS;
    static constexpr int in_flight = rounds < MNP_COPY_IN_FLIGHT ? rounds : MNP_COPY_IN_FLIGHT;
    static_assert(steps > 0 && rounds > 0 && rounds % in_flight == 0, "a tile is so many accesses of all threads");

    /* The place of an access in its line, and its line. */
    static MNP_INLINE int place(int thread, int round)
    {
        return (thread % along + round % steps * along) * width;
    }
    static MNP_INLINE int line(int thread, int round)
    {
        return thread / along + round / steps * (MNP_COPY_THREADS / along);
    }
};

struct mnp_quick_tile {
    MNP_SRC at[mnp_tile_side][mnp_tile_side + 1]; /* [column][row] */
};

/* Read a tile; a line is a column. */
template <typename Word, int width>
MNP_INLINE void mnp_tile_read(mnp_quick_tile &quick, const tile &t, const MNP_SRC *src, int64_t row_stride,
                              int64_t column_stride)
{
    typedef mnp_tile_accesses<width> accesses;
    constexpr int count = accesses::in_flight;
    const int thread = mnp_thread();
    static_assert(sizeof(Word) == sizeof(MNP_SRC) * width, "a word is so many elements");
#pragma unroll 1
    for (int first = 0; first < accesses::rounds; first += count) {
        Word words[count] = {};
#pragma unroll
        for (int k = 0; k < count; k++) {
            const int row = accesses::place(thread, first + k), column = accesses::line(thread, first + k);
            if (row < t.rows && column < t.columns)
                words[k] = *(const Word *)(src + t.from + row * row_stride + column * column_stride);
        }
#pragma unroll
        for (int k = 0; k < count; k++) {
            const int row = accesses::place(thread, first + k), column = accesses::line(thread, first + k);
            MNP_SRC elements[width];
            memcpy(elements, &words[k], sizeof elements);
#pragma unroll
            for (int j = 0; j < width; j++)
                quick.at[column][row + j] = elements[j]; /* what lies beyond the edges nobody takes */
        }
    }
}

/* Write a tile; a line is a row. */
template <typename Word, int width>
MNP_INLINE void mnp_tile_write(const mnp_quick_tile &quick, const tile &t, MNP_DST *dst, int64_t row_stride,
                               int64_t column_stride)
{
    typedef mnp_tile_accesses<width> accesses;
    const int thread = mnp_thread();
#pragma unroll MNP_COPY_IN_FLIGHT
    for (int round = 0; round < accesses::rounds; round++) {
        const int column = accesses::place(thread, round), row = accesses::line(thread, round);
        MNP_DST elements[width];
        Word word;
        if (row >= t.rows || column >= t.columns)
            continue;
#pragma unroll
        for (int j = 0; j < width; j++)
            elements[j] = mnp_to<MNP_DST>::from(quick.at[column + j][row]);
        memcpy(&word, elements, sizeof word);
        *(Word *)(dst + t.to + row * row_stride + column * column_stride) = word;
    }
}

/* All threads of a block: tile `number` of a box. */
MNP_FUNCTION void mnp_copy_tile(const mnp_box_copy &box, int ndim, const MNP_SRC *src, MNP_DST *dst, int64_t number)
{
    __shared__ mnp_quick_tile quick;
    typedef typename mnp_word<mnp_widest *(int)sizeof(MNP_SRC)>::type src_word;
    typedef typename mnp_word<mnp_widest *(int)sizeof(MNP_DST)>::type dst_word;
    const int x = ndim - 1, y = ndim - 2;
    const tile t = tile_at(box, ndim, number, mnp_tile_side);
    __syncthreads(); /* the tile before has been taken */
    if (mnp_access_width(box.src_width, src) >= mnp_widest)
        mnp_tile_read<src_word, mnp_widest>(quick, t, src, box.src_stride[y], box.src_stride[x]);
    else
        mnp_tile_read<MNP_SRC, 1>(quick, t, src, box.src_stride[y], box.src_stride[x]);
    __syncthreads();
    if (mnp_access_width(box.dst_width, dst) >= mnp_widest)
        mnp_tile_write<dst_word, mnp_widest>(quick, t, dst, box.dst_stride[y], box.dst_stride[x]);
    else
        mnp_tile_write<MNP_DST, 1>(quick, t, dst, box.dst_stride[y], box.dst_stride[x]);
}

/* ---- units ---- */

/* The last of the boxes low .. high - 1 whose `key` is at most `value`; the first, if none is. */
template <long long mnp_box_copy::*key>
MNP_INLINE int64_t mnp_find_box(const mnp_box_copy *boxes, int64_t low, int64_t high, int64_t value)
{
#pragma unroll 1
    while (high - low > 1) {
        const int64_t middle = (low + high) / 2;
        if (boxes[middle].*key <= value)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The elements of the small boxes low .. high - 1. */
MNP_FUNCTION void mnp_copy_small(const mnp_box_copy *boxes, int ndim, const MNP_SRC *src, MNP_DST *dst, int64_t low,
                                 int64_t high, int64_t end)
{
#pragma unroll 1
    for (int64_t i = boxes[low].first + mnp_thread(); i < end; i += MNP_COPY_THREADS) {
        const mnp_box_copy &box = boxes[mnp_find_box<&mnp_box_copy::first>(boxes, low, high, i)];
        int64_t number[1] = {i - box.first}, from[1] = {box.src}, to[1] = {box.dst};
        mnp_locate(box, ndim, number, from, to);
        dst[to[0]] = mnp_to<MNP_DST>::from(src[from[0]]);
    }
}

/* All threads of a block: copy a unit of a list. */
MNP_INLINE void mnp_copy_unit(const mnp_box_list &list, const mnp_box_copy *boxes, const void *from, void *to,
                              int64_t unit)
{
    const MNP_SRC *src = (const MNP_SRC *)from;
    MNP_DST *dst = (MNP_DST *)to;
    const int64_t last = mnp_find_box<&mnp_box_copy::first_unit>(boxes, 0, list.count, unit);
    const mnp_box_copy &box = boxes[last];
    const int64_t end = last + 1 < list.count ? boxes[last + 1].first : list.total;
    if (last > 0 && boxes[last - 1].first_unit == unit) {
        int64_t low = mnp_find_box<&mnp_box_copy::first_unit>(boxes, 0, last, unit - 1);
        mnp_copy_small(boxes, list.ndim, src, dst, low + (boxes[low].first_unit < unit), last + 1, end);
    } else if (box.tiled) {
        mnp_copy_tile(box, list.ndim, src, dst, unit - box.first_unit);
    } else {
        const int64_t begin = (box.first > 0 ? box.first : 0) + (unit - box.first_unit) * box.unit; /* in the list */
        const int64_t stop = end - begin < box.unit ? end : begin + box.unit;
        const int src_width = mnp_access_width(box.src_width, src), dst_width = mnp_access_width(box.dst_width, dst);
        const int width = src_width < dst_width ? src_width : dst_width;
        if (mnp_goes_by_packs(box, list.ndim, width))
            mnp_copy_packs(box, list.ndim, src, dst, begin - box.first, stop - box.first);
        else
            mnp_copy_rows<16>(box, list.ndim, src, dst, begin - box.first, stop - box.first, width);
    }
}
