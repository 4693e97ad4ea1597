# SPDX-License-Identifier: BSD-3-Clause
"""Casts between all types, compared with exact arithmetic: fused in an expression, stored by one, and by astype.

A float outside the range of an integer type becomes the type's nearest value, and NaN becomes 0.  NumPy's results for
these depend on the processor, so Python's integers say what is right; all other casts are NumPy's."""

import maniple as mp
import numpy as np

rng = mp.random()
TYPES = [t for t in mp.DTYPES if t != "bfloat16"]
INTEGERS = [t for t in TYPES if np.dtype(t).kind in "iu"]
FLOATS = ["float16", "bfloat16", "float32", "float64", "complex64", "complex128"]
BITS = {"float16": "uint16", "float32": "uint32", "float64": "uint64"}


def floats(dtype):
    """Ends of the ranges of integers and the floats beside them, infinities, NaN, and any bits; then small ones."""
    ends = np.array([sign * np.ldexp(1.0, e) for e in (0, 7, 8, 15, 16, 31, 32, 63, 64) for sign in (1, -1)] +
                    [0.0, -0.0, 255.9, -3.5, 300.7, 5e9, 1e300, np.inf, -np.inf, np.nan]).astype(dtype)
    near = np.concatenate([np.nextafter(ends, dtype(np.inf)), np.nextafter(ends, dtype(-np.inf)), ends - dtype(1)])
    any_bits = rng.integers(0, 2 ** (8 * np.dtype(dtype).itemsize), 200, dtype=BITS[np.dtype(dtype).name]).view(dtype)
    small = rng.uniform(-1, 1, 200) * np.ldexp(1.0, rng.integers(0, 70, 200))
    return np.concatenate([ends, near, any_bits, small.astype(dtype)])


def source(name):
    """Values of a type, as an array of the library's and as NumPy's; bfloat16 as float32, which holds its values."""
    if name == "bfloat16":
        a = (floats(np.float32).view(np.uint32) & np.uint32(0xffff0000)).view(np.float32)
        a[np.isnan(a)] = np.nan
        return mp.eval("z = bfloat16(x)", x=mp.array(a)), a
    dtype = np.dtype(name)
    if dtype.kind == "c":
        a = floats(np.empty(0, dtype).real.dtype.type).astype(dtype)
        a.imag = rng.permutation(a.real)
    elif dtype.kind == "f":
        a = floats(dtype.type)
    else:
        a = rng.integers(0, 256, 256 * dtype.itemsize, dtype=np.uint8).view(dtype) if name != "bool" else np.arange(9) > 4
    return mp.array(a, mp.random_layout(rng, a.shape)), a


def right(a, to):
    """What a cast gives."""
    if a.dtype.kind not in "fc" or to not in INTEGERS:
        real = a.real if np.dtype(to).kind == "f" else a
        return real.astype(to)
    low, high = int(np.iinfo(to).min), int(np.iinfo(to).max)
    whole = [0 if np.isnan(x) else high if x == np.inf else low if x == -np.inf else int(x) for x in a.real]
    return np.array([min(max(x, low), high) for x in whole], to)


def compare(name):
    x, a = source(name)
    targets = TYPES if mp.FULL else ["bool"] + INTEGERS
    wanted = [right(a, to) for to in targets]
    texts = [f"y{k} = {to}(x)" for k, to in enumerate(targets)]
    stored = mp.eval("; ".join(texts), [f"y{k}" for k in range(len(targets))], x=x)
    for to, y, want in zip(targets, stored, wanted):
        mp.check(f"{name} to {to}", y, want)
    # followed by arithmetic of floats, which compilers may join with the cast before
    reals = [k for k, to in enumerate(targets) if np.dtype(to).kind != "c"][:9]
    both = "; ".join(f"y{k} = {targets[k]}(x); z{k} = y{k} * 0.5" for k in reals)
    fused = mp.eval(both, [f"{letter}{k}" for k in reals for letter in "yz"], x=x)
    after = mp.eval("; ".join(f"z{k} = y{k} * 0.5" for k in reals), [f"z{k}" for k in reals],
                    **{f"y{k}": stored[k] for k in reals})
    for i, k in enumerate(reals):
        mp.check(f"{name} to {targets[k]}, stored where it is used", fused[2 * i], stored[k])
        mp.check(f"{name} to {targets[k]} and a product, fused as stored", fused[2 * i + 1], after[i])
    for to in targets if mp.FULL else [str(rng.choice(targets))]:
        mp.check(f"astype: {name} to {to}", mp.astype(x, to), right(a, to))


for name in FLOATS + (["bool"] + INTEGERS if mp.FULL else [str(rng.choice(INTEGERS))]):
    compare(name)

# Numbers of the text and numbers that are passed become integers as elements do
numbers = [-3.5, 255.9, 256.0, 300.7, 5e9, -5e9, 1e19, 2e19, -1e19, 1e300]
for to in INTEGERS:
    for count, some in enumerate((numbers[:5], numbers[5:])):
        want = right(np.array(some), to)
        text = "; ".join(f"y{k} = {to}({x!r}); z{k} = {to}(v{k})" for k, x in enumerate(some))
        got = mp.eval(text, [f"{letter}{k}" for k in range(len(some)) for letter in "yz"],
                      **{f"v{k}": x for k, x in enumerate(some)})
        mp.check(f"numbers to {to}, {count}", np.array([g.numpy() for g in got]), np.repeat(want, 2))
mp.check("infinity to int8", mp.eval("z = int8(inf)"), np.array(127, np.int8))
mp.check("-infinity and NaN", mp.eval("y = int64(-inf); z = int32(nan)", "y z"),
         (np.array(-2 ** 63, np.int64), np.array(0, np.int32)))

mp.done()
