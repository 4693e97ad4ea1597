# SPDX-License-Identifier: BSD-3-Clause
"""Expressions that reduce, compared with NumPy: Python's own eval() of the same text says what is right."""

import warnings

import maniple as mp
import numpy as np

rng = mp.random()


def distribute(values):
    """A random layout, sometimes as a view of a larger array with steps and turned dimensions."""
    if values.ndim == 0 or rng.random() < 0.5:
        return mp.array(values, mp.random_layout(rng, values.shape))
    larger = np.repeat(values, 2, -1)[..., ::-1]
    x = mp.array(larger, mp.random_layout(rng, larger.shape))
    return x[(...,) + (slice(None),) * (values.ndim - 1) + (slice(None, None, -2),)]


def inputs(shape):
    """Arrays of many types, under the names that texts below use.  Sums of floats do not cancel."""
    small = rng.integers(-9, 10, (5,) + shape)
    values = {"k": small[0].astype("int8"), "j": small[1].astype("int32"), "v": abs(small[2]).astype("uint8"),
              "flag": small[3] > 0, "h": (abs(small[4]) + 1).astype("float16")}
    values["x"] = rng.uniform(0.5, 3, shape).astype("float32")
    values["y"] = rng.uniform(0.5, 3, shape)
    values["c"] = (rng.uniform(0.5, 3, shape) + 1j * rng.uniform(0.5, 3, shape)).astype("complex64")
    values["g"] = np.where(rng.random(shape) < 0.3, np.nan, values["y"])
    return values


def right(text, values):
    """What Python makes of an expression, or of statements: then the last one's value."""
    names = {name: getattr(np, name) for name in dir(np) if not name.startswith("_")}
    names.update(values, abs=np.absolute, bool=np.bool_, int=np.int64)
    *before, last = text.split("; ")
    exec("; ".join(before), names)
    with np.errstate(all="ignore"):
        return np.asarray(eval(last, names))


def compare(texts, values, arrays, ulp=0):
    """Many expressions as outputs of one call, each of its own shape."""
    warnings.simplefilter("ignore", RuntimeWarning)  # of the mean of nothing
    got = mp.eval("; ".join(f"o{k} = {t}" for k, t in enumerate(texts)), [f"o{k}" for k in range(len(texts))], **arrays)
    for text, g in zip(texts, got if len(texts) > 1 else (got,)):
        mp.check(f"{text} of {values['x'].shape}", g, right(text, values), ulp)


# --- functions, types, axes -------------------------------------------------------------------------------------------

a = inputs((4, 5, 6))
x = {name: distribute(value) for name, value in a.items()}
scalars = {"two": 2, "half": 0.5}
a.update(scalars)
x.update(scalars)

compare(["sum(x * y)", "prod(j + 7, axis=2)", "min(x - y, axis=0)", "max(k * 2, axis=(0, 2))", "ptp(x / y, axis=-1)",
         "mean(x * half, axis=(1, 2), keepdims=True)", "var(x * y, axis=1)", "std(y - 1, axis=(0, 1), ddof=1)",
         "all(x > 0.6, axis=0)", "any(k == 3, axis=1, keepdims=True)", "count_nonzero(k * j, axis=(0, 1))",
         "argmin(abs(k), axis=1)", "argmax(x * y)", "argmax(-j, axis=-1, keepdims=True)"], a, x, ulp=64)
compare(["nansum(g * 2, axis=0)", "nanmin(g + x, axis=(0, 1))", "nanmean(g - 0.25, axis=-1)", "nanvar(g * g)",
         "nanargmin(-g)", "max(g + 1, axis=0)", "argmin(g + 1, axis=0)"], a, x, ulp=64)
compare(["sum(v + v)", "sum(flag & (k > 0), 0)", "mean(k + j)", "sum(h * two, axis=0)",
         "sum(c * c.conj(), axis=1)", "sum(k * 1.5, dtype=float32)",
         "sum(k, -1, int16)", "prod(flag, dtype=bool)", "max(flag & True)",
         "sum(x.sum(axis=0))", "(x * y).sum(axis=(0, -1), keepdims=True)", "(y - x).max(1)"], a, x, ulp=64)
mp.check("numbers alone", mp.eval("p = sum(3); q = mean(two * 1.5); r = max(two)", "p q r", **scalars),
         (np.sum(3), np.mean(3.0), np.max(2)))
mp.check("min and max of two values, and of one", mp.eval("p = max(min(x, y), 1); q = max(min(x, y)) + min(j, 3)",
                                                          "p q", **x),
         (np.maximum(np.minimum(a["x"], a["y"]), 1), np.minimum(a["x"], a["y"]).max() + np.minimum(a["j"], 3)))

# --- around and within each other -------------------------------------------------------------------------------------

# the first is far from 0, where digits are lost
compare(["5 + (x - mean(x, axis=0, keepdims=True)) / std(x, axis=0, keepdims=True)",
         "x / sqrt(sum(x*x))",
         "sum((y - mean(y))**2) / two",
         "exp(x - max(x, axis=-1, keepdims=True)) / sum(exp(x - max(x, axis=-1, keepdims=True)), -1, keepdims=True)",
         "max(sum(y * y, axis=0), axis=1) - min(sum(y, axis=(0, 2)))",
         "sum(j * (j > mean(j)), axis=1)"], a, x, ulp=1 << 14)
