/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sorting the columns of a row, which a team has listed in shared memory (spgemm_cuda.h).
 *
 * A warp, or the team in it, sorts runs in registers, EACH neighbours a thread, by bitonic sorting.  The first step of
 * every merge compares mirrored positions, so that all comparisons have the same direction.
 */
enum { EACH = WARPS > 1 ? 8 : MNP_MOST / WIDTH, RUN = EACH * WIDTH };

MNP_INLINE void order_pair(int &low, int &high)
{
    const int smaller = min(low, high);
    high = max(low, high);
    low = smaller;
}

/* Compare and exchange elements that mirror each other in groups of `size`. */
MNP_INLINE void compare_mirrored(int (&x)[EACH], int size)
{
    if (size <= EACH) {
#pragma unroll
        for (int e = 0; e < EACH; e++)
            if (e < (e ^ (size - 1)))
                order_pair(x[e], x[e ^ (size - 1)]);
        return;
    }
    const bool low = !(lane_of_team() & (size / EACH / 2));
    int others[EACH];
#pragma unroll
    for (int e = 0; e < EACH; e++)
        others[e] = __shfl_xor_sync(lanes_of_team(), x[EACH - 1 - e], size / EACH - 1, WIDTH);
#pragma unroll
    for (int e = 0; e < EACH; e++)
        x[e] = low ? min(x[e], others[e]) : max(x[e], others[e]);
}

/* Compare and exchange elements that are `stride` apart. */
MNP_INLINE void compare_apart(int (&x)[EACH], int stride)
{
    if (stride < EACH) {
#pragma unroll
        for (int e = 0; e < EACH; e++)
            if (!(e & stride))
                order_pair(x[e], x[e + stride]);
        return;
    }
    const bool low = !(lane_of_team() & (stride / EACH));
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        const int other = __shfl_xor_sync(lanes_of_team(), x[e], stride / EACH, WIDTH);
        x[e] = low ? min(x[e], other) : max(x[e], other);
    }
}

/* The same for `stride`, and then for its half, down to 1. */
MNP_INLINE void compare_down(int (&x)[EACH], int stride)
{
#pragma unroll
    for (; stride > 0; stride /= 2)
        compare_apart(x, stride);
}

/* Sort a run of the list, or only do the last steps of its merge; elements beyond `count` count as the largest. */
template <bool merges> MNP_INLINE void sort_run(int *list, int run, int count)
{
    const int at = run + lane_of_team() * EACH;
    int x[EACH];
#pragma unroll
    for (int e = 0; e < EACH; e++)
        x[e] = at + e < count ? list[at + e] : 0x7fffffff;
#pragma unroll
    for (int size = 2; size <= RUN && !merges; size *= 2) {
        compare_mirrored(x, size);
        compare_down(x, size / 4);
    }
    if (merges)
        compare_down(x, RUN / 2);
#pragma unroll
    for (int e = 0; e < EACH; e += 4)
        *(int4 *)(list + at + e) = make_int4(x[e], x[e + 1], x[e + 2], x[e + 3]);
}

/* Merge sorted runs: steps across runs in shared memory, then those within a run in registers. */
MNP_INLINE void merge_runs(int *list, int padded)
{
    const int first = thread_of_team() / WIDTH * RUN;
    for (int size = 2 * RUN; size <= padded; size *= 2) {
        __syncthreads();
        for (int i = threadIdx.x; i < padded / 2; i += TEAM) {
            const int begin = i / (size / 2) * size, at = i % (size / 2);
            order_pair(list[begin + at], list[begin + size - 1 - at]);
        }
        for (int stride = size / 4; stride >= RUN; stride /= 2) {
            __syncthreads();
            for (int i = threadIdx.x; i < padded / 2; i += TEAM) {
                const int at = i / stride * 2 * stride + i % stride;
                order_pair(list[at], list[at + stride]);
            }
        }
        __syncthreads();
        for (int run = first; run < padded; run += WARPS * RUN)
            sort_run<true>(list, run, padded);
    }
}

MNP_INLINE void sort_list(int *list, int count)
{
    if (WARPS == 1) {
        sort_run<false>(list, 0, count);
    } else {
        int padded = RUN;
        while (padded < count)
            padded *= 2;
        for (int run = thread_of_team() / WIDTH * RUN; run < padded; run += WARPS * RUN)
            sort_run<false>(list, run, count);
        merge_runs(list, padded);
    }
    join_team();
}
