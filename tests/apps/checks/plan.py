# SPDX-License-Identifier: BSD-3-Clause
"""Plans: what is known exactly is exact, what a model predicts follows from the constants that are printed, and no data
is read: the large operand is a file without contents, whose size no memory has."""

import atexit
import json
import os
import subprocess

import h5py
import numpy as np
import scipy.io
import scipy.sparse as sp

MANIPLE, MPIRUN = os.environ["MANIPLE"], os.environ.get("MPIRUN")


def check(passed, what):
    print("ok" if passed else "not ok", "-", what)


def plan(*words, ranks=1):
    start = [MPIRUN, "-n", str(ranks)] if ranks > 1 and MPIRUN else []
    done = subprocess.run(start + [MANIPLE, *words, "--plan", "--json"], capture_output=True, text=True)
    if done.returncode:
        print("#", words, done.stderr)
        return None
    return json.loads(done.stdout)


np.save("x.npy", np.ones((8, 8)))
np.save("five.npy", np.ones((5, 3)))
np.save("image.npy", np.ones((60, 40), "float32"))
N = 1 << 17
with open("huge.npy", "wb") as file:  # 128 GiB, of which nothing is stored
    np.lib.format.write_array_header_1_0(file, {"descr": "<f8", "fortran_order": False, "shape": (N, N)})
    file.truncate(file.tell() + 8 * N * N)
atexit.register(os.unlink, "huge.npy")  # tests of refusals sum up all files
CASES = {
    "fft": ["fft", "huge.npy"],
    "conv": ["conv", "huge.npy", "hanning:5x5"],
    "filter": ["filter", "gaussian_filter", "huge.npy", "sigma=2"],
    "label": ["label", "huge.npy"],
    "linalg matmul": ["linalg", "matmul", "huge.npy", "huge.npy"],
    "linalg solve": ["linalg", "solve", "huge.npy", "huge.npy"],
    "linalg svd --largest": ["linalg", "svd", "huge.npy", "--largest", "9"],
    "linalg norm": ["linalg", "norm", "huge.npy"],
    "eval": ["eval", "x * 2 + 1", "x=huge.npy"],
    "spectrogram": ["spectrogram", "huge.npy"],
    "solve": ["solve", "poisson:1024x1024x1024", "--method", "cg"],
}
before = sorted(os.listdir("."))
for name, words in CASES.items():
    found = {n: plan(*words, "--ranks", str(n), "--hosts", str(max(1, n // 8)), "--machine", "h200") for n in (1, 64, 1024)}
    if not all(found.values()):
        check(False, f"{name}: a plan for 1, 64 and 1024 GPUs")
        continue
    memory = [p["memory_a_rank"]["all"] for p in found.values()]
    sent = [p.get("predicted_iteration", p.get("predicted"))["sent_bytes"] for p in found.values()]
    check(all(p["constants"]["machine"] == "h200" and p["ranks"] == n for n, p in found.items())
          and memory[0] > memory[1] > memory[2] and sent[0] == 0 and memory[0] >= 8 * N * N / 64,
          f"{name}: a plan for 1, 64 and 1024 GPUs {memory} {sent}")
check(sorted(os.listdir(".")) == before, "plans leave no file")

# --- what is known exactly ---
found = plan("eval", "y = x + 1; s = sum(x)", "x=image.npy", ranks=2)
check(found["memory_a_rank"]["operands"] == 60 * 40 * 4 / found["ranks"] and found["predicted"]["at_least"],
      "eval: operands of the ranks that were started")
found = plan("linalg", "matmul", "x.npy", "x.npy")
check(found["steps"][0]["operations"] == 2 * 8**3 and found["memory_a_rank"]["A and B"] == 2 * 8 * 64,
      "matmul: operations and bytes")
found = plan("conv", "image.npy", "hanning:3x5", "--method", "direct", "--ranks", "4", "--machine", "host")
check(found["steps"][1]["operations"] == 60 * 40 / 4 * 15 and found["steps"][0]["near_bytes"] > 0, "conv: taps and borders")


def poisson(*shape):
    lines = [sp.diags([2.0 * np.ones(n), -np.ones(n - 1), -np.ones(n - 1)], [0, 1, -1]) for n in shape]
    total = sp.csr_matrix((int(np.prod(shape)),) * 2)
    for d in range(len(shape)):
        term = sp.identity(1)
        for e, n in enumerate(shape):
            term = sp.kron(term, lines[d] if d == e else sp.identity(n))
        total = total + term
    return sp.csr_matrix(total)


a = poisson(7, 5, 4)
scipy.io.mmwrite("symmetric.mtx", a, symmetry="symmetric")
scipy.io.mmwrite("general.mtx", a, symmetry="general")
with h5py.File("a.h5", "w") as file:
    group = file.create_group("a")
    group["data"], group["indices"], group["indptr"], group["shape"] = a.data, a.indices, a.indptr, a.shape
    group["format"] = "csr"
for text in ("poisson:7x5x4", "convdiff:7x5x4@2", "symmetric.mtx", "general.mtx", "a.h5:/a"):
    found = plan("solve", text, "--method", "bicgstab")
    check(found and (found["shape"], found["nnz"], found["method"]) == (list(a.shape), a.nnz, "bicgstab"),
          f"solve: the entries of {text}: {found and found['nnz']}")
for text in ("hpcg:3x4x5", "elasticity:4x3", "poisson:9"):
    found = plan("solve", text)
    made = subprocess.run([MANIPLE, "spinfo", text, "--json"], capture_output=True, text=True)
    check(found["nnz"] == json.loads(made.stdout)["nnz"], f"solve: the entries of {text}")
found = plan("solve", "poisson:20x20x20", "--precond", "ilu0")
check("predicted_iteration" in found and found["predicted"]["seconds"] > 0 and found["predicted_iteration"]["at_least"],
      "solve: an iteration, and making the preconditioner")

# --- the model ---
found = plan("filter", "gaussian_filter", "huge.npy", "sigma=2", "--ranks", "64", "--hosts", "8", "--machine", "h200", "--network", "25")
constants = found["constants"]
right = all(np.isclose(s["seconds"], max(s["operations"] / s["operations_a_second"] if s["operations"] else 0, s["bytes"] / constants["memory"])
                       + max(s["near_bytes"] / constants["link"], s["far_bytes"] / 25e9), rtol=0.02, atol=4e-5) for s in found["steps"])
check(right and constants["network"] == 25e9 and constants["network_source"] == "--network", f"times follow from constants {found['steps']}")
text = subprocess.run([MANIPLE, *CASES["fft"], "--plan", "--ranks", "16", "--hosts", "2", "--machine", "h200"], capture_output=True, text=True).stdout
check(all(word in text for word in ("planned   for 16 ranks on 2 hosts", "predicted", "measured on", "are assumed", "between hosts")),
      "a report says what it stands on")
