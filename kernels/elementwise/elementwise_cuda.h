/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Element-wise loops on a GPU.
 *
 * A thread takes MNP_VECTOR adjacent elements of each of MNP_UNROLL rows (or of one row, if there is only one
 * dimension).  It first loads all of them, so that many bytes are in flight, then computes, then stores.  Blocks are
 * numbered along the innermost dimension first.
 *
 * Rows that are short, or that begin anywhere, are not for vectors.  Then the loop is flat: elements are numbered
 * through all dimensions, a thread takes MNP_VECTOR adjacent numbers at a time, and an operand that is not contiguous
 * finds each of its elements from the number.  So all lanes of a warp work, and a contiguous output is written in whole
 * words.
 *
 * An operand whose elements are next to each other along the dimension before the innermost would cost a memory sector
 * for each element.  It is read by square tiles: a warp reads 128 contiguous bytes along that dimension in each of four
 * lines, and the tile is transposed in shared memory.  Tiles are numbered so that a tile and its mirror image follow
 * soon after one another; data that both read, as in m + m.T, then comes from memory once and from the second-level
 * cache again.
 */
#include "kernels/early_launch.h"
#include "kernels/words_cuda.h"

/* The indices of the first of a thread's MNP_VECTOR elements in one row; of a flat loop, its number. */
struct mnp_place {
    int64_t index[MNP_FLAT ? 1 : MNP_NDIM];
};

/*
 * The number of a row or of an element, and its quotient by extent[d]; d is at least 1.  For 64 bits `divide` has the
 * multiplier alone.  Distances are differences of offsets.
 */
#if MNP_WIDE
typedef uint64_t mnp_number;
typedef int64_t mnp_distance;
MNP_INLINE mnp_number mnp_divide(const mnp_loop_params &p, mnp_number n, int d)
{
    return (__umul64hi(n, p.divide[d]) + n) >> (64 - __clzll(p.extent[d] - 1));
}
#else
typedef uint32_t mnp_number;
typedef int32_t mnp_distance;
MNP_INLINE mnp_number mnp_divide(const mnp_loop_params &p, mnp_number n, int d)
{
    return mnp_quotient_by(n, p.divide[d]);
}
#endif

/* Find the indices in dimensions 0 .. last of a row, or of a line of tiles, from its number. */
MNP_INLINE void mnp_unravel(const mnp_loop_params &p, int64_t number, int last, int64_t *index)
{
#pragma unroll
    for (int d = last; d > 0; d--) {
        int64_t quotient = mnp_divide(p, (mnp_number)number, d);
        index[d] = number - quotient * p.extent[d];
        number = quotient;
    }
    index[0] = number;
}

#if MNP_TILE

constexpr int mnp_warps = MNP_THREADS / 32, mnp_across = MNP_TILE / (8 * MNP_VECTOR); /* warps along a line of a tile */
constexpr int mnp_step = mnp_warps / mnp_across * 4; /* lines that a block takes at once */
static_assert(mnp_step * MNP_UNROLL == MNP_TILE, "a block does a tile in MNP_UNROLL steps");

/* A thread's position in a tile: along the vectors; and its line in step number u. */
MNP_INLINE int mnp_tile_along()
{
    return ((int)threadIdx.x / 32 % mnp_across * 8 + (int)threadIdx.x % 8) * MNP_VECTOR;
}
MNP_INLINE int mnp_tile_line(int u)
{
    return u * mnp_step + (int)threadIdx.x / 32 / mnp_across * 4 + (int)threadIdx.x % 32 / 8;
}

/* Find tile number n of `down` by `across`: in the square part they are numbered shell by shell around 0, 0. */
MNP_INLINE void mnp_shell_order(uint32_t n, uint32_t down, uint32_t across, uint32_t &y, uint32_t &x)
{
    uint32_t side = down < across ? down : across;
    if (n < side * side) {
        uint32_t shell = (uint32_t)sqrtf((float)n); /* or the next one, by rounding */
        if (shell * shell > n)
            shell--;
        if ((shell + 1) * (shell + 1) <= n)
            shell++;
        uint32_t rest = n - shell * shell, other = rest >> 1;
        y = rest & 1 ? other : shell;
        x = rest & 1 ? shell : other;
    } else {
        n -= side * side;
        y = down > side ? side + n / across : n % down;
        x = down > side ? n % across : side + n / down;
    }
}

