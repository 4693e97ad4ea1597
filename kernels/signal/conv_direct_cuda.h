/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Direct convolution on a GPU: a block computes one tile.
 *
 * The window of input under a tile goes to shared memory, converted to the type of the sums, together with the taps. A
 * thread keeps MNP_RY x MNP_RX outputs in registers.  16 bytes of input read from shared memory are used with all taps
 * that need them, and a tap is used for all outputs, so that arithmetic rather than shared memory is the limit.
 *
 * Filters along y alone are computed by columns: a thread has 16 bytes of outputs along x, of many rows, so that it
 * reads each row of its window once for several taps.  All others have runs of 64 bytes of outputs along x.  In shared
 * memory every such run is followed by 16 bytes of padding: the threads of a warp, which read with that stride, then
 * use different banks.
 */
#include "kernels/copy_ahead_cuda.h"

constexpr int blocks_x = MNP_TX / MNP_RX, blocks_y = MNP_TY / MNP_RY, threads = blocks_x * blocks_y;
constexpr int per_quad = 16 / sizeof(MNP_SUM); /* elements of a 16-byte access */
constexpr bool by_columns = MNP_BY_COLUMNS;
constexpr int run = by_columns ? MNP_RX : MNP_RX + per_quad; /* elements of a run, with its padding */
constexpr int window_rows = MNP_TY + MNP_CY - 1, window_columns = MNP_TX + MNP_CX - 1;
constexpr int window_runs = (window_columns + MNP_RX - 1) / MNP_RX;
constexpr int window_stride = window_runs * run, window_size = window_rows * window_stride;
constexpr int tap_stride = by_columns ? 1 : (MNP_CX + per_quad - 1) / per_quad * per_quad;
constexpr int chunk = 16; /* taps that are unrolled, where there are too many for all of them */

/*
 * Threads that a multiprocessor should hold, by which the compiler bounds a thread's registers.  Sums in integers of 64
 * bits need more registers, as they are multiplied in pieces.
 */
template <typename Sum> constexpr int resident_threads = by_columns ? 512 : 768;
template <> constexpr int resident_threads<uint64_t> = 512;

struct alignas(16) quad {
    MNP_SUM v[per_quad];
};

template <typename T> MNP_INLINE void multiply_add(T &sum, T a, T b)
{
    sum += a * b;
}
template <typename R> MNP_INLINE void multiply_add(mnp_complex<R> &sum, mnp_complex<R> a, mnp_complex<R> b)
{
    sum.re += a.re * b.re;
    sum.re -= a.im * b.im;
    sum.im += a.re * b.im;
    sum.im += a.im * b.re;
}

/* Where an element of a row of the window lies. */
MNP_INLINE int place_of(int x)
{
    return x / MNP_RX * run + x % MNP_RX;
}

/* ---- windows ---- */

/* A row of a window within the block: where element x lies. */
struct dense_row {
    const MNP_IN *begin;
    static constexpr bool ends = false;
    MNP_INLINE const MNP_IN *operator()(int x) const
    {
        return begin + x;
    }
};

/* A row of any window; element x may also be beyond the extended box: NULL. */
struct extended_row {
    const MNP_IN *before, *middle, *after; /* of elements below `begin`, below `end`, and up to `limit` */
    int64_t stride;                        /* of the middle; 1 elsewhere */
    int begin, end, limit;
    static constexpr bool ends = true;

    /* Selects, not branches: all loads of a row are in flight at once. */
    MNP_INLINE const MNP_IN *operator()(int x) const
    {
        const bool is_inner = x >= begin && x < end;
        const MNP_IN *base = is_inner ? middle : x < begin ? before : after;
        return x < limit ? base + x * (is_inner ? stride : 1) : nullptr;
    }
};

/* An index of a row relative to a window that begins at `from`; distant indices are clamped to just outside it. */
MNP_INLINE int within(int64_t place, int64_t from)
{
    const int64_t distance = place - from;
    return distance < -1 ? -1 : distance > 65536 ? 65536 : (int)distance;
}

