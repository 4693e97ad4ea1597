/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * On a GPU: which columns of matrices of MNP_T have NaN, and later NaN on the diagonal of these columns.  A block of
 * threads looks through one column after another.
 */
#include "kernels/prelude.h"
#include "kernels/linalg/lost_nan_params.h"
#include "kernels/math_types.h"

MNP_INLINE bool mnp_lacks_number(float x)
{
    return x != x;
}
MNP_INLINE bool mnp_lacks_number(double x)
{
    return x != x;
}
template <typename R> MNP_INLINE bool mnp_lacks_number(mnp_complex<R> x)
{
    return x.re != x.re || x.im != x.im;
}

template <typename T> MNP_INLINE void mnp_put_nan(T *x)
{
    *x = mnp_nan<T>();
}
template <typename R> MNP_INLINE void mnp_put_nan(mnp_complex<R> *x)
{
    x->re = x->im = mnp_nan<R>();
}

MNP_INLINE void mnp_find_marks(const mnp_lost_nan_params &p)
{
    for (int64_t c = blockIdx.x; c < p.count; c += gridDim.x) {
        const MNP_T *column = (const MNP_T *)p.matrices + c / p.n * p.step + c % p.n * p.ld;
        bool found = false;
        for (int64_t i = threadIdx.x; i < p.m; i += blockDim.x)
            found = found || mnp_lacks_number(column[i]);
        const int any = __syncthreads_or(found);
        if (threadIdx.x == 0)
            p.marks[c] = any != 0;
    }
}

MNP_KERNEL(lost_nan, mnp_lost_nan_params)
{
    if (!p.puts) {
        mnp_find_marks(p);
        return;
    }
    const int64_t diagonal = p.m < p.n ? p.m : p.n;
    MNP_FOR (c, p.count) {
        const int64_t matrix = c / diagonal, j = c % diagonal;
        if (p.marks[matrix * p.n + j])
            mnp_put_nan((MNP_T *)p.matrices + matrix * p.step + j * p.ld + j);
    }
}
