# SPDX-License-Identifier: BSD-3-Clause
"""Arrays: operators, indices, copies, blocks, what is lent to other libraries, files."""

import copy
import gc
import math
import importlib.util
import os
import pickle
import random as dice
import warnings

import maniple as mp
from maniple import _dlpack
import numpy as np

from . import full, ok, pair, raises, rng, same, seed, shared_folder


def check_arrays():
    x, a = pair((5, 7))
    ok((x.shape, x.ndim, x.size, x.dtype, x.nbytes, len(x)) == (a.shape, 2, 35, a.dtype, 280, 5), "what an array is")
    block = x.local
    (
        ok(
            np.array_equal(block, a[x.local_slices]) and np.shares_memory(block, x.local),
            "the block is the array's memory",
        )
        if x.device == "host"
        else ok(block.__cuda_array_interface__["shape"] == a[x.local_slices].shape, "the block")
    )
    ok(f"rank {mp.rank()} of {mp.nranks()}" in repr(x) and "(5, 7)" in repr(x), "repr shows this rank's part")
    n = mp.arange(5).sum()
    ok((str(n), f"{n}", f"{n:4d}", "shape ()" in repr(n)) == ("10", "10", "  10", True), "a number among other text")
    same("numpy.asarray gathers", np.asarray(x), a)
    ok(x.item(2, 3) == a[2, 3] and float(mp.sum(x)) == x.sum().item(), "numbers out of arrays")
    mp.set_gather_limit(100)
    raises(MemoryError, "280 bytes", "gathering by mistake", x.numpy)
    mp.set_gather_limit(1 << 30)
    raises(ValueError, "any() or all()", "the truth of several elements", lambda: bool(x))
    raises(ValueError, "of no elements", "the truth of none", lambda: bool(x[:0]))
    raises(TypeError, "numpy.ndarray", "NumPy's arrays are no operands", lambda: mp.add(x, a))
    raises(TypeError, "asarray", "nor on the left", lambda: a + x)
    _check_lists(x, a)
    raises(ValueError, "broadcast", "shapes that do not fit", lambda: x + mp.ones((3,)))
    raises(TypeError, "numpy.is_busday", "what is not there", lambda: np.is_busday(x))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        rows = [row.sum().item() for row in x]
    ok(len(rows) == 5 and caught, "iterating warns")
    for text in ("0, *", "*, 0", "*, *"):
        y = mp.asarray(a, layout=mp.Layout(a.shape, text))
        same(f"layout {text}", (y + x, y.to_layout("0, 1")), (a + a, a))
        ok(y.layout == mp.Layout(a.shape, text) and y.layout.shape == a.shape, f"the layout is {text}")


def _check_lists(x, a):
    """Lists and tuples become arrays among operands, as NumPy's do."""
    row, column = [1, 2, 3.5, 4, 5, 6, 7], ((1,), (2,), (3,), (4,), (5,))
    calls = {
        "add": lambda m, v: m.add(row, v), "add of two": lambda m, v: m.add([1, 2], (3, 4)), "sin": lambda m, v: m.sin([1, 2]),
        "minimum": lambda m, v: m.minimum(v, column), "x + list": lambda m, v: v + row, "list + x": lambda m, v: row + v,
        "tuple * x": lambda m, v: column * v, "x == list": lambda m, v: v == row, "x <= list": lambda m, v: v <= column,
        "x @ list": lambda m, v: v @ row, "with a dtype": lambda m, v: m.add([1, 2], [3, 4], dtype="float32"),
        "isnan": lambda m, v: m.isnan([1.0, np.nan]), "outer": lambda m, v: m.multiply.outer([1, 2], [3, 4, 5]),
        "into an array": lambda m, v: m.add([1, 2], [3, 4], out=m.zeros(2)), "divmod": lambda m, v: m.divmod([7, 8], 3)[1],
        "where": lambda m, v: m.where(v > 0, row, column), "bools": lambda m, v: m.logical_not([True, False]),
    }  # fmt: skip
    for name, call in calls.items():
        same(f"lists: {name}", call(mp, x), call(np, a), 1e-14)
    y, b = mp.copy(x), a.copy()
    y += row
    b += row
    same("x += list", y, b)
    raises(ValueError, "broadcast", "a list of another length", lambda: x + [1, 2])
    raises(TypeError, "", "a list of texts", lambda: mp.sin(["a"]))
    raises(ValueError, "", "a ragged list", lambda: mp.sin([[1], [1, 2]]))


