/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Small collectives in one launch: messages between ranks that can write into each other's memory, and what a reduction
 * makes of them.
 *
 * Messages go in words with their data (p2p_cuda.h).  A message lies in the first or the second half of its room by the
 * parity of the exchange's number.  A row of threads serves a rank of the group; each thread has a few words in flight.
 * The number is in memory, so a launch that is recorded in a CUDA graph can be repeated.  It goes up also after a wait
 * that exceeded the deadline (waiting_params.h), so that data of another exchange is never taken for this one's.
 *
 *   MNP_REDUCES   1: what the ranks sent is combined (combine_values.h has the other definitions)
 */
#include "kernels/prelude.h"
#include "kernels/comm/p2p_small_params.h"
#include "kernels/comm/p2p_cuda.h"
#include "kernels/early_launch.h"
#if MNP_REDUCES
#include "kernels/comm/combine_values.h"
#endif

/* Up to 8 bytes at any address, as a word. */
MNP_INLINE uint64_t mnp_load_word(const char *data, int bytes)
{
    const int misaligned = (int)((uint64_t)data % 8);
    uint64_t word = 0;
    uint8_t each[8];
    if (bytes >= 8 && misaligned == 0)
        return *(const uint64_t *)data;
    if (bytes >= 8 && misaligned == 4)
        return ((const uint32_t *)data)[0] | (uint64_t)((const uint32_t *)data)[1] << 32;
    if (bytes == 4 && misaligned % 4 == 0)
        return *(const uint32_t *)data;
#pragma unroll
    for (int i = 0; i < 8; i++)
        each[i] = i < bytes ? data[i] : 0;
#pragma unroll
    for (int i = 0; i < 8; i++)
        word |= (uint64_t)each[i] << 8 * i;
    return word;
}

MNP_INLINE void mnp_store_word(char *data, uint64_t word, int bytes)
{
    const int misaligned = (int)((uint64_t)data % 8);
    if (bytes >= 8 && misaligned == 0) {
        *(uint64_t *)data = word;
    } else if (bytes >= 8 && misaligned == 4) {
        ((uint32_t *)data)[0] = (uint32_t)word;
        ((uint32_t *)data)[1] = (uint32_t)(word >> 32);
    } else if (bytes == 4 && misaligned % 4 == 0) {
        *(uint32_t *)data = (uint32_t)word;
    } else {
#pragma unroll
        for (int i = 0; i < 8; i++) {
            if (i < bytes)
                data[i] = (char)(word >> 8 * i);
        }
    }
}

/* Words that a message of so many bytes goes in: an empty one too. */
MNP_INLINE int mnp_words_of(int bytes)
{
    return bytes > 8 ? (bytes + 7) / 8 : 1;
}

MNP_INLINE void mnp_send_words(const uint64_t *words, mnp_p2p_line *lines, unsigned number, int first, int count)
{
#pragma unroll
    for (int k = 0; k < MNP_P2P_SMALL_EACH; k++) {
        const int at = first + k * (int)blockDim.x;
        if (at < count)
            mnp_send_line(lines + at, words[k], number);
    }
}

/* All of a thread's words are asked for at once, and again until all are there.  False if that exceeds the deadline. */
MNP_INLINE bool mnp_receive_words(uint64_t *words, const mnp_p2p_line *lines, unsigned number, int first, int count,
                                  const mnp_waiting &limits, int peer)
{
    mnp_patience wait = {0, 0};
    mnp_p2p_line line[MNP_P2P_SMALL_EACH];
    for (bool all = first >= count; !all;) {
        all = true;
#pragma unroll
        for (int k = 0; k < MNP_P2P_SMALL_EACH; k++) {
            const int at = first + k * (int)blockDim.x;
            line[k] = mnp_load_line(lines + (at < count ? at : count - 1));
        }
#pragma unroll
        for (int k = 0; k < MNP_P2P_SMALL_EACH; k++) {
            all = all && mnp_has_come(line[k], number);
            words[k] = mnp_word_of(line[k]);
        }
        if (!all && !mnp_goes_on(wait, limits, peer))
            return false;
    }
    return true;
}

