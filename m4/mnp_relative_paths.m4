# SPDX-License-Identifier: BSD-3-Clause
# Paths between installed folders, so that an installation still works after it has been moved as a whole.
#
#   MNP_PC_PREFIX, MNP_PC_INCLUDEDIR   of maniple.pc: "${pcfiledir}/../.."
#   MNP_CMAKE_INCLUDEDIR               of the CMake package: "${CMAKE_CURRENT_LIST_DIR}/../../../include"
#   MNP_BIN_LDFLAGS                    the run path of the command: "-Wl,-rpath,'$ORIGIN/../lib'"; dollars are make's
#   MNP_PC_LDFLAGS                     the run path of programs, in maniple.pc: "-Wl,-rpath,${libdir}"
#   MNP_PREFIX, MNP_DATADIR, MNP_LIBDIR, MNP_MANDIR, MNP_BINDIR   absolute folders, which the environment module moves
#
# Where realpath does not know the option, paths are absolute.  --disable-rpath leaves the run paths empty, for packages
# of a distribution, whose libraries are where the system looks.
AC_DEFUN([MNP_RELATIVE_PATHS], [
AC_ARG_ENABLE([rpath],
    [AS_HELP_STRING([--disable-rpath],
        [programs look for the library in the system's folders alone (default: also where it is installed)])],
    [], [enable_rpath=yes])
AS_IF([test "x$prefix" = xNONE], [mnp_prefix=$ac_default_prefix], [mnp_prefix=$prefix])

# mnp_folder NAME: a folder of the installation, such as ${exec_prefix}/lib, as a path
mnp_folder()
{
    (
        prefix=$mnp_prefix
        test "x$exec_prefix" != xNONE || exec_prefix=$prefix
        eval "mnp_path=\$$[1]"
        while :; do
            eval "mnp_next=\"$mnp_path\""
            test "$mnp_next" != "$mnp_path" || break
            mnp_path=$mnp_next
        done
        AS_ECHO(["$mnp_path"])
    )
}

# mnp_between FROM TO BASE: the path from one folder to another, after BASE, which is what FROM will be called
mnp_between()
{
    mnp_way=`realpath -m --relative-to="$[1]" "$[2]" 2>/dev/null` || mnp_way=
    AS_IF([test -n "$mnp_way"], [AS_ECHO(["$[3]/$mnp_way"])], [AS_ECHO(["$[2]"])])
}

mnp_libdir=`mnp_folder libdir`
mnp_includedir=`mnp_folder includedir`
mnp_bindir=`mnp_folder bindir`
AC_SUBST([MNP_PC_PREFIX], [`mnp_between "$mnp_libdir/pkgconfig" "$mnp_prefix" '${pcfiledir}'`])
AC_SUBST([MNP_PC_INCLUDEDIR], [`mnp_between "$mnp_libdir/pkgconfig" "$mnp_includedir" '${pcfiledir}'`])
AC_SUBST([MNP_CMAKE_INCLUDEDIR],
    [`mnp_between "$mnp_libdir/cmake/maniple" "$mnp_includedir" '${CMAKE_CURRENT_LIST_DIR}'`])
AC_SUBST([MNP_PREFIX], [$mnp_prefix])
AC_SUBST([MNP_BINDIR], [$mnp_bindir])
AC_SUBST([MNP_LIBDIR], [$mnp_libdir])
AC_SUBST([MNP_DATADIR], [`mnp_folder datadir`])
AC_SUBST([MNP_MANDIR], [`mnp_folder mandir`])
MNP_BIN_LDFLAGS=
MNP_PC_LDFLAGS=
AS_IF([test "x$enable_rpath" != xno],
    [MNP_BIN_LDFLAGS="-Wl,-rpath,'`mnp_between "$mnp_bindir" "$mnp_libdir" '$$ORIGIN'`'"
    MNP_PC_LDFLAGS='-Wl,-rpath,${libdir}'])
AC_SUBST([MNP_BIN_LDFLAGS])
AC_SUBST([MNP_PC_LDFLAGS])
])