def check_powers():
    """x ** 2 is a square, and x ** 0.5 a root, as NumPy's operators have it: to the last bit, and for all values."""
    for dtype in ("int8", "uint16", "int64", "float32", "float64", "complex64", "complex128"):
        x, a = pair((40,), dtype)
        if a.dtype.kind == "f":
            a[:5] = np.nan, np.inf, -np.inf, -0.0, 1e-30
            x = mp.asarray(a)
        with np.errstate(all="ignore"):
            same(f"squares of {dtype}", (x**2, mp.power(x, 2)), (np.square(a),) * 2, 0 if a.dtype.kind != "c" else 1e-6)
            if a.dtype.kind in "fc":
                same(f"squares and roots of {dtype}", (x**2.0, x**0.5), (np.square(a), np.sqrt(a)),
                     0 if a.dtype.kind != "c" else 1e-6)
                y = x.copy()
                y **= 2
                same(f"squares of {dtype} in place", y, np.square(a), 0 if a.dtype.kind != "c" else 1e-6)
    same("powers of numbers", (2 ** mp.arange(3.0), mp.asarray(np.array(3.0)) ** 2), (2 ** np.arange(3.0), np.array(9.0)))


def check_operators():
    operations = {
        "+": lambda p, q: p + q,
        "-": lambda p, q: p - q,
        "*": lambda p, q: p * q,
        "/": lambda p, q: p / q,
        "//": lambda p, q: p // q,
        "%": lambda p, q: p % q,
        "**": lambda p, q: abs(p) ** q,
        "<": lambda p, q: p < q,
        "<=": lambda p, q: p <= q,
        "==": lambda p, q: p == q,
        "!=": lambda p, q: p != q,
        "divmod": divmod,
    }
    for dtype in ("float64", "float32", "int32"):
        (x, a), (y, b) = pair((3, 4), dtype), pair((4,), dtype)
        b[b == 0] = 1
        y = mp.asarray(b)
        # a kernel each, which takes longer to compile than all the rest
        some = operations if full or dtype == "float64" else {"float32": ("+", "**"), "int32": ("/", "//", "<")}[dtype]
        for name in some:
            operation = operations[name]
            right = np.abs(b) if name == "**" else b
            same(f"{dtype} x {name} y", operation(x, abs(y) if name == "**" else y), operation(a, right), 1e-6)
            same(f"{dtype} x {name} 2", operation(x, 2), operation(a, 2), 1e-6)
            if name != "**":
                same(f"{dtype} 2 {name} y", operation(2, y), operation(2, b), 1e-6)
    x, a = pair((6,), "int64")
    same("bits", (x & 6, x | 1, x ^ x, ~x, x << 2, x >> 1), (a & 6, a | 1, a ^ a, ~a, a << 2, a >> 1))
    same(
        "NumPy's scalars keep their type",
        (mp.ones(3, "float32") * np.float64(2), mp.ones(3, "float32") * 2.0),
        (np.ones(3) * 2, np.ones(3, "float32") * np.float32(2)),
    )
    x, a = pair((4, 3))
    y, b = x, a
    y += 1
    b += 1
    y *= x
    b *= a
    same("in place", x, a)
    same("signs", (-x, +x, abs(x)), (-a, +a, abs(a)))


def check_indexing():
    x, a = pair((6, 5, 4))
    mask, picks = rng.random((6, 5)) < 0.4, [3, 0, -1]
    same(
        "slices",
        (x[1:4, ::-2], x[..., -1], x[2], x[None, :, 3], x[-2:, :, 1:3]),
        (a[1:4, ::-2], a[..., -1], a[2], a[None, :, 3], a[-2:, :, 1:3]),
    )
    same(
        "arrays of indices",
        (
            x[picks],
            x[:, picks],
            x[..., [1, 1]],
            x[np.array([[0, 1], [2, 5]])],
            x[[0, 1], [2, -3]],
            x[:, [0, 1], [2, 3]],
            x[[0, 1], :, [2, 3]],
        ),
        (
            a[picks],
            a[:, picks],
            a[..., [1, 1]],
            a[np.array([[0, 1], [2, 5]])],
            a[[0, 1], [2, -3]],
            a[:, [0, 1], [2, 3]],
            a[[0, 1], :, [2, 3]],
        ),
    )
    same("masks", (x[mask], x[x > 1], x[:, x[0, :, 0] > 0]), (a[mask], a[a > 1], a[:, a[0, :, 0] > 0]))
    for name, key, value in (
        ("a number", (slice(1, 3), 2), 7.5),
        ("a row", (slice(None), -1), np.arange(4.0)),
        ("a mask", mask, -1.0),
        ("indices", [4, 1], 3.0),
        ("several indices", ([0, 1], [2, 3]), 9.0),
        ("indices beside slices", (slice(1, 4), [0, 2]), 5.0),
        ("an array at indices", ([5, 0],), rng.random((2, 5, 4))),
    ):
        x[key] = value if np.isscalar(value) else mp.asarray(value)
        a[key] = value
        same(f"assignment of {name}", x, a)
    raises(IndexError, "6", "too many indices", lambda: x[[0], 0, 0, 0, 0, 0]) if False else None
    raises(mp.Error, "out of", "an index that is out of bounds", lambda: x[9])
    raises(mp.Error, "bounds", "one of an array", lambda: x[[0, 17]])
    view = x[2:4]
    view += 1
    a[2:4] += 1
    same("a view changes its array", x, a)
    del x
    gc.collect()
    same("a view outlives its array", view, a[2:4])


