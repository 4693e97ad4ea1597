# SPDX-License-Identifier: BSD-3-Clause
"""Arrays without dimensions or elements, and which errors are raised, beside NumPy."""

import warnings

import maniple as mp
import numpy as np

from . import difference, ok, pair, raises, rng, same

_AxisError = getattr(np, "exceptions", np).AxisError
_LENIENT = """sum prod nansum nanprod max min nanmax nanmin ptp argmax argmin nanargmax nanargmin all any
    count_nonzero""".split()


def _done(function, module):
    """What a function gives, as arrays of NumPy's, or the error that it raises."""
    try:
        return np.asarray(function(module))
    except Exception as error:  # noqa: BLE001  it is compared
        return error


def _beside(name, function, rtol=0.0):
    """Both modules give the same values, or errors of which ours is caught by whatever catches NumPy's."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours, theirs = _done(function, mp), _done(function, np)
    if isinstance(theirs, Exception):
        ok(isinstance(ours, type(theirs)), f"{name} raises {type(theirs).__name__}: {ours!r}")
    else:
        problem = repr(ours) if isinstance(ours, Exception) else difference(ours, theirs, rtol)
        ok(not problem, name + (": " + problem if problem else ""))


def check_no_dimensions():
    """Functions along an axis of an array that has none: NumPy's take the axes 0 and -1, but for means."""
    for name in [*_LENIENT, "mean", "var", "std", "median", "nanmedian", "sort", "argsort", "cumsum", "flip", "average"]:
        for axis in (0, -1, 1, -2):
            _beside(f"{name} of a number along {axis}", lambda m: getattr(m, name)(m.array(5.0), axis=axis))
    for name, function in {
        "argpartition": lambda m: m.argpartition(m.array(5), 0), "repeat": lambda m: m.repeat(m.array(5), 3, axis=0),
        "take": lambda m: m.take(m.array(5), 0, axis=-1), "lexsort": lambda m: m.lexsort([m.array(5), m.array(4)]),
        "convolve": lambda m: m.convolve(2.0, m.ones(2)), "hsplit": lambda m: m.hsplit(m.array(1), 1),
        "reshape": lambda m: m.ones((1, 1)).reshape(()),
        "squeeze": lambda m: m.squeeze(m.array(5), axis=-1), "conj": lambda m: m.array(True).conj(), "transpose": lambda m: m.array(5).transpose(()),
    }.items():
        _beside(f"{name} of a number", function)
    for name in ("tril", "triu"):
        for k in (0, 1, -2):
            _beside(f"{name} of a vector, {k}", lambda m: getattr(m, name)(m.arange(4.0), k))


def check_no_elements():
    for shape in ((0,), (0, 3), (3, 0), (0, 0), (2, 0, 0)):
        for name in ("partition", "argpartition"):
            for axis in (None, 0, -1):
                _beside(f"{name} of {shape} along {axis}", lambda m: getattr(m, name)(m.zeros(shape), 1, axis=axis))
        for axis in (None, 0, -1):
            _beside(f"median of {shape} along {axis}", lambda m: m.median(m.zeros(shape), axis=axis))
            for name in ("quantile", "percentile", "nanquantile", "nanpercentile"):
                _beside(f"{name} of {shape} along {axis}", lambda m: getattr(m, name)(m.zeros(shape), 0.5, axis=axis))  # noqa: B023
        for name in ("mean", "nanmean", "var", "nanstd", "median", "nanmedian", "nanquantile"):
            for axis in (None, 0, -1):
                warned = []
                for m in (mp, np):
                    with warnings.catch_warnings(record=True) as caught:
                        warnings.simplefilter("always")
                        getattr(m, name)(m.zeros(shape), *([0.5] if "quantile" in name else []), axis=axis)
                    warned.append(any(w.category is RuntimeWarning for w in caught))
                ok(warned[0] == warned[1], f"{name} of {shape} along {axis} warns as NumPy's: {warned}")
    _beside("take of nothing", lambda m: m.take(m.zeros((0, 3)), [], axis=0))
    _beside("take of an element that is not there", lambda m: m.take(m.zeros(0), 0))


def _with_warnings(name, function):
    """As _beside(), and both modules warn of slices alike."""
    found, warned = [], []
    for m in (mp, np):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            with np.errstate(all="ignore"):
                found.append(_done(function, m))
        told = [str(w.message).rstrip(".") for w in caught if w.category is RuntimeWarning]
        warned.append([t for t in told if "slice" in t])
    if isinstance(found[1], Exception):
        ok(isinstance(found[0], type(found[1])), f"{name} raises {type(found[1]).__name__}: {found[0]!r}")
    else:
        problem = repr(found[0]) if isinstance(found[0], Exception) else difference(*found, 1e-13)
        ok(not problem and warned[0] == warned[1], f"{name}: {problem} warned {warned}")


