#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# HDF5 files made and read by h5py: see h5_files.py.

. "${srcdir:-.}/tests/tap.sh"

: "${PYTHON=$("$srcdir/tests/find-python")}"
[ -n "$PYTHON" ] || skip_all "$(without_python)"
[ -n "${MPIRUN=mpirun}" ] || skip_all "there is no mpirun"
export srcdir builddir MPIRUN
exec "$PYTHON" "$srcdir/tests/io/h5_files.py"
