# SPDX-License-Identifier: BSD-3-Clause
"""Outputs: all functions treat *y_p in the same way.

Functions of every family are called with a new output; with one of the same dtype, of one that the result can be cast
to, of one that it cannot be cast to; with another layout, of blocks or block-cyclic; with a broadcast view, a scalar, a
wrong shape, an array of another context; and with views that overlap the input.  A call that fails leaves the output
unchanged.

Other tests compare results with NumPy's: here the result in a new array is what all other outputs should receive.
"""

import ctypes

import binding
import maniple as mp
import numpy as np

rng = mp.random()
ROWS, COLUMNS = 8, 7
NARROWER = {"float64": "float32", "int64": "int32", "bool": "int8"}  # "same_kind" casting allows these,
REFUSED = {"float64": "int32", "int64": "uint8"}                    # and does not allow these


def axis(number):
    return mp.axes(number)


class Scalar:
    """A number in the place of an array."""
    pointer = binding.scalar(2.5)


def with_rng(name, *arguments, **named):
    """Call a function with a new generator, so that its numbers are the same in every call."""
    generator = mp.rng_new(7)
    try:
        return getattr(mp, name)(generator, *arguments, **named)
    finally:
        mp.rng_free(generator)


def with_matrix(function):
    """Call a function with a sparse matrix of ROWS rows and columns."""
    matrix = mp.sparse_eye("float64", ROWS, ROWS, 1)
    try:
        return function(matrix)
    finally:
        mp.sparse_free(matrix)


def with_operator(function):
    def call(matrix):
        operator = mp.operator_from_sparse(matrix)
        try:
            return function(operator)
        finally:
            mp.operator_free(operator)
    return with_matrix(call)


def first(results):
    return results[0]


