/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Gathers or scatters elements, each a MNP_UNIT of bytes, at offsets that an array of indices, each a MNP_INDEX, gives:
 * indexed_params.h has the formula.  take, put, and the packing of elements for other ranks use it.  On a
 * GPU, with MNP_ROWS it gathers rows of bytes of any alignment, and with MNP_SORTED there is an order of the indices.
 * On the host, with MNP_REACHES it gathers from the blocks of several ranks.
 */
#include "kernels/prelude.h"
#include "kernels/indexing/indexed_params.h"

struct alignas(16) mnp_sixteen {
    uint64_t low, high;
};

#if MNP_CUDA
#include "kernels/indexing/indexed_cuda.h"
#else
#include "kernels/indexing/indexed_host.h"
#endif
