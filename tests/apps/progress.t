#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The progress line: on a terminal what takes longer than two seconds shows one, with rate and time left where they are
# known, also through mpirun; nothing is shown with --quiet or in a pipe, unless it is asked for.

. "${srcdir:-.}/tests/tap.sh"
: "${MANIPLE:=$builddir/apps/maniple}" "${PYTHON=$("$srcdir/tests/find-python")}"
[ -n "$PYTHON" ] || skip_all "there is no Python"
command -v c++ >/dev/null || skip_all "there is no C++ compiler named c++"
source=$(cd "$srcdir" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work" || exit 1

shows()
{
    rm -rf cache
    description=$1
    shift
    run "$description" "$PYTHON" "$source/tests/apps/checks/progress.py" "$@"
}

# A compiler that takes seconds, and no cache: a subcommand lasts, and nothing is known but for how long
cat >slow-c++ <<'END'
#!/bin/sh
sleep 3
exec c++ "$@"
END
cat >draw <<END
#!/bin/sh
export MANIPLE_DEVICE=host MANIPLE_CXX="$work/slow-c++" MANIPLE_CXXFLAGS=-O0 MANIPLE_CACHE_DIR="$work/cache"
exec "$MANIPLE" random uniform 100 -s 1 -o r.h5:/x "\$@"
END
chmod +x slow-c++ draw
line='maniple random: [a-z ]*, [0-9]+ s'
shows "on a terminal" terminal "\\r$line" ./draw
shows "on a terminal, with --quiet" terminal none ./draw -q
shows "with standard error in a pipe" pipe none ./draw
shows "with standard error in a pipe, and --progress" pipe "^$line\\n" ./draw -q --progress
if [ -n "${MPIRUN-}" ]; then
    shows "on a terminal, through mpirun" terminal "\\r$line" "$MPIRUN" -n 2 ./draw
else
    skip "on a terminal, through mpirun" "there is no mpirun"
fi

# Many small pieces, of which the command knows how many there are
run "the files of this test" "$MANIPLE" random normal 200000x20 -s 1 -o data.h5:/x -q
known='[0-9]+ %, [0-9.]+ .?B/s, [0-9]+ (s|min) left'
shows "rate and time left" terminal "\\rmaniple stats: round 1 of computing, $known" "$MANIPLE" stats data.h5:/x --memory 1K
# on the host, as a GPU is done before anything is shown
shows "the residual" terminal '\rmaniple solve: solving, iteration [0-9]+, residual [0-9.e-]+, [0-9.e+]+/s' \
    env MANIPLE_DEVICE=host "$MANIPLE" solve poisson:700x700 -o x.h5:/x --method bicgstab --rtol 1e-14 --maxiter 100000

done_testing
