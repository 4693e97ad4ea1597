/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums of products of residues are replaced by their own residues, so that more products can be added to them. */
#include "kernels/prelude.h"
#include "kernels/linalg/emulated.h"

MNP_KERNEL(emulated_reduce, mnp_emulated_reduce_params)
{
    MNP_SUM *sums = (MNP_SUM *)p.sums;
    for (int m = 0; m < MNP_MODULI; m++) {
        MNP_FOR (i, p.each)
            sums[m * p.each + i] =
                (MNP_SUM)mnp_residue((double)sums[m * p.each + i], p.moduli.modulus[m], p.moduli.inverse[m]);
    }
}
