# SPDX-License-Identifier: BSD-3-Clause
"""Expressions compared with NumPy: where the language is Python's, Python's own eval() says what is right."""

import maniple as mp
import numpy as np

rng = mp.random()
modern = int(np.__version__.split(".")[0]) >= 2  # integers out of bounds are errors there


def distribute(values):
    """A random layout, sometimes as a view of a larger array with steps and turned dimensions."""
    if values.ndim == 0 or rng.random() < 0.5:
        return mp.array(values, mp.random_layout(rng, values.shape))
    larger = np.repeat(values, 2, -1)[..., ::-1]
    x = mp.array(larger, mp.random_layout(rng, larger.shape))
    return x[(...,) + (slice(None),) * (values.ndim - 1) + (slice(None, None, -2),)]


def inputs(shape):
    """Arrays of many types, under the names that texts below use."""
    small = rng.integers(-9, 10, (6,) + shape)
    values = {"k": small[0].astype("int8"), "j": small[1].astype("int32"), "v": abs(small[2]).astype("uint8"),
              "u": abs(small[3]).astype("uint64"), "flag": small[4] > 0, "h": small[5].astype("float16")}
    values["x"] = rng.uniform(-3, 3, shape).astype("float32")
    values["y"] = rng.uniform(-3, 3, shape)
    values["c"] = (rng.uniform(-3, 3, shape) + 1j * rng.uniform(-3, 3, shape)).astype("complex64")
    return values


def where(condition, yes, no):
    """numpy.where, but as strict with integers out of bounds as all other functions."""
    np.add(yes, no)
    return np.where(condition, yes, no)


def right(text, values):
    """What Python makes of an expression."""
    names = {name: getattr(np, name) for name in dir(np) if not name.startswith("_")}
    names.update(values, abs=np.absolute, bool=np.bool_, int=np.int64, where=where)
    return np.asarray(eval(text, names))


def compare(name, texts, values, arrays, ulp=0, known=None):
    """Evaluate many expressions in one kernel; `known` has the answers where Python has other words."""
    if len(texts) > 18:
        compare(name, texts[18:], values, arrays, ulp)
        texts = texts[:18]
    wanted = [right(t, values) for t in texts] if known is None else known
    got = mp.eval("; ".join(f"o{k} = {t}" for k, t in enumerate(texts)), [f"o{k}" for k in range(len(texts))], **arrays)
    for text, g, w in zip(texts, got if len(texts) > 1 else (got,), wanted):
        mp.check(f"{name}: {text}", g, w, ulp)


# --- the language -----------------------------------------------------------------------------------------------------

a = inputs((5, 6))
x = {name: distribute(value) for name, value in a.items()}
scalars = {"two": 2, "half": 0.5, "yes": True, "unit": 1j}
a.update(scalars)
x.update(scalars)

compare("operators", [
    "-x**2", "2**-x", "x**2 - y*2", "flag**2", "k**2", "c**2", "y**-1", "y**3", "v**k.clip(0, 3)",
    "-2**2 * k", "2**3**2 * j", "(k + 1) * 2 - -k", "k // 3 * 3 + k % 3", "7 // 2 / 2 * x",
    "k << 1 << 1", "~k & 3 | 4 ^ 1", "v & 1 == 1", "k + j * u", "flag | (x > 0)", "~flag", "x < y",
    ] + (["k == 300", "k < 300", "v >= -1", "k != 1000000"] if modern else []), a, x, ulp=4)
compare("types", [
    "x * 2.5", "x * two", "x * half * pi", "h * 2.5", "h * two", "k + True", "k + yes", "flag + 1", "flag + yes",
    "k / 2", "k * 1.5", "v * 2j", "x * unit", "x * 1e-3", "k + two", "h / k", "c.real", "c.imag * 2", "abs(c)", "c * 2",
    "c + y",
    "x.astype(float16)"], a, x, ulp=4)
