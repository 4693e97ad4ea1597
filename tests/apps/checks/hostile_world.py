# SPDX-License-Identifier: BSD-3-Clause
"""The folder in which hostile.py runs its lines: good files of every format, odd ones, damaged ones, and several names
for one file.  All are small."""

import os
import random
import stat
import struct
import zlib

import h5py
import numpy as np
import scipy.sparse

LONG = "l" * 240
ODD_NAMES = ["with space", "tab\tand\nline", "ünïcödé€", "quo'te", 'double"quote', "-dash", "a:b", "per%s%n%d",
             "back\\slash", "semi;colon", "$HOME", "*", "~", "[0]", "a=b", LONG]


def write_h5(path):
    values = np.arange(48.0).reshape(6, 8)
    matrix = scipy.sparse.csr_matrix(scipy.sparse.kronsum(*[scipy.sparse.diags([-1.0, 2.5, -1.0], [-1, 0, 1],
                                                                               (4, 4))] * 2))
    with h5py.File(path, "w") as file:
        file["x"] = values
        file["row"] = np.linspace(1, 2, 8)
        file["kernel"] = np.ones((3, 3), np.float32)
        file["b"] = np.ones(16)
        file["B"] = np.ones((16, 2))
        file["bytes"] = np.arange(48, dtype=np.uint8).reshape(6, 8)
        file["big_endian"] = values.astype(">i2")
        file["half"] = values.astype(np.float16)
        file["bool"] = values > 20
        file["complex"] = values * 1j
        file["nan"] = np.full((6, 8), np.nan)
        file["infinite"] = np.array([np.inf, -np.inf, 1.0, 1.7e308, -1.7e308])
        file["empty"] = np.zeros((0, 8))
        file["scalar"] = 1.5
        file["five"] = np.ones((1, 2, 1, 2, 1))
        file["words"] = ["a", "b"]
        file["compound"] = np.zeros(3, [("a", "f8"), ("b", "i4")])
        file["nothing"] = h5py.Empty("f8")
        file.create_dataset("grows", data=values, maxshape=(None, 8), chunks=(2, 8))
        file.create_dataset("packed", data=values, chunks=(2, 8), compression="gzip")
        file["deep/er/x"] = values
        file["soft"] = h5py.SoftLink("/x")
        file["broken"] = h5py.SoftLink("/nowhere")
        file["circle"] = h5py.SoftLink("/circle")
        file["alias"] = file["deep"]
        file["elsewhere"] = h5py.ExternalLink("other.h5", "/x")
        file["nowhere"] = h5py.ExternalLink("missing.h5", "/x")
        file["type"] = np.dtype("f8")
        file["odd [name]"] = values
        for name, change in {"csr": {}, "bad_index": {"indices": matrix.indices + 13},
                             "bad_pointer": {"indptr": matrix.indptr[::-1]},
                             "short": {"indptr": matrix.indptr[:5]}, "float_index": {"indices": matrix.indices + 0.5},
                             "no_shape": {"shape": None}, "negative": {"shape": [-4, 16]}, "huge": {"shape": [2**62,
                                                                                                              2**62]},
                             "wide": {"shape": [16, 99]}, "words": {"data": ["x"] * matrix.nnz}}.items():
            for member in ("data", "indices", "indptr", "shape"):
                values_of = change.get(member, getattr(matrix, member))
                if values_of is not None:
                    file[f"sparse/{name}/{member}"] = values_of
    return matrix