# Each is called with an array x of ROWS x COLUMNS numbers, and with out=
FUNCTIONS = {
    "add": lambda x, **o: mp.add(x, 1.5, **o),
    "isfinite": lambda x, **o: mp.isfinite(x, **o),
    "frexp": lambda x, **o: first(mp.frexp(x, **o)),
    "eval": lambda x, out=None: mp.eval("z = 2 * x + 1", x=x, out={"z": out}),
    "eval of a sum": lambda x, out=None: mp.eval("z = x - sum(x, axis=0)", x=x, out={"z": out}),
    "ones_like": lambda x, **o: mp.ones_like(x, None, **o),
    "tril": lambda x, **o: mp.tril(x, 0, **o),
    "arange": lambda x, **o: mp.arange(0, 8, 1, None, **o),
    "diagonal": lambda x, **o: mp.diagonal(x, 0, 0, 1, **o),
    "concatenate": lambda x, **o: mp.concatenate([x, x], 2, 0, **o),
    "insert": lambda x, **o: mp.insert(x, 1, x[:1], 0, **o),
    "pad": lambda x, **o: mp.pad(x, [1, 1, 0, 2], mp.MNP_BOUNDARY_WRAP, None, **o),
    "roll": lambda x, **o: mp.roll(x, 1, [3], [0], **o),
    "roll of all": lambda x, **o: mp.roll(x, 1, [3], None, **o),
    "repeat": lambda x, **o: mp.repeat(x, 2, 1, **o),
    "sum": lambda x, **o: mp.sum(x, axis(0), **o),
    "argmax": lambda x, **o: mp.argmax(x, axis(1), **o),
    "var of all": lambda x, **o: mp.var(x, None, **o),
    "ufunc_reduce": lambda x, **o: mp.ufunc_reduce("subtract", x, axis(0), **o),
    "ufunc_accumulate": lambda x, **o: mp.ufunc_accumulate("subtract", x, 0, **o),
    "cumsum": lambda x, **o: mp.cumsum(x, 0, None, **o),
    "cumulative_sum": lambda x, **o: mp.cumulative_sum(x, 1, None, True, **o),
    "diff": lambda x, **o: mp.diff(x, 1, 0, None, None, **o),
    "gradient": lambda x, **o: mp.gradient(x, None, 1, 1, **o),
    "sort": lambda x, **o: mp.sort(x, 0, **o),
    "argsort": lambda x, **o: mp.argsort(x, 1, **o),
    "topk": lambda x, **o: first(mp.topk(x, 3, 0, True, **o)),
    "take": lambda x, **o: mp.take(x, mp.array(np.arange(4)), 0, mp.MNP_RAISE, **o),
    "take_along_axis": lambda x, **o: mp.take_along_axis(x, mp.array(np.full((ROWS, COLUMNS), 2)), 0, **o),
    "mask_get": lambda x, **o: mp.mask_get(x, mp.array(np.arange(ROWS) % 2 == 0), **o),
    "argwhere": lambda x, **o: mp.argwhere(x, **o),
    "choose": lambda x, **o: mp.choose(mp.array(np.arange(COLUMNS) % 2), 2, [x, 1.0], mp.MNP_RAISE, **o),
    "searchsorted": lambda x, **o: mp.searchsorted(mp.array(np.arange(5.0)), x, False, None, **o),
    "isin": lambda x, **o: mp.isin(x, mp.array(np.arange(5.0)), False, **o),
    "unique": lambda x, **o: mp.unique(x, True, index_p=None, inverse_p=None, counts_p=None, **o),
    "histogram": lambda x, **o: first(mp.histogram(x, 6, None, False, None, **o)),
    "quantile": lambda x, **o: mp.quantile(x, 0.3, axis(0), None, **o),
    "cov": lambda x, **o: mp.cov(x, None, None, **o),
    "random_normal": lambda x, **o: with_rng("random_normal", 0, 1, None, 2, [ROWS, COLUMNS], **o),
    "random_choice": lambda x, **o: with_rng("random_choice", x[0], True, None, 1, [5], **o),
    "random_permutation": lambda x, **o: with_rng("random_permutation", x, 0, **o),
    "sparse_matmul": lambda x, **o: with_matrix(lambda matrix: mp.sparse_matmul(matrix, x, **o)),
    "sparse_to_dense": lambda x, **o: with_matrix(lambda matrix: mp.sparse_to_dense(matrix, **o)),
    "operator_run": lambda x, **o: with_operator(lambda op: mp.operator_run(op, False, x[:, 0], **o)),
}


# Functions whose output must have the very dtype and layout of a new result
STRICT = {
    "copy": mp.copy,
    "astype": lambda x, **o: mp.astype(x, "int64", **o),
    "redistribute": lambda x, **o: mp.redistribute(x, mp.layout_block(mp.size, 2, x.shape), **o),
    "zeros": lambda x, **o: mp.zeros("float64", 2, [ROWS, COLUMNS], **o),
}


class Input:
    """The input x, a view of a larger array.  Every case has its own, as outputs may overlap it."""

    def __init__(self):
        self.values = values.copy()
        self.base = mp.array(values, layout)
        self.x = self.base[1:1 + ROWS, 2:2 + COLUMNS]

    def view_of(self, shape):
        """A view of that shape that overlaps x, as keys of the base; None where there is none."""
        if any(n > m for n, m in zip(shape[::-1], values.shape[::-1])) or len(shape) > 2:
            return None
        return tuple([3] * (2 - len(shape)) + [slice(0, n) for n in shape])


def given(want, dtype=None, shape=None):
    """An array to be written to, in any layout."""
    shape = want.shape if shape is None else shape
    return mp.array(np.full(shape, 3).astype(dtype or want.dtype), mp.random_layout(rng, shape))


def given_in(where, want, dtype=None):
    return mp.array(np.full(want.shape, 3).astype(dtype or want.dtype), where)


def refused(name, words, function, output):
    """A test point: the call fails with this message, and the output is unchanged."""
    before = output.numpy() if isinstance(output, mp.Array) else None

    def call():
        function(Input().x, out=output)
    call.__name__ = name
    mp.fails("MNP_ERR_ARG", words, call)
    if before is not None:
        mp.check(f"{name}: the output is as it was, {words}", output, before)


