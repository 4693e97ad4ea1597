/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kernel of reductions (lib/ops/reduction/reduction.h).  Elements are added to sets, the accumulators of sets are
 * joined, and results follow from the last one.  kernels/reduction/reduce_ops.h has the structs that do so.
 *
 * The library (lib/ops/reduction/reduction_source.c) generates the text of `#include "generated"`, which defines
 *   mnp_typeK, mnp_memoryK      type of operand K in the reduction and in memory; mnp_carrierK, that of a passed scalar
 *   mnp_op                      the reduction, a struct as in reduce_ops.h
 *   MNP_INPUTS(X), MNP_OUTPUTS(X)   X(K) for every input and every output
 *   MNP_ELEMENT(lanes, method, j, IN, i)   call that method of set j for the element whose values are IN(K) and whose
 *                               index is i
 *   MNP_VALUE(IN)               what mnp_op is given for the element whose values are IN(K), a mnp_value if it is one
 *   MNP_GIVE(acc, end, OUT)     set the results OUT(K)
 * For the strides of this kernel the library also defines
 *   MNP_REDUCE                  the kernel's name
 *   MNP_KEPT, MNP_REDUCED, MNP_OPERANDS, MNP_RESULTS   kernels/reduction/reduce_params.h
 *   MNP_FIRST_RESULT            number of the first output; the flat index is operand MNP_OPERANDS - 1
 *   MNP_REACH_OF_K              how input K is accessed
 *   MNP_COLUMNS                 0: vectors lie along the innermost reduced dimension, and a thread's sets belong to one
 *                               result; 1: along the innermost kept one, and every set belongs to another result
 *   MNP_SEARCHES                1: mnp_op is mnp_reduce_index without a mask
 *   MNP_LEADS                   1: sets of mnp_op have lead() and follow(), and no element is left out
 *   MNP_STEADY, MNP_LOOKS       1: mnp_op is of reduce_binned.h; and it checks a batch of elements before it adds them
 *   MNP_ACC_BYTES               bytes for an mnp_op::acc
 *   MNP_LARGE                   1: it has several numbers
 * and for GPUs also
 *   MNP_THREADS, MNP_VECTOR     threads of a block; adjacent elements of one access
 *   MNP_SKEWED, MNP_SKEW_OF(readers)   1: an input is MNP_REACH_SKEWED; by how many elements its vectors begin
 *                             before a row
 *   MNP_ALONG, MNP_UNROLL       accesses along a line, and lines, that a thread has in flight
 *   MNP_FALLS                   1: indices along the one reduced dimension fall
 *   MNP_OUTS                    1: outputs are short rows of which a thread has several
 *   MNP_TILED                   1: blocks copy tiles to shared memory: reduce_tiles_cuda.h; then also MNP_TILE_KEPT,
 *                               MNP_TILE_REDUCED, MNP_CUT_REDUCED (1: a reduced dimension is cut), MNP_TILE_LOOP,
 *                               MNP_TILE_TURNS (1: outputs begin with different elements, so as not to meet at banks),
 *                               and MNP_TILE_COUNT: elements of an output that one thread has, if they are so few, or 0
 */
#include "kernels/prelude.h"
#include "kernels/math.h"
#include "kernels/reduction/reduce_params.h"
#define MNP_SETTLES MNP_CUDA /* sets of small elements are settled */
#include "kernels/reduction/reduce_ops.h"
#include "kernels/reduction/reduce_step.h"
#if MNP_STEADY
#include "kernels/reduction/binned.h"
#include "kernels/reduction/reduce_binned.h"
#endif
#if MNP_LOOKS
#define MNP_TAKE(lanes, j, IN, i) MNP_ELEMENT(lanes, template visit<MNP_TAKE_IT>, j, IN, i)
#define MNP_TAKE_ONE(lanes, j, IN, i) MNP_ELEMENT(lanes, template visit<MNP_TAKE_ANY>, j, IN, i)
#define MNP_LOOK_AT(lanes, j, IN, i) MNP_ELEMENT(lanes, template visit<MNP_LOOK>, j, IN, i)
#define MNP_IS_PLAIN(lanes, count, end) (lanes).plain(count, 0, end)
#elif MNP_CUDA && MNP_SEARCHES && MNP_REDUCED == 1 &&                                                                  \
    !MNP_FALLS /* a thread of a GPU takes elements of rising indices */
#define MNP_TAKE(lanes, j, IN, i) MNP_ELEMENT(lanes, follow, j, IN, i)
#define MNP_TAKE_ONE(lanes, j, IN, i) MNP_TAKE(lanes, j, IN, i)
#define MNP_LOOK_AT(lanes, j, IN, i)
#define MNP_IS_PLAIN(lanes, count, end) true
#else
#define MNP_TAKE(lanes, j, IN, i) MNP_ELEMENT(lanes, take, j, IN, i)
#define MNP_TAKE_ONE(lanes, j, IN, i) MNP_TAKE(lanes, j, IN, i)
#define MNP_LOOK_AT(lanes, j, IN, i)
#define MNP_IS_PLAIN(lanes, count, end) true
#endif
#include "generated"
#include "kernels/nest.h"

typedef mnp_op::acc mnp_acc;
static_assert(sizeof(mnp_acc) <= MNP_ACC_BYTES, "the library leaves room for parts");

template <typename To> MNP_INLINE To mnp_from_words(const void *words)
{
    To value;
    memcpy(&value, words, sizeof value);
    return value;
}

