# SPDX-License-Identifier: BSD-3-Clause
"""libmaniple: where it is found."""

import ctypes
import ctypes.util
import os
import shutil
import subprocess


def _candidates():
    """Where the library may be, the most particular place first."""
    if os.environ.get("MANIPLE_LIBRARY"):
        yield os.environ["MANIPLE_LIBRARY"]
        return
    here = os.path.dirname(os.path.abspath(__file__))
    yield os.path.join(here, "libmaniple.so")
    yield os.path.join(here, *[os.pardir] * 3, "libmaniple.so")  # LIBDIR/maniple/python/maniple
    if shutil.which("pkg-config"):
        found = subprocess.run(
            ["pkg-config", "--variable=libdir", "maniple"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            check=False,
            universal_newlines=True,
        ).stdout.strip()
        if found:
            yield os.path.join(found, "libmaniple.so")
    yield ctypes.util.find_library("maniple") or "libmaniple.so"


def _load():
    """The library, with its symbols and MPI's among the global ones, where MPI's plugins look for them."""
    failures = []
    for path in _candidates():
        if os.sep in path and not os.path.exists(path):
            failures.append(f"{path}: there is no such file")
            continue
        try:
            return ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)
        except OSError as error:
            failures.append(str(error))
    raise ImportError(
        "libmaniple.so cannot be loaded.  Install Maniple, and say where its library is by "
        "MANIPLE_LIBRARY=/path/to/libmaniple.so if it is in no usual place.  What was tried:\n  "
        + "\n  ".join(failures)
    )


lib = _load()
