/*
 * All to all in one launch: every rank stores its parts straight where they belong in the others' memory (push_cuda.h).
 */
#include "prelude.h"
#include "push_cuda.h"
#include "push_parts.h"

/* A block's share of a run of memory, by accesses of type T, to which both addresses are aligned. */
template <typename T> MNP_INLINE void mnp_push_run(char *dst, const char *src, int64_t bytes, int block, int blocks)
{
    const int64_t count = bytes / (int64_t)sizeof(T), turn = MNP_PUSH_PARTS_THREADS * MNP_PUSH_PARTS_FLIGHT;
    const T *from = (const T *)src;
    T *to = (T *)dst;
#pragma unroll 1
    for (int64_t begin = block * turn; begin < count; begin += blocks * turn) {
        T values[MNP_PUSH_PARTS_FLIGHT];
        const int64_t first = begin + threadIdx.x;
#pragma unroll
        for (int k = 0; k < MNP_PUSH_PARTS_FLIGHT; k++) {
            if (first + k * MNP_PUSH_PARTS_THREADS < count)
                values[k] = from[first + k * MNP_PUSH_PARTS_THREADS];
        }
#pragma unroll
        for (int k = 0; k < MNP_PUSH_PARTS_FLIGHT; k++) {
            if (first + k * MNP_PUSH_PARTS_THREADS < count)
                to[first + k * MNP_PUSH_PARTS_THREADS] = values[k];
        }
    }
}

/* The same at any addresses: the widest accesses that suit both, and the bytes before and behind one by one. */
MNP_INLINE void mnp_push_part_share(const mnp_push_part &part, int block, int blocks)
{
    const char *src = (const char *)part.src;
    char *dst = (char *)part.dst;
    const unsigned apart = (unsigned)((uint64_t)dst - (uint64_t)src), width = apart % 16 == 0 ? 16 : apart % 8 == 0 ? 8 : 4;
    if (apart % 4 != 0) {
        mnp_push_run<uint8_t>(dst, src, part.bytes, block, blocks);
        return;
    }
    const int64_t to_border = (int64_t)(-(uint64_t)dst & (width - 1));
    const int64_t head = to_border < part.bytes ? to_border : part.bytes, middle = (part.bytes - head) & -(int64_t)width;
    const int64_t tail = part.bytes - head - middle;
    if (block == 0 && threadIdx.x < head)
        dst[threadIdx.x] = src[threadIdx.x];
    if (block == 0 && threadIdx.x < tail)
        dst[head + middle + threadIdx.x] = src[head + middle + threadIdx.x];
    if (width == 16)
        mnp_push_run<uint4>(dst + head, src + head, middle, block, blocks);
    else if (width == 8)
        mnp_push_run<uint64_t>(dst + head, src + head, middle, block, blocks);
    else
        mnp_push_run<uint32_t>(dst + head, src + head, middle, block, blocks);
}

extern "C" __global__ void __launch_bounds__(MNP_PUSH_PARTS_THREADS)
    push_parts(const __grid_constant__ mnp_push_parts_params p)
{
    mnp_push_all(p.peers, p.push, [&](int peer, int block, int blocks) {
        mnp_push_part_share(p.parts[peer], block, blocks);
    });
}