def check_large_integers():
    x, a = mp.asarray(np.array([1, 2], "uint64")), np.array([1, 2], "uint64")
    large = 2**63 + 1
    same("uint64 and an integer beyond int64", (x + large, x | large), (a + np.uint64(large), a | np.uint64(large)))
    same("and compared", (x < large, mp.arange(3) < large), (np.array([True] * 2), np.array([True] * 3)))
    same("and beside floats", mp.ones(2, "float32") * large, np.full(2, large, "float32"))
    x[1] = large
    same("and as an element", x, np.array([1, large], "uint64"))
    raises(OverflowError, "does not fit int64", "int64 and such an integer", lambda: mp.arange(3) + large)
    same("ranges of uint64", (mp.arange(2**63 - 1, 2**63 + 2, dtype="uint64"), mp.arange(2**64 - 2, 2**64 - 1)),
         (np.array([2**63 - 1, 2**63, 2**63 + 1], "uint64"), np.array([2**64 - 2], "uint64")))
    for limits in ((-1, 2**63), (0, 2**64 + 5), (0, 10, 2**64 + 1)):
        raises(OverflowError, "64 bits", f"and none of {limits}", lambda: mp.arange(*limits))
    same("linspace of complex numbers", (mp.linspace(1j, 2, 5), mp.linspace(0, 1j, 3, endpoint=False, dtype="complex64")),
         (np.linspace(1j, 2, 5), np.linspace(0, 1j, 3, endpoint=False, dtype="complex64")), 1e-7)


