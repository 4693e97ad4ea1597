# SPDX-License-Identifier: BSD-3-Clause
"""NumPy's .npy files: what is read is what numpy.load reads, of any dtype, order, byte order and version, whole or in
parts, in any layout; what is written numpy.load reads; what is damaged is said in one sentence on all ranks."""

import ctypes
import io
import os

from file_structs import Selection
import maniple as mp
import numpy as np

rng = mp.random()
path = mp.scratch("a.npy")
folder = os.path.dirname(path)


class Info(ctypes.Structure):
    _fields_ = [("dtype", ctypes.c_int), ("ndim", ctypes.c_int), ("shape", ctypes.c_int64 * 8),
                ("fortran_order", ctypes.c_bool), ("swapped", ctypes.c_bool)]


def put(content):
    """The file's bytes, from rank 0: an array's, in the order that it has, or these."""
    if mp.rank == 0:
        with open(path, "wb") as file:
            if isinstance(content, np.ndarray):
                np.lib.format.write_array(file, content)
            else:
                file.write(content)
    mp.agree(None)


def values(shape, dtype):
    numbers = rng.integers(0, 100, shape)
    return np.asarray(numbers % 2 == 0 if dtype == "bool" else numbers + 1j * numbers if "c" in dtype else numbers,
                      np.dtype(dtype) if dtype != "bfloat16" else "uint16")


def read(key=None, box=None, layout=None):
    arrays = [(ctypes.c_int64 * max(len(part), 1))(*part) for part in box or []]
    text = None if key is None else mp.index_text(key).encode()
    return mp.npy_read(path, Selection(text, *(arrays or [None, None])), layout)


def wrong_reads(a):
    """What is wrong with reads of a file that has the array, whole and in parts."""
    native = a.astype(a.dtype.newbyteorder("="))
    wrongs = [mp.difference(mp.npy_read(path, None, mp.random_layout(rng, a.shape)), native)]
    key = tuple(slice(int(rng.integers(0, n + 1)), None, int(rng.choice([1, 2, -1, -3]))) if rng.random() < 0.8 or n == 0
                else int(rng.integers(0, n)) for n in a.shape)
    part = native[key]
    wrongs.append(mp.difference(read(key, layout=mp.random_layout(rng, np.shape(part))), part))
    box = [0] * np.ndim(part), [int(rng.integers(0, n + 1)) for n in np.shape(part)]
    wrongs.append(mp.difference(read(key, box), part[tuple(slice(0, n) for n in box[1])]))
    return [f"[{mp.index_text(key)}] {box}: {wrong}" for wrong in wrongs if wrong]


# ---- reading ----

