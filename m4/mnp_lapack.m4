# MNP_CHECK_LAPACK
#
# Finds LAPACK, by its Fortran names, which is optional: small dense eigenvalue problems of eigsh and lobpcg need it.  Sets
# and substitutes LAPACK_LIBS, and defines HAVE_LAPACK.
AC_DEFUN([MNP_CHECK_LAPACK],
[AC_ARG_VAR([LAPACK_LIBS], [linker flags for LAPACK])
AC_ARG_WITH([lapack],
    [AS_HELP_STRING([--with-lapack], [compute eigenvalues with the help of LAPACK (default: if it is found)])],
    [], [with_lapack=guess])

mnp_lapack=
AS_IF([test "x$with_lapack" != xno],
    [mnp_save_LIBS=$LIBS
    for mnp_libs in "$LAPACK_LIBS" -lopenblas "-llapack -lblas"; do
        AS_IF([test -n "$mnp_libs" && test -z "$mnp_lapack"],
            [AC_MSG_CHECKING([for LAPACK in $mnp_libs])
            LIBS="$mnp_libs $mnp_save_LIBS"
            AC_LINK_IFELSE([AC_LANG_CALL([], [zheevd_])], [mnp_lapack=$mnp_libs])
            AC_MSG_RESULT([${mnp_lapack:-no}])])
    done
    LIBS=$mnp_save_LIBS])

AS_IF([test -n "$mnp_lapack"],
    [LAPACK_LIBS=$mnp_lapack
    AC_DEFINE([HAVE_LAPACK], [1], [Define to 1 if LAPACK is there.])],
    [LAPACK_LIBS=
    AS_IF([test "x$with_lapack" = xguess],
            [AC_MSG_NOTICE([no LAPACK found: the library will be without mnp_eigsh() and mnp_lobpcg()])],
        [test "x$with_lapack" != xno],
            [AC_MSG_ERROR([--with-lapack: LAPACK does not work.  Install OpenBLAS (Debian and Ubuntu: libopenblas-dev)])])])
])