/* Find the first element of this block's tile. */
MNP_INLINE mnp_place mnp_find_tile(const mnp_loop_params &p)
{
    constexpr int x = MNP_NDIM - 1, y = MNP_NDIM - 2;
    const uint32_t down = (uint32_t)((p.extent[y] + MNP_TILE - 1) / MNP_TILE),
                   across = (uint32_t)((p.extent[x] + MNP_TILE - 1) / MNP_TILE);
    uint32_t number = blockIdx.x, iy, ix;
    mnp_place tile;
#if MNP_NDIM > 2
    const uint32_t plane = number / (down * across);
    number -= plane * (down * across);
    mnp_unravel(p, plane, MNP_NDIM - 3, tile.index);
#endif
    mnp_shell_order(number, down, across, iy, ix);
    tile.index[y] = (int64_t)iy * MNP_TILE;
    tile.index[x] = (int64_t)ix * MNP_TILE;
    return tile;
}

/* Find a thread's elements of step u in a tile, with vectors along dimension `along` and lines along `across`. */
MNP_INLINE mnp_place mnp_find(const mnp_place &tile, int u, int along, int across)
{
    mnp_place at = tile;
    at.index[along] += mnp_tile_along();
    at.index[across] += mnp_tile_line(u);
    return at;
}

/* Whether a tile is completely inside the loop. */
MNP_INLINE bool mnp_is_whole(const mnp_loop_params &p, const mnp_place &tile)
{
    constexpr int x = MNP_NDIM - 1, y = MNP_NDIM - 2;
    return tile.index[x] + MNP_TILE <= p.extent[x] && tile.index[y] + MNP_TILE <= p.extent[y];
}

/* Whether an element of a tile is inside the loop. */
MNP_INLINE bool mnp_is_inside(const mnp_loop_params &p, const mnp_place &at, int along, int v)
{
    constexpr int x = MNP_NDIM - 1, y = MNP_NDIM - 2;
    return at.index[x] + (along == x ? v : 0) < p.extent[x] && at.index[y] + (along == y ? v : 0) < p.extent[y];
}

#elif MNP_NDIM == 1 || MNP_FLAT

MNP_INLINE int64_t mnp_count(const mnp_loop_params &p)
{
    return MNP_FLAT ? p.rows : p.extent[0];
}

MNP_INLINE mnp_place mnp_find(const mnp_loop_params &p, int u)
{
    return {{(((int64_t)blockIdx.x * MNP_UNROLL + u) * MNP_THREADS + threadIdx.x) * MNP_VECTOR - p.head}};
}

/* Whether all of a thread's elements are inside the loop; and whether element v of its row number u is. */
MNP_INLINE bool mnp_is_whole(const mnp_loop_params &p)
{
    return mnp_find(p, 0).index[0] >= 0 && mnp_find(p, MNP_UNROLL - 1).index[0] + MNP_VECTOR <= mnp_count(p);
}
MNP_INLINE bool mnp_is_inside(const mnp_loop_params &p, const mnp_place &at, int, int v)
{
    return at.index[0] + v >= 0 && at.index[0] + v < mnp_count(p);
}

#else

constexpr int mnp_last = MNP_NDIM - 1;

/* The number of a thread's u-th row; and the first of the thread's elements along its rows. */
MNP_INLINE int64_t mnp_row(const mnp_loop_params &p, int u)
{
    uint32_t group = mnp_quotient_by(blockIdx.x, p.divide[0]);
    return ((int64_t)group * MNP_UNROLL + u) * (MNP_THREADS >> p.lanes) + (threadIdx.x >> p.lanes);
}
MNP_INLINE int64_t mnp_column(const mnp_loop_params &p)
{
    uint32_t chunk = blockIdx.x - mnp_quotient_by(blockIdx.x, p.divide[0]) * (uint32_t)p.divide[mnp_last];
    return (((int64_t)chunk << p.lanes) + (threadIdx.x & ((1 << p.lanes) - 1))) * MNP_VECTOR - p.head;
}

