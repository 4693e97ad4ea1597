/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether elements compare with the elements beside them along an axis.
 *
 *   MNP_IN        the type in memory;  MNP_VALUE: the type in which values are compared
 *   MNP_COMPARE   an operator, such as >
 *   MNP_NDIM      dimensions;  MNP_AXIS: the one along which neighbours lie
 */
#include "kernels/prelude.h"
#include "kernels/signal/peaks_params.h"
#include "kernels/nest.h"

MNP_KERNEL(extrema, mnp_extrema_params)
{
    MNP_FOR (number, p.count) {
        int64_t index[MNP_NDIM], from = 0, to = 0;
        mnp_unravel<MNP_NDIM>(p.extent, number, index);
        for (int d = 0; d < MNP_NDIM; d++) {
            from += d == MNP_AXIS ? 0 : index[d] * p.stride[d];
            to += index[d] * p.out_stride[d];
        }
        const MNP_IN *line = (const MNP_IN *)p.in + from;
        const int64_t at = p.first_out + index[MNP_AXIS], stride = p.stride[MNP_AXIS];
        const MNP_VALUE middle = mnp_to<MNP_VALUE>::from(line[(at - p.first) * stride]);
        bool is = true;
        for (int64_t s = 1; s <= p.order && is; s++) {
            const int64_t before = at > s ? at - s : 0, after = mnp_least(at + s, p.whole - 1);
            is = middle MNP_COMPARE mnp_to<MNP_VALUE>::from(line[(after - p.first) * stride]) &&
                 middle MNP_COMPARE mnp_to<MNP_VALUE>::from(line[(before - p.first) * stride]);
        }
        p.out[to] = is;
    }
}
