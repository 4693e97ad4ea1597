# SPDX-License-Identifier: BSD-3-Clause
"""--json of every subcommand for json.t, which prints the points."""

import json
import os
import subprocess

import h5py
import numpy as np
import scipy.io
import scipy.sparse

MANIPLE, MPIRUN = os.environ["MANIPLE"], os.environ.get("MPIRUN")


def check(good, text):
    print(f"{'ok' if good else 'not ok'} - {text}".replace("\n", " "), flush=True)


def unique(pairs):
    names = [name for name, _ in pairs]
    if len(set(names)) < len(names):
        raise ValueError(f"a name is there twice: {names}")
    return dict(pairs)


def refuse(constant):
    raise ValueError(f"{constant} is not JSON")


def report(*arguments, ranks=1, statuses=(0,)):
    """What a subcommand says, read strictly; {} after a failed point."""
    command = [MANIPLE, *arguments, "--json"]
    if ranks > 1:
        command = [MPIRUN, "-n", str(ranks), *command]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=600)
    found, trouble = {}, done.stderr.decode(errors="replace")[:400]
    if done.returncode in statuses:
        try:
            found = json.loads(done.stdout.decode(), object_pairs_hook=unique, parse_constant=refuse)
        except ValueError as error:
            trouble = f"{error}: {done.stdout[:300]}"
    words = " ".join(os.fsencode(word).decode(errors="backslashreplace") for word in arguments)
    check(bool(found), f"{words} --json on {ranks} rank{'s' if ranks > 1 else ''}" + ("" if found else f": {trouble}"))
    return found


x = np.arange(24.).reshape(4, 6)
with h5py.File("a.h5", "w") as file:
    file["x"], file["row"] = x, x[0]
    file["wild"] = np.array([np.nan, np.inf, -np.inf, 1.5, -0.0])
    file["nan"], file["none"] = np.full(3, np.nan), np.zeros((0, 3))
    file["complex"] = np.array([1 + 2j, np.nan, complex(0, np.inf)])
    file["big"] = np.array([2**64 - 1, 0], np.uint64)
    file["b"] = np.ones(9)
    file['odd "name"\\'] = x
scipy.io.mmwrite("a.mtx", scipy.sparse.csr_matrix(4. * np.eye(9) + np.eye(9, k=1)))
wild_name = os.fsdecode(b"\xff\xfeodd \x01.h5")
with open(os.fsencode(wild_name), "wb") as file:
    file.write(open("a.h5", "rb").read())

ranks = 3 if MPIRUN else 1
found = report("conv", "a.h5:/x", "hanning:3x3", "-o", "out.h5:/y", ranks=ranks)
check(found and found["output"]["shape"] == [4, 6] and found["kernel"]["shape"] == [3, 3] and found["mode"] == "same"
      and found["ran_on"]["ranks"] == ranks and found["seconds"]["convolve"] >= 0
      and found["taps"] == 24 * 9, "conv tells what it did")
found = report("fft", "a.h5:/x", "-o", "out.h5:/f", "--axes", "-1", "--real", "--shift", ranks=ranks)
check(found["output"]["shape"] == [4, 4] and found["output"]["dtype"] == "complex128" and found["axes"] == [1]
      and found["real"] and not found["inverse"] and found["norm"] == "backward"
      and found["seconds"]["transform"] >= 0, "fft tells what it did")
found = report("fft", "a.h5:/x", "--plan", ranks=ranks)
check(found["method"] and found["transforms"] >= 1 and found["moved_bytes"] >= 0 and found["operations"] > 0,
      "and what it would do")
found = report("eval", "s = sum(x); z = x / s; c = s * 1j; t = s > 3; k = 7; n = s * nan", "x=a.h5:/x", "k=2", "-o", "z=o.h5:/z",
               "-o", "s=o.h5:/s", "-o", "c=o.h5:/c", "-o", "t=o.h5:/t", "-o", "k=o.h5:/k", "-o", "n=o.h5:/n")
