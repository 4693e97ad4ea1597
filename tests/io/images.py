# SPDX-License-Identifier: BSD-3-Clause
"""Images in TIFF and FITS files: what is read is what the bytes say, which this test writes itself, and what tifffile,
Pillow and astropy wrote, where they are installed; of any dtype, order and storage, whole or in parts, in any layout.
What is damaged is said in one sentence, with the same status on all ranks."""

import ctypes
import io
import os

import maniple as mp
from image_files import fits_bytes, tiff_bytes
import numpy as np

try:
    from astropy.io import fits
except ImportError:
    fits = None
try:
    from PIL import Image
except ImportError:
    Image = None

rng = mp.random()
tiff_path, fits_path = mp.scratch("a.tif"), mp.scratch("a.fits")
ALL = mp.MNP_TIFF_ALL_PAGES
FORMAT, UNSUPPORTED = "MNP_ERR_FORMAT", "MNP_ERR_UNSUPPORTED"


class Selection(ctypes.Structure):
    _fields_ = [("subscripts", ctypes.c_char_p), ("start", ctypes.POINTER(ctypes.c_int64)),
                ("shape", ctypes.POINTER(ctypes.c_int64))]


class TiffInfo(ctypes.Structure):
    _fields_ = [("dtype", ctypes.c_int), ("ndim", ctypes.c_int), ("shape", ctypes.c_int64 * 8),
                ("pages", ctypes.c_int64), ("tiled", ctypes.c_bool), ("rows", ctypes.c_int64),
                ("columns", ctypes.c_int64), ("compression", ctypes.c_char * 24)]


class FitsInfo(ctypes.Structure):
    _fields_ = [("dtype", ctypes.c_int), ("ndim", ctypes.c_int), ("shape", ctypes.c_int64 * 8), ("bitpix", ctypes.c_int),
                ("hdu", ctypes.c_int), ("name", ctypes.c_char * 72), ("compression", ctypes.c_char * 24),
                ("scale", ctypes.c_double), ("zero", ctypes.c_double)]


def put(path, content):
    """The file's bytes, from rank 0."""
    if mp.rank == 0:
        with open(path, "wb") as file:
            file.write(content)
    mp.agree(None)


def there(function, path, *arguments):
    """Whether the build has the library."""
    try:
        getattr(mp, function)(path, *arguments)
    except mp.Error as error:
        return "this build of Maniple has no" not in error.message
    return True


def wrong_reads(read, a):
    """What is wrong with reads of an image, whole and in parts; read(selection, layout)."""
    wrongs = [mp.difference(read(None, mp.random_layout(rng, a.shape)), a)]
    for _ in range(2):
        key = tuple(slice(int(rng.integers(0, n)), None, int(rng.choice([1, 1, 2, -1, -3]))) if rng.random() < 0.8
                    else int(rng.integers(0, n)) for n in a.shape)
        part = a[key]
        text = Selection(mp.index_text(key).encode(), None, None)
        wrong = mp.difference(read(text, mp.random_layout(rng, np.shape(part))), part)
        wrongs.append(wrong and f"[{mp.index_text(key)}] {wrong}")
    return [wrong for wrong in wrongs if wrong]


# ---- TIFF ----

def values(shape, dtype):
    numbers = rng.integers(-100 if dtype[0] != "u" else 0, 100, shape)
    return (numbers + 1j * numbers[::-1] if dtype[0] == "c" else numbers).astype(dtype)


