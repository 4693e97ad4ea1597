#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# maniple solve: solutions against SciPy's on any number of ranks, what the output holds, exit statuses, checkpoints and
# going on from them; errors are reported in one sentence, with the same status on all ranks, and leave no file behind.

. "${srcdir:-.}/tests/tap.sh"
. "$srcdir/tests/apps/refusals.sh"

# solve_fails STATUS PATTERN ARGUMENT...: on 1 rank and on 3
solve_fails()
{
    status=$1 pattern=$2
    shift 2
    fails "$status" "$pattern" "$MANIPLE" solve "$@"
}

# solve_alone STATUS PATTERN ARGUMENT...: on one rank
solve_alone()
{
    status=$1 pattern=$2
    shift 2
    details=$(fails_on 1 "$status" "$pattern" "$MANIPLE" solve "$@")
    check $? "solve $*" "$details"
}

# exits STATUS DESCRIPTION COMMAND...: the command ends with that status
exits()
{
    expected=$1 description=$2
    shift 2
    details=$("$@" 2>&1)
    status=$?
    [ "$status" -eq "$expected" ]
    check $? "$description" "status $status: $details"
}

# told PATTERN DESCRIPTION: the last report has such a line
told()
{
    grep -q -- "$1" report.txt
    check $? "$2" "$(cat report.txt)"
}

run "help" "$MANIPLE" solve --help
[ "$("$MANIPLE" solve --help | awk 'length > 100' | wc -l)" -eq 0 ]
check $? "help is at most 100 columns wide"

# ---- what a terminal gets, and exit statuses ----

"$MANIPLE" solve poisson:12x10 -o x.h5:/x --method cg --precond jacobi --rtol 1e-8 >report.txt 2>&1
check $? "a system that converges" "$(cat report.txt)"
run "the matrix is told" grep -q '^matrix    poisson:12x10: 120 x 120, 556 entries, float64$' report.txt
run "the method" grep -qx 'method    cg' report.txt
run "the preconditioner" grep -q '^precond   jacobi of 120 rows, float64: ' report.txt
run "the result" grep -q '^result    converged after [0-9]* iterations; residual .*e-[01][0-9]' report.txt
exits 3 "a limit of iterations is status 3" "$MANIPLE" solve poisson:12x10 -o few.h5:/x --method cg --maxiter 3 -q
exits 3 "so is a breakdown" "$MANIPLE" solve convdiff:9@9 -o broken.h5:/x --method cg1 --rtol 1e-14 --maxiter 60 -q
[ -z "$("$MANIPLE" solve poisson:12 -o x.h5:/quiet -q 2>&1)" ]
check $? "--quiet prints nothing"

# ---- results ----

if [ -n "$PYTHON" ]; then
    cat >make.py <<'END'
import h5py
import numpy as np
import scipy.io
import scipy.sparse

rng = np.random.default_rng(3)
n = 70
a = scipy.sparse.random(n, n, density=0.08, random_state=5, format="csr") + 4 * scipy.sparse.identity(n, format="csr")
scipy.io.mmwrite("a.mtx", a, symmetry="general", precision=17)
b = rng.standard_normal(n)
scipy.io.mmwrite("b.mtx", b[:, None], precision=17)
several = rng.standard_normal((n, 3))
scipy.io.mmwrite("several.mtx", several, precision=17)
with h5py.File("b.h5", "w") as file:
    file["b"] = b
    file["several"] = several
    file["guess"] = np.linalg.solve(a.toarray(), b)
    file["guesses"] = np.linalg.solve(a.toarray(), several)
    file["wrong"] = np.ones(5)
    file["x"] = np.arange(900.0)  # as in a checkpoint, which this is not
    file["iterations"] = [3]
    for member in ("data", "indices", "indptr", "shape"):
        file["a/" + member] = getattr(a, member)

