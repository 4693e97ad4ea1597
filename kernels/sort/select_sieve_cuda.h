/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A round of the sieve: lists the elements in the ranges that samples have given (select_sample_cuda.h), and counts
 * those before each and in each bin.  Warps read tiles, and gather what they list in shared memory before they add it
 * to a list.
 */
enum { MNP_SIEVE_WARPS = MNP_THREADS / 32, MNP_SIEVE_TILE = 32 * MNP_ITEMS /* elements of a warp */ };

/* ---- bounds ---- */

/* As what keys are compared: real floats as they are, which takes one instruction, others by their numbers. */
template <typename Key> struct mnp_sieve_value {
    typedef mnp_bits type;
    static MNP_INLINE type of(const Key &key)
    {
        return mnp_sort_key_number(key);
    }
};
template <typename Key, typename Float> struct mnp_sieve_float {
    typedef Float type;
    static MNP_INLINE type of(const Key &key)
    {
        return (Float)key;
    }
};
template <> struct mnp_sieve_value<float> : mnp_sieve_float<float, float> {
};
template <> struct mnp_sieve_value<double> : mnp_sieve_float<double, double> {
};
template <> struct mnp_sieve_value<mnp_float16> : mnp_sieve_float<mnp_float16, float> {
};
template <> struct mnp_sieve_value<mnp_bfloat16> : mnp_sieve_float<mnp_bfloat16, float> {
};

typedef mnp_sieve_value<MNP_KEY>::type mnp_sieve_type;

/* What is compared with values: elements are up to it whose value is not larger, or if `flip` is not 0 the others. */
template <typename Value> struct mnp_sieve_bound_of {
    Value value;
    uint32_t flip; /* all bits, or none */
};
typedef mnp_sieve_bound_of<mnp_sieve_type> mnp_sieve_bound;

template <typename T> MNP_INLINE bool mnp_sieve_is_upto(T value, T bound)
{
    return value <= bound; /* never if one is NaN */
}
MNP_INLINE bool mnp_sieve_is_upto(mnp_bits128 value, mnp_bits128 bound)
{
    return !mnp_is_before(bound, value);
}

/* The bound of all numbers up to this one.  Some numbers are no float's: below zero, and between infinity and NaN. */
template <typename Float, typename Bits> MNP_INLINE mnp_sieve_bound_of<Float> mnp_sieve_upto(Float, Bits number)
{
    const Float infinity = (Float)mnp_bits_as<float>(0x7f800000u), nan = infinity - infinity;
    const Bits zero = mnp_sort_key_number(mnp_to<MNP_KEY>::from((Float)0)), last = (Bits) ~(Bits)0;
    MNP_KEY key;
    if (number < mnp_sort_key_number(mnp_to<MNP_KEY>::from(-infinity)))
        return {nan, 0};
    if (number == last)
        return {nan, ~0u};
    mnp_select_key((Bits)(number - (number + 1 == zero)), key);
    const Float value = mnp_sieve_value<MNP_KEY>::of(key);
    if (value != value)
        return {infinity, 0};
    return {value, 0};
}
template <typename Bits> MNP_INLINE mnp_sieve_bound_of<Bits> mnp_sieve_upto(Bits, Bits number)
{
    return {number, 0};
}

/* The bound of all numbers before this one. */
MNP_INLINE mnp_sieve_bound mnp_sieve_before(const mnp_bits &number)
{
    mnp_sieve_bound bound = mnp_sieve_upto(mnp_sieve_type(), mnp_select_previous(number));
    bound.flip ^= mnp_is_before(mnp_bits{}, number) ? 0 : ~0u; /* before the first one there is none */
    return bound;
}

/* ---- a block's work ---- */

