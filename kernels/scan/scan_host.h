/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Scans on the host.  A worker computes its share of the lines, or of the parts of lines.
 *
 * Within a line every addition waits for the one before.  So a row is divided into blocks of a few segments: vectorised
 * loops find the total of each segment, and then the segments are scanned side by side.  Columns have a set each, to
 * which vectorised loops add one element at a time.  Sets are joined to an accumulator every so many elements, so that
 * rounding errors stay small.
 */
#if MNP_WAY == MNP_SCAN_COLUMNS

constexpr int mnp_set_count = 256;
constexpr int64_t mnp_most = 64; /* elements of a set before it is joined */

template <bool values> static void mnp_do_columns(const mnp_scan_params &p, int64_t line, int columns, int64_t part)
{
    const int64_t begin = mnp_share_begin(p.length, part, p.parts), end = mnp_share_begin(p.length, part + 1, p.parts);
    const int64_t in_step = MNP_UNIT_IN ? 1 : p.in.kept[MNP_KEPT - 1];
    const int64_t out_step = MNP_UNIT_OUT ? 1 : p.out.kept[MNP_KEPT - 1];
    int64_t index[MNP_KEPT];
    mnp_acc before[mnp_set_count];
    mnp_op::lanes<mnp_set_count> lanes;
    mnp_unravel<MNP_KEPT>(p.kept, line, index);
    const mnp_in *in = (const mnp_in *)p.in.base + mnp_offset<MNP_KEPT>(p.in.kept, index);
    mnp_out *out = (mnp_out *)p.out.base + mnp_offset<MNP_KEPT>(p.out.kept, index);
    for (int j = 0; j < columns; j++, index[MNP_KEPT - 1]++)
        before[j] = values ? mnp_before_part(p, index, line + j, part) : mnp_empty<mnp_op>();
    for (int64_t from = begin; from < end; from += mnp_most) {
        for (int j = 0; j < columns; j++)
            lanes.start(j);
        for (int64_t r = from; r < from + mnp_most && r < end; r++) {
            const mnp_in *row = in + r * p.in.along;
#if MNP_LOOKS
            for (int j = 0; j < columns; j++) {
                mnp_add_element(before[j], row[j * in_step]);
                if (values)
                    out[r * p.out.along + j * out_step] = mnp_result(before[j]);
            }
#else
            for (int j = 0; j < columns; j++)
                mnp_take(lanes, j, row[j * in_step]);
            for (int j = 0; values && j < columns; j++) {
                mnp_acc acc = before[j];
                mnp_op::join(acc, lanes.end(j));
                out[r * p.out.along + j * out_step] = mnp_result(acc);
            }
#endif
        }
        for (int j = 0; j < columns; j++)
            mnp_op::join(before[j], lanes.end(j));
    }
    for (int j = 0; !values && j < columns; j++)
        *mnp_part_total(p, line + j, part) = before[j];
}

MNP_KERNEL(MNP_SCAN, mnp_scan_params)
{
    const int64_t width = p.kept[MNP_KEPT - 1], tiles = (width + mnp_set_count - 1) / mnp_set_count;
    const bool values = p.task == MNP_SCAN_VALUES;
    const int64_t parts = p.parts - !values;
    MNP_FOR (i, p.lines / (width ? width : 1) * tiles * parts) {
        const int64_t tile = i / parts % tiles, line = i / parts / tiles * width + tile * mnp_set_count;
        const int columns = (int)mnp_least(mnp_set_count, width - tile * mnp_set_count);
        if (values)
            mnp_do_columns<true>(p, line, columns, i % parts);
        else
            mnp_do_columns<false>(p, line, columns, i % parts);
    }
}

#else

constexpr int mnp_set_count = sizeof(mnp_op::lanes<1>) > 16 ? 4 : 16;
constexpr int mnp_segments = MNP_LOOKS ? 1 : 4; /* sums of bins do not wait long */
constexpr int64_t mnp_segment = 256;            /* elements */

