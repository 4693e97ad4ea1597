/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A pass of a cosine or sine transform, before or after the Fourier transform.  A table (cosine_table.cu) says for
 * every index along the axis which elements of the line make the result, and by which factor.  MNP_REAL is the type of
 * real elements.
 *
 *   MNP_PAIRS 1       from real to complex: factor (x[p] + i sign x[q])
 *   MNP_IN_PARTS 1    from real to real: the factor's real part times x[p]
 *   MNP_IN_PARTS 2    from complex to real: re x[p].re + im x[p].im
 *
 * Elements beyond the line are 0.
 */
#include "kernels/prelude.h"
#include "kernels/fft/cosine_entry.h"
#include "kernels/fft/cosine_params.h"

/* The elements of a line, of which one is `at` elements after the first of its block. */
MNP_INLINE MNP_REAL mnp_real_at(const mnp_fft_cosine_params &p, int64_t line, int64_t index, int64_t part, int64_t k)
{
    const MNP_REAL *in = (const MNP_REAL *)p.in;
    const bool exists = index >= 0 && index < p.extent;
    return exists ? in[MNP_IN_PARTS * ((line * p.extent + index) * p.inner + k) + part] : (MNP_REAL)0;
}

MNP_INLINE void mnp_element(const mnp_fft_cosine_params &p, const mnp_cosine_entry &e, int64_t line, int64_t at,
                            int64_t k)
{
#if MNP_PAIRS
    const MNP_REAL a = mnp_real_at(p, line, e.p, 0, k), b = (MNP_REAL)p.sign * mnp_real_at(p, line, e.q, 0, k);
    ((mnp_complex<MNP_REAL> *)p.out)[at] = {e.re * a - e.im * b, e.im * a + e.re * b};
#elif MNP_IN_PARTS == 2
    ((MNP_REAL *)p.out)[at] = e.re * mnp_real_at(p, line, e.p, 0, k) + e.im * mnp_real_at(p, line, e.p, 1, k);
#else
    ((MNP_REAL *)p.out)[at] = e.re * mnp_real_at(p, line, e.p, 0, k);
#endif
}

MNP_KERNEL(fft_cosine, mnp_fft_cosine_params)
{
    const mnp_cosine_entry *table = (const mnp_cosine_entry *)p.table;
#if MNP_CUDA
    MNP_FOR (i, p.outer * p.count * p.inner) {
        const int64_t row = i / p.inner, line = row / p.count;
        mnp_element(p, table[row - line * p.count], line, i, i - row * p.inner);
    }
#else
    const int64_t rows = p.outer * p.count, end = mnp_share_begin(rows, worker + 1, workers);
    int64_t row = mnp_share_begin(rows, worker, workers), line = row / p.count, index = row % p.count;
    for (; row < end; row++) {
        for (int64_t k = 0; k < p.inner; k++)
            mnp_element(p, table[index], line, row * p.inner + k, k);
        if (++index == p.count) {
            index = 0;
            line++;
        }
    }
#endif
}