def check_ranks():
    """mp.comm and mp.layouts, and what new arrays are made like."""
    group = mp.comm.world()
    ok((group.rank, group.size, mp.comm.size()) == (mp.rank(), mp.nranks(), mp.nranks()), "comm.world")
    mp.comm.barrier()
    last = mp.nranks() - 1
    for value in (5, 2**70, -0.1, float("inf"), 1.5 - 2j, True, None, "a 'text'\n\u00e9", b"\0\xff", np.float64(3), ""):
        got = mp.comm.bcast(value if mp.rank() == last else "another", last)
        ok(got == value and type(got) is type(value.item() if isinstance(value, np.generic) else value), f"bcast {value!r}")
    ok(np.isnan(mp.comm.bcast(float("nan"))), "bcast NaN")
    numbers = [r * r - 1 for r in range(mp.nranks())]
    mine = numbers[mp.rank()]
    got = [mp.comm.allreduce(mine, op) for op in ("sum", "prod", "max", "min")]
    ok(got == [sum(numbers), math.prod(numbers), max(numbers), min(numbers)], f"allreduce of integers: {got}")
    got = tuple(map(mp.comm.allreduce, (0.1 * mine, np.float32(mine), 2**100, 1j)))
    ok(got == (sum(0.1 * v for v in numbers), float(sum(numbers)), mp.nranks() * 2**100, mp.nranks() * 1j),
       f"of floats, large integers and complex numbers: {got}")
    odd, large = "x" if mp.rank() == 0 else 1, 2**127 if mp.rank() == 0 else 1
    raises(TypeError, "takes numbers", "allreduce of a text on one rank", lambda: mp.comm.allreduce(odd))
    raises(OverflowError, "128 bits", "of an integer that is too large on one", lambda: mp.comm.allreduce(large))
    raises(ValueError, "none of sum", "by no operation", lambda: mp.comm.allreduce(1, "mean"))
    raises(TypeError, "not list", "bcast of a list", lambda: mp.comm.bcast([1]))
    raises(ValueError, "root is", "bcast from nobody", lambda: mp.comm.bcast(1, mp.nranks()))
    part = mp.comm.split(mp.rank() % 2, -mp.rank())
    mine = [r for r in range(mp.nranks()) if r % 2 == mp.rank() % 2][::-1]
    ok((part.size, [part.world_rank(r) for r in range(part.size)], part.bcast(mp.rank())) == (len(mine), mine, mine[0]),
       "comm.split")
    part.barrier()
    part.free()
    ok((mp.comm.split(None if mp.rank() else 0) is None) == (mp.rank() > 0), "a rank in no group")

    shape, n = (9, 7), mp.nranks()
    boxes = {name: getattr(mp.layouts, name)(shape).box(mp.rank()) for name in ("rows", "columns", "replicated", "block")}
    ok(boxes["rows"][1] == slice(0, 7) and boxes["columns"][0] == slice(0, 9) and boxes["replicated"] == (
        slice(0, 9), slice(0, 7)) and boxes["block"] == mp.Layout(shape).box(mp.rank()), "layouts by name")
    ok(mp.layouts.rows(shape) == mp.layouts.parse(shape, "0, *") == mp.layouts.cut(shape, 0), "layouts.parse, cut")
    ok(mp.layouts.cut(shape, 1, [0] * n + [7]).cuts(1) == (0,) * n + (7,), "layouts.cut of given cuts")
    ok(mp.layouts.like(mp.layouts.columns(shape), (3, 8)) == mp.layouts.columns((3, 8)), "layouts.like")
    ok(mp.layouts.on_root(shape, n - 1).owner((8, 6)) == n - 1, "layouts.on_root")
    ok(mp.layouts.cyclic(shape, 2, [0]) == mp.Layout(shape, "0(2), *"), "layouts.cyclic")
    x, a = pair((9, 8), "float32")
    for name in "zeros_like", "ones_like":
        same(f"{name} shape=", getattr(mp, name)(x, shape=(3, 4)), getattr(np, name)(a, shape=(3, 4)))
    same("full_like shape=", mp.full_like(x, 7, dtype="i2", shape=5), np.full_like(a, 7, dtype="i2", shape=5))
    ok(mp.empty_like(x, shape=(2, 3)).shape == (2, 3) and mp.empty_like(x, shape=()).dtype == "f4", "empty_like shape=")
    same("view", x.view("int32"), a.view("int32"))
    same("a view of a slice", x[::-2, 1:5].view("uint32")[1:], a[::-2, 1:5].view("uint32")[1:])
    y = mp.redistribute(x, mp.layouts.rows(a.shape))
    same("views of other sizes", (y.view("uint8"), y.view("complex64")), (a.view("uint8"), a.view("complex64")))
    z = y.view("int32")
    z[3:5] = 0
    same("what is written to a view", y, np.where(np.isin(np.arange(9), (3, 4))[:, None], np.float32(0), a))
    raises(ValueError, "whole number", "a view of other sizes", lambda: y[:, :3].view("f8"))
    raises(ValueError, "contiguous", "a view of other sizes", lambda: y[:, ::2].view("i2"))


