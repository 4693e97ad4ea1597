# SPDX-License-Identifier: BSD-3-Clause
"""scipy.signal's linear systems beside SciPy: forms, discretisations, and responses to frequencies and over time."""

import copy
import pickle
import warnings

import maniple as mp
import numpy as np
import scipy.signal

from . import ok, raises, rng, same
from .designs import near

ours, theirs = mp.signal, scipy.signal


def _matrices(states=3, inputs=2, outputs=2, turning=False):
    """A stable continuous system; turning: with complex eigenvalues alone but for one."""
    a = rng.standard_normal((states, states))
    a = (a - a.T) * 2 if turning else a
    a -= np.eye(states) * (np.abs(np.linalg.eigvals(a).real).max() + 0.5)
    return (a, rng.standard_normal((states, inputs)), rng.standard_normal((outputs, states)),
            rng.standard_normal((outputs, inputs)))


def _host(values):
    return tuple(v.numpy() if isinstance(v, mp.ndarray) else v for v in values)


def beside(name, function, *of, rtol=1e-8):
    """A point: what a function of the module gives with ours and with SciPy's."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        near(name, *(_host(found if isinstance(found, tuple) else (found,)) for found in
                     (function(ours, *of), function(theirs, *of))), rtol)


def check_forms():
    num, den = [1.0, 3.0, 3.0], [2.0, 2.0, 1.0, 5.0]
    for name, function in {
        "tf2ss": lambda m: m.tf2ss(num, den),
        "tf2ss of two outputs": lambda m: m.tf2ss([[1.0, 2.0, 3.0], [0.0, 1.0, 1.0]], [1.0, 2.0, 1.0]),
        "tf2ss of a number": lambda m: m.tf2ss([3.0], [2.0]),
        "zpk2ss": lambda m: m.zpk2ss([-1.0], [-2.0, -3.0 + 1j, -3.0 - 1j], 4.0),
        "normalize": lambda m: m.normalize([[0.0, 1.0, 2.0], [0.0, 3.0, 4.0]], [2.0, 1.0]),
        "abcd_normalize": lambda m: m.abcd_normalize(A=[[1, 2], [3, 4]], B=[[1], [2]], D=[[5], [6]]),
    }.items():
        beside(name, function)
    system = _matrices()
    for index in (0, 1):
        beside(f"ss2tf of input {index}", lambda m, i: m.ss2tf(*system, input=i), index)
    a, b, c, d = _matrices(4, 1, 1)
    beside("ss2zpk", lambda m: tuple(map(np.sort_complex, map(np.atleast_1d, m.ss2zpk(a, b, c, d)))), rtol=1e-6)
    for parts in ((num, den), ([-1.0], [-2.0, -3.0], 2.0), system):
        methods = "zoh", "bilinear", "euler", "backward_diff", "foh", "gbt"
        for method in (*methods, "impulse") if len(parts) < 4 else methods:
            alpha = 0.3 if method == "gbt" else None
            beside(f"cont2discrete of {len(parts)} parts, {method}",
                   lambda m, parts, method, alpha: tuple(map(np.sort_complex, map(np.ravel, m.cont2discrete(
                       parts, 0.1, method, alpha)[:-1]))), parts, method, alpha, rtol=1e-6)
    stiff = np.diag([-1e3, -1.0]) + np.triu(np.ones((2, 2)), 1)
    stiff = stiff, np.ones((2, 1)), np.eye(2), np.zeros((2, 1))
    beside("cont2discrete of a stiff system", lambda m: m.cont2discrete(stiff, 1.0))
    raises(ValueError, "do not fit", "matrices that do not fit",
           lambda: ours.abcd_normalize([[1, 2]], [[1], [2]], [[1]], 0))
    raises(ValueError, "inputs", "matrices that do not tell enough", lambda: ours.abcd_normalize([[1.0]]))
    raises(ValueError, "longer", "a numerator that is longer", lambda: ours.tf2ss([1, 2, 3], [1, 2]))
    raises(ValueError, "alpha", "gbt without alpha", lambda: ours.cont2discrete(system, 0.1, "gbt"))
    raises(ValueError, "method is 'none'", "another method", lambda: ours.cont2discrete(system, 0.1, "none"))
    raises(ValueError, "1 inputs", "an input that is not there", lambda: ours.ss2tf(a, b, c, d, 1))


def check_systems():
    num, den = [1.0, 3.0, 3.0], [1.0, 2.0, 1.0, 5.0]
    for name, function in {
        "lti, dt and poles": lambda m: np.sort_complex(m.lti(num, den).poles),
        "zeros of a StateSpace": lambda m: np.sort_complex(m.StateSpace(*m.tf2ss(num, den)).zeros),
        "to_ss": lambda m: m.lti(num, den).to_ss().A,
        "to_tf": lambda m: (m.lti([-1.0], [-2.0, -3.0], 5.0).to_tf().num, m.lti([-1.0], [-2.0, -3.0], 5.0).to_tf().den),
        "to_discrete": lambda m: m.TransferFunction(num, den).to_discrete(0.1).den,
        "a ZerosPolesGain of another": lambda m: np.sort_complex(m.ZerosPolesGain(m.lti(num, den)).poles),
    }.items():
        beside(name, function, rtol=1e-6)
    for module in (ours, theirs):
        continuous, discrete = module.TransferFunction(num, den), module.TransferFunction(num, den, dt=0.5)
        ok(isinstance(continuous, module.lti) and isinstance(discrete, module.dlti) and continuous.dt is None
           and discrete.dt == 0.5 and module.dlti(num, den).dt is True and type(discrete).__name__ ==
           "TransferFunctionDiscrete" and isinstance(discrete.to_ss(), module.StateSpace) and continuous.inputs == 1,
           f"classes of {module.__name__}")
        if module is ours:
            again = [pickle.loads(pickle.dumps(discrete)), copy.deepcopy(discrete)]
            good = all(s.dt == 0.5 and np.array_equal(s.den, discrete.den) for s in again)
            ok(good, "systems are copied and pickled")
    first, second, matrix = _matrices(), _matrices(2), rng.standard_normal((2, 2))

    def arithmetic(module):
        s, t = module.StateSpace(*first), module.StateSpace(*second)
        found = [s * t, s * 2, 3 * s, s * matrix, matrix * s, s / 4, -s, s + t, s - t, s + matrix, matrix - s]
        return tuple(part for one in found for part in (one.A, one.B, one.C, one.D))

    beside("sums and products of systems", arithmetic)
    raises(TypeError, "dt", "systems of two rates",
           lambda: ours.StateSpace(*first, dt=1) + ours.StateSpace(*second, dt=2))
    raises(ValueError, "parts", "a system of one part", lambda: ours.lti(1.0))
    raises(AttributeError, "continuous", "lsim of a discrete system", lambda: ours.lsim(ours.dlti(num, den), 0, [0, 1]))
    raises(AttributeError, "discrete", "dlsim of a continuous system", lambda: ours.dlsim(ours.lti(num, den), [0, 1]))
    zpk = [-0.1], [0.5 + 0.2j, 0.5 - 0.2j, -0.3], 3.0
    w = np.linspace(0.1, 3, 40)
    for name, function in {
        "freqresp of a transfer function": lambda m: m.freqresp((num, den), w),
        "freqresp of matrices": lambda m: m.freqresp(m.lti(num, den).to_ss(), w),
        "freqresp without frequencies": lambda m: m.lti(num, den).freqresp(n=50),
        "bode": lambda m: m.bode(([-1.0], [-2.0, -3.0, -5.0], 7.0), w),
        "bode without frequencies": lambda m: m.bode((num, den), n=30),
        "dfreqresp": lambda m: m.dfreqresp((*zpk, 0.1), w),
        "dfreqresp of a transfer function": lambda m: m.dfreqresp((num, den, 0.1), n=64, whole=True),
        "dfreqresp of matrices": lambda m: m.dfreqresp(m.dlti(*zpk, dt=0.1).to_ss(), w),
        "dbode": lambda m: m.dbode(m.dlti(num, den, dt=0.2), n=64),
    }.items():
        beside(name, function, rtol=1e-7)
    raises(ValueError, "one input", "freqresp of two inputs", lambda: ours.freqresp(first))


def check_responses_over_time():
    t = np.linspace(0, 5, 211)
    for states, inputs, outputs, turning in ((1, 1, 1, False), (4, 2, 1, False), (5, 1, 2, True), (4, 3, 3, True)):
        system = _matrices(states, inputs, outputs, turning)
        u, start = rng.standard_normal((len(t), inputs)), rng.standard_normal(states)
        what = f"{states} states, {inputs} inputs, {outputs} outputs"
        for interp in (True, False):
            beside(f"lsim of {what}, interp={interp}", lambda m, u, i: m.lsim(system, u, t, start, i), u, interp)
        beside(f"lsim of {what}, no input", lambda m: m.lsim(system, None, t, start))
        beside(f"lsim of {what}, from a later time", lambda m: m.lsim(system, None, t + 1, start))
        if inputs == 1:
            beside(f"impulse of {what}", lambda m: m.impulse(system, T=t))
            beside(f"step of {what}", lambda m: m.step(system, start))
        discrete = (*theirs.cont2discrete(system, 0.1)[:4],)
        beside(f"dlsim of {what}", lambda m, u: m.dlsim((*discrete, 0.1), u, x0=start), u)
        times = np.sort(np.concatenate([[0], rng.uniform(0, 9.9, len(t) - 2), [9.96]]))
        beside(f"dlsim of {what}, at other times", lambda m, u: m.dlsim(m.dlti(*discrete, dt=0.1), u, times), u)
        for name in ("dimpulse", "dstep"):
            found, want = (getattr(m, name)((*discrete, 0.1), n=60) for m in (ours, theirs))
            near(f"{name} of {what}", _host((found[0], *found[1])), (want[0], *want[1]), 1e-8)
    num, den = [1.0, 0.5], [1.0, 1.0, 4.0]
    lti, dlti = ours.lti(num, den), ours.dlti([1.0], [1.0, -0.5], dt=1)
    beside("impulse of a transfer function", lambda m: m.impulse((num, den), N=40))
    beside("step as a method", lambda m: m.lti(num, den).step(N=40))
    beside("output as a method", lambda m: m.lti(num, den).output(np.sin(t), t))
    beside("dlsim of a transfer function", lambda m: m.dlsim(([1.0], [1.0, -0.5], 1), np.sin(t)))
    beside("lsim of one time", lambda m: m.lsim((num, den), 0, [0.0], [1.0, 2.0])[1:])
    long = rng.standard_normal(20001)
    for layout in ("0", "*"):
        x = mp.asarray(long).to_layout(layout)
        near(f"dlsim of a long input, {layout}", _host(ours.dlsim((num, [1.0, -0.9, 0.5], 1), x)),
             theirs.dlsim((num, [1.0, -0.9, 0.5], 1), long), 1e-9)
    for zero_phase in (True, False):
        beside(f"decimate by a system, zero_phase={zero_phase}", lambda m, x, zero: m.decimate(
            x, 3, ftype=m.dlti(*theirs.butter(4, 0.3)), axis=0, zero_phase=zero), long[:90].reshape(30, 3), zero_phase)
        beside(f"decimate by a system with many equal zeros, zero_phase={zero_phase}", lambda m, zero: m.decimate(
            long[:90], 3, ftype=m.dlti(*theirs.butter(7, 0.3)), zero_phase=zero), zero_phase)
        for dtype in ("float32", "complex64", "int32"):
            x = (long[:90] * 20).astype(dtype)
            got, want = (m.decimate(x, 3, ftype=m.dlti(*theirs.butter(4, 0.3)), zero_phase=zero_phase)
                         for m in (ours, theirs))
            # SciPy 1.17 and 1.18 double the precision here, and neither with real poles nor for a filter by its name
            same(f"decimate of {dtype} by a system", got, want if dtype == "int32" else want.astype(dtype), 1e-5)
            for taps in ([0.5, 0.5], [1, 2, 3.0, 1], [2, 1, 1], [2.0]):
                got = ours.decimate(x, 3, ftype=ours.dlti(taps, [2.0]), zero_phase=zero_phase)
                first = (len(taps) - 1) // 2 if zero_phase else 0
                want = np.convolve(x, np.array(taps) / 2)[first : first + 90 : 3]  # SciPy 1.10 does not divide
                same(f"decimate of {dtype} by {len(taps)} taps", got,
                     want if dtype == "int32" else want.astype(dtype), 1e-5)
    turned = np.array([[0.3 + 0.4j, 0.2], [0.1j, -0.5]])
    turned = turned - np.eye(2), [[1.0], [1j]], [[1.0, 2.0]], [[0.0]]
    beside("lsim of a complex system", lambda m: m.lsim(turned, np.sin(t), t))
    raises(ValueError, "equally far", "times at several distances", lambda: ours.lsim(lti, 0, [0, 1, 3]))
    raises(ValueError, "negative", "a time below 0", lambda: ours.lsim(lti, 0, [-1, 0, 1]))
    raises(ValueError, "shape", "an input that is too short", lambda: ours.lsim(lti, [1, 2], [0, 1, 2]))
    raises(ValueError, "shape", "inputs that the system has not", lambda: ours.dlsim(dlti, np.ones((4, 2))))
    for m, x0 in ((ours.lsim, [1, 2, 3]), (ours.lsim, [[1, 2]]), (ours.dlsim, [1, 2])):
        system = lti if m is ours.lsim else dlti
        raises(ValueError, "the initial state has the shape", f"the initial state {x0}",
               lambda: m(system, [1, 2], [0, 1], x0))  # noqa: B023
    raises(ValueError, "not finite", "a system of NaN", lambda: ours.step(([[np.nan]], [[1]], [[1]], [[0]]), T=[0, 1]))
    raises(ValueError, "begin at 0", "inputs that begin late", lambda: ours.dlsim(dlti, np.ones(3), [1, 2, 3]))


def check_placed_poles():
    a = np.array([[1.38, -0.2077, 6.715, -5.676], [-0.5814, -4.29, 0, 0.675], [1.067, 4.273, -6.654, 5.893],
                  [0.048, 4.273, 1.343, -2.104]])
    b = np.array([[0, 5.679], [1.136, 1.136], [0, 0], [-3.146, 0]])
    for poles in ([-0.2, -0.5, -5.0566, -8.6659], [-5, -2 + 1j, -6, -2 - 1j], [-2, -5, -2, -5],
                  [-1 + 2j, -3 - 0.5j, -1 - 2j, -3 + 0.5j]):
        several = [b, np.concatenate([b, np.eye(4)[:, 2:3]], axis=1), 2 * np.eye(4)]
        for inputs in several if poles[0] == poles[2] else [*several, b[:, :1]]:
            found, other = (m.place_poles(a, inputs, np.array(poles)) for m in (ours, theirs))
            name = f"place_poles {poles} by {inputs.shape[1]} inputs"
            near(name, np.sort_complex(np.linalg.eigvals(a - inputs @ found.gain_matrix)), np.sort_complex(poles), 1e-6)
            near(name + ", in order", found.requested_poles, other.requested_poles, 1e-12)
            near(name + ", vectors", (a - inputs @ found.gain_matrix) @ found.X, found.X * found.requested_poles, 1e-9)
            ok(np.linalg.cond(found.X) < 2 * np.linalg.cond(other.X), name + ", vectors far from each other")
    near("the one gain of one input", ours.place_poles(a, b[:, :1], [-1, -2, -3, -4]).gain_matrix,
         theirs.place_poles(a, b[:, :1], np.array([-1, -2, -3, -4])).gain_matrix, 1e-8)
    raises(TypeError, "real numbers", "place_poles of complex matrices",
           lambda: ours.place_poles(a * 1j, b, [-1, -2, -3, -4]))
    for words, poles, named in (("conjugates", [-1, -2, -3, -4 + 1j], {}), ("more often", [-1, -1, -1, -2], {}),
                                ("are wanted", [-1, -2], {}), ("method is 'x'", [-1, -2, -3, -4], {"method": "x"}),
                                ("real poles", [-1, -2, 1j, -1j], {"method": "KNV0"}),
                                ("maxiter", [-1, -2, -3, -4], {"maxiter": 0})):
        raises(ValueError, words, f"place_poles: {words}", lambda: ours.place_poles(a, b, poles, **named))  # noqa: B023
