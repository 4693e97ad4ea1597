/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The element-wise functions of include/maniple/ufunc_table.h: mnp_NAME(x, ...) for every type in which it is computed.
 * They are the same for NVRTC and for the host's C++ compiler, and follow NumPy down to the special values.
 *
 * Floats of two bytes are converted to float, and the result is rounded once.  Integers wrap around and never trap.
 * Functions of libm are declared so that plain loops over them are vectorised where libm has vector functions (glibc's
 * libmvec, within 4 units in the last place).
 */
#include "kernels/prelude.h"
#if !MNP_CUDA
/*
 * This is C's header, as C++'s takes as long to compile as all the rest.  glibc declares libmvec only if __FAST_MATH__
 * is defined; without __USE_GNU it omits the functions of _Float32 and five other types, which are most of the header.
 */
#ifndef __FAST_MATH__
#define __FAST_MATH__ 1
#define MNP_FAST_MATH_FOR_LIBMVEC
#endif
#define _GLIBCXX_INCLUDE_NEXT_C_HEADERS
#pragma push_macro("__USE_GNU")
#undef __USE_GNU
#include <math.h>
#pragma pop_macro("__USE_GNU")
#undef _GLIBCXX_INCLUDE_NEXT_C_HEADERS
#ifdef MNP_FAST_MATH_FOR_LIBMVEC
#undef __FAST_MATH__
#endif
#endif
#include "kernels/math_types.h"
#include "kernels/math_integer.h"
#include "kernels/math_real.h"
#include "kernels/math_complex.h"
#include "kernels/math_compare.h"
