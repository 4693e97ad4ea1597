# SPDX-License-Identifier: BSD-3-Clause
"""cupyx.profiler.benchmark: how long a function takes, on the CPU and on the device."""

import ctypes
import time

import numpy as np

from ._library import Shared, call

__all__ = ["Event", "benchmark"]


class Event(Shared):
    """A point in the device's work, for timing."""

    def __init__(self):
        super().__init__("event_free", "event_new")

    def record(self):
        """Put the event behind the work that the device has been given.  Not collective."""
        call("event_record", self)
        return self

    def seconds_since(self, first):
        """The time between two recorded events on the device's own clock.  Waits for this one."""
        cell = ctypes.c_double()
        call("event_seconds", first, self, ctypes.byref(cell))
        return cell.value


class Times:
    """The seconds of every repeat: cpu_times until the call returned, gpu_times until the device had done its work."""

    def __init__(self, name, cpu_times, gpu_times):
        self.name, self.cpu_times, self.gpu_times = name, np.array(cpu_times), np.array([gpu_times])

    def __repr__(self):
        def line(what, times):
            mean, spread, least, most = (1e6 * t for t in (times.mean(), times.std(), times.min(), times.max()))
            return f"{what}: {mean:9.3f} us   +/- {spread:6.3f} (min: {least:9.3f} / max: {most:9.3f}) us"

        return f"{self.name:<20s}:    {line('CPU', self.cpu_times)}     {line('device', self.gpu_times)}"


def benchmark(func, args=(), kwargs=None, n_repeat=100, *, name=None, n_warmup=10):
    """Call func(*args, **kwargs) again and again, and time every call; print what it returns.  Collective if func is."""
    first, last = Event(), Event()
    cpu, device = [], []
    for repeat in range(-n_warmup, n_repeat):
        first.record()
        begin = time.perf_counter()
        func(*args, **(kwargs or {}))
        seconds = time.perf_counter() - begin
        on_device = last.record().seconds_since(first)
        if repeat >= 0:
            cpu.append(seconds)
            device.append(on_device)
    return Times(name or func.__name__, cpu, device)
