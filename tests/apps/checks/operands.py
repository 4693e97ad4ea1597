# SPDX-License-Identifier: BSD-3-Clause
"""What the command reads as operands and writes as outputs, for operands.t, which prints the points.

Each run of the command takes many operands and writes each to a file that NumPy reads.
"""

import json
import os
import struct
import subprocess
import sys
import zlib

import h5py
import numpy as np
import scipy.signal

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../numpy"))
from image_files import fits_bytes, fits_hdus, tiff_bytes, tiff_pages  # noqa: E402

seed = int(os.environ.get("MANIPLE_TEST_SEED") or int.from_bytes(os.urandom(4), "little"))
print(f"# MANIPLE_TEST_SEED={seed} repeats this run")
rng = np.random.default_rng(seed)
HAS_PNG = os.environ["has_png"] != "0"


def check(good, text):
    print(f"{'ok' if good else 'not ok'} - {text}".replace("\n", " "), flush=True)


def maniple(ranks, *arguments):
    mpirun = os.environ.get("MPIRUN")
    launcher = [mpirun, "-n", str(ranks)] if mpirun and ranks > 1 else []
    done = subprocess.run([*launcher, os.environ["MANIPLE"], *map(str, arguments)], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True)
    errors = [line for line in done.stderr.splitlines(True) if "share one GPU" not in line]
    return done.returncode, done.stdout, "".join(errors)


def same(got, want):
    return got.dtype == want.dtype and got.shape == want.shape and np.array_equal(got, want)


def read_all(ranks, wanted):
    """Let the command read operands, {text: what they should be}, and write them to .npy files."""
    most = 15  # an expression has 32 inputs and outputs
    if len(wanted) > most:
        read_all(ranks, dict(list(wanted.items())[most:]))
        wanted = dict(list(wanted.items())[:most])
    names = [f"x{i}" for i in range(len(wanted))]
    copies = [f"y{i} = x{i} | x{i}" if v.dtype == bool else f"y{i} = +x{i}" for i, v in enumerate(wanted.values())]
    # with a reduction each output has its own shape
    arguments = ["eval", "-q", "; ".join(["total = sum(x0)", *copies]), "-o", "total=total.npy"]
    arguments += [f"{name}={text}" for name, text in zip(names, wanted)]
    for i in range(len(wanted)):
        arguments += ["-o", f"y{i}=y{i}.npy"]
    status, printed, errors = maniple(ranks, *arguments)
    check(status == 0 and not errors, f"{len(wanted)} operands on {ranks} ranks: {errors}")
    for i, (text, values) in enumerate(wanted.items()):
        if os.path.exists(f"y{i}.npy"):
            got = np.load(f"y{i}.npy")
            check(same(got, values), f"{text} on {ranks} ranks is {got.dtype} {got.shape}: what NumPy takes")
            os.unlink(f"y{i}.npy")


# ---- pictures: an encoder of the test's own, after https://www.w3.org/TR/png ----

GRAY, COLOURS, PALETTE, GRAY_ALPHA, COLOURS_ALPHA = 0, 2, 3, 4, 6
ADAM7 = [(0, 8, 0, 8), (0, 8, 4, 8), (4, 8, 0, 4), (0, 4, 2, 4), (2, 4, 0, 2), (0, 2, 1, 2), (1, 2, 0, 1)]


def scanlines(pixels, depth):
    """Rows of samples as bytes, each after its filter, which is none."""
    rows = pixels.reshape(pixels.shape[0], -1)
    if depth < 8:
        bits = (rows[:, :, None] >> np.arange(depth - 1, -1, -1)) & 1
        rows = np.packbits(bits.reshape(rows.shape[0], -1).astype("u1"), axis=1)
    else:
        rows = rows.astype(">u2" if depth == 16 else "u1")
    return b"".join(b"\0" + row.tobytes() for row in rows)


def write_png(path, pixels, colour, depth, interlaced=False, palette=None, alpha=None):
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    height, width = pixels.shape[:2]
    content = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0,
                                                               interlaced))
    if palette is not None:
        content += chunk(b"PLTE", palette.astype("u1").tobytes())
    if alpha is not None:
        content += chunk(b"tRNS", alpha)
    if interlaced:
        passes = [pixels[r::rs, c::cs] for r, rs, c, cs in ADAM7]
        lines = b"".join(scanlines(part, depth) for part in passes if part.size)
    else:
        lines = scanlines(pixels, depth)
    with open(path, "wb") as file:
        file.write(content + chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b""))