def test_tiff():
    def read(selection, layout):
        return mp.tiff_read(tiff_path, page, selection, layout)

    for dtype in ["u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f2", "f4", "f8", "c8", "c16"]:
        wrongs = []
        for kind in range(4):
            shape = [(37, 45), (20, 33, 3), (7, 50, 2), (1, 1), (64, 5, 4)][int(rng.integers(0, 5))]
            count, page = int(rng.choice([1, 1, 3])), ALL
            options = {"order": str(rng.choice(["<", ">"])), "big": bool(rng.random() < 0.3),
                       "compression": int(rng.choice([1, 8, 32773])), "planes": len(shape) == 3 and rng.random() < 0.5}
            options |= {"tile": (16, 32)} if kind % 2 else {"strip": int(rng.choice([1, 5, 64]))}
            if options["compression"] == 32773 and kind % 2:
                options["compression"] = 8
            pages = [values(shape, dtype) for _ in range(count)]
            put(tiff_path, tiff_bytes(pages, **options))
            found = wrong_reads(read, np.array(pages) if count > 1 else pages[0])
            if count > 1:
                page = 1
                found += wrong_reads(read, pages[1])
            wrongs += [f"{shape} x {count}, {options}: {wrong}" for wrong in found]
        mp.ok(not wrongs, f"TIFF, {dtype}" + "".join("\n" + wrong for wrong in wrongs[:3]))

    page = ALL
    large = values((700, 900), "f8")
    put(tiff_path, tiff_bytes([large], strip=700))
    mp.ok(not wrong_reads(read, large), "one strip of all rows")
    put(tiff_path, tiff_bytes([large], strip=700, compression=8))
    mp.ok(not wrong_reads(read, large), "compressed too")
    info = TiffInfo()
    small = values((30, 20), "u2")
    put(tiff_path, tiff_bytes([small] * 3, tile=(16, 16), compression=8))
    mp.tiff_inspect(tiff_path, ALL, info_p=info)
    mp.ok((mp.dtype_name(info.dtype), list(info.shape[:info.ndim]), info.pages, info.tiled, info.rows, info.columns,
           info.compression) == ("uint16", [3, 30, 20], 3, True, 16, 16, b"deflate"), "what the head says")
    put(tiff_path, tiff_bytes([small, small[:15, :10]], tags=[(254, ("I", [1]))]))
    mp.check("the first page is read even if it is a reduced one, the second is skipped",
             mp.tiff_read(tiff_path, ALL, None, None), small)
    mp.fails("MNP_ERR_ARG", "no page 1: it has 1", mp.tiff_read, tiff_path, 1, None, None)
    mask = {1: [(254, ("I", [4])), (258, ("H", [1]))]}
    put(tiff_path, tiff_bytes([small, small.astype("u1"), small + 1], tags_of=mask))
    mp.check("a mask of 1 bit between pages is skipped, though it cannot be read",
             mp.tiff_read(tiff_path, ALL, None, None), np.array([small, small + 1]))
    mp.check("and the page after it has the next number", mp.tiff_read(tiff_path, 1, None, None), small + 1)
    put(tiff_path, tiff_bytes([small, small[:15]]))
    mp.fails(UNSUPPORTED, "the pages of", mp.tiff_read, tiff_path, ALL, None, None)
    mp.check("one of two that differ", mp.tiff_read(tiff_path, 1, None, None), small[:15])
    mp.fails("MNP_ERR_ARG", "no page 2: it has 2", mp.tiff_read, tiff_path, 2, None, None)
    put(tiff_path, tiff_bytes([small], tags=[(258, ("H", [12]))]))
    mp.fails(UNSUPPORTED, "elements of 12 bits", mp.tiff_read, tiff_path, ALL, None, None)
    put(tiff_path, tiff_bytes([small], tags=[(259, ("H", [34712]))]))
    mp.fails(UNSUPPORTED, "compressed by method 34712 (JPEG 2000)", mp.tiff_read, tiff_path, ALL, None, None)
    with_pillow(read)
    damaged(lambda: mp.tiff_read(tiff_path, ALL, None, None), tiff_path,
            [tiff_bytes([small] * 2, strip=4, compression=8), tiff_bytes([small] * 2, tile=(16, 16)),
             tiff_bytes([small], order=">", big=True, strip=3)])
    for content in (b"", b"II", b"\x89PNG\r\n" * 20):
        put(tiff_path, content)
        mp.fails(FORMAT, "is not a TIFF file", mp.tiff_read, tiff_path, ALL, None, None)
    put(tiff_path, tiff_bytes([small])[:-150])
    mp.fails(FORMAT, "is damaged", mp.tiff_read, tiff_path, ALL, None, None)


