/*
 * Lines of entries: offsets that say where each begins.  Entries are taken in parallel whatever the lengths of lines.
 */
/* The threads of a GPU, or a worker of the host and how many there are, do a share each. */
#if MNP_CUDA
struct crew {};
#define THE_CREW crew{}
#define OPEN_CREW(c)
#else
struct crew {
    int64_t worker, workers;
};
#define THE_CREW crew{worker, workers}
#define OPEN_CREW(c) const int64_t worker = (c).worker, workers = (c).workers
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

/*
 * Do it for every entry of the lines, whose offsets begin at 0: with what open() tells of the line, and the entry's
 * number.  On a GPU a thread takes an entry and looks up its line.
 */
template <typename Offsets, typename Open, typename Act>
MNP_INLINE void for_entries(crew c, const Offsets &offsets, int64_t lines, const Open &open, const Act &act)
{
    OPEN_CREW(c);
#if MNP_CUDA
    const int64_t count = offsets[lines];
    for MNP_RANGE (entry, count)
        act(open(lower_bound(offsets, 0, lines, entry + 1) - 1), entry);
#else
    for MNP_RANGE (line, lines) {
        const auto opened = open(line);
        for (int64_t entry = offsets[line]; entry < (int64_t)offsets[line + 1]; entry++)
            act(opened, entry);
    }
#endif
}
