/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Point to point: ranks write straight into each other's memory, in one launch on each, by one of two protocols.
 *
 * Stores, then a word (mnp_p2p_all): for data of any size.  A rank whose stream has come to the launch raises READY for
 * everyone who writes to it: its memory may be overwritten.  Every block of the grid waits until all that this rank
 * stores to are ready, and stores its share.  The last block raises DONE for them, and waits until everyone who writes
 * here has done so; where the kernel has ended, all data has come and gone.
 *
 * Nobody stores before all are ready, not even to those that are: what tells a third rank would wait behind such
 * stores, and came up to 30 us late on four GPUs.  And every block stores something for everyone, so that all targets
 * have all at the same time: where blocks served one target each, an all to all of 64 MiB took 160 us there, not 152.
 *
 * No block waits for another of its own grid, so a grid may be larger than what the GPU has room for.  But blocks that
 * wait take their room from other kernels, which a peer may be waiting for: a grid must leave at least half of a GPU.
 *
 * Runs are numbered pair by pair.  The number is in memory, so a launch that is recorded in a CUDA graph can be
 * repeated.  A rank whose wait exceeds the deadline (waiting_params.h) spoils the count of its blocks for good.  Then
 * nobody is the last any more: DONE is never raised for data that is not there.  And nobody stores any more: numbers do
 * not go up, so what a peer raised READY for then would pass for a later run.
 *
 * Words with their data (mnp_send_line, mnp_load_line): for small messages, in half the time but with twice the bytes.
 * A message goes in words of 8 bytes.  Each half of a word travels with the number of the exchange beside it, in one
 * store of 16 bytes: a receiver that sees the number has the data, and needs no fence (the protocol that NCCL calls
 * LL). Two ranks that meet both send, if only an empty word, and number their exchanges alike.  Messages lie in two
 * halves of a buffer by turns: a rank writes into a half again when it has received what the peer sent after reading
 * it.  Numbers have 32 bits: a word could be taken for a new one that has lain there for 2^32 exchanges.
 */
#include "kernels/comm/p2p_params.h"
#include "kernels/comm/waiting_cuda.h"
#include "kernels/early_launch.h"

/* ---- stores, then a word ---- */

/* What this thread has seen and done comes before what it stores from now on, for all threads of all GPUs. */
MNP_INLINE void mnp_fence()
{
    asm volatile("fence.acq_rel.sys;" ::: "memory");
}

/* One thread: raise a word in a peer's memory, after a fence. */
MNP_INLINE void mnp_tell(unsigned long long *word, unsigned long long value)
{
    asm volatile("st.relaxed.sys.global.u64 [%0], %1;" ::"l"(word), "l"(value) : "memory");
}

MNP_INLINE const mnp_p2p_peer *mnp_p2p_peers(const mnp_p2p &p2p)
{
    return p2p.more ? p2p.more : p2p.peers;
}

/* The number of the present run with a peer.  The last block of the grid writes it back, when all have read it. */
MNP_INLINE unsigned long long mnp_p2p_number(const mnp_p2p_peer &peer)
{
    return *(volatile unsigned long long *)&peer.state->runs + 1;
}

/* One thread, for its block: from now on no block is the last one of the count, */
MNP_INLINE void mnp_p2p_spoil(unsigned *arrived)
{
    atomicOr(arrived, 0x80000000u);
}

/* which later runs find. */
MNP_INLINE bool mnp_p2p_is_spoilt(const unsigned *arrived)
{
    return *(const volatile unsigned *)arrived >= 0x80000000u;
}

/* One thread: whether it is the last of so many; then the count is 0 again.  It orders nothing. */
MNP_INLINE bool mnp_p2p_is_last(unsigned *arrived, int count)
{
    if (count == 1)
        return true;
    const bool last = atomicAdd(arrived, 1) == (unsigned)count - 1;
    if (last)
        *(volatile unsigned *)arrived = 0;
    return last;
}

/* A block: whether all peers that this rank stores to are ready; false if a wait exceeded the deadline. */
MNP_INLINE bool mnp_p2p_may_store(const mnp_p2p_peer *peers, const mnp_p2p &p2p)
{
    bool may = threadIdx.x > 0 || !mnp_p2p_is_spoilt(p2p.arrived);
    for (int i = (int)threadIdx.x; blockIdx.x == 0 && i < p2p.count; i += (int)blockDim.x) {
        if (peers[i].writes)
            mnp_raise(&peers[i].there->ready, mnp_p2p_number(peers[i]));
    }
    for (int i = (int)threadIdx.x; i < p2p.count; i += (int)blockDim.x) {
        if (peers[i].stores && !mnp_await(&peers[i].here->ready, mnp_p2p_number(peers[i]), p2p.limits, peers[i].number))
            may = false;
    }
    if (!may)
        mnp_p2p_spoil(p2p.arrived);
    return __syncthreads_and(may);
}

