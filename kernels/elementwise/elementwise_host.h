/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Element-wise loops on the host.  A worker computes its share of the rows, each in a plain loop that the compiler
 * vectorises.
 *
 * An operand that is contiguous along the dimension before the innermost would be read with a large stride.  It is
 * copied tile by tile to a small buffer, which stays in the cache.
 *
 * If the operands are much larger than the caches, results are collected in a small buffer and written past the caches;
 * otherwise the processor would first read the memory that is about to be overwritten.
 */

/* An input in the loop over a row; get(j) returns element j. */
template <int access, typename Type, typename Memory, typename Carrier> struct mnp_input {
    const Memory *at;
    int64_t stride;
    MNP_INLINE void find(const mnp_loop_operand &operand, int64_t offset)
    {
        at = (const Memory *)operand.base + offset;
        stride = operand.stride[MNP_NDIM - 1];
    }
    MNP_INLINE Type get(int64_t j) const
    {
        return mnp_to<Type>::from(at[access == MNP_ACCESS_STRIDED ? j * stride : j]);
    }
};

template <typename Type, typename Memory, typename Carrier>
struct mnp_input<MNP_ACCESS_BROADCAST, Type, Memory, Carrier> {
    Type value;
    MNP_INLINE void find(const mnp_loop_operand &operand, int64_t offset)
    {
        value = mnp_to<Type>::from(((const Memory *)operand.base)[offset]);
    }
    MNP_INLINE Type get(int64_t) const
    {
        return value;
    }
};

template <typename Type, typename Memory, typename Carrier> struct mnp_input<MNP_ACCESS_SCALAR, Type, Memory, Carrier> {
    Type value;
    MNP_INLINE void find(const mnp_loop_operand &operand, int64_t)
    {
        value = mnp_scalar_value<Type, Carrier>(operand);
    }
    MNP_INLINE Type get(int64_t) const
    {
        return value;
    }
};

template <typename Type, typename Memory, typename Carrier> struct mnp_input<MNP_ACCESS_RAW, Type, Memory, Carrier> {
    mnp_raw<Type, Memory> value;
    MNP_INLINE void find(const mnp_loop_operand &operand, int64_t)
    {
        value = {(const Memory *)operand.base, (int64_t)operand.stride[0], 0};
    }
    MNP_INLINE const mnp_raw<Type, Memory> &get(int64_t) const
    {
        return value;
    }
};

/* The value of a counter for element j of a row. */
template <int access> MNP_INLINE int64_t mnp_count(const mnp_loop_operand &operand, int64_t first, int64_t j)
{
    constexpr int reach = access & MNP_ACCESS_MASK;
    return first + (reach == MNP_ACCESS_STRIDED     ? j * operand.stride[MNP_NDIM - 1]
                    : reach == MNP_ACCESS_BROADCAST ? 0
                                                    : j);
}

/* The offset of a row from the operand's first element, in elements. */
MNP_INLINE int64_t mnp_offset(const mnp_loop_operand &operand, const int64_t *index)
{
    int64_t offset = 0;
    for (int d = 0; d < MNP_NDIM - 1; d++)
        offset += index[d] * operand.stride[d];
    return offset;
}

#if MNP_TILE
/* The buffer of a transposed operand: it holds element (y, x) of the tile at y * MNP_TILE + x. */
template <typename Memory> struct mnp_tile {
    alignas(64) Memory value[MNP_TILE * MNP_TILE];
    void copy(const mnp_loop_operand &operand, const int64_t *index, int64_t x, int64_t height, int64_t width)
    {
        const int64_t stride = operand.stride[MNP_NDIM - 1], along = operand.stride[MNP_NDIM - 2];
        const Memory *from = (const Memory *)operand.base + mnp_offset(operand, index) + x * stride;
        for (int64_t i = 0; i < width; i++) {
            for (int64_t j = 0; j < height; j += 64 / sizeof(Memory)) /* prefetches for the next tile */
                __builtin_prefetch(from + (i + MNP_TILE) * stride + j * along, 0, 2);
            for (int64_t j = 0; j < height; j++)
                value[j * MNP_TILE + i] = from[i * stride + j * along];
        }
    }
};
#endif

