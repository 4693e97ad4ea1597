# SPDX-License-Identifier: BSD-3-Clause
"""Parallel HDF5: h5.read("sky.h5:/images[-1, ::2]"), h5.write("out.h5:/x", x), and files that grow."""

import collections.abc
import ctypes
import errno
import json
import math
import os

import numpy as np

from . import _array, _indexing, comm
from ._array import as_array, made, ndarray
from ._dtypes import dtype_names, dtype_number, numpy_dtypes
from ._layout import as_shape, tuple_at
from ._errors import Error
from ._library import Handle, call, constant, lib, struct
from ._names import finished, names

__all__ = ["Attributes", "Dataset", "File", "Group", "read", "write"]


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
            values = values.astype(values.dtype.newbyteorder("="), copy=False)
            one.dtype, one.count = dtype_number(values.dtype), values.size if values.ndim else -1
            one.values = values.ctypes.data
            self._kept.append(values)

    def __enter__(self):
        return ctypes.addressof(self._listed)

    def __exit__(self, *what):
        self._kept.clear()


class Group(collections.abc.MutableMapping):
    """A group of an open file, or the file itself: its datasets and groups by name, as h5py.Group.

    group["x"] is a Dataset or a Group, group["x"] = array makes a dataset, and del group["x"] removes what it names; in
    paths as "a/b" groups that are missing are made.  All of it is collective."""

    def __init__(self, file, name):
        self.file, self.name = file, name

    def _path(self, name):
        """The path from the root of what has that name here; one that begins with "/" is from the root already."""
        return name if name.startswith("/") else f"{self.name.rstrip('/')}/{name}"

    def keys(self):
        """The names of the datasets and groups that it has, without those in its groups, in a list."""
        here = self.name.strip("/") + "/" if self.name != "/" else ""
        inside = (path[len(here):] for path in self.file._paths() if path.startswith(here))
        return [path for path in inside if "/" not in path]

    def __iter__(self):
        return iter(self.keys())

    def __len__(self):
        return len(self.keys())

    def __contains__(self, name):
        return self._path(name).strip("/") in ["", *self.file._paths()]

    def __getitem__(self, name):
        """group["x"]: a Dataset, of which group["x"][1:, ::2] reads a part, as group["x[1:, ::2]"] does; or a Group."""
        path, bracket, subscripts = self._path(name).partition("[")
        if bracket and subscripts.endswith("]"):
            return made("h5_file_read", self.file, path, _selection(subscripts[:-1]), None)
        if not name.strip("/"):
            return Group(self.file, path)
        try:
            return Dataset(self.file, self._path(name))
        except Error as error:
            if "is a group, not a dataset" not in error.message:
                raise
        return Group(self.file, path)

    def __setitem__(self, name, value):
        self.create_dataset(name, data=value)

    def __delitem__(self, name):
        call("h5_file_remove", self.file, self._path(name), None)

    def create_dataset(self, name, shape=None, dtype=None, data=None, maxshape=None):
        """A new Dataset of an array, or of zeros of a shape, whose dtype is float32 if none is given.  maxshape is the
        shape with None for the one axis along which it can grow, if there is one."""
        if data is not None:
            data = as_array(data)
            data = data if dtype is None else data.astype(dtype)
            shape, dtype = data.shape if shape is None else as_shape(shape), data.dtype
            data = data.reshape(shape)
        shape, path = as_shape(shape), self._path(name)
        growing = [axis for axis, extent in enumerate(maxshape or shape) if extent is None]
        if len(growing) > 1:
            raise ValueError(f"maxshape is {maxshape}: a dataset that is made here grows along one axis at most")
        if maxshape is not None and tuple(n if m is None else m for m, n in zip(maxshape, shape)) != tuple(shape):
            raise ValueError(f"maxshape is {maxshape}, and must be the shape {shape} but for a None")
        if data is not None and not growing:
            self.file.append(path, data, constant("H5_WHOLE"))
            return Dataset(self.file, path)
        number, axis = dtype_number(dtype or np.float32), growing[0] if growing else constant("NO_AXIS")
        call("h5_file_create", self.file, path, number, len(shape), shape, axis)
        if data is not None:
            try:
                call("h5_file_write", self.file, path, None, data)
            except Error:
                call("h5_file_remove", self.file, path, None)  # which would look as if it were all there
                raise
        return Dataset(self.file, path)

    def create_group(self, name):
        """A new Group."""
        call("h5_file_make_group", self.file, self._path(name))
        return Group(self.file, self._path(name))

    def require_group(self, name):
        """The Group of that name, which is made if there is none."""
        found = self[name] if name in self else self.create_group(name)
        if not isinstance(found, Group):
            raise TypeError(f"{self._path(name)} is a dataset, not a group")
        return found

    @property
    def attrs(self):
        """The attributes: group.attrs["author"] = "A. N. Other"; those of a file are its own."""
        return Attributes(self.file, self.name)

    def __repr__(self):
        return f"<group {self.name} of {self.file.filename}>"


