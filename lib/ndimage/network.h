/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sorting networks: sequences of comparisons that find the value of one rank, or sort.
 *
 * They are merges after K. E. Batcher (Sorting networks and their applications, 1968; odd-even merges of any two lengths
 * as in D. E. Knuth, The Art of Computer Programming 3, 5.3.4).  Two things keep them short: after each merge the values
 * are forgotten that cannot have the rank any more, as too many others are known to be smaller or larger; and of a
 * comparison only that result is computed which something depends on.
 */
#ifndef MNP__NDIMAGE_NETWORK_H
#define MNP__NDIMAGE_NETWORK_H

#include <stdint.h>

#include "base/text.h"

enum { MNP__MOST_WIRES = 128, MNP__MOST_COMPARISONS = 4096 };

/*
 * Write statements that sort v[0] to v[count - 1], at most MNP__MOST_WIRES; order[i] is where the value of rank i is
 * then.
 */
void mnp__network_sort(mnp__text *text, int count, int *order);

/*
 * Write statements for `columns` sorted columns of so many values each, where v[c * length + i] is value i of column c.
 * Gives the place where the value of that rank is then.
 */
int mnp__network_select(mnp__text *text, int columns, int length, int rank);

#endif
