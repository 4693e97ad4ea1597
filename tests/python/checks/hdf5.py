# SPDX-License-Identifier: BSD-3-Clause
"""Files of maniple.h5 as h5py has them: modes, groups, what is set, written to and removed."""

import importlib.util
import json
import os
import subprocess
import sys

import maniple as mp
import numpy as np

from . import ok, pair, raises, same, shared_folder

_LOOK = """
import json, sys, h5py
with h5py.File(sys.argv[1], "r") as file:
    print(json.dumps([sorted(file), sorted(file["runs/first"]), file["runs/first/x"][...].tolist(),
                      int(file["runs/number"][()]), {k: int(v) for k, v in file.attrs.items()},
                      file["runs/first"].attrs["unit"]]))
"""


def _as_h5py_sees(name):
    """What h5py finds in a file, in a process of its own, which has another HDF5; None without h5py and on other ranks
    than 0."""
    mp.sum(mp.ones(1)).item()  # all ranks have written
    if mp.rank() or importlib.util.find_spec("h5py") is None:
        return None
    return json.loads(subprocess.run([sys.executable, "-c", _LOOK, name], check=True, stdout=subprocess.PIPE).stdout)


def check_modes():
    x, a = pair((5, 3))
    name = shared_folder() + "/modes.h5"
    raises(FileNotFoundError, "No such file", "r+ of a file that is not there", lambda: mp.h5.File(name, "r+"))
    raises(FileNotFoundError, "No such file", "r of a file that is not there", lambda: mp.h5.File(name))
    raises(FileNotFoundError, "No such file", "read() of it", lambda: mp.h5.read(name + ":/x"))
    raises(ValueError, "none of 'r', 'r+'", "another mode", lambda: mp.h5.File(name, "rw"))
    for mode in ("x", "a", "w", "r+"):
        with mp.h5.File(name, mode) as file:
            ok(bool(file) and (file.filename, file.name) == (name, "/"), f"mode {mode}")
            if mode != "r+":
                if mode == "a":
                    del file["x"]
                file["x"] = x
            same(f"what was set in mode {mode}", file["x"][...], a)
        ok(not file, "and is closed")
        for again in ("x", "w-"):
            raises(FileExistsError, "File exists", f"{again} of a file that is there", lambda: mp.h5.File(name, again))
    with mp.h5.File(name, "w") as file:
        ok(file.keys() == [] and len(file) == 0, "a file that is emptied")
    with mp.h5.File(name) as file:
        raises(ValueError, "reading alone", "a file that is read", lambda: file.__setitem__("y", x))
        raises(ValueError, "reading alone", "of which nothing is removed", lambda: file.__delitem__("y"))


def check_groups():
    """Groups, datasets and attributes, set and removed."""
    x, a = pair((6, 4))
    i, k = pair((7,), "int16")
    name = shared_folder() + "/groups.h5"
    with mp.h5.File(name, "w") as file:
        group = file.create_group("runs/first")
        group["x"], file["i"], file["/runs/number"] = x, k, 5
        group.attrs["unit"], file.attrs["n"], file.attrs["gone"] = "K", 3, [1, 2]
        del file.attrs["gone"]
        group.attrs["big"] = np.array([1, 2], ">i4")
        same("an attribute of the other byte order", group.attrs.pop("big"), np.array([1, 2], "int32"))
        zeros = file.create_dataset("zeros", (3, 4), maxshape=(None, 4))
        ok((zeros.shape, zeros.dtype, zeros.size) == ((3, 4), np.dtype("float32"), 12), "a dataset of zeros")
        file.append("zeros", mp.ones((2, 4), dtype="float32"), 0)
        same("which grows", file["zeros"][...], np.concatenate([np.zeros((3, 4)), np.ones((2, 4))]).astype("float32"))
        file.create_dataset("cast", data=x, dtype="float32", shape=(4, 6))
        same("a dataset of another dtype and shape", file["cast"][...], a.astype("float32").reshape(4, 6))
        ok(file.keys() == ["cast", "i", "runs", "zeros"] and len(file) == 4, f"names of the file: {file.keys()}")
        ok(list(file["runs"]) == ["first", "number"] and "x" in group and "y" not in group, "and of a group")
        ok(group.name == "/runs/first" and repr(file["runs"]).startswith("<group /runs of "), "which has a name")
        same("a path, and a part", (file["runs/first/x"][1:, 0], file["runs"]["first"]["x[1:, 0]"], file["runs/number"][()]),
             (a[1:, 0], a[1:, 0], np.array(5)))
        ok({key: type(value) for key, value in file["runs"].items()} == {"first": mp.h5.Group, "number": mp.h5.Dataset},
           "items of a group")
        ok(file.require_group("runs").name == "/runs" and file.get("nothing", 3) == 3, "what there may be")
        ok(dict(group.attrs) == {"unit": "K"} and dict(file.attrs) == {"n": 3}, "attributes")
    ok(_as_h5py_sees(name) in (None, [["cast", "i", "runs", "zeros"], ["x"], a.tolist(), 5, {"n": 3}, "K"]),
       "h5py sees the same")
    with mp.h5.File(name, "r+") as file:
        del file["runs"]["first"], file["i"]
        ok(file.keys() == ["cast", "runs", "zeros"] and file["runs"].keys() == ["number"], "what is left")
        for kind, words, what, function in (
            (KeyError, "does not exist", "a dataset that is not there", lambda: file["/nope"]),
            (OSError, "does not exist", "which is an error of a file too", lambda: file["/runs/nope"]),
            (KeyError, "does not exist", "removing what is not there", lambda: file.__delitem__("i")),
            (KeyError, "no attribute 'gone'", "an attribute that is not there", lambda: file.attrs.__delitem__("gone")),
            (ValueError, "exists already", "a name that is taken", lambda: file.__setitem__("cast", x)),
            (ValueError, "exists already", "also by a group", lambda: file.create_group("runs")),
            (ValueError, "exists already", "a group where there is a dataset", lambda: file.create_group("cast")),
            (TypeError, "is a dataset", "require_group() of a dataset", lambda: file.require_group("cast")),
            (ValueError, "one axis", "two axes that grow", lambda: file.create_dataset("y", (2, 2), maxshape=(None, None))),
            (TypeError, "", "what is no array", lambda: file.__setitem__("y", "text")),
        ):
            raises(kind, words, what, function)
        ok(file.keys() == ["cast", "runs", "zeros"], "and nothing else has changed")


