dnl SPDX-License-Identifier: BSD-3-Clause
# MNP_CHECK_NCCL
#
# Finds NCCL, which is optional and of use with CUDA only.  Sets and substitutes NCCL_CFLAGS and NCCL_LIBS, defines
# HAVE_NCCL and sets the conditional of that name.  To be called after MNP_CHECK_CUDA.
#
# Maniple needs version 2.18, for ncclCommSplit and non-blocking communicators.  Python packages of NCCL have
# libnccl.so.2 but no libnccl.so; such a file is linked by its full path.

# MNP_TRY_NCCL(INCLUDE, LIB): uses the NCCL in these two folders, or the system's if both are empty, if none has been
# found yet and it is recent enough
AC_DEFUN([MNP_TRY_NCCL],
[AS_IF([test -z "$mnp_nccl"],
    [mnp_nccl_cflags=
    mnp_nccl_libs=-lnccl
    AS_IF([test -n "$1"], [mnp_nccl_cflags="-isystem $1"])
    AS_IF([test -e "$2/libnccl.so"], [mnp_nccl_libs="-L$2 -R$2 -lnccl"],
        [test -e "$2/libnccl.so.2"], [mnp_nccl_libs="$2/libnccl.so.2 -R$2"])
    AS_IF([test -z "$2" || test "x$mnp_nccl_libs" != x-lnccl],
        [AC_MSG_CHECKING([for NCCL 2.18 or later in m4_ifval([$2], [$2], [the system's folders])])
        mnp_save_CPPFLAGS=$CPPFLAGS
        mnp_save_LIBS=$LIBS
        CPPFLAGS="$CPPFLAGS $mnp_nccl_cflags $CUDA_CFLAGS"
        # -R is a flag of libtool; the compiler gets the others
        LIBS="`AS_ECHO(["$mnp_nccl_libs $CUDA_LIBS"]) | sed 's/-R@<:@^ @:>@*//g'` $LIBS"
        AC_LINK_IFELSE([AC_LANG_PROGRAM([[
#include <nccl.h>
#if NCCL_VERSION_CODE < NCCL_VERSION(2, 18, 0)
#error "this NCCL is older than 2.18"
#endif
]], [[
ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
ncclComm_t comm = 0;
config.blocking = 0;
return ncclCommSplit(comm, 0, 0, &comm, &config) != ncclSuccess;
]])],
            [AC_MSG_RESULT([yes])
            mnp_nccl=yes
            NCCL_CFLAGS=$mnp_nccl_cflags
            NCCL_LIBS=$mnp_nccl_libs],
            [AC_MSG_RESULT([no])])
        CPPFLAGS=$mnp_save_CPPFLAGS
        LIBS=$mnp_save_LIBS])])
])

AC_DEFUN([MNP_CHECK_NCCL],
[AC_ARG_WITH([nccl],
    [AS_HELP_STRING([--with-nccl@<:@=DIR@:>@],
        [use NCCL between GPUs, from DIR/include and DIR/lib (default: if it is found)])],
    [], [with_nccl=guess])

mnp_nccl=
NCCL_CFLAGS=
NCCL_LIBS=
AS_IF([test -n "$mnp_cuda_dir"],
    [AS_CASE([$with_nccl],
        [no], [],
        [yes|guess],
            [for mnp_lib in lib64 lib; do
                MNP_TRY_NCCL([$mnp_cuda_dir/include], [$mnp_cuda_dir/$mnp_lib])
            done
            MNP_TRY_NCCL([], [])],
        [for mnp_lib in lib64 lib lib/x86_64-linux-gnu lib/aarch64-linux-gnu; do
            MNP_TRY_NCCL([$with_nccl/include], [$with_nccl/$mnp_lib])
        done])])

AS_IF([test -n "$mnp_nccl"],
        [AC_DEFINE([HAVE_NCCL], [1], [Define to 1 if NCCL is there.])],
    [test "x$with_nccl" = xguess],
        [AS_IF([test -n "$mnp_cuda_dir"],
            [AC_MSG_NOTICE([no NCCL found: collectives between GPUs will go through MPI])])],
    [test "x$with_nccl" != xno],
        [AS_IF([test -n "$mnp_cuda_dir"],
            [AC_MSG_ERROR([--with-nccl=$with_nccl: no NCCL 2.18 or later there.  Name its folder: ./configure --with-nccl=DIR])],
            [AC_MSG_ERROR([--with-nccl=$with_nccl needs CUDA, which this build lacks])])])
AC_SUBST([NCCL_CFLAGS])
AC_SUBST([NCCL_LIBS])
AM_CONDITIONAL([HAVE_NCCL], [test -n "$mnp_nccl"])
])
