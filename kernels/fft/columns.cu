/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * On a GPU: Fourier transforms of the columns of matrices, of MNP_LENGTH points.  MNP_REAL is the type of the parts of
 * the complex elements.  With MNP_FROM_REAL or MNP_TO_REAL the input or the output is real, and two real columns side by
 * side, which lie as the parts of complex numbers do, are transformed as one complex column.  With MNP_ALIGNED such
 * pairs begin where a complex number could, and none is a column alone.
 *
 * A block of threads has a tile of MNP_COLUMNS columns in shared memory, so that rows are read and written in runs, and
 * every element once; MNP_LINES threads share a column.  Longer columns are dealt to the MNP_BLOCKS blocks of a
 * cluster: block b has the points b, b + MNP_BLOCKS, ..., transforms them, and the last pass takes one element of each
 * block out of its shared memory.
 *
 * The passes have the radices MNP_RADICES, those of radix.h, and are in the order of T. G. Stockham (1966) as
 * N. K. Govindaraju et al. (2008) have it on GPUs.  In each a thread has one or more transforms of radix points; it
 * holds MNP_HELD values at most.  An inverse transform is that of the numbers with their parts exchanged.
 *
 * The radices have the product MNP_POINTS (of one block: by MNP_BLOCKS).  That is MNP_LENGTH; or, where this has a
 * prime factor that is no radix, or has no passes that fit, a number of at least 2 MNP_LENGTH - 1.  A transform is then
 * a convolution with a chirp, which is done by transforms of MNP_POINTS points (L. I. Bluestein, 1970).
 *
 * With MNP_FILTERS the transforms of the columns are multiplied by the spectrum of a filter and transformed back.
 */
#include "kernels/prelude.h"
#include "kernels/fft/columns_params.h"
#include "kernels/fft/radix.h"
#include "kernels/nest.h"

/* Points of a column in this block; threads, and those of all blocks of a multiprocessor, by their registers. */
enum {
    MNP_LOCAL = MNP_POINTS / MNP_BLOCKS,
    MNP_THREADS = MNP_LINES * MNP_COLUMNS,
    MNP_RESIDENT = 65536 / (MNP_HELD > 16 ? MNP_HELD : 16) / (int)sizeof(MNP_REAL)
};
constexpr int mnp_radices[] = {MNP_RADICES};
constexpr bool mnp_has_chirp = MNP_LENGTH != MNP_POINTS, mnp_has_second = mnp_has_chirp || MNP_FILTERS;

/* How many times a thread has one of `count` things of a column. */
MNP_INLINE constexpr int mnp_rounds(int count)
{
    return (count + MNP_LINES - 1) / MNP_LINES;
}

/* Whether there is a thing number j, which is known where the threads of a column have the same number of things. */
template <int count> MNP_INLINE bool mnp_is_there(int j)
{
    return count % MNP_LINES == 0 || j < count;
}

typedef mnp_vector<MNP_REAL, 2> mnp_memory;

/* ---- memory ---- */

/*
 * Where row `row` of a column is in shared memory.  Against conflicts of banks the rows that neighbouring threads store
 * in the first pass are an odd number of rows apart.
 */
MNP_INLINE int mnp_place(int row, int column)
{
    return (mnp_radices[0] % 2 == 0 ? row + row / mnp_radices[0] : row) * MNP_COLUMNS + column;
}

/* The elements of the input and the output, which strides count: pairs of numbers, or single ones if not aligned. */
template <bool single> struct mnp_element {
    typedef mnp_memory type;
    static constexpr int of_pair = 1;
};
template <> struct mnp_element<true> {
    typedef MNP_REAL type;
    static constexpr int of_pair = 2;
};
typedef mnp_element<MNP_FROM_REAL && !MNP_ALIGNED> mnp_in;
typedef mnp_element<MNP_TO_REAL && !MNP_ALIGNED> mnp_out;

struct mnp_tile {
    const mnp_in::type *in; /* the tile's first column */
    mnp_out::type *out;
    const mnp_memory *chirp, *spectrum; /* the second transform is of the first one times the spectrum */
    int64_t in_stride, out_stride, spectrum_stride;
    int64_t columns; /* from the tile's first one to the last one of the matrix */
    MNP_REAL scale;
    bool inverse, odd;       /* odd: the last pair is one real column alone */
    int column, line, block; /* of this thread; the block's number in its cluster */
};

