/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Store the outputs of blocks, which their windows hold after the filter.
 *
 * Compiled with MNP_SUM and MNP_OUT, the types of the sums and of the output.
 */
#include "kernels/prelude.h"
#include "kernels/signal/blocks.h"
#include "kernels/signal/finish.h"
#include "kernels/signal/rows.h"

MNP_KERNEL(blocks_store, mnp_blocks_params)
{
    const int64_t rows = p.count * p.step[0] * p.step[1] * p.step[2];
    FOR_PIECES(number, rows, p.step[3])
    {
        const mnp_row_piece piece = mnp_find_piece(number, p.step[3]);
        const block_row at = find_block_row(p, p.step, piece.row);
        bool is_output = p.first + at.block < p.total;
        int64_t to = 0, in_window[MNP_CONV_DIMS];
        for (int j = 0; j < MNP_CONV_DIMS; j++) {
            const int64_t o = at.origin[j] + at.index[j];
            is_output = is_output && o < p.out_extent[j];
            to += o * p.out_stride[j];
            in_window[j] = at.index[j] + p.skip[j];
            in_window[j] -= in_window[j] >= p.window[j] ? p.window[j] : 0;
        }
        if (!is_output)
            continue;
        const MNP_SUM *line = (const MNP_SUM *)p.windows + mnp_find_line(p, at.block, in_window);
        const int64_t left = p.out_extent[3] - at.origin[3], width = left < p.step[3] ? left : p.step[3];
        const int64_t straight = p.window[3] - p.skip[3] < width ? p.window[3] - p.skip[3] : width;
        MNP_OUT *out = (MNP_OUT *)p.out + to;
        const auto store = [&](const MNP_SUM *from, int64_t first, int64_t count) {
            for_piece(
                piece, count, [&](int64_t i) { return finish<MNP_OUT>::from(from[i]); },
                [&](int64_t i, MNP_OUT value) { out[(first + i) * p.out_stride[3]] = value; });
        };
        store(line + p.skip[3], 0, straight);
        store(line, straight, width - straight);
    }
}
