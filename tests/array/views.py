# SPDX-License-Identifier: BSD-3-Clause
"""Views against NumPy's: random views of views of arrays in random layouts, read, written, copied and moved."""

import ctypes
import os

import maniple as mp
import numpy as np

rng = mp.random()


def pick(sequence):
    return sequence[int(rng.integers(len(sequence)))]


def random_array(ndim=None, dtypes=("int16", "float64", "complex64", "uint8", "complex128")):
    ndim = int(rng.integers(0, 5)) if ndim is None else ndim
    shape = tuple(int(pick([1, 2, 3, 4, 6, 7, 12, 0 if rng.random() < 0.1 else 5])) for _ in range(ndim))
    a = rng.integers(0, 100, shape + (2,))
    dtype = pick(dtypes)
    a = np.array(a[..., 0] + 1j * a[..., 1] if "complex" in dtype else a[..., 0]).astype(dtype, copy=False)
    return a, mp.array(a, mp.random_layout(rng, shape))


def random_slice(n):
    ends = [None] + list(range(-n - 2, n + 3))
    return slice(pick(ends), pick(ends), pick([None, 1, 1, 2, 3, -1, -1, -2, -3, 100, -100]))


def subscripts(a):
    key, left = [], a.ndim
    ellipsis = rng.random() < 0.3
    while left > 0 and rng.random() < 0.8:
        n = a.shape[a.ndim - left]
        kind = pick("::::i")
        if kind == "i" and n > 0:
            key.append(int(rng.integers(-n, n)))
        elif n == 0 or rng.random() < 0.7:
            key.append(random_slice(n))
        else:
            key.append(slice(None))
        left -= 1
    if ellipsis:
        key.append(Ellipsis)
    if a.ndim < 6 and rng.random() < 0.2:
        key.insert(int(rng.integers(len(key) + 1)), None)
    return tuple(key) or (Ellipsis,)


def permutation(a):
    return [int(i) for i in rng.permutation(a.ndim)]


def some_axes(n):
    return [int(i) - (n if rng.random() < 0.5 else 0) for i in rng.permutation(n)[:int(rng.integers(n + 1))]]


def stretch(a):
    shape = [int(pick([n, 3, 0, 1])) if n == 1 else n for n in a.shape]
    return (2, *shape) if rng.random() < 0.3 and a.ndim < 6 else tuple(shape)


def reshaped(a):
    """Another shape of the same size: prime factors dealt out anew."""
    factors, n = [], a.size
    for p in (2, 3, 5, 7):
        while n > 1 and n % p == 0:
            factors.append(p)
            n //= p
    shape = [1] * int(rng.integers(1, 5))
    for f in factors + [n]:
        shape[int(rng.integers(len(shape)))] *= f
    if a.size > 0 and rng.random() < 0.3:
        shape[int(rng.integers(len(shape)))] = -1
    return shape


