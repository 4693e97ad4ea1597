/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kernel of reductions of ufuncs, which takes elements one after the other, along whole lines or segments of them.
 * A segment ends where the next one begins; if that is not after its own begin, it is one element
 * (numpy.ufunc.reduceat).
 *
 * kernels/reduction/reduce.cu explains the text of `#include "generated"`; here there are one input, number 0, and one
 * output, number 1.  The library also defines
 *   MNP_UFUNC_REDUCE        the kernel's name
 *   MNP_KEPT        kernels/reduction/ufunc_reduce_params.h
 *   MNP_ORDERED     1: the sets of elements may not be joined
 *   MNP_STEADY, MNP_LOOKS   kernels/reduction/reduce.cu
 */
#include "kernels/prelude.h"
#include "kernels/math.h"
#include "kernels/reduction/ufunc_reduce_params.h"
#include "kernels/reduction/reduce_ops.h"
#include "kernels/reduction/reduce_step.h"
#if MNP_STEADY
#include "kernels/reduction/binned.h"
#include "kernels/reduction/reduce_binned.h"
#endif
#include "generated"
#include "kernels/nest.h"
#include "kernels/reduction/scan_elements.h"

/* The elements after which a set is joined to the accumulator, so that rounding errors stay small. */
constexpr int64_t mnp_most = MNP_ORDERED ? (int64_t)1 << 62 : 64;

/* Reduce elements begin .. end; `out` is null, or where the result up to each element goes. */
MNP_INLINE mnp_acc mnp_ufunc_reduce(const mnp_in *in, int64_t in_step, int64_t begin, int64_t end, mnp_out *out,
                                    int64_t out_step)
{
    mnp_op::lanes<1> lanes;
    mnp_acc known = mnp_empty<mnp_op>();
    int64_t taken = 0;
    lanes.start(0);
    for (int64_t x = begin; x < end; x++) {
        if (taken++ == mnp_most) {
            mnp_op::join(known, lanes.end(0));
            lanes.start(0);
            taken = 1;
        }
        mnp_take(lanes, 0, in[x * in_step]);
        if (out) {
            mnp_acc acc = known;
            mnp_op::join(acc, lanes.end(0));
            out[x * out_step] = mnp_result(acc);
        }
    }
    mnp_op::join(known, lanes.end(0));
    return known;
}

MNP_KERNEL(MNP_UFUNC_REDUCE, mnp_ufunc_reduce_params)
{
    const int64_t segments = p.segments ? p.segments : 1;
    MNP_FOR (i, p.lines * segments) {
        const int64_t segment = i / p.lines, line = i - segment * p.lines;
        const int64_t *const indices = (const int64_t *)p.indices;
        int64_t index[MNP_KEPT], begin = indices ? indices[segment] : 0;
        int64_t end = indices && segment + 1 < segments ? indices[segment + 1] : p.length;
        if (end <= begin && indices)
            end = begin + 1;
        mnp_unravel<MNP_KEPT>(p.kept, line, index);
        const mnp_in *in = (const mnp_in *)p.in.base + mnp_offset<MNP_KEPT>(p.in.kept, index);
        mnp_out *out = (mnp_out *)p.out.base + mnp_offset<MNP_KEPT>(p.out.kept, index);
        const mnp_acc acc = mnp_ufunc_reduce(in, p.in.along, begin, end, p.segments ? nullptr : out, p.out.along);
        if (p.segments)
            out[segment * p.out.along] = mnp_result(acc);
    }
}
