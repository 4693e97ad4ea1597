/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes the rows of the matrix of a stencil on a grid: every point of the grid has a row, with an entry for each of its
 * neighbours that lies in the grid or that the boundary brings there; where several are the same, they have one entry.
 * A first launch counts the entries, a second stores them once the offsets are known.  The first dimension may have
 * more rows than its extent; the points of those lie outside the grid.  Compiled with
 *   MNP_VALUE   type of the values
 */
#include "kernels/prelude.h"
#include "kernels/boundary.h"
#include "kernels/math.h"
#include "kernels/sparse/assembly/stencil_rows_params.h"

/* The number of neighbour `point` of the stencil, for the grid point at `index`; -1 if it is outside the grid. */
MNP_INLINE int64_t neighbour(const mnp_stencil_params &p, const int64_t *index, int64_t point)
{
    bool inside = true;
    int64_t number = 0;
#pragma unroll
    for (int d = 0; d < MNP_STENCIL_DIMS; d++) {
        if (d < p.ndim) {
            int64_t at = index[d] + p.steps[point * p.ndim + d];
            if (at < 0 || at >= p.shape[d]) {
                inside = inside && p.boundary[d] != MNP_AT_FILL;
                at = p.boundary[d] == MNP_AT_FILL ? 0 : mnp_folded(p.boundary[d], at, p.shape[d]);
            }
            number = number * p.shape[d] + at;
        }
    }
    return inside ? number : -1;
}

/* Whether a point before that one has the same neighbour. */
MNP_INLINE bool is_known(const mnp_stencil_params &p, const int64_t *index, int64_t point, int64_t column)
{
    bool known = false;
    for (int64_t other = 0; other < point; other++)
        known = known || neighbour(p, index, other) == column;
    return known;
}

/* Insert an entry into those of a row from `begin` to `end`, or add it to that of the same column; the new end. */
MNP_INLINE int64_t insert(const mnp_stencil_params &p, int64_t begin, int64_t end, int64_t column, MNP_VALUE value)
{
    MNP_VALUE *values = (MNP_VALUE *)p.values;
    int64_t at = end;
    while (at > begin && p.columns[at - 1] >= column)
        at--;
    if (at < end && p.columns[at] == column) {
        values[at] = mnp_add(values[at], value);
        return end;
    }
    for (int64_t k = end; k > at; k--) {
        p.columns[k] = p.columns[k - 1];
        values[k] = values[k - 1];
    }
    p.columns[at] = column;
    values[at] = value;
    return end + 1;
}

MNP_KERNEL(stencil_rows, mnp_stencil_params)
{
    MNP_FOR (row, p.rows) {
        const int64_t begin = p.fills ? (int64_t)p.lengths[row] : 0;
        int64_t index[MNP_STENCIL_DIMS], rest = p.lo + row, at = begin, largest = -1;
#pragma unroll
        for (int d = MNP_STENCIL_DIMS - 1; d >= 0; d--) {
            index[d] = d == 0 ? rest : d < p.ndim ? rest % p.shape[d] : 0;
            rest = d < p.ndim && d > 0 ? rest / p.shape[d] : rest;
        }
        for (int64_t point = 0; point < p.npoints; point++) {
            const int64_t column = neighbour(p, index, point);
            if (column < 0)
                continue;
            if (p.fills)
                at = insert(p, begin, at, column, ((const MNP_VALUE *)p.coefficients)[point]);
            else
                at += column > largest || !is_known(p, index, point, column);
            largest = column > largest ? column : largest;
        }
        if (!p.fills)
            p.lengths[row] = at;
    }
}
