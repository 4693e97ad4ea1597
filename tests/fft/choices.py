# SPDX-License-Identifier: BSD-3-Clause
"""What is measured about a transform's way over the ranks: it is stored on disk and read by rank 0, all ranks choose
alike whatever their folders hold, damaged records are passed over, and a choice is what is done."""

import ctypes
import functools
import glob
import os
import shutil
import tempfile

# a cache of its own for every rank, with the kernels that are there
folders = [tempfile.mkdtemp() for _ in range(3)]
for path in glob.glob(os.path.join(os.environ.get("MANIPLE_CACHE_DIR", "-"), "*.kernel")):
    shutil.copy(path, folders[0])
os.environ["MANIPLE_CACHE_DIR"] = folders[0]

import binding  # noqa: E402
import fourier  # noqa: E402
import maniple as mp  # noqa: E402
import numpy as np  # noqa: E402
from fourier import Info, close, describe, options  # noqa: E402

rng = mp.random()
complexes = functools.partial(fourier.complexes, rng)
p = mp.size
MEASURED = mp.MNP_FFT_MEASURED
FILE = [os.path.join(folder, "fft.choices") for folder in folders]
before = b"measured before" if p > 1 else b"estimated"
measured = b"measured" if p > 1 else b"estimated"

mesh = [2, p // 2] if p % 2 == 0 and p > 2 else [p, 1]
shape = (16, 12, 10)
layout = mp.Layout(mesh, shape, [0, 1, -1])


def in_context(folder, flags, dtype="complex128"):
    """What a plan in a new context tells, whose cache is that folder."""
    context, plan, info = ctypes.c_void_p(), ctypes.c_void_p(), Info()
    made = options(flags=flags)
    status = binding._lib.mnp_init(binding._world, f"cache_dir={folder}".encode(), ctypes.byref(context))
    if status == 0:
        status = binding._lib.mnp_fft_plan_new(context, binding._dtype_number(dtype), layout.pointer, ctypes.byref(made),
                                               ctypes.byref(plan))
    if status != 0:
        raise mp.Error(status)
    binding._lib.mnp_fft_plan_describe(plan, ctypes.byref(info))
    told = info.choice, info.moves
    binding._lib.mnp_fft_plan_free(plan)
    binding._lib.mnp_finalize(context)
    return told


# --- measured once, and used from then on -----------------------------------------------------------------------------

a = complexes(shape)
x = mp.array(a, layout)
for flags, choice in (0, b"estimated"), (MEASURED, measured), (MEASURED, before), (0, before):
    plan = mp.fft_plan_new("complex128", layout, options(flags=flags))
    mp.ok(describe(plan).choice == choice, f"a plan with flags {flags} is as {describe(plan).choice}")
    close("which is right", mp.fft_plan_execute(plan, x), np.fft.fftn(a))
    mp.fft_plan_free(plan)
close("and a plain call", mp.fftn(x, 0, None, None, None), np.fft.fftn(a))
inverse = mp.fft_plan_new("complex128", layout, options(inverse=True))
mp.ok(describe(inverse).choice == b"estimated", "another transform was not measured")
mp.fft_plan_free(inverse)
for name, array, real, want in (("real", a.real.copy(), True, np.fft.rfftn(a.real)),
                                ("in one dimension", complexes((960,)), False, None)):
    cut = mp.Layout([p], array.shape, [0] + [-1] * (array.ndim - 1))
    plan = mp.fft_plan_new(array.dtype.name, cut, options(flags=MEASURED | mp.MNP_FFT_PERMUTED, real=real))
    close(f"{name}, permuted and measured", mp.fft_plan_execute(plan, mp.array(array, cut)),
          np.fft.fftn(array) if want is None else want)
    mp.fft_plan_free(plan)
mp.fails("MNP_ERR_ARG", "no set of flags", mp.fft_plan_new, "complex128", layout,
         options(flags=MEASURED | mp.MNP_FFT_ESTIMATED))

# --- the record on disk -----------------------------------------------------------------------------------------------

mp.ok(os.path.exists(FILE[0]) == (mp.rank == 0 and p > 1), "rank 0 keeps a record")
mp.ok(in_context(folders[0], MEASURED)[0] == before, "which a new context reads")
mp.ok(in_context(folders[0], 0, "complex64")[0] == b"estimated", "and not for another precision")
mp.ok(in_context(folders[1 if mp.rank == 0 else 0], 0)[0] == b"estimated", "rank 0 has none: it was not measured")
mp.ok(in_context(folders[1], MEASURED)[0] == measured, "it is measured again elsewhere")
text = open(FILE[0]).read() if mp.rank == 0 and p > 1 else ""
first = text.split("\n")[0] + "\n" if text else ""


def with_file(content, flags=0):
    """What a plan tells where rank 0's file has that content; the others have none."""
    shutil.rmtree(FILE[2], ignore_errors=True)
    if mp.rank == 0 and content is not None:
        open(FILE[2], "w").write(content)
    elif mp.rank == 0:
        os.mkdir(FILE[2])
    told = in_context(folders[2], flags)
    if os.path.isfile(FILE[2]):
        os.unlink(FILE[2])
    return told


mp.ok(with_file(first)[0] == before, "others need no file")
for name, content in (("an empty file", ""), ("half a line", first[:30]), ("another key", ("0" if first[:1] != "0" else "1") + first[1:]),
                      ("another hash", first[:-2] + "x\n"), ("other letters", "\x00\xff" * 5000 + "\n"),
                      ("a long line", "1" * 9999)):
    mp.ok(with_file(content)[0] == b"estimated", f"{name} is no record")
    mp.ok(with_file(content + "\n" + first)[0] == before, f"{name} hides none")
mp.ok(with_file(None, MEASURED)[0] == measured, "where no file can be written nothing is stored")

# --- a choice is what is done: axes one after the other take a move more, where two of them are cut -------------------


def fnv(line):
    value = 14695981039346656037
    for byte in line.encode():
        value = (value ^ byte) * 1099511628211 % 2 ** 64
    return f"{line} {value:016x}\n"


mp.ok(not first or fnv(first.rsplit(" ", 1)[0]) == first, "the hash of a line")
if p == 4:
    moves = [with_file(fnv(f"{first[:16]} {one_by_one} 0 0") if first else "") for one_by_one in (0, 1)]
    mp.ok(moves == [(before, 2), (before, 3)], f"slabs and pencils: {moves}")
for folder in folders:
    shutil.rmtree(folder)
mp.done()
