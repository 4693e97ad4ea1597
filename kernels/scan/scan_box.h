/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Elements that a block of a GPU copies to its shared memory, scans there, and copies from it: rows of columns, where a
 * row holds the elements at one index along the axis.  In shared memory rows follow one another, with a gap after each
 * group of them.  Where they follow one another in memory, 16 bytes at a time are copied, wherever the first element
 * begins if there are no gaps; else vectors of MNP_VECTOR elements, with the strides of the operand.
 */
#include "kernels/copy_ahead_cuda.h"
#include "kernels/reduction/staging_cuda.h"

constexpr bool mnp_in_place = sizeof(mnp_in) == sizeof(mnp_out); /* results overwrite elements */

/* Copy one value to shared memory, without waiting for it where the GPU can do so. */
template <typename T> MNP_INLINE void mnp_fetch(T *shared, const T *from)
{
    if constexpr (sizeof(T) == 16 || sizeof(T) == 8 || sizeof(T) == 4)
        mnp_copy_ahead<(int)sizeof(T)>(shared, from);
    else
        *shared = *from;
}

/* The place of a vector in a box, from one that a thread copies to its next, MNP_THREADS vectors later. */
struct mnp_walk {
    int group, row, column, rows, columns;
    int more_groups, more_rows, more_columns; /* of MNP_THREADS vectors */
    MNP_INLINE mnp_walk(int rows, int columns) : rows(rows), columns(columns)
    {
        split(threadIdx.x, group, row, column);
        split(MNP_THREADS, more_groups, more_rows, more_columns);
    }
    MNP_INLINE void split(int number, int &in_group, int &in_row, int &in_column) const
    {
        const int all = number / columns;
        in_column = number - all * columns;
        in_group = all / rows;
        in_row = all - in_group * rows;
    }
    MNP_INLINE void next()
    {
        column += more_columns;
        row += more_rows;
        group += more_groups;
        if (column >= columns) {
            column -= columns;
            row++;
        }
        if (row >= rows) {
            row -= rows;
            group++;
        }
    }
};

/*
 * A box of `groups` times `rows` rows of `columns` elements.  Group g begins at starts[g] in memory, if there are
 * several.  With a gap, groups that follow one another in memory have a multiple of 16 bytes and are aligned to it.
 */
struct mnp_box {
    int groups, rows, columns, gap;
    const int64_t *starts;

    MNP_INLINE int count() const
    {
        return groups * rows * columns;
    }
    MNP_INLINE int64_t place(const mnp_walk &walk, const mnp_scan_operand &operand) const
    {
        const int64_t step = MNP_VECTOR > 1 ? MNP_VECTOR : operand.kept[MNP_KEPT - 1];
        return (starts ? starts[walk.group] : 0) + walk.row * operand.along + walk.column * step;
    }
    /* How many vectors of gaps are before the place in shared memory. */
    template <typename Vector, typename Element> MNP_INLINE int gaps(const mnp_walk &walk) const
    {
        return walk.group * (gap * (int)sizeof(Element) / (int)sizeof(Vector));
    }
    /* How many times 16 bytes a group has. */
    template <typename Element> MNP_INLINE int chunks() const
    {
        return rows * columns * (int)sizeof(Element) / 16;
    }
};

/* Where in shared memory a box of elements is to begin: if results overwrite them, suitably for these. */
MNP_INLINE mnp_in *mnp_room_of_elements(uint4 *shared, const mnp_in *in, const mnp_out *out)
{
    const bool as_results = mnp_in_place && MNP_UNIT_OUT && MNP_VECTOR == 1;
    return (mnp_in *)((char *)shared + (MNP_UNIT_IN ? mnp_skip_of(in) : as_results ? mnp_skip_of(out) : 0));
}

/* Where results are to begin that overwrite elements. */
MNP_INLINE mnp_out *mnp_room_of_results(uint4 *shared, const mnp_in *elements, const mnp_out *out)
{
    return (mnp_out *)(mnp_in_place ? (char *)elements : (char *)shared + (MNP_UNIT_OUT ? mnp_skip_of(out) : 0));
}

/* Begin to copy a box to its room in shared memory; `in` is its first element. */
MNP_INLINE void mnp_stage_box(mnp_in *room, const mnp_in *in, const mnp_scan_operand &operand, const mnp_box &box)
{
    typedef mnp_vector<mnp_in, MNP_VECTOR> vector;
    if (MNP_UNIT_IN && box.gap == 0) {
        mnp_stage((uint4 *)((char *)room - mnp_skip_of(in)), in, box.count() * (int)sizeof(mnp_in));
        return;
    }
    if (MNP_UNIT_IN) {
        const int chunks = box.chunks<mnp_in>();
        mnp_walk walk(chunks, 1);
#pragma unroll 4
        for (int i = threadIdx.x; i < box.groups * chunks; i += MNP_THREADS, walk.next())
            mnp_fetch((uint4 *)room + i + box.gaps<uint4, mnp_in>(walk), (const uint4 *)in + i);
        return;
    }
    const int count = box.count() / MNP_VECTOR;
    mnp_walk walk(box.rows, box.columns / MNP_VECTOR);
#pragma unroll 4
    for (int i = threadIdx.x; i < count; i += MNP_THREADS, walk.next())
        mnp_fetch((vector *)room + i + box.gaps<vector, mnp_in>(walk), (const vector *)(in + box.place(walk, operand)));
}

/* Copy results from shared memory. */
MNP_INLINE void mnp_unstage_box(mnp_out *out, const mnp_out *results, const mnp_scan_operand &operand,
                                const mnp_box &box)
{
    typedef mnp_vector<mnp_out, MNP_VECTOR> vector;
    if (MNP_UNIT_OUT && box.gap > 0) {
        const int chunks = box.chunks<mnp_out>();
        mnp_walk walk(chunks, 1);
#pragma unroll 4
        for (int i = threadIdx.x; i < box.groups * chunks; i += MNP_THREADS, walk.next())
            ((uint4 *)out)[i] = ((const uint4 *)results)[i + box.gaps<uint4, mnp_out>(walk)];
        return;
    }
    if (MNP_UNIT_OUT) {
        const int skip = mnp_skip_of(out);
        if (mnp_skip_of(results) == skip) {
            mnp_unstage(out, (const uint4 *)((const char *)results - skip), box.count() * (int)sizeof(mnp_out));
            return;
        }
        for (int i = threadIdx.x; i < box.count(); i += MNP_THREADS)
            out[i] = results[i];
        return;
    }
    const int count = box.count() / MNP_VECTOR;
    mnp_walk walk(box.rows, box.columns / MNP_VECTOR);
#pragma unroll 4
    for (int i = threadIdx.x; i < count; i += MNP_THREADS, walk.next())
        *(vector *)(out + box.place(walk, operand)) = ((const vector *)results)[i + box.gaps<vector, mnp_out>(walk)];
}
