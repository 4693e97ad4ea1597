# SPDX-License-Identifier: BSD-3-Clause
"""Texts with brackets, assignments to parts of arrays, and functions of whole arrays, compared with what Python makes of
the same text with NumPy's functions."""

import maniple as mp
import numpy as np
import scipy.fft

rng = mp.random()


def distribute(values):
    """A random layout, sometimes as a view of a larger array."""
    values = np.asarray(values)
    if values.ndim == 0 or rng.random() < 0.6:
        return mp.array(values, mp.random_layout(rng, values.shape))
    larger = np.repeat(values, 2, -1)[..., ::-1]
    x = mp.array(larger, mp.random_layout(rng, larger.shape))
    return x[(...,) + (slice(None),) * (values.ndim - 1) + (slice(None, None, -2),)]


def python(text, names, values):
    """The variables of these names, after Python has run the text on copies of the values."""
    scope = {name: getattr(np, name) for name in dir(np) if not name.startswith("_")}
    scope.update(abs=np.absolute, max=np.max, min=np.min, trapezoid=getattr(np, "trapezoid", None) or np.trapz)
    scope.update({name: np.array(v) if isinstance(v, np.ndarray) else v for name, v in values.items()})
    with np.errstate(all="ignore"):
        exec(text, scope)
    return [np.asarray(scope[name]) for name in names]


def compare(text, values, names="z", ulp=4, given=(), label=None):
    """A point: the variables of these names are Python's.  Those in `given` are arrays that are written to."""
    wanted = python(text, names.split(), values)
    arrays = {name: distribute(v) if isinstance(v, np.ndarray) else v for name, v in values.items()}
    got = mp.eval(text, names, out={name: arrays[name] for name in given}, **arrays)
    mp.check(label or text.replace("\n", "; "), got if isinstance(got, tuple) else (got,), tuple(wanted), ulp)
    for name in given:
        mp.ok(not mp.difference(arrays[name], wanted[names.split().index(name)], ulp), f"{name} is changed in place")


def full(*texts):
    """Texts that the full tier alone runs, as they have kernels of their own and show nothing that others do not."""
    return list(texts) if mp.FULL else []


x = rng.uniform(-3, 3, 23)
u = rng.uniform(1, 3, (9, 7)).astype("float32")
v = rng.uniform(1, 3, (9, 7))
k = rng.integers(-9, 10, (4, 5, 6)).astype("int8")
small = {"x": x, "u": u, "v": v, "k": k, "row": rng.uniform(1, 2, 7), "a": 3, "b": -2}

# --- brackets on the right --------------------------------------------------------------------------------------------

for text in ["z = x[1:] - x[:-1]", "z = x[::-1] * 2", "z = x[-1] - x[a]", "z = x[a:b] + x[a + 1:b + 1]",
             "z = x[-a:]", "z = x[::b]", "z = u[:, None, :] * u[:, :, newaxis]", "z = u[..., 0] + u[..., -1]",
             "z = (u * v)[1:, ::2]", "z = (x * 2)[3]", "z = x[2:][::2][1:]", "z = x[:0]",
             "z = u[1:-1, 1:-1] + 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])",
             "t = x * x\nz = t[1:] - t[:-1] + sum(t[::2])", "z = mean(x[x > 0])", "z = k[1, ..., ::-2]",
             "z = x[int64(abs(x))]", "z = u[u[:, 0] > 2]", "z = u - row[None, :]", "z = k.sum(axis=0)[1:, 2] + 1"] + \
        full("z = x[5] + x", "z = u.T[1:] + v.T[:-1]", "z = sum(u[1:] * v[:-1], axis=0)", "z = k[k > 2]",
             "z = max(x[1:] - x[:-1]) + min(x[:3])"):
    compare(text, small, ulp=256)
compare("y = x[1:] * 2\nz = y[1:] - y[:-1]\ns = sum(abs(z))", small, "y z s", ulp=4096)