# systems of several kinds
rng = np.random.default_rng(11)
n = 60
eye = scipy.sparse.identity(n, format="csr")
line = scipy.sparse.diags([-1, 2, -1], [-1, 0, 1], shape=(n, n), format="csr")
some = scipy.sparse.random(n, n, density=0.1, random_state=4, format="csr")
ones = (eye + scipy.sparse.diags([1, 1], [-1, 1], shape=(n, n), format="csr")).tolil()
ones[n - 1, 0] = ones[0, n - 2] = 1  # no symmetry, and a pivot of 0 for ilu0
made = {"positive": line, "indefinite": line - 1.5 * eye, "general": some + 3 * eye,
        "zero": some + some.T - scipy.sparse.diags((some + some.T).diagonal()),
        "hermitian": line + eye + 0.5j * (some - some.T), "unpivoted": eye[rng.permutation(n)] + 0.01 * some,
        "ones": scipy.sparse.csr_matrix(ones), "tall": scipy.sparse.vstack([line, some])}
for key, matrix in made.items():
    scipy.io.mmwrite(key + ".mtx", matrix, symmetry="general", precision=17)

# complex right-hand sides
rng = np.random.default_rng(5)
b = rng.standard_normal(70) + 1j * rng.standard_normal(70)
with h5py.File("complex.h5", "w") as file:
    file["b"] = b
    file["real"] = b.real
    file["several"] = np.stack([b, 2j * b], 1)
    file["guess"] = np.linalg.solve(a.toarray(), b)
END
    cat >check.py <<'END'
"""check.py LIST: the points that the test has put off; a line is a description, the name of a function and its arguments."""
import sys

import h5py
import numpy as np
import scipy.io

a = scipy.io.mmread("a.mtx").tocsr()


def solution(output, dataset, rhs, method, converged, ranks="1"):
    """The solution, its attributes and its history are as they should be."""
    with h5py.File("b.h5") as file:
        b = np.ones(a.shape[0]) if rhs == "ones" else file[rhs][()]
    with h5py.File(output) as file:
        x, told = file[dataset][()], dict(file[dataset].attrs)
        history = file[told["history"] if isinstance(told["history"], str) else told["history"].decode()][()]
    residual = np.linalg.norm(b - a @ x, axis=0)
    assert np.all(told["converged"] == int(converged)), told
    text = {k: v.decode() if isinstance(v, bytes) else v for k, v in told.items()}
    assert text["method"] == method, text
    assert np.allclose(told["residual"], residual, rtol=1e-6, atol=1e-13), (told["residual"], residual)
    assert np.allclose(told["rhs_norm"], np.linalg.norm(b, axis=0))
    assert told["ranks"] == int(ranks) and text["device"], text
    assert np.all(told["seconds"] > 0) and told["seconds"].shape == told["iterations"].shape == b.shape[1:]
    assert told["seconds_read"] > 0 and told["seconds_precond"] >= 0, told
    if int(converged):
        assert np.all(residual <= told["rtol"] * np.linalg.norm(b, axis=0) * 1.00001)
        assert np.allclose(x, np.linalg.solve(a.toarray(), b), rtol=1e-4, atol=1e-6)
    if b.ndim == 1:
        assert history.shape == (told["iterations"] + 1,), (history.shape, told["iterations"])
    else:
        assert history.shape == (b.shape[1], told["iterations"].max() + 1)


def same_residuals():
    one, four = (h5py.File(f"poisson{ranks}.h5")["x_history"][:31] for ranks in (1, 4))
    assert len(one) == len(four) == 31, (len(one), len(four))
    apart = abs(four / one - 1)
    assert np.all(apart < 1e-6), f"iteration {apart.argmax()}: {one[apart.argmax()]} and {four[apart.argmax()]}"


