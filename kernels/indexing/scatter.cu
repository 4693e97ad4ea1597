/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Applies values to elements of an array (ufunc.at, put): where several values are for one element, in their order.
 *
 * The library generates (see lib/ops/indexing/scatter.c), where `#include "generated"` stands,
 *   mnp_element, mnp_value        types of the array in memory and of the values
 *   mnp_apply(element &, value)   what a value does to an element
 *   mnp_last_alone                whether the last value for an element overwrites those before it
 *
 * On the host a worker has a range of the elements, reads all values in their order, and applies those for its range.
 * On a GPU the values have been sorted by their elements, and one thread applies all values of an element.
 */
#include "kernels/prelude.h"
#include "kernels/indexing/indexed_params.h"
#include "kernels/indexing/scatter_params.h"
#include "generated"

#if MNP_CUDA

MNP_KERNEL(scatter, mnp_scatter_params)
{
    mnp_element *x = (mnp_element *)p.x;
    const mnp_value *values = (const mnp_value *)p.values;
    MNP_FOR (i, p.count) {
        const int64_t place = p.place[i];
        if (mnp_last_alone) {
            if (i + 1 == p.count || p.place[i + 1] != place)
                mnp_apply(x[place], values[p.order[i]]);
        } else if (i == 0 || p.place[i - 1] != place) {
            mnp_element element = x[place];
            for (int64_t j = i; j < p.count && p.place[j] == place; j++)
                mnp_apply(element, values[p.order[j]]);
            x[place] = element;
        }
    }
}

#else

template <int mode> static void scatter_range(const mnp_scatter_params &p, int64_t first, uint64_t width)
{
    mnp_element *x = (mnp_element *)p.x;
    const mnp_value *values = (const mnp_value *)p.values;
    mnp_element nowhere = {};
    for (int64_t i = 0; i < p.count; i++) {
        const int64_t place = mnp_inside<mode>(p.place[i], p.inside);
        const bool own = (uint64_t)(place - first) < width;
        if (mnp_last_alone) /* nothing is computed */
            mnp_apply(*mnp_to_own(own, x + place, &nowhere), values[i]);
        else if (own)
            mnp_apply(x[place], values[i]);
    }
}

MNP_KERNEL(scatter, mnp_scatter_params)
{
    const int64_t first = p.first + mnp_share_begin(p.span, worker, workers);
    const uint64_t width = (uint64_t)(p.first + mnp_share_begin(p.span, worker + 1, workers) - first);
    if (p.mode == MNP_INDEXED_RAISE)
        scatter_range<MNP_INDEXED_RAISE>(p, first, width);
    else if (p.mode == MNP_INDEXED_WRAP)
        scatter_range<MNP_INDEXED_WRAP>(p, first, width);
    else
        scatter_range<MNP_INDEXED_CLIP>(p, first, width);
}

#endif