def check_good(name, function, want):
    same = given_in(function(Input().x).layout, want)
    mp.check(f"{name}: into an array as a new one", function(Input().x, out=same), want)
    mp.check(f"{name}: into another layout", function(Input().x, out=given(want)), want)
    dealt = given_in(mp.random_cyclic_layout(rng, want.shape), want)
    mp.check(f"{name}: into one that is block-cyclic", function(Input().x, out=dealt), want)
    narrower = NARROWER[want.dtype.name]
    mp.check(f"{name}: cast to {narrower}", function(Input().x, out=given(want, narrower)), want.astype(narrower))
    dealt = given_in(mp.random_cyclic_layout(rng, want.shape), want, narrower)
    mp.check(f"{name}: cast to {narrower}, block-cyclic", function(Input().x, out=dealt), want.astype(narrower))


def check_overlap(name, function, want):
    own = Input()
    key = own.view_of(want.shape)
    if key is None or not np.can_cast(want.dtype, np.float64, "same_kind"):
        return
    function(own.x, out=own.base[key])
    own.values[key] = want
    mp.check(f"{name}: into a view that overlaps the input", own.base, own.values)
    if want.shape == (ROWS, COLUMNS):
        own = Input()
        function(own.x, out=own.x)
        mp.check(f"{name}: into the input itself", own.x, want.astype(np.float64))


def check_bad(name, function, want, foreign):
    if want.dtype.name in REFUSED:
        refused(name, "cast", function, given(want, REFUSED[want.dtype.name]))
    wrong = want.shape[:-1] + (want.shape[-1] + 1,) if want.shape else (2,)
    refused(name, "shape", function, given(want, shape=wrong))
    if want.ndim > 0:
        one = mp.array(np.zeros((), want.dtype))
        refused(name, "is a broadcast view, which cannot be written", function,
                mp.broadcast_to(one, want.ndim, want.shape))
    refused(name, "is a scalar, which cannot be written", function, Scalar)
    refused(name, "belongs to another context", function, foreign[want.dtype.name, want.shape])


def check_strict(name, function):
    fresh = function(Input().x)
    want = fresh.numpy()
    mp.check(f"{name}: into an array as a new one", function(Input().x, out=given_in(fresh.layout, want)), want)
    refused(name, "the output is int8, and the result is", function, given_in(fresh.layout, want, "int8"))
    refused(name, "the output has the shape (2,), and the result's is", function, given(want, shape=(2,)))
    if mp.size > 1:
        roots = [mp.layout_on_root(mp.size, root, 2, want.shape) for root in range(2)]
        elsewhere = roots[bool(mp.layout_equal(roots[0], fresh.layout))]
        refused(name, "the output has another layout than the result", function, given_in(elsewhere, want))


def in_another_context(make):
    """What make() makes in a second context."""
    own = binding.ctx
    made = ctypes.c_void_p()
    if binding._lib.mnp_init(binding._world, None, ctypes.byref(made)) != 0:
        raise mp.Error(1)
    binding.ctx = made
    try:
        return made, make()
    finally:
        binding.ctx = own


values = rng.integers(1, 9, (ROWS + 3, 3 * COLUMNS)).astype(np.float64)
layout = mp.random_layout(rng, values.shape)
results = {name: function(Input().x) for name, function in FUNCTIONS.items()}
wanted = {name: result.numpy() for name, result in results.items()}
other, foreign = in_another_context(lambda: {(want.dtype.name, want.shape): mp.array(np.full(want.shape, 3, want.dtype))
                                             for want in wanted.values()})
for name, function in FUNCTIONS.items():
    check_good(name, function, wanted[name])
    check_overlap(name, function, wanted[name])
    check_bad(name, function, wanted[name], foreign)
for name, function in STRICT.items():
    check_strict(name, function)
foreign.clear()
binding._lib.mnp_finalize(other)
mp.done()
