/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prepares a sweep (level_sweep.cu): counts the entries of a part in CSR that it needs, and copies them in its order.
 *
 * A thread takes a line, or a position, and its entries one after the other, as the sweep reads them.  Compiled with
 *   MNP_VALUE   type of the values
 */
#include "kernels/prelude.h"
#include "kernels/sparse/precond/permute_rows_params.h"
#include "kernels/claim.h"
#include "kernels/lines.h"
#include "kernels/numbers.h"

MNP_INLINE int64_t offset_of(const mnp_permute_rows_params &p, int64_t line)
{
    return line_offsets{p.offsets, p.wide != 0}[line];
}

MNP_INLINE int64_t row_of(const mnp_permute_rows_params &p, int64_t line)
{
    return p.rows_of ? p.rows_of[line] : line;
}

/* The line of a row in the part; -1: it has none. */
MNP_INLINE int64_t find_line(const mnp_permute_rows_params &p, int64_t row)
{
    if (!p.rows_of)
        return row < p.lines ? row : -1;
    const int64_t line = lower_bound(p.rows_of, 0, p.lines, row);
    return line < p.lines && p.rows_of[line] == row ? line : -1;
}

/* Decides which entries of a row the sweep needs. */
struct chooser {
    int kind, colour;
    const int *colours;
    int64_t row, first, end;

    MNP_INLINE bool counts(int64_t column) const
    {
        switch (kind) {
        case MNP_PERMUTE_ROWS_LOWER:
            return column < row;
        case MNP_PERMUTE_ROWS_UPPER:
            return column > row;
        case MNP_PERMUTE_ROWS_ALL:
            return column != row;
        case MNP_PERMUTE_ROWS_EARLIER:
            return colours[column] < colour;
        case MNP_PERMUTE_ROWS_LATER:
            return colours[column] > colour;
        default:
            return column >= first && column < end;
        }
    }
    /* In a triangle: whether the column is on the other side of the diagonal, or outside the own columns. */
    MNP_INLINE bool is_on_other_side(int64_t column) const
    {
        const bool has_diagonal = kind != MNP_PERMUTE_ROWS_BEFORE && kind != MNP_PERMUTE_ROWS_BEHIND;
        return !counts(column) && !(has_diagonal && column == row);
    }
};

MNP_INLINE chooser choose(const mnp_permute_rows_params &p, int64_t row)
{
    const bool by_colours = p.kind == MNP_PERMUTE_ROWS_EARLIER || p.kind == MNP_PERMUTE_ROWS_LATER;
    return {p.kind, by_colours ? p.colours[row] : 0, p.colours, row, p.first, p.end};
}

MNP_INLINE void count_line(const mnp_permute_rows_params &p, int64_t line)
{
    const int64_t row = row_of(p, line), end = offset_of(p, line + 1);
    const chooser chosen = choose(p, row);
    int count = 0;
    for (int64_t entry = offset_of(p, line); entry < end; entry++)
        count += chosen.counts(p.columns[entry]);
    p.lengths[row] = count;
}

MNP_INLINE void fill_position(const mnp_permute_rows_params &p, int64_t position)
{
    const int64_t row = p.positions[position], line = find_line(p, row), slice = p.slice;
    if (line < 0)
        return;
    const chooser chosen = choose(p, row);
    const int64_t begin = offset_of(p, line), count = offset_of(p, line + 1) - begin;
    const int64_t start = p.falls ? begin + count - 1 : begin, step = p.falls ? -1 : 1;
    const int *const columns = p.columns;
    const MNP_VALUE *const values = (const MNP_VALUE *)p.values;
    int *const made_columns = p.made_columns;
    MNP_VALUE *const made_values = (MNP_VALUE *)p.made_values;
    int64_t at = p.slices[position / slice] + position % slice;
    for (int64_t n = 0, entry = start; n < count; n++, entry += step) {
        const int64_t column = columns[entry];
        if (!chosen.counts(column))
            continue;
        made_columns[at] = (int)(column - chosen.first);
        made_values[at] = values[entry];
        at += slice;
    }
}

MNP_INLINE void find_in_line(const mnp_permute_rows_params &p, int64_t line)
{
    const chooser chosen = choose(p, row_of(p, line));
    const int64_t end = offset_of(p, line + 1);
    for (int64_t entry = offset_of(p, line); entry < end; entry++) {
        if (chosen.is_on_other_side(p.columns[entry]) && !is_zero(((const MNP_VALUE *)p.values)[entry])) {
            keep_least(p.found, (unsigned long long)entry);
            return;
        }
    }
}

MNP_KERNEL(permute_rows, mnp_permute_rows_params)
{
    switch (p.task) {
    case MNP_PERMUTE_ROWS_COUNT:
        MNP_FOR (line, p.lines)
            count_line(p, line);
        break;
    case MNP_PERMUTE_ROWS_FILL:
        MNP_FOR (position, p.rows)
            fill_position(p, position);
        break;
    case MNP_PERMUTE_ROWS_FIND:
        MNP_FOR (line, p.lines)
            find_in_line(p, line);
        break;
    }
}
