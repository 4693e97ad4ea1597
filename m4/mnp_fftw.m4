dnl SPDX-License-Identifier: BSD-3-Clause
# MNP_CHECK_FFTW
#
# Finds the header of FFTW 3, which is optional: Fourier transforms on the host device need it.  Substitutes FFTW_CFLAGS
# and defines HAVE_FFTW.
#
# The libraries, libfftw3 and libfftw3f, are not linked: they are loaded by the first transform.  So no other program
# pays for them, and the licence of FFTW, the GPL, concerns those who transform alone.
AC_DEFUN([MNP_CHECK_FFTW],
[AC_ARG_VAR([FFTW_CFLAGS], [C compiler flags for FFTW])
AC_ARG_WITH([fftw],
    [AS_HELP_STRING([--with-fftw], [Fourier transforms on the CPU, with FFTW 3 (default: if it is found)])],
    [], [with_fftw=guess])

mnp_fftw=
AS_IF([test "x$with_fftw" != xno],
    [AS_IF([test -z "$FFTW_CFLAGS"], [FFTW_CFLAGS=`$PKG_CONFIG --cflags fftw3 2>/dev/null`])
    AC_MSG_CHECKING([for FFTW 3])
    mnp_save_CPPFLAGS=$CPPFLAGS
    CPPFLAGS="$CPPFLAGS $FFTW_CFLAGS"
    AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#include <fftw3.h>]], [[fftw_iodim64 dim; (void)dim;]])], [mnp_fftw=yes])
    CPPFLAGS=$mnp_save_CPPFLAGS
    AC_MSG_RESULT([${mnp_fftw:-no}])])

AS_IF([test -n "$mnp_fftw"],
        [AC_DEFINE([HAVE_FFTW], [1], [Define to 1 if the header of FFTW is there.])],
    [FFTW_CFLAGS=
    AS_IF([test "x$with_fftw" = xguess],
            [AC_MSG_NOTICE([no FFTW found: there will be no Fourier transforms on the CPU])],
        [test "x$with_fftw" != xno],
            [AC_MSG_ERROR([--with-fftw: FFTW 3 does not work.  Install it (Debian and Ubuntu: libfftw3-dev)])])])
])
