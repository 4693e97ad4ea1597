#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Times the convolution of other libraries on one GPU, or with --host on the CPU, to compare Maniple's with.

An image of two dimensions, or of --dims with --no-direct, and a smaller kernel, both random and of float32, mode "same",
zeros beyond the edges:

  cupyx.scipy.signal.convolve2d     CuPy's direct convolution
  torch.nn.functional.conv2d        PyTorch with cuDNN, in true float32 and not TF32
  cupyx.scipy.signal.fftconvolve    CuPy's convolution by FFT, with --fft
  cupyx.scipy.signal.oaconvolve     the same in blocks, with --fft
  cupyx.scipy.ndimage.convolve1d    twice, with --outer: the kernel is an outer product

or on the CPU

  scipy.signal.convolve2d           SciPy's direct convolution
  scipy.ndimage.convolve            the same, for images
  scipy.signal.fftconvolve          SciPy's convolution by FFT, with --fft
  scipy.signal.oaconvolve           the same in blocks, with --fft
  scipy.ndimage.convolve1d          twice, with --outer

--no-direct leaves out those that sum directly.  With --restore N these are not timed, but an iteration of
Richardson-Lucy as skimage.restoration has it, with fftconvolve: the time of N of them, divided by N, of an image of
--dims dimensions.

The data is on the GPU before and stays there.  A time is the median of repeats after a warm-up; a
repeat is as many calls in a row as take 10 milliseconds, between two CUDA events (on the CPU, two readings of the clock),
divided by their number.  All results are compared with a convolution by FFT in float64: the
largest error, relative to the largest value.  The tolerance is below what TF32 could reach.
"""

import argparse
import importlib
import statistics
import sys
import time

import numpy as np

import record


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--image", type=int, default=4096, metavar="N", help="the image is N x N (default: 4096)")
    parser.add_argument("--kernel", type=int, default=31, metavar="N", help="the kernel is N x N, odd (default: 31)")
    parser.add_argument("--repeats", type=int, default=20, metavar="N", help="timed runs of each (default: 20)")
    parser.add_argument("--warm-up", type=int, default=3, metavar="N", help="runs before those (default: 3)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the random data (default: 1)")
    parser.add_argument("--fft", action="store_true", help="time CuPy's fftconvolve too")
    parser.add_argument("--outer", action="store_true", help="the kernel is an outer product, for passes of convolve1d")
    parser.add_argument("--no-direct", action="store_true", help="leave out direct sums")
    parser.add_argument("--restore", type=int, default=0, metavar="N", help="time N iterations of Richardson-Lucy instead")
    parser.add_argument("--dims", type=int, default=2, metavar="D", help="of the image, for --restore and --no-direct (default: 2)")
    parser.add_argument("--host", action="store_true", help="on the CPU, with SciPy")
    parser.add_argument("--tolerance", type=float, default=1e-5, metavar="E", help="largest error (default: 1e-5)")
    arguments = parser.parse_args()
    if arguments.kernel < 1 or arguments.kernel % 2 == 0:
        parser.error("--kernel must be odd: for even ones the libraries disagree on what \"same\" is")
    if arguments.image < arguments.kernel:
        parser.error("--image must not be smaller than --kernel")
    if arguments.dims != 2 and not arguments.restore and (not arguments.no_direct or arguments.outer):
        parser.error("--dims other than 2 are for --restore, or for --no-direct --fft")
    if arguments.repeats < 1 or arguments.warm_up < 0:
        parser.error("--repeats must be at least 1, --warm-up at least 0")
    return arguments


def optional(module):
    """The module, or None with a line on stderr."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        print(f"conv_peers.py: without {module}: {error}", file=sys.stderr)
        return None


def measure(arguments, run, new_event, elapsed_ms):
    """Call run() again and again; the last result and the times in milliseconds, of as many calls in a row as take 10."""
    def timed(calls):
        begin, end = new_event(), new_event()
        begin.record()
        for _ in range(calls):
            result = run()
        end.record()
        end.synchronize()
        return result, elapsed_ms(begin, end) / calls

    for _ in range(max(arguments.warm_up, 1)):
        result, once = timed(1)
    times = []
    for _ in range(arguments.repeats):
        result, one = timed(record.calls_in_a_row(once / 1e3))
        times.append(one)
    return result, times


