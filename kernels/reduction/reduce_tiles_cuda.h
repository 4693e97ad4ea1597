/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reductions of short rows on a GPU, by tiles: so many rows that follow one another in memory.
 *
 * A block copies the bytes of its tile to shared memory, 16 at a time, wherever its rows begin; so memory is read like
 * one vector, with neither index arithmetic nor idle threads at the ends of rows.  Many blocks a multiprocessor keep
 * enough bytes in flight.  From there a team of threads takes a row each, of a length that the kernel does not know.
 */
MNP_INLINE void mnp_copy_16(uint4 *to, const uint4 *from)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((uint32_t)__cvta_generic_to_shared(to)), "l"(from)
                 : "memory");
#else
    *to = *from;
#endif
}

/* Copy bytes to a block's shared memory, where they have the same place in 16 bytes; all threads call it. */
MNP_INLINE const void *mnp_stage(uint4 *shared, const void *bytes, int count)
{
    const int skip = (int)((uint64_t)bytes & 15), whole = (skip + count) / 16;
    const char *const from = (const char *)bytes - skip;
    for (int i = threadIdx.x; i < whole; i += MNP_THREADS)
        mnp_copy_16(shared + i, (const uint4 *)from + i);
    for (int i = 16 * whole + threadIdx.x; i < skip + count; i += MNP_THREADS) /* what is beyond may not exist */
        ((char *)shared)[i] = from[i];
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
    __syncthreads();
    return (const char *)shared + skip;
}

/* The elements of a row in shared memory that belong to one thread: `lane`, and every so many from there on. */
template <typename Lanes>
MNP_INLINE void mnp_take_row(const mnp_reduce_params &p, const mnp_memory0 *row, int width, int lane, int by,
                             Lanes &lanes)
{
    const mnp_reduce_operand &counter = p.operand[MNP_OPERANDS - 1];
    const int64_t first = (int64_t)counter.base, step = mnp_along(counter);
#define MNP_STAGED(k) mnp_to<mnp_type##k>::from(row[j])
#if MNP_SEARCHES
    mnp_value best = {};
    int place = -1; /* indices rise along a row */
    for (int j = lane; j < width; j += by) {
        const mnp_value x = MNP_VALUE(MNP_STAGED);
        const bool replaces = place < 0 || mnp_op::replaces(x, best);
        best = replaces ? x : best;
        place = replaces ? j : place;
    }
    if (place >= 0)
        lanes.take(0, best, first + place * step);
#else
    int j = lane;
    for (const int last = width - (MNP_UNROLL - 1) * by; j < last;) {
#pragma unroll
        for (int u = 0; u < MNP_UNROLL; u++, j += by)
            MNP_TAKE(lanes, u % mnp_set_count, MNP_STAGED, first + j * step);
    }
    for (; j < width; j += by)
        MNP_TAKE(lanes, 0, MNP_STAGED, first + j * step);
#endif
}

MNP_INLINE void mnp_do_elements(const mnp_reduce_params &p)
{
    extern __shared__ uint4 mnp_shared[];
    const mnp_reduce_operand &in = p.operand[0];
    const int width = (int)p.reduced[MNP_REDUCED - 1], pitch = (int)in.kept[MNP_KEPT - 1];
    const int across = 1 << p.team, lane = threadIdx.x & (across - 1), group = threadIdx.x >> p.team;
    const int64_t rows = p.kept[MNP_KEPT - 1], tiles = mnp_quotient(rows + p.rows - 1, p.rows);
    const int64_t line = mnp_quotient(blockIdx.x, tiles), begin = (blockIdx.x - line * tiles) * p.rows;
    const int count = (int)mnp_least(p.rows, rows - begin);
    int64_t kept[MNP_KEPT];
    mnp_unravel<MNP_KEPT>(p.kept, line * rows + begin, kept);
    const mnp_memory0 *const tile = (const mnp_memory0 *)mnp_stage(
        mnp_shared, (const mnp_memory0 *)in.base + mnp_offset<MNP_KEPT>(in.kept, kept),
        ((count - 1) * pitch + width) * (int)sizeof(mnp_memory0));
    for (int r = group; r - group < count; r += MNP_THREADS >> p.team) { /* alike for all threads, as teams join */
        mnp_op::lanes<mnp_set_count> lanes;
#pragma unroll
        for (int j = 0; j < mnp_set_count; j++)
            lanes.start(j);
        if (r < count)
            mnp_take_row(p, tile + r * pitch, width, lane, across, lanes);
        mnp_acc acc = lanes.end(0);
#pragma unroll
        for (int j = 1; j < mnp_set_count; j++) {
            const mnp_acc other = lanes.end(j);
            mnp_op::join(acc, other);
        }
        mnp_join_team(acc, across); /* at most a warp */
        if (r < count && lane == 0)
            mnp_deliver(p, acc, line * rows + begin + r, 0);
    }
}
