# SPDX-License-Identifier: BSD-3-Clause
"""NumPy's files of arrays: .npy, .npz and text."""

import collections.abc
import json
import os
import shutil
import tempfile
import zipfile

import numpy as np

from . import _array
from ._array import as_array, ndarray
from ._dtypes import bfloat16, dtype_number
from ._layout import Layout, rank
from ._library import call, least
from ._names import public
from .comm import bcast, by_root

_HEADERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}


def _name_of(file):
    try:
        return os.fspath(file)
    except TypeError:
        raise TypeError(f"a file is given by its name, which all ranks open, and not as a {type(file).__name__}") from None


def _with_suffix(file, suffix):
    """A file's name as NumPy completes it."""
    file = _name_of(file)
    return file if file.endswith(suffix) else file + suffix


@public
def load(file, layout=None, *, mmap_mode=None, allow_pickle=False):
    """An array of a .npy file, of which every rank reads its block; or an NpzFile, if the name ends with ".npz".  There
    are no pickled objects, and with mmap_mode the array is one in memory too, of which nothing is written back.
    Collective."""
    if mmap_mode in ("r+", "w+", "write", "readwrite"):
        raise ValueError(f"load: mmap_mode is {mmap_mode!r}, and files are not written through arrays: save() writes them")
    file = _name_of(file)
    return NpzFile(file, layout) if file.endswith(".npz") else _array.read("npy_read", file, None, layout=layout)


@public
def save(file, arr):
    """Write an array to a .npy file, which appears, or is replaced, when all of it is written; ".npy" is added to a
    name without it.  Collective."""
    call("npy_write", as_array(arr), _with_suffix(file, ".npy"))


@public
def savetxt(fname, X, *arguments, **named):  # noqa: N803
    """numpy.savetxt, of an array that rank 0 gathers; maniple.save() writes from all ranks.  Collective."""
    by_root(np.savetxt, fname, as_array(X).numpy(root=0), *arguments, **named)


@public
def savez(file, *args, **kwds):
    """numpy.savez: all ranks write the arrays to files beside it, of which rank 0 makes one.  Collective."""
    _write_archive(file, args, kwds, zipfile.ZIP_STORED)


@public
def savez_compressed(file, *args, **kwds):
    """numpy.savez_compressed: as savez(), and rank 0 compresses.  Collective."""
    _write_archive(file, args, kwds, zipfile.ZIP_DEFLATED)


def _is_text(x):
    """Whether it is what NumPy alone has arrays of: rank 0 writes it."""
    return np.asarray(x).dtype.kind in "SU" if isinstance(x, (str, bytes, np.ndarray)) else False


def _write_archive(file, args, kwds, compression):
    file, arrays, made = _with_suffix(file, ".npz"), dict(kwds), []
    for i, x in enumerate(args):
        if f"arr_{i}" in arrays:
            raise ValueError(f"arr_{i} is the name of two arrays")
        arrays[f"arr_{i}"] = x
    arrays = {name: x if _is_text(x) else as_array(x) for name, x in arrays.items()}
    by_root(lambda: made.append(tempfile.mkdtemp(".tmp", ".", os.path.dirname(file) or ".")))
    folder = bcast(made[0] if made else "")
    try:
        for i, x in enumerate(arrays.values()):
            member = os.path.join(folder, f"{i}.npy")
            if _is_text(x):
                by_root(np.save, member, x)
            else:
                call("npy_write", x, member)
        by_root(_pack, file, folder, list(arrays), compression)
    finally:
        by_root(shutil.rmtree, folder, ignore_errors=True)


def _pack(file, folder, listed, compression):
    """Make one file of those in a folder."""
    whole = os.path.join(folder, "whole")
    with zipfile.ZipFile(whole, "w", compression) as archive:
        for i, name in enumerate(listed):
            archive.write(os.path.join(folder, f"{i}.npy"), name + ".npy")
    os.replace(whole, file)


def _headers(file):
    """What the members of a file are: {name: (shape, whether it is by columns, dtype, where the elements begin)}."""
    found = {}
    with zipfile.ZipFile(file) as archive:
        for name in archive.namelist():
            with archive.open(name) as member:
                version = np.lib.format.read_magic(member)
                if version not in _HEADERS:
                    raise ValueError(f"{name} in {file} is of version {version} of NumPy's format")
                shape, by_columns, dtype = _HEADERS[version](member)
                found[name[:-4] if name.endswith(".npy") else name] = shape, by_columns, dtype.str, member.tell(), name
    return found


class NpzFile(collections.abc.Mapping):
    """The arrays of a .npz file by name, as numpy.load() gives them.  Each is read when it is asked for: every rank
    reads its rows, of a compressed file also what is in front of them.  Collective."""

    def __init__(self, file, layout=None):
        found = []
        by_root(lambda: found.append(json.dumps(_headers(file))))
        self.filename, self._layout, self._about = file, layout, json.loads(bcast(found[0] if found else ""))

    @property
    def files(self):
        """The names, in a list."""
        return list(self._about)

    def __iter__(self):
        return iter(self._about)

    def __len__(self):
        return len(self._about)

    def __getitem__(self, name):
        if name not in self._about:
            raise KeyError(f"{self.filename} has no array {name!r}")
        shape, by_columns, dtype, begin, member = self._about[name]
        dtype = bfloat16 if dtype[1:] == "V2" and bfloat16 is not None else np.dtype(dtype)
        dtype_number(dtype)  # which refuses others than numbers
        whole = tuple(shape[::-1] if by_columns else shape)
        rows = Layout(whole or (1,), "0" + ", *" * (len(whole) - 1))
        block = self._block(member, begin, dtype, whole or (1,), rows.box(rank())[0])
        x = ndarray(whole or (1,), block.dtype, rows)
        call("array_set_local", x, block.ctypes.data)
        x = x.reshape(whole).T if by_columns else x.reshape(whole)
        return x.to_layout(Layout(x.shape) if self._layout is None else self._layout)

    def _block(self, member, begin, dtype, shape, rows):
        """Rows of a member, as they are in the file."""
        width, count, problem = int(np.prod(shape[1:], dtype=np.int64)), rows.stop - rows.start, None
        block = np.empty((count, *shape[1:]), dtype)
        try:
            if block.size:
                with zipfile.ZipFile(self.filename) as archive, archive.open(member) as opened:
                    opened.seek(begin + rows.start * width * dtype.itemsize)
                    data = opened.read(block.nbytes)
                block = np.frombuffer(data, dtype, block.size).reshape(block.shape)
        except Exception as error:  # noqa: BLE001  whatever zlib and zipfile raise, the others wait for it
            problem = error
        if least([problem is None]) == [0]:
            if isinstance(problem, OSError):
                raise problem
            told = f"{member} in {self.filename} could not be read"
            raise OSError(f"{told}: {problem}" if problem else f"{told} by another rank") from problem
        return np.ascontiguousarray(block, dtype.newbyteorder("="))

    def close(self):
        """Nothing: the file is open only while an array is read."""

    def __enter__(self):
        return self

    def __exit__(self, *what):
        pass

    def __repr__(self):
        return f"<arrays {', '.join(self._about)} of {self.filename}>"
