dnl SPDX-License-Identifier: BSD-3-Clause
# MNP_CHECK_PNG
#
# Finds libpng, which is optional: the command's --png needs it.  Sets and substitutes PNG_CFLAGS and PNG_LIBS, and
# defines HAVE_PNG.
AC_DEFUN([MNP_CHECK_PNG],
[AC_ARG_VAR([PNG_CFLAGS], [C compiler flags for libpng])
AC_ARG_VAR([PNG_LIBS], [linker flags for libpng])
AC_ARG_WITH([png],
    [AS_HELP_STRING([--with-png], [let the command write pictures, with libpng (default: if it is found)])],
    [], [with_png=guess])

mnp_png=
AS_IF([test "x$with_png" != xno],
    [AS_IF([test -z "$PNG_LIBS"],
        [AS_IF([$PKG_CONFIG --exists libpng 2>/dev/null],
            [PNG_CFLAGS=`$PKG_CONFIG --cflags libpng`
            PNG_LIBS=`$PKG_CONFIG --libs libpng`],
            [PNG_LIBS="-lpng -lz"])])
    AC_MSG_CHECKING([for libpng])
    mnp_save_CPPFLAGS=$CPPFLAGS
    mnp_save_LIBS=$LIBS
    CPPFLAGS="$CPPFLAGS $PNG_CFLAGS"
    LIBS="$PNG_LIBS $LIBS"
    AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <png.h>]],
        [[return png_create_write_struct(PNG_LIBPNG_VER_STRING, 0, 0, 0) != 0;]])],
        [mnp_png=yes])
    CPPFLAGS=$mnp_save_CPPFLAGS
    LIBS=$mnp_save_LIBS
    AC_MSG_RESULT([${mnp_png:-no}])])

AS_IF([test -n "$mnp_png"],
        [AC_DEFINE([HAVE_PNG], [1], [Define to 1 if libpng is there.])],
    [PNG_CFLAGS=
    PNG_LIBS=
    AS_IF([test "x$with_png" = xguess],
            [AC_MSG_NOTICE([no libpng found: the command will be without --png])],
        [test "x$with_png" != xno],
            [AC_MSG_ERROR([--with-png: libpng does not work.  Install it (Debian and Ubuntu: libpng-dev)])])])
])
