/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which of the GPUs that a rank can see it takes, so that the ranks of a host have different ones as far as possible.
 *
 * Launchers show a rank all GPUs of its host, one of them, or those near its cores, under numbers that begin with 0 in
 * every process.  So GPUs are told apart by their addresses on the PCI bus.  Ranks that see few choose first; each
 * takes the first of those that fewest have taken.  Where all see the same, that is its number on the host modulo
 * theirs.
 */
#include "device/device.h"

static int count_visible(const uint64_t *gpus)
{
    int count = 0;
    while (count < MNP__MOST_GPUS && gpus[count])
        count++;
    return count;
}

/* How many of the ranks that have chosen have that GPU. */
static int takers(int ranks, const uint64_t *visible, const int *chosen, uint64_t gpu)
{
    int count = 0;
    for (int r = 0; r < ranks; r++)
        count += chosen[r] >= 0 && visible[(size_t)r * MNP__MOST_GPUS + (size_t)chosen[r]] == gpu;
    return count;
}

void mnp__device_assign(int ranks, const uint64_t *visible, int *chosen)
{
    for (int r = 0; r < ranks; r++)
        chosen[r] = -1;
    for (int count = 1; count <= MNP__MOST_GPUS; count++) {
        for (int r = 0; r < ranks; r++) {
            const uint64_t *gpus = visible + (size_t)r * MNP__MOST_GPUS;
            int best = 0, least = ranks + 1;
            if (count_visible(gpus) != count)
                continue;
            for (int i = 0; i < count; i++) {
                const int taken = takers(ranks, visible, chosen, gpus[i]);
                if (taken < least) {
                    least = taken;
                    best = i;
                }
            }
            chosen[r] = best;
        }
    }
}
