/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Products of sparse matrices on a GPU; spgemm.cu describes the algorithm.
 */

/* ---- teams ---- */

#if MNP_PLAN
enum { TEAM = MNP_SPGEMM_THREADS };
#else
enum { TEAM = MNP_TEAM };
#endif
enum { WIDTH = TEAM < 32 ? TEAM : 32, WARPS = TEAM / WIDTH }; /* threads of a team in a warp; warps of a team */

MNP_INLINE int thread_of_team()
{
    return threadIdx.x % TEAM;
}

MNP_INLINE int lane_of_team()
{
    return threadIdx.x % WIDTH;
}

/* The lanes of the warp that belong to this thread's team, as a mask. */
MNP_INLINE unsigned lanes_of_team()
{
    const unsigned all = 0xffffffffu >> (32 - WIDTH);
    return all << (threadIdx.x % 32 - lane_of_team());
}

MNP_INLINE void join_team()
{
    if (WARPS == 1)
        __syncwarp(lanes_of_team());
    else
        __syncthreads();
}

/*
 * The sum of `value` over the team's threads before this one; *all_p gets the sum over all.  `warps` is shared memory.
 */
template <typename T> MNP_INLINE T prefix_team(T value, T *warps, T *all_p)
{
    T before = 0, all = 0;
    if (WARPS == 1)
        return mnp_prefix_warp<WIDTH>(value, all_p, lanes_of_team());
    const T sum = mnp_inclusive_warp<WIDTH>(value, lanes_of_team());
    if (lane_of_team() == WIDTH - 1)
        warps[thread_of_team() / WIDTH] = sum;
    __syncthreads();
    for (int w = 0; w < WARPS; w++) {
        before += w < thread_of_team() / WIDTH ? warps[w] : 0;
        all += warps[w];
    }
    __syncthreads();
    *all_p = all;
    return before + sum - value;
}

#if MNP_PLAN

/* ---- planning ---- */

/*
 * Bound every row's length by its products, or by all columns if these are fewer.  The threads of a warp stay
 * converged.
 */
MNP_INLINE void bound_rows(const mnp_spgemm_plan_params &p)
{
    const int64_t groups = (int64_t)gridDim.x * blockDim.x / p.lanes, per_warp = 32 / p.lanes;
    const int64_t group = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / p.lanes;
    const int lane = threadIdx.x % p.lanes;
    for (int64_t first = group / per_warp * per_warp; first < p.rows; first += groups) {
        const int64_t row = first + group % per_warp;
        const int64_t end = row < p.rows ? offset(p.a, row + 1) : 0;
        int64_t products = 0;
        if (row < p.rows)
            for (int64_t k = offset(p.a, row) + lane; k < end; k += p.lanes)
                products += row_length(p.b, p.a.columns[k]);
        for (int distance = p.lanes / 2; distance > 0; distance /= 2)
            products += __shfl_xor_sync(0xffffffffu, products, distance);
        if (row < p.rows && lane == 0)
            p.sizes[row] = (int)(products < p.columns ? products : p.columns);
    }
}

MNP_INLINE int find_bin(const mnp_spgemm_plan_params &p, int size)
{
    int bin = 0;
    while (bin < MNP_SPGEMM_BINS - 1 && size > p.most[bin])
        bin++;
    return bin;
}

MNP_INLINE void tally_tile(const mnp_spgemm_plan_params &p, int64_t tile, int *bins, int64_t *warps)
{
    const int64_t begin = tile * MNP_SPGEMM_TILE;
    int64_t sum = 0, all;
    if (threadIdx.x < MNP_SPGEMM_BINS)
        bins[threadIdx.x] = 0;
    __syncthreads();
    for (int64_t row = begin + threadIdx.x; row < begin + MNP_SPGEMM_TILE && row < p.rows; row += TEAM) {
        const int size = p.sizes[row];
        sum += size;
        if (size > 0)
            atomicAdd(&bins[find_bin(p, size)], 1);
    }
    prefix_team(sum, warps, &all);
    if (threadIdx.x == 0)
        p.tally[tile * RECORD] = all;
    if (threadIdx.x < MNP_SPGEMM_BINS)
        p.tally[tile * RECORD + 1 + threadIdx.x] = bins[threadIdx.x];
    __syncthreads();
}