def step(a, x):
    """One more view: its description, NumPy's view, Maniple's view."""
    kind = pick(["index"] * 4 + ["transpose"] * 2 + ["reshape"] * 2 + [
        "swapaxes", "moveaxis", "squeeze", "expand", "broadcast", "flip", "rot90", "real", "imag", "ravel", "atleast"])
    if kind == "index":
        key = subscripts(a)
        whole = key if Ellipsis in key else key + (Ellipsis,)  # then NumPy gives arrays, and no scalars
        return f"[{mp.index_text(key)}]", a[whole], x[key]
    if kind == "transpose":
        axes = pick([None, permutation(a)])
        return f"T{axes}", a.transpose(axes), mp.transpose(x, axes)
    if kind == "swapaxes" and a.ndim > 0:
        i, j = (int(rng.integers(-a.ndim, a.ndim)) for _ in range(2))
        return f"swap{i},{j}", a.swapaxes(i, j), mp.swapaxes(x, i, j)
    if kind == "moveaxis" and a.ndim > 0:
        sources, targets = permutation(a), permutation(a)
        count = int(rng.integers(1, a.ndim + 1))
        return (f"move{sources[:count]},{targets[:count]}", np.moveaxis(a, sources[:count], targets[:count]),
                mp.moveaxes(x, count, sources[:count], targets[:count]))
    if kind == "squeeze":
        ones = [d for d in range(a.ndim) if a.shape[d] == 1 and rng.random() < 0.7]
        if rng.random() < 0.5:
            return f"squeeze{ones}", np.squeeze(a, tuple(ones)), mp.squeeze(x, len(ones), ones)
        return "squeeze", np.squeeze(a), mp.squeeze(x, 0, None)
    if kind == "expand" and a.ndim < 5:
        axes = sorted({int(rng.integers(0, a.ndim + 2)) for _ in range(2)} if a.ndim < 4 else {0})
        axes = axes if len(axes) == 2 else [0]
        return f"expand{axes}", np.expand_dims(a, tuple(axes)), mp.expand_dims(x, len(axes), axes)
    if kind == "broadcast":
        shape = stretch(a)
        return f"broadcast{shape}", np.broadcast_to(a, shape), mp.broadcast_to(x, len(shape), shape)
    if kind == "flip":
        axes = some_axes(a.ndim)
        return f"flip{axes}", np.flip(a, tuple(axes)), mp.flip(x, len(axes), axes)
    if kind == "rot90" and a.ndim >= 2:
        k, (i, j) = int(rng.integers(-5, 6)), permutation(a)[:2]
        return f"rot90 {k},{i},{j}", np.rot90(a, k, (i, j)), mp.rot90(x, k, i, j)
    if kind in ("real", "imag") and a.dtype.kind == "c":
        return kind, getattr(a, kind), getattr(mp, kind)(x)
    if kind == "reshape":
        shape = reshaped(a)
        return f"reshape{shape}", a.reshape(shape), mp.reshape(x, len(shape), shape)
    if kind == "ravel":
        return kind, a.reshape(-1), mp.ravel(x)
    if kind == "atleast":
        n = pick([1, 2, 3])
        return f"{n}d", getattr(np, f"atleast_{n}d")(a), getattr(mp, f"atleast_{n}d")(x)
    return "", a, x


def problem(what, got, want):
    wrong = mp.difference(got, want)
    return f"{what}: {wrong}; " if wrong else ""


def random_view(most=5):
    a, x = random_array()
    words = [f"{a.dtype} {a.shape}"]
    for _ in range(int(rng.integers(1, most))):
        word, b, y = step(a, x)
        if b.size < 5000:
            a, x = b, y
            words.append(word)
    return " ".join(words), a, x


def read_one():
    what, a, x = random_view()
    wrong = problem("values", x, a)
    wrong += problem("copy", mp.copy(x), a)
    wrong += problem("redistributed", mp.redistribute(x, mp.random_layout(rng, a.shape)), a)
    wrong += problem("contiguous", mp.ascontiguousarray(x), a)
    wrong += problem("Fortran", mp.asfortranarray(x), a)
    if a.dtype.kind != "c":
        wrong += problem("cast", mp.astype(x, "float32"), a.astype("float32"))
    if mp.array_local_size(x) > 0:
        wrong += problem("local", x.local(), a[x.layout.box(mp.rank)])
    return f"{what}: {wrong}" if wrong else ""


def write_one():
    """Write to a view, which shows in the array; nothing else changes."""
    a, x = random_array()
    a = a.copy()
    words, b, y = [f"{a.dtype} {a.shape}"], a, x
    for _ in range(int(rng.integers(1, 4))):
        word, c, z = step(b, y)
        shared = z.shape == c.shape and mp.may_share_memory(z, x)
        if not shared or not np.shares_memory(c, a) or 0 in c.strides or not c.flags.writeable or c.size == 0:
            continue
        b, y = c, z
        words.append(word)
    values = rng.integers(0, 100, b.shape).astype(b.dtype)
    source = mp.array(values, mp.random_layout(rng, b.shape))
    wrong = ""
    if b.size and mp.may_share_memory(x, y) and rng.random() < 0.5 and b.ndim:  # shift a view within itself
        n, by = b.shape[0] - 1, int(rng.integers(2))
        b[1 - by:n + 1 - by] = b[by:n + by].copy()
        mp.redistribute(y[by:n + by], y[1 - by:n + 1 - by].layout, out=y[1 - by:n + 1 - by])
    else:
        b[...] = values
        mp.redistribute(source, y.layout, out=y)
    wrong += problem("view", y, b) + problem("array", x, a)
    return f"{' '.join(words)}: {wrong}" if wrong else ""


class Subscript(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int), ("start", ctypes.c_int64), ("stop", ctypes.c_int64), ("step", ctypes.c_int64)]


def python_subscript(item):
    """A struct as Python's subscript."""
    if item.kind != 0:
        return [item.start, None, Ellipsis][item.kind - 1]
    return slice(*(None if end == -2 ** 63 else end for end in (item.start, item.stop, item.step)))


