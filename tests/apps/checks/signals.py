# SPDX-License-Identifier: BSD-3-Clause
"""Results of `maniple spectrogram` beside SciPy's, for signals.t, which prints the points."""

import json
import os
import re
import subprocess

import h5py
import numpy as np
import scipy.signal

MPIRUN = os.environ.get("MPIRUN")
rng = np.random.default_rng(int(os.environ.get("MANIPLE_TEST_SEED", 5)))
line, table = rng.standard_normal(3000).astype("f4"), rng.standard_normal((500, 3))
field = table[:, :2] + 1j * table[:, 1:]
with h5py.File("in.h5", "w") as file:
    file["line"], file["table"], file["field"] = line, table, field


def maniple(ranks, *words):
    launch = [MPIRUN, "-n", str(ranks)] if MPIRUN and ranks > 1 else []
    return subprocess.run([*launch, os.environ["MANIPLE"], *map(str, words)], capture_output=True, text=True)


def check(good, name):
    print(("ok" if good else "not ok"), "-", name.replace("\n", " "), flush=True)


def near(got, want):
    """Transforms of at most 512 points after detrending and a window: some ten roundings of the largest value."""
    eps = np.finfo(got.dtype).eps
    return got.dtype == want.dtype and got.shape == want.shape and abs(got - want).max() <= 50 * eps * abs(want).max()


# ---- spectrogram ----

def spectrogram(name, ranks, x, words, **options):
    f, t, s = scipy.signal.spectrogram(x, **options)
    done = maniple(ranks, "spectrogram", *words, "-o", "out.h5:/s", "-q")
    if done.returncode != 0 or done.stdout:
        return check(False, f"{name}: {done.stdout}{done.stderr}")
    with h5py.File("out.h5") as file:
        got = [file[dataset][()] for dataset in ("s", "s_f", "s_t")]
    good = near(got[0], s) and np.allclose(got[1], f, 1e-14, 0) and np.allclose(got[2], t, 1e-14, 0)
    check(good, f"spectrogram {name}: {got[0].dtype} {got[0].shape}, right is {s.dtype} {s.shape}")


spectrogram("by defaults", 3, line, ["in.h5:/line"])
spectrogram("with a frequency, a window and transforms of more points", 2, table,
            ["in.h5:/table", "--fs", 100, "--window", "kaiser:8.6", "--nperseg", 30, "--noverlap", 0, "--nfft", 64,
             "--axis", 0, "--scaling", "spectrum", "--detrend", "linear"],
            fs=100, window=("kaiser", 8.6), nperseg=30, noverlap=0, nfft=64, axis=0, scaling="spectrum", detrend="linear")
spectrogram("of complex numbers", 1, field, ["in.h5:/field", "--axis=-2", "--nperseg", 32, "--mode", "complex"], axis=-2,
            nperseg=32, mode="complex", return_onesided=False)
spectrogram("with both sides", 1, line, ["in.h5:/line", "--two-sided", "--mode", "magnitude", "--detrend", "none"],
            return_onesided=False, mode="magnitude", detrend=False)
done = maniple(2, "spectrogram", "in.h5:/line", "--picture", "s.svg", "-o", "out.npy")
s = scipy.signal.spectrogram(line)[2]
check(done.returncode == 0 and near(np.load("out.npy"), s), f"a picture, and a .npy file {done.stderr}")
low, high = (float(v) for v in re.search(r"black to white is (\S+) to ([^\s,]+)", done.stdout).groups())
check(np.isclose(high, 10 * np.log10(s.max()), atol=1e-3) and np.isclose(low, 10 * np.log10(s.min()), atol=1e-1),
      f"whose ends are decibels: {low} to {high}")
plan = json.loads(maniple(1, "spectrogram", "in.h5:/line", "--plan", "--json").stdout)
check((plan["shape"], plan["dtype"], plan["segments"]) == (list(s.shape), "float32", s.shape[1]), f"the plan {plan}")
check("129x13 float32" in maniple(1, "spectrogram", "in.h5:/line", "--plan").stdout, "the plan as text")
