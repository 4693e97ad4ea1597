/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fills arrays with random numbers.  Elements are MNP_OUT, drawn by MNP_SAMPLER, a template of random_draws.h.
 *
 * One block of random words serves a group of neighbouring elements.  On a GPU a thread draws two groups at a time, and
 * stores each with one instruction where it is aligned.  On the host a batch of groups is computed in a plain loop,
 * which the compiler vectorises where the sampler has no loops of its own; elements that were rejected are drawn again
 * afterwards.
 */
#include "kernels/random/random_draws.h"
#if MNP_CUDA
#include "kernels/words_cuda.h"
#endif

typedef MNP_SAMPLER<MNP_OUT> mnp_sampler;

/* A row: its first element's offset in memory and flat index. */
struct mnp_random_row {
    MNP_OUT *out;
    int64_t flat;
};

MNP_INLINE mnp_random_row mnp_find_row(const mnp_random_params &p, int64_t number)
{
    mnp_random_row row = {(MNP_OUT *)p.out, p.first};
    for (int d = p.ndim - 2; d >= 0; d--) {
        const int64_t index = number % p.extent[d];
        number /= p.extent[d];
        row.out += index * p.stride[d];
        row.flat += index * p.step[d];
    }
    return row;
}

#if MNP_CUDA

/* Repeat the draw of an element whose first attempt was rejected until one is accepted. */
MNP_INLINE void mnp_draw_again(const mnp_random_params &p, int64_t group, int lane, MNP_OUT &value)
{
    for (uint32_t attempt = 1; !mnp_sampler::take(p, group, attempt, mnp_block_of(p, group, attempt), lane, value);)
        attempt++;
}

/* A group is stored in units of 8 or 16 bytes where it is aligned to that, otherwise element by element. */
enum {
    MNP_GROUP_BYTES = sizeof(MNP_OUT) * mnp_sampler::lanes,
    MNP_STORE_BYTES = MNP_GROUP_BYTES % 16 == 0 ? 16
                      : MNP_GROUP_BYTES == 8    ? 8
                                                : 0
};

MNP_INLINE bool mnp_is_aligned(const MNP_OUT *at)
{
    return MNP_STORE_BYTES > 0 && ((uint64_t)at & (MNP_STORE_BYTES - 1)) == 0;
}

MNP_INLINE void mnp_store_group(MNP_OUT *to, const MNP_OUT (&values)[mnp_sampler::lanes])
{
    uint32_t words[(MNP_GROUP_BYTES + 15) / 16 * 4];
    memcpy(words, values, sizeof values);
    if constexpr (MNP_STORE_BYTES == 8)
        mnp_store_words(to, (const uint32_t(&)[2])words);
    else
#pragma unroll
        for (int i = 0; i < MNP_GROUP_BYTES / 4; i += 4)
            mnp_store_words((uint32_t *)to + i, (const uint32_t(&)[4])words[i]);
}

MNP_INLINE void mnp_draw_group(const mnp_random_params &p, int64_t group, MNP_OUT (&values)[mnp_sampler::lanes])
{
    const mnp_block block = mnp_block_of(p, group, 0);
#pragma unroll
    for (int lane = 0; lane < mnp_sampler::lanes; lane++)
        if (!mnp_sampler::take(p, group, 0, block, lane, values[lane]))
            mnp_draw_again(p, group, lane, values[lane]);
}

/* Store those elements of a group that lie in the row, as one unit if all do and it is aligned. */
MNP_INLINE void mnp_keep_group(const MNP_OUT (&values)[mnp_sampler::lanes], MNP_OUT *out, int64_t begin, int64_t extent,
                               int64_t stride, bool at_once)
{
    constexpr int lanes = mnp_sampler::lanes;
    if (at_once && begin >= 0 && begin + lanes <= extent) {
        mnp_store_group(out + begin, values);
        return;
    }
#pragma unroll
    for (int lane = 0; lane < lanes; lane++)
        if (begin + lane >= 0 && begin + lane < extent)
            out[(begin + lane) * stride] = values[lane];
}

/* The groups of an array of one row: where it begins in them, and whether they are stored as units. */
struct mnp_row_groups {
    MNP_OUT *out;
    int64_t first, begin, extent, stride;
    bool at_once;
    /* Draw `count` groups, from number i on, so many apart: they share what is loaded for them. */
    template <int count> MNP_INLINE void fill(const mnp_random_params &p, int64_t i, int64_t apart) const
    {
        MNP_OUT values[count][mnp_sampler::lanes];
#pragma unroll
        for (int j = 0; j < count; j++)
            mnp_draw_group(p, first + i + j * apart, values[j]);
#pragma unroll
        for (int j = 0; j < count; j++)
            mnp_keep_group(values[j], out, begin + (i + j * apart) * mnp_sampler::lanes, extent, stride, at_once);
    }
};

/* Fill an array of one row, the usual one.  A thread draws two groups at a time while there are two for it. */
MNP_INLINE void mnp_fill_one_row(const mnp_random_params &p)
{
    constexpr int lanes = mnp_sampler::lanes, at_a_time = lanes > 1 ? 2 : 1;
    const int64_t extent = p.extent[0], stride = p.stride[0], group = p.first / lanes;
    const int64_t begin = group * lanes - p.first; /* 0, or negative: the first group begins before the row */
    /* no group behind the row is drawn: a permutation would look for its number for ever */
    const int64_t groups = (extent - begin + lanes - 1) / lanes;
    const int64_t threads = (int64_t)gridDim.x * blockDim.x;
    MNP_OUT *out = (MNP_OUT *)p.out;
    const mnp_row_groups row = {out, group, begin, extent, stride, stride == 1 && mnp_is_aligned(out + begin)};
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < groups; i += at_a_time * threads) {
        if (at_a_time == 2 && i + threads < groups)
            row.fill<at_a_time>(p, i, threads);
        else
            row.fill<1>(p, i, threads);
    }
}

