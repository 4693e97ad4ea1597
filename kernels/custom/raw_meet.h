/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The functions by which the threads of a block meet, on the host: barriers, votes, and exchanges within warps.
 *
 * All threads of a block run on one worker, and one goes on where the other waits (lib/device/host/fibers.h).  So what
 * is the worker's has to be put back after waiting: that is threadIdx alone.
 */

/* The block that the worker runs. */
static __thread mnp_raw_block *mnp_block;

static inline void mnp_meet(unsigned lanes)
{
    const uint3 mine = threadIdx;
    mnp_block->meet(mnp_block, lanes);
    threadIdx = mine;
}

/* ---- the block ---- */

static inline void __syncthreads()
{
    mnp_meet(0);
}
static inline int __syncthreads_count(int predicate)
{
    mnp_block->arriving += predicate != 0;
    mnp_meet(0);
    return mnp_block->arrived;
}
static inline int __syncthreads_or(int predicate)
{
    return __syncthreads_count(predicate) != 0;
}
static inline int __syncthreads_and(int predicate)
{
    return __syncthreads_count(!predicate) == 0;
}

/* ---- the warp: `mask` has the threads that take part ---- */

static inline void __syncwarp(unsigned mask = 0xffffffff)
{
    mnp_meet(mask ? mask : 1u << mnp_block->thread % MNP_RAW_LANES);
}

/* Give a value, and wait; what the others have given can then be read until this thread meets others again. */
template <typename T> static inline void mnp_give(unsigned mask, T value)
{
    static_assert(sizeof(T) <= 8 && std::is_trivially_copyable<T>::value, "threads exchange values of up to 8 bytes");
    unsigned long long bits = 0;
    __builtin_memcpy(&bits, &value, sizeof value);
    mnp_block->given[mnp_block->thread % MNP_RAW_LANES] = bits;
    __syncwarp(mask);
}
template <typename T> static inline T mnp_seen(int lane)
{
    T value;
    __builtin_memcpy(&value, &mnp_block->seen[lane], sizeof value);
    return value;
}

/*
 * Take the value of another thread.  `part` is a power of two of threads that exchange values among each other; where
 * `from` is not for a thread, it keeps its own.
 */
#define MNP_SHUFFLE(name, type, argument, from, is_there)                                                              \
    template <typename T> static inline T name(unsigned mask, T value, type argument, int part = MNP_RAW_LANES)        \
    {                                                                                                                  \
        const int lane = (int)(mnp_block->thread % MNP_RAW_LANES), first = lane & -part, source = from;                \
        mnp_give(mask, value);                                                                                         \
        return is_there ? mnp_seen<T>(source) : value;                                                                 \
    }
MNP_SHUFFLE(__shfl_sync, int, other, first + (other & (part - 1)), true)
MNP_SHUFFLE(__shfl_up_sync, unsigned, distance, lane - (int)distance, source >= first)
MNP_SHUFFLE(__shfl_down_sync, unsigned, distance, lane + (int)distance, source < first + part)
MNP_SHUFFLE(__shfl_xor_sync, int, bits, lane ^ (bits & (MNP_RAW_LANES - 1)), source < first + part)
#undef MNP_SHUFFLE

/* The threads of the mask for which a condition on what they have given holds. */
template <typename T, typename F> static inline unsigned mnp_select(unsigned mask, T value, F condition)
{
    unsigned selected = 0;
    mnp_give(mask, value);
    for (int lane = 0; lane < MNP_RAW_LANES; lane++)
        selected |= (unsigned)(mask >> lane & 1 && condition(mnp_seen<T>(lane))) << lane;
    return selected;
}
static inline unsigned __ballot_sync(unsigned mask, int predicate)
{
    return mnp_select(mask, predicate, [](int other) { return other != 0; });
}
static inline int __any_sync(unsigned mask, int predicate)
{
    return __ballot_sync(mask, predicate) != 0;
}
static inline int __all_sync(unsigned mask, int predicate)
{
    return __ballot_sync(mask, !predicate) == 0;
}
template <typename T> static inline unsigned __match_any_sync(unsigned mask, T value)
{
    return mnp_select(mask, value, [value](T other) { return other == value; });
}
template <typename T> static inline unsigned __match_all_sync(unsigned mask, T value, int *are_equal)
{
    const unsigned same = __match_any_sync(mask, value);
    *are_equal = same == mask;
    return same == mask ? mask : 0;
}

#define MNP_REDUCE(name, T, joined)                                                                                    \
    static inline T name(unsigned mask, T value)                                                                       \
    {                                                                                                                  \
        mnp_give(mask, value);                                                                                         \
        for (int lane = 0; lane < MNP_RAW_LANES; lane++) {                                                             \
            const T other = mnp_seen<T>(lane);                                                                         \
            if (mask >> lane & 1 && lane != (int)(mnp_block->thread % MNP_RAW_LANES))                                  \
                value = joined;                                                                                        \
        }                                                                                                              \
        return value;                                                                                                  \
    }
MNP_REDUCE(__reduce_add_sync, unsigned, value + other)
MNP_REDUCE(__reduce_add_sync, int, (int)((unsigned)value + (unsigned)other))
MNP_REDUCE(__reduce_min_sync, unsigned, other < value ? other : value)
MNP_REDUCE(__reduce_min_sync, int, other < value ? other : value)
MNP_REDUCE(__reduce_max_sync, unsigned, value < other ? other : value)
MNP_REDUCE(__reduce_max_sync, int, value < other ? other : value)
MNP_REDUCE(__reduce_and_sync, unsigned, value &other)
MNP_REDUCE(__reduce_or_sync, unsigned, value | other)
MNP_REDUCE(__reduce_xor_sync, unsigned, value ^ other)
#undef MNP_REDUCE
