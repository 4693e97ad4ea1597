/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Products on a GPU.  Accesses are coalesced, and a thread loads several entries before it uses the first.
 *
 * All kernels among which a measurement may choose add the entries of a row of up to MNP_SPMV_SHORT entries one after
 * the other, in the order of their columns, so the choice does not change the bits of these rows' results.
 */

/* Entries that a thread loads before it uses one; fewer for complex numbers. */
#if MNP_STREAM || MNP_FORMAT_DIA
enum { AT_ONCE = 4 };
#else
enum { AT_ONCE = sizeof(mnp_w) > sizeof(double) ? 4 : 8 };
#endif

/*
 * Declares a kernel whose registers are bounded so that a multiprocessor holds so many blocks.  Without it, NVRTC 13
 * uses 32 registers where threads take rows, as for 8 blocks, and then has fewer loads in flight (docs/history.md).
 */
#define SPMV_OF_BLOCKS(blocks)                                                                                         \
    extern "C" __global__ void __launch_bounds__(MNP_STEP_BLOCK, blocks) spmv(const __grid_constant__ mnp_spmv_params p)

enum { BLOCKS_BY_ROWS = sizeof(mnp_w) > sizeof(double) ? 5 : 6 };

#if MNP_FORMAT_CSR || MNP_FORMAT_SELL

/*
 * Load AT_ONCE entries after `begin`, those of the numbers `first`, first + stride and so on, and multiply them with x;
 * products of numbers from `end` on are 0.
 */
template <int stride, typename I>
MNP_INLINE void read_products(const part &a, int64_t begin, I first, I end, int64_t c, MNP_VECTOR *products)
{
    const MNP_VALUE *const values = a.values + begin;
    const int *const indices = a.indices + begin;
    MNP_VALUE value[AT_ONCE];
    MNP_VECTOR x[AT_ONCE];
    int column[AT_ONCE];
#pragma unroll
    for (int j = 0; j < AT_ONCE; j++) {
        const bool there = first + j * stride < end;
        value[j] = there ? values[first + j * stride] : MNP_VALUE{};
        column[j] = there ? indices[first + j * stride] : -1;
    }
#pragma unroll
    for (int j = 0; j < AT_ONCE; j++)
        x[j] = column[j] >= 0 ? a.x[column[j] * a.width + c] : MNP_VECTOR{};
#pragma unroll
    for (int j = 0; j < AT_ONCE; j++)
        products[j] = product(value[j], x[j]);
}

/* The sum of the products of entries `first`, first + stride and so on, in that order. */
template <int stride, typename I>
MNP_INLINE MNP_VECTOR add_entries(const part &a, int64_t begin, I first, I end, int64_t c)
{
    MNP_VECTOR sum = {}, products[AT_ONCE];
    for (I k = first; k < end; k += AT_ONCE * stride) {
        read_products<stride>(a, begin, k, end, c, products);
#pragma unroll
        for (int j = 0; j < AT_ONCE; j++)
            sum += products[j];
    }
    return sum;
}

#endif

#if MNP_FORMAT_CSR && !MNP_WIDE

template <typename R> MNP_INLINE R from_lane(R x, int distance)
{
    return __shfl_xor_sync(0xffffffffu, x, distance);
}
template <typename R> MNP_INLINE mnp_complex<R> from_lane(mnp_complex<R> x, int distance)
{
    return mnp_complex<R>{from_lane(x.re, distance), from_lane(x.im, distance)};
}

/* The sum over groups of `lanes` threads, returned in all of them; all threads of the warp call it. */
MNP_INLINE MNP_VECTOR add_lanes(MNP_VECTOR sum, int lanes)
{
    for (int distance = lanes / 2; distance > 0; distance /= 2)
        sum += from_lane(sum, distance);
    return sum;
}

#endif

#if MNP_FORMAT_CSR && !MNP_WIDE && MNP_STREAM