def with_pillow(read):
    """Compressions with predictors and colour spaces, as Pillow's libtiff writes them."""
    if Image is None:
        mp.skip("TIFF files of Pillow", "there is no Pillow")
        return
    wrongs = []
    colours = rng.integers(0, 256, (40, 50, 3)).astype("u1")
    for options in ({"compression": "tiff_lzw"}, {"compression": "tiff_lzw", "tiffinfo": {317: 2}},
                    {"compression": "tiff_adobe_deflate", "tiffinfo": {317: 2}}, {"compression": "packbits"}):
        stream = io.BytesIO()
        Image.fromarray(colours).save(stream, "TIFF", **options)
        put(tiff_path, stream.getvalue())
        wrongs += [f"{options}: {wrong}" for wrong in wrong_reads(read, colours)]
    stream = io.BytesIO()
    Image.fromarray(colours).save(stream, "TIFF", compression="jpeg")
    put(tiff_path, stream.getvalue())
    theirs = np.asarray(Image.open(stream))
    if mp.difference(mp.tiff_read(tiff_path, ALL, None, None), theirs):
        wrongs.append("JPEG")
    mp.ok(not wrongs, "TIFF files of Pillow" + "".join("\n" + wrong for wrong in wrongs[:3]))


# ---- FITS ----

def test_fits():
    hdu = None

    def read(selection, layout):
        return mp.fits_read(fits_path, hdu, selection, layout)

    shapes = [(37, 45), (1000,), (5, 6, 7), (2, 3, 4, 5), (1, 1)]
    for dtype in ["u1", "i2", "i4", "i8", "f4", "f8"]:
        wrongs = []
        for _ in range(3):
            raw = values(shapes[int(rng.integers(0, len(shapes)))], dtype)
            put(fits_path, fits_bytes(raw, True))
            wrongs += wrong_reads(read, raw)
        if raw.dtype.kind != "f":  # the other sign
            bits = raw.dtype.itemsize * 8
            other = raw.astype(raw.dtype.str.replace("u", "x").replace("i", "u").replace("x", "i"))
            flipped = (other.view(f"u{bits // 8}") ^ np.array(1 << (bits - 1), f"u{bits // 8}")).view(other.dtype)
            put(fits_path, fits_bytes(raw, True, BZERO=-128 if bits == 8 else 1 << (bits - 1), BSCALE=1))
            wrongs += wrong_reads(read, flipped)
        wide = np.dtype("f4" if dtype in ("u1", "i2", "f4") else "f8")
        scaled = raw.astype(wide)
        scaled *= wide.type(0.25)
        scaled += wide.type(3)
        keywords = {"BSCALE": 0.25, "BZERO": 3.0}
        if raw.dtype.kind != "f":
            blank = int(raw.flat[0])
            keywords["BLANK"] = blank
            scaled[raw == blank] = np.nan
        put(fits_path, fits_bytes(raw, True, **keywords))
        wrongs += wrong_reads(read, scaled)
        if fits:
            with fits.open(fits_path) as file:
                wrong = mp.difference(scaled, np.array(file[0].data).astype(wide)) if blank_is_known(keywords) else ""
                wrongs += [f"astropy: {wrong}"] if wrong else []
        mp.ok(not wrongs, f"FITS, {dtype}" + "".join("\n" + wrong for wrong in wrongs[:3]))

    image, other = values((9, 11), "i2"), values((4,), "f4")
    table = fits_bytes(values((3, 8), "u1"), False, TFIELDS=1, TFORM1="8B").replace(b"'IMAGE   '", b"'BINTABLE'")
    put(fits_path, fits_bytes(None, True) + fits_bytes(image, False, EXTNAME="SCI") + table
        + fits_bytes(other, False, EXTNAME="SCI", EXTVER=2))
    for hdu, want in ((None, image), ("1", image), ("SCI", image), ("sci,2", other), ("3", other)):
        mp.check(f"HDU {hdu}", mp.fits_read(fits_path, hdu, None, None), want)
    info = FitsInfo()
    mp.fits_inspect(fits_path, "SCI", info_p=info)
    mp.ok((mp.dtype_name(info.dtype), list(info.shape[:info.ndim]), info.bitpix, info.hdu, info.name, info.compression)
          == ("int16", [9, 11], 16, 1, b"SCI", b"none"), "what the head says")
    for hdu, words in (("0", "HDU 0 of"), ("2", "a table, not an image"), ("4", "has no HDU 4: it has 4"),
                       ("ERR", "no HDU that is called 'ERR'"), ("SCI,7", "no HDU that is called"), ("", "no HDU")):
        mp.fails("MNP_ERR_ARG", words, mp.fits_read, fits_path, hdu, None, None)
    hdu = None
    compressed(read)
    good = fits_bytes(None, True) + fits_bytes(image, False, EXTNAME="SCI")
    damaged(lambda: mp.fits_read(fits_path, None, None, None), fits_path, [good, fits_bytes(image, True, BZERO=2.0)])
    for content in (b"", b"SIMPLE", b"\x89PNG\r\n" * 20):
        put(fits_path, content)
        mp.fails(FORMAT, "is not a FITS file", mp.fits_read, fits_path, None, None, None)
    put(fits_path, good[:2 * 2880 + 100])
    mp.fails(FORMAT, "is truncated", mp.fits_read, fits_path, "1", None, None)


