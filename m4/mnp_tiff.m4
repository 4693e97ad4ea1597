dnl SPDX-License-Identifier: BSD-3-Clause
# MNP_CHECK_TIFF
#
# Finds the headers of libtiff, which is optional: TIFF files are read by it.  Substitutes TIFF_CFLAGS and defines
# HAVE_TIFF.  The library is loaded when the first file is read, and not linked, so that no other program pays for it
# and for the libraries that it needs.
AC_DEFUN([MNP_CHECK_TIFF],
[AC_ARG_VAR([TIFF_CFLAGS], [C compiler flags for libtiff])
AC_ARG_WITH([tiff],
    [AS_HELP_STRING([--with-tiff], [read TIFF files, with libtiff (default: if it is found)])],
    [], [with_tiff=guess])

mnp_tiff=
AS_IF([test "x$with_tiff" != xno],
    [AS_IF([test -z "$TIFF_CFLAGS"], [TIFF_CFLAGS=`$PKG_CONFIG --cflags libtiff-4 2>/dev/null`])
    AC_MSG_CHECKING([for libtiff])
    mnp_save_CPPFLAGS=$CPPFLAGS
    CPPFLAGS="$CPPFLAGS $TIFF_CFLAGS"
    AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#include <tiffio.h>]], [[toff_t offset = 0; (void)offset;]])],
        [mnp_tiff=yes])
    CPPFLAGS=$mnp_save_CPPFLAGS
    AC_MSG_RESULT([${mnp_tiff:-no}])])

AS_IF([test -n "$mnp_tiff"],
        [AC_DEFINE([HAVE_TIFF], [1], [Define to 1 if the headers of libtiff are there.])],
    [TIFF_CFLAGS=
    AS_IF([test "x$with_tiff" = xguess],
            [AC_MSG_NOTICE([no libtiff found: TIFF files will not be read])],
        [test "x$with_tiff" != xno],
            [AC_MSG_ERROR([--with-tiff: libtiff does not work.  Install it (Debian and Ubuntu: libtiff-dev)])])])
])