/* The exclusive prefix sums of the tiles' records, by one block. */
MNP_INLINE void sum_tiles(const mnp_spgemm_plan_params &p, int64_t *warps)
{
    const int64_t tiles = count_tiles(p);
    int64_t so_far[RECORD] = {};
    for (int64_t begin = 0; begin <= tiles; begin += TEAM) {
        const int64_t tile = begin + threadIdx.x;
#pragma unroll
        for (int i = 0; i < RECORD; i++) {
            int64_t all;
            const int64_t before = prefix_team(tile < tiles ? (int64_t)p.tally[tile * RECORD + i] : 0, warps, &all);
            if (tile <= tiles)
                p.tally[tile * RECORD + i] = so_far[i] + before;
            so_far[i] += all;
        }
    }
}

/* Store the offsets of a tile's rows, and enter the rows in the list of their bin. */
MNP_INLINE void place_tile(const mnp_spgemm_plan_params &p, int64_t tile, int *bins, int64_t *warps)
{
    const int64_t begin = tile * MNP_SPGEMM_TILE, *record = (const int64_t *)p.tally + tile * RECORD;
    int64_t at = record[0];
    if (threadIdx.x < MNP_SPGEMM_BINS)
        bins[threadIdx.x] = 0;
    __syncthreads();
    for (int64_t first = begin; first < begin + MNP_SPGEMM_TILE; first += TEAM) {
        const int64_t row = first + threadIdx.x;
        const int size = row < p.rows ? p.sizes[row] : 0;
        if (p.offsets) {
            int64_t all;
            const int64_t before = prefix_team((int64_t)size, warps, &all);
            if (row < p.rows)
                store_offset(p.offsets, p.wide, row, at + before);
            at += all;
        }
        if (size > 0) {
            const int bin = find_bin(p, size);
            p.list[p.first[bin] + record[1 + bin] + atomicAdd(&bins[bin], 1)] = (int)row;
        }
    }
    __syncthreads();
}

extern "C" __global__ void __launch_bounds__(TEAM) spgemm_plan(const __grid_constant__ mnp_spgemm_plan_params p)
{
    __shared__ int64_t warps[WARPS];
    __shared__ int bins[MNP_SPGEMM_BINS];
    if (p.task == MNP_SPGEMM_BOUND) {
        bound_rows(p);
        return;
    }
    if (p.task == MNP_SPGEMM_SUM) {
        sum_tiles(p, warps);
        return;
    }
    for (int64_t tile = blockIdx.x; tile < count_tiles(p); tile += gridDim.x) {
        if (p.task == MNP_SPGEMM_TALLY)
            tally_tile(p, tile, bins, warps);
        else
            place_tile(p, tile, bins, warps);
    }
    if (p.task == MNP_SPGEMM_PLACE && p.offsets && blockIdx.x == 0 && threadIdx.x == 0)
        store_offset(p.offsets, p.wide, p.rows, p.tally[count_tiles(p) * RECORD]);
}

#else

/* ---- products ---- */

enum { DENSE = MNP_MOST == 0, TABLE = DENSE ? 1 : MNP_MOST + MNP_MOST / 2, FREE = -1 };
enum {
    STRIP = 32 * TEAM,
    STRIPS = DENSE ? (1u << 31) / STRIP : 32
}; /* STRIP: columns of a word of bits for each thread; STRIPS: in all */

/* The type of the number of a tile's products: with rows of any length 32 bits are not enough. */
template <bool wide> struct number_of {
    typedef int type;
};
template <> struct number_of<true> {
    typedef int64_t type;
};
typedef number_of<DENSE>::type number;

