/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pushing: ranks write straight into each other's memory, all in one launch on each.
 *
 * A rank whose stream has come to the launch raises READY for everyone who writes to it: its memory may be overwritten.
 * Every block of the grid waits until all that this rank stores to are ready, and stores its share.  The last one
 * raises DONE for them, and waits until everyone who writes here has done, so that where the kernel has ended all data
 * has come and gone.
 *
 * Nobody stores before all are ready, not even to those that are: what is to tell a third one would wait behind such
 * stores, and came up to 30 us late on four GPUs.  And every block stores something for everyone, so that all targets
 * have all at the same time: where blocks served one target each, an all to all of 64 MiB took 160 us there, not 152.
 *
 * No block waits for another of its own grid, so a grid may be larger than what the GPU has room for.  But blocks that
 * wait take their room from other kernels, which a peer may be waiting for: a grid must leave at least half of a GPU.
 *
 * Runs are numbered pair by pair.  The number is in memory, so a launch that is recorded in a CUDA graph can be
 * repeated.  Who waits in vain (waiting_params.h) spoils the count of its blocks for good.  Nobody is the last any more: DONE
 * is never raised for data that is not there.  And nobody stores any more: numbers do not go up, so what a peer raised
 * READY for then would pass for a later run.
 */
#include "kernels/comm/p2p_params.h"
#include "kernels/comm/waiting_cuda.h"

/* What this thread knows to have happened has happened for all who see what it stores from now on, on any GPU. */
MNP_INLINE void mnp_fence()
{
    asm volatile("fence.acq_rel.sys;" ::: "memory");
}

/* One thread: tell a peer, after a fence. */
MNP_INLINE void mnp_tell(unsigned long long *word, unsigned long long value)
{
    asm volatile("st.relaxed.sys.global.u64 [%0], %1;" ::"l"(word), "l"(value) : "memory");
}

/* The number of the present run with a peer.  The last block of the grid writes it back, when all have read it. */
MNP_INLINE unsigned long long mnp_p2p_number(const mnp_p2p_peer &peer)
{
    return *(volatile unsigned long long *)&peer.state->runs + 1;
}

/* One thread, for its block: nobody is the last one of a count any more, */
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

/* A block: whether all whom this rank stores to are ready; not if it waited in vain. */
MNP_INLINE bool mnp_p2p_may_store(const mnp_p2p_peer *peers, const mnp_p2p &push)
{
    bool may = threadIdx.x > 0 || !mnp_p2p_is_spoilt(push.arrived);
    for (int i = (int)threadIdx.x; blockIdx.x == 0 && i < push.count; i += (int)blockDim.x) {
        if (peers[i].writes)
            mnp_raise(&peers[i].there->ready, mnp_p2p_number(peers[i]));
    }
    for (int i = (int)threadIdx.x; i < push.count; i += (int)blockDim.x) {
        if (peers[i].stores &&
            !mnp_await(&peers[i].here->ready, mnp_p2p_number(peers[i]), push.limits, peers[i].number))
            may = false;
    }
    if (!may)
        mnp_p2p_spoil(push.arrived);
    return __syncthreads_and(may);
}

/* A block that has stored its share: whether it is the last one, so that all have read numbers.  Then it tells. */
MNP_INLINE bool mnp_p2p_has_all(const mnp_p2p_peer *peers, const mnp_p2p &push)
{
    bool last = false;
    __syncthreads();
    if (threadIdx.x == 0) {
        mnp_fence(); /* what the block stored is there before it is counted, */
        last = mnp_p2p_is_last(push.arrived, (int)gridDim.x);
        if (last)
            mnp_fence(); /* and what all blocks stored before the targets are told */
        for (int i = 0; last && i < push.count; i++) {
            if (peers[i].stores)
                mnp_tell(&peers[i].there->done, mnp_p2p_number(peers[i]));
        }
    }
    return __syncthreads_or(last);
}

/* The last block: wait for those who write here. */
MNP_INLINE void mnp_p2p_take(const mnp_p2p_peer *peers, const mnp_p2p &push)
{
    for (int i = (int)threadIdx.x; i < push.count; i += (int)blockDim.x) {
        const unsigned long long number = mnp_p2p_number(peers[i]);
        if (peers[i].writes && !mnp_await(&peers[i].here->done, number, push.limits, peers[i].number))
            mnp_p2p_spoil(push.arrived);
        else
            peers[i].state->runs = number;
    }
}

/*
 * The whole kernel, which may be launched early: every block calls store(), which with all of its threads stores what
 * is the block's of what goes to the peers, and of what stays here.  `peers` has push.count entries.
 */
template <typename Store>
MNP_INLINE void mnp_p2p_all(const mnp_p2p_peer *peers, const mnp_p2p &push, const Store &store)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
    if (!mnp_p2p_may_store(peers, push))
        return;
    store();
    if (mnp_p2p_has_all(peers, push))
        mnp_p2p_take(peers, push);
}

/*
 * What a block stores where there are shares, those with the fewest units first: it calls store(share, unit), with the
 * number of the unit in the share.  Blocks that are neighbours go to different shares, and as long as a share has
 * units it gets as many stores as any other.
 */
template <typename Share, typename Store>
MNP_INLINE void mnp_p2p_units(const Share *shares, int count, const Store &store)
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
        store(count - left + (int)((turn + round) % left), taken + round);
    }
}
