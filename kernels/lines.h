/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lines of entries: offsets that say where each begins.  On a GPU entries are taken in parallel, for lines of any
 * lengths; the host's workers take lines.
 */
/* The threads of a GPU, or a worker of the host and how many there are, do a share each. */
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

/* Offsets of 8 bytes, or of 4. */
struct line_offsets {
    const void *at;
    bool wide;
    MNP_INLINE int64_t operator[](int64_t i) const
    {
        return wide ? ((const int64_t *)at)[i] : ((const int *)at)[i];
    }
};

/* The first place from `begin` to `end` that is not below a value, where all of it rises. */
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

/* The line of an entry, by a warp that looks at 32 places at once; all its threads call. */
template <typename Offsets> MNP_INLINE int64_t line_of(const Offsets &offsets, int64_t lines, int64_t entry)
{
    const int lane = threadIdx.x % 32;
    int64_t low = 0, high = lines; /* the first line that begins behind the entry is from low to high */
    while (low < high) {
        const int64_t step = (high - low + 32) / 33, at = low + lane * step;
        const bool behind = at >= high || offsets[at] > entry;
        const int before = __popc(__ballot_sync(0xffffffffu, !behind)); /* places that are not behind it */
        high = before < 32 && low + before * step < high ? low + before * step : high;
        low = before > 0 ? low + (before - 1) * step + 1 : low;
    }
    return low - 1;
}

/* The number of lines that begin behind `line`, and not behind the entry, where 32 threads know where 32 of them do. */
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
 * Do it for every entry of the lines, whose offsets begin at 0: with what open() tells of the line, and the entry's
 * number.  On a GPU a thread takes an entry.  A warp has many that follow each other, so that it searches once for the
 * line of the first, and then looks at the next lines.  On the host a line's entries come one after the other, and
 * act() may leave with the line what it knows for the next.
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
    for
        MNP_RANGE(line, lines)
        {
            auto opened = open(line);
            for (int64_t entry = offsets[line]; entry < (int64_t)offsets[line + 1]; entry++)
                act(opened, entry);
        }
#endif
}
