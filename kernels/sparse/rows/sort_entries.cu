/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kernels before and after the sorts by which entries of a sparse matrix in any order become rows in CSR.  Entries
 * of the same row and column (duplicates) are added in the order in which they are stored.  Compiled with
 *   MNP_VALUE   type of the values
 */
#include "kernels/prelude.h"
#include "kernels/claim.h"
#include "kernels/lines.h"
#include "kernels/numbers.h"
#include "kernels/sparse/rows/sort_entries_params.h"

MNP_INLINE bool is_head(const mnp_entries_params &p, int64_t i)
{
    return i == 0 || p.keys[i] != p.keys[i - 1] || p.numbers[i] != p.numbers[i - 1];
}

/* Add up the duplicates of which entry i is the first, in their order, by one thread. */
MNP_INLINE void add_up(const mnp_entries_params &p, int64_t i)
{
    const MNP_VALUE *const values = (const MNP_VALUE *)p.values;
    const int64_t place = p.heads[i];
#if !MNP_CUDA
    enum { AHEAD = 16 }; /* values come in any order: fetched while others are added */
    if (i + AHEAD < p.total)
        __builtin_prefetch(&values[p.order[i + AHEAD]]);
#endif
    if (p.heads[i + 1] == place)
        return;
    MNP_VALUE sum = values[p.order[i]];
    for (int64_t k = i + 1; k < p.total && p.heads[k + 1] == place + 1; k++)
        sum += values[p.order[k]];
    p.gathered[place] = p.numbers[i];
    ((MNP_VALUE *)p.made)[place] = sum;
}

MNP_INLINE void do_one(const mnp_entries_params &p, int64_t i)
{
    switch (p.task) {
    case MNP_ENTRIES_CHECK:
        if (p.numbers[i] < 0 || p.numbers[i] >= p.end)
            keep_least((unsigned long long *)p.found, (unsigned long long)i);
        break;
    case MNP_ENTRIES_KEYS:
        p.keys[i] = (int)p.numbers[p.order ? p.order[i] : i];
        break;
    case MNP_ENTRIES_NUMBERS:
        p.gathered[i] = p.numbers[p.order[i]];
        break;
    case MNP_ENTRIES_VALUES:
        ((MNP_VALUE *)p.made)[i] = ((const MNP_VALUE *)p.values)[p.order[i]];
        break;
    case MNP_ENTRIES_HEADS:
        p.heads[i] = is_head(p, i);
        break;
    case MNP_ENTRIES_ADD:
        add_up(p, i);
        break;
    }
}

MNP_INLINE void find_offsets(const mnp_entries_params &p, worker_range c)
{
    OPEN_WORKERS(c);
#if MNP_CUDA
    MNP_FOR (row, p.count)
        p.gathered[row] = p.heads[lower_bound(p.keys, 0, p.total, row)];
#else
    int64_t at = lower_bound(p.keys, 0, p.total, mnp_share_begin(p.count, worker, workers));
    MNP_FOR (row, p.count) {
        while (at < p.total && p.keys[at] < row)
            at++;
        p.gathered[row] = p.heads[at];
    }
#endif
}

MNP_KERNEL(sort_entries, mnp_entries_params)
{
    if (p.task == MNP_ENTRIES_OFFSETS) {
        find_offsets(p, ALL_WORKERS);
        return;
    }
    if (p.task == MNP_ENTRIES_ROWS) {
        for_entries(
            ALL_WORKERS, p.offsets, p.total, [&](int64_t row) { return p.begin + row; },
            [&](int64_t number, int64_t entry) { p.gathered[entry] = number; });
        return;
    }
    MNP_FOR (i, p.count)
        do_one(p, i);
}