/* A team's shared memory.  Arrays that a bin, or counting, does not need have a minimal size. */
struct alignas(16) memory {
    int list[MNP_COUNTS || DENSE ? 4 : MNP_MOST]; /* the row's columns */
    MNP_VALUE sums[MNP_COUNTS || DENSE ? 1 : TABLE];
    MNP_VALUE factors[MNP_COUNTS ? 1 : TEAM]; /* of a tile: the entries of A, */
    int64_t starts[TEAM];                     /* where their rows of B begin, less the products before theirs, */
    number before[TEAM];                      /* and these products' numbers */
    number warps[WARPS];
    int keys[TABLE]; /* the hash table: the columns of the sums, or FREE */
    unsigned claims[MNP_COUNTS || WARPS == 1 ? 1 : MNP_SPGEMM_CLAIMS];
    unsigned strips[STRIPS / 32]; /* a bit for every strip that has columns */
    int listed;
};
static_assert(sizeof(memory) <= MNP_TEAM_BYTES, "MNP_TEAM_BYTES");

/* The row that a team is computing. */
struct row_table {
    memory &m;
    MNP_VALUE *sums;
    unsigned *bits; /* in global memory: a bit for every column that is present */
    unsigned turn;  /* of claims: a multiple of TEAM that decreases */
};

struct product {
    int column, entry; /* column: of C; entry: of the tile, below 0 if there is no product */
    MNP_VALUE factor, value;
};

/* Load entries of A from k on, before `end`, as a tile; returns the number of their products. */
MNP_INLINE number open_tile(const mnp_spgemm_params &p, memory &m, int64_t k, int64_t end)
{
    const int t = thread_of_team();
    int64_t start = 0, length = 0;
    number all;
    if (k + t < end) {
        const int row = p.a.columns[k + t];
        start = offset(p.b, row);
        length = offset(p.b, row + 1) - start;
        if (!MNP_COUNTS)
            m.factors[t] = ((const MNP_VALUE *)p.a.values)[k + t];
    }
    const number before = prefix_team((number)length, m.warps, &all);
    m.before[t] = before;
    m.starts[t] = start - before;
    join_team();
    return all;
}

/* Load product number `at` of the tile: it belongs to the last entry whose products begin at or before it. */
MNP_INLINE product fetch(const mnp_spgemm_params &p, const memory &m, number at, number all)
{
    product fetched;
    fetched.entry = -1;
    if (at >= all)
        return fetched;
    int entry = 0;
#pragma unroll
    for (int step = TEAM / 2; step > 0; step /= 2)
        entry += m.before[entry + step] <= at ? step : 0;
    const int64_t k = m.starts[entry] + at;
    fetched.entry = entry;
    fetched.column = __ldg(p.b.columns + k);
    if (!MNP_COUNTS) {
        fetched.factor = m.factors[entry];
        fetched.value = ((const MNP_VALUE *)p.b.values)[k];
    }
    return fetched;
}

/* ---- tables ---- */

MNP_INLINE int first_slot(int column)
{
    return (int)__umulhi((unsigned)column * 0x9e3779b1u, TABLE);
}

MNP_INLINE int next_slot(int slot)
{
    return slot + 1 < TABLE ? slot + 1 : 0;
}

/* The slot of a column in the hash table.  A new column is inserted; then *fresh_p is true, for one thread. */
MNP_INLINE int put_column(row_table &row, int column, bool *fresh_p)
{
    if (DENSE) {
        const unsigned bit = 1u << column % 32, strip = column / STRIP, strip_bit = 1u << strip % 32;
        *fresh_p = !(atomicOr(row.bits + column / 32, bit) & bit);
        if (*fresh_p && !(*(volatile unsigned *)(row.m.strips + strip / 32) & strip_bit))
            atomicOr(row.m.strips + strip / 32, strip_bit);
        return column;
    }
    for (int slot = first_slot(column);; slot = next_slot(slot)) {
        int found = *(volatile int *)(row.m.keys + slot);
        if (found == FREE)
            found = atomicCAS(row.m.keys + slot, FREE, column);
        if (found == FREE || found == column) {
            *fresh_p = found == FREE;
            return slot;
        }
    }
}