/*
 * CSR by chunks of equal numbers of lines and entries together, independent of the lengths of the rows.  A block's
 * threads read the entries of a chunk with coalesced accesses, and store their products with x in shared memory.  Then
 * each short row is added up by a thread, each long row by a warp.  A row that may exceed the shared memory is added up
 * by the block: only the last row of a chunk can.  J. L. Greathouse, M. Daga, "Efficient sparse matrix-vector
 * multiplication on GPUs using the CSR storage format", 2014.
 */
enum {
    THREADS = MNP_STEP_BLOCK,
    BLOCKS = sizeof(MNP_VECTOR) > 8 ? 4 : 8, /* blocks of a multiprocessor, for which it has shared memory */
    ROOM = MNP_SPMV_CHUNK + 512,             /* products in shared memory; a row of up to 512 always fits */
    BANKS = 128 / sizeof(MNP_VECTOR)
};

/* The position of product k in shared memory, padded so that rows of 2^n entries do not all begin in the same bank. */
MNP_INLINE int place_of(int k)
{
    return k + k / BANKS;
}

MNP_INLINE void multiply(const part &a, int64_t begin, int many, MNP_VECTOR *products)
{
    for (int first = threadIdx.x; first < many; first += AT_ONCE * THREADS) {
        MNP_VECTOR read[AT_ONCE];
        read_products<THREADS>(a, begin, first, many, 0, read);
#pragma unroll
        for (int j = 0; j < AT_ONCE; j++)
            if (first + j * THREADS < many)
                products[place_of(first + j * THREADS)] = read[j];
    }
}

/* The products of a line: numbers `from` to `to` - 1. */
struct span {
    int from, to;
};

/* The products of a line in a chunk whose first entry is `begin`. */
MNP_INLINE span find_span(const part &a, int line, int64_t begin)
{
    return span{(int)(a.offsets[line] - begin), (int)(a.offsets[line + 1] - begin)};
}

/*
 * Add up the short lines from `first` to `last`.  `mine`: the products of this thread's first line.  Returns whether
 * this thread found a line that is not short.
 */
MNP_INLINE bool add_short(part &a, int first, int last, int64_t begin, span mine, const MNP_VECTOR *products)
{
    bool longer = false;
    for (int line = first + threadIdx.x; line < last; line += THREADS) {
        MNP_VECTOR sum = {};
        if (line >= first + THREADS)
            mine = find_span(a, line, begin);
        if (mine.to - mine.from > MNP_SPMV_SHORT) {
            longer = true;
            continue;
        }
        for (int k = mine.from; k < mine.to; k++)
            sum += products[place_of(k)];
        a.put(a.row_of(line), sum);
    }
    return longer;
}

MNP_INLINE void add_long(part &a, int first, int last, int64_t begin, const MNP_VECTOR *products)
{
    const int lane = threadIdx.x % 32;
    for (int line = first + threadIdx.x / 32; line < last; line += THREADS / 32) {
        const span all = find_span(a, line, begin);
        MNP_VECTOR sum = {};
        if (all.to - all.from <= MNP_SPMV_SHORT)
            continue;
        for (int k = all.from + lane; k < all.to; k += 32)
            sum += products[place_of(k)];
        sum = add_lanes(sum, 32);
        if (lane == 0)
            a.put(a.row_of(line), sum);
    }
}

/* Add up a line by all threads of the block; `sums` has room for a number of each warp. */
MNP_INLINE void add_by_block(part &a, int line, MNP_VECTOR *sums)
{
    const int64_t begin = a.offsets[line], count = a.offsets[line + 1] - begin;
    MNP_VECTOR sum = add_lanes(add_entries<THREADS>(a, begin, (int64_t)threadIdx.x, count, 0), 32);
    if (threadIdx.x % 32 == 0)
        sums[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int warp = 1; warp < THREADS / 32; warp++)
            sum += sums[warp];
        a.put(a.row_of(line), sum);
    }
    __syncthreads();
}

