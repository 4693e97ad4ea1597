/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The value of one rank in large windows, on a GPU.
 *
 * A block sorts what the windows of its tile reach, so that every element has a number in ascending order.  A lane has
 * a column of outputs, and the elements of its window as a set of bits, one for each number.  From one output to the
 * next one below a row of the window leaves the set and another one joins it, and the word that holds the wanted rank
 * is mostly close to where it was.  So an output costs as much as two rows of its window and a share of the sorting,
 * independent of the values.  The idea of a histogram that slides is T. S. Huang's (A fast two-dimensional median
 * filtering algorithm, 1979); with numbers instead of values it is exact for every dtype.
 *
 * Compiled with what neighbours_values.h explains, MNP_RANK, and MNP_SLIDERS, how many warps have columns of outputs:
 * each has 32 columns and an equal part of the tile's rows.  MNP_TX is a multiple of 32.
 */
#include "kernels/ndimage/neighbours_values.h"
#include "kernels/ndimage/neighbours_tile_cuda.h"

typedef unsigned short mnp_number;

/*
 * Elements of a tile's surroundings; those that a thread sorts are an odd number, so that threads read different banks.
 */
constexpr int mnp_elements = mnp_rows * mnp_pitch;
constexpr int mnp_each = (mnp_elements + MNP_THREADS - 1) / MNP_THREADS | 1, mnp_room = mnp_each * MNP_THREADS;

/* Shared memory: the elements in ascending order, the number of each, and who has a number or, after that, the sets. */
constexpr int mnp_words = (mnp_elements + 31) / 32;
constexpr int mnp_numbers_at = mnp_room * (int)sizeof(MNP_VALUE);
constexpr int mnp_sets_at = mnp_numbers_at + (mnp_elements * (int)sizeof(mnp_number) + 3) / 4 * 4;

constexpr int mnp_columns = mnp_spans[mnp_x], mnp_lines = mnp_spans[mnp_y];
constexpr int mnp_planes = mnp_rows / mnp_reach(mnp_y), mnp_plane = mnp_reach(mnp_y) * mnp_pitch;

/* Elements of a thread, and where they lay. */
struct mnp_share {
    MNP_VALUE values[mnp_each];
    mnp_number who[mnp_each];
};

MNP_INLINE void mnp_sort_share(mnp_share &s)
{
#pragma unroll
    for (int turn = 0; turn < mnp_each; turn++) {
#pragma unroll
        for (int i = turn % 2; i + 1 < mnp_each; i += 2) {
            const MNP_VALUE a = s.values[i], b = s.values[i + 1];
            const mnp_number p = s.who[i], q = s.who[i + 1];
            const bool wrong = b < a;
            s.values[i] = wrong ? b : a;
            s.values[i + 1] = wrong ? a : b;
            s.who[i] = wrong ? q : p;
            s.who[i + 1] = wrong ? p : q;
        }
    }
}

/*
 * Merge pairs of sorted runs of `length` elements: each thread finds which elements its part of the result begins with.
 */
MNP_INLINE void mnp_merge(const MNP_VALUE *values, const mnp_number *who, int length, mnp_share &s)
{
    const int place = threadIdx.x * mnp_each, first = place / (2 * length) * 2 * length, middle = first + length;
    const int end = middle + length, before = place - first;
    int low = before > length ? before - length : 0, high = before < length ? before : length;
    while (low < high) {
        const int taken = (low + high) / 2;
        if (values[middle + before - 1 - taken] < values[first + taken])
            high = taken;
        else
            low = taken + 1;
    }
    int i = first + low, j = middle + before - low;
    MNP_VALUE a = values[i < middle ? i : first], b = values[j < end ? j : first];
#pragma unroll
    for (int e = 0; e < mnp_each; e++) {
        const bool is_first = j >= end || (i < middle && !(b < a));
        s.values[e] = is_first ? a : b;
        s.who[e] = who[is_first ? i : j];
        const int next = is_first ? ++i : ++j;
        const MNP_VALUE value = values[next < mnp_room ? next : 0];
        a = is_first ? value : a;
        b = is_first ? b : value;
    }
}

/* Put the elements in ascending order, and give each its number. */
MNP_INLINE void mnp_sort(MNP_VALUE *values, mnp_number *numbers, mnp_number *who)
{
    mnp_share s;
    const int place = threadIdx.x * mnp_each;
#pragma unroll
    for (int e = 0; e < mnp_each; e++) {
        s.values[e] = place + e < mnp_elements ? values[place + e] : (MNP_VALUE) ~(MNP_VALUE)0;
        s.who[e] = (mnp_number)(place + e);
    }
    mnp_sort_share(s);
#pragma unroll 1
    for (int length = mnp_each; length < mnp_room; length *= 2) {
        __syncthreads();
#pragma unroll
        for (int e = 0; e < mnp_each; e++) {
            values[place + e] = s.values[e];
            who[place + e] = s.who[e];
        }
        __syncthreads();
        mnp_merge(values, who, length, s);
    }
    __syncthreads();
#pragma unroll
    for (int e = 0; e < mnp_each; e++) {
        values[place + e] = s.values[e];
        if (s.who[e] < mnp_elements)
            numbers[s.who[e]] = (mnp_number)(place + e);
    }
    __syncthreads();
}