MNP_INLINE mnp_place mnp_find(const mnp_loop_params &p, int u)
{
    mnp_place at;
    mnp_unravel(p, mnp_row(p, u), mnp_last - 1, at.index);
    at.index[mnp_last] = mnp_column(p);
    return at;
}

MNP_INLINE bool mnp_is_whole(const mnp_loop_params &p)
{
    int64_t column = mnp_column(p);
    return column >= 0 && column + MNP_VECTOR <= p.extent[mnp_last] && mnp_row(p, MNP_UNROLL - 1) < p.rows;
}
MNP_INLINE bool mnp_is_inside(const mnp_loop_params &p, const mnp_place &at, int u, int v)
{
    int64_t column = at.index[mnp_last] + v;
    return column >= 0 && column < p.extent[mnp_last] && mnp_row(p, u) < p.rows;
}

#endif

/* The offset of element v of a place from the operand's first element, in elements. */
#if MNP_FLAT
template <int access>
MNP_INLINE int64_t mnp_offset(const mnp_loop_params &p, const mnp_loop_operand &operand, const mnp_place &at, int v)
{
    constexpr int reach = access & MNP_ACCESS_MASK, last = MNP_NDIM - 1;
    if (reach == MNP_ACCESS_UNIT || reach == MNP_ACCESS_VECTOR)
        return at.index[0] + v;
    mnp_number number = (mnp_number)at.index[0] + v;
    mnp_number offset = /* modulo the type's range, so that negative strides need no other arithmetic */
        reach == MNP_ACCESS_STRIDED ? number * (mnp_number)operand.stride[last] : 0;
#pragma unroll
    for (int d = last; d > 0 && !(access & MNP_ACCESS_SAME); d--) {
        number = mnp_divide(p, number, d);
        offset += number * (mnp_number)operand.stride[d - 1];
    }
    return (mnp_distance)offset;
}

/* How many elements there are from the first one of a place to the end of its row. */
MNP_INLINE mnp_distance mnp_left(const mnp_loop_params &p, const mnp_place &at)
{
    const mnp_number number = (mnp_number)at.index[0], extent = (mnp_number)p.extent[MNP_NDIM - 1];
    return (mnp_distance)((mnp_divide(p, number, MNP_NDIM - 1) + 1) * extent - number);
}
#else
template <int access>
MNP_INLINE int64_t mnp_offset(const mnp_loop_params &, const mnp_loop_operand &operand, const mnp_place &at, int v)
{
    constexpr int reach = access & MNP_ACCESS_MASK, last = MNP_NDIM - 1;
    constexpr int along = access & MNP_ACCESS_TRANSPOSED ? last - 1 : last;
    int64_t offset = 0;
#pragma unroll
    for (int d = 0; d < MNP_NDIM; d++) {
        int64_t index = d == along ? at.index[d] + v : at.index[d];
        if (d != along || reach == MNP_ACCESS_STRIDED)
            offset += index * operand.stride[d];
        else if (reach != MNP_ACCESS_BROADCAST)
            offset += index;
    }
    return offset;
}
#endif

/* ---- operands ---- */

/* MNP_VECTOR elements of that size as words of up to 16 bytes. */
template <typename Memory> struct mnp_words {
    static constexpr int bytes = (int)sizeof(Memory) * MNP_VECTOR, size = bytes < 16 ? bytes : 16;
    typedef typename mnp_word<size>::type word;
    word words[bytes / size];
};

