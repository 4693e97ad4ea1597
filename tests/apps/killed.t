#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Runs that are ended from outside, by a signal or for good: they end soon, what they were to replace stays as it was, and
# what SIGKILL leaves behind the next run removes.

. "${srcdir:-.}/tests/tap.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir tmp
TMPDIR=$work/tmp
export TMPDIR

# until_true COMMAND...: wait for it, at most five minutes, as long as the run goes on
until_true()
{
    tries=0
    until "$@" || [ $tries -ge 6000 ] || ! kill -0 "$pid" 2>/dev/null; do
        sleep 0.05
        tries=$((tries + 1))
    done
    "$@"
}

# ended: the run ends, within five minutes; its exit status is $status
ended()
{
    tries=0
    while kill -0 "$pid" 2>/dev/null && [ $tries -lt 6000 ]; do
        sleep 0.05
        tries=$((tries + 1))
    done
    soon=0
    ! kill -0 "$pid" 2>/dev/null || soon=1
    [ $soon = 0 ] || kill -KILL "$pid"
    wait "$pid" 2>/dev/null
    status=$?
    return $soon
}

# ---- a disk that stores 16 MB a second, and lets no signal end the process meanwhile, as disks do ----

# Its MPI_Init_thread() leaves handlers of the signals, as a library below MPI may do
cat >slow_disk.c <<'EOF'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static sigset_t ending;
static off_t stored;

static int is_rank(const char *wanted)
{
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");
    return wanted && rank && strcmp(rank, wanted) == 0;
}

/* All threads inherit it.  To the rank PROMPT_RANK signals come at once */
__attribute__((constructor)) static void hold_signals(void)
{
    if (is_rank(getenv("PROMPT_RANK")))
        return;
    sigemptyset(&ending);
    sigaddset(&ending, SIGTERM);
    sigaddset(&ending, SIGINT);
    sigprocmask(SIG_BLOCK, &ending, NULL);
}

static int store(off_t bytes)
{
    struct timespec left = {.tv_sec = bytes >> 24, .tv_nsec = (bytes & 0xffffff) * 59};
    FILE *calls = fopen("storing", "a");
    fprintf(calls, "%lld\n", (long long)bytes);
    fclose(calls);
    nanosleep(&left, NULL);
    for (int i = 0; i < 3000 && getenv("STORE_UNTIL") && access(getenv("STORE_UNTIL"), F_OK) != 0; i++)
        usleep(100000);
    sigprocmask(SIG_UNBLOCK, &ending, NULL);
    hold_signals();
    stored += bytes;
    return 0;
}

int sync_file_range(int fd, off_t at, off_t bytes, unsigned flags)
{
    struct stat file;
    fstat(fd, &file);
    if (at + bytes > file.st_size)
        bytes = at < file.st_size ? file.st_size - at : 0;
    return flags & SYNC_FILE_RANGE_WAIT_AFTER ? store(bytes) : 0;
}

static void handle(int number)
{
    exit(1);
}

/* Rank 1 is stopped in MPI's function of that name */
static void stop_in(const char *function)
{
    const char *where = getenv("STOP_IN");
    if (where && strcmp(where, function) == 0 && is_rank("1"))
        raise(SIGSTOP);
}

int MPI_Finalize(void)
{
    stop_in("MPI_Finalize");
    return ((int (*)(void))dlsym(RTLD_NEXT, "PMPI_Finalize"))();
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    stop_in("MPI_Init");
    int (*init)(int *, char ***, int, int *) = (int (*)(int *, char ***, int, int *))dlsym(RTLD_NEXT, "PMPI_Init_thread");
    int code = init(argc, argv, required, provided);
    signal(SIGTERM, handle);
    signal(SIGINT, handle);
    return code;
}

int fsync(int fd)
{
    struct stat file;
    fstat(fd, &file);
    return store(file.st_size > stored ? file.st_size - stored : 0);
}
EOF
# What a shell starts in the background ignores SIGINT
cat >default_signals.py <<'EOF'
import os
import signal
import sys

signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])
EOF
slow=
# Sanitizers want to be the first library
if ! grep -q -e -DMNP_SANITIZERS "$builddir/Makefile" && $CC -shared -fPIC -o slow_disk.so slow_disk.c 2>cc.log; then
    slow=$work/slow_disk.so
fi

# write_slowly: write 256 MB to out.h5, until the disk begins to store them
write_slowly()
{
    cp old.h5 out.h5
    rm -f storing
    LD_PRELOAD=$slow "$PYTHON" default_signals.py "$MANIPLE" conv dirac:8000x8000/64 hanning:1x1 -o out.h5:/y -q \
        2>stderr &
    pid=$!
    until_true test -s storing
}

# ended_at_once: by the signal that it has got, while the disk stored at most 32 MB more.  The disk has a line for each
# call, of which one was under way.
ended_at_once()
{
    calls=$(wc -l <storing)
    ended && [ "$status" -gt 128 ] && [ "$(wc -l <storing)" -le $((calls + 1)) ] &&
        awk '$1 > 32 * 1024 * 1024 { exit 1 }' storing
}