def transforms_and_passes(arguments, package, signal, ndimage, image, kernel, line):
    """The ways that are asked for beside direct sums."""
    ways = []
    if arguments.fft:
        ways += [(f"{package}.signal.{name}", lambda name=name: getattr(signal, name)(image, kernel, mode="same"))
                 for name in ("fftconvolve", "oaconvolve")]
    if arguments.outer:
        ways.append((f"{package}.ndimage.convolve1d",
                     lambda: ndimage.convolve1d(ndimage.convolve1d(image, line, 0, mode="constant"), line, 1,
                                                mode="constant")))
    return ways


def restore(arguments):
    """Time an iteration of skimage.restoration.richardson_lucy, with CuPy or SciPy."""
    if arguments.host:
        array, signal, device = np, importlib.import_module("scipy.signal"), record.processor()
        library, version = "SciPy", importlib.import_module("scipy").__version__
    else:
        array = optional("cupy")
        if array is None or not array.cuda.is_available():
            sys.exit("conv_peers.py: CuPy cannot use a GPU here; --host times SciPy on the CPU")
        signal, device, library, version = (importlib.import_module("cupyx.scipy.signal"), record.gpu(array), "CuPy",
                                            array.__version__)
    random = np.random.default_rng(arguments.seed)
    image = array.asarray(random.random((arguments.image,) * arguments.dims, dtype=np.float32))
    psf = array.asarray(random.random((arguments.kernel,) * arguments.dims, dtype=np.float32))
    psf, mirror = psf / psf.sum(), array.flip(psf / psf.sum())

    def run():
        x = array.full(image.shape, 0.5, np.float32)
        for _ in range(arguments.restore):
            x *= signal.fftconvolve(image / (signal.fftconvolve(x, psf, mode="same") + 1e-12), mirror, mode="same")
        return x

    if arguments.host:
        _, times = measure(arguments, run, Clock, lambda begin, end: 1e3 * (end.time - begin.time))
    else:
        _, times = measure(arguments, run, array.cuda.Event, array.cuda.get_elapsed_time)
    each = [t / arguments.restore for t in times]
    what = f"{arguments.image}^{arguments.dims} by {arguments.kernel}^{arguments.dims} float32"
    print(f"{device}: {what}, an iteration of Richardson-Lucy with {library} {version}: {statistics.median(each):.3f} ms")
    record.append("conv", "richardson-lucy", what, f"{library} fftconvolve", version, device,
                  1e-3 * statistics.median(each), 1e-3 * min(each))


def with_cupy(arguments, image, kernel, line):
    """The GPU's name, the exact result, and of each way to do it with CuPy (name, version, notes, result, times)."""
    cupy = optional("cupy")
    if cupy is None or not cupy.cuda.is_available():
        return None, None, []
    signal = importlib.import_module("cupyx.scipy.signal")
    image_d, kernel_d = cupy.asarray(image), cupy.asarray(kernel)

    def timed(run):
        return measure(arguments, run, cupy.cuda.Event, cupy.cuda.get_elapsed_time)

    exact = signal.fftconvolve(image_d.astype(cupy.float64), kernel_d.astype(cupy.float64), mode="same").get()
    ways = [("cupyx.scipy.signal.convolve2d", lambda: signal.convolve2d(image_d, kernel_d, mode="same"))]
    ways = ([] if arguments.no_direct else ways) + transforms_and_passes(
        arguments, "cupyx.scipy", signal, importlib.import_module("cupyx.scipy.ndimage"), image_d, kernel_d,
        cupy.asarray(line))
    runs = []
    for name, run in ways:
        result, times = timed(run)
        runs.append((name, f"CuPy {cupy.__version__}", "", result.get(), times))
    return record.gpu(cupy), exact, runs


def true_float32(torch):
    """Forbid TF32 in cuDNN's convolutions; gives the words for it."""
    if hasattr(getattr(torch.backends.cudnn, "conv", None), "fp32_precision"):
        # PyTorch 2.9 and later; some of its checks want these two to be alike
        torch.backends.cudnn.conv.fp32_precision = "ieee"
        torch.backends.cudnn.rnn.fp32_precision = "ieee"
        return 'cudnn.conv.fp32_precision = "ieee"'
    torch.backends.cudnn.allow_tf32 = False
    return "cudnn.allow_tf32 = False"