def make_pictures():
    """Pictures of all kinds: {name: the array that they are}."""
    wanted = {}

    def add(name, pixels, colour, depth, want=None, **options):
        write_png(name + ".png", pixels, colour, depth, **options)
        wanted[name + ".png"] = pixels.astype("u2" if depth == 16 else "u1") if want is None else want

    for depth in (8, 16):
        for name, colour, channels in [("gray", GRAY, 1), ("rgb", COLOURS, 3), ("gray_alpha", GRAY_ALPHA, 2),
                                       ("rgba", COLOURS_ALPHA, 4)]:
            shape = (11, 7) + (channels,) * (channels > 1)
            add(f"{name}{depth}", rng.integers(0, 1 << depth, shape), colour, depth)
    add("interlaced", rng.integers(0, 256, (13, 9, 3)), COLOURS, 8, interlaced=True)
    add("interlaced16", rng.integers(0, 65536, (3, 2)), GRAY, 16, interlaced=True)
    bits = rng.integers(0, 2, (5, 19))
    add("bits", bits, GRAY, 1, (bits * 255).astype("u1"))
    fours = rng.integers(0, 16, (6, 3))
    add("four_bits", fours, GRAY, 4, (fours * 17).astype("u1"))
    palette, index = rng.integers(0, 256, (10, 3)).astype("u1"), rng.integers(0, 10, (4, 8))
    add("palette", index, PALETTE, 8, palette[index], palette=palette)
    alpha = rng.integers(0, 256, 10).astype("u1")
    add("see_through", index, PALETTE, 4, np.dstack([palette[index], alpha[index]]), palette=palette,
        alpha=alpha.tobytes())
    add("one", np.array([[7]]), GRAY, 8)
    rgb = wanted["rgb8.png"]
    wanted["rgb8.png[2:, ::-2, 1]"] = rgb[2:, ::-2, 1]
    wanted["gray16.png[-1]"] = wanted["gray16.png"][-1]
    wanted["rgb8.png[3:3]"] = rgb[3:3]
    with open("cut.png", "wb") as file:
        file.write(open("interlaced.png", "rb").read()[:200])
    return wanted


# ---- the runs ----

a = rng.standard_normal((30, 17))
c = (rng.standard_normal((6, 5, 4)) + 1j).astype("c8")
with h5py.File("in.h5", "w") as file:
    file["x"] = a
    file["g/c"] = c
    file.create_dataset("packed", data=a.astype(">f4"), chunks=(7, 5), compression="gzip")
    file["a[1]"] = a
np.save("in.npy", a)
np.save("fortran.npy", np.asfortranarray(c.astype(">c8")))
np.save("bool.npy", a > 0)
np.save("scalar.npy", np.float32(2.5))
os.symlink("in.npy", "link.npy")
for name in ("text.npy", "text.png"):
    with open(name, "w") as file:
        file.write("neither NumPy's nor a picture\n")
files = {"in.h5:/x": a, "in.h5:/x[1:, ::-2]": a[1:, ::-2], "in.h5:/g/c[..., -1]": c[..., -1], "in.h5:x[5]": a[5],
         "in.h5:/packed[::-3, 2:]": a.astype("f4")[::-3, 2:], "in.h5:/a[1][...]": a, "in.h5:/x[3, 4]": a[3, 4],
         "in.h5:/x[:, None, :2]": a[:, None, :2], "in.npy": a, "in.npy[-3:, 1]": a[-3:, 1], "link.npy[0]": a[0],
         "fortran.npy": c, "fortran.npy[1:3, :, ::2]": c[1:3, :, ::2], "bool.npy[::4]": (a > 0)[::4],
         "scalar.npy": np.float32(2.5)}
for ranks in (1, 4):
    read_all(ranks, files)
if HAS_PNG:
    pictures = make_pictures()
    for ranks in (1, 3):
        read_all(ranks, pictures)

status, printed, errors = maniple(3, "conv", "in.npy[2:20]", "in.h5:/x[:3, :2]", "-o", "conv.npy", "--mode", "valid", "-q")
good = status == 0 and not printed and not errors
if good:
    want = scipy.signal.convolve2d(a[2:20], a[:3, :2], "valid")
    good = np.allclose(np.load("conv.npy"), want, rtol=1e-12, atol=1e-12)
check(good, f"conv of a part of a .npy file with a part of a dataset {errors}")

part = a[::-2, 3:]
for ranks, options in [(1, []), (3, ["--memory", "900"])]:
    for text in ("in.h5:/x[::-2, 3:]", "in.npy[::-2, 3:]"):
        status, printed, errors = maniple(ranks, "stats", text, "--json", "-p", "10,50", *options)
        found = json.loads(printed) if status == 0 else {}
        good = status == 0 and found["count"] == part.size and np.isclose(found["mean"], part.mean())
        good = good and np.allclose(list(found["percentiles"].values()), np.percentile(part, [10, 50]))
        check(good, f"stats of {text} on {ranks} ranks {options} {errors}")

system = np.diag(np.full(17, 4.0)) + np.diag(np.full(16, -1.0), 1) + np.diag(np.full(16, -1.0), -1)
with open("a.mtx", "w") as file:
    rows, columns = np.nonzero(system)
    file.write(f"%%MatrixMarket matrix coordinate real general\n17 17 {rows.size}\n")
    file.writelines(f"{r + 1} {k + 1} {system[r, k]}\n" for r, k in zip(rows, columns))
status, printed, errors = maniple(2, "solve", "a.mtx", "in.h5:/x[4]", "--guess", "in.npy[4]",
                                  "-o", "solved.npy", "--rtol", "1e-12", "-q")