as_it_was="ends at once by the signal, with the old file as it was and no other"
killed="SIGKILL leaves the old file as it was, and the next run removes the new one"
if [ -n "$slow" ]; then
    "$MANIPLE" conv dirac:20x20/5 hanning:3x3 -o old.h5:/y -q
    for name in TERM INT; do
        write_slowly && kill -$name "$pid" && ended_at_once && cmp old.h5 out.h5 &&
            [ -z "$(find . -name '.out.h5.*')" ]
        check $? "a run that gets SIG$name while its file is stored $as_it_was" "$status $(ls -lA; cat storing stderr)"
    done
    write_slowly && kill -KILL "$pid"
    wait "$pid" 2>/dev/null
    [ -n "$(find . -name '.out.h5.*.tmp')" ] && cmp old.h5 out.h5 &&
        "$MANIPLE" conv dirac:20x20/5 hanning:3x3 -o out.h5:/y -q && [ -z "$(find . -name '.*.tmp')" ]
    check $? "$killed" "$(ls -lA; cat stderr)"
else
    skip "a run that gets SIGTERM $as_it_was" "no library can be put before this build's: $(cat cc.log 2>/dev/null)"
    skip "$killed" "no library can be put before this build's"
fi

# ---- while kernels are compiled ----

# It starts another program, as compilers do
cat >slow-c++ <<'EOF'
#!/bin/sh
sleep 1000 &
echo $! $$ >>compiling
wait
EOF
chmod +x slow-c++
MANIPLE_CACHE_DIR=$work/cache
export MANIPLE_CACHE_DIR

# compile_slowly: until the compiler runs
compile_slowly()
{
    rm -f compiling
    MANIPLE_DEVICE=host MANIPLE_CXX=$work/slow-c++ "$MANIPLE" eval 'x + 1' x=dirac:10/2 -o sum.h5:/x 2>stderr &
    pid=$!
    until_true test -s compiling
}

# runs PROCESS: not if it has ended, and nobody has asked for its status, as in containers of which the first process
# asks for none
runs()
{
    grep -q '^[0-9]* (.*) [^ZX]' "/proc/$1/stat" 2>/dev/null
}

# compilers_end: by themselves, before they would without a signal
compilers_end()
{
    tries=0
    while read -r child process; do
        while { runs "$child" || runs "$process"; } && [ $tries -lt 6000 ]; do
            sleep 0.05
            tries=$((tries + 1))
        done
    done <compiling
    [ $tries -lt 6000 ]
}

# stop_compilers: which have outlived the run
stop_compilers()
{
    # shellcheck disable=SC2046  # numbers
    kill $(cat compiling) 2>/dev/null
    compilers_end
}

# shellcheck disable=SC2317  # it is called, by way of until_true
two_compilers_run()
{
    [ -e compiling ] && [ "$(wc -l <compiling)" -ge 2 ]
}

# left: what there is of a compilation that has not ended
left()
{
    find tmp cache -name '*.lock' -o -name '*maniple.*'
}

compile_slowly && [ -n "$(left)" ] && kill -TERM "$pid" && ended && [ "$status" -eq 143 ] && [ -z "$(left)" ] &&
    compilers_end
check $? "SIGTERM ends a run that compiles, and nothing of it is left" "$status $(left; cat stderr)"
stop_compilers
rm -f compiling
"$MANIPLE" random normal 40x30 -s 1 -o numbers.h5:/x -q
rm -rf cache
MANIPLE_THREADS=3 MANIPLE_DEVICE=host MANIPLE_CXX=$work/slow-c++ "$PYTHON" default_signals.py "$MANIPLE" stats numbers.h5:/x \
    >/dev/null 2>stderr &
pid=$!
until_true two_compilers_run && [ -n "$(left)" ] && kill -INT "$pid" && ended && [ "$status" -eq 130 ] &&
    [ -z "$(left)" ] && compilers_end
check $? "SIGINT ends one that compiles side by side, with its compilers, folders and locks" "$status $(left; cat stderr)"
stop_compilers
compile_slowly && kill -KILL "$pid"
wait "$pid" 2>/dev/null
stop_compilers
[ -n "$(left)" ]
check $? "SIGKILL leaves a folder and a lock" "$(ls -A tmp cache; cat stderr)"
MANIPLE_DEVICE=host "$MANIPLE" eval 'x + 1' x=dirac:10/2 -o sum.h5:/x -q && [ -z "$(left)" ]
check $? "which the next run that compiles removes" "$(left)"
rm -rf cache
MANIPLE_BUSY_DEADLINE=4 MANIPLE_DEVICE=host MANIPLE_CXX=$work/slow-c++ "$MANIPLE" eval 'x + 1' x=dirac:10/2 -o sum.h5:/x \
    2>stderr &