def chosen(name):
    """The solution solves the system, as NumPy's does."""
    matrix = scipy.io.mmread(name + ".mtx").tocsr()
    b = np.ones(matrix.shape[0])
    with h5py.File(f"chosen-{name}.h5") as file:
        x = file["x"][()]
        assert file["x"].attrs["converged"] == 1
    want = np.linalg.lstsq(matrix.toarray(), b, rcond=None)[0]
    condition = np.linalg.cond(matrix.toarray())
    if matrix.shape[0] == matrix.shape[1]:
        assert np.linalg.norm(b - matrix @ x) <= 1e-9 * np.linalg.norm(b) * 1.001
    # the error of a least-squares solution may be as large as the square of the condition times the tolerance
    assert np.linalg.norm(x - want) <= 1e-9 * condition ** 2 * np.linalg.norm(want), (np.linalg.norm(x - want), condition)


def complexes(name):
    with h5py.File("complex.h5") as file, h5py.File(f"complex-{name}.h5") as made:
        b, x = file[name][()], made["x"][()]
        assert x.dtype == np.complex128, x.dtype
        assert np.allclose(x, np.linalg.solve(a.toarray(), b), rtol=0, atol=1e-7)


for line in open(sys.argv[1]):
    description, function, *words = line.rstrip("\n").split("\t")
    try:
        globals()[function](*words)
    except Exception as error:
        print(f"not ok - {description} {words}: {type(error).__name__} {error}".replace("\n", " "))
    else:
        print("ok -", description)
