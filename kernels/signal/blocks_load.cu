/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Load the windows of blocks from the extended box, as MNP_SUM, with zeros beyond it.
 *
 * Compiled with MNP_IN and MNP_SUM, the types of the input and of the sums.
 */
#include "kernels/prelude.h"
#include "kernels/signal/blocks.h"
#include "kernels/signal/extended.h"
#include "kernels/signal/rows.h"

MNP_KERNEL(blocks_load, mnp_blocks_params)
{
    const int64_t rows = p.count * p.window[0] * p.window[1] * p.window[2];
    FOR_PIECES(number, rows, p.window[3])
    {
        const mnp_row_piece piece = mnp_find_piece(number, p.window[3]);
        const block_row at = find_block_row(p, p.window, piece.row);
        const int64_t e0 = at.origin[0] + at.index[0], e1 = at.origin[1] + at.index[1], e2 = at.origin[2] + at.index[2],
                      e3 = at.origin[3];
        MNP_SUM *to = (MNP_SUM *)p.windows + piece.row * p.window[3];
        int64_t width = p.in.extended[3] - e3 < p.window[3] ? p.in.extended[3] - e3 : p.window[3];
        if (p.first + at.block >= p.total || e0 >= p.in.extended[0] || e1 >= p.in.extended[1] || e2 >= p.in.extended[2])
            width = 0;
        if (width > 0) {
            const plane plane = find_plane(p.in, e0, e1);
            const row in = find_row(plane, e2);
            const int64_t begin = in.begin - e3, end = in.end - e3, inner = in.end - in.begin;
            const auto value = [&](int64_t i) {
                return i >= begin && i < end ? in.middle[(i - begin) * in.stride]
                                             : in.edge[e3 + i - (i < begin ? 0 : inner)];
            };
            for_piece(piece, width, value, [&](int64_t i, MNP_IN x) { to[i] = mnp_to<MNP_SUM>::from(x); });
        }
        const int64_t kept = width < 0 ? 0 : width;
        for_piece(
            piece, p.window[3] - kept, [](int64_t) { return MNP_SUM{}; },
            [&](int64_t i, MNP_SUM zero) { to[kept + i] = zero; });
    }
}
