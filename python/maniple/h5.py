# SPDX-License-Identifier: BSD-3-Clause
"""Parallel HDF5: h5.read("sky.h5:/images[-1, ::2]"), h5.write("out.h5:/x", x), and files that grow."""

import ctypes
import os

from . import _array, _indexing, comm
from ._array import _dtypes, made, ndarray
from ._library import Handle, call, constant, lib, struct
from ._names import finished

__all__ = ["Dataset", "File", "read", "write"]


def _name(place):
    """FILE:DATASET[SUBSCRIPTS] as its parts."""
    subscripts = None
    if place.endswith("]") and "[" in place:
        place, _, subscripts = place[:-1].partition("[")
    file, colon, dataset = place.rpartition(":")
    if not colon:
        raise ValueError(f"{place!r} names no dataset; write FILE:DATASET, as in 'sky.h5:/image'")
    return file, dataset, subscripts


def _selection(subscripts):
    return None if subscripts is None else struct("selection")(subscripts.encode(), None, None)


def read(place, layout=None):
    """A dataset, or the part of it that subscripts in the name select; nothing else is read.  layout: a Layout of the
    shape of that, or the text of one.  Collective."""
    file, dataset, subscripts = _name(place)
    if subscripts is None:
        return _array.read("h5_read", file, dataset, layout=layout)
    return _array.read("h5_read_selection", file, dataset, _selection(subscripts), layout=layout)


def write(place, x, deflate=0):
    """Write an array to a dataset.  The file appears, or is replaced, when all of it is written.  Collective."""
    file, dataset, subscripts = _name(place)
    if subscripts is not None:
        raise ValueError("h5.write() writes whole datasets; File.write() writes a part of one")
    call("h5_write", x, file, dataset, struct("h5_write_options")(deflate))


class File(Handle):
    """A file that is changed in place: with h5.File("run.h5", "a") as f: f.append("/frames", frame).

    mode: "r" to read, "a" to read and change; a file that does not exist is made.  What a call has written is in the
    file, and a call that is interrupted leaves what was there.  All methods are collective."""

    def __init__(self, name, mode="r"):
        if mode not in ("r", "a"):
            raise ValueError("the mode of a file is 'r' or 'a'")
        self.name, cell = os.fspath(name), ctypes.c_void_p()
        call("h5_file_open", self.name, mode == "a", ctypes.byref(cell))
        self._handle = cell.value

    def __enter__(self):
        return self

    def __exit__(self, *what):
        self.close()

    def close(self):
        """Close the file; the end of a with statement does.  Collective."""
        handle, self._handle = self._handle, None
        if handle:
            lib.mnp_h5_file_close(handle)

    def _paths(self):
        """The paths of all datasets and groups of the file, without the first "/"."""
        found = []

        def visit(entry, argument):
            path = struct("h5_entry").from_address(entry).path.decode(errors="replace")[1:]
            if path:
                found.append(path)
            return 0

        visitor = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(visit)
        comm.by_root(call, "h5_list", self.name, ctypes.cast(visitor, ctypes.c_void_p), None)
        text = comm.bcast("\0".join(found))
        return text.split("\0") if text else []

    def keys(self):
        """The names of the datasets and groups that the file has, without those in its groups, in a list."""
        return [path for path in self._paths() if "/" not in path]

    def __iter__(self):
        return iter(self.keys())

    def __contains__(self, name):
        return name.strip("/") in self._paths()

    def __getitem__(self, dataset):
        """file["/x"]: a Dataset, of which file["/x"][1:, ::2] reads a part; so does file["/x[1:, ::2]"]."""
        if not dataset.endswith("]"):
            return Dataset(self, dataset)
        dataset, _, subscripts = dataset[:-1].partition("[")
        return made("h5_file_read", self, dataset, _selection(subscripts), None)

    def append(self, dataset, x, axis=None):
        """Append x as the next index of a dataset of one dimension more, or along an axis that x has."""
        item = struct("h5_item")(dataset.encode(), x._handle)
        call("h5_file_append", self, constant("H5_NEW_AXIS") if axis is None else axis, 1, item, 0, None)

    def write(self, dataset, start, x):
        """Write x to the box of a dataset that begins at index `start`."""
        if not isinstance(x, ndarray):
            raise TypeError("only arrays can be written")
        if len(start) != x.ndim:
            raise ValueError(f"the box begins at {tuple(start)}, and the array has {x.ndim} dimensions")
        call("h5_file_write", self, dataset, tuple(start), x)


class Dataset:
    """A dataset of an open file, which is sliced before it is read: d = file["/x"]; d[1:, ::2], or d[...] for all of it.

    shape and dtype are those of the array that d[...] is."""

    def __init__(self, file, name):
        self._file, self.name = file, name
        info = struct("h5_info")()
        call("h5_file_inspect", file, name, info)
        self.shape, self.dtype = tuple(info.shape[: info.ndim]), _dtypes[info.dtype]

    @property
    def ndim(self):
        """The number of dimensions."""
        return len(self.shape)

    def __len__(self):
        return self.shape[0]

    def __getitem__(self, key):
        return self.read(key)

    def read(self, key=(), layout=None):
        """The part that a key selects, of integers, slices and "...", in a Layout of its shape, or the text of
        one.  Collective."""
        text = _indexing.text_of(key if isinstance(key, tuple) else (key,))
        return _array.read("h5_file_read", self._file, self.name, _selection(text or None), layout=layout)

    def __repr__(self):
        return f"<dataset {self.name} of shape {self.shape}, {self.dtype}>"


__dir__ = finished(globals(), "maniple.h5")
