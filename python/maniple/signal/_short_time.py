# SPDX-License-Identifier: BSD-3-Clause
"""scipy.signal.ShortTimeFFT: windows and grids are NumPy's arrays and numbers, signals and their transforms Maniple's.

Slice p of a signal has the m_num samples from p * hop - m_num // 2 on.  Slices are made, and added up again, from rows
of hop samples: a slice is ceil(m_num / hop) rows one after another, so that many moves make all slices.
"""

import numpy as np

from .. import fft
from .._array import as_array
from .._creation import zeros
from .._library import call
from .._shapes import concatenate, moveaxis, pad, reshape, roll
from . import _filters, _spectra

_MODES = ("twosided", "centered", "onesided", "onesided2X")
_PADDINGS = {"zeros": "constant", "edge": "edge", "even": "reflect", "odd": "odd"}


def _window(values, name):
    values = np.array(values)
    if values.ndim != 1 or values.size == 0:
        raise ValueError(f"{name} has the shape {values.shape}, and must be a vector with elements")
    if not np.isfinite(values).all():
        raise ValueError(f"{name} must be finite")
    values.setflags(write=False)
    return values


def _power(window):
    return window.real**2 + window.imag**2


def _dual(win, hop):
    """The canonical dual window: win over the sum of the powers that overlapping slices have at each sample."""
    if hop > len(win):
        raise ValueError(f"the hop, {hop}, is longer than the window, {len(win)}, so that there is no inverse")
    if win.dtype.kind in "iub":
        raise ValueError(f"the window must be of floats or complex numbers, and is of {win.dtype}")
    sums = np.array([_power(win[m::hop]).sum() for m in range(hop)])
    if not (sums >= np.finfo(win.dtype).resolution * sums.max()).all():
        raise ValueError("the slices leave samples out, so that there is no inverse")
    dual = win / sums[np.arange(len(win)) % hop]
    dual.setflags(write=False)
    return dual


def closest_STFT_dual_window(win, hop, desired_dual=None, *, scaled=True):  # noqa: N802: SciPy's name
    """scipy.signal.closest_STFT_dual_window, of SciPy 1.16 and later: of a window's dual windows the one that is closest
    to a desired one, ones by default, or to a multiple of that; and the multiple.  Not collective."""
    win = _window(win, "win")
    desired = np.ones_like(win) if desired_dual is None else _window(desired_dual, "desired_dual")
    if desired.shape != win.shape:
        raise ValueError(f"desired_dual has {len(desired)} elements, and win {len(win)}")
    if isinstance(hop, bool) or not isinstance(hop, (int, np.integer)) or hop < 1:
        raise ValueError(f"hop is {hop!r}, and must be an integer of at least 1")
    dual = _dual(win, hop)
    products = np.array([np.vdot(win[m::hop], desired[m::hop]) for m in range(hop)])
    part = dual * products[np.arange(len(win)) % hop]  # of the desired one: what products with win depend on
    if not scaled:
        return dual + desired - part, 1.0
    product, power = np.vdot(part, dual), _power(part).sum()
    if not (abs(product) > 0 and power > np.finfo(dual.dtype).resolution):
        raise ValueError("no dual window is close to a multiple of the desired one; scaled=False gives the closest to itself")
    alpha = product / power
    return dual + alpha * (desired - part), alpha


def _extended(x, before, behind, mode="constant"):
    """x with more elements along the last axis; mode "odd": numpy.pad's reflect_type of that name."""
    while mode == "odd" and before + behind > 0 and x.shape[-1] > 1:
        n = x.shape[-1]
        left, right = min(before, n - 1), min(behind, n - 1)
        x = concatenate([2 * x[..., :1] - x[..., 1 : left + 1][..., ::-1], x,
                         2 * x[..., n - 1 :] - x[..., n - 1 - right : n - 1][..., ::-1]], axis=-1)
        before, behind = before - left, behind - right
    return pad(x, [(0, 0)] * (x.ndim - 1) + [(before, behind)], "edge" if mode == "odd" else mode)