/* Whether there is no second real column in a pair. */
MNP_INLINE bool mnp_is_alone(const mnp_tile &t, int column)
{
    return !MNP_ALIGNED && t.odd && column == t.columns - 1;
}

MNP_INLINE mnp_memory mnp_load(const mnp_tile &, const mnp_memory *from)
{
    return *from;
}
MNP_INLINE mnp_memory mnp_load(const mnp_tile &t, const MNP_REAL *from)
{
    return {{from[0], mnp_is_alone(t, t.column) ? 0 : from[1]}};
}

MNP_INLINE void mnp_store(const mnp_tile &, mnp_memory *to, const mnp_memory &both)
{
    *to = both;
}
MNP_INLINE void mnp_store(const mnp_tile &t, MNP_REAL *to, const mnp_memory &both)
{
    to[0] = both.at[0];
    if (!mnp_is_alone(t, t.column))
        to[1] = both.at[1];
}

MNP_INLINE mnp_value mnp_read(const mnp_tile &t, const mnp_in::type *from)
{
    const mnp_memory both = t.column < t.columns ? mnp_load(t, from) : mnp_memory{};
    return t.inverse ? mnp_value{both.at[1], both.at[0]} : mnp_value{both.at[0], both.at[1]};
}

MNP_INLINE void mnp_write(const mnp_tile &t, mnp_out::type *to, mnp_value v)
{
    const MNP_REAL re = t.scale * v.re, im = t.scale * v.im;
    if (t.column < t.columns)
        mnp_store(t, to, t.inverse ? mnp_memory{{im, re}} : mnp_memory{{re, im}});
}

/* ---- real columns ---- */

#if MNP_TO_REAL

/* From the half spectra a and b of two real columns to the spectrum a + i b, as an inverse transform wants it. */
MNP_INLINE void mnp_join_spectra(const mnp_tile &t, mnp_memory *quick)
{
#pragma unroll
    for (int i = (int)threadIdx.x; i < (MNP_LENGTH / 2 + 1) * MNP_COLUMNS; i += MNP_THREADS) {
        const int row = i / MNP_COLUMNS, column = i % MNP_COLUMNS;
        const mnp_in::type *from = t.in + row * t.in_stride + 2 * column;
        mnp_memory a = {}, b = {};
        if (column < t.columns)
            a = from[0];
        if (column < t.columns && !mnp_is_alone(t, column))
            b = from[1];
        if (row == 0 || 2 * row == MNP_LENGTH)
            a.at[1] = b.at[1] = 0;
        quick[mnp_place(row, column)] = {{a.at[1] + b.at[0], a.at[0] - b.at[1]}};
        quick[mnp_place((MNP_LENGTH - row) % MNP_LENGTH, column)] = {{b.at[0] - a.at[1], a.at[0] + b.at[1]}};
    }
    __syncthreads();
}

#endif
#if MNP_FROM_REAL

/* From the spectrum of two real columns, as of the parts of complex numbers, to the half spectrum of each. */
MNP_INLINE void mnp_part_spectra(const mnp_tile &t, const mnp_memory *quick)
{
    const MNP_REAL half = t.scale / 2;
    __syncthreads();
#pragma unroll
    for (int i = (int)threadIdx.x; i < (MNP_LENGTH / 2 + 1) * 2 * MNP_COLUMNS; i += MNP_THREADS) {
        const int row = i / (2 * MNP_COLUMNS), column = i % (2 * MNP_COLUMNS);
        const mnp_memory one = quick[mnp_place(row, column / 2)],
                         mirror = quick[mnp_place((MNP_LENGTH - row) % MNP_LENGTH, column / 2)];
        const mnp_memory first = {{half * (one.at[0] + mirror.at[0]), half * (one.at[1] - mirror.at[1])}},
                         second = {{half * (one.at[1] + mirror.at[1]), half * (mirror.at[0] - one.at[0])}};
        if (column / 2 < t.columns && !(column % 2 == 1 && mnp_is_alone(t, column / 2)))
            t.out[row * t.out_stride + column] = column % 2 == 0 ? first : second;
    }
}

#endif

/* ---- clusters ---- */

#if MNP_BLOCKS > 1

MNP_INLINE void mnp_cluster_wait()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::: "memory");
#endif
}

