/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads and builds rows of a sparse matrix on the device.  The kernels pack rows for other ranks, divide rows into own
 * and ghost columns, number ghost columns, compute prefix sums of lengths, and extract diagonals.
 *
 * Ghost columns are numbered with a hash table (open addressing), as there may be far more columns than entries, or by
 * counting bits, one for each column, where there are not.
 * Compiled with
 *   MNP_VALUE   type of the values
 */
#include "kernels/prelude.h"
#include "kernels/claim.h"
#include "kernels/prefix_sum.h"
#include "kernels/sparse/rows/fetch_rows_params.h"
#include "kernels/lines.h"

MNP_INLINE line_offsets offsets_of(const mnp_rows_part &part)
{
    return {part.offsets, part.wide != 0};
}

/* ---- prefix sums of lengths ---- */

MNP_INLINE int64_t count_tiles(const mnp_rows_params &p)
{
    return (p.total + p.tile - 1) / p.tile;
}

/* Compute prefix sums: the first block, or worker, those over the tiles; a warp, or a worker, those within a tile. */
MNP_INLINE void sum_up(const mnp_rows_params &p, worker_range c)
{
#if MNP_CUDA
    const int64_t workers = (int64_t)gridDim.x * blockDim.x / 32;
    const int64_t worker = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const bool is_first_block = blockIdx.x == 0, is_first_lane = threadIdx.x % 32 == 0;
    (void)c;
#else
    OPEN_WORKERS(c);
    const bool is_first_block = worker == 0, is_first_lane = true;
#endif
    const int64_t tiles = count_tiles(p);
    if (p.task == MNP_ROWS_SUM) {
        if (is_first_block) {
            mnp_prefix_array<8>(p.tally, tiles); /* launch_of() launches blocks of 8 warps */
            if (worker == 0 && is_first_lane)
                p.lengths[p.total] = p.tally[tiles];
        }
        return;
    }
    for (int64_t tile = worker; tile < tiles; tile += workers) {
        const int64_t begin = tile * p.tile, next = begin + p.tile, end = next < p.total ? next : p.total;
        if (p.task == MNP_ROWS_PLACE) {
            mnp_prefix_range<true>(p.lengths, begin, end, p.tally[tile]);
        } else {
            const int64_t sum = mnp_prefix_range<false>(p.lengths, begin, end, 0);
            if (is_first_lane)
                p.tally[tile] = sum;
        }
    }
}

/* ---- packing ---- */

MNP_INLINE int64_t row_length(const mnp_rows_params &p, int64_t row)
{
    const line_offsets own = offsets_of(p.matrix.own);
    return own[row + 1] - own[row] + p.ghost_offsets[row + 1] - p.ghost_offsets[row];
}

/*
 * A row as it is packed, in the order of columns: ghosts before the own columns, own entries, then the other ghosts.
 */
struct packed_row {
    int64_t begin;         /* where it begins in the list */
    int64_t own, ghost;    /* where its entries begin in the own and the ghost part */
    int64_t before, owned; /* ghosts before the own columns; own entries */
};

MNP_INLINE packed_row open_packed(const mnp_rows_params &p, int64_t line)
{
    const line_offsets own = offsets_of(p.matrix.own);
    const int64_t row = p.wanted ? p.wanted[line] : line, begin = p.ghost_offsets[row], end = p.ghost_offsets[row + 1];
    const int64_t others = lower_bound(p.matrix.ghost.indices, begin, end, p.matrix.before);
    return {p.list.offsets[line], own[row], begin, others - begin, own[row + 1] - own[row]};
}