def png(width, height, kind, depth=8):
    """A picture in the format of PNG, all of it one value."""
    channels = {0: 1, 2: 3, 4: 2, 6: 4}[kind]
    rows = b"".join(b"\0" + b"\x55" * (width * channels * depth // 8) for _ in range(height))

    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    head = struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def save(name, data):
    with open(name, "wb") as file:
        file.write(data if isinstance(data, bytes) else data.encode())


def write_matrices(matrix):
    def coordinates(head, entries, size="16 16"):
        return f"%%MatrixMarket matrix coordinate {head}\n{size} {len(entries)}\n" + "".join(f"{e}\n" for e in entries)

    found = matrix.tocoo()
    entries = [f"{i + 1} {j + 1} {v}" for i, j, v in zip(found.row, found.col, found.data)]
    lower = [e for e in entries if int(e.split()[0]) >= int(e.split()[1])]
    save("A.mtx", coordinates("real general", entries))
    save("symmetric.mtx", coordinates("real symmetric", lower))
    save("complex.mtx", coordinates("complex general", [f"{e} 0.5" for e in entries]))
    save("pattern.mtx", coordinates("pattern general", [e.rsplit(" ", 1)[0] for e in entries]))
    save("indefinite.mtx", coordinates("real general", [f"{i} {17 - i} {i}" for i in range(1, 17)]))
    save("singular.mtx", coordinates("real general", ["1 1 1.0"]))
    save("tall.mtx", coordinates("real general", [f"{i} {1 + i % 3} {i}" for i in range(1, 17)], "16 3"))
    save("nan.mtx", coordinates("real general", ["1 1 nan", "2 2 inf"]))
    save("huge.mtx", "%%MatrixMarket matrix coordinate real general\n1000000000000 1000000000000 1\n1 1 1\n")
    save("lies.mtx", "%%MatrixMarket matrix coordinate real general\n16 16 1000000000000\n1 1 1\n")
    save("outside.mtx", coordinates("real general", ["17 1 1.0"]))
    save("short.mtx", coordinates("real general", entries)[:-40])
    save("none.mtx", coordinates("real general", [], "0 0"))
    save("head.mtx", "%%MatrixMarket vector coordinate real general\n3 3 0\n")
    save("b.mtx", "%%MatrixMarket matrix array real general\n16 1\n" + "1.0\n" * 16)


def write_arrays():
    values = np.arange(48.0).reshape(6, 8)
    np.save("in.npy", values)
    np.save("order.npy", np.asfortranarray(values.astype(">f4")))
    np.save("text.npy", np.array(["a", "bc"]))
    np.save("b.npy", np.ones(16))
    np.save("object.npy", np.array([{}, 1], dtype=object), allow_pickle=True)
    whole = open("in.npy", "rb").read()
    save("cut.npy", whole[:200])
    save("huge.npy", whole.replace(b"(6, 8)", b"(99999999999, 99999999999)", 1))
    save("minus.npy", whole.replace(b"(6, 8)", b"(6,-8)", 1))
    save("head.npy", whole[:8] + b"\xff\xff" + whole[10:])


def damage(name, copy):
    """Write a copy of a file that is cut, or of which some bytes have other values; its name decides."""
    rng = random.Random(copy)
    data = bytearray(open(name, "rb").read())
    if rng.random() < 0.25:
        data = data[:rng.randrange(len(data))]
    else:
        for _ in range(rng.choice([1, 3, 20])):
            # what describes the data comes first
            data[rng.randrange(min(len(data), rng.choice([100, 2000, len(data)])))] = rng.choice([0, 1, 255,
                                                                                                  rng.randrange(256)])
    save(copy, bytes(data))


def make():
    """Fill the current folder."""
    matrix = write_h5("in.h5")
    with h5py.File("other.h5", "w") as file:
        file["x"] = np.arange(48.0).reshape(6, 8)
        file["soft"] = h5py.SoftLink("/x")
    write_matrices(matrix)
    write_arrays()
    save("gray.png", png(8, 6, 0))
    save("color.png", png(8, 6, 2, 16))
    save("alpha.png", png(8, 6, 6))
    save("huge.png", png(8, 6, 0).replace(struct.pack(">II", 8, 6), struct.pack(">II", 2**31 - 1, 2**31 - 1)))
    save("notes.txt", "these are notes\n")
    save("statements.txt", "y = x + 1\n# a comment\nz = y * (2 +\n  3)\n")
    save("bytes.txt", bytes(range(256)))
    save("nothing.h5", b"")
    for name in ODD_NAMES:
        for ending in (".h5", ".npy", ".mtx", ".png"):
            if len(name) < 100 or ending == ".h5":
                source = {".h5": "other.h5", ".npy": "in.npy", ".mtx": "A.mtx", ".png": "gray.png"}[ending]
                save(name + ending, open(source, "rb").read())
    os.makedirs("folder/inner")
    os.makedirs("folder.h5")
    os.makedirs("folder.png")
    save("folder/in.h5", open("other.h5", "rb").read())
    os.symlink("in.h5", "symlink.h5")
    os.symlink("in.npy", "symlink.npy")
    os.symlink("in.h5", "symlink.png")
    os.symlink("missing.h5", "dangling.h5")
    os.symlink("loop.h5", "loop.h5")
    os.symlink("folder", "linked")
    os.link("in.h5", "hard.h5")
    os.link("in.npy", "hard.npy")
    os.mkfifo("pipe.h5")
    os.mkfifo("pipe.npy")
    save("readonly.h5", open("other.h5", "rb").read())
    os.chmod("readonly.h5", stat.S_IRUSR)
