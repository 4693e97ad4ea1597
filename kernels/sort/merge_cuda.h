/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Merging on a GPU.  A block makes a tile of outputs: two warps find where the tile begins and ends in both runs, and
 * the block loads those elements into shared memory.  Every thread finds there where its outputs begin and merges a
 * few; the block then stores the tile with coalesced accesses.
 */
constexpr int mnp_items = MNP_ITEMS, mnp_tile = MNP_THREADS * mnp_items;

/* mnp_path() by a warp, which tests 32 positions at a time. */
MNP_INLINE int64_t mnp_path_of_warp(const MNP_KEY *first, int64_t first_length, const MNP_KEY *second,
                                    int64_t second_length, int64_t outputs)
{
    const int lane = threadIdx.x % 32;
    int64_t low = mnp_greatest(outputs - second_length, 0), high = mnp_least(outputs, first_length);
    while (low < high) {
        const int64_t step = (high - low + 31) / 32, at = low + lane * step;
        const bool is_beyond = at >= high || mnp_goes_first(second[outputs - 1 - at], first[at]);
        const unsigned beyond = __ballot_sync(0xffffffffu, is_beyond);
        const int inside = beyond ? __ffs(beyond) - 1 : 32; /* the number of leading lanes that are not beyond */
        const int64_t next = low + inside * step;
        high = next < high ? next : high;
        low = inside > 0 ? low + (inside - 1) * step + 1 : high;
    }
    return low;
}

/* Make outputs `begin` .. `end` - 1 of a pair, at most a tile, by all threads of a block. */
MNP_INLINE void mnp_merge_tile(const mnp_merge_params &p, const mnp_pair &pair, int64_t begin, int64_t end)
{
    __shared__ MNP_KEY keys[mnp_tile];
    __shared__ int64_t cuts[2];
    const MNP_KEY *first = (const MNP_KEY *)p.keys + pair.first, *second = (const MNP_KEY *)p.keys + pair.second;
    const int warp = threadIdx.x / 32, n = (int)(end - begin);
    if (warp < 2) {
        const int64_t cut =
            mnp_path_of_warp(first, pair.first_length, second, pair.second_length, warp == 0 ? begin : end);
        if (threadIdx.x % 32 == 0)
            cuts[warp] = cut;
    }
    __syncthreads();
    const int64_t from_first = cuts[0], from_second = begin - from_first;
    const int nfirst = (int)(cuts[1] - from_first);
#pragma unroll
    for (int k = 0; k < mnp_items; k++) {
        const int i = k * MNP_THREADS + (int)threadIdx.x;
        if (i < n)
            keys[i] = i < nfirst ? first[from_first + i] : second[from_second + i - nfirst];
    }
    __syncthreads();
    MNP_KEY merged[mnp_items];
    uint16_t sources[mnp_items];
    const int at = (int)threadIdx.x * mnp_items < n ? (int)threadIdx.x * mnp_items : n;
    int a = mnp_path<int>(keys, nfirst, keys + nfirst, n - nfirst, at), b = nfirst + at - a;
#pragma unroll
    for (int k = 0; k < mnp_items; k++) {
        if (at + k < n) {
            const bool is_second = a >= nfirst || (b < n && mnp_goes_first(keys[b], keys[a]));
            const int from = is_second ? b++ : a++;
            merged[k] = keys[from];
            sources[k] = (uint16_t)from;
        }
    }
    __syncthreads();
#if MNP_PAYLOAD
    __shared__ uint16_t source[mnp_tile];
#endif
#pragma unroll
    for (int k = 0; k < mnp_items; k++) {
        if (at + k < n) {
            keys[at + k] = merged[k];
#if MNP_PAYLOAD
            source[at + k] = sources[k];
#endif
        }
    }
    __syncthreads();
    const int64_t out = pair.first + begin;
#pragma unroll
    for (int k = 0; k < mnp_items; k++) {
        const int i = k * MNP_THREADS + (int)threadIdx.x;
        if (i < n && p.out_keys)
            ((MNP_KEY *)p.out_keys)[out + i] = keys[i];
#if MNP_PAYLOAD
        if (i < n) {
            const int from = source[i];
            const uint64_t *payload = (const uint64_t *)p.payload;
            ((uint64_t *)p.out_payload)[out + i] =
                payload[from < nfirst ? pair.first + from_first + from : pair.second + from_second + from - nfirst];
        }
#endif
    }
    __syncthreads();
}

MNP_KERNEL(merge_runs, mnp_merge_params)
{
    const int64_t tiles = (p.total + mnp_tile - 1) / mnp_tile;
    for (int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const int64_t stop = (tile + 1) * mnp_tile < p.total ? (tile + 1) * mnp_tile : p.total;
        for (int64_t at = tile * mnp_tile; at < stop;) {
            const mnp_pair pair = mnp_find_pair(p, at);
            const int64_t all = pair.first_length + pair.second_length, begin = at - pair.first;
            const int64_t end = stop - pair.first < all ? stop - pair.first : all;
            mnp_merge_tile(p, pair, begin, end);
            at = pair.first + end;
        }
    }
}
