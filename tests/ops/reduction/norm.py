# SPDX-License-Identifier: BSD-3-Clause
"""norm, allclose and array_equal against numpy.linalg.norm and NumPy's functions of the same names."""

import warnings

import maniple as mp
import numpy as np

warnings.simplefilter("ignore", RuntimeWarning)
rng = mp.random()
inf, nan = np.inf, np.nan


def axes_of(axis, keepdims=False):
    listed = () if axis is None else (axis,) if isinstance(axis, int) else axis
    return mp.axes(*listed, keepdims=keepdims)


def anywhere(values):
    """In any layout; sometimes a view."""
    values = np.asarray(values)
    if values.ndim and rng.random() < 0.3:
        return mp.array(values[::-1], mp.random_layout(rng, values.shape))[::-1]
    return mp.array(values, mp.random_layout(rng, values.shape))


# --- norms: NumPy's of the values in float64, cast to the type of its result -------------------------------------------

def check(values, order=None, axis=None, keepdims=False, ulp=None):
    exact = values.astype(complex if values.dtype.kind == "c" else float)
    result = values.real.dtype if values.dtype.kind in "fc" else np.dtype(float)
    with np.errstate(all="ignore"):
        want = np.asarray(np.linalg.norm(exact, order, axis, keepdims), result)
    text = None if order is None else str(order)
    # a sum of n rounded terms may be wrong by n units, here and in NumPy; powers by some more
    bound = 2 * values.size + 60 if ulp is None else ulp
    mp.check(f"{values.dtype} {values.shape}, order {order}, axis {axis}, keepdims {keepdims}",
             mp.norm(anywhere(values), text, axes_of(axis, keepdims)), want, ulp=bound if result == float else 1)


for dtype in ["float64"] + mp.part("float32 float16 complex128 complex64 int32 uint8 bool".split(), 1):
    a = (rng.standard_normal((7, 6)) * 4).astype("int8" if dtype == "bool" else "float64")
    a = np.abs(a).astype(dtype) if dtype in ("uint8", "bool") else a.astype(dtype)
    if a.dtype.kind == "c":
        a += (1j * rng.standard_normal(a.shape)).astype(dtype)
    for k, order in enumerate((None, 0, 1, 2.5, -1, inf, -inf) if dtype == "float64" else (None, 1, inf)):
        check(a, order, k % 2, k % 3 == 0)
    for order in (None, "fro", 1, -1, inf, -inf) if dtype == "float64" else (None,):
        check(a, order, (0, 1))

b = rng.standard_normal((3, 4, 5))
for axis in ((0, 2), (2, 0), (1, -1), (-1, -3)):
    check(b, 1, axis, axis[0] == 0)
    check(b, -inf, axis)
check(b)
check(b, keepdims=True)
check(b[0], 1)
check(b[0], -inf, keepdims=True)
check(b[0, 0], 3)
check(np.array(-2.5))
check(np.zeros((0, 3)))
check(np.zeros((0, 3)), 1, 0)
check(np.zeros((4, 0)), "fro", (0, 1))
check(np.array([1, inf, -3]), inf)
check(np.array([1, nan, -3]), inf)
check(np.array([1, nan, -3]), 2)
check(np.array([-128, 5], "int8"), inf)
check(np.array([-2 ** 63, 5]), inf)
mp.check("squares of float32 that overflow", mp.norm(anywhere(np.full(4, 1e30, "float32")), None, None),
         np.array(2e30, "float32"))
mp.check("and of float16", mp.norm(anywhere(np.full(100, 3000, "float16")), "2", None), np.array(30000, "float16"))

