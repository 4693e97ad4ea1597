dnl SPDX-License-Identifier: BSD-3-Clause
# MNP_CHECK_CUDA
#
# Finds the CUDA toolkit, which is optional.  Sets and substitutes CUDA_CFLAGS and CUDA_LIBS, defines HAVE_CUDA, sets
# the conditional of that name, and leaves the toolkit's folder in mnp_cuda_dir.
#
# The driver, libcuda, is never linked: the library opens it at run time, so the same binary runs with and without a
# GPU.  NVRTC and cuFFT are opened when they are first needed, too (lib/base/process/library.h).  With the libtool flag
# -R the toolkit's libraries are found without LD_LIBRARY_PATH.

# MNP_TRY_CUDA(DIR): uses the toolkit in DIR if none has been found yet and it is complete
AC_DEFUN([MNP_TRY_CUDA],
[for mnp_lib in lib64 lib targets/x86_64-linux/lib targets/sbsa-linux/lib; do
    AS_IF([test -z "$mnp_cuda_dir" && test -e "$1/$mnp_lib/libcudart.so"],
        [AC_MSG_CHECKING([for the CUDA toolkit in $1/$mnp_lib])
        mnp_save_CPPFLAGS=$CPPFLAGS
        mnp_save_LIBS=$LIBS
        CPPFLAGS="$CPPFLAGS -I$1/include"
        LIBS="-L$1/$mnp_lib -lcufft -lnvrtc -lcudart $LIBS"
        AC_LINK_IFELSE([AC_LANG_PROGRAM([[
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <cufft.h>
#include <nvrtc.h>
]], [[
int version;
nvrtcResult compiler = nvrtcVersion(&version, &version);
return cudaRuntimeGetVersion(&version) != cudaSuccess || compiler != NVRTC_SUCCESS || cufftGetVersion(&version) != 0;
]])],
            [AC_MSG_RESULT([yes])
            mnp_cuda_dir=$1
            CUDA_CFLAGS="-isystem $1/include"
            CUDA_LIBS="-L$1/$mnp_lib -R$1/$mnp_lib -lcudart"],
            [AC_MSG_RESULT([no])])
        CPPFLAGS=$mnp_save_CPPFLAGS
        LIBS=$mnp_save_LIBS])
done])

AC_DEFUN([MNP_CHECK_CUDA],
[AC_ARG_WITH([cuda],
    [AS_HELP_STRING([--with-cuda@<:@=DIR@:>@],
        [run on NVIDIA GPUs, with the CUDA toolkit in DIR (default: if it is found)])],
    [], [with_cuda=guess])

mnp_cuda_dir=
CUDA_CFLAGS=
CUDA_LIBS=
AS_CASE([$with_cuda],
    [no], [],
    [yes|guess],
        [mnp_nvcc=`command -v nvcc 2>/dev/null`
        for mnp_dir in "$CUDA_HOME" "$CUDA_PATH" "${mnp_nvcc%/bin/nvcc}" /usr/local/cuda; do
            AS_IF([test -n "$mnp_dir"], [MNP_TRY_CUDA([$mnp_dir])])
        done],
    [MNP_TRY_CUDA([$with_cuda])])

AS_IF([test -n "$mnp_cuda_dir"],
        [AC_DEFINE([HAVE_CUDA], [1], [Define to 1 if the CUDA device is compiled in.])],
    [test "x$with_cuda" = xguess],
        [AC_MSG_NOTICE([no CUDA toolkit found: arrays will live on the CPU only])],
    [test "x$with_cuda" != xno],
        [AC_MSG_ERROR([--with-cuda=$with_cuda: no CUDA toolkit there whose cuda.h, cuda_runtime_api.h, cufft.h, nvrtc.h, libcudart, libcufft and libnvrtc all work.  Name its folder: ./configure --with-cuda=DIR, or build for the CPU: ./configure --without-cuda])])
AC_SUBST([CUDA_CFLAGS])
AC_SUBST([CUDA_LIBS])
AM_CONDITIONAL([HAVE_CUDA], [test -n "$mnp_cuda_dir"])
])