def check_images(name, a):
    """TIFF and FITS files, which rank 0 writes in the place of a file; where the build reads them."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../numpy/image_files.py")
    made = importlib.util.spec_from_file_location("image_files", path)
    image_files = importlib.util.module_from_spec(made)
    made.loader.exec_module(image_files)
    image = (a * 100).astype("i2")
    kinds = [(mp.tiff.read, ".tif", ":0", image_files.tiff_bytes([image])),
             (mp.fits.read, ".fits", ":SCI", image_files.fits_bytes(None, True)
              + image_files.fits_bytes(image, False, EXTNAME="SCI"))]
    for read, ending, part, content in kinds:
        if mp.rank() == 0:
            with open(name + ending, "wb") as file:
                file.write(content)
        mp.sum(mp.ones(8)).item()  # all ranks get here
        try:
            got = read(name + ending), read(name + ending + part), read(name + ending + part + "[1:-1, ::2]")
            same(f"an image in a {ending} file, and a part of it", got, (image, image, image[1:-1, ::2]))
        except mp.Error as error:
            ok("has no lib" in str(error) or "has no CFITSIO" in str(error), f"{ending}: {error}")
        mp.sum(mp.ones(8)).item()  # all ranks get here
        if mp.rank() == 0:
            os.unlink(name + ending)
    x = mp.asarray(image)
    mp.tiff.write(name + ".tif", x)
    mp.fits.write(name + ".fits:SCI", x)
    with open(name + ".tif", "rb") as tiff, open(name + ".fits", "rb") as sky:
        same("images that are written", (image_files.tiff_pages(tiff.read())[0][1][..., 0],
                                         image_files.fits_hdus(sky.read())[1][1].astype("i2")), (image, image))
    mp.sum(mp.ones(8)).item()  # all ranks have read them
    if mp.rank() == 0:
        os.unlink(name + ".tif")
        os.unlink(name + ".fits")
    for page in "-1", "SCI", "":
        raises(ValueError, "is not a number", f"page {page!r}", lambda: mp.tiff.read(f"cells.tif:{page}"))
    raises(mp.Error, "12:30.tif", "a file with a colon in its name", lambda: mp.tiff.read("/not/there/12:30.tif"))


def check_attributes(name, x):
    """Attributes of HDF5 files, beside what h5py makes of them where that is there."""
    values = {"unit": "K", "long": "ä" * 300, "n": 3, "half": np.float32(0.5), "flag": True, "wave": 1 - 2j,
              "v": np.array([1.5, -2.0]), "none": np.zeros(0, dtype="int32")}
    mp.h5.write(name + ":/t", x, attributes={"unit": "m", "counts": [1, 2]})
    with mp.h5.File(name, "a") as file:
        made = file["/t"].attrs
        same("attributes that were written with an array", made["counts"], np.array([1, 2]))
        ok(made["unit"] == "m" and list(made) == ["counts", "unit"] and len(made) == 2, f"{list(made)}")
        for key, value in values.items():
            made[key] = value
        file.attrs["of the file"] = "all"
        raises(ValueError, "2 dimensions", "a matrix as an attribute", lambda: made.__setitem__("m", np.eye(2)))
    with mp.h5.File(name) as file:
        got = dict(file["/t"].attrs)
        ok(set(got) == {*values, "counts"}, f"all of them: {sorted(got)}")
        ok("n" in file["t"].attrs and "no" not in file["t"].attrs, "what is there")
        for key, value in values.items():
            same_kind = type(got[key]) is str if type(value) is str else got[key].dtype == np.asarray(value).dtype
            ok(same_kind and np.array_equal(got[key], value), f"attribute {key}")
        ok(dict(file.attrs) == {"of the file": "all"} and file["/x"].attrs.get("unit", 7) == 7, "of the file, and none")
        raises(KeyError, "no attribute 'no'", "an attribute that is not there", lambda: file["/t"].attrs["no"])
        raises(ValueError, "reading alone", "a file that is read", lambda: file.attrs.__setitem__("a", 1))


def check_files():
    x, a = pair((9, 4), "float32")
    name = shared_folder() + "/x.h5"
    mp.h5.write(name + ":/x", x)
    same("HDF5, and a part of it", (mp.h5.read(name + ":/x"), mp.h5.read(name + ":/x[1:-1, ::2]")), (a, a[1:-1, ::2]))
    with mp.h5.File(name, "a") as file:
        file.append("/frames", x)
        file.append("/frames", x + 1)
    with mp.h5.File(name) as file:
        both, frames = np.stack((a, a + 1)), file["/frames"]
        same("a file that grows", (frames[...], file["/frames[-1, 0]"]), (both, both[-1, 0]))
        ok((frames.shape, frames.dtype, len(frames)) == (both.shape, both.dtype, 2), "what a dataset is")
        same("datasets are sliced", (frames[1], frames[0, 1:-1, ::2], frames[..., 2]),
             (both[1], both[0, 1:-1, ::2], both[..., 2]))
        ok(frames.read(0, mp.Layout(a.shape, "*, 0")).layout == mp.Layout(a.shape, "*, 0"), "and read into a layout")
        keys = file.keys()
        ok(keys == list(file) == ["frames", "x"] and "x" in file and "y" not in file, f"keys of a file: {keys}")
        same("into a layout as a text", frames.read(0, "*, 0"), a)
    mp.h5.write(name + ":/group/y", x)
    with mp.h5.File(name, "a") as file:
        ok(file.keys() == ["frames", "group", "x"], f"keys with a group: {file.keys()}")
        there = [path in file for path in ("/x", "group", "/group/y", "group/y", "/y", "/group/x")]
        ok(there == [True] * 4 + [False] * 2, f"what is in it: {there}")
    for place, want in (("/x", a), ("/x[1:, ::2]", a[1:, ::2])):
        for text in ("*, 0", "*, *"):
            got = mp.h5.read(name + ":" + place, text)
            same(f"h5.read of {place} in the layout {text}", got, want)
            ok(got.layout == mp.Layout(want.shape, text), "which it has")
    check_attributes(name, x)
    raises(OSError, "there.h5", "a file that is not there", lambda: mp.h5.read("/not/there.h5:/x"))
    check_images(name, a)
    mp.sum(x).item()
    if mp.rank() == 0:
        os.unlink(name)
        os.rmdir(os.path.dirname(name))


def check_local():
    block = np.arange(6.0 * (mp.rank() + 1)).reshape(-1, 3)[:, ::2]
    x = mp.from_local(block)
    whole = np.concatenate([np.arange(6.0 * (r + 1)).reshape(-1, 3)[:, ::2] for r in range(mp.nranks())])
    same("blocks of NumPy", x, whole)
    if x.device == "host":
        x += 1
        ok(np.array_equal(block, np.arange(6.0 * (mp.rank() + 1)).reshape(-1, 3)[:, ::2] + 1), "their memory is used")
    rows, n = np.full((2, 3), mp.rank()), mp.nranks()
    wanted = np.repeat(np.arange(n), 2)[:, None] * np.ones((1, 3), int)
    same("blocks and the shape of the whole", mp.from_local(rows, shape=(2 * n, 3)), wanted)
    same("blocks along another axis", mp.from_local(rows.T, shape=[3, 2 * n], axis=1), wanted.T)
    same("blocks in a layout as a text", mp.from_local(rows.T, "*, 0", shape=(3, 2 * n)), wanted.T)
    raises(ValueError, "not of", "blocks of another shape", lambda: mp.from_local(rows, shape=(2 * n, 4)))
    layout = mp.Layout((2 * n, 3), "0, *")
    raises(ValueError, "shape is", "a layout of another", lambda: mp.from_local(rows, layout, shape=(1, 3)))
    raises(TypeError, "shape=", "a text without a shape", lambda: mp.from_local(rows, "0, *"))
    odd = np.zeros((2, 2), [("a", "i1"), ("b", "f8")])["b"]
    same("a block whose strides are odd is copied", mp.from_local(odd), np.zeros((2 * mp.nranks(), 2)))
    raises(ValueError, "copy is False", "unless that is refused", lambda: mp.from_local(odd, copy=False))
    ok(not np.shares_memory(mp.from_local(block, copy=True).local, block) or x.device != "host", "a copy that is asked for")
    last = mp.nranks() - 1
    number = mp.sum(mp.asarray(np.arange(6.0), layout=mp.layouts.on_root((6,), last)))
    here = [15.0] if mp.rank() == last else []
    ok((number.local if number.device == "host" else number._block()).ravel().tolist() == here and
       (str(number) == "15.0") == bool(here), "a number that one rank has, and others have no block of")
    if mp.nranks() > 1:
        raises(ValueError, "differ", "blocks that do not fit", lambda: mp.from_local(np.zeros((2, 3 + mp.rank()))))


def check_garbage():
    """Ranks forget arrays at different times, and nothing hangs or changes."""
    die = dice.Random(mp.rank() + seed)
    kept = []
    x, a = pair((64,))
    total = 0.0
    for turn in range(60):
        y = mp.roll(x, turn) * 2.0
        kept.append(y)
        while len(kept) > 1 and die.random() < 0.5:
            kept.pop(die.randrange(len(kept) - 1))
        if die.random() < 0.2:
            gc.collect()
        total += float(y.sum())
    ok(
        abs(total - 120 * a.sum()) <= 1e-9 * np.abs(a).sum() * 120,
        "garbage is collected at random moments on random ranks",
    )


def check_dlpack():
    if mp.zeros(1).device != "host":
        ok(mp.zeros(3).__dlpack_device__()[0] == 2, "DLPack of a GPU's memory")  # gpu_blocks.py has the rest
        return
    a = np.arange(6.0)
    x = mp.from_dlpack(a)
    same("from_dlpack", x, a)
    if mp.nranks() == 1:
        a[0] = 9
        shares = np.from_dlpack(a).flags.writeable  # not in NumPy 1
        same("from_dlpack shares memory on one rank, if it may be written to", x[0], a[0] if shares else np.float64(0))
        same("from_dlpack with copy", mp.from_dlpack(a, copy=True) + 1, a + 1)
        ok(np.shares_memory(np.from_dlpack(x), x.local), "__dlpack__ shares memory")
    else:
        raises(ValueError, "copy is False", "no copy on several ranks", lambda: mp.from_dlpack(a, copy=False))
        raises(BufferError, "spread over ranks", "DLPack of a spread array", lambda: mp.zeros(10).__dlpack__())
    whole = mp.replicate(mp.asarray(a))
    good = np.array_equal(np.from_dlpack(whole), a) and whole.__dlpack_device__() == (1, 0)
    ok(good, "DLPack of an array on all ranks")
    check_read_only()
    check_lending()


def check_read_only():
    """Blocks of broadcast views, whose elements share memory, can be read alone, as NumPy's."""
    x, row = mp.zeros((mp.nranks() * 2, 3)), mp.zeros(3)
    for name, view in (("broadcast_to", mp.broadcast_to(row, (4, 3))), ("a view of it", mp.broadcast_to(row, (4, 3))[1:, ::2]),
                       ("broadcast_arrays", mp.broadcast_arrays(x, row)[1]), ("broadcast_arrays of numbers", mp.broadcast_arrays(x, 1.5)[1])):
        block = view.local
        if view.device == "host":
            ok(not block.flags.writeable or block.size == 0, f"the block of {name} is read-only")
            whole = mp.broadcast_to(mp.replicate(row), (4, 3))
            raises(BufferError, "read-only", "DLPack before version 1 cannot say so", whole.__dlpack__)
            lent = whole.__dlpack__(max_version=(1, 0)), whole.__dlpack__(max_version=(1, 0), copy=True)
            flags = [managed[0].flags for managed in list(_dlpack._lent.values())[-2:]]
            ok(flags == [1, 0], f"version 1 says so, and not of a copy: {flags}")
            del lent
        else:
            ok(block.__cuda_array_interface__["data"][1], f"the block of {name} is read-only")
        raises(ValueError, "broadcast view", f"{name} cannot be written", lambda view=view: view.__setitem__(..., 1.0))
    _dlpack.sweep()
    ok(x.device != "host" or x.local.flags.writeable, "the block of an array can be written")
    frozen = np.arange(3.0)
    frozen.flags.writeable = False
    y = mp.from_local(frozen)
    y += 1
    same("NumPy's memory that is read-only is copied", frozen, np.arange(3.0))
    raises(ValueError, "copy is False", "or refused", lambda: mp.from_local(frozen, copy=False))


