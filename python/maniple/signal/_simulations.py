# SPDX-License-Identifier: BSD-3-Clause
"""scipy.signal's responses of linear systems over time.  Inputs, outputs and states are arrays that are spread over the
ranks, with the times along the first dimension; the matrices of the system are small, and on every rank."""

import numpy as np

from .._array import as_array
from .._names import names
from ._filters import lfilter
from ._systems import StateSpace, _expm, as_continuous, as_discrete

__all__ = ["dimpulse", "dlsim", "dstep", "impulse", "lsim", "step"]


def _delayed(x):
    return lfilter([0.0, 1.0], [1.0], x)


def _states(a, w):
    """The rows x[k] = a x[k - 1] + w[k] for the rows of w, with zeros before the first one.

    a is made quasi-triangular, so that from the last state on each one, or each pair with complex eigenvalues, is an
    IIR filter of first or second order of w and of the states behind it: some 2 filters along the first dimension for
    each state."""
    if not len(a):
        return w
    if np.iscomplexobj(a):  # the real and the imaginary parts as states of a real system
        n = len(a)
        both = _states(np.block([[a.real, -a.imag], [a.imag, a.real]]), names.concatenate([w.real, w.imag], axis=1))
        return both[:, :n] + 1j * both[:, n:]
    from .. import linalg

    t, z = (m.numpy() for m in linalg.schur(a.astype(float)))
    v, found = w @ as_array(z), [None] * len(a)
    end = len(a)
    while end > 0:
        begin = end - 2 if end > 1 and t[end - 1, end - 2] != 0 else end - 1
        parts = []
        for i in range(begin, end):
            behind = [found[j] * float(t[i, j]) for j in range(end, len(a)) if t[i, j] != 0]
            parts.append(v[:, i] + _delayed(sum(behind)) if behind else v[:, i])
        if end - begin == 1:
            found[begin] = lfilter([1.0], [1.0, -t[begin, begin]], parts[0])
        else:
            (p, q), (r, s) = t[begin:end, begin:end]
            poles = [1.0, -(p + s), p * s - q * r]
            found[begin] = lfilter([1.0, -s], poles, parts[0]) + lfilter([0.0, q], poles, parts[1])
            found[begin + 1] = lfilter([0.0, r], poles, parts[0]) + lfilter([1.0, -p], poles, parts[1])
        end = begin
    return names.stack(found, axis=1) @ as_array(z.T)


def _started(first, driven):
    """The rows of `driven`, behind a first one."""
    first = np.asarray(first)[None].astype(np.result_type(first, driven.dtype))
    return names.concatenate([as_array(first), driven]) if len(driven) else as_array(first)


def _columns(u):
    u = as_array(u)
    u = u if u.dtype.kind in "fc" else u.astype(float)
    return u[:, None] if u.ndim == 1 else u


def _initial(name, state, count):
    """The initial state of a system with so many states, where None is zeros."""
    state = np.asarray(0.0 if state is None else state)
    if state.shape not in ((), (1,), (count,)):
        raise ValueError(f"{name}: the initial state has the shape {state.shape}, and the system has {count} states")
    return np.broadcast_to(state, count)


def _check_inputs(name, u, count, inputs):
    if u.ndim != 2 or u.shape != (count, inputs):
        raise ValueError(f"{name}: the input has the shape {u.shape}, and {count} times of {inputs} inputs are wanted")


# ---- continuous systems ----


def _step_of(times):
    """The distance of equidistant times, and the first one."""
    if times.ndim != 1 or times.size == 0:
        raise ValueError(f"lsim: the times have the shape {times.shape}, and should be a vector of one or more")
    first = float(times[0].item())
    if first < 0:
        raise ValueError(f"lsim: the first time is {first}, negative")
    if times.size == 1:
        return 0.0, first
    dt = float(times[1].item()) - first
    if not bool(names.allclose(names.diff(times) / dt, 1.0)):
        raise ValueError("lsim: the times are not equally far from each other")
    return dt, first


def _matrices(dt, a, b, interp):
    """What takes a state over dt, and the inputs at its begin and at its end, to the next one."""
    n, m = b.shape
    whole = np.zeros((n + 2 * m, n + 2 * m), np.result_type(a, b, float))
    whole[:n, :n], whole[:n, n : n + m] = a * dt, b * dt
    if not interp:
        whole = _expm(whole[: n + m, : n + m])
        return whole[:n, :n], whole[:n, n:], None
    whole[n : n + m, n + m :] = np.eye(m)
    whole = _expm(whole)
    return whole[:n, :n], whole[:n, n : n + m] - whole[:n, n + m :], whole[:n, n + m :]


