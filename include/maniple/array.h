/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arrays that are distributed in blocks over the ranks.
 *
 * Every rank makes the same calls and owns its block, which is in the memory of its device.  Calls enqueue work on the
 * context's stream and return.  A function whose comment says "Waits" blocks the CPU until the device has done its
 * work.
 *
 * Outputs, here and in all other headers, are passed as mnp_array **.  If *output is NULL, the function makes a new
 * array, which the caller releases.  Otherwise *output is an existing array, which receives the values.  The functions
 * of this header and mnp_redistribute() require that an existing array has the result's dtype and layout.  All other
 * functions require only the result's shape and a dtype to which the result can be cast under "same_kind", and take any
 * layout.  If an existing array does not fit, the error is MNP_ERR_ARG.  mnp_array_new(), mnp_array_new_order() and
 * mnp_array_new_margins() make an array in any case, and do not look at what *array_p holds.
 */
#ifndef MANIPLE_ARRAY_H
#define MANIPLE_ARRAY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <maniple/base.h>
#include <maniple/context.h>
#include <maniple/dtype.h>
#include <maniple/layout.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mnp_array mnp_array;

/*
 * Make an array of that dtype and layout, with undefined values.  Its blocks are dense, in the layout's order.  Release
 * with mnp_array_free().  MNP_ERR_ARG, also if the layout is not for as many ranks as the context has; MNP_ERR_MEMORY.
 * Collective.
 */
MNP_API mnp_status mnp_array_new(mnp_ctx *ctx, mnp_dtype dtype, const mnp_layout *layout, mnp_array **array_p);

/* The order in which the elements of a block are stored: the last index fastest, or the first. */
typedef enum mnp_order { MNP_ORDER_C, MNP_ORDER_F } mnp_order;

/* mnp_array_new() with blocks stored in `order`.  MNP_ERR_ARG, MNP_ERR_MEMORY.  Collective. */
MNP_API mnp_status mnp_array_new_order(mnp_ctx *ctx, mnp_dtype dtype, const mnp_layout *layout, mnp_order order,
                                       mnp_array **array_p);

/*
 * numpy.empty, numpy.zeros and numpy.full, in the layout of mnp_layout_block(); `value` points to one element.
 * MNP_ERR_ARG, MNP_ERR_MEMORY.  Collective.
 */
MNP_API mnp_status mnp_empty(mnp_ctx *ctx, mnp_dtype dtype, int ndim, const int64_t *shape, mnp_array **array_p);
MNP_API mnp_status mnp_zeros(mnp_ctx *ctx, mnp_dtype dtype, int ndim, const int64_t *shape, mnp_array **array_p);
MNP_API mnp_status mnp_full(mnp_ctx *ctx, mnp_dtype dtype, int ndim, const int64_t *shape, const void *value,
                            mnp_array **array_p);

/*
 * Numbers as operands of element-wise functions and expressions: mnp_multiply(x, MNP_SCALAR(ctx, 2.5), &y).  They take
 * part in promotion as Python's bool, int, float and complex do in NumPy 2 (NEP 50): their kind counts, their size does
 * not.  A scalar has no memory on the device; other functions do not take it (MNP_ERR_ARG) unless they say so.
 *
 * A scalar may be made in the call that uses it, or be kept and used any number of times.  It belongs to the context,
 * and need not be freed; equal numbers have the same pointer.  A scalar expires when 10,000 others have been made or
 * used since its own last use; calls refuse it then (MNP_ERR_ARG).  NULL if there is no memory.  All ranks must give
 * the same value.  Not collective.
 */
MNP_API const mnp_array *mnp_scalar_bool(mnp_ctx *ctx, bool value);
MNP_API const mnp_array *mnp_scalar_int(mnp_ctx *ctx, int64_t value);
MNP_API const mnp_array *mnp_scalar_float(mnp_ctx *ctx, double value);
MNP_API const mnp_array *mnp_scalar_complex(mnp_ctx *ctx, double re, double im);

#ifndef __cplusplus
static inline const mnp_array *mnp_scalar_complex_value(mnp_ctx *ctx, double _Complex value)
{
    const double *parts = (const double *)&value; /* C defines this representation */
    return mnp_scalar_complex(ctx, parts[0], parts[1]);
}
#endif

/* A scalar from a number of any arithmetic type, also std::complex in C++.  Integers must fit int64_t. */
#ifdef __cplusplus
#define MNP_SCALAR(ctx, value) mnp_scalar_of((ctx), (value))
#else
#define MNP_SCALAR(ctx, value)                                                                                         \
    _Generic((value), bool                                                                                             \
             : mnp_scalar_bool, float                                                                                  \
             : mnp_scalar_float, double                                                                                \
             : mnp_scalar_float, long double                                                                           \
             : mnp_scalar_float, float _Complex                                                                        \
             : mnp_scalar_complex_value, double _Complex                                                               \
             : mnp_scalar_complex_value, long double _Complex                                                          \
             : mnp_scalar_complex_value, default                                                                       \
             : mnp_scalar_int)((ctx), (value))
