/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Values of several ranks become one, element by element: for collectives that the library that connects GPUs has not.
 * The types and the operation are those of combine_values.h.
 */
#include "kernels/prelude.h"
#include "kernels/comm/combine_values.h"
#include "kernels/comm/combine_params.h"

MNP_KERNEL(combine, mnp_combine_params)
{
    const MNP_MEMORY *own = (const MNP_MEMORY *)p.own, *parts = (const MNP_MEMORY *)p.parts;
    MNP_FOR (i, p.count)
        ((MNP_MEMORY *)p.dst)[i] =
            mnp_combined(p.ranks, [&](int64_t r) { return r == p.rank ? own + i : parts + r * p.count + i; });
}
