# SPDX-License-Identifier: BSD-3-Clause
"""NumPy's products of matrices and tensors."""

import ctypes
import operator
import string

import numpy as np

from ._array import as_array, into, made, operand, result_type
from ._library import call, chosen, constant
from ._names import list_of, listed, names, public


def _plain(name):
    def product(a, b, out=None):
        return into(name, as_array(a), as_array(b), out=out)

    product.__name__ = product.__qualname__ = name
    return public(product)


matmul, outer, matvec, vecmat = (_plain(name) for name in ("matmul", "outer", "matvec", "vecmat"))


@public
def dot(a, b, out=None):
    return into("dot", operand(a), operand(b), out=out)


@public
def inner(a, b):
    return into("inner", operand(a), operand(b))


@public
def vdot(a, b):
    return into("vdot", as_array(a), as_array(b))


@public
def vecdot(x1, x2, out=None, axis=-1):
    return into("vecdot", as_array(x1), as_array(x2), operator.index(axis), out=out)


@public
def cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    """numpy.cross of vectors of 3 elements; axis stands for all three of the others.  Collective."""
    axes = (axisa, axisb, axisc) if axis is None else (axis,) * 3
    return made("cross", as_array(a), as_array(b), *map(operator.index, axes))


def _vectors(*operands):
    """Vectors, which numbers become too."""
    operands = [names.atleast_1d(as_array(x)) for x in operands]
    if any(x.ndim > 1 for x in operands):
        raise ValueError("operands are vectors here; maniple.signal has convolutions of several dimensions")
    return operands


@public
def convolve(a, v, mode="full"):
    """numpy.convolve, of vectors; maniple.signal has that of several dimensions.  Collective."""
    from . import signal

    a, v = _vectors(a, v)
    return signal.convolve(*((a, v) if a.size >= v.size else (v, a)), mode, dtype=result_type(a, v))


@public
def correlate(a, v, mode="valid"):
    """numpy.correlate, of vectors; maniple.signal has that of several dimensions.  Collective."""
    from . import signal

    a, v = _vectors(a, v)
    if a.size < v.size:
        return names.conj(names.flip(correlate(v, a, mode)))
    return signal.correlate(a, v, mode, dtype=result_type(a, v))


@public
def kron(a, b):
    return into("kron", as_array(a), as_array(b))


@public
def tensordot(a, b, axes=2):
    if np.iterable(axes):
        axes_a, axes_b = map(listed, axes)
        if len(axes_a) != len(axes_b):
            raise ValueError(f"tensordot: {len(axes_a)} axes of a, and {len(axes_b)} of b")
        return into("tensordot", as_array(a), as_array(b), len(axes_a), axes_a, axes_b)
    return into("tensordot", as_array(a), as_array(b), operator.index(axes), None, None)


def _order(optimize):
    while isinstance(optimize, (tuple, list)) and optimize:  # with a limit of memory, or behind a path's first word
        optimize = optimize[0]
    if optimize == "einsum_path":  # pairs that einsum_path() has found: all orders give the same
        optimize = "greedy"
    if optimize in (False, True, "greedy"):
        return constant("EINSUM_GREEDY")
    if optimize == "optimal":
        return constant("EINSUM_OPTIMAL")
    raise ValueError(f"optimize is {optimize!r}, which is none of False, True, 'greedy' and 'optimal'")


_LABELS = string.ascii_uppercase + string.ascii_lowercase  # of NumPy's numbers of labels, in their order


def _text_of(labels):
    numbers = [label if label is Ellipsis else operator.index(label) for label in labels]
    if any(label is not Ellipsis and not 0 <= label < len(_LABELS) for label in numbers):
        raise ValueError(f"einsum: labels are {numbers}, and must be from 0 to {len(_LABELS) - 1}")
    return "".join("..." if label is Ellipsis else _LABELS[label] for label in numbers)


def _operands(operands):
    """Subscripts and arrays of what einsum() is given: a text and arrays, or arrays with lists of labels."""
    if isinstance(operands[0], str):
        return operands[0].encode(), [as_array(x) for x in operands[1:]]
    arrays, labels, result = operands[: len(operands) // 2 * 2 : 2], operands[1::2], operands[len(operands) // 2 * 2 :]
    if not arrays or not all(isinstance(one, (list, tuple)) for one in (*labels, *result)):
        raise TypeError("einsum: subscripts are a text, such as 'ij,jk->ik', or a list of integers behind each array")
    text = ",".join(map(_text_of, labels)) + "".join("->" + _text_of(one) for one in result)
    return text.encode(), [as_array(x) for x in arrays]


@public
def einsum(subscripts, *operands, out=None, optimize=False):
    """numpy.einsum.  Pairs are contracted in a greedy or the optimal order; a path of einsum_path() stands for the
    greedy one.  Collective."""
    subscripts, operands = _operands((subscripts, *operands))
    return into("einsum", subscripts, list_of(operands), len(operands), _order(optimize), out=out)


@public
def einsum_path(subscripts, *operands, optimize="greedy"):
    """The pairs of numpy.einsum_path, and a sentence on what they cost."""
    subscripts, operands = _operands((subscripts, *operands))
    pairs, cost = (ctypes.c_int * (2 * len(operands) + 1))(), ctypes.c_double()
    places = ctypes.byref(pairs), ctypes.byref(cost)
    call("einsum_path", subscripts, list_of(operands), len(operands), _order(optimize), *places)
    steps = [(pairs[2 * s], pairs[2 * s + 1]) for s in range(len(operands) - 1)] or [(0,)]
    return ["einsum_path", *steps], f"{cost.value:g} products are added up"


def matrix_power(a, n):
    """numpy.linalg.matrix_power; a power below 0 is one of the inverse.  Collective."""
    a, n = as_array(a), operator.index(n)
    return into("matrix_power", into("inv", a) if n < 0 else a, abs(n))


def multi_dot(arrays, *, out=None):
    """numpy.linalg.multi_dot: the product of several matrices, in the cheapest order.  Collective."""
    arrays = [as_array(a) for a in arrays]
    return into("multi_dot", list_of(arrays), len(arrays), out=out)


def set_precision(precision):
    """
    How floats are multiplied from now on: "plain"; "tf32", float32 on tensor cores of GPUs with less precision; or
    "emulated", by products of integers of 8 bits, nearly as exact as plain and faster for large matrices on some GPUs.
    Collective.
    """
    call("matmul_set_precision", chosen("the precision", precision, "MATMUL_", ("plain", "tf32", "emulated")))