MNP_INLINE int find_column(const memory &m, int column)
{
    int slot = first_slot(column);
    while (m.keys[slot] != column)
        slot = next_slot(slot);
    return slot;
}

/* Append new columns to the list, in any order; `count` is how many a team within a warp has listed. */
MNP_INLINE void list_column(memory &m, int column, bool fresh, int &count)
{
    const unsigned all = __ballot_sync(lanes_of_team(), fresh), earlier = (1u << threadIdx.x % 32) - 1;
    int at = count;
    if (WARPS > 1) {
        if (all && lane_of_team() == 0)
            at = atomicAdd(&m.listed, __popc(all));
        at = __shfl_sync(lanes_of_team(), at, 0);
    }
    if (fresh)
        m.list[at + __popc(all & earlier)] = column;
    count += __popc(all);
}

/*
 * Add products in their order, for a team within a warp.  Products of one entry of A have different columns, so those
 * of an entry are added together, and the entries one after the other.
 */
MNP_INLINE void add_in_warp(row_table &row, int slot, const product &now)
{
    const unsigned lanes = lanes_of_team(), up_to_me = 0xffffffffu >> (31 - threadIdx.x % 32);
    const int entry_before = __shfl_up_sync(lanes, now.entry, 1, WIDTH);
    const bool begins = now.entry >= 0 && (lane_of_team() == 0 || entry_before != now.entry);
    const unsigned beginnings = __ballot_sync(lanes, begins);
    const int turns = __popc(beginnings), mine = now.entry >= 0 ? __popc(beginnings & up_to_me) : 0;
    for (int turn = 1; turn <= turns; turn++) {
        if (turn == mine)
            add_product(row.sums[slot], now.factor, now.value);
        __syncwarp(lanes);
    }
}

/*
 * The same for a team of a block.  Threads claim their sums; of those with the same sum the first one adds, and the
 * others try again.  Claims get smaller with every turn, so none must be reset.  Several sums may share a word for
 * claims, which only costs turns.
 */
MNP_INLINE void add_in_block(row_table &row, int slot, const product &now)
{
    unsigned &place = row.m.claims[slot % MNP_SPGEMM_CLAIMS];
    bool waits = now.entry >= 0;
    do {
        if (row.turn == 0) {
            __syncthreads();
            for (int i = threadIdx.x; i < MNP_SPGEMM_CLAIMS; i += TEAM)
                row.m.claims[i] = 0xffffffffu;
            row.turn = 0u - TEAM;
            __syncthreads();
        }
        row.turn -= TEAM;
        const unsigned claim = row.turn + threadIdx.x;
        if (waits)
            atomicMin(&place, claim);
        __syncthreads();
        if (waits && *(volatile unsigned *)&place == claim) {
            add_product(row.sums[slot], now.factor, now.value);
            waits = false;
        }
    } while (__syncthreads_or(waits));
}

/* Take all products of a row.  Returns how many columns this thread found, or, where they are listed, its warp. */
MNP_INLINE int take_products(const mnp_spgemm_params &p, row_table &row, int64_t number_of_row)
{
    const int64_t end = offset(p.a, number_of_row + 1);
    int count = 0;
    for (int64_t k = offset(p.a, number_of_row); k < end; k += TEAM) {
        const number all = open_tile(p, row.m, k, end);
        product next = fetch(p, row.m, thread_of_team(), all);
        for (number at = 0; at < all; at += TEAM) {
            const product now = next;
            bool fresh = false;
            int slot = 0;
            next = fetch(p, row.m, at + TEAM + thread_of_team(), all); /* loads while this one is added */
            if (now.entry >= 0)
                slot = put_column(row, now.column, &fresh);
            if (MNP_COUNTS)
                count += fresh;
            else if (!DENSE)
                list_column(row.m, now.column, fresh, count);
            if (!MNP_COUNTS && WARPS == 1)
                add_in_warp(row, slot, now);
            else if (!MNP_COUNTS)
                add_in_block(row, slot, now);
        }
        join_team();
    }
    return count;
}

#include "kernels/sparse/product/spgemm_sort_cuda.h"