/* The set of a lane: a word is beside those of the other lanes, so that each lane has a bank of its own. */
struct mnp_set {
    unsigned *words;
    int at, below; /* a word, and how many elements are in words before it */
    MNP_INLINE int count() const
    {
        return __popc(words[32 * at]);
    }
    MNP_INLINE void flip(int number)
    {
        atomicXor(words + (number & ~31), 1u << (number & 31));
    }
    /* The element of which so many others are before it. */
    MNP_INLINE int find(int rank)
    {
        int pos = 0, here;
        while (below > rank) {
            at--;
            below -= count();
        }
        while ((here = count()) + below <= rank) {
            below += here;
            at++;
        }
        unsigned word = words[32 * at];
        rank -= below;
#pragma unroll
        for (int half = 16; half > 0; half /= 2) {
            const int low = __popc(word & ((1u << half) - 1));
            const bool is_high = rank >= low;
            rank -= is_high ? low : 0;
            pos += is_high ? half : 0;
            word >>= is_high ? half : 0;
        }
        return 32 * at + pos;
    }
};

/* A row of all planes leaves the set, if there is one, and another one joins it. */
template <bool leaves> MNP_INLINE void mnp_slide(mnp_set &set, const mnp_number *leaving, const mnp_number *joining)
{
    constexpr int batch = mnp_columns < 16 ? mnp_columns : 16; /* loads in flight */
    for (int plane = 0; plane < mnp_planes; plane++) {
#pragma unroll 1
        for (int first = 0; first < mnp_columns; first += batch) {
            int out[batch], in[batch];
#pragma unroll
            for (int i = 0; i < batch; i++) {
                const int place = plane * mnp_plane + first + i;
                const bool counts = mnp_columns % batch == 0 || first + i < mnp_columns;
                out[i] = leaves && counts ? leaving[place] : -1;
                in[i] = counts ? joining[place] : -1;
            }
#pragma unroll
            for (int i = 0; i < batch; i++) {
                if (mnp_columns % batch != 0 && first + i >= mnp_columns)
                    break;
                if (leaves) {
                    set.flip(out[i]);
                    set.below -= out[i] < 32 * set.at;
                }
                set.flip(in[i]);
                set.below += in[i] < 32 * set.at;
            }
        }
    }
}

extern "C" __global__ void __launch_bounds__(MNP_THREADS) rank_slide(const __grid_constant__ mnp_neighbours_params p)
{
    extern __shared__ __align__(16) unsigned char mnp_shared[];
    MNP_VALUE *values = (MNP_VALUE *)mnp_shared;
    mnp_number *numbers = (mnp_number *)(mnp_shared + mnp_numbers_at);
    constexpr int strips = MNP_TX / 32, height = MNP_TY / (MNP_SLIDERS / strips);
    const int warp = threadIdx.x / 32, x = warp % strips * 32 + threadIdx.x % 32, y = warp / strips * height;
    int64_t o[MNP_NDIM], place = 0;
    mnp_find_tile(p, o);
    mnp_surround(p, o, values);
    __syncthreads();
    mnp_sort(values, numbers, (mnp_number *)(mnp_shared + mnp_sets_at));
    if (warp >= MNP_SLIDERS || o[mnp_x] + x >= p.extent[mnp_x])
        return;
    mnp_set set = {(unsigned *)(mnp_shared + mnp_sets_at) + warp * mnp_words * 32 + threadIdx.x % 32, 0, 0};
    for (int i = 0; i < mnp_words; i++)
        set.words[32 * i] = 0;
    for (int d = 0; d < MNP_NDIM; d++)
        place += (o[d] + (d == mnp_y ? y : d == mnp_x ? x : 0)) * (d == mnp_x ? 1 : p.out_stride[d]);
    const int64_t below = p.extent[mnp_y] - o[mnp_y] - y;
    const int rows = (int)mnp_least(below, height);
    const mnp_number *window = numbers + y * mnp_pitch + x;
    if (rows <= 0)
        return;
    for (int line = 0; line < mnp_lines; line++)
        mnp_slide<false>(set, window, window + line * mnp_pitch);
    for (int row = 0;; row++, window += mnp_pitch) {
        ((MNP_OUT *)p.out)[place + row * p.out_stride[mnp_y]] = mnp_give(values[set.find(MNP_RANK)]);
        if (row + 1 == rows)
            return;
        mnp_slide<true>(set, window, window + mnp_lines * mnp_pitch);
    }
}
