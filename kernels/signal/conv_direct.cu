/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Direct convolution, by the definition: out[o] = sum over j of taps[j] * extended[o + j].
 *
 * Compiled with
 *   MNP_IN, MNP_OUT, MNP_SUM   types of the input, the output and the sums
 *   MNP_TX, MNP_TY             a tile: outputs along x and y
 *   MNP_CX, MNP_CY             taps along x and y that one window in fast memory serves; larger kernels take several
 *                              windows
 * and for GPUs also
 *   MNP_K0 .. MNP_K3           the kernel's extents
 *   MNP_RX, MNP_RY             outputs of a thread in registers
 *   MNP_BY_COLUMNS             1 for filters along y alone
 */
#include "kernels/prelude.h"
#include "kernels/nest.h"
#include "kernels/signal/conv_direct_params.h"
#include "kernels/signal/extended.h"
#include "kernels/signal/finish.h"

/* The first output of a tile. */
MNP_INLINE void tile_origin(const mnp_conv_params &p, int64_t tile, int64_t *origin)
{
    mnp_unravel<MNP_CONV_DIMS>(p.tiles.grid, tile, origin);
    origin[2] *= MNP_TY;
    origin[3] *= MNP_TX;
}

#if MNP_CUDA
#include "kernels/signal/conv_direct_cuda.h"
#else
#include "kernels/signal/conv_direct_host.h"
#endif
