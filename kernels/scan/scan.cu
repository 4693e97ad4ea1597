/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kernel of scans (lib/ops/scan/scan.h): every element of a result is the reduction of all elements up to its own
 * along one axis, by a struct of kernels/reduction/reduce_ops.h.
 *
 * kernels/reduction/reduce.cu explains the text of `#include "generated"`; here there are one input, number 0, and one
 * output, number 1.  The library also defines
 *   MNP_SCAN               the kernel's name
 *   MNP_KEPT               kernels/scan/scan_params.h
 *   MNP_WAY                how threads are assigned to elements, kernels/scan/scan_params.h
 *   MNP_UNIT_IN, MNP_UNIT_OUT   1: the operand has stride 1 along the axis, or across lines if threads lie so;
 *                          with bands and short lines: what a block copies is one piece of memory
 *   MNP_ACC_BYTES          bytes for an mnp_op::acc
 *   MNP_STEADY, MNP_LOOKS  as in reduce.cu
 * and for GPUs also
 *   MNP_SCAN_GROUPS, MNP_SCAN_BAND_COLUMNS   lib/ops/scan/scan_plan.h
 *   MNP_THREADS, MNP_VECTOR, MNP_UNROLL   threads of a block; adjacent elements of one access; accesses in flight, or
 *                          with bands: most elements of a thread's strip
 *   MNP_BESIDE             across lines: vectors of lines that a thread has
 *   MNP_SHIFTED            along lines: tiles begin where the input is aligned, which may be before a line
 */
#include "kernels/prelude.h"
#include "kernels/math.h"
#include "kernels/scan/scan_params.h"
#include "kernels/reduction/reduce_ops.h"
#include "kernels/reduction/reduce_step.h"
#if MNP_STEADY
#include "kernels/reduction/binned.h"
#include "kernels/reduction/reduce_binned.h"
#endif
#include "generated"
#include "kernels/nest.h"
#include "kernels/reduction/scan_elements.h"

static_assert(sizeof(mnp_acc) <= MNP_ACC_BYTES, "the library leaves room for what ranks know");

/* The total of the elements of a line that lie on ranks before this one. */
MNP_INLINE mnp_acc mnp_before_line(const mnp_scan_params &p, const int64_t *index)
{
    mnp_acc acc = mnp_empty<mnp_op>();
    for (int64_t i = 0; i < p.count; i++) {
        const int64_t at = (p.first + i * p.by) * p.lines + mnp_offset<MNP_KEPT>(p.place, index);
        mnp_op::join(acc, *(const mnp_acc *)(p.known + at * MNP_ACC_BYTES));
    }
    return acc;
}

MNP_INLINE mnp_acc *mnp_part_total(const mnp_scan_params &p, int64_t line, int64_t part)
{
    return (mnp_acc *)(p.totals + (part * p.lines + line) * MNP_ACC_BYTES);
}

/* The total of all elements before part number `part` of a line, whose indices are `index`. */
MNP_INLINE mnp_acc mnp_before_part(const mnp_scan_params &p, const int64_t *index, int64_t line, int64_t part)
{
    mnp_acc acc = mnp_before_line(p, index);
    for (int64_t earlier = 0; earlier < part; earlier++)
        mnp_op::join(acc, *mnp_part_total(p, line, earlier));
    return acc;
}

#if MNP_CUDA
#include "kernels/scan/scan_cuda.h"
#else
#include "kernels/scan/scan_host.h"
#endif
