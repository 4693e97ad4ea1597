#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# maniple eval: results equal NumPy's, on any number of ranks; errors are reported in one sentence, with the same status
# on all ranks, and leave no file behind.

. "${srcdir:-.}/tests/tap.sh"
. "$srcdir/tests/apps/refusals.sh"

# eval_fails STATUS PATTERN ARGUMENT...: on 1 rank and on 3
eval_fails()
{
    status=$1 pattern=$2
    shift 2
    fails "$status" "$pattern" "$MANIPLE" eval "$@"
}

# eval_alone STATUS PATTERN ARGUMENT...: on one rank
eval_alone()
{
    status=$1 pattern=$2
    shift 2
    details=$(fails_on 1 "$status" "$pattern" "$MANIPLE" eval "$@")
    check $? "eval $*" "$details"
}

run "help" "$MANIPLE" eval --help
[ "$("$MANIPLE" eval --help | awk 'length > 100' | wc -l)" -eq 0 ]
check $? "help is at most 100 columns wide"

# ---- results ----

[ -n "$PYTHON" ] || {
    skip "results" "$(without_python)"
    done_testing
}
run "the files of this test" "$PYTHON" - <<'END'
import h5py
import numpy

rng = numpy.random.default_rng(5)
with h5py.File("a.h5", "w") as file:
    file["x"] = rng.standard_normal((31, 17)).astype("f4")
    file["y"] = rng.standard_normal((31, 17))
    file["row"] = numpy.arange(17)
    file["deep/c"] = rng.standard_normal(9) + 1j * rng.standard_normal(9)
    file["one"] = 4.0
    file["none"] = numpy.zeros((0, 3))
    file["many"] = rng.standard_normal((2, 3, 1, 2, 3))
    file["flag"] = rng.standard_normal((31, 17)) > 0
END
for ranks in 1 3; do
    if [ "$ranks" != 1 ] && [ -z "$MPIRUN" ]; then
        skip "on $ranks ranks" "there is no mpirun"
        continue
    fi
    rm -f out.h5 other.h5
    run "results are written on $ranks rank(s)" on "$ranks" "$MANIPLE" eval '
        r = x*x + y*y; z = r if flag else -row; r < s
        ' x=a.h5:/x y=a.h5:/y row=a.h5:/row flag=a.h5:flag s=1.5 -o z=out.h5:/z -o r=other.h5:/group/r -o out.h5:/small
    run "a value without a name" on "$ranks" "$MANIPLE" eval 'c*2j + d' c=a.h5:/deep/c d=1-2j -o c.h5:/c -q
    run "no dimensions" on "$ranks" "$MANIPLE" eval -q 'one/k' one=a.h5:/one k=8 -o e.h5:/a
    run "no elements" on "$ranks" "$MANIPLE" eval -q 'x + 1' x=a.h5:/none -o e.h5:/b
    run "many dimensions" on "$ranks" "$MANIPLE" eval -q 'x*x' x=a.h5:/many -o e.h5:/c
    run "numbers and generated operands" on "$ranks" "$MANIPLE" eval -q 'dots*3 + i1*yes' \
        dots=dirac:6x8/2 yes=True -o made.h5:/x
    run "integers beyond a float's digits, in two ways" on "$ranks" "$MANIPLE" eval -q 'a + b' \
        a=9007199254740993 b=-0x10 -o made.h5:/integer
    run "reductions" on "$ranks" "$MANIPLE" eval -q '
        m = mean(x, axis=0); d = (y - y.max(axis=1, keepdims=True)).min(); k = argmax(x*x, axis=-1)' x=a.h5:/x y=a.h5:/y \
        -o m=r.h5:/m -o d=r.h5:/d -o k=r.h5:/k
    on "$ranks" "$MANIPLE" eval -q 'max(row) + sum(flag)*0' row=a.h5:/row flag=a.h5:/flag >value.txt
    printf '%s\n' '# smooth inside, and count' 'u[1:-1, 1:-1] += 0.25*(u[:-2, 1:-1] - u[2:, 1:-1])  # in place' \
        'm = median(u[:, ::2], axis=0)' '' 'order = argsort(' '    -row  # falling' ')' >program.txt
    run "statements of a file" on "$ranks" "$MANIPLE" eval -q -f program.txt u=a.h5:/x row=a.h5:/row \
        -o u=f.h5:/u -o m=f.h5:/m -o order=f.h5:/order
    value=$(printf 't = row[a:]\nsum(t)  # no end' | on "$ranks" "$MANIPLE" eval -q --file - row=a.h5:/row a=14)
    [ "$value" = 45 ]
    check $? "statements of standard input on $ranks rank(s)" "$value"
    run "a value that is printed on $ranks rank(s)" grep -qx 16 value.txt
    on "$ranks" "$MANIPLE" eval -q 'sqrt(x) + 0j' x=-1.0 >value.txt
    run "NaN is printed without a sign" grep -qx '(nan+0j)' value.txt
    run "what was written on $ranks rank(s) is NumPy's" "$PYTHON" - <<'END'
import h5py
import numpy as np


def check(path, name, right):
    value = h5py.File(path, "r")[name][()]
    assert value.dtype == right.dtype and value.shape == right.shape and (value == right).all(), (name, value, right)