/* The groups for which a block reads, their ranges, and what its warps have counted and gathered. */
struct mnp_select_sieve {
    int groups;                                                  /* the first ones below are sought */
    int64_t first;                                               /* the number of the first group */
    unsigned long long size;                                     /* how many elements there are to read */
    int room;                                                    /* how many keys a warp gathers for each group */
    int of[MNP_SELECT_TARGETS];                                  /* which group it is, from the first on */
    bool lists[MNP_SELECT_TARGETS], is_open[MNP_SELECT_TARGETS]; /* is_open: all up to the last one are in the range */
    bool is_full[MNP_SELECT_TARGETS][MNP_SIEVE_WARPS]; /* a warp has found no room in the list: it is of no use */
    mnp_sieve_bound below[MNP_SELECT_TARGETS], upto[MNP_SELECT_TARGETS]; /* what is up to one and not to the other */
    uint32_t counts[MNP_NUMBERED ? 1 : MNP_SELECT_TARGETS][MNP_THREADS]; /* of elements before the range */
    unsigned long long same[MNP_SELECT_TARGETS][MNP_SIEVE_WARPS];        /* in a range of one number */
    int gathered[MNP_SELECT_TARGETS][MNP_SIEVE_WARPS];
    unsigned long long begins[MNP_SELECT_TARGETS]; /* in the list of what the block has gathered at the end */
#if !MNP_NUMBERED
    int bounds[MNP_SELECT_TARGETS]; /* how many numbers part the range into bins, 0: none */
    mnp_bits parts[MNP_SELECT_TARGETS][MNP_BINS];
    uint32_t tallies[MNP_SELECT_TARGETS][MNP_BINS];
#endif
};

/* Where indices matter, a range begins with the first of all, and its elements can be the last ones of the numbers. */
MNP_INLINE void mnp_select_set_bounds(const mnp_select_params &p, const mnp_select_range &range, mnp_sieve_bound *below,
                                      mnp_sieve_bound *upto)
{
    mnp_bits low, high;
    mnp_select_join(range.low, low);
    mnp_select_join(range.high, high);
    high = mnp_sort_key_turned(high, p.descending != 0);
    *below = mnp_sieve_before(low);
    *upto = p.descending ? mnp_sieve_before(high) : mnp_sieve_upto(mnp_sieve_type(), high);
    upto->flip ^= p.descending ? ~0u : 0;
}

/* By all threads: look up for whom the elements of a source are read, which is a line or after that a group's list. */
MNP_INLINE void mnp_select_open_sieve(const mnp_select_params &p, int64_t source, mnp_select_sieve &sieve)
{
    const int groups = p.round == 0 ? p.groups : 1;
    if (threadIdx.x == 0) {
        sieve.groups = 0;
        sieve.first = source * groups;
        sieve.size = 0;
        for (int g = 0; g < groups; g++) {
            const mnp_select_range range = p.ranges[sieve.first + g];
            if (range.state != MNP_SELECT_SOUGHT)
                continue;
            mnp_select_set_bounds(p, range, &sieve.below[sieve.groups], &sieve.upto[sieve.groups]);
            sieve.lists[sieve.groups] = !mnp_select_is_single(range);
            sieve.is_open[sieve.groups] = !MNP_NUMBERED && mnp_select_is_open(range);
#if !MNP_NUMBERED
            sieve.bounds[sieve.groups] = range.bounds;
#endif
            sieve.of[sieve.groups++] = g;
            sieve.size = range.size;
        }
        sieve.room = MNP_NUMBERED ? MNP_SELECT_STAGED
                                  : MNP_SELECT_STAGE / (int)sizeof(mnp_bits) / (sieve.groups > 0 ? sieve.groups : 1);
    }
    for (int i = threadIdx.x; i < MNP_SELECT_TARGETS * MNP_SIEVE_WARPS; i += MNP_THREADS) {
        (&sieve.same[0][0])[i] = 0;
        (&sieve.gathered[0][0])[i] = 0;
        (&sieve.is_full[0][0])[i] = false;
    }
    for (int group = 0; group < (MNP_NUMBERED ? 0 : groups); group++)
        sieve.counts[group][threadIdx.x] = 0;
    __syncthreads();
#if !MNP_NUMBERED
    for (int group = 0; group < sieve.groups; group++) {
        const int64_t first = (sieve.first + sieve.of[group]) * MNP_SELECT_BINS;
        for (int i = (int)threadIdx.x; i <= sieve.bounds[group]; i += MNP_THREADS) {
            sieve.tallies[group][i] = 0;
            if (i < sieve.bounds[group])
                sieve.parts[group][i] = ((const mnp_bits *)p.bounds)[first + i];
        }
    }
    __syncthreads();
#endif
}