/* The MNP_VECTOR elements of a place. */
template <int access, typename Memory>
MNP_INLINE void mnp_load(Memory (&to)[MNP_VECTOR], const mnp_loop_params &p, const mnp_loop_operand &operand,
                         const mnp_place &at)
{
    constexpr int reach = access & MNP_ACCESS_MASK, last = MNP_NDIM - 1;
    constexpr int along = access & MNP_ACCESS_TRANSPOSED ? last - 1 : last;
    const Memory *from = (const Memory *)operand.base + mnp_offset<access>(p, operand, at, 0);
    if constexpr (MNP_FLAT && reach == MNP_ACCESS_STRIDED) {
#pragma unroll
        for (int v = 0; v < MNP_VECTOR; v++)
            to[v] = ((const Memory *)operand.base)[mnp_offset<access>(p, operand, at, v)];
    } else if constexpr (reach == MNP_ACCESS_VECTOR) {
        mnp_words<Memory> all;
#pragma unroll
        for (int i = 0; i < (int)(sizeof all.words / sizeof *all.words); i++)
            all.words[i] = ((const typename mnp_words<Memory>::word *)from)[i];
        memcpy(to, &all, sizeof all);
    } else {
#pragma unroll
        for (int v = 0; v < MNP_VECTOR; v++)
            to[v] = from[reach == MNP_ACCESS_STRIDED ? v * operand.stride[along] : v];
    }
}

template <int access, typename Memory>
MNP_INLINE void mnp_store(const Memory (&from)[MNP_VECTOR], const mnp_loop_params &p, const mnp_loop_operand &operand,
                          const mnp_place &at)
{
    constexpr int reach = access & MNP_ACCESS_MASK;
    Memory *to = (Memory *)operand.base + mnp_offset<access>(p, operand, at, 0);
    if constexpr (reach == MNP_ACCESS_VECTOR) {
        mnp_words<Memory> all;
        memcpy(&all, from, sizeof all);
#pragma unroll
        for (int i = 0; i < (int)(sizeof all.words / sizeof *all.words); i++)
            /* the compiler would split a plain store */
            __stwb((typename mnp_words<Memory>::word *)to + i, all.words[i]);
    } else {
#pragma unroll
        for (int v = 0; v < MNP_VECTOR; v++)
            to[reach == MNP_ACCESS_STRIDED ? v * operand.stride[MNP_NDIM - 1] : v] = from[v];
    }
}

/*
 * An input of a thread.  If all its elements are inside the loop, load() reads those of row number u and get() returns
 * element v of them; otherwise one() loads single elements.
 */
template <int access, typename Type, typename Memory, typename Carrier, int shared> struct mnp_input {
    static constexpr bool transposed = (access & MNP_ACCESS_TRANSPOSED) != 0;
    static constexpr int rows = access & MNP_ACCESS_SAME ? 1 : MNP_UNROLL;
    static constexpr bool broadcast = (access & MNP_ACCESS_MASK) == MNP_ACCESS_BROADCAST;
    static constexpr bool ends = broadcast && MNP_FLAT && !(access & MNP_ACCESS_SAME); /* elements are of two rows */
    static constexpr int columns = ends ? 2 : broadcast ? 1 : MNP_VECTOR;
    static constexpr int pitch = MNP_TILE + (sizeof(Memory) < 4 ? 4 / (int)sizeof(Memory) : 1);
    Memory value[rows][columns];
    mnp_distance left[ends ? rows : 1]; /* elements that are of the first row */

    MNP_INLINE void load(const mnp_loop_params &p, const mnp_loop_operand &operand, const mnp_place &at, int u)
    {
        if (u >= rows)
            return;
        if constexpr (!broadcast) {
            mnp_load<access>(value[u], p, operand, at);
        } else {
            value[u][0] = ((const Memory *)operand.base)[mnp_offset<access>(p, operand, at, 0)];
#if MNP_FLAT
            if constexpr (ends) {
                value[u][1] = ((const Memory *)operand.base)[mnp_offset<access>(p, operand, at, MNP_VECTOR - 1)];
                left[u] = mnp_left(p, at);
            }
#endif
        }
    }
    MNP_INLINE Type get(int u, int v) const
    {
#if MNP_TILE
        if constexpr (transposed)
            return mnp_to<Type>::from(turned(u, v));
#endif
        if constexpr (ends)
            return mnp_to<Type>::from(v < left[u] ? value[u][0] : value[u][1]);
        else
            return mnp_to<Type>::from(value[rows == 1 ? 0 : u][columns == 1 ? 0 : v]);
    }
    MNP_INLINE Type one(const mnp_loop_params &p, const mnp_loop_operand &operand, const mnp_place &at, int u,
                        int v) const
    {
#if MNP_TILE
        if constexpr (transposed)
            return mnp_to<Type>::from(turned(u, v));
#endif
        return mnp_to<Type>::from(((const Memory *)operand.base)[mnp_offset<access>(p, operand, at, v)]);
    }

#if MNP_TILE
    /*
     * The tile in shared memory.  Its lines, along the dimension before the innermost, are padded to spread over banks.
     */
    MNP_INLINE Memory &tile(int line, int place) const
    {
        extern __shared__ __align__(16) unsigned char mnp_shared[];
        return ((Memory *)(mnp_shared + shared))[line * pitch + place];
    }
    MNP_INLINE Memory turned(int u, int v) const
    {
        return tile(mnp_tile_along() + v, mnp_tile_line(u));
    }
    /* Store this thread's loaded elements to the tile; at an edge, load them one by one first. */
    MNP_INLINE void share() const
    {
#pragma unroll
        for (int u = 0; u < MNP_UNROLL; u++)
#pragma unroll
            for (int v = 0; v < MNP_VECTOR; v++)
                tile(mnp_tile_line(u), mnp_tile_along() + v) = value[u][v];
    }
    MNP_INLINE void share_edge(const mnp_loop_params &p, const mnp_loop_operand &operand, const mnp_place &first) const
    {
#pragma unroll 1
        for (int u = 0; u < MNP_UNROLL; u++) {
            const mnp_place at = mnp_find(first, u, MNP_NDIM - 2, MNP_NDIM - 1);
#pragma unroll 1
            for (int v = 0; v < MNP_VECTOR; v++)
                if (mnp_is_inside(p, at, MNP_NDIM - 2, v))
                    tile(mnp_tile_line(u), mnp_tile_along() + v) =
                        ((const Memory *)operand.base)[mnp_offset<access>(p, operand, at, v)];
        }
    }
#endif
};

