# SPDX-License-Identifier: BSD-3-Clause
"""scipy.signal's linear systems: their classes, changes from one form to another, and their responses to frequencies.
All of it is of NumPy's arrays of a few coefficients; _simulations.py has the responses over time."""

import math

import numpy as np

from .._names import on_host
from ._designs import freqs, freqs_zpk, freqz_zpk, normalize
from ._filters import freqz, tf2zpk, zpk2tf

__all__ = """StateSpace TransferFunction ZerosPolesGain abcd_normalize bode cont2discrete dbode dfreqresp dlti freqresp
    lti ss2tf ss2zpk tf2ss zpk2ss""".split()


# ---- from one form to another ----


def abcd_normalize(A=None, B=None, C=None, D=None):  # noqa: N803
    """scipy.signal.abcd_normalize: the four matrices of a system, where one that is left out is of zeros.  Not
    collective."""
    given = [None if m is None else np.atleast_2d(m) for m in (A, B, C, D)]
    extents = {}  # of the states, the inputs and the outputs
    for matrix, names in zip(given, ("xx", "xu", "yx", "yu")):
        for n, name in zip(() if matrix is None or matrix.shape == (0, 0) else matrix.shape, names):
            extents.setdefault(name, n)
    missing = [what for name, what in (("x", "states"), ("u", "inputs"), ("y", "outputs")) if name not in extents]
    if missing:
        raise ValueError(f"the matrices do not tell how many {' and '.join(missing)} the system has")
    found = []
    for matrix, names in zip(given, ("xx", "xu", "yx", "yu")):
        shape = tuple(extents.get(name, 0) for name in names)
        matrix = np.zeros(shape) if matrix is None or matrix.shape == (0, 0) else matrix
        if matrix.shape != shape:
            raise ValueError(f"the matrices have the shapes {', '.join(str(m.shape) for m in given if m is not None)}, "
                             "which do not fit each other")
        found.append(matrix)
    return tuple(found)


def tf2ss(num, den):
    num, den = normalize(num, den)
    num = np.atleast_2d(num)
    order = len(den) - 1
    if num.shape[1] > order + 1:
        raise ValueError(f"num has {num.shape[1]} coefficients and den {order + 1}; num must not be longer")
    num = np.concatenate([np.zeros((len(num), order + 1 - num.shape[1]), num.dtype), num], axis=1)
    d = num[:, :1]
    if order == 0:
        return np.zeros((1, 1)), np.zeros((1, 1)), np.zeros((len(num), 1)), d
    a = np.concatenate([-den[None, 1:], np.eye(order - 1, order)])
    return a, np.eye(order, 1), num[:, 1:] - d * den[1:], d


def ss2tf(A, B, C, D, input=0):  # noqa: A002, N803
    a, b, c, d = abcd_normalize(A, B, C, D)
    if not 0 <= input < d.shape[1]:
        raise ValueError(f"input is {input}, and the system has {d.shape[1]} inputs")
    b, d = b[:, input : input + 1], d[:, input]
    if not len(a):
        return d, np.ones(1)
    den = np.poly(a)
    return np.stack([np.poly(a - b * row) + (gain - 1) * den for row, gain in zip(c, d)]), den


def zpk2ss(z, p, k):
    return tf2ss(*zpk2tf(z, p, k))


def ss2zpk(A, B, C, D, input=0):  # noqa: A002, N803
    num, den = ss2tf(A, B, C, D, input)
    return tf2zpk(*normalize(num, den))


def _expm(a):
    """The exponential of a small matrix, on every rank by itself: N. Higham, The scaling and squaring method for the
    matrix exponential revisited, 2005, with its diagonal approximant of order 13."""
    a = np.asarray(a)
    if not np.isfinite(a).all():
        raise ValueError("the matrices of the system have elements that are not finite")
    halvings = max(0, math.ceil(math.log2(max(np.abs(a).sum(axis=0).max(initial=0), 1e-300) / 5.37)))
    a = a / 2.0**halvings
    even, odd, power = np.zeros_like(a), np.zeros_like(a), np.eye(len(a), dtype=a.dtype)
    for k in range(14):
        weight = math.factorial(26 - k) * math.factorial(13) / (math.factorial(26) * math.factorial(k)
                                                                 * math.factorial(13 - k))
        if k % 2:
            odd = odd + weight * power
        else:
            even = even + weight * power
        power = power @ a
    found = np.linalg.solve(even - odd, even + odd)
    for _ in range(halvings):
        found = found @ found
    return found