def lsim(system, U, T, X0=None, interp=True):  # noqa: N803
    """scipy.signal.lsim: the times, and at them the output and the states of a continuous system whose input goes
    linearly from one of the equidistant times to the next, or is constant between them.

    By some 2 filters along the times for each state.  Waits for the matrices of the system.  Collective."""
    a, b, c, d = as_continuous("lsim", system).to_ss()._parts()
    times = as_array(T)
    times = times[None] if times.ndim == 0 else times
    dt, first = _step_of(times)
    start = _initial("lsim", X0, len(a))
    start = _expm(a * first) @ start if first else start
    if U is None or np.ndim(U) == 0 and U == 0:
        u = names.zeros((times.size, b.shape[1]))
    else:
        u = _columns(U)
        _check_inputs("lsim", u, times.size, b.shape[1])
    ad, before, after = _matrices(dt, a, b, interp)
    driven = u[:-1] @ as_array(before.T)
    if after is not None:
        driven = driven + u[1:] @ as_array(after.T)
    x = _states(ad, _started(start, driven))
    y = x @ as_array(c.T) + u @ as_array(d.T)
    return times, names.squeeze(y), names.squeeze(x)


def _times_of(system, T, N):  # noqa: N803
    """Times that reach to seven time constants of the slowest pole, where none are given."""
    if T is not None:
        return as_array(T)
    slowest = np.abs(np.linalg.eigvals(system.A).real).min(initial=np.inf)
    return names.linspace(0, 7 / (slowest if 0 < slowest < np.inf else 1), 100 if N is None else N)


def impulse(system, X0=None, T=None, N=None):  # noqa: N803
    """scipy.signal.impulse: times, and the output of a continuous system after an impulse, as lsim() has it.
    Collective."""
    system = as_continuous("impulse", system).to_ss()
    start = system.B[:, 0] if system.inputs == 1 else np.squeeze(system.B)
    times = _times_of(system, T, N)
    return times, lsim(system, 0.0, times, start if X0 is None else start + np.asarray(X0), interp=False)[1]


def step(system, X0=None, T=None, N=None):  # noqa: N803
    """scipy.signal.step: times, and the output of a continuous system for ones, as lsim() has it.  Collective."""
    system = as_continuous("step", system).to_ss()
    times = _times_of(system, T, N)
    return lsim(system, names.ones(times.shape), times, X0, interp=False)[:2]


# ---- discrete systems ----


def _sampled(u, t, samples):
    """Inputs at the samples, which lie between the times t of those that are given."""
    t = as_array(t)
    if t.shape != (u.shape[0],):
        raise ValueError(f"dlsim: there are times of shape {t.shape} for {u.shape[0]} inputs")
    if float(t[0].item()) > 0 or float(t[-1].item()) < float(samples[-1].item()):
        raise ValueError("dlsim: the times should begin at 0 or before, as the samples do")
    return names.stack([names.interp(samples, t, u[:, i]) for i in range(u.shape[1])], axis=1)


def dlsim(system, u, t=None, x0=None):
    """scipy.signal.dlsim: times, and at them the output of a discrete system, and of a StateSpace the states; the input
    is interpolated linearly where its own times are given.

    By some 2 filters along the times for each state.  Waits for the matrices of the system.  Collective."""
    system = as_discrete("dlsim", system)
    a, b, c, d = system.to_ss()._parts()
    u = _columns(u)
    if t is None:
        count = u.shape[0]
        stop = (count - 1) * system.dt
    else:
        stop = float(as_array(t)[-1].item())
        count = int(np.floor(stop / system.dt)) + 1
    times = names.linspace(0.0, stop, count)
    u = u if t is None else _sampled(u, t, times)
    _check_inputs("dlsim", u, count, b.shape[1])
    start = _initial("dlsim", x0, len(a))
    x = _states(a, _started(start, u[:-1] @ as_array(b.T)))
    y = x @ as_array(c.T) + u @ as_array(d.T)
    return (times, y, x) if isinstance(system, StateSpace) else (times, y)


def _discrete_responses(name, system, x0, t, n, first_only):
    """Times, and the outputs for each input, which is 1 at first or always."""
    system = as_discrete(name, system).to_ss()
    n = 100 if n is None else n
    times = names.linspace(0, n * system.dt, n, endpoint=False) if t is None else as_array(t)
    found = []
    for i in range(system.inputs):
        u = names.zeros((times.size, system.inputs))
        u[0 if first_only else slice(None), i] = 1.0
        tout, y, _ = dlsim(system, u, times, x0)
        found.append(y)
    return tout, tuple(found)


def dimpulse(system, x0=None, t=None, n=None):
    """scipy.signal.dimpulse: times, and for each input the output of a discrete system after an impulse there.
    Collective."""
    return _discrete_responses("dimpulse", system, x0, t, n, True)


def dstep(system, x0=None, t=None, n=None):
    """scipy.signal.dstep: times, and for each input the output of a discrete system for ones there.  Collective."""
    return _discrete_responses("dstep", system, x0, t, n, False)
