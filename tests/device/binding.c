/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which GPU each rank of a host takes, for what launchers show them.
 */
#include <string.h>

#include "tests/tap.h"
#include "device/device.h"

enum { RANKS = 4 };

/* What each rank sees, as addresses from 1; 0 after the last; and what it takes. */
typedef struct situation {
    const char *text;
    int ranks;
    uint64_t visible[RANKS][5];
    int wanted[RANKS]; /* indices; -1: none */
} situation;

static const situation situations[] = {
    {"all ranks see all", 4, {{1, 2, 3, 4}, {1, 2, 3, 4}, {1, 2, 3, 4}, {1, 2, 3, 4}}, {0, 1, 2, 3}},
    {"more ranks than GPUs", 4, {{1, 2}, {1, 2}, {1, 2}, {1, 2}}, {0, 1, 0, 1}},
    {"each sees its own", 4, {{4}, {2}, {1}, {3}}, {0, 0, 0, 0}},
    {"each sees those near its cores, in turn", 4, {{1, 2}, {3, 4}, {1, 2}, {3, 4}}, {0, 0, 1, 1}},
    {"in another order in each", 2, {{1, 2}, {2, 1}}, {0, 0}},
    {"the same in another order", 2, {{1, 2}, {1, 2}}, {0, 1}},
    {"who sees one chooses before who sees two", 2, {{1, 2}, {1}}, {1, 0}},
    {"some see none", 3, {{0}, {1, 2}, {1, 2}}, {-1, 0, 1}},
    {"nobody sees any", 2, {{0}, {0}}, {-1, -1}},
};

int main(void)
{
    for (size_t s = 0; s < sizeof situations / sizeof *situations; s++) {
        const situation *at = &situations[s];
        uint64_t visible[RANKS * MNP__MOST_GPUS] = {0};
        int chosen[RANKS];
        bool good = true;
        for (int r = 0; r < at->ranks; r++)
            memcpy(visible + (size_t)r * MNP__MOST_GPUS, at->visible[r], sizeof at->visible[r]);
        mnp__device_assign(at->ranks, visible, chosen);
        for (int r = 0; r < at->ranks; r++)
            good = good && chosen[r] == at->wanted[r];
        ok(good, "%s", at->text);
    }
    return done_testing();
}
