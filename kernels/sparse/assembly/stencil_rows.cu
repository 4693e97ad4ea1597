/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes the rows of the matrix of a stencil on a grid: every point of the grid has a row, with an entry for each of its
 * neighbours that lies in the grid.  A first launch counts the entries, a second stores them once the offsets are
 * known. The first dimension may have more rows than its extent; the points of those lie outside the grid.  Compiled
 * with
 *   MNP_VALUE   type of the values
 */
#include "kernels/prelude.h"
#include "kernels/sparse/assembly/stencil_rows_params.h"

/* Whether neighbour number `point` of the stencil lies in the grid, for the grid point at `index`. */
MNP_INLINE bool is_inside(const mnp_stencil_params &p, const int64_t *index, int64_t point)
{
    bool inside = true;
#pragma unroll
    for (int d = 0; d < MNP_STENCIL_DIMS; d++) {
        if (d < p.ndim) {
            const int64_t at = index[d] + p.steps[point * p.ndim + d];
            inside = inside && at >= 0 && at < p.shape[d];
        }
    }
    return inside;
}

MNP_KERNEL(stencil_rows, mnp_stencil_params)
{
    MNP_FOR (row, p.rows) {
        int64_t index[MNP_STENCIL_DIMS], rest = p.lo + row, at = p.fills ? (int64_t)p.lengths[row] : 0;
#pragma unroll
        for (int d = MNP_STENCIL_DIMS - 1; d >= 0; d--) {
            index[d] = d == 0 ? rest : d < p.ndim ? rest % p.shape[d] : 0;
            rest = d < p.ndim && d > 0 ? rest / p.shape[d] : rest;
        }
        for (int64_t point = 0; point < p.npoints; point++) {
            if (!is_inside(p, index, point))
                continue;
            if (p.fills) {
                p.columns[at] = p.lo + row + p.jumps[point];
                ((MNP_VALUE *)p.values)[at] = ((const MNP_VALUE *)p.coefficients)[point];
            }
            at++;
        }
        if (!p.fills)
            p.lengths[row] = at;
    }
}