/* The stride of an operand along vectors. */
MNP_INLINE int64_t mnp_along(const mnp_reduce_operand &operand)
{
    return MNP_COLUMNS ? operand.kept[MNP_KEPT - 1] : operand.reduced[MNP_REDUCED - 1];
}

/* Reads an input from some element on, along vectors. */
template <int reach, typename Type, typename Memory, typename Carrier> struct mnp_reader {
    const Memory *at;
    int64_t stride;
    MNP_INLINE void find(const mnp_reduce_operand &operand, int64_t offset)
    {
        at = (const Memory *)operand.base + offset;
        stride = mnp_along(operand);
    }
    MNP_INLINE Type get(int64_t j) const
    {
        return mnp_to<Type>::from(at[reach == MNP_REACH_STRIDED ? j * stride : reach == MNP_REACH_BROADCAST ? 0 : j]);
    }
    template <int count> MNP_INLINE void load(int64_t j, Memory (&values)[count]) const
    {
        if constexpr (reach == MNP_REACH_VECTOR || reach == MNP_REACH_SKEWED) {
            const mnp_vector<Memory, count> all = *(const mnp_vector<Memory, count> *)(at + j);
#if MNP_CUDA
#pragma unroll
#endif
            for (int v = 0; v < count; v++)
                values[v] = all.at[v];
        } else {
#if MNP_CUDA
#pragma unroll
#endif
            for (int v = 0; v < count; v++)
                values[v] = at[reach == MNP_REACH_STRIDED     ? (j + v) * stride
                               : reach == MNP_REACH_BROADCAST ? 0
                                                              : j + v];
        }
    }
    MNP_INLINE Type convert(Memory value) const
    {
        return mnp_to<Type>::from(value);
    }
    /* By how many elements an aligned vector begins before the first element. */
    template <int count> MNP_INLINE int skew() const
    {
        return (int)((uint64_t)at / sizeof(Memory) % count);
    }
};
template <typename Type, typename Memory, typename Carrier> struct mnp_reader<MNP_REACH_SCALAR, Type, Memory, Carrier> {
    Type value;
    MNP_INLINE void find(const mnp_reduce_operand &operand, int64_t)
    {
        value = mnp_to<Type>::from(mnp_from_words<Carrier>(&operand));
    }
    MNP_INLINE Type get(int64_t) const
    {
        return value;
    }
    template <int count> MNP_INLINE void load(int64_t, Memory (&)[count]) const
    {
    }
    MNP_INLINE Type convert(Memory) const
    {
        return value;
    }
};

/* Reads all inputs from some element on, and knows the index of that element. */
struct mnp_readers {
#define MNP_DECLARE(k) mnp_reader<MNP_REACH_OF_##k, mnp_type##k, mnp_memory##k, mnp_carrier##k> in##k;
    MNP_INPUTS(MNP_DECLARE)
    int64_t first, step;
    /* Start at the element with the indices `kept` and `reduced`, which omit the dimension along vectors. */
    MNP_INLINE void find(const mnp_reduce_params &p, const int64_t *kept, const int64_t *reduced)
    {
        constexpr int outer = MNP_KEPT - MNP_COLUMNS, inner = MNP_REDUCED - !MNP_COLUMNS;
#define MNP_FIND(k)                                                                                                    \
    in##k.find(p.operand[k],                                                                                           \
               mnp_offset<outer>(p.operand[k].kept, kept) + mnp_offset<inner>(p.operand[k].reduced, reduced));
        MNP_INPUTS(MNP_FIND)
        const mnp_reduce_operand &counter = p.operand[MNP_OPERANDS - 1];
        first =
            (int64_t)counter.base + mnp_offset<outer>(counter.kept, kept) + mnp_offset<inner>(counter.reduced, reduced);
        step = mnp_along(counter);
    }
    MNP_INLINE int64_t index(int64_t j) const
    {
        return first + j * step;
    }
};

/* Find the accumulator of part number `part` of the output that has these indices. */
MNP_INLINE mnp_acc *mnp_part_at(const mnp_reduce_params &p, unsigned long long parts, const int64_t *index,
                                int64_t part)
{
    return (mnp_acc *)(parts + (part * p.outputs + mnp_offset<MNP_KEPT>(p.place, index)) * MNP_ACC_BYTES);
}

/* Store the accumulator of part number `part` of the output that has these indices, or the results that follow. */
MNP_INLINE void mnp_deliver(const mnp_reduce_params &p, const mnp_acc &acc, const int64_t *index, int64_t part)
{
    if (p.target) {
        *mnp_part_at(p, p.target, index, part) = acc;
        return;
    }
    const mnp_reduce_end end = {(int64_t)p.count, (int64_t)p.times, p.ddof, p.share};
#define MNP_RESULT(k) mnp_type##k result##k = {};
#define MNP_SET(k) result##k
#define MNP_STORE(k)                                                                                                   \
    ((mnp_memory##k *)p.result[k - MNP_FIRST_RESULT]                                                                   \
         .base)[mnp_offset<MNP_KEPT>(p.result[k - MNP_FIRST_RESULT].kept, index)] =                                    \
        mnp_to<mnp_memory##k>::from(result##k);
    MNP_OUTPUTS(MNP_RESULT)
    MNP_GIVE(acc, end, MNP_SET);
    MNP_OUTPUTS(MNP_STORE)
}

#if MNP_CUDA
#include "kernels/reduction/reduce_cuda.h"
#else
#include "kernels/reduction/reduce_host.h"
#endif