def check_lost_file():
    """A file that goes meanwhile is the same kind of error on all ranks."""
    name = shared_folder() + "/lost.h5"
    with mp.h5.File(name, "w") as file:
        mp.comm.by_root(os.remove, name)
        raises(FileNotFoundError, "No such file", "names of a file that is gone", file.keys)
        raises(FileNotFoundError, "No such file", "and attributes", lambda: dict(file.attrs))


def check_boxes():
    """d[key] = values, as of an array."""
    a = np.arange(60.0).reshape(5, 4, 3)
    with mp.h5.File(shared_folder() + "/boxes.h5", "w") as file:
        file["x"] = a
        d = file["x"]
        for key, shape in (((1, slice(1, 3), 2), (2,)), (slice(-2, None), (2, 4, 3)), (Ellipsis, (4, 3)), ((..., 0), ()),
                           ((slice(2, 2),), (1,)), ((-1, -1, -1), ()), ((0, Ellipsis, slice(0, 1)), (4, 1)), ((), (1,))):
            x, values = pair(shape)
            d[key] = x
            a[key] = values
            same(f"what is written at {key}", d[...], a)
        d[0] = 7
        a[0] = 7
        same("a number", d[...], a)
        file["none"], file["none of rows"] = mp.zeros(0), mp.zeros((0, 4))
        file["none of rows"][:] = mp.zeros((0, 4))
        ok(file["none"][...].shape == (0,) and file["none of rows"].shape == (0, 4), "datasets without elements")
        file.create_dataset("grows", data=a, maxshape=(None, 4, 3))
        grows = file["grows"]
        file.append("grows", mp.ones((1, 4, 3)), 0)
        grows[-1] = 5
        same("the last index of what has grown", grows[...], np.concatenate([a, np.full((1, 4, 3), 5.0)]))
        raises(ValueError, "must be the shape", "a limit", lambda: file.create_dataset("z", (2, 3), maxshape=(8, 3)))
        raises(ValueError, "the step", "a step", lambda: d.__setitem__(slice(0, 4, 2), 0))
        raises(IndexError, "out of bounds", "an index that is not there", lambda: d.__setitem__(5, 0))
        raises(IndexError, "3 dimensions", "too many indices", lambda: d.__setitem__((0, 0, 0, 0), 0))
        raises(ValueError, "", "values of another shape", lambda: d.__setitem__(0, mp.ones(7)))
        same("and nothing was written", d[...], a)


def reads_tiff():
    """Whether Maniple was built with libtiff."""
    try:
        mp.tiff.read("")
    except Exception as error:  # noqa: BLE001  another one, of a name that is no file
        return "no libtiff" not in str(error)


def check_missing_files():
    name = os.path.join(shared_folder(), "none", "x.npy")
    for what, function in {
        "load": lambda: mp.load(name), "save": lambda: mp.save(name, mp.ones(2)),
        "tiff.read": lambda: mp.tiff.read(name), "h5.write": lambda: mp.h5.write(name + ":/x", mp.ones(2)),
    }.items():
        if what.startswith("tiff") and not reads_tiff():
            continue
        raises(FileNotFoundError, "", f"{what} of what is not there", function)