/* ---- rows ---- */

/* Store a result with a hint that leaves the caches to B. */
template <typename T> MNP_INLINE void store_result(T *to, T value)
{
    __stcs(to, value);
}
template <typename R> MNP_INLINE void store_result(mnp_complex<R> *to, mnp_complex<R> value)
{
    __stcs(&to->re, value.re);
    __stcs(&to->im, value.im);
}

/* Write a row whose columns are listed. */
MNP_INLINE void write_listed(const mnp_spgemm_params &p, memory &m, int64_t at, int count)
{
    sort_list(m.list, count);
    for (int i = thread_of_team(); i < count; i += TEAM) {
        const int column = m.list[i];
        store_result(p.c.columns + at + i, column);
        store_result((MNP_VALUE *)p.c.values + at + i, m.sums[find_column(m, column)]);
    }
}

/* Write a row whose columns are bits, in their order, and reset bits and sums to 0.  If counting, only reset. */
MNP_INLINE void write_dense(const mnp_spgemm_params &p, row_table &row, int64_t at)
{
    for (int strip = 0; strip < (p.columns + STRIP - 1) / STRIP; strip++) {
        const int64_t word = (int64_t)strip * TEAM + threadIdx.x;
        number all;
        if (!(row.m.strips[strip / 32] >> strip % 32 & 1))
            continue;
        unsigned bits = word < (p.columns + 31) / 32 ? __ldcg(row.bits + word) : 0;
        if (bits)
            row.bits[word] = 0;
        if (MNP_COUNTS)
            continue;
        int64_t to = at + prefix_team((number)__popc(bits), row.m.warps, &all);
        for (; bits; bits &= bits - 1) {
            const int64_t column = word * 32 + __ffs(bits) - 1;
            store_result(p.c.columns + to, (int)column);
            store_result((MNP_VALUE *)p.c.values + to++, row.sums[column]);
            row.sums[column] = MNP_VALUE{};
        }
        at += all;
    }
    __syncthreads();
}

MNP_INLINE void clear_table(memory &m)
{
    for (int i = thread_of_team(); !DENSE && i < TABLE; i += TEAM) {
        m.keys[i] = FREE;
        if (!MNP_COUNTS)
            m.sums[i] = MNP_VALUE{};
    }
    for (int i = thread_of_team(); DENSE && i < STRIPS / 32; i += TEAM)
        m.strips[i] = 0;
    if (thread_of_team() == 0)
        m.listed = 0;
    join_team();
}

MNP_INLINE void make_row(const mnp_spgemm_params &p, row_table &row, int64_t i)
{
    clear_table(row.m);
    int count = take_products(p, row, i);
    const int64_t at = MNP_COUNTS ? 0 : offset(p.c, i);
    if (MNP_COUNTS) {
        number all;
        prefix_team((number)count, row.m.warps, &all);
        if (thread_of_team() == 0)
            p.sizes[i] = (int)all;
    }
    if (DENSE)
        write_dense(p, row, at);
    else if (!MNP_COUNTS)
        write_listed(p, row.m, at, WARPS == 1 ? count : row.m.listed);
    join_team();
}

extern "C" __global__ void __launch_bounds__(MNP_BLOCK) spgemm_rows(const __grid_constant__ mnp_spgemm_params p)
{
    extern __shared__ int4 shared[];
    const int team = threadIdx.x / TEAM, teams = MNP_BLOCK / TEAM;
    memory &m = *(memory *)((char *)shared + team * MNP_TEAM_BYTES);
    char *scratch = p.scratch + blockIdx.x * p.scratch_bytes;
    row_table row = {m, DENSE ? (MNP_VALUE *)scratch : m.sums,
                     (unsigned *)(scratch + (MNP_COUNTS ? 0 : p.columns * sizeof(MNP_VALUE))), 0};
    for (int64_t i = (int64_t)blockIdx.x * teams + team; i < p.listed; i += (int64_t)gridDim.x * teams)
        make_row(p, row, p.list[i]);
}

#endif
