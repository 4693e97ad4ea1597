/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Numbers out of arrays, into variables of the program's own types:
 *
 *     double sum;
 *     int64_t count;
 *     mnp_item(x, &sum);                                    // x may have any float or integer dtype
 *     mnp_items(MNP_ITEM(x, &sum), MNP_ITEM(n, &count));    // several, for the time of one
 *     mnp_to_host(y, 0, values);                            // a whole array, on rank 0, as an array of doubles
 *
 * The macros take the dtype from the pointer: one to bool, an integer, float, double, float _Complex or double _Complex
 * (in C++ std::complex), not to void or char.  The functions below them are given it.
 */
#ifndef MANIPLE_ITEM_H
#define MANIPLE_ITEM_H

#include <stdbool.h>
#include <stdint.h>

#include <maniple/array.h>
#include <maniple/base.h>
#include <maniple/dtype.h>
#include <maniple/lists.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * numpy.ndarray.item: the element of an array that has one, on every rank, as a number of `dtype` at `value`.  The
 * array may have any number of dimensions, all of extent 1, or be a scalar (MNP_SCALAR).  The dtypes may differ if
 * `dtype` can hold the number: floats are rounded, but a number with a fraction cannot become an integer, a number with
 * an imaginary part cannot become real, and one that is too large does not become infinite.
 *
 * Waits.  MNP_ERR_ARG if there is another number of elements, or `dtype` does not hold the number; MNP_ERR_DEVICE,
 * MNP_ERR_COMM, MNP_ERR_MEMORY.  *value is then untouched.  Collective.
 */
MNP_API mnp_status mnp_array_item(const mnp_array *array, mnp_dtype dtype, void *value);

/*
 * mnp_array_item() of several arrays at once, which takes no longer than of one.  All values are set, or none.  At
 * least one array.  Errors are the same.  Collective.
 */
typedef struct mnp_item_request {
    const mnp_array *array;
    mnp_dtype dtype;
    void *value;
} mnp_item_request;
MNP_API mnp_status mnp_array_items(int count, const mnp_item_request *requests);

/*
 * mnp_array_to_host() with a cast to `dtype`, which must be possible under "same_kind": integers to floats and real
 * numbers to complex ones, but not back, for which there is mnp_astype().  Waits.  Errors are those of
 * mnp_array_to_host(), and MNP_ERR_COMPILE.  Collective.
 */
MNP_API mnp_status mnp_array_to_host_as(const mnp_array *array, int root, mnp_dtype dtype, void *data);

#ifdef __cplusplus
} /* extern "C" */

#include <complex>
#include <type_traits>

/* The dtype of a type of C++. */
template <typename T> constexpr mnp_dtype mnp_dtype_of()
{
    if constexpr (std::is_same<T, bool>::value)
        return MNP_BOOL;
    else if constexpr (std::is_same<T, float>::value)
        return MNP_FLOAT32;
    else if constexpr (std::is_same<T, double>::value)
        return MNP_FLOAT64;
    else if constexpr (std::is_same<T, std::complex<float>>::value)
        return MNP_COMPLEX64;
    else if constexpr (std::is_same<T, std::complex<double>>::value)
        return MNP_COMPLEX128;
    else {
        static_assert(std::is_integral<T>::value, "Maniple has no dtype for this type");
        constexpr bool is_signed = std::is_signed<T>::value;
        return sizeof(T) == 1   ? (is_signed ? MNP_INT8 : MNP_UINT8)
               : sizeof(T) == 2 ? (is_signed ? MNP_INT16 : MNP_UINT16)
               : sizeof(T) == 4 ? (is_signed ? MNP_INT32 : MNP_UINT32)
                                : (is_signed ? MNP_INT64 : MNP_UINT64);
    }
}

template <typename T> mnp_status mnp_item(const mnp_array *array, T *value)
{
    return mnp_array_item(array, mnp_dtype_of<T>(), value);
}

template <typename T> mnp_status mnp_to_host(const mnp_array *array, int root, T *data)
{
    return mnp_array_to_host_as(array, root, mnp_dtype_of<T>(), data);
}

template <typename T> mnp_item_request mnp_item_into(const mnp_array *array, T *value)
{
    return {array, mnp_dtype_of<T>(), value};
}

#define MNP_DTYPE_OF(pointer) mnp_dtype_of<std::remove_pointer_t<std::decay_t<decltype(pointer)>>>()
#define MNP_ITEM(array, pointer) mnp_item_into((array), (pointer))

#else

/* The dtype of what a pointer points to. */
#define MNP_DTYPE_OF(pointer)                                                                                          \
    _Generic((pointer), bool *                                                                                         \
             : MNP_BOOL, signed char *                                                                                 \
             : MNP_INT8, short *                                                                                       \
             : MNP_INT16, int *                                                                                        \
             : MNP_INT32, long *                                                                                       \
             : sizeof(long) == 8 ? MNP_INT64 : MNP_INT32, long long *                                                  \
             : MNP_INT64, unsigned char *                                                                              \
             : MNP_UINT8, unsigned short *                                                                             \
             : MNP_UINT16, unsigned *                                                                                  \
             : MNP_UINT32, unsigned long *                                                                             \
             : sizeof(long) == 8 ? MNP_UINT64 : MNP_UINT32, unsigned long long *                                       \
             : MNP_UINT64, float *                                                                                     \
             : MNP_FLOAT32, double *                                                                                   \
             : MNP_FLOAT64, float _Complex *                                                                           \
             : MNP_COMPLEX64, double _Complex *                                                                        \
             : MNP_COMPLEX128)

#define MNP_ITEM(array, pointer) ((mnp_item_request){(array), MNP_DTYPE_OF(pointer), (pointer)})
#define mnp_item(array, pointer) mnp_array_item((array), MNP_DTYPE_OF(pointer), (pointer))
#define mnp_to_host(array, root, pointer) mnp_array_to_host_as((array), (root), MNP_DTYPE_OF(pointer), (pointer))

#endif

/* mnp_array_items() of requests that MNP_ITEM() makes, as above. */
#define mnp_items(...)                                                                                                 \
    mnp_array_items(MNP_COUNT_OF(const mnp_item_request, __VA_ARGS__), MNP_LIST_OF(const mnp_item_request, __VA_ARGS__))

#endif
