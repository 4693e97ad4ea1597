/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exclusive prefix sums: every number becomes the sum of the numbers before it.
 *
 * They tell many writers where to begin once all know how much they write: a thread in shared memory, a tile in its
 * output, a row in a list of entries.  Two functions take one number of each thread, of a warp or of a block; two work
 * on numbers in memory and exist for the host too, where one worker calls them.  A long array takes three launches:
 * each tile is summed by mnp_prefix_range() or counted, mnp_prefix_array() turns the tiles' sums into prefix sums, and
 * mnp_prefix_range() computes each tile from its prefix sum.
 *
 * A warp takes 5 shuffles; a block also takes 2 barriers, and one number in shared memory for each of its warps.
 */
#if MNP_CUDA

/* The sum of `value` over this lane and those before it, in groups of `width` adjacent lanes; `lanes` is the mask. */
template <int width, typename T> MNP_INLINE T mnp_inclusive_warp(T value, unsigned lanes)
{
    T sum = value;
#pragma unroll
    for (int distance = 1; distance < width; distance *= 2) {
        const T other = __shfl_up_sync(lanes, sum, distance, width);
        sum += (int)threadIdx.x % width >= distance ? other : 0;
    }
    return sum;
}

/* The sum of `value` over the lanes before this one, in such a group; *all_p is the sum over all of its lanes. */
template <int width = 32, typename T> MNP_INLINE T mnp_prefix_warp(T value, T *all_p, unsigned lanes = 0xffffffffu)
{
    const T sum = mnp_inclusive_warp<width>(value, lanes);
    *all_p = __shfl_sync(lanes, sum, width - 1, width);
    return sum - value;
}

/*
 * The sum of `value` over the threads of the block before this one; *all_p is the sum over all.  Threads after the
 * first `warps` warps call it too, but do not count.
 */
template <int warps, typename T> MNP_INLINE T mnp_prefix_block(T value, T *all_p)
{
    __shared__ T sums[warps];
    const int warp = threadIdx.x / 32;
    const T sum = mnp_inclusive_warp<32>(value, 0xffffffffu);
    if (threadIdx.x % 32 == 31 && warp < warps)
        sums[warp] = sum;
    __syncthreads();
    T before = 0, all = 0;
#pragma unroll
    for (int w = 0; w < warps; w++) {
        before += w < warp ? sums[w] : 0;
        all += sums[w];
    }
    __syncthreads(); /* all have read the sums, so the next call may write them */
    *all_p = all;
    return before + sum - value;
}

/*
 * By one warp: the sum of values[begin .. end-1] and `so_far`.  If it stores, each of those values becomes the sum of
 * `so_far` and the values before it.
 */
template <bool stores>
MNP_INLINE int64_t mnp_prefix_range(long long *values, int64_t begin, int64_t end, int64_t so_far)
{
    for (int64_t first = begin; first < end; first += 32) {
        const int64_t i = first + threadIdx.x % 32;
        long long all;
        const long long before = mnp_prefix_warp(i < end ? values[i] : 0ll, &all);
        if (stores && i < end)
            values[i] = so_far + before;
        so_far += all;
    }
    return so_far;
}

/* By one block of that many warps: each of `count` values becomes the sum of those before it, values[count] of all. */
template <int warps> MNP_INLINE void mnp_prefix_array(long long *values, int64_t count)
{
    constexpr int each = 8; /* values of a thread, whose loads overlap */
    long long so_far = 0;
    for (int64_t begin = 0; begin < count; begin += 32 * warps * each) {
        const int64_t own = begin + threadIdx.x * each;
        long long value[each], sum = 0, all;
#pragma unroll
        for (int j = 0; j < each; j++) {
            value[j] = own + j < count ? values[own + j] : 0;
            sum += value[j];
        }
        long long before = so_far + mnp_prefix_block<warps>(sum, &all);
#pragma unroll
        for (int j = 0; j < each; j++) {
            if (own + j < count)
                values[own + j] = before;
            before += value[j];
        }
        so_far += all;
    }
    if (threadIdx.x == 0)
        values[count] = so_far;
}

#else

/* The same two functions, called by one worker. */
template <bool stores> static int64_t mnp_prefix_range(long long *values, int64_t begin, int64_t end, int64_t so_far)
{
    for (int64_t i = begin; i < end; i++) {
        const int64_t value = values[i];
        if (stores)
            values[i] = so_far;
        so_far += value;
    }
    return so_far;
}

template <int warps = 1> static void mnp_prefix_array(long long *values, int64_t count)
{
    values[count] = mnp_prefix_range<true>(values, 0, count, 0);
}

#endif
