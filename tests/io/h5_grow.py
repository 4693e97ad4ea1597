# SPDX-License-Identifier: BSD-3-Clause
"""HDF5 files that grow: what is appended, and boxes that are written, as h5py reads them; what else the file has stays;
what cannot be is told in a sentence and leaves the file as it was."""

import ctypes
import hashlib
import os

from file_structs import Attribute, Item
import h5py_files
import maniple as mp
import numpy as np

rng = mp.random()
path = mp.scratch("a.h5")
folder = os.path.dirname(path)
NEW_AXIS = mp.MNP_H5_NEW_AXIS


def attributes(values):
    """{(object, name): a string or a float} as structs, and what they refer to."""
    kept, made = [], (Attribute * max(len(values), 1))()
    for one, ((where, name), value) in zip(made, values.items()):
        number = ctypes.c_double(value if isinstance(value, float) else 0)
        kept.append(number)
        one.object, one.name, one.dtype, one.count = where.encode(), name.encode(), 12, -1
        if isinstance(value, str):
            one.text = value.encode()
        else:
            one.dtype, one.values = FLOAT64, ctypes.addressof(number)
    return made, kept


FLOAT64 = next(i for i in range(32) if mp.dtype_name(i) == "float64")


def append(file, axis, arrays, values=None):
    """Append {dataset: NumPy array} in random layouts."""
    made = {name: mp.array(a, mp.random_layout(rng, np.shape(a))) for name, a in arrays.items()}
    items = (Item * max(len(made), 1))(*[Item(name.encode(), array.pointer) for name, array in made.items()])
    structs, kept = attributes(values or {})
    mp.h5_file_append(file, axis, len(made), items, len(values or {}), structs)


def digest():
    return hashlib.sha256(open(path, "rb").read()).hexdigest()


def same(name, dataset, want):
    """A point: h5py and the library read the same."""
    got = mp.h5_read(path, dataset, None)
    theirs = h5py_files.read(path)[dataset] if mp.rank == 0 else None
    wrong = mp.difference(got, want) or (mp.difference(theirs, want) if mp.rank == 0 else "")
    mp.ok(not wrong, f"{name}: {wrong}" if wrong else name)


def values(shape, dtype):
    numbers = rng.integers(0, 100, shape)
    return np.asarray(numbers % 2 == 0 if dtype == "bool" else numbers * (1 + 1j) if "complex" in dtype else numbers, dtype)


# ---- appending ----

h5py_files.write(path, {"old/data": np.arange(1000.), "old@note": "kept"})
file = mp.h5_file_open(path, True)
for number, (shape, dtype) in enumerate([((), "float64"), ((7,), "int16"), ((20, 30), "float32"), ((3, 5, 4), "complex64"),
                                         ((0, 4), "uint8"), ((300, 500), "float64"), ((2, 2), "bool"),
                                         ((1 << 17, 3), "float32")]):
    steps = [values(shape, dtype) for _ in range(4)]
    for i, step in enumerate(steps):
        append(file, NEW_AXIS, {f"g{number}/x": step}, {(f"/g{number}", "time"): float(i), ("/", "last"): f"step {i}"})
    same(f"four of {dtype} {shape}", f"g{number}/x", np.array(steps))
for axis, shape in [(0, (5, 8)), (1, (5, 8)), (2, (3, 2, 4)), (0, (4000,)), (1, (300, 2000))]:
    parts = [values(tuple(int(rng.integers(0, 2 * n)) if d == axis else n for d, n in enumerate(shape)), "int32")
             for _ in range(5)]
    for part in parts:
        append(file, axis, {f"along/{axis}/{shape[0]}": part})
    same(f"five along dimension {axis} of {shape}", f"along/{axis}/{shape[0]}", np.concatenate(parts, axis))
fields = {"u": values((40, 50), "float64"), "v": values((9,), "float32"), "t": np.float64(0.5)}
for _ in range(3):
    append(file, NEW_AXIS, fields)
for name, field in fields.items():
    same(f"three of {name}, appended together", name, np.array([field] * 3))
append(file, NEW_AXIS, {}, {("/u", "unit"): "m/s"})
found = h5py_files.read(path) if mp.rank == 0 else None
mp.ok(mp.rank > 0 or (np.array_equal(found["old/data"], np.arange(1000.)) and found["old@note"] == "kept"),
      "what the file had is there")
mp.ok(mp.rank > 0 or (found["u@unit"] == "m/s" and found["g0@time"] == 3 and found["@last"] == "step 3"),
      "and the attributes")

number, text = (ctypes.c_double * 4)(), ctypes.create_string_buffer(20)
mp.ok(mp.h5_file_get_attribute(file, "/g0", "time", "float64", 4, values=number) == 1 and number[0] == 3,
      "an attribute is read")
