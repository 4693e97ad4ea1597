/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sparse matrix-vector products: y = A x, or y += A x, for a part of a sparse matrix and `width` vectors side by side.
 * Other kernels here examine a part in CSR, and convert it to other formats, before an algorithm is chosen for it.
 *
 * Compiled with
 *   MNP_VALUE, MNP_VECTOR   types of the matrix, and of x and y, in which sums are taken too
 *   MNP_OFFSET              type of the offsets
 * and for a product with
 *   MNP_FORMAT_CSR          or one of MNP_FORMAT_CSC, _COO, _DIA, _BSR, _SELL: lib/sparse/matrix/part.h describes them
 *   MNP_ADDS                1: y += A x; always in CSC and COO, where a row's entries are not stored together
 *   MNP_WIDE                whether there may be several vectors
 *   MNP_CONJUGATE           whether the matrix's values are conjugated
 *   MNP_DOT, MNP_W          1: also compute the sum of conj(x[i]) y[i], in type MNP_W, as a solver's first sum
 *                           (step_params.h); nothing is done once the solver has ended.  With MNP_ADDS, y[i] here is
 *                           the term that is added to y, and the sum is added to the one that is there
 *   MNP_STREAM              CSR on GPUs, 1: blocks take chunks of entries
 *   MNP_LANES               CSR on GPUs without MNP_STREAM: threads that share a row, a power of two up to 32
 *   MNP_BLOCK               BSR: the side of the blocks
 * or, to examine and convert, with one of MNP_TASK_STARTS, _SLICES, _DIAGONALS, _SELL and _DIA.
 */
#include "kernels/prelude.h"
#include "kernels/numbers.h"
#include "kernels/sparse/step/step_params.h"
#include "kernels/workers.h"
#include "kernels/sparse/product/spmv_params.h"

