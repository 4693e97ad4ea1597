# SPDX-License-Identifier: BSD-3-Clause
"""Results of `maniple linalg` beside numpy.linalg's, for linalg.t, which prints the points."""

import glob
import json
import os
import subprocess

import h5py
import numpy as np
import scipy.linalg

MPIRUN = os.environ.get("MPIRUN")
FULL = bool(os.environ.get("MANIPLE_TEST_FULL"))
rng = np.random.default_rng(7)
a, b = rng.standard_normal((30, 30)) + 9 * np.eye(30), rng.standard_normal((30, 2))
small = rng.standard_normal((30, 30)) / 20  # of norm below 1
tall, h = rng.standard_normal((600, 9)), a + a.T
low = rng.standard_normal((50, 4)) @ rng.standard_normal((4, 30))  # of rank 4
with h5py.File("in.h5", "w") as file:
    file["a"], file["b30"], file["tall"], file["h"], file["c"] = a, b, tall, h, rng.standard_normal(600)
    file["singular"], file["b"], file["positive"] = np.ones((5, 5)), np.ones(5), a @ a.T
    file["low"] = low
    file["small"], file["near"] = small, small + np.eye(30)
    file["complex"], file["stack"] = a + 1j * a.T, np.ones((2, 3, 3))


def check(good, name):
    print(("ok" if good else "not ok"), "-", name, flush=True)


def run(ranks, *words):
    """The report as JSON, and what the file of outputs has."""
    launch = [MPIRUN, "-n", str(ranks)] if MPIRUN and ranks > 1 else []
    done = subprocess.run([*launch, os.environ["MANIPLE"], "linalg", *words, "--json"], capture_output=True, text=True)
    if done.returncode != 0:
        check(False, f"{' '.join(words)}: {done.stderr}")
        return None, {}
    with h5py.File("out.h5") as file:
        return json.loads(done.stdout), {name: file[name][()] for name in file}


def same(name, got, want, bound=1e-10):
    check(got is not None and got.shape == want.shape and np.abs(got - want).max(initial=0) <= bound, name)


for ranks in (1, 3):
    report, out = run(ranks, "solve", "in.h5:/a", "in.h5:/b30", "-o", "out.h5:/x")
    same(f"solve on {ranks}", out.get("x"), np.linalg.solve(a, b))
    check(report and report["function"] == "solve" and max(report["measured"].values()) < 1e-15,
          "the residual is some eps")
    run(ranks, "solve", "in.h5:/positive", "in.h5:/b30", "-o", "out.h5:/x", "--assume", "positive")
    report, out = run(ranks, "lstsq", "in.h5:/tall", "in.h5:/c", "-o", "out.h5:/l", "--picture", "values.svg")
    with h5py.File("in.h5") as file:
        want = np.linalg.lstsq(tall, file["c"][()], rcond=None)
    same(f"lstsq on {ranks}", out.get("l"), want[0])
    measured = report["measured"]
    check(measured["rank"] == 9 and abs(measured["|Ax - b|"]**2 - want[1][0]) < 1e-8 and os.path.exists("values.svg"),
          "the rank, the residual and a picture")
    report, out = run(ranks, "svd", "in.h5:/tall", "-o", "out.h5:/s", "--vectors", "out.h5:/u", "--right", "out.h5:/vh",
                      "--picture", "spectrum.png")
    same(f"svd on {ranks}", out.get("s"), np.linalg.svd(tall, compute_uv=False))
    same("its vectors", (out["u"] * out["s"]) @ out["vh"], tall)
    check(os.path.getsize("spectrum.png") > 1000 and max(report["measured"].values()) < 1e-14, "a picture")
    report, out = run(ranks, "svd", "in.h5:/low", "--largest", "4", "--iterations", "1", "--seed", "9", "-o", "out.h5:/s4",
                      "--vectors", "out.h5:/u4", "--right", "out.h5:/vh4")
    same(f"svd --largest on {ranks}", out.get("s4"), np.linalg.svd(low, compute_uv=False)[:4])
    same("its vectors", (out["u4"] * out["s4"]) @ out["vh4"], low)
    check(max(report["measured"].values()) < 1e-13, "what is left out")
    report, out = run(ranks, "eigh", "in.h5:/h", "-o", "out.h5:/w", "--vectors", "out.h5:/v")
    same(f"eigh on {ranks}", out.get("w"), np.linalg.eigvalsh(h))
    same("its vectors", h @ out["v"], out["v"] * out["w"])
    for ord in ("fro", "nuc", "1", "-2", "inf") if ranks == 1 or FULL else ("nuc",):
        report, out = run(ranks, "norm", "in.h5:/complex", "--ord", ord, "-o", "out.h5:/n")
        want = np.linalg.norm(a + 1j * a.T, ord if ord in ("fro", "nuc") else float(ord))
        check(abs(report["measured"]["norm"] - want) < 1e-9 and abs(out["n"] - want) < 1e-9, f"norm {ord} on {ranks}")
    report, out = run(ranks, "matmul", "in.h5:/tall", "in.h5:/a[:9, :]", "-o",
                      "out.h5:/c")
    same(f"matmul on {ranks}", out.get("c"), tall @ a[:9])