def set_one():
    """Assign to a part of an array by subscripts, and take the part from the box that has it."""
    a, x = random_array()
    a, key = a.copy(), subscripts(a)
    text = mp.index_text(key)
    whole = key if Ellipsis in key else key + (Ellipsis,)
    items, start, extent = (Subscript * 17)(), (ctypes.c_int64 * 8)(), (ctypes.c_int64 * 8)()
    count = mp.subscripts_parse(text, items)
    mp.subscripts_box(a.ndim, a.shape, count, items, start, extent)
    box = tuple(slice(start[d], start[d] + extent[d]) for d in range(a.ndim))
    inside = tuple(python_subscript(item) for item in items[:count])
    part = a[box][inside if Ellipsis in key else inside + (Ellipsis,)]
    wrong = problem("box", part, a[whole])
    where = np.zeros(a.shape, bool)
    where[whole] = True
    if a.ndim and where.any() and [(s.start, s.stop) for s in box] != [(i.min(), i.max() + 1)
                                                                       for i in np.nonzero(where)]:
        wrong += f"{box} is not the smallest box; "
    values = rng.integers(0, 100, a[whole].shape).astype(pick(["int16", "float64", "uint8"]))
    if rng.random() < 0.3:
        a[whole] = 7
        mp.set(x, text, 7)
    else:
        a[whole] = values
        mp.set(x, text, mp.array(values, mp.random_layout(rng, values.shape)))
    wrong += problem("set", x, a)
    return f"{a.dtype} {a.shape}[{text}]: {wrong}" if wrong else ""


for number in range(8):
    wrongs = [w for w in (read_one() for _ in range(15)) if w]
    mp.ok(not wrongs, "15 random views read" + "".join("\n" + w for w in wrongs[:3]))
for number in range(4):
    wrongs = [w for w in (write_one() for _ in range(15)) if w]
    mp.ok(not wrongs, "15 random views written" + "".join("\n" + w for w in wrongs[:3]))
wrongs = [w for w in (set_one() for _ in range(30)) if w]
mp.ok(not wrongs, "30 parts of arrays set by subscripts" + "".join("\n" + w for w in wrongs[:3]))

# --- views keep their elements where they are, and copies do not ------------------------------------------------------

a = rng.standard_normal((6, 8))
x = mp.array(a)
mp.ok(mp.may_share_memory(x, x[1:, 2]) and mp.may_share_memory(mp.transpose(x, None), x), "views share memory")
mp.ok(not mp.may_share_memory(mp.copy(x), x) and mp.may_share_memory(mp.ascontiguousarray(x), x), "copies do not")
row = mp.array(a[0])
mp.ok(mp.may_share_memory(mp.reshape(row, 2, [-1, 1]), row), "a column of a row is a view")
base = mp.array(a)
view = base[::-1, 1]
del base
mp.check("a view outlives its array", view, a[::-1, 1])
mp.check("the real part of what is real", mp.real(x), a)
mp.check("and its imaginary part", mp.imag(x), np.zeros_like(a))
f = np.asfortranarray(a)
mp.check("from Fortran order", mp.array_from_host_strided("float64", 2, a.shape, f, [1, 6]), a)
mp.check("from a reversed row", mp.array_from_host_strided("float64", 1, [8], a[0, 7:], [-1]), a[0, ::-1])
y = mp.array_new_order("float64", x.layout, mp.MNP_ORDER_F)
mp.check("into Fortran order", mp.copy(x, out=y), a)
mp.check("and out of it", mp.transpose(y, None), a.T)
z = mp.array(np.ones((6, 8)))
mp.zeros("float64", 2, [6, 8], out=z)
mp.check("zeros in what is there", z, np.zeros((6, 8)))

# --- reshaping, as a view and by moving -------------------------------------------------------------------------------

b = np.arange(24 * 35.).reshape(24, 35)
layouts = [mp.Layout([1, mp.size], b.shape, axes) for axes in ([1, 0], [0, 1], [0, -1])]
wrongs = ""
for layout in layouts:
    for shape in ((840,), (2, 420), (2, 2, 210), (1, 3, 2, 140), (7, 5, 24), (24, 5, 7), (2, 12, 1, 35), (840, 1)):
        wrongs += problem(f"{shape}", mp.reshape(mp.array(b, layout), len(shape), shape), b.reshape(shape))
        wrongs += problem(f"T {shape}", mp.reshape(mp.transpose(mp.array(b, layout), None), len(shape), shape),
                          b.T.reshape(shape))
        wrongs += problem(f"flip {shape}", mp.reshape(mp.flip(mp.array(b, layout), 1, [1]), len(shape), shape),
                          b[:, ::-1].reshape(shape))