SPMV_OF_BLOCKS(BLOCKS)
{
    __shared__ MNP_VECTOR products[ROOM + ROOM / BANKS];
    if (is_over(p))
        return;
    MNP_WORKER(w);
    part a = open_part(p);
    for (int chunk = blockIdx.x; chunk < p.chunks; chunk += gridDim.x) {
        const mnp_spmv_start start = p.starts[chunk], end = p.starts[chunk + 1];
        if (start.line == end.line) /* the chunk lies within a row that is longer than a chunk */
            continue;
        const bool beyond = end.entry - start.entry > ROOM;
        const int last = beyond ? end.line - 1 : end.line;
        const int many = (int)((beyond ? (int64_t)a.offsets[last] : end.entry) - start.entry);
        span mine = {};
        if (start.line + threadIdx.x < last) /* early, to hide its latency */
            mine = find_span(a, start.line + threadIdx.x, start.entry);
        multiply(a, start.entry, many, products);
        __syncthreads();
        if (__syncthreads_or(add_short(a, start.line, last, start.entry, mine, products))) {
            add_long(a, start.line, last, start.entry, products);
            __syncthreads();
        }
        if (beyond)
            add_by_block(a, last, products);
    }
    close_part(p, w, a);
}

#elif MNP_FORMAT_CSR && !MNP_WIDE

/* CSR: MNP_LANES threads share a row.  The threads of a warp stay converged, also beyond the last line. */
SPMV_OF_BLOCKS(BLOCKS_BY_ROWS)
{
    if (is_over(p))
        return;
    MNP_WORKER(w);
    part a = open_part(p);
    const int64_t groups = w.all_threads() / MNP_LANES, per_warp = 32 / MNP_LANES, group = w.first_thread() / MNP_LANES;
    const int lane = threadIdx.x % MNP_LANES;
    for (int64_t first = group / per_warp * per_warp; first < p.lines; first += groups) {
        const int64_t line = first + group % per_warp;
        MNP_VECTOR sum = {};
        if (line < p.lines) {
            const int64_t begin = a.offsets[line];
            sum = add_entries<MNP_LANES>(a, begin, lane, (int)(a.offsets[line + 1] - begin), 0);
        }
        sum = add_lanes(sum, MNP_LANES);
        if (line < p.lines && lane == 0)
            a.put(a.row_of(line), sum);
    }
    close_part(p, w, a);
}

#elif MNP_FORMAT_CSR

/* CSR, several vectors: a thread for each row and vector; neighbouring threads read neighbouring elements of x. */
SPMV_OF_BLOCKS(BLOCKS_BY_ROWS)
{
    part a = open_part(p);
    MNP_FOR (i, p.lines * a.width) {
        const int64_t line = i / a.width, c = i % a.width, begin = a.offsets[line];
        a.put(a.row_of(line) * a.width + c, add_entries<1>(a, begin, 0, (int)(a.offsets[line + 1] - begin), c));
    }
}

#elif MNP_FORMAT_CSC || MNP_FORMAT_COO

template <typename R> MNP_INLINE void add_atomically(R *sum, R x)
{
    atomicAdd(sum, x);
}
template <typename R> MNP_INLINE void add_atomically(mnp_complex<R> *sum, mnp_complex<R> x)
{
    atomicAdd(&sum->re, x.re);
    atomicAdd(&sum->im, x.im);
}

#if MNP_FORMAT_COO
MNP_INLINE int64_t column_of(const part &a, int64_t, int64_t k)
{
    return a.indices[k];
}
MNP_INLINE int64_t row_of(const part &a, int64_t k)
{
    return a.rows_of[k];
}
#else
/* The column of entry k: the last that begins at or before it. */
MNP_INLINE int64_t column_of(const part &a, int64_t columns, int64_t k)
{
    int64_t low = 0, high = columns;
    while (high - low > 1) {
        const int64_t middle = (low + high) / 2;
        if ((int64_t)a.offsets[middle] <= k)
            low = middle;
        else
            high = middle;
    }
    return low;
}
MNP_INLINE int64_t row_of(const part &a, int64_t k)
{
    return a.indices[k];
}
#endif

