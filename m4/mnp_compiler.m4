dnl SPDX-License-Identifier: BSD-3-Clause
# MNP_COMPILER_FLAGS
#
# Sets and substitutes MNP_CFLAGS: the warnings that the compiler knows, hidden visibility, and the flags of
# --enable-debug, --enable-sanitizers and --enable-werror; and MNP_LDFLAGS, which --enable-sanitizers adds to every link.
# MNP_COMPILER_OPTIONS declares these options; it must come before AC_PROG_CC because a debug build changes the default
# of CFLAGS.
AC_DEFUN([MNP_COMPILER_OPTIONS],
[AC_ARG_ENABLE([debug],
    [AS_HELP_STRING([--enable-debug], [no optimisation, and internal checks (MNP_DEBUG)])],
    [], [enable_debug=no])
AC_ARG_ENABLE([sanitizers],
    [AS_HELP_STRING([--enable-sanitizers], [find invalid memory accesses and undefined behaviour at run time])],
    [], [enable_sanitizers=no])
AC_ARG_ENABLE([werror],
    [AS_HELP_STRING([--enable-werror], [treat the compiler's warnings as errors])],
    [], [enable_werror=no])
AS_IF([test "x$enable_debug" = xyes],
    [: ${CFLAGS="-g -O0"}],
    dnl line numbers in backtraces; what debuggers know of variables takes a fifth of the build's time
    [: ${CFLAGS="-g1 -O2"}])
])

# MNP_ADD_CFLAG(FLAG, [IF-NOT]): adds FLAG to MNP_CFLAGS if the compiler accepts it
AC_DEFUN([MNP_ADD_CFLAG],
[AC_MSG_CHECKING([whether $CC accepts $1])
mnp_save_CFLAGS=$CFLAGS
CFLAGS="$CFLAGS -Werror $1"
AC_COMPILE_IFELSE([AC_LANG_SOURCE([int mnp_flag_accepted;])],
    [AC_MSG_RESULT([yes])
    AS_VAR_APPEND([MNP_CFLAGS], [" $1"])],
    [AC_MSG_RESULT([no])
    $2])
CFLAGS=$mnp_save_CFLAGS
])

AC_DEFUN([MNP_COMPILER_FLAGS],
[MNP_CFLAGS=
MNP_LDFLAGS=
m4_foreach_w([flag], [-Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes],
    [MNP_ADD_CFLAG(flag)])
MNP_ADD_CFLAG([-fvisibility=hidden])
AS_IF([test "x$enable_debug" = xyes],
    [MNP_ADD_CFLAG([-DMNP_DEBUG])])
AS_IF([test "x$enable_werror" = xyes],
    [MNP_ADD_CFLAG([-Werror])])
AS_IF([test "x$enable_sanitizers" = xyes],
    [mnp_sanitize="-fsanitize=address,undefined -fno-sanitize-recover=undefined"
    MNP_ADD_CFLAG([$mnp_sanitize -fno-omit-frame-pointer],
        [AC_MSG_ERROR([--enable-sanitizers: $CC has no AddressSanitizer])])
    MNP_LDFLAGS=$mnp_sanitize
    AC_DEFINE([MNP_SANITIZERS], [1], [Define to 1 in a build with sanitizers; kernels are then compiled alike.])])
AC_SUBST([MNP_CFLAGS])
AC_SUBST([MNP_LDFLAGS])
])