MNP_INLINE extended_row row_of(const mnp_extended &p, const plane &source, int64_t y, int64_t x)
{
    static_assert(window_runs * MNP_RX < 65536, "places in a window are small");
    const row in = find_row(source, y);
    const MNP_IN *before = in.edge + x;
    return extended_row{before,
                        in.middle + (x - in.begin) * in.stride,
                        before - (in.end - in.begin),
                        in.stride,
                        within(in.begin, x),
                        within(in.end, x),
                        y < p.extended[2] ? within(p.extended[3], x) : 0};
}

/* The rounds in which a warp loads a row, and how far apart the places of an element of one and of the next are. */
constexpr int rounds_of_row = (window_columns + 31) / 32, round_distance = 32 / MNP_RX * run;

/*
 * A warp loads a row, with zeros beyond the extended box.  What need not be converted is copied while the warp goes on;
 * elements to be converted with several loads of each thread in flight.
 */
template <typename T, typename Row> MNP_INLINE void load_row(T *target, const Row &row, const T *)
{
    const int lane = threadIdx.x % 32;
    target += place_of(lane);
#pragma unroll
    for (int i = 0; i < rounds_of_row; i++) {
        if (lane + 32 * i >= window_columns)
            continue;
        const T *source = row(lane + 32 * i);
        if (!Row::ends || source)
            mnp_copy_ahead<(int)sizeof(T)>(target + i * round_distance, source);
        else
            target[i * round_distance] = T{};
    }
}

template <typename To, typename From, typename Row> MNP_INLINE void load_row(To *target, const Row &row, const From *)
{
    constexpr int batch = rounds_of_row < 8 ? rounds_of_row : 8;
    const int lane = threadIdx.x % 32;
    target += place_of(lane);
#pragma unroll
    for (int begin = 0; begin < rounds_of_row; begin += batch) {
        From values[batch];
#pragma unroll
        for (int i = 0; i < batch; i++) {
            const int x = lane + 32 * (begin + i);
            const From *source = x < window_columns ? row(x) : nullptr;
            values[i] = source ? *source : From{};
        }
#pragma unroll
        for (int i = 0; i < batch; i++) {
            if (lane + 32 * (begin + i) < window_columns)
                target[(begin + i) * round_distance] = mnp_to<To>::from(values[i]);
        }
    }
}

/* Whether all of the window that begins at i lies in the block, with its rows dense. */
MNP_INLINE bool is_within(const mnp_extended &in, const int64_t *i)
{
    return in.block_stride[3] == 1 && is_inner(in, 0, i[0]) && is_inner(in, 1, i[1]) && i[2] >= in.low[2] &&
           i[2] + window_rows <= in.low[2] + in.inner[2] && i[3] >= in.low[3] &&
           i[3] + window_columns <= in.low[3] + in.inner[3];
}

/*
 * Start to load the window that begins at i into shared memory.  It is complete after mnp_await_copies() and a barrier.
 * Each warp loads one row after another.
 */
MNP_INLINE void load_window(const mnp_conv_params &p, MNP_SUM *window, const int64_t *i)
{
    const MNP_IN *none = nullptr;
    const plane source = find_plane(p.in, i[0], i[1]);
    if (is_within(p.in, i)) {
        const MNP_IN *first = source.block + (i[2] - source.low) * source.row_stride + (i[3] - source.begin);
        for (int y = threadIdx.x / 32; y < window_rows; y += threads / 32)
            load_row(window + y * window_stride, dense_row{first + y * source.row_stride}, none);
    } else {
        for (int y = threadIdx.x / 32; y < window_rows; y += threads / 32)
            load_row(window + y * window_stride, row_of(p.in, source, i[2] + y, i[3]), none);
    }
}

/* ---- sums ---- */

/* Load the taps (k0, k1, k2 .. k2 + rows, k3 .. k3 + columns) into shared memory. */
MNP_INLINE void load_taps(const mnp_conv_params &p, MNP_SUM *taps, int k0, int k1, int k2, int k3, int rows,
                          int columns)
{
    const MNP_SUM *source = (const MNP_SUM *)p.taps + (((int64_t)k0 * MNP_K1 + k1) * MNP_K2 + k2) * MNP_K3 + k3;
    for (int i = threadIdx.x; i < rows * columns; i += threads)
        taps[i / columns * tap_stride + i % columns] = source[(int64_t)(i / columns) * MNP_K3 + i % columns];
}