/* A thread for each entry and vector.  The order of additions is not fixed. */
MNP_KERNEL(spmv, mnp_spmv_params)
{
    const part a = open_part(p);
    MNP_FOR (i, p.count * a.width) {
        const int64_t k = i / a.width, c = i % a.width;
        add_atomically(a.y + row_of(a, k) * a.width + c,
                       product(a.values[k], a.x[column_of(a, p.columns, k) * a.width + c]));
    }
}

#elif MNP_FORMAT_DIA

/* DIA: a thread for each row and vector; reads of a diagonal are coalesced, and several diagonals are in flight. */
MNP_KERNEL(spmv, mnp_spmv_params)
{
    if (is_over(p))
        return;
    MNP_WORKER(w);
    part a = open_part(p);
    MNP_FOR (i, p.rows * a.width) {
        const int64_t row = i / a.width, c = i % a.width;
        MNP_VECTOR sum = {};
        for (int64_t first = 0; first < p.lines; first += AT_ONCE) {
            MNP_VALUE value[AT_ONCE];
            MNP_VECTOR x[AT_ONCE];
#pragma unroll
            for (int d = 0; d < AT_ONCE; d++) {
                const bool there = first + d < p.lines;
                const int64_t column = there ? row + a.indices[first + d] : -1;
                value[d] = there ? a.values[(first + d) * p.rows + row] : MNP_VALUE{};
                x[d] = column >= 0 && column < p.columns ? a.x[column * a.width + c] : MNP_VECTOR{};
            }
#pragma unroll
            for (int d = 0; d < AT_ONCE; d++)
                sum += product_if_stored(value[d], x[d]);
        }
        a.put(i, sum);
    }
    close_part(p, w, a);
}

#elif MNP_FORMAT_BSR

/* A thread for each row and vector. */
MNP_KERNEL(spmv, mnp_spmv_params)
{
    if (is_over(p))
        return;
    MNP_WORKER(w);
    part a = open_part(p);
    MNP_FOR (i, p.rows * a.width) {
        const int64_t row = i / a.width, c = i % a.width, line = row / MNP_BLOCK;
        MNP_VECTOR sum = {};
        for (int64_t b = a.offsets[line]; b < (int64_t)a.offsets[line + 1]; b++) {
            const MNP_VALUE *values = a.values + (b * MNP_BLOCK + row % MNP_BLOCK) * MNP_BLOCK;
            const int64_t column = (int64_t)a.indices[b] * MNP_BLOCK;
#pragma unroll
            for (int j = 0; j < MNP_BLOCK; j++)
                if (column + j < p.columns)
                    sum += product(values[j], a.x[(column + j) * a.width + c]);
        }
        a.put(i, sum);
    }
    close_part(p, w, a);
}

#elif MNP_FORMAT_SELL

/* SELL: a thread for each row and vector, so that with one vector a warp takes a slice. */
SPMV_OF_BLOCKS(BLOCKS_BY_ROWS)
{
    if (is_over(p))
        return;
    MNP_WORKER(w);
    part a = open_part(p);
    MNP_FOR (i, p.rows * a.width) {
        const int64_t row = i / a.width, begin = a.offsets[row / MNP_SPMV_SLICE] + row % MNP_SPMV_SLICE;
        const int64_t end = (int64_t)a.rows_of[row] * MNP_SPMV_SLICE;
        a.put(i, add_entries<MNP_SPMV_SLICE>(a, begin, (int64_t)0, end, i % a.width));
    }
    close_part(p, w, a);
}

#endif
