/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Filling the connected parts of a mask that have an element that is set: fill_flags finds those parts, and
 * fill_elements sets all their elements.
 */
#include "kernels/prelude.h"
#include "kernels/ndimage/label_params.h"

MNP_KERNEL(fill_flags, mnp_fill_params)
{
    MNP_FOR (i, p.count)
        if (p.set[i])
            p.flags[p.labels[i]] = 1; /* all that write it write the same */
}

MNP_KERNEL(fill_elements, mnp_fill_params)
{
    MNP_FOR (i, p.count)
        if (p.labels[i] > 0)
            p.set[i] = p.flags[p.labels[i]];
}
