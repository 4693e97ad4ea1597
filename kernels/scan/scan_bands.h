/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Scans of neighbouring lines by blocks of a GPU, which read and write memory once.
 *
 * A block copies a band to shared memory: some rows of p.columns adjacent lines.  A thread has a strip of a line there,
 * and joins its elements.  Where columns are few, threads of a warp have strips of the same line, and shuffles join
 * their totals.  The totals of these groups are joined in shared memory, and what is before the band comes from earlier
 * bands of the same lines (scan_look_back.h), where several threads of a warp look back along a line each.  Then each
 * thread goes through its strip again.  Blocks take the first bands of all lines, then the second ones, and so on: what
 * a band waits for has then mostly been found.
 */
/* The strip of a thread. */
struct mnp_place {
    int column, group; /* groups of strips are joined by shuffles */
    int strip, strips; /* its number in the group, and how many there are */
    int groups;
    bool there;

    MNP_INLINE mnp_place(int columns)
    {
        const bool by_warps = columns <= 16;
        const int number = by_warps ? threadIdx.x % 32 : threadIdx.x, row = number / columns;
        column = number - row * columns;
        strips = by_warps ? 32 / columns : 1;
        strip = by_warps ? row : 0;
        groups = by_warps ? MNP_THREADS / 32 : MNP_THREADS / columns;
        group = by_warps ? threadIdx.x / 32 : row;
        there = by_warps ? row < strips : row < groups;
    }
};

/*
 * Find the results of the `count` elements of a strip, which are `step` apart; `first` is the total before it.  Results
 * that have another size overwrite elements of other threads, so that all elements are read first.
 */
MNP_INLINE void mnp_go_on(const mnp_in *elements, mnp_out *results, int step, int count, const mnp_acc &first)
{
    constexpr int batch = !mnp_in_place ? MNP_UNROLL : sizeof(mnp_acc) > 16 ? 1 : 4;
    mnp_in value[batch];
    mnp_so_far so_far;
    so_far.start(first);
    int j = 0;
    for (; mnp_in_place && j + batch <= count; j += batch) {
#pragma unroll
        for (int i = 0; i < batch; i++, elements += step)
            value[i] = *elements;
#pragma unroll
        for (int i = 0; i < batch; i++, results += step) {
            so_far.take(value[i]);
            *results = mnp_result(so_far.end());
        }
    }
#pragma unroll
    for (int i = 0; i < batch; i++) {
        if (j + i < count)
            value[i] = elements[i * step];
    }
    if (!mnp_in_place)
        __syncthreads();
#pragma unroll
    for (int i = 0; i < batch; i++) {
        if (j + i < count) {
            so_far.take(value[i]);
            results[i * step] = mnp_result(so_far.end());
        }
    }
}

/* The total of the elements of a line before the band; `all` is the total of the band. */
MNP_INLINE mnp_acc mnp_before_band(const mnp_scan_params &p, int64_t chain, int64_t band, int64_t line, int team,
                                   bool there, const mnp_acc &all)
{
    const int column = threadIdx.x / team, lane = threadIdx.x & (team - 1);
    mnp_acc known = mnp_empty<mnp_op>();
    if (band == 0 && there && lane == 0) {
        int64_t index[MNP_KEPT];
        mnp_unravel<MNP_KEPT>(p.kept, line + column, index);
        known = mnp_before_line(p, index);
    }
    if (p.parts == 1)
        return known;
    const int64_t step = p.columns * mnp_record_words;
    mnp_record *const bands = (mnp_record *)p.state + 1 + chain * p.parts * step + column * mnp_record_words;
    if (band > 0) {
        if (there && lane == 0)
            mnp_tell(p, bands + band * step, all, MNP_OF_TILE);
        known = mnp_look_back(p, bands, step, band, team, there);
    }
    if (there && lane == 0) {
        mnp_acc end = known;
        mnp_op::join(end, all);
        mnp_tell(p, bands + band * step, end, MNP_UP_TO_END);
    }
    return known;
}