struct mnp_tiles {
#if MNP_TILE
#define MNP_DECLARE(k) mnp_tile<mnp_memory##k> tile##k;
    MNP_TRANSPOSED(MNP_DECLARE)
#undef MNP_DECLARE
#endif
};

/* The buffer of results has MNP_STREAMED elements of each output. */
enum { MNP_STREAMED = 1024 };
struct mnp_results {
#define MNP_DECLARE(k) alignas(64) mnp_memory##k result##k[MNP_STREAMED];
    MNP_OUTPUTS(MNP_DECLARE)
#undef MNP_DECLARE
};

#ifdef __SSE2__
typedef long long mnp_pair __attribute__((vector_size(16)));
static void mnp_stream(void *to, const void *from, int64_t size)
{
    const int64_t first = -(intptr_t)to & 63, head = first < size ? first : size, body = (size - head) / 64 * 64;
    char *out = (char *)to + head;
    const char *in = (const char *)from + head;
    memcpy(to, from, head);
    for (int64_t i = 0; i < body; i += 16) { /* whole cache lines, each of which the processor writes at once */
        mnp_pair pair;
        memcpy(&pair, in + i, sizeof pair);
#ifdef __clang__
        __builtin_nontemporal_store(pair, (mnp_pair *)(out + i));
#else
        __builtin_ia32_movntdq((mnp_pair *)(out + i), pair);
#endif
    }
    memcpy(out + body, in + body, size - head - body);
}
#endif

/*
 * Compute elements begin .. end-1 of `rows` rows.  The first row has the outer indices `first`; the others follow along
 * the dimension before the innermost.  Transposed operands are read from their tiles, which hold exactly these
 * elements.  If `results` is given, there is one row, and it gets the values.
 */
