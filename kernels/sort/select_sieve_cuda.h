/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sieve: a sorted sample of a line tells in which ranges of numbers the sought elements are likely to be (R. W.
 * Floyd and R. L. Rivest, Expected time bounds for selection, 1975).  A pass lists the elements in these ranges, and
 * counts those before each and in it, which tells whether the sample has misled.
 */
/* ---- sorting a few numbers ---- */

/*
 * Sort `size` numbers in shared memory, a power of two, by all threads (K. E. Batcher's bitonic sort, 1968); equal ones
 * by their indices, where these matter.
 */
MNP_INLINE void mnp_select_sort(mnp_bits *numbers, int64_t *indices, int size)
{
    for (int run = 2; run <= size; run *= 2)
        for (int distance = run / 2; distance > 0; distance /= 2) {
            __syncthreads();
            for (int i = threadIdx.x; i < size / 2; i += MNP_THREADS) {
                const int a = 2 * i - (i & (distance - 1)), b = a + distance;
                const mnp_bits x = numbers[a], y = numbers[b];
                bool swaps = mnp_is_before(y, x);
                if (MNP_NUMBERED && indices && !swaps && !mnp_is_before(x, y))
                    swaps = indices[b] < indices[a];
                else if (!swaps && !mnp_is_before(x, y))
                    continue;
                if (swaps != ((a & run) == 0))
                    continue;
                numbers[a] = y;
                numbers[b] = x;
                if (MNP_NUMBERED && indices) {
                    const int64_t index = indices[a];
                    indices[a] = indices[b];
                    indices[b] = index;
                }
            }
        }
    __syncthreads();
}

#if MNP_TASK == MNP_SELECT_SAMPLE

/*
 * Where in a sorted sample a sought element is, with four standard deviations of what samples vary by: the numbers
 * there, or the first or last one of all.
 */
MNP_INLINE void mnp_select_guess(const mnp_select_params &p, const mnp_bits *drawn, long long rank, mnp_bits &low,
                                 mnp_bits &high)
{
    const float at = (float)((double)rank * MNP_SELECT_DRAWN / (double)p.length);
    const float about = 4 * sqrtf(at * (1 - at / MNP_SELECT_DRAWN)) + 3;
    const int first = MNP_NUMBERED ? -1 : (int)floorf(at - about), last = (int)ceilf(at + about);
    low = mnp_bits{};
    mnp_select_most(high);
    if (first >= 0)
        low = drawn[first];
    if (last < MNP_SELECT_DRAWN)
        high = drawn[last];
}

/* The ranges of a line, by one thread: those that overlap become one. */
MNP_INLINE void mnp_select_set_ranges(const mnp_select_params &p, const mnp_bits *drawn, mnp_select_range *ranges)
{
    mnp_bits low, high, end = {};
    int count = 0;
    for (int t = 0; t < p.targets; t++) {
        mnp_select_guess(p, drawn, p.ranks[t], low, high);
        if (count == 0 || mnp_is_before(end, low)) {
            ranges[count++] = mnp_select_range{};
            for (int w = 0; w < MNP_NUMBER_WORDS; w++)
                ranges[count - 1].low[w] = mnp_select_word_of(low, w);
            end = high;
        }
        end = mnp_is_before(end, high) ? high : end;
        ranges[count - 1].targets++;
        for (int w = 0; w < MNP_NUMBER_WORDS; w++)
            ranges[count - 1].high[w] = mnp_select_word_of(end, w);
    }
    for (; count < p.targets; count++)
        ranges[count] = mnp_select_range{};
}

/* Sort a sample of each line, which is drawn by a hash from its parts of the same length, and read ranges from it. */
MNP_KERNEL(select_sample, mnp_select_params)
{
    mnp_bits *drawn = (mnp_bits *)mnp_shared;
    const int64_t part = p.length / MNP_SELECT_DRAWN;
    for (int64_t line = blockIdx.x; line < p.lines; line += gridDim.x) {
        for (int i = threadIdx.x; i < MNP_SELECT_DRAWN; i += MNP_THREADS) {
            const uint64_t hash = (uint64_t)(i + 1) * 0x9e3779b97f4a7c15ull, mixed = (hash ^ hash >> 29) * hash;
            const int64_t at = line * p.length + i * part + (int64_t)((mixed >> 32) * (uint64_t)part >> 32);
            drawn[i] = mnp_number(((const MNP_KEY *)p.keys)[at], p.descending);
        }
        mnp_select_sort(drawn, nullptr, MNP_SELECT_DRAWN);
        if (threadIdx.x == 0)
            mnp_select_set_ranges(p, drawn, p.ranges + line * p.targets);
        __syncthreads();
    }
}