text = """
    s = sum(x*x)          # a temporary
    r = sqrt(s); n = x / r
    low = min(n); high = max(n)
    m = mean(n, axis=0)
"""
norm = np.sqrt(np.sum(a["x"] * a["x"]))
unit = a["x"] / norm
mp.check("statements", mp.eval(text, "r n low high m", x=x["x"]), (norm, unit, unit.min(), unit.max(), unit.mean(0)),
         ulp=8)
mp.check("q, r = divmod", mp.eval("q, r = divmod(sum(j * j), 7); q = q + r", "q r", j=x["j"]),
         (sum(divmod(np.sum(a["j"] * a["j"]), 7)), np.sum(a["j"] * a["j"]) % 7))
mp.check("the last value", mp.eval("t = x * x; mean(t)", [""], x=x["x"]), np.mean(a["x"] * a["x"]), ulp=4)
mp.check("one value twice", mp.eval("s = sum(j + 1); t = s; u = s + 1", "s t u", j=x["j"]),
         (np.sum(a["j"] + 1), np.sum(a["j"] + 1), np.sum(a["j"] + 1) + 1))
mp.check("outputs of several shapes", mp.eval("p = y + 1; q = w * 2; r = w - 1; s = sum(y * w)", "p q r s", y=x["y"],
                                              w=x["y"][0, 0]),
         (a["y"] + 1, a["y"][0, 0] * 2, a["y"][0, 0] - 1, np.sum(a["y"] * a["y"][0, 0])), ulp=8)
i0, i1, i2 = np.indices((4, 5, 6))
flat = np.arange(120).reshape(4, 5, 6)
mp.check("indices are those of what is reduced", mp.eval("p = sum(x * i1, axis=0) * i0; q = max(where(x > 2, i, -1)); "
                                                         "s = sum(j * n + n1)", "p q s", x=x["x"], j=x["j"]),
         (np.sum(a["x"] * i1, axis=0) * np.arange(5)[:, None], np.max(np.where(a["x"] > 2, flat, -1)),
          np.sum(a["j"].astype(int) * 120 + 5)), ulp=8)
mp.check("a name that functions have too", mp.eval("z = sum(sum * mean)", sum=x["j"], mean=2), np.sum(a["j"] * 2))

# --- shapes -----------------------------------------------------------------------------------------------------------

for shapes in [((4, 1, 3), (5, 1)), ((7,), ()), ((2, 3), (0, 1, 3)), ((), ()), ((1,), (3, 1))][:5 if mp.FULL else 3]:
    b = {"x": rng.uniform(1, 2, shapes[0]), "y": rng.uniform(1, 2, shapes[1])}
    arrays = {name: distribute(np.asarray(value)) for name, value in b.items()}
    compare(["sum(x * y)", "x - sum(x * y, axis=None, keepdims=True) * y"], b, arrays, ulp=16)
b = {"x": np.zeros((3, 0, 2)), "y": np.ones((3, 0, 2))}
arrays = {name: distribute(value) for name, value in b.items()}
compare(["sum(x * y)", "prod(x + y, axis=1)", "mean(x - y, axis=1)", "max(x * y, axis=0)", "any(x > y)"], b, arrays)
b = inputs((300, 7, 32))
for shape in [(300, 224), (67200,)]:
    b = {name: value.reshape(shape) for name, value in b.items()}
    arrays = {name: distribute(value) for name, value in b.items()}
    compare(["sum((x - y)**2)", "mean(x * y, axis=0)", "argmax(abs(y - 1.5), axis=-1)"], b, arrays, ulp=4096)

g = np.concatenate([[np.nan, 5.0], np.full(300, 7.0), [2.0, 2.0, np.nan, 9.0]])
gs = mp.array(g)
mp.check("NaN before what is sought",
         mp.eval("p = nanargmin(g); q = nanargmax(g * 2); r = nanargmax(-g)", "p q r", g=gs),
         (np.int64(302), np.int64(305), np.int64(302)))

# --- outputs that are given -------------------------------------------------------------------------------------------

z = distribute(np.zeros(6, "float32"))
mp.check("of another kind of float", mp.eval("z = sum(x * y, axis=(0, 1))", out={"z": z}, **x),
         np.sum(a["x"] * a["y"], axis=(0, 1)).astype("float32"), ulp=4)
mp.check("twice", mp.eval("z = sum(x * y, axis=(0, 1)); w = z + 1", "z w", out={"z": z}, **x),
         (np.sum(a["x"] * a["y"], axis=(0, 1)).astype("float32"), np.sum(a["x"] * a["y"], axis=(0, 1)) + 1), ulp=8)
values = a["y"][0].copy()
p, q = distribute(values.copy()), distribute(values[0].copy())
mp.check("in place", mp.eval("x = x / sum(x, axis=0); s = max(x)", "x s", x=p, out={"x": p}),
         (values / values.sum(0), (values / values.sum(0)).max()), ulp=8)