static __attribute__((noinline, noclone)) void mnp_rows(const mnp_loop_params &p, const int64_t *first, int64_t rows,
                                                        int64_t begin, int64_t end, const mnp_tiles *tiles,
                                                        mnp_results *results)
{
    int64_t index[MNP_NDIM];
    for (int d = 0; d < MNP_NDIM; d++)
        index[d] = first[d];
    for (int64_t row = 0; row < rows; row++) {
#define MNP_DECLARE(k)                                                                                                 \
    mnp_input<MNP_ACCESS_##k, mnp_type##k, mnp_memory##k, mnp_carrier##k> input##k;                                    \
    input##k.find(p.operand[k], mnp_offset(p.operand[k], index));
        MNP_INPUTS(MNP_DECLARE)
#if MNP_TILE
#define MNP_TURN(k) input##k.at = tiles->tile##k.value + row * MNP_TILE - begin;
        MNP_TRANSPOSED(MNP_TURN)
#endif
#define MNP_FIRST(k, target) const int64_t counter##k = (int64_t)p.operand[k].base + mnp_offset(p.operand[k], index);
        MNP_COUNTERS(MNP_FIRST)
#define MNP_POINT(k)                                                                                                   \
    mnp_memory##k *output##k =                                                                                         \
        results ? results->result##k - begin : (mnp_memory##k *)p.operand[k].base + mnp_offset(p.operand[k], index);   \
    const int64_t stride##k =                                                                                          \
        (MNP_ACCESS_##k & MNP_ACCESS_MASK) == MNP_ACCESS_STRIDED ? p.operand[k].stride[MNP_NDIM - 1] : 1;
        MNP_OUTPUTS(MNP_POINT)
#pragma GCC ivdep
        for (int64_t j = begin; j < end; j++) {
#if MNP_INDICES
            mnp_position position = {};
            mnp_start_position(p, position);
#endif
#define MNP_COUNT(k, target) position.target = mnp_count<MNP_ACCESS_##k>(p.operand[k], counter##k, j);
            MNP_COUNTERS(MNP_COUNT)
#define MNP_RESULT(k) mnp_type##k result##k = {};
            MNP_OUTPUTS(MNP_RESULT)
#define MNP_GET(k) input##k.get(j)
#define MNP_SET(k) result##k
            MNP_BODY(MNP_GET, MNP_SET, position);
#define MNP_KEEP(k) output##k[j * stride##k] = mnp_to<mnp_memory##k>::from(result##k);
            MNP_OUTPUTS(MNP_KEEP)
        }
#if MNP_NDIM > 1
        index[MNP_NDIM - 2]++;
#endif
    }
}

#ifdef __SSE2__
/* Compute one row and write it past the caches; all outputs have stride 1. */
static void mnp_stream_row(const mnp_loop_params &p, const int64_t *index, int64_t begin, int64_t end)
{
    mnp_results results;
    for (int64_t from = begin; from < end; from += MNP_STREAMED) {
        const int64_t to = from + MNP_STREAMED < end ? from + MNP_STREAMED : end;
        mnp_rows(p, index, 1, from, to, nullptr, &results);
#define MNP_PUT(k)                                                                                                     \
    mnp_stream((mnp_memory##k *)p.operand[k].base + mnp_offset(p.operand[k], index) + from, results.result##k,         \
               (to - from) * (int64_t)sizeof(mnp_memory##k));
        MNP_OUTPUTS(MNP_PUT)
    }
}
#endif

/* Find the indices of a row, or of a line of tiles if dimension `last` counts tiles, from its number. */
static inline void mnp_unravel(const int64_t *extent, int64_t number, int last, int64_t *index)
{
    for (int d = last; d > 0; d--) {
        index[d] = number % extent[d];
        number /= extent[d];
    }
    index[0] = number;
}

#if MNP_TILE

MNP_KERNEL(MNP_LOOP, mnp_loop_params)
{
    constexpr int x = MNP_NDIM - 1, y = MNP_NDIM - 2;
    const int64_t across = (p.extent[x] + MNP_TILE - 1) / MNP_TILE, down = (p.extent[y] + MNP_TILE - 1) / MNP_TILE;
    const int64_t count = p.rows / p.extent[y] * down * across, end = mnp_share_begin(count, worker + 1, workers);
    int64_t extent[MNP_NDIM], index[MNP_NDIM];
    for (int d = 0; d < MNP_NDIM; d++)
        extent[d] = p.extent[d];
    extent[y] = down;
    mnp_tiles tiles;
    for (int64_t i = mnp_share_begin(count, worker, workers); i < end; i++) {
        mnp_unravel(extent, i / across, y, index);
        const int64_t begin = i % across * MNP_TILE, top = index[y] * MNP_TILE;
        const int64_t width = mnp_least(MNP_TILE, p.extent[x] - begin), height = mnp_least(MNP_TILE, p.extent[y] - top);
        index[y] = top;
#define MNP_COPY(k) tiles.tile##k.copy(p.operand[k], index, begin, height, width);
        MNP_TRANSPOSED(MNP_COPY)
        mnp_rows(p, index, height, begin, begin + width, &tiles, nullptr);
    }
}

#else

MNP_KERNEL(MNP_LOOP, mnp_loop_params)
{
    const int64_t width = p.extent[MNP_NDIM - 1], total = p.rows * width;
    const int64_t end = mnp_share_begin(total, worker + 1, workers);
    int64_t extent[MNP_NDIM], index[MNP_NDIM], i = mnp_share_begin(total, worker, workers), column = i % width;
    for (int d = 0; d < MNP_NDIM; d++)
        extent[d] = p.extent[d];
    mnp_unravel(extent, i / width, MNP_NDIM > 1 ? MNP_NDIM - 2 : 0, index);
    while (i < end) {
        const int64_t stop = mnp_least(width, column + end - i);
        int64_t rows = 1;
#ifdef __SSE2__
        if (p.stream) {
            mnp_stream_row(p, index, column, stop);
        } else
#endif
        {
            if (MNP_NDIM > 1 && column == 0 && stop == width) /* all rows that follow in the dimension */
                rows = mnp_least((end - i) / width, extent[MNP_NDIM - 2] - index[MNP_NDIM - 2]);
            mnp_rows(p, index, rows, column, stop, nullptr, nullptr);
        }
        i += rows * (stop - column);
        column = 0;
        index[MNP_NDIM > 1 ? MNP_NDIM - 2 : 0] += rows;
        for (int d = MNP_NDIM - 2; d > 0 && index[d] == extent[d]; d--) {
            index[d] = 0;
            index[d - 1]++;
        }
    }
#ifdef __SSE2__
    if (p.stream)
        __builtin_ia32_sfence(); /* makes the results visible before other threads go on */
#endif
}

#endif