END
    run "the files of this test" "$PYTHON" make.py
    for ranks in 1 3 ${MANIPLE_TEST_FULL:+2 4}; do
        if [ "$ranks" != 1 ] && [ -z "$MPIRUN" ]; then
            skip "on $ranks ranks" "there is no mpirun"
            continue
        fi
        on "$ranks" "$MANIPLE" solve a.mtx b.h5:/b -o "x$ranks.h5:/x" --rtol 1e-9 -q >report.txt 2>&1
        check $? "gmres on $ranks ranks" "$(cat report.txt)"
        later "its solution" solution "x$ranks.h5" x b gmres 1 "$ranks"
        on "$ranks" "$MANIPLE" solve b.h5:/a b.h5:/several -o "x$ranks.h5:/deep/s" --method idr --precond ilu0 --rtol 1e-9 -q
        check $? "several right-hand sides on $ranks ranks"
        later "their solutions" solution "x$ranks.h5" deep/s several idr 1 "$ranks"
    done
    if [ -n "$MPIRUN" ]; then
        for ranks in 1 4; do
            on "$ranks" "$MANIPLE" solve poisson:40x30 -o "poisson$ranks.h5:/x" --method cg --precond jacobi -q
            check $? "poisson on $ranks rank(s)"
        done
        later "the same residuals on 1 rank and on 4" same_residuals
    else
        skip "the same residuals on 1 rank and on 4" "there is no mpirun"
    fi
    run "a right-hand side of Matrix Market" "$MANIPLE" solve a.mtx b.mtx -o m.h5:/x --method bicgstab --precond jacobi --rtol 1e-8 -q
    later "its solution" solution m.h5 x b bicgstab 1
    run "several of Matrix Market" "$MANIPLE" solve a.mtx several.mtx -o m.h5:/s --method bicgstab --precond ilu0 --rtol 1e-8 -q
    later "their solutions" solution m.h5 s several bicgstab 1
    run "ones" "$MANIPLE" solve a.mtx -o m.h5:/ones --method fgmres --precond block-jacobi --block 7 --rtol 1e-8 -q
    later "its solution" solution m.h5 ones ones fgmres 1
    exits 3 "what did not converge is written" "$MANIPLE" solve a.mtx b.h5:/b -o few.h5:/x --maxiter 2 --rtol 1e-9 -q
    later "and marked" solution few.h5 x b gmres 0
    "$MANIPLE" solve a.mtx b.h5:/b -o again.h5:/x --guess b.h5:/guess >report.txt 2>&1
    run "a guess" grep -q '^result    converged after 0 iterations' report.txt

    "$MANIPLE" solve a.mtx b.h5:/several -o again.h5:/x --guess b.h5:/guesses >report.txt 2>&1
    check $? "guesses of several" "$(cat report.txt)"
    [ "$(grep -c 'converged after 0 iterations' report.txt)" -eq 3 ]
    check $? "each has a line" "$(cat report.txt)"

    # ---- the method is chosen by the matrix, and what did not work is followed by something else ----
    # chosen NAME RANKS PATTERN...: it is solved without a method being named; the report has these lines
    chosen()
    {
        name=$1 ranks=$2
        shift 2
        if [ "$ranks" != 1 ] && [ -z "$MPIRUN" ]; then
            skip "$name on $ranks ranks" "there is no mpirun"
            return
        fi
        on "$ranks" "$MANIPLE" solve "$name.mtx" -o "chosen-$name.h5:/x" --rtol 1e-9 >report.txt 2>&1
        check $? "$name: the method is chosen, on $ranks rank(s)" "$(cat report.txt)"
        for pattern in "$@"; do
            told "$pattern" "$name: $pattern"
        done
        later "$name: the solution" chosen "$name"
    }
    chosen positive 3 '^method    cg, as MATRIX is symmetric with a positive diagonal$' '^precond   \(ic0\|jacobi\) '
    chosen indefinite 1 '^tried     cg with \(ic0\|jacobi\) for .*: breakdown' '^method    minres' '^precond   none'
    chosen zero 2 '^method    minres, as MATRIX is symmetric, but not positive definite$'
    chosen hermitian 2 '^method    cg, as MATRIX is Hermitian with a positive diagonal$'
    chosen general 3 '^method    gmres with --restart 50, as MATRIX is not symmetric$' '^precond   ilu0 '
    chosen unpivoted 1 '^method    gmres with --restart 200, as MATRIX is not symmetric, with zeros on the diagonal$' \
        '^precond   none'
    chosen ones 1 '^tried     gmres with ilu0: MATRIX has no such preconditioner$' '^method    gmres with --restart 200' \
        '^precond   jacobi '
    chosen tall 2 '^method    lsqr, as MATRIX is not square$'
    "$MANIPLE" solve positive.mtx -o again.h5:/x --method gmres --restart 2 --maxiter 3 >report.txt
    suits=ic0
    grep -q '^ran on .* x NVIDIA ' report.txt && suits=jacobi # triangles are slow on GPUs
    told "^hint      MATRIX is symmetric with a positive diagonal; try --method cg --precond $suits\$" "a hint names what suits it"
    "$MANIPLE" solve general.mtx -o again.h5:/x --method cg --maxiter 2 >report.txt
    told '^hint      MATRIX is not symmetric; try --method gmres --precond ilu0 --restart 50$' "so for cg and a matrix without symmetry"
    "$MANIPLE" solve poisson:30x30 -o again.h5:/x --maxiter 3 --rtol 1e-12 >report.txt
    told '^method    cg, as' "a limit is no reason for another method"
    told '^hint .*try a larger --maxiter or --rtol$' "but may be enlarged"
    "$MANIPLE" solve positive.mtx -o again.h5:/x --precond ssor >report.txt
    told '^method    cg, as' "the method for a preconditioner is cg for a positive definite matrix"
    "$MANIPLE" solve positive.mtx -o again.h5:/x --precond ilu0 >report.txt
    told '^method    gmres, as' "unless the preconditioner has no symmetry"

    # ---- a real matrix with complex vectors ----
    run "a real matrix and a complex right-hand side" on 2 "$MANIPLE" solve a.mtx complex.h5:/b -o complex-b.h5:/x --rtol 1e-9 -q
    later "its solution" complexes b
    "$MANIPLE" solve a.mtx complex.h5:/b -o again.h5:/z --rtol 1e-9 --guess complex.h5:/guess >report.txt 2>&1
    told 'converged after 0 iterations' "with a complex guess"
    run "several complex right-hand sides" "$MANIPLE" solve a.mtx complex.h5:/several -o complex-several.h5:/x --rtol 1e-9 \
        --method bicgstab -q
    later "their solutions" complexes several
    run "a complex guess alone" "$MANIPLE" solve a.mtx complex.h5:/real -o complex-real.h5:/x --rtol 1e-9 \
        --guess complex.h5:/guess -q
    later "its solution" complexes real
    check_later "$PYTHON" check.py

    # ---- checkpoints ----
    exits 3 "a run that is cut short" "$MANIPLE" solve poisson:30x30 -o c.h5:/x --method cg --rtol 1e-9 --maxiter 25 \
        --checkpoint state.h5 --every 10 -q
    "$MANIPLE" solve poisson:30x30 -o c.h5:/x --method cg --rtol 1e-9 --resume state.h5 >report.txt 2>&1
    check $? "goes on" "$(cat report.txt)"
    [ "$("$MANIPLE" info --json | "$PYTHON" -c 'import json, sys; print(json.load(sys.stdin)["device"])')" = host ]
    on_gpu=$? # whose state is looked at now and then only: the last checkpoint is of one of the last 10 iterations
    [ "$on_gpu" -eq 0 ] && before=20 || before='\(1[6-9]\|2[0-5]\)'
    run "from its last checkpoint" grep -q "^result    converged after [0-9]* iterations, $before of them before" report.txt
    rm state.h5
    exits 0 "a finished run leaves its last checkpoint" "$MANIPLE" solve poisson:30x30 -o c.h5:/x --method cg --every 7 \
        --checkpoint state.h5 -q
    run "which is whole, and of one of the last 7 iterations" "$PYTHON" -c '
