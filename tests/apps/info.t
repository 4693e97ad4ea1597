#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# maniple info FILE: what files hold, compared with h5py and NumPy (info.py); damaged files are told in one sentence.

. "${srcdir:-.}/tests/tap.sh"
. "$srcdir/tests/apps/refusals.sh"

[ -n "$PYTHON" ] || skip_all "$(without_python)"
[ -n "$MPIRUN" ] || skip_all "there is no mpirun"
export MANIPLE
check_points "$PYTHON" "$srcdir/tests/apps/checks/info.py"

fails 1 "cannot read 'none.h5': No such file" "$MANIPLE" info none.h5
fails 1 "cannot read 'none.h5': No such file" "$MANIPLE" info none.h5:/x
fails 1 "'/y' in 'a.h5' does not exist" "$MANIPLE" info a.h5:/y
fails 2 "'text.npy' is not a .npy file" "$MANIPLE" info text.npy
fails 2 "'text.h5' is not an HDF5 file" "$MANIPLE" info text.h5
fails 2 "info takes one FILE, but was also given 'b'" "$MANIPLE" info a b
fails 2 "settings is not about a FILE" "$MANIPLE" info --settings in.h5
printed=$(on 3 "$MANIPLE" info in.h5 2>&1)
[ "$(printf '%s\n' "$printed" | grep -c '^in.h5: HDF5')" -eq 1 ]
check $? "on 3 ranks it is printed once" "$printed"
done_testing