#if MNP_REDUCES
/*
 * The block's share of the result; `gathered` has that of every rank, one after the other.  Elements take the place of
 * the first rank's, and leave from there in words: a result may lie at any address, and bytes of a float16 that are
 * stored one by one where it was made are not all right (ptxas 13.0).
 */
MNP_INLINE void mnp_reduce_share(const mnp_p2p_small_params &p, uint64_t *gathered)
{
    const int words = (int)blockDim.x * MNP_P2P_SMALL_EACH, begin = (int)blockIdx.x * words * 8;
    const int left = p.result_bytes - begin, bytes = left < words * 8 ? left : words * 8;
    const int threads = (int)(blockDim.x * blockDim.y), thread = (int)(threadIdx.y * blockDim.x + threadIdx.x);
    for (int i = thread; i < bytes / (int)sizeof(MNP_MEMORY); i += threads)
        ((MNP_MEMORY *)gathered)[i] =
            mnp_combined(blockDim.y, [&](int64_t r) { return (const MNP_MEMORY *)(gathered + r * words) + i; });
    __syncthreads();
    for (int i = thread; 8 * i < bytes; i += threads)
        mnp_store_word((char *)p.result + begin + 8 * i, gathered[i], bytes - 8 * i);
}
#endif

/* The block's share of what was sent and received is settled: whether it is the last one, which has to count. */
MNP_INLINE bool mnp_is_last_block(unsigned *arrived)
{
    bool last = false;
    if (gridDim.x == 1)
        return true;
    if (threadIdx.x == 0 && threadIdx.y == 0) {
        last = atomicAdd(arrived, 1) == gridDim.x - 1;
        if (last)
            *(volatile unsigned *)arrived = 0;
    }
    return __syncthreads_or(last);
}

extern "C" __global__ void __launch_bounds__(MNP_P2P_SMALL_THREADS, MNP_P2P_SMALL_RESIDENT)
    p2p_small(const __grid_constant__ mnp_p2p_small_params p)
{
    const mnp_p2p_small_rank &other = p.ranks[threadIdx.y];
    const int width = (int)blockDim.x, first = (int)blockIdx.x * width * MNP_P2P_SMALL_EACH + (int)threadIdx.x;
    uint64_t words[MNP_P2P_SMALL_EACH];
    unsigned number = 0;
    bool came = true;
    mnp_await_previous_launch();
    if (other.there)
        number = *(volatile unsigned *)other.exchanges + 1;
#pragma unroll
    for (int k = 0; k < MNP_P2P_SMALL_EACH; k++) {
        const int at = 8 * (first + k * width);
        words[k] = mnp_load_word((const char *)other.send + at, other.send_bytes - at);
    }
    if (other.there) {
        const int half = number % 2 * MNP_P2P_SMALL_WORDS;
        mnp_send_words(words, other.there + half, number, first, mnp_words_of(other.send_bytes));
        came = mnp_receive_words(words, other.here + half, number, first, mnp_words_of(other.recv_bytes), p.limits,
                                 other.peer);
    }
#if MNP_REDUCES
    __shared__ __align__(16) uint64_t gathered[MNP_P2P_SMALL_THREADS * MNP_P2P_SMALL_EACH];
#pragma unroll
    for (int k = 0; k < MNP_P2P_SMALL_EACH; k++)
        gathered[((int)threadIdx.y * MNP_P2P_SMALL_EACH + k) * width + (int)threadIdx.x] = words[k];
#endif
    came = __syncthreads_and(came); /* and all have read the numbers */
    if (came) {
#if MNP_REDUCES
        if (p.result)
            mnp_reduce_share(p, gathered);
#else
#pragma unroll
        for (int k = 0; k < MNP_P2P_SMALL_EACH; k++) {
            const int at = 8 * (first + k * width);
            mnp_store_word((char *)other.recv + at, words[k], other.recv_bytes - at);
        }
#endif
    }
    if (mnp_is_last_block(p.arrived) && threadIdx.x == 0 && other.there)
        *other.exchanges = number;
}
