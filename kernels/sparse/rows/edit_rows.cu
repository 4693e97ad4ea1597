/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Element-wise operations on sparse matrices of one shape, row by row: sums and products of two matrices, selections of
 * entries, and changes of values.  Where the entries stay at their places, values are taken as they are stored.
 *
 * Each entry is handled independently: a search finds the other matrix's entry of the same row and column, which
 * decides whether the entry is kept; its position in the result is the number of kept entries of both matrices before
 * it.  Sums and products that are 0 are dropped, as in SciPy.  Compiled with
 *   MNP_VALUE   type of the values
 *   MNP_SUM, MNP_PRODUCT or MNP_SELECT; or MNP_FROM, the type of the values that are changed
 */
#include "kernels/prelude.h"
#include "kernels/sparse/rows/edit_rows_params.h"
#include "kernels/lines.h"
#include "kernels/numbers.h"
#include "kernels/rounded.h"

/* A product that is rounded before it is added to anything, so that x - x is 0. */
MNP_INLINE double times(double a, double b)
{
    return mnp_product(a, b);
}

MNP_INLINE double widen(double x)
{
    return x;
}
template <typename R> MNP_INLINE mnp_complex128 widen(mnp_complex<R> x)
{
    return {x.re, x.im};
}

MNP_INLINE mnp_complex128 times(mnp_complex128 a, mnp_complex128 b)
{
    return {times(a.re, b.re) - times(a.im, b.im), times(a.re, b.im) + times(a.im, b.re)};
}

/* A product that is no term of a sum, in loops that compilers can make vectors of. */
MNP_INLINE double multiplied(double a, double b)
{
    return a * b;
}
MNP_INLINE mnp_complex128 multiplied(mnp_complex128 a, mnp_complex128 b)
{
    return times(a, b);
}

typedef decltype(widen(MNP_VALUE{})) wide;

MNP_INLINE wide value_of(const mnp_rows_list &rows, int64_t entry)
{
    return widen(((const MNP_VALUE *)rows.values)[entry]);
}

#ifdef MNP_FROM

/* ---- values ---- */

/* An absolute value, computed without overflow. */
MNP_INLINE double size_of(double x)
{
    return x < 0 ? -x : x;
}
MNP_INLINE double size_of(mnp_complex128 x)
{
#if MNP_CUDA
    return hypot(x.re, x.im);
#else
    return __builtin_hypot(x.re, x.im);
#endif
}

MNP_INLINE void multiply(MNP_VALUE *value, const void *factors, int64_t i)
{
    *value = mnp_to<MNP_VALUE>::from(times(widen(*value), widen(((const MNP_VALUE *)factors)[i])));
}

MNP_INLINE void scale_column(const mnp_change_params &p, MNP_VALUE *value, int64_t column)
{
    const int64_t own = column - p.column_lo;
    if (own >= 0 && own < p.columns)
        multiply(value, p.right, own);
    else
        multiply(value, p.right_ghosts, lower_bound(p.ghosts, 0, p.nghosts, column));
}

MNP_INLINE double factor_of(const mnp_value_change &change, double)
{
    return change.number[0];
}
MNP_INLINE mnp_complex128 factor_of(const mnp_value_change &change, mnp_complex128)
{
    return {change.number[0], change.number[1]};
}

MNP_INLINE MNP_VALUE changed(const mnp_value_change &change, MNP_FROM from)
{
    MNP_VALUE value = mnp_to<MNP_VALUE>::from(from);
    if (change.magnitudes)
        value = mnp_to<MNP_VALUE>::from(size_of(widen(from)));
    if (change.ones)
        value = mnp_number_of<MNP_VALUE>::from(1);
    if (change.conjugates)
        value = conjugate(value);
    if (change.scales)
        value = mnp_to<MNP_VALUE>::from(multiplied(widen(value), factor_of(change, wide{})));
    return value;
}

MNP_KERNEL(change_stored, mnp_stored_params)
{
    MNP_FOR (i, p.count)
        ((MNP_VALUE *)p.made)[i] = changed(p.change, ((const MNP_FROM *)p.values)[i]);
}

MNP_KERNEL(change_values, mnp_change_params)
{
    for_entries(
        ALL_WORKERS, p.rows.offsets, p.rows.rows, [](int64_t row) { return row; },
        [&](int64_t row, int64_t entry) {
            MNP_VALUE value = changed(p.change, ((const MNP_FROM *)p.rows.values)[entry]);
            if (p.left)
                multiply(&value, p.left, row);
            if (p.right || p.right_ghosts) /* a rank may have no columns of its own */
                scale_column(p, &value, p.rows.columns[entry]);
            ((MNP_VALUE *)p.made)[entry] = value;
        });
}

MNP_KERNEL(sum_magnitudes, mnp_change_params)
{
    MNP_FOR (row, p.rows.rows) {
        double sum = 0;
        for (int64_t entry = p.rows.offsets[row]; entry < p.rows.offsets[row + 1]; entry++)
            sum += size_of(widen(((const MNP_FROM *)p.rows.values)[entry]));
        ((double *)p.made)[row] = sum;
    }
}

#else

/* ---- sums, products and selections ---- */

/* A row, and its entries in the other matrix. */
struct row_pair {
    int64_t row, begin, end;
};

MNP_INLINE row_pair open_row(const mnp_rows_list &other, int64_t row)
{
    return other.offsets ? row_pair{row, other.offsets[row], other.offsets[row + 1]} : row_pair{row, 0, 0};
}

