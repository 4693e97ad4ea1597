/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arrays spread in blocks over the ranks.
 *
 * Every rank makes the same calls and holds its own block, in its device's memory.  Calls enqueue work on the context's
 * stream and return; reading values on the CPU waits.  Outputs are passed as mnp_array **: where *output is NULL a new
 * array is made; otherwise the values are written to the given array.  The functions of this header and
 * mnp_redistribute() require that it has the result's dtype and layout (MNP_ERR_ARG if not); other functions require
 * the shape, and a dtype to which the result can be cast under "same_kind", and take any layout.
 */
#ifndef MANIPLE_ARRAY_H
#define MANIPLE_ARRAY_H

#include <stdbool.h>
#include <stdint.h>

#include <maniple/base.h>
#include <maniple/context.h>
#include <maniple/dtype.h>
#include <maniple/layout.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mnp_array mnp_array;

/*
 * Make an array of that dtype and layout, its values undefined, its blocks dense in the layout's order; the layout's
 * number of ranks must be the context's.
 * Release with mnp_array_free().  Collective.  MNP_ERR_ARG, MNP_ERR_MEMORY.
 */
MNP_API mnp_status mnp_array_new(mnp_ctx *ctx, mnp_dtype dtype, const mnp_layout *layout, mnp_array **array_p);

/* The order in which the elements of a rank's block lie: the last index the fastest, or the first. */
typedef enum mnp_order { MNP_ORDER_C, MNP_ORDER_F } mnp_order;

/* The same, in that order.  Collective.  MNP_ERR_ARG, MNP_ERR_MEMORY. */
MNP_API mnp_status mnp_array_new_order(mnp_ctx *ctx, mnp_dtype dtype, const mnp_layout *layout, mnp_order order,
                                       mnp_array **array_p);

/* numpy.empty, numpy.zeros, numpy.full in the layout of mnp_layout_block(); `value` is one element.  Collective. */
MNP_API mnp_status mnp_empty(mnp_ctx *ctx, mnp_dtype dtype, int ndim, const int64_t *shape, mnp_array **array_p);
MNP_API mnp_status mnp_zeros(mnp_ctx *ctx, mnp_dtype dtype, int ndim, const int64_t *shape, mnp_array **array_p);
MNP_API mnp_status mnp_full(mnp_ctx *ctx, mnp_dtype dtype, int ndim, const int64_t *shape, const void *value,
                            mnp_array **array_p);

/*
 * A number as an operand of element-wise functions and expressions: mnp_multiply(x, MNP_SCALAR(ctx, 2.5), &y).  It
 * takes part in promotion as Python's bool, int, float and complex do in NumPy 2 (NEP 50): its kind counts, its size
 * does not. It has no memory on the device and is no operand of anything else (MNP_ERR_ARG).  It belongs to the
 * context, is not to be freed, and may be used until 64 more were made; NULL if there was no memory.  Not collective;
 * all ranks must give the same value.
 */
MNP_API const mnp_array *mnp_scalar_bool(mnp_ctx *ctx, bool value);
MNP_API const mnp_array *mnp_scalar_int(mnp_ctx *ctx, int64_t value);
MNP_API const mnp_array *mnp_scalar_float(mnp_ctx *ctx, double value);
MNP_API const mnp_array *mnp_scalar_complex(mnp_ctx *ctx, double re, double im);

#ifndef __cplusplus
static inline const mnp_array *mnp_scalar_complex_value(mnp_ctx *ctx, double _Complex value)
{
    const double *parts = (const double *)&value; /* C lays them out so */
    return mnp_scalar_complex(ctx, parts[0], parts[1]);
}
#endif

/* A scalar of a number of any type of C (not in C++).  Integers must fit int64_t. */
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

/*
 * Release an array; NULL is accepted.  Its memory lives on while there are views of it.  Collective: as ranks may write
 * into each other's blocks, between two arrays that are made all ranks release the same ones (in any order).
 */
MNP_API void mnp_array_free(mnp_array *array);

