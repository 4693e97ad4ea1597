#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Times filters and spectra of other libraries, to compare `maniple bench signal` with: the same cases.

  cupyx.scipy.signal on one GPU
  --host   scipy.signal on the CPU

The data is on the device before and stays there.  A time is the median of repeats after a warm-up; a repeat is as
many calls in a row as take 10 milliseconds, between two CUDA events (SciPy: two readings of the clock), divided by their
number.
"""

import argparse
import statistics
import time

import numpy as np

import record


def cases(signal, xp):
    """The calls, by name."""
    import scipy.signal as design
    taps = xp.asarray(design.firwin(129, 0.2))
    b, a = (xp.asarray(c) for c in design.butter(4, 0.2))
    sos = xp.asarray(design.butter(8, 0.2, output="sos"))
    one = xp.ones(1)
    return {"lfilter-fir129": lambda x: signal.lfilter(taps, one, x),
            "lfilter-butter4": lambda x: signal.lfilter(b, a, x),
            "sosfilt-butter8": lambda x: signal.sosfilt(sos, x),
            "filtfilt-butter4": lambda x: signal.filtfilt(b, a, x),
            "decimate8": lambda x: signal.decimate(x, 8),
            "resample_poly": lambda x: signal.resample_poly(x, 3, 2),
            "hilbert": signal.hilbert, "stft": signal.stft, "spectrogram": signal.spectrogram, "welch": signal.welch,
            "find_peaks": signal.find_peaks}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--case", help="this one alone (default: all)")
    parser.add_argument("--elements", type=int, default=1 << 24, metavar="N", help="of the input")
    parser.add_argument("--repeats", type=int, default=20, metavar="N", help="timed runs of each (default: 20)")
    parser.add_argument("--host", action="store_true", help="on the CPU, with SciPy")
    arguments = parser.parse_args()
    if arguments.host:
        import scipy
        import scipy.signal as signal
        xp, library, version, model = np, "SciPy", scipy.__version__, record.processor()
    else:
        import cupy as xp
        import cupyx.scipy.signal as signal
        library, version = "CuPy", xp.__version__
        model = record.gpu(xp)
    x = xp.asarray(np.random.default_rng(1).standard_normal(arguments.elements))
    for name, function in cases(signal, xp).items():
        if arguments.case in (None, name):
            gpu = None if arguments.host else xp
            timed(function, x, gpu, 1)
            calls = record.calls_in_a_row(timed(function, x, gpu, 1))
            seconds = [timed(function, x, gpu, calls) for _ in range(arguments.repeats)]
            median = statistics.median(seconds)
            print(f"  {name:17} {library} {version} on {model}: median {1e3 * median:9.4f} ms, best "
                  f"{1e3 * min(seconds):9.4f} ms", flush=True)
            record.append("signal", name, f"{x.size} float64", library, version, model, median, min(seconds), 1,
                          bytes=16 * x.size)


def timed(function, x, cupy, calls):
    if cupy is None:
        begin = time.perf_counter()
        for _ in range(calls):
            function(x)
        return (time.perf_counter() - begin) / calls
    begin, end = cupy.cuda.Event(), cupy.cuda.Event()
    begin.record()
    for _ in range(calls):
        function(x)
    end.record()
    end.synchronize()
    return cupy.cuda.get_elapsed_time(begin, end) / 1e3 / calls


if __name__ == "__main__":
    main()
