/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Products on the host: plain loops.  Rows are divided among the workers so that these have equally many entries.
 */

#if MNP_FORMAT_CSR

/* The first line of a worker's share. */
static int64_t first_line_of(const part &a, int64_t lines, int64_t worker, int64_t workers)
{
    return first_line(a.offsets, lines, mnp_share_begin(a.offsets[lines] + lines, worker, workers));
}

/* The product of a line with `count` vectors from column c on; the sums stay in registers. */
template <int count> static void row_times(part &a, int64_t line, int64_t row, int64_t c)
{
    MNP_VECTOR sums[count] = {};
    for (int64_t k = a.offsets[line]; k < (int64_t)a.offsets[line + 1]; k++) {
        const MNP_VALUE value = a.values[k];
        const MNP_VECTOR *x = a.x + a.indices[k] * a.width + c;
        for (int v = 0; v < count; v++)
            sums[v] += product(value, x[v]);
    }
    for (int v = 0; v < count; v++)
        a.put(row * a.width + c + v, sums[v]);
}

static void row_times_all(part &a, int64_t line, int64_t row)
{
    int64_t c = 0;
    for (; c + 8 <= a.width; c += 8)
        row_times<8>(a, line, row, c);
    for (; c + 2 <= a.width; c += 2)
        row_times<2>(a, line, row, c);
    for (; c < a.width; c++)
        row_times<1>(a, line, row, c);
}

/* The sum of the products of entries k .. end - 1, in two partial sums, so that additions overlap. */
static MNP_INLINE MNP_VECTOR row_sum(const part &a, int64_t k, int64_t end)
{
    MNP_VECTOR even = {}, odd = {};
    for (; k + 1 < end; k += 2) {
        even += product(a.values[k], a.x[a.indices[k]]);
        odd += product(a.values[k + 1], a.x[a.indices[k + 1]]);
    }
    if (k < end)
        even += product(a.values[k], a.x[a.indices[k]]);
    return even + odd;
}

/* Take lines while they have exactly `length` entries: the loop over these is unrolled.  Returns the next line. */
template <int length> static MNP_INLINE int64_t lines_alike(part &a, int64_t line, int64_t end)
{
    int64_t k = a.offsets[line];
    do {
        a.put(a.row_of(line), row_sum(a, k, k + length));
        k += length;
        line++;
    } while (line < end && a.offsets[line + 1] - k == length);
    return line;
}

static MNP_INLINE int64_t some_lines(part &a, int64_t line, int64_t end)
{
    const int64_t k = a.offsets[line], next = a.offsets[line + 1];
    switch (next - k) {
    case 1:
        return lines_alike<1>(a, line, end);
    case 2:
        return lines_alike<2>(a, line, end);
    case 3:
        return lines_alike<3>(a, line, end);
    case 4:
        return lines_alike<4>(a, line, end);
    case 5:
        return lines_alike<5>(a, line, end);
    case 6:
        return lines_alike<6>(a, line, end);
    case 7:
        return lines_alike<7>(a, line, end);
    default:
        a.put(a.row_of(line), row_sum(a, k, next));
        return line + 1;
    }
}

/*
 * Take lines up to `end`; returns the dot.  A function of its own, so that the caller's loop takes no registers from
 * it.
 */
static __attribute__((noinline)) mnp_w all_lines(part a, int64_t line, int64_t end)
{
    while (line < end)
        line = some_lines(a, line, end);
    return a.dot;
}

/*
 * Prefetch as many entries as k .. end - 1, further on.  Between short rows hardware prefetching fails, and products
 * without this take twice the time (measured).  Addresses are computed as integers, as they may lie beyond the end.
 */
static MNP_INLINE void fetch_ahead(const part &a, int64_t k, int64_t end)
{
    enum { LINE = 64 / sizeof(MNP_VALUE), AHEAD = 64 * LINE }; /* values of a cache line; the distance in values */
    enum { INDICES = 64 / sizeof(int) };
    for (int64_t ahead = k + AHEAD; ahead < end + AHEAD; ahead += LINE)
        __builtin_prefetch((const void *)((uintptr_t)a.values + ahead * sizeof *a.values));
    for (int64_t ahead = k + AHEAD; ahead < end + AHEAD; ahead += INDICES)
        __builtin_prefetch((const void *)((uintptr_t)a.indices + ahead * sizeof *a.indices));
}

/* For how many lines to prefetch at a time: as many requests as a processor has in flight. */
static MNP_INLINE int64_t lines_at_once(int64_t lines, int64_t entries)
{
    enum { ENTRIES = 128 };
    return ENTRIES * lines / (entries + 1) + 1;
}

MNP_KERNEL(spmv, mnp_spmv_params)
{
    if (is_over(p))
        return;
    MNP_WORKER(w);
    part a = open_part(p);
    const int64_t end = first_line_of(a, p.lines, worker + 1, workers), at_once = lines_at_once(p.lines, p.count);
    for (int64_t line = first_line_of(a, p.lines, worker, workers), stop; line < end; line = stop) {
        stop = line + at_once < end ? line + at_once : end;
        fetch_ahead(a, a.offsets[line], a.offsets[stop]);
        if (!MNP_WIDE)
            a.dot = all_lines(a, line, stop);
        for (; MNP_WIDE && line < stop; line++)
            row_times_all(a, line, a.row_of(line));
    }
    close_part(p, w, a);
}

