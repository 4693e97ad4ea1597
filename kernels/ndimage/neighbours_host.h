/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Filters on the host: a worker takes tile after tile.  What a tile needs of the input goes to a buffer first, as
 * values, with what lies beyond the borders in place, so that the stages need not ask where an element comes from, and
 * go along x by vectors.
 */
#if defined __AVX512F__
#define MNP_VECTOR 64
#elif defined __AVX2__
#define MNP_VECTOR 32
#else
#define MNP_VECTOR 16
#endif

/* Vectors as wide as registers: of wider ones compilers do comparisons number by number. */
static constexpr int mnp_count = MNP_VECTOR / sizeof(MNP_VALUE); /* values of a vector */
typedef MNP_VALUE mnp_lanes __attribute__((vector_size(MNP_VECTOR)));
typedef MNP_VALUE mnp_loose __attribute__((vector_size(MNP_VECTOR), aligned(alignof(MNP_VALUE)), may_alias));

/* The buffer: the last two dimensions are those of the tile, the others those of the window. */
static constexpr int mnp_width =
    (MNP_TX + mnp_count - 1) / mnp_count * mnp_count; /* outputs along x, in whole vectors */
static constexpr int mnp_row = (mnp_width + mnp_spans[MNP_NDIM - 1] - 1 + mnp_count - 1) / mnp_count * mnp_count;
static constexpr int mnp_rows = MNP_TY + mnp_spans[MNP_NDIM - 2] - 1;
static constexpr int mnp_planes()
{
    int planes = 1;
    for (int d = 0; d < MNP_NDIM - 2; d++)
        planes *= mnp_spans[d];
    return planes;
}

/* A place in the window, as a distance in the buffer. */
typedef long mnp_tap;
template <typename... Places> static constexpr mnp_tap mnp_place(Places... places)
{
    const long at[] = {places...};
    long plane = 0;
    for (int d = 0; d < MNP_NDIM - 2; d++)
        plane = plane * mnp_spans[d] + at[d];
    return (plane * mnp_rows + at[MNP_NDIM - 2]) * mnp_row + at[MNP_NDIM - 1];
}
#define MNP_TAP(...) mnp_place(__VA_ARGS__)
#define MNP_TABLE static constexpr

template <typename Mask> MNP_INLINE bool mnp_any(Mask mask)
{
    bool any = false;
    for (int i = 0; i < mnp_count; i++)
        any |= mask[i] != 0;
    return any;
}
MNP_INLINE mnp_lanes mnp_cast(mnp_lanes x)
{
    for (int i = 0; i < mnp_count; i++)
        x[i] = mnp_to<MNP_VALUE>::from(mnp_to<MNP_OUT>::from(x[i]));
    return x;
}

struct mnp_window {
    const MNP_VALUE *first, *weights;
    MNP_INLINE MNP_VALUE weight(int k) const
    {
        return weights[k];
    }
    MNP_INLINE mnp_lanes at(mnp_tap tap) const
    {
        return *(const mnp_loose *)(first + tap);
    }
};

#include "generated"

struct mnp_buffers {
    alignas(64) MNP_VALUE window[mnp_planes() * mnp_rows * mnp_row];
    alignas(64) MNP_VALUE kept[MNP_KEPT][mnp_row];
    alignas(64) MNP_VALUE results[mnp_width];
    MNP_VALUE weights[2][MNP_NEIGHBOUR_WEIGHTS];
};

struct mnp_columns {
    const MNP_VALUE *first, *weights;
    MNP_INLINE MNP_VALUE weight(int k) const
    {
        return weights[k];
    }
    MNP_INLINE mnp_lanes operator()(int x, int i) const
    {
        return *(const mnp_loose *)(first + i * mnp_row + x);
    }
};

/* The address of index i of a dimension relative to its neighbours, in elements; -1: beyond the borders. */
MNP_INLINE bool mnp_find(const mnp_neighbours_params &p, int d, int64_t i, int64_t *at)
{
    if (p.boundary[d] != MNP_NEIGHBOUR_INSIDE && (i < 0 || i >= p.whole[d])) {
        if (p.boundary[d] == MNP_AT_FILL)
            return false;
        i = mnp_folded(p.boundary[d], i, p.whole[d]);
    }
    *at += (i - p.memory_lo[d]) * p.stride[d];
    return true;
}