/* An element of the shared memory of another block. */
MNP_INLINE mnp_value mnp_read_block(const mnp_memory *quick, int block)
{
    mnp_value v = {};
#if __CUDA_ARCH__ >= 900
    const unsigned here = (unsigned)__cvta_generic_to_shared(quick);
    unsigned there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(here), "r"(block));
    if constexpr (sizeof(MNP_REAL) == 4)
        asm volatile("ld.shared::cluster.v2.f32 {%0, %1}, [%2];"
                     : "=f"(*(float *)&v.re), "=f"(*(float *)&v.im)
                     : "r"(there)
                     : "memory");
    else
        asm volatile("ld.shared::cluster.v2.f64 {%0, %1}, [%2];"
                     : "=d"(*(double *)&v.re), "=d"(*(double *)&v.im)
                     : "r"(there)
                     : "memory");
#endif
    return v;
}

/* One element of every block: this block has the rows from MNP_LOCAL / MNP_BLOCKS times its number on. */
MNP_INLINE void mnp_pass_across(const mnp_tile &t, const mnp_memory *quick)
{
    constexpr int rows = MNP_LOCAL / MNP_BLOCKS;
    mnp_cluster_wait();
#pragma unroll
    for (int g = 0; g < mnp_rounds(rows); g++) {
        const int j = t.line + g * MNP_LINES, row = t.block * rows + j;
        mnp_value v[MNP_BLOCKS];
        if (!mnp_is_there<rows>(j))
            break;
#pragma unroll
        for (int b = 0; b < MNP_BLOCKS; b++)
            v[b] = mnp_read_block(quick + mnp_place(row, t.column), b);
        mnp_twiddle<MNP_BLOCKS>(v, row, MNP_POINTS);
        mnp_small<MNP_BLOCKS>::transform(v);
        mnp_out::type *to = t.out + row * t.out_stride + mnp_out::of_pair * t.column;
#pragma unroll
        for (int b = 0; b < MNP_BLOCKS; b++, to += MNP_LOCAL * t.out_stride)
            mnp_write(t, to, v[b]);
    }
    mnp_cluster_wait(); /* no block ends while others read its memory */
}

#endif

/* ---- passes ---- */

MNP_INLINE mnp_value mnp_times(mnp_value v, const mnp_memory &by)
{
    return v * mnp_value{by.at[0], by.at[1]};
}

/*
 * A value of row `row` as the first pass takes it: for a chirp multiplied by that, and for a second transform by its
 * spectrum.
 */
template <bool second> MNP_INLINE mnp_value mnp_begin(const mnp_tile &t, int row, mnp_value v)
{
    if constexpr (second) {
        v = mnp_times(v, t.spectrum[row * t.spectrum_stride]);
        return {v.im, v.re}; /* the second transform is an inverse one */
    } else if constexpr (mnp_has_chirp) {
        return row < MNP_LENGTH ? mnp_times(v, t.chirp[row]) : mnp_value{};
    }
    return v;
}

/*
 * Pass number `number`, which makes transforms of `done` points into longer ones, and those after it; then, where there
 * is a second transform, those of that one.
 */