# --- assignments to parts ---------------------------------------------------------------------------------------------

steps = ["u[1:-1, 1:-1] += 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1])",
         "u[1:] = u[:-1]", "u[..., None] *= 2", "u[2, 3] = 5", "u[:, 1:3] = row[:2]", "u[u > 2] = 2",
         "u[:, ::2] = u[:, ::-2] + 1", "u[1] = u[0] + u[2]\nu[2] = u[1] * 2\nu[1:3] += u[:2]",
         "u[1:-1] /= sum(u, axis=0)", "u[:0] = 3", "t = u * 2\nt[1:] = u[:-1]\nu[:] = t[::-1]",
         "u[v > 2] = u[v > 2] * 3"]
steps += full("u[::-1] = u", "u[:, 0] = 7\nu[:, -1] = u[:, 1]\nu[0] = 2.5", "u[u > 2] -= 1", "u[a:, :b] = 0")
for text in steps:
    compare(text, small, "u", given=["u"])
compare("t = u + 0\nu[0] = 0\nz = t + u", small, "u z", given=["u"])
compare("u[0] = 0\nz = u + 1\nu[1] = 0", small, "u z")
compare("k[1:] = v[:3, :5, None] * 3\nz = k", small, "z")
compare("x[1:] += x[:-1]\ny = x[::-1] + 0\ny[0] = 3\nz = y - x", small, "x y z", given=["x"])
if mp.FULL:
    compare("x[2] = 4\nx[3:5] = 0", small, "x", given=["x"])
    compare("y = x + 0\ny[1:4] = x[4:1:-1]\nz = y * 2", small, "y z")
q = np.arange(20.0)
s = mp.array(q, mp.random_layout(rng, (20,)))
mp.eval("y[1:] = w[:-1] + y[1:]", "y", w=s, out={"y": s})
mp.check("an output is read by its name, and by another", s, np.concatenate([q[:1], q[1:] + q[:-1]]))

# --- functions of whole arrays ----------------------------------------------------------------------------------------

w = rng.uniform(1, 2, (5, 6))
g = np.where(rng.random((5, 6)) < 0.3, np.nan, w)
i = rng.integers(0, 6, (5, 6))
values = {"x": w, "h": w.astype("float32"), "j": i.astype("int16"), "g": g, "t": rng.permutation(12) * 0.5, "i": i,
          "c": w + 1j * i, "flag": w > 1.5, "m": rng.integers(0, 5, 12)}
