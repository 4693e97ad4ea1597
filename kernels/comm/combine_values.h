/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The value that those of several ranks become, taken in the order of the ranks: so it has the same bits on all of
 * them, however the work was divided.  part(r) is where rank r's element lies.
 *
 *   MNP_MEMORY, MNP_VALUE   the type of the elements, and the one that they are reduced in
 *   MNP_JOIN                a function of kernels/math.h of two values
 *   MNP_AVERAGES            1: the result is divided by the number of ranks
 */
#include "kernels/math.h"

template <typename Part> MNP_INLINE MNP_MEMORY mnp_combined(int64_t ranks, const Part &part)
{
    MNP_VALUE acc = mnp_to<MNP_VALUE>::from(*part(0));
    for (int64_t r = 1; r < ranks; r++)
        acc = MNP_JOIN(acc, mnp_to<MNP_VALUE>::from(*part(r)));
#if MNP_AVERAGES
    acc = acc / (MNP_VALUE)ranks;
#endif
    return mnp_to<MNP_MEMORY>::from(acc);
}
