/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Histograms on a GPU.
 *
 * Uneven bins are found by bisection of a few edges: a table tells which.
 *
 * Counts: a block has counters in shared memory, in several copies if there is room: each lane of a warp counts in a
 * copy of its own as far as there are enough, so that lanes do not collide where elements share a bin.  At the end the
 * block adds its counters to the only row of sums, in any order, as they are integers.
 *
 * Weights: the order of additions matters for floats, so every warp has sums of its own and adds to them in the order
 * of the elements; lanes with the same bin add one after the other.  A block adds its warps' sums, in their order, into
 * a row.  Where there are too many bins for a block's shared memory, each warp has a row in global memory.
 */

/* The integral part of a position; `rest` gets the fractional part. */
MNP_INLINE MNP_BIN mnp_split(float position, float &rest)
{
    const float shift = 0x1p23f, shifted = __fadd_rd(position, shift); /* positions are below 2^23 */
    rest = position - (shifted - shift);
    return (MNP_BIN)(mnp_float_bits(shifted) - mnp_float_bits(shift));
}
MNP_INLINE MNP_BIN mnp_split(double position, double &rest)
{
    const MNP_BIN whole = (MNP_BIN)position;
    rest = position - (double)whole;
    return whole;
}

#if MNP_BINS == MNP_BINS_SEARCH && MNP_SHARED

/*
 * A table in shared memory that shortens the bisection of edges, as that of histogram_host.h: cells of equal width,
 * some for each bin.  The cell number is monotonic in the value in spite of rounding, so edges in lower cells are less
 * than a value, and those in higher cells are greater.
 */
struct mnp_cells {
    static constexpr int most = 2048, most_bins = 1024;
    mnp_value edges[most_bins + 1];
    int start[most + 1]; /* how many edges are in lower cells */
    int count;           /* of cells; 0: there is no table */
    mnp_value first, scale;
    MNP_INLINE int find(mnp_value value) const
    {
        const mnp_value at = (value - first) * scale, last = (mnp_value)(count - 1), from = at > 0 ? at : 0;
        return (int)(from < last ? from : last);
    }
    /* All threads of the block call it. */
    MNP_INLINE void make(const mnp_histogram_params &p)
    {
        const mnp_value span = mnp_edge(p, p.bins) - mnp_edge(p, 0);
        const int wanted = 4 * p.bins < most ? (int)(4 * p.bins) : most;
        const mnp_value all = (mnp_value)wanted, ratio = all / span;
        if (threadIdx.x == 0) {
            count = is_float && p.bins <= most_bins && span > 0 && span - span == 0 && ratio - ratio == 0 ? wanted : 0;
            first = mnp_edge(p, 0);
            scale = ratio;
        }
        __syncthreads();
        for (int c = threadIdx.x; c <= count; c += blockDim.x)
            start[c] = 0;
        __syncthreads();
        for (int i = threadIdx.x; count > 0 && i <= p.bins; i += blockDim.x) {
            edges[i] = mnp_edge(p, i);
            atomicAdd(&start[find(edges[i]) + 1], 1);
        }
        __syncthreads();
        if (threadIdx.x < 32) { /* sums of what is before */
            int so_far = 0, sum;
            for (int c = threadIdx.x; count > 0 && c - (int)threadIdx.x <= count; c += 32) {
                const int own = c <= count ? start[c] : 0, before = mnp_prefix_warp(own, &sum);
                if (c <= count)
                    start[c] = so_far + before + own;
                so_far += sum;
            }
        }
        __syncthreads();
    }
    static constexpr bool is_float = (mnp_value)0.5 != (mnp_value)0;
};

#else

struct mnp_cells {
    MNP_INLINE void make(const mnp_histogram_params &)
    {
    }
};

#endif