pid=$!
ended && [ "$status" -eq 1 ] && grep -q 'slow-c++ has compiled for 4 seconds (MANIPLE_BUSY_DEADLINE)' stderr &&
    [ -z "$(left)" ]
check $? "a compiler that does not come to an end is ended" "$status $(cat stderr)"

# ---- a rank that is stopped ----

# ranks: the processes of the run
# shellcheck disable=SC2317  # it is called, by way of until_true
ranks()
{
    for folder in /proc/[0-9]*; do
        case $(readlink "$folder/exe" 2>/dev/null) in
        */maniple) [ "$(readlink "$folder/cwd")" != "$work" ] || echo "${folder#/proc/}" ;;
        esac
    done
}

# shellcheck disable=SC2317
a_compiler_runs()
{
    [ -s compiling ]
}

# shellcheck disable=SC2317
a_file_is_stored()
{
    [ -e storing ]
}

# stopped WHAT CONDITION DESCRIPTION COMMAND...: on three ranks, of which one is stopped when the condition holds; the
# compiler or the disk, as WHAT=COMPILE_UNTIL or STORE_UNTIL says, goes on after that
stopped()
{
    what=$1 condition=$2 words=$3
    shift 3
    rm -rf cache out.h5 compiling storing go
    env "$what=go" MANIPLE_DEVICE=host MANIPLE_DEADLINE=2 MANIPLE_CXX="$work/c++" "$MPIRUN" -n 3 env LD_PRELOAD="$slow" \
        "$MANIPLE" "$@" -o out.h5:/x -q 2>stderr &
    pid=$!
    until_true "$condition"
    held=$?
    victim=$(ranks | tail -n 1)
    [ $held = 0 ] && kill -STOP "$victim" && : >go && ended && [ "$status" -ne 0 ] && [ ! -e out.h5 ] &&
        [ "$(grep -c '^maniple: rank [0-2] is stopped.*(MANIPLE_DEADLINE)' stderr)" -eq 1 ]
    check $? "$words" "$status $(ls -lA; cat stderr)"
    kill -KILL "$victim" 2>/dev/null
}

if [ -n "$MPIRUN" ] && [ -n "$slow" ]; then
    cat >c++ <<EOF
#!/bin/sh
echo \$\$ >compiling
until [ -e "\${COMPILE_UNTIL:-.}" ] || [ ! -e compiling ]; do sleep 0.1; done
exec $CXX "\$@"
EOF
    chmod +x c++
    stopped COMPILE_UNTIL a_compiler_runs "random: a rank that is stopped ends the others, and is named" random normal 40x30 -s 1
    stopped STORE_UNTIL a_file_is_stored "conv: so does one that is stopped while a file is stored" conv dirac:4000x4000/64 hanning:1x1
fi

# mpirun sends SIGKILL to the other ranks a few milliseconds after a signal has ended one, here rank 1
interrupted="Ctrl-C while two ranks store a file leaves the old file as it was and no other"
if [ -n "$MPIRUN" ] && [ -n "$slow" ]; then
    rm -f storing
    cp old.h5 out.h5
    PROMPT_RANK=1 MANIPLE_DEVICE=host "$PYTHON" default_signals.py "$(command -v "$MPIRUN")" -n 2 env LD_PRELOAD="$slow" \
        "$MANIPLE" conv dirac:8000x8000/64 hanning:1x1 -o out.h5:/y -q 2>stderr &
    pid=$!
    until_true a_file_is_stored && kill -INT "$pid" && ended && [ "$status" -ne 0 ] && cmp old.h5 out.h5 &&
        [ -z "$(find . -name '.out.h5.*')" ]
    check $? "$interrupted" "$status $(ls -lA; cat stderr)"
else
    skip "$interrupted" "there is no mpirun, or no library can be put before this build's"
fi

# stopped_in FUNCTION SECONDS SENTENCE: of three ranks, one in MPI's function; others are busy for so long at most
stopped_in()
{
    rm -f out.h5
    STOP_IN=$1 MANIPLE_DEVICE=host MANIPLE_DEADLINE=2 MANIPLE_BUSY_DEADLINE=$2 "$MPIRUN" -n 3 env LD_PRELOAD="$slow" \
        "$MANIPLE" random normal 40x30 -s 1 -o out.h5:/x -q 2>stderr &
    pid=$!
    ended && [ "$status" -ne 0 ] && grep -q "^maniple: $3" stderr
    check $? "a rank that is stopped in $1() ends the others" "$status $(cat stderr)"
    for process in $(ranks); do
        kill -KILL "$process" 2>/dev/null
    done
}

if [ -n "$MPIRUN" ] && [ -n "$slow" ] && "$MPIRUN" --version 2>/dev/null | grep -q 'Open MPI'; then
    stopped_in MPI_Init 8 'starting MPI has lasted for 8 seconds (MANIPLE_BUSY_DEADLINE)'
    stopped_in MPI_Finalize 300 'rank 1 is stopped: .*, and ending Maniple cannot go on without it'
fi

done_testing
