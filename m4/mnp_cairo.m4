dnl SPDX-License-Identifier: BSD-3-Clause
# MNP_CHECK_CAIRO
#
# Finds the header of cairo, which is optional: the command's PNG pictures have the fonts of the system by it, and letters
# of their own without.  The library is loaded at run time and not linked.  Sets and substitutes CAIRO_CFLAGS, and defines
# HAVE_CAIRO.
AC_DEFUN([MNP_CHECK_CAIRO],
[AC_ARG_VAR([CAIRO_CFLAGS], [C compiler flags for cairo])
AC_ARG_WITH([cairo],
    [AS_HELP_STRING([--with-cairo], [let pictures have the fonts of the system, with cairo (default: if it is found)])],
    [], [with_cairo=guess])

mnp_cairo=
AS_IF([test "x$with_cairo" != xno],
    [AS_IF([test -z "$CAIRO_CFLAGS"],
        [AS_IF([$PKG_CONFIG --exists cairo 2>/dev/null], [CAIRO_CFLAGS=`$PKG_CONFIG --cflags cairo`])])
    AC_MSG_CHECKING([for cairo])
    mnp_save_CPPFLAGS=$CPPFLAGS
    CPPFLAGS="$CPPFLAGS $CAIRO_CFLAGS"
    AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#include <cairo.h>]], [[return cairo_version() == 0;]])], [mnp_cairo=yes])
    CPPFLAGS=$mnp_save_CPPFLAGS
    AC_MSG_RESULT([${mnp_cairo:-no}])])

AS_IF([test -n "$mnp_cairo"],
        [AC_DEFINE([HAVE_CAIRO], [1], [Define to 1 if the header of cairo is there.])],
    [CAIRO_CFLAGS=
    AS_IF([test "x$with_cairo" = xguess],
            [AC_MSG_NOTICE([no cairo found: pictures will have letters of their own])],
        [test "x$with_cairo" != xno],
            [AC_MSG_ERROR([--with-cairo: cairo does not work.  Install it (Debian and Ubuntu: libcairo2-dev)])])])
])