/* The first of the row's entries in the other matrix with at least this column; on the host columns only ascend. */
MNP_INLINE int64_t seek(const mnp_rows_list &other, row_pair &pair, int64_t column)
{
#if MNP_CUDA
    return lower_bound(other.columns, pair.begin, pair.end, column);
#else
    while (pair.begin < pair.end && other.columns[pair.begin] < column)
        pair.begin++;
    return pair.begin;
#endif
}

/* The row's entry of the other matrix in a column; -1: none. */
MNP_INLINE int64_t find_partner(const mnp_rows_list &other, row_pair &pair, int64_t column)
{
    const int64_t at = seek(other, pair, column);
    return at < pair.end && other.columns[at] == column ? at : -1;
}

/* A real factor leaves infinities unchanged. */
MNP_INLINE double scaled(double x, const double *factor)
{
    return times(x, factor[0]);
}
MNP_INLINE mnp_complex128 scaled(mnp_complex128 x, const double *factor)
{
    if (factor[1] != 0)
        return times(mnp_complex128{factor[0], factor[1]}, x);
    return {times(x.re, factor[0]), times(x.im, factor[0])};
}

/* Compute the result for an entry of a; false: it is dropped. */
MNP_INLINE bool make_entry(const mnp_edit_params &p, row_pair &pair, int64_t entry, wide *value_p)
{
    const int64_t column = p.a.columns[entry];
    const wide value = value_of(p.a, entry);
#if MNP_SELECT
    const int64_t diagonal = column - p.row_lo - pair.row;
    *value_p = value;
    return diagonal >= p.low && diagonal <= p.high && !(p.drops_zeros && is_zero(value));
#else
    const int64_t partner = find_partner(p.b, pair, column);
#if MNP_PRODUCT
    if (partner < 0)
        return false;
    *value_p = times(value, value_of(p.b, partner));
#else
    *value_p = scaled(value, p.alpha);
    if (partner >= 0)
        *value_p = *value_p + scaled(value_of(p.b, partner), p.beta);
#endif
    return !is_zero(*value_p);
#endif
}

/* Compute the result for an entry of b, in a sum; false: a has an entry there, or it is dropped. */
MNP_INLINE bool make_other(const mnp_edit_params &p, row_pair &pair, int64_t entry, wide *value_p)
{
#if MNP_SUM
    *value_p = scaled(value_of(p.b, entry), p.beta);
    return find_partner(p.a, pair, p.b.columns[entry]) < 0 && !is_zero(*value_p);
#else
    return false;
#endif
}

MNP_INLINE void store(const mnp_edit_params &p, int64_t at, int64_t column, wide value)
{
    p.made.columns[at] = column;
    ((MNP_VALUE *)p.made.values)[at] = mnp_to<MNP_VALUE>::from(value);
}

MNP_INLINE void place_entry(const mnp_edit_params &p, row_pair &pair, int64_t entry)
{
    wide value;
    const int64_t at = p.a_kept[entry], column = p.a.columns[entry];
    if (p.a_kept[entry + 1] > at && make_entry(p, pair, entry, &value))
        store(p, at + (p.b_kept ? p.b_kept[seek(p.b, pair, column)] : 0), column, value);
}

MNP_INLINE void place_other(const mnp_edit_params &p, row_pair &pair, int64_t entry)
{
    wide value;
    const int64_t at = p.b_kept[entry], column = p.b.columns[entry];
    if (p.b_kept[entry + 1] > at && make_other(p, pair, entry, &value))
        store(p, at + p.a_kept[seek(p.a, pair, column)], column, value);
}

#if !MNP_SELECT

MNP_KERNEL(combine_stored, mnp_stored_params)
{
    MNP_FOR (i, p.count) {
        const wide a = widen(((const MNP_VALUE *)p.values)[i]), b = widen(((const MNP_VALUE *)p.others)[i]);
#if MNP_PRODUCT
        const wide made = multiplied(a, b);
#else
        const wide made = scaled(a, p.alpha) + scaled(b, p.beta);
#endif
        if (is_zero(made))
            *p.zeros = 1;
        ((MNP_VALUE *)p.made)[i] = mnp_to<MNP_VALUE>::from(made);
    }
}

#endif

MNP_KERNEL(edit_rows, mnp_edit_params)
{
    const worker_range all = ALL_WORKERS;
    const auto open_a = [&](int64_t row) { return open_row(p.b, row); };
    const auto open_b = [&](int64_t row) { return open_row(p.a, row); };
    wide value;
    switch (p.task) {
    case MNP_EDIT_FLAG:
        for_entries(all, p.a.offsets, p.a.rows, open_a,
                    [&](row_pair &pair, int64_t entry) { p.a_kept[entry] = make_entry(p, pair, entry, &value); });
        if (p.b_kept)
            for_entries(all, p.b.offsets, p.b.rows, open_b,
                        [&](row_pair &pair, int64_t entry) { p.b_kept[entry] = make_other(p, pair, entry, &value); });
        break;
    case MNP_EDIT_OFFSETS:
        MNP_FOR (row, p.made.rows + 1)
            p.made.offsets[row] = p.a_kept[p.a.offsets[row]] + (p.b_kept ? p.b_kept[p.b.offsets[row]] : 0);
        break;
    case MNP_EDIT_PLACE:
        for_entries(all, p.a.offsets, p.a.rows, open_a,
                    [&](row_pair &pair, int64_t entry) { place_entry(p, pair, entry); });
        if (p.b_kept)
            for_entries(all, p.b.offsets, p.b.rows, open_b,
                        [&](row_pair &pair, int64_t entry) { place_other(p, pair, entry); });
        break;
    }
}

#endif