#elif MNP_FORMAT_CSC

/* CSC, by a single worker, as entries of one row are in many columns. */
MNP_KERNEL(spmv, mnp_spmv_params)
{
    const part a = open_part(p);
    if (worker > 0)
        return;
    (void)workers;
    for (int64_t column = 0; column < p.columns; column++)
        for (int64_t k = a.offsets[column]; k < (int64_t)a.offsets[column + 1]; k++)
            for (int64_t c = 0; c < a.width; c++)
                a.y[a.indices[k] * a.width + c] += product(a.values[k], a.x[column * a.width + c]);
}

#elif MNP_FORMAT_COO

/* COO: where a worker's entries begin; it has whole rows. */
static int64_t first_entry(const part &a, int64_t count, int64_t worker, int64_t workers)
{
    int64_t k = mnp_share_begin(count, worker, workers);
    while (k > 0 && k < count && a.rows_of[k] == a.rows_of[k - 1])
        k++;
    return k;
}

MNP_KERNEL(spmv, mnp_spmv_params)
{
    const part a = open_part(p);
    const int64_t end = first_entry(a, p.count, worker + 1, workers);
    for (int64_t k = first_entry(a, p.count, worker, workers); k < end; k++)
        for (int64_t c = 0; c < a.width; c++)
            a.y[a.rows_of[k] * a.width + c] += product(a.values[k], a.x[a.indices[k] * a.width + c]);
}

#elif MNP_FORMAT_DIA

/* DIA: for a run of rows whose sums stay in the first-level cache, one diagonal after the other. */
MNP_KERNEL(spmv, mnp_spmv_params)
{
    enum { RUN = 1024 };
    if (is_over(p))
        return;
    MNP_WORKER(w);
    part a = open_part(p);
    const int64_t end = mnp_share_begin(p.rows, worker + 1, workers);
    for (int64_t first = mnp_share_begin(p.rows, worker, workers); first < end; first += RUN) {
        const int64_t last = first + RUN < end ? first + RUN : end;
        for (int64_t c = 0; c < a.width; c++) {
            MNP_VECTOR sums[RUN] = {};
            for (int64_t d = 0; d < p.lines; d++) {
                const int64_t diagonal = a.indices[d], low = first > -diagonal ? first : -diagonal;
                const int64_t high = last < p.columns - diagonal ? last : p.columns - diagonal;
                const MNP_VALUE *values = a.values + d * p.rows;
                const MNP_VECTOR *x = a.x + diagonal * a.width + c;
                for (int64_t i = low; i < high; i++)
                    sums[i - first] += product_if_stored(values[i], x[i * a.width]);
            }
            for (int64_t i = first; i < last; i++)
                a.put(i * a.width + c, sums[i - first]);
        }
    }
    close_part(p, w, a);
}

#elif MNP_FORMAT_BSR

MNP_KERNEL(spmv, mnp_spmv_params)
{
    if (is_over(p))
        return;
    MNP_WORKER(w);
    part a = open_part(p);
    MNP_FOR (line, p.lines) {
        const int64_t first = line * MNP_BLOCK, rows = p.rows - first < MNP_BLOCK ? p.rows - first : MNP_BLOCK;
        for (int64_t c = 0; c < a.width; c++) {
            MNP_VECTOR sums[MNP_BLOCK] = {};
            for (int64_t b = a.offsets[line]; b < (int64_t)a.offsets[line + 1]; b++) {
                const MNP_VALUE *values = a.values + b * MNP_BLOCK * MNP_BLOCK;
                const int64_t column = (int64_t)a.indices[b] * MNP_BLOCK;
                const MNP_VECTOR *x = a.x + column * a.width + c;
                const int64_t columns = p.columns - column < MNP_BLOCK ? p.columns - column : MNP_BLOCK;
                if (columns == MNP_BLOCK) {
                    for (int i = 0; i < MNP_BLOCK; i++)
                        for (int j = 0; j < MNP_BLOCK; j++)
                            sums[i] += product(values[i * MNP_BLOCK + j], x[j * a.width]);
                } else {
                    for (int i = 0; i < MNP_BLOCK; i++)
                        for (int j = 0; j < columns; j++)
                            sums[i] += product(values[i * MNP_BLOCK + j], x[j * a.width]);
                }
            }
            for (int i = 0; i < rows; i++)
                a.put((first + i) * a.width + c, sums[i]);
        }
    }
    close_part(p, w, a);
}

#elif MNP_FORMAT_SELL

/*
 * SELL, row by row: vectors across the rows of a slice would need gathers of x, which are slower than loads.
 */
MNP_KERNEL(spmv, mnp_spmv_params)
{
    if (is_over(p))
        return;
    MNP_WORKER(w);
    part a = open_part(p);
    MNP_FOR (row, p.rows) {
        const int64_t begin = a.offsets[row / MNP_SPMV_SLICE] + row % MNP_SPMV_SLICE;
        const int64_t end = begin + (int64_t)a.rows_of[row] * MNP_SPMV_SLICE;
        for (int64_t c = 0; c < a.width; c++) {
            MNP_VECTOR sum = {};
            for (int64_t k = begin; k < end; k += MNP_SPMV_SLICE)
                sum += product(a.values[k], a.x[a.indices[k] * a.width + c]);
            a.put(row * a.width + c, sum);
        }
    }
    close_part(p, w, a);
}

#endif
