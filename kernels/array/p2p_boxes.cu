/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a mover does with the peers of its rank in one launch (p2p_cuda.h): copy the boxes of a list, each into the
 * memory of the peer that it is for, beside those that stay here.  On GPUs alone; MNP_SRC and MNP_DST are the same.
 */
#include "kernels/prelude.h"
#include "kernels/array/p2p_boxes_params.h"

#if MNP_CUDA
#include "kernels/array/copy_list_cuda.h"
#include "kernels/comm/p2p_cuda.h"

extern "C" __global__ void __launch_bounds__(MNP_COPY_THREADS, 4)
    p2p_boxes(const __grid_constant__ mnp_p2p_boxes_params p)
{
    const mnp_p2p_share *shares = p.more_shares ? p.more_shares : p.shares;
    mnp_p2p_all(mnp_p2p_peers(p.p2p), p.p2p, [&]() {
        mnp_p2p_units(shares, p.num_shares, [&](int64_t first, int64_t number) {
            const int64_t unit = first + number;
            const bool own = unit >= p.store.units;
            const mnp_box_list &list = own ? p.local : p.store;
            mnp_copy_unit(list, list.boxes, p.src, own ? p.own : p.theirs, own ? unit - p.store.units : unit);
        });
    });
}

#endif