/* The first line of a share that begins after `target` lines and entries, counted together, so that shares are even. */
MNP_INLINE int64_t first_line(const MNP_OFFSET *offsets, int64_t lines, int64_t target)
{
    int64_t low = 0, high = lines;
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        if (offsets[middle] + middle < target)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

#if MNP_TASK_STARTS || MNP_TASK_SLICES || MNP_TASK_DIAGONALS || MNP_TASK_SELL || MNP_TASK_DIA

#if MNP_TASK_DIAGONALS

#include "kernels/claim.h"

/* Enter a diagonal in the table, unless it is there; false if there was no room. */
MNP_INLINE bool enter(long long *table, long long diagonal)
{
    const long long key = diagonal + (1ll << 32); /* not negative, so it differs from a free slot */
    int at = (int)(key % MNP_SPMV_DIAGONALS);
    for (int tries = 0; tries < MNP_SPMV_DIAGONALS; tries++) {
        long long there = ((volatile long long *)table)[at];
        if (there == -1)
            there = claim(table + at, key);
        if (there == key || there == -1)
            return true;
        at = (at + 1) % MNP_SPMV_DIAGONALS;
    }
    return false;
}

#endif

MNP_KERNEL(spmv_examine, mnp_spmv_examine_params)
{
    const MNP_OFFSET *const offsets = (const MNP_OFFSET *)p.offsets;

#if MNP_TASK_STARTS /* where the chunks begin, and where the last one ends */

    MNP_FOR (i, p.many) {
        const int64_t line = first_line(offsets, p.lines, i * MNP_SPMV_CHUNK);
        ((mnp_spmv_start *)p.found)[i] = mnp_spmv_start{(int64_t)offsets[line], (int)line};
    }

#elif MNP_TASK_SLICES /* the length of the longest row of every slice */

    MNP_FOR (i, p.many) {
        int64_t longest = 0;
        for (int64_t row = i * MNP_SPMV_SLICE; row < (i + 1) * MNP_SPMV_SLICE && row < p.lines; row++)
            if (offsets[row + 1] - offsets[row] > longest)
                longest = offsets[row + 1] - offsets[row];
        ((int *)p.found)[i] = (int)longest;
    }

#elif MNP_TASK_DIAGONALS /* the table of diagonals; after it 1 if DIA cannot represent the part */

    long long *const table = (long long *)p.found;
    volatile long long *const unfit = table + MNP_SPMV_DIAGONALS;
    MNP_FOR (row, p.lines) {
        const int64_t end = offsets[row + 1];
        for (int64_t k = *unfit == 1 ? end : (int64_t)offsets[row]; k < end; k++)
            if (is_zero(((const MNP_VALUE *)p.values)[k]) || !enter(table, p.indices[k] - row))
                *unfit = 1;
    }

#elif MNP_TASK_SELL

    MNP_FOR (row, p.lines) {
        int64_t at = p.made_offsets[row / MNP_SPMV_SLICE] + row % MNP_SPMV_SLICE;
        p.made_rows_of[row] = (int)(offsets[row + 1] - offsets[row]);
        for (int64_t k = offsets[row]; k < (int64_t)offsets[row + 1]; k++, at += MNP_SPMV_SLICE) {
            p.made_indices[at] = p.indices[k];
            ((MNP_VALUE *)p.made_values)[at] = ((const MNP_VALUE *)p.values)[k];
        }
    }

#else /* DIA: a row's columns are ascending, and so are the diagonals */

    MNP_FOR (row, p.lines) {
        int64_t k = offsets[row];
        for (int64_t d = 0; d < p.many; d++) {
            const bool stored = k < (int64_t)offsets[row + 1] && p.indices[k] == row + p.made_indices[d];
            ((MNP_VALUE *)p.made_values)[d * p.lines + row] = stored ? ((const MNP_VALUE *)p.values)[k] : MNP_VALUE{};
            k += stored;
        }
    }

#endif
}

#else

typedef MNP_W mnp_w;

/* a b.  A GPU rounds it before it is added to a sum, so that all its kernels give the same bits. */
template <typename R> MNP_INLINE R times(R a, R b)
{
    return a * b;
}
#if MNP_CUDA
MNP_INLINE float times(float a, float b)
{
    return __fmul_rn(a, b);
}
MNP_INLINE double times(double a, double b)
{
    return __dmul_rn(a, b);
}
#endif

template <typename V, typename R> MNP_INLINE R product(V value, R x)
{
    return times((R)value, x);
}
template <typename V, typename R> MNP_INLINE mnp_complex<R> product(V value, mnp_complex<R> x)
{
    return {times((R)value, x.re), times((R)value, x.im)};
}
template <typename V, typename R> MNP_INLINE mnp_complex<R> product(mnp_complex<V> value, mnp_complex<R> x)
{
    const R re = (R)value.re, im = MNP_CONJUGATE ? -(R)value.im : (R)value.im;
    return {times(re, x.re) - times(im, x.im), times(re, x.im) + times(im, x.re)};
}

/* In DIA an element that is 0 is not an entry: its product is 0 even with an infinite x. */
template <typename V, typename R> MNP_INLINE R product_if_stored(V value, R x)
{
    return is_zero(value) ? R{} : product(value, x);
}

/* A part, with typed pointers. */
struct part {
    const MNP_OFFSET *offsets;
    const int *rows_of, *indices;
    const MNP_VALUE *values;
    const MNP_VECTOR *x;
    MNP_VECTOR *y;
    int64_t width;
    const MNP_VECTOR *own;
    mnp_w dot; /* the sum of this thread or worker */

    MNP_INLINE int64_t row_of(int64_t line) const
    {
        return rows_of ? rows_of[line] : line;
    }
    /* Store or add element i of y; it belongs to row i if there is one vector. */
    MNP_INLINE void put(int64_t i, MNP_VECTOR sum)
    {
#if MNP_ADDS
        y[i] += sum;
#else
        y[i] = sum;
#endif
#if MNP_DOT
        dot += conjugate(mnp_widen<mnp_w>(own[i])) * mnp_widen<mnp_w>(sum);
#endif
    }
};

MNP_INLINE part open_part(const mnp_spmv_params &p)
{
    return part{(const MNP_OFFSET *)p.offsets,
                p.rows_of,
                p.indices,
                (const MNP_VALUE *)p.values,
                (const MNP_VECTOR *)p.x,
                (MNP_VECTOR *)p.y,
                MNP_WIDE ? p.width : 1,
                (const MNP_VECTOR *)p.own,
                mnp_number_of<mnp_w>::from(0)};
}

MNP_INLINE bool is_over(const mnp_spmv_params &p)
{
    return MNP_DOT && ((const mnp_step_control *)p.state)->done != MNP_GOING;
}

/* Finish the sum of MNP_DOT; all threads and workers call it.  The sum lies after the control struct in the state. */
MNP_INLINE void close_part(const mnp_spmv_params &p, mnp_worker w, part &a)
{
#if MNP_DOT
    mnp_w *const sum = (mnp_w *)((mnp_step_control *)p.state + 1);
    if (mnp_join<1>(w, &a.dot, (mnp_w *)p.partials, (unsigned *)p.arrived))
        *sum = MNP_ADDS ? *sum + a.dot : a.dot;
#endif
}

#if MNP_CUDA
#include "kernels/sparse/product/spmv_cuda.h"
#else
#include "kernels/sparse/product/spmv_host.h"
#endif

#endif
