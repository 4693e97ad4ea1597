# SPDX-License-Identifier: BSD-3-Clause
"""maniple.fft beside numpy.fft and scipy.fft: their names and words, Hermitian and Hankel transforms, orthogonalize=,
plans as words, and SciPy's functions with Maniple behind them."""

import inspect
import warnings

import maniple as mp
import numpy as np
import scipy.fft

from . import ARRAY_API_WORDS, ok, pair, raises, rng, same, scipy_since

NORMS = None, "backward", "ortho", "forward"
# SciPy's threads and choice of a library, which docs/from-cupy.md explains
NOT_THERE = {"get_workers", "register_backend", "set_backend", "set_global_backend", "set_workers", "skip_backend", "test"}


def check_names_of_transforms():
    for other in np.fft, scipy.fft:
        named = {name for name, value in vars(other).items() if callable(value) and not name.startswith("_")}
        ok(named - NOT_THERE <= set(dir(mp.fft)), f"the names of {other.__name__}: {named - NOT_THERE - set(dir(mp.fft))}")
        for name in sorted(named & set(dir(mp.fft)) - {"next_fast_len", "prev_fast_len"}):
            words = [set(inspect.signature(getattr(module, name)).parameters) - {"a", "x", "A"} for module in (other, mp.fft)]
            missing = words[0] - words[1] - ARRAY_API_WORDS
            if missing:
                ok(False, f"words of {name}: {missing} are not there")
        ok(True, f"the words of the functions of {other.__name__}")


def products(limit, *primes):
    """The numbers below a limit that are products of these primes, in order."""
    found = {1}
    for prime in primes:
        found |= {n * prime**k for n in found for k in range(1, limit.bit_length()) if n * prime**k < limit}
    return sorted(found)


def check_fast_lengths():
    for real, primes in (False, (2, 3, 5, 7, 11)), (True, (2, 3, 5)):
        fast = np.array(products(10000, *primes))
        targets = [int(n) for n in rng.integers(1, 9000, 60)] + [1, 2, 13]
        ok([mp.fft.next_fast_len(n, real) for n in targets] == [int(fast[fast >= n][0]) for n in targets]
           and [mp.fft.prev_fast_len(n, real) for n in targets] == [int(fast[fast <= n][-1]) for n in targets],
           f"next_fast_len and prev_fast_len, real={real}")
    raises(ValueError, "below 1", "no length", lambda: mp.fft.prev_fast_len(0))


def check_cosine_transforms():
    x, a = pair((12, 10))
    same("dct", mp.fft.dct(x), scipy.fft.dct(a), 1e-12)
    same("dst", mp.fft.dst(x, 4, n=5, axis=0), scipy.fft.dst(a, 4, 5, 0), 1e-12)
    same("there and back", mp.fft.idctn(mp.fft.dctn(x, norm="ortho"), norm="ortho"), a, 1e-12)


def check_orthogonalize():
    x, a = pair((6, 9))
    for name in "dct", "idct", "dctn", "idctn", "dst", "idst", "dstn", "idstn":
        ours, theirs = getattr(mp.fft, name), getattr(scipy.fft, name)
        for kind in (1, 4) if "dst" in name else (1, 2, 3, 4):  # before 1.12 SciPy's dst scales another element
            words = [dict(norm=norm, orthogonalize=o) for norm in NORMS for o in (None, True, False)]
            same(f"orthogonalize= of {name}, type {kind}", tuple(ours(x, kind, **w) for w in words),
                 tuple(theirs(a, kind, **w) for w in words), 1e-12)
    for kind in 2, 3:  # what is orthogonal but for the scale keeps lengths but for it
        y = mp.fft.dst(x, kind, axis=1, orthogonalize=True, workers=2, overwrite_x=False)
        same(f"lengths under dst of type {kind}", mp.linalg.norm(y, axis=1), np.linalg.norm(a, axis=1) * np.sqrt(18), 1e-12)
        z = mp.fft.idst(y, kind, axis=1, orthogonalize=True)
        same("there and back", z, a, 1e-12)
        same("and not", mp.fft.dst(x, kind, norm="ortho", orthogonalize=False), scipy.fft.dst(a, kind) / np.sqrt(18), 1e-12)
    out = mp.empty((4, 9))
    ok(mp.fft.dctn(x, s=(4, 9), orthogonalize=True, out=out) is out, "an output")
    same("which has the result", out, scipy.fft.dctn(a, s=(4, 9), orthogonalize=True), 1e-12)
    raises(ValueError, "'max' is none of", "another norm", lambda: mp.fft.dct(x, norm="max", orthogonalize=True))
    raises(ValueError, "workers must not be zero", "no workers", lambda: mp.fft.dct(x, workers=0))
    raises(TypeError, "", "half a worker", lambda: mp.fft.fft(x, workers=1.5))


