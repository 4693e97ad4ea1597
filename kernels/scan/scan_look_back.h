/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How the tiles of a line, which blocks of a GPU scan at the same time, learn what is before them.
 *
 * Blocks take numbers from a counter, so that the tiles for which they wait have been started.  A block first publishes
 * the total of its tile; once it knows the total of all tiles before, it publishes the total up to its own end.  The
 * threads of a team look back at some tiles each, until they find one with the latter.
 *
 * `state` has 16 bytes with the counter, then a record for every word of a tile's published accumulator.  A record's
 * mark says which of the two totals the word is of, and of which run, since runs use the same memory one after the
 * other: it starts as zeros, and is not cleared between them, nor is the counter.
 */
#include "kernels/records_cuda.h"

constexpr int mnp_record_words = (sizeof(mnp_acc) + 7) / 8;

/* What a record is of; with four times the number of a run, its mark. */
enum : uint64_t { MNP_OF_TILE = 1, MNP_UP_TO_END }; /* 0: nothing is published yet */

/* The next number of a block. */
MNP_INLINE int64_t mnp_take_number(const mnp_scan_params &p)
{
    return (int64_t)atomicAdd((unsigned long long *)p.state, 1ull) - p.blocks_before;
}

MNP_INLINE void mnp_tell(const mnp_scan_params &p, mnp_record *records, const mnp_acc &acc, uint64_t what)
{
    uint64_t word[mnp_record_words] = {};
    memcpy(word, &acc, sizeof acc);
#pragma unroll
    for (int w = 0; w < mnp_record_words; w++)
        MNP_WRITE_RECORD(records + w, word[w], 4 * p.run_number + what);
}

/* Read a tile's published `acc` and return its kind: 0 if there is none yet, or it is being replaced. */
MNP_INLINE uint64_t mnp_hear(const mnp_scan_params &p, const mnp_record *records, mnp_acc &acc)
{
    uint64_t word[mnp_record_words], what[mnp_record_words];
#pragma unroll
    for (int w = 0; w < mnp_record_words; w++)
        MNP_READ_RECORD(records + w, word[w], what[w]);
#pragma unroll
    for (int w = 1; w < mnp_record_words; w++)
        what[0] = what[w] == what[0] ? what[0] : 0;
    if (what[0] / 4 != p.run_number)
        return 0;
    memcpy(&acc, word, sizeof acc);
    return what[0] % 4;
}

/*
 * The total before tile number `tile` > 0 of a line, whose first records are `tiles`, and those of the next tile `step`
 * records later.  All threads of a warp call it, in teams of `team` that look back along a line each; teams that have
 * no line are not `there`.  First each thread looks at one tile, and then at up to `most` adjacent ones at once: teams
 * of few threads would otherwise wait for memory many times.
 */
template <int most>
MNP_INLINE mnp_acc mnp_look_back(const mnp_scan_params &p, const mnp_record *tiles, int64_t step, int64_t tile,
                                 int team, bool there)
{
    const int lane = threadIdx.x & (team - 1);
    const unsigned mine = (0xffffffffu >> (32 - team)) << (threadIdx.x & 31 & ~(team - 1));
    mnp_acc known = mnp_empty<mnp_op>();
    int each = 1;
    for (int64_t next = tile - 1;; next -= team * each, each = most) {
        const int64_t nearest = next - lane * each;
        mnp_acc found[most];
        uint64_t what[most];
#pragma unroll
        for (int i = 0; i < most; i++) {
            found[i] = mnp_empty<mnp_op>();
            what[i] = there && i < each && nearest >= i ? 0 : MNP_OF_TILE; /* there is no such tile, or all is known */
        }
        bool heard;
        do {
            heard = true;
#pragma unroll
            for (int i = 0; i < most; i++) {
                if (what[i] == 0)
                    what[i] = mnp_hear(p, tiles + (nearest - i) * step, found[i]);
                heard = heard && what[i] != 0;
            }
        } while (!__all_sync(0xffffffffu, heard));
        mnp_acc acc = found[0];
        bool end = what[0] == MNP_UP_TO_END;
#pragma unroll
        for (int i = 1; i < most; i++) {
            if (!end) { /* no nearer tile says it all */
                mnp_op::join(found[i], acc);
                acc = found[i];
                end = what[i] == MNP_UP_TO_END;
            }
        }
        const unsigned ends = __ballot_sync(0xffffffffu, end) & mine;
        if (ends & (mine & ((1u << (threadIdx.x & 31)) - 1))) /* nearer tiles, of a thread before this one, do */
            acc = mnp_empty<mnp_op>();
        for (int by = 1; by < team; by *= 2) {
            mnp_acc other = mnp_shuffle_from(acc, (lane + by) & (team - 1), team); /* of tiles before */
            mnp_op::join(other, acc);
            acc = other;
        }
        acc = mnp_shuffle_from(acc, 0, team);
        mnp_op::join(acc, known);
        known = acc;
        there = there && !ends;
        if (!__any_sync(0xffffffffu, there))
            return known;
    }
}
