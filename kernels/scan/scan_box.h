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
    /* How many times 16 bytes a group has. */
    template <typename Element> MNP_INLINE int chunks() const
    {
        return rows * columns * (int)sizeof(Element) / 16;
    }
};

/*
 * A thread's way through a box of vectors, MNP_THREADS at a time: which vector it has come to, and where that is in
 * memory, counted from the beginning of its group.  Steps add to both, without products.
 */
struct mnp_walk {
    int groups, rows, columns, group, row, column;
    int more_groups, more_rows, more_columns; /* of MNP_THREADS vectors */
    int64_t offset, more, next_row, next_group;

    MNP_INLINE mnp_walk(int groups, int rows, int columns, int64_t along, int64_t across)
        : groups(groups), rows(rows), columns(columns)
    {
        split(threadIdx.x, group, row, column);
        split(MNP_THREADS, more_groups, more_rows, more_columns);
        offset = row * along + column * across;
        more = more_rows * along + more_columns * across;
        next_row = along - columns * across;
        next_group = -rows * along;
    }
    MNP_INLINE void split(unsigned number, int &in_group, int &in_row, int &in_column) const
    {
        const unsigned all = number / (unsigned)columns;
        in_column = (int)(number - all * (unsigned)columns);
        in_group = groups > 1 ? (int)(all / (unsigned)rows) : 0;
        in_row = (int)all - in_group * rows;
    }
    MNP_INLINE void next()
    {
        column += more_columns;
        row += more_rows;
        group += more_groups;
        offset += more;
        if (column >= columns) {
            column -= columns;
            row++;
            offset += next_row;
        }
        if (groups > 1 && row >= rows) {
            row -= rows;
            group++;
            offset += next_group;
        }
    }
};

/* The way through vectors of an operand. */
MNP_INLINE mnp_walk mnp_walk_vectors(const mnp_box &box, const mnp_scan_operand &operand)
{
    const int64_t across = MNP_VECTOR > 1 ? MNP_VECTOR : operand.kept[MNP_KEPT - 1];
    return mnp_walk(box.groups, box.rows, box.columns / MNP_VECTOR, operand.along, across);
}

/* The way through pieces of 16 bytes, of groups that follow one another in memory. */
template <typename Element> MNP_INLINE mnp_walk mnp_walk_chunks(const mnp_box &box)
{
    return mnp_walk(box.groups, box.chunks<Element>(), 1, 0, 0);
}

/* How many vectors of gaps are before a place in shared memory. */
template <typename Vector, typename Element> MNP_INLINE int mnp_gaps(const mnp_box &box, const mnp_walk &walk)
{
    return walk.group * (box.gap * (int)sizeof(Element) / (int)sizeof(Vector));
}

/* The place of a vector in memory, from where the box begins. */
MNP_INLINE int64_t mnp_place_of(const mnp_box &box, const mnp_walk &walk)
{
    return (box.starts ? box.starts[walk.group] : 0) + walk.offset;
}

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
        mnp_walk walk = mnp_walk_chunks<mnp_in>(box);
#pragma unroll 4
        for (int i = threadIdx.x; i < box.groups * walk.rows; i += MNP_THREADS, walk.next())
            mnp_fetch((uint4 *)room + i + mnp_gaps<uint4, mnp_in>(box, walk), (const uint4 *)in + i);
        return;
    }
    const int count = box.count() / MNP_VECTOR;
    mnp_walk walk = mnp_walk_vectors(box, operand);
#pragma unroll 4
    for (int i = threadIdx.x; i < count; i += MNP_THREADS, walk.next())
        mnp_fetch((vector *)room + i + mnp_gaps<vector, mnp_in>(box, walk),
                  (const vector *)(in + mnp_place_of(box, walk)));
}

/* Copy results from shared memory. */
MNP_INLINE void mnp_unstage_box(mnp_out *out, const mnp_out *results, const mnp_scan_operand &operand,
                                const mnp_box &box)
{
    typedef mnp_vector<mnp_out, MNP_VECTOR> vector;
    if (MNP_UNIT_OUT && box.gap > 0) {
        mnp_walk walk = mnp_walk_chunks<mnp_out>(box);
#pragma unroll 4
        for (int i = threadIdx.x; i < box.groups * walk.rows; i += MNP_THREADS, walk.next())
            ((uint4 *)out)[i] = ((const uint4 *)results)[i + mnp_gaps<uint4, mnp_out>(box, walk)];
        return;
    }
    if (MNP_UNIT_OUT) {
        const int skip = mnp_skip_of(out);
        if (mnp_skip_of(results) == skip) {
            mnp_unstage(out, (const uint4 *)((const char *)results - skip), box.count() * (int)sizeof(mnp_out));
            return;
        }
#pragma unroll 4
        for (int i = threadIdx.x; i < box.count(); i += MNP_THREADS)
            out[i] = results[i];
        return;
    }
    const int count = box.count() / MNP_VECTOR;
    mnp_walk walk = mnp_walk_vectors(box, operand);
#pragma unroll 4
    for (int i = threadIdx.x; i < count; i += MNP_THREADS, walk.next())
        *(vector *)(out + mnp_place_of(box, walk)) =
            ((const vector *)results)[i + mnp_gaps<vector, mnp_out>(box, walk)];
}