# in few starts: each function once, with all that it writes; on 2 ranks those with two outputs, in the full tier all
WANTED = {
    "eig": lambda w, v: (np.sort_complex(w) - np.sort_complex(np.linalg.eigvals(a)), a @ v - v * w),
    "qr": lambda r, q: (q @ r - tall, np.tril(r, -1), q.T @ q - np.eye(9)),
    "lu": lambda u, l: (l @ u - a, np.tril(u, -1)),
    "polar": lambda p, u: (u @ p - a, u.T @ u - np.eye(30), p - p.T),
    "schur": lambda t, z: (z @ t @ z.T - a, z.T @ z - np.eye(30)),
    "cholesky": lambda c: (c - np.linalg.cholesky(a @ a.T),),
    "inv": lambda x: (a @ x - np.eye(30),),
    "pinv": lambda x: (x - np.linalg.pinv(tall),),
    "det": lambda d: (d / np.linalg.det(a) - 1,),
    "cond": lambda c: (c / np.linalg.cond(a) - 1,),
    "rank": lambda r: (r - 1.0,),
    "sqrtm": lambda x: (x @ x - a,),
    "expm": lambda x: (x - scipy.linalg.expm(small),),
    "logm": lambda x: (scipy.linalg.expm(x) - small - np.eye(30),),
    "cosm": lambda x: (x - scipy.linalg.cosm(small),),
    "sinm": lambda x: (x - scipy.linalg.sinm(small),),
}
OPERANDS = {"qr": "tall", "pinv": "tall", "cholesky": "positive", "rank": "singular", "expm": "small", "cosm": "small",
            "sinm": "small", "logm": "near"}
MEASURED = {"det": ("log |det|", np.linalg.slogdet(a)[1]), "cond": ("cond", np.linalg.cond(a)), "rank": ("rank", 1.0)}
for function, errors in WANTED.items():
    given = {"eig": "--vectors", "qr": "--left", "lu": "--left", "polar": "--left", "schur": "--left"}.get(function)
    picture = ["--picture", f"{function}.svg"] if function in ("eig", "rank") else []
    report, out = run(2 if given or FULL else 1, function, "in.h5:/" + OPERANDS.get(function, "a"), "-o", "out.h5:/first",
                      *([given, "out.h5:/second"] if given else []), *picture)
    found = errors(out["first"], out["second"]) if given else errors(out["first"])
    check(max(np.abs(e).max() for e in found) < 1e-9, f"{function}")
    measured = report["measured"]
    if function == "det":
        check(abs(measured["det"] - np.linalg.det(a)) < 1e-9 * abs(np.linalg.det(a)), "det: itself")
    if function in MEASURED:
        check(abs(measured[MEASURED[function][0]] - MEASURED[function][1]) < 1e-9 * abs(MEASURED[function][1]),
              f"{function}: the number")
    elif function not in ("expm", "logm", "cosm", "sinm"):  # residuals of n eps, and times the condition of 3 at most
        check(measured and max(measured.values()) < 100 * 30 * np.finfo(float).eps, f"{function}: {measured}")
    check(not picture or os.path.exists(picture[1]), f"{function}: a picture")

# real matrices, of which the smaller ones are made dense
for path in sorted(glob.glob(os.path.join(os.environ.get("MANIPLE_TEST_DATA", "none"), "**", "*.mtx"), recursive=True)):
    from scipy.io import mminfo, mmread
    rows, columns = mminfo(path)[:2]
    if rows != columns or not 50 <= rows <= (1200 if FULL else 500):
        continue
    matrix = mmread(path)
    matrix = matrix.toarray() if hasattr(matrix, "toarray") else np.asarray(matrix)
    name, matrix = os.path.basename(path), matrix.astype(complex if matrix.dtype.kind == "c" else float)
    with h5py.File("real.h5", "w") as file:
        file["a"], file["b"] = matrix, matrix.sum(1)
    report, out = run(2, "svd", "real.h5:/a", "-o", "out.h5:/s")
    want = np.linalg.svd(matrix, compute_uv=False)
    same(f"{name}: svd", out.get("s"), want, 1e-12 * want[0])
    if want[-1] > 1e-15 * want[0]:
        report, out = run(2, "solve", "real.h5:/a", "real.h5:/b", "-o", "out.h5:/x")
        check(report and max(report["measured"].values()) < 1e-13, f"{name}: solve, the residual")