/* Indices from .. from + count - 1 of a row that begins at `row`, to the buffer. */
static void load_row(const mnp_neighbours_params &p, const MNP_IN *row, int64_t from, int64_t count, MNP_VALUE *to)
{
    constexpr int x = MNP_NDIM - 1;
    const bool inside = p.boundary[x] == MNP_NEIGHBOUR_INSIDE;
    const int64_t begin = inside || from > 0 ? 0 : mnp_least(-from, count);
    const int64_t end = inside || from + count < p.whole[x] ? count
                        : p.whole[x] - from > begin         ? p.whole[x] - from
                                                            : begin;
    const int64_t stride = p.stride[x];
    const MNP_IN *source = row + (from + begin - p.memory_lo[x]) * stride;
    if (stride == 1)
        for (int64_t i = begin; i < end; i++)
            to[i] = mnp_take(source[i - begin]);
    else
        for (int64_t i = begin; i < end; i++)
            to[i] = mnp_take(source[(i - begin) * stride]);
    for (int64_t i = 0; i < count; i++) {
        int64_t at = 0;
        if (i == begin && end > begin)
            i = end;
        if (i < count)
            to[i] = mnp_take(mnp_find(p, x, from + i, &at) ? row[at] : mnp_to<MNP_IN>::from(p.outside));
    }
}

/* What the tile of height x width outputs from o on needs. */
static void load_window(const mnp_neighbours_params &p, const int64_t *o, int64_t height, int64_t width, mnp_buffers *b)
{
    constexpr int y = MNP_NDIM - 2, x = MNP_NDIM - 1;
    const int64_t rows = height + mnp_spans[y] - 1, count = width + mnp_spans[x] - 1;
    for (int64_t line = 0; line < mnp_planes() * rows; line++) {
        const MNP_IN *row = (const MNP_IN *)p.in;
        int64_t number = line / rows, at = 0;
        MNP_VALUE *to = b->window + (number * mnp_rows + line % rows) * mnp_row;
        bool inside = mnp_find(p, y, p.first[y] + o[y] + p.low[y] + line % rows, &at);
        for (int d = y - 1; d >= 0; d--) {
            inside = inside && mnp_find(p, d, p.first[d] + o[d] + p.low[d] + number % mnp_spans[d], &at);
            number /= mnp_spans[d];
        }
        if (inside)
            load_row(p, row + at, p.first[x] + o[x] + p.low[x], count, to);
        else
            for (int64_t i = 0; i < count; i++)
                to[i] = mnp_take(mnp_to<MNP_IN>::from(p.outside));
    }
}

static void store_row(const mnp_neighbours_params &p, const MNP_VALUE *results, int64_t place, int64_t width)
{
    MNP_OUT *out = (MNP_OUT *)p.out + place;
#if MNP_MASK
    const unsigned char *mask = (const unsigned char *)p.mask + place;
    for (int64_t i = 0; i < width; i++)
        if (mask[i])
            out[i] = mnp_give(results[i]);
#else
    for (int64_t i = 0; i < width; i++)
        out[i] = mnp_give(results[i]);
#endif
}

static void compute_tile(const mnp_neighbours_params &p, mnp_buffers *b, int64_t tile)
{
    constexpr int y = MNP_NDIM - 2, x = MNP_NDIM - 1;
    int64_t o[MNP_NDIM], place = 0;
    mnp_unravel<MNP_NDIM>(p.grid, tile, o);
    o[y] *= MNP_TY;
    o[x] *= MNP_TX;
    const int64_t height = mnp_least(p.extent[y] - o[y], MNP_TY), width = mnp_least(p.extent[x] - o[x], MNP_TX);
    for (int d = 0; d < MNP_NDIM; d++)
        place += o[d] * p.out_stride[d];
    load_window(p, o, height, width, b);
    for (int64_t j = 0; j < height; j++, place += p.out_stride[y]) {
        const MNP_VALUE *row = b->window + j * mnp_row;
        for (int64_t i = 0; i < width + MNP_COLUMNS - 1; i += mnp_count) {
            mnp_lanes kept[MNP_KEPT];
            mnp_column(mnp_window{row + i, b->weights[0]}, kept);
            for (int k = 0; k < MNP_KEPT; k++)
                *(mnp_loose *)(b->kept[k] + i) = kept[k];
        }
        for (int64_t i = 0; i < width; i += mnp_count)
            *(mnp_loose *)(b->results + i) = mnp_finish(mnp_columns{b->kept[0] + i, b->weights[1]});
        store_row(p, b->results, place, width);
    }
}

MNP_KERNEL(neighbours, mnp_neighbours_params)
{
    static thread_local mnp_buffers buffers;
    for (int k = 0; k < 2 * MNP_NEIGHBOUR_WEIGHTS; k++)
        buffers.weights[0][k] = mnp_to<MNP_VALUE>::from(p.weights[0][k]);
    MNP_FOR (i, p.items)
        compute_tile(p, &buffers, i);
}
