/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Element types, with NumPy's names and meaning.
 */
#ifndef MANIPLE_DTYPE_H
#define MANIPLE_DTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <maniple/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum mnp_dtype {
    MNP_DTYPE_AUTO, /* lets a function choose, where its comment says so; what a struct of options has by default */
    MNP_BOOL,       /* one byte, 0 or 1 */
    MNP_INT8,
    MNP_INT16,
    MNP_INT32,
    MNP_INT64,
    MNP_UINT8,
    MNP_UINT16,
    MNP_UINT32,
    MNP_UINT64,
    MNP_FLOAT16,  /* IEEE binary16 */
    MNP_BFLOAT16, /* the upper half of a float32, as ml_dtypes.bfloat16 */
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

/*
 * The type that has this NumPy name.  MNP_ERR_ARG, with a message that lists the names, if there is none.  Not
 * collective.
 */
MNP_API mnp_status mnp_dtype_parse(const char *name, mnp_dtype *dtype_p);

/*
 * The type that holds the values of both, as numpy.promote_types.  NumPy has no bfloat16: with integers of 8 bits the
 * result is bfloat16; with float16 and integers of 16 bits it is float32, and with larger integers float64.  Not
 * collective.
 */
MNP_API mnp_dtype mnp_dtype_promote(mnp_dtype a, mnp_dtype b);

/*
 * Which conversions are allowed, as in numpy.can_cast.  "no" and "equiv" differ only by byte order in NumPy, which
 * Maniple's types do not have.
 */
typedef enum mnp_casting {
    MNP_CASTING_NO,        /* the same type */
    MNP_CASTING_EQUIV,     /* the same type */
    MNP_CASTING_SAFE,      /* a type that holds all values */
    MNP_CASTING_SAME_KIND, /* also a smaller type of the kind, and bool -> unsigned -> signed -> float -> complex */
    MNP_CASTING_UNSAFE     /* anything */
} mnp_casting;

/* numpy.can_cast; false if an argument is not a dtype.  Not collective. */
MNP_API bool mnp_can_cast(mnp_dtype from, mnp_dtype to, mnp_casting casting);

/*
 * Floats of two bytes.  C has no type for them, so a program stores their bits in a uint16_t.  A double is rounded to
 * the nearest, ties to even.  Not collective.
 */
MNP_API float mnp_float16_to_float(uint16_t bits);
MNP_API float mnp_bfloat16_to_float(uint16_t bits);
MNP_API uint16_t mnp_float16_from_double(double value);
MNP_API uint16_t mnp_bfloat16_from_double(double value);

#ifdef __cplusplus
}
#endif

#endif