good = status == 0 and not errors and np.allclose(system @ np.load("solved.npy"), a[4], atol=1e-9)
check(good, f"solve with a row of a dataset, from a row of a .npy file, to a .npy file {errors}")

# ---- outputs that grow ----

fields = [rng.standard_normal((5, 4)) for _ in range(3)]
for i, field in enumerate(fields):
    np.save("field.npy", field)
    ran = [maniple(1 + i, "eval", "-q", "x * 2", "x=field.npy", "-o", "grown.h5:/run/u", "--append", "new"),
           maniple(1, "eval", "-q", "sum(x)", "x=field.npy", "-o", "grown.h5:/run/sum", "--append", "new")]
    check(all(status == 0 and not errors for status, _, errors in ran), f"append step {i} {ran}")
ran = maniple(2, "eval", "-q", "x + 1", "x=grown.h5:/run/u[-1]", "-o", "grown.h5:/run/u", "--append", "new")
check(ran[0] == 0, f"the last step is read, and the next one appended {ran[2]}")
for ranks, rows in [(1, 3), (3, 2)]:
    ran = maniple(ranks, "random", "integers", f"{rows}x4", "high=9", "-s", "1", "-o", "grown.h5:/rows", "--append", "0",
                  "-q")
    check(ran[0] == 0, f"rows are appended on {ranks} ranks {ran[2]}")
ran = maniple(2, "conv", "field.npy", "hanning:3x3", "-o", "grown.h5:/smooth", "--append", "1", "-q")
check(ran[0] == 0, f"the result of conv is appended {ran[2]}")
with h5py.File("grown.h5") as file:
    steps = np.array([2 * field for field in fields] + [2 * fields[-1] + 1])
    check(same(file["run/u"][()], steps), "the steps are there")
    check(np.allclose(file["run/sum"][()], [field.sum() for field in fields]), "and the sums")
    check(file["rows"].shape == (5, 4) and file["smooth"].shape == (5, 4), "rows and columns")

status, printed, errors = maniple(2, "random", "integers", "9x5", "high=100", "-s", "3", "-o", "random.npy", "-q")
check(status == 0 and np.load("random.npy").shape == (9, 5), f"random numbers in a .npy file {errors}")


def written_images(ranks):
    """Outputs that are TIFF and FITS files, by what their bytes say."""
    for name in ("out.tif", "out.fits", "more.fits"):
        if os.path.exists(name):
            os.unlink(name)
    status, printed, errors = maniple(ranks, "eval", "-q", "y = x + x; s = x + x; z = 1.0 * x", "x=field.npy", "-o",
                                      "y=out.tif", "-o", "s=more.fits:SUM", "-o", "z=out.fits")
    x = np.load("field.npy")
    check(status == 0 and not errors, f"TIFF and FITS files as outputs on {ranks} ranks {errors}")
    with open("out.tif", "rb") as file:
        check(np.array_equal(tiff_pages(file.read())[0][1][..., 0], x + x), "a TIFF file")
    with open("out.fits", "rb") as file:
        check(np.array_equal(fits_hdus(file.read())[0][1], 1.0 * x), "a FITS file")
    status, printed, errors = maniple(ranks, "eval", "-q", "x * 3", "x=field.npy", "-o", "more.fits:THREE")
    with open("more.fits", "rb") as file:
        hdus = fits_hdus(file.read())
    check(status == 0 and [known.get("EXTNAME") for known, _ in hdus] == [None, "SUM", "THREE"]
          and np.array_equal(hdus[1][1], x + x) and np.array_equal(hdus[2][1], 3 * x), f"extensions {errors}")


written_images(1)
written_images(3)


def make_images():
    """TIFF and FITS files, where the build reads them."""
    wanted = {}

    def put(name, content):
        with open(name, "wb") as file:
            file.write(content)

    pages = rng.integers(0, 60000, (3, 20, 31)).astype("u2")
    if os.environ["has_tiff"] != "0":
        put("pages.tif", tiff_bytes(list(pages), tile=(16, 16), compression=8))
        put("one.TIFF", tiff_bytes([pages[0]], order=">", strip=7))
        wanted |= {"pages.tif": pages, "pages.tif:2": pages[2], "pages.tif[:, ::-1, 3]": pages[:, ::-1, 3],
                   "pages.tif:1[4]": pages[1, 4], "one.TIFF": pages[0]}
        put("cut.tif", tiff_bytes([pages[0]])[:300])
    if os.environ["has_fits"] != "0":
        put("two.fits", fits_bytes(None, True) + fits_bytes(a, False, EXTNAME="SCI")
            + fits_bytes(pages[0].astype("i2"), False, BZERO=0.5))
        half = pages[0].astype("i2").astype("f4") + np.float32(0.5)
        wanted |= {"two.fits": a, "two.fits:sci": a, "two.fits:2": half, "two.fits:SCI[::3, 1:]": a[::3, 1:]}
        put("cut.fits", fits_bytes(a, True)[:4000])
    return wanted


images = make_images()
for ranks in (1, 3) if images else ():
    read_all(ranks, images)
