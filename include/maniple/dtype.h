/*
 * Element types, with NumPy's names and meaning.
 */
#ifndef MANIPLE_DTYPE_H
#define MANIPLE_DTYPE_H

#include <stdbool.h>
#include <stddef.h>

#include <maniple/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum mnp_dtype {
    MNP_DTYPE_AUTO = -1, /* where a call says so: let it choose */
    MNP_BOOL,            /* one byte, 0 or 1 */
    MNP_INT8,
    MNP_INT16,
    MNP_INT32,
    MNP_INT64,
    MNP_UINT8,
    MNP_UINT16,
    MNP_UINT32,
    MNP_UINT64,
    MNP_FLOAT32,
    MNP_FLOAT64,
    MNP_COMPLEX64,  /* two float32: real, imaginary */
    MNP_COMPLEX128, /* two float64 */
    MNP_NUM_DTYPES
} mnp_dtype;

/* NumPy's kind of a type: 'b' bool, 'i' signed, 'u' unsigned, 'f' float, 'c' complex.  Not collective. */
MNP_API char mnp_dtype_kind(mnp_dtype dtype);

/* Bytes of one element; 0 if `dtype` is none of the types above.  Not collective. */
MNP_API size_t mnp_dtype_size(mnp_dtype dtype);

/* NumPy's name, such as "float32"; "invalid" if `dtype` is none of the types above.  Not collective. */
MNP_API const char *mnp_dtype_name(mnp_dtype dtype);

/* The type of that NumPy name.  MNP_ERR_ARG, naming the choices, if there is none.  Not collective. */
MNP_API mnp_status mnp_dtype_parse(const char *name, mnp_dtype *dtype_p);

/* The type that holds values of both, by numpy.promote_types.  Not collective. */
MNP_API mnp_dtype mnp_dtype_promote(mnp_dtype a, mnp_dtype b);

#ifdef __cplusplus
}
#endif

#endif