/* A block that has stored its share: whether it is the last one, so that all have read numbers.  It raises DONE. */
MNP_INLINE bool mnp_p2p_has_all(const mnp_p2p_peer *peers, const mnp_p2p &p2p)
{
    bool last = false;
    __syncthreads();
    if (threadIdx.x == 0) {
        mnp_fence(); /* what the block stored is there before it is counted, */
        last = mnp_p2p_is_last(p2p.arrived, (int)gridDim.x);
        if (last)
            mnp_fence(); /* and what all blocks stored before the targets see DONE */
        for (int i = 0; last && i < p2p.count; i++) {
            if (peers[i].stores)
                mnp_tell(&peers[i].there->done, mnp_p2p_number(peers[i]));
        }
    }
    return __syncthreads_or(last);
}

/* The last block: wait for those who write here. */
MNP_INLINE void mnp_p2p_take(const mnp_p2p_peer *peers, const mnp_p2p &p2p)
{
    for (int i = (int)threadIdx.x; i < p2p.count; i += (int)blockDim.x) {
        const unsigned long long number = mnp_p2p_number(peers[i]);
        if (peers[i].writes && !mnp_await(&peers[i].here->done, number, p2p.limits, peers[i].number))
            mnp_p2p_spoil(p2p.arrived);
        else
            peers[i].state->runs = number;
    }
}

/*
 * The whole kernel, which may be launched early: every block calls store(), which with all of its threads stores what
 * is the block's of what goes to the peers, and of what stays here.  `peers` has p2p.count entries: mnp_p2p_peers(p2p),
 * or p2p.peers where they always fit.
 */
template <typename Store> MNP_INLINE void mnp_p2p_all(const mnp_p2p_peer *peers, const mnp_p2p &p2p, const Store &store)
{
    mnp_await_previous_launch();
    if (!mnp_p2p_may_store(peers, p2p))
        return;
    store();
    if (mnp_p2p_has_all(peers, p2p))
        mnp_p2p_take(peers, p2p);
}

/*
 * What a block stores where there are shares, those with the fewest units first: it calls store(first, unit), with what
 * the share begins with and the number of the unit in it.  Blocks that are neighbours go to different shares, and as
 * long as a share has units it gets as many stores as any other.
 */
template <typename Store> MNP_INLINE void mnp_p2p_units(const mnp_p2p_share *shares, int count, const Store &store)
{
    int left = count; /* shares that have units left; */
    /* units taken of all, and of each of these, before all have as many left as the first */
    int64_t begin = 0, taken = 0;
    for (int64_t i = blockIdx.x;; i += gridDim.x) {
        while (left > 0 && i - begin >= left * (shares[count - left].units - taken)) {
            begin += left * (shares[count - left].units - taken);
            taken = shares[count - left].units;
            left--;
        }
        if (left == 0)
            return;
        const int64_t round = (i - begin) / left, turn = i - begin - round * left;
        store(shares[count - left + (int)((turn + round) % left)].first, taken + round);
    }
}

/* ---- words with their data ---- */

MNP_INLINE void mnp_send_line(mnp_p2p_line *line, uint64_t word, unsigned number)
{
    asm volatile("st.volatile.global.v4.u32 [%0], {%1, %2, %3, %2};" ::"l"(line), "r"((unsigned)word), "r"(number),
                 "r"((unsigned)(word >> 32))
                 : "memory");
}

MNP_INLINE mnp_p2p_line mnp_load_line(const mnp_p2p_line *from)
{
    mnp_p2p_line line;
    asm volatile("ld.volatile.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(line.low), "=r"(line.number), "=r"(line.high), "=r"(line.number_too)
                 : "l"(from)
                 : "memory");
    return line;
}

/* Whether the word of that exchange has come; and the word. */
MNP_INLINE bool mnp_has_come(const mnp_p2p_line &line, unsigned number)
{
    return line.number == number && line.number_too == number;
}

MNP_INLINE uint64_t mnp_word_of(const mnp_p2p_line &line)
{
    return line.low | (uint64_t)line.high << 32;
}
