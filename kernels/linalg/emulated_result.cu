/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A part of an emulated product from the sums of products of residues: the integer that has these residues, by the
 * Chinese remainder theorem, rounded once, times a power of two.  Elements whose row or column holds a NaN or an
 * infinity are the sum of the products with these.
 */
#include "kernels/prelude.h"
#include "kernels/linalg/emulated.h"

/*
 * The sum of those products that have an infinite or NaN factor: the element of the result, where there are any, as
 * finite products do not change an infinite or NaN sum.
 */
MNP_FUNCTION double mnp_not_finite(const mnp_emulated_result_params &p, int64_t batch, int64_t row, int64_t column)
{
    double sum = 0;
    for (int64_t e = 0; e < p.a.depth && sum == sum; e++) {
        const double x = mnp_element(p.a, batch, row, e), y = mnp_element(p.b, batch, column, e);
        if (!mnp_is_finite(x) || !mnp_is_finite(y))
            sum += x * y;
    }
    return sum;
}

/* Replace x and y by their sum, rounded, and what it lacks (Knuth). */
MNP_INLINE void mnp_two_sum(double &x, double &y)
{
    const double sum = x + y, part = sum - x;
    y = (x - (sum - part)) + (y - part);
    x = sum;
}

/* The integer with given residues, of less than half the product of the moduli. */
MNP_INLINE double mnp_remainder(const mnp_emulated_result_params &p, const double *residues)
{
    double pieces[MNP_PIECES] = {}, quotient = 0;
    for (int m = 0; m < MNP_MODULI; m++)
        for (int i = 0; i < MNP_PIECES; i++)
            pieces[i] = mnp_fused(residues[m], p.weight[i][m], pieces[i]);
    for (int i = 0; i < MNP_PIECES; i++)
        quotient = mnp_fused(pieces[i], p.share[i], quotient);
    quotient = (quotient + MNP_ROUNDING) - MNP_ROUNDING;
    for (int i = 0; i < MNP_PIECES; i++)
        pieces[i] = mnp_fused(-quotient, p.whole[i], pieces[i]);
#if MNP_PIECES == 3
    double high = pieces[2] * 0x1p80, low = pieces[1] * 0x1p40, rest = pieces[0];
    mnp_two_sum(high, low);
    mnp_two_sum(high, rest);
    return high + (low + rest);
#else
    return pieces[1] * 0x1p40 + pieces[0];
#endif
}

MNP_INLINE double mnp_sum_value(MNP_SUM sum)
{
#if MNP_CUDA
    return __hiloint2double(0x43300000, sum ^ (int)0x80000000) - (0x1p52 + 0x1p31);
#else
    return sum;
#endif
}

/* Some rows of one of the columns of all matrices, numbered through. */
MNP_INLINE void mnp_result_column(const mnp_emulated_result_params &p, int64_t line, int64_t first, int64_t step)
{
    const int64_t each = p.batches * p.all_columns * p.all_rows;
    const int64_t batch = p.batches > 1 ? line / p.columns : 0, column = line - batch * p.columns;
    const int64_t b = p.first_batch + batch, c = p.first_column + column;
    const MNP_SUM *sums = (const MNP_SUM *)p.sums + (batch * p.all_columns + column) * p.all_rows;
    MNP_T *out = (MNP_T *)p.c + b * p.c_batch + c * p.c_column + p.first_row;
    const int eb = p.b.exponents[b * p.b.count + c], *ea = p.a.exponents + b * p.a.count + p.first_row;
    for (int64_t row = first; row < p.rows; row += step) {
        double residues[MNP_MODULI];
        for (int m = 0; m < MNP_MODULI; m++)
            residues[m] = mnp_residue(mnp_sum_value(sums[m * each + row]), p.moduli.modulus[m], p.moduli.inverse[m]);
        const bool finite = ea[row] != MNP_EMULATED_NOT_FINITE && eb != MNP_EMULATED_NOT_FINITE;
        out[row] = (MNP_T)(finite ? mnp_scaled(mnp_remainder(p, residues), -ea[row] - eb)
                                  : mnp_not_finite(p, b, p.first_row + row, c));
    }
}

MNP_KERNEL(emulated_result, mnp_emulated_result_params)
{
#if MNP_CUDA
    for (int64_t line = blockIdx.x; line < p.batches * p.columns; line += gridDim.x)
        mnp_result_column(p, line, (int64_t)blockIdx.y * blockDim.x + threadIdx.x, (int64_t)gridDim.y * blockDim.x);
#else
    MNP_FOR (line, p.batches * p.columns)
        mnp_result_column(p, line, 0, 1);
#endif
}