def check_too_few_elements():
    """Means of nothing by where=, and variances of no more elements than ddof: their values, and when they warn."""
    a = rng.standard_normal((2, 3))
    for named in ({"where": False}, {"where": True}, {"where": np.zeros((2, 3), bool)}, {"where": [True, False, True]},
                  {"where": [[True], [False]]}, {"ddof": 1}, {"ddof": 2}, {"ddof": 3.5}, {"ddof": 6}, {"ddof": np.nan},
                  {"ddof": np.inf}, {"ddof": 1, "where": [True, False, True]}):
        for name in ("var", "std") if "ddof" in named else ("mean", "var", "std", "nanmean", "nanvar"):
            for axis in (None, 0, 1):
                _with_warnings(f"{name} along {axis} with {named}",
                               lambda m: getattr(m, name)(m.asarray(a), axis=axis, **named))  # noqa: B023
    for shape, axis in (((0, 3), 1), ((3, 0), 0), ((0, 0), 1), ((2, 0), 1), ((2, 1), 1), ((2, 1), None)):
        for where in (True, False, [[False]], np.ones((5, 2, 3), bool), np.ones((2, 3), bool)):
            for name in ("sum", "mean", "var", "nanmean", "nansum"):
                _with_warnings(f"{name} of {shape} along {axis} where is {np.shape(where)} {np.any(where)}",
                               lambda m: getattr(m, name)(m.zeros(shape), axis=axis, where=where))  # noqa: B023


def check_things_that_are_no_numbers():
    """== and != with lists of texts and other things, as NumPy 2; fill() with what is no number."""
    a = np.array([[1.0, 2.0], [3.0, 4.0]])
    x = mp.asarray(a)
    for things in (["a"], ["a", "b"], [["a"], ["b"]], [None], [None, 2.0], (b"x", 1), [1, "a"],
                   [[None, 2], [3j, object()]]):
        table = np.empty(np.shape(things), object)
        table[...] = things
        texts = any(isinstance(v, (str, bytes)) for v in table.ravel())  # beside which NumPy's numbers are texts
        want = np.array([[False if texts else v == t for v, t in zip(*pair)]
                         for pair in zip(a, np.broadcast_to(table, a.shape))])
        same(f"== and != {things}", (x == things, things == x, x != things), (want, want, ~want))
    raises(ValueError, "broadcast", "== of another shape", lambda: x == ["a", "b", "c"])
    raises(TypeError, "no arrays of", "less than texts", lambda: x < ["a"])
    for value in ([1], [1, 2], np.array([3]), mp.array([3.0])):
        raises(ValueError, "sequence", f"fill({value})", lambda: x.fill(value))  # noqa: B023
    same("after that", x, a)
    for value in (2, np.float32(3), np.array(4), mp.array(5)):
        x.fill(value)
        same(f"fill({value})", x, np.full((2, 2), float(value)))


def check_initial_values():
    """initial= becomes one of the result's dtype, as NumPy casts it."""
    for dtype in ("bool", "uint8", "int32", "int64", "float32"):
        a = np.array([[1, 0, 3], [2, 5, 1]]).astype(dtype)
        of = {mp: mp.asarray(a), np: a}
        for name in ("sum", "prod", "max", "min", "nanmax"):
            for initial in (2, 1.75, 0.0, True, np.float32(2.5), np.int64(3)):
                for axis in (None, 0):
                    _beside(f"{name} of {dtype} from {initial!r} along {axis}",
                            lambda m: getattr(m, name)(of[m], axis=axis, initial=initial))  # noqa: B023
        _beside(f"sum of {dtype} in int16", lambda m: m.sum(of[m], dtype="int16", initial=2.5))  # noqa: B023
    raises(OverflowError, "", "infinity among integers", lambda: mp.max(mp.arange(3), initial=np.inf))


def check_arguments_of_reductions():
    """What is given by its place is given once, and there are so many places."""
    for name, function in {
        "an argument by its place and its name": lambda m: m.sum(m.ones((2, 3)), 0, None, dtype="float32"),
        "more arguments than there are": lambda m: m.max(m.ones(3), 0, None, False, 0, True, 5),
        "a mean of nothing along an axis that is not there": lambda m: m.mean(m.zeros((0, 3)), axis=4),
        "a quantile of that": lambda m: m.quantile(m.zeros((0, 3)), 0.5, axis=4),
    }.items():
        _beside(name, function)


