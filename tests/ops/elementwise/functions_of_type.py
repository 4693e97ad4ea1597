# SPDX-License-Identifier: BSD-3-Clause
"""Every function of include/maniple/ufunc_table.h in every type that it is computed in, against NumPy.

Many functions go into one expression, as each kernel is a compilation.  What is exact in NumPy must be equal to the
bit; other functions are within 4 units in the last place of what long double gives (floats of two bytes: 1), complex
ones within 8 units of their modulus.
"""

import math
import os
import re

import maniple as mp
import numpy as np

try:
    import ml_dtypes
except ImportError:
    ml_dtypes = None

np.seterr(all="ignore")
rng = mp.random()
NAMES = {"?": "bool", "b": "int8", "h": "int16", "i": "int32", "l": "int64", "B": "uint8", "H": "uint16", "I": "uint32",
         "L": "uint64", "e": "float16", "E": "bfloat16", "f": "float32", "d": "float64", "F": "complex64",
         "D": "complex128"}
DTYPES = {letter: np.dtype(ml_dtypes.bfloat16) if name == "bfloat16" and ml_dtypes else
          None if name == "bfloat16" else np.dtype(name) for letter, name in NAMES.items()}


# --- the table --------------------------------------------------------------------------------------------------------

def read_table():
    """Functions {name: (number of inputs, loops, results)}; a loop is the letters of its inputs."""
    path = os.path.join(os.environ["srcdir"], "include", "maniple", "ufunc_table.h")
    with open(path, encoding="utf-8") as file:
        text = file.read().replace("\\\n", "")
    macros = dict(re.findall(r"#define (MNP_LOOPS_\w+) (.*)", text))

    def expand(words):
        return "".join(word[1:-1] if word[0] == '"' else expand(macros[word])
                       for word in re.findall(r'"[^"]*"|MNP_\w+', words))

    table = {}
    rows = re.findall(r'X\((\w+), (\d), (\d), ((?:"[^"]*"|MNP_\w+|\s)+), "([^"]*)", "', text)
    for name, inputs, _, words, results in rows:
        items, count = expand(words).split(), int(inputs)
        mark = items.pop(0) if items[0] in "!/tc" else ""
        loops = [item if len(item) > 1 else ("?" + item * (count - 1) if mark == "c" else item * count)
                 for item in items]
        table[name] = (count, loops, results)
    return table


TABLE = read_table()


# --- inputs -----------------------------------------------------------------------------------------------------------