_WEIGHTS = {"bilinear": 0.5, "tustin": 0.5, "euler": 0.0, "forward_diff": 0.0, "backward_diff": 1.0}


def _discretised(a, b, c, d, dt, method, alpha):
    """The matrices of the discrete system."""
    n, m = len(a), b.shape[1]
    if method in _WEIGHTS or method == "gbt":
        alpha = _WEIGHTS.get(method, alpha)
        if alpha is None or not 0 <= alpha <= 1:
            raise ValueError(f"alpha is {alpha}, and must lie between 0 and 1 for the method 'gbt'")
        inner = np.eye(n) - alpha * dt * a
        bd = np.linalg.solve(inner, dt * b)
        return (np.linalg.solve(inner, np.eye(n) + (1 - alpha) * dt * a), bd, np.linalg.solve(inner.T, c.T).T,
                d + alpha * (c @ bd))
    if method == "zoh":
        whole = _expm(dt * np.concatenate([np.concatenate([a, b], axis=1), np.zeros((m, n + m))]))
        return whole[:n, :n], whole[:n, n:], c, d
    if method == "foh":
        whole = np.zeros((n + 2 * m, n + 2 * m), np.result_type(a, b, float))
        whole[:n, :n], whole[:n, n : n + m], whole[n : n + m, n + m :] = a * dt, b * dt, np.eye(m)
        whole = _expm(whole)
        ad, first, second = whole[:n, :n], whole[:n, n : n + m], whole[:n, n + m :]
        return ad, first - second + ad @ second, c, d + c @ second
    if method == "impulse":
        if not np.allclose(d, 0):
            raise ValueError("the method 'impulse' is for systems whose input does not reach the output at once")
        ad = _expm(a * dt)
        return ad, ad @ b * dt, c, c @ b * dt
    raise ValueError(f"method is {method!r}, and none of gbt, bilinear, euler, backward_diff, zoh, foh and impulse")


def cont2discrete(system, dt, method="zoh", alpha=None):
    if isinstance(system, LinearTimeInvariant):
        return system.to_discrete(dt, method, alpha)
    if len(system) == 2:
        return (*ss2tf(*cont2discrete(tf2ss(*system), dt, method, alpha)[:4]), dt)
    if len(system) == 3:
        return (*ss2zpk(*cont2discrete(zpk2ss(*system), dt, method, alpha)[:4]), dt)
    if len(system) != 4:
        raise ValueError(f"a system has 2, 3 or 4 parts, and this one {len(system)}")
    return (*_discretised(*map(np.atleast_2d, system), dt, method, alpha), dt)


# ---- systems ----


class LinearTimeInvariant:
    """A linear system, which is continuous if dt is None: what lti() and dlti() and the three forms have in common.

    The classes by form give objects of the classes by form and time, so that a system is an instance of
    TransferFunction, say, and of lti or dlti."""

    _form = None  # "tf", "zpk" or "ss"
    dt: object  # a number, True or None

    def __new__(cls, *system, dt=None):
        if len(system) == 1 and isinstance(system[0], LinearTimeInvariant) and cls._form:
            return system[0]._in_form(cls._form)
        form = cls._form or {2: "tf", 3: "zpk", 4: "ss"}.get(len(system))
        if form is None:
            raise ValueError(f"a system has 2, 3 or 4 parts, and this one {len(system)}")
        return _made(form, system, True if dt is None and issubclass(cls, dlti) else dt)

    def __reduce__(self):
        return _made, (self._form, self._parts(), self.dt)

    def _in_form(self, form):
        return self if form == self._form else {"tf": self.to_tf, "zpk": self.to_zpk, "ss": self.to_ss}[form]()

    def _again(self, form, parts):
        """A system of the same time."""
        return _made(form, parts, self.dt)

    @property
    def zeros(self):
        return self.to_zpk().zeros

    @property
    def poles(self):
        return self.to_zpk().poles

    def __repr__(self):
        return f"{type(self).__name__}(\n" + "".join(f"{part!r},\n" for part in self._parts()) + f"dt: {self.dt!r}\n)"


