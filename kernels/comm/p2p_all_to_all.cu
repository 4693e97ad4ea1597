/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All to all in one launch: every rank stores its parts straight where they belong in the others' memory (p2p_cuda.h).
 */
#include "kernels/prelude.h"
#include "kernels/comm/p2p_cuda.h"
#include "kernels/comm/p2p_all_to_all_params.h"

/* All threads of a block: move a run of memory by accesses of type T, to which both addresses are aligned. */
template <typename T> MNP_INLINE void mnp_p2p_run(char *dst, const char *src, int64_t bytes)
{
    const int64_t count = bytes / (int64_t)sizeof(T);
    const T *from = (const T *)src;
    T *to = (T *)dst;
#pragma unroll 1
    for (int64_t first = threadIdx.x; first < count; first += MNP_P2P_PARTS_THREADS * MNP_P2P_PARTS_FLIGHT) {
        T values[MNP_P2P_PARTS_FLIGHT];
#pragma unroll
        for (int k = 0; k < MNP_P2P_PARTS_FLIGHT; k++) {
            if (first + k * MNP_P2P_PARTS_THREADS < count)
                values[k] = from[first + k * MNP_P2P_PARTS_THREADS];
        }
#pragma unroll
        for (int k = 0; k < MNP_P2P_PARTS_FLIGHT; k++) {
            if (first + k * MNP_P2P_PARTS_THREADS < count)
                to[first + k * MNP_P2P_PARTS_THREADS] = values[k];
        }
    }
}

/* The same at any addresses: the widest accesses that suit both, and the bytes before and behind one by one. */
MNP_INLINE void mnp_p2p_bytes(char *dst, const char *src, int64_t bytes)
{
    const unsigned apart = (unsigned)((uint64_t)dst - (uint64_t)src);
    const unsigned width = apart % 16 == 0 ? 16 : apart % 8 == 0 ? 8 : 4;
    if (apart % 4 != 0) {
        mnp_p2p_run<uint8_t>(dst, src, bytes);
        return;
    }
    const int64_t to_border = (int64_t)(-(uint64_t)dst & (width - 1));
    const int64_t head = to_border < bytes ? to_border : bytes, middle = (bytes - head) & -(int64_t)width;
    const int64_t tail = bytes - head - middle;
    if (threadIdx.x < head)
        dst[threadIdx.x] = src[threadIdx.x];
    if (threadIdx.x < tail)
        dst[head + middle + threadIdx.x] = src[head + middle + threadIdx.x];
    if (width == 16)
        mnp_p2p_run<uint4>(dst + head, src + head, middle);
    else if (width == 8)
        mnp_p2p_run<uint64_t>(dst + head, src + head, middle);
    else
        mnp_p2p_run<uint32_t>(dst + head, src + head, middle);
}

/* A unit of a part: it begins where dst is a multiple of 16 bytes, but for the first one. */
MNP_INLINE void mnp_p2p_unit(const mnp_p2p_part &part, int64_t unit)
{
    const int64_t to_border = (int64_t)(-(uint64_t)part.dst & 15);
    const int64_t behind = to_border + (unit + 1) * MNP_P2P_PARTS_BYTES;
    const int64_t begin = unit == 0 ? 0 : behind - MNP_P2P_PARTS_BYTES;
    const int64_t end = behind < part.bytes ? behind : part.bytes;
    if (begin < end) /* the last one of a part may have nothing left */
        mnp_p2p_bytes((char *)part.dst + begin, (const char *)part.src + begin, end - begin);
}

extern "C" __global__ void __launch_bounds__(MNP_P2P_PARTS_THREADS, MNP_P2P_PARTS_RESIDENT)
    p2p_all_to_all(const __grid_constant__ mnp_p2p_all_to_all_params p)
{
    mnp_p2p_all(p.p2p.peers, p.p2p, [&]() {
        mnp_p2p_units(p.shares, p.num_parts, [&](int64_t part, int64_t unit) { mnp_p2p_unit(p.parts[part], unit); });
    });
}