compare("functions", [
    "sqrt(abs(x))", "3*sin(-y)*x", "hypot(x, y)", "where(flag, 1, 2.5)", "clip(k, -2, 3)",
    "maximum(x, y)", "minimum(k, 3)", "arctan2(y, x)", "exp(-x) / (1 + exp(-x))", "isfinite(x / 0)", "isnan(x - nan)",
    "float32(y)", "int32(x * 2)", "sin(2) * x", "x + inf", "conj(c) * c", "int64(7.9) + k", "floor(y) + e", "c.conj()",
    "isclose(x, y, 1e-2)", "round(x)", "k.round()", "k.clip(0, 2)", "logical_xor(k, flag)"], a, x, ulp=8)
compare("words of our own", [
    "0 < x < 1", "-1 <= k < two <= v", "x and y", "k or flag", "not k", "x if flag else 2", "flag ? k : v",
    "x * (1 if flag else 2.5)",
    "1 if x > 1 else 0 if x > 0 else -1", "not x > 0 and y > 0", "min(x, y)", "max(k, 3)", "fma(x, 2, 1)",
    "gamma(4.0) * x"], a, x, ulp=1, known=[
        (0 < a["x"]) & (a["x"] < 1), (-1 <= a["k"]) & (a["k"] < 2) & (2 <= a["v"]), (a["x"] != 0) & (a["y"] != 0),
        (a["k"] != 0) | a["flag"], a["k"] == 0, np.where(a["flag"], a["x"], np.float32(2)),
        np.where(a["flag"], a["k"], a["v"]), a["x"] * np.where(a["flag"], np.float32(1), np.float32(2.5)),
        np.where(a["x"] > 1, 1, np.where(a["x"] > 0, 0, -1)), ~(a["x"] > 0) & (a["y"] > 0), np.minimum(a["x"], a["y"]),
        np.maximum(a["k"], np.int8(3)), np.float32(a["x"] * 2.0 + 1.0), np.float64(6) * a["x"]])
compare("clips at numbers that the type has not", ["clip(v, -1, 5)", "clip(v, 2, 300)", "k.clip(-300, 300)"], a, x, known=[
    np.clip(a["v"], 0, 5), np.clip(a["v"], 2, 255), a["k"]])

