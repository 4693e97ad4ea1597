/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The element-wise functions of include/maniple/ufunc_table.h: mnp_NAME(x, ...), for every type that they are computed
 * in, the same for NVRTC and for the host's C++ compiler, and with NumPy's meaning down to the special values.
 *
 * Floats of two bytes are computed with as floats, and rounded once.  Integers wrap around, and never trap.  What is
 * left to libm is declared such that a plain loop over it is vectorised where libm has vector functions (glibc's
 * libmvec, within 4 units in the last place).
 */
#include "kernels/prelude.h"
#if !MNP_CUDA
/*
 * C's own header: C++'s takes as long to compile as all the rest.  __FAST_MATH__ is what glibc declares libmvec under;
 * without __USE_GNU it leaves out what it has for _Float32 and five other types, most of the header.
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