template <bool second, int number, int done> MNP_INLINE void mnp_passes(const mnp_tile &t, mnp_memory *quick)
{
    constexpr int radix = mnp_radices[number], count = MNP_LOCAL / radix, rounds = mnp_rounds(count);
    constexpr bool is_last = done * radix == MNP_LOCAL;
    constexpr bool reads = number == 0 && !second && !MNP_TO_REAL, ends = is_last && second == mnp_has_second;
    constexpr bool writes = ends && MNP_BLOCKS == 1 && !MNP_FROM_REAL;
    mnp_value v[rounds][radix];
#pragma unroll
    for (int g = 0; g < rounds; g++) {
        const int j = t.line + g * MNP_LINES;
        const mnp_in::type *from =
            t.in + ((int64_t)j * MNP_BLOCKS + t.block) * t.in_stride + mnp_in::of_pair * t.column;
        if (!mnp_is_there<count>(j))
            break;
#pragma unroll
        for (int r = 0; r < radix; r++, from += count * MNP_BLOCKS * t.in_stride) {
            const int row = j + r * count;
            if constexpr (reads) {
                v[g][r] = mnp_has_chirp && row >= MNP_LENGTH ? mnp_value{} : mnp_read(t, from);
            } else {
                const mnp_memory both = quick[mnp_place(row, t.column)];
                v[g][r] = {both.at[0], both.at[1]};
            }
            if constexpr (number == 0)
                v[g][r] = mnp_begin<second>(t, row, v[g][r]);
        }
    }
    if constexpr (!reads)
        __syncthreads(); /* all have read what is written over now */
#pragma unroll
    for (int g = 0; g < rounds; g++) {
        const int j = t.line + g * MNP_LINES, rest = j % done, to = (j - rest) * radix + rest;
        mnp_out::type *out = t.out + to * t.out_stride + mnp_out::of_pair * t.column;
        if (!mnp_is_there<count>(j))
            break;
        if constexpr (done > 1)
            mnp_twiddle<radix>(v[g], rest, done * radix);
        mnp_small<radix>::transform(v[g]);
#pragma unroll
        for (int r = 0; r < radix; r++, out += done * t.out_stride) {
            const int row = to + r * done;
            if (ends && mnp_has_chirp && row >= MNP_LENGTH)
                break;
            if constexpr (ends && mnp_has_second)
                v[g][r] = {v[g][r].im, v[g][r].re};
            if constexpr (ends && mnp_has_chirp)
                v[g][r] = mnp_times(v[g][r], t.chirp[row]);
            if constexpr (writes)
                mnp_write(t, out, v[g][r]);
            else
                quick[mnp_place(row, t.column)] = {{v[g][r].re, v[g][r].im}};
        }
    }
    if constexpr (!ends) {
        __syncthreads();
        if constexpr (is_last)
            mnp_passes<true, 0, 1>(t, quick);
        else
            mnp_passes<second, number + 1, done * radix>(t, quick);
    }
}

extern __shared__ mnp_memory mnp_quick[];

#if MNP_BLOCKS > 1 && __CUDA_ARCH__ >= 900
#define MNP_CLUSTER __cluster_dims__(MNP_BLOCKS, 1, 1)
#else
#define MNP_CLUSTER
#endif

extern "C" __global__ void MNP_CLUSTER __launch_bounds__(MNP_THREADS,
                                                         MNP_THREADS < MNP_RESIDENT ? MNP_RESIDENT / MNP_THREADS : 1)
    fft_columns(const __grid_constant__ mnp_fft_columns_params p)
{
    const int64_t across = (p.columns + MNP_COLUMNS - 1) / MNP_COLUMNS, tile = blockIdx.x / MNP_BLOCKS;
    const int64_t matrix = mnp_quotient(tile, across);
    int64_t index[MNP_FFT_COLUMNS_OUTER];
    mnp_tile t;
    t.column = (int)threadIdx.x % MNP_COLUMNS;
    t.line = (int)threadIdx.x / MNP_COLUMNS;
    t.block = (int)blockIdx.x % MNP_BLOCKS;
    const int64_t first = (tile - matrix * across) * MNP_COLUMNS;
    mnp_unravel<MNP_FFT_COLUMNS_OUTER>(p.outer, matrix, index);
    t.in = (const mnp_in::type *)p.in + mnp_offset<MNP_FFT_COLUMNS_OUTER>(p.outer_in, index) +
           first * (mnp_in::of_pair << MNP_TO_REAL);
    t.out = (mnp_out::type *)p.out + mnp_offset<MNP_FFT_COLUMNS_OUTER>(p.outer_out, index) +
            first * (mnp_out::of_pair << MNP_FROM_REAL);
    t.chirp = (const mnp_memory *)p.by;
    t.spectrum = t.chirp + MNP_LENGTH;
    t.spectrum_stride = 1;
    t.in_stride = p.in_stride;
    t.out_stride = p.out_stride;
    t.scale = (MNP_REAL)p.scale;
    t.inverse = p.inverse != 0;
    t.odd = p.odd != 0;
    t.columns = p.columns - first;
#if MNP_FILTERS
    t.spectrum = (const mnp_memory *)p.by + (t.out - (const mnp_memory *)p.out) + (t.column < t.columns ? t.column : 0);
    t.spectrum_stride = p.out_stride;
    t.out = (mnp_memory *)t.in;
    t.out_stride = p.in_stride;
#endif
#if MNP_TO_REAL
    mnp_join_spectra(t, mnp_quick);
#endif
    mnp_passes<false, 0, 1>(t, mnp_quick);
#if MNP_BLOCKS > 1
    mnp_pass_across(t, mnp_quick);
#endif
#if MNP_FROM_REAL
    mnp_part_spectra(t, mnp_quick);
#endif
}