MNP_KERNEL(fill_random, mnp_random_params)
{
    constexpr int lanes = mnp_sampler::lanes;
    if (p.ndim == 1) {
        mnp_fill_one_row(p);
        return;
    }
    const int64_t extent = p.extent[p.ndim - 1], stride = p.stride[p.ndim - 1];
    const int64_t groups = (extent + lanes - 1) / lanes + 1; /* at most so many groups overlap a row */
    MNP_FOR (i, p.rows * groups) {
        const int64_t number = i / groups;
        const mnp_random_row row = mnp_find_row(p, number);
        const int64_t group = row.flat / lanes + i - number * groups, begin = group * lanes - row.flat;
        MNP_OUT values[lanes];
        if (begin >= extent)
            continue;
        mnp_draw_group(p, group, values);
        mnp_keep_group(values, row.out, begin, extent, stride, stride == 1 && mnp_is_aligned(row.out + begin));
    }
}

#else

/*
 * Loops over a batch run on to a multiple of MNP_TURNS: a function's vector code and its scalar code may differ in the
 * last bit, and a float must not depend on whether it is among the last few of a batch.
 */
enum {
    MNP_BATCH = 512,
    MNP_TURNS = mnp_is_integer<MNP_OUT> ? 1 : 32
}; /* elements of a batch; iterations are a multiple */

MNP_INLINE int64_t mnp_whole_turns(int64_t count)
{
    return (count + MNP_TURNS - 1) / MNP_TURNS * MNP_TURNS;
}

/* Draw again those of `count` elements whose first attempt was rejected. */
static __attribute__((noinline)) void mnp_draw_again(const mnp_random_params &p, int64_t group, int64_t count,
                                                     MNP_OUT *values, uint32_t *missed)
{
    constexpr int lanes = mnp_sampler::lanes;
    int32_t places[MNP_BATCH] = {};
    MNP_OUT again[MNP_BATCH] = {};
    int64_t left = 0;
    for (int64_t i = 0; i < count; i++)
        if (missed[i])
            places[left++] = (int32_t)i;
    for (uint32_t attempt = 1; left > 0; attempt++) {
        const int64_t turns = mnp_whole_turns(left);
        for (int64_t i = 0; i < left; i++)
            again[i] = values[places[i]];
#pragma GCC ivdep
        for (int64_t i = 0; i < turns; i++) {
            const int64_t number = group + places[i] / lanes;
            const mnp_block block = mnp_block_of(p, number, attempt);
            MNP_OUT value = again[i];
            missed[i] = !mnp_sampler::take(p, number, attempt, block, places[i] % lanes, value);
            again[i] = value;
        }
        int64_t still = 0;
        for (int64_t i = 0; i < left; i++) {
            values[places[i]] = again[i];
            places[still] = places[i];
            still += missed[i];
        }
        left = still;
    }
}

/* Draw the elements of `count` groups from `group` on, at most MNP_BATCH elements. */
static __attribute__((noinline)) void mnp_batch(const mnp_random_params &p, int64_t group, int64_t count,
                                                MNP_OUT *values)
{
    constexpr int lanes = mnp_sampler::lanes;
    uint32_t missed[MNP_BATCH]; /* as wide as the words: narrower flags would need vectors of more groups */
    uint32_t any = 0;
    const int64_t turns = mnp_whole_turns(count);
#pragma GCC ivdep
    for (int64_t g = 0; g < turns; g++) {
        const mnp_block block = mnp_block_of(p, group + g, 0);
#pragma GCC unroll 16
        for (int lane = 0; lane < lanes; lane++) {
            MNP_OUT value = {};
            const uint32_t miss = !mnp_sampler::take(p, group + g, 0, block, lane, value);
            values[g * lanes + lane] = value;
            missed[g * lanes + lane] = miss;
            any |= miss;
        }
    }
    if (any)
        mnp_draw_again(p, group, count * lanes, values, missed);
}

/* Fill elements begin .. end-1 of a row. */
static void mnp_fill_row(const mnp_random_params &p, const mnp_random_row &row, int64_t begin, int64_t end)
{
    constexpr int64_t lanes = mnp_sampler::lanes;
    const int64_t stride = p.stride[p.ndim - 1];
    alignas(64) MNP_OUT values[MNP_BATCH];
    while (begin < end) {
        const int64_t group = (row.flat + begin) / lanes, skip = row.flat + begin - group * lanes;
        const int64_t count = end - begin < MNP_BATCH - skip ? end - begin : MNP_BATCH - skip;
        MNP_OUT *out = row.out + begin * stride;
        mnp_batch(p, group, (skip + count + lanes - 1) / lanes, values);
        if (stride == 1)
            memcpy(out, values + skip, count * sizeof *out);
        else
            for (int64_t j = 0; j < count; j++)
                out[j * stride] = values[skip + j];
        begin += count;
    }
}

MNP_KERNEL(fill_random, mnp_random_params)
{
    const int64_t extent = p.extent[p.ndim - 1], total = p.rows * extent;
    const int64_t end = mnp_share_begin(total, worker + 1, workers);
    for (int64_t i = mnp_share_begin(total, worker, workers); i < end;) {
        const int64_t begin = i % extent, count = extent - begin < end - i ? extent - begin : end - i;
        mnp_fill_row(p, mnp_find_row(p, i / extent), begin, begin + count);
        i += count;
    }
}

#endif
