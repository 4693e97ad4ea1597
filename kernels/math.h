/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The element-wise functions of include/maniple/ufunc_table.h: mnp_NAME(x, ...) for every type in which it is computed.
 * They are the same for NVRTC and for the host's C++ compiler, and follow NumPy down to the special values.
 *
 * Floats of two bytes are converted to float, and the result is rounded once.  Integers wrap around and never trap.
 * Functions of libm are declared so that plain loops over them are vectorised where libm has vector functions (glibc's
 * libmvec, within 4 units in the last place).  lib/jit/source.c leaves out math_complex.h where no type is complex, and
 * prune.c what is not called.
 */
#include "kernels/prelude.h"
#include "kernels/libm.h"
#include "kernels/math_types.h"
#include "kernels/math_integer.h"
#include "kernels/math_real.h"
#include "kernels/math_complex.h"
#include "kernels/math_compare.h"