/* Add the products of `rows` rows of `columns` taps each to the sums. */
template <int columns>
MNP_INLINE void accumulate(MNP_SUM (&sums)[MNP_RY][MNP_RX], const MNP_SUM *window, const MNP_SUM *taps, int rows)
{
    constexpr int quads = (MNP_RX + columns - 1 + per_quad - 1) / per_quad;
#pragma unroll 1
    for (int ky = 0; ky < rows; ky++, window += window_stride, taps += tap_stride) {
        MNP_SUM x[MNP_RY][quads * per_quad];
#pragma unroll
        for (int q = 0; q < quads; q++) {
#pragma unroll
            for (int r = 0; r < MNP_RY; r++) {
                quad part =
                    *(const quad *)(window + r * window_stride + q * per_quad / MNP_RX * run + q * per_quad % MNP_RX);
#pragma unroll
                for (int i = 0; i < per_quad; i++)
                    x[r][q * per_quad + i] = part.v[i];
            }
        }
#pragma unroll
        for (int k = 0; k < columns; k += per_quad) {
            quad part = *(const quad *)(taps + k);
#pragma unroll
            for (int i = 0; i < per_quad; i++) {
                if (k + i < columns) {
#pragma unroll
                    for (int r = 0; r < MNP_RY; r++) {
#pragma unroll
                        for (int o = 0; o < MNP_RX; o++)
                            multiply_add(sums[r][o], part.v[i], x[r][k + i + o]);
                    }
                }
            }
        }
    }
}

/* The same in chunks, where there are many columns. */
template <int columns>
MNP_INLINE void accumulate_rows(MNP_SUM (&sums)[MNP_RY][MNP_RX], const MNP_SUM *window, const MNP_SUM *taps, int rows)
{
    if constexpr (columns <= 2 * chunk) {
        accumulate<columns>(sums, window, taps, rows);
    } else {
        static_assert(chunk % MNP_RX == 0, "chunks begin where runs do");
#pragma unroll 1
        for (int k = 0; k + chunk <= columns; k += chunk)
            accumulate<chunk>(sums, window + place_of(k), taps + k, rows);
        if constexpr (columns % chunk != 0)
            accumulate<columns % chunk>(sums, window + place_of(columns - columns % chunk),
                                        taps + (columns - columns % chunk), rows);
    }
}

/* By columns: add the products of so many taps along y. */
template <int count>
MNP_INLINE void accumulate_column(MNP_SUM (&sums)[MNP_RY][MNP_RX], const MNP_SUM *window, const MNP_SUM *taps)
{
    MNP_SUM t[count];
#pragma unroll
    for (int k = 0; k < count; k++)
        t[k] = taps[k];
#pragma unroll
    for (int y = 0; y < MNP_RY + count - 1; y++) {
        const quad part = *(const quad *)(window + y * window_stride);
#pragma unroll
        for (int r = 0; r < MNP_RY; r++) {
            if (y - r < 0 || y - r >= count)
                continue;
#pragma unroll
            for (int o = 0; o < MNP_RX; o++)
                multiply_add(sums[r][o], t[y - r], part.v[o]);
        }
    }
}

template <int rows>
MNP_INLINE void accumulate_columns(MNP_SUM (&sums)[MNP_RY][MNP_RX], const MNP_SUM *window, const MNP_SUM *taps)
{
    constexpr int rest = rows % chunk;
#pragma unroll 1
    for (int k = 0; k + chunk <= rows; k += chunk)
        accumulate_column<chunk>(sums, window + k * window_stride, taps + k);
    if constexpr (rest != 0)
        accumulate_column<rest>(sums, window + (rows - rest) * window_stride, taps + (rows - rest));
}