class lti(LinearTimeInvariant):  # noqa: N801
    """A continuous system of 2, 3 or 4 parts: a transfer function, zeros, poles and gain, or four matrices."""

    def __new__(cls, *system):
        return super().__new__(cls, *system)

    def impulse(self, X0=None, T=None, N=None):  # noqa: N803
        from ._simulations import impulse

        return impulse(self, X0, T, N)

    def step(self, X0=None, T=None, N=None):  # noqa: N803
        from ._simulations import step

        return step(self, X0, T, N)

    def output(self, U, T, X0=None):  # noqa: N803
        from ._simulations import lsim

        return lsim(self, U, T, X0)

    def bode(self, w=None, n=100):
        return bode(self, w, n)

    def freqresp(self, w=None, n=10000):
        return freqresp(self, w, n)

    def to_discrete(self, dt, method="zoh", alpha=None):
        return _made(self._form, cont2discrete(self._parts(), dt, method, alpha)[:-1], dt)


class dlti(LinearTimeInvariant):  # noqa: N801
    """A discrete system of 2, 3 or 4 parts, whose samples are dt apart; True: it is not told how far."""

    def impulse(self, x0=None, t=None, n=None):
        from ._simulations import dimpulse

        return dimpulse(self, x0, t, n)

    def step(self, x0=None, t=None, n=None):
        from ._simulations import dstep

        return dstep(self, x0, t, n)

    def output(self, u, t, x0=None):
        from ._simulations import dlsim

        return dlsim(self, u, t, x0)

    def bode(self, w=None, n=100):
        return dbode(self, w, n)

    def freqresp(self, w=None, n=10000, whole=False):
        return dfreqresp(self, w, n, whole)


class TransferFunction(LinearTimeInvariant):
    """A system by polynomials, of which a numerator of several rows is one for each output."""

    _form = "tf"
    num: np.ndarray
    den: np.ndarray

    def _set(self, num, den):
        self.num, self.den = normalize(num, den)

    def _parts(self):
        return self.num, self.den

    @property
    def outputs(self):
        return len(np.atleast_2d(self.num))

    @property
    def inputs(self):
        return np.shape(self.num)[1] if np.ndim(self.num) > 1 else 1

    def to_tf(self):
        return self._again("tf", self._parts())

    def to_zpk(self):
        return self._again("zpk", tf2zpk(self.num, self.den))

    def to_ss(self):
        return self._again("ss", tf2ss(self.num, self.den))


class ZerosPolesGain(LinearTimeInvariant):
    """A system by zeros, poles and gain."""

    _form = "zpk"
    gain: float
    zeros = poles = None
    inputs = outputs = 1

    def _set(self, zeros, poles, gain):
        self.zeros, self.poles, self.gain = np.atleast_1d(zeros), np.atleast_1d(poles), gain

    def _parts(self):
        return self.zeros, self.poles, self.gain

    def to_tf(self):
        return self._again("tf", zpk2tf(*self._parts()))

    def to_zpk(self):
        return self._again("zpk", self._parts())

    def to_ss(self):
        return self._again("ss", zpk2ss(*self._parts()))


class StateSpace(LinearTimeInvariant):
    """A system by four matrices.  Sums and products are systems side by side, and one behind the other."""

    _form = "ss"
    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    __array_ufunc__ = None  # NumPy's arrays leave operators to the system

    def _set(self, *matrices):
        self.A, self.B, self.C, self.D = abcd_normalize(*matrices)

    def _parts(self):
        return self.A, self.B, self.C, self.D

    @property
    def inputs(self):
        return self.B.shape[1]

    @property
    def outputs(self):
        return len(self.C)

    def to_tf(self, **named):
        return self._again("tf", ss2tf(*self._parts(), **named))

    def to_zpk(self, **named):
        return self._again("zpk", ss2zpk(*self._parts(), **named))

    def to_ss(self):
        return self._again("ss", self._parts())

    def _check_beside(self, other):
        if self.dt != other.dt:
            raise TypeError(f"systems with dt {self.dt} and {other.dt} cannot be one")

    def __mul__(self, other):
        if isinstance(other, StateSpace):
            self._check_beside(other)
            n, m = len(self.A), len(other.A)
            a = np.block([[self.A, self.B @ other.C], [np.zeros((m, n)), other.A]])
            return self._again("ss", (a, np.concatenate([self.B @ other.D, other.B]),
                                      np.concatenate([self.C, self.D @ other.C], axis=1), self.D @ other.D))
        if not _is_factor(other):
            return NotImplemented
        return self._again("ss", (self.A, np.dot(self.B, other), self.C, np.dot(self.D, other)))

    def __rmul__(self, other):
        if not _is_factor(other):
            return NotImplemented
        return self._again("ss", (self.A, self.B, np.dot(other, self.C), np.dot(other, self.D)))

    def __truediv__(self, other):
        if not _is_factor(other):
            return NotImplemented
        if np.ndim(other):
            raise ValueError("a system can be divided by a number, and not by a matrix")
        return self * (1 / other)

    def __neg__(self):
        return self._again("ss", (self.A, self.B, -self.C, -self.D))

    def __add__(self, other):
        if isinstance(other, StateSpace):
            self._check_beside(other)
            n, m = len(self.A), len(other.A)
            a = np.block([[self.A, np.zeros((n, m))], [np.zeros((m, n)), other.A]])
            return self._again("ss", (a, np.concatenate([self.B, other.B]), np.concatenate([self.C, other.C], axis=1),
                                      self.D + other.D))
        if not _is_factor(other):
            return NotImplemented
        if np.shape(np.atleast_2d(other)) != self.D.shape:
            raise ValueError(f"what is added has the shape {np.shape(other)}, and D {self.D.shape}")
        return self._again("ss", (self.A, self.B, self.C, self.D + other))

    __radd__ = __add__

    def __sub__(self, other):
        return self + -other if isinstance(other, StateSpace) or _is_factor(other) else NotImplemented

    def __rsub__(self, other):
        return -self + other