def check_lending():
    """What is lent to other libraries on GPUs, here to NumPy: taken, refused, and given back."""
    x = mp.ones(3 * mp.nranks())
    block, before = x.local, len(_dlpack._lent)

    class Lent:
        def __init__(self, device):
            self.device = device

        def __dlpack_device__(self):
            return self.device

        def __dlpack__(self, **_):
            capsule = _dlpack.lend(x, block.ctypes.data, block.shape, [1])
            _dlpack._lent[list(_dlpack._lent)[-1]][0].tensor.device = self.device
            return capsule

    taken = np.from_dlpack(Lent((1, 0)))
    ok(np.array_equal(taken, block) and len(_dlpack._lent) == before + 1, "a block that is lent is the array's")
    raises((BufferError, RuntimeError), "device", "NumPy refuses a GPU's block", lambda: np.from_dlpack(Lent((2, 0))))
    _dlpack.sweep()
    ok(len(_dlpack._lent) == before + 1, "what was refused is given back, and what was taken is not")
    del taken
    ok(len(_dlpack._lent) == before and not _dlpack._capsules, "until nobody has it any more")


def check_flags():
    """How blocks lie in memory, as NumPy and CuPy tell it."""
    x = mp.zeros((4, 6))
    for name, y in (("an array", x), ("its transpose", x.T), ("every second column", x[:, ::2]), ("a vector", x[0]),
                    ("a view that repeats", mp.broadcast_to(x[:1], (4, 6))), ("nothing", x[:0]), ("a number", x[0, 0])):
        flags, want = y.flags, y.local.flags if y.device == "host" else None
        for flag in ("c_contiguous", "f_contiguous", "forc", "fnc", "aligned", "writeable"):
            # where a rank has nothing, NumPy's array is not on the block; all ranks ask ok()
            compared = want is not None and (flag != "writeable" or y.local.size > 0)
            good = not compared or getattr(flags, flag) == getattr(want, flag) == flags[flag.upper()]
            ok(good, f"{flag} of {name}: {getattr(flags, flag)}")
    flags = x.flags
    ok(flags.owndata and flags["C"] and "WRITEABLE : True" in repr(flags), "other ways to ask")
    raises(KeyError, "no flag", "another flag", lambda: flags["G"])