calls = """
    median(x) median(j, axis=0) nanmedian(g, axis=0) percentile(x, 30) quantile(j, 0.25, axis=-1)
    nanquantile(g, 0.5, axis=1) nanpercentile(g, 25)
    cumsum(x) cumsum(j, axis=0) cumsum(j, 1, float32) cumprod(h, axis=-1) nancumsum(g, axis=0) nancumprod(g)
    x.cumsum(axis=1) diff(x) diff(x, axis=0) diff(t, prepend=0) ediff1d(t)
    gradient(t) trapezoid(x) trapezoid(t, dx=0.5) trapezoid(x, axis=0)
    sort(t) sort(x, axis=0) sort(j, axis=None) argsort(t) argsort(-x, axis=0)
    unique(j) isin(j, m) isin(j, m, invert=True) isin(j, 3) intersect1d(m, j) union1d(m, t) setdiff1d(j, m)
    setxor1d(m, j)
    average(x) average(x, weights=x * x) cov(x + 9 * t[:6]) cov(t, t * t) corrcoef(x + 9 * t[:6]) cov(t)
    bincount(m) bincount(m, minlength=9) bincount(m, weights=t) searchsorted(sort(t), x)
    searchsorted(sort(t), 2, side='right') digitize(x, sort(t))
    reshape(x, (3, 10)) x.reshape(-1) x.reshape(2, 15) ravel(x * 2) x.ravel() transpose(c) x.T c.transpose(1, 0)
    swapaxes(x, 0, 1) moveaxis(x, 0, 1) squeeze(x[:1], axis=0) expand_dims(t, 0) flip(x) flip(x, 1)
    broadcast_to(t, (2, 12)) concatenate((x, h)) concatenate((x, h * 2), axis=1) stack((t, m)) vstack((x, x[0]))
    hstack((t, m)) dstack((x, h)) column_stack((t, m)) append(x, t) append(x, x, axis=0)
    roll(t, 2) roll(x, 1, axis=0) roll(x, (1, -2), axis=(0, 1)) roll(x, 3) tile(t, 2) tile(x, (2, 1)) repeat(t, 2)
    repeat(x, 3, axis=1) pad(t, 1) pad(x, (1, 2), mode='edge') pad(x, 2, mode='wrap') tril(x) triu(x, k=1) diag(x)
    diag(t, k=-1) zeros_like(x) ones_like(x, dtype='int8') take(x, m) take(x, m, axis=0) take(t, i)
    compress(flag[:, 0], x, axis=0) compress(t > 2, t) extract(flag, x) flatnonzero(flag) argwhere(x > 1.5)
    round(x, 2) round(j, -1) x.round(2) around(x, 2)
    sum(x, where=flag) mean(x, axis=0, where=x > 1.2) max(x, initial=1.5) min(x, axis=0, where=flag, initial=9)
    sum(j, initial=5) prod(h, axis=1, initial=2) sum(x * x, axis=0, where=flag) any(flag, axis=0, where=x > 1.2)
    var(x, where=flag) count_nonzero(j) std(x, axis=0, ddof=1, keepdims=True) sum(j, axis=1, dtype='float32')
    sort(x[1:, ::-1] * 2, axis=0) cumsum(x - mean(x) + 2) sort(x).T argsort(x)[0] x - median(x)
    sum(cumsum(x, axis=0) > 4) percentile(x[flag], 50) max(abs(diff(sort(t))))
"""
# the same functions with other dtypes, axes and options, which take kernels of their own
calls += "".join(full("""
    median(h, axis=1, keepdims=True) median(x * 2 - 1, axis=0) percentile(h, [10, 50.5], axis=0)
    quantile(j, 0.3, method='lower') quantile(x, (0, 1), axis=(0, 1)) diff(j, 2) diff(flag) sort(-t)[::-1] unique(m)
    average(x, axis=0, weights=h) round(h, 1) round(x * 1e3, -2) x.round(3) around(x, 1)
"""))

transforms = """
    fft(x) fft(h, 8) ifft(c, axis=0) rfft(x, norm='ortho') rfft(j, n=5, axis=0) irfft(c) irfft(c, 7, norm='forward') hfft(c)
    ihfft(x) fft2(x) fft2(h, (4, 8)) ifft2(c, axes=(1, 0)) rfft2(x) irfft2(c, s=(5, 9)) fftn(x) fftn(x, (3, 4)) fftn(x, axes=0)
    ifftn(c, norm='ortho') rfftn(h) irfftn(c, axes=(1, 0)) fftshift(x) fftshift(x, axes=1) ifftshift(x, (0, -1))
    dct(x) idct(x, type=3, axis=0, norm='ortho') dst(x, 4, 8) idst(c, n=4) dctn(x) idctn(x, 2, (4, 4)) dstn(x, axes=1)
    idstn(h, 1, norm='ortho') fft(x)[1:, 0] sum(abs(fft2(x)), axis=0)
"""
transforms += "".join(full(" dct(h, 1) abs(fft(x * 2 - 1)) real(ifft(fft(x)))"))


def split(words):
    """The calls of such a list: they end with a space outside of all parentheses."""
    depth, call, found = 0, "", []
    for letter in " ".join(words.split()) + " ":
        depth += (letter in "([") - (letter in ")]")
        if letter == " " and depth == 0 and call.count("(") == call.count(")") and not call.endswith(("-", "*", ">")):
            found.append(call)
            call = ""
        else:
            call += letter
    return found