/* Add elements begin .. end of a row to an accumulator. */
static inline void mnp_add_total(const mnp_in *in, int64_t step, int64_t begin, int64_t end, mnp_acc &acc)
{
    mnp_op::lanes<mnp_set_count> lanes;
    for (int j = 0; j < mnp_set_count; j++)
        lanes.start(j);
    int64_t from = begin;
    for (; from + mnp_set_count <= end; from += mnp_set_count)
        for (int j = 0; j < mnp_set_count; j++)
            mnp_take(lanes, j, in[(from + j) * step]);
    for (int j = 0; from + j < end; j++)
        mnp_take(lanes, j, in[(from + j) * step]);
    mnp_acc each[mnp_set_count];
    for (int j = 0; j < mnp_set_count; j++)
        each[j] = lanes.end(j);
    for (int half = mnp_set_count / 2; half > 0; half /= 2)
        for (int j = 0; j < half; j++)
            mnp_op::join(each[j], each[j + half]);
    mnp_op::join(acc, each[0]);
}

/* Scan `segments` adjacent segments of `count` elements from `begin` on: store results and update the accumulator. */
template <int segments>
static inline void mnp_do_segments(const mnp_in *in, int64_t in_step, mnp_out *out, int64_t out_step, int64_t begin,
                                   int64_t count, mnp_acc &known)
{
    mnp_acc before[segments];
    mnp_op::lanes<segments> lanes;
    before[0] = known;
    for (int s = 1; s < segments; s++) {
        before[s] = before[s - 1];
        mnp_add_total(in, in_step, begin + (s - 1) * count, begin + s * count, before[s]);
    }
    for (int s = 0; s < segments; s++)
        lanes.start(s);
    for (int64_t x = begin; x < begin + count; x++) {
        for (int s = 0; s < segments; s++) {
#if MNP_LOOKS
            mnp_add_element(before[s], in[(x + s * count) * in_step]);
            out[(x + s * count) * out_step] = mnp_result(before[s]);
#else
            mnp_take(lanes, s, in[(x + s * count) * in_step]);
            mnp_acc acc = before[s];
            mnp_op::join(acc, lanes.end(s));
            out[(x + s * count) * out_step] = mnp_result(acc);
#endif
        }
    }
    known = before[segments - 1];
    mnp_op::join(known, lanes.end(segments - 1));
}

MNP_KERNEL(MNP_SCAN, mnp_scan_params)
{
    const bool values = p.task == MNP_SCAN_VALUES;
    const int64_t parts = p.parts - !values, in_step = MNP_UNIT_IN ? 1 : p.in.along;
    const int64_t out_step = MNP_UNIT_OUT ? 1 : p.out.along;
    MNP_FOR (i, p.lines * parts) {
        const int64_t line = i / parts, part = i % parts, end = mnp_share_begin(p.length, part + 1, p.parts);
        int64_t index[MNP_KEPT], x = mnp_share_begin(p.length, part, p.parts);
        mnp_unravel<MNP_KEPT>(p.kept, line, index);
        const mnp_in *in = (const mnp_in *)p.in.base + mnp_offset<MNP_KEPT>(p.in.kept, index);
        mnp_out *out = (mnp_out *)p.out.base + mnp_offset<MNP_KEPT>(p.out.kept, index);
        if (!values) {
            mnp_acc acc = mnp_empty<mnp_op>();
            for (; x < end; x += mnp_segment)
                mnp_add_total(in, in_step, x, mnp_least(x + mnp_segment, end), acc);
            *mnp_part_total(p, line, part) = acc;
            continue;
        }
        mnp_acc known = mnp_before_part(p, index, line, part);
        for (; x + mnp_segments * mnp_segment <= end; x += mnp_segments * mnp_segment)
            mnp_do_segments<mnp_segments>(in, in_step, out, out_step, x, mnp_segment, known);
        for (; x < end; x += mnp_segment)
            mnp_do_segments<1>(in, in_step, out, out_step, x, mnp_least(mnp_segment, end - x), known);
    }
}

#endif
