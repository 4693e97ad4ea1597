# SPDX-License-Identifier: BSD-3-Clause
"""Element-wise functions through their C interface: each once; types, outputs, numbers, rounding, refusals."""

import itertools

import maniple as mp
import numpy as np

from functions_of_type import DTYPES, NAMES, RIGHT, TABLE, rng

np.seterr(all="ignore")
ALIASES = {"abs": "absolute", "acos": "arccos", "acosh": "arccosh", "asin": "arcsin", "asinh": "arcsinh",
           "atan": "arctan", "atan2": "arctan2", "atanh": "arctanh", "bitwise_invert": "invert",
           "bitwise_left_shift": "left_shift", "bitwise_not": "invert", "bitwise_right_shift": "right_shift",
           "conj": "conjugate", "mod": "remainder", "pow": "power", "true_divide": "divide"}
PUBLIC = [name for name in TABLE if name not in ("real", "imag", "round")]


# --- every function ---------------------------------------------------------------------------------------------------

def check_every_function():
    """In one type each, on arrays that lie differently, two of them broadcast."""
    shape = (5, 6)
    reals = [rng.uniform(1.1, 4, shape), rng.uniform(1.1, 4, shape[1:]), rng.uniform(0.5, 2, (5, 1)), np.array(0.25)]
    whole = [rng.integers(1, 7, shape), rng.integers(1, 7, shape[1:]), rng.integers(1, 7, (5, 1))]
    arrays = [[mp.array(a, mp.random_layout(rng, a.shape)) for a in group] for group in (reals, whole)]
    for name in PUBLIC:
        count, loops, results = TABLE[name]
        integers = not any(loop[0] in "fd" for loop in loops)
        values, operands = (whole, arrays[1]) if integers else (reals, arrays[0])
        values, operands = values[:count], operands[:count]
        if name in ("arcsin", "arccos", "arctanh"):  # within (-1, 1)
            values, operands = [values[0] / 5], [mp.divide(operands[0], 5)]
        if name == "lgamma":  # away from its zeros
            values, operands = [values[0] + 3], [mp.add(operands[0], 3)]
        if name == "ldexp":
            values, operands = [reals[0], whole[1]], [arrays[0][0], arrays[1][1]]
        want = RIGHT.get(name, getattr(np, name, None))
        if want is None:
            continue
        want = want(*np.broadcast_arrays(*values))
        got = getattr(mp, name)(*operands)
        want = want if isinstance(want, tuple) else (np.asarray(want).astype(got.dtype).reshape(shape),)
        mp.check(name, got if isinstance(got, tuple) else (got,), want, ulp=16)
    for alias, name in ALIASES.items():
        x = arrays[0 if any("d" in loop for loop in TABLE[name][1]) else 1]
        x = [mp.divide(x[0], 5), x[1]] if name in ("arcsin", "arccos", "arctanh") else x
        operands = x[:TABLE[name][0]]
        mp.check(f"{alias} is {name}", getattr(mp, alias)(*operands), getattr(mp, name)(*operands).numpy())


# --- types ------------------------------------------------------------------------------------------------------------

# in the order of mnp_dtype, which begins with MNP_DTYPE_AUTO
NUMBERED = [None] + sorted(NAMES, key=lambda letter: mp.call("dtype_parse", NAMES[letter]))
CASTINGS = ["no", "equiv", "safe", "same_kind", "unsafe"]


def check_types():
    """Promotion and casting against NumPy, which has ml_dtypes' rules for bfloat16; scalars count by kind."""
    known = [letter for letter in NUMBERED[1:] if DTYPES[letter] is not None]
    wrong = []
    for a, b in itertools.product(known, repeat=2):
        promoted = NUMBERED[mp.dtype_promote(NAMES[a], NAMES[b])]
        of_numpy = "E" not in a + b
        if promoted != PROMOTED_BFLOAT16.get((a, b), promoted):
            wrong.append((a, b, promoted))
        if of_numpy and DTYPES[promoted] != np.promote_types(DTYPES[a], DTYPES[b]):
            wrong.append((a, b, promoted))
        for number, casting in enumerate(CASTINGS):
            got = mp.can_cast(NAMES[a], NAMES[b], number)
            if of_numpy and got != np.can_cast(DTYPES[a], DTYPES[b], casting):
                wrong.append((a, b, casting, got))
    mp.ok(not wrong, f"promotion and casting of all pairs {wrong[:3]}")
    arrays = {letter: mp.zeros(NAMES[letter], 0, []) for letter in known if letter != "E"}
    wrong = []
    for a, b in itertools.product([*arrays, 2, 0.5, 1j, True], repeat=2):
        got = NUMBERED[mp.result_type(2, [arrays.get(a, a), arrays.get(b, b)])]
        want = np.result_type(*(np.zeros(1, DTYPES[k]) if k in arrays else k for k in (a, b)))
        if DTYPES[got] != want and not (a in WEAK and b in WEAK and np.__version__ < "2"):
            wrong.append((a, b, got))
    mp.ok(not wrong, f"result types, of scalars too {wrong[:3]}")


WEAK = (2, 0.5, 1j, True)
PROMOTED_BFLOAT16 = {("E", other): result for other, result in
                     zip("?bBhHiIlLeEfdFD", "EEEffddddfEfdFD")}


# --- outputs ----------------------------------------------------------------------------------------------------------