x, y, cube = anywhere(rng.standard_normal((5, 4))), anywhere(np.arange(6.0)), anywhere(b)
mp.fails("MNP_ERR_UNSUPPORTED", "singular values", mp.norm, x, "2", None)
mp.fails("MNP_ERR_UNSUPPORTED", "singular values", mp.norm, x, "nuc", axes_of((1, 0)))
mp.fails("MNP_ERR_ARG", "no norm of matrices of order '3'", mp.norm, x, "3", None)
mp.fails("MNP_ERR_ARG", "'fro' is a norm of matrices", mp.norm, y, "fro", None)
mp.fails("MNP_ERR_ARG", "'nuc' is a norm of matrices", mp.norm, x, "nuc", axes_of(0))
mp.fails("MNP_ERR_ARG", "the order is 'two'", mp.norm, x, "two", None)
mp.fails("MNP_ERR_ARG", "the order is ''", mp.norm, x, "", None)
mp.fails("MNP_ERR_ARG", "the order is 'nan'", mp.norm, x, "nan", None)
mp.fails("MNP_ERR_ARG", "along 3 axes", mp.norm, cube, "1", None)
mp.fails("MNP_ERR_ARG", "along 3 axes", mp.norm, cube, None, axes_of((0, 1, 2)))
mp.fails("MNP_ERR_ARG", "mnp_norm: ", mp.norm, x, None, axes_of((0, 5)))
mp.fails("MNP_ERR_ARG", "mnp_norm: ", mp.norm, x, None, axes_of((1, -1)))
mp.fails("MNP_ERR_ARG", "no elements", mp.norm, anywhere(np.zeros((0, 3))), "inf", axes_of(0))
wrong = axes_of(0)
wrong.ddof = 1
mp.fails("MNP_ERR_ARG", "keepdims alone", mp.norm, x, None, wrong)
out = mp.array(np.zeros(4, "float32"))
mp.norm(x, "inf", axes_of(0), out=out)
mp.check("into float32", out, np.abs(x.numpy()).max(axis=0).astype("float32"))

# --- comparisons of whole arrays --------------------------------------------------------------------------------------

def close(name, x, y, rtol=1e-5, atol=1e-8, equal_nan=False):
    other = y if isinstance(y, float) else anywhere(y)
    mp.ok(mp.allclose(anywhere(x), other, rtol, atol, equal_nan) == np.allclose(x, y, rtol, atol, equal_nan), name)


c = rng.standard_normal((6, 9))
for place in (0, 29, 53):
    near, far = c.copy(), c.copy()
    near.flat[place] *= 1 + 9e-6
    far.flat[place] += 0.25
    close(f"near at {place}", near, c)
    close(f"far at {place}", far, c)
    mp.ok(not mp.array_equal(anywhere(near), anywhere(c), False), f"not equal at {place}")
close("rtol is of the second one", np.array([1.0]), np.array([1.11]), rtol=0.1, atol=0)
close("and not of the first one", np.array([1.11]), np.array([1.0]), rtol=0.1, atol=0)
close("broadcast", np.ones((4, 5)), np.ones(5))
close("to more than x", np.ones(5), np.ones((4, 5)))
close("to a number", np.full(7, 2.5), 2.5)
close("infinities", np.array([inf, -inf]), np.array([inf, -inf]))
close("and others", np.array([inf, -inf]), np.array([inf, inf]))
close("NaN", np.array([1, nan]), np.array([1, nan]))
close("equal NaN", np.array([1, nan]), np.array([1, nan]), equal_nan=True)
close("NaN of one", np.array([1, nan]), np.array([nan, 1]), equal_nan=True)
close("nothing", np.zeros((0, 3)), np.zeros((0, 3)))
close("complex", c + 1j, c + 1.000001j)
close("integers", np.arange(9), np.arange(9, dtype="float32"))
mp.fails("MNP_ERR_ARG", "mnp_allclose: ", mp.allclose, anywhere(c), anywhere(c.T), 0, 0, False)
mp.fails("MNP_ERR_ARG", "y is NULL", mp.allclose, anywhere(c), None, 0, 0, False)


def equal(name, x, y, equal_nan=False):
    mp.ok(mp.array_equal(anywhere(x), anywhere(y), equal_nan) == np.array_equal(x, y, equal_nan), name)


equal("equal", c, c)
equal("other shapes", c, c.T)
equal("other numbers of dimensions", c, c[None])
equal("shapes that broadcast", np.ones((3, 4)), np.ones(4))
equal("other types", np.arange(5), np.arange(5.0))
equal("nothing", np.zeros(0), np.zeros(0))
equal("NaN", np.array([nan, 1]), np.array([nan, 1]))
equal("equal NaN", np.array([nan, 1]), np.array([nan, 1]), equal_nan=True)
equal("equal NaN of integers", np.arange(3), np.arange(3), equal_nan=True)
mp.fails("MNP_ERR_ARG", "mnp_array_equal", mp.array_equal, anywhere(c), None, False)
mp.done()
