# SPDX-License-Identifier: BSD-3-Clause
"""Parallel HDF5: h5.read("sky.h5:/images[-1, ::2]"), h5.write("out.h5:/x", x), and files that grow."""

import collections.abc
import ctypes
import json
import os

import numpy as np

from . import _array, _indexing, comm
from ._array import _dtypes, _names, _tuple, dtype_number, made, ndarray
from ._library import Handle, call, constant, lib, struct
from ._names import finished

__all__ = ["Attributes", "Dataset", "File", "read", "write"]


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


def write(place, x, deflate=0, attributes=None):
    """Write an array to a dataset, with attributes if they are given, as {"unit": "K"}: texts, numbers and vectors of
    numbers.  The file appears, or is replaced, when all of it is written.  Collective."""
    file, dataset, subscripts = _name(place)
    if subscripts is not None:
        raise ValueError("h5.write() writes whole datasets; File.write() writes a part of one")
    if not isinstance(x, ndarray):
        raise TypeError("only arrays can be written")
    item, attributes = struct("h5_item")(dataset.encode(), x._handle), attributes or {}
    with _structs(dataset, attributes) as listed:
        call("h5_write_items", file, 1, item, len(attributes), listed, struct("h5_write_options")(deflate))


class _structs:  # noqa: N801
    """The structs of attributes of an object, while a call reads them."""

    def __init__(self, path, attributes):
        self._kept, self._listed = [], (struct("h5_attribute") * max(len(attributes), 1))()
        for one, (name, value) in zip(self._listed, attributes.items()):
            one.object, one.name = path.encode(), name.encode()
            if isinstance(value, str):
                one.text = value.encode()
                continue
            values = np.ascontiguousarray(value) if np.ndim(value) else np.asarray(value)
            if values.ndim > 1:
                told = f"attribute {name!r} has {values.ndim} dimensions"
                raise ValueError(told + "; it may be a text, a number or a vector of numbers")
            one.dtype, one.count = dtype_number(values.dtype), values.size if values.ndim else -1
            one.values = values.ctypes.data
            self._kept.append(values)

    def __enter__(self):
        return ctypes.addressof(self._listed)

    def __exit__(self, *what):
        self._kept.clear()


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

    @property
    def attrs(self):
        """The attributes of the file itself: file.attrs["author"] = "A. N. Other"."""
        return Attributes(self, "/")

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

    @property
    def attrs(self):
        """The dataset's attributes: d.attrs["unit"]; d.attrs["unit"] = "K" in a file that is changed."""
        return Attributes(self._file, self.name)

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


class Attributes(collections.abc.Mapping):
    """The attributes of a dataset or of a file, by name: texts, numbers, and vectors of numbers as NumPy's arrays.
    Setting one changes the file at once.  All is collective."""

    def __init__(self, file, path):
        self._file, self._path = file, "/" + path.strip("/")

    def _find(self, found):
        """Put what the file tells of the attributes into a list, by another name of the object if that has them."""
        about, targets = {}, {}

        def visit(address, argument):
            entry = struct("h5_entry").from_address(address)
            path = entry.path.decode(errors="replace")
            if entry.target:
                targets[path] = entry.target.decode(errors="replace")
            infos = (struct("h5_attribute_info") * entry.nattributes).from_address(entry.attributes or address)
            about[path] = {
                info.name.decode(errors="replace"): (info.type.decode(), _tuple(info.shape, info.ndim), info.is_string)
                for info in infos
            }
            return 0

        visitor = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(visit)
        call("h5_list", self._file.name, ctypes.cast(visitor, ctypes.c_void_p), None)
        path = self._path
        while path in targets:
            path = targets.pop(path)
        found.append(json.dumps(about.get(path, {})))

    def _about(self):
        found = []
        comm.by_root(self._find, found)
        return json.loads(comm.bcast(found[0] if found else ""))

    def __iter__(self):
        return iter(self._about())

    def __len__(self):
        return len(self._about())

    def __contains__(self, key):
        return key in self._about()

    def __getitem__(self, name):
        about = self._about()
        if name not in about:
            raise KeyError(f"{self._path} in {self._file.name} has no attribute {name!r}")
        kind, shape, is_text = about[name]
        if is_text:
            return self._text(name)
        kind = kind.split()[-1]  # "big-endian int16"
        if kind not in _names:
            raise TypeError(f"attribute {name!r} of {self._path} is of {kind}: what can be read is a text, or numbers")
        values, count = np.empty(shape, _dtypes[dtype_number(kind)]), ctypes.c_int64()
        place = dtype_number(values.dtype), values.size, values.ctypes.data, ctypes.byref(count)
        call("h5_file_get_attribute", self._file, self._path, name, *place)
        return values[()]

    def _text(self, name):
        size = 256
        while True:
            text = ctypes.create_string_buffer(size)
            call("h5_file_get_text", self._file, self._path, name, size, text)
            if len(text.value) < size - 1:
                return text.value.decode(errors="replace")
            size *= 2

    def __setitem__(self, name, value):
        with _structs(self._path, {name: value}) as listed:
            call("h5_file_set_attributes", self._file, 1, listed)

    def __repr__(self):
        return f"<attributes of {self._path} in {self._file.name}>"


__dir__ = finished(globals(), "maniple.h5")