def check_hermitian_transforms():
    (x, a), (z, c) = pair((6, 9)), pair((6, 9), "complex128")
    for norm in NORMS:
        same(f"of two axes, norm {norm}", (mp.fft.hfft2(z, norm=norm), mp.fft.ihfft2(x, norm=norm)),
             (scipy.fft.hfft2(c, norm=norm), scipy.fft.ihfft2(a, norm=norm)), 1e-12)
        same(f"of all axes, norm {norm}", (mp.fft.hfftn(z, (5, 7), norm=norm), mp.fft.ihfftn(x, axes=(1, 0), norm=norm)),
             (scipy.fft.hfftn(c, (5, 7), norm=norm), scipy.fft.ihfftn(a, axes=(1, 0), norm=norm)), 1e-12)
    same("of real numbers", mp.fft.hfftn(x), scipy.fft.hfftn(a), 1e-12)
    same("there and back", mp.fft.ihfftn(mp.fft.hfftn(mp.fft.ihfftn(x), a.shape)), scipy.fft.ihfftn(a), 1e-12)
    raises(ValueError, "must be real", "complex numbers", lambda: mp.fft.ihfftn(z))
    raises(ValueError, "2 elements", "three axes", lambda: mp.fft.hfft2(z, axes=(0, 1, 2)))


def check_hankel():
    for shape in (5, 16), (33,), (2, 3, 12):
        x, a = pair(shape)
        for mu, bias, offset in (0, 0, 0), (0.5, -0.3, 0.1), (1.5, 0.2, 0), (-0.7, 0.4, 0.3), (2, 1, 0), (1, 3.0, 0):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                if shape[-1] % 2 == 0 or scipy_since("1.15"):  # those before make a frequency real that is not
                    same(f"fht and ifht of {shape}, mu {mu}, bias {bias}",
                         (mp.fft.fht(x, 0.1, mu, offset, bias), mp.fft.ifht(x, 0.1, mu, offset, bias)),
                         (scipy.fft.fht(a, 0.1, mu, offset, bias), scipy.fft.ifht(a, 0.1, mu, offset, bias)), 1e-10)
                if abs(bias) < 1:  # with others the coefficients and the powers differ in size by that of many digits
                    back = mp.fft.ifht(mp.fft.fht(x, 0.1, mu, offset, bias), 0.1, mu, offset, bias)
                    same(f"fht of {shape} and back, mu {mu}, bias {bias}", back, a, 1e-10)
            got, want = (m.fhtoffset(0.1, mu, 0.2, bias) for m in (mp.fft, scipy.fft))
            ok(abs(got - want) < 1e-12, f"fhtoffset, mu {mu}, bias {bias}: {got}, {want}")
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        mp.fft.fht(x, 0.1, -0.5, 0, -0.5)
        scipy.fft.fht(a, 0.1, -0.5, 0, -0.5)
    ok(len(warned) in (0, 2) and len({str(w.message) for w in warned}) < 2, f"warnings: {[str(w.message) for w in warned]}")


def check_backend():
    (x, a), (z, c) = pair((6, 8)), pair((6, 8), "complex128")
    same("SciPy's own transform", scipy.fft.fft(z), scipy.fft.fft(c), 1e-13)
    with scipy.fft.set_backend(mp.fft):
        done = (scipy.fft.fft(z, 8, 0, None, True), scipy.fft.irfftn(z, (5, 8), workers=2), scipy.fft.dctn(x, 3, (4, 5), norm="ortho"),
                scipy.fft.fht(x, 0.1, 1))
        ok(all(isinstance(y, mp.ndarray) for y in done), "SciPy's functions give arrays of Maniple")
        ok(isinstance(scipy.fft.fft(c), np.ndarray), "and NumPy's of NumPy's")
    same("of the same values", done, (scipy.fft.fft(c, 8, 0), scipy.fft.irfftn(c, (5, 8)), scipy.fft.dctn(a, 3, (4, 5), norm="ortho"),
                                      scipy.fft.fht(a, 0.1, 1)), 1e-11)


def check_fft_plans():
    x, a = pair((12, 10), "complex128")
    plan = mp.fft.Plan(x, permuted=True)
    back = mp.fft.Plan(plan(x), inverse=True, layout=x.layout)
    same("a plan and its inverse", (plan(x), back(plan(x))), (np.fft.fftn(a), a), 1e-12)
    ok("method" in plan.describe(), "a plan says what it does")
    same("a plan as a word", (mp.fft.fftn(x, plan=plan), mp.fft.fft2(x, plan=plan), mp.fft.ifftn(plan(x), plan=back)),
         (np.fft.fftn(a), np.fft.fftn(a), a), 1e-12)
    rows = mp.fft.Plan(x, axes=[1], s=[16], norm="ortho")
    same("of one axis", mp.fft.fft(x, 16, norm="ortho", plan=rows), np.fft.fft(a, 16, norm="ortho"), 1e-12)
    for name, function in (("the inverse", lambda: mp.fft.ifft(x, 16, norm="ortho", plan=rows)),
                           ("another axis", lambda: mp.fft.fft(x, 16, 0, "ortho", plan=rows)),
                           ("other points", lambda: mp.fft.fft(x, norm="ortho", plan=rows)),
                           ("another norm", lambda: mp.fft.fft(x, 16, plan=rows)),
                           ("a Hermitian one", lambda: mp.fft.hfftn(x, plan=plan))):
        raises(ValueError, "the plan is for fftn", f"a plan for {name}", function)