def check_errors():
    """What is raised is caught by what catches NumPy's errors."""
    x, a = pair((2, 3))
    of = {mp: x, np: a}
    for name, function in {
        "an axis that is not there": lambda m: m.sum(of[m], axis=2),
        "too many axes": lambda m: m.sum(of[m], axis=(0, 1, 2)),
        "an axis given twice": lambda m: m.sum(of[m], axis=(0, 0)),
        "an axis of a scan": lambda m: m.cumsum(of[m], axis=2),
        "rollaxis": lambda m: m.rollaxis(of[m], 2),
        "convolve of a matrix": lambda m: m.convolve(of[m], m.ones(2)),
        "correlate with a matrix": lambda m: m.correlate(m.ones(2), of[m]),
        "vsplit of a vector": lambda m: m.vsplit(m.ones(3), 1),
        "dsplit of a matrix": lambda m: m.dsplit(of[m], 1),
        "resize": lambda m: m.resize(of[m], (-1,)),
        "insert": lambda m: m.insert(m.ones(3), 5, 1),
        "lexsort of nothing": lambda m: m.lexsort(()),
        "bincount of floats": lambda m: m.bincount(m.ones(3)),
        "bincount of a matrix": lambda m: m.bincount(m.ones((2, 2), int)),
        "take at floats": lambda m: m.take(of[m], m.ones(2)),
        "ptp of bools": lambda m: m.ptp(m.ones(2, bool)),
        "polyfit": lambda m: m.polyfit(m.ones(3), m.ones(2), 1),
        "select": lambda m: m.select([m.ones(2, bool)], [m.ones(2), m.ones(2)]),
        "transpose": lambda m: of[m].transpose(()),
        "unravel_index": lambda m: m.unravel_index(100, (3, 3)),
        "ravel_multi_index": lambda m: m.ravel_multi_index((5, 5), (3, 3)),
    }.items():
        _beside(name, function)
    raises(_AxisError, "axis 2", "NumPy's own class", lambda: mp.max(x, axis=2))
    raises(mp.AxisError, "axis -3", "and ours", lambda: mp.argsort(x, axis=-3))


def check_keywords():
    """Arguments that are rarely given, and what functions take beside arrays."""
    for name, function in {
        "geomspace along an axis": lambda m: m.geomspace([1, 2], [8.0, 32], 4, axis=1),
        "geomspace of negative numbers": lambda m: m.geomspace([-1, 2], [-8.0, 32], 4),
        "geomspace of complex numbers": lambda m: m.geomspace(1 + 1j, [2, 3], 5, endpoint=False),
        "geomspace to 0": lambda m: m.geomspace(1, [0, 3], 5),
        "logspace of arrays": lambda m: m.logspace([0, 1], [2, 3], 4, axis=-1),
        "logspace of a complex number": lambda m: m.logspace(0, 1j, 4),
        "linspace along an axis": lambda m: m.linspace([0, 1], 5, 4, axis=1),
        "concatenate of a dtype": lambda m: m.concatenate([m.ones(2), m.ones(3)], dtype="float32"),
        "concatenate of a narrower one": lambda m: m.concatenate([m.ones(2), m.ones(3)], dtype=int),
        "which is asked for": lambda m: m.concatenate([m.ones(2), m.ones(3)], dtype=int, casting="unsafe"),
        "stack of a dtype": lambda m: m.stack([m.ones(2), m.ones(2)], dtype=int, casting="unsafe"),
        "vstack of a dtype": lambda m: m.vstack([m.ones(2), m.ones(2)], dtype="float32"),
        "hstack of a narrower one": lambda m: m.hstack([m.ones(2), m.ones(2)], dtype=int),
        "angle of bools": lambda m: m.angle(m.array([True, False])),
        "clip of a list": lambda m: m.clip([1, 2, 3], 0, 2),
        "setxor1d of sets": lambda m: m.setxor1d(m.arange(4), [1, 9], assume_unique=True),
        "trace": lambda m: m.trace(m.arange(12).reshape(3, 4), 1),
        "isin by a method": lambda m: m.isin(m.arange(4), [1, 3], kind="sort"),
        "eye without a dtype": lambda m: m.eye(3, dtype=None),
        "astype by a rule": lambda m: m.ones(3).astype(int, casting="safe"),
        "astype by a rule that holds": lambda m: m.ones(3, int).astype(float, casting="safe"),
        "bincount of an empty list": lambda m: m.bincount([]),
        "bincount of a number": lambda m: m.bincount(m.array(3)),
        "ascontiguousarray of a number": lambda m: m.ascontiguousarray(3.0),
    }.items():
        with np.errstate(invalid="ignore"):
            _beside(name, function, 1e-12)
    bases, powers = np.array([2.0, 3]), np.linspace([0, 1], [2, 3], 2)
    same("logspace of bases", (mp.logspace([0, 1], [2, 3], 2, base=bases), mp.logspace([0, 1], [2, 3], 2, base=bases, axis=-1),
                               mp.logspace(0, 2, 3, base=bases)),
         (bases**powers, (bases**powers).T, bases ** np.array([[0.0], [1], [2]])), 1e-14)
