/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Histograms on the host.  The bins of a chunk of elements are found in plain loops that the compiler vectorises, then
 * the elements are counted one after the other.  Where there are few bins, several tables are used in turn: reading a
 * counter that was just written has a long latency.
 */
constexpr int mnp_chunk = 256, mnp_tables = 4, mnp_table_bins = 4096;

#if MNP_BINS == MNP_BINS_SEARCH

/*
 * A table that shortens the bisection of edges: cells of equal width, a few for each bin, from which bisection begins.
 * The cell number is monotonic in the value in spite of rounding, so edges in lower cells are less than a value, and
 * those in higher cells are greater.
 */
struct mnp_cells {
    static constexpr int most = 4 * mnp_table_bins;
    int32_t start[most + 1]; /* how many edges are in lower cells */
    int count, width;        /* count: of cells; width: the most edges in one cell */
    double first, scale;
    MNP_INLINE int find(mnp_value value) const
    {
        const double at = ((double)value - first) * scale, last = count - 1, from = at > 0 ? at : 0;
        return (int)(from < last ? from : last);
    }
    void make(const mnp_histogram_params &p)
    {
        first = (double)mnp_edge(p, 0);
        const double span = (double)mnp_edge(p, p.bins) - first;
        count = p.bins <= mnp_table_bins && span > 0 && span - span == 0 ? 4 * (int)p.bins : 1;
        scale = count > 1 && count / span - count / span == 0 ? count / span : 0;
        memset(start, 0, (size_t)(count + 1) * sizeof *start);
        if (count == 1) {
            width = 0; /* bisect all edges */
            return;
        }
        for (int64_t i = 0; i <= p.bins; i++)
            start[find(mnp_edge(p, i)) + 1]++;
        width = 0;
        for (int c = 0; c < count; c++) {
            width = start[c + 1] > width ? start[c + 1] : width;
            start[c + 1] += start[c];
        }
    }
};

#else

struct mnp_cells {
    void make(const mnp_histogram_params &)
    {
    }
};

#endif

#if MNP_BINS == MNP_BINS_NUMBERS

template <bool unit>
static void mnp_find_bins(const mnp_histogram_params &p, const mnp_cells &, const MNP_ELEMENT *x, int64_t stride,
                          int count, MNP_BIN *bin)
{
    for (int j = 0; j < count; j++) {
        const mnp_value value = mnp_value_of(x[unit ? j : j * stride]);
        const bool inside = (value >= 0) & (value < p.bins);
        bin[j] = (MNP_BIN)(inside ? (int64_t)value : p.bins);
    }
}

#elif MNP_BINS == MNP_BINS_EVEN

/* Estimate the bins of a chunk by arithmetic; returns whether any may be wrong, being close to an edge. */
template <bool unit>
static bool mnp_estimate(const mnp_histogram_params &p, const MNP_ELEMENT *x, int64_t stride, int count, MNP_BIN *bin)
{
    const mnp_value first = mnp_edge(p, 0), end = mnp_edge(p, p.bins);
    const MNP_ESTIMATE low = (MNP_ESTIMATE)p.first, scale = (MNP_ESTIMATE)p.scale, margin = (MNP_ESTIMATE)p.margin;
    const MNP_BIN last = (MNP_BIN)(p.bins - 1), none = (MNP_BIN)p.bins;
    MNP_BIN doubtful = 0; /* of the bins' width, so that the loop is vectorised */
    for (int j = 0; j < count; j++) {
        const mnp_value value = mnp_value_of(x[unit ? j : j * stride]);
        const bool inside = (value >= first) & (value <= end);
        const MNP_ESTIMATE position = inside ? ((MNP_ESTIMATE)value - low) * scale : 0;
        const MNP_BIN whole = (MNP_BIN)position, at = whole < last ? whole : last;
        const MNP_ESTIMATE beyond = position - (MNP_ESTIMATE)at;
        const MNP_BIN beside = (beyond < margin) | (beyond > 1 - margin) ? 1 : 0;
        doubtful |= inside ? beside : 0;
        bin[j] = inside ? at : none;
    }
    return doubtful != 0;
}

template <bool unit>
static void mnp_find_bins(const mnp_histogram_params &p, const mnp_cells &, const MNP_ELEMENT *x, int64_t stride,
                          int count, MNP_BIN *bin)
{
    constexpr int few = 64;
    const MNP_BIN none = (MNP_BIN)p.bins;
    for (int from = 0; from < count; from += few) {
        const int to = from + few < count ? from + few : count;
        if (!mnp_estimate<unit>(p, x + from * stride, stride, to - from, bin + from))
            continue;
        for (int j = from; j < to; j++) {
            const MNP_BIN known = bin[j] < none ? bin[j] : 0;
            const MNP_BIN right = mnp_correct(p, mnp_value_of(x[j * stride]), known);
            bin[j] = bin[j] < none ? right : none;
        }
    }
}

#else

