# SPDX-License-Identifier: BSD-3-Clause
"""numpy.fft and the cosine and sine transforms of scipy.fft, over any number of ranks, and plans."""

import ctypes

from ._array import Layout, as_array, dtype_number, into, made
from ._library import Shared, call, constant, lib, struct, vector
from ._names import finished, listed, names, on_device

__all__ = ["Plan", "fftfreq", "fftshift", "ifftshift", "next_fast_len", "rfftfreq"]


def _one(name):
    def transform(a, n=None, axis=-1, norm=None, out=None):
        return into(name, as_array(a), constant("NONE") if n is None else n, axis, norm, out=out)

    return transform


def _counted(s, axes, number=None):
    """How many axes a transform has, and s and axes, which have as many, as lists; a number is a list of one."""
    s, axes = listed(s), listed(axes)
    lengths = {len(values) for values in (s, axes) if values is not None}
    if len(lengths) > 1 or number is not None and lengths - {number}:
        raise ValueError(f"s is {s} and axes is {axes}: they should have {number or 'as many'} elements")
    return lengths.pop() if lengths else 0, s, axes


def _two(name):
    def transform(a, s=None, axes=(-2, -1), norm=None, out=None):
        return into(name, as_array(a), *_counted(s, axes, 2)[1:], norm, out=out)

    return transform


def _many(name):
    def transform(a, s=None, axes=None, norm=None, out=None):
        a, (count, s, axes) = as_array(a), _counted(s, axes)
        if axes is not None and count == 0:
            return made("copy", a)
        return into(name, a, count, s, axes, norm, out=out)

    return transform


def _cosine(name):
    def transform(x, type=2, n=None, axis=-1, norm=None, out=None):  # noqa: A002
        return into(name, as_array(x), type, constant("NONE") if n is None else n, axis, norm, out=out)

    return transform


def _cosines(name):
    def transform(x, type=2, s=None, axes=None, norm=None, out=None):  # noqa: A002
        x, (count, s, axes) = as_array(x), _counted(s, axes)
        if axes is not None and count == 0:
            return made("copy", x)
        return into(name, x, type, count, s, axes, norm, out=out)

    return transform


for _make, _names in (
    (_one, ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")),
    (_two, ("fft2", "ifft2", "rfft2", "irfft2")),
    (_many, ("fftn", "ifftn", "rfftn", "irfftn")),
    (_cosine, ("dct", "idct", "dst", "idst")),
    (_cosines, ("dctn", "idctn", "dstn", "idstn")),
):
    for _name in _names:
        _function = _make(_name)
        _function.__name__ = _function.__qualname__ = _name
        globals()[_name] = _function
        __all__.append(_name)


def next_fast_len(target, real=False):
    """scipy.fft.next_fast_len: the next length with a fast transform.  Not collective."""
    length = ctypes.c_int64()
    call("next_fast_len", target, bool(real), ctypes.byref(length))
    return length.value


def _frequencies(name, n, d, dtype):
    found = made(name, n, float(d))
    return found if dtype is None else names.astype(found, dtype, copy=False)


@on_device
def fftfreq(n, d=1.0, *, dtype=None):
    return _frequencies("fftfreq", n, d, dtype)


@on_device
def rfftfreq(n, d=1.0, *, dtype=None):
    return _frequencies("rfftfreq", n, d, dtype)


def _shift(name, x, axes):
    x, axes = as_array(x), listed(axes)
    return made("copy", x) if axes == [] else made(name, x, len(axes or []), axes)


def fftshift(x, axes=None):
    return _shift("fftshift", x, axes)


def ifftshift(x, axes=None):
    return _shift("ifftshift", x, axes)


class Plan(Shared):
    """A transform that is planned once for arrays like `like`: plan = Plan(x); y = plan(x).

    permuted: the result stays cut as it is after the last transform, which saves a move; plan.layout tells how."""

    def __init__(self, like, axes=None, s=None, norm=None, *, real=False, inverse=False, permuted=False, layout=None):
        count, s, axes = _counted(s, axes)
        lists = [vector("int", axes, "axes"), vector("int64_t", s, "s")]
        text = None if norm is None else norm.encode()
        options = struct("fft_options")(
            bool(real),
            bool(inverse),
            count,
            *[None if v is None else ctypes.addressof(v) for v in lists],
            text,
            None if layout is None else layout._handle,
            constant("FFT_PERMUTED") if permuted else 0,
        )
        super().__init__("fft_plan_free", "fft_plan_new", dtype_number(like.dtype), like.layout, options)

    def __call__(self, x, out=None):
        return into("fft_plan_execute", self, x, out=out)

    @property
    def layout(self):
        """The layout of what the plan gives."""
        return Layout._adopt(lib.mnp_layout_retain(lib.mnp_fft_plan_layout(self._handle)))

    def describe(self):
        """What an execution does on this rank, as a dictionary."""
        info = struct("fft_plan_info")()
        call("fft_plan_describe", self, info)
        return {
            name: value.decode() if isinstance(value := getattr(info, name), bytes) else value
            for name, _ in info._fields_
        }


__all__ = sorted(__all__)
__dir__ = finished(globals(), "numpy.fft", {"scipy.fft": [_n for _n in __all__ if "fft" not in _n]})
