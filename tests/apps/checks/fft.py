# SPDX-License-Identifier: BSD-3-Clause
"""Results of `maniple fft` beside NumPy's, for fft.t, which prints the points."""

import json
import os
import re
import subprocess

import h5py
import numpy as np

MPIRUN = os.environ.get("MPIRUN")
rng = np.random.default_rng(5)
image, cube = rng.standard_normal((30, 44)), rng.standard_normal((6, 9, 10)).astype("float32")
field = image[:7, :9] + 1j * image[7:14, :9]
with h5py.File("in.h5", "w") as file:
    file["image"], file["cube"], file["field"] = image, cube, field
    file["bytes"] = np.arange(256, dtype="uint8").reshape(16, 16)


def maniple(ranks, *words):
    launch = [MPIRUN, "-n", str(ranks)] if MPIRUN and ranks > 1 else []
    return subprocess.run([*launch, os.environ["MANIPLE"], "fft", *words], capture_output=True, text=True)


def check(good, name):
    print(("ok" if good else "not ok"), "-", name, flush=True)


def same(name, ranks, want, dtype, *words):
    """A point: what the command leaves is what NumPy gives."""
    done = maniple(ranks, *words, "-o", "out.h5:/y", "-q")
    if done.returncode != 0 or done.stdout:
        return check(False, f"{name}: {done.stdout}{done.stderr}".replace("\n", " "))
    with h5py.File("out.h5") as file:
        got = file["y"][()]
    error = np.linalg.norm((got - want).ravel()) / np.linalg.norm(want.ravel()) if got.shape == want.shape else np.inf
    good = got.dtype == dtype and error < 20 * np.finfo(dtype).eps
    return check(good, name if good else f"{name}: {got.dtype} {got.shape}, error {error}")


wide = cube.astype(float)
same("frequency 0 in the middle", 3, np.fft.fftshift(np.fft.fft2(image)), "complex128", "in.h5:/image", "--shift")
same("along some axes, with other points", 2, np.fft.fftn(wide, [8, 5], [2, 0], "ortho"), "complex64", "in.h5:/cube",
     "--axes=-1,0", "--s", "8,5", "--norm", "ortho")
same("back from the middle", 1, np.fft.ifftn(np.fft.ifftshift(field)), "complex128", "in.h5:/field", "--inverse",
     "--shift")
same("of real numbers", 1, np.fft.fftshift(np.fft.rfftn(wide), [0, 1]), "complex64", "in.h5:/cube", "--real", "--shift")
same("to real numbers", 2, np.fft.irfft2(field, [7, 17], norm="forward"), "float64", "in.h5:/field", "--real",
     "--inverse", "--s", "7,17", "--norm", "forward")
same("in single precision", 1, np.fft.fft(image[3, ::2], 16), "complex64", "in.h5:/image[3, ::2]", "--n", "16",
     "--dtype", "complex64")
if os.environ.get("MANIPLE_TEST_FULL"):
    same("an image", 4, np.fft.fft2(image), "complex128", "in.h5:/image")
    same("points of the last axis", 2, np.fft.fft(wide, 16), "complex64", "in.h5:/cube", "--s", "16")
    same("back", 3, np.fft.ifftn(field), "complex128", "in.h5:/field", "--inverse")
    same("in double precision", 2, np.fft.fftn(wide), "complex128", "in.h5:/cube", "--dtype", "complex128")
    same("integers", 3, np.fft.fft2(np.arange(256.).reshape(16, 16)), "complex128", "in.h5:/bytes")

done = maniple(2, "in.h5:/image", "--picture", "s.svg", "-o", "out.npy")
check(done.returncode == 0 and re.search(r"^picture   s.svg: [\d.]+ x ", done.stdout, re.M)
      and np.allclose(np.load("out.npy"), np.fft.fft2(image)), f"a picture, and a .npy file {done.stderr}")
logs = np.log10(np.abs(np.fft.fft2(image)))
low, high = (float(v) for v in re.search(r"black to white is (\S+) to ([^\s,]+)", done.stdout).groups())
check(np.isclose(high, logs.max(), rtol=1e-4) and np.isclose(low, max(logs.min(), logs.mean() - 3 * logs.std()), rtol=1e-4),
      f"whose ends are those of the logarithms: {low} to {high}")
done = maniple(1, "in.h5:/image[5]", "--picture", "line.svg")
check(done.returncode == 0 and os.path.exists("line.svg"), f"a curve {done.stderr}")

before = os.stat("in.h5").st_atime_ns, sorted(os.listdir("."))
done = maniple(3, "in.h5:/cube", "--plan")
check(done.returncode == 0 and ": 6x9x10 float32" in done.stdout and "move to another layout" in done.stdout
      or not MPIRUN, f"a plan tells its steps {done.stderr}")
check(re.search(r"^moved .* between ranks", done.stdout, re.M) and re.search("^memory ", done.stdout, re.M),
      "what moves, and memory")
check(sorted(os.listdir(".")) == before[1], "and leaves nothing")
done = maniple(1, "in.h5:/cube", "--plan", "--json", "--axes", "1")
plan = json.loads(done.stdout)
check((plan["method"], plan["moves"], plan["moved_bytes"], plan["axes"]) == ("every rank by itself", 0, 0, [1]),
      f"one rank moves nothing: {plan}")
check(np.isclose(plan["operations"], 5 * 9 * np.log2(9) * 60, rtol=1e-4), "operations are counted")
