/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One sweep of a relaxation or of a triangular solve:
 * x[i] = keep * x[i] + inverse[i] * (b[i] - sum of a[i][j] from[j]), where `from` may be x itself.
 *
 * Rows are in groups (level sets, or colours), within which no row depends on another.  A launch takes one group by
 * many workers, or several consecutive groups by a single worker or block.  A row's entries are always added in the
 * order in which they are stored.  Compiled with
 *   MNP_T       the type of all numbers
 *   MNP_SLICE   positions of a slice: 1 where a thread reads row by row, 32 where a warp reads the entries of 32 rows
 *   MNP_WIDE    whether there may be several vectors
 */
#include "kernels/prelude.h"
#include "kernels/early_launch.h"
#include "kernels/numbers.h"
#include "kernels/sparse/precond/level_sweep_params.h"

typedef MNP_T mnp_t;

/* A row, and where its entries are. */
struct found_row {
    int64_t at;
    int row, length;
};

MNP_INLINE found_row find_row(const mnp_level_sweep_params &p, int64_t position)
{
    const int64_t *const offsets = (const int64_t *)p.offsets + position / MNP_SLICE;
#if MNP_SLICE > 1
    const int length = ((const int *)p.lengths)[position];
#else
    const int length = (int)(offsets[1] - offsets[0]);
#endif
    return {offsets[0] + position % MNP_SLICE, ((const int *)p.rows)[position], length};
}

MNP_INLINE mnp_t inverse_of(const mnp_level_sweep_params &p, int row)
{
    return p.inverse ? ((const mnp_t *)p.inverse)[row] : mnp_number_of<mnp_t>::from(1);
}

MNP_INLINE mnp_t right_side(const mnp_level_sweep_params &p, int64_t i)
{
    return p.b ? ((const mnp_t *)p.b)[i] : mnp_number_of<mnp_t>::from(0);
}

/* Store the new x[i], given b[i] less the sum, and return it. */
MNP_INLINE mnp_t store(const mnp_level_sweep_params &p, int64_t i, mnp_t inverse, mnp_t rest)
{
    mnp_t *const x = (mnp_t *)p.x + i;
    rest = p.inverse ? inverse * rest : rest;
    return *x = p.keep == 0 ? rest : mnp_number_of<mnp_t>::from(p.keep) * *x + rest;
}

#if MNP_CUDA

/* Entries of a row that are loaded before the group's turn. */
enum { AHEAD = sizeof(mnp_t) > 8 ? 1 : MNP_WIDE ? 2 : 4 };

/* A thread's first task in a group of `tasks`: a row, and vector c.  row < 0: the thread has none. */
struct task {
    found_row found;
    int c;
    int64_t tasks;
};

struct fetched {
    mnp_t inverse, values[AHEAD];
    int columns[AHEAD];
};

/* Tasks of a group are numbered from the beginning of a slice, so that the accesses of a warp are aligned to slices. */
MNP_INLINE task find_task(const mnp_level_sweep_params &p, int64_t group, int64_t number)
{
    const int64_t width = MNP_WIDE ? p.width : 1, begin = ((const int64_t *)p.groups)[group];
    const int64_t end = ((const int64_t *)p.groups)[group + 1], base = begin / MNP_SLICE * MNP_SLICE;
    const int64_t position = base + number / width;
    if (position < begin || position >= end)
        return {{0, -1, 0}, 0, (end - base) * width};
    return {find_row(p, position), (int)(number % width), (end - base) * width};
}

/* Load what a task needs that earlier groups do not change. */
MNP_INLINE fetched fetch(const mnp_level_sweep_params &p, const task &t)
{
    fetched f = {};
    if (t.found.row < 0)
        return f;
    f.inverse = inverse_of(p, t.found.row);
#pragma unroll
    for (int j = 0; j < AHEAD; j++) {
        if (j < t.found.length) {
            f.values[j] = ((const mnp_t *)p.values)[t.found.at + j * MNP_SLICE];
            f.columns[j] = ((const int *)p.columns)[t.found.at + j * MNP_SLICE];
        }
    }
    return f;
}

MNP_INLINE void relax(const mnp_level_sweep_params &p, const task &t, const fetched &f)
{
    if (t.found.row < 0)
        return;
    const int64_t width = MNP_WIDE ? p.width : 1, i = t.found.row * width + t.c;
    const mnp_t *const from = (const mnp_t *)p.from + t.c;
    mnp_t rest = right_side(p, i), first[AHEAD]; /* issue all loads before one is used */
#pragma unroll
    for (int j = 0; j < AHEAD; j++)
        if (j < t.found.length)
            first[j] = from[f.columns[j] * width];
#pragma unroll
    for (int j = 0; j < AHEAD; j++)
        if (j < t.found.length)
            rest -= f.values[j] * first[j];
    const mnp_t *value = (const mnp_t *)p.values + t.found.at + AHEAD * MNP_SLICE;
    const int *column = (const int *)p.columns + t.found.at + AHEAD * MNP_SLICE;
#pragma unroll 4
    for (int j = AHEAD; j < t.found.length; j++, value += MNP_SLICE, column += MNP_SLICE)
        rest -= *value * from[*column * width];
    store(p, i, f.inverse, rest);
}

/*
 * A block that takes several groups finds its rows two groups ahead and loads their entries one group ahead, so that
 * the only latency between two groups is that of passing x from thread to thread.
 */