/* Where the keys are that a warp has gathered for a group, or which elements of the source they are. */
MNP_INLINE int mnp_select_stage(const mnp_select_sieve &sieve, int group, int warp)
{
    return (warp * sieve.groups + group) * sieve.room;
}
MNP_INLINE mnp_bits *mnp_select_stage_keys()
{
    return (mnp_bits *)mnp_shared;
}
MNP_INLINE uint32_t *mnp_select_stage_places()
{
    return (uint32_t *)(mnp_select_stage_keys() + MNP_SIEVE_WARPS * MNP_SELECT_STAGED);
}

/* By one lane of a warp: take room for so many in a group's list. */
MNP_INLINE unsigned long long mnp_select_take_room(const mnp_select_params &p, const mnp_select_sieve &sieve, int group,
                                                   unsigned long long count)
{
    return atomicAdd(&p.ranges[sieve.first + sieve.of[group]].inside, count);
}

#if !MNP_NUMBERED
/* Count a listed key in its bin. */
MNP_INLINE void mnp_select_tally_key(const mnp_select_params &p, mnp_select_sieve &sieve, int group,
                                     const mnp_bits &key)
{
    const mnp_bits number = mnp_number(mnp_bits_as<MNP_KEY>(key), p.descending);
    int bin = 0;
    for (int step = MNP_BINS / 2; step > 0; step /= 2)
        if (bin + step <= sieve.bounds[group] && !mnp_is_before(number, sieve.parts[group][bin + step - 1]))
            bin += step;
    atomicAdd(&sieve.tallies[group][bin], 1u);
}
#endif

/*
 * By a warp: copy what it has gathered to a group's list, from place `at` on, as far as there is room; with the indices
 * in the line, where these matter.
 */
MNP_INLINE void mnp_select_empty(const mnp_select_params &p, mnp_select_sieve &sieve, int group, unsigned long long at)
{
    const mnp_select_list &list = p.sieved[p.round % 2], &source = p.sieved[(p.round + 1) % 2];
    const int warp = (int)threadIdx.x / 32, from = mnp_select_stage(sieve, group, warp);
    const int count = sieve.gathered[group][warp];
    const int64_t first = (sieve.first + sieve.of[group]) * list.room;
    for (int i = (int)threadIdx.x % 32; i < count && (int64_t)at + i < list.room; i += 32) {
        ((mnp_bits *)list.numbers)[first + (int64_t)at + i] = mnp_select_stage_keys()[from + i];
#if !MNP_NUMBERED
        if (sieve.bounds[group] > 0)
            mnp_select_tally_key(p, sieve, group, mnp_select_stage_keys()[from + i]);
#endif
        if (MNP_NUMBERED) {
            const int64_t place = mnp_select_stage_places()[from + i];
            list.places[first + (int64_t)at + i] =
                p.round > 0 ? source.places[sieve.first * source.room + place] : place;
        }
    }
}

/* What a block reads: a line, or the list of a group.  Tiles begin at multiples of 16 bytes. */
struct mnp_select_source {
    const mnp_bits *from;
    int64_t size;
    int skew; /* so many elements before the first one the first tile begins */
};

MNP_INLINE mnp_select_source mnp_select_source_of(const mnp_select_params &p, const mnp_select_sieve &sieve,
                                                  int64_t source)
{
    const mnp_select_list &list = p.sieved[(p.round + 1) % 2];
    const mnp_bits *from = p.round > 0 ? (const mnp_bits *)list.numbers + source * list.room
                                       : (const mnp_bits *)p.keys + source * p.length;
    return mnp_select_source{from, (int64_t)sieve.size, (int)((uint64_t)from % 16 / sizeof(mnp_bits))};
}

/* What a warp has read: the keys of this thread, and the set of them that are elements. */
struct mnp_select_sip {
    int64_t begin; /* the index of the warp's first element, which can be before the source's */
    mnp_bits keys[MNP_ITEMS];
    uint32_t all;
};

MNP_INLINE int mnp_select_sip_at(int item)
{
    return (item / MNP_VECTOR * 32 + (int)threadIdx.x % 32) * MNP_VECTOR + item % MNP_VECTOR;
}