template <typename Type, typename Memory, typename Carrier, int shared>
struct mnp_input<MNP_ACCESS_SCALAR, Type, Memory, Carrier, shared> {
    static constexpr bool transposed = false;
    Type value;
    MNP_INLINE void load(const mnp_loop_params &, const mnp_loop_operand &operand, const mnp_place &, int)
    {
        value = mnp_scalar_value<Type, Carrier>(operand);
    }
    MNP_INLINE Type get(int, int) const
    {
        return value;
    }
    MNP_INLINE Type one(const mnp_loop_params &, const mnp_loop_operand &operand, const mnp_place &, int, int) const
    {
        return mnp_scalar_value<Type, Carrier>(operand);
    }
};

template <typename Type, typename Memory, typename Carrier, int shared>
struct mnp_input<MNP_ACCESS_RAW, Type, Memory, Carrier, shared> {
    static constexpr bool transposed = false;
    mnp_raw<Type, Memory> value;
    MNP_INLINE void load(const mnp_loop_params &, const mnp_loop_operand &operand, const mnp_place &, int)
    {
        value = {(const Memory *)operand.base, (int64_t)operand.stride[0]};
    }
    MNP_INLINE const mnp_raw<Type, Memory> &get(int, int) const
    {
        return value;
    }
    MNP_INLINE mnp_raw<Type, Memory> one(const mnp_loop_params &, const mnp_loop_operand &operand, const mnp_place &,
                                         int, int) const
    {
        return {(const Memory *)operand.base, (int64_t)operand.stride[0]};
    }
};

/* ---- the kernel ---- */

#define MNP_DECLARE(k) mnp_input<MNP_ACCESS_##k, mnp_type##k, mnp_memory##k, mnp_carrier##k, MNP_SHARED_##k> input##k;
#define MNP_COUNT(k, target)                                                                                           \
    position.target = (int64_t)p.operand[k].base + mnp_offset<MNP_ACCESS_##k>(p, p.operand[k], at, v);
#define MNP_RESULT(k) mnp_type##k result##k = {};
#define MNP_SET(k) result##k
#if MNP_TILE
#define MNP_PLACE(u) mnp_find(tile, u, MNP_NDIM - 1, MNP_NDIM - 2)
#define MNP_ALL_INSIDE mnp_is_whole(p, tile)
#define MNP_ONE_INSIDE(u, v) mnp_is_inside(p, at, MNP_NDIM - 1, v)
#else
#define MNP_PLACE(u) mnp_find(p, u)
#define MNP_ALL_INSIDE mnp_is_whole(p)
#define MNP_ONE_INSIDE(u, v) mnp_is_inside(p, at, u, v)
#endif