def blank_is_known(keywords):
    """Astropy takes a BLANK of 0 for none."""
    return keywords.get("BLANK", 1) != 0


def compressed(read):
    if fits is None:
        mp.skip("compressed FITS images", "there is no astropy")
        return
    wrongs, contents = [], []
    floats = rng.normal(size=(60, 70)).astype("f4")
    floats[3, 5:9] = np.nan
    for data, options in ((values((60, 70), "i2"), {"compression_type": "RICE_1"}),
                          (values((60, 70), "u1"), {"compression_type": "GZIP_1", "tile_size": (16, 32)}),
                          (values((6, 20, 30), "i4"), {"compression_type": "RICE_1", "tile_size": (10, 5, 2)}),
                          (rng.integers(0, 65536, (40, 50)).astype("u2"), {"compression_type": "RICE_1"}),
                          (floats, {"compression_type": "RICE_1"}),
                          (floats.astype("f8"), {"compression_type": "GZIP_2", "quantize_level": 0})):
        stream = io.BytesIO()
        fits.HDUList([fits.PrimaryHDU(), fits.CompImageHDU(data, **options)]).writeto(stream)
        contents.append(stream.getvalue())
        put(fits_path, contents[-1])
        with fits.open(fits_path) as file:
            theirs = np.array(file[1].data)
        theirs = theirs.astype(theirs.dtype.newbyteorder("="))
        wrongs += [f"{data.dtype} {options}: {wrong}" for wrong in wrong_reads(read, theirs)]
    mp.ok(not wrongs, "compressed FITS images" + "".join("\n" + wrong for wrong in wrongs[:3]))
    damaged(lambda: mp.fits_read(fits_path, None, None, None), fits_path, contents)
    stream = io.BytesIO()
    fits.HDUList([fits.PrimaryHDU(), fits.CompImageHDU(values((60, 70), "i2"), compression_type="HCOMPRESS_1")]).writeto(
        stream)
    put(fits_path, stream.getvalue())
    mp.fails(UNSUPPORTED, "compressed by HCOMPRESS_1, which is not read", mp.fits_read, fits_path, None, None, None)


# ---- damage ----


def damaged(read, path, contents):
    """Files that end early or have other bytes: read as something, or one sentence."""
    wrongs = []
    for content in contents:
        for trial in range(40 if mp.FULL else 12):
            broken = bytearray(content)
            if trial % 3 == 0:
                broken = broken[:int(rng.integers(8, len(content)))]
            for at in rng.integers(8, len(broken), int(rng.choice([1, 4, 40]))) if trial % 3 else []:
                broken[int(at)] = int(rng.integers(0, 256))
            put(path, bytes(broken))
            try:
                read()
            except mp.Error as error:
                if not error.message or "\n" in error.message:
                    wrongs.append(repr(error.message))
    mp.ok(not wrongs, f"{os.path.basename(path)}: damage gives one sentence" + "".join("\n" + w for w in wrongs[:3]))


put(tiff_path, b"")
put(fits_path, fits_bytes(None, True))
if there("tiff_read", tiff_path, ALL, None, None):
    test_tiff()
else:
    mp.skip("TIFF", "this build has no libtiff")
if there("fits_read", fits_path, None, None, None):
    test_fits()
else:
    mp.skip("FITS", "this build has no CFITSIO")
mp.done()