/* Read tile number t of a source. */
MNP_INLINE void mnp_select_sip_read(const mnp_select_source &source, int64_t t, mnp_select_sip &sip)
{
    struct alignas(16) vector {
        mnp_bits at[MNP_VECTOR];
    };
    const mnp_bits *from = source.from + (t * MNP_SIEVE_TILE - source.skew);
    sip.begin = t * MNP_SIEVE_TILE - source.skew;
    sip.all = 0;
    if (sip.begin >= 0 && sip.begin + MNP_SIEVE_TILE <= source.size && (uint64_t)from % 16 == 0) {
#pragma unroll
        for (int i = 0; i < MNP_ITEMS / MNP_VECTOR; i++) {
            const vector some = ((const vector *)from)[i * 32 + (int)threadIdx.x % 32];
#pragma unroll
            for (int k = 0; k < MNP_VECTOR; k++)
                sip.keys[i * MNP_VECTOR + k] = some.at[k];
        }
        sip.all = (uint32_t)((1ull << MNP_ITEMS) - 1);
    } else {
#pragma unroll
        for (int item = 0; item < MNP_ITEMS; item++) {
            const int64_t at = sip.begin + mnp_select_sip_at(item);
            sip.keys[item] = mnp_bits{};
            if (at >= 0 && at < source.size) {
                sip.keys[item] = from[mnp_select_sip_at(item)];
                sip.all |= 1u << item;
            }
        }
    }
}

/* By a warp: gather those elements of a set for a group for which there is room at least once. */
MNP_INLINE void mnp_select_gather_some(const mnp_select_params &p, mnp_select_sieve &sieve, int group,
                                       const mnp_select_sip &sip, uint32_t wanted)
{
    const int warp = (int)threadIdx.x / 32, lane = (int)threadIdx.x % 32;
    int all, gathered = sieve.gathered[group][warp];
    const int before = mnp_prefix_warp((int)__popc(wanted), &all);
    if (gathered + all > sieve.room) {
        unsigned long long at = 0;
        if (lane == 0) {
            at = mnp_select_take_room(p, sieve, group, (unsigned long long)gathered);
            sieve.is_full[group][warp] = at >= (unsigned long long)p.sieved[p.round % 2].room;
        }
        mnp_select_empty(p, sieve, group, __shfl_sync(0xffffffffu, at, 0));
        gathered = 0;
        __syncwarp();
    }
    mnp_bits *to = mnp_select_stage_keys() + mnp_select_stage(sieve, group, warp) + gathered + before;
    uint32_t *place = mnp_select_stage_places() + mnp_select_stage(sieve, group, warp) + gathered + before;
#pragma unroll
    for (int item = 0; item < MNP_ITEMS; item++)
        if (wanted >> item & 1) {
            *to++ = sip.keys[item];
            if (MNP_NUMBERED)
                *place++ = (uint32_t)sip.begin + (uint32_t)mnp_select_sip_at(item);
        }
    __syncwarp();
    if (lane == 0)
        sieve.gathered[group][warp] = gathered + all;
    __syncwarp();
}

/* The same with all of a set, which are `count` elements of the warp. */
MNP_INLINE void mnp_select_gather_sip(const mnp_select_params &p, mnp_select_sieve &sieve, int group,
                                      const mnp_select_sip &sip, uint32_t wanted, int count)
{
    const int step = count <= sieve.room ? MNP_ITEMS : sieve.room / 32;
    for (int item = 0; item < MNP_ITEMS; item += step)
        mnp_select_gather_some(p, sieve, group, sip, wanted >> item << item & (uint32_t)((1ull << (item + step)) - 1));
}

/* The set of a thread's keys that are up to a bound, but for those that are no elements. */
MNP_INLINE uint32_t mnp_select_upto(const mnp_select_sip &sip, const mnp_sieve_bound &bound)
{
    uint32_t upto = 0;
#pragma unroll
    for (int item = 0; item < MNP_ITEMS; item++) {
        const mnp_sieve_type value = mnp_sieve_value<MNP_KEY>::of(mnp_bits_as<MNP_KEY>(sip.keys[item]));
        upto |= (mnp_sieve_is_upto(value, bound.value) ? 1u : 0u) << item;
    }
    return (upto ^ bound.flip) & sip.all;
}