mp.h5_file_get_text(file, "/", "last", 20, text)
mp.ok(text.value == b"step 3", "and a string")
mp.h5_file_get_text(file, "/", "last", 3, text)
mp.ok(text.value == b"st", "which is cut to the room there is")
structs, kept = attributes({("/", "last"): "changed", ("/u", "scale"): 2.5})
mp.h5_file_set_attributes(file, 2, structs)
mp.h5_file_get_text(file, "/", "last", 20, text)
mp.ok(text.value == b"changed", "attributes are set")
mp.check("a part is read", mp.h5_file_read(file, "u", None, None), np.array([fields["u"]] * 3))
before = os.path.getsize(path)
for _ in range(4):
    append(file, NEW_AXIS, {"u": fields["u"]})
grown = os.path.getsize(path) - before
mp.ok(grown < 5 * fields["u"].nbytes + 4096, f"four arrays of 16000 bytes make the file {grown} bytes larger")

# ---- datasets of h5py's ----

a = values((10, 6), "int32")
h5py_files.write(path, {"c": a}, chunks=(3, 4), maxshape=(None, 20))
for _ in range(3):
    append(file, 0, {"c": values((2, 6), "int32")})
rows = np.concatenate([a, mp.h5_read(path, "c", None).numpy()[10:]])
more = values((16, 5), "int32")
append(file, 1, {"c": more})
same("a dataset of h5py's grows along both dimensions", "c", np.concatenate([rows, more], 1))
mp.fails(("MNP_ERR_UNSUPPORTED", "MNP_ERR_PEER"), "cannot grow along dimension 1 to 21", append, file, 1,
         {"c": values((16, 10), "int32")})

# ---- boxes ----

mp.h5_file_create(file, "flat", "float64", 2, [50, 40], -1)
mp.h5_file_create(file, "deep/tall", "int16", 2, [0, 7], 0)
whole = np.zeros((50, 40))
same("a new dataset is 0", "flat", whole)
for _ in range(6):
    lo = [int(rng.integers(0, n)) for n in whole.shape]
    part = rng.standard_normal([int(rng.integers(0, n - k + 1)) for n, k in zip(whole.shape, lo)])
    mp.h5_file_write(file, "flat", lo, mp.array(part, mp.random_layout(rng, part.shape)))
    whole[tuple(slice(k, k + n) for k, n in zip(lo, part.shape))] = part
same("boxes of a contiguous dataset", "flat", whole)
append(file, 0, {"deep/tall": values((3, 7), "int16")})
mp.ok(mp.h5_read(path, "deep/tall", None).shape == (3, 7), "what was made without rows gets rows")
h5py_files.write(path, {"chunked": np.zeros((0, 30))}, chunks=(4, 8), maxshape=(None, None), fillvalue=2.5)
h5py_files.resize(path, "chunked", (20, 30))
whole = np.full((20, 30), 2.5)
for _ in range(8):
    lo = [int(rng.integers(0, n)) for n in whole.shape]
    part = rng.standard_normal([int(rng.integers(0, n - k + 1)) for n, k in zip(whole.shape, lo)])
    mp.h5_file_write(file, "/chunked", lo, mp.array(part, mp.random_layout(rng, part.shape)))
    whole[tuple(slice(k, k + n) for k, n in zip(lo, part.shape))] = part
same("boxes of chunks that had no values yet; the others have the fill value", "chunked", whole)

# ---- whole datasets ----

wholes = {"whole/image": values((16, 5), "float32"), "whole/none": values((0, 3), "int64"), "number": values((), "complex128")}
append(file, mp.MNP_H5_WHOLE, wholes, {("/whole/image", "unit"): 2.0})
for name, a in wholes.items():
    same(f"a dataset of an array of shape {a.shape}", name, a)
mp.fails(("MNP_ERR_UNSUPPORTED", "MNP_ERR_PEER"), "cannot grow", append, file, 0, {"whole/image": values((1, 5), "float32")})

# ---- values that come to disk later ----

later = np.zeros((60, 70))
mp.h5_file_create(file, "later", "float64", 2, list(later.shape), -1)
mp.h5_file_set_sync(file, False)
for i in range(6):
    part = rng.standard_normal((10, 70))
    mp.h5_file_write(file, "later", [10 * i, 0], mp.array(part, mp.random_layout(rng, part.shape)))
    later[10 * i:10 * i + 10] = part
append(file, NEW_AXIS, {"appended": fields["u"]})
mp.h5_file_set_sync(file, True)
same("rows that a thread writes are there when all is to be on disk", "later", later)
same("and what was appended meanwhile", "appended", fields["u"][None])
mp.h5_file_set_sync(file, False)
mp.h5_file_write(file, "later", [3, 4], mp.array(np.ones((5, 6))))
later[3:8, 4:10] = 1
mp.check("reading waits for what is written", mp.h5_file_read(file, "later", None, None), later)
mp.h5_file_close(file)
same("and when the file is closed", "later", later)
file = mp.h5_file_open(path, True)
# ---- groups, and what is removed ----

