/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Indices as numbers of elements, to be sorted.
 */
#include "kernels/prelude.h"
#include "kernels/indexing/indexed_params.h"
#include "kernels/indexing/numbers_params.h"

MNP_KERNEL(number_indices, mnp_numbers_params)
{
    MNP_FOR (i, p.count)
        ((MNP_NUMBER *)p.number)[i] = (MNP_NUMBER)mnp_inside(p.index[i], p.inside, p.mode);
}