def joined(parts):
    """Put together again what was divided at an operator."""
    calls = []
    for part in parts:
        if calls and (part[:1] in "-*>" and part[1:2] in ("", " ") or calls[-1].endswith((" -", " *", " >"))):
            calls[-1] += " " + part
        else:
            calls.append(part)
    return calls


listed = joined(split(calls))
arrays = {name: distribute(value) for name, value in values.items()}
for start in range(0, len(listed), 24):
    part = listed[start:start + 24]
    names = [f"o{n}" for n in range(len(part))]
    text = "\n".join(f"{name} = {call}" for name, call in zip(names, part))
    wanted = python(text, names, values)
    got = mp.eval(text, names, **arrays)
    for call, g, right in zip(part, got, wanted):
        mp.check(call, g, right, ulp=1 << 12)
listed = joined(split(transforms))
scope = {**values, **{name: f for name, f in vars(scipy.fft).items() if name in scipy.fft.__all__}}
for start in range(0, len(listed), 24):
    part = listed[start:start + 24]
    names = [f"o{n}" for n in range(len(part))]
    text = "\n".join(f"{name} = {call}" for name, call in zip(names, part))
    for call, g, right in zip(part, mp.eval(text, names, **arrays), python(text, names, scope)):
        g = g.numpy()
        mp.ok(g.dtype == right.dtype and g.shape == right.shape and np.linalg.norm((g - right).ravel())
              < 64 * np.finfo(g.dtype).eps * np.linalg.norm(right.ravel()), call)
mp.ok(all(mp.eval_can_call(name) for name in ("fft2", "sin", "sum", "round", "float32", "fmod", "abs")), "functions of texts")
mp.ok(not any(mp.eval_can_call(name) for name in ("h5_read", "eval", "fft_plan_new", "", "sinn")), "and no others")
mp.fails("MNP_ERR_ARG", "1 numbers of points for 2 axes", mp.eval, "z = fftn(x, (3,), (0, 1))", x=arrays["x"])
mp.fails("MNP_ERR_ARG", "must be real", mp.eval, "z = rfft(c)", c=arrays["c"])
mp.fails("MNP_ERR_ARG", "did you mean 'fft'", mp.eval, "z = ffn(x)", x=arrays["x"])
compare("p, n = unique(m, return_counts=True)", values, "p n")
compare("p, f, r, n = unique(j, return_index=True, return_inverse=True, return_counts=True)\nr = r.reshape(5, 6)\n"
        "z = p[r] - j + f[0]", values, "p f r n z")
compare("n, e = histogram(x, bins=4)\nz = n / sum(n)", values, "n e z")
compare("n, e = histogram(t, 3, range=(0, 4), density=True)", values, "n e")
largest = np.sort(values["t"])[::-1][:3]
p, q = mp.eval("p, q = topk(t, 3)\nr = t[q]", "p r", t=arrays["t"])
mp.check("topk", (p, q), (largest, largest))
mp.check("cummax", mp.eval("z = cummax(t, axis=0)", t=arrays["t"]), np.maximum.accumulate(values["t"]))
given = mp.array(np.zeros((5, 6), "float32"), mp.random_layout(rng, (5, 6)))
mp.check("into a given array", mp.eval("z = sort(x, axis=0)", x=arrays["x"], out={"z": given}),
         np.sort(w, axis=0).astype("float32"))
mp.check("a view into a given array", mp.eval("z = x.reshape(5, 6)", x=arrays["x"], out={"z": given}),
         w.astype("float32"))
z = mp.eval("z = x.T", x=arrays["x"])
mp.ok(not mp.may_share_memory(z, arrays["x"]), "a result shares no memory with an input")

# --- random programs --------------------------------------------------------------------------------------------------


def pick(sequence):
    return sequence[int(rng.integers(len(sequence)))]


