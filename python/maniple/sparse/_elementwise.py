# SPDX-License-Identifier: BSD-3-Clause
"""Functions of the elements of sparse matrices, of two or of one and a number: comparisons, the larger, the smaller."""

import operator
import warnings

import numpy as np

from .._array import as_array, ndarray
from .._names import names
from ._matrix import csr_array


def _is_number(other):
    return np.isscalar(other) and not isinstance(other, (str, bytes)) or getattr(other, "ndim", None) == 0


def _number(other):
    return other.item() if isinstance(other, (ndarray, np.ndarray)) else other


def _check(A, B):  # noqa: N803
    if A.shape != B.shape:
        raise ValueError(f"matrices of shapes {A.shape} and {B.shape} cannot be compared")


def _on_both(function, A, B):  # noqa: N803
    """A function of the elements of two matrices, at the places where one of them has an entry."""
    (rows, columns, values), (more_rows, more_columns, others) = A._coo(), B._coo()
    join, zeros_like = names.concatenate, names.zeros_like
    places = join([rows, more_rows]), join([columns, more_columns])
    left = csr_array((join([values, zeros_like(others)]), places), A.shape)  # stored zeros are kept
    right = csr_array((join([zeros_like(values), others]), places), A.shape)
    rows, columns, values = left._coo()
    return csr_array((function(values, right.data), (rows, columns)), A.shape)._without_zeros()


def _warn_of_all_entries(what):
    warnings.warn(f"{what} that is not 0 for elements that are not stored makes a matrix with all entries",
                  RuntimeWarning, stacklevel=3)


def _comparison(name):
    """A comparison with a matrix or a number: a matrix of bools.  With an array it is one of arrays."""

    def compare(self, other):
        ours, theirs = getattr(names, name), getattr(operator, f"__{_COMPARISONS[name]}__")
        if isinstance(other, (ndarray, np.ndarray)) and other.ndim:
            return ours(self.toarray(), as_array(other))
        if isinstance(other, csr_array):
            _check(self, other)
            if not theirs(0, 0):
                return _on_both(ours, self, other)
            dense = other.toarray()
        elif _is_number(other):
            dense = _number(other)
            if not theirs(0, dense):
                return self._with(lambda values: ours(values, dense))._without_zeros()
        else:
            return NotImplemented
        _warn_of_all_entries("a comparison")
        return csr_array(ours(self.toarray(), dense))

    compare.__name__ = f"__{_COMPARISONS[name]}__"
    compare.__qualname__ = f"csr_array.{compare.__name__}"
    return compare


def _selection(name, is_zero_kept):
    def select(self, other):
        ours = getattr(names, name)
        if isinstance(other, (ndarray, np.ndarray)) and other.ndim:
            return ours(self.toarray(), as_array(other))
        if isinstance(other, csr_array):
            _check(self, other)
            return _on_both(ours, self, other)
        if not _is_number(other):
            raise TypeError(f"{name}() takes a sparse matrix, an array or a number")
        other = _number(other)
        if is_zero_kept(other):
            return self._with(lambda values: ours(values, other))._without_zeros()
        _warn_of_all_entries(f"{name}()")
        return csr_array(ours(self.toarray(), other))

    select.__name__, select.__qualname__ = name, f"csr_array.{name}"
    select.__doc__ = f"""numpy.{name} of the elements and those of another matrix, or a number: a matrix.  With an array
        it is one.  Collective."""
    return select


def _of_entries(name):
    def of_entries(self):
        return self._with(getattr(names, name))

    of_entries.__name__, of_entries.__qualname__ = name, f"csr_array.{name}"
    of_entries.__doc__ = f"numpy.{name} of every entry, which leaves 0 as it is.  Collective."
    return of_entries


_COMPARISONS = {"equal": "eq", "not_equal": "ne", "less": "lt", "less_equal": "le", "greater": "gt", "greater_equal": "ge"}
for _name in _COMPARISONS:
    setattr(csr_array, f"__{_COMPARISONS[_name]}__", _comparison(_name))
csr_array.maximum = _selection("maximum", lambda number: not number > 0)
csr_array.minimum = _selection("minimum", lambda number: not number < 0)
for _name in """arcsin arcsinh arctan arctanh ceil deg2rad expm1 floor log1p rad2deg rint sign sin sinh sqrt tan tanh
        trunc""".split():
    setattr(csr_array, _name, _of_entries(_name))
