#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# maniple spinfo: compared with SciPy on the same matrix, from files of both kinds and generated, on any number of
# ranks; pictures; errors are reported in one sentence, with the same status on all ranks, and leave no file behind.

. "${srcdir:-.}/tests/tap.sh"
. "$srcdir/tests/apps/refusals.sh"

# spinfo_fails STATUS PATTERN ARGUMENT...: on 1 rank and on 3
spinfo_fails()
{
    status=$1 pattern=$2
    shift 2
    fails "$status" "$pattern" "$MANIPLE" spinfo "$@"
}

# spinfo_alone STATUS PATTERN ARGUMENT...: on one rank
spinfo_alone()
{
    status=$1 pattern=$2
    shift 2
    details=$(fails_on 1 "$status" "$pattern" "$MANIPLE" spinfo "$@")
    check $? "spinfo $*" "$details"
}

run "help" "$MANIPLE" spinfo --help
[ "$("$MANIPLE" spinfo --help | awk 'length > 100' | wc -l)" -eq 0 ]
check $? "help is at most 100 columns wide"

# ---- what a terminal gets ----

cat >a.mtx <<'END'
%%MatrixMarket matrix coordinate real general
4 4 7
1 1 4
1 2 -1
2 1 -1
2 2 1
3 3 2
3 1 0
4 2 1
END
"$MANIPLE" spinfo a.mtx >report.txt 2>&1
run "the matrix" grep -qx 'matrix    a.mtx: 4 x 4, float64' report.txt
run "its entries" grep -qx 'entries   7, 43.8% of all places; 1 is 0' report.txt
run "rows" grep -qx 'rows      1 to 2 entries, mean 1.75; 0 empty' report.txt
run "bandwidth" grep -qx 'bandwidth 2 below and 1 above the diagonal' report.txt
run "symmetry of the pattern" grep -qx 'pattern   not symmetric' report.txt
run "symmetry of the values" grep -qx 'values    not symmetric (1), not skew-symmetric (8)' report.txt
run "the diagonal" grep -qx 'diagonal  3 of 4 not 0; dominant in 3 rows, strictly in 2' report.txt
run "norms" grep -qx 'norms     1: 5, infinity: 5, Frobenius: 4.89898, largest entry: 4' report.txt
run "ranks" grep -qx 'ranks     7 to 7 entries a rank, 1 times the mean at most; 0 to 0 ghosts' report.txt
"$MANIPLE" spinfo poisson:3x3 >report.txt 2>&1
run "a symmetric one" grep -qx 'values    symmetric, not skew-symmetric (8)' report.txt
if [ -n "$MPIRUN" ]; then
    on 3 "$MANIPLE" spinfo poisson:9 >report.txt 2>&1
    run "on three ranks" grep -qx 'ranks     8 to 9 entries a rank, 1.08 times the mean at most; 1 to 2 ghosts' report.txt
fi

printf '%%%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 nan\n1 2 -inf\n2 2 1\n' >odd.mtx
"$MANIPLE" spinfo odd.mtx >report.txt 2>&1
run "NaN and infinities" grep -qx 'entries   3, 75% of all places; 2 are NaN or infinite' report.txt
[ "$(grep -c -e '-nan' report.txt)" -eq 0 ]
check $? "NaN has no sign" "$(cat report.txt)"

# ---- results ----

if [ -n "$PYTHON" ]; then
    cat >make.py <<'END'
import h5py
import numpy as np
import scipy.io
import scipy.sparse

matrices = {
    "real": scipy.sparse.random(50, 50, density=0.1, random_state=5, format="csr"),
    "wide": scipy.sparse.random(7, 90, density=0.1, random_state=6, format="csr"),
    "empty": scipy.sparse.csr_matrix((5, 5)),
    "none": scipy.sparse.csr_matrix((0, 3)),
}
complex_one = matrices["real"] + 1j * scipy.sparse.random(50, 50, density=0.1, random_state=7, format="csr")
matrices["hermitian"] = complex_one + complex_one.conj().T + 30 * scipy.sparse.identity(50)
with h5py.File("m.h5", "w") as file:
    for name, a in matrices.items():
        a = a.tocsr()
        scipy.io.mmwrite(name + ".mtx", a, symmetry="general", precision=17)
        for member in ("data", "indices", "indptr", "shape"):
            file[f"{name}/{member}"] = getattr(a, member)
END
    cat >check.py <<'END'
"""check.py LIST: a line is a description and a file of JSON, which says of a matrix what SciPy says."""
import json
import sys

import h5py
import numpy as np
import scipy.io
import scipy.sparse


