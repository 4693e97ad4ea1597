# SPDX-License-Identifier: BSD-3-Clause
"""Plans of Fourier transforms, for the tests: their options, what they tell, and the memory that is in use."""

import ctypes

import maniple as mp
import numpy as np


class Options(ctypes.Structure):
    _fields_ = [("real", ctypes.c_bool), ("inverse", ctypes.c_bool), ("naxes", ctypes.c_int),
                ("axes", ctypes.POINTER(ctypes.c_int)), ("s", ctypes.POINTER(ctypes.c_int64)),
                ("norm", ctypes.c_char_p), ("layout", ctypes.c_void_p), ("flags", ctypes.c_uint)]


class Info(ctypes.Structure):
    _fields_ = [("method", ctypes.c_char_p), ("transforms", ctypes.c_int), ("moves", ctypes.c_int)] + [
        (name, ctypes.c_int64) for name in ("workspace", "scratch", "own", "node", "far")] + [
            ("messages", ctypes.c_int), ("receivers", ctypes.c_int), ("buffers", ctypes.c_int64),
            ("choice", ctypes.c_char_p)]


def options(axes=None, s=None, layout=None, **named):
    made = Options(**named)
    if axes is not None:
        made.naxes, made.axes = len(axes), (ctypes.c_int * len(axes))(*axes)
    if s is not None:
        made.s = (ctypes.c_int64 * len(s))(*s)
    if layout is not None:
        made.layout = layout.pointer
    return made


def describe(plan):
    info = Info()
    mp.fft_plan_describe(plan, info)
    return info


def close(name, got, want, factor=1):
    g = got.numpy()
    eps = np.finfo(g.dtype).eps
    error, size = np.linalg.norm((g - want).ravel()), np.linalg.norm(want.ravel())
    bound = 3 * factor * eps * np.sqrt(max(1, np.log2(max(2, g.size))))
    good = g.shape == want.shape and error <= bound * size
    mp.ok(good, name if good else f"{name}: error {error:.3g} of {size:.3g}")


def complexes(rng, shape, dtype="complex128"):
    return (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype(dtype)


class PoolInfo(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int64) for name in ("used", "reserved", "peak", "largest_free", "limit", "blocks")]


class HeapInfo(ctypes.Structure):
    _fields_ = [("ranks", ctypes.c_int), ("shared", ctypes.c_bool)] + [
        (name, ctypes.c_int64) for name in ("space", "unit", "limit")]


def pool(number):
    """What a pool of memory has on this rank."""
    info = PoolInfo()
    mp.memory_info(number, info)
    return info


def used():
    """Bytes in use on this rank, of the heap and of scratch memory."""
    return np.array([pool(mp.MNP_MEMORY_HEAP).used, pool(mp.MNP_MEMORY_SCRATCH).used])