a = h5py.File("a.h5", "r")
x, y, row, flag, c, many = (a[n][()] for n in ("x", "y", "row", "flag", "deep/c", "many"))
r = x*x + y*y
check("out.h5", "z", np.where(flag, r, -row))
check("other.h5", "group/r", r)
check("out.h5", "small", r < 1.5)
check("c.h5", "c", c*2j + (1 - 2j))
check("e.h5", "a", np.float64(0.5))
check("e.h5", "b", np.zeros((0, 3)))
check("e.h5", "c", many * many)
dots = np.zeros((6, 8), "f4")
dots[::2, ::2] = 1
check("made.h5", "x", dots*3 + np.arange(8))
check("made.h5", "integer", np.int64(9007199254740993 - 16))
mean = h5py.File("r.h5", "r")["m"][()]
assert mean.dtype == x.dtype and np.allclose(mean, x.mean(0), 1e-5, 1e-6)
check("r.h5", "d", (y - y.max(1, keepdims=True)).min())
check("r.h5", "k", np.argmax(x*x, -1))
u = x.copy()
u[1:-1, 1:-1] += 0.25*(u[:-2, 1:-1] - u[2:, 1:-1])
check("f.h5", "u", u)
check("f.h5", "m", np.median(u[:, ::2], axis=0))
check("f.h5", "order", np.argsort(-row))
assert (h5py.File("a.h5")["x"][()] == x).all()
END
done
"$MANIPLE" eval 'x + 1' x=a.h5:/x -o out.h5:/z >report.txt 2>&1
run "the report" grep -q '^result *out.h5:/z: 31x17 float32' report.txt
value=$("$MANIPLE" eval -q 'one * 0.1' one=a.h5:/one)
[ "$value" = 0.4 ]
check $? "as few digits as needed" "$value"
value=$("$MANIPLE" eval -q 'sum(c*0) + 1 - 2.5j' c=a.h5:/deep/c)
[ "$value" = "(1-2.5j)" ]
check $? "a complex number" "$value"

# ---- what is refused ----

eval_fails 2 "column 7: expected ')'" 'z = (x' x=a.h5:/x -o z=new.h5:/z
eval_alone 2 "did you mean 'sin'" 'sim(x)' x=a.h5:/x -o new.h5:/z
printf 'a = x\n\nb = a + y  # there is none\nb' >wrong.txt
printf 'x\0y' >zero.txt
head -c 1100000 /dev/zero | tr '\0' ' ' >long.txt
eval_fails 2 "wrong.txt, line 3, column 9: there is no variable or operand 'y'" -f wrong.txt x=a.h5:/x -o new.h5:/z
eval_fails 1 "cannot read none.txt: No such file" -f none.txt x=a.h5:/x -o new.h5:/z
eval_alone 2 'zero.txt has a byte of value 0' -f zero.txt x=a.h5:/x -o new.h5:/z
eval_alone 2 'long.txt has more than 1048576 bytes' -f long.txt x=a.h5:/x -o new.h5:/z
eval_alone 2 "has no name" -f wrong.txt x -o new.h5:/z
eval_alone 2 'is the file of --file' -f wrong.txt x=a.h5:/x -o wrong.txt:/z
eval_alone 2 "index 40 is out of bounds for dimension 0, which has extent 31" 'x[40]' x=a.h5:/x -o new.h5:/z
eval_alone 2 "did you mean 'median'" 'medain(x)' x=a.h5:/x
eval_alone 2 "operand 1 of a product of matrices has no dimension" 'x @ 2' x=a.h5:/x -o new.h5:/z
eval_alone 2 "'w' is never assigned" 'z = x' x=a.h5:/x -o w=new.h5:/z
eval_alone 2 "there is no variable or operand 'xx'" 'xx' x=a.h5:/x -o new.h5:/z
eval_alone 2 'out of bounds for int8' 'int8(x) + 200' x=a.h5:/x -o new.h5:/z
eval_fails 2 'broadcast.*; x is [0-9x]*, y is [0-9x]*' 'x + y' x=a.h5:/x y=a.h5:/deep/c -o new.h5:/z
eval_alone 1 'nothing' 'x' x=a.h5:/nothing -o new.h5:/z
eval_fails 1 'missing.h5' 'x' x=missing.h5:/x -o new.h5:/z
eval_alone 1 'no/such' 'x' x=a.h5:/x -o no/such/new.h5:/z
eval_fails 2 'OUTPUT .* is operand x itself' 'x' x=a.h5:/x -o a.h5:x
eval_alone 2 'are the same dataset' 'a = x; b = x' x=a.h5:/x -o a=new.h5:/z -o b=new.h5:z
eval_alone 2 'needs STATEMENTS' -o new.h5:/z
eval_fails 2 'has 2 dimensions: give it a place, -o FILE:/DATASET' 'x' x=a.h5:/x
# ... and nothing is compiled before: here there is no compiler
MANIPLE_DEVICE=host MANIPLE_CXX=false MANIPLE_CACHE_DIR="$PWD/no-kernels" eval_alone 2 'has 2 dimensions' 'x + 1' x=a.h5:/x
eval_alone 2 'sum: axis 2 is out of bounds' 'sum(x*2, axis=2)' x=a.h5:/x -o new.h5:/z
eval_alone 2 '^maniple: column 1: .*no elements to choose from' 'max(x*2)' x=a.h5:/none
eval_alone 2 'has no name' 'x' a.h5:/x -o new.h5:/z
eval_alone 2 'given twice' 'x' x=a.h5:/x x=2 -o new.h5:/z
eval_alone 2 'is written to two datasets' 'x' x=2 -o new.h5:/z -o new.h5:/y
eval_alone 2 'neither a number' 'x' x=2.5.1 -o new.h5:/z
eval_alone 2 'integers have 64 bits' 'x' x=9223372036854775808 -o new.h5:/z
eval_alone 2 'names no dataset' 'x' x=2 -o new.h5
eval_alone 2 'did you mean hanning' 'x' x=haning:3x3 -o new.h5:/z
eval_alone 2 'unknown option -z' 'x' x=2 -o new.h5:/z -z

done_testing