def subscript(n, wanted):
    """A subscript of a dimension of extent n that leaves `wanted` indices, all of them, or None if there is none."""
    if wanted > n:
        return None
    step = int(rng.integers(1, 3)) if (wanted - 1) * 2 < n and wanted > 0 else 1
    start = int(rng.integers(0, n - max(wanted - 1, 0) * step + (wanted == 0)))
    stop = start + wanted * step - (step - 1) if wanted else start
    if rng.random() < 0.3 and wanted > 0:
        last = start + (wanted - 1) * step
        return f"{last}:{'' if start == 0 else start - 1}:{-step}"
    ends = [str(start - n if rng.random() < 0.3 and start < n else start), "" if stop >= n else str(stop)]
    return ":".join(ends + ([str(step)] if step > 1 else []))


def part_of(shapes, shape):
    """A part of one of the arrays that has that shape; its extents of 1 may be None or an index with None."""
    for name in rng.permutation(sorted(shapes)):
        have, items, d = shapes[str(name)], [], 0
        for j, extent in enumerate(shape):
            rest = len(have) - d
            if extent == 1 and (rest == 0 or rng.random() < 0.3):
                items.append("None")
            elif rest > 0:
                items.append(subscript(have[d], extent))
                d += 1
            else:
                items.append(None)
        items += [str(int(rng.integers(-n, n))) for n in have[d:] if n > 0]
        if len(items) >= len(have) and None not in items and all(n > 0 for n in have[d:]):
            return f"{name}[{', '.join(items)}]" if items else str(name)
    return str(int(rng.integers(-5, 6)))


def value(shapes, shape, depth):
    """An expression that broadcasts to the shape."""
    if depth == 0:
        narrow = tuple(1 if rng.random() < 0.2 else n for n in shape)[int(rng.integers(2)) * (rng.random() < 0.2):]
        return part_of(shapes, narrow) if rng.random() < 0.9 else pick(["a", "b", "7"])
    p, q = (value(shapes, shape, depth - 1) for _ in range(2))
    whole = part_of(shapes, shape)
    forms = [f"({p} + {q})", f"({p} - {q})", f"({p} * {q})", f"maximum({p}, {q})", f"abs({p})",
             f"where({p} > {q}, {p}, {q})"]
    if shape and "[" in whole:  # it is no number
        whole = f"({p} + zeros_like({whole}))"
        axis = int(rng.integers(len(shape)))
        forms += [f"cumsum({whole}, axis={axis})", f"sort({whole}, axis={axis})", f"{whole}[::-1]",
                  f"roll({whole}, {axis + 1}, axis={axis})", f"sum({whole}, axis={axis}, keepdims=True)"]
    return pick(forms)


def random_program():
    """Statements on integers, so that results are exact, and the names of all variables."""
    shapes = {"p": (9, 7), "q": (8,), "r": (3, 4, 5)}
    lines = []
    for number in range(int(rng.integers(1, 6))):
        name = pick("pqr")
        shape = tuple(int(rng.integers(min(n, int(rng.random() > 0.1)), n + 1)) for n in shapes[name])
        text = value(shapes, shape, int(rng.integers(0, 3)))
        if rng.random() < 0.3:
            variable = f"t{number}"
            whole = part_of(shapes, shape)
            if "[" in whole:  # it is no number
                lines.append(f"{variable} = {text} + zeros_like({whole})")
                shapes[variable] = shape
            continue
        items = ", ".join(subscript(n, extent) for n, extent in zip(shapes[name], shape))
        lines.append(f"{name}[{items}] {pick(['=', '=', '+=', '-=', '*='])} {text}")
    return "\n".join(lines), sorted({line.split("[")[0].split(" ")[0] for line in lines})


base = {"p": rng.integers(-9, 10, (9, 7)), "q": rng.integers(-9, 10, 8), "r": rng.integers(-9, 10, (3, 4, 5)), "a": 2,
        "b": -3}
