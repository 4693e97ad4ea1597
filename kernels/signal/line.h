/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * On a GPU: the Fourier transform of a line of `points` elements, a power of two from 16 on, by points / 16 threads of
 * a block.  Before and after it thread t has elements t, t + points / 16, ... in order.  MNP_REAL is the type of the
 * parts of the complex elements.
 *
 * Passes of radix 16 and one of what is left, in Stockham's order (kernels/fft/columns.cu).  The short pass is the last
 * one, or the first one if `short_first`: of one transform after the other, with something in between that is done
 * element by element, such as a product, the second takes over what the first one's threads have.
 */
#ifndef MNP_KERNELS_SIGNAL_LINE_H
#define MNP_KERNELS_SIGNAL_LINE_H

#include "kernels/prelude.h"
#include "kernels/fft/radix.h"

enum { MNP_HELD = 16 }; /* values of a thread */

/* A value in one access. */
struct alignas(2 * sizeof(MNP_REAL)) mnp_memory {
    MNP_REAL re, im;
};

template <int points, int columns, bool short_first> struct mnp_line {
    static constexpr int threads = points / MNP_HELD;

    /* Where element i of a column is in shared memory: a row more after every 16, against conflicts of banks. */
    static MNP_INLINE int place(int i)
    {
        return (i + i / 16) * columns;
    }
    static constexpr int room = (points + points / 16) * columns;

    static constexpr int left_by_sixteen(int n)
    {
        return n > MNP_HELD ? left_by_sixteen(n / MNP_HELD) : n;
    }
    static constexpr int radix_after(int done)
    {
        return short_first ? (done == 1 ? left_by_sixteen(points) : MNP_HELD)
                           : (points / done < MNP_HELD ? points / done : MNP_HELD);
    }

    /* The pass that makes transforms of `done` points into longer ones, and those after it. */
    template <int done> static MNP_INLINE void pass(mnp_value *v, int t, mnp_memory *quick)
    {
        constexpr int radix = radix_after(done), groups = MNP_HELD / radix;
        constexpr bool is_last = done * radix == points;
#pragma unroll
        for (int g = 0; g < groups; g++) {
            const int j = t + g * threads, rest = j % done, to = (j - rest) * radix + rest;
            mnp_value u[radix];
#pragma unroll
            for (int r = 0; r < radix; r++)
                u[r] = v[g + r * groups];
            if constexpr (done > 1)
                mnp_twiddle<radix>(u, rest, done * radix);
            mnp_small<radix>::transform(u);
#pragma unroll
            for (int r = 0; r < radix; r++) {
                if constexpr (is_last)
                    v[g + r * groups] = u[r];
                else
                    quick[place(to + r * done)] = {u[r].re, u[r].im};
            }
        }
        if constexpr (!is_last) {
            __syncthreads();
#pragma unroll
            for (int q = 0; q < MNP_HELD; q++) {
                const mnp_memory both = quick[place(t + q * threads)];
                v[q] = {both.re, both.im};
            }
            __syncthreads(); /* all have read what is written over next */
            pass<done * radix>(v, t, quick);
        }
    }

    /* Transform; `quick` is the line's part of shared memory.  All threads of the block take part. */
    static MNP_INLINE void transform(mnp_value *v, int t, mnp_memory *quick)
    {
        pass<1>(v, t, quick);
    }

    /* The same of the inverse transform, without division: that of the numbers with their parts exchanged. */
    static MNP_INLINE void inverse(mnp_value *v, int t, mnp_memory *quick)
    {
        exchange_parts(v);
        pass<1>(v, t, quick);
        exchange_parts(v);
    }

    static MNP_INLINE void exchange_parts(mnp_value *v)
    {
#pragma unroll
        for (int q = 0; q < MNP_HELD; q++)
            v[q] = {v[q].im, v[q].re};
    }
};

#endif