class File(Handle, Group):
    """A file that is read, or changed in place: with h5.File("run.h5", "a") as f: f.append("/frames", frame).

    mode: "r" to read; "r+" to read and change; "a" also makes a file that does not exist; "w" makes a file, or empties
    one; "w-" or "x" makes a file that must not exist.  What a call has written is in the file, and a call that is
    interrupted leaves what was there.  All methods are collective."""

    def __init__(self, name, mode="r"):
        if mode not in _MODES:
            raise ValueError(f"the mode of a file is {mode!r}, and none of {', '.join(map(repr, _MODES))}")
        self.filename, cell = os.fspath(name), ctypes.c_void_p()
        if mode not in ("r", "a"):
            comm.by_root(_begin, self.filename, mode)
        call("h5_file_open", self.filename, mode != "r", ctypes.byref(cell))
        self._handle = cell.value
        Group.__init__(self, self, "/")

    def __enter__(self):
        return self

    def __exit__(self, *what):
        self.close()

    def __bool__(self):
        """Whether the file is open.  Not collective."""
        return bool(self._handle)

    __hash__ = object.__hash__

    def __eq__(self, other):
        return self is other

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
        comm.by_root(call, "h5_list", self.filename, ctypes.cast(visitor, ctypes.c_void_p), None)
        text = comm.bcast("\0".join(found))
        return text.split("\0") if text else []

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


_MODES = "r", "r+", "w", "w-", "x", "a"


def _begin(name, mode):
    """What a mode demands of a file that is there, or is not.  On rank 0."""
    there = os.path.exists(name)
    if mode == "r+" and not there:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name)
    if mode in ("w-", "x") and there:
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), name)
    if mode == "w" and there:
        os.truncate(name, 0)  # which is to the library as if there was none


class Dataset:
    """A dataset of an open file, which is sliced before it is read: d = file["/x"]; d[1:, ::2], or d[...] for all of it.
    d[1:3] = values writes to it.

    shape and dtype are those of the array that d[...] was when the Dataset was made, or last written to."""

    def __init__(self, file, name):
        self.file, self.name = file, name
        self._look()

    def _look(self):
        """Find the shape, which append() changes.  Collective."""
        info = struct("h5_info")()
        call("h5_file_inspect", self.file, self.name, info)
        self.shape, self.dtype = tuple(info.shape[: info.ndim]), numpy_dtypes[info.dtype]

    @property
    def ndim(self):
        """The number of dimensions."""
        return len(self.shape)

    @property
    def size(self):
        """The number of elements."""
        return math.prod(self.shape)

    @property
    def attrs(self):
        """The dataset's attributes: d.attrs["unit"]; d.attrs["unit"] = "K" in a file that is changed."""
        return Attributes(self.file, self.name)

    def __len__(self):
        return self.shape[0]

    def __getitem__(self, key):
        return self.read(key)

    def __setitem__(self, key, value):
        """Write values, which are broadcast and become of the dataset's dtype, to a box: integers, slices whose step is
        1, and "...".  Collective."""
        self._look()
        keys = list(key if isinstance(key, tuple) else (key,))
        at = next((i for i, k in enumerate(keys) if k is Ellipsis), len(keys))
        keys[at : at + 1] = [slice(None)] * (self.ndim - len(keys) + (at < len(keys)))
        if len(keys) != self.ndim:
            raise IndexError(f"{self.name} has {self.ndim} dimensions, and the key {key!r} is for others")
        ranges = [range(n)[k] if isinstance(k, slice) else range(n)[k:][:1] for k, n in zip(keys, self.shape)]
        for k, chosen, n in zip(keys, ranges, self.shape):
            if not isinstance(k, slice) and not -n <= k < n:
                raise IndexError(f"index {k} is out of bounds for {n} elements")
            if chosen.step != 1:
                raise ValueError(f"the step of {k} is {chosen.step}: what is written to is a box")
        shape = [len(chosen) for k, chosen in zip(keys, ranges) if isinstance(k, slice)]
        box = names.broadcast_to(as_array(value).astype(self.dtype), shape).reshape([len(chosen) for chosen in ranges])
        call("h5_file_write", self.file, self.name, tuple(chosen.start for chosen in ranges), box)

    def read(self, key=(), layout=None):
        """The part that a key selects, of integers, slices and "...", in a Layout of its shape, or the text of
        one.  Collective."""
        text = _indexing.text_of(key if isinstance(key, tuple) else (key,))
        return _array.read("h5_file_read", self.file, self.name, _selection(text or None), layout=layout)

    def __repr__(self):
        return f"<dataset {self.name} of shape {self.shape}, {self.dtype}>"


class Attributes(collections.abc.MutableMapping):
    """The attributes of a dataset, a group or a file, by name: texts, numbers, and vectors of numbers as NumPy's
    arrays.  Setting or removing one changes the file at once.  All is collective."""

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
                info.name.decode(errors="replace"): (info.type.decode(), tuple_at(info.shape, info.ndim), info.is_string)
                for info in infos
            }
            return 0

        visitor = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(visit)
        call("h5_list", self._file.filename, ctypes.cast(visitor, ctypes.c_void_p), None)
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
            raise KeyError(f"{self._path} in {self._file.filename} has no attribute {name!r}")
        kind, shape, is_text = about[name]
        if is_text:
            return self._text(name)
        kind = kind.split()[-1]  # "big-endian int16"
        if kind not in dtype_names:
            raise TypeError(f"attribute {name!r} of {self._path} is of {kind}: what can be read is a text, or numbers")
        values, count = np.empty(shape, numpy_dtypes[dtype_number(kind)]), ctypes.c_int64()
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

    def __delitem__(self, name):
        call("h5_file_remove", self._file, self._path, name)

    def __repr__(self):
        return f"<attributes of {self._path} in {self._file.filename}>"


__dir__ = finished(globals(), "maniple.h5")