extern "C" __global__ void __launch_bounds__(MNP_LEVEL_SWEEP_THREADS)
    mnp_level_sweep(const __grid_constant__ mnp_level_sweep_params p)
{
    const int64_t thread = (int64_t)blockIdx.x * blockDim.x + threadIdx.x, threads = (int64_t)gridDim.x * blockDim.x;
    const task none = {{0, -1, 0}, 0, 0};
    task now = find_task(p, p.first, thread), next = p.count > 1 ? find_task(p, p.first + p.step, thread) : none;
    fetched entries = fetch(p, now);
    mnp_start_next_launch();
    mnp_await_previous_launch();
    for (int64_t k = 0, group = p.first; k < p.count; k++, group += p.step) {
        const task later = k + 2 < p.count ? find_task(p, group + 2 * p.step, thread) : none;
        const fetched next_entries = fetch(p, next);
        relax(p, now, entries);
        for (int64_t number = thread + threads; number < now.tasks; number += threads) {
            const task other = find_task(p, group, number);
            relax(p, other, fetch(p, other));
        }
        if (k + 1 < p.count)
            __syncthreads();
        now = next;
        next = later;
        entries = next_entries;
    }
}

#else

/*
 * Entries are prefetched well ahead: as each row waits for the row before it, the processor does not read ahead by
 * itself.  Addresses are computed as integers, as they may lie beyond the end of the arrays.
 */
enum { LINE = 64 / sizeof(mnp_t), AHEAD = 64 * LINE }; /* values of a cache line; the distance in values */

static MNP_INLINE void fetch_ahead(const mnp_level_sweep_params &p, int64_t k)
{
    __builtin_prefetch((const void *)(p.values + (k + AHEAD) * sizeof(mnp_t)));
    __builtin_prefetch((const void *)(p.columns + (k + AHEAD) * sizeof(int)));
}

/* Subtract the products of a row's entries with `count` vectors from c on; the sums stay in registers. */
template <int count>
static MNP_INLINE void subtract(const mnp_level_sweep_params &p, int64_t k, int64_t end, int64_t c, mnp_t *rests)
{
    const int64_t width = MNP_WIDE ? p.width : 1;
    const mnp_t *const values = (const mnp_t *)p.values, *const from = (const mnp_t *)p.from + c;
    const int *const columns = (const int *)p.columns;
    for (; k + LINE <= end; k += LINE) {
        fetch_ahead(p, k);
        for (int j = 0; j < LINE; j++)
            for (int v = 0; v < count; v++)
                rests[v] -= values[k + j] * from[columns[k + j] * width + v];
    }
    fetch_ahead(p, k);
    for (; k < end; k++)
        for (int v = 0; v < count; v++)
            rests[v] -= values[k] * from[columns[k] * width + v];
}

#if MNP_WIDE

template <int count> static MNP_INLINE void relax(const mnp_level_sweep_params &p, const found_row &found, int64_t c)
{
    const int64_t i = found.row * p.width + c;
    mnp_t rests[count];
    for (int v = 0; v < count; v++)
        rests[v] = right_side(p, i + v);
    subtract<count>(p, found.at, found.at + found.length, c, rests);
    for (int v = 0; v < count; v++)
        (void)store(p, i + v, inverse_of(p, found.row), rests[v]);
}

/* A function of its own: inlined, it would share its registers with the caller's loop. */
static __attribute__((noinline)) void sweep_positions(const mnp_level_sweep_params &p, int64_t begin, int64_t end)
{
    for (int64_t position = begin; position < end; position++) {
        const found_row found = find_row(p, position);
        int64_t c = 0;
        for (; c + 8 <= p.width; c += 8)
            relax<8>(p, found, c);
        for (; c < p.width; c++)
            relax<1>(p, found, c);
    }
}

#else

/*
 * The last entry of a row is often in the column of the previous row.  Then its x is taken from a register: a store and
 * a load would take longer than the rest of the row.
 */
static __attribute__((noinline)) void sweep_positions(const mnp_level_sweep_params &p, int64_t begin, int64_t end)
{
    const mnp_t *const values = (const mnp_t *)p.values, *const from = (const mnp_t *)p.from;
    const int *const columns = (const int *)p.columns;
    const bool is_own = p.from == p.x;
    int row_before = -1;
    mnp_t x_before = mnp_number_of<mnp_t>::from(0);
    for (int64_t position = begin; position < end; position++) {
        const found_row found = find_row(p, position);
        const int64_t last = found.at + found.length - 1;
        mnp_t rest = right_side(p, found.row);
        subtract<1>(p, found.at, last, 0, &rest);
        if (found.length > 0 && columns[last] == row_before)
            rest -= values[last] * x_before;
        else if (found.length > 0)
            rest -= values[last] * from[columns[last]];
        x_before = store(p, found.row, inverse_of(p, found.row), rest);
        row_before = is_own ? found.row : -1;
    }
}

#endif

MNP_KERNEL(mnp_level_sweep, mnp_level_sweep_params)
{
    for (int64_t k = 0, group = p.first; k < p.count; k++, group += p.step) {
        const int64_t *const ends = (const int64_t *)p.groups + group;
        const int64_t begin = ends[0], count = ends[1] - begin;
        sweep_positions(p, begin + mnp_share_begin(count, worker, workers),
                        begin + mnp_share_begin(count, worker + 1, workers));
    }
}

#endif