def check_copies():
    x, a = pair((4, 3))
    y, z = copy.copy(x), copy.deepcopy([x])[0]
    y += 1
    same("copies of an array are arrays of their own", (x, y, z), (a, a + 1, a))
    raises(TypeError, "save()", "arrays are not pickled", lambda: pickle.dumps(x))
    raises(TypeError, "neither copied nor pickled", "nor layouts", lambda: pickle.dumps(mp.Layout((3,))))
    ok(f"{mp.sum(x):.3f}" == f"{a.sum():.3f}", "a number with a format")
    raises(TypeError, "12 elements", "several numbers with a format", lambda: f"{x:.3f}")
    for wrong in ("a", 1.5, (0, "a")):
        raises(IndexError, "is no index", f"x[{wrong!r}]", lambda: x[wrong])
    raises(IndexError, "out of bounds", "assignment beyond the end", lambda: x.__setitem__(4, 0))
    raises(ValueError, "broadcast", "assignment of another shape", lambda: x.__setitem__(0, mp.ones(4)))
    raises(TypeError, "is no shape", "a text as a shape", lambda: mp.zeros("a"))
    cuts = mp.Layout((10, 3), "0, *").cuts(0)
    ok(len(cuts) == mp.nranks() + 1 and cuts[0] == 0 and cuts[-1] == 10, "the cuts of a layout")