def special(letter):
    """Values at which functions are not smooth."""
    dtype = DTYPES[letter]
    if letter == "?":
        return np.array([False, True])
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        near = [0, 1, 2, 3, 7, info.max, info.max - 1, info.max // 2, info.min, info.min + 1]
        return np.array(near + ([-1, -2, -3] if info.min < 0 else [8, 15]), dtype)
    info = (ml_dtypes if letter == "E" else np).finfo(dtype)
    values = [0.0, 0.5, 1, 1.5, 2, 3, np.inf, info.max, info.tiny, info.tiny / 4, info.eps]
    return np.array(values + [-v for v in values] + [np.nan], np.float64).astype(dtype)


def ordinary(letter, count):
    dtype = DTYPES[letter]
    if letter == "?":
        return rng.integers(0, 2, count).astype(bool)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        anything = rng.integers(info.min, info.max, count, dtype, endpoint=True)
        return np.where(rng.random(count) < 0.5, anything, rng.integers(max(info.min, -20), 20, count).astype(dtype))
    spread = 10 ** rng.uniform(-4, 2, count) * rng.choice([-1, 1], count)
    return np.where(rng.random(count) < 0.7, rng.uniform(-5, 5, count), spread).astype(dtype)


def sample(letter, place):
    """Input number `place` of a function: all pairs of special values, then ordinary ones."""
    if letter in "FD":
        values = special(letter.lower())
        pairs = np.empty((len(values), len(values)), DTYPES[letter])
        pairs.real, pairs.imag = values[:, None], values
        rest = ordinary(letter.lower(), 300) + 1j * ordinary(letter.lower(), 300)
        pairs = pairs.ravel() if place == 0 else rng.permutation(pairs.ravel())
        return np.concatenate([pairs, rest.astype(pairs.dtype)])
    values = special(letter)
    count = 26 * len(values)
    pairs = np.repeat(values, 26) if place == 0 else np.tile(values, 26) if place == 1 else ordinary(letter, count)
    return np.concatenate([pairs, ordinary(letter, 1000 - count)])


# --- what is right ----------------------------------------------------------------------------------------------------

WIDER = {"e": np.float32, "E": np.float32, "f": np.longdouble, "d": np.longdouble, "F": np.clongdouble,
         "D": np.clongdouble}
WIDER_FUNCTIONS = """exp exp2 expm1 log log2 log10 cbrt sin cos tan arcsin arccos arctan arctan2 hypot sinh cosh tanh
    arcsinh arccosh arctanh power float_power""".split()  # computed in a wider type, to know the last places


def elementwise(function, otherwise):
    """A function of math's for arrays; `otherwise` gives its value where it raises an error."""
    def one(x):
        try:
            return function(x)
        except (ValueError, OverflowError):
            return otherwise(x)
    return lambda x: np.reshape([one(float(v)) for v in x.ravel()], x.shape)


def power(x, y):
    """Integers to negative powers are 1/x truncated."""
    if x.dtype.kind not in "iu":
        return np.power(x, y)
    inverse = np.where(x == 1, 1, np.where(x + 1 == 0, np.where(y % 2 == 0, 1, -1), 0)).astype(x.dtype)
    return np.where(y < 0, inverse, np.power(x, np.where(y < 0, y.dtype.type(0), y)))


def reciprocal(x):
    if x.dtype.kind not in "iu":
        return np.reciprocal(x)
    return np.where(x == 0, x, np.reciprocal(np.where(x == 0, x.dtype.type(1), x)))


def log1p(x):
    if x.dtype.kind != "c":
        return np.log1p(x.astype(np.longdouble))
    wide = x.astype(np.clongdouble)
    near = np.log1p(wide.real * (2 + wide.real) + wide.imag ** 2) / 2
    far = np.log(np.hypot(1 + wide.real, wide.imag))
    result = wide.copy()
    result.real, result.imag = np.where(np.abs(wide) < 0.5, near, far), np.arctan2(wide.imag, 1 + wide.real)
    return result


def isclose(x, y, relative, absolute):
    allowed = absolute.real + relative.real * np.abs(y)
    return ((np.abs(x - y) <= allowed) & np.isfinite(y)) | (x == y)


def nan_to_num(x):
    if x.dtype.name != "bfloat16":
        return np.nan_to_num(x)
    largest = ml_dtypes.finfo(x.dtype).max
    return np.where(np.isnan(x), x.dtype.type(0), np.clip(x, -largest, largest))


def sinc(x):
    wide = x.astype(np.float32) if x.dtype.itemsize == 2 else x
    y = wide.dtype.type(np.pi) * wide  # whose rounding is part of the function
    return np.where(x == 0, 1, np.sin(y.astype(np.clongdouble if x.dtype.kind == "c" else np.longdouble)) / y)


def of_integers(function):
    """A function that leaves integers as they are."""
    return lambda x: x if x.dtype.kind in "biu" else function(x)


RIGHT = {
    "power": power,
    "reciprocal": reciprocal,
    "log1p": log1p,
    "sinc": sinc,
    "isclose": isclose,
    "nan_to_num": nan_to_num,
    "floor": of_integers(np.floor),
    "ceil": of_integers(np.ceil),
    "trunc": of_integers(np.trunc),
    "round": of_integers(np.rint),
    "clip": lambda x, low, high: np.minimum(np.maximum(x, low), high),
    "abs2": lambda x: x.real * x.real + x.imag * x.imag if x.dtype.kind == "c" else np.multiply(x, x),
    "angle": lambda x: np.arctan2(x.imag, x.real),
    "bitwise_count": lambda x: np.reshape([bin(abs(int(v))).count("1") for v in x.ravel()], x.shape),
    "isposinf": lambda x: x == np.inf,
    "isneginf": lambda x: x == -np.inf,
    "fma": lambda x, y, z: x.astype(np.longdouble) * y.astype(np.longdouble) + z.astype(np.longdouble),
    "erf": elementwise(math.erf, None),
    "erfc": elementwise(math.erfc, None),
    "gamma": elementwise(math.gamma, lambda x: np.copysign(np.inf, x) if x > -1 else np.nan),
    "lgamma": elementwise(math.lgamma, lambda x: np.inf),
}


def right_values(name, letter, inputs):
    if name in WIDER_FUNCTIONS and letter in WIDER:
        inputs = [x.astype(WIDER[letter]) for x in inputs]
    values = RIGHT.get(name, getattr(np, name, None))(*inputs)
    return values if isinstance(values, tuple) else (values,)


EXACT_OF_COMPLEX = "add subtract negative positive conjugate real imag abs2 rint round nan_to_num where".split()
MULTIPLIED = "power float_power exp2 sinc".split()
LIBM = WIDER_FUNCTIONS + "log1p logaddexp logaddexp2 sinc angle erf erfc".split()


def allowed_error(name, letter):
    """In units of the last place."""
    if letter in "FD":  # where arguments are multiplied first, their rounding is multiplied too
        return 0 if name in EXACT_OF_COMPLEX else 100 if name in MULTIPLIED else 8
    if name in ("maximum", "minimum", "fmax", "fmin", "clip", "fma", "sign", "nextafter"):
        return 1  # either zero; NumPy rounds fma twice
    if letter not in WIDER or name not in LIBM + ["gamma", "lgamma"]:
        return 0
    return 1 if letter in "eE" else 16 if "gamma" in name else 6 if name == "erfc" else 4


def compared(name, letter, inputs, values):
    """Where: not beyond what NumPy itself gets right."""
    sizes = np.max([np.maximum(np.abs(x.real), np.abs(x.imag)) if letter in "FD" else np.abs(x) for x in inputs], 0)
    if name.startswith("logaddexp"):  # digits are lost where the larger one and a logarithm of 0 to 1 cancel
        return np.abs(values) > 0.5 * np.maximum(sizes, 1).astype(values.dtype)
    if name == "fma":  # what is right is computed with a few more bits, which cancellation uses up
        return (np.abs(values) > np.abs(inputs[2]) / 256) | ~np.isfinite(values) | (values == 0)
    if name == "lgamma":
        return (inputs[0] > 4) | ~np.isfinite(values)
    if name == "sinc" and letter not in "FD":
        return np.abs(values) > 1e-3
    if letter in "FD" and name in MULTIPLIED:
        moderate = [(np.abs(x) < 10) & (np.abs(x) > 1e-3) for x in [*inputs, values]]
        return np.all(moderate, axis=0)
    if letter in "FD" and name in ("multiply", "square", "sign"):  # overflow within
        return (sizes < 1e18) | np.isinf(sizes) & (name == "sign")
    if letter in "FD" and name == "isclose":  # a modulus may be rounded in two ways, which matters at the limit alone
        x, y, relative, absolute = inputs
        limit = absolute.real + relative.real * np.abs(y)
        return ~(np.abs(np.abs(x - y) - limit) <= 4 * np.finfo(x.dtype).eps * limit)
    if letter in "FD" and name == "expm1":
        return np.isfinite(values)
    if name == "spacing" and letter == "E":
        return inputs[0] != 0
    return np.ones(values.shape, bool)


# --- the test ---------------------------------------------------------------------------------------------------------

def check_values(name, loop, inputs, results):
    letter = loop[-1] if name == "where" else loop[0]
    want = right_values(name, letter, inputs)
    for number, (got, values) in enumerate(zip(results, want)):
        got = got.numpy()
        with_dtype = np.asarray(values).astype(got.dtype)
        where = compared(name, letter, inputs, with_dtype)
        title = f"{name} of {loop}" + (f", result {number + 1}" if len(want) > 1 else "")
        mp.check(title, got[where], with_dtype[where], ulp=allowed_error(name, letter))


def run_batch(batch, samples):
    """One expression of many functions: [(name, loop)]."""
    statements, outputs = [], []
    for number, (name, loop) in enumerate(batch):
        names = [f"r{number}_{k}" for k in range(len(TABLE[name][2]))]
        arguments = ", ".join(f"{NAMES[letter]}_{place}" for place, letter in enumerate(loop))
        statements.append(f"{', '.join(names)} = {name}({arguments})")
        outputs += names
    operands = {f"{NAMES[letter]}_{place}": values for (letter, place), values in samples.items()}
    results = dict(zip(outputs, mp.eval("\n".join(statements), outputs,
                                        **{name: mp.array(values) for name, values in operands.items()})))
    for number, (name, loop) in enumerate(batch):
        check_values(name, loop, [samples[letter, place] for place, letter in enumerate(loop)],
                     [results[f"r{number}_{k}"] for k in range(len(TABLE[name][2]))])


def run(letters):
    """The test: all loops whose first type of its own is among the letters."""
    work = [(name, loop) for name, (_, loops, _) in TABLE.items() for loop in loops
            if (loop[-1] if name == "where" else loop[0]) in letters and all(DTYPES[c] is not None for c in loop)
            and (name in RIGHT or hasattr(np, name)) and not (np.__version__ < "2" and (name == "sign" and loop in "FD"
                                                                                       or loop in ("lL", "Ll")))]
    work.sort(key=lambda item: item[1][-1])
    while work:
        batch, samples, outputs = [], {}, 0
        while work:
            name, loop = work[0]
            needed = {(letter, place): None for place, letter in enumerate(loop)}  # in the same order on all ranks
            outputs += len(TABLE[name][2])
            if len(needed.keys() | samples.keys()) + outputs > 32:
                break
            samples.update(needed)
            batch.append(work.pop(0))
        count = 10 ** 6
        for letter, place in sorted(samples):
            samples[letter, place] = sample(letter, place)
            count = min(count, len(samples[letter, place]))
        run_batch(batch, {key: values[:count] for key, values in samples.items()})
    mp.done()