def compare(output):
    with open(output) as file:
        told = json.load(file)
    name = told["matrix"]
    if name.endswith(".mtx"):
        a = scipy.sparse.csr_matrix(scipy.io.mmread(name))
    else:
        with h5py.File(name.split(":")[0], "r") as file:
            g = file[name.split(":")[1]]
            a = scipy.sparse.csr_matrix((g["data"][()], g["indices"][()], g["indptr"][()]), tuple(g["shape"]))
    assert told["shape"] == list(a.shape) and told["nnz"] == a.nnz, told
    full, lengths = a.toarray(), np.diff(a.indptr)
    size = np.abs(full)

    def near(name, want):
        assert np.isclose(told[name], want, rtol=1e-13, atol=0), (name, told[name], want)

    assert told["row_min"] == lengths.min(initial=10 ** 9 if a.shape[0] else 0) and told["row_max"] == lengths.max(initial=0), told
    assert told["empty_rows"] == (lengths == 0).sum(), told
    near("row_mean", lengths.mean() if a.shape[0] else 0)
    i, j = a.nonzero()
    assert told["bandwidth_below"] == (i - j).max(initial=0) and told["bandwidth_above"] == (j - i).max(initial=0), told
    near("norm_1", size.sum(0).max(initial=0))
    near("norm_inf", size.sum(1).max(initial=0))
    near("norm_frobenius", np.sqrt((size ** 2).sum()))
    near("norm_max", size.max(initial=0))
    if a.shape[0] == a.shape[1]:
        near("asymmetry", np.abs(full - full.T).max(initial=0))
        near("skew_asymmetry", np.abs(full + full.T).max(initial=0))
        near("hermitian_asymmetry", np.abs(full - full.conj().T).max(initial=0))
        assert told["pattern_symmetric"] == bool(np.array_equal(full != 0, full.T != 0)), told
        diagonal = np.diag(size)
        assert told["diagonal_nonzero"] == (diagonal != 0).sum(), told
        off = size.sum(1) - diagonal
        assert told["dominant_rows"] == (diagonal >= off).sum() and told["strictly_dominant_rows"] == (diagonal > off).sum(), told
    else:
        assert "asymmetry" not in told
    assert told["rank_nnz_min"] <= told["nnz"] / told["ranks"] <= told["rank_nnz_max"], told


for line in open(sys.argv[1]):
    description, output = line.rstrip("\n").split("\t")
    try:
        compare(output)
    except Exception as error:
        print(f"not ok - {description}: {type(error).__name__} {error}".replace("\n", " "))
    else:
        print("ok -", description)
END
    # compared RANKS MATRIX
    compared()
    {
        number=$((number + 1))
        details=$(on "$1" "$MANIPLE" spinfo "$2" --json 2>&1 >"out$number.json")
        check $? "$2 on $1 rank(s)" "$details"
        later "its numbers" "out$number.json"
    }
    number=0
    run "the files of this test" "$PYTHON" make.py
    for ranks in 1 3; do
        if [ "$ranks" != 1 ] && [ -z "$MPIRUN" ]; then
            skip "on $ranks ranks" "there is no mpirun"
            continue
        fi
        for matrix in real.mtx m.h5:/wide empty.mtx m.h5:/none hermitian.mtx; do
            compared "$ranks" "$matrix"
        done
    done
    for matrix in m.h5:/real wide.mtx m.h5:/empty; do
        compared 1 "$matrix"
    done
    check_later "$PYTHON" check.py
else
    skip "results" "$(without_python)"
fi

if has_png; then
    run "a picture" "$MANIPLE" spinfo poisson:40x40 --picture spy.png
    run "which is one" sh -c 'head -c 8 spy.png | od -An -tx1 | grep -q "89 50 4e 47"'
    "$MANIPLE" spinfo poisson:40x40 --picture spy.png >report.txt 2>&1
    run "it tells of it" grep -q "^picture   spy.png: [0-9]* x [0-9]* pixels, a dot is 4 x 4 places$" report.txt
    spinfo_fails 1 "no/such" poisson:4 --picture no/such/picture.png
    long=$(printf '%0300d' 0).png
    "$MANIPLE" spinfo poisson:4 --picture "$long" >report.txt 2>error.txt
    [ $? -eq 1 ] && [ "$(wc -l <error.txt)" -eq 1 ] && grep -q 'picture.*File name too long' error.txt
    check $? "a picture that cannot be written" "$(cat error.txt)"
    grep -q '^norms ' report.txt && ! grep -q '^picture ' report.txt
    check $? "what was found is printed all the same" "$(cat report.txt)"
    cp a.mtx own.png
    spinfo_fails 2 "is the file of MATRIX" own.png --picture ./own.png
    run "the matrix is as it was" cmp own.png a.mtx
fi

# ---- what is refused ----

printf '%%%%MatrixMarket matrix coordinate real general\n9000000000000 9000000000000 1\n1 1 1\n' >huge.mtx
too_large='9000000000000 rows and .* columns: no memory for [0-9.]* TiB: .* [MG]iB are '
too_many='000000000000 rows; more than 2147483647 are too many' # for a GPU
spinfo_fails 1 "$too_large\|$too_many" huge.mtx
[ "$(uname)" != Linux ] || spinfo_alone 1 "no memory for .*iB" poisson:2000000x1000000

printf '%%%%MatrixMarket matrix coordinate real general\n25 25 2\n1 1 1\n30 1 1\n' >bad.mtx
spinfo_fails 2 "bad.mtx, line 4: row 30 is outside 1..25" bad.mtx
spinfo_fails 2 "begins with the word %%MatrixMarket" report.txt
spinfo_fails 1 "cannot read 'missing.mtx': No such file" missing.mtx
spinfo_fails 2 "there is no generator 'poison'; did you mean poisson?" poison:4x4
spinfo_fails 2 "'poisson:0x4': extents must be at least 1" poisson:0x4
spinfo_alone 2 "is not of the form hpcg:NXxNYxNZ" hpcg:4x4
spinfo_alone 2 "Poisson's ratio" elasticity:4x4@0.7
spinfo_alone 2 "names no dataset" a.h5:
spinfo_alone 2 "spinfo needs one matrix" a.mtx a.mtx
spinfo_alone 2 "spinfo needs one matrix"
spinfo_alone 2 "did you mean --json" a.mtx --jsn
spinfo_alone 2 "option --picture needs its FILE" a.mtx --picture
printf '%%%%MatrixMarket matrix array real general\n1 1\n1\n' >array.mtx
spinfo_alone 2 "is an array file" array.mtx
[ -n "$PYTHON" ] && spinfo_fails 1 "'/absent' in 'm.h5' does not exist; the file has /" m.h5:/absent

done_testing