template <bool unit>
static void mnp_find_bins(const mnp_histogram_params &p, const mnp_cells &cells, const MNP_ELEMENT *x, int64_t stride,
                          int count, MNP_BIN *bin)
{
    const mnp_value first = mnp_edge(p, 0), end = mnp_edge(p, p.bins);
    const MNP_BIN last = (MNP_BIN)(p.bins - 1), none = (MNP_BIN)p.bins;
    mnp_value values[mnp_chunk];
    MNP_BIN below[mnp_chunk]; /* how many edges are known not to be above the element */
    for (int j = 0; j < count; j++) {
        values[j] = mnp_value_of(x[unit ? j : j * stride]);
        below[j] = cells.start[cells.find(values[j])];
    }
    for (int64_t left = cells.width ? cells.width : p.bins + 1; left > 0; left -= (left + 1) / 2) {
        const MNP_BIN half = (MNP_BIN)((left + 1) / 2);
        for (int j = 0; j < count; j++) {
            const int64_t at = (int64_t)below[j] + half - 1;
            below[j] += mnp_edge(p, at < none ? at : none) <= values[j] && at <= none ? half : 0;
        }
    }
    for (int j = 0; j < count; j++) {
        const bool inside = (values[j] >= first) & (values[j] <= end);
        const MNP_BIN at = (MNP_BIN)(below[j] - 1);
        bin[j] = inside ? at < last ? at : last : none;
    }
}

#endif

/* Call take(bins, count, weights, stride of the weights) for each chunk of elements begin .. end - 1, in order. */
template <typename Take> MNP_INLINE void mnp_visit(const mnp_histogram_params &p, int64_t begin, int64_t end, Take take)
{
    const int64_t extent = p.extent[p.ndim - 1], stride = p.stride[p.ndim - 1], step = p.weight_stride[p.ndim - 1];
    MNP_BIN bin[mnp_chunk];
    mnp_cells cells;
    cells.make(p);
    while (begin < end) {
        const int64_t along = extent - begin % extent, most = end - begin < along ? end - begin : along;
        const mnp_place place = mnp_find(p, begin);
        const MNP_ELEMENT *x = (const MNP_ELEMENT *)p.elements + place.element;
        for (int64_t from = 0; from < most; from += mnp_chunk) {
            const int count = (int)(most - from < mnp_chunk ? most - from : mnp_chunk);
            if (stride == 1)
                mnp_find_bins<true>(p, cells, x + from, 1, count, bin);
            else
                mnp_find_bins<false>(p, cells, x + from * stride, stride, count, bin);
            take(bin, count, place.weight + from * step, step);
        }
        begin += most;
    }
}

#if MNP_WEIGHTED

static void mnp_do_group(const mnp_histogram_params &p, int64_t begin, int64_t end, MNP_SUM *sums)
{
    const MNP_WEIGHT *weights = (const MNP_WEIGHT *)p.weights;
    mnp_visit(p, begin, end, [&](const MNP_BIN *bin, int count, int64_t weight, int64_t step) {
        for (int j = 0; j < count; j++)
            if (bin[j] < p.bins)
                mnp_add_to(sums[bin[j]], mnp_to<MNP_SUM>::from(weights[weight + j * step]));
    });
}

#else

static void mnp_count_few(const mnp_histogram_params &p, int64_t begin, int64_t end, MNP_SUM *sums)
{
    uint32_t table[(mnp_table_bins + 1) * mnp_tables]; /* the last row is for elements in no bin */
    memset(table, 0, (size_t)(p.bins + 1) * mnp_tables * sizeof *table);
    mnp_visit(p, begin, end, [&](const MNP_BIN *bin, int count, int64_t, int64_t) {
        int j = 0;
        for (; j + mnp_tables <= count; j += mnp_tables)
            for (int t = 0; t < mnp_tables; t++)
                table[(int64_t)bin[j + t] * mnp_tables + t]++;
        for (; j < count; j++)
            table[(int64_t)bin[j] * mnp_tables]++;
    });
    for (int64_t b = 0; b < p.bins; b++)
        for (int t = 0; t < mnp_tables; t++)
            sums[b] += table[b * mnp_tables + t];
}

static void mnp_do_group(const mnp_histogram_params &p, int64_t begin, int64_t end, MNP_SUM *sums)
{
    constexpr int64_t most = (int64_t)1 << 31; /* elements that the tables' counters can count */
    if (p.bins <= mnp_table_bins) {
        for (; end - begin > most; begin += most)
            mnp_count_few(p, begin, begin + most, sums);
        mnp_count_few(p, begin, end, sums);
        return;
    }
    mnp_visit(p, begin, end, [&](const MNP_BIN *bin, int count, int64_t, int64_t) {
        for (int j = 0; j < count; j++)
            if (bin[j] < p.bins)
                sums[bin[j]]++;
    });
}

#endif

MNP_KERNEL(fill_histogram, mnp_histogram_params)
{
    MNP_FOR (g, p.groups)
        mnp_do_group(p, mnp_share_begin(p.size, g, p.groups), mnp_share_begin(p.size, g + 1, p.groups),
                     (MNP_SUM *)p.sums + g * p.bins);
}