shapes = [(), (1,), (0,), (23,), (5, 7), (3, 0, 2), (4, 3, 5), (2, 1, 3, 2, 2)]
for dtype in ["bool", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"]:
    wrongs = []
    for shape in shapes:
        a = values(shape, dtype if dtype == "bool" else rng.choice(["<", ">"]) + dtype)
        put(np.asfortranarray(a) if rng.random() < 0.5 and a.ndim else a)
        wrongs += [f"{a.dtype.str} {shape}{wrong}" for wrong in wrong_reads(a)]
    mp.ok(not wrongs, f"{dtype}: files of all shapes, in both orders" + "".join("\n" + wrong for wrong in wrongs[:3]))
large = values((900, 1100), ">f8")
put(np.asfortranarray(large))
mp.check("a large file in Fortran order", mp.npy_read(path, None, None), large.astype("f8"))
mp.check("and a part of it", read(np.s_[5::7, ::-2]), large.astype("f8")[5::7, ::-2])
for version in [(1, 0), (2, 0), (3, 0)]:
    if mp.rank == 0:
        with open(path, "wb") as file:
            np.lib.format.write_array(file, np.arange(6.).reshape(2, 3), version)
    mp.agree(None)
    mp.check(f"version {version}", mp.npy_read(path, None, None), np.arange(6.).reshape(2, 3))
put(b"\x93NUMPY\x01\x00\x46\x00" + b'{"shape":(3L,),"fortran_order":False , \'descr\':\'<V2\'}'.ljust(69) + b"\n"
    + np.arange(3, dtype="<u2").tobytes())
info = Info()
mp.npy_inspect(path, info_p=info)
mp.ok((mp.dtype_name(info.dtype), info.ndim, info.shape[0]) == ("bfloat16", 1, 3), "a head of Python 2, of bfloat16")
reused = mp.array(np.zeros(3), dtype="float32")
put(np.arange(3, dtype="f4"))
mp.ok(mp.npy_read(path, None, None, out=reused) is reused, "an array is reused")
mp.check("and has the values", reused, np.arange(3, dtype="f4"))

# ---- writing ----

for dtype in mp.DTYPES:
    wrongs = []
    for shape in shapes + [(300, 3, 50)]:
        a = values(shape, "bool" if dtype == "bool" else dtype)
        x = mp.array(a, mp.random_layout(rng, shape), dtype)
        mp.npy_write(x, path)
        theirs = np.load(path)
        if dtype == "bfloat16":
            theirs, a = theirs.view("uint16"), x.numpy().view("uint16")
        wrong = mp.difference(theirs, a) or mp.difference(mp.npy_read(path, None, None), x.numpy())
        wrongs += [f"{shape}: {wrong}"] if wrong else []
        mp.agree(None)
    mp.ok(not wrongs, f"{dtype}: written files of all shapes" + "".join("\n" + wrong for wrong in wrongs[:3]))
a = values((60, 40), "f8")
mp.npy_write(mp.array(a)[::-2, 1:], path)
mp.ok(np.array_equal(np.load(path), a[::-2, 1:]), "a view is written")
mp.ok(np.lib.format.open_memmap(path).flags.c_contiguous, "numpy.memmap opens it")
mp.agree(None)
mp.ok(os.listdir(folder) == ["a.npy"], "and nothing else is left")

# ---- what is wrong ----


def fails(content, words, status="MNP_ERR_FORMAT"):
    put(content)
    mp.fails(status, words, mp.npy_read, path, None, None)


def head(text):
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode()


def saved(array):
    stream = io.BytesIO()
    np.lib.format.write_array(stream, array)
    return stream.getvalue()


good = saved(np.arange(10.))
UNSUPPORTED = ("MNP_ERR_UNSUPPORTED", "MNP_ERR_PEER")
fails(b"", "is not a .npy file")
fails(b"\x89PNG\r\n" * 20, "is not a .npy file")
fails(good[:9], "ends within its head")
fails(good[:60], "ends within its head")
fails(good[:-1], "is truncated: it has 207 bytes where it should have 208")
fails(good.replace(b"(10,)", b"(-1,)"), "its shape is not a tuple of numbers")
fails(head("{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,), }"), "does not fit 64 bits")
fails(head("{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d), }" % (2**40, 2**40)), "more elements than")
fails(head("{'descr': '<f8', 'shape': (1,), }"), "lacks descr, fortran_order or shape")
fails(head("{'descr': '<f8', 'fortran_order': 1, 'shape': (1,), }"), "neither True nor False")
fails(head("{'descr': '<f8', 'fortran_order': False, 'shape': (1,)"), "is not a dictionary")
fails(head("print('hello')"), "is not a dictionary")
fails(b"\x93NUMPY\x02\x00" + b"\xff" * 20, "its head would have")
fails(b"\x93NUMPY\x09\x00" + b"\x00" * 20, "version 9", UNSUPPORTED)
fails(saved(np.array(["a", "b"])), "'<U1'", UNSUPPORTED)
fails(saved(np.zeros(2, "f16")), "'<f16'", UNSUPPORTED)
fails(saved(np.zeros(2, [("a", "f4"), ("b", "i4")])), "several fields", UNSUPPORTED)
fails(saved(np.zeros((1,) * 9)), "9 dimensions, more than 8", UNSUPPORTED)
text = good[:128]
for number in range(60):  # damage anywhere: a sentence, or other numbers
    at = int(rng.integers(0, 128))
    content = text[:at] + bytes([int(rng.integers(0, 256))]) + text[at + 1:] + good[128:]
    put(content)
    try:
        mp.npy_read(path, None, None)
    except mp.Error as error:
        if "a.npy" not in error.message:
            mp.ok(False, f"a damaged head: {error.message}")
mp.ok(True, "60 damaged heads")

IO = ("MNP_ERR_IO", "MNP_ERR_PEER")
put(good)
mp.fails("MNP_ERR_ARG", "index 10 is out of bounds", read, (10,))
mp.fails("MNP_ERR_ARG", "another shape", mp.npy_read, path, None, mp.random_layout(rng, (3,)))
mp.fails(IO, "No such file", mp.npy_read, path + "x", None, None)
mp.fails(IO, "it is a folder", mp.npy_read, folder, None, None)
mp.fails("MNP_ERR_ARG", "name of the file", mp.npy_write, mp.array(a), "")
mp.fails(IO, "cannot be reached", mp.npy_write, mp.array(a), folder + "/none/a.npy")
mp.fails(IO, "cannot be reached", mp.npy_check_write, folder + "/none/a.npy")
mp.npy_check_write(path)
mp.ok(np.array_equal(np.load(path), np.arange(10.)), "the file is as it was")
mp.agree(None)
mp.done()