/* The products of the `rows` x `columns` taps that the window serves, for this thread. */
MNP_INLINE void accumulate_window(MNP_SUM (&sums)[MNP_RY][MNP_RX], const MNP_SUM *window, const MNP_SUM *taps, int rows,
                                  int columns)
{
    const int tx = threadIdx.x % blocks_x, ty = threadIdx.x / blocks_x;
    const MNP_SUM *mine = window + ty * MNP_RY * window_stride + tx * run;
    if constexpr (by_columns) {
        if (rows == MNP_CY)
            accumulate_columns<MNP_CY>(sums, mine, taps);
        else if constexpr (MNP_K2 % MNP_CY != 0)
            accumulate_columns<MNP_K2 % MNP_CY>(sums, mine, taps);
    } else {
        if (columns == MNP_CX)
            accumulate_rows<MNP_CX>(sums, mine, taps, rows);
        else if constexpr (MNP_K3 % MNP_CX != 0)
            accumulate_rows<MNP_K3 % MNP_CX>(sums, mine, taps, rows);
    }
}

/* ---- the kernel ---- */

/* Write a thread's outputs of one row, `count` of them. */
MNP_INLINE void store_row(const MNP_SUM (&sums)[MNP_RX], MNP_OUT *out, int64_t stride, int64_t count)
{
    alignas(16) MNP_OUT results[MNP_RX];
#pragma unroll
    for (int o = 0; o < MNP_RX; o++)
        results[o] = finish<MNP_OUT>::from(sums[o]);
    if constexpr (sizeof results % 16 == 0) {
        if (stride == 1 && count >= MNP_RX && (uint64_t)out % 16 == 0) {
#pragma unroll
            for (int q = 0; q < (int)(sizeof results / 16); q++)
                ((uint4 *)out)[q] = ((const uint4 *)results)[q];
            return;
        }
    }
#pragma unroll
    for (int o = 0; o < MNP_RX; o++) {
        if (o < count)
            out[o * stride] = results[o];
    }
}

/* Write a thread's outputs of a tile. */
MNP_INLINE void store_tile(const mnp_conv_params &p, const MNP_SUM (&sums)[MNP_RY][MNP_RX], const int64_t *origin)
{
    const int tx = threadIdx.x % blocks_x, ty = threadIdx.x / blocks_x;
    MNP_OUT *out = (MNP_OUT *)p.tiles.out + origin[0] * p.tiles.stride[0] + origin[1] * p.tiles.stride[1];
    const int64_t x = origin[3] + tx * MNP_RX;
#pragma unroll
    for (int r = 0; r < MNP_RY; r++) {
        const int64_t y = origin[2] + ty * MNP_RY + r;
        if (y < p.tiles.extent[2] && x < p.tiles.extent[3])
            store_row(sums[r], out + y * p.tiles.stride[2] + x * p.tiles.stride[3], p.tiles.stride[3],
                      p.tiles.extent[3] - x);
    }
}

/* One tile, with as many windows as it takes. */
MNP_INLINE void compute_tile(const mnp_conv_params &p, MNP_SUM *window, MNP_SUM *taps)
{
    int64_t origin[MNP_CONV_DIMS];
    MNP_SUM sums[MNP_RY][MNP_RX] = {};
    tile_origin(p, p.tiles.list[blockIdx.x], origin);
    for (int k0 = 0; k0 < MNP_K0; k0++)
        for (int k1 = 0; k1 < MNP_K1; k1++)
            for (int k2 = 0; k2 < MNP_K2; k2 += MNP_CY)
                for (int k3 = 0; k3 < MNP_K3; k3 += MNP_CX) {
                    const int rows = MNP_K2 - k2 < MNP_CY ? MNP_K2 - k2 : MNP_CY;
                    const int columns = MNP_K3 - k3 < MNP_CX ? MNP_K3 - k3 : MNP_CX;
                    const int64_t first[MNP_CONV_DIMS] = {origin[0] + k0, origin[1] + k1, origin[2] + k2,
                                                          origin[3] + k3};
                    __syncthreads();
                    load_window(p, window, first);
                    load_taps(p, taps, k0, k1, k2, k3, rows, columns);
                    mnp_await_copies();
                    __syncthreads();
                    accumulate_window(sums, window, taps, rows, columns);
                }
    store_tile(p, sums, origin);
}

extern "C" __global__ void __launch_bounds__(threads, resident_threads<MNP_SUM> / threads)
    conv_direct(const __grid_constant__ mnp_conv_params p)
{
    extern __shared__ __align__(16) unsigned char shared[];
    MNP_SUM *window = (MNP_SUM *)shared;
    compute_tile(p, window, window + window_size);
}
