# SPDX-License-Identifier: BSD-3-Clause
"""HDF5 files by h5py, for tests of the library.

h5py comes with an HDF5 of its own, which cannot be loaded beside the library's: it runs in a process of its own, which
rank 0 starts when it is first needed and which ends with the test.
"""

import os
import pickle
import subprocess
import sys

import maniple as mp

HELPER = """
import pickle, sys
import h5py

def read(path):
    found = {}
    def take(name, item):
        if isinstance(item, h5py.Dataset):
            found[name] = item[()]
        found.update({name + "@" + key: value for key, value in item.attrs.items()})
    with h5py.File(path, "r") as file:
        take("", file)
        file.visititems(take)
    return found

def write(path, members, options):
    with h5py.File(path, "w") as file:
        for name in sorted(members, key=lambda name: "@" in name):
            if "@" in name:
                file[name.split("@")[0] or "/"].attrs[name.split("@")[1]] = members[name]
            else:
                file.create_dataset(name, data=members[name],
                                    **(options if getattr(members[name], "shape", ()) else {}))

def resize(path, name, shape):
    with h5py.File(path, "r+") as file:
        file[name].resize(shape)

while True:
    try:
        path, members, options = pickle.load(sys.stdin.buffer)
    except EOFError:
        break
    try:
        answer = (read(path) if members is None else resize(path, members, options) if isinstance(members, str) else
                  write(path, members, options))
    except OSError as error:
        answer = error
    pickle.dump(answer, sys.stdout.buffer)
    sys.stdout.buffer.flush()
"""
_helper = None


class Unreadable(Exception):
    """h5py cannot open the file."""


def _ask(*question):
    global _helper
    if not _helper:
        env = {k: v for k, v in os.environ.items() if k != "LD_PRELOAD"}
        _helper = subprocess.Popen([sys.executable, "-W", "ignore", "-c", HELPER], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, env=env)
    pickle.dump(question, _helper.stdin)
    _helper.stdin.flush()
    answer = pickle.load(_helper.stdout)
    if isinstance(answer, OSError):
        raise Unreadable(str(answer))
    return answer


def write(path, members, **options):
    """A new file of datasets {path: values} and attributes {path@name: value}, from rank 0; the options are those of
    h5py's create_dataset(), for all that are not scalars."""
    if mp.rank == 0:
        _ask(path, members, options)
    mp.agree(None)


def resize(path, name, shape):
    """Change a dataset's extents, from rank 0."""
    if mp.rank == 0:
        _ask(path, name, shape)
    mp.agree(None)


def read(path):
    """The datasets and attributes of a file, named so.  For rank 0."""
    return _ask(path, None, None)