#endif

/*
 * Release an array; NULL is accepted.  Its memory is kept as long as there are views of it.  Collective: between two
 * allocations all ranks must free the same set of arrays, in any order, because ranks write into each other's blocks.
 */
MNP_API void mnp_array_free(mnp_array *array);

/*
 * Release an array when other ranks may release theirs earlier or later: in a garbage collector, in a destructor that
 * an exception calls, after a choice that depends on the rank's own data.  NULL is accepted.  The memory can be used
 * again once all ranks have dropped the array and mnp_ctx_collect() has been called; an allocation calls it before it
 * takes more memory from the system.  An array and each of its views are released separately: all ranks must drop the
 * same ones, and may free the others.  Not collective.
 */
MNP_API void mnp_array_drop(mnp_array *array);

/*
 * Make the memory of arrays that all ranks have dropped available again, as PETSc does it for languages with a garbage
 * collector (PetscGarbageCleanup).  Waits for the other ranks, not for the device.  MNP_ERR_COMM, MNP_ERR_PEER,
 * MNP_ERR_MEMORY.  Collective.
 */
MNP_API mnp_status mnp_ctx_collect(mnp_ctx *ctx);

/* Release several arrays: mnp_free_all(x, y, z).  Collective. */
#define mnp_free_all(...)                                                                                              \
    do {                                                                                                               \
        mnp_array *mnp_all_[] = {__VA_ARGS__};                                                                         \
        for (size_t mnp_i_ = 0; mnp_i_ < sizeof mnp_all_ / sizeof *mnp_all_; mnp_i_++)                                 \
            mnp_array_free(mnp_all_[mnp_i_]);                                                                          \
    } while (0)

/* Properties of an array; pointers belong to it.  Not collective. */
MNP_API mnp_ctx *mnp_array_ctx(const mnp_array *array);
MNP_API mnp_dtype mnp_array_dtype(const mnp_array *array);
MNP_API const mnp_layout *mnp_array_layout(const mnp_array *array);
MNP_API int mnp_array_ndim(const mnp_array *array);
MNP_API const int64_t *mnp_array_shape(const mnp_array *array);

/*
 * This rank's block: first global index, extent, number of elements, and strides in elements, which may be negative (in
 * a reversed view) or 0 (in a broadcast view).  Not collective.
 */
MNP_API const int64_t *mnp_array_local_lo(const mnp_array *array);
MNP_API const int64_t *mnp_array_local_shape(const mnp_array *array);
MNP_API int64_t mnp_array_local_size(const mnp_array *array);
MNP_API const int64_t *mnp_array_local_strides(const mnp_array *array);

/*
 * Whether an array can only be read, as its elements share memory: a broadcast view, a view of one, or
 * wrapped memory whose strides repeat elements.  The same on all ranks.  Not collective.
 */
MNP_API bool mnp_array_is_read_only(const mnp_array *array);

/*
 * The address of the first element of this rank's block, in the device's memory, or NULL if the block is empty: for the
 * caller's own kernels on a GPU, or for direct access on the host device.  Work on the block may still be running: call
 * mnp_ctx_synchronize() first.  Not collective.
 */
MNP_API void *mnp_array_local_data(const mnp_array *array);

/*
 * Copy this rank's block from or to `block`, which is dense in C order, on the host or on this rank's device; for other
 * strides see <maniple/interop.h>.  Waits.  MNP_ERR_ARG for a scalar, and for setting a broadcast view; MNP_ERR_MEMORY,
 * MNP_ERR_DEVICE; MNP_ERR_COMPILE for a view.  Not collective.
 */
MNP_API mnp_status mnp_array_set_local(mnp_array *array, const void *block);
MNP_API mnp_status mnp_array_get_local(const mnp_array *array, void *block);

/*
 * Make an array from `data`, which is the whole array in C order, on every rank; each rank copies its block.  The
 * second function takes any strides, in elements: `data` points to the element of index (0, 0, ...), and {1, shape[0]}
 * are the strides of a matrix in Fortran order.  MNP_ERR_ARG, MNP_ERR_MEMORY, MNP_ERR_DEVICE.  Collective.
 */
MNP_API mnp_status mnp_array_from_host(mnp_ctx *ctx, mnp_dtype dtype, int ndim, const int64_t *shape, const void *data,
                                       mnp_array **array_p);
MNP_API mnp_status mnp_array_from_host_strided(mnp_ctx *ctx, mnp_dtype dtype, int ndim, const int64_t *shape,
                                               const void *data, const int64_t *strides, mnp_array **array_p);