/* Compute a thread's elements, all of which are inside the loop. */
MNP_INLINE void mnp_do_all(const mnp_loop_params &p, const mnp_place &tile, mnp_position &position)
{
    MNP_INPUTS(MNP_DECLARE)
#pragma unroll
    for (int u = 0; u < MNP_UNROLL; u++) {
        const mnp_place at = MNP_PLACE(u);
#if MNP_TILE
        const mnp_place turned = mnp_find(tile, u, MNP_NDIM - 2, MNP_NDIM - 1);
#define MNP_LOAD(k) input##k.load(p, p.operand[k], input##k.transposed ? turned : at, u);
#else
#define MNP_LOAD(k) input##k.load(p, p.operand[k], at, u);
#endif
        MNP_INPUTS(MNP_LOAD)
    }
#if MNP_TILE
#define MNP_SHARE(k) input##k.share();
    MNP_TRANSPOSED(MNP_SHARE)
    __syncthreads();
#endif
#pragma unroll
    for (int u = 0; u < MNP_UNROLL; u++) {
        const mnp_place at = MNP_PLACE(u);
#define MNP_RESULTS(k) mnp_memory##k output##k[MNP_VECTOR];
        MNP_OUTPUTS(MNP_RESULTS)
#pragma unroll
        for (int v = 0; v < MNP_VECTOR; v++) {
            MNP_COUNTERS(MNP_COUNT)
            MNP_OUTPUTS(MNP_RESULT)
#define MNP_GET(k) input##k.get(u, v)
            MNP_BODY(MNP_GET, MNP_SET, position);
#define MNP_KEEP(k) output##k[v] = mnp_to<mnp_memory##k>::from(result##k);
            MNP_OUTPUTS(MNP_KEEP)
        }
#define MNP_STORE(k) mnp_store<MNP_ACCESS_##k>(output##k, p, p.operand[k], at);
        MNP_OUTPUTS(MNP_STORE)
    }
}

/* Compute a thread's elements at an edge: those inside the loop, one by one. */
MNP_INLINE void mnp_do_some(const mnp_loop_params &p, const mnp_place &tile, mnp_position &position)
{
    MNP_INPUTS(MNP_DECLARE)
#if MNP_TILE
#define MNP_SHARE_EDGE(k) input##k.share_edge(p, p.operand[k], tile);
    MNP_TRANSPOSED(MNP_SHARE_EDGE)
    __syncthreads();
#endif
#pragma unroll 1
    for (int u = 0; u < MNP_UNROLL; u++) {
        const mnp_place at = MNP_PLACE(u);
#pragma unroll 1
        for (int v = 0; v < MNP_VECTOR; v++) {
            if (!MNP_ONE_INSIDE(u, v))
                continue;
            MNP_COUNTERS(MNP_COUNT)
            MNP_OUTPUTS(MNP_RESULT)
#define MNP_ONE(k) input##k.one(p, p.operand[k], at, u, v)
            MNP_BODY(MNP_ONE, MNP_SET, position);
#define MNP_STORE_ONE(k)                                                                                               \
    ((mnp_memory##k *)p.operand[k].base)[mnp_offset<MNP_ACCESS_##k>(p, p.operand[k], at, v)] =                         \
        mnp_to<mnp_memory##k>::from(result##k);
            MNP_OUTPUTS(MNP_STORE_ONE)
        }
    }
}

extern "C" __global__ void __launch_bounds__(MNP_THREADS) MNP_LOOP(const __grid_constant__ mnp_loop_params p)
{
    mnp_start_next_launch();
    mnp_await_previous_launch();
    mnp_position position = {};
    mnp_place tile = {};
#if MNP_INDICES
    mnp_start_position(p, position);
#endif
#if MNP_TILE
    tile = mnp_find_tile(p);
#endif
    if (MNP_ALL_INSIDE)
        mnp_do_all(p, tile, position);
    else
        mnp_do_some(p, tile, position);
}
