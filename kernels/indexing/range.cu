/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether an index, of type MNP_INDEX, is out of range.
 */
#include "kernels/prelude.h"
#include "kernels/indexing/range_params.h"

MNP_KERNEL(check_range, mnp_range_params)
{
    const MNP_INDEX *index = (const MNP_INDEX *)p.index;
    int outside = 0;
    MNP_FOR (i, p.count) {
        const int64_t number = mnp_to<int64_t>::from(index[i]);
        outside |= number < p.low | number >= p.high;
    }
    if (outside)
        *p.outside = 1;
}