mp.ok(not wrongs, "every layout to every shape " + wrongs)
rows = mp.array(b, layouts[0])
for shape, shared in (((24, 5, 7), True), ((2, 12, 35), mp.size in (1, 2)), ((7, 120), mp.size == 1)):
    mp.ok(mp.may_share_memory(mp.reshape(rows, len(shape), shape), rows) == shared,
          f"rows as {shape} {'are' if shared else 'cannot be'} a view")

# --- transposed copies, which go by tiles -----------------------------------------------------------------------------

b = rng.integers(-100, 100, (3, 70, 2, 41))
wrongs = ""
for dtype in ("int8", "complex128"):
    c, y = b.astype(dtype), mp.array(b, mp.random_layout(rng, b.shape), dtype)
    for _ in range(8):
        axes, turned = permutation(b), some_axes(4)
        d, z = np.flip(c.transpose(axes), turned), mp.flip(mp.transpose(y, axes), len(turned), turned)
        wrongs += problem(f"{dtype} {axes} {turned}", mp.copy(z), d)
        wrongs += problem(f"{axes} {turned} as int64", mp.astype(z, "int64"), d.real.astype("int64"))
mp.ok(not wrongs, "transposed and reversed, copied and cast " + wrongs)

# --- windows of views in random layouts, which take elements of other ranks --------------------------------------------

wrongs = ""
for _ in range(60):
    made, c, y = random_view(2)
    axes = [int(rng.integers(-c.ndim, c.ndim)) for _ in range(int(rng.integers(0, 3)))] if c.ndim else []
    window, left = [], list(c.shape)
    for d in axes:
        window.append(int(rng.integers(1, min(max(left[d], 1), 30) + 1)))  # a vector has up to 1800 elements
        left[d] -= window[-1] - 1
    if min(left, default=1) == 0:
        continue
    windows = mp.sliding_window_view(y, len(axes), window, axes)
    want = np.lib.stride_tricks.sliding_window_view(c, window, axes)
    wrongs += problem(f"{made}: windows of {window} along {axes}", windows, want)
    wrongs += problem(f"{made}: windows of {window} along {axes}, copied", mp.copy(windows), want)
    wrongs += problem(f"{made}: windows of {window} along {axes}, moved",
                      mp.redistribute(windows, mp.random_layout(rng, want.shape)), want)
mp.ok(not wrongs, "windows of random views " + wrongs)

# --- convolution and files take them ----------------------------------------------------------------------------------

k = mp.array(rng.standard_normal((3, 2)))
for name, view in (("transposed", mp.transpose(x, None)), ("reversed", x[::-1, ::2]), ("a row's", x[2:3])):
    mp.check(f"convolution of a {name} view", mp.convolve(view, k, None), mp.convolve(mp.copy(view), k, None).numpy())
row = x[2, ::-1]
taps = np.array([1.0, 2.0, 4.0])
mp.check("convolution of a row", mp.convolve(row, mp.array(taps), None), np.convolve(a[2, ::-1], taps))
room = mp.array(np.zeros((12, 9)))
target = room[::2]
expected = np.zeros((12, 9))
mp.check("and into one", target, expected[::2])
path = os.path.join(os.environ.get("builddir", "."), f"tests/views-{mp.size}.h5")
for name, key in (("slice", np.s_[1:, ::-3]), ("element", (2, 3)), ("column", np.s_[:, 1])):
    view, want = x[key], a[key]
    mp.h5_write(view, path, "/x", None)
    mp.check(f"a {name} written to a file", mp.h5_read(path, "/x", None), want)
back = mp.array(np.zeros((8, 8)))
mp.h5_write(x, path, "/x", None)
target = mp.transpose(mp.array(np.zeros((8, 6))), None)
mp.h5_read(path, "/x", target.layout, out=target)
mp.check("a file read into a view", target, a)
for lo, extent in (((0, 0), (6, 8)), ((2, 3), (3, 4)), ((5, 7), (1, 1)), ((3, 8), (2, 0))):
    layout = mp.random_layout(rng, extent)
    box = np.s_[lo[0]:lo[0] + extent[0], lo[1]:lo[1] + extent[1]]
    mp.check(f"a box of a file, {extent} from {lo}", mp.h5_read_box(path, "/x", lo, extent, layout), a[box])
