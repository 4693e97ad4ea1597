# SPDX-License-Identifier: BSD-3-Clause
"""Texts in NumPy's language as fused kernels, and arrays as texts."""

import ctypes

import numpy as np

from . import _layout, comm
from ._array import as_array, ndarray, operand_among
from ._library import call, struct
from ._names import public


class _Pair(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("value", ctypes.c_void_p)]


@public
def evaluate(text, outputs="", out=None, **inputs):
    """Statements in NumPy's language as fused kernels: evaluate("3*sin(-x)*y", x=x, y=y) is the value of the last one.

    outputs: names whose values are wanted, as "s, t" or a list; they come as a tuple, in that order.  out: arrays that
    receive them, by name: evaluate("u[1:-1] += f*(u[:-2] - 2*u[1:-1] + u[2:])", "u", out={"u": u}, f=0.1)."""
    names = outputs if isinstance(outputs, (list, tuple)) else [n.strip() for n in outputs.split(",")]
    given = [operand_among(v, inputs.values()) for v in inputs.values()]
    reused = [(out or {}).get(name) for name in names]
    unknown = set(out or {}) - set(names)
    if unknown:
        raise TypeError(f"out has {', '.join(sorted(unknown))}, which is not among the outputs")
    cells = [ctypes.c_void_p(a._handle if a is not None else None) for a in reused]
    ins, outs = (_Pair * (len(given) + 1))(), (_Pair * (len(names) + 1))()
    for pair, name, value in zip(ins, inputs, given):
        pair.name, pair.value = name.encode(), value._handle
    for pair, name, cell in zip(outs, names, cells):
        pair.name, pair.value = name.encode(), ctypes.addressof(cell)
    call("eval", text, ctypes.addressof(ins), ctypes.addressof(outs))
    found = tuple(ndarray._adopt(c.value) if a is None else a for a, c in zip(reused, cells))
    return found[0] if isinstance(outputs, str) and len(found) == 1 else found


@public
def show(x, file=None, precision=8, threshold=1000, edgeitems=3, linewidth=75, suppress=False):
    """Print the whole array once, as NumPy prints it, with the edges of large ones alone.  Collective."""
    text = _printed(as_array(x), precision, threshold, edgeitems, linewidth, suppress)
    if _layout.rank() == 0:
        print(text, end="", file=file)


@public
def array2string(a, max_line_width=None, precision=None, suppress_small=None, separator=" ", prefix="", *,
                 formatter=None, threshold=None, edgeitems=None, sign=None, floatmode=None, suffix=""):
    """numpy.array2string, the text that show() prints, on all ranks; what is None is as numpy.set_printoptions() says.
    With a separator, formatter and the like rank 0 gathers the array, and NumPy makes the text.  Collective."""
    if separator != " " or prefix or suffix or any(v is not None for v in (formatter, sign, floatmode)):
        whole, made = as_array(a).numpy(root=0), []
        comm.by_root(lambda: made.append(np.array2string(
            whole, max_line_width, precision, suppress_small, separator, prefix, formatter=formatter, threshold=threshold,
            edgeitems=edgeitems, sign=sign, floatmode=floatmode, suffix=suffix)))
        return comm.bcast(made[0] if made else "")
    given = {"linewidth": max_line_width, "precision": precision, "suppress": suppress_small, "threshold": threshold,
             "edgeitems": edgeitems}
    options = {name: np.get_printoptions()[name] if value is None else value for name, value in given.items()}
    return comm.bcast(_printed(as_array(a), **options)).rstrip("\n")


@public
def array_str(a, max_line_width=None, precision=None, suppress_small=None):
    return array2string(a, max_line_width, precision, suppress_small)


def _printed(x, precision, threshold, edgeitems, linewidth, suppress):
    import os
    import tempfile

    libc = ctypes.CDLL(None)
    libc.fopen.restype, libc.fopen.argtypes = ctypes.c_void_p, [ctypes.c_char_p, ctypes.c_char_p]
    libc.fclose.argtypes = [ctypes.c_void_p]
    options = struct("print_options")(precision, threshold, edgeitems, linewidth, suppress)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "text")
        stream = libc.fopen(path.encode(), b"w")
        try:
            call("array_print", x, options, stream)
        finally:
            libc.fclose(stream)
        with open(path, encoding="utf-8") as text:
            return text.read()
