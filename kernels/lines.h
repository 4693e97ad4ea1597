/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loops over lines of entries, such as the rows of a sparse matrix, where offsets say at which entry each line begins.
 * On a GPU threads take single entries, so that lines of any lengths give all threads equal work; on the host workers
 * take whole lines.
 */
/* Who does a share of the work: a thread of a GPU, or a worker of the host. */
#if MNP_CUDA
struct worker_range {
};
#define ALL_WORKERS                                                                                                    \
    worker_range                                                                                                       \
    {                                                                                                                  \
    }
#define OPEN_WORKERS(c)
#else
struct worker_range {
    int64_t worker, workers;
};
#define ALL_WORKERS                                                                                                    \
    worker_range                                                                                                       \
    {                                                                                                                  \
        worker, workers                                                                                                \
    }
#define OPEN_WORKERS(c) const int64_t worker = (c).worker, workers = (c).workers
#endif

/* Offsets of 8 bytes or of 4 bytes. */
struct line_offsets {
    const void *at;
    bool wide;
    MNP_INLINE int64_t operator[](int64_t i) const
    {
        return wide ? ((const int64_t *)at)[i] : ((const int *)at)[i];
    }
};

MNP_INLINE void store_offset(void *offsets, bool wide, int64_t i, int64_t offset)
{
    if (wide)
        ((int64_t *)offsets)[i] = offset;
    else
        ((int *)offsets)[i] = (int)offset;
}

/* Binary search: find the first place from `begin` to `end` whose value is not below `value`; values ascend. */
template <typename Rising>
MNP_INLINE int64_t lower_bound(const Rising &rising, int64_t begin, int64_t end, int64_t value)
{
    while (begin < end) {
        const int64_t middle = begin + (end - begin) / 2;
        if (rising[middle] < value)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

#if MNP_CUDA

/* Find the line of an entry by a warp, which compares 32 offsets at a time.  All threads of the warp call it. */
template <typename Offsets> MNP_INLINE int64_t line_of(const Offsets &offsets, int64_t lines, int64_t entry)
{
    const int lane = threadIdx.x % 32;
    int64_t low = 0, high = lines; /* the first line that begins after the entry is in low .. high */
    while (low < high) {
        const int64_t step = (high - low + 32) / 33, at = low + lane * step;
        const bool behind = at >= high || offsets[at] > entry;
        const int before = __popc(__ballot_sync(0xffffffffu, !behind)); /* offsets that are not after the entry */
        high = before < 32 && low + before * step < high ? low + before * step : high;
        low = before > 0 ? low + (before - 1) * step + 1 : low;
    }
    return low - 1;
}

/* Count the lines after the current one that begin at or before the entry; `begins` is where the lane's line begins. */
MNP_INLINE int count_lines(int64_t begins, int64_t entry)
{
    int count = 0;
#pragma unroll
    for (int step = 16; step > 0; step /= 2)
        count += __shfl_sync(0xffffffffu, begins, count + step - 1) <= entry ? step : 0;
    return count + (__shfl_sync(0xffffffffu, begins, count) <= entry);
}

#endif

/*
 * Call act() for every entry of the lines, whose offsets begin at 0, with the result of open() for the entry's line and
 * with the entry's number.  On a GPU a thread takes an entry.  A warp takes many consecutive entries, so it searches
 * once for the line of the first and then only advances to the next lines.  On the host the entries of a line come one
 * after the other, and act() may store in the result of open() what it needs for the next entry.
 */
template <typename Offsets, typename Open, typename Act>
MNP_INLINE void for_entries(worker_range c, const Offsets &offsets, int64_t lines, const Open &open, const Act &act)
{
    OPEN_WORKERS(c);
#if MNP_CUDA
    const int64_t count = offsets[lines], warps = (int64_t)gridDim.x * blockDim.x / 32, many = 8 * 32;
    const int64_t warp = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    for (int64_t begin = warp * many; begin < count; begin += warps * many) {
        int64_t line = line_of(offsets, lines, begin);
        for (int64_t first = begin; first < begin + many && first < count; first += 32) {
            const int64_t entry = first + lane, next = line + 1 + lane;
            const int further = count_lines(next < lines ? (int64_t)offsets[next] : count, entry);
            const int64_t found = further < 32 ? line + further : lower_bound(offsets, line + 32, lines, entry + 1) - 1;
            if (entry < count) {
                auto opened = open(found);
                act(opened, entry);
            }
            line = __shfl_sync(0xffffffffu, found, 31);
        }
    }
#else
    MNP_FOR (line, lines) {
        auto opened = open(line);
        for (int64_t entry = offsets[line]; entry < (int64_t)offsets[line + 1]; entry++)
            act(opened, entry);
    }
#endif
}
