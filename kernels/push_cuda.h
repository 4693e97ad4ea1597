/*
 * Pushing: ranks write straight into each other's memory, all in one launch on each.
 *
 * A rank whose stream has come to the launch raises READY for everyone who writes to it: its memory may be overwritten.
 * Some blocks of the grid serve each target; they wait until it is ready, and store.  The last of them raises DONE there.
 * The last block of all waits until everyone who writes here has done, so that where the kernel has ended all data has
 * come and gone.
 *
 * No block waits for another of its own grid, so a grid may be larger than what the GPU has room for.  But blocks that
 * wait take their room from other kernels, which a peer may be waiting for: a grid must leave at least half of a GPU.
 *
 * Runs are numbered pair by pair.  The number is in memory, so a launch that is recorded in a CUDA graph can be repeated.
 * Who waits in vain (waiting.h) leaves the count of its blocks such that nobody is the last any more: DONE is never
 * raised for data that is not there.
 */
#include "push.h"
#include "waiting_cuda.h"

/* What this thread knows to have happened has happened for all who see what it stores from now on, on any GPU. */
MNP_INLINE void mnp_fence()
{
    asm volatile("fence.acq_rel.sys;" ::: "memory");
}

/* The number of the present run with a peer.  The last block of the grid writes it back, when all have read it. */
MNP_INLINE unsigned long long mnp_push_number(const mnp_push_peer &peer)
{
    return *(volatile unsigned long long *)&peer.state->runs + 1;
}

/* One thread, for its block: nobody is the last one of a count any more. */
MNP_INLINE void mnp_push_spoil(unsigned *arrived)
{
    atomicOr(arrived, 0x80000000u);
}

/* One thread: whether it is the last of so many; then the count is 0 again.  It orders nothing. */
MNP_INLINE bool mnp_push_is_last(unsigned *arrived, int count)
{
    if (count == 1)
        return *(volatile unsigned *)arrived == 0; /* unless it is spoilt */
    const bool last = atomicAdd(arrived, 1) == (unsigned)count - 1;
    if (last)
        *(volatile unsigned *)arrived = 0;
    return last;
}

/* One thread, for its block: whether it is the last one that has stored all for the target, which is then told. */
MNP_INLINE bool mnp_push_has_all(const mnp_push_peer &target)
{
    if (!target.there)
        return mnp_push_is_last(&target.state->arrived, target.blocks);
    mnp_fence(); /* what the block stored is there before it is counted, */
    if (!mnp_push_is_last(&target.state->arrived, target.blocks))
        return false;
    if (target.blocks > 1)
        mnp_fence(); /* and what all blocks stored before the target is told */
    asm volatile("st.relaxed.sys.global.u64 [%0], %1;" ::"l"(&target.there->done), "l"(mnp_push_number(target)) : "memory");
    return true;
}

/* A block: whether the target may be written to; not if it waited in vain. */
MNP_INLINE bool mnp_push_may_store(const mnp_push_peer &target, const mnp_waiting &limits)
{
    bool may = true;
    if (!target.here)
        return true;
    if (threadIdx.x == 0) {
        may = mnp_await(&target.here->ready, mnp_push_number(target), limits, target.number);
        if (!may)
            mnp_push_spoil(&target.state->arrived);
    }
    return __syncthreads_and(may);
}

/* A block that has stored all for its target: whether it is the last one of the grid, so that all have read numbers. */
MNP_INLINE bool mnp_push_finish(const mnp_push_peer &target, const mnp_push &push)
{
    __syncthreads();
    const bool last = threadIdx.x == 0 && mnp_push_has_all(target) && mnp_push_is_last(push.arrived, push.targets);
    return __syncthreads_or(last);
}

/*
 * The whole kernel: every block calls store(peer, block, blocks), which with all of its threads stores its share of what
 * goes to peers[peer]: number `block` of `blocks`.  `peers` has push.count entries.
 */
template <typename Store>
MNP_INLINE void mnp_push_all(const mnp_push_peer *peers, const mnp_push &push, const Store &store)
{
    const int block = (int)blockIdx.x;
    for (int i = (int)threadIdx.x; block == 0 && i < push.count; i += (int)blockDim.x) {
        if (peers[i].writes)
            mnp_raise(&peers[i].there->ready, mnp_push_number(peers[i]));
    }
    int target = 0;
    while (block < peers[target].first_block || block >= peers[target].first_block + peers[target].blocks)
        target++;
    if (!mnp_push_may_store(peers[target], push.limits))
        return;
    store(target, block - peers[target].first_block, peers[target].blocks);
    if (!mnp_push_finish(peers[target], push))
        return;
    for (int i = (int)threadIdx.x; i < push.count; i += (int)blockDim.x) {
        if (!peers[i].here)
            continue;
        const unsigned long long number = mnp_push_number(peers[i]);
        if (peers[i].writes && !mnp_await(&peers[i].here->done, number, push.limits, peers[i].number))
            mnp_push_spoil(push.arrived);
        else
            peers[i].state->runs = number;
    }
}
