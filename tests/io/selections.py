# SPDX-License-Identifier: BSD-3-Clause
"""Parts of datasets, x[1:, ::-2, 0] and boxes of them, as NumPy takes them of the whole: contiguous, chunked and
compressed datasets, elements that lie near to one another and far apart, in any layout."""

import ctypes

from file_structs import Selection
import h5py_files
import maniple as mp
import numpy as np

rng = mp.random()
path = mp.scratch("a.h5")


def selection(key, box=None):
    """x[key], and of that the box (start, shape)."""
    text = None if key is None else mp.index_text(key).encode()
    arrays = [(ctypes.c_int64 * max(len(part), 1))(*part) for part in box or []]
    return Selection(text, *(arrays or [None, None]))


def random_key(shape):
    """A slice or an index for each dimension, steps of both signs, perhaps an ellipsis or new axes."""
    def end(n):
        return None if rng.random() < 0.3 else int(rng.integers(-n - 2, n + 3))

    def one(n):
        if n > 0 and rng.random() < 0.25:
            return int(rng.integers(-n, n))
        steps = [None, 1, 1, 2, 3, -1, -2, n + 1]
        return slice(end(n), end(n), steps[int(rng.integers(len(steps)))])

    key = [one(n) for n in shape]
    if rng.random() < 0.3:
        at = int(rng.integers(0, len(key) + 1))
        key[at:at + int(rng.integers(0, 2))] = [Ellipsis]
    if rng.random() < 0.3 and len(shape) < 6:
        key.insert(int(rng.integers(0, len(key) + 1)), None)
    return tuple(key)


def read_one(name, a, key):
    """What is wrong with x[key], or with a box of it; and with its shape."""
    part, box = a[key], None
    if rng.random() < 0.5:
        start = [int(rng.integers(0, n + 1)) for n in part.shape]
        extent = [int(rng.integers(0, n - s + 1)) for s, n in zip(start, part.shape)]
        part, box = part[tuple(slice(s, s + n) for s, n in zip(start, extent))], (start, extent)
    layout = mp.random_layout(rng, part.shape) if rng.random() < 0.7 else None
    wanted, shape = selection(key, box), (ctypes.c_int64 * 8)()
    ndim = mp.selection_shape(wanted, a.ndim, a.shape, selected=shape)
    wrong = "" if tuple(shape[:ndim]) == part.shape else f"shape {tuple(shape[:ndim])}; "
    wrong += mp.difference(mp.h5_read_selection(path, name, wanted, layout), part)
    return f"{name} {a.shape}[{mp.index_text(key)}] {box or ''}: {wrong}" if wrong else ""


arrays = {"small": rng.integers(0, 200, (7, 5, 4)).astype("uint8"), "vector": rng.standard_normal(40000),
          "rows": rng.standard_normal((30, 9000)).astype("complex64"), "scalar": np.float32(3),
          "image": rng.integers(0, 60000, (50, 70, 3)).astype(">u2"), "none": np.zeros((4, 0, 3), "int16"),
          "halves": rng.standard_normal((20, 30)).astype("float16"), "six": rng.integers(0, 9, (3, 2, 4, 1, 5, 2))}
for options in [{}, {"chunks": True}, {"chunks": True, "compression": 1, "shuffle": True}]:
    kind = "gzip" if "compression" in options else "chunked" if options else "contiguous"
    h5py_files.write(path, {n: v for n, v in arrays.items() if not options or np.size(v)}, **options)
    for name, stored in arrays.items():
        if options and not np.size(stored):
            continue
        a = np.asarray(stored).astype(np.asarray(stored).dtype.newbyteorder("="))
        wrongs = [w for w in (read_one(name, a, random_key(a.shape)) for _ in range(6)) if w]
        mp.ok(not wrongs, f"random parts of {name}, {kind}" + "".join("\n" + w for w in wrongs[:3]))

h5py_files.write(path, {"x": np.arange(12.).reshape(3, 4)})
whole = np.arange(12.).reshape(3, 4)
mp.check("no selection", mp.h5_read_selection(path, "x", selection(None), None), whole)
mp.check("no subscripts", mp.h5_read_selection(path, "x", selection(()), None), whole)
mp.check("a box", mp.h5_read_box(path, "x", [1, 2], [2, 1], None), whole[1:3, 2:3])
for key, words in [((3,), "index 3 is out of bounds for dimension 0"), ((0, 0, 0), "3 indices are too many"),
                   ((slice(0, 2, 0),), "step"), ((Ellipsis, Ellipsis), "2 ellipses")]:
    mp.fails("MNP_ERR_ARG", words, mp.h5_read_selection, path, "x", selection(key), None)
mp.fails("MNP_ERR_ARG", "column 3", mp.h5_read_selection, path, "x", Selection(b"1,x", None, None), None)
mp.fails("MNP_ERR_ARG", "2 elements from 1 on do not lie in dimension 0", mp.h5_read_selection, path, "x",
         selection(np.s_[::2], ([1, 0], [2, 4])), None)
mp.done()