MNP_INLINE void pack(const mnp_rows_params &p, const packed_row &row, int64_t entry)
{
    const int64_t at = entry - row.begin;
    const bool is_own = at >= row.before && at < row.before + row.owned;
    const int64_t from = is_own ? row.own + at - row.before : row.ghost + at - (at < row.before ? 0 : row.owned);
    const mnp_rows_part &part = is_own ? p.matrix.own : p.matrix.ghost;
    const int number = part.indices[from];
    if (p.local)
        p.local[entry] = is_own ? number : (int)(p.shift + number);
    else
        p.list.columns[entry] = is_own ? p.matrix.column_lo + number : p.matrix.ghosts[number];
    ((MNP_VALUE *)p.list.values)[entry] = ((const MNP_VALUE *)part.values)[from];
}

/* ---- numbering ---- */

/* Increment a counter atomically; returns its previous value. */
template <typename N> MNP_INLINE N count_one(N *counter)
{
#if MNP_CUDA
    return (N)atomicAdd((unsigned long long *)counter, 1ull);
#else
    return __atomic_fetch_add(counter, (N)1, __ATOMIC_RELAXED);
#endif
}

/* The slot of a column in the table; a new column is entered. */
MNP_INLINE int64_t enter(const mnp_rows_table &table, long long column)
{
    int64_t slot = (int64_t)((uint64_t)column * 0x9e3779b97f4a7c15ull >> 20) & (table.slot_count - 1);
    for (;;) {
        long long there = ((volatile long long *)table.slots)[slot];
        if (there == -1)
            there = claim(table.slots + slot, column);
        if (there == -1 || there == column)
            return slot;
        slot = (slot + 1) & (table.slot_count - 1);
    }
}

/* A bit for each column, 64 in a word. */
MNP_INLINE void list_columns(const mnp_rows_params &p, int64_t word)
{
    int64_t at = p.table.before[word];
    for (unsigned long long bits = p.table.words[word]; bits; bits &= bits - 1)
        p.columns[at++] = 64 * word + count_bits((bits & -bits) - 1);
}

/* The number of a ghost column: of its slot if there is a hash table. */
MNP_INLINE int number_of(const mnp_rows_table &table, long long column)
{
    if (!table.words)
        return table.numbers[column];
    const unsigned long long below = (1ull << column % 64) - 1;
    return (int)(table.before[column / 64] + count_bits(table.words[column / 64] & below));
}

/* ---- stacking ---- */

/* A row of the list: its own entries are contiguous. */
struct stacked_row {
    int64_t first, own, owned; /* where its own entries begin in the list and in the own part, and their number */
};

MNP_INLINE stacked_row open_stacked(const mnp_rows_params &p, int64_t row)
{
    const line_offsets own = offsets_of(p.matrix.own);
    return {p.first[row], own[row], own[row + 1] - own[row]};
}

MNP_INLINE void stack(const mnp_rows_params &p, const stacked_row &row, int64_t entry)
{
    const int64_t at = entry - row.first;
    const bool is_own = at >= 0 && at < row.owned;
    const mnp_rows_part &part = is_own ? p.matrix.own : p.matrix.ghost;
    const int64_t before = row.own + (at < 0 ? 0 : row.owned); /* own entries before it */
    const int64_t to = is_own ? row.own + at : entry - before;
    const long long column = p.list.columns[entry];
    part.indices[to] = is_own ? (int)(column - p.matrix.column_lo) : number_of(p.table, column);
    ((MNP_VALUE *)part.values)[to] = ((const MNP_VALUE *)p.list.values)[entry];
}

/* Store a row as a line of the ghost part if it has entries there; row number `rows` stores the end. */
MNP_INLINE void store_line(const mnp_rows_params &p, int64_t row)
{
    const int64_t line = p.lengths[row];
    if (row < p.total && p.lengths[row + 1] == line)
        return;
    store_offset(p.matrix.ghost.offsets, p.matrix.ghost.wide, line, offsets_of(p.matrix.own)[row]);
    if (row < p.total)
        p.matrix.ghost.rows_of[line] = (int)row;
}

/* ---- tasks ---- */