#endif

/* Whether a range has one number alone, so that its elements need not be listed. */
MNP_INLINE bool mnp_select_is_single(const mnp_select_range &range)
{
    bool same = !MNP_NUMBERED;
#pragma unroll
    for (int w = 0; w < MNP_NUMBER_WORDS; w++)
        same = same && range.low[w] == range.high[w];
    return same;
}

#if MNP_TASK == MNP_SELECT_SIEVE

/* The ranges as a block reads them, and its counts. */
struct mnp_select_sieve {
    mnp_bits low[MNP_SELECT_TARGETS], high[MNP_SELECT_TARGETS];
    bool lists[MNP_SELECT_TARGETS];
    uint32_t below[MNP_SELECT_TARGETS], inside[MNP_SELECT_TARGETS];
    int count;
};

MNP_INLINE void mnp_select_open_sieve(const mnp_select_params &p, const mnp_select_range *ranges,
                                      mnp_select_sieve &sieve)
{
    if ((int)threadIdx.x < p.targets) {
        const mnp_select_range range = ranges[threadIdx.x];
        mnp_select_join(range.low, sieve.low[threadIdx.x]);
        mnp_select_join(range.high, sieve.high[threadIdx.x]);
        sieve.lists[threadIdx.x] = !mnp_select_is_single(range);
        sieve.below[threadIdx.x] = sieve.inside[threadIdx.x] = 0;
    }
    if (threadIdx.x == 0) {
        sieve.count = 0;
        while (sieve.count < p.targets && ranges[sieve.count].targets > 0)
            sieve.count++;
    }
    __syncthreads();
}

/* Count a tile's elements before and in a range; returns the bit set of those in it. */
MNP_INLINE uint32_t mnp_select_sift(const mnp_bits (&numbers)[MNP_ITEMS], int size, int range, mnp_select_sieve &sieve)
{
    const mnp_bits low = sieve.low[range], high = sieve.high[range];
    uint32_t below = 0, beyond = 0, all = 0;
#pragma unroll
    for (int item = 0; item < MNP_ITEMS; item++) {
        below |= (mnp_is_before(numbers[item], low) ? 1u : 0u) << item;
        beyond |= (mnp_is_before(high, numbers[item]) ? 1u : 0u) << item;
        all |= (mnp_select_at(item) < size ? 1u : 0u) << item;
    }
    const uint32_t inside = all & ~(below | beyond);
    below &= all;
    const uint32_t both = __popc(below) | __popc(inside) << 16; /* of a warp, both are below 65536 */
    const uint32_t sum = __reduce_add_sync(0xffffffffu, both);
    if (threadIdx.x % 32 == 0) {
        atomicAdd(&sieve.below[range], sum & 0xffff);
        atomicAdd(&sieve.inside[range], sum >> 16);
    }
    return inside;
}

extern "C" __global__ void __launch_bounds__(MNP_THREADS, 3) select_sieve(const __grid_constant__ mnp_select_params p)
{
    __shared__ mnp_select_sieve sieve;
    const int64_t chunks = (p.length + p.chunk - 1) / p.chunk;
    for (int64_t c = blockIdx.x; c < p.lines * chunks; c += gridDim.x) {
        const int64_t line = c / chunks, begin = (c - line * chunks) * p.chunk, end = begin + p.chunk;
        const mnp_select_span span = {line, begin, end < p.length ? end : p.length, 0, true, nullptr};
        mnp_select_range *ranges = p.ranges + line * p.targets;
        mnp_select_open_sieve(p, ranges, sieve);
        for (int64_t tile = span.begin; tile < span.end; tile += MNP_TILE) {
            mnp_bits numbers[MNP_ITEMS];
            uint32_t wanted = 0;
            const int size = mnp_select_read(p, span, tile, numbers);
            for (int range = 0; range < sieve.count; range++) {
                const uint32_t inside = mnp_select_sift(numbers, size, range, sieve);
                wanted |= sieve.lists[range] ? inside : 0;
            }
            if (__syncthreads_or(wanted != 0))
                mnp_select_keep(p, span, tile, numbers, wanted, p.sieved,
                                mnp_select_take(p, p.sieved, line, __popc(wanted), 0).kept);
        }
        __syncthreads();
        if ((int)threadIdx.x < sieve.count) {
            atomicAdd(&ranges[threadIdx.x].below, (unsigned long long)sieve.below[threadIdx.x]);
            atomicAdd(&ranges[threadIdx.x].inside, (unsigned long long)sieve.inside[threadIdx.x]);
        }
        __syncthreads();
    }
}

#endif
