/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loops over elements: a body of C++ statements, applied to every element of its operands.  See lib/ops/elementwise/loop.h.
 *
 * The library generates (see lib/ops/elementwise/loop_source.c), where `#include "generated"` stands,
 *   mnp_typeK, mnp_memoryK      type of operand K in the body and in memory; mnp_carrierK, in which a scalar travels
 *   mnp_body(...)               the body as a function: inputs by value, outputs by reference, perhaps the position
 *   MNP_INPUTS(X), MNP_OUTPUTS(X)   X(K) for every input and every output
 *   MNP_BODY(IN, OUT, position) its call with IN(K) and OUT(K) in their places
 * and defines for the strides that the kernel is for
 *   MNP_LOOP                    the kernel's name
 *   MNP_NDIM, MNP_OPERANDS      dimensions of the loop; operands, counters among them
 *   MNP_ACCESS_K                how operand K is reached: kernels/elementwise/elementwise_params.h
 *   MNP_TILE                    0, or the side of the square tiles through which transposed operands go
 *   MNP_INDICES                 0, or the number of dimensions, at least 1, of the array that the body's indices are of
 *   MNP_COUNTERS(X)             X(K, target): operand K counts what the body knows as that member of mnp_position
 * and for GPUs also
 *   MNP_THREADS, MNP_VECTOR, MNP_UNROLL   threads of a block, and elements of a thread along a row and across rows
 *   MNP_WIDE                    whether rows are so many that their numbers take 64 bits
 */
#include "kernels/prelude.h"
#include "kernels/math.h"
#include "kernels/elementwise/elementwise_params.h"

/* Where in the global array an element is. */
struct mnp_position {
    int64_t i, n, index[8], shape[8];
};

/* An operand that the body indexes by itself. */
template <typename Type, typename Memory> struct mnp_raw {
    const Memory *data;
    int64_t count;
    MNP_INLINE Type operator[](int64_t j) const
    {
        return mnp_to<Type>::from(data[j]);
    }
    MNP_INLINE int64_t size() const
    {
        return count;
    }
};

/* Where the types are the same the body may also take an element's address. */
template <typename Type> struct mnp_raw<Type, Type> {
    const Type *data;
    int64_t count;
    MNP_INLINE const Type &operator[](int64_t j) const
    {
        return data[j];
    }
    MNP_INLINE int64_t size() const
    {
        return count;
    }
};

#include "generated"

/* The value of a scalar operand. */
template <typename Type, typename Carrier> MNP_INLINE Type mnp_scalar_value(const mnp_loop_operand &operand)
{
    Carrier value;
    memcpy(&value, &operand, sizeof value);
    return mnp_to<Type>::from(value);
}

#if MNP_INDICES
/* What is the same for all elements. */
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
