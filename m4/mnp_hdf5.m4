dnl SPDX-License-Identifier: BSD-3-Clause
# MNP_CHECK_HDF5
#
# Finds parallel HDF5, which is required.  Sets and substitutes HDF5_CFLAGS and HDF5_LIBS.  To be called after
# MNP_CHECK_MPI.
#
# It tries HDF5_CFLAGS and HDF5_LIBS of the environment, or the folder of --with-hdf5=DIR; if neither is given,
# pkg-config's modules and then the wrapper h5pcc.  An HDF5 that was named but does not work stops configure; after a
# guess that does not work it tries the next one.

# MNP_TRY_HDF5(WHERE, CFLAGS, LIBS): uses these flags if none have been found yet and parallel HDF5 links with them
AC_DEFUN([MNP_TRY_HDF5],
[AS_IF([test -z "$mnp_hdf5"],
    [AC_MSG_CHECKING([for parallel HDF5 by $1])
    mnp_save_CPPFLAGS=$CPPFLAGS
    mnp_save_LIBS=$LIBS
    CPPFLAGS="$CPPFLAGS $2 $MPI_CFLAGS"
    LIBS="$3 $MPI_LIBS $LIBS"
    AC_LINK_IFELSE([AC_LANG_PROGRAM([[
#include <hdf5.h>
#ifndef H5_HAVE_PARALLEL
#error "this HDF5 was built without MPI"
#endif
]], [[return H5Pset_fapl_mpio(H5P_DEFAULT, MPI_COMM_WORLD, MPI_INFO_NULL) < 0;]])],
        [mnp_hdf5="$1"
        mnp_hdf5_cflags="$2"
        mnp_hdf5_libs="$3"
        AC_MSG_RESULT([yes])],
        [AC_MSG_RESULT([no])])
    CPPFLAGS=$mnp_save_CPPFLAGS
    LIBS=$mnp_save_LIBS])
])

AC_DEFUN([MNP_CHECK_HDF5],
[AC_ARG_VAR([HDF5_CFLAGS], [C compiler flags for parallel HDF5])
AC_ARG_VAR([HDF5_LIBS], [linker flags for parallel HDF5])
AC_ARG_WITH([hdf5],
    [AS_HELP_STRING([--with-hdf5=DIR], [folder of a parallel HDF5 (default: look for it)])],
    [], [with_hdf5=guess])
AS_IF([test "x$with_hdf5" = xno],
    [AC_MSG_ERROR([--without-hdf5 is not possible: parallel HDF5 is required])])

mnp_hdf5=
AS_IF([test -n "$HDF5_LIBS"],
        [MNP_TRY_HDF5([HDF5_CFLAGS and HDF5_LIBS], [$HDF5_CFLAGS], [$HDF5_LIBS])],
    [test "x$with_hdf5" != xguess && test "x$with_hdf5" != xyes],
        [for mnp_lib in lib64 lib; do
            MNP_TRY_HDF5([$with_hdf5/$mnp_lib], [-I$with_hdf5/include],
                [-L$with_hdf5/$mnp_lib -Wl,-rpath,$with_hdf5/$mnp_lib -lhdf5])
        done],
    [for mnp_module in hdf5-openmpi hdf5-mpich hdf5; do
        AS_IF([$PKG_CONFIG --exists $mnp_module 2>/dev/null],
            [MNP_TRY_HDF5([pkg-config $mnp_module],
                [`$PKG_CONFIG --cflags $mnp_module`], [`$PKG_CONFIG --libs $mnp_module`])])
    done
    AC_PATH_PROGS([H5PCC], [h5pcc])
    AS_IF([test -n "$H5PCC"],
        [mnp_compile=
        mnp_link=
        for mnp_flag in `$H5PCC -show 2>/dev/null`; do
            AS_CASE([$mnp_flag],
                [-I*|-D*], [AS_VAR_APPEND([mnp_compile], [" $mnp_flag"])],
                [-L*|-l*|-Wl,-rpath*], [AS_VAR_APPEND([mnp_link], [" $mnp_flag"])])
        done
        MNP_TRY_HDF5([$H5PCC], [$mnp_compile], [$mnp_link])])])

AS_IF([test -z "$mnp_hdf5"],
    [AC_MSG_ERROR([parallel HDF5 is required and was not found.  Install it (Debian and Ubuntu: libhdf5-openmpi-dev), or name its folder: ./configure --with-hdf5=DIR])])
HDF5_CFLAGS=$mnp_hdf5_cflags
HDF5_LIBS=$mnp_hdf5_libs
])
