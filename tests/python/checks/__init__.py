# SPDX-License-Identifier: BSD-3-Clause
"""The Python package beside NumPy and SciPy, in the same process, on any number of ranks: what all checks use."""

import os
import tempfile

import maniple as mp
import numpy as np
import scipy

seed = int(os.environ.get("MANIPLE_TEST_SEED", "1"))
rng = np.random.default_rng(seed)
full = bool(os.environ.get("MANIPLE_TEST_FULL"))
few = not full and "MANIPLE_TEST_TURN" not in os.environ  # make check
failures = 0
# Words of SciPy's for the library and the device that its array API finds otherwise from its arguments
ARRAY_API_WORDS = {"xp", "device"}


def scipy_since(version):
    """Whether SciPy is that version, as "1.15", or a newer one: results are compared with those of the newest one, and
    where an older one has another, it is not compared."""
    return tuple(map(int, scipy.__version__.split(".")[:2])) >= tuple(map(int, version.split(".")))


def ok(condition, name):
    global failures
    good = bool(condition)
    everywhere = mp.from_local(np.array([good])).numpy().all()
    failures += not everywhere
    if mp.rank() == 0:
        print(f"{'ok' if everywhere else 'not ok'} - {name}".replace("\n", " "), flush=True)


def same(name, got, want, rtol=0.0, least=0.0):
    """A point: dtype, shape and values; several as a tuple.  Errors are relative to the largest value, or to `least`, as
    terms of that size may cancel each other."""
    if isinstance(want, (tuple, list)):
        pairs = list(zip(got, want))
        problems = [p for p in (difference(g, w, rtol, least) for g, w in pairs) if p] + (
            [] if len(got) == len(want) else [f"{len(got)} results"]
        )
    else:
        problems = [p for p in [difference(got, want, rtol, least)] if p]
    ok(not problems, name + (": " + problems[0] if problems else ""))


def difference(got, want, rtol, least=0.0):
    got, want = (v.numpy() if isinstance(v, mp.ndarray) else np.asarray(v) for v in (got, want))
    if got.dtype != want.dtype or got.shape != want.shape:
        return f"{got.dtype} {got.shape} where {want.dtype} {want.shape} is right"
    if want.dtype.kind in "fc" and rtol:
        size = max(np.abs(want[np.isfinite(want)]).max(initial=0), least)
        good = np.allclose(got, want, rtol=rtol, atol=rtol * size, equal_nan=True)
    else:
        good = np.array_equal(got, want, equal_nan=want.dtype.kind in "fc")
    return "" if good else f"{got!r} where {want!r} is right"[:300]


def raises(kind, words, name, function):
    try:
        function()
    except kind as error:
        ok(words in str(error), f"{name}: {error}")
    else:
        ok(False, f"{name}: nothing was raised")


def pair(shape, dtype="float64"):
    a = rng.standard_normal(shape) * 4
    a = (a + 1j * rng.standard_normal(shape)) if np.dtype(dtype).kind == "c" else a
    a = np.abs(a) if np.dtype(dtype).kind in "ub" else a
    a = np.asarray(a).astype(dtype)
    return mp.asarray(a), a


def shared_folder():
    """A new folder of rank 0's, on all ranks."""
    folder = tempfile.mkdtemp() if mp.rank() == 0 else ""
    text = np.zeros(200 if mp.rank() == 0 else 0, np.uint8)
    text[: len(folder)] = list(folder.encode())
    code = mp.from_local(text).numpy()
    return bytes(code[code > 0]).decode()