def with_torch(arguments, image, kernel):
    """The GPU's name, and the same list of PyTorch."""
    torch = optional("torch")
    if torch is None or not torch.cuda.is_available():
        return None, []
    precision = true_float32(torch)
    torch.backends.cudnn.benchmark = True  # let cuDNN choose its quickest algorithm, during the warm-up
    image_d = torch.from_numpy(image).cuda()[None, None]
    kernel_d = torch.from_numpy(kernel[::-1, ::-1].copy()).cuda()[None, None]  # its conv2d is a correlation
    padding = arguments.kernel // 2

    def run():
        return torch.nn.functional.conv2d(image_d, kernel_d, padding=padding)

    with torch.no_grad():
        result, times = measure(arguments, run, lambda: torch.cuda.Event(enable_timing=True),
                                lambda begin, end: begin.elapsed_time(end))
    version = f"PyTorch {torch.__version__}, cuDNN {torch.backends.cudnn.version()}"
    run = ("torch.nn.functional.conv2d", version, precision, result[0, 0].cpu().numpy(), times)
    return torch.cuda.get_device_name(), [run]


class Clock:
    """An event of the CPU's."""

    def record(self):
        self.time = time.perf_counter()

    def synchronize(self):
        pass


def with_scipy(arguments, image, kernel, line):
    """The processor's name, and the same list of SciPy."""
    import scipy.ndimage
    import scipy.signal

    ways = [("scipy.signal.convolve2d", lambda: scipy.signal.convolve2d(image, kernel, mode="same")),
            ("scipy.ndimage.convolve", lambda: scipy.ndimage.convolve(image, kernel, mode="constant"))]
    ways = ([] if arguments.no_direct else ways) + transforms_and_passes(arguments, "scipy", scipy.signal,
                                                                         scipy.ndimage, image, kernel, line)
    runs = []
    for name, run in ways:
        result, times = measure(arguments, run, Clock, lambda begin, end: 1e3 * (end.time - begin.time))
        runs.append((name, f"SciPy {scipy.__version__}", "", result, times))
    return record.processor(), runs


def exact_on_cpu(image, kernel):
    """The result that the others are compared with where there is no CuPy."""
    shape = [a + b - 1 for a, b in zip(image.shape, kernel.shape)]
    axes = range(image.ndim)
    spectra = [np.fft.rfftn(x.astype(np.float64), shape, axes) for x in (image, kernel)]
    full = np.fft.irfftn(spectra[0] * spectra[1], shape, axes)
    return full[tuple(slice((k - 1) // 2, (k - 1) // 2 + n) for n, k in zip(image.shape, kernel.shape))]


def main():
    arguments = parse_arguments()
    if arguments.restore > 0:
        restore(arguments)
        return
    random = np.random.default_rng(arguments.seed)
    image = random.standard_normal((arguments.image,) * arguments.dims, dtype=np.float32)
    line = random.standard_normal(arguments.kernel, dtype=np.float32)
    kernel = np.outer(line, line) if arguments.outer else random.standard_normal(
        arguments.dims * (arguments.kernel,), dtype=np.float32)

    exact = None
    if arguments.host:
        device, runs = with_scipy(arguments, image, kernel, line)
    else:
        cupy_gpu, exact, runs = with_cupy(arguments, image, kernel, line)
        torch_gpu, torch_runs = (None, []) if arguments.no_direct else with_torch(arguments, image, kernel)
        device, runs = cupy_gpu or torch_gpu, runs + torch_runs
    if not runs:
        sys.exit("conv_peers.py: neither CuPy nor PyTorch can use a GPU here; --host times SciPy on the CPU")
    if exact is None:
        exact = exact_on_cpu(image, kernel)

    what = f"{arguments.image}^{arguments.dims} by {arguments.kernel}^{arguments.dims} float32" + (
        ", an outer product" if arguments.outer else "")
    results = []
    for name, version, notes, result, times in runs:
        error = float(np.abs(result - exact).max() / np.abs(exact).max())
        results.append({"name": name, "version": version, "notes": notes, "median_ms": statistics.median(times),
                        "relative_error": error})
        library, number = version.split(",")[0].split(" ", 1)
        record.append("conv", "same", what, f"{library} {'.'.join(name.split('.')[-2:])}",
                      number, device, 1e-3 * statistics.median(times), 1e-3 * min(times))

    print(f"{device}: {what}, median of {arguments.repeats}")
    for entry in results:
        print(f"  {entry['name']:32}{entry['median_ms']:9.3f} ms   error {entry['relative_error']:.1e}   "
              f"{entry['version']}{', ' if entry['notes'] else ''}{entry['notes']}")

    wrong = [entry["name"] for entry in results if not entry["relative_error"] <= arguments.tolerance]
    if wrong:
        sys.exit(f"conv_peers.py: wrong by more than {arguments.tolerance:g}: {', '.join(wrong)}")


if __name__ == "__main__":
    main()
