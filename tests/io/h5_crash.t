#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Files that grow and whose writers are ended: at every call that a writer makes, as if it were killed or the power failed
# there (h5_crash.py), and by real kills of one and of three ranks at any time.  A reader that is ended leaves no file.

. "${srcdir:-.}/tests/tap.sh"

: "${PYTHON=$("$srcdir/tests/find-python")}"
[ -n "$PYTHON" ] || skip_all "$(without_python)"
[ -n "$MPIRUN" ] || skip_all "there is no mpirun"
library=$builddir/.libs/libmaniple.so
[ -e "$library" ] || skip_all "no shared library was built"
if ldd "$library" | grep -q 'lib[au].*san'; then
    skip_all "sanitizers have to be loaded first"
fi
export PYTHONPATH="$srcdir/tests/numpy" PYTHONDONTWRITEBYTECODE=1

folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' HUP INT TERM
cd "$folder" || exit 1

# shellcheck disable=SC2086
run "a library that records writes" ${CC:-cc} -shared -fPIC -o record.so "$srcdir/tests/io/record_writes.c" -ldl
"$PYTHON" -c "
import h5py, numpy as np
with h5py.File('start.h5', 'w') as file:
    file['old'] = np.arange(500.)
    file['old'].attrs['note'] = 'kept'
with h5py.File('shorter.h5.start', 'w') as file:
    file['a'], file['last'] = np.arange(500.), np.arange(30000.)"
cp shorter.h5.start shorter.h5

# on RANKS SCRIPT ARGUMENT...: a Python script of this folder
on()
{
    ranks=$1 script=$2
    shift 2
    "$MPIRUN" -n "$ranks" "$PYTHON" "$srcdir/tests/io/$script" "$@"
}

for ranks in 1 2; do
    cp start.h5 "recorded$ranks.h5"
    run "a writer on $ranks rank(s) is recorded" env RECORD_FILE="$folder/recorded$ranks.h5" \
        RECORD_LOG="$folder/log$ranks" LD_PRELOAD="$folder/record.so" \
        "$MPIRUN" -n "$ranks" "$PYTHON" "$srcdir/tests/io/h5_crash_writer.py" "$folder/recorded$ranks.h5" 3
done
mkdir images
for kind in 'killed 1' 'power 2'; do
    # shellcheck disable=SC2086
    set -- $kind
    on 1 h5_crash.py start.h5 "$folder/log$2" images "$1" >points 2>&1
    status=$?
    sed 's/^/# /' points
    check "$status" "$1, on $2 rank(s)"
done

# The same of one that removes a dataset with which the file ends
run "a writer that removes is recorded" env RECORD_FILE="$folder/shorter.h5" RECORD_LOG="$folder/removal" \
    LD_PRELOAD="$folder/record.so" "$MPIRUN" -n 2 "$PYTHON" "$srcdir/tests/io/h5_crash_remove.py" write \
    "$folder/shorter.h5"
run "killed while it removes" on 1 h5_crash_remove.py read "$folder/shorter.h5" "$folder/removal" images

# Kills of a writer that appends steps as fast as it can; the file goes on to grow
cp start.h5 killed.h5
: >killed.h5.done
for ranks in 1 3 1 3; do
    "$MPIRUN" -n "$ranks" "$PYTHON" "$srcdir/tests/io/h5_crash_writer.py" "$folder/killed.h5" 100000 >/dev/null 2>&1 &
    launcher=$!
    before=$(wc -l <killed.h5.done)
    for _ in $(seq 6000); do # until it has made some steps
        [ "$(wc -l <killed.h5.done)" -gt $((before + 3)) ] && break
        sleep 0.1
    done
    sleep "0.$(od -An -N1 -tu1 /dev/urandom | tr -d ' ')"
    for process in $(ps -o pid= --ppid "$launcher"); do
        kill -KILL "$process"
    done
    wait "$launcher"
    done=$(tail -n 1 killed.h5.done)
    output=$(on 1 h5_crash_check.py killed.h5 "$done" 2>&1)
    check $? "$ranks rank(s) killed after $done steps" "$output"
done

# Open MPI makes a file beside one that it opens, to try locks, and removes it: a signal comes before it does that
cat >locktest.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <string.h>

int unlink(const char *path)
{
    static int ended;
    if (strstr(path, ".locktest.") && !ended++)
        raise(SIGTERM);
    return ((int (*)(const char *))dlsym(RTLD_NEXT, "unlink"))(path);
}
END
# shellcheck disable=SC2086
run "a library that is ended there" ${CC:-cc} -shared -fPIC -o locktest.so locktest.c -ldl
env LD_PRELOAD="$folder/locktest.so" "$MANIPLE" stats start.h5:old >stats.txt 2>&1
status=$?
if [ "$status" -eq 0 ]; then
    skip "a signal while MPI tries locks" "this MPI makes no file beside the one that it opens"
else
    [ "$status" -eq 143 ] && ! ls start.h5.locktest.* 2>/dev/null
    check $? "a signal while MPI tries locks leaves no file" "$status $(cat stats.txt; ls)"
fi
done_testing