for number in range(16 if mp.FULL else 2):
    text, names = random_program()
    if text:
        compare(text, base, " ".join(names), given=[n for n in names if n in base and rng.random() < 0.5],
                label=f"random program {number}: {text[:40]}")



def shifted(n, extent, step):
    """A random part of that extent of a dimension of extent n."""
    start = int(rng.integers(0, n - (extent - 1) * step))
    if rng.random() < 0.2:  # backwards
        last = start + (extent - 1) * step
        return f"{last}:{'' if start == 0 else start - 1}:{-step}" if step > 1 or start > 0 else f"{last}::-1"
    return f"{start}:{start + (extent - 1) * step + 1}:{step}"


for number in range(8 if mp.FULL else 1):
    shape = (int(rng.integers(12, 30)), int(rng.integers(12, 30)))
    grid = {"u": rng.integers(-9, 10, shape), "w": rng.integers(-9, 10, shape)}
    step = int(rng.integers(1, 3))
    extent = [int(rng.integers(1, (n - 1) // step)) if rng.random() < 0.5 else (n - 3) // step for n in shape]
    parts = [f"u[{', '.join(shifted(n, e, step) for n, e in zip(shape, extent))}]" for _ in range(7)]
    name = pick("uw")
    text = f"{name}[{', '.join(shifted(n, e, step) for n, e in zip(shape, extent))}] {pick(['=', '+='])} "
    compare(text + " - ".join(f"{number + 2}*{part}" for part in parts), grid, name, given=[name])

# --- what is refused --------------------------------------------------------------------------------------------------

before = given.numpy()
for words, text in [("index 9 is out of bounds for dimension 0", "z = x[9]"), ("line 2, column 6", "y = 1\nz = x[:, 7]"),
                    ("step of the slice of dimension 0 is 0", "z = x[::0]"), ("broadcast", "z = x[1:] + x"),
                    ("line 2, column 11: ", "y = x + 0\nz = y[1:] + x"), ("broadcast", "y = x + 0\ny[1:] = x[2:4]\nz = y"),
                    ("a quantile is 3", "z = quantile(x, 3)"), ("method", "z = quantile(x, 0.5, method='medium')"),
                    ("'low'", "z = searchsorted(t, x, side='low')"), ("axis 4", "z = sort(x, axis=4)"),
                    ("(5, 6)", "z = reshape(x, (4, 7))"), ("values for", "y = t + 0\ny[m] = t[:5]\nz = y"),
                    ("out of", "z = t[m + 90]")]:
    mp.fails("MNP_ERR_ARG", words, mp.eval, text, out={"z": given}, x=arrays["x"], t=arrays["t"], m=arrays["m"])
mp.check("nothing has changed", given, before)

# --- texts that are long ----------------------------------------------------------------------------------------------

many = 4000
mp.check(f"{many} terms", mp.eval("z = " + "+".join(["j"] * many), j=arrays["j"]),
         values["j"] * np.int16(many))
chain = "y = x\n" + "y = y * 0.5 + x\n" * 2000 + "z = y"
want = values["x"]
for _ in range(2000):
    want = want * 0.5 + values["x"]
mp.check("2000 statements", mp.eval(chain, x=arrays["x"]), want)
wide = {f"w{n}": np.full(6, float(n)) for n in range(60)}
mp.check("60 arrays", mp.eval("z = " + " + ".join(wide), **{n: mp.array(a) for n, a in wide.items()}),
         np.full(6, 60 * 59 / 2))
doubled = "y = x\n" + "y = y + y\n" * 500 + "z = y * 2.0**-500"
mp.check("a value that is used twice, 500 times", mp.eval(doubled, x=arrays["x"]), values["x"])
mp.fails("MNP_ERR_ARG", "operations with indices at once", mp.eval, "z = x" + " + i0 * x" * 20000, x=arrays["x"])
mp.done()
