/*
 * Values of several ranks become one, element by element, in the order of the ranks: for collectives that the library
 * that connects GPUs has not.
 *
 *   MNP_MEMORY, MNP_VALUE   the type of the elements, and the one that they are reduced in
 *   MNP_JOIN                a function of kernels/math.h of two values
 *   MNP_AVERAGES            1: the result is divided by the number of ranks
 */
#include "prelude.h"
#include "math.h"
#include "combine.h"

MNP_KERNEL(combine, mnp_combine_params)
{
    const MNP_MEMORY *own = (const MNP_MEMORY *)p.own;
    for MNP_RANGE(i, p.count) {
        MNP_VALUE acc{};
        for (int64_t r = 0; r < p.ranks; r++) {
            const MNP_MEMORY *part = r == p.rank ? own : (const MNP_MEMORY *)p.parts + r * p.count;
            const MNP_VALUE x = mnp_to<MNP_VALUE>::from(part[i]);
            acc = r == 0 ? x : MNP_JOIN(acc, x);
        }
#if MNP_AVERAGES
        acc = acc / (MNP_VALUE)p.ranks;
#endif
        ((MNP_MEMORY *)p.dst)[i] = mnp_to<MNP_MEMORY>::from(acc);
    }
}
