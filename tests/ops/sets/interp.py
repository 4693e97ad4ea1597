# SPDX-License-Identifier: BSD-3-Clause
"""interp against numpy.interp: tables of any layout, NaN, infinities, both ends, periods; large tables in place."""

import ctypes

import maniple as mp
from binding import scalar
import numpy as np

rng = mp.random()


class Options(ctypes.Structure):
    _fields_ = [("left", ctypes.c_void_p), ("right", ctypes.c_void_p), ("period", ctypes.c_double)]


def options(left=None, right=None, period=None):
    numbers = [None if v is None else scalar(v) for v in (left, right)]
    return Options(*numbers, period or 0)


def anywhere(values):
    values = np.asarray(values)
    return mp.array(values, mp.random_layout(rng, values.shape))


def compare(name, x, xp, fp, ulp=0, **named):
    want = np.asarray(np.interp(x, xp, fp, **named))
    got = mp.interp(anywhere(x), anywhere(xp), anywhere(fp), options(**named) if named else None)
    mp.check(name, got, want, ulp=ulp)


def points(n):
    return np.cumsum(rng.random(n) + 0.1) - n / 3


xp, fp = points(40), rng.standard_normal(40)
x = rng.uniform(xp[0] - 2, xp[-1] + 2, (7, 11))
compare("a matrix of values", x, xp, fp)
compare("the points themselves", xp[::-1], xp, fp)
compare("left and right", x, xp, fp, left=-5.0, right=7.5)
compare("left alone", x, xp, fp, left=3.0)
compare("integers", np.arange(-5, 30), np.arange(0, 20, 2), np.arange(10) ** 2)
compare("float32", x.astype("float32"), xp.astype("float32"), fp.astype("float32"))
compare("nothing to find", np.zeros((3, 0)), xp, fp)
compare("one value", np.array(0.25), xp, fp)
compare("one point", np.array([0.0, 1, 2]), [1.0], [9.0], left=-1.0, right=1.0)
compare("complex", x, xp, fp + 1j * rng.standard_normal(40), ulp=4)
compare("complex, left and right", x, xp, fp + 1j * rng.standard_normal(40), ulp=4, left=1j, right=2.0)

mp.check("NaN and one point", mp.interp(anywhere([np.nan]), anywhere([1.0]), anywhere([9.0]), None), np.array([np.nan]))
inf = np.inf
odd = np.array([-inf, -1, 0, 0.5, 1, 1.5, 2, 3, inf, np.nan])
compare("NaN and infinities as values", odd, [0.0, 1, 2], [1.0, 3, -4])
compare("infinite points", odd, [-inf, 0, 1, inf], [1.0, 2, 3, 4])
compare("infinite results", odd, [0.0, 1, 2, 3], [inf, inf, -inf, np.nan])
compare("equal points", odd, [0.0, 1, 1, 2], [1.0, 3, 5, -4])

compare("a period", x, xp % 9, fp, period=9)
compare("a negative period", x, xp, fp, period=-7.5)
compare("a period of complex values", x, xp, fp + 1j, period=360, ulp=4)
compare("a period and one point", x, [3.0], [4.0], period=2)

n = (1 << 20) + 37  # more than are brought to every rank
xp, fp = np.sort(rng.random(n)), rng.standard_normal(n)
x = rng.uniform(-0.01, 1.01, (50, 31))
x[0, :3] = np.nan, xp[0], xp[-1]
x[1] = rng.choice(xp, 31)
compare("a large table", x, xp, fp)
compare("a large table, left and right", x, xp, fp, left=0.0, right=1.0)
compare("a large complex table", x, xp, fp + 1j * fp[::-1], ulp=4)

a, b = anywhere(np.arange(4.0)), anywhere(np.arange(5.0))
mp.fails("MNP_ERR_ARG", "same length", mp.interp, a, a, b, None)
mp.fails("MNP_ERR_ARG", "same length", mp.interp, a, mp.array(np.ones((2, 2))), a, None)
mp.fails("MNP_ERR_ARG", "no points", mp.interp, a, mp.array(np.ones(0)), mp.array(np.ones(0)), None)
mp.fails("MNP_ERR_ARG", "must be real", mp.interp, a, anywhere(np.arange(4) * 1j), a, None)
mp.fails("MNP_ERR_ARG", "period is nan", mp.interp, a, a, a, options(period=np.nan))
mp.fails("MNP_ERR_ARG", "left is complex", mp.interp, a, a, a, options(left=1j))
out = mp.array(np.zeros(4, "float32"))
mp.interp(a, a, a, None, out=out)
mp.check("into float32", out, np.arange(4, dtype="float32"))
mp.interp(a, a, a, None, out=a)
mp.check("into its input", a, np.arange(4.0))
mp.done()
