/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Takes regular samples of windows of a sorted run, from which ranks choose where to cut the whole: every step-th
 * element of a window, with the smallest step for which the samples fit in their slots.
 */
#include "kernels/prelude.h"
#include "kernels/sort/sort_sample_params.h"

MNP_KERNEL(sort_sample, mnp_sample_params)
{
    const MNP_KEY *keys = (const MNP_KEY *)p.keys;
    MNP_KEY *samples = (MNP_KEY *)p.samples;
    MNP_FOR (i, p.nwindows * p.slots) {
        const mnp_sort_window window = p.windows[i / p.slots];
        const int64_t step = (window.end - window.begin + p.slots - 1) / p.slots;
        const int64_t at = window.begin + i % p.slots * step;
        if (at < window.end)
            samples[i] = keys[at];
    }
}