values = {result["name"]: result.get("value") for result in found["results"]}
check(values == {"z": None, "s": x.sum(), "c": {"real": 0, "imag": x.sum()}, "t": True, "k": 7, "n": None},
      f"eval tells values: {values}")
check(found["operands"]["k"] == {"operand": "2", "value": 2} and found["operands"]["x"]["shape"] == [4, 6],
      "and operands")
found = report("eval", "max(x)", "x=a.h5:/big")
check(found["results"][0]["value"] == 2**64 - 1 and found["results"][0]["dtype"] == "uint64", "large integers are exact")
found = report("random", "normal", "5x2", "std=0.5", "-s", "18446744073709551615", "-o", "r.h5:/x")
check(found["parameters"] == {"mean": 0, "std": 0.5} and found["seed"] == 2**64 - 1 and found["shape"] == [5, 2],
      "random tells its parameters and its seed")
report("random", "bits", "5", "-s", "1", "-o", "r.h5:/b")
found = report("solve", "a.mtx", "a.h5:/b", "-o", "s.h5:/x", "--method", "bicgstab", ranks=ranks)
with h5py.File("s.h5") as file:
    attributes = dict(file["x"].attrs)
check(found["converged"] and found["systems"][0]["iterations"] == attributes["iterations"]
      and found["systems"][0]["residual"] == attributes["residual"] and found["matrix"]["shape"] == [9, 9]
      and found["matrix"]["nnz"] == 17, "solve tells what its attributes have")
found = report("solve", "poisson:9x9", "-o", "s.h5:/y", "--method", "cg", "--maxiter", "2", statuses=(3,))
check(found["converged"] is False and found["rhs"] is None, "also if it has not converged")
found = report("solve", "poisson:9x9", "-o", "s.h5:/y")
check(found["converged"] and isinstance(found["tried"], list), "and of the method that it chose")
for name in "x", "wild", "nan", "none", "complex", "big", 'odd "name"\\':
    found = report("stats", f"a.h5:/{name}")
    check(found.get("dataset", "").lstrip("/") == name, "with the name of the dataset")
found = report("stats", "a.h5:/wild", "-p", "0,5,5.0,100")
check(found["min"] == "-Infinity" and found["max"] == "Infinity" and found["mean"] is None
      and list(found["percentiles"]) == ["0", "5", "100"], f"infinities are strings: {found['percentiles']}")
report("stats", "a.h5:/none", "--axis", "0")
found = report("stats", "a.h5:/x", "--axis", "1", ranks=ranks)
check(found["mean"] == x.mean(axis=1).tolist() and found["ran_on"]["ranks"] == ranks, "statistics of lines")
report("spinfo", "a.mtx", ranks=ranks)
report("spinfo", "poisson:1")
report("info")
report("info", "a.h5")
report("info", "a.mtx")
check(isinstance(report("info", "--settings"), list), "settings are a list")
report("info", "--layout", "4x4", "--ranks", "3")
found = report("cache")
check(len(found["kernels"]) == found["files"] > 0, "kernels of the cache")
check(set(report("cache", "--size")) == {"path", "files", "bytes"}, "its size alone")
os.environ["MANIPLE_CACHE_DIR"] = os.path.abspath("nothing \"here\"")
found = report("cache")
check(found["kernels"] == [] and found["path"] == os.environ["MANIPLE_CACHE_DIR"], "an empty cache")
check(report("cache", "--clear")["files"] == 0, "which is cleared")
del os.environ["MANIPLE_CACHE_DIR"]
report("bench", "comm", "--max", "8", "-r", "1", "-c", "barrier,halo", ranks=ranks)
found = report("stats", f"{wild_name}:/x")
check(found["file"] == "\ufffd\ufffdodd \x01.h5", "names that are not UTF-8 have replacement characters")