/* Do a task for one row, index, slot or column. */
MNP_INLINE void do_one(const mnp_rows_params &p, int64_t i)
{
    const line_offsets own = offsets_of(p.matrix.own);
    const mnp_rows_part &ghost = p.matrix.ghost;
    switch (p.task) {
    case MNP_ROWS_SPREAD:
        p.ghost_offsets[i] = offsets_of(ghost)[lower_bound(ghost.rows_of, 0, ghost.lines, i)];
        break;
    case MNP_ROWS_NAME:
        p.named[p.indices[i]] = 1;
        break;
    case MNP_ROWS_LENGTHS:
        p.lengths[i] = !p.named || p.named[i] ? row_length(p, p.wanted ? p.wanted[i] : i) : 0;
        break;
    case MNP_ROWS_FLAGS:
        p.lengths[i] = own[i + 1] > own[i];
        break;
    case MNP_ROWS_PICK:
        p.columns[i] = p.lengths[p.wanted[i]];
        break;
    case MNP_ROWS_CUT: {
        const int64_t begin = p.list.offsets[i], end = p.list.offsets[i + 1];
        const bool no_ghosts =
            begin < end && p.list.columns[begin] >= p.matrix.column_lo && p.list.columns[end - 1] < p.columns_end;
        if (no_ghosts) {
            p.first[i] = begin;
            p.lengths[i] = end - begin;
            break;
        }
        p.first[i] = lower_bound(p.list.columns, begin, end, p.matrix.column_lo);
        p.lengths[i] = lower_bound(p.list.columns, p.first[i], end, p.columns_end) - p.first[i];
        break;
    }
    case MNP_ROWS_ENTER: {
        const long long column = p.list.columns[i];
        if (column < p.matrix.column_lo || column >= p.columns_end)
            p.list.columns[i] = enter(p.table, column);
        break;
    }
    case MNP_ROWS_COLLECT:
        if (p.table.slots[i] >= 0)
            p.columns[count_one(p.found)] = p.table.slots[i];
        break;
    case MNP_ROWS_NUMBER:
        p.table.numbers[enter(p.table, p.columns[i])] = (int)i;
        break;
    case MNP_ROWS_MARK: {
        const long long column = p.list.columns[i];
        if (column < p.matrix.column_lo || column >= p.columns_end)
            set_bit(p.table.words + column / 64, (int)(column % 64));
        break;
    }
    case MNP_ROWS_COUNT:
        p.table.before[i] = count_bits(p.table.words[i]);
        break;
    case MNP_ROWS_NAMES:
        list_columns(p, i);
        break;
    case MNP_ROWS_STACK: /* the offsets only */
        store_offset(ghost.offsets, ghost.wide, i, p.list.offsets[i] - own[i]);
        break;
    case MNP_ROWS_LINES:
        store_line(p, i);
        break;
    case MNP_ROWS_NARROW:
        store_offset(ghost.offsets, ghost.wide, i, own[i]);
        break;
    }
}

MNP_KERNEL(fetch_rows, mnp_rows_params)
{
    const worker_range all = ALL_WORKERS;
    if (p.task == MNP_ROWS_TALLY || p.task == MNP_ROWS_SUM || p.task == MNP_ROWS_PLACE) {
        sum_up(p, all);
        return;
    }
    if (p.task == MNP_ROWS_PACK)
        for_entries(
            all, p.list.offsets, p.list.rows, [&](int64_t line) { return open_packed(p, line); },
            [&](const packed_row &row, int64_t entry) { pack(p, row, entry); });
    if (p.task == MNP_ROWS_STACK)
        for_entries(
            all, p.list.offsets, p.list.rows, [&](int64_t line) { return open_stacked(p, line); },
            [&](const stacked_row &row, int64_t entry) { stack(p, row, entry); });
    MNP_FOR (i, p.count)
        do_one(p, i);
}

/* ---- diagonals ---- */

/* Elements at a constant stride. */
struct strided {
    const int *at;
    int64_t stride;
    MNP_INLINE int64_t operator[](int64_t i) const
    {
        return at[i * stride];
    }
};