/* Registers are limited so that as many blocks fit as shared memory allows, unless an accumulator is large. */
constexpr bool mnp_large_band = MNP_THREADS * MNP_UNROLL * sizeof(mnp_out) > 32768;
constexpr int mnp_blocks = sizeof(mnp_acc) > 16 ? 1 : mnp_large_band ? 4 : mnp_in_place ? 6 : MNP_UNROLL > 15 ? 4 : 5;

extern "C" __global__ void __launch_bounds__(MNP_THREADS, mnp_blocks)
    MNP_SCAN(const __grid_constant__ mnp_scan_params p)
{
    extern __shared__ uint4 mnp_shared[];
    __shared__ mnp_acc totals[MNP_THREADS], known[MNP_SCAN_BAND_COLUMNS];
    __shared__ int64_t shared_number;
    const int most = (int)p.columns, strip = (int)p.strip;
    const mnp_place place(most);
    const int most_rows = place.groups * place.strips * strip;
    int64_t number = blockIdx.x;
    if (p.parts > 1) {
        if (threadIdx.x == 0)
            shared_number = mnp_take_number(p);
        __syncthreads();
        number = shared_number;
    }
    /* Which band it is: `chain` numbers the columns of bands. */
    const int64_t width = p.kept[MNP_KEPT - 1], across = (width + most - 1) / most, chains = p.lines / width * across;
    const int64_t band = number / chains, chain = number - band * chains, outer = chain / across;
    const int64_t first_column = (chain - outer * across) * most, line = outer * width + first_column;
    const int64_t first_row = band * most_rows;
    const int columns = (int)mnp_least(most, width - first_column);
    const int rows = (int)mnp_least(most_rows, p.length - first_row);
    int64_t index[MNP_KEPT];
    mnp_unravel<MNP_KEPT>(p.kept, line, index);
    const int64_t in_offset = mnp_offset<MNP_KEPT>(p.in.kept, index) + first_row * p.in.along;
    const int64_t out_offset = mnp_offset<MNP_KEPT>(p.out.kept, index) + first_row * p.out.along;
    const mnp_in *const in = (const mnp_in *)p.in.base + in_offset;
    mnp_out *const out = (mnp_out *)p.out.base + out_offset;
    const mnp_box box = {1, rows, columns, 0, nullptr};
    mnp_in *const elements = mnp_room_of_elements(mnp_shared, in, out);
    mnp_out *const results = mnp_room_of_results(mnp_shared, elements, out);
    mnp_stage_box(elements, in, p.in, box);
    mnp_await_stage();

    const bool there = place.there && place.column < columns;
    const int begin = (place.group * place.strips + place.strip) * strip;
    const int end = there && begin < rows ? (int)mnp_least(begin + strip, rows) : begin;
    mnp_op::lanes<1> lanes;
    lanes.start(0);
#pragma unroll 4
    for (int j = begin; j < end; j++)
        mnp_take(lanes, 0, elements[j * columns + place.column]);
    mnp_acc acc = lanes.end(0);
    const mnp_acc before =
        place.strips == 1 ? mnp_empty<mnp_op>() : mnp_join_threads(place.strip, place.strips, most, acc);
    if (there && place.strip == place.strips - 1)
        totals[place.group * most + place.column] = acc;
    __syncthreads();
    /* Teams of threads find what is before the band in a line each. */
    int team = 32;
    while (team * most > MNP_THREADS)
        team /= 2;
    const int column = threadIdx.x / team;
    mnp_acc all = mnp_empty<mnp_op>();
    for (int g = 0; column < columns && g < place.groups; g++)
        mnp_op::join(all, totals[g * most + column]);
    const mnp_acc found = mnp_before_band(p, chain, band, line, team, column < columns, all);
    if (column < columns && threadIdx.x % team == 0)
        known[column] = found;
    __syncthreads();
    mnp_acc first = known[there ? place.column : 0];
    for (int g = 0; there && g < place.group; g++)
        mnp_op::join(first, totals[g * most + place.column]);
    mnp_op::join(first, before);
    mnp_go_on(elements + begin * columns + place.column, results + begin * columns + place.column, columns, end - begin,
              first);
    __syncthreads();
    mnp_unstage_box(out, results, p.out, box);
}