import h5py, sys
i, all_of_them = h5py.File("state.h5")["iterations"][0], h5py.File("c.h5")["x"].attrs["iterations"]
assert 0 <= all_of_them - i < 7 and (i % 7 == 0 or sys.argv[1] == "1"), (i, all_of_them)' "$on_gpu"
    mv state.h5 kept.h5
    cat >interrupt.py <<'END'
"""interrupt.py SIGNAL COMMAND...: the signal ends the command, when it has made the file new.h5 and goes on to replace it."""
import os
import signal
import subprocess
import sys
import time

number = getattr(signal, sys.argv[1])
# What is started in the background ignores SIGINT, and so does what it starts
process = subprocess.Popen(sys.argv[2:], preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
end = time.monotonic() + 300
while not os.path.exists("new.h5") and process.poll() is None and time.monotonic() < end:
    time.sleep(0.01)
time.sleep(0.2)
process.send_signal(number)
status = process.wait(timeout=300)
assert os.path.exists("new.h5"), "there is no checkpoint"
assert status == -number, f"status {status}"
END
    for name in SIGTERM SIGINT; do
        rm -f new.h5
        run "$name ends a run" "$PYTHON" interrupt.py $name "$MANIPLE" solve poisson:300x300 -o killed.h5:/x --method richardson \
            --omega 0.2 --every 1 --checkpoint new.h5 -q
        run "its checkpoint is whole" "$PYTHON" -c '
import h5py, numpy
f = h5py.File("new.h5")
assert f["x"].shape == (90000,) and numpy.all(f["x"][()] > 0) and f["iterations"][0] >= 1'
        [ ! -e killed.h5 ] && [ -z "$(find . -name '*.tmp')" ]
        check $? "and nothing else is left" "$(ls -A)"
    done
    run "the run goes on from there, and keeps it up to date" "$PYTHON" -c '
import os, subprocess, sys, h5py
before = h5py.File("new.h5")["iterations"][0]
status = subprocess.call([sys.argv[1], "solve", "poisson:300x300", "-o", "on.h5:/x", "--method", "richardson", "--omega", "0.2",
                          "--every", "5", "--checkpoint", "new.h5", "--resume", "new.h5", "--maxiter", str(before + 11), "-q"])
after, all_of_them = h5py.File("new.h5")["iterations"][0], h5py.File("on.h5")["x"].attrs["iterations"]
assert status == 3 and before < after <= before + 11 == all_of_them, (status, before, after, all_of_them)' "$MANIPLE"
    cp b.h5 u.h5
    solve_fails 2 'with another matrix' convdiff:30x30 -o y.h5:/x --resume kept.h5
    solve_alone 2 'with another matrix, and is not overwritten' poisson:30x30x1 -o y.h5:/x --checkpoint kept.h5
    solve_alone 2 'with another right-hand side' poisson:30x30 u.h5:/x -o y.h5:/x --method cg --resume kept.h5
    solve_alone 2 'of the method cg, and is not resumed by gmres' poisson:30x30 -o y.h5:/x --method gmres --resume kept.h5
    solve_fails 2 'not a checkpoint of maniple solve, and is not overwritten' poisson:9 -o y.h5:/x --checkpoint u.h5
    solve_alone 2 'not an HDF5 file' poisson:9 -o y.h5:/x --checkpoint a.mtx
    solve_alone 2 'is not a checkpoint' poisson:9 -o y.h5:/x --resume u.h5
    solve_alone 1 'No such file' poisson:9 -o y.h5:/x --resume nothing.h5
    on 3 "$MANIPLE" solve poisson:30x30 -o c.h5:/x --rtol 1e-9 --resume kept.h5 >report.txt 2>&1
    check $? "a checkpoint of one rank goes on on three" "$(cat report.txt)"
    told '^method    cg' "with the checkpoint's method"
    told ' of them before' "and its iterations"
    cat >remove.py <<'END'
"""remove.py FOLDER COMMAND...: the folder of the checkpoints goes away while the command runs, which is asked for more
iterations until it does."""
import os
import subprocess
import sys
import time

for iterations in "3000", "30000", "300000":
    os.mkdir(sys.argv[1])
    process = subprocess.Popen(sys.argv[2:] + ["--maxiter", iterations], stderr=subprocess.PIPE, universal_newlines=True)
    while not os.path.exists(sys.argv[1] + "/c.h5") and process.poll() is None:
        time.sleep(0.01)
    os.rename(sys.argv[1], sys.argv[1] + iterations)
    _, told = process.communicate()
    if told:
        break
assert process.returncode == 3, (process.returncode, told)
assert told.count("maniple: warning: the checkpoint is not written") == 1 and told.count("\n") == 1, told
assert os.path.exists("unsaved.h5")
END
    run "a checkpoint that cannot be written is a warning" "$PYTHON" remove.py full "$MANIPLE" solve poisson:200x200 \
        -o unsaved.h5:/x --method richardson --omega 0.2 --every 10 --checkpoint full/c.h5 -q
    solve_alone 2 'must have 70 rows and 1 column$' a.mtx b.h5:/b -o y.h5:/x --guess b.h5:/guesses
    solve_alone 2 'must have 70 rows and 3 columns' a.mtx b.h5:/several -o y.h5:/x --guess b.h5:/guess
    solve_alone 2 'are for one' a.mtx b.h5:/several -o y.h5:/x --checkpoint new.h5
    solve_alone 2 'are for one' a.mtx b.h5:/several -o y.h5:/x --resume kept.h5
    solve_fails 2 'needs a square one' tall.mtx -o y.h5:/x --method gmres
    solve_fails 2 'must have 70 rows' a.mtx b.h5:/wrong -o y.h5:/x
    solve_alone 2 'is RHS itself' a.mtx b.h5:/b -o b.h5:/b
    solve_alone 2 'is the file of RHS' a.mtx b.h5:/b -o y.h5:/x --checkpoint b.h5
    solve_alone 2 'is GUESS itself' a.mtx b.h5:/b -o b.h5:/guess --guess b.h5:/guess
    solve_alone 2 'is the file of MATRIX' a.mtx b.h5:/b -o y.h5:/x --checkpoint ./a.mtx
    # a matrix in a group, its members, and a link to the group
    "$PYTHON" - <<'END'
import h5py
import scipy.sparse
with h5py.File("group.h5", "w") as file:
    a = scipy.sparse.identity(70, format="csr")
    for name in ("data", "indices", "indptr"):
        file["a/" + name] = getattr(a, name)
    file["a/shape"] = a.shape
    file["a"].attrs["format"] = "csr"
    file["alias"] = h5py.SoftLink("/a")
END
    cp group.h5 group.kept
    solve_alone 2 'is MATRIX itself' group.h5:/a b.h5:/b -o group.h5:/a
    solve_alone 2 'is part of MATRIX' group.h5:/a b.h5:/b -o group.h5:/a/data
    solve_alone 2 'is part of MATRIX' group.h5:/a b.h5:/b -o group.h5:/alias/indptr
    run "the matrix is as it was" cmp group.h5 group.kept
    run "a solution beside the matrix's members" "$MANIPLE" solve -q group.h5:/a b.h5:/b -o group.h5:/a/x --method cg
    run "it is replaced by the next" "$MANIPLE" solve -q group.h5:/a b.h5:/b -o group.h5:/a/x --method cg
else
    skip "results" "$(without_python)"
fi

if has_png; then
    run "a picture" "$MANIPLE" solve poisson:20x20 -o p.h5:/x --method cg --picture p.png -q
    [ "$(head -c 4 p.png | tail -c 3)" = PNG ]
    check $? "is a PNG file"
    rm -f p.h5
    exits 1 "a picture that cannot be written" "$MANIPLE" solve poisson:9 -o p.h5:/x --picture "$(printf '%0300d' 0).png"
    [ -e p.h5 ]
    check $? "the solution is written all the same"
    solve_alone 2 'is the file of OUTPUT' poisson:9 -o y.png:/x --picture ./y.png
    solve_alone 2 'is the file of --checkpoint' poisson:9 -o y.h5:/x --checkpoint c.png --picture c.png
    solve_alone 2 'is the file of GUESS' poisson:9 -o y.h5:/x --guess g.png:/x --picture g.png
else
    solve_alone 2 'without libpng' poisson:9 -o p.h5:/x --picture p.png
fi

# ---- what is wrong ----

solve_alone 2 'needs MATRIX' -o y.h5:/x
solve_alone 2 'a place for the solution' poisson:9
solve_fails 2 "did you mean 'bicgstab'" poisson:9 -o y.h5:/x --method bicgstap
solve_alone 2 "did you mean 'jacobi'" poisson:9 -o y.h5:/x --precond jacoby
solve_alone 2 'rtol' poisson:9 -o y.h5:/x --rtol nought
solve_alone 2 'rtol' poisson:9 -o y.h5:/x --rtol -1
solve_alone 2 'whole number from 1 to 1000000000000000' poisson:9 -o y.h5:/x --maxiter 2.5
solve_alone 2 'every goes with' poisson:9 -o y.h5:/x --every 5
solve_alone 2 'takes no preconditioner' poisson:9 -o y.h5:/x --method lsqr --precond jacobi
solve_alone 2 'block goes with' poisson:9 -o y.h5:/x --block 2
solve_alone 2 'restart goes with' poisson:9 -o y.h5:/x --method cg --restart 5
solve_alone 2 'omega goes with' poisson:9 -o y.h5:/x --omega 1.5 --precond jacobi
solve_alone 2 'sweeps goes with' poisson:9 -o y.h5:/x --sweeps 2
solve_alone 2 'degree goes with' poisson:9 -o y.h5:/x --degree 3 --precond ssor
solve_alone 2 'must be below 2' poisson:9 -o y.h5:/x --precond sor --omega 2
solve_alone 2 'at most 16' poisson:9 -o y.h5:/x --method idr --restart 17
solve_alone 2 "did you mean --method" poisson:9 -o y.h5:/x --metod cg
solve_alone 2 'also given' poisson:9 in.h5:/x more -o y.h5:/x
printf '%%%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 1 1\n' >hole.mtx
solve_fails 2 'row 2 has no diagonal entry, so MATRIX has' hole.mtx -o y.h5:/x --method gmres --precond ilu0
solve_fails 1 'missing.mtx' missing.mtx -o y.h5:/x
solve_fails 1 'nowhere' poisson:9 -o nowhere/y.h5:/x
done_testing