row = np.arange(1.0, 21.0)
s = mp.array(row, mp.random_layout(rng, (20,)))
mp.eval("a = sum(x.real * y) + x; b = mean(y) + y", "a b", x=s[:10], y=s[10:], out={"a": s[10:], "b": s[:10]})
mp.check("all values are read before any is written", s,
         np.concatenate([row[10:] + row[10:].mean(), row[:10] + np.sum(row[:10] * row[10:])]), ulp=4)
mp.check("again", mp.eval("z = sum(x * y, axis=(0, 1))", out={"z": z}, **x), mp.eval("z = sum(x * y, axis=(0, 1))", **x)
         .numpy().astype("float32"))

# --- what is refused, and changes nothing -----------------------------------------------------------------------------

before = z.numpy()
for words, text in [("column 12: expected an axis", "z = sum(x, half)"), ("no option 'axes'", "z = sum(x * 2, axes=1)"),
                    ("axis, dtype, ddof, keepdims and where", "z = var(x, correction=1)"),
                    ("has no option 'dtype'", "z = max(x, dtype=float32)"),
                    ("given twice", "z = sum(x, axis=1, axis=0)"),
                    ("column 5: sum: axis 3 ", "z = sum(x * 2, axis=3)"), ("given twice", "z = sum(x, axis=(0, -3))"),
                    ("one axis, or all", "z = argmax(x, axis=(0, 1))"), ("True or False", "z = sum(x, keepdims=1)"),
                    ("expected an option by its name", "z = max(x * 2, axis=0, 1)"),
                    ("expected a type", "z = sum(x, dtype=flat)"), ("lacks its argument x", "z = sum()"),
                    ("bools have no difference", "z = ptp(flag)"), ("is a function", "z = sum + 1"),
                    ("no dimension 3", "z = sum(x * i3)"), ("takes two values", "z = max(x, y, 3)"),
                    ("did you mean 'mean'", "z = meen(x)"), ("function 'middle'\n", "z = middle(x)"),
                    ("of floats or complex", "z = mean(x, dtype=int8)"),
                    ("without a cast", "z = sum(c * 2)"), ("without a cast", "z = sum(c)")]:
    mp.fails("MNP_ERR_ARG", words, mp.eval, text, out={"z": z}, **x)
mp.fails("MNP_ERR_ARG", "(3, 0)", mp.eval, "s = sum(x); z = max(x * y)", "s z", x=mp.array(np.zeros((3, 0))), y=2)
mp.fails("MNP_ERR_ARG", "broadcast", mp.eval, "z = sum(x + y)", x=x["x"], y=mp.array(np.zeros(4)))
mp.fails("MNP_ERR_ARG", "(6,)", mp.eval, "z = sum(x * 2, axis=2); w = z + 1", "z w", x=x["x"], out={"z": z})
mp.fails("MNP_ERR_ARG", "(6,)", mp.eval, "z = sum(x * 2)", x=x["x"], out={"z": z})
mp.fails("MNP_ERR_ARG", "no dimension 0", mp.fromfunction, "i0 - mean(i0)", None, 1, [4])
mp.check("nothing has changed, and the context works", mp.eval("w = z", "w", z=z), before)

# --- random expressions -----------------------------------------------------------------------------------------------


def random_text(depth):
    """Of arrays of one shape; a reduction keeps its axes, so that all broadcast."""
    if depth == 0:
        return str(rng.choice(["y", "j", "k", "flag", "(j * two)", "(y + half)", "(y - 0.5)"]))
    parts = [random_text(depth - 1) for _ in range(2)]
    axis = str(rng.choice(["0", "1", "-1", "(0, 2)", "None"]))
    forms = ["({0} + {1})", "({0} * {1})", "maximum({0}, {1})", "({0} > {1})", "abs({0})", "square({0})"]
    forms += [f"{name}({{0}}, axis={axis}, keepdims=True)" for name in ("sum", "mean", "max", "count_nonzero", "any")]
    return str(rng.choice(forms)).format(*parts)


def within(text, got):
    """A point: off by no more than what rounding does.  Two levels of sums of up to 120 terms may each be off by 120
    roundings of the sum of their magnitudes, and squares and products double that; integers are exact."""
    larger = text.replace("y - 0.5", "y + 0.5").replace(" > ", " * 0 + 1 + 0 * ")  # without a difference; truth is 1
    magnitudes = right(larger, {name: np.abs(value) for name, value in a.items()})
    got, want = got.numpy(), right(text, a)
    bound = 4 * 120 * np.finfo(want.dtype).eps * magnitudes if want.dtype.kind == "f" else 0
    good = got.dtype == want.dtype and got.shape == want.shape and bool(np.all(np.abs(got * 1.0 - want) <= bound))
    mp.ok(good, f"random: {text}" + ("" if good else ": " + mp.difference(got, want)))


wanted = 4 if mp.FULL else 2
while wanted:
    text = random_text(2)
    if not any(name in text for name in ("sum", "mean", "max(", "count", "any")) or text.isalnum():
        continue
    wanted -= 1
    within(text, mp.eval("z = " + text, **x))
mp.done()
