dnl SPDX-License-Identifier: BSD-3-Clause
# MNP_CHECK_FORTRAN
#
# Finds what the module of Fortran is made with, which is optional: a compiler that knows optional arguments of
# procedures of C (Fortran 2018), and Python, which makes the module from the headers.  Substitutes FC, FCFLAGS and
# PYTHON3, and sets the condition FORTRAN.
AC_DEFUN([MNP_CHECK_FORTRAN],
[AC_ARG_VAR([FC], [Fortran compiler])
AC_ARG_VAR([FCFLAGS], [Fortran compiler flags])
AC_ARG_ENABLE([fortran],
    [AS_HELP_STRING([--disable-fortran], [no module for Fortran (default: if there are a compiler and Python 3.8)])],
    [], [enable_fortran=guess])

mnp_fortran=
AS_IF([test "x$enable_fortran" != xno],
    [AS_IF([test -z "$FC"], [AC_CHECK_PROGS([FC], [gfortran flang-new flang ifx nvfortran])])
    AC_PATH_PROGS([PYTHON3], [python3 python])
    mnp_why="a Fortran compiler (Debian and Ubuntu: gfortran)"
    AS_IF([test -n "$FC"],
        [AC_MSG_CHECKING([whether $FC knows Fortran 2018's interfaces of C])
        cat >conftest.f90 <<MNP_END
module conftest
    use, intrinsic :: iso_c_binding
    interface
        subroutine c_takes(data, count) bind(C)
            import
            type(*), optional :: data(*)
            integer(c_int), optional :: count
        end subroutine
    end interface
end module
MNP_END
        AS_IF([$FC $FCFLAGS -c conftest.f90 >/dev/null 2>&1],
            [AC_MSG_RESULT([yes])
            mnp_why="Python 3.8 or newer"
            AS_IF(["${PYTHON3:-false}" -c 'import sys; sys.exit(sys.version_info < (3, 8))' 2>/dev/null],
                [mnp_fortran="$FC $FCFLAGS"])],
            [AC_MSG_RESULT([no])])
        rm -f conftest.*])
    AS_IF([test -z "$mnp_fortran" && test "x$enable_fortran" = xguess],
            [AC_MSG_NOTICE([no $mnp_why found: there will be no module for Fortran])],
        [test -z "$mnp_fortran"],
            [AC_MSG_ERROR([--enable-fortran needs $mnp_why])])])
AM_CONDITIONAL([FORTRAN], [test -n "$mnp_fortran"])
AS_IF([test -z "$mnp_fortran"], [FC=])
AS_IF([test -z "$FCFLAGS"], [FCFLAGS="-O2 -g"])
])
