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
 * of the elements.  If there is room for two warps, each lane has sums of its own.  Otherwise lanes with the same bin
 * add one after the other.  A block adds its warps' sums, in their order, into a row.
 * Where there are too many bins for a block's shared memory, each warp has a row in global memory.
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

/* The integral part of a number from 0 on. */
template <typename T> MNP_INLINE int mnp_whole(T number)
{
    return (int)number;
}
MNP_INLINE int mnp_whole(float number)
{
    float rest;
    return (int)mnp_split(number, rest);
}

/*
 * A table in shared memory that shortens the bisection of edges, as that of histogram_host.h: cells of equal width,
 * some for each bin.  The cell number is monotonic in the value in spite of rounding, so edges in lower cells are less
 * than a value, and those in higher cells are greater.  A cell has its first edge, which is the only one mostly.
 */
struct mnp_cell {
    mnp_value edge; /* infinite where there is none */
    int below;      /* how many edges are in lower cells; negative, below - MANY: there are several in this one */
};

struct mnp_cells {
    enum { MANY = 1 << 30 };
    static constexpr int most = 16384 / sizeof(mnp_cell), most_bins = 1024;
    mnp_value edges[most_bins + 1];
    mnp_cell cells[most + 1];
    int count; /* of cells; 0: there is no table */
    mnp_value first, scale;
    MNP_INLINE int find(mnp_value value) const
    {
        return find(value, first, scale, (mnp_value)(count - 1));
    }
    /* The cell of a value, by what a thread has read of the table. */
    static MNP_INLINE int find(mnp_value value, mnp_value first, mnp_value scale, mnp_value last)
    {
        const mnp_value at = (value - first) * scale, from = at > 0 ? at : 0;
        return mnp_whole(from < last ? from : last);
    }
    MNP_INLINE int below(int c) const
    {
        const int number = cells[c].below;
        return number < 0 ? number + MANY : number;
    }
    /* How many edges are not above a value, whose cell has several. */
    __device__ __noinline__ int search(int c, mnp_value value) const
    {
        int low = below(c), high = below(c + 1);
        while (low < high) {
            const int middle = (low + high) / 2;
            if (edges[middle] <= value)
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    }
    /* All threads of the block call it. */
    MNP_INLINE void make(const mnp_histogram_params &p)
    {
        const mnp_value span = mnp_edge(p, p.bins) - mnp_edge(p, 0);
        const int wanted = 16 * p.bins < most ? (int)(16 * p.bins) : most;
        const mnp_value all = (mnp_value)wanted, ratio = all / span;
        if (threadIdx.x == 0) {
            count = is_float && p.bins <= most_bins && span > 0 && span - span == 0 && ratio - ratio == 0 ? wanted : 0;
            first = mnp_edge(p, 0);
            scale = ratio;
        }
        __syncthreads();
        for (int c = threadIdx.x; c <= count; c += blockDim.x)
            cells[c].below = 0;
        __syncthreads();
        for (int i = threadIdx.x; count > 0 && i <= p.bins; i += blockDim.x) {
            edges[i] = mnp_edge(p, i);
            atomicAdd(&cells[find(edges[i]) + 1].below, 1);
        }
        __syncthreads();
        if (threadIdx.x < 32) { /* sums of what is before */
            int so_far = 0, sum;
            for (int c = threadIdx.x; count > 0 && c - (int)threadIdx.x <= count; c += 32) {
                const int own = c <= count ? cells[c].below : 0, before = mnp_prefix_warp(own, &sum);
                if (c <= count)
                    cells[c].below = so_far + before + own;
                so_far += sum;
            }
        }
        __syncthreads();
        for (int c = threadIdx.x; c < count; c += blockDim.x) {
            const int begin = cells[c].below, edges_of_cell = below(c + 1) - begin; /* the next may be marked already */
            cells[c].edge = edges_of_cell > 0 ? edges[begin] : (mnp_value)mnp_float_of(0x7f800000);
            if (edges_of_cell > 1)
                cells[c].below = begin - MANY;
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

#if MNP_BINS == MNP_BINS_SEARCH
/* How many edges are not above a value, which lies between the outer ones.  Not inlined, as it is long. */
__device__ __noinline__ MNP_BIN mnp_search(const MNP_COMPARED *edges, int64_t bins, mnp_value value)
{
    MNP_BIN below = 0;
    for (int64_t left = bins + 1; left > 1; left -= left / 2)
        below += (mnp_value)edges[below + left / 2 - 1] <= value ? (MNP_BIN)(left / 2) : 0;
    return below + ((mnp_value)edges[below] <= value);
}
#endif

/* What a thread keeps in registers to find bins. */
struct mnp_finder {
    const mnp_histogram_params &p;
#if MNP_BINS == MNP_BINS_SEARCH
    const mnp_cells &cells;
    const mnp_value first, end;
#if MNP_SHARED
    const bool has_cells;
    const mnp_value scale, last_cell; /* of the table */
    MNP_INLINE mnp_finder(const mnp_histogram_params &p, const mnp_cells &cells)
        : p(p), cells(cells), first(mnp_edge(p, 0)), end(mnp_edge(p, p.bins)), has_cells(cells.count > 0),
          scale(cells.scale), last_cell((mnp_value)(cells.count - 1))
    {
    }
#else
    MNP_INLINE mnp_finder(const mnp_histogram_params &p, const mnp_cells &cells)
        : p(p), cells(cells), first(mnp_edge(p, 0)), end(mnp_edge(p, p.bins))
    {
    }
#endif
    /* How many edges are not above a value, which lies between the outer ones. */
    MNP_INLINE MNP_BIN count_below(mnp_value value) const
    {
#if MNP_SHARED
        if (has_cells) {
            const int c = mnp_cells::find(value, first, scale, last_cell);
            const mnp_cell cell = cells.cells[c];
            if (cell.below < 0)
                return (MNP_BIN)cells.search(c, value);
            return (MNP_BIN)(cell.below + (cell.edge <= value));
        }
#endif
        return mnp_search((const MNP_COMPARED *)p.edges, p.bins, value);
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

#if MNP_COPIES

constexpr int mnp_copies = 5; /* 2^5 copies of a warp's sums, one for each lane */

enum { MNP_FOUR = 4, MNP_FOURS = 4 }; /* elements that a lane adds at a time, and how often before it loads again */

/* Elements of a lane and their weights. */
struct mnp_four {
    MNP_BIN bin[MNP_FOUR];
    MNP_SUM weight[MNP_FOUR];
};

/* Add weights to a lane's own sums in their order.  Sums are read before any is written, so that the reads overlap. */
MNP_INLINE void mnp_add_four(MNP_SUM *sums, const mnp_four &four)
{
    MNP_SUM sum[MNP_FOUR];
#pragma unroll
    for (int k = 0; k < MNP_FOUR; k++)
        sum[k] = four.bin[k] < 0 ? MNP_SUM{} : sums[four.bin[k] << mnp_copies];
#pragma unroll
    for (int k = 0; k < MNP_FOUR; k++) {
#pragma unroll
        for (int j = 0; j < k; j++)
            sum[k] = four.bin[j] == four.bin[k] ? sum[j] : sum[k];
        mnp_add_to(sum[k], four.weight[k]);
    }
#pragma unroll
    for (int k = 0; k < MNP_FOUR; k++)
        if (four.bin[k] >= 0)
            sums[four.bin[k] << mnp_copies] = sum[k];
}

/* Four values in memory, which are loaded together. */
template <typename T> struct alignas(4 * sizeof(T) < 16 ? 4 * sizeof(T) : 16) mnp_adjacent {
    T at[MNP_FOUR];
};

/* What a lane loads before it adds. */
struct mnp_batch {
    mnp_adjacent<MNP_ELEMENT> x[MNP_FOURS];
    mnp_adjacent<MNP_WEIGHT> weight[MNP_FOURS];
    MNP_INLINE void load(const mnp_histogram_params &p, int64_t from)
    {
        const int64_t first = from / MNP_FOUR + threadIdx.x % 32;
#pragma unroll
        for (int u = 0; u < MNP_FOURS; u++) {
            x[u] = ((const mnp_adjacent<MNP_ELEMENT> *)p.elements)[first + u * 32];
            weight[u] = ((const mnp_adjacent<MNP_WEIGHT> *)p.weights)[first + u * 32];
        }
    }
};

/* Add dense elements from `begin` on, as many whole batches as there are; returns where the rest begins. */
MNP_INLINE int64_t mnp_do_batches(const mnp_histogram_params &p, const mnp_finder &finder, int64_t begin, int64_t end,
                                  MNP_SUM *sums)
{
    const int64_t each = 32 * MNP_FOUR * MNP_FOURS;
    mnp_batch batch, next;
    if (begin + each <= end)
        batch.load(p, begin);
    for (; begin + each <= end; begin += each) {
        next.load(p, begin + 2 * each <= end ? begin + each : begin);
#pragma unroll
        for (int u = 0; u < MNP_FOURS; u++) {
            mnp_four four;
#pragma unroll
            for (int k = 0; k < MNP_FOUR; k++) {
                four.bin[k] = finder.find(batch.x[u].at[k]);
                four.weight[k] = mnp_to<MNP_SUM>::from(batch.weight[u].at[k]);
            }
            mnp_add_four(sums, four);
        }
        batch = next;
    }
    return begin;
}

/* Add the weights of elements begin .. end - 1, by one warp. */
MNP_INLINE void mnp_do_warp(const mnp_histogram_params &p, const mnp_cells &cells, int64_t begin, int64_t end,
                            MNP_SUM *sums)
{
    const mnp_finder finder(p, cells);
    MNP_SUM *own = sums + threadIdx.x % 32;
    if (p.ndim == 1 && p.stride[0] == 1 && p.weight_stride[0] == 1 &&
        (uint64_t)p.elements % alignof(mnp_adjacent<MNP_ELEMENT>) == 0 &&
        (uint64_t)p.weights % alignof(mnp_adjacent<MNP_WEIGHT>) == 0)
        begin = mnp_do_batches(p, finder, begin, end, own);
    for (int64_t from = begin; from < end; from += 32 * MNP_FOUR) {
        mnp_four four;
#pragma unroll
        for (int k = 0; k < MNP_FOUR; k++) {
            const int64_t i = from + k * 32 + threadIdx.x % 32;
            four.bin[k] = -1;
            four.weight[k] = MNP_SUM{};
            if (i < end) {
                const mnp_place place = mnp_find(p, i);
                four.bin[k] = finder.find(((const MNP_ELEMENT *)p.elements)[place.element]);
                four.weight[k] = mnp_to<MNP_SUM>::from(((const MNP_WEIGHT *)p.weights)[place.weight]);
            }
        }
        mnp_add_four(own, four);
    }
}

/* Where the elements of a warp begin: a multiple of four, so that they can be loaded together. */
MNP_INLINE int64_t mnp_begin_of(const mnp_histogram_params &p, int64_t warp, int64_t warps)
{
    return mnp_least(mnp_share_begin((p.size + MNP_FOUR - 1) / MNP_FOUR, warp, warps) * MNP_FOUR, p.size);
}

#else

constexpr int mnp_copies = 0;

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

MNP_INLINE int64_t mnp_begin_of(const mnp_histogram_params &p, int64_t warp, int64_t warps)
{
    return mnp_share_begin(p.size, warp, warps);
}

#endif

extern "C" __global__ void __launch_bounds__(MNP_HISTOGRAM_THREADS)
    fill_histogram(const __grid_constant__ mnp_histogram_params p)
{
    __shared__ mnp_cells cells;
    cells.make(p);
    const int warps = blockDim.x / 32;
    const int64_t warp = (int64_t)blockIdx.x * warps + threadIdx.x / 32, all = (int64_t)gridDim.x * warps;
    const int64_t begin = mnp_begin_of(p, warp, all), end = mnp_begin_of(p, warp + 1, all);
#if MNP_SHARED
    extern __shared__ char memory[];
    const int64_t of_warp = p.bins << mnp_copies;
    MNP_SUM *own = (MNP_SUM *)memory, *row = (MNP_SUM *)p.sums + blockIdx.x * p.bins;
    for (int64_t i = threadIdx.x; i < warps * of_warp; i += blockDim.x)
        own[i] = MNP_SUM{};
    __syncthreads();
    mnp_do_warp(p, cells, begin, end, own + threadIdx.x / 32 * of_warp);
    __syncthreads();
    for (int64_t b = threadIdx.x; b < p.bins; b += blockDim.x) {
        MNP_SUM total = MNP_SUM{};
        for (int w = 0; w < warps; w++) /* threads begin with different copies, which are in different banks */
            for (int c = 0; c < 1 << mnp_copies; c++)
                mnp_add_to(total, own[w * of_warp + (b << mnp_copies) + ((b + c) & ((1 << mnp_copies) - 1))]);
        row[b] = total;
    }
#else
    mnp_do_warp(p, cells, begin, end, (MNP_SUM *)p.sums + warp * p.bins);
#endif
}

#endif