def check_refusals():
    """What is wrong is one sentence; lists that are too short are not read beyond their end."""
    x, _ = pair((3, 4))
    sparse = mp.sparse.generate("poisson:3x3")
    for kind, words, name, function in (
        (TypeError, "asarray()", "zeros_like of NumPy's array", lambda: mp.zeros_like(np.ones(3))),
        (ValueError, "none of full, same, valid", "a mode", lambda: mp.signal.convolve(x, x, mode="foo")),
        (ValueError, "none of raise", "a mode of take", lambda: mp.take(x, [0], mode="foo")),
        (ValueError, "none of heap", "a pool", lambda: mp.MemoryPool("foo")),
        (ValueError, "none of csr", "a format", lambda: sparse.asformat("foo")),
        (ValueError, "none of LM", "eigenvalues of no kind", lambda: mp.sparse.linalg.eigsh(sparse, 1, which="foo")),
        (IndexError, "out of bounds", "an axis that is not there", lambda: mp.sum(x, axis=2)),
        (ValueError, "out of bounds", "which is a ValueError too", lambda: mp.expand_dims(x, 3)),
        (ValueError, "1 axes for 2", "too few axes", lambda: mp.transpose(x, (0,))),
        (ValueError, "1 destinations", "too few destinations", lambda: mp.moveaxis(x, (0, 1), (1,))),
        (ValueError, "as many", "too few lengths", lambda: mp.fft.fftn(x, s=(3,), axes=(0, 1))),
        (ValueError, "2 elements", "too few axes of fft2", lambda: mp.fft.fft2(x, axes=(0,))),
        (ValueError, "2 probabilities", "too few of p", lambda: mp.random.choice(3, 5, p=[0.5, 0.5])),
        (ValueError, "two numbers", "a range of one number", lambda: mp.histogram(x, 5, [1.0])),
        (RuntimeError, "1 dimensions", "a structure of one", lambda: mp.ndimage.binary_erosion(x > 0, [1, 1, 1])),
        (ValueError, "(3, 3)", "a structure of a label", lambda: mp.ndimage.label(x > 0, [1, 1, 1])),
        (RuntimeError, "2 axes", "a footprint of one", lambda: mp.ndimage.median_filter(x, footprint=[1, 1])),
        (ValueError, "2 values", "too few rows", lambda: mp.sparse.csr_array(([1.0, 2.0], ([0], [0, 1])), (2, 2))),
        (ValueError, "2 dimensions", "too few indices of an owner", lambda: x.layout.owner((0,))),
        (TypeError, "shape and a function", "an operator of a dense array", lambda: mp.sparse.linalg.LinearOperator(x)),
        (TypeError, "rows and columns", "cg of a function", lambda: mp.sparse.linalg.cg(lambda v: v, x[0])),
    ):
        raises(kind, words, name, function)
    y = mp.asarray(np.ones((4, 6)), layout="*, 0")
    ok(y.layout == mp.Layout((4, 6), "*, 0"), "asarray with a text as the layout")
