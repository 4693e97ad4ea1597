# SPDX-License-Identifier: BSD-3-Clause
"""What Python's array API standard has beside NumPy's names: questions about the library, and sets that keep NaN apart.

Source: the standard, https://data-apis.org/array-api/2025.12."""

import collections

import numpy as np

from . import _array
from ._names import names, public

_KINDS = {
    "bool": "b",
    "signed integer": "i",
    "unsigned integer": "u",
    "integral": "iu",
    "real floating": "f",
    "complex floating": "c",
    "numeric": "iufc",
}


@public
def isdtype(dtype, kind):
    """Whether a dtype is of a kind, such as "real floating", or is a dtype; or one of a tuple of these."""
    kinds = kind if isinstance(kind, tuple) else (kind,)
    for one in kinds:
        if isinstance(one, str) and one not in _KINDS:
            raise ValueError(f"isdtype: {one!r} is none of the kinds {', '.join(_KINDS)}")
    return any(np.dtype(dtype).kind in _KINDS[k] if isinstance(k, str) else np.dtype(dtype) == k for k in kinds)


def _dtype_of(given):
    """The dtype of an array, or what names one."""
    return given if isinstance(given, type) else getattr(given, "dtype", given)


class finfo:  # noqa: N801
    """numpy.finfo, whose numbers are Python's, so that they change no dtype; also of an array."""

    def __init__(self, dtype):
        self._numpy = np.finfo(_dtype_of(dtype))

    def __getattr__(self, name):
        value = getattr(self._numpy, name)
        return float(value) if isinstance(value, np.floating) else value

    def __repr__(self):
        return repr(self._numpy)


def iinfo(dtype):
    """numpy.iinfo, also of an array."""
    return np.iinfo(_dtype_of(dtype))


# ---- the library ----


class _Info:
    """What maniple.__array_namespace_info__() tells.  Not collective."""

    def capabilities(self):
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 8}

    def default_device(self):
        return _array.device_kind()

    def default_dtypes(self, *, device=None):
        _array.check_device(device)
        names_of = {"real floating": "float64", "complex floating": "complex128", "integral": "int64"}
        return {what: np.dtype(name) for what, name in {**names_of, "indexing": "int64"}.items()}

    def devices(self):
        return (_array.device_kind(),)

    def dtypes(self, *, device=None, kind=None):
        """All that the standard names; float16 and bfloat16 are there beside them."""
        _array.check_device(device)
        listed = """bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64 complex128"""
        dtypes = {name: np.dtype(name) for name in listed.split()}
        return {name: d for name, d in dtypes.items() if kind is None or isdtype(d, kind)}


@public
def __array_namespace_info__():  # noqa: N807
    """What the array API standard's inspection is about: dtypes, devices, capabilities.  Not collective."""
    return _Info()


# ---- sets, in which a NaN is equal to none ----

UniqueAllResult = collections.namedtuple("UniqueAllResult", "values indices inverse_indices counts")
UniqueCountsResult = collections.namedtuple("UniqueCountsResult", "values counts")
UniqueInverseResult = collections.namedtuple("UniqueInverseResult", "values inverse_indices")


@public
def unique_all(x):
    """The distinct elements, each NaN among them; where each is first, which of them each element is, and how often."""
    return UniqueAllResult(*names.unique(x, True, True, True, equal_nan=False))


@public
def unique_counts(x):
    """The distinct elements, each NaN among them, and how often each is there.  Collective."""
    return UniqueCountsResult(*names.unique(x, return_counts=True, equal_nan=False))


@public
def unique_inverse(x):
    """The distinct elements, each NaN among them, and which of them each element is.  Collective."""
    return UniqueInverseResult(*names.unique(x, return_inverse=True, equal_nan=False))


@public
def unique_values(x):
    """The distinct elements, each NaN among them.  Collective."""
    return names.unique(x, equal_nan=False)
