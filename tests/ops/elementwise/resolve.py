# SPDX-License-Identifier: BSD-3-Clause
"""Reads what tests/ops/elementwise/resolve prints, and asks NumPy for the same."""

import sys

import numpy as np

TYPES = {"?": np.bool_, "b": np.int8, "h": np.int16, "i": np.int32, "l": np.int64, "B": np.uint8, "H": np.uint16,
         "I": np.uint32, "L": np.uint64, "e": np.float16, "f": np.float32, "d": np.float64, "F": np.complex64,
         "D": np.complex128, "w": int, "v": float, "u": complex}
LETTERS = {np.dtype(value): letter for letter, value in TYPES.items() if letter not in "wvu"}


def numpy_says(ufunc, letters):
    """The types of inputs and results, or "-"."""
    asked = [TYPES[c] if c in "wvu" else np.dtype(TYPES[c]) for c in letters]
    try:
        found = ufunc.resolve_dtypes(tuple(asked) + (None,) * ufunc.nout)
        return "".join(LETTERS[d] for d in found[:ufunc.nin]), "".join(LETTERS[d] for d in found[ufunc.nin:])
    except (TypeError, KeyError):  # no loop, or one of Python objects
        return "-", ""


checked, wrong = {}, []
for line in sys.stdin:
    name, letters, *found = line.split()
    ufunc = np._core.umath.clip if name == "clip" else getattr(np, name, None)
    if "E" in letters or set(letters) <= set("wvu") or not isinstance(ufunc, np.ufunc):
        continue
    loop, results = numpy_says(ufunc, letters)
    ours = (found + [""])[:2]
    if name.startswith("logical"):  # NumPy may choose any type
        ours[0] = loop
    checked[name] = checked.get(name, 0) + 1
    if ours != [loop, results]:
        wrong.append(f"{name} of {letters}: {' '.join(ours)}, in NumPy {loop} {results}")

print("1..1")
good = not wrong and len(checked) > 75
print(f"{'' if good else 'not '}ok 1 - {sum(checked.values())} resolutions of {len(checked)} functions")
for text in wrong[:20]:
    print("# " + text)
sys.exit(not good)
