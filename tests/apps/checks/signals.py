# SPDX-License-Identifier: BSD-3-Clause
"""Results of `maniple spectrogram` and `maniple channelize` beside SciPy's and NumPy's, for signals.t, which prints the
points."""

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

# ---- channelize ----


def channelize(x, channels, ntaps, step, window="hamming"):
    """The frames, folded, turned and transformed, in double precision."""
    taps = scipy.signal.firwin(channels * ntaps, 1 / channels, window=window)
    frames = range((len(x) - len(taps)) // step + 1)
    folded = [np.roll((x[t * step:t * step + len(taps)] * taps).reshape(ntaps, channels).sum(0), t * step) for t in frames]
    return np.array(folded)


def near_channels(got, want, x, dtype):
    """Sums of products whose weights are about 2 together."""
    error = abs(got - want).max() if got.shape == want.shape else np.inf
    return got.dtype == dtype and error <= 100 * np.finfo(dtype).eps * abs(x).max()


def run(name, x, want, dtype, ranks, limit, *words):
    if os.path.exists("y.h5"):
        os.unlink("y.h5")
    environment = {**os.environ, "MANIPLE_MEMORY_LIMIT": limit} if limit else None
    launch = [MPIRUN, "-n", str(ranks)] if MPIRUN and ranks > 1 else []
    done = subprocess.run([*launch, os.environ["MANIPLE"], "channelize", *map(str, words), "-o", "y.h5:/y", "--json"],
                          capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        return check(False, f"{name}: {done.stderr}")
    with h5py.File("y.h5") as file:
        got = file["y"][()]
    slabs = json.loads(done.stdout)["slabs"]
    check(near_channels(got, want, x, dtype) and (slabs > 1) == bool(limit) and sorted(os.listdir(".")) == before,
          f"channelize {name}: {got.dtype} {got.shape}, right is {want.shape}; {slabs} slabs {os.listdir('.')}")


before = sorted({*os.listdir("."), "y.h5"})
real, pair = np.fft.rfft, field[:, 0]
run("by defaults", line, real(channelize(line, 16, 8, 16)), "complex64", 3, None, "in.h5:/line", "--channels", 16)
run("oversampled, of complex numbers", pair, np.fft.fft(channelize(pair, 8, 4, 6, "blackman")), "complex128", 2, None,
    "in.h5:/field[:, 0]", "--channels", 8, "--taps", 4, "--step", 6, "--window", "blackman")
samples = rng.integers(-512, 512, 200000)
bits = ((samples[:, None] >> np.arange(9, -1, -1)) & 1).astype("u1")
np.save("packed.npy", np.packbits(bits.ravel()))
before.append("packed.npy")
before.sort()
power = abs(real(channelize(samples.astype(float), 16, 4, 12))) ** 2
scale = np.array([samples.max() ** 2.])
words = ["packed.npy", "--channels", 16, "--taps", 4, "--step", 12, "--bits", 10, "--power"]
run("of packed samples, powers", scale, power, "float32", 2, None, *words)
run("in slabs", scale, power, "float32", 3, "4M", *words)
os.unlink("y.h5")