def check_outputs():
    a, b = rng.standard_normal((4, 7)), rng.standard_normal(7)
    x, y = mp.array(a, mp.random_layout(rng, a.shape)), mp.array(b, mp.random_layout(rng, b.shape))
    for dtype in ("float64", "float32", "float16", "complex64"):
        out = mp.array(np.zeros((4, 7), dtype), mp.random_layout(rng, a.shape))
        mp.ok(mp.multiply(x, y, out=out) is out, f"an output of {dtype} is reused")
        mp.check("and has the values", out, (a * b).astype(dtype))
    mp.check("in place", mp.subtract(x, 2.5, out=x), a - 2.5)
    quotient = mp.zeros("float32", 2, [4, 7])
    mp.check("one of two outputs is given", mp.divmod(x, 0.25, out=(quotient, None)),
             (np.floor_divide(a - 2.5, 0.25).astype("f4"), np.remainder(a - 2.5, 0.25)))
    mp.check("a part of an array", mp.negative(x[1:3], out=x[:2]), -(a - 2.5)[1:3])
    changed = a - 2.5
    changed[:2] = -changed[1:3].copy()
    mp.check("which overlaps the input", x, changed)


# --- integers as numbers ----------------------------------------------------------------------------------------------

def check_numbers():
    small = mp.array(np.array([0, 1, 200, 255], np.uint8))
    mp.check("a number takes the array's type", mp.add(small, 3), np.array([3, 4, 203, 2], np.uint8))
    mp.check("two numbers", mp.add(2, 0.5), np.array(2.5))
    mp.check("a comparison with what no uint8 is", mp.less(small, 300), np.ones(4, bool))
    mp.check("and from the other side", mp.greater(-1, small), np.zeros(4, bool))
    mp.fails("MNP_ERR_ARG", "300 does not fit uint8", mp.add, small, 300)
    mp.fails("MNP_ERR_ARG", "-1 does not fit uint8", mp.maximum, small, -1)
    mp.check("a clip leaves out limits beyond uint8", mp.clip(small, -1, 2), np.array([0, 1, 2, 2], np.uint8))
    mp.check("the upper one", mp.clip(small, 1, 300), np.array([1, 1, 200, 255], np.uint8))
    mp.check("both", mp.clip(small, -5, 300), np.array([0, 1, 200, 255], np.uint8))
    mp.fails("MNP_ERR_ARG", "300 does not fit uint8", mp.clip, small, 300, 400)
    mp.fails("MNP_ERR_ARG", "-1 does not fit uint8", mp.clip, small, -5, -1)
    whole = np.array([-2 ** 63, -1, 0, 2 ** 63 - 1])
    natural = np.array([0, 2 ** 64 - 1, 2 ** 63, 2 ** 63 - 1], np.uint64)
    mp.check("int64 and uint64 compare as integers", mp.less(mp.array(whole), mp.array(natural)),
             np.array([int(p) < int(q) for p, q in zip(whole, natural)]))


# --- round ------------------------------------------------------------------------------------------------------------

def check_round():
    values = rng.uniform(-2000, 2000, 40)
    for dtype in ("float64", "float32", "float16", "int32", "int8", "complex128"):
        a = values + 1j * values[::-1] if dtype == "complex128" else values / (20 if dtype == "int8" else 1)
        a = a.astype(dtype)
        for decimals in (0, 2, -2):
            if dtype == "float16" and decimals:
                continue
            mp.check(f"round of {dtype} to {decimals}", mp.round(mp.array(a), decimals), np.round(a, decimals))
    mp.check("around", mp.around(mp.array(values), 1), np.around(values, 1))


# --- one after the other ---------------------------------------------------------------------------------------------

def check_order():
    """Every call needs what the one before wrote last, or first, in another block of threads."""
    n, rounds = 1 << 21, 50 if mp.size == 1 else 2
    x, y = mp.zeros("float32", 1, [n]), mp.zeros("float32", 1, [n])
    for _ in range(rounds):
        mp.add(x[::-1], 1, out=y)
        mp.add(y[::-1], 1, out=x)
        mp.multiply(x, 1, out=y)
        mp.add(y, 1, out=x)
    mp.check(f"{4 * rounds} calls that depend on each other", x, np.full(n, 3 * rounds, np.float32))


# --- refusals ---------------------------------------------------------------------------------------------------------

def check_refusals():
    x, flags = mp.zeros("float64", 2, [3, 4]), mp.zeros("bool", 1, [4])
    mp.fails("MNP_ERR_ARG", "subtract is not defined for bool and bool", mp.subtract, flags, flags)
    mp.fails("MNP_ERR_ARG", "bitwise_and is not defined for float64 and bool", mp.bitwise_and, x, flags)
    mp.fails("MNP_ERR_ARG", "invert is not defined for float64", mp.invert, x)
    mp.fails("MNP_ERR_ARG", "the output is int32, to which the result's float64 cannot be cast", mp.sqrt, x,
             out=mp.zeros("int32", 2, [3, 4]))
    mp.fails("MNP_ERR_ARG", "the output is float32, to which the result's complex64 cannot be cast", mp.exp,
             mp.zeros("complex64", 0, []), out=mp.zeros("float32", 0, []))
    mp.fails("MNP_ERR_ARG", "cannot broadcast shapes (3, 4) and (3,)", mp.add, x, mp.zeros("float64", 1, [3]))
    mp.fails("MNP_ERR_ARG", "y is NULL", mp.add, x, None)
    mp.fails("MNP_ERR_ARG", "0 arrays", mp.result_type, 0, [])
    mp.check("and all still works", mp.cos(x), np.ones((3, 4)))


check_every_function()
check_types()
check_outputs()
check_numbers()
check_round()
check_order()
check_refusals()
mp.done()