/* What a thread keeps in registers to find bins. */
struct mnp_finder {
    const mnp_histogram_params &p;
#if MNP_BINS == MNP_BINS_SEARCH
    const mnp_cells &cells;
    const mnp_value first, end;
    MNP_INLINE mnp_finder(const mnp_histogram_params &p, const mnp_cells &cells)
        : p(p), cells(cells), first(mnp_edge(p, 0)), end(mnp_edge(p, p.bins))
    {
    }
    /* How many edges are not above a value, which lies between the outer ones. */
    MNP_INLINE MNP_BIN count_below(mnp_value value) const
    {
#if MNP_SHARED
        if (cells.count > 0) {
            const int cell = cells.find(value);
            int low = cells.start[cell], high = cells.start[cell + 1];
            while (low < high) {
                const int middle = (low + high) / 2;
                if (cells.edges[middle] <= value)
                    low = middle + 1;
                else
                    high = middle;
            }
            return (MNP_BIN)low;
        }
#endif
        MNP_BIN below = 0;
        for (int64_t left = p.bins + 1; left > 1; left -= left / 2)
            below += mnp_edge(p, below + left / 2 - 1) <= value ? (MNP_BIN)(left / 2) : 0;
        return below + (mnp_edge(p, below) <= value);
    }
#elif MNP_BINS == MNP_BINS_EVEN
    const mnp_value first, end;
    const MNP_ESTIMATE low, scale, margin;
    MNP_INLINE mnp_finder(const mnp_histogram_params &p, const mnp_cells &)
        : p(p), first(mnp_edge(p, 0)), end(mnp_edge(p, p.bins)), low((MNP_ESTIMATE)p.first),
          scale((MNP_ESTIMATE)p.scale), margin((MNP_ESTIMATE)p.margin)
    {
    }
#else
    MNP_INLINE mnp_finder(const mnp_histogram_params &p, const mnp_cells &) : p(p)
    {
    }
#endif
    /* The bin of an element; -1 if it is in none. */
    MNP_INLINE MNP_BIN find(MNP_ELEMENT x) const
    {
        const mnp_value value = mnp_value_of(x);
#if MNP_BINS == MNP_BINS_NUMBERS
        return value >= 0 && value < p.bins ? (MNP_BIN)value : (MNP_BIN)-1;
#else
        const MNP_BIN last = (MNP_BIN)(p.bins - 1);
        if (!(value >= first && value <= end))
            return -1;
#if MNP_BINS == MNP_BINS_EVEN
        MNP_ESTIMATE rest;
        MNP_BIN bin = mnp_split(((MNP_ESTIMATE)value - low) * scale, rest);
        if (rest < margin || rest > 1 - margin)
            bin = mnp_correct(p, value, bin < last ? bin : last);
        return bin;
#else
        const MNP_BIN bin = count_below(value) - 1;
        return bin < last ? bin : last;
#endif
#endif
    }
};

constexpr int mnp_pack = sizeof(MNP_ELEMENT) < 16 ? 16 / sizeof(MNP_ELEMENT) : 1; /* elements of one access */
constexpr int mnp_loads = 4;                                                      /* in flight at a time */

struct alignas(16) mnp_packed {
    MNP_ELEMENT at[mnp_pack];
};

#if !MNP_WEIGHTED

/* Call take(x) for this thread's elements, in any order. */
template <typename Take> MNP_INLINE void mnp_visit(const mnp_histogram_params &p, Take take)
{
    const MNP_ELEMENT *x = (const MNP_ELEMENT *)p.elements;
    const int64_t line = (int64_t)gridDim.x * MNP_HISTOGRAM_THREADS;
    const int64_t thread = (int64_t)blockIdx.x * MNP_HISTOGRAM_THREADS + threadIdx.x;
    if (p.ndim > 1 || p.stride[0] != 1) {
        for (int64_t i = thread; i < p.size; i += line)
            take(x[mnp_find(p, i).element]);
        return;
    }
    const int64_t wanted = (int64_t)(-(uint64_t)x / sizeof(MNP_ELEMENT) % mnp_pack);
    const int64_t head = wanted < p.size ? wanted : p.size, packs = (p.size - head) / mnp_pack;
    const mnp_packed *packed = (const mnp_packed *)(x + head);
    const int64_t first = (int64_t)blockIdx.x * (MNP_HISTOGRAM_THREADS * mnp_loads) + threadIdx.x;
    int64_t v = first;
    for (; v + (mnp_loads - 1) * MNP_HISTOGRAM_THREADS < packs; v += line * mnp_loads) {
        mnp_packed loaded[mnp_loads];
#pragma unroll
        for (int u = 0; u < mnp_loads; u++)
            loaded[u] = packed[v + u * MNP_HISTOGRAM_THREADS];
#pragma unroll
        for (int u = 0; u < mnp_loads; u++)
#pragma unroll
            for (int k = 0; k < mnp_pack; k++)
                take(loaded[u].at[k]);
    }
    for (int u = 0; u < mnp_loads && v + u * MNP_HISTOGRAM_THREADS < packs; u++)
        for (int k = 0; k < mnp_pack; k++)
            take(packed[v + u * MNP_HISTOGRAM_THREADS].at[k]);
    const int64_t rest = p.size - packs * mnp_pack; /* elements before and after the packs */
    if (thread < rest)
        take(x[thread < head ? thread : packs * mnp_pack + thread]);
}

