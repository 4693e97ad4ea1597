# SPDX-License-Identifier: BSD-3-Clause
"""Random programs, each run by Maniple and by NumPy: arrays in random layouts, views of views of them, functions and
expressions of all these, in place and onto parts that overlap.  In the end every array and view must be equal in both.

MANIPLE_TEST_SEED repeats a run, MANIPLE_TEST_CASES says how many programs there are.  Few functions and types are used,
as each is compiled for every kind of memory access it meets.
"""

import os

import maniple as mp
import numpy as np

rng = mp.random()
NO_SIGN = 1e-9  # exact, but for the sign of zeros
LARGEST = 20000  # elements of an array
EXPRESSION = "t = x - 2*y; z = t*x if t > 0 else y; w = t + 1"
EXTENTS, HOW_OFTEN = [0, 1, 2, 3, 4, 5, 7, 9], [0.03, 0.12, 0.15, 0.15, 0.15, 0.15, 0.15, 0.10]


class Pair:
    """An array as Maniple and as NumPy have it."""

    def __init__(self, theirs, ours, name, writable=True):
        self.theirs, self.ours, self.name, self.writable = theirs, ours, name, writable


class Program:
    """Arrays, and the steps that led to them."""

    def __init__(self):
        self.pairs, self.steps = [], []

    def add(self, theirs, ours, text, writable=True):
        name = f"x{len(self.pairs)}"
        self.pairs.append(Pair(theirs, ours, name, writable))
        self.steps.append(f"{name} = {text}")
        return self.pairs[-1]

    def any(self, wanted=lambda pair: True):
        fitting = [pair for pair in self.pairs if wanted(pair)]
        return fitting[rng.integers(len(fitting))] if fitting else None

    def new(self, shape=None, dtype=None):
        if shape is None:
            shape = tuple(int(n) for n in rng.choice(EXTENTS, rng.integers(0, 5), p=HOW_OFTEN))
            if rng.random() < 0.25:  # multiples of the widths of vectors, tiles and warps, and their neighbours
                shape = tuple(int(n) for n in rng.choice([1, 2, 31, 32, 64, 65, 130], rng.integers(1, 4)))
                shape = shape if np.prod(shape) <= LARGEST else shape[:1]
        dtype = dtype or str(rng.choice(["float64", "int32", "complex128"], p=[0.5, 0.35, 0.15]))
        values = np.asarray(rng.integers(-9, 10, shape), dtype)
        if dtype == "complex128":
            values.imag[...] = -2 * values.real
        layout = mp.random_layout(rng, shape)
        return self.add(values, mp.array(values, layout), f"array({shape}, {dtype})")


def random_slice(n):
    """Any slice of a dimension of extent n, with its ends beyond it now and then, or left out."""
    start, stop = (None if rng.random() < 0.3 else int(rng.integers(-n - 2, n + 3)) for _ in range(2))
    return slice(start, stop, None if rng.random() < 0.3 else int(rng.choice([-3, -2, -1, 1, 2, 3])))


def random_key(shape):
    key = []
    for n in shape:
        if rng.random() < 0.1 and len(shape) < 6:
            key.append(None)
        key.append(int(rng.integers(-n, n)) if n and rng.random() < 0.15 else
                   slice(None) if rng.random() < 0.4 else random_slice(n))
    place = int(rng.integers(len(key) + 1))  # an ellipsis that stands for nothing, or for whole dimensions
    while place < len(key) and key[place] == slice(None) and rng.random() < 0.5:
        del key[place]
    return tuple(key[:place]) + (Ellipsis,) + tuple(key[place:])


def parts_of_one_shape(shape):
    """Two keys of parts of an array, which have the same shape and may overlap."""
    keys = [], []
    for n in shape:
        length = int(rng.integers(1, n + 1)) if n else 0
        for key in keys:
            step = int(rng.choice([s for s in (-2, -1, 1, 2) if (length - 1) * abs(s) < n or length < 2]))
            reach = max(length - 1, 0) * abs(step)
            first = int(rng.integers(0, n - reach)) if n else 0
            if step < 0:
                stop = first - 1
                key.append(slice(first + reach, stop if stop >= 0 else None, step) if length else slice(0, 0))
            else:
                key.append(slice(first, first + reach + 1 if length else first, step))
    return tuple(keys[0]), tuple(keys[1])


# --- steps ------------------------------------------------------------------------------------------------------------

