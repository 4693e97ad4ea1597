/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Filters: every element of the result is computed from a window of the input, in two stages.
 *
 * The first stage makes a few values of a column: what lies at one x in the window, in all other dimensions.  The
 * second makes the result of the columns of the window.  So neighbours along x share the work of the first stage: the
 * columns of a median are sorted once, and the rows of a separable filter are computed once.  A filter that has no such
 * structure does everything in the first stage, with windows as columns (MNP_COLUMNS 1).
 *
 * Compiled with
 *   MNP_IN, MNP_OUT      types of the input and of the result in memory
 *   MNP_VALUE            an arithmetic type, in which everything is computed
 *   MNP_ORDERED          1: MNP_VALUE is an unsigned integer, whose order is that of the input's values
 *   MNP_NDIM             dimensions, at least 2
 *   MNP_SPANS            extents of the window, separated by commas
 *   MNP_COLUMNS          columns of a window; MNP_KEPT values are kept of each
 *   MNP_TX, MNP_TY       outputs of a tile
 *   MNP_RUN, MNP_THREADS on a GPU: outputs of a thread along x, threads of a block
 *   MNP_TILED            on a GPU, 1: what windows of a tile reach fits shared memory
 *   MNP_MASK             1: there is a mask
 * and the generated functions
 *   void mnp_column(in, kept)    with in.at(MNP_TAP(k0, k1, ...)) an element of the window at its first x, and
 *                                kept[MNP_KEPT] to be set
 *   mnp_lanes mnp_finish(column) with column(x, i) value i of column x
 *   in.weight(k) and column.weight(k) are the weights of the two stages
 * where mnp_lanes is several MNP_VALUEs side by side on the host, and one on a GPU.  mnp_lesser() and mnp_greater() are
 * for both, mnp_any() says whether any of some comparisons holds, and mnp_cast() converts to MNP_OUT and back.
 */
#include "kernels/ndimage/neighbours_values.h"
#if MNP_CUDA
#include "kernels/ndimage/neighbours_cuda.h"
#else
#include "kernels/ndimage/neighbours_host.h"
#endif