extern "C" __global__ void __launch_bounds__(MNP_HISTOGRAM_THREADS, 3)
    fill_histogram(const __grid_constant__ mnp_histogram_params p)
{
    __shared__ mnp_cells cells;
    cells.make(p);
    unsigned long long *sums = (unsigned long long *)p.sums;
    const mnp_finder finder(p, cells);
#if MNP_SHARED
    extern __shared__ uint32_t counters[];
    const int copies = p.copies, all = (int)p.bins << copies, mine = threadIdx.x & ((1 << copies) - 1);
    for (int i = threadIdx.x; i < all; i += MNP_HISTOGRAM_THREADS)
        counters[i] = 0;
    __syncthreads();
    mnp_visit(p, [&](MNP_ELEMENT x) {
        const MNP_BIN bin = finder.find(x);
        if (bin >= 0)
            atomicAdd(&counters[(bin << copies) + mine], 1u);
    });
    __syncthreads();
    for (int b = threadIdx.x; b < (int)p.bins; b += MNP_HISTOGRAM_THREADS) {
        unsigned long long total = 0;
        for (int c = 0; c < 1 << copies; c++)
            total += counters[(b << copies) + ((c + threadIdx.x) & ((1 << copies) - 1))];
        if (total)
            atomicAdd(&sums[b], total);
    }
#else
    mnp_visit(p, [&](MNP_ELEMENT x) {
        const MNP_BIN bin = finder.find(x);
        if (bin >= 0)
            atomicAdd(&sums[bin], 1ull);
    });
#endif
}

#else

/* Add the weights of a warp's lanes; those of one bin are added in the order of the lanes.  All lanes call it. */
MNP_INLINE void mnp_take_turns(MNP_SUM *sums, MNP_BIN bin, MNP_SUM weight)
{
    const unsigned all = 0xffffffffu, lane = threadIdx.x % 32;
    const unsigned alike = __match_any_sync(all, bin);
    const int turn = bin < 0 ? -1 : __popc(alike & ((1u << lane) - 1));
    const int turns = __reduce_max_sync(all, turn);
    for (int t = 0; t <= turns; t++) {
        if (turn == t)
            mnp_add_to(sums[bin], weight);
        __syncwarp();
    }
}

/* Add the weights of elements begin .. end - 1, by one warp. */
MNP_INLINE void mnp_do_warp(const mnp_histogram_params &p, const mnp_cells &cells, int64_t begin, int64_t end,
                            MNP_SUM *sums)
{
    const mnp_finder finder(p, cells);
    for (int64_t from = begin; from < end; from += 32 * mnp_loads) {
        MNP_BIN bins[mnp_loads];
        MNP_SUM weights[mnp_loads];
#pragma unroll
        for (int u = 0; u < mnp_loads; u++) {
            const int64_t i = from + u * 32 + threadIdx.x % 32;
            bins[u] = -1;
            weights[u] = MNP_SUM{};
            if (i < end) {
                const mnp_place place = mnp_find(p, i);
                bins[u] = finder.find(((const MNP_ELEMENT *)p.elements)[place.element]);
                weights[u] = mnp_to<MNP_SUM>::from(((const MNP_WEIGHT *)p.weights)[place.weight]);
            }
        }
#pragma unroll
        for (int u = 0; u < mnp_loads; u++)
            mnp_take_turns(sums, bins[u], weights[u]);
    }
}

extern "C" __global__ void __launch_bounds__(MNP_HISTOGRAM_THREADS)
    fill_histogram(const __grid_constant__ mnp_histogram_params p)
{
    __shared__ mnp_cells cells;
    cells.make(p);
    const int warps = blockDim.x / 32;
    const int64_t warp = (int64_t)blockIdx.x * warps + threadIdx.x / 32, all = (int64_t)gridDim.x * warps;
    const int64_t begin = mnp_share_begin(p.size, warp, all), end = mnp_share_begin(p.size, warp + 1, all);
#if MNP_SHARED
    extern __shared__ char memory[];
    MNP_SUM *own = (MNP_SUM *)memory, *row = (MNP_SUM *)p.sums + blockIdx.x * p.bins;
    for (int64_t i = threadIdx.x; i < warps * p.bins; i += blockDim.x)
        own[i] = MNP_SUM{};
    __syncthreads();
    mnp_do_warp(p, cells, begin, end, own + threadIdx.x / 32 * p.bins);
    __syncthreads();
    for (int64_t b = threadIdx.x; b < p.bins; b += blockDim.x) {
        MNP_SUM total = own[b];
        for (int w = 1; w < warps; w++)
            mnp_add_to(total, own[w * p.bins + b]);
        row[b] = total;
    }
#else
    mnp_do_warp(p, cells, begin, end, (MNP_SUM *)p.sums + warp * p.bins);
#endif
}

#endif
