# SPDX-License-Identifier: BSD-3-Clause
"""numpy.fft and the cosine and sine transforms of scipy.fft, over any number of ranks, and plans."""

import ctypes
import inspect
import math
import operator

from ._array import as_array, into, made, ndarray
from ._dtypes import dtype_number
from ._layout import Layout
from ._hankel import fht, fhtoffset, ifht
from ._library import Shared, call, constant, lib, struct, vector
from ._names import finished, listed, names, on_device

__all__ = ["Plan", "fftfreq", "fftshift", "fht", "fhtoffset", "ifftshift", "ifht", "next_fast_len", "prev_fast_len"]
__all__ += ["rfftfreq"]


def _check_workers(workers):
    """SciPy's workers= changes nothing: MANIPLE_THREADS says how many threads a rank has."""
    if workers is not None and operator.index(workers) == 0:
        raise ValueError("workers must not be zero")


def _counted(s, axes, number=None):
    """How many axes a transform has, and s and axes, which have as many, as lists; a number is a list of one."""
    s, axes = listed(s), listed(axes)
    lengths = {len(values) for values in (s, axes) if values is not None}
    if len(lengths) > 1 or number is not None and lengths - {number}:
        raise ValueError(f"s is {s} and axes is {axes}: they should have {number or 'as many'} elements")
    return lengths.pop() if lengths else 0, s, axes


def _axes_of(ndim, s, axes):
    """The axes of a transform, counted from the first one."""
    if axes is None:
        return tuple(range(ndim - (ndim if s is None else len(s)), ndim))
    return tuple(axis % ndim for axis in axes)


def _one(name):
    def transform(a, n=None, axis=-1, norm=None, out=None, *, overwrite_x=False, workers=None, plan=None):
        _check_workers(workers)
        if plan is not None:
            return plan._run(name, a, None if n is None else [n], [axis], norm, out)
        return into(name, as_array(a), constant("NONE") if n is None else n, axis, norm, out=out)

    return transform


def _two(name):
    def transform(a, s=None, axes=(-2, -1), norm=None, out=None, *, overwrite_x=False, workers=None, plan=None):
        _check_workers(workers)
        _, s, axes = _counted(s, axes, 2)
        if plan is not None:
            return plan._run(name, a, s, axes, norm, out)
        return into(name, as_array(a), s, axes, norm, out=out)

    return transform


def _many(name):
    def transform(a, s=None, axes=None, norm=None, out=None, *, overwrite_x=False, workers=None, plan=None):
        _check_workers(workers)
        a, (count, s, axes) = as_array(a), _counted(s, axes)
        if plan is not None:
            return plan._run(name, a, s, axes, norm, out)
        if axes is not None and count == 0:
            return made("copy", a)
        return into(name, a, count, s, axes, norm, out=out)

    return transform


def _orthogonal(name, type, shape, s, axes, norm, orthogonalize):  # noqa: A002
    """The norm by which the library gives orthogonalize=, and the factor that is then left.

    Its "ortho" is the orthogonal transform.  The norms differ by factors of the number after which the terms repeat."""
    if orthogonalize is None or bool(orthogonalize) == (norm == "ortho"):
        return norm, None
    axes, edges = _axes_of(len(shape), s, axes), (type == 1) * (1 if "dst" in name else -1)
    period = math.prod(2.0 * ((shape[axis] if s is None else s[i]) + edges) for i, axis in enumerate(axes))
    divides = (norm == "forward") != name.startswith("i")
    if norm == "ortho":
        return "forward" if name.startswith("i") else "backward", period**-0.5
    return "ortho" if norm in (None, "backward", "forward") else norm, period**-0.5 if divides else period**0.5


def _scaled(result, factor):
    return result if factor is None else names.multiply(result, factor, out=result)


def _cosine(name):
    def transform(
        x,
        type=2,  # noqa: A002
        n=None,
        axis=-1,
        norm=None,
        overwrite_x=False,
        workers=None,
        orthogonalize=None,
        *,
        out=None,
    ):
        _check_workers(workers)
        x = as_array(x)
        norm, factor = _orthogonal(name, type, x.shape, None if n is None else [n], [axis], norm, orthogonalize)
        return _scaled(into(name, x, type, constant("NONE") if n is None else n, axis, norm, out=out), factor)

    return transform


def _cosines(name):
    def transform(
        x,
        type=2,  # noqa: A002
        s=None,
        axes=None,
        norm=None,
        overwrite_x=False,
        workers=None,
        orthogonalize=None,
        *,
        out=None,
    ):
        _check_workers(workers)
        x, (count, s, axes) = as_array(x), _counted(s, axes)
        if axes is not None and count == 0:
            return made("copy", x)
        norm, factor = _orthogonal(name, type, x.shape, s, axes, norm, orthogonalize)
        return _scaled(into(name, x, type, count, s, axes, norm, out=out), factor)

    return transform


for _make, _names in (
    (_one, ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")),
    (_two, ("fft2", "ifft2", "rfft2", "irfft2", "hfft2", "ihfft2")),
    (_many, ("fftn", "ifftn", "rfftn", "irfftn", "hfftn", "ihfftn")),
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


def prev_fast_len(target, real=False):
    """scipy.fft.prev_fast_len: the last length up to there with a fast transform.  Not collective."""
    length = ctypes.c_int64()
    call("prev_fast_len", target, bool(real), ctypes.byref(length))
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

    permuted: the result stays cut as it is after the last transform, which saves a move; plan.layout tells how.
    measured: the ways over the ranks are timed, unless it is on disk how they were before."""

    def __init__(
        self,
        like,
        axes=None,
        s=None,
        norm=None,
        *,
        real=False,
        inverse=False,
        permuted=False,
        layout=None,
        measured=False,
    ):
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
            constant("FFT_PERMUTED") * bool(permuted) + constant("FFT_MEASURED") * bool(measured),
        )
        super().__init__("fft_plan_free", "fft_plan_new", dtype_number(like.dtype), like.layout, options)
        kind = ("i" if inverse else "") + ("rfft" if real else "fft")
        self._asked = kind, _axes_of(like.ndim, s, axes), s, norm or "backward"

    def _run(self, name, x, s, axes, norm, out):
        """What fft(x, plan=plan) does: the call has to ask for what was planned."""
        x = as_array(x)
        kind, planned, points, scale = self._asked
        if (name.rstrip("2n"), _axes_of(x.ndim, s, axes), norm or "backward") != (kind, planned, scale) or s != points:
            asked = f"{kind}n(x, s={points}, axes={planned}, norm={scale!r})"
            raise ValueError(f"the plan is for {asked}, and not for this {name}")
        return self(x, out)

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


# What scipy.fft.set_backend(maniple.fft) asks for: SciPy's functions then transform arrays of Maniple
__ua_domain__ = "numpy.scipy.fft"


def __ua_convert__(dispatchables, coerce):
    values = [one.value for one in dispatchables]
    return values if coerce or all(isinstance(value, ndarray) for value in values) else NotImplemented


def __ua_function__(method, args, kwargs):
    if method.__name__ not in __all__:
        return NotImplemented
    x, *others = inspect.signature(method).bind(*args, **kwargs).arguments.items()
    return globals()[method.__name__](x[1], **dict(others))


__all__ = sorted(__all__)
_SCIPY = [_n for _n in __all__ if "fft" not in _n or _n.startswith(("hfft", "ihfft")) and _n[-1] in "2n"]
__dir__ = finished(globals(), "numpy.fft", {"scipy.fft": _SCIPY}, {"fhtoffset"})