got = mp.eval("""
    r = hypot(x, y)        # a temporary
    r2 = r*r; inside = r < 2
    q, left = divmod(j, 4)
    total = 1; total += k; total *= 2
    z = (r2 +
         1)
    k = k + \\
        1.5
""", "r2 inside q left total z k", **x)
r = np.hypot(a["x"], a["y"])
for name, g, w in zip("r2 inside q left total z k".split(), got,
                      (r * r, r < 2, a["j"] // 4, a["j"] % 4, (1 + a["k"]) * np.int8(2), r * r + 1, a["k"] + 1.5)):
    mp.check(f"statements: {name}", g, w, ulp=4)
mp.check("the value of the last statement", mp.eval("t = x*x; t + 1", [""], x=x["x"]), a["x"] * a["x"] + 1)
mp.check("also where it has a name", mp.eval("t = k + 1", [""], k=x["k"]), a["k"] + np.int8(1))
mp.check("names of inputs come first", mp.eval("z = (e + n * n * i) * sin(sin)", e=1.5, n=x["k"], i=2, sin=x["y"]),
         (1.5 + a["k"] * a["k"] * 2) * np.sin(a["y"]), ulp=4)

# --- shapes, layouts, indices -----------------------------------------------------------------------------------------

b = {"x": rng.standard_normal((4, 1, 3)), "y": rng.standard_normal((5, 1)), "w": rng.standard_normal(()), "s": 2.5}
for shape in [(4, 1, 3), (0, 1, 3)]:
    b["x"] = rng.standard_normal(shape)
    arrays = {name: distribute(np.asarray(value)) for name, value in b.items() if name != "s"}
    mp.check(f"broadcast from {shape}", mp.eval("z = x*s - y + w*x", **arrays, s=2.5),
             b["x"] * 2.5 - b["y"] + b["w"] * b["x"])
    i0, i1, i2 = np.indices((shape[0], 5, 3))
    mp.check(f"indices of {shape}", mp.eval("z = x + y; z += (i0*100 + i1*10 + i2) * n + i + n1 / n2", **arrays),
             b["x"] + b["y"] + ((i0 * 100 + i1 * 10 + i2) * i0.size + np.arange(i0.size).reshape(i0.shape) + 5 / 3))
mp.check("numbers alone have no shape", mp.eval("z = s * 3 + 1", s=2.5), np.float64(8.5))
mp.check("whole numbers that an integer could hold", mp.eval("z = 1187353796428800.0 * s", s=2.5), np.float64(1187353796428800.0 * 2.5))
given = mp.array(np.zeros((3, 4)), mp.random_layout(rng, (3, 4)))
mp.check("but take that of an output", mp.eval("z = s + i1 * n0", s=2, out={"z": given}),
         np.tile(2.0 + np.arange(4) * 3, (3, 1)))
mp.check("a smaller input fills an output", mp.eval("z = y", y=mp.array(np.arange(4)), out={"z": given}),
         np.tile(np.arange(4.0), (3, 1)))
mp.check("fromfunction", mp.fromfunction("r = hypot(i0, i1 - n1 / 2); r * r", None, 2, [5, 4]),
         np.hypot(*np.meshgrid(np.arange(5), np.arange(4) - 2.0, indexing="ij")) ** 2, ulp=4)
mp.check("fromfunction of a given type", mp.fromfunction("i0 * 2", "float32", 1, [7]), np.float32(np.arange(7) * 2))
mp.check("fromfunction without dimensions", mp.fromfunction("3", "int8", 0, []), np.int8(3))
mp.check("fromfunction into an array", mp.fromfunction("i0 - i1 + 0.5", None, 2, [3, 4], out=given),
         np.subtract.outer(np.arange(3), np.arange(4)) + 0.5)

# --- outputs that are given -------------------------------------------------------------------------------------------

z = distribute(np.zeros((5, 6), "float32"))
mp.check("an output of another kind of float", mp.eval("z = y * 2", y=x["y"], out={"z": z}), np.float32(a["y"] * 2))
mp.check("an integer becomes a float", mp.eval("z = j", j=x["j"], out={"z": z}), a["j"].astype("float32"))
mp.check("in place", mp.eval("z = z*z - z", z=z, out={"z": z}), (a["j"] * a["j"] - a["j"]).astype("float32"))
p, q = distribute(a["x"].copy()), distribute(a["x"] * 2)
mp.check("swapped", mp.eval("t = p; p = q; q = t", "p q", p=p, q=q, out={"p": p, "q": q}), (a["x"] * 2, a["x"]))
row = np.arange(20.0)
s = mp.array(row, mp.random_layout(rng, (20,)))
mp.eval("z += x", x=s[:-1], z=s[1:], out={"z": s[1:]})
mp.check("overlapping views", s, np.concatenate([row[:1], row[1:] + row[:-1]]))
s = mp.array(row, mp.random_layout(rng, (20,)))
mp.eval("z = x", x=s[::-1], out={"z": s})
mp.check("reversed in place", s, row[::-1])

# --- outputs that are views of larger arrays --------------------------------------------------------------------------


def part(array, transposed):
    """5 x 6 elements of an array of 14 x 9, or of 11 x 13: turned and with steps backwards, or with steps."""
    return (mp.transpose(array, None) if isinstance(array, mp.Array) else array.T)[2:7, ::-2][:, 1:] if transposed else \
        array[1:-1:2][:, ::2][:, 1:]


for name, whole, transposed in [("transposed", rng.uniform(1, 2, (14, 9)), True),
                                ("with steps", rng.uniform(1, 2, (11, 13)).astype("float32"), False)]:
    for text in ["z = x * 2 + k", "z[1:-1] = x[1:-1] * 2", "z[..., ::2] += x[:, ::-2]\nz[0] = z[1] - z[-1]"]:
        larger = mp.array(whole, mp.random_layout(rng, whole.shape))
        view, wanted = part(larger, transposed), whole.copy()
        right_part = {"z": part(wanted, transposed), "x": a["x"], "k": a["k"]}
        exec(text if "[" in text.split("=")[0] else text.replace("z =", "z[:] ="), right_part)
        mp.eval(text, x=x["x"], k=x["k"], out={"z": view})
        mp.check(f"{text!r} into a view, {name}: all of the larger array", larger, wanted, ulp=2)

# --- what is refused, and changes nothing -----------------------------------------------------------------------------

before = z.numpy()
for words, text in [("expected ')'", "z = (x\n 2)"), ("did you mean 'hypot'", "z = hypott(x, x)"),
                    ("no dimension 2", "z = x + i2"), ("never assigned", "y = x"),
                    ("out of bounds for int8", "z = k + 200"), ("column 11: division by zero", "z = x * (1/0)"),
                    ("without a cast", "z = x * 1j")]:
    mp.fails("MNP_ERR_ARG", words, mp.eval, text, x=x["x"], k=x["k"], out={"z": z})
mp.fails("MNP_ERR_ARG", "cannot be the name", mp.eval, "z = x", x=x["x"], **{"2x": x["x"]})
mp.fails("MNP_ERR_ARG", "broadcast", mp.eval, "z = x + y", x=x["x"], y=mp.array(np.zeros(4)))
mp.fails("MNP_ERR_ARG", "(4, 4)", mp.eval, "z = x", x=x["x"], out={"z": mp.array(np.zeros((4, 4)))})
mp.fails("MNP_ERR_ARG", "two outputs", mp.eval, "z = x", ["z", "z"], x=x["x"])
mp.fails("MNP_ERR_ARG", "-3", mp.fromfunction, "i0", None, 1, [-3])
mp.check("nothing has changed, and the context works", mp.eval("w = z", "w", z=z), before)

# --- random expressions -----------------------------------------------------------------------------------------------


def random_text(depth):
    if depth == 0 or rng.random() < 0.1:
        leaves = ["k", "j", "v", "u", "flag", "h", "x", "y", "two", "half", "yes", "3", "-1", "200", "0.25", "True"]
        return str(rng.choice(leaves))
    parts = [random_text(depth - 1) for _ in range(3)]
    forms = ["({0} + {1})", "({0} - {1})", "({0} * {1})", "({0} / {1})", "({0} // {1})", "({0} % {1})", "({0} & {1})",
             "({0} | {1})", "({0} ^ {1})", "(-{0})", "(~{0})", "({0} < {1})", "({0} >= {1})", "({0} == {1})",
             "abs({0})", "minimum({0}, {1})", "sqrt({0})", "square({0})", "int16(logical_not({0}))",
             "float32({0})", "logical_and({0}, {1})", "({0} << 2)"]
    forms += ["where({0}, {1}, {2})", "floor({0})"] if modern else []
    return str(rng.choice(forms)).format(*parts)


good, refused, compared = [], [], 0
while len(good) < 44:
    text = random_text(int(rng.integers(1, 4)))
    try:
        wanted = right(text, a)
    except ZeroDivisionError:  # of scalars it is found when they are computed, and gives inf or nan
        continue
    except (TypeError, OverflowError, ValueError):  # integers computed from scalars wrap around here
        refused += [] if any(name in text for name in scalars) else [text]
        continue
    if wanted.ndim == 2 and wanted.dtype != np.object_:
        good.append(text)


def is_refused(text):
    try:
        mp.eval("z = " + text, **x)
    except mp.Error as error:
        return error.status == "MNP_ERR_ARG"
    return False


for start in range(0, len(good), 22):
    part = good[start:start + 22]
    compare("random", part, a, x, ulp=1)
if modern:
    lenient = [text for text in refused[:40] if not is_refused(text)]
    mp.ok(not lenient, f"what NumPy refuses is refused: {lenient}")
mp.done()
