dnl SPDX-License-Identifier: BSD-3-Clause
# MNP_CHECK_CFITSIO
#
# Finds the headers of CFITSIO and zlib, which are optional: FITS files are read by them.  Substitutes CFITSIO_CFLAGS and defines
# HAVE_CFITSIO.  The library is loaded when the first file is read, and not linked, so that no other program pays for it
# and for the libraries that it needs.
AC_DEFUN([MNP_CHECK_CFITSIO],
[AC_ARG_VAR([CFITSIO_CFLAGS], [C compiler flags for CFITSIO])
AC_ARG_WITH([cfitsio],
    [AS_HELP_STRING([--with-cfitsio], [read FITS files, with CFITSIO (default: if it is found)])],
    [], [with_cfitsio=guess])

mnp_cfitsio=
AS_IF([test "x$with_cfitsio" != xno],
    [AS_IF([test -z "$CFITSIO_CFLAGS"], [CFITSIO_CFLAGS=`$PKG_CONFIG --cflags cfitsio 2>/dev/null`])
    AC_MSG_CHECKING([for CFITSIO])
    mnp_save_CPPFLAGS=$CPPFLAGS
    CPPFLAGS="$CPPFLAGS $CFITSIO_CFLAGS"
    AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#include <zlib.h>
#include <fitsio.h>]], [[return CFITSIO_SONAME == 0;]])],
        [mnp_cfitsio=yes])
    CPPFLAGS=$mnp_save_CPPFLAGS
    AC_MSG_RESULT([${mnp_cfitsio:-no}])])

AS_IF([test -n "$mnp_cfitsio"],
        [AC_DEFINE([HAVE_CFITSIO], [1], [Define to 1 if the header of CFITSIO is there.])],
    [CFITSIO_CFLAGS=
    AS_IF([test "x$with_cfitsio" = xguess],
            [AC_MSG_NOTICE([no CFITSIO found: FITS files will not be read])],
        [test "x$with_cfitsio" != xno],
            [AC_MSG_ERROR([--with-cfitsio: CFITSIO does not work.  Install it (Debian and Ubuntu: libcfitsio-dev zlib1g-dev)])])])
])