def _is_factor(other):
    return isinstance(other, (np.ndarray, np.number, int, float, complex))


class TransferFunctionContinuous(TransferFunction, lti):
    pass


class TransferFunctionDiscrete(TransferFunction, dlti):
    pass


class ZerosPolesGainContinuous(ZerosPolesGain, lti):
    pass


class ZerosPolesGainDiscrete(ZerosPolesGain, dlti):
    pass


class StateSpaceContinuous(StateSpace, lti):
    pass


class StateSpaceDiscrete(StateSpace, dlti):
    pass


_CLASSES = {"tf": (TransferFunctionContinuous, TransferFunctionDiscrete),
            "zpk": (ZerosPolesGainContinuous, ZerosPolesGainDiscrete),
            "ss": (StateSpaceContinuous, StateSpaceDiscrete)}  # fmt: skip


def _made(form, parts, dt):
    """A system of a form, which is continuous if dt is None."""
    system = object.__new__(_CLASSES[form][dt is not None])
    system.dt = dt
    system._set(*on_host(parts))
    return system


def as_continuous(name, system):
    """A system as an lti; `name` is of the function that was given it."""
    if isinstance(system, dlti):
        raise AttributeError(f"{name} is of continuous systems, and this one is discrete")
    return system if isinstance(system, lti) else lti(*system)


def as_discrete(name, system):
    """A system as a dlti; of a tuple the last part is dt."""
    if isinstance(system, lti):
        raise AttributeError(f"{name} is of discrete systems, and this one is continuous")
    return system if isinstance(system, dlti) else dlti(*system[:-1], dt=system[-1])


# ---- responses to frequencies ----


def _with_one_signal(name, system):
    if system.inputs != 1 or system.outputs != 1:
        raise ValueError(f"{name} is of systems with one input and one output, and this one has {system.inputs} and "
                         f"{system.outputs}")
    return system


def freqresp(system, w=None, n=10000):
    system = as_continuous("freqresp", system)
    if isinstance(system, TransferFunction):
        system = _with_one_signal("freqresp", system)
        return freqs(np.ravel(system.num), system.den, n if w is None else w)
    return freqs_zpk(*_with_one_signal("freqresp", system).to_zpk()._parts(), n if w is None else w)


def dfreqresp(system, w=None, n=10000, whole=False):
    system = _with_one_signal("dfreqresp", as_discrete("dfreqresp", system))
    points = n if w is None else w
    if isinstance(system, ZerosPolesGain):
        return freqz_zpk(*system._parts(), points, whole)
    system = system.to_tf()
    num, den = np.ravel(system.num), np.ravel(system.den)
    length = max(len(num), len(den))  # which powers of 1 / z count from
    return freqz(*(np.concatenate([np.zeros(length - len(c)), c]) for c in (num, den)), points, whole)


def _decibels(h):
    return 20 * np.log10(np.abs(h)), np.degrees(np.unwrap(np.angle(h)))


def bode(system, w=None, n=100):
    w, h = freqresp(system, w, n)
    return (w, *_decibels(h))


def dbode(system, w=None, n=100):
    system = as_discrete("dbode", system)
    w, h = dfreqresp(system, w, n)
    return (w / system.dt, *_decibels(h))