/* Count and gather the elements of a tile for a group. */
MNP_INLINE void mnp_select_sift(const mnp_select_params &p, mnp_select_sieve &sieve, int group,
                                const mnp_select_sip &sip)
{
    uint32_t inside = sip.all;
    if (sieve.is_full[group][threadIdx.x / 32])
        return;
    if (!sieve.is_open[group])
        inside = mnp_select_upto(sip, sieve.upto[group]);
    if (!MNP_NUMBERED) {
        const uint32_t below = mnp_select_upto(sip, sieve.below[group]);
        sieve.counts[group][threadIdx.x] += __popc(below);
        inside &= ~below;
    }
    if (!__any_sync(0xffffffffu, inside != 0))
        return;
    const int count = (int)__reduce_add_sync(0xffffffffu, (unsigned)__popc(inside));
    if (sieve.lists[group])
        mnp_select_gather_sip(p, sieve, group, sip, inside, count);
    else if (threadIdx.x % 32 == 0)
        sieve.same[group][threadIdx.x / 32] += (unsigned long long)count;
}

/* By all threads: add what the warps have counted and gathered. */
MNP_INLINE void mnp_select_close_sieve(const mnp_select_params &p, mnp_select_sieve &sieve)
{
    const int warp = (int)threadIdx.x / 32;
    __syncthreads();
    for (int group = warp; group < sieve.groups; group += MNP_SIEVE_WARPS) { /* by a warp */
        unsigned below = 0;
        unsigned long long inside = 0;
        for (int i = (int)threadIdx.x % 32; i < (MNP_NUMBERED ? 0 : MNP_THREADS); i += 32)
            below += sieve.counts[group][i];
        below = __reduce_add_sync(0xffffffffu, below);
        for (int w = 0; w < MNP_SIEVE_WARPS; w++)
            inside += sieve.lists[group] ? (unsigned long long)sieve.gathered[group][w] : sieve.same[group][w];
        if (threadIdx.x % 32 > 0)
            continue;
        if (below)
            atomicAdd(&p.ranges[sieve.first + sieve.of[group]].below, (unsigned long long)below);
        if (inside)
            sieve.begins[group] = mnp_select_take_room(p, sieve, group, inside);
    }
    __syncthreads();
    for (int group = 0; group < sieve.groups; group++) {
        unsigned long long at = sieve.begins[group];
        for (int w = 0; w < warp; w++)
            at += (unsigned long long)sieve.gathered[group][w];
        mnp_select_empty(p, sieve, group, at);
    }
    __syncthreads();
#if !MNP_NUMBERED
    for (int group = 0; group < sieve.groups; group++)
        for (int i = (int)threadIdx.x; i <= sieve.bounds[group] && sieve.bounds[group] > 0; i += MNP_THREADS)
            if (sieve.tallies[group][i] > 0)
                atomicAdd(&p.tallies[(sieve.first + sieve.of[group]) * MNP_SELECT_BINS + i], sieve.tallies[group][i]);
    __syncthreads();
#endif
}

extern "C" __global__ void __launch_bounds__(MNP_THREADS, 2) select_sieve(const __grid_constant__ mnp_select_params p)
{
    __shared__ mnp_select_sieve sieve;
    const int64_t sources = p.round == 0 ? p.lines : p.lines * p.groups;
    for (int64_t b = blockIdx.x; b < sources * p.sievers; b += gridDim.x) {
        const int64_t source = b / p.sievers;
        mnp_select_open_sieve(p, source, sieve);
        if (sieve.groups > 0) {
            const mnp_select_source from = mnp_select_source_of(p, sieve, source);
            const int64_t tiles = (from.size + from.skew + MNP_SIEVE_TILE - 1) / MNP_SIEVE_TILE;
            for (int64_t t = (int64_t)(threadIdx.x / 32) * p.sievers + b % p.sievers; t < tiles;
                 t += (int64_t)MNP_SIEVE_WARPS * p.sievers) {
                mnp_select_sip sip;
                mnp_select_sip_read(from, t, sip);
                for (int group = 0; group < sieve.groups; group++)
                    mnp_select_sift(p, sieve, group, sip);
            }
            mnp_select_close_sieve(p, sieve);
        }
        __syncthreads();
    }
}