/* Release several: mnp_free_all(x, y, z).  Collective. */
#define mnp_free_all(...)                                                                                              \
    do {                                                                                                               \
        mnp_array *mnp_all_[] = {__VA_ARGS__};                                                                         \
        for (size_t mnp_i_ = 0; mnp_i_ < sizeof mnp_all_ / sizeof *mnp_all_; mnp_i_++)                                 \
            mnp_array_free(mnp_all_[mnp_i_]);                                                                          \
    } while (0)

/* Not collective, all of them; pointers belong to the array. */
MNP_API mnp_ctx *mnp_array_ctx(const mnp_array *array);
MNP_API mnp_dtype mnp_array_dtype(const mnp_array *array);
MNP_API const mnp_layout *mnp_array_layout(const mnp_array *array);
MNP_API int mnp_array_ndim(const mnp_array *array);
MNP_API const int64_t *mnp_array_shape(const mnp_array *array);

/*
 * This rank's block: first global index, extent, number of elements, strides in elements, which may be negative (a
 * reversed view) or 0 (a broadcast one).
 */
MNP_API const int64_t *mnp_array_local_lo(const mnp_array *array);
MNP_API const int64_t *mnp_array_local_shape(const mnp_array *array);
MNP_API int64_t mnp_array_local_size(const mnp_array *array);
MNP_API const int64_t *mnp_array_local_strides(const mnp_array *array);

/*
 * The first element of this rank's block, in the device's memory (NULL if the block is empty): for the caller's own
 * kernels on a GPU, or for direct access on the host device.  Work that Maniple has enqueued may still be running:
 * mnp_ctx_synchronize() first.  Not collective.
 */
MNP_API void *mnp_array_local_data(const mnp_array *array);

/*
 * Copy this rank's block from or to `block` on the host, where it lies dense in C order.  Waits.  Not collective.
 * MNP_ERR_ARG for a scalar, and where a broadcast view is to be set; MNP_ERR_MEMORY, MNP_ERR_DEVICE; MNP_ERR_COMPILE
 * for a view.
 */
MNP_API mnp_status mnp_array_set_local(mnp_array *array, const void *block);
MNP_API mnp_status mnp_array_get_local(const mnp_array *array, void *block);

/*
 * Make an array from `data`, the whole array in C order, which every rank holds and takes its block of.  The second
 * form takes elements of any strides, in elements: `data` is the one of index 0, 0, ..., and {1, shape[0]} are those of
 * a matrix in Fortran order.  Collective.
 */
MNP_API mnp_status mnp_array_from_host(mnp_ctx *ctx, mnp_dtype dtype, int ndim, const int64_t *shape, const void *data,
                                       mnp_array **array_p);
MNP_API mnp_status mnp_array_from_host_strided(mnp_ctx *ctx, mnp_dtype dtype, int ndim, const int64_t *shape,
                                               const void *data, const int64_t *strides, mnp_array **array_p);

#define MNP_ALL_RANKS (-1)

/*
 * Bring the whole array in C order to `data` on rank `root`, or on every rank with MNP_ALL_RANKS.  Elsewhere data is
 * not touched and may be NULL.  Waits.  Collective.  MNP_ERR_ARG, MNP_ERR_MEMORY, MNP_ERR_DEVICE, MNP_ERR_COMM.
 */
MNP_API mnp_status mnp_array_to_host(const mnp_array *array, int root, void *data);

/* numpy.copy: the same values in memory of their own, in the same layout.  Collective. */
MNP_API mnp_status mnp_copy(const mnp_array *array, mnp_array **copy_p);

/*
 * numpy.ndarray.astype with casting="unsafe": floats are truncated towards zero, complex loses its imaginary part, and
 * anything but zero is true.  A float outside the integer type's range, or NaN, gives what the device's conversion
 * gives, as in NumPy.  Collective.
 */
MNP_API mnp_status mnp_astype(const mnp_array *array, mnp_dtype dtype, mnp_array **result_p);

#ifdef __cplusplus
}
#endif

#endif