/* The position of entry (row, column) among the values of a part, by bisection in every format; -1: none. */
MNP_INLINE int64_t find_entry(const mnp_rows_part &part, int64_t row, int64_t column)
{
    const line_offsets offsets = offsets_of(part);
    int64_t begin = 0, end = part.lines, wanted = column, line = row, stride = 1, inside = 0;
    switch (part.format) {
    case MNP_ROWS_CSR:
        if (part.rows_of) {
            line = lower_bound(part.rows_of, 0, part.lines, row);
            if (line == part.lines || part.rows_of[line] != row)
                return -1;
        }
        break;
    case MNP_ROWS_CSC:
        line = column;
        wanted = row;
        break;
    case MNP_ROWS_COO:
        begin = lower_bound(part.rows_of, 0, part.lines, row);
        end = lower_bound(part.rows_of, begin, part.lines, row + 1);
        break;
    case MNP_ROWS_DIA:
        wanted = column - row;
        break;
    case MNP_ROWS_BSR:
        line = row / part.block;
        wanted = column / part.block;
        inside = row % part.block * part.block + column % part.block;
        break;
    case MNP_ROWS_SELL:
        line = row / 32;
        stride = 32;
        break;
    }
    if (part.format == MNP_ROWS_SELL) {
        inside = offsets[line] + row % stride;
        end = part.rows_of[row];
    } else if (part.format != MNP_ROWS_COO && part.format != MNP_ROWS_DIA) {
        begin = offsets[line];
        end = offsets[line + 1];
    }
    const strided indices = {part.indices + (stride > 1 ? inside : 0), stride};
    const int64_t found = lower_bound(indices, begin, end, wanted);
    if (found == end || indices[found] != wanted)
        return -1;
    if (part.format == MNP_ROWS_DIA)
        return found * part.rows + row;
    return part.format == MNP_ROWS_BSR ? found * part.block * part.block + inside : found * stride + inside;
}

MNP_INLINE MNP_VALUE find_element(const mnp_diagonal_params &p, int64_t i)
{
    const int64_t column = p.column + i, own = column - p.matrix.column_lo;
    const bool is_own = own >= 0 && own < p.own_columns;
    const mnp_rows_part &part = is_own ? p.matrix.own : p.matrix.ghost;
    int64_t number = own;
    if (!is_own) {
        number = lower_bound(p.matrix.ghosts, 0, p.matrix.nghosts, column);
        if (number == p.matrix.nghosts || p.matrix.ghosts[number] != column)
            return MNP_VALUE{};
    }
    const int64_t at = find_entry(part, p.row + i, number);
    return at < 0 ? MNP_VALUE{} : ((const MNP_VALUE *)part.values)[at];
}

/* Replace x by 1 / x; false if x is 0. */
template <typename R> MNP_INLINE bool invert(R *x)
{
    const bool replaced = *x == 0;
    *x = replaced ? (R)1 : (R)(1.0 / (double)*x);
    return replaced;
}
/* The same, by R. L. Smith, "Algorithm 116: Complex division", 1962, which avoids overflow. */
template <typename R> MNP_INLINE bool invert(mnp_complex<R> *x)
{
    const double re = x->re, im = x->im;
    const bool replaced = re == 0 && im == 0, flat = (re < 0 ? -re : re) >= (im < 0 ? -im : im);
    const double ratio = replaced ? 0 : flat ? im / re : re / im, size = flat ? re + im * ratio : im + re * ratio;
    const mnp_complex<R> inverse = {(R)((flat ? 1 : ratio) / size), (R)((flat ? -ratio : -1) / size)};
    *x = replaced ? mnp_complex<R>{1, 0} : inverse;
    return replaced;
}

MNP_KERNEL(find_diagonal, mnp_diagonal_params)
{
    MNP_FOR (i, p.count) {
        MNP_VALUE value = find_element(p, i);
        if (p.replaced && invert(&value))
            count_one(p.replaced);
        ((MNP_VALUE *)p.diagonal)[i] = value;
    }
}