def take_view(program):
    pair = program.any()
    x, a = pair.ours, pair.theirs
    if a.dtype.kind == "c" and rng.random() < 0.5:
        part = str(rng.choice(["real", "imag"]))
        return program.add(getattr(a, part), mp.call(part, x), f"{pair.name}.{part}", pair.writable)
    kind = rng.choice(["index", "transpose", "swapaxes", "flip", "broadcast"], p=[0.6, 0.15, 0.1, 0.1, 0.05])
    if kind == "index" or a.ndim == 0:
        key = random_key(a.shape)
        return program.add(a[key], x[key], f"{pair.name}[{mp.index_text(key)}]", pair.writable)
    if kind == "transpose":
        axes = [int(i) for i in rng.permutation(a.ndim)]
        return program.add(a.transpose(axes), mp.transpose(x, axes), f"{pair.name}.transpose({axes})", pair.writable)
    if kind == "swapaxes":
        i, j = (int(k) for k in rng.integers(-a.ndim, a.ndim, 2))
        return program.add(a.swapaxes(i, j), mp.swapaxes(x, i, j), f"{pair.name}.swapaxes({i}, {j})", pair.writable)
    if kind == "flip":
        axis = int(rng.integers(-a.ndim, a.ndim))
        return program.add(np.flip(a, axis), mp.flip(x, 1, [axis]), f"flip({pair.name}, {axis})", pair.writable)
    shape = (2,) + tuple(3 if n == 1 else n for n in a.shape)
    if len(shape) > 6 or np.prod(shape) > LARGEST:
        return None
    return program.add(np.broadcast_to(a, shape), mp.broadcast_to(x, len(shape), shape),
                       f"broadcast_to({pair.name}, {shape})", False)


