/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the host's compiler needs before the text of a kernel for GPUs, which a simulated GPU runs
 * (lib/device/host/simulated.c): CUDA's words, as raw modules have them on the host, and the functions of CUDA that
 * only Maniple's own kernels call.  The kernel's text then begins with NVRTC's names of integers.
 */
#define MNP_MEETS
#define MNP_PLAIN_INDICES
#include "kernels/custom/raw_host.h"

/* the shared memory of a block that a launch asks for */
extern "C" {
__attribute__((aligned(16))) __thread char mnp_dynamic_shared[MNP_BLOCK_MEMORY];
}

#define MNP_SIMULATED
#define int8_t mnp_int8
#define int16_t mnp_int16
#define int32_t mnp_int32
#define int64_t mnp_int64
#define uint8_t mnp_uint8
#define uint16_t mnp_uint16
#define uint32_t mnp_uint32
#define uint64_t mnp_uint64

/* The kernel's text has a namespace of its own, as it has some of the names above for other things. */
namespace mnp_simulated
{
/* what functions of complex numbers with these names would hide */
using ::abs;
using ::acos;
using ::acosh;
using ::asin;
using ::asinh;
using ::atan;
using ::atanh;
using ::cos;
using ::cosh;
using ::exp;
using ::log;
using ::log10;
using ::max;
using ::min;
using ::pow;
using ::sin;
using ::sinh;
using ::sqrt;
using ::tan;
using ::tanh;