mp.h5_file_make_group(file, "group/inner")
append(file, 0, {"group/inner/v": values((5,), "float32"), "gone": values((9,), "int16"), "deep/tall": values((2,), "int8")},
       {("/", "of all"): 1.5, ("/group", "g"): 2.5})
mp.h5_file_remove(file, "gone", None)
mp.h5_file_remove(file, "/", "of all")
mp.h5_file_remove(file, "deep", None)
names = sorted(h5py_files.read(path)) if mp.rank == 0 else []
mp.ok(mp.rank > 0 or ("gone" not in names and "deep/tall" not in names and "group/inner/v" in names), f"what is left: {names}")
mp.fails(("MNP_ERR_IO", "MNP_ERR_PEER"), "has no attribute 'of all'", mp.h5_file_remove, file, "/", "of all")
mp.fails(("MNP_ERR_IO", "MNP_ERR_PEER"), "'/gone' in", mp.h5_file_remove, file, "gone", None)
mp.fails("MNP_ERR_ARG", "names no dataset", mp.h5_file_remove, file, "/", None)
mp.fails(("MNP_ERR_ARG", "MNP_ERR_PEER"), "exists already", mp.h5_file_make_group, file, "/group")

# ---- what cannot be ----

h5py_files.write(path, {"packed": np.zeros((2, 2))}, chunks=(1, 2), maxshape=(None, 2), compression=1)
append(file, NEW_AXIS, {"x": values((3, 4), "float64")})
append(file, NEW_AXIS, {"big": values((3,), "int32")})
good = digest()
UNSUPPORTED, IO, FORMAT, ARG = (("MNP_ERR_" + name, "MNP_ERR_PEER") for name in ("UNSUPPORTED", "IO", "FORMAT", "ARG"))
mp.fails(UNSUPPORTED, "is compressed", append, file, 0, {"packed": np.zeros((1, 2))})
mp.fails(ARG, "has elements of float64, and the array has float32", append, file, NEW_AXIS, {"x": np.zeros((3, 4), "f4")})
mp.fails(ARG, "has 4 elements along dimension 2, and the array has 5", append, file, NEW_AXIS, {"x": np.zeros((3, 5))})
mp.fails(ARG, "has 3 dimensions, and the array would need 2", append, file, NEW_AXIS, {"x": np.zeros(4)})
mp.fails(ARG, "one that it does not have", append, file, 2, {"x": np.zeros((3, 4))})
mp.fails(ARG, "named twice", append, file, NEW_AXIS, {"x": np.zeros((3, 4)), "/x": np.zeros((3, 4))})
mp.fails(ARG, "do not lie in dimension 0", mp.h5_file_write, file, "x", [1, 0, 0], mp.array(np.zeros((1, 3, 4))))
mp.fails(IO, "cannot open '/none'", mp.h5_file_write, file, "none", [0], mp.array(np.zeros(3)))
mp.fails(ARG, "exists already", mp.h5_file_create, file, "x", "int8", 1, [3], -1)
mp.fails(ARG, "exists already", append, file, mp.MNP_H5_WHOLE, {"new": np.zeros(3), "x": np.zeros(3)})
mp.fails(IO, "cannot make", append, file, NEW_AXIS, {"x/y": np.zeros(3)})
mp.fails(IO, "cannot set attribute", append, file, NEW_AXIS, {"x": np.zeros((3, 4))}, {("/none", "a"): 1.0})
mp.fails(IO, "has no attribute", mp.h5_file_get_text, file, "/", "none", 5, text)
mp.ok(digest() == good, "after all this the file is byte for byte as it was")
mp.agree(None)
mp.h5_file_close(file)
file = mp.h5_file_open(path, False)
mp.fails("MNP_ERR_ARG", "for reading alone", append, file, NEW_AXIS, {"x": np.zeros((3, 4))})
mp.h5_file_close(file)
mp.fails(IO, "No such file", mp.h5_file_open, path + "x", False)
mp.fails(IO, "cannot be reached", mp.h5_file_open, folder + "/none/a.h5", True)
if mp.rank == 0:
    with open(path, "wb") as text:
        text.write(b"hello")
mp.agree(None)
mp.fails(FORMAT, "is not an HDF5 file", mp.h5_file_open, path, True)
if mp.rank == 0:
    os.unlink(path)
mp.agree(None)
file = mp.h5_file_open(path, True)
append(file, NEW_AXIS, {"x": np.arange(5.)})
same("a file that did not exist", "x", np.arange(5.)[None])
mp.h5_file_close(file)
mp.done()