/*
 * Make an array from one piece on every rank, which follow one another along `axis` in the order of the ranks:
 * numpy.concatenate of the ranks' pieces.
 *
 *   shape    of this rank's piece; its extent along the axis may differ between ranks, and be 0
 *   axis     negative: from the end
 *   data     the piece, dense in C order, on the host or on this rank's device; NULL if it has no elements
 *   even     false: a new array is cut where the pieces end, and nothing moves between ranks; true: its layout is
 *            that of mnp_layout_block().  An array that is given keeps its own layout
 *
 * Waits.  MNP_ERR_ARG on all ranks, with the rank, if a piece does not fit the others or is missing; MNP_ERR_MEMORY,
 * MNP_ERR_DEVICE, MNP_ERR_COMM.  Collective.
 */
MNP_API mnp_status mnp_array_from_pieces(mnp_ctx *ctx, mnp_dtype dtype, int ndim, const int64_t *shape, int axis,
                                         const void *data, bool even, mnp_array **array_p);

#define MNP_ALL_RANKS (-1)

/*
 * Copy the whole array, in C order, to `data` on rank `root`, or on every rank if root is MNP_ALL_RANKS.  On other
 * ranks `data` is unused and may be NULL.  Waits.  MNP_ERR_ARG, MNP_ERR_MEMORY, MNP_ERR_DEVICE, MNP_ERR_COMM.
 * Collective.
 */
MNP_API mnp_status mnp_array_to_host(const mnp_array *array, int root, void *data);

/* numpy.copy: a copy in the same layout.  MNP_ERR_ARG, MNP_ERR_MEMORY, MNP_ERR_COMPILE, MNP_ERR_DEVICE.  Collective. */
MNP_API mnp_status mnp_copy(const mnp_array *array, mnp_array **copy_p);

/*
 * numpy.ndarray.astype with casting="unsafe": floats are truncated towards zero, integers wrap around, complex numbers
 * lose their imaginary part, and all values except 0 are true, NaN too.  A new array has the given one's order in
 * memory (order "K"), so the result for a transposed array is stored transposed too.
 *
 * A float outside the range of an integer type becomes the type's nearest value, and NaN becomes 0: uint8 has 0 for
 * -3.5 and 255 for 300.7.  This holds for every cast, in expressions and outputs too, and on every device.  In NumPy, C
 * leaves it undefined: NumPy has 253 and 44 on x86-64 and other values elsewhere.  To wrap around, cast to int64 first.
 * MNP_ERR_ARG, MNP_ERR_MEMORY.  Collective.
 */
MNP_API mnp_status mnp_astype(const mnp_array *array, mnp_dtype dtype, mnp_array **result_p);

/*
 * How mnp_array_print() writes an array; the names are those of numpy.printoptions:
 *
 *   precision   of floats, the most digits behind the point
 *   threshold   arrays with more elements are shown without their middle
 *   edge_items  how many indices are then shown at either end of each dimension, 1 or more
 *   line_width  rows that are longer than so many characters continue on the next line
 *   suppress    no exponents for small numbers, which may become 0
 */
typedef struct mnp_print_options {
    int precision;
    int64_t threshold;
    int edge_items, line_width;
    bool suppress;
} mnp_print_options;

#ifdef __cplusplus
#define MNP_PRINT_DEFAULTS                                                                                             \
    mnp_print_options                                                                                                  \
    {                                                                                                                  \
        8, 1000, 3, 75, false                                                                                          \
    }
#else
#define MNP_PRINT_DEFAULTS ((mnp_print_options){8, 1000, 3, 75, false})
#endif

/*
 * Print an array as numpy.array2string() writes it, and a newline, from rank 0.  Only elements that are shown travel.
 *
 *   options  NULL: MNP_PRINT_DEFAULTS
 *   file     on rank 0; unused on other ranks
 *
 * Waits.  MNP_ERR_ARG, also for a scalar; MNP_ERR_MEMORY, MNP_ERR_DEVICE, MNP_ERR_COMM, MNP_ERR_COMPILE; MNP_ERR_IO if
 * writing fails.  Collective.
 */
MNP_API mnp_status mnp_array_print(const mnp_array *array, const mnp_print_options *options, FILE *file);

/*
 * Describe an array in one line, for a debugger or a log: its dtype and shape, how it is cut, and this rank's block,
 * its strides and address.  (gdb) p mnp_array_describe(x).  NULL is described too.  The text is valid until the next
 * call on this thread.  Not collective.
 */
MNP_API const char *mnp_array_describe(const mnp_array *array);

#ifdef __cplusplus
} /* extern "C" */

#include <complex>
#include <type_traits>

template <typename T> const mnp_array *mnp_scalar_of(mnp_ctx *ctx, T value)
{
    static_assert(std::is_arithmetic<T>::value, "MNP_SCALAR takes numbers");
    if constexpr (std::is_same<T, bool>::value)
        return mnp_scalar_bool(ctx, value);
    else if constexpr (std::is_floating_point<T>::value)
        return mnp_scalar_float(ctx, (double)value);
    else
        return mnp_scalar_int(ctx, (int64_t)value);
}

template <typename T> const mnp_array *mnp_scalar_of(mnp_ctx *ctx, const std::complex<T> &value)
{
    return mnp_scalar_complex(ctx, (double)value.real(), (double)value.imag());
}
#endif

#endif