class ShortTimeFFT:
    """Short-time Fourier transforms and their inverses, as scipy.signal.ShortTimeFFT.

    stft, spectrogram and istft are collective and give arrays; everything else is numbers and NumPy's arrays."""

    def __init__(self, win, hop, fs, *, fft_mode="onesided", mfft=None, dual_win=None, scale_to=None, phase_shift=0):
        self._win = _window(win, "win")
        if isinstance(hop, bool) or not isinstance(hop, (int, np.integer)) or hop < 1:
            raise ValueError(f"hop is {hop!r}, and must be an integer of at least 1")
        self._hop, self._scaling, self._dual_win = int(hop), None, None
        self.fs = fs
        self.mfft = len(self._win) if mfft is None else mfft
        if dual_win is not None:
            self._dual_win = _window(dual_win, "dual_win")
            if self._dual_win.shape != self._win.shape:
                raise ValueError(f"dual_win has {len(self._dual_win)} elements, and win {len(self._win)}")
        if scale_to is not None:
            self.scale_to(scale_to)
        self.fft_mode, self.phase_shift = fft_mode, phase_shift

    @classmethod
    def from_window(cls, win_param, fs, nperseg, noverlap, *, symmetric_win=False, fft_mode="onesided", mfft=None,
                    scale_to=None, phase_shift=0):
        """With a window of get_window's names, and segments as of stft."""
        name, parameters = _filters._window(win_param)
        room = _filters._room(nperseg)
        call("window", name, len(parameters), parameters, nperseg, symmetric_win, room)
        return cls(np.array(room[:nperseg]), nperseg - noverlap, fs, fft_mode=fft_mode, mfft=mfft, scale_to=scale_to,
                   phase_shift=phase_shift)

    @classmethod
    def from_dual(cls, dual_win, hop, fs, *, fft_mode="onesided", mfft=None, scale_to=None, phase_shift=0):
        """With the window whose dual window is given."""
        dual_win = _window(dual_win, "dual_win")
        return cls(_dual(dual_win, hop), hop, fs, fft_mode=fft_mode, mfft=mfft, dual_win=dual_win, scale_to=scale_to,
                   phase_shift=phase_shift)

    @classmethod
    def from_win_equals_dual(cls, desired_win, hop, fs, *, fft_mode="onesided", mfft=None, scale_to=None,
                             phase_shift=0):
        """With a window that is its own dual window, up to a factor, made from the desired one."""
        desired = _window(desired_win, "desired_win")
        if scale_to not in ("magnitude", "psd", "unitary", None):
            raise ValueError(f"scale_to is {scale_to!r}, and must be 'magnitude', 'psd', 'unitary' or None")
        _dual(desired, hop)  # refuses what has none
        norms = np.sqrt([_power(desired[m::hop]).sum() for m in range(hop)])
        win = desired / norms[np.arange(len(desired)) % hop]
        factor = np.sqrt(len(win) if mfft is None else mfft) if scale_to == "unitary" else 1
        made = cls(win / factor, hop, fs, fft_mode="twosided", mfft=mfft, dual_win=win * factor,
                   scale_to=None if scale_to == "unitary" else scale_to, phase_shift=phase_shift)
        if scale_to == "unitary":
            made._scaling = scale_to
        made.fft_mode = fft_mode
        return made

    # ---- what it is ----

    @property
    def win(self):
        return self._win

    @property
    def dual_win(self):
        """The dual window; the canonical one where none was given.  ValueError if there is none."""
        if self._dual_win is None:
            self._dual_win = _dual(self._win, self._hop)
        return self._dual_win

    @property
    def invertible(self):
        try:
            return len(self.dual_win) > 0
        except ValueError:
            return False

    @property
    def hop(self):
        return self._hop

    @property
    def fs(self):
        return self._fs

    @fs.setter
    def fs(self, value):
        if not value > 0:
            raise ValueError(f"the sampling frequency fs is {value}, and must be above 0")
        self._fs = value

    @property
    def T(self):  # noqa: N802: SciPy's name
        return 1 / self._fs

    @T.setter
    def T(self, value):  # noqa: N802
        if not value > 0:
            raise ValueError(f"the sampling interval T is {value}, and must be above 0")
        self._fs = 1 / value

    @property
    def mfft(self):
        return self._mfft

    @mfft.setter
    def mfft(self, value):
        if not value >= self.m_num:
            raise ValueError(f"mfft is {value}, and must be at least the length of the window, {self.m_num}")
        self._mfft = int(value)

    @property
    def fft_mode(self):
        return self._fft_mode

    @fft_mode.setter
    def fft_mode(self, mode):
        if mode not in _MODES:
            raise ValueError(f"fft_mode is {mode!r}, and must be one of {', '.join(map(repr, _MODES))}")
        if mode.startswith("onesided") and np.iscomplexobj(self._win):
            raise ValueError(f"fft_mode {mode!r} is not for complex windows")
        if mode == "onesided2X" and self._scaling is None:
            raise ValueError("fft_mode 'onesided2X' needs a scaling: scale_to('psd') or scale_to('magnitude')")
        self._fft_mode = mode

    @property
    def onesided_fft(self):
        return self._fft_mode.startswith("onesided")

    @property
    def phase_shift(self):
        return self._phase_shift

    @phase_shift.setter
    def phase_shift(self, value):
        if value is not None and not (isinstance(value, (int, np.integer)) and -self.mfft < value < self.mfft):
            raise ValueError(f"phase_shift is {value!r}, and must be None, or an integer between -mfft and mfft")
        self._phase_shift = value

    @property
    def scaling(self):
        return self._scaling

    @property
    def fac_magnitude(self):
        """The factor of the window that makes its sum 1."""
        return 1 if self._scaling == "magnitude" else 1 / abs(self._win.sum())

    @property
    def fac_psd(self):
        """The factor of the window that makes squares a power spectral density."""
        return 1 if self._scaling == "psd" else 1 / np.sqrt(_power(self._win).sum() / self.T)

    def scale_to(self, scaling):
        """Scale the window, so that transforms have magnitudes ("magnitude") or squared a density of power ("psd")."""
        if scaling not in ("magnitude", "psd"):
            raise ValueError(f"scaling is {scaling!r}, and must be 'magnitude' or 'psd'")
        if scaling == self._scaling:
            return
        factor = self.fac_psd if scaling == "psd" else self.fac_magnitude
        self._win = _window(self._win * factor, "win")
        if self._dual_win is not None:
            self._dual_win = _window(self._dual_win / factor, "dual_win")
        self._scaling = scaling

    # ---- the grids of time and frequency ----

    @property
    def m_num(self):
        return len(self._win)

    @property
    def m_num_mid(self):
        return self.m_num // 2

    @property
    def _nonzero(self):
        """The first and the last index at which the window is not 0."""
        places = np.flatnonzero(_power(self._win))
        return (int(places[0]), int(places[-1])) if places.size else (self.m_num, -1)

    @property
    def p_min(self):
        """The first slice that reaches samples from 0 on."""
        beyond = self.m_num - self.m_num_mid
        return 0 if self._nonzero[1] < beyond - self._hop else min(0, 1 - -(-beyond // self._hop))

    @property
    def k_min(self):
        return self.p_min * self._hop - self.m_num_mid

    def _check_length(self, n):
        if not n >= self.m_num - self.m_num_mid:
            raise ValueError(f"a signal has {n} samples, and needs at least {self.m_num - self.m_num_mid}")

    def p_max(self, n):
        """The first slice behind those that reach n samples."""
        self._check_length(n)
        return max(n // self._hop + 1, -(-(n - self._nonzero[0] + self.m_num_mid) // self._hop))

    def k_max(self, n):
        return (self.p_max(n) - 1) * self._hop - self.m_num_mid + self.m_num

    def p_num(self, n):
        return self.p_max(n) - self.p_min

    def p_range(self, n, p0=None, p1=None):
        first, last = self.p_min, self.p_max(n)
        p0, p1 = first if p0 is None else p0, last if p1 is None else p1
        if not first <= p0 < p1 <= last:
            raise ValueError(f"slices from {p0} to {p1} are asked for; a signal of {n} samples has {first} to {last}")
        return p0, p1

    @property
    def lower_border_end(self):
        """The first sample, and the first slice, without a slice that sticks out before the signal."""
        start = self._nonzero[0] - self.m_num_mid
        if start > self._hop:
            return 0, max(self.p_min, 0)
        q = max(0, -(-(-self._hop - start) // self._hop))
        return start + q * self._hop + self.m_num, q + 1

    def upper_border_begin(self, n):
        """The first sample, and the first slice, with a slice that sticks out behind a signal of n samples."""
        self._check_length(n)
        zeros_behind = self.m_num - 1 - self._nonzero[1]
        q = min(n // self._hop + 1, (n + zeros_behind - self.m_num + self.m_num_mid) // self._hop)
        return (q + 1) * self._hop - self.m_num_mid, q + 1

    def nearest_k_p(self, k, left=True):
        """The nearest sample at which a slice has its middle."""
        return (k // self._hop if left else -(-k // self._hop)) * self._hop

    @property
    def delta_t(self):
        return self.T * self._hop

    def t(self, n, p0=None, p1=None, k_offset=0):
        """The times of slices."""
        if not (isinstance(n, (int, np.integer)) and n > 0):
            raise ValueError(f"n is {n!r}, and must be a positive integer")
        p0, p1 = self.p_range(n, p0, p1)
        return np.arange(p0, p1) * self.delta_t + k_offset * self.T

    @property
    def delta_f(self):
        return 1 / (self.mfft * self.T)

    @property
    def f_pts(self):
        return self.mfft // 2 + 1 if self.onesided_fft else self.mfft

    @property
    def f(self):
        """The frequencies."""
        if self.onesided_fft:
            return np.fft.rfftfreq(self.mfft, self.T)
        f = np.fft.fftfreq(self.mfft, self.T)
        return np.fft.fftshift(f) if self._fft_mode == "centered" else f

    def extent(self, n, axes_seq="tf", center_bins=False):
        """The borders of a picture of the transform of n samples, as of matplotlib's imshow."""
        if axes_seq not in ("tf", "ft"):
            raise ValueError(f"axes_seq is {axes_seq!r}, and must be 'tf' or 'ft'")
        if self._fft_mode == "twosided":
            raise ValueError("fft_mode is 'twosided', whose frequencies are not in order; 'centered' has all of them")
        first = 0 if self.onesided_fft else -(self.mfft // 2)
        half = 0.5 if center_bins else 0
        t = tuple(self.delta_t * (p - half) for p in (self.p_min, self.p_max(n)))
        f = tuple(self.delta_f * (q - half) for q in (first, first + self.f_pts))
        return t + f if axes_seq == "tf" else f + t

    # ---- transforms ----

    def _rows(self):
        return -(-self.m_num // self._hop)

    def _slices(self, x, k_offset, p0, p1, padding):
        """Slices p0 to p1 of x along its last axis, in one more dimension before the samples."""
        if padding not in _PADDINGS:
            raise ValueError(f"padding is {padding!r}, and must be one of {', '.join(map(repr, _PADDINGS))}")
        n, count, rows = x.shape[-1], p1 - p0, self._rows()
        begin = p0 * self._hop - self.m_num_mid + k_offset
        end = begin + count * self._hop + self.m_num
        x = _extended(x[..., max(begin, 0) : min(end, n)], max(-begin, 0), max(end - n, 0), _PADDINGS[padding])
        x = x[..., : (count + rows - 1) * self._hop]
        x = reshape(x, (*x.shape[:-1], count + rows - 1, self._hop))
        parts = [x[..., r : r + count, :] for r in range(rows)]
        return (parts[0] if rows == 1 else concatenate(parts, axis=-1))[..., : self.m_num]

    def _shift(self):
        return (self._phase_shift + self.m_num_mid) % self.m_num

    def _doubled(self):
        """The factors of the frequencies that stand for their negatives too."""
        factors = np.ones(self.f_pts)
        factors[1 : -1 if self.mfft % 2 == 0 else None] = np.sqrt(2) if self._scaling == "psd" else 2
        return factors

    def _transform(self, x):
        if self._phase_shift is not None:
            x = roll(_extended(x, 0, self.mfft - self.m_num), -self._shift(), axis=-1)
        if self.onesided_fft:
            z = fft.rfft(x, self.mfft)
            return z * as_array(self._doubled()) if self._fft_mode == "onesided2X" else z
        z = fft.fft(x, self.mfft)
        return fft.fftshift(z, axes=-1) if self._fft_mode == "centered" else z

    def _back(self, z):
        if self._fft_mode == "centered":
            z = fft.ifftshift(z, axes=-1)
        if self._fft_mode == "onesided2X":
            z = z / as_array(self._doubled())
        x = fft.irfft(z, self.mfft) if self.onesided_fft else fft.ifft(z, self.mfft)
        if self._phase_shift is not None:
            x = roll(x, self._shift(), axis=-1)
        return x[..., : self.m_num]

    def stft(self, x, p0=None, p1=None, *, k_offset=0, padding="zeros", axis=-1):
        """The transforms of slices p0 to p1: frequencies along the axis, and one more dimension, the last one, of the
        slices."""
        return self.stft_detrend(x, None, p0, p1, k_offset=k_offset, padding=padding, axis=axis)

    def stft_detrend(self, x, detr, p0=None, p1=None, *, k_offset=0, padding="zeros", axis=-1):
        """As stft, of slices without their trend: detr is "linear", "constant", None, or a function that is given all
        slices, with their samples along the last axis."""
        x = as_array(x)
        if self.onesided_fft and np.dtype(x.dtype).kind == "c":
            raise ValueError(f"x is complex, which fft_mode {self._fft_mode!r} is not for")
        if not (detr is None or isinstance(detr, str) or callable(detr)):
            raise ValueError(f"detr is {detr!r}, and must be 'linear', 'constant', None or a function")
        p0, p1 = self.p_range(x.shape[axis], p0, p1)
        slices = self._slices(moveaxis(x, axis, -1), k_offset, p0, p1, padding)
        if detr is not None:
            slices = _spectra.detrend(slices, type=detr) if isinstance(detr, str) else detr(slices)
        z = moveaxis(self._transform(slices * as_array(self._win.conj())), -1, -2)
        return moveaxis(z, -2, axis if axis >= 0 else axis - 1)

    def spectrogram(self, x, y=None, detr=None, *, p0=None, p1=None, k_offset=0, padding="zeros", axis=-1):
        """The squares of the transforms' magnitudes, or the products of those of x with the conjugates of those of y."""
        where = {"k_offset": k_offset, "padding": padding, "axis": axis}
        z = self.stft_detrend(x, detr, p0, p1, **where)
        if y is None or y is x:
            return z.real**2 + z.imag**2
        return z * self.stft_detrend(y, detr, p0, p1, **where).conj()

    def istft(self, S, k0=0, k1=None, *, f_axis=-2, t_axis=-1):  # noqa: N803: SciPy's name
        """Samples k0 to k1 of the signal whose transform is S, with slices from p_min on."""
        S = as_array(S)  # noqa: N806
        f_axis, t_axis = (axis + S.ndim if axis < 0 else axis for axis in (f_axis, t_axis))
        shortest = self.m_num - self.m_num_mid
        if f_axis == t_axis or S.shape[f_axis] != self.f_pts or S.shape[t_axis] < self.p_num(shortest):
            raise ValueError(f"S has the shape {S.shape}; {self.f_pts} frequencies are needed along one axis, and at "
                             f"least {self.p_num(shortest)} slices along another")
        z = moveaxis(S, (t_axis, f_axis), (-2, -1))
        q_max = z.shape[-2] + self.p_min
        k_max = (q_max - 1) * self._hop + shortest
        k1 = k_max if k1 is None else k1
        if not self.k_min <= k0 < k1 <= k_max or k1 - k0 < shortest:
            raise ValueError(f"samples from {k0} to {k1} are asked for: S has those from {self.k_min} to {k_max}, and "
                             f"{shortest} are the fewest")
        q0 = max(self.p_min, k0 // self._hop + (self.p_min if k0 >= 0 else 0))
        x = self._add_slices(z[..., q0 - self.p_min : min(self.p_max(k1), q_max) - self.p_min, :])
        begin = q0 * self._hop - self.m_num_mid
        x = _extended(x, max(begin - k0, 0), max(k1 - begin - x.shape[-1], 0))
        x = x[..., max(k0 - begin, 0) : max(k0 - begin, 0) + k1 - k0]
        return moveaxis(x, -1, f_axis if f_axis < x.ndim else t_axis) if x.ndim > 1 else x

    def _add_slices(self, z):
        """The sum of the slices of these transforms, one hop after the other."""
        count, rows = z.shape[-2], self._rows()
        x = _extended(self._back(z) * as_array(self.dual_win), 0, rows * self._hop - self.m_num)
        total = zeros((*x.shape[:-2], count + rows - 1, self._hop), dtype=x.dtype)
        for r in range(rows):
            total[..., r : r + count, :] += x[..., r * self._hop : (r + 1) * self._hop]
        return reshape(total, (*total.shape[:-2], (count + rows - 1) * self._hop))