def take_copy(program):
    pair = program.any()
    x, a = pair.ours, pair.theirs
    kind = rng.choice(["copy", "redistribute", "reshape", "astype"])
    if kind == "copy":
        return program.add(a.copy(), mp.copy(x), f"copy({pair.name})")
    if kind == "redistribute":
        moved = mp.redistribute(x, mp.random_layout(rng, a.shape))
        return program.add(a.copy(), moved, f"redistribute({pair.name})")
    if kind == "astype":
        wide = "complex128" if a.dtype.kind == "c" else "float64"
        return program.add(a.astype(wide), mp.astype(x, wide), f"{pair.name}.astype({wide})")
    shape = [a.size] if rng.random() < 0.5 or a.size % 2 else [2, a.size // 2]
    return program.add(a.reshape(shape).copy(), mp.copy(mp.reshape(x, len(shape), shape)),
                       f"copy({pair.name}.reshape({shape}))")


def rearrange(program):
    pair = program.any(lambda pair: pair.theirs.ndim > 0)
    if pair is None:
        return None
    x, a = pair.ours, pair.theirs
    axis, by = int(rng.integers(a.ndim)), int(rng.integers(0, 4))
    kind = rng.choice(["roll", "concatenate", "repeat", "pad"])
    if kind == "roll":
        by -= 2
        return program.add(np.roll(a, by, axis), mp.roll(x, 1, [by], [axis]), f"roll({pair.name}, {by}, {axis})")
    if 4 * a.size > LARGEST:
        return None
    if kind == "concatenate":
        part = (slice(None),) * axis + (slice(None, None, -2),)
        return program.add(np.concatenate([a, a[part]], axis), mp.concatenate([x, x[part]], 2, axis),
                           f"concatenate({pair.name}, {pair.name}[{mp.index_text(part)}], axis={axis})")
    if kind == "repeat":
        return program.add(np.repeat(a, by, axis), mp.repeat(x, by, axis), f"repeat({pair.name}, {by}, {axis})")
    if a.size == 0:
        return None
    widths = [int(w) for w in rng.integers(0, 3, 2 * a.ndim)] if a.ndim < 4 else [0] * (2 * a.ndim - 1) + [by]
    return program.add(np.pad(a, np.reshape(widths, (-1, 2)), "wrap"), mp.pad(x, widths, mp.MNP_BOUNDARY_WRAP, None),
                       f"pad({pair.name}, {widths}, wrap)")


def other_operand(program, pair, dtypes):
    """An array that broadcasts to the shape of `pair`, or makes both wider."""
    def fits(other):
        try:
            shape = np.broadcast_shapes(pair.theirs.shape, other.theirs.shape)
        except ValueError:
            return False
        return len(shape) < 7 and np.prod(shape) <= LARGEST and other.theirs.dtype.name in dtypes
    other = program.any(fits) if rng.random() < 0.6 else None
    if other:
        return other
    shape = tuple(1 if rng.random() < 0.3 else n for n in pair.theirs.shape)
    shape = shape[int(rng.integers(0, len(shape) + 1)):]
    return program.new(shape, str(rng.choice(dtypes)))


def call_function(program):
    pair = program.any()
    name, function = [("add", np.add), ("multiply", np.multiply)][rng.integers(2)]
    if rng.random() < 0.15:
        number = int(rng.integers(-3, 4))
        return program.add(np.asarray(function(pair.theirs, number)), mp.call(name, pair.ours, number),
                           f"{name}({pair.name}, {number})")
    any_type = ["float64", "int32", "complex128"]
    other = other_operand(program, pair, any_type if name == "add" else [pair.theirs.dtype.name])
    return program.add(np.asarray(function(pair.theirs, other.theirs)), mp.call(name, pair.ours, other.ours),
                       f"{name}({pair.name}, {other.name})")


def call_into(program):
    """A function whose output is another array of any layout, which may share memory with the inputs."""
    pair = program.any()
    other = other_operand(program, pair, [pair.theirs.dtype.name])
    shape = np.broadcast_shapes(pair.theirs.shape, other.theirs.shape)
    into = program.any(lambda p: p.writable and p.theirs.shape == shape and p.theirs.dtype == pair.theirs.dtype)
    into = into if into and rng.random() < 0.8 else program.new(shape, pair.theirs.dtype.name)
    program.steps.append(f"add({pair.name}, {other.name}, out={into.name})")
    np.add(pair.theirs, other.theirs, out=into.theirs)
    mp.add(pair.ours, other.ours, out=into.ours)


def evaluate(program):
    pair = program.any(lambda pair: pair.theirs.dtype == "float64")
    if pair is None:
        return
    other = other_operand(program, pair, ["float64"])
    a, b = pair.theirs, other.theirs
    z, w = mp.eval(EXPRESSION, "z w", x=pair.ours, y=other.ours)
    text = f"eval(..., x={pair.name}, y={other.name})"
    t = a - 2 * b
    program.add(np.where(t > 0, t * a, b), z, text)
    program.add(np.asarray(t + 1), w, text)


def evaluate_overlapping(program):
    """An expression, one output of which is a part of an input."""
    pair = program.any(lambda pair: pair.writable and pair.theirs.dtype == "float64" and pair.theirs.ndim > 0)
    if pair is None:
        return
    to, source = parts_of_one_shape(pair.theirs.shape)
    a, b, into = pair.theirs[source].copy(), pair.theirs[to].copy(), pair.theirs[to]
    text = f"x={pair.name}[{mp.index_text(source)}], y={pair.name}[{mp.index_text(to)}]"
    t = a - 2 * b
    w = np.asarray(t + 1)
    into[...] = np.where(t > 0, t * a, b)
    z = pair.ours[to]
    _, made = mp.eval(EXPRESSION, "z w", x=pair.ours[source], y=z, out={"z": z})
    program.add(w, made, f"eval(..., {text}, z=y)")


def call_in_place(program):
    pair = program.any(lambda pair: pair.writable)
    other = other_operand(program, pair, {"int32": ["int32"], "float64": ["int32", "float64"],
                                          "complex128": ["float64", "complex128"]}[pair.theirs.dtype.name])
    if np.broadcast_shapes(pair.theirs.shape, other.theirs.shape) != pair.theirs.shape:
        return
    program.steps.append(f"add({pair.name}, {other.name}, out={pair.name})")
    np.add(pair.theirs, other.theirs, out=pair.theirs)
    mp.add(pair.ours, other.ours, out=pair.ours)


def call_overlapping(program):
    pair = program.any(lambda pair: pair.writable and pair.theirs.ndim > 0)
    if pair is None:
        return
    to, source = parts_of_one_shape(pair.theirs.shape)
    if rng.random() < 0.2:
        source = (slice(0, 1),) + source[1:]  # a row that is added to all
    turned = pair.theirs.ndim == 2 and pair.theirs.shape[0] == pair.theirs.shape[1] and rng.random() < 0.5
    into, other = pair.theirs[to], pair.theirs.T if turned else pair.theirs[source]
    ours_into, ours_other = pair.ours[to], mp.transpose(pair.ours, None) if turned else pair.ours[source]
    if turned:
        into, ours_into, to = pair.theirs, pair.ours, (Ellipsis,)
    text = f"{pair.name}[{mp.index_text(to)}], {pair.name}" + (".T" if turned else f"[{mp.index_text(source)}]")
    if rng.random() < 0.5:
        program.steps.append(f"copyto({text})")
        np.copyto(into, other.copy())  # without .copy() NumPy goes wrong where steps of one sign differ
        mp.copyto(ours_into, ours_other, mp.MNP_CASTING_SAME_KIND)
    else:
        program.steps.append(f"add({text}, out=the former)")
        np.add(into, other, out=into)
        mp.add(ours_into, ours_other, out=ours_into)


STEPS = [(take_view, 0.32), (take_copy, 0.08), (rearrange, 0.05), (call_function, 0.1), (call_into, 0.1),
         (evaluate, 0.06), (evaluate_overlapping, 0.07), (call_in_place, 0.08), (call_overlapping, 0.14)]


def run(number):
    program = Program()
    for _ in range(2):
        program.new()
    for _ in range(14):
        step = rng.choice(len(STEPS), p=[p for _, p in STEPS])
        STEPS[step][0](program)
    wrong = ""
    for pair in program.pairs:
        difference = mp.difference(pair.ours, pair.theirs, ulp=NO_SIGN)
        if not difference and mp.array_local_size(pair.ours) > 0:  # every replica has to be right
            block = pair.theirs[pair.ours.layout.box(mp.rank)]
            difference = mp.difference(pair.ours.local(), np.asarray(block), ulp=NO_SIGN)
        wrong = wrong or (difference and f"{pair.name}: {difference}")
    if not mp.ok(not wrong, f"program {number}, {len(program.pairs)} arrays" + (f": {wrong}" if wrong else "")):
        mp.say("\n".join("#   " + line for line in program.steps))


for case in range(int(os.environ.get("MANIPLE_TEST_CASES", 40))):
    run(case)
mp.done()
