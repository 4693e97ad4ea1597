/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reductions and broadcasts in one launch: every rank loads its share of the elements from all who have them, reduces
 * it in the order of the ranks, and stores the result in the memory of all who want it.  On GPUs alone.
 *
 * Ranks wait for each other as in p2p_cuda.h, each for all others of the group.  READY says here that a rank's elements
 * are there to be loaded, too; DONE, that it has loaded and stored all that it had to.  Nobody else loads or stores
 * where a rank has its share, so results may take the place of elements.
 *
 * An access over the links takes some 2 microseconds, so hundreds of kilobytes have to be under way: a thread asks all
 * sources for their elements before it uses any of them.
 *
 *   MNP_SOURCES   how many ranks have elements; 1 in a broadcast.  combine_values.h has the other definitions
 */
#include "kernels/prelude.h"
#include "kernels/comm/combine_values.h"
#include "kernels/comm/p2p_reduce_params.h"

#if MNP_CUDA
#include "kernels/comm/p2p_cuda.h"
#include "kernels/words_cuda.h"

typedef mnp_word<MNP_P2P_REDUCE_PACK>::type pack;

constexpr int pack_elements = (int)(sizeof(pack) / sizeof(MNP_MEMORY));

/* Past the first cache, which nobody asks for it again: 2 percent quicker over the links of an H200. */
MNP_INLINE pack load_pack(const MNP_MEMORY *from)
{
    pack loaded;
    asm volatile("ld.global.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(loaded.x), "=r"(loaded.y), "=r"(loaded.z), "=r"(loaded.w)
                 : "l"(from)
                 : "memory");
    return loaded;
}

MNP_INLINE pack reduce_pack(const pack (&packs)[MNP_SOURCES])
{
    MNP_MEMORY elements[MNP_SOURCES][pack_elements], reduced[pack_elements];
    pack result;
    memcpy(elements, packs, sizeof elements);
#pragma unroll
    for (int i = 0; i < pack_elements; i++)
        reduced[i] = mnp_combined(MNP_SOURCES, [&](int64_t r) { return &elements[r][i]; });
    memcpy(&result, reduced, sizeof result);
    return result;
}

/* The reduced elements first .. first + pack_elements - 1 go to all targets. */
MNP_INLINE void store_reduced(const mnp_p2p_reduce_params &p, int64_t first, const pack &result)
{
    MNP_MEMORY elements[pack_elements];
    const uint32_t words[] = {result.x, result.y, result.z, result.w};
    memcpy(elements, &result, sizeof elements);
    for (int t = 0; t < p.num_targets; t++) {
        MNP_MEMORY *to = (MNP_MEMORY *)p.targets[t] + first;
        if (p.in_packs) {
            mnp_store_words(to, words);
            continue;
        }
#pragma unroll
        for (int i = 0; i < pack_elements; i++)
            to[i] = elements[i];
    }
}

/* One pack of every source a thread and turn: more at once is no quicker, and of a broadcast slower. */
MNP_INLINE void reduce_packs(const mnp_p2p_reduce_params &p)
{
#pragma unroll 1
    for (int64_t number = (int64_t)blockIdx.x * MNP_P2P_REDUCE_THREADS + threadIdx.x; number < p.packs;
         number += (int64_t)gridDim.x * MNP_P2P_REDUCE_THREADS) {
        const int64_t first = p.head + number * pack_elements;
        pack packs[MNP_SOURCES];
#pragma unroll
        for (int r = 0; r < MNP_SOURCES; r++)
            packs[r] = load_pack((const MNP_MEMORY *)p.sources[r] + first);
        store_reduced(p, first, reduce_pack(packs));
    }
}

/* Elements begin .. end-1, one by one: where they do not fill a pack, or lie differently. */
MNP_INLINE void reduce_elements(const mnp_p2p_reduce_params &p, int64_t begin, int64_t end)
{
    for (int64_t i = begin + (int64_t)blockIdx.x * MNP_P2P_REDUCE_THREADS + threadIdx.x; i < end;
         i += (int64_t)gridDim.x * MNP_P2P_REDUCE_THREADS) {
        const MNP_MEMORY result =
            mnp_combined(MNP_SOURCES, [&](int64_t r) { return (const MNP_MEMORY *)p.sources[r] + i; });
        for (int t = 0; t < p.num_targets; t++)
            ((MNP_MEMORY *)p.targets[t])[i] = result;
    }
}

extern "C" __global__ void __launch_bounds__(MNP_P2P_REDUCE_THREADS, MNP_P2P_REDUCE_RESIDENT)
    p2p_reduce(const __grid_constant__ mnp_p2p_reduce_params p)
{
    mnp_p2p_all(p.p2p.peers, p.p2p, [&]() {
        reduce_elements(p, 0, p.head);
        reduce_packs(p);
        reduce_elements(p, p.head + p.packs * pack_elements, p.count);
    });
}

#endif
