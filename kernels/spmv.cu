/*
 * y = A x, or y += A x, of a part of a sparse matrix and `width` vectors side by side.
 *
 * Compiled with
 *   MNP_VALUE, MNP_VECTOR   types of the matrix, and of x and y, in which sums are taken too
 *   MNP_OFFSET              type of the offsets
 *   MNP_FORMAT_CSR          or one of MNP_FORMAT_CSC, _COO, _DIA, _BSR, _SELL: what lib/sparse/part.h says of it
 *   MNP_ADDS                whether y is added to; always so in CSC and COO, whose entries of a row come from all over
 *   MNP_WIDE                whether there may be several vectors
 *   MNP_CONJUGATE           whether the matrix's values are conjugated
 *   MNP_LANES               of CSR on GPUs: threads that share a row, a power of two up to 32
 *   MNP_BLOCK               of BSR: the side of the blocks
 */
#include "prelude.h"
#include "spmv.h"

#if MNP_CONJUGATE
template <typename R> MNP_INLINE mnp_complex<R> matrix_value(mnp_complex<R> value)
{
    return mnp_complex<R>{value.re, -value.im};
}
#endif
template <typename V> MNP_INLINE V matrix_value(V value)
{
    return value;
}

/* sum += value * x */
template <typename V, typename R> MNP_INLINE void add_product(R &sum, V value, R x)
{
    sum += (R)value * x;
}
template <typename V, typename R> MNP_INLINE void add_product(mnp_complex<R> &sum, V value, mnp_complex<R> x)
{
    sum.re += (R)value * x.re;
    sum.im += (R)value * x.im;
}
template <typename V, typename R> MNP_INLINE void add_product(mnp_complex<R> &sum, mnp_complex<V> value, mnp_complex<R> x)
{
    sum.re += (R)value.re * x.re - (R)value.im * x.im;
    sum.im += (R)value.re * x.im + (R)value.im * x.re;
}

template <typename R> MNP_INLINE void add(R &sum, R x)
{
    sum += x;
}
template <typename R> MNP_INLINE void add(mnp_complex<R> &sum, mnp_complex<R> x)
{
    sum.re += x.re;
    sum.im += x.im;
}

MNP_INLINE void store(MNP_VECTOR *y, MNP_VECTOR sum)
{
#if MNP_ADDS
    add(*y, sum);
#else
    *y = sum;
#endif
}

/* A part, with its types. */
struct part {
    const MNP_OFFSET *offsets;
    const int *rows_of, *indices;
    const MNP_VALUE *values;
    const MNP_VECTOR *x;
    MNP_VECTOR *y;
    int64_t width;
};

MNP_INLINE part open_part(const mnp_spmv_params &p)
{
    return part{(const MNP_OFFSET *)p.offsets, p.rows_of, p.indices, (const MNP_VALUE *)p.values, (const MNP_VECTOR *)p.x,
                (MNP_VECTOR *)p.y, MNP_WIDE ? p.width : 1};
}

#if MNP_CUDA
#include "spmv_cuda.h"
#else
#include "spmv_host.h"
#endif
