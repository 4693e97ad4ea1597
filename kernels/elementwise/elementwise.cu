/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kernel of loops (lib/ops/elementwise/loop.h), which apply a body of C++ statements to every element of operands.
 *
 * The library (lib/ops/elementwise/loop_source.c) generates the text of `#include "generated"`, which defines
 *   mnp_typeK, mnp_memoryK      type of operand K in the body and in memory; mnp_carrierK, that of a passed scalar
 *   mnp_body(...)               the body as a function: inputs by value, outputs by reference, the position if used
 *   MNP_INPUTS(X), MNP_OUTPUTS(X)   X(K) for every input and every output
 *   MNP_BODY(IN, OUT, position) a call of it with IN(K) and OUT(K) as arguments
 * For the strides of this kernel the library also defines
 *   MNP_LOOP                    the kernel's name
 *   MNP_NDIM, MNP_OPERANDS      dimensions of the loop; operands, including counters
 *   MNP_ACCESS_K                how operand K is accessed: kernels/elementwise/elementwise_params.h
 *   MNP_TILE                    0, or the side of the square tiles of transposed operands
 *   MNP_INDICES                 0, or the number (at least 1) of dimensions of the array if the body uses indices
 *   MNP_COUNTERS(X)             X(K, target): operand K computes that member of mnp_position
 * and for GPUs also
 *   MNP_THREADS, MNP_VECTOR, MNP_UNROLL   threads of a block, and elements of a thread along a row and across rows
 *   MNP_FLAT                    whether elements are numbered through all dimensions, and vectors go on from row to row
 *   MNP_WIDE                    whether numbers of rows, or those of a flat loop, need 64 bits
 */
#include "kernels/prelude.h"
#include "kernels/math.h"
#include "kernels/elementwise/elementwise_params.h"

/* The position of an element in the global array. */
struct mnp_position {
    int64_t i, n, index[8], shape[8];
};

/* A raw operand, which the body indexes.  On the host it keeps what the last search in it found. */
#if MNP_CUDA
#define MNP_FOUND
#else
#define MNP_FOUND mutable int64_t found;
#endif
template <typename Type, typename Memory> struct mnp_raw {
    const Memory *data;
    int64_t count;
    MNP_FOUND
    MNP_INLINE Type operator[](int64_t j) const
    {
        return mnp_to<Type>::from(data[j]);
    }
    MNP_INLINE int64_t size() const
    {
        return count;
    }
};

/* If both types are the same, the body may also take the address of an element. */
template <typename Type> struct mnp_raw<Type, Type> {
    const Type *data;
    int64_t count;
    MNP_FOUND
    MNP_INLINE const Type &operator[](int64_t j) const
    {
        return data[j];
    }
    MNP_INLINE int64_t size() const
    {
        return count;
    }
};

/*
 * How many elements of a sorted table pass, which are its first ones; `passes` says of an index whether that element
 * does.  On the host values often rise, so what the last search found is tried first; after that there are no branches,
 * half of which the processor would predict wrongly.
 */
template <typename Table, typename Passes> MNP_INLINE int64_t mnp_count_first(const Table &table, Passes passes)
{
    int64_t low = 0;
#if MNP_CUDA
    int64_t high = table.size();
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (passes(middle))
            low = middle + 1;
        else
            high = middle;
    }
#else
    const int64_t last = table.found;
    if ((last == 0 || passes(last - 1)) && (last == table.size() || !passes(last)))
        return last;
    for (int64_t rest = table.size(); rest > 0;) {
        const int64_t half = (rest + 1) / 2;
        low += half & -(int64_t)passes(low + half - 1);
        rest -= half;
    }
    table.found = low;
#endif
    return low;
}

#include "generated"

/* The value of a scalar operand. */
template <typename Type, typename Carrier> MNP_INLINE Type mnp_scalar_value(const mnp_loop_operand &operand)
{
    Carrier value;
    memcpy(&value, &operand, sizeof value);
    return mnp_to<Type>::from(value);
}

#if MNP_INDICES
/* Set the members that are the same for all elements. */
MNP_INLINE void mnp_start_position(const mnp_loop_params &p, mnp_position &position)
{
    position.n = p.size;
#if MNP_CUDA
#pragma unroll
#endif
    for (int d = 0; d < MNP_INDICES; d++)
        position.shape[d] = p.shape[d];
}
#endif

#if MNP_CUDA
#include "kernels/elementwise/elementwise_cuda.h"
#else
#include "kernels/elementwise/elementwise_host.h"
#endif