mp.fails("MNP_ERR_ARG", "4 elements from 5 on do not lie in dimension 1", mp.h5_read_box, path, "/x", (0, 5), (1, 4),
         None)
mp.fails("MNP_ERR_ARG", "1 elements from -1 on", mp.h5_read_box, path, "/x", (-1, 0), (1, 4), None)
if mp.rank == 0:
    os.remove(path)

# --- mistakes ---------------------------------------------------------------------------------------------------------

for text, words in (("6", "index 6 is out of bounds for dimension 0, which has extent 6"), ("0, -9", "dimension 1"),
                    ("0, 0, 0", "3 indices"), ("::0", "step"), ("..., ...", "2 ellipses"), ("1:2:3:4", "column 6"),
                    ("a", "column 1"), ("1 2", "comma"), ("1,,2", "column 3"), ("1.5", "column 2"), ("-", "column 2"),
                    ("99999999999999999999", "64 bits"), (", 1", "column 1"), ("[0]", "column 1"),
                    (", ".join(["None"] * 20), "more subscripts"), (", ".join(["None"] * 7), "9 dimensions")):
    mp.fails("MNP_ERR_ARG", words, "index", x, text)
for text in ("", "()", " ... ", "1,", " -1 , None ", "None:3", "newaxis, 1 : : 2", "+1"):
    want = {"": a, "()": a, " ... ": a, "1,": a[1,], " -1 , None ": a[-1, None], "None:3": a[None:3],
            "newaxis, 1 : : 2": a[None, 1::2], "+1": a[1]}[text]
    mp.check(f"index '{text}'", mp.index(x, text), want)
mp.fails("MNP_ERR_ARG", "there are -1 subscripts", "slice", x, -1, None)
mp.fails("MNP_ERR_ARG", "axis 2 is out of bounds", "swapaxes", x, 0, 2)
mp.fails("MNP_ERR_ARG", "given twice", "transpose", x, [0, -2])
mp.fails("MNP_ERR_ARG", "extent 6", "squeeze", x, 1, [0])
mp.fails("MNP_ERR_ARG", "same", "rot90", x, 1, 1, -1)
mp.fails("MNP_ERR_ARG", "at most 8", "expand_dims", x, 7, range(7))
mp.fails("MNP_ERR_ARG", "(6, 8) does not broadcast to (8, 6)", "broadcast_to", x, 2, [8, 6])
mp.fails("MNP_ERR_ARG", "without axes", "sliding_window_view", x, 1, [2], None)
mp.fails("MNP_ERR_ARG", "window[1] is 0, outside 1..8", "sliding_window_view", x, 2, [2, 0], None)
mp.fails("MNP_ERR_ARG", "window[1] is 5, outside 1..4, the extent of axis 0", "sliding_window_view", x, 2, [3, 5], [0, 0])
mp.fails("MNP_ERR_ARG", "at most 8", "sliding_window_view", x, 7, [1] * 7, [0] * 7)
mp.fails("MNP_ERR_ARG", "(6, 8), of 48 elements, cannot have the shape (5, -1)", "reshape", x, 2, [5, -1])
mp.fails("MNP_ERR_ARG", "both -1", "reshape", x, 2, [-1, -1])
mp.fails("MNP_ERR_ARG", "-2", "reshape", x, 1, [-2])
wide = mp.broadcast_to(x[:1], 2, [6, 8])
mp.fails("MNP_ERR_ARG", "cannot be written", "copy", mp.copy(wide), out=wide)
mp.fails("MNP_ERR_ARG", "cannot be written", "copy", mp.copy(wide)[1:], out=wide[1:])
mp.fails("MNP_ERR_ARG", "cannot be written", "array_set_local", wide, np.zeros((6, 8)))
mp.fails("MNP_ERR_ARG", "scalar", "copy", 2.5)
mp.fails("MNP_ERR_ARG", "scalar", "reshape", 2.5, 1, [1])
mp.fails("MNP_ERR_ARG", "scalar", "h5_write", 2.5, path, "/x", None)
mp.check("and everything is as it was", x, a)

# --- a view in the place of another array -----------------------------------------------------------------------------

v = mp.array(np.zeros(3))
for k in range(4):
    mp.check(f"a view in a loop: {k}", mp.index(x, f"{k - 4}:", out=v), x.numpy()[k - 4:])
mp.check("the array itself is replaced", mp.flip(v, 0, None, out=v), x.numpy()[-1:, ::-1])
mp.done()
