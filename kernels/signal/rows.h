/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loops over rows, which may be many short ones or a single long one: rows are cut into pieces.  On a GPU a warp takes a
 * piece at a time and its threads the elements, so that an index is divided once a piece; on the host a worker takes
 * pieces.
 */
#ifndef MNP_KERNELS_SIGNAL_ROWS_H
#define MNP_KERNELS_SIGNAL_ROWS_H

#include "kernels/prelude.h"
#include "kernels/signal/blocks_params.h"

/* The elements of a row from `begin` on, to MNP_ROW_PIECE of them. */
struct mnp_row_piece {
    int64_t row, begin;
};

/* Piece number `number` of rows of `length` elements. */
MNP_INLINE mnp_row_piece mnp_find_piece(int64_t number, int64_t length)
{
    const int64_t pieces = mnp_row_pieces(length), row = number / pieces;
    return {row, (number - row * pieces) * MNP_ROW_PIECE};
}

/* The pieces of n rows of that length, and their numbers. */
#if MNP_CUDA
#define FOR_PIECES(number, n, length)                                                                                  \
    for (int64_t number = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / 32; number < (n)*mnp_row_pieces(length);  \
         number += (int64_t)gridDim.x * blockDim.x / 32)
#else
#define FOR_PIECES(number, n, length) MNP_FOR (number, (n)*mnp_row_pieces(length))
#endif

/*
 * write(i, read(i)) for those of the first n elements of a row that are in a piece.  A thread of a GPU reads four before
 * it writes any: as far as the compiler knows a write may change what is read next, so that it would wait for memory
 * with every element.
 */
template <typename Read, typename Write>
MNP_INLINE void for_piece(const mnp_row_piece &piece, int64_t n, Read read, Write write)
{
    const int64_t end = n - piece.begin < MNP_ROW_PIECE ? n : piece.begin + MNP_ROW_PIECE;
#if MNP_CUDA
    int64_t i = piece.begin + threadIdx.x % 32;
    for (; i + 96 < end; i += 128) {
        const auto a = read(i), b = read(i + 32), c = read(i + 64), d = read(i + 96);
        write(i, a);
        write(i + 32, b);
        write(i + 64, c);
        write(i + 96, d);
    }
    for (; i < end; i += 32)
        write(i, read(i));
#else
    for (int64_t i = piece.begin; i < end; i++)
        write(i, read(i));
#endif
}

#endif
