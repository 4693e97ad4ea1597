/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kernels before and after the sorts by which entries of a sparse matrix in any order become rows in CSR; on the
 * host the sorts too (sort_entries_host.h).  Entries of the same row and column (duplicates) are added in the order in
 * which they are stored.  Compiled with
 *   MNP_VALUE   type of the values
 */
#include "kernels/prelude.h"
#include "kernels/claim.h"
#include "kernels/lines.h"
#include "kernels/numbers.h"
#include "kernels/sparse/rows/sort_entries_params.h"

#if MNP_CUDA

MNP_INLINE bool is_head(const mnp_entries_params &p, int64_t i)
{
    return i == 0 || p.keys[i] != p.keys[i - 1] || p.numbers[i] != p.numbers[i - 1];
}

/* Add up the duplicates of which entry i is the first, in their order, by one thread. */
MNP_INLINE void add_up(const mnp_entries_params &p, int64_t i)
{
    const MNP_VALUE *const values = (const MNP_VALUE *)p.values;
    const int64_t place = p.heads[i];
    if (p.heads[i + 1] == place)
        return;
    MNP_VALUE sum = values[p.order[i]];
    for (int64_t k = i + 1; k < p.total && p.heads[k + 1] == place + 1; k++)
        sum += values[p.order[k]];
    p.gathered[place] = p.numbers[i];
    ((MNP_VALUE *)p.made)[place] = sum;
}

MNP_INLINE void sort_one(const mnp_entries_params &p, int64_t i)
{
    switch (p.task) {
    case MNP_ENTRIES_CHECK:
        if (p.numbers[i] < 0 || p.numbers[i] >= p.end)
            keep_least((unsigned long long *)p.found, (unsigned long long)i);
        break;
    case MNP_ENTRIES_KEYS:
        p.keys[i] = (int)p.numbers[p.order ? p.order[i] : i];
        break;
    case MNP_ENTRIES_HEADS:
        p.heads[i] = is_head(p, i);
        break;
    case MNP_ENTRIES_OFFSETS:
        p.gathered[i] = p.heads[lower_bound(p.keys, 0, p.total, i)];
        break;
    case MNP_ENTRIES_ADD:
        add_up(p, i);
        break;
    }
}

#else

#include "kernels/sparse/rows/sort_entries_host.h"

/* Look for the first number from `begin` on that is out of range: blocks without any, by vectors, come first. */
static void check_numbers(const mnp_entries_params &p, int64_t begin, int64_t end)
{
    enum { BLOCK = 1024 };
    const long long *const numbers = p.numbers;
    const unsigned long long limit = (unsigned long long)p.end;
    for (bool is_good = true; begin + BLOCK <= end; begin += BLOCK) {
        for (int64_t i = begin; i < begin + BLOCK; i++)
            is_good &= (unsigned long long)numbers[i] < limit;
        if (!is_good)
            break;
    }
    while (begin < end && (unsigned long long)numbers[begin] < limit)
        begin++;
    if (begin < end)
        keep_least((unsigned long long *)p.found, (unsigned long long)begin);
}

/* The number is that of a chunk or of a bucket. */
static void sort_one(const mnp_entries_params &p, int64_t number)
{
    switch (p.task) {
    case MNP_ENTRIES_COUNT:
        count_buckets(p, number);
        break;
    case MNP_ENTRIES_SPREAD:
        spread_to_buckets(p, number);
        break;
    case MNP_ENTRIES_ARRANGE:
        arrange_bucket(p, number);
        break;
    case MNP_ENTRIES_STORE:
        store_bucket(p, number);
        break;
    }
}

#endif

MNP_INLINE void do_one(const mnp_entries_params &p, int64_t i)
{
    switch (p.task) {
    case MNP_ENTRIES_NUMBERS:
        p.gathered[i] = p.numbers[p.order[i]];
        break;
    case MNP_ENTRIES_VALUES:
        ((MNP_VALUE *)p.made)[i] = ((const MNP_VALUE *)p.values)[p.order[i]];
        break;
    default:
        sort_one(p, i);
    }
}

MNP_KERNEL(sort_entries, mnp_entries_params)
{
    if (p.task == MNP_ENTRIES_ROWS) {
        for_entries(
            ALL_WORKERS, p.offsets, p.total, [&](int64_t row) { return p.begin + row; },
            [&](int64_t number, int64_t entry) { p.gathered[entry] = number; });
        return;
    }
#if !MNP_CUDA
    if (p.task == MNP_ENTRIES_CHECK) {
        check_numbers(p, mnp_share_begin(p.count, worker, workers), mnp_share_begin(p.count, worker + 1, workers));
        return;
    }
#endif
    MNP_FOR (i, p.count)
        do_one(p, i);
}
