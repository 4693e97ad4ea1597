dnl SPDX-License-Identifier: BSD-3-Clause
# MNP_CHECK_MPI
#
# Finds MPI, which is required.  Sets and substitutes MPI_CFLAGS, MPI_LIBS and MPIRUN.
#
# MPI's wrapper does not replace the compiler, because CC in the environment may make wrappers compile without MPI.  The
# wrapper is only asked for its flags, and a program that calls MPI must link with them.  The flags come from the first
# of these that has any: MPI_LIBS of the environment, the wrapper MPICC, pkg-config.
AC_DEFUN([MNP_CHECK_MPI],
[AC_ARG_VAR([MPICC], [MPI's compiler wrapper, asked for its flags only])
AC_ARG_VAR([MPI_CFLAGS], [C compiler flags for MPI, instead of the wrapper's])
AC_ARG_VAR([MPI_LIBS], [linker flags for MPI, instead of the wrapper's])
AC_ARG_VAR([MPIRUN], [command that starts the ranks of the tests])
AC_PATH_PROGS([MPICC], [mpicc mpiicc])
AC_PATH_PROGS([MPIRUN], [mpirun mpiexec])

AC_MSG_CHECKING([for MPI's flags])
mnp_mpi_from=
AS_IF([test -n "$MPI_LIBS"],
    [mnp_mpi_from="MPI_CFLAGS and MPI_LIBS"])
AS_IF([test -z "$mnp_mpi_from" && test -n "$MPICC"],
    [# Open MPI's option is --showme; that of MPICH and its relatives is -compile_info, which prints the compiler first
    mnp_compile=`$MPICC --showme:compile 2>/dev/null || $MPICC -compile_info 2>/dev/null`
    mnp_link=`$MPICC --showme:link 2>/dev/null || $MPICC -link_info 2>/dev/null`
    for mnp_flag in $mnp_compile; do
        AS_CASE([$mnp_flag], [-I*|-D*|-pthread], [AS_VAR_APPEND([MPI_CFLAGS], ["${MPI_CFLAGS:+ }$mnp_flag"])])
    done
    for mnp_flag in $mnp_link; do
        AS_CASE([$mnp_flag], [-L*|-l*|-Wl,-rpath*|-pthread], [AS_VAR_APPEND([MPI_LIBS], ["${MPI_LIBS:+ }$mnp_flag"])])
    done
    AS_IF([test -n "$MPI_LIBS"], [mnp_mpi_from=$MPICC])])
AS_IF([test -z "$mnp_mpi_from"],
    [for mnp_module in ompi-c mpich; do
        AS_IF([$PKG_CONFIG --exists $mnp_module 2>/dev/null],
            [MPI_CFLAGS=`$PKG_CONFIG --cflags $mnp_module`
            MPI_LIBS=`$PKG_CONFIG --libs $mnp_module`
            mnp_mpi_from="pkg-config $mnp_module"
            break])
    done])
AC_MSG_RESULT([${mnp_mpi_from:-none found}])

AC_MSG_CHECKING([whether a program that calls MPI_Init links])
mnp_save_CPPFLAGS=$CPPFLAGS
mnp_save_LIBS=$LIBS
CPPFLAGS="$CPPFLAGS $MPI_CFLAGS"
LIBS="$MPI_LIBS $LIBS"
AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>]], [[return MPI_Init(0, 0);]])],
    [AC_MSG_RESULT([yes])],
    [AC_MSG_RESULT([no])
    AC_MSG_ERROR([MPI is required, and a program that calls MPI_Init does not link.  Install MPI (Debian and Ubuntu: libopenmpi-dev openmpi-bin), or name its compiler wrapper: ./configure MPICC=/path/to/mpicc])])
CPPFLAGS=$mnp_save_CPPFLAGS
LIBS=$mnp_save_LIBS
])
